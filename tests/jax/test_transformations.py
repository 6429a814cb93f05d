"""A DimArray goes through JAX's transformations: the unit is static, the numbers are traced."""

import dataclasses
import pickle
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dimflow
from dimflow import DimArray, Unit
from dimflow import units as u
from dimflow.errors import (
    DimensionError,
    NoDataError,
    PointError,
    UnitConversionError,
    UnitError,
)
from dimflow.jax.tree import label, packed, unpacked
from dimflow.testing import assert_allclose

X = DimArray(jnp.asarray([1.0, 2.0, 3.0]), "m")
T = DimArray(jnp.asarray([2.0, 4.0, 8.0]), "s")


def same(actual: Any, numbers: Any, unit: str) -> None:
    assert isinstance(actual, DimArray)
    assert actual.unit is Unit(unit), actual.unit
    assert isinstance(actual.data, jax.Array)
    np.testing.assert_allclose(actual.data, numbers, rtol=1e-12)


def speed(x: Any, t: Any) -> Any:
    return (x / t).to("km/h")


def test_jit_gives_what_eager_code_gives() -> None:
    same(jax.jit(speed)(X, T), speed(X, T).data, "km/h")


def _outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except PointError as error:
        return error


SUMS = {
    "psum": dimflow.sum,
    "pmean": dimflow.mean,
    "pmax": dimflow.max,
    "pmin": dimflow.min,
    "psum_scatter": dimflow.sum,
}


@pytest.mark.parametrize("unit", ["m", "degC", "K", "delta_degC", "dBm", "dB", "percent", "dB/km"])
@pytest.mark.parametrize("name", SUMS)
def test_a_mapped_axis_is_summed_up_as_any_other(name: str, unit: str) -> None:
    """Of points on a scale there is no sum, and of levels no mean, in a tree as alone."""
    x = DimArray(jnp.asarray([[10.0, 20.0], [30.0, 5.0]]), unit)
    fold = getattr(jax.lax, name)

    def over_axis(tree: bool) -> Any:
        call = (lambda p: fold({"p": p}, "i")["p"]) if tree else (lambda p: fold(p, "i"))
        return jax.jit(jax.vmap(call, axis_name="i"))(x)

    right = _outcome(lambda: SUMS[name](x, axis=0))
    if isinstance(right, PointError):
        for tree in (False, True):
            with pytest.raises(PointError, match=rf"jax\.lax\.{name} has no meaning") as caught:
                over_axis(tree)
            assert "x.mean()" not in str(caught.value)
            assert str(right.hint).rpartition("; ")[2] in str(caught.value.hint)
        return
    for tree in (False, True):
        found = over_axis(tree)
        same(found if name == "psum_scatter" else found[0], right.data, str(right.unit))


@pytest.mark.parametrize("name", ["sum", "sqrt", "sort", "linalg.norm"])
def test_jit_takes_our_functions_themselves(name: str) -> None:
    function = attrgetter(name)(dimflow)
    for wrap in (jax.jit, jax.checkpoint, lambda f: lambda x: jax.vmap(f)(x[None])[0]):
        found, right = wrap(function)(X), function(X)
        same(found, right.data, str(right.unit))


def test_jit_takes_numpy_arrays_and_bare_quantities() -> None:
    found = jax.jit(speed)(DimArray(np.asarray([1.0, 2.0, 3.0]), "m"), 2 * u.s)
    same(found, [1.8, 3.6, 5.4], "km/h")


def test_another_unit_is_traced_anew_and_the_same_is_not() -> None:
    seen = []

    @jax.jit
    def f(x: Any) -> Any:
        seen.append(str(x.unit))
        return 2 * x

    for unit in ("m", "m", "km", "m", "Hz", "Bq", "1/s", "Hz"):
        assert f(DimArray(X.data, unit)).unit is Unit(unit)
    assert seen == ["m", "km", "Hz", "Bq", "1/s"]  # by spelling: becquerels stay becquerels


def test_static_and_donated_arguments() -> None:
    @partial(jax.jit, static_argnums=1)
    def to(x: Any, unit: Any) -> Any:
        return x.to(unit)

    same(to(X, u.cm), [100.0, 200.0, 300.0], "cm")
    given = DimArray(jnp.arange(4.0), "m")
    same(jax.jit(lambda x: x + x, donate_argnums=0)(given), [0.0, 2.0, 4.0, 6.0], "m")
    assert given.data.is_deleted()


