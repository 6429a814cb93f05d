"""The tour of first steps."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

WRONG_SUM = """DimensionError: add needs arguments of one dimension, but got
  left:  kg*m/s   [momentum]
  right: kJ       [energy]
  hint:  a factor of [length^-1 time] is missing on the right
"""
WRONG_CHECK = """DimensionError: add needs arguments of one dimension, but got
  left:  kg*m**2/s**2   [energy]
  right: kg*m           [length mass]
"""
CANNOT_CONVERT = """UnitConversionError: cannot convert lbf*s to N
  from: lbf*s   [momentum]
  to:   N       [force]
"""
UNDEFINED = """UndefinedUnitError: no unit is called 'furlng'
  in:    kg/furlng
            ^
  hint:  did you mean 'furlong'?
"""
SCRIPT = Path(__file__).parents[2] / "examples" / "first_steps.py"


def tour(*flags: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *flags, SCRIPT],
        capture_output=True,
        check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", **environment},
    )
    assert done.stderr == b""
    return done.stdout.decode()


@pytest.fixture(scope="module")
def shown() -> str:
    return tour("-W", "error")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("energy", "DimArray([0.0045, 0.016 ], 'kJ')"),
        ('np.sqrt(2 * energy / m).to("km/h")', "DimArray([10.8, 14.4], 'km/h')"),
        ("0.5 * m * v + energy", WRONG_SUM),
        ("np.asarray(energy)", "UnitLossError: np.asarray(x) would lose the unit kJ"),
        ("route", "DimArray([1.909344, 3.609344, 4.609344], 'km')"),
        ("2 * T", "PointError: multiply has no meaning for points in degC"),
        (
            'dimflow.check(kinetic, m="kg[1000000000000]", v="km/h")',
            "<Spec 'kg*km**2/h**2[1000000000000]' [energy]>",
        ),
        ('kinetic(m, v) + m * h, "kg", "m/s", "m")', WRONG_CHECK),
        ("dimflow.grad(stored)([1.0, -2.0] * u.cm)", "DimArray([ 25., -50.], 'mJ/cm')"),
        ('dimflow.grad(stored)([1.0, -2.0] * u.cm).to("N")', "DimArray([ 2.5, -5. ], 'N')"),
        ('print(DimArray.load(f"{folder}/energy.npz"))', "[0.0045 0.016 ] kJ"),
        ('units.convert(65, "mile/hour", "km/h")', "104.60736"),
        ("units.kg * units.m / units.s**2 == units.N", "True"),
        ('units.convert(1000, "lbf*s", "N")', CANNOT_CONVERT),
        ('Unit("kg/furlng")', UNDEFINED),
        (
            "constants.c",
            "<Constant speed of light in vacuum c = 299792458 m/s (exact), CODATA 2022>",
        ),
        ('units.define("smoot = 67 inch = smt")', "Unit('smt')"),
        ('units.convert(20, "degC", "degF")', "68.0"),
        ('units.convert(20, "delta_degC", "delta_degF")', "36.0"),
        ('units.convert(656.28, "nm", "eV", via="spectral")', "1.889"),
        ("capture_output=True, text=True).stdout", r"'1.7018 m/s\n'"),
    ],
)
def test_each_part_shows_what_it_promises(shown: str, line: str, answer: str) -> None:
    assert f"{line}\n{answer}" in shown


def test_only_the_mistakes_that_are_meant_are_made(shown: str) -> None:
    errors = re.findall(r"^(\w+Error): ", shown, re.MULTILINE)
    conversion = "UnitConversionError"
    arrays = ["DimensionError", "UnitLossError", "PointError", "DimensionError"]
    units = [conversion, conversion, "UndefinedUnitError", "PointError", conversion]
    assert errors == arrays + units


def test_it_says_where_to_look_next_and_those_places_exist(shown: str) -> None:
    end = shown.partition("WHERE TO LOOK NEXT")[2]
    pages = re.findall(r"docs/\S+\.md", end)
    assert len(pages) == 4
    assert all((SCRIPT.parents[1] / page).is_file() for page in pages)


def test_it_needs_numpy_alone() -> None:
    run = f"runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    code = f"import runpy, sys; {run}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    tops = {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()}
    others = {"matplotlib", "scipy", "pint", "astropy", "unyt", "hypothesis", "pytest"}
    assert "numpy" in tops
    assert not tops & others


def test_a_terminal_without_unicode_is_no_crash(shown: str) -> None:
    plain = tour(PYTHONIOENCODING="ascii")
    assert plain.isascii()
    assert len(plain.splitlines()) == len(shown.splitlines())


def test_it_fits_a_hundred_columns_but_for_hints(shown: str) -> None:
    long = [line for line in shown.splitlines() if len(line) > 100]
    assert all(line.startswith("  hint:") for line in long)
