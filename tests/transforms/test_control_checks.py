"""Control flow: what is checked before the first step, and what wrong calls are told."""

import re
from typing import Any

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import torch

import dimflow
from dimflow import DimArray, Unit, check, constants, grad, vmap
from dimflow import units as u
from dimflow.backends.abstract import Abstract
from dimflow.errors import (
    DimensionError,
    DimflowError,
    DtypeMismatch,
    MissingRule,
    NoDataError,
    NotANumber,
    ShapeMismatch,
    StructureMismatch,
    UnitError,
    UnitLossError,
)

jax.config.update("jax_enable_x64", True)

LIBRARIES = {
    "numpy": np.asarray,
    "jax": jnp.asarray,
    "torch": torch.tensor,
    "mlx": mx.array,
}
each_library = pytest.mark.parametrize("library", LIBRARIES)


class Steps:
    """Counts the steps that are taken with data."""

    def __init__(self) -> None:
        self.count = 0

    def note(self, array: Any) -> None:
        self.count += not isinstance(array.data, (Abstract, jax.core.Tracer))


# The carry


@each_library
def test_a_carry_that_changes_its_dimension_is_refused_before_the_first_step(library: str) -> None:
    steps = Steps()

    def fall(state: Any, dt: Any) -> Any:
        steps.note(state["x"])
        return {"x": state["x"] + state["v"] * dt, "v": state["v"] * dt}, None

    make = LIBRARIES[library]
    state = {"x": DimArray(make(0.0), "m"), "v": DimArray(make(1.0), "m/s")}
    with pytest.raises(DimensionError) as caught:
        dimflow.scan(fall, state, DimArray(make([0.1, 0.2]), "s"))
    assert str(caught.value) == (
        "scan needs arguments of one dimension, but got\n"
        "  init['v']:     m/s   [speed]\n"
        "  returned['v']: m     [length]\n"
        "  hint:  a factor of [time^-1] (a frequency) is missing on returned['v']"
    )
    assert steps.count == 0


@pytest.mark.parametrize("name", ["while_loop", "fori_loop"])
def test_so_is_that_of_the_other_loops(name: str) -> None:
    steps = Steps()

    def square(x: Any) -> Any:
        steps.note(x)
        return x * x

    start = 2.0 * u.m
    loops = {
        "while_loop": lambda: dimflow.while_loop(lambda x: x < 9 * u.m, square, start),
        "fori_loop": lambda: dimflow.fori_loop(0, 3, lambda _, x: square(x), start),
    }
    with pytest.raises(DimensionError, match=f"^{name} needs arguments of one dimension"):
        loops[name]()
    assert steps.count == 0


def test_the_error_names_the_line_where_units_clash() -> None:
    def wrong(x: Any, t: Any) -> Any:
        return x + t, None

    with pytest.raises(DimensionError) as caught:
        dimflow.scan(wrong, 1.0 * u.m, np.ones(3) * u.s)
    assert caught.value.location.text == "return x + t, None"  # type: ignore[attr-defined]


def test_a_unit_of_the_same_dimension_is_converted_back() -> None:
    def step(x: Any, _: Any) -> Any:
        return (x + 1 * u.m).to("km"), x.to("cm")

    last, path = dimflow.scan(step, 1.0 * u.m, length=3)
    assert last.unit is Unit("m")
    assert path.unit is Unit("cm")
    np.testing.assert_allclose(last.data, 4.0)
    np.testing.assert_allclose(path.data, [100.0, 200.0, 300.0])


def test_a_bare_zero_stands_for_itself_in_any_unit() -> None:
    last, _ = dimflow.scan(lambda x, _: (0, x), 1.0 * u.m, length=2)
    assert last.unit is Unit("m")
    assert float(last.data) == 0.0
    with pytest.raises(DimensionError, match=re.escape("returned: 1   [dimensionless]")):
        dimflow.scan(lambda x, _: (1.0, x), 1.0 * u.m, length=2)


def test_a_beginning_without_a_unit_is_told_to_have_one() -> None:
    with pytest.raises(DimensionError, match=re.escape("init needs a unit too: 1.0 * Unit('m')")):
        dimflow.scan(lambda x, y: (y, None), 0.0, np.ones(3) * u.m)


