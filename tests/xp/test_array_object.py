"""The array object as the standard has it: attributes, elements, conversions to numbers."""

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from hypothesis.extra.array_api import make_strategies_namespace

from dimflow import DimArray, Unit, xp
from dimflow.errors import UnitError, UnitLossError
from tests.xp.agreement import DTYPES, attempt

FEW = settings(max_examples=max(1, settings.default.max_examples // 6))
xps = make_strategies_namespace(xp)
arrays = xps.arrays(xps.scalar_dtypes(), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))
METHODS = """
__abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__ __dlpack_device__ __eq__
__float__ __floordiv__ __ge__ __getitem__ __gt__ __index__ __int__ __invert__ __le__ __lshift__
__lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __rshift__ __setitem__
__sub__ __truediv__ __xor__ to_device __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __ipow__
__imatmul__ __imod__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__ __radd__ __rsub__ __rmul__
__rtruediv__ __rfloordiv__ __rpow__ __rmatmul__ __rmod__ __rand__ __ror__ __rxor__ __rlshift__
__rrshift__
"""


@pytest.mark.parametrize("name", METHODS.split())
def test_the_method_is_there(name: str) -> None:
    assert callable(getattr(xp.ones(1), name))


@given(x=arrays)
@FEW
def test_attributes(x: DimArray) -> None:
    raw = x.data
    assert (x.dtype, x.shape, x.ndim, x.size) == (raw.dtype, raw.shape, raw.ndim, raw.size)
    assert x.device == xp.__array_namespace_info__().default_device()
    assert x.T.shape == raw.shape[::-1]
    if x.ndim >= 2:
        np.testing.assert_array_equal(x.mT.data, np.swapaxes(raw, -1, -2))
    moved = x.to_device(x.device, stream=None)
    np.testing.assert_array_equal(moved.data, raw)


@given(x=arrays, data=st.data())
@FEW
def test_elements_and_slices(x: DimArray, data: Any) -> None:
    key = data.draw(xps.indices(x.shape, allow_newaxis=True))
    got = x[key]
    assert isinstance(got, DimArray)
    np.testing.assert_array_equal(got.data, x.data[key])
    assert got.dtype == x.dtype


@given(x=arrays, data=st.data())
@FEW
def test_masks_choose_and_assign(x: DimArray, data: Any) -> None:
    mask = data.draw(xps.arrays(xp.bool, x.shape))
    value = data.draw(xps.from_dtype(x.dtype))
    np.testing.assert_array_equal(x[mask].data, x.data[mask.data])
    for given_value in (value, xp.asarray(value, dtype=x.dtype)):
        y, wanted = xp.asarray(x, copy=True), x.data.copy()
        y[mask] = given_value
        wanted[mask.data] = value
        np.testing.assert_array_equal(y.data, wanted)
        assert y.dtype == x.dtype


@given(data=st.data())
@FEW
def test_arrays_of_indices(data: Any) -> None:
    x = data.draw(xps.arrays(xp.float64, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1)))
    places = [data.draw(st.lists(st.integers(-n, n - 1), min_size=2, max_size=2)) for n in x.shape]
    key = tuple(xp.asarray(p) for p in places)
    np.testing.assert_array_equal(x[key].data, x.data[tuple(places)])
    np.testing.assert_array_equal(x[key[0], 0].data, x.data[places[0], 0])


CASTS = {"bool": bool, "int": int, "float": float, "complex": complex, "index": operator.index}


@pytest.mark.parametrize("cast", CASTS)
@pytest.mark.parametrize("dtype", DTYPES)
@given(data=st.data())
@settings(max_examples=4)
def test_an_array_of_one_number_becomes_a_number(cast: str, dtype: str, data: Any) -> None:
    x = data.draw(xps.arrays(getattr(xp, dtype), ()))
    wanted = attempt(lambda: CASTS[cast](x.data))
    got = attempt(lambda: CASTS[cast](x))
    again = attempt(lambda: CASTS[cast](x[()]))  # which NumPy makes a scalar of its own
    if isinstance(wanted, Exception):
        assert isinstance(got, type(wanted))
        assert isinstance(again, type(wanted))
    else:
        assert type(got) is type(again) is type(wanted)
        np.testing.assert_equal([got, again], [wanted, wanted])


@pytest.mark.parametrize("cast", [*(c for c in CASTS if c != "bool")])
def test_a_number_with_a_unit_does_not(cast: str) -> None:
    with pytest.raises(UnitLossError):
        CASTS[cast](xp.asarray(3, unit="m"))


@pytest.mark.parametrize("cast", CASTS)
def test_more_than_one_number_does_not(cast: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        CASTS[cast](xp.asarray([1, 2]))


def test_a_reduction_is_an_array_that_can_be_written_into() -> None:
    total = xp.sum(xp.asarray([1.0, 2.0], unit="km"))
    total[...] = DimArray(5.0, "m")
    assert total == DimArray(0.005, "km")
    total += DimArray(5.0, "m")
    assert total.unit == Unit("km")
    assert total.shape == ()


def test_masks_of_operators_and_of_functions_are_alike() -> None:
    x = xp.asarray([1.0, 2.0], unit="m")
    assert type(x < x) is type(xp.less(x, x)) is DimArray
    assert x[x < DimArray(1.5, "m")] == DimArray([1.0], "m")
    assert x[xp.less(x, DimArray(1.5, "m"))] == DimArray([1.0], "m")
    assert xp.where(x > DimArray(1.5, "m"), x, 0).to_value("m").tolist() == [0, 2]
    assert bool(xp.any(x == x[0]))


def test_dlpack_has_the_standards_keywords() -> None:
    x = xp.asarray([1.0, 2.0])
    assert x.__dlpack_device__() == x.data.__dlpack_device__()
    capsule = x.__dlpack__(
        stream=None, max_version=(1, 0), dl_device=x.__dlpack_device__(), copy=True
    )
    assert "dltensor" in repr(capsule)
    with pytest.raises(UnitError):
        xp.asarray([1.0], unit="m").__dlpack__()
