"""checked: annotations hold at every call, and cost little."""

# ruff: noqa: F722, F821  (texts in annotations are units)

import asyncio
import dataclasses
import inspect
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Optional, TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, Dimension, Unit, check, checked, constants
from dimflow import units as u
from dimflow.errors import AnnotationError, DimensionError, ShapeMismatch, UnitError, UnitParseError
from dimflow.transforms.spec import read_spec
from dimflow.typing import Dimensionless, Energy, Length, Mass, Speed, Temperature, Time

T = TypeVar("T")
JOULE = u.J


@checked
def kinetic(m: Mass, v: "m/s") -> "J":
    assert v.unit is Unit("m/s")
    return 0.5 * m * v**2


def seen(annotation: Any, value: Any, **options: Any) -> Any:
    """What a function with one annotated argument gets to see."""

    def function(x: Any) -> Any:
        return x

    function.__annotations__ = {"x": annotation}
    return checked(**options)(function)(value)


def gives(annotation: Any, value: Any, **options: Any) -> Any:
    """What comes out of a function with an annotated result."""

    def function() -> Any:
        return value

    function.__annotations__ = {"return": annotation}
    return checked(**options)(function)()


class TestUnits:
    def test_arguments_and_results_are_converted(self) -> None:
        energy = kinetic(2000 * u.g, 36 * u.km / u.h)
        assert energy.unit is u.J
        assert float(energy / u.J) == pytest.approx(100.0)

    @given(
        value=st.floats(-1e6, 1e6),
        source=st.sampled_from(["m", "km", "inch", "ly"]),
        target=st.sampled_from(["m", "km", "ft"]),
    )
    def test_the_quantity_stays(self, value: float, source: str, target: str) -> None:
        x = DimArray(value, source)
        got = seen(target, x)
        assert got.unit is Unit(target)
        assert got.data == x.to(target).data

    @pytest.mark.parametrize(
        "annotation",
        [
            "m/s",
            Unit("m/s"),
            Annotated[DimArray, "m/s"],
            Annotated[DimArray, Unit("m/s")],
            Annotated[Speed, "m/s"],
            Annotated[DimArray, "other metadata of no meaning".count, Unit("m/s")],
            Optional["m/s"],
            Annotated[DimArray, "m/s"] | None,
        ],
    )
    def test_all_ways_to_say_it(self, annotation: Any) -> None:
        assert seen(annotation, 36 * u.km / u.h).unit is Unit("m/s")
        with pytest.raises(AnnotationError):
            seen(annotation, 36 * u.km)

    def test_an_array_in_that_unit_is_not_copied(self) -> None:
        x = DimArray(np.ones(3), "m")
        assert seen("m", x) is x
        assert seen(Length, x) is x

    def test_points_convert(self) -> None:
        assert float(seen("K", DimArray(20.0, "degC")) / u.K) == pytest.approx(293.15)
        assert seen(Temperature, DimArray(20.0, "degC")).unit == Unit("degC")

    def test_quantities_of_others(self) -> None:
        assert seen("km/s", constants.c).unit == Unit("km/s")
        assert seen("m", [1 * u.m, 2 * u.km]).data.tolist() == [1.0, 2000.0]


class TestDimensions:
    @pytest.mark.parametrize("annotation", [Length, Dimension("length"), "[length]", "Length"])
    def test_only_checked(self, annotation: Any) -> None:
        x = 3 * u.km
        assert seen(annotation, x) is x
        with pytest.raises(AnnotationError):
            seen(annotation, 3 * u.s)

    def test_formulas(self) -> None:
        assert seen("[length/time]", 3 * u.kn).unit is u.kn
        with pytest.raises(AnnotationError):
            seen("[length/time]", 3 * u.m)


