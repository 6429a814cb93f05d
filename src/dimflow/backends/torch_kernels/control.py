"""Control flow on PyTorch: what a choice by a tensor needs to know under `torch.func.vmap`."""

from typing import Any

import numpy as np
import torch


def members(value: Any, /) -> Any:
    """The values in all calls, which torch.func wraps in one layer for each transform."""
    functorch: Any = torch._C._functorch
    while functorch.is_functorch_wrapped_tensor(value):
        value = functorch.get_unwrapped(value)
    return np.asarray(value.tolist())  # any operation would wrap it anew
