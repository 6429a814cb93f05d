"""A constant behaves as a 0-d array: `constant` is `constant * 1` wherever one may stand."""

import operator
import weakref
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dimflow import DimArray, Unit, constants
from dimflow.array.numpy_host.functions import classified
from dimflow.constants import Constant
from tests.array.numpy_recipes import PURE_RECIPES, RECIPES
from tests.array.numpy_walk import function, leaves

SPEED, NUMBER, GRAVITY = (constants.get(name) for name in ("c", "alpha", "G"))
BOTH = [SPEED, NUMBER]

# What a constant does itself: it is made once, never changes and knows its name.
OWN = {"__init__", "__init_subclass__", "__reduce_ex__", "__getattr__", "__sizeof__", "__hash__"}
PLAIN = {"value"}  # a constant's is a float of Python
ARGUMENTS: list[tuple[Any, ...]] = [(), ("km/s",), (0,), ("float32",), (2 * SPEED,), ("torch",)]


def outcome(call: Any) -> Any:
    """What a call returns, comparable, or the error that it raises."""
    try:
        return [described(leaf) for leaf in leaves(call())]
    except Exception as error:
        text = str(error).replace("Constant", "DimArray").replace("Conversions", "DimArray")
        return type(error), text


def described(value: Any) -> Any:
    if isinstance(value, DimArray):
        return type(value * 1), str(value.unit), *described(value._raw)
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype, np.shape(value), value.tolist()
    is_simple = isinstance(value, (int, float, complex, str, dict, type(None)))
    return value if is_simple else type(value)


def names(is_special: bool) -> list[str]:
    """The attributes of arrays, from every part of the class."""
    found = {name for part in DimArray.__mro__[:-1] for name in vars(part)}
    return sorted(n for n in found if not n.startswith("_" if not is_special else "\0"))


@pytest.mark.parametrize("name", names(is_special=True))
def test_whatever_python_looks_up_on_arrays_it_finds_on_constants(name: str) -> None:
    is_in_place = name.startswith("__i") and f"__{name[3:]}" in vars(Constant)
    if not callable(getattr(DimArray, name)) or is_in_place or name in OWN:
        return  # a constant does not change: `x += 1` makes a new array
    assert hasattr(SPEED, name)
    if name.startswith("__"):
        assert name in vars(Constant) or not hasattr(operator, name)


@pytest.mark.parametrize("constant", BOTH, ids=str)
@pytest.mark.parametrize("name", names(is_special=False))
def test_every_attribute_is_that_of_the_array(name: str, constant: Constant) -> None:
    array = constant * 1
    if name in PLAIN:
        assert getattr(constant, name) == getattr(array, name)
        return
    if name in ("load", "from_dict", "save", "to_pandas"):
        assert callable(getattr(constant, name))
        return
    value = outcome(lambda: getattr(array, name))
    assert outcome(lambda: getattr(constant, name)) == value
    for arguments in ARGUMENTS:  # also of what is not callable: the same error
        mine = outcome(lambda: getattr(constant, name)(*arguments))  # noqa: B023
        assert mine == outcome(lambda: getattr(array, name)(*arguments))  # noqa: B023


OPERATORS = [
    getattr(operator, name)
    for name in dir(operator)
    if f"__{name.strip('_')}__" in vars(Constant) and not name.startswith("__")
]
PARTNERS: list[Any] = [
    *(
        2,
        0,
        -1.5,
        float("inf"),
        True,
        1j,
        Fraction(1, 2),
        np.float32(2),
        np.arange(3.0),
        [1.0, 2.0],
    ),
    *(Unit("m"), Unit("km/s"), 2.0 * Unit("km/s"), np.ones(2) * Unit("s"), SPEED, NUMBER, GRAVITY),
    *("x", None),
]


