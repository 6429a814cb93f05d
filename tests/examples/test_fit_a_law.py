"""The fit that `make demo` shows: a law, its forces, a caught mistake and a picture."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from scipy.constants import e as charge
from scipy.optimize import curve_fit

import dimflow
from dimflow import DimArray
from dimflow import units as u
from examples import fit_a_law as demo

SCRIPT = Path(demo.__file__)
ENERGY_FOR_FORCE = """DimensionError: subtract needs arguments of one dimension, but got
    left:  eV   [energy]
    right: nN   [force]
    hint:  a factor of [length] (a length) is missing on the right
"""
RATE_WITHOUT_UNIT = """DimensionError: subtract needs arguments of one dimension, but got
    left:  eV     [energy]
    right: 1/eV   [length^-2 mass^-1 time^2]
"""


def shown_by(*flags: str, **environment: str) -> str:
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
    return shown_by("-W", "error")


def morse_force(r: np.ndarray, depth: float, length: float, width: float) -> np.ndarray:
    """The derivative written by hand; pm and eV in, nN out."""
    stretch = np.exp(-(r - length) / width)
    slope = 2 * depth * (1 - stretch) * stretch / width
    return -slope * charge / 1e-12 * 1e9


def numbers(bond: demo.Parameters) -> list[float]:
    return [bond[name].to_value(demo.TRUTH[name].unit) for name in demo.TRUTH]


def last(steps: int) -> tuple[DimArray, demo.Parameters]:
    r, measured = demo.measure()
    for _, found in zip(range(steps + 1), demo.descend(demo.GUESS, r, measured), strict=False):
        end = found
    return end


def test_the_derivative_of_the_energy_is_a_force_in_newtons() -> None:
    r = dimflow.linspace(0.2 * u.nm, 0.6 * u.nm, 50)
    found = demo.force(r, **demo.TRUTH)
    assert found.unit == u.nN
    expected = morse_force(r.to_value("pm"), *numbers(demo.TRUTH))
    np.testing.assert_allclose(found.to_value("nN"), expected, rtol=1e-12, atol=1e-13)


def test_the_fit_ends_where_scipys_ends() -> None:
    r, measured = demo.measure()
    value, bond = last(2 * demo.STEPS)
    start = numbers(demo.GUESS)
    expected, covariance = curve_fit(
        morse_force, r.to_value("pm"), measured.to_value("nN"), start, xtol=1e-12
    )
    np.testing.assert_allclose(numbers(bond), expected, rtol=1e-4)
    errors = np.sqrt(np.diag(covariance))
    assert (np.abs(np.array(numbers(bond)) - numbers(demo.TRUTH)) < 3 * errors).all()
    assert 0.5 < float(value) < 1.5


def test_a_gradient_of_the_misfit_is_its_difference_in_its_unit() -> None:
    r, measured = demo.measure()
    gradient = dimflow.grad(demo.misfit)(demo.GUESS, r, measured)
    for name, value in demo.GUESS.items():
        h = 1e-6 * value
        ahead, behind = (
            demo.misfit({**demo.GUESS, name: value + s * h}, r, measured) for s in (1, -1)
        )
        assert gradient[name].unit == value.unit**-1
        difference = ((ahead - behind) / (2 * h)).to_value(gradient[name].unit)
        assert gradient[name].to_value() == pytest.approx(difference, rel=1e-6)


def test_the_misfit_falls() -> None:
    r, measured = demo.measure()
    steps = zip(range(demo.STEPS), demo.descend(demo.GUESS, r, measured), strict=False)
    values = [float(value) for _, (value, _) in steps]
    assert values[-1] < 0.05 * values[0]
    assert values[-1] == pytest.approx(min(values), rel=1e-6)


def test_the_bond_is_a_spring() -> None:
    depth, width = 2.3 * charge, 55e-12
    expected = 2 * depth / width**2
    assert demo.stiffness(demo.TRUTH).to_value("N/m") == pytest.approx(expected, rel=1e-12)


def test_it_shows_forces_and_mistakes(shown: str) -> None:
    assert re.search(r"so the force is -3\.\d+ nN, or -3\.\d+e-09 N\n", shown)
    assert ENERGY_FOR_FORCE in shown
    assert RATE_WITHOUT_UNIT in shown
    assert re.findall(r"\b(\w+Error): ", shown) == ["DimensionError"] * 2
    assert re.search(r"^\[=+\]  200 misfit +1\.00 ", shown, re.MULTILINE)
    assert "a spring of 243 N/m" in shown


def test_it_saves_a_picture_and_says_where(shown: str) -> None:
    path = Path(re.search(r"^saved: (.*)$", shown, re.MULTILINE)[1])
    assert path == SCRIPT.parents[1] / "build" / "fit_a_law.svg"
    root = ET.fromstring(path.read_text(encoding="utf-8"))
    ns = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{ns}circle")) == 60
    assert len(root.findall(f"{ns}polyline")) == 2
    texts = [t.text for t in root.iter(f"{ns}text")]
    assert {"distance [pm]", "force [nN]"} <= set(texts)


def test_a_folder_that_cannot_be_written_to_is_no_crash(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "build").write_text("a file where a folder should be")
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "examples" / "fit_a_law.py"))
    path = demo.save("<svg/>")
    assert path.read_text(encoding="utf-8") == "<svg/>"
    assert tmp_path not in path.parents


def test_points_lie_where_the_axes_say() -> None:
    chart = demo.Chart([0.0, 10.0] * u.m, [0.0, 4.0] * u.N, "x", "F")
    places = list(chart.places([0, 500, 1000] * u.cm, [0, 2000, 4000] * u.mN))
    left, right = chart.left, chart.width - chart.right
    bottom, top = chart.height - chart.bottom, chart.top
    assert places == [(left, bottom), ((left + right) / 2, (top + bottom) / 2), (right, top)]


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-3.4, 5.6), (1e-9, 7e-9), (-2e6, 13e6), (199, 201)]
)
def test_ticks_are_round_and_enclose_the_data(low: float, high: float) -> None:
    found = demo.ticks(np.array([low, (low + high) / 2, high]))
    assert found[0] <= low
    assert found[-1] >= high
    assert 4 <= len(found) <= 12
    np.testing.assert_allclose(np.diff(found), found[1] - found[0], rtol=1e-6)


def test_it_says_where_to_look_next_and_those_places_exist(shown: str) -> None:
    end = shown.partition("WHERE TO LOOK NEXT")[2]
    places = re.findall(r"(?:docs|examples)/[\w/.]+", end)
    assert len(places) == 4
    assert all((SCRIPT.parents[1] / place).exists() for place in places)


def test_it_needs_numpy_alone() -> None:
    run = f"runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    code = f"import runpy, sys; {run}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    tops = {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()}
    others = {"matplotlib", "scipy", "torch", "jax", "mlx", "pint", "astropy", "pytest"}
    assert "numpy" in tops
    assert not tops & others


def test_a_terminal_without_unicode_is_no_crash(shown: str) -> None:
    plain = shown_by(PYTHONIOENCODING="ascii")
    assert plain.isascii()
    assert len(plain.splitlines()) == len(shown.splitlines())


def test_it_fits_a_hundred_columns(shown: str) -> None:
    assert [line for line in shown.splitlines() if len(line) > 100 and "saved" not in line] == []


def test_a_mistake_that_is_none_is_noticed() -> None:
    with pytest.raises(AssertionError, match="went through"):
        demo.caught(lambda: 1 * u.m + 1 * u.km)
