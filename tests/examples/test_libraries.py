"""The programs of the worked examples on other array libraries, by their engines and by ours."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import dimflow
from dimflow import DimArray
from dimflow import units as u
from examples import adsorption, argon, heat_equation, orbit, pendulum, van_der_waals


def on(library: str, *values: DimArray) -> tuple[DimArray, ...]:
    return tuple(value.to_backend(library) for value in values)


def forces(library: str, engine: str | None) -> DimArray:
    (x,) = on(library, argon.droplet(sides=(2, 2, 2)).x)
    return dimflow.grad(argon.potential, engine=engine)(x)


def swing(library: str, engine: str | None) -> DimArray:
    arguments = on(library, 1.0 * u.m, 9.81 * u.m / u.s**2, 70.0 * u.deg)
    return dimflow.grad(pendulum.period, argnums=2, engine=engine)(*arguments)


def squeeze(library: str, engine: str | None) -> DimArray:
    arguments = on(library, 0.2 * u.L / u.mol, 310.0 * u.K)
    return dimflow.grad(van_der_waals.pressure, engine=engine)(*arguments)


def hearing(library: str, engine: str | None) -> DimArray:
    start, diffusivity = on(library, heat_equation.heated(), heat_equation.COPPER)

    def reading(start: DimArray) -> DimArray:
        return heat_equation.evolve(start, diffusivity, 20)[17]

    return dimflow.grad(reading, engine=engine)(start)


def uptake(library: str, engine: str | None) -> DimArray:
    values = on(library, *adsorption.GUESS.values(), adsorption.PRESSURE, adsorption.VOLUME)
    guess = dict(zip(adsorption.GUESS, values[:2], strict=True))
    slopes = dimflow.grad(adsorption.sum_of_squares, engine=engine)(guess, *values[2:])
    return slopes["affinity"]


def pull(library: str, engine: str | None) -> DimArray:
    (r,) = on(library, orbit.start()[0])
    return dimflow.grad(orbit.potential, engine=engine)(r)


PROGRAMS = [forces, swing, squeeze, hearing, uptake, pull]


@pytest.mark.share(3)
@pytest.mark.parametrize("engine", ["native", "own"])
@pytest.mark.parametrize("library", ["torch", "jax", "mlx"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_every_library_and_engine_gives_what_numpy_gives(
    program: Callable[[str, str | None], DimArray], library: str, engine: str
) -> None:
    expected = program("numpy", None)
    found = program(library, engine)
    assert found.backend == library
    assert found.unit == expected.unit
    size = np.abs(expected.to_value(expected.unit)).max()
    precision = 1e-10 if "float64" in str(found.dtype) else 2e-4
    np.testing.assert_allclose(
        found.to_backend("numpy").to_value(expected.unit),
        expected.to_value(expected.unit),
        rtol=precision,
        atol=precision * size,
    )


QUICK = [adsorption, heat_equation, pendulum, van_der_waals]
LONG = [argon, orbit]


@pytest.mark.parametrize(
    "program",
    [*QUICK, *(pytest.param(program, marks=pytest.mark.deep) for program in LONG)],
    ids=lambda program: program.__name__.partition(".")[2],
)
def test_a_program_draws_its_picture(
    program: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "picture.png"
    program.main(path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out.endswith(f"saved: {path}\n")
