"""implicit.root, fixed_point, argmin: derivatives against analysis, differences and unrolling."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, grad, implicit, jvp, value_and_grad
from dimflow.backends import backend
from dimflow.errors import (
    ComputationError,
    DimensionError,
    NotANumber,
    ShapeMismatch,
    StructureMismatch,
    UnitError,
)
from tests.autodiff.chosen_engines import engines
from tests.transforms.libraries import each_library, make, quiet_torch, same

pytestmark = quiet_torch


def side(area: Any, start: Any = None) -> Any:
    """The side of a square, as a root."""
    start = dimflow.sqrt(area).detach() * 1.7 if start is None else start
    return implicit.root(lambda x, area: x**2 - area, start, (area,))


def test_of_no_unknowns_there_are_no_values() -> None:
    nothing = DimArray(np.zeros(0), "m")
    area = DimArray(4.0, "m**2")
    for found in (
        implicit.root(lambda x: x**2 - area, nothing),
        implicit.fixed_point(lambda x: (x + area / x) / 2, nothing),
        implicit.argmin(lambda x: dimflow.sum(x**2), nothing),
    ):
        assert (found.shape, str(found.unit)) == ((0,), "m")
    slope = grad(lambda a: dimflow.sum(implicit.root(lambda x, a: x**2 - a, nothing, (a,))))(area)
    assert slope.to_value("1/m") == 0.0


@engines("numpy-usual", "torch-own", "mlx-usual", "array_api_strict-usual")
def test_a_root_and_its_derivatives(library: str, engine: str | None) -> None:
    area = make(library, 2.0, "m**2")
    start = make(library, 100.0, "cm")

    def length(area: Any) -> Any:
        return side(area, start)

    same(length(area), 2.0**0.5, "m")
    same(grad(length, engine=engine)(area), 0.5 * 2.0**-0.5, "1/m")
    same(jvp(length, (area,), (area,), engine=engine)[1], 0.5 * 2.0**0.5, "m")
    second = grad(grad(length, engine=engine), engine=engine)(area)
    same(second, -0.25 * 2.0**-1.5, "1/m**3", rtol=1e-4)
    for guess in (lambda _: make(library, 100.0, "cm"), lambda area: area / start):
        found = grad(lambda area, guess=guess: side(area, guess(area)), engine=engine)(area)
        same(found, 0.5 * 2.0**-0.5, "1/m")


@engines("numpy-usual", "torch-usual", "jax-usual", "mlx-usual", "mlx-own")
def test_what_is_differentiated_is_an_argument_or_an_error(
    library: str, engine: str | None
) -> None:
    start = make(library, 1.0, "m")
    with pytest.raises(
        ComputationError, match=r"^implicit\.root failed: it uses a (value|tensor) "
    ):
        grad(lambda area: implicit.root(lambda x: x**2 - area, start), engine=engine)(
            make(library, 2.0, "m**2")
        )


@engines("numpy-usual", "torch-own", "mlx-own", "mlx-usual")
def test_a_batch_of_roots(library: str, engine: str | None) -> None:
    areas = make(library, [2.0, 3.0, 40.0], "m**2")
    start = make(library, 1.0, "m")

    def slope(area: Any) -> Any:
        return grad(lambda a: side(a, start), engine=engine)(area)

    if library == "mlx" and engine is None:
        with pytest.raises(Exception, match=r"vmap|values|eval"):
            dimflow.vmap(slope)(areas)  # its loop depends on values, which MLX does not show
        return
    found = dimflow.vmap(slope, engine=engine)(areas)
    same(found, 0.5 * np.asarray([2.0, 3.0, 40.0]) ** -0.5, "1/m")
    total = grad(
        lambda a: dimflow.sum(dimflow.vmap(lambda b: side(b, start), engine=engine)(a)),
        engine=engine,
    )
    same(total(areas), 0.5 * np.asarray([2.0, 3.0, 40.0]) ** -0.5, "1/m")


@dataclasses.dataclass
class State:
    volume: Any
    temperature: Any


def gas(state: Any, pressure: Any, energy: Any) -> dict[str, Any]:
    """A mole of a van der Waals gas whose pressure and inner energy are known."""
    a, b = DimArray(0.1382, "Pa*m**6/mol**2"), DimArray(3.186e-5, "m**3/mol")
    n, gas_constant = DimArray(1.0, "mol"), dimflow.constants.R
    volume, temperature = state.volume, state.temperature
    law = (pressure + a * n**2 / volume**2) * (volume - n * b) - n * gas_constant * temperature
    inner = 1.5 * n * gas_constant * temperature - a * n**2 / volume
    return {"law": law, "energy": inner - energy}


def state_of(pressure: Any, energy: Any, linear: str = "auto") -> Any:
    start = State(DimArray(20.0, "L"), DimArray(400.0, "K"))
    return implicit.root(gas, start, (pressure, energy), linear=linear)


@pytest.mark.parametrize("linear", ["direct", "iterative"])
def test_unknowns_of_several_units(linear: str) -> None:
    pressure, energy = DimArray(1.0, "bar"), DimArray(4.0, "kJ")
    found = state_of(pressure, energy)
    rest = gas(found, pressure, energy)
    assert abs(rest["law"]) < DimArray(1e-9, "J")
    assert abs(rest["energy"]) < DimArray(1e-9, "J")
    assert str(found.volume.unit) == "L"

    def parts(p: Any, e: Any) -> tuple[Any, Any]:
        state = state_of(p, e, linear)
        return state.volume, state.temperature

    for place, unit in ((0, "L"), (1, "K")):
        slopes = grad(lambda p, e, i=place: parts(p, e)[i], (0, 1))(pressure, energy)
        step = 1e-6
        higher, lower = parts(pressure * (1 + step), energy), parts(pressure * (1 - step), energy)
        known = ((higher[place] - lower[place]) / (2 * step * pressure)).to_value(f"{unit}/bar")
        same(slopes[0], known, f"{unit}/bar", rtol=1e-6)
        higher, lower = parts(pressure, energy * (1 + step)), parts(pressure, energy * (1 - step))
        known = ((higher[place] - lower[place]) / (2 * step * energy)).to_value(f"{unit}/kJ")
        same(slopes[1], known, f"{unit}/kJ", rtol=1e-6)


def test_the_answer_does_not_depend_on_the_units_chosen() -> None:
    found = state_of(DimArray(1.0, "bar"), DimArray(4.0, "kJ"))
    start = State(DimArray(2e7, "mm**3"), DimArray(0.4, "kK"))
    other = implicit.root(gas, start, (DimArray(1e5, "Pa"), DimArray(4e10, "erg")))
    same(other.volume, found.volume.to_value("L"), "L", rtol=1e-9)
    same(other.temperature, found.temperature.to_value("K"), "K", rtol=1e-9)


@settings(max_examples=30)
@given(
    unit=st.sampled_from(["mm", "m", "km", "inch", "lightyear"]),
    area_unit=st.sampled_from(["mm**2", "hectare", "acre", "km**2"]),
    area=st.floats(1e-6, 1e6),
    ratio=st.floats(0.01, 100.0),
)
def test_derivatives_do_not_depend_on_units_nor_on_the_start(
    unit: str, area_unit: str, area: float, ratio: float
) -> None:
    """d√A/dA, from starts that are wrong by two orders of magnitude either way."""
    given_area = DimArray(area, area_unit)
    root_in_metres = given_area.to_value("m**2") ** 0.5
    start = DimArray(ratio * root_in_metres, "m").to(unit)
    value, slope = value_and_grad(lambda a: side(a, start))(given_area)
    assert value.unit == start.unit
    same(value, root_in_metres, "m", rtol=1e-9)
    same(slope, 0.5 / root_in_metres, "1/m", rtol=1e-9)


@engines("numpy-usual", "torch-usual", "mlx-own")
def test_a_fixed_point_differentiates_as_the_unrolled_loop(
    library: str, engine: str | None
) -> None:
    """Kepler's equation, E = M + e sin E."""
    anomaly, eccentricity = make(library, 1.0, ""), make(library, 0.3, "")

    def step(angle: Any, anomaly: Any, eccentricity: Any) -> Any:
        return anomaly + eccentricity * dimflow.sin(angle)

    def solved(anomaly: Any, eccentricity: Any) -> Any:
        return implicit.fixed_point(step, anomaly.detach(), (anomaly, eccentricity))

    def unrolled(anomaly: Any, eccentricity: Any) -> Any:
        angle = anomaly
        for _ in range(60):
            angle = step(angle, anomaly, eccentricity)
        return angle

    found = value_and_grad(solved, (0, 1), engine=engine)(anomaly, eccentricity)
    known = value_and_grad(unrolled, (0, 1), engine="own")(anomaly, eccentricity)
    same(found[0], known[0].detach().to_numpy(""), "")
    for slope, expected in zip(found[1], known[1], strict=True):
        same(slope, expected.detach().to_numpy(expected.unit), str(expected.unit))


