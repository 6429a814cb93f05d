"""DualNumber: a value that carries along how it changes."""

from functools import cache
from math import floor
from typing import Any, Self

from dimflow import ops
from dimflow.array.conversion import as_unit
from dimflow.array.dimarray import DimArray, wrap
from dimflow.autodiff.carrier import Carrier, alive
from dimflow.autodiff.forward import Dual, Forward
from dimflow.autodiff.rules import zeros_for
from dimflow.backends import backend_of
from dimflow.errors import NotANumber, ShapeMismatch
from dimflow.ops.rules.dtypes import kind_of
from dimflow.transforms.calls import KINDS, difference, in_unit, leaf_of
from dimflow.units import Unit


class _Differentials(Forward):
    """A trace that is never over: all dual numbers of one depth move together."""

    __slots__ = ()

    hint = "take what you mean: x.value or x.derivative"


@cache
def _differentials(beneath: float) -> _Differentials:
    """The trace of numbers around values of another: above that one, below all that are newer."""
    return _Differentials((beneath + floor(beneath) + 1) / 2)


class DualNumber(DimArray):
    """A quantity x and its change dx, which every operation carries along by the chain rule.

        t = DualNumber(2.0 * units.s, 1.0 * units.s)   # or DualNumber.seed(2.0 * units.s)
        fall = 0.5 * g * t**2
        speed = fall.derivative / t.derivative         # in m/s

    It is an array like any: operators, dimflow's functions and NumPy's take it, beside plain arrays
    and numbers, which do not change. Comparisons go by the value. The derivative is in the unit of
    the value's differences. A dual number of dual numbers has second derivatives.
    """

    __slots__ = ()

    def __init__(self, value: Any, derivative: Any = 0, unit: Unit | str | None = None) -> None:
        leaf = leaf_of("DualNumber", value, "")
        raw, own = leaf.raw, leaf.unit
        if unit is not None:
            target = as_unit(unit)
            own = target if leaf.is_bare else own
            raw = in_unit("DualNumber", leaf._replace(unit=own), target, "a value")
            own = target
        raw = raw if isinstance(raw, Carrier) else backend_of(raw).asarray(raw)
        if kind_of(raw) not in "fc":
            if kind_of(raw) == "b":
                raise NotANumber("DualNumber", KINDS["b"])
            raw = ops.astype(raw, "float64")
        self._raw = _differentials(_level(raw)).dual(raw, _tangent(raw, own, derivative))
        self._unit = own

    @classmethod
    def seed(cls, value: Any, unit: Unit | str | None = None) -> Self:
        """The value as what others are differentiated by: each element changes by one unit."""
        made = cls(value, 0, unit)
        made._raw.tangent = ops.ones_like(made._raw.value)
        return made

    @property
    def value(self) -> Any:
        """The quantity itself, that does not change; within `jvp` the numbers, as of any array."""
        raw = alive(self._raw)
        if type(raw) is Dual and not isinstance(raw.trace, _Differentials):
            return self._numbers(self._raw)
        return self._primal

    @property
    def _primal(self) -> Any:
        raw = alive(self._raw)
        return wrap(raw.value if type(raw) is Dual else raw, self._unit)

    @property
    def derivative(self) -> Any:
        """How it changes, in the unit of its differences."""
        raw = alive(self._raw)
        tangent = raw.tangent if type(raw) is Dual else zeros_for(raw)
        return wrap(tangent, difference(self._unit))

    def detach(self) -> Any:
        """The value as a plain array."""
        return self._primal.detach()

    def __repr__(self) -> str:
        return f"DualNumber({self._primal!r}, {self.derivative!r})"

    def __str__(self) -> str:
        return f"{self._primal} + ε {self.derivative}"

    def __format__(self, spec: str) -> str:
        return f"{format(self._primal, spec)} + ε {format(self.derivative, spec)}"


def _level(raw: Any) -> float:
    """The newest trace that follows a value; below all, if none does."""
    level = -1.0
    while isinstance(raw, Carrier):
        level = max(level, raw.trace.level)
        raw = raw.value
    return level


def _tangent(raw: Any, unit: Unit, derivative: Any) -> Any:
    """A change in the unit of a value's differences, of its shape and dtype."""
    if isinstance(derivative, (int, float)) and derivative == 0:
        return zeros_for(raw)
    leaf = leaf_of("DualNumber", derivative, "")
    number = in_unit("DualNumber", leaf, difference(unit), "a derivative")
    if not isinstance(number, Carrier):
        number = backend_of(raw).beneath(raw).asarray(number, dtype=raw.dtype)
    if tuple(number.shape) != tuple(raw.shape):
        wanted = f"a derivative of the value's shape {tuple(raw.shape)}"
        raise ShapeMismatch("DualNumber", wanted, tuple(number.shape))
    return number
