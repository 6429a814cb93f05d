"""check: units and shapes of a function's results, without data; or the error and its line."""

import dataclasses
import pickle
import statistics
import time
import tracemalloc
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, Dimension, Unit, check, constants
from dimflow import units as u
from dimflow.errors import (
    DimensionError,
    NoDataError,
    PointError,
    ShapeMismatch,
    UndefinedUnitError,
    UnitError,
    UnitLossError,
    UnitParseError,
)
from dimflow.transforms.location import Location
from dimflow.transforms.spec import Spec, read_spec


def kinetic(m: Any, v: Any) -> Any:
    return 0.5 * m * v**2


def forgot_to_square(m: Any, v: Any, height: Any) -> Any:
    potential = m * (9.81 * u.m / u.s**2) * height
    return 0.5 * m * v + potential


class TestWhatItGives:
    def test_by_name(self) -> None:
        energy = check(kinetic, m="kg[1000]", v="m/s[1000]")
        assert energy == Spec(Unit("kg*m**2/s**2"), (1000,), np.dtype(np.float64))
        assert energy.dimension == Dimension("energy")
        assert energy.ndim == 1
        assert repr(energy) == "<Spec 'kg*m**2/s**2[1000]' [energy]>"

    def test_by_position(self) -> None:
        assert check(kinetic, "kg", "m/s[3, 1]").shape == (3, 1)

    def test_an_outcome_is_a_spec_again(self) -> None:
        energy = check(kinetic, "kg:float32[7]", "km/h:float32[7]")
        assert str(energy) == "kg*km**2/h**2:float32[7]"
        assert check(lambda e: e.to("J"), energy) == Spec(Unit("J"), (7,), np.dtype(np.float32))
        assert check(lambda e: e, str(energy)) == energy

    @given(
        shapes=st.tuples(st.sampled_from([(), (3,), (2, 3)]), st.sampled_from([(), (3,), (2, 1)])),
        dtypes=st.tuples(*[st.sampled_from(["float32", "float64", "int64"])] * 2),
        units=st.tuples(st.sampled_from(["kg", "g", "lb"]), st.sampled_from(["m/s", "km/h"])),
    )
    def test_as_the_call_itself(self, shapes: Any, dtypes: Any, units: Any) -> None:
        arrays = [DimArray(np.ones(s, d), t) for s, d, t in zip(shapes, dtypes, units, strict=True)]
        for function in (
            kinetic,
            lambda m, v: kinetic(m, v).to("J"),
            lambda m, v: (m + 1 * u.kg) * (v - 1 * u.m / u.s),
            lambda m, v: m / v > 1 * u.kg * u.s / u.m,
            lambda m, v: np.sqrt(m) * np.maximum(v, 0),
            lambda m, v: m.sum() * v.max(),
        ):
            expected, told = function(*arrays), check(function, *arrays)
            assert told.shape == np.shape(getattr(expected, "data", expected))
            assert told.dtype == expected.dtype
            assert told.unit is getattr(expected, "unit", None)

    def test_masks_are_pure_numbers_and_indices_are_plain(self) -> None:
        mask, index = check(lambda x: (x > 0, x.argmax()), "m[4]")
        assert (mask.unit, mask.shape, mask.dtype) == (Unit(""), (4,), np.bool_)
        assert (index.unit, index.dimension, index.shape) == (None, None, ())
        assert repr(index) == "<Spec ':int64' plain>"

    def test_lengths_that_the_data_decides(self) -> None:
        picked = check(lambda x: x[x > 0], "m[4]")
        assert str(picked) == "m[?]"
        assert check(lambda x: x[x > 0].sum(), "m[4]").shape == ()
        assert str(check(lambda x: np.concatenate([x, x]), "m[?, 3]")) == "m[?, 3]"

    def test_points(self) -> None:
        assert check(lambda t: t.to("K"), "degC[3]").unit == Unit("K")
        with pytest.raises(PointError):
            check(lambda t: 2 * t, "degC[3]")

    def test_constants_and_real_arrays_inside(self) -> None:
        weights = DimArray([1.0, 2.0, 3.0], "kg")
        assert check(lambda x: (weights * x).sum() * constants.c, "m[3]").shape == ()

    def test_numpy_functions_inside(self) -> None:
        assert check(lambda x: np.where(x > 0, x, 0), "m[3]") == read_spec("m[3]")
        assert check(np.linalg.det, "m[4, 4]").unit == Unit("m**4")
        assert check(lambda x: np.sqrt(x * x), "m[3]") == read_spec("m[3]")


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclasses.dataclass(frozen=True)
class State:
    position: Any
    velocity: Any
    label: str = "start"

    def __post_init__(self) -> None:
        assert not isinstance(self.position, Spec), "nobody makes a state of specs"


