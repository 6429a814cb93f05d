"""CuPy, where there is a GPU: `DIMFLOW_LIBRARIES=cupy pytest tests/backends/test_cupy.py`."""

import pickle
from typing import Any

import cupy
import numpy as np
import pytest

import dimflow
from dimflow import DimArray, ops
from dimflow import units as u
from dimflow.backends import backend
from dimflow.errors import DeviceMismatch, NotANumber, UnitError

CUPY = backend("cupy")
NUMBERS = [1.0, 2.0, 4.0]


def metres(values: Any = NUMBERS) -> DimArray:
    return DimArray(cupy.asarray(values), "m")


def test_devices_are_the_gpus_with_their_names() -> None:
    listed = dimflow.devices("cupy")
    assert len(listed) == cupy.cuda.runtime.getDeviceCount()
    assert {device.kind for device in listed} == {"cuda"}
    assert all(device.description for device in listed)
    assert metres().device == listed[0] == f"cuda:{cupy.cuda.Device().id}"
    with pytest.raises(DeviceMismatch):
        metres().to_device("cuda:99")
    with pytest.raises(DeviceMismatch):
        metres().to_device("cpu")


def test_an_array_goes_to_every_gpu_and_stays_there() -> None:
    for device in dimflow.devices("cupy"):
        for place in (device, str(device), device.native):
            x = metres().to_device(place)
            assert x.device == device
            assert (x * x + x.to("cm") * x).device == device
            assert x.tolist() == NUMBERS


def test_torch_on_the_same_gpu_shares_the_memory() -> None:
    import torch

    x = metres()
    tensor = x.to_backend("torch")
    assert tensor.data.data_ptr() == x.data.data.ptr
    assert str(tensor.device) == str(x.device)
    tensor.data[0] = 9.0
    torch.cuda.synchronize()
    assert x.tolist() == [9.0, 2.0, 4.0]
    back = tensor.to_backend("cupy")
    assert back.data.data.ptr == x.data.data.ptr
    assert x.to_backend("torch", copy=True).data.data_ptr() != x.data.data.ptr


def test_what_another_stream_still_computes_is_waited_for() -> None:
    import torch

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        raw = torch.ones(1 << 22, device="cuda", dtype=torch.float64)
        for _ in range(20):
            raw = raw * 2
        moved = DimArray(raw, "m").to_backend("cupy")
    assert moved.sum().item() == (1 << 22) * 2.0**20


def test_the_host_gets_copies() -> None:
    x = metres()
    view = x.to_numpy()
    view[0] = 9.0
    assert x.tolist() == NUMBERS
    numbers = np.array(NUMBERS)
    y = DimArray(numbers, "m").to_backend("cupy")
    numbers[0] = 9.0
    assert y.tolist() == NUMBERS
    with pytest.raises(ValueError, match="without a copy"):
        DimArray(numbers, "m").to_backend("cupy", copy=False)


def test_pickles_come_back_on_the_gpu_or_elsewhere() -> None:
    content = pickle.dumps(metres())
    assert pickle.loads(content).backend == "cupy"
    with dimflow.restore_on("numpy"):
        assert pickle.loads(content).tolist() == NUMBERS


def test_scalars_are_arrays_of_no_axes() -> None:
    for one in (metres()[0], metres().sum(), metres().max()):
        assert one.shape == ()
        assert isinstance(one.data, cupy.ndarray)
    assert [part.item() for part in metres()] == NUMBERS


def test_numbers_of_numpy_are_lifted_in_both_orders() -> None:
    for total in (metres() + DimArray(NUMBERS, "km"), DimArray(NUMBERS, "km") + metres()):
        assert total.backend == "cupy"
        assert total.to("m").tolist() == pytest.approx([1001.0, 2002.0, 4004.0], rel=1e-15)
    assert (np.array(NUMBERS) * metres()).backend == "cupy"


def test_places_given_twice_get_both() -> None:
    places = cupy.asarray([0, 0, 2])
    for dtype in ("float32", "float64", "int32", "int64", "float16", "complex64"):
        raw = cupy.zeros(3, dtype)
        found = ops.index_add(raw, cupy.ones(3, dtype), places, key=("index",))
        assert cupy.asnumpy(found).tolist() == [2, 0, 1]
        assert found.dtype == raw.dtype
        assert not raw.any()


def test_writing_converts_and_cuts_nothing() -> None:
    x = metres()
    x[0] = 5 * u.km
    x[np.array([False, True, True])] = 100 * u.cm
    assert x.tolist() == [5000.0, 1.0, 1.0]
    whole = DimArray(cupy.asarray([1, 2]), "m")
    with pytest.raises(NotANumber, match="which it would cut"):
        whole[0] = 1.5 * u.m
    with pytest.raises(UnitError, match="an assignment takes values in m, but got s"):
        x[0] = 1 * u.s


@pytest.mark.parametrize("bad", ["text", b"bytes", None, {}, [1, [2]], object()])
def test_what_holds_no_numbers_is_refused(bad: Any) -> None:
    with pytest.raises(NotANumber):
        CUPY.asarray(bad)
