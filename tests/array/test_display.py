"""repr, str, f-strings and Jupyter: numbers and the unit, once each."""

import asyncio
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import dimflow
from dimflow import DimArray, Unit, units
from dimflow.errors import UnitFormatError
from tests.array.strategies import arrays


@pytest.mark.parametrize(
    ("array", "shown", "printed"),
    [
        (DimArray([1.0, 2.5], "m/s"), "DimArray([1. , 2.5], 'm/s')", "[1.  2.5] m/s"),
        (DimArray([1, 2], "m"), "DimArray([1, 2], 'm')", "[1 2] m"),
        (DimArray(5.0, "m"), "DimArray(5.0, 'm')", "5.0 m"),
        (DimArray(np.float32(0.5), "m"), "DimArray(0.5, 'm', dtype='float32')", "0.5 m"),
        (DimArray(np.float32(0.1), "m"), "DimArray(0.1, 'm', dtype='float32')", "0.1 m"),
        (DimArray([True, False]), "DimArray([ True, False])", "[ True False]"),
        (DimArray([1 + 2j], "V"), "DimArray([1.+2.j], 'V')", "[1.+2.j] V"),
        (DimArray([np.nan, np.inf], "m"), "DimArray([nan, inf], 'm')", "[nan inf] m"),
        (DimArray([1.0]), "DimArray([1.])", "[1.]"),
        (DimArray([], "m"), "DimArray([], 'm', dtype='float64')", "[] m"),
        (
            DimArray(np.zeros((0, 3)), "m"),
            "DimArray([], 'm', shape=(0, 3), dtype='float64')",
            "[] m",
        ),
        (
            DimArray([[1.0, 2.0], [3.0, 4.0]], "kg"),
            "DimArray([[1., 2.],\n          [3., 4.]], 'kg')",
            "[[1. 2.]\n [3. 4.]] kg",
        ),
    ],
    ids=str,
)
def test_repr_and_str(array: DimArray, shown: str, printed: str) -> None:
    assert repr(array) == shown
    assert str(array) == printed


@given(arrays())
def test_a_repr_evaluates_to_the_array(x: DimArray) -> None:
    if not x.size:
        return
    with np.printoptions(floatmode="unique", threshold=10**6):
        again = eval(repr(x))
    assert again.unit is x.unit
    np.testing.assert_array_equal(again.data, x.data)
    assert again.shape == x.shape


def test_long_arrays_are_abbreviated_and_not_written_out() -> None:
    text = repr(DimArray(np.arange(10.0**6), "m"))
    assert "..., " in text
    assert len(text) < 200


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (".3f", "3.142 m/s**2"),
        ("", "3.14159 m/s**2"),
        (".2e", "3.14e+00 m/s**2"),
        ("+08.2f", "+0003.14 m/s**2"),
        (".2f~P", "3.14 m/s²"),
        (".2f unicode", "3.14 m/s²"),
        ("unicode", "3.14159 m/s²"),
        (".2fP", "3.14 metre/second²"),
        (".1f compact", "3.1 " + format(Unit("m/s**2"), "compact")),
        (".2f latex", r"3.14\ " + Unit("m/s**2").format("latex")),
        (",.1f", "3.1 m/s**2"),
    ],
)
def test_f_strings(spec: str, expected: str) -> None:
    assert format(DimArray(3.14159, "m/s**2"), spec) == expected


def test_f_strings_of_arrays() -> None:
    assert f"{DimArray([1.0, 20.5], 'km'):.2f}" == "[1.00 20.50] km"
    assert f"{DimArray([1, 20]):03d}" == "[001 020]"


@pytest.mark.parametrize("spec", [".2q", ".3f nonsense", "\x00", "5x5"])
def test_wrong_formats_are_named(spec: str) -> None:
    with pytest.raises(UnitFormatError):
        format(DimArray(1.5, "m"), spec)