def step(state: State, dt: Any) -> State:
    return dataclasses.replace(state, position=state.position + state.velocity * dt)


class TestStructures:
    def test_results(self) -> None:
        def several(x: Any) -> Any:
            return {"a": x, "b": [x * x, (1, "text", None)]}, Pair(x, 2)

        found, pair = check(several, "m[2]")
        area = Spec(Unit("m**2"), (2,))
        assert found == {"a": read_spec("m[2]"), "b": [area, (1, "text", None)]}
        assert pair == Pair(read_spec("m[2]"), 2)

    def test_arguments(self) -> None:
        def total(parts: Any, extra: Any) -> Any:
            return parts[0] + parts[1] + extra["drag"]

        assert check(total, ["N[3]", "kN[3]"], {"drag": "lbf"}) == read_spec("N[3]")

    def test_a_dict_keeps_its_class(self) -> None:
        given = OrderedDict(b="m", a="s")
        result = check(lambda d: d, given)
        assert type(result) is OrderedDict
        assert list(result) == ["b", "a"]
        assert given == OrderedDict(b="m", a="s")  # unchanged

    def test_dataclasses(self) -> None:
        start = State(DimArray(np.zeros(3), "m"), DimArray(np.ones(3), "km/h"))
        result = check(step, start, "s")
        assert type(result) is State
        assert (result.position, result.label) == (read_spec("m[3]"), "start")
        assert result.velocity.unit == Unit("km/h")
        assert isinstance(start.position, DimArray)  # unchanged

    def test_a_dataclass_with_another_unit(self) -> None:
        with pytest.raises(DimensionError):
            check(step, State(DimArray(0.0, "m"), DimArray(0.0, "m")), "s")


