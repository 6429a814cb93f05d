"""MLX: doubles stay doubles, nothing is computed before somebody looks, what lacks is said."""

import pickle
import subprocess
import sys
from typing import Any

import hypothesis.extra.numpy as hnp
import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, ops
from dimflow import units as u
from dimflow.backends import backend
from dimflow.errors import DeviceMismatch, MissingRule, NotANumber, UnitError
from tests.backends.mlx_quantities import TENTHS, doubles, singles
from tests.contract.evaluate import leaves, names, quietly

MLX = backend("mlx")


# Doubles

WAYS_IN = {
    "to_backend": lambda: DimArray(TENTHS, "m").to_backend("mlx"),
    "backend=": lambda: DimArray(TENTHS, "m", backend="mlx"),
    "dtype=": lambda: DimArray([0.1, 0.2, 0.3], "m", backend="mlx", dtype="float64"),
    "dtype of NumPy": lambda: DimArray([0.1, 0.2, 0.3], "m", backend="mlx", dtype=np.float64),
    "dtype of MLX": lambda: DimArray([0.1, 0.2, 0.3], "m", backend="mlx", dtype=mx.float64),
    "a list of NumPy's scalars": lambda: DimArray(list(TENTHS), "m", backend="mlx"),
    "beside singles": lambda: DimArray(mx.zeros(3), "m") + DimArray(TENTHS, "m"),
    "on the left of singles": lambda: DimArray(TENTHS, "m") + DimArray(mx.zeros(3), "m"),
    "pickle": lambda: pickle.loads(pickle.dumps(doubles())),
    "dictionary": lambda: DimArray.from_dict(doubles().to_dict()),
    "restored": lambda: restored_on_mlx(DimArray(TENTHS, "m")),
    "a factor": lambda: (doubles(TENTHS / 1000, "km") * 1.0).to("m"),
    "an offset": lambda: doubles(TENTHS, "m") * 1,
    "a sum of quantities": lambda: doubles(TENTHS - 0.1) + 10.0 * u.cm,
    "full": lambda: (
        dimflow.full(3, 0.1, "m", backend="mlx", dtype="float64") * doubles([1, 2, 3], "")
    ),
    "linspace": lambda: dimflow.linspace(0.1, 0.3, 3, "m", backend="mlx", dtype="float64"),
    "where": lambda: dimflow.where(mx.array([True, False, False]), 0.1 * u.m, doubles()),
    "assignment": lambda: assigned(doubles()),
    "at_set": lambda: ops.at_set(doubles([9, 0.2, 0.3]), 0, 0.1 * u.m),
    "stack": lambda: DimArray([0.1 * u.m, doubles()[1], doubles()[2]]),
    "torch": lambda: DimArray(TENTHS, "m").to_backend("torch").to_backend("mlx"),
}


def restored_on_mlx(x: DimArray) -> Any:
    with dimflow.restore_on("mlx"):
        return pickle.loads(pickle.dumps(x))


def assigned(x: DimArray) -> DimArray:
    x[0] = 9.0 * u.m
    x[0] = 10.0 * u.cm
    return x


@pytest.mark.parametrize("way", sorted(WAYS_IN))
def test_doubles_stay_doubles(way: str) -> None:
    found = WAYS_IN[way]()
    assert found.backend == "mlx"
    assert found.dtype == mx.float64
    np.testing.assert_allclose(found.to_numpy("m"), TENTHS, rtol=4e-16)


@pytest.mark.parametrize("make", [dimflow.zeros, dimflow.ones, dimflow.empty])
def test_new_arrays_are_of_the_dtype_asked_for(make: Any) -> None:
    assert make(3, "m", backend="mlx").dtype == mx.float32
    for dtype in ("float64", np.float64, mx.float64):
        assert make(3, "m", backend="mlx", dtype=dtype).dtype == mx.float64


def test_plain_numbers_are_what_mlx_makes_of_them() -> None:
    for values in ([1.0, 2.0], [1, 2], [2**40], [True, False], 1.5, [1j], [[1, 2.5]]):
        made = DimArray(values, "", backend="mlx").data
        expected = mx.array(values)
        assert made.dtype == expected.dtype
        assert made.tolist() == expected.tolist()


def test_one_number_adapts_to_the_array_beside_it() -> None:
    for other in (2.0, 2.0 * u.s, np.float64(2), np.array(2.0), DimArray(2.0, "s")):
        assert (singles() * other).dtype == mx.float32
        assert (doubles() * other).dtype == mx.float64
        assert (other * doubles()).to_numpy().tolist() == (2 * TENTHS).tolist()


# What MLX computes in single precision even for float64 has to be right here, in long arrays too:
# MLX takes another path for them.
SMOOTH = sorted(
    name
    for name in names("expr")
    if ops.get(name).kind == "elementwise"
    and not any(i.integer for i in ops.get(name).domain)
    and len(ops.get(name).signature.parameters) == len(ops.get(name).array_names)
)