def test_newton_finds_a_fixed_point_that_repels() -> None:
    def away(x: Any, a: Any) -> Any:
        return a - 1.5 * x

    a = DimArray(1.25, "m")
    with pytest.raises(ComputationError, match="no solution after 50 steps"):
        implicit.fixed_point(away, DimArray(0.6, "m"), (a,), max_steps=50)
    found = implicit.fixed_point(away, DimArray(0.6, "m"), (a,), solver="newton")
    same(found, 0.5, "m")


@engines("numpy-usual", "torch-own", "mlx-usual")
def test_a_minimum_and_its_derivatives(library: str, engine: str | None) -> None:
    """The mean position between springs: k1 (x - a)² + k2 (x - b)², with a quartic beside."""
    a, b = make(library, 1.0, "m"), make(library, 300.0, "cm")

    def place(a: Any, b: Any) -> Any:
        def energy(x: Any, a: Any, b: Any) -> Any:
            near, far = DimArray(2.0, "N/m"), DimArray(1.0, "N/m")
            return 0.5 * near * (x - a) ** 2 + 0.5 * far * (x - b) ** 2

        return implicit.argmin(energy, a.detach(), (a, b))

    same(place(a, b), 5.0 / 3.0, "m")
    by_a, by_b = grad(place, (0, 1), engine=engine)(a, b)
    same(by_a, 2.0 / 3.0, "", rtol=1e-4)
    same(by_b, 1.0 / 3.0, "", rtol=1e-4)


