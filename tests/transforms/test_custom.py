"""custom_gradient: rules of users with units, in both modes, on every library; their mistakes."""

import dataclasses
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import dimflow
from dimflow import DimArray, check, custom_gradient, grad, jvp, vjp, vmap
from dimflow.errors import (
    ComputationError,
    DimensionError,
    MissingRule,
    ShapeMismatch,
    StructureMismatch,
    UnitError,
)
from tests.autodiff.chosen_engines import engines
from tests.transforms.libraries import MAKERS, make, quiet_torch, same

pytestmark = quiet_torch


def kinetic_with(*rules: str, factor: float = 1.0) -> Any:
    """m v²/2 with rules of its own; those are wrong by a factor, so that one sees who was asked."""

    @custom_gradient
    def kinetic(m: Any, v: Any) -> Any:
        return dimflow.sum(0.5 * m * v**2)

    def back(ct: Any, out: Any, m: Any, v: Any) -> Any:
        return factor * ct * 0.5 * v**2, factor * ct * m * v

    def forward(tangents: Any, out: Any, m: Any, v: Any) -> Any:
        dm, dv = tangents
        return factor * dimflow.sum(0.5 * v**2 * dm + m * v * dv)

    if "vjp" in rules:
        assert kinetic.defvjp(back) is back
    if "jvp" in rules:
        assert kinetic.defjvp(forward) is forward
    return kinetic


@engines("numpy-usual", "torch-own", "jax-usual", "mlx-usual")
@pytest.mark.parametrize("rules", [("vjp",), ("jvp",)], ids=lambda names: "-".join(names))
def test_the_rules_of_the_user_count(
    library: str, engine: str | None, rules: tuple[str, ...]
) -> None:
    kinetic = kinetic_with(*rules, factor=3.0)
    m, v = make(library, [1.0, 2.0], "kg"), make(library, [3.0, 4.0], "km/s")
    same(kinetic(m, v), 20.5, "kg*km**2/s**2")
    by_mass, by_speed = grad(kinetic, (0, 1), engine=engine)(m, v)
    same(by_mass, [13.5, 24.0], "km**2/s**2")
    same(by_speed, [9.0, 24.0], "kg*km/s")
    same(jvp(kinetic, (m, v), (m, v), engine=engine)[1], 3 * 61.5, "kg*km**2/s**2")


@engines("numpy-usual", "torch-usual", "mlx-usual")
def test_second_order_goes_through_the_rule(library: str, engine: str | None) -> None:
    kinetic = kinetic_with("vjp")
    m, v = make(library, [1.0, 2.0], "kg"), make(library, [3.0, 4.0], "m/s")

    def slope(m: Any, v: Any) -> Any:
        return dimflow.sum(grad(kinetic, 1, engine=engine)(m, v))

    by_mass, by_speed = grad(slope, (0, 1), engine=engine)(m, v)
    same(by_mass, [3.0, 4.0], "m/s")
    same(by_speed, [1.0, 2.0], "kg")


@pytest.mark.parametrize("library", ["numpy", "jax", "torch"])
def test_a_batch_uses_the_rule(library: str) -> None:
    kinetic = kinetic_with("vjp", factor=2.0)
    m, v = make(library, [1.0, 2.0], "kg"), make(library, [3.0, 4.0], "m/s")
    same(vmap(grad(kinetic, 1))(m, v), [6.0, 16.0], "kg*m/s")
    total = grad(lambda v: dimflow.sum(vmap(kinetic)(m, v)))
    same(total(v), [6.0, 16.0], "kg*m/s")


@custom_gradient
def log1pexp(x: Any) -> Any:
    """TensorFlow's example: the plain derivative of log(1 + e^x) is nan for large x."""
    e = dimflow.exp(x)

    def slope(upstream: Any) -> Any:
        return upstream * (1 - 1 / (1 + e))

    return dimflow.log(1 + e), slope