def test_an_error_of_units_comes_before_anything_runs() -> None:
    with pytest.raises(DimensionError):
        jax.jit(lambda x, t: x + t)(X, T)


def test_vmap() -> None:
    rows = DimArray(jnp.arange(6.0).reshape(2, 3), "kg")
    same(jax.vmap(lambda r: dimflow.sum(r * r))(rows), [5.0, 50.0], "kg**2")
    same(
        jax.vmap(lambda r, t: r / t, in_axes=(1, 0))(rows, T),
        [[0, 1.5], [0.25, 1], [0.25, 0.625]],
        "kg/s",
    )
    same(jax.vmap(lambda r: r, out_axes=1)(rows), rows.data.T, "kg")


def test_scan() -> None:
    def step(state: Any, t: Any) -> Any:
        position, velocity = state
        position = position + velocity * t
        return (position, velocity), position.to("km")

    start = (DimArray(jnp.asarray(0.0), "m"), DimArray(jnp.asarray(10.0), "m/s"))
    (position, velocity), path = jax.lax.scan(step, start, T)
    same(position, 140.0, "m")
    same(velocity, 10.0, "m/s")
    same(path, [0.02, 0.06, 0.14], "km")


def test_a_loop_that_changes_the_unit_of_its_state_is_refused_with_both_units() -> None:
    with pytest.raises(TypeError, match=r"metadata m but .* metadata m\*\*2"):
        jax.lax.scan(lambda c, x: (c * x, None), DimArray(jnp.asarray(1.0), "m"), X)
    with pytest.raises(TypeError, match=r"metadata"):
        jax.lax.while_loop(lambda _: True, lambda c: c * c, DimArray(jnp.asarray(1.0), "m"))
    with pytest.raises(TypeError, match=r"metadata"):
        jax.lax.cond(True, lambda x: x, lambda x: x * x, X)


def test_while_fori_cond_switch() -> None:
    one = DimArray(jnp.asarray(1.0), "m")
    same(jax.lax.while_loop(lambda c: c < 1 * u.km, lambda c: 2 * c, one), 1024.0, "m")
    same(jax.lax.fori_loop(0, 3, lambda i, c: c + i * one, one), 4.0, "m")
    same(jax.lax.cond(X[0] > 0, lambda x: x, lambda x: -x, X), [1.0, 2.0, 3.0], "m")
    same(jax.lax.switch(1, [lambda x: x, lambda x: 3 * x], X), [3.0, 6.0, 9.0], "m")


def test_checkpoint() -> None:
    def work(x: Any) -> Any:
        return dimflow.sum(jax.checkpoint(lambda x: x * x * x)(x))

    same(dimflow.grad(work)(X), [3.0, 12.0, 27.0], "m**2")


def test_custom_jvp() -> None:
    @jax.custom_jvp
    def square(x: Any) -> Any:
        return x * x

    @square.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        (x,), (t,) = primals, tangents
        return square(x), 2 * x * t

    same(dimflow.grad(lambda x: dimflow.sum(square(x)))(X), [2.0, 4.0, 6.0], "m")


TEMPERATURES = ("K", "degC", "degF", "mK")
CHANGES = ("delta_degC", "delta_degF", "K", "mK")


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("source", TEMPERATURES)
@pytest.mark.parametrize("target", TEMPERATURES)
@pytest.mark.parametrize("told", CHANGES)
def test_the_rule_of_custom_jvp_has_the_units_of_changes(
    source: str, target: str, told: str, power: int
) -> None:
    """Of points, their differences; in whatever unit the rule tells them."""

    def plain(x: Any) -> Any:
        return x.to(target) if power == 1 else x.to("K") ** 2

    @jax.custom_jvp
    def function(x: Any) -> Any:
        return plain(x)

    @function.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        (x,), (t,) = primals, tangents
        assert t.unit == x.unit.delta
        return function(x), t.to(told) if power == 1 else 2 * x.to("K") * t.to(told)

    x, t = DimArray(jnp.asarray([300.0]), source), DimArray(jnp.asarray([2.0]), Unit(source).delta)
    found = dimflow.jvp(function, (x,), (t,))
    expected = dimflow.jvp(plain, (x,), (t,))
    for one, right in zip(found, expected, strict=True):
        same(one, right.data, str(right.unit))
    if plain(x).unit.law is None:
        slopes = [dimflow.grad(lambda x, f=f: dimflow.sum(f(x)))(x) for f in (function, plain)]
        same(slopes[0], slopes[1].data, str(slopes[1].unit))


