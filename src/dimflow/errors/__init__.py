"""Every error that dimflow raises on purpose: fields to read, a text that says how to mend it.

An error keeps what it was told as attributes (and as `args`, so that it pickles), and builds its
text only when somebody reads it.
"""

from dimflow.errors.arrays import (
    BackendMismatch,
    BackendNotInstalled,
    BlockMismatch,
    ComputationError,
    DerivativeMismatch,
    DeviceMismatch,
    DtypeMismatch,
    FileFormatError,
    InferenceError,
    MissingRule,
    NoDataError,
    OutOfMemory,
    ShapeMismatch,
    StructureMismatch,
    TracedValueError,
    UnsupportedFunction,
)
from dimflow.errors.root import DimflowError, UnitError
from dimflow.errors.units import (
    AnnotationError,
    DimensionError,
    NotANumber,
    PointError,
    PureNumberError,
    UndefinedConstantError,
    UndefinedDimensionError,
    UndefinedUnitError,
    UnitChoiceError,
    UnitConversionError,
    UnitCutError,
    UnitDefinitionError,
    UnitFormatError,
    UnitLossError,
    UnitParseError,
    UnitRangeError,
    WireFormatError,
)

__all__ = [
    "AnnotationError",
    "BackendMismatch",
    "BackendNotInstalled",
    "BlockMismatch",
    "ComputationError",
    "DerivativeMismatch",
    "DeviceMismatch",
    "DimensionError",
    "DimflowError",
    "DtypeMismatch",
    "FileFormatError",
    "InferenceError",
    "MissingRule",
    "NoDataError",
    "NotANumber",
    "OutOfMemory",
    "PointError",
    "PureNumberError",
    "ShapeMismatch",
    "StructureMismatch",
    "TracedValueError",
    "UndefinedConstantError",
    "UndefinedDimensionError",
    "UndefinedUnitError",
    "UnitConversionError",
    "UnitCutError",
    "UnitDefinitionError",
    "UnitChoiceError",
    "UnitError",
    "UnitFormatError",
    "UnitLossError",
    "UnitParseError",
    "UnitRangeError",
    "UnsupportedFunction",
    "WireFormatError",
]

# Tracebacks and pickles name the place where users find them.
for _name in __all__:
    globals()[_name].__module__ = __name__
