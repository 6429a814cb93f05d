"""Pickles and dictionaries of arrays: the same values, the same unit, nothing registered."""

import copyreg
import json
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dimflow
from dimflow import DimArray, Unit, units
from dimflow.errors import BackendNotInstalled, DimflowError, FileFormatError

DTYPES = ["?", "i1", "u2", "<i8", ">i4", "f2", "f4", "<f8", ">f8", "c8", "c16"]


def same(x: DimArray, y: DimArray) -> None:
    assert y.unit is x.unit
    assert y.dtype == x.dtype
    assert y.shape == x.shape
    np.testing.assert_array_equal(y.data, x.data)


@given(
    hnp.arrays(st.sampled_from(DTYPES), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0)),
    st.sampled_from(["m", "km/h", "degC", "", "percent", "dBm"]),
    st.integers(2, 5),
)
def test_every_dtype_shape_and_protocol(raw: Any, unit: str, protocol: int) -> None:
    x = DimArray(raw, unit)
    same(x, pickle.loads(pickle.dumps(x, protocol)))
    same(x, DimArray.from_dict(x.to_dict(binary=True)))


@pytest.mark.parametrize("protocol", range(2, 6))
@pytest.mark.parametrize("change", [lambda a: a.T, lambda a: a[::2, 1:], lambda a: a[:, :0]])
def test_any_layout(protocol: int, change: Any) -> None:
    x = DimArray(change(np.arange(24.0).reshape(4, 6)), "m")
    again = pickle.loads(pickle.dumps(x, protocol))
    same(x, again)
    assert again.data.flags.writeable


def test_fortran_order_is_kept() -> None:
    x = DimArray(np.asfortranarray(np.arange(6.0).reshape(2, 3)), "m")
    assert pickle.loads(pickle.dumps(x, 5)).data.flags.f_contiguous


def test_a_million_elements_cost_few_bytes_more() -> None:
    raw = np.random.default_rng(0).random(10**6)
    size = len(pickle.dumps(DimArray(raw, "kg*m**2/s**3/K"), 5))
    assert size - len(pickle.dumps(raw, 5)) < 300


def test_buffers_go_out_of_band() -> None:
    x = DimArray(np.arange(1000.0), "m")
    buffers: list[Any] = []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(buffers) == 1
    assert len(data) < 400
    again = pickle.loads(data, buffers=buffers)
    same(x, again)
    assert np.shares_memory(again.data, x.data)
    frozen = pickle.loads(data, buffers=[bytes(buffers[0].raw())])
    assert not np.shares_memory(frozen.data, x.data)


def test_numbers_of_numpy_come_back_as_such() -> None:
    total = DimArray([1.0, 2.0], "m").sum()
    assert type(pickle.loads(pickle.dumps(total)).data) is np.float64


def test_another_process_needs_nothing_but_dimflow() -> None:
    with dimflow.units.Registry():
        unit = dimflow.units.define("smoot = 67 inch = smt")
        data = pickle.dumps(DimArray([1.0, 2.0], unit))
    code = f"import pickle; x = pickle.loads({data!r}); print(x.to('inch').tolist(), x.unit)"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[67.0, 134.0] smt"


def test_a_library_that_is_missing() -> None:
    function, arguments = DimArray([1.0], "m").__reduce_ex__(5)
    elsewhere = (arguments[0], "nonsense", *arguments[2:])
    with pytest.raises(BackendNotInstalled, match="restore_on"):
        function(*elsewhere)
    with dimflow.restore_on("numpy"):
        assert function(*elsewhere).tolist() == [1.0]


def test_dictionaries_of_a_library_that_is_missing() -> None:
    record = DimArray([1.0], "m").to_dict() | {"backend": "nonsense"}
    with pytest.raises(BackendNotInstalled, match="restore_on"):
        DimArray.from_dict(record)
    with dimflow.restore_on("numpy"):
        same(DimArray([1.0], "m"), DimArray.from_dict(record))


@pytest.mark.parametrize("dtype", ["longdouble", "clongdouble"])
def test_dictionaries_of_long_numbers(dtype: str) -> None:
    x = DimArray(np.array([1, 3], dtype) / 3, "m")
    same(x, DimArray.from_dict(json.loads(json.dumps(x.to_dict()))))


def test_no_reducer_is_registered() -> None:
    assert DimArray not in copyreg.dispatch_table


@given(
    hnp.arrays(
        st.sampled_from(["i8", "f8", "c16", "?"]),
        hnp.array_shapes(min_dims=0, max_dims=2),
        elements={"allow_nan": False},
    )
)
def test_dictionaries_are_json(raw: Any) -> None:
    x = DimArray(raw, "km/h")
    for binary in (False, True):
        same(x, DimArray.from_dict(json.loads(json.dumps(x.to_dict(binary=binary)))))


@pytest.mark.parametrize(
    "change",
    [
        {"format": "dimflow.array/99"},
        {"format": None},
        {"dtype": "O"},
        {"dtype": "nonsense"},
        {"dtype": [["a", "f8"]]},
        {"shape": [3]},
        {"shape": [-1]},
        {"shape": "ab"},
        {"shape": [2.0]},
        {"data": "not base64!"},
        {"data": "AAAA"},
        {"data": [[1.0], [1.0, 2.0]]},
        {"data": ["a", "b"]},
        {"data": None},
        {"backend": 3},
        {"backend": "nonsense"},
        {"dtype": "<i8", "data": [1.5, 2.0]},
        {"dtype": "|i1", "data": [300, 2]},
        {"dtype": "|b1", "data": [0.5, 1]},
        {"unit": {"format": "evil"}},
        {"unit": None},
        {"shape": [10**12, 10**12], "data": "AAAA"},
    ],
    ids=str,
)
def test_a_wrong_dictionary_is_refused(change: dict[str, Any]) -> None:
    record = {**DimArray([1.0, 2.0], "m").to_dict(), **change}
    with pytest.raises(DimflowError):
        DimArray.from_dict(record)


@pytest.mark.parametrize(
    "record", [None, 5, "text", [], {}, {"format": "dimflow.array/1"}], ids=str
)
def test_what_is_no_record_is_refused(record: Any) -> None:
    with pytest.raises(FileFormatError):
        DimArray.from_dict(record)


def test_units_come_back_as_themselves() -> None:
    for text in ("degC", "dB(mW/Hz)", "m**(1/2)", "percent"):
        x = DimArray([1.0], text)
        assert pickle.loads(pickle.dumps(x)).unit is Unit(text)
    assert pickle.loads(pickle.dumps(5 * units.m)).item() == 5
