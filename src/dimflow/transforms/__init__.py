"""What users apply to functions of arrays: check, checked, grad and its kin."""

from dimflow.transforms.batching import vmap
from dimflow.transforms.checked_functions import checked
from dimflow.transforms.checking import check
from dimflow.transforms.checkpoints import checkpoint
from dimflow.transforms.clipping import (
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    global_norm,
)
from dimflow.transforms.control import cond, fori_loop, map, scan, switch, while_loop  # noqa: A004
from dimflow.transforms.custom import custom_gradient
from dimflow.transforms.derivatives import grad, jvp, linearize, value_and_grad, vjp
from dimflow.transforms.duals import DualNumber
from dimflow.transforms.fields import curl, divergence, laplacian
from dimflow.transforms.gradient_checks import check_grads
from dimflow.transforms.jacobians import hessian, hvp, jacobian, nth_derivative
from dimflow.transforms.location import Location
from dimflow.transforms.nan_watch import nan_watch
from dimflow.transforms.silence import enable_grad, is_grad_enabled, no_grad
from dimflow.transforms.spec import Spec
from dimflow.transforms.tapes import GradientTape

__all__ = [
    "cond",
    "fori_loop",
    "map",
    "scan",
    "switch",
    "while_loop",
    "Location",
    "Spec",
    "check",
    "checked",
    "checkpoint",
    "custom_gradient",
    "grad",
    "jvp",
    "linearize",
    "value_and_grad",
    "vjp",
    "curl",
    "divergence",
    "laplacian",
    "hessian",
    "hvp",
    "jacobian",
    "nth_derivative",
    "vmap",
    "DualNumber",
    "GradientTape",
    "check_grads",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "enable_grad",
    "global_norm",
    "is_grad_enabled",
    "nan_watch",
    "no_grad",
]
