"""The adjoint of the heat equation: what one thermometer says about the whole past of a rod.

One pass back through all time steps gives the derivative of a reading, or of a misfit, by every
initial temperature and by the diffusivity. Temperatures are points (°C), their derivatives are per
difference of temperature.
"""

import sys
from pathlib import Path

import numpy as np

import dimflow
from dimflow import DimArray
from dimflow import units as u

LENGTH = 50.0 * u.cm
CELLS = 60
DX = LENGTH / CELLS
DT = 0.25 * u.s
COPPER = 1.11 * u.cm**2 / u.s
PLACES = DX * (np.arange(CELLS) + 0.5)


def step(warmth: DimArray, diffusivity: DimArray) -> DimArray:
    """A time step of the rod, whose ends are insulated: nothing flows where nothing differs."""
    flow = dimflow.diff(warmth, prepend=warmth[:1], append=warmth[-1:])
    return warmth + (diffusivity * DT / DX**2) * dimflow.diff(flow)


def evolve(
    warmth: DimArray, diffusivity: DimArray, steps: int, checkpoint: bool = True
) -> DimArray:
    """The temperatures after many steps; on the way back, most of them are computed again."""

    def advance(now: DimArray, _: None) -> tuple[DimArray, None]:
        return step(now, diffusivity), None

    return dimflow.scan(advance, warmth, length=steps, checkpoint=checkpoint)[0]


def heated() -> DimArray:
    """A rod at 20 °C that was heated at two places."""
    x = PLACES.to_value("cm")
    bumps = 60 * np.exp(-(((x - 15) / 3) ** 2)) + 35 * np.exp(-(((x - 36) / 4) ** 2))
    return DimArray(20.0 + bumps, "degC")


def influence(place: int, diffusivity: DimArray, steps: int) -> DimArray:
    """How a thermometer's last reading depends on each initial temperature."""
    return dimflow.grad(lambda start: evolve(start, diffusivity, steps)[place])(heated())


def misfit(start: DimArray, diffusivity: DimArray, measured: DimArray, steps: int) -> DimArray:
    """The squares of what the law misses, in units of a thermometer's error of 0.1 K."""
    rest = evolve(start, diffusivity, steps) - measured
    return dimflow.sum((rest / (0.1 * u.delta_degC)) ** 2)


def found_diffusivity(
    start: DimArray, measured: DimArray, steps: int, guess: DimArray, rounds: int = 8
) -> DimArray:
    """The diffusivity that explains the measured temperatures, by Gauss and Newton."""
    value = guess
    for _ in range(rounds):
        now, change = dimflow.jvp(lambda d: evolve(start, d, steps), (value,), (1.0 * guess.unit,))
        slope = change / (1.0 * guess.unit)
        value = value - dimflow.sum(slope * (now - measured)) / dimflow.sum(slope * slope)
    return value


def picture(path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.6), layout="constrained")
    warm, back = figure.subplots(1, 2)
    for seconds in (0, 10, 40, 160):
        now = evolve(heated(), COPPER, round(float(seconds * u.s / DT)))
        warm.plot(PLACES.to("cm"), now, label=f"{seconds} s")
    warm.set(xlabel="place [cm]", ylabel="temperature [°C]", title="a copper rod cools")
    warm.legend(title="after")
    for seconds in (2, 10, 40, 160):
        steps = round(float(seconds * u.s / DT))
        back.plot(PLACES.to("cm"), influence(CELLS // 3, COPPER, steps), label=f"{seconds} s")
    back.axvline(PLACES[CELLS // 3].to("cm"), color="gray", linestyle=":")
    back.set(
        xlabel="place [cm]", ylabel="kelvin per kelvin", title="what the dotted thermometer heard"
    )
    back.legend(title="after")
    figure.savefig(path, dpi=110)


def main(path: Path = Path("uses_heat_equation.png")) -> None:
    steps = 160
    measured = evolve(heated(), COPPER, steps)
    found = found_diffusivity(heated(), measured, steps, 0.6 * u.cm**2 / u.s)
    print(f"diffusivity: {found.to('mm**2/s'):.3f} (truth: {COPPER.to('mm**2/s'):.3f})")
    by_start, by_diffusivity = dimflow.grad(misfit, argnums=(0, 1))(
        heated(), 1.0 * u.cm**2 / u.s, measured, steps
    )
    print(f"misfit by diffusivity: {by_diffusivity:.1f}")
    print(f"misfit by initial temperatures: {by_start.shape} numbers in {by_start.unit}")
    picture(path)
    print(f"saved: {path}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
