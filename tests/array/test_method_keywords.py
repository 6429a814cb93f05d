"""Every keyword of every method of a DimArray, and of every function that makes one.

The truth is NumPy's method or function of that name on the numbers. Parameters come from the
signatures, so a new one fails here until it has values. All libraries that have these methods are
asked the same.
"""

import inspect
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dimflow as df
from dimflow import DimArray, Unit
from dimflow.array.methods import Methods
from dimflow.array.numpy_host.functions import classified
from dimflow.backends import backend
from dimflow.errors import DimflowError, UnitError
from tests.conftest import DEEP

RNG = np.random.default_rng(7)
RAW = RNG.permutation(np.repeat([0.0, -0.0, -1.5, 2.0, 0.25, 3.0, -4.0, 7.5, 1.0, -2.0], 6))
RAW = RAW.reshape(3, 4, 5)
# JAX compiles each call, which takes its time.
LIBRARIES = ["numpy", "mlx", "dask", pytest.param("jax", marks=pytest.mark.deep)]

# What the parameters of methods are given beside their defaults.
VALUES: dict[str, tuple[Any, ...]] = {
    "axis": (0, 1, -1, (0, 2)),
    "axis1": (1, 2),
    "axis2": (2, 0),
    "ddof": (1, 0.5),
    "decimals": (1,),
    "dtype": ("float32", "complex64", "float64"),
    "indices": ([2, 0, 1], 2),
    "keepdims": (True,),
    "kind": ("heapsort", None),
    "max": (2.0,),
    "min": (-1.0,),
    "mode": ("wrap", "clip"),
    "offset": (1, -1),
    "ord": (1, np.inf, 2, "fro"),
    "order": ("F", "C"),
    "repeats": (2, 3),
    "side": ("right",),
    "sorter": (np.argsort(RAW[0, 0]),),
}
# What the methods need in any case.
NEEDED: dict[str, tuple[Any, ...]] = {
    "dot": (np.arange(5.0),),
    "matmul": (np.arange(10.0).reshape(5, 2),),
    "repeat": (2,),
    "round": (0,),
    "swapaxes": (0, 2),
    "take": ([1, 0],),
}
POWERS = {"var": 2, "sqrt": 0.5}
COUNTS = {"argmax", "argmin", "any", "all", "argsort", "searchsorted", "nonzero"}
# Not of the same meaning as in NumPy, or in place: in tests of their own.
OTHERS = {"view", "sort", "fill", "validate", "round", "clip", "searchsorted", "prod", "cumprod"}
OTHERS |= {"sqrt"}  # of these numbers it is nan
MADE_BY = {"norm": np.linalg.norm, "ptp": np.ptp, "matmul": np.matmul, "squeeze": np.squeeze}


def methods() -> list[str]:
    found = [n for n, f in vars(Methods).items() if inspect.isfunction(f) and n[0] != "_"]
    return [n for n in found if n not in OTHERS]


def parameters(name: str) -> list[str]:
    """Those that may be left out, and that NumPy's has too."""
    signature = inspect.signature(getattr(Methods, name))
    return [
        p.name
        for p in signature.parameters.values()
        if p.default is not p.empty and p.name not in ("out", "unit")
    ]


def keywords(name: str, *, by_two: bool = True) -> Iterator[dict[str, Any]]:
    """None, each alone, each two of them."""
    yield {}
    names = parameters(name)
    for p in names:
        for value in VALUES[p]:
            yield {p: value}
    if not by_two:
        return
    for first, second in itertools.combinations(names, 2):
        for pair in itertools.product(VALUES[first], VALUES[second]):
            yield dict(zip((first, second), pair, strict=True))


def numpys(name: str, raw: Any, args: Any, given: dict[str, Any]) -> Any:
    """What NumPy's method says, or its function where arrays have no such method."""
    if name == "argsort":  # ours is stable everywhere
        given = {**given, "kind": "stable"}
    if name in MADE_BY:
        return MADE_BY[name](raw, *args, **given)
    return getattr(raw, name)(*args, **given)


@pytest.mark.parametrize("name", methods())
def test_errors_of_python_name_the_class_that_users_know(name: str) -> None:
    called = getattr(Methods, name).__name__  # conjugate is conj
    with pytest.raises(TypeError, match=rf"^DimArray\.{called}\(\)"):
        getattr(DimArray(RAW), name)(*NEEDED.get(name, ()), no_such_keyword=1)


