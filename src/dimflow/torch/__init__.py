"""Units for PyTorch: tensors, modules, gradients and transforms.

    from dimflow.torch import DimParameter, DimTensor, UnitModule

Nothing else is to be imported for PyTorch's own functions, for `torch.compile`, `DataLoader`,
`torch.save` and trees: they know DimTensors from the first one on.
"""

from dimflow.torch import loading as _loading
from dimflow.torch import overlooked as _overlooked
from dimflow.torch import registration as _registration
from dimflow.torch import tracing as _tracing
from dimflow.torch import trees as _trees
from dimflow.torch.modules import DimParameter, UnitModule, named_units
from dimflow.torch.tensor import DimTensor
from dimflow.torch.transforms import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    vjp,
)

__all__ = [
    "DimParameter",
    "DimTensor",
    "UnitModule",
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "named_units",
    "vjp",
]

_tracing.install()
_trees.register()
_loading.register()
_registration.install()
_overlooked.install()
