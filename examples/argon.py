"""A droplet of argon: forces in newtons from an energy, and a run that keeps its energy.

The only physics written down is the potential of Lennard-Jones. The force is its gradient, in the
unit that an energy over a length has.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

import dimflow
from dimflow import DimArray, constants
from dimflow import units as u

# A. Rahman, Phys. Rev. 136, A405 (1964)
DEPTH = (constants.k * (120 * u.K)).to("meV")
DIAMETER = 3.4 * u.AA
MASS = 39.948 * u.Da


class State(NamedTuple):
    """Where the atoms are and how fast they move; arrays of shape (atoms, 3)."""

    x: DimArray
    v: DimArray


def potential(x: DimArray) -> DimArray:
    """The energy of Lennard and Jones, over all pairs of atoms."""
    i, j = np.triu_indices(x.shape[0], 1)
    apart = x[i] - x[j]
    s6 = (DIAMETER**2 / dimflow.sum(apart * apart, axis=1)) ** 3
    return 4 * DEPTH * dimflow.sum(s6 * s6 - s6)


def force(x: DimArray) -> DimArray:
    """What each atom feels: minus the gradient of the energy."""
    return -dimflow.grad(potential)(x)


def vibrations(x: DimArray) -> DimArray:
    """Squares of the angular frequencies of all modes, in rising order: stiffness over mass."""
    stiffness = dimflow.hessian(potential)(x).reshape((x.size, x.size))
    return dimflow.linalg.eigvalsh((stiffness / MASS).to("1/ps**2"))


def kinetic(v: DimArray) -> DimArray:
    return (0.5 * MASS * dimflow.sum(v * v)).to("meV")


def total_energy(state: State) -> DimArray:
    return potential(state.x) + kinetic(state.v)


def temperature(v: DimArray) -> DimArray:
    """That of the motion against the centre of mass, which is at rest."""
    freedoms = 3 * (v.shape[0] - 1)
    return (2 * kinetic(v) / (freedoms * constants.k)).to("K")


def step(state: State, a: DimArray, dt: DimArray) -> tuple[State, DimArray]:
    """One step of velocity Verlet, and the acceleration at its end."""
    half = state.v + 0.5 * dt * a
    x = state.x + dt * half
    a = acceleration(x)
    return State(x, half + 0.5 * dt * a), a


def acceleration(x: DimArray) -> DimArray:
    return (force(x) / MASS).to("AA/ps**2")


def run(state: State, dt: DimArray, steps: int) -> list[State]:
    """The states from the first to the last, `steps + 1` of them."""
    a = acceleration(state.x)
    states = [state]
    for _ in range(steps):
        state, a = step(state, a, dt)
        states.append(state)
    return states


def droplet(warmth: DimArray = 30 * u.K, sides: tuple[int, int, int] = (4, 4, 3)) -> State:
    """Atoms on a cubic grid, a little apart from rest, with velocities of a temperature."""
    rng = dimflow.random.default_rng(1964)
    grid = np.stack(np.meshgrid(*map(np.arange, sides), indexing="ij"), -1).reshape(-1, 3)
    x = 1.12 * DIAMETER * (grid - grid.mean(axis=0))
    speed = dimflow.sqrt(constants.k * warmth / MASS).to("AA/ps")
    v = rng.normal(0 * speed, speed, size=x.shape)
    return State(x, v - dimflow.mean(v, axis=0))


def drift(states: list[State]) -> DimArray:
    """The largest departure of the total energy from that of the first state."""
    energies = dimflow.stack([total_energy(state) for state in states])
    return dimflow.max(dimflow.abs(energies - energies[0]))


def picture(
    states: list[State], dt: DimArray, drifts: tuple[DimArray, DimArray], path: Path
) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.8), layout="constrained")
    space = figure.add_subplot(1, 3, 1, projection="3d")
    last = states[-1].x
    pull = dimflow.sqrt(dimflow.sum(force(last) ** 2, axis=1)).to("pN")
    dots = space.scatter(*last.to_value("AA").T, c=pull.to_value("pN"), s=130, cmap="plasma")
    figure.colorbar(dots, ax=space, shrink=0.75, label="force [pN]", pad=0.12)
    space.set(title=f"{len(last)} atoms of argon")
    space.set_axis_off()
    space.set_box_aspect(None, zoom=1.35)

    time = dt * np.arange(len(states))
    energies = figure.add_subplot(1, 3, 2)
    moving = dimflow.stack([kinetic(state.v) for state in states])
    bound = dimflow.stack([potential(state.x) for state in states])
    energies.plot(time.to("ps"), moving.to("eV"), label="kinetic")
    energies.plot(time.to("ps"), bound.to("eV"), label="potential")
    energies.plot(time.to("ps"), (moving + bound).to("eV"), "k", label="total")
    energies.set(title="energies over time")
    energies.legend(loc="center right")

    order = figure.add_subplot(1, 3, 3)
    steps, errors = drifts
    order.loglog(steps.to("fs"), errors.to("meV"), "o-", label="drift")
    slope = errors[-1] * (steps / steps[-1]) ** 2
    order.loglog(steps.to("fs"), slope.to("meV"), "k:", label="∝ step²")
    order.set_xticks(steps.to_value("fs"), [f"{dt:g}" for dt in steps.to_value("fs")])
    order.minorticks_off()
    order.set(title="drift against the step")
    order.legend()
    figure.savefig(path, dpi=110)


def drifts_by_step(state: State, span: DimArray, steps: DimArray) -> DimArray:
    """The drift over one span of time, for several lengths of the step."""
    counts = [round(float(span / dt)) for dt in steps]
    return dimflow.stack([drift(run(state, dt, n)) for dt, n in zip(steps, counts, strict=True)])


def main(path: Path = Path("uses_argon.png")) -> None:
    dt = 10 * u.fs
    states = run(droplet(), dt, 1500)
    print(f"largest force: {dimflow.max(dimflow.abs(force(states[0].x))).to('N'):.3e}")
    print(f"temperature:   {temperature(states[0].v):.1f} -> {temperature(states[-1].v):.1f}")
    print(f"total energy:  {total_energy(states[0]):.4f} -> {total_energy(states[-1]):.4f}")
    steps = [5.0, 10.0, 20.0, 40.0] * u.fs
    drifts = drifts_by_step(states[300], 2 * u.ps, steps)
    picture(states, dt, (steps, drifts), path)
    print(f"saved: {path}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