@pytest.mark.parametrize(
    ("step", "error", "text"),
    [
        (
            lambda x, _: (x[:2], None),
            ShapeMismatch,
            (
                "scan, for returned, got the wrong shape\n"
                "  expected: (3,), as init has it\n"
                "  actual:   (2,)"
            ),
        ),
        (
            lambda x, _: ((x, x), None),
            StructureMismatch,
            (
                "scan, for returned, got the wrong structure\n"
                "  expected: an array, as init has it\n"
                "  actual:   (an array, an array)"
            ),
        ),
        (
            lambda x, _: (x.astype("float32"), None),
            DtypeMismatch,
            (
                "scan, for returned, got the wrong dtype\n"
                "  expected: float64, as init has it\n"
                "  actual:   float32\n"
                "  hint:  begin with the dtype that comes out: dimflow.astype(init, 'float32')"
            ),
        ),
        (
            lambda x, _: x,
            StructureMismatch,
            (
                "scan, for what f gives, got the wrong structure\n"
                "  expected: a pair (carry, y)\n"
                "  actual:   DimArray"
            ),
        ),
        (
            lambda x, _: (None, x),
            StructureMismatch,
            (
                "scan, for returned, got the wrong structure\n"
                "  expected: an array, as init has it\n"
                "  actual:   None"
            ),
        ),
    ],
    ids=["shape", "structure", "dtype", "no pair", "None"],
)
def test_other_changes_of_a_carry(step: Any, error: type, text: str) -> None:
    with pytest.raises(error) as caught:
        dimflow.scan(step, np.ones(3) * u.m, length=2)
    assert str(caught.value) == text


def test_paths_into_structures() -> None:
    start = ({"a": [1.0 * u.m, 2.0 * u.s]}, None)
    with pytest.raises(DimensionError, match=re.escape("init[0]['a'][1]:     s")):
        dimflow.scan(lambda c, _: (({"a": [c[0]["a"][0]] * 2}, None), None), start, length=2)
    with pytest.raises(StructureMismatch, match=re.escape("for returned[0]['a'],")):
        dimflow.scan(lambda c, _: (({"a": c[0]["a"][:1]}, None), None), start, length=2)
    with pytest.raises(StructureMismatch, match=re.escape("for returned[1],")):
        dimflow.scan(lambda c, _: ((c[0], 1.0), None), start, length=2)
    with pytest.raises(StructureMismatch, match=re.escape("{'b': an array}")):
        dimflow.scan(lambda c, _: ({"b": c["a"]}, None), {"a": 1.0 * u.m}, length=2)


def test_integers_do_not_silently_become_fractions() -> None:
    with pytest.raises(DtypeMismatch, match="expected: int64, as init has it"):
        dimflow.scan(lambda x, _: (x + 0.5, None), np.array(0), length=3)
    with pytest.raises(DtypeMismatch, match="expected: int64"):
        dimflow.while_loop(lambda x: x < 3, lambda x: 0.5, np.array(0))


@each_library
def test_what_cannot_run_without_data_is_checked_after_the_first_step(library: str) -> None:
    """A choice by a value: JAX has data in no step, and says so itself."""
    steps = Steps()

    def step(x: Any, _: Any) -> Any:
        steps.note(x)
        if x > 0 * u.m:
            return x * x, None
        return x, None

    if library == "jax":
        with pytest.raises(NoDataError, match="scan depends on values"):
            dimflow.scan(step, DimArray(jnp.asarray(2.0), "m"), length=3)
        return
    with pytest.raises(DimensionError, match=re.escape("returned: m**2   [area]")):
        dimflow.scan(step, DimArray(LIBRARIES[library](2.0), "m"), length=3)
    assert steps.count == 1