@pytest.mark.parametrize("name", SMOOTH)
def test_doubles_are_computed_in_double_precision(name: str) -> None:
    op = ops.get(name)
    rng = np.random.default_rng(7)
    args = [rng.uniform(i.low, i.high, 333) for i in op.domain]
    found = op(*(mx.array(a, dtype=mx.float64) for a in args))
    expected = quietly(op, *args)
    for got, wanted in zip(leaves(found), leaves(expected), strict=True):
        tolerance = 1e-11 if op.family in ("special", "bessel") else 4e-14
        np.testing.assert_allclose(np.asarray(got), wanted, rtol=tolerance, atol=tolerance)
        if np.asarray(wanted).dtype == np.float64:
            assert got.dtype == mx.float64


@given(hnp.arrays(np.float64, 16, elements=st.floats(width=64)))
def test_exponentials_and_circles_are_right_over_the_whole_line(values: Any) -> None:
    x = mx.array(values, dtype=mx.float64)
    for name in ("exp", "expm1", "sin", "cos", "tan"):
        expected = quietly(getattr(np, name), values)
        np.testing.assert_allclose(np.asarray(ops.get(name)(x)), expected, rtol=2e-15, atol=5e-324)


@pytest.mark.parametrize("name", ["exp", "expm1", "sin", "cos", "tan"])
def test_their_derivatives_are_in_double_precision_too(name: str) -> None:
    x = np.linspace(-3, 3, 41)
    slopes = {"sin": np.cos(x), "cos": -np.sin(x), "tan": 1 + np.tan(x) ** 2}
    raw, one = mx.array(x, dtype=mx.float64), mx.ones(41, mx.float64)
    _, pull = MLX.vjp(ops.get(name), (raw,))
    _, tangent = MLX.jvp(ops.get(name), (raw,), (one,))
    for found in (*pull(one), tangent):
        np.testing.assert_allclose(np.asarray(found), slopes.get(name, np.exp(x)), rtol=1e-14)


def test_logaddexp_of_doubles() -> None:
    ends = np.array([0.0, 1.0, -1e3, 1e3, np.inf, -np.inf, np.nan])
    x, y = (g.ravel() for g in np.meshgrid(ends, ends))
    found = ops.logaddexp(*(mx.array(v, dtype=mx.float64) for v in (x, y)))
    np.testing.assert_allclose(np.asarray(found), quietly(np.logaddexp, x, y), rtol=1e-15)
    _, pull = MLX.vjp(ops.logaddexp, (mx.array(0.0, mx.float64), mx.array(0.0, mx.float64)))
    slopes = [g.item() for g in pull(mx.array(1.0, mx.float64))]
    np.testing.assert_allclose(slopes, 0.5, rtol=1e-15)


HALVED = {
    "rfft": lambda: ops.rfft(doubles()),
    "eig": lambda: ops.eig(DimArray(mx.eye(2, dtype=mx.float64))),
    "multiply": lambda: doubles() * 1j,
    "add": lambda: ops.add(doubles(), 1j * u.m),
    "astype": lambda: ops.astype(doubles(), "complex64"),
}


@pytest.mark.parametrize("name", sorted(HALVED))
def test_doubles_are_not_cut_on_their_way_to_complex_numbers(name: str) -> None:
    with pytest.raises(MissingRule) as error:
        HALVED[name]()
    assert str(error.value) == (
        f"{name} has no kernel for float64 arrays of mlx, whose complex numbers are complex64\n"
        "  hint:  say that single precision will do: x.astype('float32'), or use "
        "x.to_backend('numpy')"
    )


def test_complex_numbers_of_double_precision_are_refused() -> None:
    for make in (
        lambda: DimArray(np.ones(2, complex), "V").to_backend("mlx"),
        lambda: singles().astype("complex128"),
        lambda: singles() + DimArray(np.ones(3, complex), "m"),
        lambda: ops.fft(doubles()),
    ):
        with pytest.raises(MissingRule, match="complex128: MLX's complex numbers are complex64"):
            make()


def test_integers_multiply_as_matrices() -> None:
    x = np.arange(6).reshape(2, 3)
    a, b = mx.array(x), mx.array(x.T)
    for left, right in ((x, x.T), (x, x[0]), (x[:, 0], x), (x[0], x[1]), (np.stack([x, x]), x.T)):
        found = ops.matmul(mx.array(left), mx.array(right))
        assert found.tolist() == (left @ right).tolist()
    assert ops.matmul(a, b).dtype == a.dtype
    assert ops.einsum("ij,jk->ik", a, b).tolist() == (x @ x.T).tolist()


# Writing


