"""MLX computes when somebody looks; its transformations take functions of quantities."""

import pickle
from io import StringIO
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

import dimflow
from dimflow import DimArray, ops
from dimflow import units as u
from dimflow.errors import BackendMismatch, MissingRule, NotANumber
from tests.backends.mlx_quantities import TENTHS, singles
from tests.contract.deviations import ARBITRARY
from tests.contract.evaluate import names, quietly, run
from tests.contract.samples import cases


def is_waiting(raw: Any) -> bool:
    """Whether an array is still to be computed: its graph has an operation."""
    text = StringIO()
    mx.export_to_dot(text, raw)
    return "rectangle" in text.getvalue()


def waiting(value: Any) -> Any:
    """NumPy's arrays as arrays of MLX that are still to be computed."""
    if not isinstance(value, np.ndarray):
        return value
    single = {"f": np.float32, "c": np.complex64}.get(value.dtype.kind, value.dtype)
    raw = mx.array(value.astype(single))
    return mx.logical_not(~raw) if raw.dtype == mx.bool_ else raw * 1


def test_waiting_can_be_seen() -> None:
    x = waiting(np.ones(3))
    assert is_waiting(x)
    mx.eval(x)
    assert not is_waiting(x)


SHAPE = "the shape of its result depends on values"
LENGTH = "the number of bins depends on values"
DRAWN = "NumPy draws, and needs the parameters"
ORDER = "edges that fall are an error"
RANKED = "the number of residuals depends on the rank"
CHOICE = "its definition chooses an order of approximation by the size of the matrix"
# Ops that look at values, and why they must. All others leave everything to be computed later.
LOOKING: dict[str, str] = {
    **dict.fromkeys(("histogram_bin_edges", "histogram", "histogram2d", "histogramdd"), LENGTH),
    **dict.fromkeys(("integer_counts", "integer_sums", "bincount"), LENGTH),
    **dict.fromkeys(("index", "compress", "extract", "trim_zeros", "nonzero"), SHAPE),
    **dict.fromkeys(("argwhere", "flatnonzero", "unique_index", "unique_all", "unique"), SHAPE),
    **dict.fromkeys(("unique_counts", "unique_inverse", "unique_values", "union1d"), SHAPE),
    **dict.fromkeys(("intersect1d", "setdiff1d", "setxor1d"), SHAPE),
    **dict.fromkeys(("random_gamma", "random_poisson", "sample_gamma"), DRAWN),
    **dict.fromkeys(("expm", "expm_frechet"), CHOICE),
    **dict.fromkeys(("bin_sums", "bin_index"), ORDER),
    "lstsq": RANKED,
}
RUNNABLE = [name for name in names() if name not in ARBITRARY]


def looks(name: str) -> bool:
    """Whether a sample of the op computes one of its arguments."""
    op, seen = ops.get(name), False
    for case in cases(name):
        args = tuple(map(waiting, case.args))
        try:
            quietly(run, op, args, case.params)
        except (MissingRule, NotANumber):
            continue  # what MLX has no numbers for
        arrays = [a for a in args if isinstance(a, mx.array)]
        seen = seen or not all(map(is_waiting, arrays))
    return seen


@pytest.mark.parametrize("name", RUNNABLE)
def test_an_op_computes_nothing_unless_it_must(name: str) -> None:
    assert looks(name) == (name in LOOKING)


def test_conversions_and_operators_wait_too() -> None:
    x = DimArray(waiting(TENTHS), "km")
    y = ((x.to("m") + 1 * u.cm) ** 2 / x)[1:].sum().astype("float32")
    for lazy in (x.data, y.data, (x.copy() * 2).data):
        assert is_waiting(lazy)
    repr(y)
    assert not is_waiting(y.data)


@pytest.mark.parametrize(
    "look",
    [repr, str, DimArray.to_numpy, DimArray.tolist, lambda x: bool(x.sum() > 0), pickle.dumps],
)
def test_who_looks_computes(look: Any) -> None:
    x = DimArray(waiting(TENTHS), "m")
    look(x)
    assert not is_waiting(x.data)


