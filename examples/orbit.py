"""An orbit's state-transition matrix: four blocks, each with its own unit.

It says how a small change of place and velocity now becomes one later. An error ellipsoid is
carried along with it, and the flow of a Hamiltonian keeps its symplectic form.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

import dimflow
from dimflow import DimArray, constants
from dimflow import units as u

GM = (1.0 * constants.GM_earth).to("km**3/s**2")

# E. Forest and R. D. Ruth, Physica D 43, 105 (1990): three leaps make a step of fourth order
_OUTER = 1 / (2 - 2 ** (1 / 3))
LEAPS = (_OUTER, 1 - 2 * _OUTER, _OUTER)

Pair = tuple[DimArray, DimArray]


class Blocks(NamedTuple):
    """The derivatives of place and velocity later by place and velocity now."""

    rr: DimArray  # a pure number
    rv: DimArray  # s
    vr: DimArray  # 1/s
    vv: DimArray  # a pure number


def potential(r: DimArray) -> DimArray:
    """The energy of a unit of mass in the field of the Earth."""
    return -GM / dimflow.linalg.vector_norm(r)


def acceleration(r: DimArray) -> DimArray:
    return -dimflow.grad(potential)(r).to("km/s**2")


def leap(r: DimArray, v: DimArray, dt: DimArray) -> Pair:
    """Drift, kick, drift: a symplectic step."""
    r = r + 0.5 * dt * v
    v = v + dt * acceleration(r)
    return r + 0.5 * dt * v, v


def flow(r: DimArray, v: DimArray, time: DimArray, steps: int = 200) -> Pair:
    """Place and velocity after a time."""
    dt = time / steps
    for _ in range(steps):
        for part in LEAPS:
            r, v = leap(r, v, part * dt)
    return r, v


def transition(r: DimArray, v: DimArray, time: DimArray, steps: int = 200) -> Blocks:
    """The state-transition matrix over a time, in blocks of 3×3."""
    later = dimflow.jacobian(lambda r, v: flow(r, v, time, steps), argnums=(0, 1), mode="forward")
    (rr, rv), (vr, vv) = later(r, v)
    return Blocks(rr, rv, vr, vv)


def covariance(blocks: Blocks, place: DimArray, speed: DimArray) -> DimArray:
    """The covariance of the place later, of errors now that are alike in all directions."""
    return place**2 * blocks.rr @ blocks.rr.T + speed**2 * blocks.rv @ blocks.rv.T


def period(r: DimArray, v: DimArray) -> DimArray:
    """The time of one turn, from the energy."""
    energy = dimflow.sum(v * v) / 2 + potential(r)
    axis = -GM / (2 * energy)
    return (2 * np.pi * dimflow.sqrt(axis**3 / GM)).to("min")


def start() -> Pair:
    """At the perigee, 700 km up, fast enough for an ellipse of eccentricity 0.3."""
    r = 700 * u.km + constants.R_earth
    speed = dimflow.sqrt(GM * 1.3 / r)
    tilt = 28.5 * u.deg
    place = dimflow.stack([r, 0 * r, 0 * r])
    return place, dimflow.stack([0 * speed, speed * dimflow.cos(tilt), speed * dimflow.sin(tilt)])


def plane(r: DimArray, v: DimArray) -> np.ndarray:
    """Two directions in the plane of the orbit, as rows: outward, and forward."""
    return np.stack([(x / dimflow.linalg.vector_norm(x)).to_value() for x in (r, v)])


def ellipse(matrix: np.ndarray, sigmas: float = 2.0) -> np.ndarray:
    """The outline of a normal distribution in the plane, from its covariance."""
    sizes, axes = np.linalg.eigh(matrix)
    turn = np.linspace(0, 2 * np.pi, 80)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    return sigmas * axes @ (np.sqrt(sizes)[:, None] * circle)


def cloud(r: DimArray, v: DimArray, time: DimArray, place: DimArray, speed: DimArray) -> DimArray:
    """Where two hundred satellites with such errors are later: the whole swarm in one batch."""
    rng = dimflow.random.default_rng(7)
    many_r = r + rng.normal(0 * place, place, size=(200, 3))
    many_v = v + rng.normal(0 * speed, speed, size=(200, 3))
    return dimflow.vmap(lambda r, v: flow(r, v, time)[0])(many_r, many_v)


def picture(path: Path) -> None:
    from matplotlib.figure import Figure

    (r, v), place, speed = start(), 100 * u.m, 0.1 * u.m / u.s
    turn, axes_of_plane = period(r, v), plane(r, v)
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    path_axes, cloud_axes = figure.subplots(1, 2)
    times = turn * np.linspace(0, 1, 9)
    path_axes.plot(*(track(r, v, turn).to_value("Mm") @ axes_of_plane.T).T, "C0", linewidth=1)
    for t in times[1:]:
        spread = covariance(transition(r, v, t), place, speed).to_value("Mm**2")
        outline = ellipse(axes_of_plane @ spread @ axes_of_plane.T, 600.0)
        centre = axes_of_plane @ flow(r, v, t)[0].to_value("Mm")
        path_axes.fill(*(outline + centre[:, None]), color="C3", alpha=0.35)
    path_axes.add_patch(earth())
    path_axes.set(aspect="equal", xlabel="Mm", ylabel="Mm", title="errors along an orbit, × 300")

    swarm = cloud(r, v, turn, place, speed) - flow(r, v, turn)[0]
    cloud_axes.plot(*(swarm.to_value("km") @ axes_of_plane.T).T, ".", label="200 satellites")
    spread = covariance(transition(r, v, turn), place, speed).to_value("km**2")
    outline = ellipse(axes_of_plane @ spread @ axes_of_plane.T)
    cloud_axes.plot(*outline, "C3", label="2σ, by the matrix")
    cloud_axes.set(xlabel="outward [km]", ylabel="forward [km]", title="after one turn")
    cloud_axes.legend()
    figure.savefig(path, dpi=110)


def track(r: DimArray, v: DimArray, time: DimArray, count: int = 120) -> DimArray:
    """Places along the way, the last one after the time."""
    places = [r]
    for _ in range(count):
        r, v = flow(r, v, time / count, 3)
        places.append(r)
    return dimflow.stack(places)


def earth() -> object:
    from matplotlib.patches import Circle

    return Circle((0, 0), constants.R_earth.to_value("Mm"), color="C0", alpha=0.3)


def main(path: Path = Path("uses_orbit.png")) -> None:
    r, v = start()
    turn = period(r, v)
    print(f"period: {turn:.3f}")
    for name, block in transition(r, v, turn)._asdict().items():
        print(f"{name}, in {block.unit}:\n{np.array2string(block.to_value(), precision=3)}")
    picture(path)
    print(f"saved: {path}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