def test_what_is_written_is_seen_in_the_object_alone() -> None:
    raw = mx.array([1.0, 2.0, 3.0])
    x = DimArray(raw, "m")
    view, copy, doubled = x[:2], x.copy(), x * 2
    x[0] = 5 * u.km
    x += 1 * u.m
    assert raw is x.data
    assert x.tolist() == [5001.0, 3.0, 4.0]
    assert view.tolist() == copy.tolist()[:2] == [1.0, 2.0]
    assert doubled.tolist() == [2.0, 4.0, 6.0]


def test_assignment_by_masks_and_lists() -> None:
    x = singles([1.0, 2.0, 3.0, 4.0])
    x[x > 2.5 * u.m] = 100 * u.cm
    x[[0, 1]] = DimArray([5.0, 6.0], "m")
    x[np.array([False, False, False, True])] = 0
    assert x.tolist() == [5.0, 6.0, 1.0, 0.0]


def test_fractions_are_not_cut_off() -> None:
    x = DimArray(mx.array([1, 2]), "m")
    with pytest.raises(NotANumber, match="which it would cut"):
        x[0] = 1.5 * u.m
    with pytest.raises(UnitError, match="an assignment takes values in m, but got s"):
        x[0] = 1 * u.s
    assert x.tolist() == [1, 2]


def test_memory_is_shared_with_nobody_who_writes() -> None:
    x = singles()
    view = x.to_numpy()
    assert not view.flags.writeable
    assert np.shares_memory(view, np.asarray(x.data))
    assert x.to_backend("numpy", copy=True).data.flags.writeable
    tensor = x.to_backend("torch")
    tensor.data[0] = 9.0
    assert x.tolist() == singles().tolist()
    numbers = np.array([1.0, 2.0])
    taken = DimArray(numbers, "m").to_backend("mlx")
    numbers[0] = 9.0
    assert taken.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="MLX copies what it takes from others"):
        DimArray(numbers, "m").to_backend("mlx", copy=False)


# Indexing

ARRAY = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)


@given(
    st.one_of(
        hnp.basic_indices(ARRAY.shape, allow_newaxis=True),
        hnp.integer_array_indices(ARRAY.shape),
        hnp.arrays(np.bool_, ARRAY.shape),
        hnp.arrays(np.bool_, ARRAY.shape[:1]),
    )
)
def test_keys_pick_what_numpy_picks(key: Any) -> None:
    found = DimArray(mx.array(ARRAY), "m")[key]
    np.testing.assert_array_equal(found.to_numpy(), ARRAY[key])


@pytest.mark.parametrize(
    "key", [2, -3, (0, 3), (0, -4), (..., 4), [0, 2], np.array([5]), (0, 0, 0, 0)]
)
def test_keys_outside_raise(key: Any) -> None:
    """MLX itself gives zeros."""
    with pytest.raises(IndexError):
        DimArray(mx.array(ARRAY), "m")[key]
    with pytest.raises(IndexError):
        DimArray(mx.array(ARRAY), "m")[key] = 0


@pytest.mark.parametrize("key", [1.0, [1.0], np.array([0.5]), mx.array([1.0]), True, np.True_, "a"])
def test_keys_that_are_no_places_raise(key: Any) -> None:
    """MLX itself has no words for them, and Python would take 1.7 for 1."""
    with pytest.raises(IndexError, match="an index is an integer"):
        DimArray(mx.array(ARRAY), "m")[key]


# Derivatives


def test_both_modes_are_mlx_own() -> None:
    x, y = np.array([0.3, 0.7]), np.array([2.0, 3.0])

    def function(a: Any, b: Any) -> Any:
        return ops.sum(ops.sin(a) * b), ops.multiply(a, b)

    raws = tuple(mx.array(v, dtype=mx.float64) for v in (x, y))
    (total, product), pull = MLX.vjp(function, raws)
    np.testing.assert_allclose(total.item(), (np.sin(x) * y).sum(), rtol=1e-15)
    np.testing.assert_allclose(np.asarray(product), x * y)
    by_x, by_y = pull((mx.array(1.0, mx.float64), mx.array([1.0, 0.0], dtype=mx.float64)))
    np.testing.assert_allclose(np.asarray(by_x), np.cos(x) * y + y * [1, 0], rtol=1e-14)
    np.testing.assert_allclose(np.asarray(by_y), np.sin(x) + x * [1, 0], rtol=1e-14)
    _, (slope, _) = MLX.jvp(function, raws, raws)
    np.testing.assert_allclose(slope.item(), (np.cos(x) * x * y + np.sin(x) * y).sum(), rtol=1e-14)


def test_detached_values_have_no_derivative() -> None:
    def function(x: Any) -> Any:
        return (DimArray(x, "m") * DimArray(x, "m").detach()).data

    _, pull = MLX.vjp(function, (mx.array(3.0),))
    assert pull(mx.array(1.0))[0].item() == 3.0


