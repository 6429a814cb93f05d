"""CuPy needs a GPU: its file is read where DIMFLOW_LIBRARIES names it."""

from pathlib import Path

from tests.contract.libraries.library import chosen

_IS_ASKED_FOR = "cupy" in {text.partition(":")[0] for text in chosen()}

collect_ignore = [] if _IS_ASKED_FOR else [str(Path(__file__).parent / "test_cupy.py")]