@engines("numpy-usual", "torch-usual", "mlx-usual")
def test_tensorflows_style(library: str, engine: str | None) -> None:
    x = make(library, 50.0, "")
    same(grad(log1pexp, engine=engine)(x), 1.0, "")
    one = make(library, 1.0, "")
    known = np.exp(1.0) / (1 + np.exp(1.0)) ** 2
    same(grad(grad(log1pexp, engine=engine), engine=engine)(one), known, "")
    same(jvp(log1pexp, (one,), (one,), engine=engine)[1], 1 / (1 + np.exp(-1.0)), "")


@dataclasses.dataclass
class Body:
    mass: Any
    speed: Any
    name: str = "stone"


def test_structures_settings_and_keywords() -> None:
    @custom_gradient(static="power")
    def energy(bodies: Any, power: Any, *, scale: Any, label: str = "") -> Any:
        assert isinstance(power, int)
        total = sum(0.5 * b.mass * b.speed**power for b in bodies["all"][1:]) * scale
        return {"total": total, "count": DimArray(float(len(bodies["all"])))}

    @energy.defvjp
    def _(ct: Any, out: Any, bodies: Any, power: int, *, scale: Any, label: str = "") -> Any:
        assert set(out) == {"total", "count"}
        _, *rest = bodies["all"]
        back = [
            Body(ct["total"] * scale * 0.5 * b.speed**power, ct["total"] * scale * b.mass * b.speed)
            for b in rest
        ]
        plain = sum(0.5 * b.mass * b.speed**power for b in rest)
        return {"all": [None, *back]}, ct["total"] * plain

    bodies = {"all": [Body(DimArray(float(i), "kg"), DimArray(i + 1.0, "m/s")) for i in range(3)]}
    scale = DimArray(2.0, "s")
    found = grad(lambda b: energy(b, 2, scale=scale)["total"])(bodies)
    same(found["all"][0].mass, 0.0, "m**2/s")
    same(found["all"][1].mass, 4.0, "m**2/s")
    same(found["all"][2].speed, 12.0, "kg*m")
    by_scale = grad(lambda s: energy(bodies, 2, scale=s, label="x")["total"])(scale)
    same(by_scale, 2.0 + 9.0, "J")


def test_results_of_several_units() -> None:
    @custom_gradient
    def both(x: Any, t: Any) -> Any:
        return x / t, x * t

    @both.defvjp
    def _(cts: Any, outs: Any, x: Any, t: Any) -> Any:
        speed, moment = cts  # in [x/t] / [result]: 1 and 1/s²
        assert speed.is_dimensionless
        assert str(moment.dimension) == "[time^-2]"
        return speed / t + moment * t, -speed * x / t**2 + moment * x

    x, t = DimArray(3.0, "m"), DimArray(2.0, "s")
    _, pull = vjp(both, x, t)
    by_x, by_t = pull((DimArray(1.0, "J*s/m"), DimArray(10.0, "J/(m*s)")))
    same(by_x, 0.5 + 20.0, "J/m")
    same(by_t, -0.75 + 30.0, "J/s")


def test_points_have_derivatives_by_their_differences() -> None:
    @custom_gradient
    def pressure(temperature: Any) -> Any:
        return temperature.to("K") * DimArray(5.0, "Pa/K")

    @pressure.defvjp
    def _(ct: Any, out: Any, temperature: Any) -> Any:
        return ct * DimArray(5.0, "Pa/K")

    found = grad(pressure)(DimArray(20.0, "degC"))
    same(found, 5.0, "Pa/K")


def test_as_a_method() -> None:
    class Spring:
        stiffness = DimArray(3.0, "N/m")

        @custom_gradient
        def energy(self, x: Any) -> Any:
            return 0.5 * self.stiffness * x**2

    def force(ct: Any, out: Any, spring: Any, x: Any) -> Any:
        return ct * spring.stiffness * x

    Spring.energy.defvjp(force)
    same(grad(Spring().energy)(DimArray(2.0, "m")), 6.0, "N")


# Units of rules are checked


def broken(rule: Any, kind: str = "vjp") -> Any:
    @custom_gradient
    def area(x: Any, y: Any) -> Any:
        return x * y

    (area.defvjp if kind == "vjp" else area.defjvp)(rule)
    return area


