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

if TYPE_CHECKING:
    from dimflow import constants, errors, units
    from dimflow.array import DimArray
    from dimflow.transforms import (
        DualNumber,
        GradientTape,
        check,
        check_grads,
        checked,
        checkpoint,
        clip_by_global_norm,
        clip_by_norm,
        clip_by_value,
        cond,
        curl,
        custom_gradient,
        divergence,
        enable_grad,
        fori_loop,
        global_norm,
        grad,
        hessian,
        hvp,
        is_grad_enabled,
        jacobian,
        jvp,
        laplacian,
        linearize,
        nan_watch,
        no_grad,
        nth_derivative,
        scan,
        switch,
        value_and_grad,
        vjp,
        vmap,
        while_loop,
    )
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
    "DualNumber": "dimflow.transforms",
    "GradientTape": "dimflow.transforms",
    "check_grads": "dimflow.transforms",
    "clip_by_global_norm": "dimflow.transforms",
    "clip_by_norm": "dimflow.transforms",
    "clip_by_value": "dimflow.transforms",
    "enable_grad": "dimflow.transforms",
    "global_norm": "dimflow.transforms",
    "is_grad_enabled": "dimflow.transforms",
    "nan_watch": "dimflow.transforms",
    "no_grad": "dimflow.transforms",
    "check": "dimflow.transforms",
    "checked": "dimflow.transforms",
    "checkpoint": "dimflow.transforms",
    "custom_gradient": "dimflow.transforms",
    "grad": "dimflow.transforms",
    "jvp": "dimflow.transforms",
    "linearize": "dimflow.transforms",
    "value_and_grad": "dimflow.transforms",
    "vjp": "dimflow.transforms",
    "cond": "dimflow.transforms",
    "fori_loop": "dimflow.transforms",
    "map": "dimflow.transforms",
    "scan": "dimflow.transforms",
    "switch": "dimflow.transforms",
    "while_loop": "dimflow.transforms",
    "curl": "dimflow.transforms",
    "divergence": "dimflow.transforms",
    "laplacian": "dimflow.transforms",
    "hessian": "dimflow.transforms",
    "hvp": "dimflow.transforms",
    "jacobian": "dimflow.transforms",
    "nth_derivative": "dimflow.transforms",
    "vmap": "dimflow.transforms",
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
    "DimArray",
    "Dimension",
    "Unit",
    "__version__",
    "check",
    "checked",
    "checkpoint",
    "cond",
    "constants",
    "curl",
    "custom_gradient",
    "divergence",
    "errors",
    "fori_loop",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "laplacian",
    "linearize",
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
