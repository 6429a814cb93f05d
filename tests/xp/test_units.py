"""Units through the standard's functions: the numbers of the raw call, in the unit of the op."""

import array_api_strict
import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, Unit, xp
from dimflow.errors import BackendMismatch, DimensionError, PureNumberError, UnitError
from dimflow.xp.forms import names
from tests.xp.agreement import attempt, function
from tests.xp.unit_calls import POWERS, REFUSED, X, arguments, parts

ALL = names("") | {f"{m}.{n}" for m in ("linalg", "fft") for n in names(m)}


def test_every_function_is_classified() -> None:
    assert POWERS.keys() | {*REFUSED.split()} == ALL
    assert POWERS.keys().isdisjoint(REFUSED.split())


@pytest.mark.parametrize("path", sorted(POWERS))
def test_the_numbers_are_those_of_the_raw_call_in_the_unit_of_the_op(path: str) -> None:
    args, kwargs = arguments(path, DimArray(X, "m"))
    pure, pure_kwargs = arguments(path, DimArray(X, ""))
    got, wanted = (
        parts(attempt(lambda a=a, k=k: function(xp, path)(*a, **k)))
        for a, k in ((args, kwargs), (pure, pure_kwargs))
    )
    powers = POWERS[path]
    each = powers if isinstance(powers, tuple) else (powers,) * len(got)
    for one, other, power in zip(got, wanted, each, strict=True):
        assert one.unit == Unit("m") ** power
        assert one.dtype == other.dtype
        assert other.unit == Unit("")
        if path != "empty_like":
            np.testing.assert_allclose(one.data, other.data, rtol=1e-12)


@pytest.mark.parametrize("path", sorted(REFUSED.split()))
def test_what_has_no_meaning_is_refused(path: str) -> None:
    args, kwargs = arguments(path, DimArray(X, "m"))
    with pytest.raises(UnitError):
        function(xp, path)(*args, **kwargs)


# Depend on the unit in which they are asked, or on the order of the units that come first.
CHOSEN = {"ceil", "floor", "round", "trunc", "nextafter", "empty_like", "ones_like", "astype"}
# A sign or a column may turn; what they fulfil is tested with the functions.
CHOSEN |= {"linalg.eig", "linalg.eigh", "linalg.qr", "linalg.svd"}


@pytest.mark.parametrize("path", sorted(POWERS.keys() - CHOSEN))
@given(unit=st.sampled_from(["km", "mm", "inch", "au"]))
@settings(max_examples=2)
def test_the_result_does_not_depend_on_the_unit(path: str, unit: str) -> None:
    here, there = (arguments(path, x) for x in (DimArray(X, "m"), DimArray(X, "m").to(unit)))
    got, wanted = (
        parts(attempt(lambda a=a, k=k: function(xp, path)(*a, **k))) for a, k in (there, here)
    )
    for one, other in zip(got, wanted, strict=True):
        size = float(np.nanmax(np.abs(other.data), initial=1e-30))
        np.testing.assert_allclose(
            one.to_value(other.unit), other.data, rtol=1e-9, atol=1e-9 * size
        )


def test_mixed_units_meet() -> None:
    x, y = xp.asarray([1.0], unit="km"), xp.asarray([500.0], unit="m")
    assert xp.add(x, y) == DimArray([1.5], "km")
    assert xp.concat([x, y]).to_value("m").tolist() == [1000, 500]
    assert bool(xp.all(xp.greater(x, y)))
    assert xp.hypot(x, y).unit == Unit("km")
    with pytest.raises(DimensionError):
        xp.add(x, xp.asarray([1.0], unit="s"))
    with pytest.raises(PureNumberError):
        xp.exp(x)


def test_raw_arrays_and_numbers_beside_arrays_with_units() -> None:
    x = xp.asarray([1.0, 2.0], unit="m")
    assert xp.multiply(x, np.asarray([2.0, 3.0])).unit == Unit("m")
    assert xp.multiply(2, x).to_value("m").tolist() == [2, 4]
    assert isinstance(xp.sum(np.ones(3)), DimArray)
    assert xp.where(np.asarray([True, False]), x, 0).to_value("m").tolist() == [1, 0]
    assert xp.take(x, np.asarray([1])).to_value("m").tolist() == [2]
    with pytest.raises(DimensionError):
        xp.add(x, np.asarray([1.0, 2.0]))


def test_angles_are_pure_numbers_here_and_radians_elsewhere() -> None:
    half = xp.asarray(0.5)
    assert float(xp.asin(half)) == np.arcsin(0.5)
    assert xp.atan2(xp.asarray(1.0, unit="m"), xp.asarray(1.0, unit="km")).unit == Unit("")
    assert dimflow.asin(half).unit == Unit("rad")
    np.testing.assert_allclose(float(xp.sin(xp.asarray(90.0, unit="deg"))), 1.0)


def test_points_on_a_scale() -> None:
    t = xp.asarray([20.0, 30.0], unit="degC")
    assert xp.mean(t) == DimArray(25.0, "degC")
    assert xp.std(t).unit == Unit("delta_degC")
    with pytest.raises(UnitError):
        xp.sum(t)
    with pytest.raises(UnitError):
        xp.multiply(t, 2)


def test_arrays_of_two_libraries_do_not_mix() -> None:
    x = DimArray(array_api_strict.asarray([1.0]), "m")
    with pytest.raises(BackendMismatch, match="to_backend"):
        xp.add(x, DimArray(jax.numpy.asarray([1.0]), "m"))
