"""Libraries and devices: who is here, where arrays live, and what moving them shares."""

import json
import pickle
import subprocess
import sys
import textwrap
import tomllib
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import dimflow
from dimflow import DimArray, backends, ops
from dimflow import units as u
from dimflow.backends import Device, backend
from dimflow.errors import (
    BackendMismatch,
    BackendNotInstalled,
    DeviceMismatch,
    DimflowError,
    NotANumber,
)

LIBRARIES = ["numpy", "torch", "jax", "mlx", "array_api_strict"]
OTHERS = LIBRARIES[1:]
NUMBERS = [1.0, 2.0, 4.0]
ROOT = Path(__file__).parents[2]


def metres(library: str, values: Any = NUMBERS) -> DimArray:
    """Quantities in single precision, which every library has, on memory of their own."""
    numbers = np.array(values, np.float32)
    return DimArray(numbers, "m").to_backend(library, copy=True)


def dtype_name(x: DimArray) -> str:
    return str(x.dtype).rpartition(".")[2]


# Who is here


def test_available_are_the_installed_ones_and_none_is_imported() -> None:
    code = """
        import sys, json
        import dimflow
        found = dimflow.backends.available()
        from dimflow import DimArray
        repr(DimArray([1.0], "m") * 2)
        print(json.dumps([found, sorted({n.partition(".")[0] for n in sys.modules})]))
    """
    found, modules = json.loads(python(code))
    assert set(LIBRARIES) <= set(found)
    assert not {"torch", "jax", "jaxlib", "mlx", "cupy", "array_api_strict"} & set(modules)
    assert backends.names() == sorted({*found, "cupy"} | set(backends.names()))


HEAVY = [pytest.param(name, marks=pytest.mark.deep) for name in ("torch", "jax")]


