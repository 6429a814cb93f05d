"""How the period of a pendulum depends on its length, on gravity and on how far it swings.

The period is Gauss's: the arithmetic-geometric mean of 1 and cos(amplitude / 2). Its derivatives
say which error of measurement counts, each in its own unit.
"""

import sys
from pathlib import Path

import numpy as np

import dimflow
from dimflow import DimArray
from dimflow import units as u


def agm(x: DimArray, y: DimArray) -> DimArray:
    """The arithmetic-geometric mean; every turn doubles the number of right digits."""
    for _ in range(6):
        x, y = (x + y) / 2, dimflow.sqrt(x * y)
    return x


def period(length: DimArray, gravity: DimArray, amplitude: DimArray) -> DimArray:
    """The time of a full swing, for any amplitude below a half turn."""
    small = 2 * np.pi * dimflow.sqrt(length / gravity)
    return (small / agm(1.0, dimflow.cos(amplitude / 2))).to("s")


def sensitivities(length: DimArray, gravity: DimArray, amplitude: DimArray) -> tuple[DimArray, ...]:
    """The derivatives of the period by all three."""
    return dimflow.grad(period, argnums=(0, 1, 2))(length, gravity, amplitude)


def error_budget(values: tuple[DimArray, ...], errors: tuple[DimArray, ...]) -> list[DimArray]:
    """What each independent error of measurement adds to that of the period."""
    slopes = sensitivities(*values)
    return [abs(slope * error).to("ms") for slope, error in zip(slopes, errors, strict=True)]


def measured_gravity(length: DimArray, time: DimArray, amplitude: DimArray) -> DimArray:
    """Gravity from a measured period: Newton's method on the law of the pendulum."""
    gravity = 10.0 * u.m / u.s**2
    for _ in range(6):
        slope = dimflow.grad(period, argnums=1)(length, gravity, amplitude)
        gravity = gravity - (period(length, gravity, amplitude) - time) / slope
    return gravity


def picture(path: Path) -> None:
    from matplotlib.figure import Figure

    gravity = 9.81 * u.m / u.s**2
    amplitude = dimflow.linspace(1 * u.deg, 170 * u.deg, 120)
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    times, slopes = figure.subplots(1, 2)
    for length in [0.5, 1.0, 2.0] * u.m:
        times.plot(amplitude, period(length, gravity, amplitude), label=f"{length:.1f}")
        by_amplitude = dimflow.grad(lambda a, l: dimflow.sum(period(l, gravity, a)))
        slope = by_amplitude(amplitude, length)
        slopes.semilogy(amplitude, slope.to("ms/deg"), label=f"{length:.1f}")
    times.set(title="period", xlabel="amplitude [deg]")
    slopes.set(title="its derivative by the amplitude", xlabel="amplitude [deg]")
    times.legend(title="length")
    figure.savefig(path, dpi=110)


def main(path: Path = Path("uses_pendulum.png")) -> None:
    values = 1.0 * u.m, 9.81 * u.m / u.s**2, 20.0 * u.deg
    errors = 1.0 * u.mm, 0.005 * u.m / u.s**2, 1.0 * u.deg
    print(f"period: {period(*values):.5f}")
    names = "length", "gravity", "amplitude"
    slopes, parts = sensitivities(*values), error_budget(values, errors)
    for name, slope, error, part in zip(names, slopes, errors, parts, strict=True):
        print(f"  by {name:10} {slope:.5f}; an error of {error} makes {part:.3f}")
    print(
        f"gravity from a period of 2.0214 s: {measured_gravity(values[0], 2.0214 * u.s, values[2])}"
    )
    picture(path)
    print(f"saved: {path}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
