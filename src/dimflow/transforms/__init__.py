"""What users apply to functions of arrays: check, checked, grad and its kin."""

from dimflow.transforms.checked_functions import checked
from dimflow.transforms.checking import check
from dimflow.transforms.derivatives import grad, jvp, linearize, value_and_grad, vjp
from dimflow.transforms.location import Location
from dimflow.transforms.spec import Spec

__all__ = [
    "Location",
    "Spec",
    "check",
    "checked",
    "grad",
    "jvp",
    "linearize",
    "value_and_grad",
    "vjp",
]