@pytest.mark.parametrize("library", ["numpy", "mlx", "array_api_strict", *HEAVY])
def test_one_library_imports_no_other(library: str) -> None:
    code = f"""
        import sys, json
        from dimflow import DimArray
        x = DimArray([1.0, 2.0], "m").to_backend({library!r}, copy=None)
        (x * x).sum().to("km**2")
        print(json.dumps(sorted({{n.partition(".")[0] for n in sys.modules}})))
    """
    modules = set(json.loads(python(code)))
    heavy = {"torch", "jax", "mlx", "cupy", "array_api_strict"}
    assert heavy & modules == {library} - {"numpy"}


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    start = "import jax; jax.config.update('jax_enable_x64', True)\n" if "'jax'" in code else ""
    run = subprocess.run(
        [sys.executable, "-c", start + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_a_library_nobody_knows_is_named_with_those_we_know() -> None:
    with pytest.raises(BackendNotInstalled) as error:
        DimArray([1.0], "m", backend="abacus")
    assert "the array library 'abacus' is not available\n  hint:  dimflow knows " in str(
        error.value
    )
    assert all(name in str(error.value) for name in LIBRARIES)


# Devices


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_lists_where_its_arrays_live(library: str) -> None:
    listed = dimflow.devices(library)
    x = metres(library)
    assert x.device in listed
    assert all(type(device) is Device and device.backend == library for device in listed)
    assert set(listed) <= set(dimflow.devices())
    for device in listed:
        assert device == device.native
        assert (device != device.native) is False
        assert device.type == device.kind
        assert device not in (None, 3, object(), "abacus:0")
        assert hash(device) == hash(str(device))
        assert device.description


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_array_goes_where_it_is_sent_by_any_name_of_the_place(library: str) -> None:
    x = metres(library)
    for device in dimflow.devices(library):
        for name in (device, str(device), device.native):
            moved = x.to_device(name)
            assert moved.device == device
            assert moved.tolist() == NUMBERS
            assert moved.unit is x.unit


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_place_that_is_not_there_is_an_error(library: str) -> None:
    for act in (
        lambda: metres(library).to_device("abacus:0"),
        lambda: DimArray(NUMBERS, "m", backend=library, device="abacus:0"),
        lambda: dimflow.zeros(3, "m", backend=library, device="abacus:0"),
    ):
        with pytest.raises((DeviceMismatch, DimflowError)):
            act()


def test_a_device_is_a_text_that_knows_its_library() -> None:
    device = Device("cuda:1", "torch")
    assert device == "cuda:1"
    assert Device("abacus:0", "mlx") != backend("mlx").native_device("cpu")
    assert (device.kind, device.index, device.backend) == ("cuda", 1, "torch")
    assert (Device("cpu").kind, Device("cpu").index) == ("cpu", 0)
    copy = pickle.loads(pickle.dumps(device))
    assert (copy, copy.backend) == (device, "torch")
    assert repr(device) == "Device('cuda:1', 'torch')"


def test_a_device_says_which_library_is_meant() -> None:
    for library in LIBRARIES:
        (device, *_) = dimflow.devices(library)
        assert dimflow.zeros(2, "m", device=device).backend == library


# New arrays

MAKERS: dict[str, Any] = {
    "zeros": lambda **o: dimflow.zeros((2, 3), "m", **o),
    "ones": lambda **o: dimflow.ones(3, "m", **o),
    "empty": lambda **o: dimflow.empty(3, "m", **o),
    "full": lambda **o: dimflow.full(3, 2 * u.m, **o),
    "eye": lambda **o: dimflow.eye(3, unit="m", **o),
    "arange": lambda **o: dimflow.arange(0, 3, unit="m", **o),
    "linspace": lambda **o: dimflow.linspace(0 * u.m, 1 * u.m, 3, **o),
    "asarray": lambda **o: dimflow.asarray([1, 2], "m", **o),
    "DimArray": lambda **o: DimArray([1, 2], "m", **o),
}


@pytest.mark.parametrize("name", sorted(MAKERS))
@pytest.mark.parametrize("library", LIBRARIES)
def test_new_arrays_have_the_library_dtype_and_device_asked_for(library: str, name: str) -> None:
    (device, *_) = dimflow.devices(library)
    for dtype in ("float32", np.float32, backend(library).as_dtype("float32")):
        made = MAKERS[name](backend=library, device=device, dtype=dtype)
        assert (made.backend, made.device, str(made.unit)) == (library, device, "m")
        assert dtype_name(made) == "float32"


# Moving

# What a move shares, without being asked to: both libraries write into memory, or the view is
# one that cannot be written to.
SHARED = {
    ("numpy", "torch"),
    ("torch", "numpy"),
    ("numpy", "array_api_strict"),
    ("array_api_strict", "numpy"),
    ("torch", "array_api_strict"),
    ("array_api_strict", "torch"),
    ("jax", "numpy"),
    ("mlx", "numpy"),
}
PAIRS = list(permutations(LIBRARIES, 2))


def address(x: DimArray) -> int:
    """Where the first number lies."""
    raw = x.data
    if x.backend == "torch":
        return int(raw.data_ptr())
    if x.backend == "array_api_strict":
        raw = raw._array
    return int(np.asarray(raw).ctypes.data)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_move_keeps_numbers_unit_and_dtype(source: str, target: str) -> None:
    x = metres(source, [NUMBERS, NUMBERS])
    for copy in (None, True):
        y = x.to_backend(target, copy=copy)
        assert (y.backend, y.unit, dtype_name(y)) == (target, x.unit, "float32")
        assert y.tolist() == [NUMBERS, NUMBERS]
    back = y.to_backend(source)
    assert type(back) is type(x)
    assert back.tolist() == x.tolist()


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_move_shares_what_is_listed_and_nothing_else(source: str, target: str) -> None:
    x = metres(source)
    y = x.to_backend(target)
    assert (address(x) == address(y)) == ((source, target) in SHARED)
    assert address(x.to_backend(target, copy=True)) != address(x)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_nobody_changes_what_another_takes_for_constant(source: str, target: str) -> None:
    x = metres(source)
    y = x.to_backend(target)
    both_write = all(backend(z.backend).writes_memory(z.data) for z in (x, y))
    for number, written, watched in ((7, x, y), (9, y, x)):
        if not backend(written.backend).is_mutable(written.data):
            continue
        if written.backend == "numpy" and not written.data.flags.writeable:
            continue  # a view of what cannot change
        written[0] = number * u.m
        seen = watched[0].item() == number
        assert seen == (both_write and (source, target) in SHARED)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_move_to_where_it_is_gives_the_array_itself(library: str) -> None:
    x = metres(library)
    assert x.to_backend(library) is x
    copy = x.to_backend(library, copy=True)
    assert copy.tolist() == NUMBERS
    assert copy is not x


# Meeting


@pytest.mark.parametrize(("left", "right"), list(permutations(OTHERS, 2)))
def test_two_libraries_in_one_operation_are_an_error_with_the_fix(left: str, right: str) -> None:
    x, y = metres(left), metres(right)
    for act in (
        lambda: x + y,
        lambda: x * y,
        lambda: x < y,
        lambda: ops.hypot(x, y),
        lambda: ops.concat([x, y]),
    ):
        with pytest.raises(BackendMismatch) as error:
            act()
        fixes = [f"convert one of them: x.to_backend({name!r})" for name in (left, right)]
        assert str(error.value).endswith(tuple(fixes))
    assert (x + y.to_backend(left)).tolist() == [2.0, 4.0, 8.0]


class OnlyArray:
    """What offers its numbers and nothing else."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(NUMBERS)


class Lazy:
    """An array of a library that dimflow does not know: a shape, a dtype, operators."""

    shape, dtype = (3,), "float32"

    def __add__(self, other: Any) -> Any:
        return NotImplemented

    __radd__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__


STRANGERS = {
    "only __array__": OnlyArray(),
    "lazy": Lazy(),
    "sparse": scipy.sparse.csr_array([NUMBERS]),
    "object": object(),
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", sorted(STRANGERS))
def test_an_array_of_an_unknown_library_is_an_error_in_both_orders(name: str, library: str) -> None:
    x, stranger = metres(library), STRANGERS[name]
    kind = type(stranger).__name__
    # SciPy's asks for the numbers itself before it lets others have a say, and gets none
    named = f"{kind}|would lose the unit m"
    for act in (
        lambda: x + stranger,
        lambda: stranger + x,
        lambda: x * stranger,
        lambda: stranger * x,
        lambda: x / stranger,
        lambda: stranger / x,
    ):
        with pytest.raises(TypeError, match=named):
            act()
    for call in (lambda: ops.add(x, stranger), lambda: ops.sin(stranger)):
        with pytest.raises(
            NotANumber, match=rf"an operation needs a number, but got .*{kind}"
        ) as e:
            call()
        known = "hint:  dimflow knows arrays of array_api_strict, cupy, dask, jax"
        assert (known in str(e.value)) is (kind != "object")  # there is no array to be made of one


def test_what_offers_its_numbers_becomes_an_array_when_asked() -> None:
    assert DimArray(OnlyArray(), "m").tolist() == NUMBERS
    for stranger in (Lazy(), object(), scipy.sparse.csr_array([NUMBERS])):
        with pytest.raises(NotANumber):
            DimArray(stranger, "m")


# Leaving the process

BLOCKED = """
    import sys
    class Block:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] == {library!r}:
                raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
    sys.meta_path.insert(0, Block())
    import pickle, dimflow
    content = bytes.fromhex({content!r})
    try:
        pickle.loads(content)
    except dimflow.errors.BackendNotInstalled as error:
        print(error)
    with dimflow.restore_on("numpy"):
        x = pickle.loads(content)
    print(type(x).__name__, x.backend, x.dtype, x.unit, x.tolist(), type(x.data).__name__)
"""


def how_to_get(library: str) -> str:
    """The hint for a library that is missing; array-api-strict has no extra of ours."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    has_extra = library in project["optional-dependencies"]
    return f"pip install 'dimflow[{library}]'" if has_extra else f"install the package {library}"


@pytest.mark.parametrize("library", OTHERS)
def test_a_pickle_in_a_process_without_the_library(library: str) -> None:
    content = pickle.dumps(metres(library)).hex()
    text = python(BLOCKED.format(library=library, content=content).replace("'jax'", '"jax"'))
    assert text == (
        f"the array library {library!r} is not available\n"
        f"  hint:  {how_to_get(library)}, or load it elsewhere: "
        "with dimflow.restore_on('numpy'): ...\n"
        f"DimArray numpy float32 m {NUMBERS} ndarray\n"
    )


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_pickle_comes_back_as_it_was(library: str) -> None:
    for x in (metres(library), metres(library, 3.0), metres(library, np.zeros((0, 2)))):
        y = pickle.loads(pickle.dumps(x))
        assert (y.backend, y.dtype, y.device, y.shape) == (x.backend, x.dtype, x.device, x.shape)
        assert y.unit is x.unit
        assert y.tolist() == x.tolist()
        assert type(y) is type(x)


@pytest.mark.parametrize("target", LIBRARIES)
@pytest.mark.parametrize("source", LIBRARIES)
def test_a_pickle_is_restored_on_the_library_asked_for(source: str, target: str) -> None:
    content = pickle.dumps(metres(source))
    with dimflow.restore_on(target):
        found = pickle.loads(content)
    assert (found.backend, found.tolist()) == (target, NUMBERS)
    assert pickle.loads(content).backend == source


# Scalars and iteration


@pytest.mark.parametrize("library", LIBRARIES)
def test_one_number_has_no_axes(library: str) -> None:
    x = metres(library)
    for one in (x[0], x.sum(), x.max(), metres(library, 3.0), ops.dot(x, x)):
        assert isinstance(one, DimArray)
        assert one.shape == ()
        assert one.ndim == 0
        assert one.size == 1
        assert (one.backend, dtype_name(one)) == (library, "float32")
        assert type(one.item()) is float
        with pytest.raises(TypeError):
            len(one)
        with pytest.raises(TypeError):
            iter(one)
    ratio = x[1] / x[0]
    assert float(ratio) == 2.0
    assert bool(x[0] > 0 * u.m) is True
    with pytest.raises(DimflowError):
        float(x[0])


@pytest.mark.parametrize("library", LIBRARIES)
def test_iteration_gives_quantities_like_the_whole(library: str) -> None:
    x = metres(library)
    parts = [x[i] for i in range(3)] if library == "array_api_strict" else list(x)
    for part, number in zip(parts, NUMBERS, strict=True):
        assert type(part) is type(x)
        assert (part.backend, part.dtype, part.device) == (x.backend, x.dtype, x.device)
        assert (part.unit, part.item()) == (x.unit, number)


@pytest.mark.parametrize("library", LIBRARIES)
def test_requires_grad_is_true_where_something_is_recorded(library: str) -> None:
    x = metres(library)
    assert x.requires_grad is False
    if library == "torch":
        x.data.requires_grad_()
        assert x.requires_grad is True
        assert (x * 2).requires_grad is True
        assert x.detach().requires_grad is False
        assert [part.requires_grad for part in x] == [True] * 3


@pytest.mark.parametrize("library", [name for name in LIBRARIES if name != "jax"])
@pytest.mark.parametrize("value", [2.0 * u.m, 2.5 * u.m, DimArray(2, "m", dtype="float32")])
def test_fractions_are_not_written_into_integers_whatever_their_value(
    library: str, value: DimArray
) -> None:
    x = DimArray([1, 2], "m").to_backend(library)
    with pytest.raises(NotANumber, match="would cut"):
        x[0] = value
    x[0] = 3 * u.m
    assert x.tolist() == [3, 2]
