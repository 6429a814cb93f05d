"""Conversions of a DimArray: to other units, dtypes, libraries and to plain Python."""

import operator
from typing import Any, Final, Self

import numpy as np

from dimflow.array.core import Core, is_followed
from dimflow.array.holes import visible
from dimflow.backends import backend, backend_of
from dimflow.backends.reading import note_read, refused, unstoppable
from dimflow.errors import NotANumber, UnitError
from dimflow.ops.rules.convert import Converter, checked_converter
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit

_LIMIT = 1 << 12
_converters: dict[tuple[int, int], Converter | None] = {}
_missing: Final = object()


def find_converter(source: Unit, target: Unit) -> Converter | None:
    """How raw values become those in another unit; kept, since `.to` is called often."""
    key = source._serial, target._serial
    known: Any = _converters.get(key, _missing)
    if known is not _missing:
        return known  # type: ignore[no-any-return]
    if len(_converters) >= _LIMIT:
        _converters.clear()
    found = _converters[key] = checked_converter(source, target)
    return found


def as_unit(given: Any) -> Unit:
    """What is given as a unit: ours, a text, or a unit of pint, astropy or unyt."""
    if isinstance(given, str):
        return Unit(given)
    if isinstance(given, Core):
        text = f"{given._raw} {given._unit}" if given.shape == () else str(given._unit)
        raise UnitError("a unit is asked for, but got a DimArray", f"write Unit({text!r})")
    from dimflow.array.peers import unit_from

    return unit_from(given)


