"""dimflow: tensors that know their physics.

    from dimflow import DimArray, units as u
    m, v = DimArray([1.0, 2.0], u.kg), DimArray([3.0, 4.0], u.m / u.s)
    energy = (0.5 * m * v**2).to(u.kJ)

Every operation of the table is a function here, under its array-API name and under NumPy's:
`dimflow.hypot`, `dimflow.concat`, `dimflow.concatenate`. Names arrive when they are first used:
importing dimflow imports nothing else.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dimflow.arrival import when_imported as _when_imported

if TYPE_CHECKING:
    from dimflow import constants, errors, units
    from dimflow.array import DimArray
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
    from dimflow.transforms.control import cond, fori_loop, scan, switch, while_loop
    from dimflow.transforms.custom import custom_gradient
    from dimflow.transforms.derivatives import grad, jvp, linearize, value_and_grad, vjp
    from dimflow.transforms.duals import DualNumber
    from dimflow.transforms.fields import curl, divergence, laplacian
    from dimflow.transforms.gradient_checks import check_grads
    from dimflow.transforms.jacobians import hessian, hvp, jacobian, nth_derivative
    from dimflow.transforms.nan_watches import nan_watch
    from dimflow.transforms.silence import enable_grad, is_grad_enabled, no_grad
    from dimflow.transforms.tapes import GradientTape
    from dimflow.units import Dimension, Unit

_MODULES = {
    "backends",
    "constants",
    "errors",
    "fft",
    "implicit",
    "io",
    "jax",
    "linalg",
    "mlx",
    "ops",
    "pandas",
    "plotting",
    "random",
    "special",
    "testing",
    "torch",
    "typing",
    "units",
    "xarray",
    "xp",
}
_NAMES = {
    "check": "dimflow.transforms.checking",
    "check_grads": "dimflow.transforms.gradient_checks",
    "checked": "dimflow.transforms.checked_functions",
    "checkpoint": "dimflow.transforms.checkpoints",
    "clip_by_global_norm": "dimflow.transforms.clipping",
    "clip_by_norm": "dimflow.transforms.clipping",
    "clip_by_value": "dimflow.transforms.clipping",
    "cond": "dimflow.transforms.control",
    "curl": "dimflow.transforms.fields",
    "custom_gradient": "dimflow.transforms.custom",
    "divergence": "dimflow.transforms.fields",
    "DualNumber": "dimflow.transforms.duals",
    "enable_grad": "dimflow.transforms.silence",
    "fori_loop": "dimflow.transforms.control",
    "global_norm": "dimflow.transforms.clipping",
    "grad": "dimflow.transforms.derivatives",
    "GradientTape": "dimflow.transforms.tapes",
    "hessian": "dimflow.transforms.jacobians",
    "hvp": "dimflow.transforms.jacobians",
    "is_grad_enabled": "dimflow.transforms.silence",
    "jacobian": "dimflow.transforms.jacobians",
    "jvp": "dimflow.transforms.derivatives",
    "laplacian": "dimflow.transforms.fields",
    "linearize": "dimflow.transforms.derivatives",
    "map": "dimflow.transforms.control",
    "nan_watch": "dimflow.transforms.nan_watches",
    "no_grad": "dimflow.transforms.silence",
    "nth_derivative": "dimflow.transforms.jacobians",
    "scan": "dimflow.transforms.control",
    "switch": "dimflow.transforms.control",
    "value_and_grad": "dimflow.transforms.derivatives",
    "vjp": "dimflow.transforms.derivatives",
    "vmap": "dimflow.transforms.batching",
    "while_loop": "dimflow.transforms.control",
    "Dimension": "dimflow.units",
    "Unit": "dimflow.units",
    "Device": "dimflow.backends",
    "devices": "dimflow.backends",
    "DimArray": "dimflow.array",
    "display": "dimflow.array.display",
    "restore_on": "dimflow.array.persistence",
    "from_csv": "dimflow.io",
    "load": "dimflow.io",
    "loadtxt": "dimflow.io",
    "save": "dimflow.io",
    "savetxt": "dimflow.io",
    "to_csv": "dimflow.io",
    "arange": "dimflow.array.factories",
    "asarray": "dimflow.array.factories",
    "convert_to_tensor": "dimflow.array.factories",
    "empty": "dimflow.array.factories",
    "eye": "dimflow.array.factories",
    "from_dlpack": "dimflow.array.factories",
    "fromfunction": "dimflow.array.factories",
    "full": "dimflow.array.factories",
    "geomspace": "dimflow.array.factories",
    "identity": "dimflow.array.factories",
    "linspace": "dimflow.array.factories",
    "logspace": "dimflow.array.factories",
    "ones": "dimflow.array.factories",
    "quantity": "dimflow.array.factories",
    "tri": "dimflow.array.factories",
    "zeros": "dimflow.array.factories",
    "broadcast_shapes": "dimflow.xp",
    "can_cast": "dimflow.xp",
    "e": "dimflow.xp",
    "finfo": "dimflow.xp",
    "iinfo": "dimflow.xp",
    "inf": "dimflow.xp",
    "isdtype": "dimflow.xp",
    "nan": "dimflow.xp",
    "newaxis": "dimflow.xp",
    "pi": "dimflow.xp",
    "result_type": "dimflow.xp",
}

__all__ = [
    "DimArray",
    "Dimension",
    "DualNumber",
    "GradientTape",
    "Unit",
    "__version__",
    "check",
    "check_grads",
    "checked",
    "checkpoint",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "cond",
    "constants",
    "curl",
    "custom_gradient",
    "divergence",
    "enable_grad",
    "errors",
    "fori_loop",
    "global_norm",
    "grad",
    "hessian",
    "hvp",
    "is_grad_enabled",
    "jacobian",
    "jvp",
    "laplacian",
    "linearize",
    "nan_watch",
    "no_grad",
    "nth_derivative",
    "scan",
    "switch",
    "units",
    "value_and_grad",
    "vjp",
    "vmap",
    "while_loop",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = import_module(f"dimflow.{name}")
    elif name in _NAMES:
        value = getattr(import_module(_NAMES[name]), name)
    elif name == "__version__":
        from importlib.metadata import version

        value = version("dimflow")
    elif name.startswith("_") or name not in _functions():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        value = _functions()[name]
    globals()[name] = value
    return value


def _functions() -> dict[str, Any]:
    """The operations of the table that have no module of their own."""
    from dimflow.ops.namespace import names

    import_module("dimflow.array")  # ops then run on arrays with units
    return names("")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, *_NAMES, *_functions()})


# Files, columns and products with units work in whatever process imports dimflow, before it has
# an array of its own: `torch.load`, `pd.read_parquet`, `dataset.dimflow`, `data_array * units.s`
_when_imported("torch", lambda: import_module("dimflow.files_of_torch").allow())
_when_imported("matplotlib.units", lambda: import_module("dimflow.plotting"))
_when_imported("jax", lambda: import_module("dimflow.jax"))
_when_imported("pandas", lambda: import_module("dimflow.pandas"))
_when_imported("xarray", lambda: import_module("dimflow.xarray"))
for _name in ("pint.registry", "astropy.units.quantity", "unyt.array"):
    _when_imported(_name, lambda: import_module("dimflow.array.peers.meeting").meet())