# Places, dtypes


def test_an_array_is_where_operations_run() -> None:
    x = singles()
    assert x.device == "cpu"
    assert x.device.backend == "mlx"
    assert x.device.native == mx.default_device()
    assert dimflow.devices("mlx") == ["cpu"]
    assert x.to_device("cpu").tolist() == x.tolist()
    for wrong in ("gpu", "cuda:0", "cpu:1"):
        with pytest.raises(DeviceMismatch):
            x.to_device(wrong)


def test_bfloat16_has_no_name_in_numpy_but_all_its_values() -> None:
    x = DimArray(mx.array([1.0, 2.5], dtype=mx.bfloat16), "km")
    assert x.dtype == mx.bfloat16
    assert x.to("m").dtype == mx.bfloat16
    assert x.to_numpy().tolist() == [1.0, 2.5]
    again = pickle.loads(pickle.dumps(x))
    assert (again.dtype, again.tolist(), again.unit) == (mx.bfloat16, [1.0, 2.5], x.unit)


@pytest.mark.parametrize("bad", ["text", b"bytes", None, {}, [1, [2]], [None], object()])
def test_what_holds_no_numbers_is_refused(bad: Any) -> None:
    with pytest.raises(NotANumber):
        MLX.asarray(bad)


def test_complex_matrices_that_mlx_has_no_kernel_for() -> None:
    rng = np.random.default_rng(1)
    a = (rng.normal(size=(2, 3, 3)) + 1j * rng.normal(size=(2, 3, 3))).astype(np.complex64)
    raw = mx.array(a)
    np.testing.assert_allclose(np.asarray(ops.inv(raw)) @ a, np.eye(3)[None] + 0 * a, atol=1e-5)
    np.testing.assert_allclose(np.asarray(ops.det(raw)), np.linalg.det(a), rtol=1e-4)
    for op in (ops.qr, ops.cholesky):
        with pytest.raises(MissingRule, match="has no kernel for complex64 arrays of mlx"):
            op(raw)


def test_gradients_of_quantities_are_mlx_own() -> None:
    x = singles([1.0, 2.0], "m")
    slope = dimflow.grad(lambda y: (y**3).sum())(x)
    assert slope.backend == "mlx"
    assert slope.unit == u.m**2
    assert slope.tolist() == [3.0, 12.0]


@pytest.mark.parametrize("name", ["inv", "det", "cholesky", "eigvalsh", "svdvals", "expm"])
def test_decompositions_have_the_derivatives_that_mlx_lacks(name: str) -> None:
    rng = np.random.default_rng(5)
    a = rng.normal(size=(3, 3))
    a, t = a @ a.T + 2 * np.eye(3), rng.normal(size=(3, 3))
    t = t + t.T
    op, step = ops.get(name), 1e-6
    expected = (op(a + step * t) - op(a - step * t)) / (2 * step)
    raw, tangent = (mx.array(v, dtype=mx.float64) for v in (a, t))
    out, pushed = MLX.jvp(op, (raw,), (tangent,))
    np.testing.assert_allclose(np.asarray(pushed), expected, rtol=1e-6, atol=1e-7)
    weight = mx.array(rng.normal(size=out.shape), dtype=mx.float64)
    (pulled,) = MLX.vjp(op, (raw,))[1](weight)
    np.testing.assert_allclose(mx.sum(pulled * tangent).item(), mx.sum(weight * pushed).item())


def test_a_place_written_twice_has_the_derivative_of_the_last() -> None:
    places = mx.array([1, 1])
    _, pull = MLX.vjp(
        lambda v: ops.index_set(mx.zeros(3), v, places, key=("index",)), (mx.array([2.0, 3.0]),)
    )
    assert pull(mx.array([1.0, 5.0, 1.0]))[0].tolist() == [0.0, 5.0]


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_eigenvectors_belong_to_their_matrix(dtype: Any) -> None:
    """MLX 0.32 gives those of complex matrices conjugated."""
    rng = np.random.default_rng(2)
    a = rng.normal(size=(2, 3, 3)).astype(dtype)
    a = a + 1j * a[:, ::-1].real if dtype is np.complex64 else a
    values, vectors = (np.asarray(part) for part in ops.eig(mx.array(a)))
    np.testing.assert_allclose(a @ vectors, vectors * values[..., None, :], atol=1e-5)


def test_sums_over_nothing_end() -> None:
    """MLX 0.32 waits forever, once in some hundred times, for a sum over NumPy's empty array."""
    code = """
import numpy as np
from dimflow import DimArray
for _ in range(2000):
    DimArray(np.empty((0, 2), np.float32), "m", backend="mlx").sum(axis=0).to_numpy()
    DimArray(np.empty(0, np.float32), "", backend="mlx").prod().to_numpy()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
