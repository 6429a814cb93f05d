"""The own engine: derivatives and batches of functions of raw arrays, by the rules of the table.

It works on the arrays of every library, names no op, and knows no units.
"""

from dimflow.autodiff.batch import vmap
from dimflow.autodiff.carrier import CARRIERS, Carrier, alive, innermost
from dimflow.autodiff.checkpoints import checkpoint
from dimflow.autodiff.custom import custom_call
from dimflow.autodiff.forward import jvp
from dimflow.autodiff.linearization import linearize
from dimflow.autodiff.reverse import vjp
from dimflow.autodiff.taylor import nth_derivatives

__all__ = [
    "CARRIERS",
    "Carrier",
    "alive",
    "checkpoint",
    "custom_call",
    "innermost",
    "jvp",
    "linearize",
    "nth_derivatives",
    "vjp",
    "vmap",
]
