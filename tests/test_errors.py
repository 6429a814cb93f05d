"""Errors: fields to read, texts that say how to mend it, pickles that survive."""

import copy
import inspect
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import pytest

from dimflow import Dimension, Unit, constants, errors, units
from dimflow.errors import (
    AnnotationError,
    BackendMismatch,
    BackendNotInstalled,
    BlockMismatch,
    ComputationError,
    DerivativeMismatch,
    DeviceMismatch,
    DimensionError,
    DimflowError,
    DtypeMismatch,
    FileFormatError,
    InferenceError,
    MissingRule,
    NoDataError,
    NotANumber,
    OutOfMemory,
    PointError,
    PureNumberError,
    ShapeMismatch,
    StructureMismatch,
    TracedValueError,
    UndefinedConstantError,
    UndefinedDimensionError,
    UndefinedUnitError,
    UnitChoiceError,
    UnitConversionError,
    UnitCutError,
    UnitDefinitionError,
    UnitError,
    UnitFormatError,
    UnitLossError,
    UnitParseError,
    UnitRangeError,
    UnsupportedFunction,
    WireFormatError,
)

EXAMPLES: list[DimflowError] = [
    AnnotationError("kinetic", "m", "[mass]", "s [time]", "a hint"),
    BackendMismatch("add", "torch", "jax", "convert one of them: x.to_backend('torch')"),
    BackendNotInstalled("torch"),
    BlockMismatch("map_blocks", "f", "unit", "m", "s", "f-12ab", (1, 0), "a hint"),
    ComputationError("solve", "the matrix is singular", "add a term on the diagonal"),
    DerivativeMismatch("energy", "args[0]", "reverse", 1, (2,), "3.0 N", "2.0 N"),
    DeviceMismatch("add", "cpu", "cuda:0"),
    DimensionError("add", Unit("km"), Unit("s")),
    DtypeMismatch("scan, for returned,", "int64", "float64", "a hint"),
    FileFormatError("data.npz", "it ends too early"),
    InferenceError("map_blocks", "f", "unit and dtype", "IndexError: out of bounds"),
    MissingRule("unique", "batching rule", "the values decide the shape"),
    NoDataError("float(x)", "a hint"),
    NotANumber("convert", "a list"),
    OutOfMemory("matmul", 2**40, 2**30, "cuda:0"),
    PointError("a conversion factor", Unit("degC"), "use convert"),
    PureNumberError("exp", Unit("m"), "x"),
    ShapeMismatch("matmul", (2, 3), (4, 5), "transpose one"),
    StructureMismatch("scan, for returned,", "(an array,)", "an array"),
    TracedValueError("float(x)", "differentiated", "x.detach()"),
    UndefinedConstantError("planc", ("planck",)),
    UndefinedDimensionError("lenght", ("length",)),
    UndefinedUnitError("metr", ("metre",), "kg*metr", 3),
    UnitChoiceError("floor", Unit("m")),
    UnitConversionError(Unit("km"), Unit("s"), "a hint"),
    UnitCutError("sum", "int64", Unit("km")),
    UnitDefinitionError("smoot =", "no value", "give one"),
    UnitError("a problem", "a hint"),
    UnitFormatError("no style"),
    UnitLossError("float(x)", Unit("m")),
    UnitParseError("m +", 2, "a problem", "a hint"),
    UnitRangeError("too large"),
    UnsupportedFunction("np.polyfit", "every coefficient has a unit of its own", "a hint"),
    WireFormatError("damaged", "send it again"),
]
PUBLIC = [getattr(errors, name) for name in errors.__all__]


def fields(error: DimflowError) -> dict[str, object]:
    return {name: value for name, value in vars(error).items() if not name.startswith("_")}


class TestEveryClass:
    def test_each_has_an_example(self) -> None:
        assert {type(e) for e in EXAMPLES} | {DimflowError} == set(PUBLIC)

    @pytest.mark.parametrize("error", EXAMPLES, ids=lambda e: type(e).__name__)
    @pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
    def test_pickles(self, error: DimflowError, protocol: int) -> None:
        for again in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error),
                      copy.deepcopy(error)):  # fmt: skip
            assert type(again) is type(error)
            assert str(again) == str(error)
            assert fields(again) == fields(error)
            assert getattr(again, "suggestions", ()) == getattr(error, "suggestions", ())

    @pytest.mark.parametrize("error", EXAMPLES, ids=lambda e: type(e).__name__)
    def test_is_one_of_ours(self, error: DimflowError) -> None:
        assert isinstance(error, DimflowError)
        assert str(error)
        assert not str(error).endswith("\n")
        assert type(error).__name__ in repr(error)
        assert inspect.getdoc(type(error))

    @pytest.mark.parametrize(
        ("cls", "bases"),
        [
            (UnitError, (ValueError,)),
            (DimensionError, (UnitError, TypeError)),
            (UnitConversionError, (DimensionError,)),
            (UnitCutError, (UnitChoiceError,)),
            (UndefinedUnitError, (UnitParseError, AttributeError, LookupError)),
            (UndefinedConstantError, (AttributeError, LookupError)),
            (ShapeMismatch, (ValueError,)),
            (ComputationError, (ArithmeticError,)),
            (OutOfMemory, (MemoryError,)),
            (WireFormatError, (UnitError,)),
            (PointError, (UnitError,)),
        ],
    )
    def test_is_what_python_calls_it_too(self, cls: type, bases: tuple[type, ...]) -> None:
        assert all(issubclass(cls, base) for base in bases)

    @pytest.mark.parametrize("error", EXAMPLES, ids=lambda e: type(e).__name__)
    def test_libraries_repeat_it_with_words_of_their_own(self, error: DimflowError) -> None:
        repeated = type(error)(f"while reading 'a': {error}")
        assert "while reading 'a'" in str(repeated).replace("\\", "")
        assert str(pickle.loads(pickle.dumps(repeated))) == str(repeated)
        assert len(error.args) > 1  # one alone is the text

    def test_notes_survive(self) -> None:
        error = UnitError("a problem")
        error.add_note("while reading column 3")
        again = pickle.loads(pickle.dumps(error))
        assert again.__notes__ == ["while reading column 3"]