class TestErrors:
    def test_a_wrong_dimension(self) -> None:
        with pytest.raises(AnnotationError) as caught:
            kinetic(2 * u.s, 3 * u.m / u.s)
        assert str(caught.value) == (
            "kinetic got a wrong 'm'\n"
            "  expected: [mass]\n"
            "  actual:   s [time]"
        )  # fmt: skip
        error = caught.value
        assert (error.function, error.argument) == ("kinetic", "m")
        assert (error.wanted, error.actual) == ("[mass]", "s [time]")

    def test_a_bare_number(self) -> None:
        with pytest.raises(AnnotationError) as caught:
            kinetic(2 * u.kg, v=3.0)
        assert str(caught.value) == (
            "kinetic got a wrong 'v'\n"
            "  expected: m/s [speed]\n"
            "  actual:   the number 3.0 without a unit\n"
            "  hint:  give it one: x * Unit('m/s')"
        )

    def test_a_wrong_result(self) -> None:
        with pytest.raises(AnnotationError) as caught:
            gives(Energy, 3 * u.kg)
        assert str(caught.value).endswith(
            "gives.<locals>.function gave a wrong result\n"
            "  expected: [energy]\n"
            "  actual:   kg [mass]\n"
            "  hint:  a factor of [length^2 time^-2] is missing"
        )

    @pytest.mark.parametrize(
        "value", [0, 1, 2.5, float("inf"), np.ones(3), [1, 2], True, np.float64(2), 1j]
    )
    def test_numbers_without_a_unit(self, value: Any) -> None:
        for annotation in (Length, "m", "rad"):
            with pytest.raises(AnnotationError, match="without a unit"):
                seen(annotation, value)

    @pytest.mark.parametrize("value", [None, "text", Unit("m"), {}, object(), b"x", print])
    def test_no_quantity_at_all(self, value: Any) -> None:
        for annotation in (Length, "m"):
            with pytest.raises(AnnotationError):
                seen(annotation, value)

    def test_an_angle_is_a_number_in_radians_alone(self) -> None:
        assert seen("", DimArray(1.0, "rad")) == 1
        with pytest.raises(AnnotationError, match="via='cycles'"):
            seen("", DimArray(1.0, "deg"))
        with pytest.raises(AnnotationError):
            seen("Hz", DimArray(60.0, "rpm"))

    @pytest.mark.parametrize("level", ["dB", "Np", "mag", "dB/km * km"])
    def test_a_number_is_no_level_and_a_level_no_number(self, level: str) -> None:
        for value in (1.0, DimArray(1.0), np.ones(2)):
            with pytest.raises(AnnotationError):
                seen(level, value)
        with pytest.raises(AnnotationError):
            seen("", DimArray(6.0, level))
        assert seen(level, DimArray(6.0, level)) == DimArray(6.0, level)

    def test_a_conversion_that_exists_is_named(self) -> None:
        with pytest.raises(AnnotationError, match="via='spectral'"):
            seen("nm", 3 * u.THz)

    def test_the_function_does_not_run(self) -> None:
        calls = []

        @checked
        def function(x: Length) -> None:
            calls.append(x)

        with pytest.raises(AnnotationError):
            function(3 * u.s)
        assert calls == []

    def test_a_wrong_call_is_pythons_error(self) -> None:
        with pytest.raises(TypeError, match=r"kinetic\(\) missing 1 required positional argument"):
            kinetic(2 * u.kg)
        with pytest.raises(TypeError, match="unexpected keyword argument 'w'"):
            kinetic(2 * u.kg, w=3)

    def test_bad_annotations_fail_at_once(self) -> None:
        with pytest.raises(UnitParseError):

            @checked
            def function(x: "kg m + s") -> None: ...

    def test_units_where_nobody_would_look(self) -> None:
        with pytest.raises(UnitError, match="cannot be checked"):

            @checked
            def function(x: Iterator[Length]) -> None: ...

    @pytest.mark.parametrize("thing", [3, "text", len, kinetic.__call__])
    def test_only_functions(self, thing: Any) -> None:
        with pytest.raises(UnitError, match="functions and classes"):
            checked(thing)


class TestPureNumbers:
    def test_numbers_pass(self) -> None:
        for annotation in ("", Dimensionless, Unit("")):
            got = seen(annotation, 0.5)
            assert isinstance(got, DimArray)
            assert float(got) == 0.5

    def test_scaled_numbers(self) -> None:
        assert float(seen("", DimArray(50.0, "percent"))) == 0.5
        assert seen("percent", 0.5).data == 50.0