def test_a_rule_of_custom_jvp_in_another_dimension_is_refused() -> None:
    function = jax.custom_jvp(lambda x: x * x)
    function.defjvp(lambda primals, tangents: (primals[0] * primals[0], tangents[0]))
    with pytest.raises(UnitError) as caught:
        dimflow.grad(lambda x: dimflow.sum(function(x)))(X)
    assert str(caught.value) == (
        "the rule of a jax.custom_jvp returned m for a change in m**2\n"
        "  hint:  a change of the result is the derivative, in [result]/[argument], times that "
        "of the argument"
    )


def test_custom_vjp_on_the_numbers() -> None:
    @jax.custom_vjp
    def square(x: Any) -> Any:
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, ct: (2 * x * ct,))

    def energy(x: Any) -> Any:
        return dimflow.sum(DimArray(square(x.to_value("m")), "J"))

    same(dimflow.grad(energy)(X), [2.0, 4.0, 6.0], "J/m")


RULES: dict[str, tuple[Any, Any]] = {
    "x * x": (lambda x: x * x, lambda x, ct: (2 * x * ct,)),
    "x in km": (lambda x: x.to("km"), lambda _, ct: (ct.to("1/m"),)),
    "a number": (lambda x: x.to_value("cm"), lambda _, ct: (ct * 100 / u.m,)),
    "a number of x * x": (
        lambda x: (x * x).to_value("m**2"),
        lambda x, ct: ((2 * x * ct / u.m**2).to("1/m"),),
    ),
    "two": (
        lambda x: {"a": x**3, "b": [x.to("mm")]},
        lambda x, ct: ((3 * x**2 * ct["a"] + ct["b"][0].to("1/m")),),
    ),
}


@pytest.mark.parametrize("unit", ["m", "km"])
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_rule_of_custom_vjp_is_one_of_cotangents_in_their_units(
    name: str, unit: str, is_compiled: bool
) -> None:
    plain, back = RULES[name]
    ruled = jax.custom_vjp(plain)

    def rule(x: Any, ct: Any) -> Any:
        (found,) = back(x, ct)
        return (found.to(f"1/{unit}"),)

    ruled.defvjp(lambda x: (plain(x), x), rule)

    def total(function: Any) -> Any:
        def summed(x: Any) -> Any:
            y = function(x)
            if isinstance(y, dict):
                y = y["a"] / (2 * u.m**2) + y["b"][0]
            return dimflow.sum(y * y) * (3 * u.N)

        return summed

    x = DimArray(X.data, unit)
    for derivative in (dimflow.grad, lambda f: jax.grad(lambda x: f(x).to_value(f(x).unit))):
        got, expected = derivative(total(ruled)), derivative(total(plain))
        got = jax.jit(got)(x) if is_compiled else got(x)
        assert_allclose(got, expected(x), rtol=1e-12)


def test_a_rule_of_custom_vjp_that_returns_what_is_no_cotangent_is_refused() -> None:
    ruled = jax.custom_vjp(lambda x: x.to("km"))
    ruled.defvjp(lambda x: (x.to("km"), None), lambda _, ct: (ct.to("m"),))
    with pytest.raises(UnitConversionError, match="1/km"):
        dimflow.grad(lambda x: dimflow.sum(ruled(x)))(X)
    ruled.defvjp(lambda x: (x.to("km"), None), lambda _, ct: (ct,))
    with pytest.raises(UnitError, match="returned 1/km for a cotangent in 1/m") as caught:
        dimflow.grad(lambda x: dimflow.sum(ruled(x)))(X)
    assert caught.value.hint.endswith("ct.to('1/m')")


def test_trees() -> None:
    tree = {"x": X, "t": [T, 3]}
    same(jax.tree.map(lambda a: a * 2, tree)["x"], [2.0, 4.0, 6.0], "m")
    leaves, structure = jax.tree.flatten(tree)
    assert [np.shape(leaf) for leaf in leaves] == [(3,), (), (3,)]
    same(jax.tree.unflatten(structure, leaves)["x"], X.data, "m")
    assert structure == jax.tree.structure({"x": 2 * X, "t": [T, 4]})
    assert structure != jax.tree.structure({"x": T, "t": [T, 4]})
    (path, _), *_ = jax.tree_util.tree_flatten_with_path(X)[0]
    assert jax.tree_util.keystr(path) == ".data"
    assert "DimArray[m]" in str(jax.tree.structure(X))