def test_loops_within_loops_are_checked_once() -> None:
    """Without data one step stands for all, and with data nothing is checked again."""
    calls = {"abstract": 0, "real": 0}

    def inner(i: Any, x: Any) -> Any:
        calls["abstract" if isinstance(x.data, Abstract) else "real"] += 1
        return x + 1 * u.m

    def outer(x: Any, _: Any) -> Any:
        return dimflow.fori_loop(0, 50, inner, x), None

    last, _ = dimflow.scan(outer, 0.0 * u.m, length=20)
    assert float(last.data) == 1000.0
    assert calls == {"abstract": 1, "real": 1000}


# Rows


def test_rows_agree() -> None:
    def step(x: Any, i: Any) -> Any:
        return x, (x if i < 1 else x.to("km"))  # a choice by value

    _, rows = dimflow.scan(step, 5.0 * u.m, np.arange(3))
    assert rows.unit is Unit("m")
    np.testing.assert_allclose(rows.data, 5.0)
    with pytest.raises(DimensionError, match="scan needs arguments of one dimension"):
        dimflow.scan(lambda x, i: (x, x if i < 1 else x * x), 5.0 * u.m, np.arange(3))
    with pytest.raises(NotANumber, match="scan, for y"):
        dimflow.scan(lambda x, i: (x, object()), 5.0 * u.m, np.arange(3))


# Branches


def test_branches_that_disagree() -> None:
    x = 2.0 * u.m
    with pytest.raises(DimensionError) as caught:
        dimflow.cond(True, lambda x: {"r": x}, lambda x: {"r": x * x}, x)
    assert str(caught.value) == (
        "cond needs arguments of one dimension, but got\n"
        "  true_fn()['r']:  m      [length]\n"
        "  false_fn()['r']: m**2   [area]\n"
        "  hint:  a factor of [length^-1] (a wavenumber) is missing on false_fn()['r']"
    )
    with pytest.raises(ShapeMismatch, match=re.escape("(), as true_fn() has it")):
        dimflow.cond(True, lambda x: x, lambda x: np.ones(2) * x, x)
    with pytest.raises(StructureMismatch, match=re.escape("an array, as true_fn() has it")):
        dimflow.cond(True, lambda x: x, lambda x: (x,), x)
    with pytest.raises(DtypeMismatch, match=re.escape("float64, as true_fn() has it")):
        dimflow.cond(True, lambda x: x, lambda x: x.astype("float32"), x)
    with pytest.raises(DimensionError, match=re.escape("branches[0]():")):
        dimflow.switch(0, [lambda x: x, lambda x: 2 * x, lambda x: x * x], x)


@each_library
@pytest.mark.parametrize("choice", [True, False])
def test_branches_give_the_unit_of_the_first(library: str, choice: bool) -> None:
    x = DimArray(LIBRARIES[library](2.0), "m")
    found = dimflow.cond(choice, lambda x: x.to("km"), lambda x: x.to("mm"), x)
    assert found.unit is Unit("km")
    assert found.backend == library
    np.testing.assert_allclose(np.asarray(found.data), 0.002, rtol=1e-6)
    none = dimflow.cond(choice, lambda x: 0, lambda x: x, x)
    assert none.unit is Unit("m")
    assert float(np.asarray(none.data)) == (0.0 if choice else 2.0)


def test_only_the_branch_that_is_chosen_runs() -> None:
    seen: list[str] = []

    def noted(name: str) -> Any:
        def branch(x: Any) -> Any:
            if not isinstance(x.data, Abstract):
                seen.append(name)
            return x

        return branch

    dimflow.cond(False, noted("yes"), noted("no"), 1.0 * u.m)
    dimflow.switch(2, [noted("0"), noted("1"), noted("2")], 1.0 * u.m)
    assert seen == ["no", "2"]
    assert dimflow.cond(True, lambda: 1.0 * u.m, lambda: 1 / 0) == 1.0 * u.m