def test_options_hold_within_a_block() -> None:
    x = DimArray([1 / 3, 2 / 3], "m**2")
    plain = str(x)
    with dimflow.display(precision=2, style="unicode"):
        assert str(x) == "[0.33 0.67] m²"
        assert str(x[0]) == "0.33 m²"
        assert f"{x[0]:.1f}" == "0.3 m²"
        with dimflow.display(precision=1):
            assert str(x) == "[0.3 0.7] m²"
        with dimflow.display(threshold=1, edgeitems=1):
            assert "..." in str(DimArray(np.arange(9.0), "m"))
    assert str(x) == plain
    with pytest.raises(UnitFormatError, match="colour"), dimflow.display(colour="red"):
        raise AssertionError
    with pytest.raises(UnitFormatError), dimflow.display(style="nonsense"):
        raise AssertionError


def test_options_are_of_one_thread_and_task() -> None:
    x = DimArray([1 / 3], "m")
    seen: dict[str, str] = {}

    async def task(name: str, precision: int) -> None:
        with dimflow.display(precision=precision):
            await asyncio.sleep(0)
            seen[name] = str(x)

    async def both() -> None:
        await asyncio.gather(task("one", 1), task("three", 3))

    with dimflow.display(precision=5):
        asyncio.run(both())
        thread = threading.Thread(target=lambda: seen.update(thread=str(x)))
        thread.start()
        thread.join()
    assert seen == {"one": "[0.3] m", "three": "[0.333] m", "thread": "[0.33333333] m"}


def test_html() -> None:
    assert DimArray(5.0, "m")._repr_html_() == "<span>5.0</span> m"
    table = DimArray([[1.0, 2.0]], "m/s")._repr_html_()
    assert table == "<table><caption>m/s</caption><tr><td>1</td><td>2</td></tr></table>"
    assert "<pre>" in DimArray(np.zeros((2, 2, 2)), "m")._repr_html_()


def test_latex() -> None:
    assert DimArray(5.0, "m")._repr_latex_() == r"$5\ \mathrm{m}$"
    assert DimArray(1e20)._repr_latex_() == r"$1 \times 10^{20}$"
    matrix = DimArray([[1.0, np.inf]], "m")._repr_latex_()
    assert matrix == r"$\begin{bmatrix} 1 & \infty \end{bmatrix}\ \mathrm{m}$"
    assert DimArray(np.zeros(1000), "m")._repr_latex_() is None


def test_products_of_units_are_shown_once(capsys: Any) -> None:
    print(DimArray([1.0, 2.0], "kg") * (3 * units.m / units.s) ** 2)
    assert capsys.readouterr().out == "[ 9. 18.] kg*m**2/s**2\n"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1e-20 + 2j, r"1 \times 10^{-20}+2j"),
        (complex(np.inf, 1e30), r"\infty+1 \times 10^{30}j"),
        (-np.inf, r"-\infty"),
        (np.nan, r"\mathrm{nan}"),
    ],
)
def test_numbers_in_latex(value: complex, shown: str) -> None:
    assert DimArray(value, "V")._repr_latex_() == rf"${shown}\ \mathrm{{V}}$"


@pytest.mark.parametrize(
    "options", [{"precision": "x"}, {"precision": -1}, {"threshold": 1.5}, {"edgeitems": True}]
)
def test_counts_that_are_none(options: dict[str, Any]) -> None:
    with pytest.raises(UnitFormatError, match="is a count"), dimflow.display(**options):
        raise AssertionError("it was accepted")


STYLES = ["plain", "compact", "unicode", "latex", "html", "siunitx", "cf", "ucum"]


@pytest.mark.parametrize("style", STYLES)
def test_every_style_of_units_is_a_format_of_arrays(style: str) -> None:
    """`cf` and `compact` are no formats c and f of numbers."""
    x = DimArray(5.0, "km/h")
    for spec, number in ((style, "5.0"), (f".2f {style}", "5.00")):
        text = format(x, spec)
        assert text.startswith(number)
        assert text.endswith(Unit("km/h").format(style))
    assert format(x, "e") == "5.000000e+00 km/h"
