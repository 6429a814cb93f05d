"""One constant: a value with a unit and an uncertainty, and the name it is known by."""

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, final

if TYPE_CHECKING:
    from fractions import Fraction

    from dimflow.units import Unit


def _forward(operation: Callable[..., Any]) -> Callable[["Constant", Any], Any]:
    def method(self: "Constant", other: Any) -> Any:
        return operation(self._quantity(), other)

    return method


def _reflected(operation: Callable[..., Any]) -> Callable[["Constant", Any], Any]:
    def method(self: "Constant", other: Any) -> Any:
        return operation(other, self._quantity())

    return method


@final
class Constant:
    """A constant of nature or of convention, as its source gives it.

    There is one object for each, so `==` is identity and a pickle comes back as the same object.
    `uncertainty` is the standard uncertainty in the same unit: 0.0 where `exact`, and nan where
    the source gives none. `exact_value` is a Fraction where the value is exact and rational, else
    None. `definition` is the expression that an exact or derived value was computed from.
    """

    __slots__ = (
        "_digits",
        "_unit",
        "_unit_text",
        "aliases",
        "definition",
        "exact",
        "exact_value",
        "name",
        "source",
        "symbol",
        "uncertainty",
        "value",
    )
    __array_ufunc__: ClassVar[None] = None  # ndarray * constant comes to __rmul__

    name: str
    symbol: str
    value: float
    uncertainty: float
    exact: bool
    exact_value: "Fraction | None"
    definition: str
    source: str
    aliases: tuple[str, ...]
    _digits: tuple[str, str]
    _unit_text: str
    _unit: "Unit | None"

    def __init__(self, *, unit: str, digits: tuple[str, str], **fields: Any) -> None:
        # Only the table makes constants: another would not survive a pickle.
        for field, content in fields.items():
            object.__setattr__(self, field, content)
        object.__setattr__(self, "_digits", digits)
        object.__setattr__(self, "_unit_text", unit)
        object.__setattr__(self, "_unit", None)

    @property
    def unit(self) -> "Unit":
        """The unit of the value, parsed when first asked for."""
        if self._unit is None:
            # By the built-in table: a name that the user gave a new meaning has none here.
            from dimflow.units.tables import builtin

            object.__setattr__(self, "_unit", builtin.parse(self._unit_text))
        assert self._unit is not None
        return self._unit

    @property
    def relative_uncertainty(self) -> float:
        """The standard uncertainty over the size of the value."""
        return self.uncertainty / abs(self.value)

    def to(self, unit: "Unit | str", via: Any = None) -> float:
        """The value in another unit, from all its digits; `via` as in `dimflow.units.convert`."""
        from fractions import Fraction

        from dimflow.units import convert

        number = self.exact_value or Fraction(repr(self.value))  # decimal digits, not the double
        return float(convert(number, self.unit, unit, via))

    def __str__(self) -> str:
        return f"{concise(*self._digits)} {self.unit}".rstrip()

    def __repr__(self) -> str:
        called = f"{self.name} {self.symbol}".rstrip()
        return f"<Constant {called} = {self}{' (exact)' if self.exact else ''}, {self.source}>"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a constant does not change: {self.name}", name=name, obj=self)

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a constant does not change: {self.name}", name=name, obj=self)

    def __reduce__(self) -> tuple[Any, ...]:
        from dimflow.constants import get

        return get, (self.name,)

    def _quantity(self) -> Any:
        """This constant as an array of no axes."""
        return self.value * self.unit

    __mul__, __rmul__ = _forward(operator.mul), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _forward(operator.truediv), _reflected(operator.truediv)
    __add__, __radd__ = _forward(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _forward(operator.sub), _reflected(operator.sub)
    __pow__ = _forward(operator.pow)
    __lt__, __le__ = _forward(operator.lt), _forward(operator.le)
    __gt__, __ge__ = _forward(operator.gt), _forward(operator.ge)

    def __neg__(self) -> Any:
        return self * -1

    def __pos__(self) -> Any:
        return self * 1


def concise(value: str, uncertainty: str) -> str:
    """`6.67430(15)e-11`: the uncertainty in units of the last digits, the power of ten kept."""
    if not uncertainty:
        return value
    from decimal import Decimal

    _, e, power = value.partition("e")
    mantissa, sigma = (Decimal(text).scaleb(-int(power or 0)) for text in (value, uncertainty))
    finest = Decimal(1).scaleb(min(int(x.as_tuple().exponent) for x in (mantissa, sigma)))
    digits = f"{sigma.quantize(finest):f}" if sigma >= 1 else str(int(sigma / finest))
    return f"{mantissa.quantize(finest):f}({digits}){e}{power}"