class TestOptions:
    def test_convert_false(self) -> None:
        x = 3 * u.km
        assert seen("m", x, convert=False) is x
        with pytest.raises(AnnotationError):
            seen("m", 3 * u.s, convert=False)

    def test_strict(self) -> None:
        assert seen("N", DimArray(1.0, "kg m/s**2"), strict=True).unit == u.N
        with pytest.raises(AnnotationError, match="nothing is converted"):
            seen("m", 3 * u.km, strict=True)
        with pytest.raises(AnnotationError):
            gives("m", 3 * u.km, strict=True)
        with pytest.raises(AnnotationError):
            seen("m", 3 * u.s, strict=True)

    def test_strict_without_conversion(self) -> None:
        with pytest.raises(AnnotationError, match="nothing is converted"):
            seen("m", 3 * u.km, strict=True, convert=False)

    def test_strict_dimensions_are_as_ever(self) -> None:
        assert seen(Length, 3 * u.km, strict=True).unit is u.km

    def test_plain(self) -> None:
        @checked(plain=True)
        def fall(height: "m", g: "m/s**2" = 9.81) -> "s":
            assert not isinstance(height, DimArray)
            return (2 * height / g) ** 0.5

        assert fall(1 * u.km).unit is u.s
        assert float(fall(1 * u.km) / u.s) == pytest.approx((2000 / 9.81) ** 0.5)
        moon = fall(1 * u.km, g=162 * u.cm / u.s**2)
        assert float(moon / u.s) == pytest.approx((2000 / 1.62) ** 0.5)
        with pytest.raises(AnnotationError):
            fall(1000.0)

    def test_plain_scalars_are_numbers(self) -> None:
        assert isinstance(seen("m", 3 * u.km, plain=True), float)
        assert seen("m", DimArray([1.0], "km"), plain=True).tolist() == [1000.0]

    def test_plain_results(self) -> None:
        assert gives("m", 3.0, plain=True).unit is u.m
        assert gives("m", 3.0 * u.km, plain=True).unit is u.m
        first, second = gives(tuple["m", "s"], (1.0, [2.0, 3.0]), plain=True)
        assert (first.unit, second.unit, second.shape) == (u.m, u.s, (2,))
        with pytest.raises(AnnotationError):
            gives("m", 3.0 * u.s, plain=True)

    def test_plain_results_count_in_the_annotated_unit(self) -> None:
        assert float(gives("percent", 50.0, plain=True)) == 0.5
        assert gives("rad", 2.0, plain=True).unit is u.rad

    def test_plain_needs_units(self) -> None:
        with pytest.raises(UnitError, match="needs a unit"):
            seen(Length, 3 * u.m, plain=True)

    def test_options_that_contradict(self) -> None:
        with pytest.raises(UnitError):
            checked(plain=True, convert=False)


@checked
def accelerations(forces: "N[n, 3]", masses: "kg[n]") -> "m/s**2[n, 3]":
    return forces / masses[:, None]


class TestShapes:
    def test_names_are_the_same_everywhere(self) -> None:
        forces = DimArray(np.ones((4, 3)), "kN")
        result = accelerations(forces, DimArray(np.ones(4), "g"))
        assert (result.shape, result.unit) == ((4, 3), Unit("m/s**2"))
        with pytest.raises(ShapeMismatch) as caught:
            accelerations(forces, DimArray(np.ones(5), "g"))
        assert str(caught.value) == (
            "accelerations (masses) got the wrong shape\n"
            "  expected: [n]\n"
            "  actual:   [5]\n"
            "  hint:  n = 4 by other arguments"
        )

    def test_names_start_anew_with_every_call(self) -> None:
        for n in (2, 5):
            forces = DimArray(np.ones((n, 3)), "N")
            assert accelerations(forces, DimArray(np.ones(n), "kg")).shape == (n, 3)

    @pytest.mark.parametrize(
        ("shape", "good", "bad"),
        [
            ("[3]", [(3,)], [(), (4,), (3, 1)]),
            ("[?, 3]", [(1, 3), (0, 3)], [(3,), (3, 1)]),
            ("[..., 3]", [(3,), (2, 3), (4, 2, 3)], [(), (2,), (3, 2)]),
            ("[2, ..., 3]", [(2, 3), (2, 5, 3)], [(2,), (3, 3)]),
            ("[n, n]", [(2, 2)], [(2, 3)]),
            ("[]", [()], [(1,)]),
        ],
    )
    def test_forms(self, shape: str, good: Any, bad: Any) -> None:
        for annotation in (f"m{shape}", Annotated[Length, shape], Annotated[DimArray, shape]):
            for right in good:
                assert seen(annotation, DimArray(np.ones(right), "m")).shape == right
            for wrong in bad:
                with pytest.raises(ShapeMismatch):
                    seen(annotation, DimArray(np.ones(wrong), "m"))

    def test_a_shape_alone_takes_any_unit(self) -> None:
        x = DimArray([1.0], "m")
        assert seen(Annotated[DimArray, "[1]"], x) is x

    def test_dtype(self) -> None:
        x = DimArray(np.ones(2, np.float32), "m")
        assert seen("m:float32", x) is x
        with pytest.raises(AnnotationError, match="float64"):
            seen("m:float32[2]", DimArray(np.ones(2), "m"))