def test_a_dataclass_of_arrays_is_a_tree_as_jax_registers_it() -> None:
    @partial(jax.tree_util.register_dataclass, data_fields=["x", "v"], meta_fields=[])
    @dataclasses.dataclass
    class State:
        x: Any
        v: Any

    state = jax.jit(lambda s: State(s.x + s.v * (2 * u.s), s.v))(State(X, X / T))
    same(state.x, [2.0, 3.0, 3.75], "m")


def test_devices_shapes_and_waiting() -> None:
    same(jax.device_put(X, jax.devices()[0]), X.data, "m")
    same(jax.block_until_ready(X * X), [1.0, 4.0, 9.0], "m**2")
    same((X * X).block_until_ready(), [1.0, 4.0, 9.0], "m**2")
    shape = jax.eval_shape(speed, X, T)
    assert (shape.unit, shape.shape, str(shape.dtype)) == (Unit("km/h"), (3,), "float64")
    assert repr(shape) == "DimArray(ShapeDtypeStruct(shape=(3,), dtype=float64), 'km/h')"


def test_debug_print_shows_the_unit(capsys: Any) -> None:
    @jax.jit
    def f(x: Any) -> Any:
        jax.debug.print("x = {}", x)
        return x

    jax.block_until_ready(f(X))
    jax.effects_barrier()
    assert capsys.readouterr().out == "x = [1. 2. 3.] m\n"


def test_a_traced_array_can_be_shown_but_not_read() -> None:
    shown = []

    @jax.jit
    def f(x: Any) -> Any:
        shown.append((repr(x), str(x), f"{x:.2f}"))
        with pytest.raises(NoDataError, match="not known while JAX traces a function"):
            x.to_numpy()
        with pytest.raises(NoDataError, match=r"x\[mask\] depends on values"):
            x[x > 0]
        with pytest.raises(NoDataError, match="unique depends on values"):
            dimflow.unique(x)
        return x

    f(X)
    assert all("Tracer" in text and "m" in text for text in shown[0])


def test_export() -> None:
    exported = jax.export.export(jax.jit(speed))(X, T)
    same(exported.call(X, T), speed(X, T).data, "km/h")
    with pytest.raises(ValueError, match="metadata"):
        exported.call(T, X)


@pytest.mark.parametrize("unit", ["m", "Bq", "kg*m/s**2", "degC", "m**(1/2)", ""])
def test_units_are_written_out_and_read_again(unit: str) -> None:
    assert unpacked(packed(label(Unit(unit)))) is label(Unit(unit))


def test_results_of_jit_pickle() -> None:
    same(pickle.loads(pickle.dumps(jax.jit(speed)(X, T))), speed(X, T).data, "km/h")


# No trace of units in traced code


def equations(function: Any, *args: Any) -> str:
    return str(jax.make_jaxpr(function)(*args))


PROGRAMS: dict[str, Any] = {
    "kinetic energy": lambda m, v: 0.5 * m * v**2,
    "sum": lambda m, v: dimflow.sum(m * v),
    "root": lambda m, v: dimflow.sqrt(m * m) + m,
    "choice": lambda m, v: dimflow.where(m > 0, v, 0 * v),
    "matrix product": lambda m, v: m[None, :] @ v[:, None],
    "mean and spread": lambda m, v: (dimflow.mean(m), dimflow.std(v)),
    "scan": lambda m, v: jax.lax.scan(lambda c, a: (c + a, c), m[0], m),
    "gradient": lambda m, v: dimflow.grad(lambda m: dimflow.sum(m * v))(m),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_jaxpr_with_units_is_that_without(name: str) -> None:
    program = PROGRAMS[name]
    raw = (X.data, T.data)
    with_units = (DimArray(raw[0], "kg"), DimArray(raw[1], "m/s"))
    assert equations(program, *with_units) == equations(program, *raw)


def test_a_conversion_is_one_product() -> None:
    raw = jax.make_jaxpr(lambda a, b: a + b)(X.data, X.data)
    km = DimArray(X.data, "km")
    found = jax.make_jaxpr(lambda a, b: a + b)(X, km)
    names = [str(e.primitive) for e in found.jaxpr.eqns]
    assert [str(e.primitive) for e in raw.jaxpr.eqns] == ["add"]
    assert names == ["mul", "add"]
