"""Odd and hostile input: a clear error with nothing changed, or what NumPy itself gives."""

import inspect
import operator
import threading
import traceback
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dimflow import DimArray, Unit
from dimflow.array.numpy_host import by_op
from dimflow.errors import FileFormatError, NotANumber, ShapeMismatch, UnitError, UnitRangeError

NO_NUMBERS = ["object", "U5", "S5", "datetime64[s]", "V4", [("a", "f8")]]
FOREIGN = [None, "2", b"2", {}, {1}, object(), int, ..., range(3)]


class Length(DimArray):
    """A subclass with nothing of its own."""

    __slots__ = ()


class Labelled:
    """An array of some library that dimflow does not know, with a unit of its own."""

    def __init__(self, units: Any) -> None:
        self.units = units

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.arange(3.0)


def metres() -> DimArray:
    return DimArray([1.0, 2.0, 3.0], "m")


# Types that hold no numbers


@pytest.mark.parametrize("dtype", NO_NUMBERS, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("unit", [None, "m"])
def test_no_array_comes_to_hold_what_is_no_number(dtype: Any, unit: str | None) -> None:
    with pytest.raises(UnitError):
        metres().astype(dtype, unit=unit)
    with pytest.raises(NotANumber):
        DimArray([1.0], "m", dtype=dtype)
    with pytest.raises(NotANumber):
        DimArray(np.zeros(2, dtype), "m")


@pytest.mark.parametrize("scalar", [np.datetime64("2020"), np.void(b"a")])
@pytest.mark.parametrize("function", [operator.mul, operator.add, operator.truediv, np.multiply])
def test_scalars_of_numpy_that_are_no_numbers(function: Any, scalar: Any) -> None:
    for call in (lambda: function(metres(), scalar), lambda: function(scalar, metres())):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.where([True, False, True], x, None),
        lambda x: np.add(x, None),
        lambda x: np.concatenate([x, None]),
        lambda x: np.interp(x, x, None),
    ],
)
def test_none_is_no_array(call: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        call(metres())


@pytest.mark.parametrize("unit", ["furlong", Unit("m").dimension, 5])
def test_a_unit_that_dimflow_cannot_read_is_not_dropped(unit: Any) -> None:
    for wanted in (None, "m"):
        with pytest.raises(UnitError, match="does not know how to read the unit"):
            DimArray(Labelled(unit), wanted)
    assert DimArray(Labelled(None), "m").unit is Unit("m")


# Operators


@pytest.mark.parametrize("other", FOREIGN, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("name", ["add", "sub", "truediv", "pow", "matmul", "mod"])
def test_operators_refuse_what_they_do_not_know_and_change_nothing(name: str, other: Any) -> None:
    x = metres()
    for call in (getattr(operator, name), getattr(operator, f"i{name}")):
        with pytest.raises(TypeError):
            call(x, other)
    if name != "mod" or not isinstance(other, (str, bytes)):  # text % anything is formatting
        with pytest.raises(TypeError):
            getattr(operator, name)(other, x)
    assert x.data.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("other", FOREIGN, ids=lambda v: type(v).__name__)
def test_membership_is_equality(other: Any) -> None:
    assert (other in metres()) is False
    assert (metres() == other) is False


def test_a_modulus_is_refused() -> None:
    for base in (metres(), DimArray([1.0, 2.0])):
        with pytest.raises(TypeError):
            pow(base, 2, 3)


@pytest.mark.parametrize("exponent", [float("nan"), float("inf"), 1e308, 10**30, 1e-300])
@pytest.mark.parametrize("power", [operator.pow, operator.ipow, np.power])
def test_impossible_exponents_fail_before_the_work(power: Any, exponent: float) -> None:
    x = DimArray([1.0, 1e10], "m")  # warnings are errors: an overflow would be seen
    with pytest.raises(UnitRangeError) as caught:
        power(x, exponent)
    assert "During handling" not in "".join(traceback.format_exception(caught.value))
    assert x.data.tolist() == [1.0, 1e10]


@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("exponent", [2, 2.0, np.int8(2), np.float64(2), np.longdouble(2)])
@pytest.mark.parametrize("power", [operator.pow, np.power, np.float_power])
def test_the_dtype_of_a_power_is_numpys(power: Any, exponent: Any, dtype: str) -> None:
    raw = np.array([1, 2, 3], dtype)
    for unit in ("", "m"):
        assert power(DimArray(raw, unit), exponent).dtype == power(raw, exponent).dtype


def test_a_power_by_a_fraction_is_exact_for_the_unit() -> None:
    assert np.power(metres(), Fraction(1, 3)).unit is Unit("m") ** Fraction(1, 3)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + x,
        lambda x: x - x.to("km"),
        lambda x: x * x,
        lambda x: 3 * x,
        lambda x: 0.0 - x,
        lambda x: x / 7,
        lambda x: -x,
        lambda x: x**2,
    ],
)
def test_the_class_of_a_result_does_not_depend_on_what_ran_before(call: Any) -> None:
    x = Length([1.0, 2.0], Unit("m") ** Fraction(7, 11) * Unit("m") ** Fraction(4, 11))
    assert [type(call(x)) for _ in range(3)] == [Length] * 3


