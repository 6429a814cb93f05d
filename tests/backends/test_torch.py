"""What is special to PyTorch. That every op keeps every law stands in tests/contract/libraries."""

import sys
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from dimflow import DimArray, autodiff, ops
from dimflow.backends import backend, backend_of
from dimflow.backends.torch_kernels.functions import adapted, named
from dimflow.errors import BackendNotInstalled, DeviceMismatch, NotANumber, UnitError
from tests.backends.torch_refusals import NEEDS_DATA, NOT_BATCHED, NOT_COMPILED, NOT_COMPLEX
from tests.contract.deviations import ARBITRARY
from tests.contract.evaluate import assert_same, fresh, is_inexact, leaves, names, quietly, run
from tests.contract.samples import DEEP, Case, cases, cast

TORCH = backend("torch")
EVERY = [name for name in names() if name not in ARBITRARY]


def tensor(value: Any) -> Any:
    is_array = isinstance(value, (np.ndarray, np.generic))
    return torch.from_numpy(np.array(value)) if is_array else value


def with_arrays(name: str) -> list[Case]:
    return [c for c in cases(name) if any(isinstance(a, np.ndarray) for a in c.args)]


def in_numpy(result: Any) -> list[Any]:
    return [TORCH.to_numpy(leaf) for leaf in leaves(result)]


def fails(data: dict[str, str], name: str, error: BaseException) -> bool:
    """Whether an error is one that the data foresees."""
    if name in data:
        return True
    raise AssertionError(f"{name}: {type(error).__name__}: {error}") from error


# The table


@pytest.mark.parametrize("name", [n for n, op in ops.TABLE.items() if op.hosts.torch])
def test_a_record_names_a_function_of_torch(name: str) -> None:
    assert callable(named(str(ops.get(name).hosts.torch)))


@pytest.mark.parametrize("name", EVERY)
def test_it_takes_complex_numbers_where_numpy_does(name: str) -> None:
    op, refused = ops.get(name), 0
    for case in [cast(c, np.complex128) for c in with_arrays(name)]:
        try:
            expected = quietly(run, op, case.args, case.params)
        except Exception:
            continue
        try:
            actual = quietly(run, op, map(tensor, case.args), case.params)
        except (RuntimeError, NotImplementedError, NotANumber) as error:
            refused += fails(NOT_COMPLEX, name, error)
            continue
        if name not in ("svd", "eigh", "eig"):  # signs of vectors are free
            assert_same(in_numpy(actual), expected, rtol=1e-8, what=case.label)
    assert bool(refused) == (name in NOT_COMPLEX), "it works, though it is said not to"


@pytest.mark.parametrize("name", EVERY)
def test_nothing_given_is_written_into(name: str) -> None:
    op = ops.get(name)
    for case in with_arrays(name):
        args = tuple(map(tensor, case.args))
        before = [a._version for a in args if isinstance(a, torch.Tensor)]
        quietly(run, op, args, case.params)
        assert [a._version for a in args if isinstance(a, torch.Tensor)] == before


@pytest.mark.parametrize("name", EVERY)
def test_results_live_where_the_arguments_do(name: str) -> None:
    """On the device `meta`, which has shapes and no data: a tensor made elsewhere would show."""
    op, refused = ops.get(name), 0
    for case in with_arrays(name):
        args = tuple(map(tensor, case.args))
        away = tuple(a.to("meta") if isinstance(a, torch.Tensor) else a for a in args)
        expected = quietly(run, op, args, case.params)
        try:
            actual = quietly(run, op, away, case.params)
        except (RuntimeError, NotImplementedError) as error:
            refused += fails(NEEDS_DATA, name, error)
            continue
        for one, other in zip(leaves(actual), leaves(expected), strict=True):
            assert one.device.type == "meta"
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
    assert bool(refused) == (name in NEEDS_DATA), "it works, though it is said not to"


