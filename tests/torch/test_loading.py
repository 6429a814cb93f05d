"""DimTensors in batches, in other processes and in files."""

import io

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

from dimflow import DimArray, units
from dimflow import constants as const
from dimflow.errors import UnitError
from dimflow.torch import DimTensor


class Runs(Dataset):
    """Lengths in three units, and times of NumPy."""

    def __len__(self):
        return 6

    def __getitem__(self, i):
        unit, factor = (("m", 1.0), ("cm", 100.0), ("km", 1e-3))[i % 3]
        return {"x": DimTensor([i * factor], unit), "t": DimArray([float(i)], "s"), "i": i}


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.deep)])
def test_batches_keep_units(workers):
    loader = DataLoader(
        Runs(),
        batch_size=3,
        num_workers=workers,
        multiprocessing_context="spawn" if workers else None,
    )
    for number, batch in enumerate(loader):
        assert type(batch["x"]) is DimTensor
        assert str(batch["x"].unit) == "m"
        expected = torch.tensor([[0.0], [1.0], [2.0]]) + 3 * number
        torch.testing.assert_close(batch["x"].data, expected)
        assert str(batch["t"].unit) == "s"
        assert isinstance(batch["t"].data, torch.Tensor)
        assert isinstance(batch["i"], torch.Tensor)


def test_a_batch_of_two_dimensions_is_refused():
    loader = DataLoader([DimTensor(1.0, "m"), DimTensor(1.0, "s")], batch_size=2)
    with pytest.raises(UnitError, match="batch"):
        list(loader)
    loader = DataLoader([DimTensor(1.0, "m"), torch.tensor(1.0)], batch_size=2)
    with pytest.raises((UnitError, TypeError)):
        list(loader)


def test_data_sets_of_pytorch():
    data = TensorDataset(DimTensor(torch.arange(4.0), "m"), DimTensor(torch.arange(4.0), "s"))
    x, t = next(iter(DataLoader(data, batch_size=4)))
    assert (str(x.unit), str(t.unit)) == ("m", "s")


def _double(queue, back):
    x = queue.get()
    x.mul_(2)
    back.put(str(x.unit))
    back.put("done")


def test_processes_share_the_memory():
    context = torch.multiprocessing.get_context("spawn")
    queue, back = context.Queue(), context.Queue()
    x = DimTensor([1.0, 2.0], "m").share_memory_()
    assert x.is_shared()
    worker = context.Process(target=_double, args=(queue, back))
    worker.start()
    queue.put(x)
    assert back.get(timeout=120) == "m"
    assert back.get(timeout=120) == "done"
    worker.join(60)
    assert x.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.complex64])
@pytest.mark.parametrize("requires_grad", [False, True])
def test_files_of_pytorch(dtype, requires_grad):
    x = DimTensor(torch.tensor([1, 2]).to(dtype), "m/s", requires_grad=requires_grad)
    file = io.BytesIO()
    torch.save({"x": x}, file)
    file.seek(0)
    back = torch.load(file, weights_only=True)["x"]
    assert type(back) is DimTensor
    assert back.unit is x.unit
    assert back.dtype is dtype
    assert back.requires_grad is requires_grad
    assert torch.equal(back.data, x.data)


@pytest.mark.parametrize("options", [{}, {"pickle_protocol": 4}, {"pickle_protocol": 5}])
@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("requires_grad", [False, True])
def test_storages_are_shared_and_moved_as_those_of_tensors(options, zipped, requires_grad):
    raw = torch.arange(4.0, requires_grad=requires_grad)
    for make in (lambda v: v, lambda v: DimTensor(v, "m")):
        x = make(raw)
        file = io.BytesIO()
        kept = {"x": x, "parts": [x.detach(), x.detach()[1:]], "module": torch.nn.Linear(1, 1)}
        torch.save(kept, file, _use_new_zipfile_serialization=zipped, **options)
        for location in ("cpu", "meta"):
            file.seek(0)
            back = torch.load(file, map_location=location, weights_only=False)
            whole, part = (v.data if isinstance(v, DimTensor) else v for v in back["parts"])
            assert whole.device.type == part.device.type == back["x"].data.device.type == location
            assert back["x"].requires_grad is requires_grad
            assert type(back["x"]) is type(x)
            if location == "cpu":
                part.zero_()
                assert whole.tolist() == [0.0] * 4


def test_files_of_pytorch_hold_units_and_constants():
    file = io.BytesIO()
    torch.save({"unit": units.N / units.m, "c": const.c}, file)
    file.seek(0)
    back = torch.load(file, weights_only=True)
    assert back["unit"] is units.N / units.m
    assert back["c"] == const.c
