"""A backend and an op from outside: one new file each, and no edit of dimflow."""

import pickle
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dimflow import DimArray, check, ops
from dimflow.array.factories import full
from dimflow.errors import MissingRule, NotANumber, UnsupportedFunction
from tests.contract.strict_library import BY_KERNEL, Strict

LIBRARY = """
    class Array:
        def __init__(self, numbers):
            self.numbers, self.shape, self.dtype = numbers, numbers.shape, numbers.dtype
        def __mul__(self, other):
            return Array(self.numbers * getattr(other, "numbers", other))
        def __truediv__(self, other):
            return Array(self.numbers / other)
"""
BACKEND = """
    import numpy as np
    from newlibrary import Array
    from dimflow.backends import Backend

    class NewLibrary(Backend):
        name = "newlibrary"
        def host_function(self, op):
            function = getattr(np, op.hosts.array_api or "", None)
            if function is None:
                return None
            def run(*args, **kwargs):
                return Array(function(*(getattr(a, "numbers", a) for a in args), **kwargs))
            return run
        def asarray(self, data, *, dtype=None, device=None, copy=None):
            return Array(np.array(getattr(data, "numbers", data), dtype))
        def to_numpy(self, raw):
            return raw.numbers
        def device(self, raw):
            return "cpu"

    BACKEND = NewLibrary()
"""
USE = """
    import sys
    from dimflow import DimArray, backends, ops
    assert {"newlibrary", "numpy", "torch"} <= {*backends.names()}
    assert "newlibrary" in backends.available()
    x = DimArray([1.0, 2.0], "km")
    assert "newlibrary" not in sys.modules
    x = x.to_backend("newlibrary")
    assert x.backend == "newlibrary"
    y = ops.sqrt(ops.add(x * x, DimArray(x.data, "m") * x))
    assert type(y.data).__name__ == "Array" and str(y.unit) == "km"
    total = ops.any(x)
    assert bool(total) is True and total.backend == "newlibrary"
    print(y.tolist())
"""


def test_a_backend_is_a_package_with_an_entry_point(tmp_path: Path) -> None:
    (tmp_path / "newlibrary").mkdir()
    (tmp_path / "newlibrary" / "__init__.py").write_text(textwrap.dedent(LIBRARY))
    installed(tmp_path, "newlibrary", BACKEND)
    np.testing.assert_allclose(eval(python(tmp_path, USE)), np.sqrt([1.001, 4.004]))


STANDARD_BACKEND = """
    import newstandard
    from dimflow.backends.array_api import ArrayAPI

    class NewStandard(ArrayAPI):
        name = "newstandard"
        @property
        def namespace(self):
            return newstandard
        def holds(self, kind):
            return issubclass(kind, type(newstandard.asarray(0)))

    BACKEND = NewStandard()
"""
STANDARD_USE = """
    import sys
    import numpy as np
    from dimflow import DimArray, backends, ops, units as u, zeros
    assert "newstandard" in backends.available() and "newstandard" not in sys.modules
    x = DimArray(np.array([[2.0, 1.0], [1.0, 3.0]]), "m").to_backend("newstandard")
    kind = type(x.data)
    assert kind.__module__.startswith("newstandard")
    found = [
        x + 1 * u.km, x * x.to("cm"), ops.sqrt(x), x.sum(axis=0), x.mean(), ops.median(x, axis=1),
        ops.inv(x), ops.concat([x, x]), ops.index_add(x, x[0, ...], key=(1,)), x.cumsum(),
        ops.logsumexp(x / u.m), ops.einsum("ij,jk", x, x), ops.interp(x, x[0, ...], x[1, ...]),
        ops.conv(ops.reshape(x, (1, 2, 2)), ops.reshape(x, (2, 2, 1))),
        zeros(3, "m", backend="newstandard"),
    ]
    for y in found:
        assert type(y.data) is kind and y.backend == "newstandard", y
    print(ops.inv(x).unit, ops.inv(x).tolist(), backends.devices("newstandard")[0])
"""


def installed(folder: Path, name: str, backend: str) -> None:
    """A package's entry point, and the module that it names."""
    (folder / name / "for_dimflow.py").write_text(textwrap.dedent(backend))
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[dimflow.backends]\n{name} = {name}.for_dimflow\n")


def python(folder: Path, code: str) -> str:
    start = f"import sys; sys.path.insert(0, {str(folder)!r})\n"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", start + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_a_library_with_the_standard_alone_needs_three_lines(tmp_path: Path) -> None:
    """The backend of docs/guide/backends.md, for a library of another name."""
    import array_api_strict

    shutil.copytree(Path(array_api_strict.__file__).parent, tmp_path / "newstandard")
    installed(tmp_path, "newstandard", STANDARD_BACKEND)
    unit, _, rest = python(tmp_path, STANDARD_USE).partition(" ")
    assert unit == "1/m"
    assert "CPU_DEVICE" in rest
    np.testing.assert_allclose(eval(rest[: rest.rindex("]") + 1]), [[0.6, -0.2], [-0.2, 0.4]])