class TestContainers:
    def test_optional(self) -> None:
        assert seen(Mass | None, None) is None
        assert seen(Optional["kg"], 3 * u.g).unit is u.kg
        with pytest.raises(AnnotationError):
            seen(Mass | None, 3 * u.s)

    def test_a_choice(self) -> None:
        assert seen(Mass | Time, 3 * u.s).unit is u.s
        assert seen(Mass | float, 3.0) == 3.0
        assert seen(Mass | float, 3) == 3
        assert seen(Mass | DimArray, 3 * u.m).unit is u.m
        assert seen(Annotated[DimArray, "kg"] | DimArray, 3 * u.g).unit is u.kg
        with pytest.raises(AnnotationError):
            seen(Mass | Time, 3 * u.m)

    def test_tuples_lists_and_dicts(self) -> None:
        a, b = seen(tuple["m", "s"], (1 * u.km, 1 * u.h))
        assert (a.unit, b.unit) == (u.m, u.s)
        assert [x.unit for x in seen(list["m"], [1 * u.km, 2 * u.ft])] == [u.m, u.m]
        assert [x.unit for x in seen(tuple["m", ...], (1 * u.km,) * 3)] == [u.m] * 3
        assert seen(dict[str, Length], {"a": 1 * u.km})["a"].unit is u.km
        assert seen(Mapping[str, "m"], {"a": 1 * u.km})["a"].unit is u.m
        assert seen(Sequence[Length], [1 * u.km])[0].unit is u.km

    @pytest.mark.parametrize(
        ("annotation", "value"),
        [
            (tuple[Length, Time], (1 * u.m, 1 * u.m)),
            (tuple[Length, Time], (1 * u.m,)),
            (tuple[Length, Time], 1 * u.m),
            (list[Length], [1 * u.m, 1 * u.s]),
            (dict[str, Length], {"a": 1 * u.s}),
            (dict[str, Length], [1 * u.m]),
            (list[Length], {"a": 1 * u.m}),
        ],
    )
    def test_wrong_ones(self, annotation: Any, value: Any) -> None:
        with pytest.raises(AnnotationError):
            seen(annotation, value)
        with pytest.raises(AnnotationError):
            gives(annotation, value)

    def test_mappings_keep_their_class(self) -> None:
        given = defaultdict(list, a=1 * u.km)
        got = seen(dict[str, "m"], given)
        assert type(got) is defaultdict
        assert got["a"].unit is u.m
        assert given["a"].unit is u.km

    def test_annotations_that_contradict_themselves(self) -> None:
        with pytest.raises(UnitError, match="which differ"):
            seen(Annotated[Mass, "m"], 3 * u.m)
        with pytest.raises(UnitError, match="keys"):
            seen(dict[Mass, Length], {})

    @pytest.mark.parametrize(
        "annotation",
        [Any, int, DimArray, list[int], T, dict, None, "int", Annotated[str, "a help text"]],
    )
    def test_other_annotations_are_left_alone(self, annotation: Any) -> None:
        marker = object()
        assert seen(annotation, marker) is marker


