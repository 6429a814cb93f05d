"""What a DimArray holds, and what can be read from it. The parts of the class build on this."""

from typing import Any, Self

from dimflow.backends import Device, backend_of
from dimflow.errors import UnitLossError
from dimflow.ops.dispatch import followed
from dimflow.ops.rules.convert import converter
from dimflow.ops.rules.units import BARE, PURE
from dimflow.units import Dimension, Unit
from dimflow.units.alike import is_number

_new = object.__new__


class Core:
    """A raw array and a unit."""

    __slots__ = ("__weakref__", "_raw", "_unit")

    _raw: Any
    _unit: Unit

    def _like(self, raw: Any, unit: Unit) -> Self:
        """An array of this class: nothing is checked or copied."""
        result = _new(type(self))
        result._raw = raw
        result._unit = unit
        return result

    def _adopted(self) -> None:
        """Called on an array that was made as a DimArray and became one of its library's class."""

    def _pure(self, operation: str, advice: str = "") -> Any:
        """The raw numbers of an array of pure numbers; an error that names the operation if not."""
        unit = self._unit
        if not is_number(unit):
            error = UnitLossError(operation, unit)
            error.hint = f"{error.hint}{advice}"
            raise error
        convert = converter(unit, PURE)
        return self._raw if convert is None else convert(self._raw)

    def _parameter(self, name: str, function: str) -> Any:
        """The numbers of a parameter that has no unit; the choice of one would make none of it."""
        try:
            return self._pure(f"{name}= of {function}")
        except UnitLossError as error:
            error.hint = (
                f"it is a pure number: divide by a quantity of {self._unit.dimension} first"
            )
            if name in ("rcond", "rtol"):
                error.hint += ", such as the largest singular value np.linalg.norm(A, 2)"
            raise

    def _numbers(self, raw: Any) -> Any:
        """Raw numbers as users get them. A tracer of our engine keeps a class that NumPy's
        functions know.
        """
        return self._like(raw, BARE) if type(raw) in followed else raw

    @property
    def data(self) -> Any:
        """The raw array: the numbers in this array's unit."""
        return self._numbers(self._raw)

    @property
    def magnitude(self) -> Any:
        """The raw array, under pint's name."""
        return self._numbers(self._raw)

    @property
    def m(self) -> Any:
        """The raw array, under pint's short name."""
        return self._numbers(self._raw)

    @property
    def value(self) -> Any:
        """The raw array, under astropy's and unyt's name."""
        return self._numbers(self._raw)

    @property
    def unit(self) -> Unit:
        """The unit."""
        return self._unit

    @property
    def units(self) -> Unit:
        """The unit, under pint's name."""
        return self._unit

    @property
    def dimension(self) -> Dimension:
        """The dimension of the unit."""
        return self._unit.dimension

    @property
    def is_dimensionless(self) -> bool:
        """Whether these are pure numbers, scaled ones such as percent included."""
        return self._unit.dimension.is_dimensionless

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(getattr(self._raw, "shape", ()))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        size = 1
        for n in self.shape:
            size *= n
        return size

    @property
    def dtype(self) -> Any:
        """The dtype, as the array's library names it."""
        return backend_of(self._raw).dtype(self._raw)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def device(self) -> Device:
        """Where the raw array lives."""
        library = backend_of(self._raw)
        return Device(library.device(self._raw), library.beneath(self._raw).name)

    @property
    def backend(self) -> str:
        """The name of the raw array's library."""
        return backend_of(self._raw).beneath(self._raw).name


def is_followed(value: Any) -> bool:
    """Whether a trace follows the value, or did: it is then a carrier within."""
    return type(value._raw if isinstance(value, Core) else value) in followed