class TestTexts:
    """The whole text, as users see it."""

    @pytest.mark.parametrize(
        ("error", "text"),
        [
            (
                BackendMismatch("add", "torch", "jax", "convert one of them"),
                (
                    "add got the wrong array library\n  expected: torch\n  actual:   jax\n"
                    "  hint:  convert one of them"
                ),
            ),
            (
                BackendNotInstalled("torch"),
                "the array library 'torch' is not available\n  hint:  pip install 'dimflow[torch]'",
            ),
            (FileFormatError("a.npz", "it ends too early"), "cannot read a.npz: it ends too early"),
            (MissingRule("unique", "batching rule"), "unique has no batching rule"),
            (
                PureNumberError("exp", Unit("km"), "x"),
                (
                    "exp needs a pure number for x, but got\n  km   [length]\n"
                    "  hint:  divide by a quantity of [length] first, such as a reference value"
                ),
            ),
            (
                UnitChoiceError("floor", Unit("m")),
                (
                    "the result of floor depends on the unit, and none was chosen\n"
                    "  hint:  say in which: dimflow.floor(..., unit='m')"
                ),
            ),
            (
                UnitLossError("float(x)", Unit("m")),
                (
                    "float(x) would lose the unit m\n"
                    "  hint:  take the numbers in a unit of your choice: x.to_value('m')"
                ),
            ),
            (
                UnsupportedFunction("np.poly", "a reason"),
                "np.poly is not supported for arrays with units: a reason",
            ),
            (
                DimensionError("concat", Unit("m"), Unit("s"), None, ("arrays[0]", "arrays[1]")),
                (
                    "concat needs arguments of one dimension, but got\n"
                    "  arrays[0]: m   [length]\n  arrays[1]: s   [time]\n"
                    "  hint:  a factor of [length time^-1] (a speed) is missing on arrays[1]"
                ),
            ),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_of_arrays(self, error: DimflowError, text: str) -> None:
        assert str(error) == text

    def test_dimension(self) -> None:
        assert str(DimensionError("add", Unit("km"), Unit("s"))) == (
            "add needs arguments of one dimension, but got\n"
            "  left:  km   [length]\n"
            "  right: s    [time]\n"
            "  hint:  a factor of [length time^-1] (a speed) is missing on the right"
        )

    def test_dimension_of_numbers(self) -> None:
        assert str(DimensionError("add", Unit("J/kg"), Unit(""))) == (
            "add needs arguments of one dimension, but got\n"
            "  left:  J/kg   [specific_energy]\n"
            "  right: 1      [dimensionless]\n"
            "  hint:  a factor of [length^2 time^-2] (a specific energy) is missing on the right"
        )

    def test_conversion(self) -> None:
        with pytest.raises(UnitConversionError) as caught:
            units.convert(1, "nm", "THz")
        assert str(caught.value) == (
            "cannot convert nm to THz\n"
            "  from: nm    [length]\n"
            "  to:   THz   [frequency]\n"
            "  hint:  via='spectral' connects them"
        )

    def test_conversion_of_a_number(self) -> None:
        with pytest.raises(UnitConversionError) as caught:
            units.convert(1, "", "m")
        assert str(caught.value) == (
            "cannot convert a pure number to m\n"
            "  from: 1   [dimensionless]\n"
            "  to:   m   [length]"
        )  # fmt: skip

    def test_parse(self) -> None:
        with pytest.raises(UnitParseError) as caught:
            Unit("kg m + s")
        assert str(caught.value) == (
            "units are multiplied and divided, not added or subtracted\n"
            "  in:    kg m + s\n"
            "              ^\n"
            "  hint:  write negative exponents as m**-1, m^-1 or m-1, and fractions as m^(-1/2)"
        )

    def test_undefined(self) -> None:
        with pytest.raises(UndefinedUnitError) as caught:
            Unit("kg*metr/s")
        assert str(caught.value).startswith(
            "no unit is called 'metr'\n"
            "  in:    kg*metr/s\n"
            "            ^\n"
            "  hint:  did you mean 'metre'"
        )  # fmt: skip
        assert caught.value.name == "metr"
        assert "metre" in caught.value.suggestions

    def test_undefined_attribute(self) -> None:
        with pytest.raises(AttributeError) as caught:
            units.metr  # noqa: B018
        assert "no unit is called 'metr'" in str(caught.value)

    def test_a_long_text_is_shown_around_the_place(self) -> None:
        text = "m*" * 400 + "xyzzy" + "*m" * 400
        with pytest.raises(UndefinedUnitError) as caught:
            Unit(text)
        problem, window, caret, *_ = str(caught.value).splitlines()
        assert problem == "no unit is called 'xyzzy'"
        assert len(window) < 80
        at = caret.index("^")
        assert window[at : at + 5] == "xyzzy"

    @pytest.mark.parametrize(
        "character", ["\0", "\n", "\x1b", "\u200f", "\u202e", "\ud800", "\x7f"]
    )
    def test_a_message_is_printable(self, character: str) -> None:
        for text in (f"m*{character}s", f"m{character}s", f"m*x{character}y"):
            with pytest.raises(UnitError) as caught:
                Unit(text)
            message = str(caught.value)
            assert message.encode("utf-8")
            assert all(c.isprintable() or c == "\n" for c in message)
        with pytest.raises(UnitError) as caught:
            units.Registry().define(f"zq{character}x = 3 m")
        assert str(caught.value).encode("utf-8")
        assert character not in str(caught.value) or character == "\n"

    def test_definition(self) -> None:
        with pytest.raises(UnitDefinitionError) as caught:
            units.Registry().define("zqmoot = 67 inch; colour: red")
        assert str(caught.value) == (
            "'colour' is not a key\n"
            "  in:    zqmoot = 67 inch; colour: red\n"
            "  hint:  keys: binary, cf, counts, field, kind, logbase, logfactor, offset, prefix, "
            "ucum"
        )

    def test_point(self) -> None:
        with pytest.raises(PointError) as caught:
            Unit("degC").conversion_factor("K")
        assert str(caught.value) == (
            "a conversion factor has no meaning for points in degC\n"
            "  hint:  use dimflow.units.convert, or the .delta or .linear unit"
        )
        assert caught.value.unit == Unit("degC")

    def test_format(self) -> None:
        with pytest.raises(UnitFormatError) as caught:
            Unit("m**(1/2)").format("ucum")
        assert str(caught.value) == "UCUM has no fractional exponents, which m**(1/2) needs"

    def test_wire(self) -> None:
        with pytest.raises(WireFormatError) as caught:
            units.decode("dimflow.unit/7|1")
        assert str(caught.value) == (
            "this unit is encoded in version 7, but this dimflow reads 1\n"
            "  hint:  use a newer dimflow to read it"
        )

    def test_constant(self) -> None:
        with pytest.raises(UndefinedConstantError) as caught:
            constants.planc_constant  # noqa: B018
        assert str(caught.value).startswith("no constant is called 'planc_constant'")

    def test_others(self) -> None:
        assert str(ShapeMismatch("matmul", (2, 3), (4, 5), "transpose one")) == (
            "matmul got the wrong shape\n"
            "  expected: (2, 3)\n"
            "  actual:   (4, 5)\n"
            "  hint:  transpose one"
        )
        assert str(OutOfMemory("matmul", 2**40, 2**30, "cuda:0")) == (
            "matmul needs more memory than cuda:0 has\n"
            "  requested: 1,099,511,627,776 bytes\n"
            "  available: 1,073,741,824 bytes"
        )
        assert str(ComputationError("solve", "singular")) == "solve failed: singular"
        assert str(UnitError("a problem")) == "a problem"


class TestFields:
    def test_dimension(self) -> None:
        error = DimensionError("add", Unit("km"), Unit("s"))
        assert (error.operation, error.left, error.right) == ("add", Unit("km"), Unit("s"))
        assert error.left.dimension is Dimension("length")

    def test_conversion(self) -> None:
        error = UnitConversionError(Unit("km"), Unit("s"))
        assert (error.source, error.target) == (error.left, error.right)
        assert error.hint is None

    def test_a_text_is_built_only_when_read(self) -> None:
        class Loud:
            def __str__(self) -> str:
                raise AssertionError("read too early")

        error = PointError("a sum", Loud())
        with pytest.raises(AssertionError, match="too early"):
            str(error)


def raise_there() -> None:
    units.convert(1, "km", "s")


def test_an_error_crosses_processes() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        error = pool.submit(raise_there).exception()
    assert isinstance(error, UnitConversionError)
    assert error.source is Unit("km")
    assert str(error).startswith("cannot convert km to s")