@pytest.mark.parametrize("name", EVERY)
def test_a_batch_by_vmap_is_the_loop(name: str) -> None:
    op, refused = ops.get(name), 0
    for case in with_arrays(name)[: None if DEEP else 3]:
        args = tuple(map(tensor, case.args))
        for place, value in enumerate(args):
            if not isinstance(value, torch.Tensor) or not value.is_floating_point():
                continue

            def call(x: Any, args: Any = args, place: int = place, case: Case = case) -> Any:
                full = (*args[:place], x, *args[place + 1 :])
                return tuple(leaves(run(op, full, case.params)))

            both = torch.stack([value, 1.01 * value])
            try:
                batch = quietly(torch.func.vmap(call), both)
            except RuntimeError as error:
                refused += fails(NOT_BATCHED, name, error)
                continue
            for i, x in enumerate(both):
                parts = in_numpy([b[i] for b in batch])
                assert_same(parts, in_numpy(call(x)), rtol=1e-9, atol=1e-12, what=case.label)
    assert bool(refused) == (name in NOT_BATCHED), "it works, though it is said not to"


def differentiable() -> list[str]:
    return [n for n in EVERY if ops.get(n).kind != "random" and not n.startswith("sample_")]


# Complex numbers, or vectors of free sign, in the result: what a tangent is is a matter of choice.
_CHOSEN = {"svd", "eigh", "eig", "qr"}


@pytest.mark.parametrize("name", [n for n in differentiable() if n not in _CHOSEN])
def test_the_native_forward_mode_is_that_of_our_rules(name: str) -> None:
    op = ops.get(name)
    rng = np.random.default_rng(5)
    for case in [c for c in with_arrays(name) if c.smooth][:3]:
        places = [i for i, a in enumerate(case.args) if is_inexact(a) and np.ndim(a) == np.ndim(a)]
        places = [i for i in places if isinstance(case.args[i], np.ndarray)]
        if not places or any(np.iscomplexobj(a) for a in case.args):
            continue
        tangents = [
            rng.normal(size=np.shape(a)) if i in places else None for i, a in enumerate(case.args)
        ]

        def whole(*args: Any, case: Case = case) -> list[Any]:
            return leaves(run(op, args, case.params))

        try:
            values, moved = quietly(autodiff.jvp, whole, case.args, tangents)
        except NotImplementedError:  # no rule, and it says why
            continue
        expected = [t if is_inexact(v) else None for v, t in zip(values, moved, strict=True)]
        if all(e is None for e in expected):
            continue

        def call(*args: Any, case: Case = case, expected: Any = expected) -> Any:
            parts = leaves(run(op, args, case.params))
            return tuple(p for p, e in zip(parts, expected, strict=True) if e is not None)

        directions = tuple(map(tensor, tangents))
        _, actual = quietly(TORCH.jvp, call, tuple(map(tensor, case.args)), directions)
        wanted = [e for e in expected if e is not None]
        assert_same(in_numpy(actual), wanted, rtol=1e-7, atol=1e-9, what=case.label)


# Keys


@st.composite
def keys(draw: Any, shape: tuple[int, ...]) -> Any:
    """Anything that may stand between brackets for a shape."""
    lead = draw(st.integers(0, len(shape)))
    block = draw(st.sampled_from([(2,), (3, 2), (1,)]))
    parts: list[Any] = []
    for n in shape[:lead]:
        kind = draw(st.sampled_from(["slice", "integer", "index", "all"]))
        if kind == "integer":
            parts.append(draw(st.integers(-n, n - 1)))
        elif kind == "index":
            numbers = st.lists(st.integers(-n, n - 1), min_size=6, max_size=6)
            parts.append(np.array(draw(numbers)[: int(np.prod(block))]).reshape(block))
        else:
            parts.append(draw(st.slices(n)) if kind == "slice" else slice(None))
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), None)
    if draw(st.booleans()) and len(parts) < len(shape):
        parts.append(Ellipsis)
    return tuple(parts)


@settings(max_examples=150, deadline=None)
@given(keys((3, 4, 5)))
def test_a_key_means_what_it_means_to_numpy(key: Any) -> None:
    x = np.arange(60.0).reshape(3, 4, 5)
    expected = x[key]
    np.testing.assert_array_equal(TORCH.getitem(torch.from_numpy(x), key).numpy(), expected)
    np.testing.assert_array_equal(ops.getitem(torch.from_numpy(x), key).numpy(), expected)
    values = np.asarray(-np.arange(1.0, 1 + expected.size).reshape(expected.shape))
    wanted = x.copy()
    wanted[key] = values
    written = torch.from_numpy(x.copy())
    TORCH.assign(written, key, torch.from_numpy(values))
    repeated = any(isinstance(part, np.ndarray) for part in key)
    if not repeated:  # what is written twice is up to PyTorch
        np.testing.assert_array_equal(written.numpy(), wanted)
    made = ops.at_set(torch.from_numpy(x), key, torch.from_numpy(values))
    np.testing.assert_array_equal(made.numpy(), wanted)


