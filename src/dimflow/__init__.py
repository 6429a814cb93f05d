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
    from dimflow.transforms import check, checked, grad, jvp, linearize, value_and_grad, vjp
    from dimflow.units import Dimension, Unit

_MODULES = {
    "backends",
    "constants",
    "errors",
    "fft",
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
    "check": "dimflow.transforms",
    "checked": "dimflow.transforms",
    "grad": "dimflow.transforms",
    "jvp": "dimflow.transforms",
    "linearize": "dimflow.transforms",
    "value_and_grad": "dimflow.transforms",
    "vjp": "dimflow.transforms",
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
    "DimArray",
    "Dimension",
    "Unit",
    "__version__",
    "check",
    "checked",
    "constants",
    "errors",
    "grad",
    "jvp",
    "linearize",
    "units",
    "value_and_grad",
    "vjp",
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
