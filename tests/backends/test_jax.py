"""What is special to JAX as a backend; laws of all libraries are in tests/contract/libraries."""

import copy
import pickle
import pkgutil
import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import dimflow
from dimflow import DimArray, Unit, ops
from dimflow import units as u
from dimflow.autodiff import checkpoints, control, custom
from dimflow.backends import backend, jax_kernels
from dimflow.errors import (
    BackendMismatch,
    DeviceMismatch,
    DimflowError,
    NoDataError,
    NotANumber,
    UnitError,
    UnitParseError,
)
from tests.contract.evaluate import assert_same, leaves
from tests.contract.samples import Case, cases

jax.config.update("jax_enable_x64", True)
JAX = backend("jax")
X = DimArray(jnp.asarray([1.0, 2.0, 3.0]), "m")


# Traced code gives what eager code gives

# Ops whose result's shape, or refusal, depends on values: JAX cannot trace them.
BY_VALUE = frozenset(
    (
        *("argwhere", "nonzero", "flatnonzero", "trim_zeros", "compress", "extract", "bincount"),
        *("integer_counts", "integer_sums", "unique", "unique_all", "unique_counts"),
        *("unique_index", "unique_inverse", "unique_values", "union1d", "intersect1d"),
        *("setdiff1d", "setxor1d"),
    )
)
# A seed asks NumPy for numbers, which a traced shape of the distribution cannot reach.
OPS = [name for name, op in ops.TABLE.items() if op.kind != "random" and name != "sample_gamma"]
KERNELS = [
    name for name in OPS if JAX.own_kernel(ops.get(name)) is not None and name not in BY_VALUE
]
# One op for each module of kernels.
FEW = sorted({ops.get(name).family: name for name in KERNELS}.values())


def traced_places(case: Case) -> list[int]:
    return [i for i, a in enumerate(case.args) if isinstance(a, np.ndarray)]


def agrees_when_traced(name: str, limit: int | None) -> None:
    op = ops.get(name)
    for case in cases(name)[:limit]:
        places = traced_places(case)
        args = [jnp.asarray(a) if i in places else a for i, a in enumerate(case.args)]
        if not places:
            continue

        def call(*values: Any, args: Any = args, places: Any = places, case: Any = case) -> Any:
            full = list(args)
            for place, value in zip(places, values, strict=True):
                full[place] = value
            return tuple(leaves(op.run(tuple(full), dict(case.params))))

        values = [args[i] for i in places]
        expected = call(*values)
        assert_same(jax.jit(call)(*values), expected, rtol=1e-9, what=case.label)


@pytest.mark.share(3)
@pytest.mark.parametrize("name", FEW)
def test_a_kernel_of_each_family_traces(name: str) -> None:
    agrees_when_traced(name, 1)


# Ops that look at values in some samples: masks in keys, names of rules for bins, checks of edges.
PARTLY = frozenset(
    (
        *("index", "index_set", "index_add", "index_max", "index_min", "getitem"),
        *("at_set", "at_add", "at_max", "at_min", "place", "histogram", "histogram_bin_edges"),
        *("spaced_edges", "histogram2d", "histogramdd", "delete", "insert", "choose", "cov"),
    )
)


@pytest.mark.deep
@pytest.mark.parametrize("name", [n for n in OPS if n not in BY_VALUE and n != "empty_like"])
def test_every_op_traces(name: str) -> None:
    try:
        agrees_when_traced(name, None)
    except NoDataError:
        assert name in PARTLY


@pytest.mark.parametrize("name", sorted(BY_VALUE))
def test_ops_that_need_values_say_so_when_traced(name: str) -> None:
    refused = 0
    for case in cases(name):
        places = traced_places(case)
        args = list(case.args)

        def call(*values: Any, args: Any = args, places: Any = places, case: Any = case) -> Any:
            for place, value in zip(places, values, strict=True):
                args[place] = value
            return leaves(ops.get(name).run(tuple(args), dict(case.params)))

        with pytest.raises(NoDataError, match=r"while JAX traces a function\n  hint:"):
            jax.jit(call)(*(jnp.asarray(args[i]) for i in places))
        refused += 1
    assert refused