def test_a_wrong_dimension_is_found_at_the_first_call_and_without_data() -> None:
    area = broken(lambda ct, out, x, y: (ct * x, ct * y**2))
    for call in (
        lambda: area(DimArray(1.0, "m"), DimArray(2.0, "m")),
        lambda: check(area, "m", "m"),
    ):
        with pytest.raises(DimensionError) as caught:
            call()
        text = str(caught.value)
        assert "the vjp rule of area, for y," in text
        assert "given:  m**2" in text
        assert "wanted: m" in text


def test_another_unit_of_the_same_dimension_is_converted() -> None:
    area = broken(lambda ct, out, x, y: ((ct * y).to("km"), (ct * x).to("cm")))
    by_x, by_y = grad(area, (0, 1))(DimArray(3.0, "m"), DimArray(2.0, "m"))
    same(by_x, 2.0, "m")
    same(by_y, 3.0, "m")


@pytest.mark.parametrize(
    ("rule", "kind", "error", "text"),
    [
        (lambda ct, out, x, y: ct * y, "vjp", StructureMismatch, r"each argument, \(x, y\)"),
        (lambda ct, out, x, y: (ct * y,), "vjp", StructureMismatch, "actual:   1"),
        (lambda ct, out, x, y: ([ct * y], ct * x), "vjp", StructureMismatch, "something for x"),
        (lambda ct, out, x, y: ((ct * y)[:1], ct * x), "vjp", ShapeMismatch, r"shape \(2,\) for x"),
        (lambda ts, out, x, y: ts[0] * x * y, "jvp", DimensionError, "jvp rule of area, for resu"),
        (lambda ts, out, x, y: (ts[0] * y,), "jvp", StructureMismatch, "something for the result"),
        (lambda ct, out, x, y: (ct * y, 1.0), "vjp", DimensionError, "for y"),
    ],
    ids=["bare", "one", "list", "shape", "tangent", "tuple", "number"],
)
def test_mistakes_in_rules_are_named(
    rule: Any, kind: str, error: type[Exception], text: str
) -> None:
    x = DimArray([1.0, 2.0], "m")
    with pytest.raises(error, match=text):
        broken(rule, kind)(x, x)


def test_zero_and_none_need_no_unit() -> None:
    area = broken(lambda ct, out, x, y: (0, None))
    by_x, by_y = grad(area, (0, 1))(DimArray(3.0, "m"), DimArray(2.0, "s"))
    same(by_x, 0.0, "s")
    same(by_y, 0.0, "m")


def test_a_rule_that_looks_at_values_is_checked_when_it_runs() -> None:
    def rule(ct: Any, out: Any, x: Any, y: Any) -> Any:
        return (ct * y, ct * x) if float(x.to_value("m")) > 0 else (ct * y, ct * y / x)

    area = broken(rule)
    good, bad = DimArray(1.0, "m"), DimArray(-1.0, "m")
    same(grad(area)(good, good), 1.0, "m")
    area(bad, good)
    with pytest.raises(DimensionError, match="for y"):
        grad(area, (0, 1))(bad, good)


def test_without_a_rule_there_is_an_error() -> None:
    @custom_gradient
    def forgotten(x: Any) -> Any:
        return x

    with pytest.raises(MissingRule, match=r"(?s)forgotten.*defvjp"):
        forgotten(DimArray(1.0, "m"))


def test_static_arguments_must_exist() -> None:
    with pytest.raises(UnitError, match="no argument 'n' to be static"):
        custom_gradient(lambda x: x, static=("n",))


@pytest.mark.parametrize("rules", ["vjp", "jvp"])
@pytest.mark.parametrize("library", MAKERS)
def test_what_is_closed_over_is_refused(library: str, rules: str) -> None:
    kinetic = kinetic_with("vjp")

    def closing(v: Any) -> Any:
        @custom_gradient
        def energy(m: Any) -> Any:
            return kinetic(m, v)

        if rules == "vjp":
            energy.defvjp(lambda ct, out, m: ct * 0.5 * v**2)
        else:
            energy.defjvp(lambda change, out, m: change * 0.5 * v**2)
        return energy(make(library, 1.0, "kg"))

    with pytest.raises(ComputationError, match="pass it as an argument"):
        grad(closing)(make(library, 2.0, "m/s"))