# Transformations


def test_compile_traces_once_for_each_form() -> None:
    traced = []

    def energy(mass: Any, speed: Any, *, factor: float = 0.5) -> Any:
        traced.append(1)
        return {"energy": factor * mass * speed**2, "fast": [speed > 3 * u.m / u.s]}

    fast = dimflow.mlx.compile(energy)
    mass, speed = singles([1.0, 2.0], "kg"), singles([3.0, 4.0], "m/s")
    for _ in range(2):
        found = fast(mass, speed)
        assert found["energy"].to("J").tolist() == [4.5, 16.0]
        assert found["fast"][0].tolist() == [False, True]
    assert len(traced) == 1
    assert fast(mass.to("g"), speed)["energy"].unit == u.g * u.m**2 / u.s**2
    assert fast(mass, speed, factor=1.0)["energy"].tolist() == [9.0, 32.0]
    assert fast(mass[:1], speed)["energy"].tolist() == [4.5, 8.0]
    assert len(traced) == 4


def test_compile_keeps_the_spelling_of_units() -> None:
    fast = dimflow.mlx.compile(lambda x: x * 2)
    for unit in ("N", "kg*m/s**2", "N"):
        assert str(fast(singles(unit=unit)).unit) == str(dimflow.Unit(unit))


def test_vmap_runs_over_an_axis_of_each() -> None:
    x, y = singles(np.arange(6.0).reshape(3, 2), "m"), singles([1.0, 2.0], "s")
    each = dimflow.mlx.vmap(lambda a, b: (a * b).sum(), in_axes=(0, None))(x, y)
    assert each.unit == u.m * u.s
    assert each.tolist() == (x.to_numpy() @ y.to_numpy()).tolist()
    both = dimflow.mlx.vmap(lambda p: {"sum": p["x"] + 1 * u.cm})({"x": x})
    np.testing.assert_allclose(both["sum"].to_numpy(), x.to_numpy() + 0.01, rtol=1e-6)


def test_a_wrong_unit_is_found_while_tracing() -> None:
    for transform in (dimflow.mlx.compile, dimflow.mlx.vmap):
        with pytest.raises(dimflow.errors.DimensionError, match=r"^add needs arguments of one"):
            transform(lambda x, y: x + y)(singles(), singles(unit="s"))


def test_eval_computes_quantities() -> None:
    x, y = DimArray(waiting(TENTHS), "m"), DimArray(waiting(TENTHS), "s")
    dimflow.mlx.eval(x, {"y": [y]})
    assert not is_waiting(x.data)
    assert not is_waiting(y.data)


def test_what_is_no_tree_of_arrays_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"it takes lists, tuples and dicts of arrays, but got a builtins\.set"
    ):
        dimflow.mlx.compile(lambda x: x)({1.0})
    with pytest.raises(BackendMismatch, match=r"convert it: x\.to_backend\('mlx'\)"):
        dimflow.mlx.compile(lambda x: x)(DimArray([1.0], "m").to_backend("torch"))


REFUSED_BY_MLX = {
    "mx.sin": lambda x: mx.sin(x),
    "mx.compile": lambda x: mx.compile(lambda a: a)(x),
    "mx.vmap": lambda x: mx.vmap(lambda a: a)(x),
    "mx.grad": lambda x: mx.grad(lambda a: a)(x),
    "mx.array": lambda x: mx.array(x),
    "mx.concatenate": lambda x: mx.concatenate([x, x]),
    "on the left": lambda x: mx.array([1.0]) * x,
}


@pytest.mark.parametrize("name", sorted(REFUSED_BY_MLX))
def test_mlx_itself_takes_no_quantities_and_loses_no_unit(name: str) -> None:
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        REFUSED_BY_MLX[name](singles())
