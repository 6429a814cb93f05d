"""Fit a physical law to noisy data, with units: what `make demo` shows. It needs NumPy alone.

A force microscope has measured the force between two silicon atoms at sixty distances. The law is
Morse's energy of a bond. Its derivative by the distance is a force, in newtons; gradient descent on
its three parameters finds the bond.
"""

import inspect
import math
import os
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import DimflowError

Parameters = dict[str, DimArray]

TRUTH: Parameters = {"depth": 2.3 * u.eV, "length": 235.0 * u.pm, "width": 55.0 * u.pm}
GUESS: Parameters = {"depth": 1.5 * u.eV, "length": 250.0 * u.pm, "width": 70.0 * u.pm}
SCALE: Parameters = {"depth": 1.0 * u.eV, "length": 10.0 * u.pm, "width": 20.0 * u.pm}
NOISE = 0.15 * u.nN
STEPS = 200


def energy(r: DimArray, depth: DimArray, length: DimArray, width: DimArray) -> DimArray:
    """Morse's law: the energy of a bond that is stretched to the distance r."""
    stretch = dimflow.exp(-(r - length) / width)
    return depth * ((1 - stretch) ** 2 - 1)


def force(r: DimArray, **bond: DimArray) -> DimArray:
    """Minus the derivative of the energy: what the two atoms feel, positive if it parts them."""
    return -dimflow.grad(lambda r: dimflow.sum(energy(r, **bond)))(r).to("nN")


def measure(count: int = 60, seed: int = 2) -> tuple[DimArray, DimArray]:
    """Distances, and the forces there as an instrument shows them."""
    r = dimflow.linspace(0.22 * u.nm, 0.5 * u.nm, count)
    noise = dimflow.random.default_rng(seed).normal(0 * u.nN, NOISE, size=count)
    return r, force(r, **TRUTH) + noise


def misfit(bond: Parameters, r: DimArray, measured: DimArray) -> DimArray:
    """The mean square of the residuals in units of the noise: a pure number, 1 at best."""
    return dimflow.mean(((force(r, **bond) - measured) / NOISE) ** 2)


def descend(
    bond: Parameters, r: DimArray, measured: DimArray, rate: float = 0.003, momentum: float = 0.9
) -> Iterator[tuple[DimArray, Parameters]]:
    """Walk downhill, and give the misfit and the parameters of every step.

    A gradient by the depth is in 1/eV and a depth in eV, so that a step needs a rate in eV². The
    scale of each parameter, squared, gives it its own.
    """
    steps = {name: 0 * value for name, value in bond.items()}
    slope = dimflow.value_and_grad(misfit)
    while True:
        value, downhill = slope(bond, r, measured)
        yield value, bond
        steps = {n: momentum * steps[n] - rate * SCALE[n] ** 2 * downhill[n] for n in bond}
        bond = {n: bond[n] + steps[n] for n in bond}


def stiffness(bond: Parameters) -> DimArray:
    """The second derivative of the energy where the bond is at rest: a spring's constant."""
    return -dimflow.grad(lambda r: force(r, **bond))(bond["length"]).to("N/m")


def main() -> None:
    sys.stdout.reconfigure(errors="replace")  # a terminal without Unicode shows "?"
    r, measured = measure()
    say(f"dimflow {dimflow.__version__} fits a law of physics to noisy data")
    say(BEGINNING)
    say("\nA LAW, AND ITS FORCE")
    say(indented(inspect.getsource(energy) + "\n" + inspect.getsource(force)))
    near = 0.26 * u.nm
    say(f"energy at {near}: {energy(near, **TRUTH):.3f}")
    say(f"its derivative: {dimflow.grad(energy)(near, *TRUTH.values()):.3f}")
    say(f"so the force is {force(near, **TRUTH):.3f}, or {force(near, **TRUTH).to('N'):.3e}")

    say("\nA MISTAKE, CAUGHT")
    say("An energy is compared with a measured force:")
    say(caught(lambda: energy(r, **GUESS) - measured))
    say("A step of gradient descent forgets that a rate has a unit:")
    gradient = dimflow.grad(misfit)(GUESS, r, measured)
    say(caught(lambda: GUESS["depth"] - 0.01 * gradient["depth"]))

    say("\nTHE FIT")
    for step, (value, bond) in zip(range(STEPS + 1), descend(GUESS, r, measured), strict=False):
        progress(step, value, bond)
    say(f"{'':10}{'guess':>14}{'found':>14}{'truth':>14}")
    for name in TRUTH:
        row = "".join(f"{f'{x[name]:.3f}':>14}" for x in (GUESS, bond, TRUTH))
        say(f"{name:10}{row}")
    say(f"The bond is a spring of {stiffness(bond):.0f} (truth: {stiffness(TRUTH):.0f}).")

    say("\nTHE PICTURE")
    say(f"saved: {save(picture(r, measured, bond))}")
    say(END)