def test_torch_may_close_over_what_is_not_differentiated_now() -> None:
    weight = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    scaled = custom_gradient(lambda x: x * weight)
    scaled.defvjp(lambda ct, out, x: ct * weight)
    x = make("torch", 2.0, "m")
    with pytest.raises(ComputationError, match="not among its arguments"):
        scaled(x)
    with torch.no_grad():
        same(scaled(x), 6.0, "m")


def test_on_a_tape_and_by_backward() -> None:
    triple = custom_gradient(lambda v: 0.5 * v**2)
    triple.defvjp(lambda ct, out, v: 3 * ct * v)
    with dimflow.GradientTape(persistent=True) as tape:
        v, w = tape.watch(DimArray(2.0, "m")), tape.watch(DimArray(3.0, "m"))
        result = triple(v) * dimflow.checkpoint(lambda v: v * w)(v)
        side = dimflow.implicit.root(lambda x, a: x**2 - a, DimArray(1.0, "m"), (v * w,))
    for _ in range(2):
        by_v, by_w = tape.gradient(result, [v, w])
        same(by_v, 3 * 12.0 + 6.0, "m**3")
        same(by_w, 4.0, "m**3")
        same(tape.gradient(side, v), 6.0**0.5 / 4, "")
    x = DimArray(np.asarray([1.0, 2.0]), "m").requires_grad_()
    dimflow.sum(triple(x) + dimflow.checkpoint(lambda a: a * a)(x)).backward()
    same(x.grad, [5.0, 10.0], "m")


def test_any_callable_will_do() -> None:
    scaled = custom_gradient(partial(dimflow.multiply, DimArray(2.0, "s")))
    scaled.defvjp(lambda ct, out, x: ct * DimArray(2.0, "s"))
    same(grad(scaled)(DimArray(3.0, "m")), 2.0, "s")


# Beside the transformations of the libraries themselves


def test_jax_alone_sees_the_rule() -> None:
    for rules in (("vjp",), ("jvp",), ("vjp", "jvp")):
        kinetic = kinetic_with(*rules, factor=3.0)

        def energy(v: Any, kinetic: Any = kinetic) -> Any:
            return kinetic(DimArray(jnp.asarray(2.0), "kg"), DimArray(v, "m/s")).to_value("J")

        assert float(jax.jit(jax.grad(energy))(4.0)) == 24.0
        if "jvp" in rules:
            assert float(jax.jvp(energy, (4.0,), (1.0,))[1]) == 24.0


def test_torch_alone_sees_the_rule() -> None:
    kinetic = kinetic_with("vjp", factor=3.0)
    v = torch.tensor(4.0, dtype=torch.float64, requires_grad=True)
    energy = kinetic(DimArray(torch.tensor(2.0, dtype=torch.float64), "kg"), DimArray(v, "m/s"))
    energy.to_value("J").backward()
    assert v.grad is not None
    assert float(v.grad) == 24.0


@pytest.mark.filterwarnings("ignore::UserWarning")  # Dynamo tells where it stops to compile
def test_torch_compile_runs_it_between_compiled_parts() -> None:
    kinetic = kinetic_with("vjp", factor=3.0)

    def energy(v: Any) -> Any:
        mass = DimArray(torch.tensor(2.0, dtype=torch.float64), "kg")
        return kinetic(mass, DimArray(v * 2.0, "m/s")).to_value("J") * 2.0

    v = torch.tensor(4.0, dtype=torch.float64, requires_grad=True)
    found = torch.compile(energy, backend="eager")(v)
    found.backward()
    assert float(found) == 128.0
    assert v.grad is not None
    assert float(v.grad) == 3.0 * 64.0
