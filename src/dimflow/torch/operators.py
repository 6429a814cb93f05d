"""Python's operators on tensors with units: the fast path of eager mode, and what is traced.

A product costs a lookup on two units, PyTorch's own product and one small object. What the lookup
does not know goes the way of every DimArray, and is known from then on. Under `torch.compile` no
memo may be read, since it grows: there `tracing` takes over.
"""

import operator
from collections.abc import Callable
from typing import Any

from dimflow import ops
from dimflow.array import DimArray
from dimflow.ops.dispatch import is_traced
from dimflow.torch import tracing
from dimflow.units import Unit

_new = object.__new__
_LIMIT = 1 << 12

# By the serials of two units: the unit of the result, where both meet as they are.
_Pairs = dict[tuple[int, int], Unit]
_products: _Pairs = {}
_quotients: _Pairs = {}
_powers: dict[tuple[int, float], Unit] = {}  # by the serial of a unit and an exponent
_product = _products.get
_power = _powers.get
_quotient = _quotients.get


def _learned(pairs: _Pairs, name: str, left: Any, right: Any, result: Any) -> Any:
    """The result; what its op has just planned is known from now on."""
    if type(right) is type(left):
        key = left._unit._serial, right._unit._serial
        plan = ops.get(name).plans.get(key)
        if plan is not None and plan.converters is None and type(plan.result) is Unit:
            if len(pairs) >= _LIMIT:
                pairs.clear()
            pairs[key] = plan.result
    return result


class Operators(DimArray):
    """The operators of a DimTensor. Each does what that of a DimArray does."""

    __slots__ = ()

    def __mul__(self, other: Any) -> Any:
        """The product."""
        if is_traced(0):
            return tracing.binary("multiply", operator.mul, self, other)
        kind = type(other)
        if kind is type(self):
            unit = _product((self._unit._serial, other._unit._serial))
            if unit is not None:
                array = _new(kind)
                array._raw = self._raw * other._raw
                array._unit = unit
                return array
        elif (kind is float or kind is int) and self._unit.key.law is None:
            array = _new(type(self))
            array._raw = self._raw * other
            array._unit = self._unit
            return array
        return _learned(_products, "multiply", self, other, DimArray.__mul__(self, other))

    def __rmul__(self, other: Any) -> Any:
        """The product, with the tensor on the right."""
        if is_traced(0):
            return tracing.binary("multiply", operator.mul, other, self)
        kind = type(other)
        if (kind is float or kind is int) and self._unit.key.law is None:
            array = _new(type(self))
            array._raw = other * self._raw
            array._unit = self._unit
            return array
        return DimArray.__rmul__(self, other)

    def __truediv__(self, other: Any) -> Any:
        """The quotient."""
        if is_traced(0):
            return tracing.binary("divide", operator.truediv, self, other)
        if type(other) is type(self):
            unit = _quotient((self._unit._serial, other._unit._serial))
            if unit is not None:
                array = _new(type(self))
                array._raw = self._raw / other._raw
                array._unit = unit
                return array
        return _learned(_quotients, "divide", self, other, DimArray.__truediv__(self, other))

    def __add__(self, other: Any) -> Any:
        """The sum. In one linear unit it needs no lookup."""
        if is_traced(0):
            return tracing.binary("add", operator.add, self, other)
        if type(other) is type(self):
            unit = self._unit
            if unit is other._unit and unit.key.law is None:
                array = _new(type(self))
                array._raw = self._raw + other._raw
                array._unit = unit
                return array
        return DimArray.__add__(self, other)

    def __sub__(self, other: Any) -> Any:
        """The difference. In one linear unit it needs no lookup."""
        if is_traced(0):
            return tracing.binary("subtract", operator.sub, self, other)
        if type(other) is type(self):
            unit = self._unit
            if unit is other._unit and unit.key.law is None:
                array = _new(type(self))
                array._raw = self._raw - other._raw
                array._unit = unit
                return array
        return DimArray.__sub__(self, other)

    def __pow__(self, exponent: Any, modulus: None = None) -> Any:
        """The array to a power, which is static unless the array holds pure numbers."""
        if is_traced(0):
            return tracing.raised(self, exponent)
        kind = type(exponent)
        if (kind is int or kind is float) and modulus is None:
            unit = _power((self._unit._serial, exponent))
            # torch has no fractions of integers
            if unit is not None and (exponent >= 0 or self._raw.is_floating_point()):
                array = _new(type(self))
                array._raw = self._raw**exponent
                array._unit = unit
                return array
            result = DimArray.__pow__(self, exponent)
            if not self._unit.dimension.is_dimensionless:  # those may be scaled, as percent is
                if len(_powers) >= _LIMIT:
                    _powers.clear()
                _powers[self._unit._serial, exponent] = result._unit
            return result
        return DimArray.__pow__(self, exponent, modulus)

    def __matmul__(self, other: Any) -> Any:
        """The matrix product."""
        if is_traced(0):
            return tracing.binary("matmul", operator.matmul, self, other)
        return DimArray.__matmul__(self, other)


def _binary(method: str, name: str, function: Callable[[Any, Any], Any]) -> Any:
    general = getattr(DimArray, method)

    def run(self: Any, other: Any) -> Any:
        if is_traced(0):
            return tracing.binary(name, function, self, other)
        return general(self, other)

    return run


def _reflected(method: str, name: str, function: Callable[[Any, Any], Any]) -> Any:
    general = getattr(DimArray, method)

    def run(self: Any, other: Any) -> Any:
        if is_traced(0):
            return tracing.binary(name, function, other, self)
        return general(self, other)

    return run


def _unary(method: str, name: str, function: Callable[[Any], Any]) -> Any:
    general = getattr(DimArray, method)

    def run(self: Any) -> Any:
        if is_traced(0):
            return tracing.unary(name, function, self)
        return general(self)

    return run


_BINARY: dict[str, tuple[str, Any]] = {
    "__floordiv__": ("floor_divide", operator.floordiv),
    "__mod__": ("remainder", operator.mod),
    "__lt__": ("less", operator.lt),
    "__le__": ("less_equal", operator.le),
    "__gt__": ("greater", operator.gt),
    "__ge__": ("greater_equal", operator.ge),
    "__eq__": ("equal", operator.eq),
    "__ne__": ("not_equal", operator.ne),
    "__and__": ("bitwise_and", operator.and_),
    "__or__": ("bitwise_or", operator.or_),
    "__xor__": ("bitwise_xor", operator.xor),
    "__lshift__": ("bitwise_left_shift", operator.lshift),
    "__rshift__": ("bitwise_right_shift", operator.rshift),
}
_REFLECTED: dict[str, tuple[str, Any]] = {
    "__radd__": ("add", operator.add),
    "__rsub__": ("subtract", operator.sub),
    "__rtruediv__": ("divide", operator.truediv),
    "__rfloordiv__": ("floor_divide", operator.floordiv),
    "__rmod__": ("remainder", operator.mod),
    "__rmatmul__": ("matmul", operator.matmul),
}
_UNARY: dict[str, tuple[str, Any]] = {
    "__neg__": ("negative", operator.neg),
    "__pos__": ("positive", operator.pos),
    "__abs__": ("abs", operator.abs),
    "__invert__": ("bitwise_invert", operator.invert),
}
for _kinds, _make in ((_BINARY, _binary), (_REFLECTED, _reflected), (_UNARY, _unary)):
    for _method, (_name, _function) in _kinds.items():
        setattr(Operators, _method, _make(_method, _name, _function))
Operators.__hash__ = None  # type: ignore[assignment]