BEGINNING = """
A microscope has felt the force between two silicon atoms at sixty distances. Morse's law has three
parameters: how deep the well is, how long the bond, how wide the well. The data fix them."""
END = """
WHERE TO LOOK NEXT
  .venv/bin/python examples/first_steps.py   a tour of units, arrays, checks, constants
  docs/guide/derivatives.md                  gradients, Jacobians, Hessians, loops, batches
  docs/guide/uses/                           six more uses: molecules, pendulum, gas, heat, orbit
  docs/guide/arrays.md                       units in five minutes"""


def caught(mistake: Callable[[], object]) -> str:
    """The text of the error that a mistake makes."""
    try:
        mistake()
    except DimflowError as error:
        return indented(f"{type(error).__name__}: {error}")
    raise AssertionError("a mistake went through")


def indented(text: str) -> str:
    return textwrap.indent(text.rstrip(), "  ")


def progress(step: int, value: DimArray, bond: Parameters) -> None:
    """One line that is written over, or a line every fifty steps where that cannot be."""
    width = 24
    done = round(width * step / STEPS)
    found = ", ".join(f"{x:.3f}" for x in bond.values())
    line = f"[{'=' * done}{' ' * (width - done)}] {step:4} misfit {float(value):9.2f}  {found}"
    if sys.stdout.isatty():
        print(f"\r{line:<96}", end="\n" if step == STEPS else "", flush=True)
    elif step % 50 == 0:
        print(line)


def say(text: str) -> None:
    shows_bold = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for line in text.split("\n"):
        print(f"\x1b[1m{line}\x1b[0m" if shows_bold and line.isupper() else line)


def picture(r: DimArray, measured: DimArray, bond: Parameters) -> str:
    """The data, the first guess and the law that was found, as SVG."""
    fine = dimflow.linspace(r[0], r[-1], 300)
    chart = Chart(r.to("pm"), measured.to("nN"), "distance", "force")
    chart.line(fine, force(fine, **GUESS), "first guess", "#999999", dashed=True)
    chart.line(fine, force(fine, **bond), "Morse's law, fitted", "#c0392b")
    chart.dots(r, measured, "measured", "#2c5f8a")
    return chart.svg()


TEXT = 'font-family="sans-serif" font-size="14" fill="#222"'


