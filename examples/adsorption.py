"""Least squares with standard errors: gas that a surface takes up, against its pressure.

The data are those of Misra1a in NIST's reference datasets for nonlinear regression, whose answers
are certified to eleven digits. NIST gives bare numbers, a volume and a pressure; 760 as the largest
pressure suggests torr, and cm³ are assumed for the volume.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import dimflow
from dimflow import DimArray
from dimflow import units as u

PRESSURE = (
    [
        77.6,
        114.9,
        141.1,
        190.8,
        239.9,
        289.0,
        332.8,
        378.4,
        434.8,
        477.3,
        536.8,
        593.1,
        689.1,
        760.0,
    ]
) * u.torr
VOLUME = (
    [
        10.07,
        14.73,
        17.94,
        23.93,
        29.61,
        35.18,
        40.02,
        44.82,
        50.76,
        55.05,
        61.01,
        66.40,
        75.47,
        81.78,
    ]
) * u.cm**3

Parameters = dict[str, DimArray]
GUESS: Parameters = {"capacity": 500.0 * u.cm**3, "affinity": 1e-4 / u.torr}  # NIST's, the far one


def law(parameters: Parameters, pressure: DimArray) -> DimArray:
    """The volume that is taken up: a surface fills as its free places become rare."""
    filled = 1 - dimflow.exp(-parameters["affinity"] * pressure)
    return parameters["capacity"] * filled


class Fit(NamedTuple):
    """Parameters, their covariances by pairs, and the scatter of the data about the law."""

    parameters: Parameters
    covariance: dict[str, Parameters]
    scatter: DimArray

    def error(self, name: str) -> DimArray:
        """The standard error of a parameter, in its own unit."""
        return dimflow.sqrt(self.covariance[name][name])


def slopes(parameters: Parameters, x: DimArray) -> Parameters:
    """The derivative of every value of the law by each parameter, in [volume]/[parameter]."""
    return dimflow.jacobian(law)(parameters, x)


def design(parameters: Parameters, x: DimArray) -> DimArray:
    """What the law would change by if each parameter changed by its own size: all in one unit."""
    found = slopes(parameters, x)
    return dimflow.stack([found[name] * parameters[name] for name in parameters], axis=1)


def fit(parameters: Parameters, x: DimArray, y: DimArray, rounds: int = 20) -> Fit:
    """Least squares by Gauss and Newton, a step being halved until it leads downhill."""
    for _ in range(rounds):
        matrix, rest = design(parameters, x), y - law(parameters, x)
        step = dimflow.linalg.solve(matrix.T @ matrix, matrix.T @ rest)
        parameters = downhill(parameters, dict(zip(parameters, step, strict=True)), x, y)
    return with_errors(parameters, x, y)


def downhill(
    parameters: Parameters, step: dict[str, DimArray], x: DimArray, y: DimArray
) -> Parameters:
    before = sum_of_squares(parameters, x, y)
    for halvings in range(30):
        moved = {k: p * (1 + step[k] / 2**halvings) for k, p in parameters.items()}
        if sum_of_squares(moved, x, y) < before:
            return moved
    return parameters


def with_errors(parameters: Parameters, x: DimArray, y: DimArray) -> Fit:
    """The covariance of the parameters, from the Jacobian where the fit ended."""
    matrix = design(parameters, x)
    scatter = dimflow.sqrt(sum_of_squares(parameters, x, y) / (len(x) - len(parameters)))
    relative = scatter**2 * dimflow.linalg.inv(matrix.T @ matrix)
    covariance = {
        row: {column: relative[i, j] * p * q for j, (column, q) in enumerate(parameters.items())}
        for i, (row, p) in enumerate(parameters.items())
    }
    return Fit(parameters, covariance, scatter)


def sum_of_squares(parameters: Parameters, x: DimArray, y: DimArray) -> DimArray:
    return dimflow.sum((y - law(parameters, x)) ** 2)


def picture(found: Fit, path: Path) -> None:
    from matplotlib.figure import Figure

    fine = dimflow.linspace(0 * u.torr, 800 * u.torr, 200)
    gradient = slopes(found.parameters, fine)
    spread = sum(
        gradient[a] * gradient[b] * found.covariance[a][b] for a in gradient for b in gradient
    )
    band = 2 * dimflow.sqrt(spread)
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    curve, rests = figure.subplots(1, 2)
    curve.plot(fine.to("kPa"), law(found.parameters, fine), "C3", label="fitted law")
    curve.plot(PRESSURE.to("kPa"), VOLUME, "o", label="NIST, Misra1a")
    curve.set(xlabel="pressure [kPa]", ylabel="volume [cm³]", title="uptake of a gas")
    curve.legend()
    rest = (VOLUME - law(found.parameters, PRESSURE)).to("mm**3")
    rests.fill_between(fine.to("kPa"), -band.to("mm**3"), band.to("mm**3"), color="C3", alpha=0.25)
    rests.errorbar(PRESSURE.to("kPa"), rest, yerr=found.scatter.to("mm**3"), fmt="o")
    rests.axhline(0, color="C3")
    rests.set(
        xlabel="pressure [kPa]", ylabel="residual [mm³]", title="what is left, with the law's ±2σ"
    )
    figure.savefig(path, dpi=110)


def main(path: Path = Path("uses_adsorption.png")) -> None:
    found = fit(GUESS, PRESSURE, VOLUME)
    for name, value in found.parameters.items():
        print(f"{name:10} {value:.6g} ± {found.error(name):.2g}")
    shared = found.covariance["capacity"]["affinity"]
    print(f"covariance {shared:.3g}")
    print(f"scatter    {found.scatter:.4f}")
    picture(found, path)
    print(f"saved: {path}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
