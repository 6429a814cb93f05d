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
    from dimflow.transforms import check, checked
    from dimflow.units import Dimension, Unit

_MODULES = {
    "constants",
    "errors",
    "fft",
    "io",
    "linalg",
    "ops",
    "plotting",
    "random",
    "special",
    "testing",
    "typing",
    "units",
}
_NAMES = {
    "check": "dimflow.transforms",
    "checked": "dimflow.transforms",
    "Dimension": "dimflow.units",
    "Unit": "dimflow.units",
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
    "units",
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
