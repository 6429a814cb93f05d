"""One constant: a value with a unit and an uncertainty, and the name it is known by."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, final

if TYPE_CHECKING:
    from fractions import Fraction

    from dimflow.units import Unit

# What Python looks up on the class of an operand. All else goes through `__getattr__`.
_OPERATORS = "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift"
_OTHERS = (
    "lt le gt ge eq ne neg pos abs invert float int complex index bool round len iter contains "
    "getitem setitem array_ufunc array_function"
)


def _forwarded(name: str) -> Callable[..., Any]:
    def method(self: "Constant", *args: Any, **kwargs: Any) -> Any:
        return getattr(self._quantity(), name)(*args, **kwargs)

    method.__name__ = name
    return method


@final
class Constant:
    """A constant of nature or of convention, as its source gives it.

    It behaves as an array of no axes with a unit: every attribute, operator and function of arrays
    works on it, and `isinstance(constant, DimArray)` is true. It never changes. There is one object
    for each constant, and a pickle comes back as the same object.

    `uncertainty` is the standard uncertainty in the same unit: 0.0 where `exact`, and nan where
    the source gives none. `exact_value` is a Fraction where the value is exact and rational, else
    None. `definition` is the expression that an exact or derived value was computed from.
    """

    __slots__ = (
        "__weakref__",
        "_digits",
        "_parsed",
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
    __array_priority__ = 1000
    __pandas_priority__ = 5000  # above DataFrame: `series * constant` comes to us
    _repr_html_ = _repr_latex_ = None  # a notebook shows the name and the source

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
    _parsed: "Unit | None"

    def __init__(self, *, unit: str, digits: tuple[str, str], **fields: Any) -> None:
        # Only the table makes constants: another would not survive a pickle.
        for field, content in fields.items():
            object.__setattr__(self, field, content)
        object.__setattr__(self, "_digits", digits)
        object.__setattr__(self, "_unit_text", unit)
        object.__setattr__(self, "_parsed", None)

    @property
    def unit(self) -> "Unit":
        """The unit of the value, parsed when first asked for."""
        if self._parsed is None:
            # By the built-in table: a name that the user gave a new meaning has none here.
            from dimflow.units.tables import builtin

            object.__setattr__(self, "_parsed", builtin.parse(self._unit_text))
        assert self._parsed is not None
        return self._parsed

    @property
    def relative_uncertainty(self) -> float:
        """The standard uncertainty over the size of the value."""
        return self.uncertainty / abs(self.value)

    def to(self, unit: "Unit | str", via: Any = None, *, copy: bool = True) -> Any:  # noqa: ARG002
        """In another unit, as an array, from all digits; `via` as in `dimflow.units.convert`."""
        from fractions import Fraction

        from dimflow.units import convert

        made = self._quantity().to(unit, via)
        number = self.exact_value or Fraction(repr(self.value))  # decimal digits, not the double
        exact = float(convert(number, self.unit, made.unit, via))
        return made._like(made.dtype.type(exact), made.unit)

    def to_value(self, unit: "Unit | str | None" = None, via: Any = None) -> Any:
        """The number in a unit, from all digits; in the constant's own unit without one."""
        return (self._quantity() if unit is None else self.to(unit, via))._raw

    def __str__(self) -> str:
        return f"{concise(*self._digits)} {self.unit}".rstrip()

    def __repr__(self) -> str:
        called = f"{self.name} {self.symbol}".rstrip()
        return f"<Constant {called} = {self}{' (exact)' if self.exact else ''}, {self.source}>"

    def __format__(self, spec: str) -> str:
        return format(self._quantity(), spec) if spec else str(self)

    def __hash__(self) -> int:
        return hash(self.unit.dimension)  # equal quantities hash alike, whatever their units

    def __copy__(self) -> "Constant":
        return self

    def __deepcopy__(self, memo: object) -> "Constant":
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a constant does not change: {self.name}", name=name, obj=self)

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a constant does not change: {self.name}", name=name, obj=self)

    def __reduce__(self) -> tuple[Any, ...]:
        from dimflow.constants import get

        return get, (self.name,)

    def _quantity(self) -> Any:
        """This constant as an array of no axes: a new one each time, since arrays may change."""
        return (self.value * self.unit)[()]

    if not TYPE_CHECKING:

        @property
        def __class__(self) -> type:
            """What `isinstance` asks, so that whatever takes a DimArray takes a constant."""
            module = sys.modules.get("dimflow.array.dimarray")
            return getattr(module, "DimArray", Constant)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._quantity(), name)

        for _name in (*_OTHERS.split(), *_OPERATORS.split()):
            locals()[f"__{_name}__"] = _forwarded(f"__{_name}__")
        for _name in _OPERATORS.split():
            locals()[f"__r{_name}__"] = _forwarded(f"__r{_name}__")
        del _name


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
