"""pandas' own tests of extension arrays, run on columns with a unit."""

import numpy as np
import pandas._testing as tm
import pytest
from pandas.tests.extension import base

from dimflow import DimArray
from dimflow.errors import UnitError
from dimflow.pandas import DimDtype, DimExtensionArray


@pytest.fixture
def dtype():
    return DimDtype("m/s")


@pytest.fixture
def data():
    return DimExtensionArray(np.arange(1.0, 11.0), "m/s")


@pytest.fixture
def data_for_twos():
    return DimExtensionArray(np.full(10, 2.0), "m/s")


@pytest.fixture
def data_missing():
    return DimExtensionArray([np.nan, 1.0], "m/s")


@pytest.fixture(params=["data", "data_missing"])
def all_data(request, data, data_missing):
    return data if request.param == "data" else data_missing


@pytest.fixture
def data_repeated(data):
    def gen(count):
        for _ in range(count):
            yield data

    return gen


@pytest.fixture
def data_for_sorting():
    return DimExtensionArray([2.0, 3.0, 1.0], "m/s")


@pytest.fixture
def data_missing_for_sorting():
    return DimExtensionArray([2.0, np.nan, 1.0], "m/s")


@pytest.fixture
def na_cmp():
    return lambda x, y: bool(np.isnan(x)) and bool(np.isnan(y))


@pytest.fixture
def data_for_grouping():
    return DimExtensionArray([2.0, 2.0, np.nan, np.nan, 1.0, 1.0, 2.0, 3.0], "m/s")


# Tests that a column with a unit cannot pass, and why; one that passes all the same is an error.
PANDAS_DEVIATIONS = {
    "test_plot_on_x_axis": "pandas asks for plain floats; df.dimflow.dequantify().plot() has them",
    "test_plot_on_y_axis": "pandas asks for plain floats; df.dimflow.dequantify().plot() has them",
    "test_round": "Python's round() of one quantity asks for its unit; a column rounds in its own",
}


# All of pandas' classes but that of columns with two axes, which ours are not.
TESTS = [cls for cls in base.ExtensionTests.__bases__ if cls is not base.Dim2CompatTests]
PANDAS_NOT_ASKED = (
    "test_reduce_frame[count-True]",
    "test_reduce_frame[count-False]",
)  # skip by themselves


class TestColumns(*TESTS):
    """The hooks below say what a column with a unit does; the tests are all pandas'."""

    def _supports_reduction(self, ser, op_name):
        return True

    def _supports_accumulation(self, ser, op_name):
        return op_name != "cumprod"

    def check_reduce(self, ser, op_name, skipna):
        plain = ser.dimflow.magnitude
        given = {} if op_name == "count" else {"skipna": skipna}
        result, expected = (getattr(s, op_name)(**given) for s in (ser, plain))
        if not isinstance(result, DimArray):
            assert op_name in ("count", "any", "all", "skew", "kurt") or np.isnan(result)
        else:
            wanted = self._get_expected_reduction_dtype(ser.array, op_name, skipna).unit
            assert result.unit == wanted
            result = result.item()
        np.testing.assert_equal(result, expected)

    def _get_expected_reduction_dtype(self, arr, op_name, skipna):
        length = int((~arr.isna()).sum()) if skipna else len(arr)
        powers = {"var": 2, "prod": length, "skew": 0, "kurt": 0}
        return DimDtype(arr.dtype.unit ** powers.get(op_name, 1))

    def check_accumulate(self, ser, op_name, skipna):
        result = getattr(ser, op_name)(skipna=skipna)
        expected = getattr(ser.dimflow.magnitude, op_name)(skipna=skipna)
        assert result.dtype == ser.dtype
        tm.assert_series_equal(result.dimflow.magnitude, expected)

    def _get_expected_exception(self, op_name, obj, other):
        if op_name in ("__pow__", "__rpow__"):
            return UnitError
        if op_name in ("__divmod__", "__rdivmod__") and int in (type(obj), type(other)):
            return UnitError  # the whole part of 3 m/s by 2 depends on the unit
        return None
