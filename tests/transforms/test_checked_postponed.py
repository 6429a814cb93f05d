"""The same with postponed annotations, where every annotation is a text."""

# ruff: noqa: F821, UP037  (texts in annotations are units)

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

import pytest

from dimflow import DimArray, Unit, checked
from dimflow import units as u
from dimflow.errors import AnnotationError, UnitError
from dimflow.typing import Energy, Mass

if TYPE_CHECKING:
    from decimal import Decimal as Unknown

    from dimflow.typing import Length

m = 3.0  # a value that a text such as "m/s" must not be mistaken for
s = 2.0


@checked
def kinetic(mass: Mass, v: "m/s") -> Energy:
    assert v.unit is Unit("m/s")
    return 0.5 * mass * v**2


@checked
def annotated(
    x: Annotated[DimArray, "km", "[n]"], y: Mass | None = None
) -> Annotated[DimArray, "m"]:
    return x


@checked
class Pair:
    def __init__(self, first: Mass, other: Pair | None = None) -> None:
        self.first = first
        self.other = other

    @checked
    def joined(self, other: Pair) -> Pair:
        return Pair(self.first + other.first)


@checked
@dataclasses.dataclass
class Body:
    mass: "kg"
    name: str = "body"


def test_types_and_texts() -> None:
    assert float(kinetic(2 * u.kg, 36 * u.km / u.h) / u.J) == pytest.approx(100.0)
    with pytest.raises(AnnotationError):
        kinetic(2 * u.s, 3 * u.m / u.s)
    with pytest.raises(AnnotationError):
        kinetic(2 * u.kg, 3 * u.m)


def test_annotated() -> None:
    assert annotated(DimArray([1.0], "ft")).unit is u.m
    with pytest.raises(AnnotationError):
        annotated(DimArray([1.0], "ft"), y=3 * u.s)


def test_classes_that_are_defined_below() -> None:
    pair = Pair(1 * u.kg, Pair(2 * u.g))
    assert pair.joined(pair).first.unit is u.kg


def test_dataclasses() -> None:
    assert Body(2 * u.g).mass.unit is u.kg
    with pytest.raises(AnnotationError):
        Body(2 * u.s)


def test_a_dimension_type_that_only_checkers_import() -> None:
    @checked
    def function(x: Length) -> Any:
        return x

    assert function(3 * u.km).unit is u.km
    with pytest.raises(AnnotationError):
        function(3 * u.s)


def test_names_of_the_function_around() -> None:
    Speed = Annotated[DimArray, "m/s"]

    @checked
    def function(x: Speed) -> Any:
        return x

    assert function(36 * u.km / u.h).unit is Unit("m/s")


def test_a_name_that_nobody_defines_is_an_error_at_the_call() -> None:
    @checked
    def function(x: Unknown) -> Any:
        return x

    with pytest.raises(UnitError, match="'Unknown', which is no unit and no name"):
        function(3)
