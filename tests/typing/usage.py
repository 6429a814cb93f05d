"""What a type checker must make of the public API; `test_typing.py` has mypy read this file."""

from fractions import Fraction
from typing import Annotated, Any, assert_type

from dimflow import DimArray, Dimension, Unit, check, checked, constants, units
from dimflow.constants import Constant, c
from dimflow.typing import Energy, Mass, Speed
from dimflow.units import Registry, km, metre
from dimflow.units.equivalencies import Equivalency, molar

assert_type(km, Unit)
assert_type(units.furlong, Unit)
assert_type(metre * km, Unit)
assert_type(metre / km, Unit)
assert_type(metre ** Fraction(1, 2), Unit)
assert_type(metre**2, Unit)
assert_type(metre == km, bool)
assert_type(metre.dimension, Dimension)
assert_type(metre.dimension * km.dimension, Dimension)
assert_type(metre.conversion_factor("ft"), float)
assert_type(metre.simplified(), Unit)
assert_type(units.parse("m/s"), Unit)
assert_type(units.define("lap = 400 m"), Unit | None)
assert_type(units.convert(1.0, "m", km, via=molar()), Any)
assert_type(molar(), Equivalency)
assert_type(Registry().unit("m"), Unit)
assert_type(c, Constant)
assert_type(constants.h.value, float)
assert_type(constants.h.unit, Unit)


@checked
def kinetic(m: Mass, v: Speed) -> Energy:
    energy: Energy = 0.5 * m * v**2
    return energy


@checked(plain=True)
def falling(height: Annotated[DimArray, "m"]) -> Annotated[DimArray, "s"]:
    return height


assert_type(kinetic(DimArray(1.0, "kg"), v=DimArray(1.0, "m/s")), DimArray)
assert_type(falling(DimArray(1.0, "km")), DimArray)
assert_type(check(kinetic, "kg[10]", v="m/s[10]"), Any)
