"""A dtype of integers never cuts a quantity in whatever unit, wherever a dtype can be given.

The entries are found, not listed: NumPy's functions and ufuncs with their methods, the operations,
methods and factories with a parameter `dtype`, the functions of `xp`; in `tests/torch` and
`tests/dask` there are those of PyTorch and Dask.
"""

import inspect
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import dimflow
from dimflow import DimArray, ops
from dimflow.errors import DimflowError, UnitCutError
from dimflow.ops import TABLE
from tests.array.numpy_recipes import PURE_RECIPES, RECIPES
from tests.array.numpy_walk import Quantity, function
from tests.contract.samples import cases
from tests.contract.whole_numbers import WHOLE, assert_uncut, outcome, parts

# The part of astype that goes to fractions is left out: nobody else calls it.
WITH_DTYPE = sorted(
    {n for n, op in TABLE.items() if "dtype" in op.signature.parameters} - {"cast_floating"}
)
LIBRARIES = ("numpy", "torch", "jax", "mlx", "dask", "array_api_strict")
UFUNCS = sorted({f.__name__: f for f in vars(np).values() if isinstance(f, np.ufunc)}.items())
HALVES = np.array([1.5, 2.7, 3.2, 0.6])
X, Y = DimArray(HALVES, "km"), DimArray(HALVES[::-1].copy(), "km")
N, S, ANGLE = (
    DimArray(np.array([1, 2, 3, 4]), "m"),
    DimArray(HALVES, "s"),
    DimArray(HALVES / 9, "deg"),
)
ONE, TWO = ((X,), (N,), (ANGLE,)), ((X, Y), (X, N), (N, X), (X, S), (N, 2.5), (2.5, N), (N, N))

LOOPS = [
    *({"dtype": name, "casting": "unsafe"} for name in ("int64", "int8", "bool")),
    {"dtype": int},
    {"casting": "unsafe"},
    *({"signature": s, "casting": "unsafe"} for s in ("l->l", "l->?", "ll->l", "ll->?", "l")),
    *({"signature": (int, *rest), "casting": "unsafe"} for rest in ((None,), (None, None))),
    {"sig": (None, None, int), "casting": "unsafe"},
]
WRAPS = ("negative",)  # of 1 m as int8 that is none of ours


@pytest.mark.parametrize("name", sorted({**RECIPES, **PURE_RECIPES}))
def test_functions_of_numpy(name: str) -> None:
    f, recipe = function(name), {**RECIPES, **PURE_RECIPES}[name]
    makers = Quantity("km", 1.1), Quantity("min", 1.3)
    for options in (*({"dtype": d} for d in WHOLE), {"dtype": int, "casting": "unsafe"}):
        asked = _with(f, options)
        assert_uncut(lambda: recipe(asked, *makers), lambda: recipe(f, *makers), options)  # noqa: B023
    usual = outcome(lambda: recipe(f, *makers))
    for part in parts(usual)[:1]:
        if isinstance(part, DimArray) and not part.is_dimensionless:
            for options in ({}, {"casting": "unsafe"}):
                target = DimArray(np.zeros(part.shape, int), part.unit)
                asked = _with(f, {"out": target, **options})
                assert_uncut(lambda: recipe(asked, *makers), lambda: usual, "out=")  # noqa: B023
                assert not target.data.any() or np.allclose(target.data, part.data)


def _with(f: Any, options: dict[str, Any]) -> Any:
    return lambda *args, **kwargs: f(*args, **{**kwargs, **options})


@pytest.mark.parametrize(("name", "ufunc"), UFUNCS, ids=[name for name, _ in UFUNCS])
def test_every_loop_of_every_ufunc(name: str, ufunc: Any) -> None:
    for args in ONE if ufunc.nin == 1 else TWO:
        for options in LOOPS:
            assert_uncut(lambda: ufunc(*args, **options), lambda: ufunc(*args), (args, options))  # noqa: B023
            if ufunc.nin == 2:
                assert_uncut(
                    lambda: ufunc.outer(*args, **options),  # noqa: B023
                    lambda: ufunc.outer(*args),  # noqa: B023
                    ("outer", args, options),
                )
        if ufunc.nin == 2:
            assert_uncut(lambda: _at(ufunc, int, args[1]), lambda: _at(ufunc, float, args[1]), "at")  # noqa: B023
    if ufunc.nin == 2:
        for x in (X, N, ANGLE):
            for method in ("reduce", "accumulate"):
                run = getattr(ufunc, method)
                for dtype in WHOLE:
                    assert_uncut(lambda: run(x, dtype=dtype), lambda: run(x), (method, dtype))  # noqa: B023
            assert_uncut(
                lambda: ufunc.reduceat(x, [0, 2], dtype=int),  # noqa: B023
                lambda: ufunc.reduceat(x, [0, 2]),  # noqa: B023
                "reduceat",
            )