def rosenbrock(x: Any, a: Any, b: Any) -> Any:
    one = DimArray(1.0, "m")
    return (a - x[0]) ** 2 + b * (x[1] - x[0] ** 2 / one) ** 2


def test_a_hard_minimum_against_differences_and_scipy() -> None:
    a, b = DimArray(1.2, "m"), DimArray(100.0)
    start = DimArray([-1.2, 1.0], "m")
    found = implicit.argmin(rosenbrock, start, (a, b))
    same(found, [1.2, 1.44], "m", rtol=1e-8)

    def by_scipy(loss: Any, x0: Any) -> Any:
        numbers = scipy.optimize.minimize(
            lambda x: loss(DimArray(x, "m")).to_value("m**2"), x0.to_value("m"), tol=1e-12
        )
        return DimArray(numbers.x, "m")

    def second(a: Any, **options: Any) -> Any:
        return implicit.argmin(rosenbrock, start, (a, b), **options)[1]

    same(grad(second)(a), 2.4, "", rtol=1e-7)
    same(grad(lambda a: second(a, solver=by_scipy))(a), 2.4, "", rtol=1e-4)
    same(grad(grad(second))(a), 2.0, "1/m", rtol=1e-6)


def chain(x: Any, force: Any) -> Any:
    """Springs in a row that stiffen with length."""
    ends = dimflow.concat([0 * x[:1], x, 0 * x[:1]])
    lengths = dimflow.diff(ends)
    stiff, stiffer = DimArray(3.0, "N/m"), DimArray(0.5, "N/m**3")
    return dimflow.diff(stiff * lengths + stiffer * lengths**3) + force


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_large_systems_need_no_matrix(mode: str) -> None:
    n = 60
    rng = np.random.default_rng(1)
    force, weights = DimArray(rng.normal(size=n), "N"), rng.normal(size=n)

    def work(force: Any, linear: str) -> Any:
        x = implicit.root(chain, DimArray(np.zeros(n), "m"), (force,), linear=linear)
        return dimflow.sum(weights * x)

    if mode == "reverse":
        direct, free = (grad(work)(force, linear) for linear in ("direct", "iterative"))
    else:
        direct, free = (
            jvp(lambda f, k=linear: work(f, k), (force,), (force,))[1]
            for linear in ("direct", "iterative")
        )
    same(free, direct.to_value(direct.unit), str(direct.unit), rtol=1e-6)


def test_the_matrix_free_derivative_has_derivatives() -> None:
    force = DimArray([0.3, -0.2, 0.7], "N")

    def work(force: Any, linear: str) -> Any:
        x = implicit.root(chain, DimArray(np.zeros(3), "m"), (force,), linear=linear)
        return dimflow.sum(x**2)

    def curvature(linear: str) -> Any:
        return grad(lambda f: dimflow.sum(grad(work)(f, linear) ** 2))(force)

    direct, free = curvature("direct"), curvature("iterative")
    same(free, direct.to_value(direct.unit), str(direct.unit), rtol=1e-6)


def ops_of_gradient(start: float) -> tuple[int, int]:
    """How many ops the solver and the way back run, from a start that is near or far."""
    ran: list[str] = []
    numpy = backend("numpy")
    kernel = numpy.run

    def noting(op: Any, args: Any, params: Any) -> Any:
        ran.append(op.name)
        return kernel(op, args, params)

    numpy.run = noting  # type: ignore[method-assign]
    try:
        _, pull = dimflow.vjp(lambda a: side(a, DimArray(start, "m")), DimArray(2.0, "m**2"))
        there = len(ran)
        pull(DimArray(1.0))
    finally:
        del numpy.run  # type: ignore[attr-defined]
    return there, len(ran) - there


def test_the_gradient_costs_the_same_however_long_the_solver_took() -> None:
    near, far = ops_of_gradient(1.41), ops_of_gradient(1e6)
    assert far[0] > 3 * near[0]
    assert far[1] == near[1]


def test_what_closes_over_a_value_is_refused() -> None:
    def closing(area: Any) -> Any:
        return implicit.root(lambda x: x**2 - area, DimArray(1.0, "m"))

    same(closing(DimArray(4.0, "m**2")), 2.0, "m")
    with pytest.raises(ComputationError, match="pass it as an argument"):
        grad(closing)(DimArray(4.0, "m**2"))


def test_there_is_no_derivative_by_the_start() -> None:
    area = DimArray(2.0, "m**2")
    same(grad(lambda x: side(area, x))(DimArray(1.0, "m")), 0.0, "")


def test_tolerances_have_units() -> None:
    area, start = DimArray(2.0, "m**2"), DimArray(1.0, "m")

    def found(tolerance: Any) -> float:
        x = implicit.root(lambda x, a: x**2 - a, start, (area,), tolerance=tolerance)
        return abs(float((x**2 - area).to_value("m**2")))

    assert 1e-4 < found(DimArray(100.0, "cm**2")) <= 1e-2
    assert found(DimArray(1e-6, "m**2")) <= 1e-6
    with pytest.raises(DimensionError, match="tolerance"):
        found(DimArray(1e-6, "m"))
    with pytest.raises(StructureMismatch, match="one tolerance"):
        found([DimArray(1e-6, "m**2")] * 2)


def test_a_solver_that_fails_says_where_it_ended() -> None:
    with pytest.raises(ComputationError) as caught:
        implicit.root(lambda x: x**2 + DimArray(1.0, "m**2"), DimArray(3.0, "m"), max_steps=20)
    text = str(caught.value)
    assert "no solution after" in text
    assert "m**2" in text
    assert "max_steps" in text


def test_on_jax_it_compiles_and_a_failure_is_nan() -> None:
    def length(area: Any) -> Any:
        return side(DimArray(area, "m**2"), DimArray(jnp.asarray(1.0), "m")).to_value("m")

    np.testing.assert_allclose(jax.jit(length)(2.0), 2.0**0.5)
    np.testing.assert_allclose(jax.jit(jax.grad(length))(2.0), 0.5 * 2.0**-0.5)
    np.testing.assert_allclose(jax.jit(jax.hessian(length))(2.0), -0.25 * 2.0**-1.5)
    assert np.isnan(jax.jit(length)(-2.0))


def test_units_are_checked_without_data() -> None:
    spec = dimflow.check(lambda a: side(a, DimArray(1.0, "m")), "m**2")
    assert str(spec) == "m"
    with pytest.raises(DimensionError):
        dimflow.check(lambda a: side(a, DimArray(1.0, "m")), "m")


def one(x: Any) -> Any:
    return x - DimArray(1.0, "m")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: implicit.root(3.0, DimArray(1.0, "m")), UnitError, "takes a function"),
        (lambda: implicit.root(one, DimArray(1.0, "s")), DimensionError, "subtract"),
        (lambda: implicit.root(one, DimArray(1, "m", dtype="int64")), NotANumber, "real ones"),
        (lambda: implicit.root(one, "x"), NotANumber, "str"),
        (lambda: implicit.root(one, None), StructureMismatch, "unknown"),
        (lambda: implicit.root(one, DimArray(1.0, "m"), solver="magic"), UnitError, "newton"),
        (lambda: implicit.root(one, DimArray(1.0, "m"), linear="lu"), UnitError, "direct"),
        (lambda: implicit.root(one, DimArray(1.0, "m"), max_steps=0), UnitError, "steps"),
        (
            lambda: implicit.root(lambda x: x[:1], DimArray([1.0, 2.0], "m")),
            ShapeMismatch,
            "as many equations as unknowns, 2",
        ),
        (
            lambda: implicit.fixed_point(lambda x: x**2, DimArray(1.0, "m")),
            DimensionError,
            "what comes back",
        ),
        (
            lambda: implicit.argmin(lambda x: x**2, DimArray([1.0, 2.0], "m")),
            ShapeMismatch,
            "one number",
        ),
        (
            lambda: implicit.root(one, DimArray(1.0, "m"), solver=lambda f, x: x.to_value("m")),
            DimensionError,
            "solver's answer",
        ),
    ],
    ids=range(12),
)
def test_mistakes_are_named(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


@each_library
def test_plain_numbers_stay_plain(library: str) -> None:
    start, area = make(library, 1.0, "").data, make(library, 2.0, "").data
    found = implicit.root(lambda x, a: x * x - a, start, (area,))
    assert not isinstance(found, DimArray)
    np.testing.assert_allclose(backend(library).to_numpy(found), 2.0**0.5, rtol=1e-6)


def test_scipy_as_a_solver_of_roots() -> None:
    def by_scipy(function: Any, x0: Any) -> Any:
        def numbers(x: Any) -> Any:
            return function(DimArray(x, x0.unit)).to_value("m**2")

        return DimArray(scipy.optimize.brentq(numbers, 0.0, 10.0, xtol=1e-14), x0.unit)

    def length(area: Any) -> Any:
        start = DimArray(1.0, "m")
        return implicit.root(lambda x, a: x**2 - a, start, (area,), solver=by_scipy)

    same(length(DimArray(2.0, "m**2")), 2.0**0.5, "m")
    same(grad(length)(DimArray(2.0, "m**2")), 0.5 * 2.0**-0.5, "1/m")


def test_a_singular_jacobian_is_an_error() -> None:
    def flat(x: Any, a: Any) -> Any:
        return (x - a) ** 3

    for library in ("numpy", "torch"):
        with pytest.raises(ComputationError, match="no inverse"):
            grad(lambda a: implicit.root(flat, a.detach(), (a,)), engine="own")(
                make(library, 1.0, "m")
            )


def test_no_unknowns_are_solved_at_once() -> None:
    none = DimArray(np.zeros(0), "m")
    found = implicit.root(lambda x, a: x * a, none, (DimArray(2.0, "s"),))
    assert found.shape == (0,)
    total = grad(lambda a: dimflow.sum(implicit.root(lambda x, a: x * a, none, (a,))))
    same(total(DimArray(2.0, "s")), 0.0, "m/s")