OUTSIDE_OP = """
    from dimflow import DimArray, check, ops
    from dimflow.ops import elementwise
    from dimflow.ops.rules.units import same

    def declare(name):
        return elementwise(
            name, doc="The larger of two sizes.", unit=same, numpy="",
            expr="fmax(fabs(x), fabs(y))",
            partials=(lambda out, x, y: x / x, lambda out, x, y: 0 * (y / y)),
            domain=((2.0, 3.0), (0.5, 1.0)),
            definition=lambda x, y, /: ops.maximum(ops.abs(x), ops.abs(y)),
        )

    import dimflow
    declare("larger_size")
    found = dimflow.larger_size(DimArray(-2.0, "km"), DimArray(3.0, "m"))
    assert found == DimArray(2.0, "km") and ops.TABLE["larger_size"].kind == "elementwise"
    try:
        declare("atan2")
    except ValueError as error:
        print(error)
    assert ops.atan2.family == "trigonometry"
"""


def test_an_op_is_an_entry_and_may_not_take_a_name_of_ours() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(OUTSIDE_OP)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.stderr, run.stdout) == ("", "there are two ops called 'atan2'\n")


def lengths() -> DimArray:
    return DimArray(Strict(np.array([[1.0, 2.0], [3.0, 4.0]])), "m")


KEEPING = {
    "add": lambda x: x + x.to("km"),
    "power": lambda x: x**0.5,
    "reflected": lambda x: np.ones(2) / x,
    "NumPy's scalar": lambda x: np.float64(2) * x,
    "NumPy's quantity": lambda x: x + DimArray([1.0, 2.0], "cm"),
    "reshape": lambda x: x.reshape(4, order="F"),
    "flatten": lambda x: x.flatten("F"),
    "ravel": lambda x: x.ravel(),
    "mask": lambda x: x[ops.greater(x, 0)],
    "mean": lambda x: x.mean(axis=0),
    "in place": lambda x: x.__iadd__(x),
    "np.sum": lambda x: np.sum(x, axis=1),
    "np.einsum": lambda x: np.einsum("ij->i", x),
    "np.multiply.outer": lambda x: np.multiply.outer(x, x),
    "np.linalg.inv": np.linalg.inv,
    "pickled": lambda x: pickle.loads(pickle.dumps(x)),
    "converted": lambda x: DimArray(x, "inch"),
    "stacked": lambda x: DimArray([x, x]),
}


@pytest.mark.parametrize("way", sorted(KEEPING))
def test_arrays_stay_in_their_library(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dimflow.array.persistence.backend", lambda name: BY_KERNEL)
    x = lengths()
    result = KEEPING[way](x)
    expected = KEEPING[way](DimArray(lengths().to_numpy(), "m"))
    assert isinstance(result.data, Strict)
    assert result.unit is expected.unit
    np.testing.assert_allclose(result.to_numpy(), expected.data)


@pytest.mark.parametrize(
    "write",
    [lambda x: x.__setitem__(0, x[1]), lambda x: x.fill(0), lambda x: x.sort()],
    ids=["assignment", "fill", "sort"],
)
def test_what_cannot_be_written_into_says_so(write: Any) -> None:
    with pytest.raises(NotANumber, match=r"Strict, which cannot be written into \(at_set makes"):
        write(lengths())


def test_a_check_takes_their_units_and_shapes_and_no_data() -> None:
    found = check(lambda x, y: (x * y, y > 0), lengths(), Strict(np.ones(2, np.float32)))
    assert [str(spec) for spec in found] == ["m[2, 2]", ":bool[2]"]


def test_text_needs_no_numbers_of_numpy() -> None:
    assert str(lengths()) == "[[1. 2.]\n [3. 4.]] m"
    assert np.array2string(lengths()) == "[[1. 2.]\n [3. 4.]] m"


def test_a_function_of_numpy_alone_says_so() -> None:
    with pytest.raises(UnsupportedFunction) as error:
        np.piecewise(lengths(), [True], [1.0])
    assert str(error.value) == (
        "this function of NumPy is not supported for arrays with units: it works on NumPy's own "
        "arrays only, and this is one of strict\n  hint:  convert it: x.to_backend('numpy')"
    )


def test_an_array_full_of_a_value_is_of_its_library() -> None:
    found = full(3, lengths()[0, 0])
    assert found.backend == "strict"
    np.testing.assert_array_equal(found.to_numpy("m"), [1.0, 1.0, 1.0])


def test_what_no_library_can_do_names_the_op() -> None:
    class Bare(type(BY_KERNEL)):  # type: ignore[misc]
        def native(self, op: ops.Op) -> None:
            return None

    with pytest.raises(MissingRule, match=r"^eig has no kernel for strict"):
        Bare().run(ops.eig, (lengths().data,), {})