# Wrong calls


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda f: dimflow.scan(f, 1.0), StructureMismatch, "expected: xs or length"),
        (lambda f: dimflow.scan(f, 1.0, 2.0), ShapeMismatch, "an axis to go along"),
        (lambda f: dimflow.scan(f, 1.0, {"a": np.ones(3), "b": np.ones(2)}), ShapeMismatch,
         "3 (xs['a']), 2 (xs['b'])"),
        (lambda f: dimflow.scan(f, 1.0, np.ones(3), length=4), ShapeMismatch,
         "4 (length), 3 (xs)"),
        (lambda f: dimflow.scan(f, 1.0, length=-1), ShapeMismatch, "a length of 0 or more"),
        (lambda f: dimflow.scan(f, object(), length=1), NotANumber, "scan, for init,"),
        (lambda f: dimflow.scan(f, 1.0, length=4, checkpoint=0), UnitError, "checkpoint=0"),
        (lambda f: dimflow.scan(f, 1.0, length=4, checkpoint="all"), UnitError, "checkpoint='all'"),
        (lambda f: dimflow.switch(0, [], 1.0), StructureMismatch, "one branch or more"),
        (lambda f: dimflow.switch(0.5, [f], 1.0), NotANumber, "index of switch"),
        (lambda f: dimflow.switch([0, 1], [f], 1.0), NotANumber, "index of switch"),
        (lambda f: dimflow.switch(1 * u.m, [f], 1.0), UnitLossError, "index of switch"),
        (lambda f: dimflow.switch(np.array([0, 1]), [f], 1.0), ShapeMismatch, "one integer"),
        (lambda f: dimflow.fori_loop(0, 2.5, f, 1.0), NotANumber, "upper of fori_loop"),
        (lambda f: dimflow.fori_loop("0", 2, f, 1.0), NotANumber, "lower of fori_loop"),
        (lambda f: dimflow.cond(np.array([True]), f, f, 1.0), ShapeMismatch, "dimflow.where"),
        (lambda f: dimflow.cond(1 * u.m, f, f, 1.0), UnitLossError, "a choice by cond"),
        (lambda f: dimflow.while_loop(lambda x: np.array([True]), lambda x: x, 1.0), ShapeMismatch,
         "one truth value"),
        (lambda f: dimflow.map(lambda x: x, None), StructureMismatch, "xs or length"),
    ],
    ids=lambda value: None,
)  # fmt: skip
def test_wrong_calls(call: Any, error: type, text: str) -> None:
    with pytest.raises(error) as caught:
        call(lambda c, x=None: (c, None))
    assert text in str(caught.value)


def test_an_integer_of_any_library_is_one() -> None:
    for two in (2, np.int64(2), np.array(2), DimArray(2), torch.tensor(2), jnp.asarray(2)):
        assert float(dimflow.fori_loop(0, two, lambda i, x: x * 3, 1.0)) == 9.0
        assert float(dimflow.switch(two, [lambda x: x, lambda x: -x], 1.0)) == -1.0
        assert float(dimflow.cond(two, lambda x: x, lambda x: -x, 1.0)) == 1.0