def test_what_is_written_twice_is_what_came_last_and_so_is_its_derivative() -> None:
    index = torch.tensor([0, 2, 0, 0])
    values = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    made = ops.at_set(torch.zeros(3), index, values)
    assert made.tolist() == [4.0, 0.0, 2.0]
    made.sum().backward()
    assert values.grad is not None
    assert values.grad.tolist() == [0.0, 1.0, 0.0, 1.0]


def test_a_namespace_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    monkeypatch.delitem(sys.modules, "array_api_compat.torch", raising=False)
    with pytest.raises(BackendNotInstalled, match=r"dimflow\[torch\].*array-api-compat"):
        TORCH.namespace  # noqa: B018


def test_assignment_does_not_cut() -> None:
    x = torch.arange(3)
    with pytest.raises(NotANumber, match=r"float32.*cut"):
        TORCH.assign(x, 0, torch.tensor(1.5))
    for fraction in (1.5, 7.0):
        with pytest.raises(NotANumber):
            TORCH.assign(x, 0, fraction)
    TORCH.assign(x, 0, 7)
    TORCH.assign(x, np.array([False, True, False]), 5)
    assert x.tolist() == [7, 5, 2]
    with pytest.raises(NotANumber):
        TORCH.assign(x, 0, 1j)
    for dtype in (torch.float64, torch.complex128):
        y = torch.zeros(2, dtype=dtype)
        TORCH.assign(y, 0, np.float64(0.1))
        TORCH.assign(y, slice(1, None), [0.1])
        assert y.tolist() == [0.1, 0.1]  # not by way of float32
    with pytest.raises(NotANumber, match="index"):
        TORCH.getitem(x, torch.tensor([0.5]))


def test_one_element_is_a_tensor_of_no_axes() -> None:
    x = DimArray(torch.arange(3.0), "m")
    assert x[1].data.shape == ()
    assert isinstance(x[1].data, torch.Tensor)


# Data in and out


def test_memory_is_shared_with_numpy_where_it_can_be() -> None:
    array = np.arange(3.0)
    shared = TORCH.asarray(array)
    array[0] = 7
    assert shared[0] == 7
    assert TORCH.to_numpy(shared).ctypes.data == array.ctypes.data
    assert TORCH.asarray(array, copy=True).data_ptr() != array.ctypes.data
    x = DimArray(array, "m").to_backend("torch")
    assert x.data.data_ptr() == array.ctypes.data
    assert x.to_backend("numpy").data.ctypes.data == array.ctypes.data


@pytest.mark.parametrize("kind", ["read-only", "reversed", "other byte order"])
def test_arrays_that_torch_cannot_share_are_copied(kind: str) -> None:
    array = np.arange(3.0)
    array.flags.writeable = kind != "read-only"
    array = {"reversed": array[::-1], "other byte order": array.astype(">f8")}.get(kind, array)
    assert TORCH.asarray(array).tolist() == array.tolist()
    with pytest.raises(ValueError, match="copy=False"):
        TORCH.asarray(array, copy=False)


def test_a_move_needs_a_copy() -> None:
    with pytest.raises(ValueError, match="copy=False"):
        TORCH.asarray(torch.ones(2), dtype="float64", copy=False)
    assert TORCH.asarray(x := torch.ones(2), copy=False) is x
    assert TORCH.asarray(x, copy=True) is not x


@pytest.mark.parametrize("bad", ["text", None, {"a": 1}, ["a"], np.array(["a"]), object()])
def test_what_is_no_array_is_refused(bad: Any) -> None:
    with pytest.raises(NotANumber):
        TORCH.asarray(bad)


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        (float, torch.float64),
        (int, torch.int64),
        (bool, torch.bool),
        (complex, torch.complex128),
        ("float32", torch.float32),
        ("bfloat16", torch.bfloat16),
        ("f4", torch.float32),
        (np.float32, torch.float32),
        (np.dtype("int16"), torch.int16),
        (torch.half, torch.float16),
        ("bool", torch.bool),
    ],
    ids=str,
)
def test_a_dtype_by_any_name(spec: Any, wanted: Any) -> None:
    assert TORCH.as_dtype(spec) is wanted