class Conversions(Core):
    """Other units, other dtypes, other libraries."""

    __slots__ = ()

    def to(self, unit: Unit | str, via: Any = None, *, copy: bool = True) -> Self:
        """The same quantities in another unit: `x.to("km/h")`.

        `via` names an equivalency (`"spectral"`), or is one, or a list of them. With `copy=False`
        an array that is in that unit already is not copied.
        """
        target = unit if type(unit) is Unit else as_unit(unit)
        if via is None:
            convert = find_converter(self._unit, target)
        else:
            convert = checked_converter(self._unit, target, via)
        raw = self._raw
        if convert is not None:
            raw = convert(raw)
        elif copy:
            raw = backend_of(raw).copy(raw)
        return self._like(raw, target)

    def to_value(self, unit: Unit | str | None = None, via: Any = None) -> Any:
        """The raw numbers in a unit; in the array's own without one (then without a copy)."""
        return self._numbers(self._raw if unit is None else self.to(unit, via, copy=False)._raw)

    def m_as(self, unit: Unit | str) -> Any:
        """The raw numbers in a unit, under pint's name."""
        return self.to_value(unit)

    def to_pint(self, registry: Any = None) -> Any:
        """As a quantity of pint, in pint's application registry or in another."""
        from dimflow.array.peers import peer_named, write

        return write(self, peer_named("pint").within(registry))

    def to_astropy(self) -> Any:
        """As a quantity of astropy."""
        from dimflow.array.peers import peer_named, write

        return write(self, peer_named("astropy"))

    def to_unyt(self) -> Any:
        """As a quantity of unyt."""
        from dimflow.array.peers import peer_named, write

        return write(self, peer_named("unyt"))

    def to_pandas(self, index: Any = None, name: Any = None) -> Any:
        """As a Series of pandas, of the dtype `dimflow[...]`."""
        from importlib import import_module

        return import_module("dimflow.pandas").series(self, index, name)

    def to_base_units(self) -> Self:
        """In the coherent SI unit, spelled in base units."""
        return self.to(self._unit.to_base())

    @property
    def si(self) -> Self:
        """In the SI unit: km/h in m/s, eV in J, °C in K."""
        return self.in_system("SI")

    def to_compact(self) -> Self:
        """With the prefix that brings the largest number between 1 and 1000: 3000 m in 3 km."""
        from dimflow.units.compact import compact

        numbers = np.abs(self.to_numpy())
        finite = numbers[np.isfinite(numbers)]
        return self.to(compact(self._unit, float(finite.max()))) if finite.size else self.copy()

    def in_system(self, system: Any) -> Self:
        """In the unit that a system (its name or a `UnitSystem`) has for this one: 'CGS', 'SI'."""
        return self.to(self._unit.in_system(system))

    def simplified(self) -> Self:
        """In an equal unit of fewer symbols: J/m -> N, km/m -> a pure number."""
        unit = self._unit.simplified()
        return self.to(unit if unit.atoms else PURE)

    def astype(self, dtype: Any, *, unit: Unit | str | None = None, copy: bool = True) -> Self:
        """With another dtype. Integers need `unit=`, since what is cut off depends on it."""
        from dimflow import ops

        source: Any = self if unit is None else self.to(unit, copy=False)
        return ops.astype(source, dtype, unit=unit, copy=copy)  # type: ignore[no-any-return]

    def copy(self) -> Self:
        """A copy that shares nothing with this array."""
        return self._like(backend_of(self._raw).copy(self._raw), self._unit)

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Any:
        if backend_of(self._raw).follows and self.is_leaf:  # type: ignore[attr-defined]
            from dimflow.array.leaves import deep_copied

            return deep_copied(self)
        return self.copy()

    def detach(self) -> Self:
        """The same values without the record of how they came about."""
        made = self._like(backend_of(self._raw).detach(self._raw), self._unit)
        if is_followed(self):
            from dimflow.array.guises import settle_class

            settle_class(made)
        return made

    def to_backend(self, name: str, *, device: Any = None, copy: bool | None = None) -> Any:
        """The same values as an array of another library: `x.to_backend("torch")`.

        The memory is shared where both libraries can, and neither could then change what the other
        takes for immutable (NumPy and PyTorch share; PyTorch and JAX do not). `copy=False` shares
        or fails, `copy=True` never shares.
        """
        from dimflow.array.dimarray import wrap

        target, source = backend(name), backend_of(self._raw)
        if target is not source:
            return wrap(target.take(self._raw, source, device, copy), self._unit)
        if device is None and not copy:
            return self
        return self._like(target.asarray(self._raw, device=device, copy=copy), self._unit)

    def to_device(self, device: Any, *, stream: Any = None) -> Self:
        """The same values on another device of the same library: `x.to_device("cuda:0")`."""
        if stream is not None:
            raise UnitError("to_device takes no stream", "copy within the library's own stream")
        raw = backend_of(self._raw).asarray(self._raw, device=device)
        return self._like(raw, self._unit)

    def to_numpy(self, unit: Unit | str | None = None) -> Any:
        """The numbers as a NumPy array, in the array's own unit or in another."""
        raw = self._raw if unit is None else self.to(unit, copy=False)._raw
        note_read("x.to_numpy()")
        return backend_of(raw).to_numpy(raw)

    def item(self, *index: int) -> Any:
        """The one element, or that at an index, as a Python number in the array's unit."""
        if is_followed(self):  # which refuses, by this name
            return self._raw.item(*index)
        return visible(self.to_numpy(), "x.item()", *index).item(*index)

    def tolist(self) -> Any:
        """The numbers as nested lists, in the array's unit."""
        return self._raw.tolist() if is_followed(self) else self.to_numpy().tolist()

    # To a plain number, if that loses no unit

    def _real(self, operation: str, advice: str = "") -> Any:
        """The pure numbers, if they are real: NumPy's complex scalars would lose a part."""
        raw = visible(self._pure(operation, advice), operation)
        if isinstance(raw, np.complexfloating):
            raise NotANumber(operation, f"{raw.dtype} (take x.real or abs(x) first)")
        return raw

    def __float__(self) -> float:
        advice = "; NumPy's functions, such as hypot and isclose, take quantities"
        return float(self._real("float(x)", advice))

    def __int__(self) -> int:
        return int(self._real("int(x)"))

    def __complex__(self) -> complex:
        library = unstoppable.get()
        if library is not None and library.asks_complex:
            raise refused("complex(x)")
        return complex(visible(self._pure("complex(x)"), "complex(x)"))

    def __index__(self) -> int:
        return operator.index(visible(self._pure("index(x)"), "index(x)"))

    def __trunc__(self) -> int:
        return int(self._real("math.trunc(x)"))

    def as_integer_ratio(self) -> tuple[int, int]:
        """One pure number as a fraction in lowest terms, for which `statistics` asks."""
        self._real("x.as_integer_ratio()")
        ratio: tuple[int, int] = self.to(PURE).item().as_integer_ratio()
        return ratio

    def __bool__(self) -> bool:
        if self._unit.law is not None:
            from dimflow.errors import PointError

            raise PointError("bool(x)", self._unit, "compare with a point of the same kind")
        return bool(visible(self._raw, "bool(x)"))

    def __round__(self, digits: int | None = None) -> Any:
        from dimflow import ops

        return ops.round(self, decimals=digits or 0)
