"""Dtypes in the standard's form: those of one library, and what can be asked of them."""

from typing import Any, NamedTuple

from dimflow.array.core import Core
from dimflow.backends import Backend, Device

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
NAMES = ("bool", *_INTEGERS, "float32", "float64", "complex64", "complex128")


class FloatInfo(NamedTuple):
    """The limits of a floating-point dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


class IntegerInfo(NamedTuple):
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: Any


class Dtypes:
    """The standard's functions of dtypes, bound to a library; an array stands for its dtype."""

    def __init__(self, library: Backend) -> None:
        self._library = library
        self._namespace = library.namespace

    def can_cast(self, from_: Any, to: Any, /) -> bool:
        """Whether one dtype goes into another by the standard's rules of promotion."""
        return bool(self._namespace.can_cast(_dtype(from_), to))

    def finfo(self, type: Any, /) -> FloatInfo:
        """The limits of a floating-point dtype; of a complex one, those of its parts."""
        info = self._namespace.finfo(_dtype(type))
        return FloatInfo(
            bits=int(info.bits),
            eps=float(info.eps),
            max=float(info.max),
            min=float(info.min),
            smallest_normal=float(info.smallest_normal),
            dtype=self._library.as_dtype(info.dtype),
        )

    def iinfo(self, type: Any, /) -> IntegerInfo:
        """The limits of an integer dtype."""
        info = self._namespace.iinfo(_dtype(type))
        high, low = int(info.max), int(info.min)
        dtype = self._library.as_dtype(_dtype(type))
        return IntegerInfo((high - low).bit_length(), high, low, dtype)

    def isdtype(self, dtype: Any, kind: Any) -> bool:
        """Whether a dtype is another, or of a kind such as "real floating", or one of several."""
        return bool(self._namespace.isdtype(dtype, kind))

    def result_type(self, *arrays_and_dtypes: Any) -> Any:
        """The dtype that arrays, dtypes and numbers meet in."""
        raws = [v._raw if isinstance(v, Core) else v for v in arrays_and_dtypes]
        return self._namespace.result_type(*raws)


def _dtype(value: Any) -> Any:
    """That of an array with a unit or without; a dtype is its own, also one that is a class."""
    return value if isinstance(value, type) else getattr(value, "dtype", value)


class Info:
    """What `__array_namespace_info__()` gives: what the library can do, where, with what dtypes."""

    def __init__(self, library: Backend) -> None:
        self._library = library
        self._info = library.namespace.__array_namespace_info__()

    def capabilities(self) -> dict[str, Any]:
        """Which optional parts of the standard there are."""
        return dict(self._info.capabilities())

    def default_device(self) -> Device | None:
        """Where new arrays live."""
        return next(iter(self.devices()), None)

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """The dtypes of new arrays, by kind."""
        return self._own(self._info.default_dtypes(device=self._library.native_device(device)))

    def devices(self) -> tuple[Device, ...]:
        """Where arrays may live."""
        return tuple(Device(name, self._library.name) for name in self._library.devices())

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """The dtypes by name, all or those of a kind."""
        place = self._library.native_device(device)
        return self._own(self._info.dtypes(device=place, kind=kind))

    def _own(self, dtypes: Any) -> dict[str, Any]:
        """Dtypes rather than classes of numbers, which NumPy lists among them."""
        return {name: self._library.as_dtype(dtype) for name, dtype in dtypes.items()}