@pytest.mark.parametrize("spec", ["float128", "nonsense", "Tensor", np.dtype("U3")], ids=str)
def test_a_dtype_that_torch_has_not(spec: Any) -> None:
    with pytest.raises(NotANumber, match="dtype"):
        TORCH.as_dtype(spec)


def test_python_numbers_are_read_in_the_dtype_asked_for() -> None:
    assert TORCH.asarray([0.1], dtype="float64").item() == 0.1
    assert TORCH.asarray([0.1]).dtype is torch.float32
    doubles = torch.ones(1, dtype=torch.float64)
    assert ops.multiply(doubles, [0.1]).item() == 0.1
    assert ops.multiply(torch.ones(1), [0.1]).dtype is torch.float32


def test_lists_of_tensors_are_stacked() -> None:
    assert TORCH.asarray([torch.ones(2), np.zeros(2, np.float32)]).tolist() == [[1, 1], [0, 0]]


def test_numpy_gets_no_tensor_that_autograd_records() -> None:
    x = torch.ones(2, requires_grad=True)
    assert TORCH.requires_grad(x)
    assert not TORCH.requires_grad(x.detach())
    with pytest.raises(UnitError, match=r"detach\(\)\.to_numpy"):
        TORCH.to_numpy(x)
    assert TORCH.detach(x).data_ptr() == x.data_ptr()
    assert TORCH.copy(x).requires_grad


def test_numpy_gets_no_bfloat16_in_disguise() -> None:
    x = DimArray(torch.ones(2, dtype=torch.bfloat16), "m")
    with pytest.raises(UnitError, match="float32"):
        x.to_numpy()
    assert x.astype("float32").to_numpy().dtype == np.float32
    assert "1." in repr(x)


def test_views_that_are_conjugated_arrive_conjugated() -> None:
    x = torch.tensor([1 + 2j]).conj()
    assert x.is_conj()
    assert TORCH.to_numpy(x)[0] == 1 - 2j


def test_parameters_and_fakes_are_tensors() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    assert backend_of(torch.nn.Parameter(torch.ones(2))) is TORCH
    with FakeTensorMode():
        fake = torch.ones(2)
        assert backend_of(fake) is TORCH
        assert ops.sin(fake).shape == (2,)


@given(st.sampled_from([True, 2, 0.5, 1j]), st.sampled_from(["bool", "int8", "int64", "float16"]))
def test_a_bare_number_adapts_as_torch_has_it(value: Any, name: str) -> None:
    dtype = TORCH.as_dtype(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch, about complex halves
        assert adapted(value, dtype) is torch.result_type(torch.ones(2, dtype=dtype), value)


# Devices


def test_devices_have_names() -> None:
    assert TORCH.devices()[0] == "cpu"
    assert TORCH.native_device("cpu") == torch.device("cpu")
    assert TORCH.native_device(None) is None
    assert TORCH.describe_device("cpu") == "cpu"
    with pytest.raises(DeviceMismatch, match="cpu"):
        TORCH.asarray([1.0], device="banana")


def test_two_devices_meet_in_an_error_that_shows_the_fix() -> None:
    here, there = torch.ones(3), torch.ones(3, device="meta")
    with pytest.raises(DeviceMismatch, match=r"to_device\('cpu'\)"):
        ops.atan2(here, there)
    with pytest.raises(RuntimeError, match=r"shape|size") as caught:
        ops.add(torch.ones(2), torch.ones(3))
    assert not isinstance(caught.value, DeviceMismatch)


# Derivatives


def test_cotangents_pair_without_conjugation() -> None:
    z = torch.tensor([1.0 + 2.0j], dtype=torch.complex128)
    out, back = TORCH.vjp(lambda z: z * z, (z,))
    (ct,) = back(torch.ones_like(out))
    torch.testing.assert_close(ct, 2 * z)


def test_integers_have_no_cotangent_and_none_has_no_tangent() -> None:
    index, x = torch.tensor([1, 0]), torch.tensor([2.0, 3.0])
    out, back = TORCH.vjp(lambda x, i: x[i] ** 2, (x, index))
    ct, none = back(torch.ones_like(out))
    assert none is None
    assert ct.tolist() == [4.0, 6.0]
    _, moved = TORCH.jvp(lambda x, y: x * y, (x, x), (torch.ones(2), None))
    assert moved.tolist() == [2.0, 3.0]


def test_forward_mode_goes_back_twice_where_torch_has_none() -> None:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:  # type: ignore[override]
            return x**3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx: Any, ct: Any) -> Any:  # type: ignore[override]
            return 3 * ctx.saved_tensors[0] ** 2 * ct

    x = torch.tensor([2.0, 3.0])
    for function in (Cube.apply, lambda x: (Cube.apply(x), x)):
        _, moved = TORCH.jvp(function, (x,), (torch.tensor([1.0, 10.0]),))
        assert (moved[0] if isinstance(moved, tuple) else moved).tolist() == [12.0, 270.0]


