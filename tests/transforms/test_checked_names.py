"""A string in an annotation is its unit, whatever variable of the module has that name."""

from typing import Any

import pytest

from dimflow import DimArray, Dimension, Unit, checked
from dimflow import units as u
from dimflow.errors import AnnotationError

NAMES = [str(unit) for unit in (u.m, u.s, u.kg, u.K, u.A, u.N, u.J, u.T, u.F, u.W, u.g, u.h, u.V)]
OTHERS: list[Any] = [u.km / u.h, Unit("day"), Dimension("mass"), 5.0, 3 * u.ft, "inch", None, len]


class TestVariablesOfTheModule:
    @pytest.mark.parametrize("other", OTHERS, ids=repr)
    @pytest.mark.parametrize("name", NAMES)
    def test_a_text_is_its_unit_whatever_variable_has_the_name(self, name: str, other: Any) -> None:
        for text in (f"def f(x: '{name}') -> '{name}': return x", "f = g"):
            scope: dict[str, Any] = {name: other}
            if text == "f = g":  # in an enclosing function
                exec(
                    f"def outer({name}):\n    def f(x: '{name}') -> '{name}':\n"
                    f"        {name}\n        return x\n    return f",
                    scope,
                )
                function = scope["outer"](other)
            else:
                exec(text, scope)
                function = scope["f"]
            assert checked(function)(DimArray(3.0, Unit(name))).unit is Unit(name)
            with pytest.raises(AnnotationError):
                checked(function)(DimArray(3.0, "mol/m**9"))

    def test_a_class_and_an_unquoted_variable_are_what_they_are(self) -> None:
        class point:  # noqa: N801
            pass

        thing = point()
        scope: dict[str, Any] = {"point": point, "m": u.km}
        exec("def f(x: 'point'): return x", scope)
        assert checked(scope["f"])(thing) is thing
        exec("from __future__ import annotations\ndef g(x: m, y: 'm'): return x, y", scope)
        found = checked(scope["g"])(3 * u.km, 3 * u.km)
        assert [str(value.unit) for value in found] == ["km", "m"]
