"""DimTensors on their way: batches of a DataLoader, other processes. Files: `files_of_torch`."""

from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
from torch.utils.data._utils import collate

from dimflow.array import DimArray
from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.array.in_place import in_unit
from dimflow.torch import gradients
from dimflow.torch.tensor import DimTensor
from dimflow.units import decode, encode


def _collated(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """A batch of quantities as one, in the unit of the first."""
    unit = next(sample._unit for sample in batch if isinstance(sample, Core))
    raws = [torch.as_tensor(in_unit(unit, sample, "a batch of a DataLoader")) for sample in batch]
    return wrap(collate.collate(raws, collate_fn_map=collate_fn_map), unit)


def _rebuilt(raw: Any, unit: str) -> Any:
    """What arrives in another process: the same memory, in the same unit."""
    array = wrap(raw, decode(unit))
    gradients.watch(raw)
    return array


def _shared(array: Any) -> Any:
    """To another process: the tensor goes by shared memory, as PyTorch's own do."""
    return _rebuilt, (array._raw, encode(array._unit))


def register() -> None:
    """Tell PyTorch how DimTensors travel."""
    collate.default_collate_fn_map[DimTensor] = _collated
    collate.default_collate_fn_map[DimArray] = _collated
    ForkingPickler.register(DimTensor, _shared)