def test_the_hooks_nest_and_leave_autograd_on() -> None:
    x = torch.tensor([2.0], requires_grad=True)

    def slope(x: Any) -> Any:
        out, back = TORCH.vjp(lambda x: ops.bessel_j0(x), (x,))
        return back(torch.ones_like(out))[0]

    second = TORCH.vjp(slope, (x,))[1](torch.ones(1))[0]
    expected = -0.5 * (special.j0(2.0) - special.jn(2, 2.0))
    assert second.item() == pytest.approx(expected, rel=1e-5)
    slope(x).backward()
    assert x.grad is not None
    assert x.grad.item() == pytest.approx(expected, rel=1e-5)


# Values that are better here than in PyTorch


@pytest.mark.parametrize("name", ["j0", "j1", "y0", "y1"])
def test_bessel_functions_are_exact_in_doubles(name: str) -> None:
    x = np.concatenate([np.linspace(1e-3, 40, 4001), [7.999999, 8.0, 1e3]])
    actual = ops.get(f"bessel_{name}")(torch.from_numpy(x)).numpy()
    expected = getattr(special, name)(x)
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=4e-15 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["gamma", "digamma", "erfinv", "betaln", "beta"])
def test_special_functions_agree_with_published_ones(name: str) -> None:
    x = np.linspace(0.05, 0.95, 50) * (1 if name == "erfinv" else 30)
    args = (x, x[::-1].copy()) if "beta" in name else (x,)
    actual = ops.get(name)(*map(torch.from_numpy, args)).numpy()
    np.testing.assert_allclose(actual, getattr(special, name)(*args), rtol=1e-12)


def test_powers_of_two_keep_their_range() -> None:
    x = torch.tensor([1e-300, 1.0], dtype=torch.float64)
    found = ops.ldexp(x, torch.tensor([1500, 1000]))
    assert found.tolist() == [float(np.ldexp(1e-300, 1500)), 2.0**1000]
    assert ops.cbrt(torch.tensor([64.0, -27.0, 0.0], dtype=torch.float64)).tolist() == [4, -3, 0]
    assert torch.isnan(ops.sign(torch.tensor([float("nan")])))
    inf = torch.tensor([float("inf"), 1.0])
    assert (
        ops.nextafter(inf, torch.zeros(2)).tolist()
        == np.nextafter(np.float32([np.inf, 1]), np.float32(0)).tolist()
    )


# Random numbers


@pytest.mark.parametrize("name", [n for n in names(kinds=("random",)) if n != "random_permutation"])
def test_a_generator_of_torch_draws_torch_numbers(name: str) -> None:
    args = (2.5,) if name in ("random_gamma", "random_poisson") else ()

    def draw(seed: int, dtype: Any = None) -> Any:
        generator = torch.Generator().manual_seed(seed)
        return ops.get(name)(*args, size=(2000,), dtype=dtype, generator=generator)

    first = draw(3)
    assert isinstance(first, torch.Tensor)
    assert first.shape == (2000,)
    assert torch.equal(first, draw(3))
    assert not torch.equal(first, draw(4))
    if name != "random_poisson":
        assert first.dtype is torch.float32
        assert draw(3, "float64").dtype is torch.float64
    theirs = ops.get(name)(*args, size=(20000,), generator=7)
    assert not isinstance(theirs, torch.Tensor)  # a seed belongs to no library
    q = [0.1, 0.5, 0.9]
    here, there = np.quantile(first.double().numpy(), q), np.quantile(theirs, q)
    np.testing.assert_allclose(here, there, atol=0.35 * (1 + np.abs(there).max()))


