"""Arrays that are being differentiated: all that an array has works, or is refused with a hint."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import dimflow
from dimflow import DimArray, ops
from dimflow.errors import DimflowError, TracedValueError

X = DimArray([1.0, 2.0, 3.0], "m")
ONE = DimArray(1.0, "m")
SQUARE = DimArray([[4.0, 1.0], [1.0, 3.0]], "m")

_FORWARD = ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod")
_COMPARED = ("lt", "le", "gt", "ge", "eq", "ne")
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **{f"__{name}__": (ONE,) for name in (*_FORWARD, *_COMPARED)},
    **{f"__r{name}__": (ONE,) for name in _FORWARD},
    **{f"__i{name}__": (ONE,) for name in ("add", "sub", "floordiv", "mod")},
    **{f"__i{name}__": (2.0,) for name in ("mul", "truediv", "pow")},
    "__pow__": (2,),
    "__matmul__": (X,),
    "__rmatmul__": (X,),
    "__contains__": (ONE,),
    "__getitem__": (slice(0, 2),),
    "__setitem__": (0, ONE),
    "__format__": (".2f",),
    "__deepcopy__": ({},),
    "__reduce_ex__": (5,),
    "__array__": (),
    "astype": ("float32",),
    "dot": (X,),
    "fill": (ONE,),
    "in_system": ("cgs",),
    "item": (0,),
    "m_as": ("cm",),
    "repeat": (2,),
    "reshape": (3, 1),
    "searchsorted": (ONE,),
    "swapaxes": (0, 0),
    "take": ([0, 1],),
    "to": ("cm",),
    "to_backend": ("numpy",),
    "to_device": ("cpu",),
    "to_value": ("cm",),
}
# What every object of Python has, what makes new arrays of nothing, and files.
_OF_OBJECTS = {
    *("__class__", "__class_getitem__", "__delattr__", "__getattribute__", "__init__", "__new__"),
    *("__init_subclass__", "__setattr__", "__subclasshook__", "__dict__", "__weakref__"),
    *("__array_function__", "__array_ufunc__", "_like", "_adopted", "load", "from_dict", "save"),
}
NAMES = sorted(name for name in dir(DimArray) if name not in _OF_OBJECTS)

# Written by other hands' rules: a leaf of backward() is not what grad() follows.
IMPERATIVE = {"backward", "grad", "requires_grad_", "retain_grad", "is_leaf", "requires_grad"}


def outcome(array: Any, name: str) -> tuple[Any, BaseException | None]:
    """What an attribute gives, called if it can be; or the error."""
    try:
        found = getattr(array, name)
        return (found(*ARGUMENTS.get(name, ())) if callable(found) else found), None
    except Exception as error:
        return None, error


def traced(array: Any, name: str) -> tuple[Any, BaseException | None]:
    """The same of an array that is being differentiated, seen from inside."""
    seen: list[Any] = []

    def function(x: Any) -> Any:
        seen.append(outcome(x, name))
        return dimflow.sum(x)

    dimflow.grad(function, engine="own")(array)
    return seen[0]


@pytest.mark.parametrize("name", [n for n in NAMES if n not in IMPERATIVE])
def test_every_attribute_works_or_is_refused(name: str) -> None:
    array = SQUARE if name in ("mT", "diagonal", "trace") else X
    value, error = outcome(array.copy(), name)
    got, problem = traced(array, name)
    if problem is None:
        assert error is None, f"{name} works on a traced array alone: {got!r}"
        _same(got, value, name)
    elif error is None:
        assert isinstance(problem, TracedValueError), f"{name}: {problem!r}"
        assert problem.hint
    else:
        assert isinstance(problem, (DimflowError, type(error))), f"{name}: {problem!r}"


def _same(got: Any, value: Any, name: str) -> None:
    """The values are those of the plain array, with its unit."""
    if isinstance(value, tuple):
        for one, other in zip(got, value, strict=True):
            _same(one, other, name)
        return
    if isinstance(value, DimArray):
        assert got.unit is value.unit, name
        np.testing.assert_array_equal(np.array(got.detach().data), value.data)
    elif isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, np.void):
        plain = ops.stop_gradient(got)
        np.testing.assert_array_equal(np.asarray(plain), value)


def test_most_attributes_work() -> None:
    """So that the law above is not kept by refusing."""
    refused = {n for n in NAMES if n not in IMPERATIVE and traced(X, n)[1] is not None}
    of_plain = {n for n in NAMES if outcome(X.copy(), n)[1] is not None}
    assert len(refused - of_plain) <= 26, sorted(refused - of_plain)


# Python's own functions and control flow


def gradient(function: Any, x: Any = X) -> Any:
    return dimflow.grad(lambda x: dimflow.sum(function(x)))(x)


def test_branches_and_loops_follow_the_values() -> None:
    np.testing.assert_array_equal(gradient(lambda x: x if x[0] > ONE / 2 else 3 * x).data, [1] * 3)
    np.testing.assert_array_equal(gradient(lambda x: x if x[0] > 5 * ONE else 3 * x).data, [3] * 3)

    def halved(x: Any) -> Any:
        while dimflow.max(x) > ONE:
            x = x / 2
        return x

    np.testing.assert_array_equal(gradient(halved).data, [0.25] * 3)


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x: x * int(x[2] / ONE), [3.0, 3.0, 3.0]),
        (lambda x: sum(x for _ in range(int(x[1] / ONE))), [2.0, 2.0, 2.0]),
        (lambda x: sum(sorted(x, reverse=True)[:2]), [0.0, 1.0, 1.0]),
        (lambda x: max(list(x)), [0.0, 0.0, 1.0]),
        (lambda x: min(x), [1.0, 0.0, 0.0]),
        (lambda x: abs(-x), [1.0, 1.0, 1.0]),
        (lambda x: divmod(x, 2 * ONE)[1], [1.0, 1.0, 1.0]),
        (lambda x: pow(x / ONE, 2), [2.0, 4.0, 6.0]),
        (lambda x: 2 ** (x / ONE), [2 * math.log(2), 4 * math.log(2), 8 * math.log(2)]),
        (lambda x: sum(list(x)), [1.0, 1.0, 1.0]),
        (lambda x: sum(a * b for a, b in pairwise(x)), [2.0, 4.0, 2.0]),
        (lambda x: (x / ONE).round() * x, [1.0, 2.0, 3.0]),
        (lambda x: dict(enumerate(x))[1], [0.0, 1.0, 0.0]),
        (lambda x: x[np.array([True, False, True])], [1.0, 0.0, 1.0]),
        (lambda x: x[x > ONE], [0.0, 1.0, 1.0]),
        (lambda x: x.at[0].set(x[1] * 3), [0.0, 4.0, 1.0]),
    ],
    ids=[
        *("int", "range", "sorted", "max", "min", "abs", "divmod", "pow", "rpow", "sum"),
        *("pairwise", "round", "dict", "mask", "own mask", "at"),
    ],
)
def test_pythons_functions(function: Any, wanted: list[float]) -> None:
    np.testing.assert_allclose(gradient(function).data, wanted)


@pytest.mark.parametrize(
    ("function", "operation"),
    [
        (lambda x: x * math.sin(x[0] / ONE), r"float\(x\)"),
        (lambda x: x * float(x[0] / ONE), r"float\(x\)"),
        (lambda x: x * complex(x[0] / ONE).real, r"complex\(x\)"),
        (lambda x: x * np.asarray(x / ONE), r"np.asarray\(x\)"),
        (lambda x: x * (x / ONE).tolist()[0], r"asarray|tolist"),
        (lambda x: x * (x / ONE).to_numpy()[0], r"x.to_numpy\(\)"),
    ],
    ids=["math.sin", "float", "complex", "asarray", "tolist", "to_numpy"],
)
def test_numbers_are_not_taken_out_of_sight(function: Any, operation: str) -> None:
    with pytest.raises(TracedValueError, match=operation) as caught:
        gradient(function)
    assert "stop_gradient" in str(caught.value)


def _assigned(x: Any) -> Any:
    x[0] = ONE
    return x


def _assigned_into_plain(x: Any) -> Any:
    y = DimArray(np.zeros(3), "m")
    y[0] = x[0]
    return y


def _added(x: Any) -> Any:
    x += ONE
    return x


@pytest.mark.parametrize(
    "function",
    [
        _assigned,
        _assigned_into_plain,
        _added,
        lambda x: np.add(x, x, out=DimArray(np.zeros(3), "m")),
        lambda x: np.copyto(DimArray(np.zeros(3), "m"), x),
        lambda x: np.add.at(x, 0, ONE),
        lambda x: x.fill(ONE),
        lambda x: x.sort(),
    ],
    ids=["x[0]=", "y[0]=x", "+=", "out=", "copyto", "add.at", "fill", "sort"],
)
def test_writing_is_refused_and_nothing_is_written(function: Any) -> None:
    x = X.copy()
    with pytest.raises(TracedValueError) as caught:
        gradient(function, x)
    assert caught.value.hint
    np.testing.assert_array_equal(x.data, X.data)


def test_text_shows_the_value() -> None:
    seen: list[str] = []

    def function(x: Any) -> Any:
        seen.extend([f"{x[0]:.2f}", str(x), repr(x)])
        return dimflow.sum(x)

    dimflow.grad(function)(X)
    assert seen[0] == "1.00 m"
    assert seen[1] == str(X)
    assert "1., 2., 3." in seen[2]
    assert "'m'" in seen[2]


def test_what_the_array_says_of_itself() -> None:
    def function(x: Any) -> Any:
        assert (x.shape, x.ndim, x.size, len(x)) == ((3,), 1, 3, 3)
        assert x.dtype == np.float64
        assert x.backend == "numpy"
        assert x.device == "cpu"
        assert x.requires_grad
        assert not x.detach().requires_grad
        return dimflow.sum(x)

    dimflow.grad(function)(X)
