"""Ufuncs that are not NumPy's: numbers go in as numbers, quantities are refused by name."""

import re
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.special

import dimflow
from dimflow import DimArray, ops
from dimflow import units as u
from dimflow.errors import DimflowError, PureNumberError, UnsupportedFunction
from tests.contract.hints.snippets import snippets

RAW = np.array([0.25, 1.0, 3.0])
SCIPYS = sorted({f.__name__ for f in vars(scipy.special).values() if isinstance(f, np.ufunc)})
LIBRARIES = ("numpy", "torch", "jax", "mlx", "dask", "array_api_strict")
add_one = np.frompyfunc(lambda x: x + 1, 1, 1)
add = np.frompyfunc(lambda x, y: x + y, 2, 1)


def called(name: str, make: Any) -> Any:
    """What a ufunc of SciPy's gives, where the types of its arguments allow numbers like these."""
    ufunc = getattr(scipy.special, name)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = ufunc(*[make(RAW + i) for i in range(ufunc.nin)])
        except TypeError:  # it takes integers
            result = ufunc(*[make(np.arange(3) + i) for i in range(ufunc.nin)])
    return result if isinstance(result, tuple) else (result,)


def numbers(result: Any) -> np.ndarray:
    return np.asarray(result.to_numpy() if isinstance(result, DimArray) else result)


@pytest.mark.parametrize("name", SCIPYS)
def test_numbers_go_into_every_ufunc_of_scipy_and_quantities_do_not(name: str) -> None:
    wanted = called(name, lambda raw: raw)
    found = called(name, DimArray)
    for part, known in zip(found, wanted, strict=True):
        assert isinstance(part, DimArray)
        assert part.unit == dimflow.Unit("")
        np.testing.assert_array_equal(part.data, known)
        assert part.dtype == known.dtype
    if all(kind in "fdFDgG" for kind in getattr(scipy.special, name).types[0].partition("-")[0]):
        percents = called(name, lambda x: DimArray(100 * x, "percent"))
        for part, known in zip(percents, wanted, strict=True):
            np.testing.assert_allclose(part.data, known, rtol=1e-6, equal_nan=True)
    with pytest.raises(PureNumberError) as caught:
        called(name, lambda raw: DimArray(raw, "m"))
    assert caught.value.operation == f"the ufunc {name}"
    if name in ops.TABLE and len(ops.get(name).array_names) == getattr(scipy.special, name).nin:
        unit_dependent = ops.get(name).unit_dependent
        assert unit_dependent or f"dimflow.{ops.get(name).namespace}" in str(caught.value)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("ufunc", [scipy.special.ndtr, scipy.special.erf, scipy.special.xlogy])
def test_numbers_come_out_in_the_library_that_they_came_from(library: str, ufunc: Any) -> None:
    x = DimArray(RAW.astype(np.float32)).to_backend(library)
    raw = RAW.astype(np.float32)
    results, wanted = ufunc(*[x] * ufunc.nin), ufunc(*[raw] * ufunc.nin)
    assert type(results) is type(x)
    assert results.backend == x.backend
    np.testing.assert_allclose(numbers(results), wanted, rtol=1e-6)
    with pytest.raises(PureNumberError, match=f"the ufunc {ufunc.__name__}"):
        ufunc(*[DimArray(raw, "m").to_backend(library)] * ufunc.nin)


@pytest.mark.parametrize("unit", ["", "percent", "m"])
def test_every_method_takes_numbers(unit: str) -> None:
    x = DimArray(RAW, unit)
    calls = {
        "__call__": lambda x: add(x, x),
        "reduce": lambda x: add.reduce(x),
        "accumulate": lambda x: add.accumulate(x),
        "outer": lambda x: add.outer(x, x),
        "reduceat": lambda x: add.reduceat(x, DimArray(np.array([0, 1]))),
        "scalar": lambda x: add_one(x[0]),
        "out": lambda x: scipy.special.erf(x, out=np.zeros(3)),
        "where": lambda x: scipy.special.erf(x, out=np.zeros(3), where=DimArray(RAW) > 0.5),
        "dtype": lambda x: scipy.special.erf(x, dtype=np.float32),
        "beside": lambda x: scipy.special.xlogy(RAW, x),
        "vectorize": lambda x: np.vectorize(lambda v: v + 1)(x),
    }
    for call in calls.values():
        if unit == "m":
            with pytest.raises(DimflowError):
                call(x)
            continue
        np.testing.assert_array_equal(numbers(call(x)), call(x.to("").data))