# out= of methods


def test_out_of_a_method_may_be_a_plain_array_of_pure_numbers() -> None:
    x = DimArray([[1.0, 2.0], [3.0, 4.0]])
    target = np.zeros(2)
    assert x.sum(axis=0, out=target) is target
    assert target.tolist() == [4.0, 6.0]
    with pytest.raises(UnitError):
        DimArray([[1.0, 2.0]], "m").sum(axis=0, out=target)
    assert target.tolist() == [4.0, 6.0]


@pytest.mark.parametrize("name", ["sum", "mean", "max", "std", "cumsum"])
def test_out_of_a_method_has_the_shape_of_the_result(name: str) -> None:
    x = DimArray([[1.0, 2.0], [3.0, 4.0]], "m")
    target = DimArray(np.zeros((3, 2, 2)), "km")
    with pytest.raises(ShapeMismatch):
        getattr(x, name)(axis=0, out=target)
    assert not target.data.any()


@pytest.mark.parametrize("target", ["x", 5.0, [0.0], DimArray([1.0], "m")[0]], ids=repr)
def test_out_of_a_method_can_be_written_into(target: Any) -> None:
    with pytest.raises(NotANumber, match="cannot be written into"):
        metres().sum(out=target)


# The rest


@pytest.mark.parametrize("record", [None, 5, [], {}, "x", np.arange(3.0), np.float64(1), object()])
def test_a_dictionary_of_an_array_is_one(record: Any) -> None:
    with pytest.raises(FileFormatError):
        DimArray.from_dict(record)


def test_truth_values_in_latex() -> None:
    shown = DimArray([True, False])._repr_latex_()
    assert shown == r"$\begin{bmatrix} True & False \end{bmatrix}$"


@pytest.mark.parametrize("name", by_op.SIGNATURES)
def test_signatures_that_older_versions_of_numpy_do_not_tell(name: str) -> None:
    scope: dict[str, Any] = {}
    exec(f"def function({by_op.SIGNATURES[name]}): ...", scope)
    try:
        told = inspect.signature(getattr(np, name))
    except ValueError:
        return  # one of those versions
    ours = inspect.signature(scope["function"]).parameters.values()
    assert [(p.name, p.default) for p in ours] == [
        (p.name, p.default) for p in told.parameters.values()
    ]
    if name == "empty_like":  # which takes its argument by name, and tells otherwise
        assert np.empty_like(prototype=np.zeros(2)).shape == (2,)
    else:
        assert [p.kind for p in ours] == [p.kind for p in told.parameters.values()]


def test_operators_while_other_threads_fill_their_memory() -> None:
    """Many more units than an operator remembers, so that it forgets all of them at times."""
    found: list[str] = []
    start = threading.Barrier(4)

    def work(seed: int) -> None:
        start.wait()
        try:
            for i in range(400):
                x = DimArray([2.0], Unit("m") ** Fraction(1 + (i * 7 + seed) % 300, 301))
                y = x + x * 2
                if y.data[0] != 6.0 or y.unit is not x.unit or (1.0 * y).data[0] != 6.0:
                    found.append(repr(y))
        except Exception as error:
            found.append(repr(error))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == []
