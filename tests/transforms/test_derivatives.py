"""grad, value_and_grad, vjp, jvp, linearize: values against differences, units by [out]/[in]."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dimflow
from dimflow import DimArray, Unit, grad, jvp, linearize, value_and_grad, vjp
from dimflow import units as u
from dimflow.errors import DimensionError, NotANumber, PointError, ShapeMismatch, UnitError
from tests.transforms.libraries import MAKERS, each_engine, each_library, make, quiet_torch, same

pytestmark = quiet_torch


def kinetic(m: Any, v: Any) -> Any:
    return dimflow.sum(0.5 * m * v**2)


@each_library
def test_the_gradient_has_the_unit_of_result_over_argument(library: str) -> None:
    m, v = make(library, [1.0, 2.0], "kg"), make(library, [3.0, 4.0], "m/s")
    same(grad(kinetic)(m, v), [4.5, 8.0], "J/kg")
    same(grad(kinetic, argnums=1)(m, v), [3.0, 8.0], "J*s/m")
    by_mass, by_speed = grad(kinetic, argnums=(0, 1))(m, v)
    same(by_mass, [4.5, 8.0], "J/kg")
    same(by_speed, [3.0, 8.0], "kg*m/s")
    assert by_mass.backend == library
    value, found = value_and_grad(kinetic, argnums=-1)(m, v)
    same(value, 20.5, "J")
    same(found, [3.0, 8.0], "kg*m/s")


@each_library
def test_the_gradient_does_not_depend_on_the_units_chosen(library: str) -> None:
    slow = grad(kinetic, argnums=1)(make(library, [1000.0], "g"), make(library, [3.6], "km/h"))
    same(slow, [1.0], "kg*m/s")


@each_library
def test_conversions_inside_count(library: str) -> None:
    x = make(library, [2.0, 3.0], "km")
    same(grad(lambda x: dimflow.sum(x.to("m") ** 2).to("cm**2"))(x), [4.0, 6.0], "km")


@each_library
def test_against_finite_differences(library: str) -> None:
    def potential(r: Any) -> Any:
        return dimflow.sum(4 * u.J * ((1 * u.nm / r) ** 12 - (1 * u.nm / r) ** 6))

    def slope(at: float, step: float = 1e-6) -> float:
        high, low = (4 * ((1 / r) ** 12 - (1 / r) ** 6) for r in (at + step, at - step))
        return (high - low) / (2 * step)

    found = grad(potential)(make(library, [1.1, 1.5], "nm"))
    assert found.unit == Unit("J/nm")
    np.testing.assert_allclose(found.to_numpy("J/nm"), [slope(1.1), slope(1.5)], rtol=1e-4)


@each_library
def test_points_have_differences(library: str) -> None:
    warm = make(library, [20.0, 30.0], "degC")
    same(grad(lambda t: dimflow.mean(t))(warm), [0.5, 0.5], "")
    same(grad(lambda t: dimflow.sum((t - t[0]) * (1 * u.J / u.K)))(warm), [-1.0, 1.0], "J/K")
    value, change = jvp(lambda t: t.to("K"), (warm,), (make(library, [1.8, 3.6], "delta_degF"),))
    np.testing.assert_allclose(value.to_numpy("K"), [293.15, 303.15], rtol=1e-5)
    same(change, [1.0, 2.0], "K")


@dataclasses.dataclass
class Body:
    mass: Any
    speed: Any


class Pair(NamedTuple):
    first: Any
    second: Any


DERIVED: dict[str, Callable[[Any, Any], Any]] = {
    "grad": lambda f, x: grad(f)(x),
    "value_and_grad": lambda f, x: value_and_grad(f)(x),
    "vjp": lambda f, x: vjp(f, x)[1](1.0),
    "jvp": lambda f, x: jvp(f, (x,), (x,)),
    "linearize": lambda f, x: linearize(f, x)[1](x),
    "jacobian": lambda f, x: dimflow.jacobian(f)(x),
    "hessian": lambda f, x: dimflow.hessian(f)(x),
}


@each_library
@pytest.mark.parametrize("way", DERIVED)
@pytest.mark.parametrize("level", ["dBm", "pH", "dBuV", "mag"])
def test_levels_are_counted_in_their_steps(level: str, way: str, library: str) -> None:
    """By a level, and of it: 1 dBm more is so many mW more."""
    linear = Unit(level).linear
    base = float((DimArray(1.0, level) + DimArray(1.0, Unit(level).delta)).to_value(linear))
    base /= DimArray(1.0, level).to_value(linear)  # by which a step multiplies
    x = make(library, [2.0], level)[0]
    step = make(library, [1.0], Unit(level).delta)[0]
    slope = math.log(base) * float(x.to_numpy(linear))
    if way in ("jvp", "linearize"):
        pushed = jvp(lambda y: y.to(linear), (x,), (step,))[1]
        same(pushed, slope, linear)
        return
    found = DERIVED[way](lambda y: y.to(linear), x)
    found = found[-1] if isinstance(found, tuple) else found
    if way == "hessian":
        same(found, math.log(base) * slope, linear / Unit(level).delta ** 2)
        return
    same(found, slope, linear / Unit(level).delta)
    found = DERIVED[way](lambda y: y.to(level), x.to(linear))
    same(found[-1] if isinstance(found, tuple) else found, 1 / slope, Unit(level).delta / linear)


@each_library
@pytest.mark.parametrize("way", DERIVED)
@pytest.mark.parametrize("level", ["dB(mW/Hz)"])
def test_levels_without_differences_say_what_to_convert_to(
    level: str, way: str, library: str
) -> None:
    """By such a level, and of it."""
    linear = Unit(level).linear
    x = make(library, [2.0], level)[0]
    for function, value in ((lambda y: y.to(linear), x), (lambda y: y.to(level), x.to(linear))):
        with pytest.raises(PointError) as caught:
            DERIVED[way](function, value)
        assert str(caught.value) == (
            f"a linear difference, as derivatives have it, has no meaning for points in {level}\n"
            f"  hint:  convert it first: x.to({str(linear)!r})"
        )


@each_library
def test_structures_of_arrays(library: str) -> None:
    m, v = make(library, [1.0, 2.0], "kg"), make(library, [3.0, 4.0], "m/s")

    found = grad(lambda b: kinetic(b.mass, b.speed))(Body(m, v))
    assert type(found) is Body
    same(found.mass, [4.5, 8.0], "J/kg")
    found = grad(lambda p: kinetic(p["m"], p["rest"][0].second))({"m": m, "rest": [Pair(m, v)]})
    same(found["m"], [4.5, 8.0], "J/kg")
    same(found["rest"][0].first, [0.0, 0.0], "J/kg")
    same(found["rest"][0].second, [3.0, 8.0], "J*s/m")
    empty = grad(lambda p: kinetic(p[0], p[1]))((m, v, None))
    assert empty[2] is None


@each_library
def test_results_beside_the_number(library: str) -> None:
    m, v = make(library, [1.0, 2.0], "kg"), make(library, [3.0, 4.0], "m/s")

    def both(m: Any, v: Any) -> Any:
        return kinetic(m, v), {"momentum": m * v, "heavy": m > 1.5 * u.kg, "name": "run", "n": 3}

    found, beside = grad(both, has_aux=True)(m, v)
    same(found, [4.5, 8.0], "J/kg")
    same(beside["momentum"], [3.0, 8.0], "kg*m/s")
    assert np.asarray(beside["heavy"]).tolist() == [False, True]
    assert (beside["name"], beside["n"]) == ("run", 3)
    (value, beside), found = value_and_grad(both, has_aux=True)(m, v)
    same(value, 20.5, "J")
    same(found, [4.5, 8.0], "J/kg")


@each_library
def test_plain_arrays_stay_plain_where_there_is_no_unit(library: str) -> None:
    plain = MAKERS[library]([1.0, 2.0])
    found = grad(lambda x: dimflow.sum(x * x))(plain)
    assert type(found) is type(plain)
    np.testing.assert_allclose(np.asarray(found), [2.0, 4.0])
    same(grad(lambda x: dimflow.sum(u.m * x))(plain), [1.0, 1.0], "m")


@each_library
def test_numpy_arrays_and_bare_numbers_follow_the_others(library: str) -> None:
    v = make(library, [3.0, 4.0], "m/s")
    found = grad(kinetic)(DimArray(MAKERS[library]([1.0, 2.0]), "kg"), v)
    lifted = grad(kinetic)(DimArray(np.asarray([1.0, 2.0], "float32"), "kg"), v)
    np.testing.assert_allclose(lifted.to_numpy("J/kg"), found.to_numpy("J/kg"), rtol=1e-6)
    assert lifted.backend == library
    same(grad(lambda a, v: dimflow.sum(v * a))(2.0, v), 7.0, "m/s")


@each_library
def test_a_constant_has_a_gradient_of_zero(library: str) -> None:
    same(grad(lambda x: 3.0)(make(library, [1.0, 2.0], "m")), [0.0, 0.0], "1/m")


@each_library
def test_vjp(library: str) -> None:
    m, v = make(library, [1.0, 2.0], "kg"), make(library, [3.0, 4.0], "m/s")
    out, pull = vjp(lambda m, v: m * v, m, v)
    same(out, [3.0, 8.0], "kg*m/s")
    by_m, by_v = pull(make(library, [1.0, 10.0], "m/s"))  # a cotangent in J/(kg m/s)
    same(by_m, [3.0, 40.0], "J/kg")
    same(by_v, [1.0, 20.0], "J*s/m")
    bare = pull(MAKERS[library]([1.0, 1.0]))
    same(bare[0], [3.0, 4.0], "m/s")


@each_library
def test_vjp_of_several_results_meets_in_one_unit(library: str) -> None:
    x = make(library, [1.0, 2.0], "m")
    (_, total), pull, beside = vjp(
        lambda x: ((x * x, dimflow.sum(x)), {"unit": "m"}), x, has_aux=True
    )
    same(total, 3.0, "m")
    assert beside == {"unit": "m"}
    cotangents = make(library, [1.0, 1.0], "J/m**2"), make(library, 1.0, "kJ/m")
    same(pull(cotangents)[0], [1002.0, 1004.0], "J/m")
    with pytest.raises(DimensionError, match="each cotangent times its result"):
        pull((make(library, [1.0, 1.0], "J"), make(library, 1.0, "J")))
    with pytest.raises(ShapeMismatch, match="a cotangent of shapes"):
        pull((make(library, [1.0], "J/m**2"), make(library, 1.0, "kJ/m")))


@each_library
def test_jvp(library: str) -> None:
    m, v = make(library, [1.0, 2.0], "kg"), make(library, [3.0, 4.0], "m/s")
    value, change = jvp(kinetic, (m, v), (make(library, [10.0, 0.0], "g"), 0 * v))
    same(value, 20.5, "J")
    same(change, 0.045, "J")
    with pytest.raises(DimensionError, match="give a tangent in kg"):
        jvp(kinetic, (m, v), (v, v))
    with pytest.raises(ShapeMismatch, match="2 tangents, one for each argument"):
        jvp(kinetic, (m, v), (m,))


@each_engine
def test_linearize(library: str, engine: str | None) -> None:
    m, v = make(library, [1.0, 2.0], "kg"), make(library, [3.0, 4.0], "m/s")
    runs: list[int] = []

    def momentum(m: Any, v: Any) -> Any:
        runs.append(1)
        return m * v, {"heavy": m > 1.5 * u.kg}

    value, push, beside = linearize(momentum, m, v, has_aux=True, engine=engine)
    same(value, [3.0, 8.0], "kg*m/s")
    assert np.asarray(beside["heavy"]).tolist() == [False, True]
    once = len(runs)
    for scale in (1.0, 2.0):
        change = push(scale * m, make(library, [0.0, 1.0], "km/s"))
        same(change, [3.0 * scale, 8.0 * scale + 2000.0], "kg*m/s")
    if library != "mlx" or engine == "own":  # MLX has nothing of the kind
        is_asked = library == "jax" and engine is None  # whether the function reads numbers
        assert len(runs) == once == 1 + is_asked
    with pytest.raises(DimensionError, match="give a tangent in kg"):
        push(v, v)
    with pytest.raises(ShapeMismatch, match="2 tangents, one for each argument"):
        push(m)


@each_engine
def test_by_name(library: str, engine: str | None) -> None:
    m, v = make(library, [1.0, 2.0], "kg"), make(library, [3.0, 4.0], "m/s")
    same(grad(kinetic, argnums="v", engine=engine)(m, v), [3.0, 8.0], "kg*m/s")
    same(grad(kinetic, argnums="v", engine=engine)(m, v=v), [3.0, 8.0], "kg*m/s")
    by_v, by_m = grad(kinetic, argnums=("v", 0), engine=engine)(m, v=v)
    same(by_v, [3.0, 8.0], "kg*m/s")
    same(by_m, [4.5, 8.0], "J/kg")
    with pytest.raises(UnitError, match="by 'w', which the call did not give"):
        grad(kinetic, argnums="w", engine=engine)(m, v)


def test_inside_of_jit_vmap_and_itself() -> None:
    m, v = make("jax", [1.0, 2.0], "kg"), make("jax", [3.0, 4.0], "m/s")
    same(jax.jit(grad(kinetic, argnums=1))(m, v), [3.0, 8.0], "kg*m/s")
    rows = make("jax", [[1.0, 2.0], [3.0, 4.0]], "kg")
    same(jax.vmap(grad(kinetic), in_axes=(0, None))(rows, v), [[4.5, 8.0]] * 2, "J/kg")
    same(grad(lambda v: dimflow.sum(grad(kinetic, argnums=1)(m, v)))(v), [1.0, 2.0], "kg")
    traced = str(jax.make_jaxpr(grad(kinetic))(m, v))
    raw = jax.grad(lambda m, v: jnp.sum(0.5 * m * v**2))
    assert traced.count("=") <= str(jax.make_jaxpr(raw)(m.data, v.data)).count("=")


# Bad input


@each_library
def test_what_has_no_derivative_is_refused(library: str) -> None:
    x = make(library, [1.0, 2.0], "m")
    with pytest.raises(ShapeMismatch, match="sum or average first"):
        grad(lambda x: x * x)(x)
    with pytest.raises(ShapeMismatch, match="2 arrays"):
        grad(lambda x: (dimflow.sum(x), dimflow.sum(x)))(x)
    with pytest.raises(ShapeMismatch, match="a pair"):
        grad(lambda x: dimflow.sum(x), has_aux=True)(x)
    with pytest.raises(NotANumber, match=r"grad by args\[0\] needs a number, but got integers"):
        grad(lambda a, x: dimflow.sum(x))(DimArray([1, 2], "m"), x)
    with pytest.raises(NotANumber, match=r"grad by args\[0\] .* no array in {'b': 'text'}"):
        grad(lambda a, x: dimflow.sum(x))({"b": "text"}, x)
    with pytest.raises(UnitError, match="grad takes a function, but got int 3"):
        grad(3)  # type: ignore[arg-type]
    with pytest.raises(UnitError, match="argument 2 of a call with 2 arguments"):
        grad(kinetic, argnums=2)(x, x)
    with pytest.raises(DimensionError):
        grad(lambda x: dimflow.sum(x) + 1)(x)


def test_a_truth_value_has_no_gradient() -> None:
    with pytest.raises(NotANumber, match="truth values"):
        grad(lambda x: dimflow.all(x > 0 * u.m))(make("jax", [1.0], "m"))


def test_names_and_docs_stay() -> None:
    assert grad(kinetic).__name__ == "kinetic"
    assert dimflow.grad is grad