class TestSpecs:
    @pytest.mark.parametrize(
        ("text", "unit", "shape", "dtype"),
        [
            ("kg", "kg", (), "float64"),
            ("kg[1000]", "kg", (1000,), "float64"),
            ("m/s[3, ?]", "m/s", (3, None), "float64"),
            ("m/s [3,n]", "m/s", (3, None), "float64"),
            ("m:float32[3]", "m", (3,), "float32"),
            ("m : complex64", "m", (), "complex64"),
            ("[10]", "", (10,), "float64"),
            ("", "", (), "float64"),
            ("[]", "", (), "float64"),
            ("m[3,]", "m", (3,), "float64"),
            ("J/(kg K)[0]", "J/(kg*K)", (0,), "float64"),
            ("percent:int64[2]", "percent", (2,), "int64"),
            (" m [ 2 , 3 ] ", "m", (2, 3), "float64"),
            ("dB(mW)[2]", "dB(mW)", (2,), "float64"),
        ],
    )
    def test_texts(self, text: str, unit: str, shape: Any, dtype: str) -> None:
        spec = read_spec(text)
        assert spec == Spec(Unit(unit), shape, np.dtype(dtype))
        assert read_spec(str(spec)) == spec

    @given(
        st.one_of(
            st.text(max_size=30),
            st.text(alphabet="kgms/*[]:,?. 0123float-", max_size=30),
            st.integers(4000, 5000).map(lambda n: f"m[{'9' * n}]"),
        )
    )
    def test_any_text_is_a_spec_or_our_error(self, text: str) -> None:
        try:
            spec = read_spec(text)
        except UnitError:
            return
        assert read_spec(str(spec)) == spec

    def test_a_mask(self) -> None:
        assert read_spec(":bool[3]") == Spec(None, (3,), np.dtype(np.bool_))

    @pytest.mark.parametrize(
        ("text", "position"),
        [
            ("kg[3", 2),
            ("kg]", 2),
            ("kg[3 4]", 5),
            ("kg[3,,4]", 5),
            ("kg[-3]", 3),
            ("kg[3.5]", 4),
            ("kg[,]", 3),
            ("kg:flot[3]", 3),
            ("kg:[3]", 3),
            ("kg:object", 3),
            ("kg:str[2]", 3),
            ("kg[...]", 3),
            ("[mass]", 0),
            ("kg[2]m", 2),
            ("kg+s[2]", 2),
            ("kg[٣]", 3),
        ],
    )
    def test_bad_texts_show_where(self, text: str, position: int) -> None:
        with pytest.raises(UnitParseError) as caught:
            check(lambda x: x, text)
        assert caught.value.position == position
        assert "in the spec of argument 1" in caught.value.__notes__[0]

    def test_an_unknown_unit(self) -> None:
        with pytest.raises(UndefinedUnitError) as caught:
            check(lambda x, mode: x, "m", mode={"a": ["linear"]})
        assert "in the spec of mode['a'][0]" in caught.value.__notes__[0]

    def test_the_whole_text_of_an_error(self) -> None:
        with pytest.raises(UnitParseError) as caught:
            check(lambda x: x, "kg[3 4]")
        assert str(caught.value) == (
            "a length is a number or '?'\n"
            "  in:    kg[3 4]\n"
            "              ^\n"
            "  hint:  a spec is a unit, then ':dtype', then '[lengths]'; each may be left out: "
            "'m/s:float32[3, ?]'"
        )

    @pytest.mark.parametrize(
        ("spec", "expected"),
        [
            (Unit("m"), Spec(Unit("m"))),
            (DimArray([1, 2], "m"), Spec(Unit("m"), (2,), np.dtype(np.int64))),
            (5.0 * u.m, Spec(Unit("m"))),
            (constants.c, Spec(Unit("m/s"))),
            (np.ones((2, 3), np.float32), Spec(None, (2, 3), np.dtype(np.float32))),
            (np.float32(2), Spec(None, (), np.dtype(np.float32))),
            (Spec(Unit("m"), (2, None)), Spec(Unit("m"), (2, None))),
            (3, 3),
            (2.5, 2.5),
            (None, None),
        ],
    )
    def test_other_specs(self, spec: Any, expected: Any) -> None:
        assert check(lambda x: x, spec) == expected

    def test_numbers_are_known(self) -> None:
        assert check(lambda x, n: x**n, "m[2]", 3).unit == Unit("m**3")
        assert check(lambda x, n: [x] * n, "m", n=2) == [Spec(Unit("m"))] * 2