def test_a_method_that_is_missing_names_the_function_of_numpy() -> None:
    missing = {n for n in dir(np.ndarray) if n[0] != "_"} - {*dir(DimArray)}
    for name in missing:
        with pytest.raises(AttributeError, match=f"no attribute {name!r}") as caught:
            getattr(DimArray(RAW), name)
        assert ("takes quantities" in str(caught.value)) is hasattr(np, name)
        assert not hasattr(np, name) or classified(name)[0] in ("op", "rule", "defined")


def test_every_parameter_has_values() -> None:
    names = {p for name in methods() for p in parameters(name)}
    assert names <= set(VALUES)


def numbers(result: Any) -> Any:
    return np.asarray(result.to_numpy() if isinstance(result, DimArray) else result)


def on(library: str, raw: Any, unit: str = "km") -> Any:
    return DimArray(raw, unit).to_backend(library)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", methods())
def test_methods_do_what_those_of_numpy_do(name: str, library: str) -> None:
    compiles = library in ("jax", "mlx", "dask") and not DEEP
    shapes = [RAW, RAW[0], RAW[0, 0], RAW[::2, ::-1]]
    for raw in shapes[1:2] if compiles else shapes:
        args = NEEDED.get(name, ())
        x = on(library, raw)
        plain = numbers(x)  # single where the library has no double precision
        for given in keywords(name, by_two=not compiles):
            try:
                expected = numpys(name, plain, args, given)
            except (TypeError, ValueError, IndexError, np.exceptions.AxisError):
                continue
            if not _is_possible(library, name, given, raw):
                continue
            for _ in range(2):
                results = getattr(x, name)(*args, **given)
                pairs = [(results, expected)]
                if isinstance(expected, tuple):
                    pairs = list(zip(results, expected, strict=True))
                for result, wanted in pairs:
                    found = numbers(result)
                    assert found.shape == np.shape(wanted), given
                    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
                    if library == "numpy":
                        assert found.dtype == np.asarray(wanted).dtype, given
                        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-13)
                    unit = Unit("") if name in COUNTS else Unit("km") ** POWERS.get(name, 1)
                    given_unit = result.unit if isinstance(result, DimArray) else Unit("")
                    assert given_unit == unit


def _is_possible(library: str, name: str, given: dict[str, Any], raw: Any) -> bool:
    """Whether a library has this at all: MLX has no doubles, Dask no order of memory."""
    if library in ("mlx", "jax"):
        return given.get("dtype") not in ("float64", "complex64") and "order" not in given
    if library == "dask":
        return "order" not in given and name != "nonzero"
    return True


FOLDS = ["sum", "mean", "var", "std", "max", "min", "cumsum", "trace"]


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("target", ["km", "m", "raw"])
def test_results_are_written_where_they_are_wanted(name: str, target: str) -> None:
    x = DimArray(RAW, "km") if target != "raw" else DimArray(RAW)
    for given in keywords(name):
        if given.get("dtype") == "complex64":
            continue
        try:
            expected = getattr(x, name)(**given)
        except (TypeError, ValueError):
            continue
        power = POWERS.get(name, 1)
        room = np.full(expected.shape, np.nan)
        out = room if target == "raw" else DimArray(room, Unit(target) ** power)
        assert getattr(x, name)(out=out, **given) is out
        scale = 1000.0**power if target == "m" else 1.0
        np.testing.assert_allclose(room, expected.data * scale, rtol=1e-6, atol=1e-6)
        with pytest.raises((DimflowError, ValueError)):
            getattr(x, name)(out=DimArray(np.zeros((9, *expected.shape)), x.unit**power), **given)
        if target != "raw":
            with pytest.raises(UnitError):
                getattr(x, name)(out=DimArray(room, "kg"), **given)


