"""Every named dimension is a type for annotations."""

from typing import Annotated, get_args, get_origin

import pytest

from dimflow import DimArray
from dimflow import typing as dimension_types
from dimflow.units.dimension import named


def camel_case(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


@pytest.mark.parametrize("name", list(named()))
def test_every_named_dimension_has_a_type(name: str) -> None:
    found = getattr(dimension_types, camel_case(name))
    assert get_origin(found) is Annotated
    assert get_args(found) == (DimArray, named()[name])


def test_there_are_no_others() -> None:
    found = {n for n, value in vars(dimension_types).items() if get_origin(value) is Annotated}
    assert found == {camel_case(name) for name in named()}