class TestErrors:
    def test_the_same_error_as_the_call(self) -> None:
        numbers = 1 * u.kg, 1 * u.m / u.s, 1 * u.m
        with pytest.raises(DimensionError) as of_call:
            forgot_to_square(*numbers)
        with pytest.raises(DimensionError) as of_check:
            check(forgot_to_square, *numbers)
        assert str(of_check.value) == str(of_call.value)

    def test_the_line_that_made_it(self) -> None:
        with pytest.raises(DimensionError) as caught:
            check(forgot_to_square, m="kg[10]", v="m/s[10]", height="m")
        where = caught.value.location
        first = forgot_to_square.__code__.co_firstlineno
        assert where == Location(
            __file__, first + 2, "forgot_to_square", "return 0.5 * m * v + potential", 7, 30
        )
        (note,) = caught.value.__notes__
        assert note == (
            f'File "{__file__}", line {first + 2}, in forgot_to_square\n'
            "    return 0.5 * m * v + potential\n"
            "           ^^^^^^^^^^^^^^^^^^^^^^^"
        )

    def test_the_innermost_line_of_the_user(self) -> None:
        def outer(x: Any) -> Any:
            return inner(x) + 1 * u.m

        def inner(x: Any) -> Any:
            return np.sum(np.exp(x))

        with pytest.raises(DimensionError) as caught:
            check(outer, "m[3]")
        assert caught.value.location.function == "inner"
        assert caught.value.location.text == "return np.sum(np.exp(x))"

    def test_code_of_libraries_is_passed_over(self) -> None:
        def outer(x: Any) -> Any:
            return statistics.mean([x, x])  # its own code fails

        with pytest.raises(Exception) as caught:  # noqa: PT011
            check(outer, "m")
        assert caught.value.location.function == "outer"

    def test_code_without_source(self) -> None:
        scope: dict[str, Any] = {"__name__": "typed"}
        exec("def typed(x): return x + 1", scope)
        with pytest.raises(DimensionError) as caught:
            check(scope["typed"], "m")
        assert caught.value.__notes__ == ['File "<string>", line 1, in typed']

    def test_a_part_of_a_long_line_is_shown(self) -> None:
        text = "x" * 300 + " + y"
        shown = str(Location("f.py", 3, "f", text, 301, 302)).splitlines()
        assert max(map(len, shown)) <= 100
        assert shown[1][shown[2].index("^")] == "+"

    def test_the_error_pickles_with_its_place(self) -> None:
        with pytest.raises(DimensionError) as caught:
            check(forgot_to_square, "kg", "m/s", "m")
        again = pickle.loads(pickle.dumps(caught.value))
        assert again.location == caught.value.location
        assert again.__notes__ == caught.value.__notes__

    def test_any_error_has_its_place(self) -> None:
        with pytest.raises(ZeroDivisionError) as caught:
            check(lambda x: x * (1 // 0), "m")
        assert caught.value.location.function == "<lambda>"

    def test_a_wrong_call_is_pythons_error(self) -> None:
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'v'"):
            check(kinetic, "kg")

    def test_shapes(self) -> None:
        with pytest.raises(ShapeMismatch):
            check(kinetic, "kg[3]", "m/s[4]")

    @pytest.mark.parametrize(
        "function",
        [
            lambda x: x if x > 0 * u.m else -x,
            lambda x: max(x, 2 * x),
            lambda x: x / x[0].item(),
            lambda x: [0, 1, 2][(x / u.m).argmax()],
            lambda x: float(x / u.m),
            lambda x: 3 * u.m in x,
        ],
    )
    def test_what_needs_data(self, function: Any) -> None:
        with pytest.raises(NoDataError) as caught:
            check(function, "m[1]")
        assert caught.value.location.line

    @pytest.mark.parametrize(
        "function",
        [
            lambda x: x.sum() / x.shape[0],
            lambda x: [part for part in x],  # noqa: C416
            len,
            lambda x: np.zeros(x.size),
        ],
    )
    def test_what_needs_a_length(self, function: Any) -> None:
        with pytest.raises(NoDataError):
            check(function, "m[?]")
        check(function, "m[4]")

    def test_a_unit_is_not_lost(self) -> None:
        with pytest.raises(UnitLossError):
            check(lambda x: float(x), "m")

    def test_a_power_needs_a_known_exponent(self) -> None:
        with pytest.raises(UnitError, match="exponent that is known without data"):
            check(lambda x, n: x**n, "m", "")
        assert check(lambda x, n: x**n, "[3]", "") == read_spec("[3]")


class TestNoData:
    def test_it_takes_neither_time_nor_memory(self) -> None:
        def simulate(m: Any, v: Any) -> Any:
            energy = kinetic(m, v).to("kJ")
            fast = np.where(energy > 1 * u.kJ, v, 0)
            return energy.sum(), fast.mean(), (m[:, None] * v[None, :]).max()

        check(simulate, m="kg[10]", v="m/s[10]")  # rules are read once
        n = 10**12
        tracemalloc.start()
        start = time.perf_counter()
        total, mean, largest = check(simulate, m=f"kg[{n}]", v=f"km/h[{n}]")
        elapsed = time.perf_counter() - start
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert total == Spec(Unit("kJ"))
        assert mean == Spec(Unit("km/h"))
        assert largest.dimension == Dimension("momentum")
        assert elapsed < 0.5  # the data would take 8 terabytes
        assert peak < 2**20

    def test_values_of_real_arrays_do_not_matter(self) -> None:
        x = DimArray([1.0, np.nan, -1.0], "m")
        assert check(np.sqrt, x).shape == (3,)  # no warning about -1