def test_quantities_of_others_are_taken() -> None:
    import astropy.units
    import pint

    metre = pint.UnitRegistry().metre
    last, rows = dimflow.scan(
        lambda x, _: (x + 1 * u.m, constants.speed_of_light), 2.0 * astropy.units.km, length=2
    )
    assert last.unit is Unit("km")
    np.testing.assert_allclose(last.data, 2.002)
    assert rows.dimension is Unit("m/s").dimension
    either = dimflow.cond(True, lambda x: 2 * x, lambda x: np.float64(3.0) * metre, 1.0 * metre)
    assert either == 2.0 * u.m


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 100])
@each_library
def test_map_in_batches(library: str, size: int) -> None:
    xs = {"x": DimArray(LIBRARIES[library]([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), "m"), "none": None}
    wanted = dimflow.map(lambda s: (s["x"] ** 2, {"y": s["x"]}), xs)
    found = dimflow.map(lambda s: (s["x"] ** 2, {"y": s["x"]}), xs, batch_size=size)
    for one, other in ((found[0], wanted[0]), (found[1]["y"], wanted[1]["y"])):
        assert one.unit is other.unit
        assert one.shape == (6,)
        np.testing.assert_allclose(np.asarray(one.data), np.asarray(other.data))


def test_bad_batches() -> None:
    for size in (0, -1, 2.0, True):
        with pytest.raises(UnitError, match="batch_size"):
            dimflow.map(lambda x: x, np.ones(3), batch_size=size)


def test_branches_within_a_loop_agree_too() -> None:
    """Within what was checked as a whole, only what is needed of the other branches is run."""

    def step(x: Any, i: Any) -> Any:
        first = dimflow.cond(i % 2 == 0, lambda y: y.to("km"), lambda y: y.to("mm"), x)
        none = dimflow.cond(i % 2 == 0, lambda y: 0, lambda y: y, x)
        return x + 1 * u.m, (first, none, first.unit is Unit("km"), none.unit is Unit("m"))

    _, (first, none, is_first, is_none) = dimflow.scan(step, 1.0 * u.m, np.arange(4))
    assert all(is_first)
    assert all(is_none)
    np.testing.assert_allclose(first.data, [1e-3, 2e-3, 3e-3, 4e-3])
    np.testing.assert_allclose(none.data, [0.0, 2.0, 0.0, 4.0])


# Without data


def test_check_goes_through_control_flow() -> None:
    def program(x: Any, t: Any) -> Any:
        last, path = dimflow.scan(lambda c, dt: (c + x * dt / u.s, c), x, t)
        grown = dimflow.while_loop(lambda y: dimflow.sum(y) < 10 * u.m, lambda y: 2 * y, last)
        either = dimflow.cond(t[0] > 1 * u.s, lambda y: y * y, lambda y: y * u.km, grown)
        return dimflow.fori_loop(0, 10**9, lambda i, y: y + either, either), path

    area, path = check(program, "m[3]", "s[1000000000]")
    assert str(area) == "m**2[3]"
    assert str(path) == "m[1000000000, 3]"
    assert str(check(program, "m[3]", "s[?]")[1]) == "m[?, 3]"
    with pytest.raises(DimensionError):
        check(program, "m[3]", "kg[10]")


# Libraries


def test_jax_refuses_to_go_back_through_an_open_loop_and_we_do_not() -> None:
    def grown(x: Any) -> Any:
        return dimflow.while_loop(lambda y: y < 100 * u.m, lambda y: y * y / u.m, x)

    x = DimArray(jnp.asarray(3.0), "m")
    with pytest.raises(MissingRule) as caught:
        grad(grown)(x)
    assert str(caught.value) == (
        "a loop of an unknown number of steps on JAX has no derivative in reverse mode\n"
        "  hint:  our engine goes back through dimflow.while_loop: dimflow.grad(f, engine='own')"
    )
    np.testing.assert_allclose(float(grad(grown, engine="own")(x)), 8 * 3.0**7)


def test_mlx_cannot_tell_when_a_batch_is_done_and_we_can() -> None:
    def grown(x: Any) -> Any:
        return dimflow.while_loop(lambda y: y < 10, lambda y: 2 * y, x)

    xs = mx.array([1.0, 3.0])
    with pytest.raises(NoDataError, match='engine="own"'):
        vmap(grown, engine="native")(xs)
    assert np.asarray(vmap(grown, engine="own")(xs)).tolist() == [16.0, 12.0]


@pytest.mark.deep
def test_torch_compiles_around_an_open_loop() -> None:
    def program(x: Any) -> Any:
        grown = dimflow.while_loop(lambda y: y < 10 * u.m, lambda y: (2 * y).to("cm"), 1.5 * x)
        return dimflow.switch(1, [lambda y: y, lambda y: -y], grown) * 2

    x = DimArray(torch.tensor(1.0), "m")
    found = torch.compile(program, backend="eager")(x)
    assert found.unit is program(x).unit
    assert float(found.data) == float(program(x).data) == -24.0


@pytest.mark.deep
def test_torch_compiles_loops_and_branches_into_one_graph() -> None:
    def program(x: Any, times: Any) -> Any:
        def step(state: Any, t: Any) -> Any:
            v = state["v"] * 0.5 + x / t
            return {"x": (state["x"] + v * t).to("km"), "v": v}, (v, None)

        last, (rows, _) = dimflow.scan(step, {"x": x, "v": x / u.s}, times, reverse=True)
        either = dimflow.cond(dimflow.sum(x) > 0, lambda a: a * 2, lambda a: a.to("cm"), x)
        grown = dimflow.fori_loop(0, 3, lambda i, y: (y * 2 + i * x).to("cm"), x)
        return last["x"], rows, either, grown, dimflow.map(lambda t: t * t, times)

    args = DimArray(torch.tensor([1.0, 2.0]), "m"), DimArray(torch.tensor([1.0, 2.0, 3.0]), "s")
    compiled = torch.compile(program, fullgraph=True, backend="eager")
    for one, other in zip(compiled(*args), program(*args), strict=True):
        assert one.unit is other.unit
        torch.testing.assert_close(one.data, other.data)
    for step in (lambda c, _: (c * c, None), lambda c, _: (c[:1], None), lambda c, _: (1.0, None)):
        with pytest.raises((DimflowError, RuntimeError)):  # PyTorch wraps some
            torch.compile(lambda x, step=step: dimflow.scan(step, x, length=2)[0], backend="eager")(
                args[0]
            )


def _count(jaxpr: Any) -> int:
    inner = [
        part for eqn in jaxpr.eqns for value in eqn.params.values()
        for part in (value if isinstance(value, (tuple, list)) else [value])
        if hasattr(part, "jaxpr")
    ]  # fmt: skip
    return len(jaxpr.eqns) + sum(_count(part.jaxpr) for part in inner)


def _raw_programs() -> dict[str, tuple[Any, Any]]:
    def step(state: Any, t: Any) -> Any:
        position, speed = state
        speed = speed - position * t
        return (position + speed * t, speed), position * position

    def labelled(state: Any, t: Any) -> Any:
        position, speed = state
        speed = speed - position * t / u.s**2
        return (position + speed * t, speed), position * position

    def plain_scan(x: Any, t: Any) -> Any:
        return jax.lax.scan(step, (x, 0 * x), t)

    def our_scan(x: Any, t: Any) -> Any:
        (p, s), rows = dimflow.scan(
            labelled, (DimArray(x, "m"), DimArray(0 * x, "m/s")), DimArray(t, "s")
        )
        return (p.data, s.data), rows.data

    def loops(flow: Any) -> Any:
        def run(x: Any, t: Any) -> Any:
            y = flow.fori_loop(0, 5, lambda i, y: y + i * x, x)
            y = flow.while_loop(lambda y: y < 100.0, lambda y: 2 * y, y)
            y = flow.cond(y > 3, lambda y: y * 2, lambda y: y / 2, y)
            y = flow.switch(t.astype(int)[0], [lambda y: y, lambda y: -y], y)
            return y, flow.map(lambda s: s * x, t)

        return run

    return {"scan": (our_scan, plain_scan), "others": (loops(dimflow), loops(jax.lax))}


@pytest.mark.parametrize("name", ["scan", "others"])
def test_jax_sees_its_own_program(name: str) -> None:
    ours, raw = _raw_programs()[name]
    args = jnp.asarray(1.5), jnp.linspace(0.1, 1.0, 4)
    found, wanted = (jax.make_jaxpr(f)(*args) for f in (ours, raw))
    assert _count(found.jaxpr) == _count(wanted.jaxpr)
    kinds = [[eqn.primitive.name for eqn in p.jaxpr.eqns] for p in (found, wanted)]
    assert kinds[0] == kinds[1]
    for one, other in zip(
        jax.tree.leaves(jax.jit(ours)(*args)), jax.tree.leaves(jax.jit(raw)(*args)), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_progress_is_shown_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    dimflow.scan(lambda x, _: (x, None), 1.0 * u.m, length=50, progress=True)
    assert "100% 50/50" in capsys.readouterr().err
    dimflow.scan(lambda x, _: (x, None), 1.0 * u.m, length=50, checkpoint=7, progress=True)
    assert "100% 50/50" in capsys.readouterr().err
    dimflow.scan(lambda x, _: (x, None), 1.0 * u.m, length=50)
    dimflow.scan(lambda x, _: (x, None), jnp.asarray(1.0), length=50, progress=True)
    assert capsys.readouterr().err == ""