def _at(ufunc: Any, kind: Any, values: Any) -> DimArray:
    target = DimArray(np.arange(1, 5).astype(kind), "m")
    ufunc.at(target, [0, 1, 2, 3], values)
    return target


@pytest.mark.share(2)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", WITH_DTYPE)
def test_operations_with_a_dtype(name: str, library: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        args = tuple(
            DimArray(a * 1.1, "km").to_backend(library)
            if isinstance(a, np.ndarray) and a.dtype.kind == "f"
            else a
            for a in case.args
        )
        for dtype in WHOLE:
            assert_uncut(
                lambda: op.run(args, {**deepcopy(case.params), "dtype": dtype}),  # noqa: B023
                lambda: op.run(args, {**deepcopy(case.params), "dtype": None}),  # noqa: B023
                (args, dtype),
                drawn=name.startswith(("random_", "sample_")),
            )


class Mixed:
    """Makes of the array with one number whole km, or the same in floats, of others fractions in m.

    `is_raw` and `like` are those of the makers that recipes take.
    """

    is_raw = False

    def __init__(self, place: int, whole: bool) -> None:
        self.place, self.whole, self.count = place, whole, -1
        self.like = {"like": DimArray(1.0, "km")}

    def __call__(self, values: Any) -> DimArray:
        self.count += 1
        values = np.rint(np.nan_to_num(values) * 3)
        if self.count != self.place or values.dtype.kind == "c":
            return DimArray(values * 1000.0 + 250, "m")
        return DimArray(values.astype(int) if self.whole else values, "km")


@pytest.mark.parametrize("name", sorted(set(RECIPES) - {"unique_values"}))  # in any order
def test_functions_of_numpy_join_integers_with_fractions(name: str) -> None:
    f, recipe = function(name), RECIPES[name]
    for place in (0, 1):

        def call(whole: bool) -> Any:
            return recipe(f, Mixed(place, whole), Mixed(-1, whole))  # noqa: B023

        assert_uncut(lambda: call(True), lambda: call(False), (name, place))


@pytest.mark.parametrize("name", sorted(set(TABLE) - {"cast_floating"}))
def test_operations_join_integers_with_fractions(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        floats = [
            i for i, a in enumerate(case.args) if a is not None and np.asarray(a).dtype.kind == "f"
        ]
        if len(floats) < 2 or name.startswith(("random_", "sample_")):
            continue
        for fraction in floats:
            for units in (("km", "m", 1000), ("", "", 1)):
                usual, asked = (_mixed(case.args, floats, fraction, units, k) for k in (float, int))
                assert_uncut(
                    lambda: op.run(asked, deepcopy(case.params)),  # noqa: B023
                    lambda: op.run(usual, deepcopy(case.params)),  # noqa: B023
                    (name, asked),
                )


def _mixed(args: Any, floats: list[int], fraction: int, units: Any, kind: type) -> tuple[Any, ...]:
    """Arguments of whole numbers in one unit, but for one of fractions in another."""
    made = list(args)
    for i in floats:
        values = np.rint(np.nan_to_num(args[i]) * 3)
        if i == fraction:
            made[i] = DimArray((values + 0.25) * units[2], units[1])
        else:
            made[i] = DimArray(values.astype(kind), units[0])
    return tuple(made)


@pytest.mark.parametrize("library", LIBRARIES)
def test_reductions_start_where_they_are_told(library: str) -> None:
    x = DimArray(np.array([1, 2, 3]), "km").to_backend(library)
    points = DimArray(np.array([1, 2, 3]), "degC").to_backend(library)
    start, warm = DimArray(3500.0, "m"), DimArray(40.0, "degF")
    names = [
        n for n, op in TABLE.items() if "initial" in op.array_names and "where" in op.array_names
    ]
    assert {"sum", "max", "nanmin"} <= set(names)
    for name in names:
        for run in (ops.get(name), getattr(np, name)):
            for array, initial in ((x, start), (points, warm)):
                assert_uncut(
                    lambda: run(array, initial=initial),  # noqa: B023
                    lambda: run(array.astype("float32"), initial=initial),  # noqa: B023
                    (library, name, array),
                )
    for name in ("insert", "ediff1d"):
        args = (0, start) if name == "insert" else (start,)
        assert assert_uncut(
            lambda: ops.get(name)(x, *args),  # noqa: B023
            lambda: ops.get(name)(x.astype("float32"), *args),  # noqa: B023
            (library, name),
        )


def takes_dtype(found: Any) -> bool:
    try:
        return "dtype" in inspect.signature(found).parameters
    except (TypeError, ValueError):
        return False


@pytest.mark.parametrize("library", LIBRARIES)
def test_methods_with_a_dtype(library: str) -> None:
    x = X.to_backend(library)
    square = DimArray(np.outer(HALVES, HALVES), "km").to_backend(library)
    found = {n: getattr(DimArray, n) for n in dir(DimArray)}
    found |= {n: getattr(type(x), n) for n in dir(type(x)) if n not in found}
    names = [n for n, method in found.items() if n[0] != "_" and takes_dtype(method)]
    assert {"sum", "prod", "mean", "cumsum", "trace", "astype", "view"} <= set(names)
    for name in names:
        for array in (x, square, x[0]):
            for first in ((), (0,), (Y.to_backend(library),)):
                for dtype in WHOLE:
                    _method(array, name, first, dtype)


def _method(array: DimArray, name: str, first: Any, dtype: str) -> None:
    run = getattr(array, name)
    if name == "astype":  # the cast is all that it does, so the unit is asked for
        if dtype == "bool":
            assert run(dtype).dimension == dimflow.Unit("").dimension
            return
        with pytest.raises(DimflowError, match="unit"):
            run(dtype)
        return
    what = (name, first, dtype)
    assert_uncut(lambda: run(*first, dtype=dtype), lambda: run(*first), what)


@pytest.mark.parametrize("backend", ["numpy", "torch", "dask", "jax", "mlx"])
@pytest.mark.parametrize("unit", [None, "km"])
def test_factories_with_a_dtype(backend: str, unit: str | None) -> None:
    found = {n: getattr(dimflow, n) for n in dir(dimflow) if takes_dtype(getattr(dimflow, n))}
    del found["empty"]  # which holds anything
    assert {"DimArray", "full", "arange", "linspace", "geomspace", "logspace"} <= set(found)
    a, b, step = X[0], X[2], X[3]
    given = [(X,), ([X[0], Y[0]],), (HALVES,), ([1.5, 2.5],), ((2,), a), ((2,), 1.5), (a, b)]
    given += [(a, b, step), (1.5, 3.5, 0.25), (2,), (a,), (1.5, 2.5), (N,), ((2,), N[0])]
    for name, make in found.items():
        for args in given:
            for dtype in WHOLE:
                options = (
                    {"backend": backend} if unit is None else {"backend": backend, "unit": unit}
                )
                if unit is None and not any(isinstance(a, DimArray) for a in (*args, args[-1])):
                    continue  # pure numbers, which are cut as everywhere
                assert_uncut(
                    lambda: make(*args, dtype=dtype, **options),  # noqa: B023
                    lambda: make(*args, **options),  # noqa: B023
                    (name, args, dtype, options),
                )


@pytest.mark.parametrize("library", LIBRARIES)
def test_functions_of_the_standard(library: str) -> None:
    x = X.to_backend(library)
    names = {}
    for space in (x.__array_namespace__(), x.__array_namespace__().linalg):
        names.update({n: getattr(space, n, None) for n in dir(space) if n[0] != "_"})
    for name, run in names.items():
        if not takes_dtype(run) or name == "asarray":
            continue
        for args in ((x,), (x, x), ((2,), x[0]), (x, x[0]), (x[3], x[2], x[0])):
            for dtype in WHOLE:
                assert_uncut(
                    lambda: run(*args, dtype=getattr(x.__array_namespace__(), dtype)),  # noqa: B023
                    lambda: run(*args),  # noqa: B023
                    (name, args, dtype),
                )


BESIDE = [DimArray(s * 250.0, "cm") for s in (1, -1)] + [
    DimArray(1.5, "m"),
    DimArray(150, "%"),
    2.5,
]
PADDED = [
    *({"mode": "constant", "constant_values": value} for value in BESIDE),
    *({"mode": "linear_ramp", "end_values": value} for value in BESIDE),
    *({"mode": mode, "stat_length": n} for mode in ("mean", "median") for n in (None, 2)),
]
WHOLES = [DimArray(np.array([-3, 4, 0, 2]), unit) for unit in ("m", "", "%")]

STARTED = sorted(
    n for n, op in TABLE.items() if "initial" in op.array_names and op.family != "calculus"
)


def optional(f: Any) -> list[dict[str, Any]]:
    """What each optional argument of a function is called with, of those that may be arrays."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except ValueError:
        return []
    names = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    # a number is no mask, and no dtype
    names = [n for n in names[1:] if n not in ("where", "dtype")]
    return [{name: value} for name in names for value in BESIDE]


def same_as_of_fractions(f: Any, x: Any, /, *args: Any, **options: Any) -> bool:
    """Integers beside arguments with fractions give what the same numbers give as fractions."""
    floats = DimArray(x.to_numpy().astype(float), x.unit).to_backend(x.backend)
    return assert_uncut(
        lambda: f(x, *args, **deepcopy(options)),
        lambda: f(floats, *args, **deepcopy(options)),
        (f, x, args, options),
    )


@pytest.mark.parametrize("name", sorted({**RECIPES, **PURE_RECIPES}))
def test_arguments_beside_integers(name: str) -> None:
    f, answered = function(name), 0
    for x in WHOLES:
        for options in PADDED if name == "pad" else optional(f):
            answered += same_as_of_fractions(f, x, *((1,) if name == "pad" else ()), **options)
    assert answered or name not in ("sum", "prod", "max", "nansum", "nanprod", "nanmin", "pad")


@pytest.mark.parametrize(("name", "ufunc"), UFUNCS, ids=[name for name, _ in UFUNCS])
def test_starts_of_folds_of_integers(name: str, ufunc: Any) -> None:
    for x in WHOLES if ufunc.nin == 2 and ufunc.nout == 1 else ():
        for start in BESIDE:
            for where in (True, np.array([True, False, True, True]), np.zeros(4, bool)):
                same_as_of_fractions(ufunc.reduce, x, initial=start, where=where)


@pytest.mark.share(2)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", STARTED)
def test_optional_arrays_beside_integers(name: str, library: str) -> None:
    op, answered = ops.get(name), 0
    for case in cases(name)[:1]:
        shape = np.shape(case.args[0])
        for unit in ("m", "", "%"):
            for n in (1,) if library == "mlx" else (1, 0):
                numbers = np.resize(
                    np.array([-3, 4, 0, 2]), (*shape[:-1], shape[-1] * n) if shape else ()
                )
                x = DimArray(numbers, unit).to_backend(library)
                for place, optional in enumerate(op.array_names):
                    if optional not in op.optional_arrays or optional == "where":
                        continue
                    for value in BESIDE:
                        args = list(case.args)
                        args[place] = (
                            value.to_backend(library) if isinstance(value, DimArray) else value
                        )
                        run = lambda x, *rest: op.run((x, *rest), deepcopy(case.params))  # noqa: E731, B023
                        answered += same_as_of_fractions(run, x, *args[1:])
    assert answered or "initial" not in op.array_names


@pytest.mark.parametrize("dtype", ["S8", "U8", "m8[s]", "M8[s]", object, [("a", int)]])
def test_only_numbers_are_quantities(dtype: Any) -> None:
    calls = [
        lambda: np.asarray(X, dtype, like=X),
        lambda: np.full(2, X[0], dtype, like=X),
        lambda: np.full_like(X, X[0], dtype=dtype),
        lambda: np.zeros_like(X, dtype=dtype),
        lambda: np.linspace(X[0], X[1], dtype=dtype),
        lambda: np.concatenate([X, X], dtype=dtype, casting="unsafe"),
        lambda: DimArray(HALVES, "km", dtype=dtype),
        lambda: DimArray(HALVES, dtype=dtype),
        lambda: dimflow.full(2, X[0], dtype=dtype),
        lambda: X.astype(dtype),
        lambda: X.sum(dtype=dtype),
    ]
    for call in calls:
        with pytest.raises((DimflowError, TypeError)):
            call()


def test_the_whole_text() -> None:
    with pytest.raises(UnitCutError) as caught:
        X.sum(dtype=int)
    assert str(caught.value) == (
        "sum with dtype=int64 cuts fractions off, and they depend on the unit km\n"
        "  hint:  cast the result, and say in which: y.astype('int64', unit='km')"
    )
    assert X.sum().astype("int64", unit="km").item() == 8
    for fine in (np.float32, np.float16, "complex64"):
        assert X.sum(dtype=fine).unit == X.unit