def test_a_generator_moves_on_and_permutes() -> None:
    generator = torch.Generator().manual_seed(1)
    first = ops.random_uniform(3, generator=generator)
    assert not torch.equal(first, ops.random_uniform(3, generator=generator))
    assert sorted(ops.random_permutation(6, generator=generator).tolist()) == list(range(6))


def test_units_go_with_draws_of_torch() -> None:
    generator = torch.Generator().manual_seed(1)
    x = DimArray(torch.zeros(4), "m")
    drawn = ops.sample_normal(x, DimArray(torch.tensor(2.0), "km"), generator=generator)
    assert str(drawn.unit) == "m"
    assert isinstance(drawn.data, torch.Tensor)
    assert drawn.data.abs().max() > 100


def test_a_seed_draws_the_numbers_of_numpy() -> None:
    lam = np.array([2.0, 30.0])
    expected = ops.random_poisson(lam, generator=7)
    assert ops.random_poisson(torch.from_numpy(lam), generator=7).tolist() == expected.tolist()


# Compiled


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@pytest.mark.parametrize("name", ["bessel_j0", "quantile", "conv", "segment_max", "index_set"])
def test_kernels_compile_into_one_graph(name: str) -> None:
    compile_all(name, limit=1)


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@pytest.mark.parametrize("name", EVERY)
def test_every_op_compiles_into_one_graph(name: str) -> None:
    try:
        quietly(compile_all, name, 1)
    except Exception as error:
        fails(NOT_COMPILED, name, error)
    else:
        assert name not in NOT_COMPILED, "it compiles, though it is said not to"


def compile_all(name: str, limit: int) -> None:
    import dimflow.torch  # noqa: F401  tells the compiler how ops run

    op = ops.get(name)
    for case in with_arrays(name)[:limit]:
        torch._dynamo.reset()

        def call(*args: Any, case: Case = case) -> Any:
            return op.run(args, fresh(case.params))

        # The compiler remembers, over its reset, code that it gave up: then it would not be tried.
        call.__code__ = call.__code__.replace(co_name=f"{name}_of_its_own")
        args = tuple(map(tensor, case.args))
        compiled = torch.compile(call, fullgraph=True, backend="eager")
        assert_same(in_numpy(compiled(*args)), in_numpy(call(*args)), rtol=1e-12, what=case.label)


def test_the_tangent_of_a_tangent_is_not_lost_where_pytorch_has_no_rule() -> None:
    """Of an autograd.Function's tangent PyTorch gives 0; cbrt'' = -2/9 x^(-5/3)."""
    x = torch.tensor([1.0, 8.0], dtype=torch.float64)
    one = torch.ones_like(x)
    library = backend("torch")

    def change(x: Any) -> Any:
        return library.jvp(ops.cbrt, (x,), (one,))[1]

    _, second = library.jvp(change, (x,), (one,))
    torch.testing.assert_close(second, -2 / 9 * x ** (-5 / 3))


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.uint8, torch.int32, torch.int64])
def test_whole_numbers_of_any_width_are_places(dtype: Any) -> None:
    """Of PyTorch's own, some are none, and uint8 is a mask."""
    x, places = torch.arange(5.0) * 2, torch.tensor([3, 0], dtype=dtype)
    np.testing.assert_array_equal(TORCH.getitem(x, places), [6.0, 0.0])
    np.testing.assert_array_equal(ops.getitem(x, key=places), [6.0, 0.0])
    with pytest.raises(NotANumber, match="index"):
        TORCH.getitem(x, places.to(torch.float32))


def test_the_memory_of_what_autograd_follows_is_not_given_away() -> None:
    x = DimArray(torch.ones(2, requires_grad=True), "")
    for take in (np.from_dlpack, torch.from_dlpack):
        with pytest.raises(UnitError, match="detach"):
            take(x)