@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("constant", BOTH, ids=str)
def test_every_operator_is_that_of_the_array_in_both_orders(
    function: Any, constant: Constant
) -> None:
    array = constant * 1
    unary = outcome(lambda: function(constant))
    if unary[0] is not TypeError:
        assert unary == outcome(lambda: function(array))
    for partner in PARTNERS:
        expected = [outcome(lambda: function(array, partner))]  # noqa: B023
        expected += [outcome(lambda: function(partner, array))]  # noqa: B023
        found = [outcome(lambda: function(constant, partner))]  # noqa: B023
        found += [outcome(lambda: function(partner, constant))]  # noqa: B023
        for one, other in zip(found, expected, strict=True):
            assert one == other, partner


UFUNCS = sorted({n for n in dir(np) if isinstance(getattr(np, n), np.ufunc)})


@pytest.mark.parametrize("name", UFUNCS)
def test_every_ufunc_takes_constants(name: str) -> None:
    ufunc = getattr(np, name)
    for constant in (SPEED, NUMBER, GRAVITY):
        for place in range(ufunc.nin):
            for other in (3, constant * 2, 2.0 * Unit("s")):
                mine, theirs = [other] * ufunc.nin, [other] * ufunc.nin
                mine[place], theirs[place] = constant, constant * 1
                found = outcome(lambda: ufunc(*mine))  # noqa: B023
                assert found == outcome(lambda: ufunc(*theirs))  # noqa: B023


class Always:
    """Stands for every array of a recipe."""

    is_raw = False

    def __init__(self, value: Any) -> None:
        self.value = value
        self.like = {"like": value}

    def __call__(self, values: Any) -> Any:
        return self.value


@pytest.mark.parametrize("name", sorted({*RECIPES, *PURE_RECIPES}))
def test_every_function_of_numpy_takes_constants(name: str) -> None:
    recipe = RECIPES.get(name) or PURE_RECIPES[name]
    for constant in BOTH:
        mine, theirs = Always(constant), Always(constant * 1)
        found = outcome(lambda: recipe(function(name), mine, mine))  # noqa: B023
        expected = outcome(lambda: recipe(function(name), theirs, theirs))  # noqa: B023
        if classified(name)[1].endswith("writing") or name in ("array_repr", "array_str"):
            found, expected = type(found), type(expected)
        assert found == expected


@pytest.mark.parametrize("spec", [".3e", ".2f", "~P", ".3g unicode", "latex", "10.1f", "no", ".1%"])
def test_formats_are_those_of_the_array(spec: str) -> None:
    for constant in BOTH:
        assert outcome(lambda: format(constant, spec)) == outcome(  # noqa: B023
            lambda: format(constant * 1, spec)  # noqa: B023
        )


def test_without_a_format_a_constant_shows_its_uncertainty() -> None:
    assert f"{GRAVITY}" == str(GRAVITY) == "6.67430(15)e-11 m**3/(kg*s**2)"


def test_constants_stand_in_lists_of_quantities() -> None:
    made = DimArray([SPEED, 2 * SPEED])
    assert made.tolist() == [SPEED.value, 2 * SPEED.value]
    assert made.unit == SPEED.unit
    assert DimArray([[SPEED], [1.0 * Unit("km/s")]], "km/s").tolist() == [[299792.458], [1.0]]
    assert outcome(lambda: np.array([SPEED, SPEED])) == outcome(
        lambda: np.array([SPEED * 1, SPEED * 1])
    )
    assert DimArray(SPEED, "km/s").item() == 299792.458


def test_a_constant_never_changes() -> None:
    before = SPEED.value
    same = SPEED
    same += SPEED  # a new array
    assert type(same) is DimArray
    for write in (
        lambda: SPEED.fill(2 * SPEED),
        lambda: operator.setitem(SPEED, ..., 2 * SPEED),
        lambda: np.add(SPEED * 1, SPEED * 1, out=SPEED),
    ):
        with pytest.raises(TypeError):
            write()
    assert SPEED.requires_grad_().requires_grad
    assert not SPEED.requires_grad
    assert SPEED.value == before


def test_constants_are_arrays_to_isinstance_and_constants_too() -> None:
    assert isinstance(SPEED, DimArray)
    assert isinstance(SPEED, Constant)
    assert type(SPEED) is Constant
    assert weakref.ref(SPEED)() is SPEED
