"""Files of libraries that are not to be run are not read."""

from pathlib import Path

from tests.contract.libraries.library import chosen

_HERE = Path(__file__).parent
_CHOSEN = {text.partition(":")[0] for text in chosen()}
_FILES = {
    "array_api_strict": ["test_array_api_strict.py"],
    "torch": ["test_torch.py"],
    "jax": ["test_jax_even.py", "test_jax_odd.py"],
    "mlx": ["test_mlx.py"],
    "cupy": ["test_cupy.py"],
    "dask": ["test_dask.py"],
}

collect_ignore = [
    str(_HERE / file) for name, files in _FILES.items() if name not in _CHOSEN for file in files
]