def test_products_count_their_factors() -> None:
    for axis, keep in itertools.product((None, 0, -1, (0, 2)), (False, True)):
        expected = RAW.prod(axis, keepdims=keep)
        for unit in ("", "km"):
            result = DimArray(RAW, unit).prod(axis, keepdims=keep)
            assert result.unit == Unit(unit) ** (RAW.size // max(expected.size, 1))
            np.testing.assert_array_equal(result.data, expected, strict=True)
    single = DimArray(RAW).prod(0, dtype="float32")
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single.data, RAW.prod(0, dtype="float32"))
    for axis in (None, 0, 1):
        for dtype in (None, "float32"):
            found = DimArray(RAW).cumprod(axis, dtype=dtype)
            np.testing.assert_array_equal(found.data, RAW.cumprod(axis, dtype), strict=True)
    room = DimArray(np.zeros(RAW.shape))
    assert DimArray(RAW).cumprod(1, out=room) is room
    np.testing.assert_array_equal(room.data, RAW.cumprod(1))
    out = DimArray(np.zeros(()), "percent")
    assert DimArray(RAW[0, 0]).prod(out=out) is out
    assert out.data == 100 * RAW[0, 0].prod()


@pytest.mark.parametrize("library", LIBRARIES[:2])
def test_searching_and_sorting(library: str) -> None:
    line = np.sort(RAW[0, 0])
    for side in ("left", "right"):
        for sorter in (None, np.argsort(RAW[0, 0])):
            given = {"side": side, "sorter": sorter}
            source = line if sorter is None else RAW[0, 0]
            found = on(library, source, "MiB").searchsorted(
                on(library, RAW[1] * 1024.0, "KiB"), **given
            )
            assert type(found) is type(on(library, line))
            assert found.unit == Unit("")
            np.testing.assert_array_equal(numbers(found), source.searchsorted(RAW[1], **given))
    for axis in (-1, 0, 1):
        kept = DimArray(RAW.copy(), "km")
        assert kept.sort(axis) is None
        np.testing.assert_array_equal(kept.data, np.sort(RAW, axis))
    mutable = DimArray(RAW.copy(), "km")
    assert mutable.fill(DimArray(5.0, "m")) is None
    np.testing.assert_array_equal(mutable.data, np.full(RAW.shape, 0.005))


def test_elements_within_limits_and_rounded() -> None:
    for low, high in ((-1000.0, None), (None, 2000.0), (-1000.0, 2000.0)):
        limits = [v if v is None else DimArray(v, "m") for v in (low, high)]
        raw = [v if v is None else v / 1000 for v in (low, high)]
        x = DimArray(RAW, "km")
        for found in (x.clip(*limits), x.clip(min=limits[0], max=limits[1])):
            assert found.unit == Unit("km")
            np.testing.assert_allclose(found.data, RAW.clip(*raw))
    for decimals in (0, 1, -1):
        found = DimArray(RAW, "km").round(decimals, unit="m")
        np.testing.assert_allclose(found.to_value("m"), (RAW * 1000).round(decimals))
        np.testing.assert_array_equal(DimArray(RAW).round(decimals).data, RAW.round(decimals))
    np.testing.assert_array_equal(DimArray(abs(RAW), "m**2").sqrt().data, np.sqrt(abs(RAW)))


CHECKS: list[tuple[dict[str, Any], Any, Any]] = [
    ({"finite": True}, [1.0, 0.0, -1.0], [1.0, np.inf, 2.0]),
    ({"positive": True}, [1.0, 0.5], [1.0, 0.0]),
    ({"nonnegative": True}, [1.0, 0.0], [1.0, -0.5]),
    ({"minimum": DimArray(5.0, "m")}, [5.0, 6.0], [5.0, 4.9]),
    ({"maximum": DimArray(5.0, "m")}, [5.0, 4.0], [5.0, 5.1]),
    ({"shape": (2,)}, [1.0, 2.0], [1.0, 2.0, 3.0]),
    ({"shape": (None,)}, [1.0, 2.0], [[1.0, 2.0]]),
    ({"unit": "km"}, [1.0, 2.0], None),
]


@pytest.mark.parametrize(("check", "good", "bad"), CHECKS)
def test_each_check_finds_what_it_looks_for_and_nothing_else(
    check: Any, good: Any, bad: Any
) -> None:
    x = DimArray(good, "m")
    assert x.validate(**check) is x
    wrong = DimArray([1.0], "s") if bad is None else DimArray(bad, "m")
    assert wrong.validate() is wrong
    with pytest.raises(DimflowError):
        wrong.validate(**check)
    for other, fine, _ in CHECKS:
        if other is not check and "shape" not in other and bad is not None:
            assert DimArray(fine, "m").validate(**other).shape == np.shape(fine)