class Chart:
    """A chart of quantities against quantities, written as SVG by hand."""

    width, height, left, bottom, top, right = 720, 440, 78, 56, 24, 20

    def __init__(self, x: DimArray, y: DimArray, x_name: str, y_name: str) -> None:
        self.x_unit, self.y_unit = x.unit, y.unit
        self.x_ticks, self.y_ticks = ticks(x.to_numpy()), ticks(y.to_numpy())
        self.labels = f"{x_name} [{x.unit}]", f"{y_name} [{y.unit}]"
        self.marks: list[str] = []
        self.legend: list[tuple[str, str]] = []

    def line(self, x: DimArray, y: DimArray, name: str, colour: str, dashed: bool = False) -> None:
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in self.places(x, y))
        dashes = ' stroke-dasharray="6 5"' if dashed else ""
        style = f'fill="none" stroke="{colour}" stroke-width="2.2"{dashes}'
        self.marks.append(f'<polyline points="{points}" {style} clip-path="url(#plot)"/>')
        self.legend.append((name, colour))

    def dots(self, x: DimArray, y: DimArray, name: str, colour: str) -> None:
        for a, b in self.places(x, y):
            self.marks.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.2" fill="{colour}"/>')
        self.legend.append((name, colour))

    def places(self, x: DimArray, y: DimArray) -> Iterator[tuple[float, float]]:
        """Where quantities lie in the picture; they may come in any unit of their axis."""
        across, along = x.to_numpy(self.x_unit), y.to_numpy(self.y_unit)
        yield from zip(map(self.across, across), map(self.along, along), strict=True)

    def across(self, value: float) -> float:
        part = (value - self.x_ticks[0]) / (self.x_ticks[-1] - self.x_ticks[0])
        return self.left + part * (self.width - self.left - self.right)

    def along(self, value: float) -> float:
        part = (value - self.y_ticks[0]) / (self.y_ticks[-1] - self.y_ticks[0])
        return self.height - self.bottom - part * (self.height - self.bottom - self.top)

    def svg(self) -> str:
        size = f'width="{self.width}" height="{self.height}"'
        view = f'viewBox="0 0 {self.width} {self.height}"'
        wide, high = self.width - self.left - self.right, self.height - self.bottom - self.top
        frame = f'x="{self.left}" y="{self.top}" width="{wide}" height="{high}"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} {TEXT}>',
            f'<clipPath id="plot"><rect {frame}/></clipPath>',
            '<rect width="100%" height="100%" fill="white"/>',
            *self.grid(),
            *self.marks,
            f'<rect {frame} fill="none" stroke="#444"/>',
            *self.names(),
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def grid(self) -> Iterator[str]:
        floor, edge = self.height - self.bottom, self.width - self.right
        for value in self.x_ticks:
            x = self.across(value)
            yield f'<path d="M{x:.1f} {floor}V{self.top}" stroke="#e4e4e4"/>'
            yield f'<text x="{x:.1f}" y="{floor + 20}" text-anchor="middle">{value:g}</text>'
        for value in self.y_ticks:
            y = self.along(value)
            yield f'<path d="M{self.left} {y:.1f}H{edge}" stroke="#e4e4e4"/>'
            yield f'<text x="{self.left - 8}" y="{y + 5:.1f}" text-anchor="end">{value:g}</text>'

    def names(self) -> Iterator[str]:
        centre = (self.left + self.width - self.right) / 2
        middle = (self.top + self.height - self.bottom) / 2
        turned = f'transform="rotate(-90 20 {middle})"'
        foot = f'x="{centre}" y="{self.height - 12}"'
        yield f'<text {foot} text-anchor="middle">{self.labels[0]}</text>'
        yield f'<text x="20" y="{middle}" text-anchor="middle" {turned}>{self.labels[1]}</text>'
        for row, (name, colour) in enumerate(self.legend):
            x, y = self.width - 210, self.top + 26 + 22 * row
            yield f'<rect x="{x}" y="{y - 6}" width="22" height="4" fill="{colour}"/>'
            yield f'<text x="{x + 30}" y="{y + 1}">{name}</text>'


def ticks(values: np.ndarray) -> list[float]:
    """Round numbers that enclose the values, about six of them."""
    low, high = float(values.min()), float(values.max())
    power = 10.0 ** math.floor(math.log10((high - low) / 6))
    step = min((power * k for k in (1, 2, 5, 10)), key=lambda s: abs((high - low) / s - 6))
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(k * step, 12) for k in range(first, last + 1)]


def save(text: str, name: str = "fit_a_law.svg") -> Path:
    """Write the picture into build/, or where temporary files go if that cannot be."""
    folder = Path(__file__).resolve().parents[1] / "build"
    try:
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="dimflow-"))
        (folder / name).write_text(text, encoding="utf-8")
    return folder / name


if __name__ == "__main__":
    main()