class TestSignatures:
    def test_defaults(self) -> None:
        @checked
        def function(x: "m" = 2 * u.km, y: Mass = None, *, z: "s" = 0) -> Any:
            return x, y, z

        x, y, z = function()
        assert (x.unit, float(x / u.m)) == (u.m, 2000.0)
        assert (y, z) == (None, 0)
        assert function(3 * u.km)[0].unit is u.m
        assert function(y=3 * u.g)[1].unit is u.g
        with pytest.raises(AnnotationError):
            function(z=1)

    def test_a_wrong_default_fails_at_once(self) -> None:
        with pytest.raises(AnnotationError):

            @checked
            def function(x: Length = 3.0) -> None: ...

    def test_all_kinds_of_parameters(self) -> None:
        @checked
        def function(a: "m", /, b: "m", *rest: "m", c: "m", **more: "m") -> Any:
            return [a, b, *rest, c, *more.values()]

        km = 1 * u.km
        assert [x.unit for x in function(km, km, km, km, c=km, d=km)] == [u.m] * 6
        for bad in ({"c": 1 * u.s}, {"c": km, "d": 1 * u.s}):
            with pytest.raises(AnnotationError):
                function(km, km, **bad)
        with pytest.raises(AnnotationError, match="'rest'"):
            function(km, km, 1 * u.s, c=km)

    def test_it_looks_like_the_function(self) -> None:
        def function(x: Length, *, y: int = 3) -> Length:
            """What it does."""
            return x

        made = checked(function)
        assert made.__name__ == "function"
        assert made.__doc__ == "What it does."
        assert inspect.signature(made) == inspect.signature(function)
        assert inspect.unwrap(made) is function

    def test_methods(self) -> None:
        class Body:
            @checked
            def __init__(self, mass: "kg") -> None:
                self.mass = mass

            @checked
            def weight(self, g: "m/s**2") -> "N":
                return self.mass * g

            @checked
            @classmethod
            def heavy(cls, mass: "kg") -> "Body":
                return cls(mass * 1000)

            @classmethod
            @checked
            def light(cls, mass: "kg") -> "Body":
                return cls(mass / 1000)

            @checked
            @staticmethod
            def half(mass: "kg") -> "g":
                return mass / 2

        body = Body(2000 * u.g)
        assert float(body.weight(10 * u.m / u.s**2) / u.N) == 20.0
        assert float(Body.heavy(1 * u.g).mass / u.kg) == 1.0
        assert Body.light(1 * u.t).mass.unit is u.kg
        assert Body.half(1 * u.kg).unit is u.g
        with pytest.raises(AnnotationError, match=r"Body\.weight got a wrong 'g'"):
            body.weight(3 * u.m)

    def test_dataclasses(self) -> None:
        @checked
        @dataclasses.dataclass
        class Body:
            mass: "kg"
            speed: Speed
            name: str = ""

        body = Body(2000 * u.g, 3 * u.km / u.h)
        assert body.mass.unit is u.kg
        with pytest.raises(AnnotationError):
            Body(2 * u.m, 3 * u.km / u.h)

    def test_coroutines(self) -> None:
        @checked
        async def fetch(x: "m") -> "m":
            await asyncio.sleep(0)
            return x * 2

        assert inspect.iscoroutinefunction(fetch)
        assert float(asyncio.run(fetch(1 * u.km)) / u.m) == 2000.0
        with pytest.raises(AnnotationError):
            asyncio.run(fetch(1 * u.s))

    def test_generators_check_their_arguments(self) -> None:
        @checked
        def halves(x: "m") -> Iterator[Any]:
            yield x
            yield x / 2

        assert [part.unit for part in halves(1 * u.km)] == [u.m, u.m]
        with pytest.raises(AnnotationError):
            list(halves(1 * u.s))

    def test_a_function_that_is_called_like_a_unit(self) -> None:
        @checked
        def m(x: "m") -> "m":
            return x

        assert m(1 * u.km).unit is u.m
        with pytest.raises(AnnotationError):
            m(1 * u.s)

    def test_operators_may_decline(self) -> None:
        assert gives(Length, NotImplemented) is NotImplemented

    def test_recursion_and_closures(self) -> None:
        metre = Unit("m")

        @checked
        def function(x: metre, n: int) -> "metre":
            return x if n == 0 else function(x * 2, n - 1)

        assert function(1 * u.km, 3).unit is metre


class TestChecks:
    def test_inside_of_check(self) -> None:
        assert check(kinetic, "g[10]", "km/h") == read_spec("J[10]")
        with pytest.raises(AnnotationError) as caught:
            check(lambda x: kinetic(x, x), "kg")
        assert caught.value.location.function == "<lambda>"

    def test_unknown_lengths_pass(self) -> None:
        assert str(check(accelerations, "N[?, 3]", "kg[?]")) == "m/s**2[?, 3]"

    def test_an_error_is_a_unit_error(self) -> None:
        for kind in (UnitError, TypeError, ValueError):
            with pytest.raises(kind):
                kinetic(2 * u.s, 3 * u.m / u.s)
        assert not issubclass(AnnotationError, DimensionError)  # its sides may not be units

    def test_a_call_costs_next_to_nothing(self) -> None:
        """What runs for arrays in the right units is three tests of identity and no function."""

        @checked
        def function(m: Mass, v: "m/s") -> Mass:
            return m

        m, v = DimArray(np.ones(2), "kg"), DimArray(np.ones(2), "m/s")
        called: list[str] = []

        def count(frame: Any, event: str, argument: Any) -> None:
            if event == "call":
                called.append(frame.f_code.co_name)

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            function(m, v)
        finally:
            sys.setprofile(before)
        assert called == ["_made_", "function"]


def test_parameters_are_called_by_name_or_place_as_they_were() -> None:
    def by_place(x: "m", /): ...
    def both(x: "m", /, y: "m"): ...
    def by_name(x: "m", *, y: "m"): ...

    one = 1.0 * u.m
    for function in (by_place, both, by_name):
        made = checked(function)
        assert inspect.signature(made) == inspect.signature(function)
        for args, kwargs in ((one,), {}), ((), {"x": one}), ((one, one), {}), ((one,), {"y": one}):
            try:
                function(*args, **kwargs)
            except TypeError:
                with pytest.raises(TypeError):
                    made(*args, **kwargs)
            else:
                made(*args, **kwargs)