# Functions that make arrays

MAKERS: dict[str, tuple[Any, ...]] = {
    "zeros": ((2, 3),),
    "ones": ((2, 3),),
    "full": ((2, 3), 2.5),
    "eye": (3,),
    "identity": (3,),
    "tri": (3,),
    "arange": (1.0, 9.0),
    "linspace": (1.0, 9.0),
    "geomspace": (1.0, 8.0),
    "logspace": (0.0, 2.0),
}
MADE: dict[str, tuple[Any, ...]] = {
    "M": (4, 2),
    "axis": (0, -1),
    "base": (2.0,),
    "dtype": ("float32",),
    "endpoint": (False,),
    "k": (1, -1),
    "num": (7, 1, 0),
    "step": (2.0, 0.5),
    "stop": (5.0,),
}


def maker_keywords(name: str) -> Iterator[dict[str, Any]]:
    names = [
        p.name
        for p in inspect.signature(getattr(df, name)).parameters.values()
        if p.default is not p.empty and p.name not in ("unit", "backend", "device")
    ]
    if name == "arange":
        names.remove("stop")
    yield {}
    for count in (1, 2):
        for chosen in itertools.combinations(names, count):
            for values in itertools.product(*(MADE[p] for p in chosen)):
                yield dict(zip(chosen, values, strict=True))


@pytest.mark.parametrize("library", [None, "torch", *LIBRARIES])
@pytest.mark.parametrize("name", MAKERS)
def test_makers_make_what_numpy_makes(name: str, library: str | None) -> None:
    takes = inspect.signature(getattr(df, name)).parameters
    for given, unit in itertools.product(maker_keywords(name), (None, "km", "percent")):
        if library is not None and "backend" not in takes:
            continue
        if library == "dask" and given.get("M", 0) > 3:
            continue  # Dask makes no eye that is wider than its blocks
        args = MAKERS[name]
        options = {} if library is None else {"backend": library}
        expected = getattr(np, name)(*args, **given)
        for device in (None, "cpu") if library in (None, "numpy", "torch") else (None,):
            if device is not None and "device" in takes:
                options["device"] = device
            made = getattr(df, name)(*args, unit=unit, **options, **given)
            assert isinstance(made, DimArray)
            assert made.unit is Unit("" if unit is None else unit)
            assert made.backend == (library or "numpy")
            assert made.shape == expected.shape
            np.testing.assert_allclose(numbers(made), expected, rtol=1e-6)
            if library in (None, "numpy") or "dtype" in given:
                assert numbers(made).dtype == expected.dtype
            else:
                usual = backend(library).namespace.zeros(())
                assert made.dtype == backend(library).dtype(usual)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_memory_is_shared_or_not_as_asked(library: str) -> None:
    raw = backend(library).asarray(RAW.copy())
    x = DimArray(raw, "km")
    for make in (df.asarray, DimArray):
        for given, shares in (
            ({}, True),
            ({"copy": None}, True),
            ({"copy": False}, True),
            ({"copy": True}, False),
            ({"dtype": x.dtype}, True),
            ({"backend": library}, True),
            ({"unit": "km", "copy": True}, False),
        ):
            for data in (raw, x):
                made = make(data, **given)
                assert np.shares_memory(np.asarray(made.data), np.asarray(raw)) is shares, given
                np.testing.assert_array_equal(np.asarray(made.data), RAW)
    assert df.asarray(x) is x
    assert df.asarray(x, "km") is not x
    assert df.asarray(x, "m").data[0, 0, 0] == RAW[0, 0, 0] * 1000
    assert np.shares_memory(np.asarray(x.to("km", copy=False).data), np.asarray(raw))
    assert not np.shares_memory(np.asarray(x.to("km").data), np.asarray(raw))
    assert np.shares_memory(np.asarray(x.to_value()), np.asarray(raw))
    assert np.shares_memory(np.asarray(x.to_value("km")), np.asarray(raw))
    assert np.shares_memory(x.to_numpy(), np.asarray(raw))