def test_at_and_out_write_pure_numbers_alone() -> None:
    target = DimArray(RAW.copy())
    scipy.special.xlogy.at(target, [0, 0], 1.0)
    known = RAW.copy()
    scipy.special.xlogy.at(known, [0, 0], 1.0)
    np.testing.assert_array_equal(target.data, known)
    for unit in ("m", "percent"):
        target = DimArray(RAW.copy(), unit)
        with pytest.raises(UnsupportedFunction, match="writes pure numbers"):
            scipy.special.xlogy.at(target, [0], 1.0)
        with pytest.raises(UnsupportedFunction, match="writes pure numbers"):
            scipy.special.erf(RAW, out=target)
        np.testing.assert_array_equal(target.data, RAW)


def test_what_is_traced_is_refused_by_name() -> None:
    for transform in (dimflow.grad, dimflow.vmap):
        argument = 0.5 if transform is dimflow.grad else DimArray(RAW)
        with pytest.raises(DimflowError, match=r"the ufunc erf(.|\n)*dimflow\.special\.erf"):
            transform(lambda x: scipy.special.erf(x))(argument)


def test_the_whole_text() -> None:
    with pytest.raises(PureNumberError) as caught:
        scipy.special.erf(DimArray(RAW, "m"))
    assert str(caught.value) == (
        "the ufunc erf needs a pure number, but got\n"
        "  m   [length]\n"
        "  hint:  divide by a reference value first: dimflow.special.erf(x / x0)"
    )
    with pytest.raises(PureNumberError, match=r"hint:  dimflow\.cbrt knows units"):
        scipy.special.cbrt(DimArray(RAW, "m"))
    with pytest.raises(PureNumberError, match="an angle is not a pure number"):
        scipy.special.erf(30 * u.deg)


# The functions after these equations take x as it is, whatever their docstrings say.
MODIFIED = [f"mathieu_mod{kind}em{i}" for kind in "cs" for i in (1, 2)]
OF_DEGREES = [
    name
    for name in SCIPYS
    if re.search(r"(?<!of )degrees", getattr(scipy.special, name).__doc__) and name not in MODIFIED
    if not re.search(r"degrees of|[^\w]df", getattr(scipy.special, name).__doc__)
]


@pytest.mark.parametrize("unit", ["rad", "deg", "arcmin", "turn", "mrad"])
@pytest.mark.parametrize("name", OF_DEGREES)
def test_angles_are_no_numbers_of_degrees(name: str, unit: str) -> None:
    """SciPy's docstrings say which take degrees, of which a radian, else 1, is 57."""
    ufunc = getattr(scipy.special, name)
    first = (1, 2)[: ufunc.nin - 1] if name.startswith("mathieu") else ()
    rest = (0.0,) * (ufunc.nin - 1 - len(first))
    angle = DimArray(np.pi / 3, "rad").to(unit)
    with pytest.raises(PureNumberError, match=f"the ufunc {name}") as caught:
        ufunc(*first, angle, *rest)
    (code,) = snippets(str(caught.value.hint))
    found, known = ufunc(*first, eval(code, {"x": angle}), *rest), ufunc(*first, 60.0, *rest)
    np.testing.assert_allclose(found, known)


def test_the_functions_of_degrees_are_found() -> None:
    assert {"sindg", "cosdg", "tandg", "cotdg", "radian", "mathieu_cem"} <= {*OF_DEGREES}