def test_every_kernel_belongs_to_an_op() -> None:
    programs = [*vars(control).values(), custom.CUSTOM_CALL, checkpoints.CHECKPOINT]
    families = {op.family for op in [*ops.TABLE.values(), *programs] if isinstance(op, ops.Op)}
    modules = {module.name for module in pkgutil.iter_modules(jax_kernels.__path__)}
    assert modules - families == {"precision"}


# Precision: what is asked for is what one gets, or an error


def test_double_precision_is_refused_where_jax_would_halve_it() -> None:
    program = """
import warnings; warnings.simplefilter("error")
import dimflow, jax.numpy as jnp, numpy as np
from dimflow import DimArray
from dimflow.errors import UnitError
x = DimArray(jnp.arange(3.0), "m")
assert str(x.dtype) == "float32"
assert str(DimArray(np.ones(2), "m").to_backend("jax").dtype) == "float32"
assert str((x * np.ones(3)).dtype) == "float32"
assert str(dimflow.zeros(2, "m", backend="jax", dtype=float).dtype) == "float32"
for make in (
    lambda: DimArray([1.0], "m", backend="jax", dtype="float64"),
    lambda: dimflow.ones(2, "m", backend="jax", dtype="float64"),
    lambda: x.astype("float64"),
    lambda: dimflow.sum(x, dtype=np.float64),
    lambda: x.astype("complex128"),
):
    try:
        found = make()
    except UnitError as error:
        assert 'jax.config.update("jax_enable_x64", True)' in str(error), error
    else:
        raise SystemExit(f"got {found!r}")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.mark.parametrize("name", ["float64", "float32", "float16", "bfloat16", "complex64", "int8"])
def test_dtypes_by_name(name: str) -> None:
    assert str(JAX.as_dtype(name)) == name
    found = DimArray([1, 2], "m", backend="jax", dtype=name)
    assert str(found.dtype) == name
    assert str(DimArray(jnp.ones(2, jnp.int32), "m").astype("float32").dtype) == "float32"


def test_dtypes_of_other_libraries() -> None:
    for dtype in (np.float32, np.dtype("float32"), torch.float32, jnp.float32, "float32"):
        assert JAX.as_dtype(dtype) == np.float32
    with pytest.raises((NotANumber, TypeError)):
        JAX.as_dtype("no such dtype")


# Arrays from elsewhere


def test_only_arrays_are_held() -> None:
    assert JAX.holds(type(X.data))
    assert not JAX.holds(type(jax.devices()[0]))
    assert not JAX.holds(jax.sharding.NamedSharding)
    with pytest.raises(UnitParseError):
        DimArray("text", "m", backend="jax")
    with pytest.raises(NotANumber):
        DimArray([object()], "m", backend="jax")


def test_to_and_from_other_libraries() -> None:
    numpy = X.to_backend("numpy")
    assert not numpy.data.flags.writeable  # it may be the memory of the JAX array
    tensor = X.to_backend("torch")
    tensor.data[0] = 7.0
    np.testing.assert_array_equal(X.data, [1.0, 2.0, 3.0])
    source = torch.tensor([1.0, 2.0])
    taken = DimArray(source, "s").to_backend("jax")
    source[0] = 7.0
    np.testing.assert_array_equal(taken.data, [1.0, 2.0])
    ours = np.asarray([1.0, 2.0])
    lifted = DimArray(ours, "s").to_backend("jax")
    ours[0] = 7.0
    np.testing.assert_array_equal(lifted.data, [1.0, 2.0])


def test_two_libraries_do_not_mix() -> None:
    with pytest.raises(BackendMismatch, match=r"to_backend\('jax'\)"):
        X * DimArray(torch.ones(3), "m")


def test_copies_and_pickles() -> None:
    for again in (copy.copy(X), copy.deepcopy(X), pickle.loads(pickle.dumps(X))):
        assert again.unit is X.unit
        assert isinstance(again.data, jax.Array)
        np.testing.assert_array_equal(again.data, X.data)


# Devices


def test_devices_have_names() -> None:
    names = [f"{d.platform}:{d.id}" for d in jax.devices()]
    assert dimflow.devices("jax")[: len(names)] == names
    assert X.device == names[0]
    assert X.to_device(jax.devices()[0]).device == names[0]
    assert X.device.description == jax.devices()[0].device_kind
    for wrong in ("nowhere", "cpu:99", "gpu:99"):
        with pytest.raises(DeviceMismatch, match=names[0]):
            X.to_device(wrong)


# Nothing is written into


def test_assignment_says_how_else() -> None:
    with pytest.raises(UnitError) as caught:
        X[0] = 5 * u.m
    assert str(caught.value) == (
        "a JAX array cannot be written into\n  hint:  make a new one: x = x.at[key].set(value)"
    )


def test_operators_in_place_make_a_new_array() -> None:
    kept = x = DimArray(jnp.ones(2), "m")
    x += 1 * u.km
    np.testing.assert_array_equal(x.data, [1001.0, 1001.0])
    np.testing.assert_array_equal(kept.data, [1.0, 1.0])
    with pytest.raises(UnitError):
        x *= x


@pytest.mark.parametrize("library", ["jax", "numpy", "torch"])
def test_updates_by_at(library: str) -> None:
    x = X.to_backend(library)
    found = x.at[1:].set(DimArray([1.0, 2.0], "km"))
    assert found.unit is Unit("m")
    np.testing.assert_array_equal(found.to_numpy(), [1.0, 1000.0, 2000.0])
    np.testing.assert_array_equal(x.to_numpy(), [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(x.at[[0, 0]].add(1 * u.m).to_numpy(), [3.0, 2.0, 3.0])
    np.testing.assert_array_equal(x.at[...].max(2 * u.m).to_numpy(), [2.0, 2.0, 3.0])
    np.testing.assert_array_equal(x.at[:2].min(1.5 * u.m).to_numpy(), [1.0, 1.5, 3.0])
    np.testing.assert_array_equal(x.at[1].get().to_numpy(), 2.0)
    with pytest.raises(DimflowError):
        x.at[0].set(1 * u.s)
    with pytest.raises(DimflowError):
        x.at[0].add(1.0)


def test_updates_are_traced() -> None:
    found = jax.jit(lambda x, i: x.at[i].add(1 * u.km))(X, 2)
    np.testing.assert_array_equal(found.data, [1.0, 2.0, 1003.0])


def test_fractions_are_not_cut_to_fit_integers() -> None:
    whole = DimArray(jnp.arange(3), "m")
    np.testing.assert_array_equal(whole.at[0].set(DimArray(5, "m")).data, [5, 1, 2])
    for write in (lambda x, y: x.at[0].set(y), jax.jit(lambda x, y: x.at[0].set(y))):
        for value in (0.5, 5.0):
            with pytest.raises(NotANumber, match="which it would cut"):
                write(whole, DimArray(jnp.asarray(value), "m"))


# Random numbers


def test_draws_by_keys() -> None:
    key = jax.random.key(5)
    drawn = ops.random_normal(4, generator=key)
    np.testing.assert_array_equal(drawn, jax.random.normal(key, (4,)))
    np.testing.assert_array_equal(drawn, jax.jit(lambda k: ops.random_normal(4, generator=k))(key))
    legacy = ops.random_uniform((2, 3), dtype="float32", generator=jax.random.PRNGKey(5))
    assert (legacy.shape, str(legacy.dtype)) == ((2, 3), "float32")
    warm = ops.sample_normal(DimArray(20.0, "degC"), DimArray(0.5, "K"), size=3, generator=key)
    assert (warm.unit, warm.backend) == (Unit("degC"), "jax")
    counts = ops.random_poisson(jnp.asarray([1.0, 1e3]), generator=key)
    assert counts.dtype == jnp.int64
    assert sorted(np.asarray(ops.random_permutation(5, generator=key)).tolist()) == [0, 1, 2, 3, 4]


def test_a_seed_gives_the_numbers_of_numpy() -> None:
    one = ops.random_gamma(jnp.asarray(2.0), size=3, generator=7)
    np.testing.assert_array_equal(one, np.random.default_rng(7).standard_gamma(2.0, 3))
    with pytest.raises(UnitError, match=r"generator=jax\.random\.key"):
        jax.jit(lambda a: ops.random_gamma(a, size=3, generator=7))(jnp.asarray(2.0))
