"""Newton's method on a gas: molar volumes, the critical point, and where liquid and vapour meet.

Every derivative of van der Waals' law is taken from the law. A step of Newton's method is a value
over a derivative, so its unit comes out right or the program stops.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import dimflow
from dimflow import DimArray, constants
from dimflow import units as u

# Carbon dioxide: CRC Handbook of Chemistry and Physics, van der Waals constants for gases
A = 3.658 * u.bar * u.L**2 / u.mol**2
B = 0.0429 * u.L / u.mol

System = Callable[[DimArray, DimArray], tuple[DimArray, DimArray]]


def pressure(volume: DimArray, temperature: DimArray) -> DimArray:
    """Van der Waals' law: molecules have a size, and attract each other."""
    return (constants.R * temperature / (volume - B) - A / volume**2).to("bar")


def molar_volume(p: DimArray, temperature: DimArray, guess: DimArray | None = None) -> DimArray:
    """The volume of a mole at a pressure, by Newton's method from that of an ideal gas.

    A step takes at most half of the room between the molecules, or adds as much again.
    """
    volume = (constants.R * temperature / p).to("L/mol") if guess is None else guess
    for _ in range(50):
        slope = dimflow.grad(pressure)(volume, temperature)  # in bar*mol/L
        step, room = (pressure(volume, temperature) - p) / slope, volume - B
        volume = volume - dimflow.clip(step, -room, room / 2)
        if abs(step) <= 1e-14 * volume:
            break
    return volume


def volume_at(p: DimArray, temperature: DimArray) -> DimArray:
    """The same by a solver whose answer has derivatives, by pressure and by temperature."""

    def excess(volume: DimArray, p: DimArray, temperature: DimArray) -> DimArray:
        return pressure(volume, temperature) - p

    guess = (constants.R * temperature / p).to("L/mol")
    return dimflow.implicit.root(excess, guess, (p, temperature))


def expansion(p: DimArray, temperature: DimArray) -> DimArray:
    """The part of its volume that the gas gains by a kelvin, at one pressure."""
    by_temperature = dimflow.grad(volume_at, argnums=1)(p, temperature)
    return by_temperature / volume_at(p, temperature)


def compressibility(volume: DimArray, temperature: DimArray) -> DimArray:
    """The part of its volume that the gas loses by a bar of pressure."""
    return -1 / (volume * dimflow.grad(pressure)(volume, temperature))


def solved(system: System, x: DimArray, y: DimArray) -> tuple[DimArray, DimArray]:
    """Newton's method on two equations in two unknowns, all four of them in units of their own.

    The matrix of derivatives has four units, and Cramer's rule works with any.
    """
    for _ in range(60):
        first, second = system(x, y)
        (a, b), (c, d) = dimflow.jacobian(system, argnums=(0, 1))(x, y)
        determinant = a * d - b * c
        dx, dy = (first * d - second * b) / determinant, (a * second - c * first) / determinant
        x, y = x - dx, y - dy
        if abs(dx) <= 1e-13 * x and abs(dy) <= 1e-13 * y:
            break
    return x, y


def critical_point() -> tuple[DimArray, DimArray, DimArray]:
    """Volume, temperature and pressure where an isotherm has a level point of inflection."""

    def level(volume: DimArray, temperature: DimArray) -> tuple[DimArray, DimArray]:
        slope = dimflow.grad(pressure)
        return slope(volume, temperature), dimflow.grad(slope)(volume, temperature)

    volume, temperature = solved(level, 0.12 * u.L / u.mol, 300.0 * u.K)
    return volume, temperature, pressure(volume, temperature)


def coexistence(
    temperature: DimArray, liquid: DimArray, vapour: DimArray
) -> tuple[DimArray, DimArray]:
    """The volumes of liquid and vapour in balance, from guesses: Maxwell's equal areas."""

    def balance(liquid: DimArray, vapour: DimArray) -> tuple[DimArray, DimArray]:
        p = pressure(vapour, temperature)
        heat = constants.R * temperature * dimflow.log((vapour - B) / (liquid - B))
        work = heat + A * (1 / vapour - 1 / liquid)
        return pressure(liquid, temperature) - p, work - p * (vapour - liquid)

    return solved(balance, liquid, vapour)


def dome(critical: DimArray, lowest: float = 0.78, count: int = 50) -> tuple[DimArray, ...]:
    """Temperatures below the critical one, and the volumes of both phases there."""
    below = dimflow.geomspace(2e-4, 1 - lowest, count)
    temperatures = critical * (1 - below)
    spread = 2 * below[0] ** 0.5  # of densities close to the critical point, as the law has it
    pair = 3 * B / (1 + spread), 3 * B / (1 - spread)
    volumes = []
    for temperature in temperatures:
        pair = coexistence(temperature, *pair)
        volumes.append(pair)
    liquid, vapour = zip(*volumes, strict=True)
    return temperatures, dimflow.stack(liquid), dimflow.stack(vapour)


def picture(path: Path) -> None:
    from matplotlib.figure import Figure

    v_c, t_c, p_c = critical_point()
    temperatures, liquid, vapour = dome(t_c)
    volumes = dimflow.geomspace(0.065 * u.L / u.mol, 0.6 * u.L / u.mol, 400)
    figure = Figure(figsize=(7, 4.4), layout="constrained")
    axes = figure.add_subplot()
    for part in (0.85, 0.9, 0.95, 1.0, 1.05, 1.1):
        isotherm = pressure(volumes, part * t_c)
        axes.plot(volumes, isotherm, label=f"{part * t_c:.0f}", color=f"C{round(20 * part) - 17}")
    both = dimflow.concat([dimflow.flip(liquid), vapour])
    heights = pressure(both, dimflow.concat([dimflow.flip(temperatures), temperatures]))
    axes.plot(both, heights, "k--", label="liquid and vapour")
    axes.plot(v_c, p_c, "ko")
    axes.annotate(
        "critical point",
        (v_c, p_c),
        (0.2 * u.L / u.mol, 110 * u.bar),
        arrowprops={"arrowstyle": "-"},
    )
    axes.set_xlim(0.06 * u.L / u.mol, 0.6 * u.L / u.mol)
    axes.set_ylim(0 * u.bar, 150 * u.bar)
    axes.set(xlabel="molar volume [L/mol]", ylabel="pressure [bar]")
    axes.set_title("carbon dioxide, as van der Waals has it")
    axes.legend()
    figure.savefig(path, dpi=110)


def main(path: Path = Path("uses_van_der_waals.png")) -> None:
    volume = molar_volume(50 * u.bar, 320 * u.K)
    slope = dimflow.grad(pressure)(volume, 320.0 * u.K)
    print(f"at 50 bar and 320 K a mole takes {volume:.5f}")
    print(f"dp/dV there: {slope:.2f}, that is {slope.to('Pa*mol/m**3'):.4e}")
    print(f"compressibility: {compressibility(volume, 320.0 * u.K):.5f}")
    print(f"expansion: {expansion(50.0 * u.bar, 320.0 * u.K):.5f}")
    v_c, t_c, p_c = critical_point()
    print(f"critical point: {v_c:.5f}, {t_c:.2f}, {p_c:.3f}")
    picture(path)
    print(f"saved: {path}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
