"""Abstract values: every op gives the shape and dtype that NumPy gives, without data."""

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dimflow import DimArray, Unit, ops
from dimflow.backends import backend_of
from dimflow.backends.abstract import Abstract
from dimflow.errors import (
    DimflowError,
    MissingRule,
    NoDataError,
    NotANumber,
    ShapeMismatch,
    UnitError,
)
from tests.contract.evaluate import leaves, quietly, run
from tests.contract.samples import Case, all_cases

# Ops whose results have a shape that the data decides in more than a length.
NEEDS_DATA: dict[str, str] = {}


def like(value: Any) -> Any:
    """The abstract value of an array; bare numbers stay."""
    return Abstract(value.shape, value.dtype) if isinstance(value, np.ndarray) else value


def abstractly(case: Case) -> tuple[Any, ...]:
    return tuple(like(a) for a in case.args)


def agrees(told: Any, actual: Any) -> bool:
    return len(told) == len(actual) and all(
        n is None or n == m for n, m in zip(told, actual, strict=True)
    )


def assert_tells(told: Any, actual: Any, label: str) -> None:
    parts, results = leaves(told), leaves(actual)
    assert len(parts) == len(results), f"{label}: {parts}"
    for part, result in zip(parts, results, strict=True):
        assert isinstance(part, Abstract), f"{label}: {part!r}"
        assert agrees(part.shape, np.shape(result)), f"{label}: {part} for {np.shape(result)}"


@pytest.mark.parametrize("name", list(ops.TABLE))
def test_every_op_runs_without_data(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        args = abstractly(case)
        if not any(isinstance(a, Abstract) for a in args):
            continue  # bare numbers, or no array at all, run on NumPy
        actual = quietly(run, op, case.args, case.params)
        told = quietly(run, op, args, case.params)
        assert_tells(told, actual, case.label)
        if op.outputs is not None:
            assert type(told)._fields == op.outputs
        for part, result in zip(leaves(told), leaves(actual), strict=True):
            if name not in ("eig", "eigvals"):  # NumPy's dtype depends on the values there
                assert part.dtype == np.asarray(result).dtype, case.label


@pytest.mark.parametrize("name", list(ops.TABLE))
def test_every_op_bears_unknown_lengths(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        args = abstractly(case)
        for i, x in enumerate(args):
            for axis in range(x.ndim if isinstance(x, Abstract) else 0):
                blurred = Abstract((*x.shape[:axis], None, *x.shape[axis + 1 :]), x.dtype)
                try:
                    told = quietly(run, op, (*args[:i], blurred, *args[i + 1 :]), case.params)
                except DimflowError:
                    continue  # refused, with a reason
                assert_tells(told, quietly(run, op, case.args, case.params), case.label)


class TestWhatIsKnown:
    def test_fields(self) -> None:
        x = Abstract((2, 3), np.float32)
        assert (x.shape, x.ndim, x.size, x.dtype) == ((2, 3), 2, 6, np.dtype(np.float32))
        assert (x.itemsize, x.nbytes, len(x)) == (4, 24, 2)
        assert x.T.shape == (3, 2)
        assert repr(x) == "<float32[2, 3]>"
        assert repr(Abstract((None, 3))) == "<float64[?, 3]>"
        assert Abstract((2,), np.complex64).real.dtype == np.float32

    def test_shapes_without_end(self) -> None:
        x = Abstract((10**12, 10**9))
        assert x.size == 10**21
        assert (x + 1.0).shape == x.shape
        assert x[::2, -1].shape == (5 * 10**11,)

    def test_iteration(self) -> None:
        assert [part.shape for part in Abstract((2, 3))] == [(3,), (3,)]

    @pytest.mark.parametrize("shape", [(-1,), (2, -3)])
    def test_a_negative_length_is_refused(self, shape: Any) -> None:
        with pytest.raises(ShapeMismatch):
            Abstract(shape)

    @pytest.mark.parametrize("dtype", [object, "U5", "datetime64[s]"])
    def test_only_numbers(self, dtype: Any) -> None:
        with pytest.raises(NotANumber):
            Abstract((2,), dtype)

    def test_it_is_a_backend(self) -> None:
        x = DimArray(Abstract((2, 3)), "m")
        assert (x.shape, x.dtype, x.backend, x.device) == ((2, 3), np.float64, "abstract", "none")
        assert backend_of(x.data).asarray([1, 2], dtype=np.float32).shape == (2,)
        with pytest.raises(UnitError):
            backend_of(x.data).asarray([1, 2], device="cuda")


UNKNOWN = [
    bool,
    float,
    int,
    complex,
    np.asarray,
    round,
    operator.index,
    lambda x: x.item(),
    lambda x: x.tolist(),
    lambda x: 3 in x,
    lambda x: 1 if x > 0 else 2,
    lambda x: x > 0 and x,
]


class TestWhatIsNot:
    @pytest.mark.parametrize("ask", UNKNOWN)
    def test_values(self, ask: Any) -> None:
        with pytest.raises(NoDataError, match="the value is not known while checking"):
            ask(Abstract(()))

    @pytest.mark.parametrize(
        "ask", [len, iter, list, lambda x: x.size, lambda x: x.nbytes, lambda x: sum(x)]
    )
    def test_unknown_lengths(self, ask: Any) -> None:
        with pytest.raises(NoDataError):
            ask(Abstract((None, 2)))

    def test_the_hint_says_what_to_do(self) -> None:
        with pytest.raises(NoDataError) as caught:
            bool(Abstract(()) > 0)
        assert str(caught.value) == (
            "a branch on an array's value: the value is not known while checking\n"
            "  hint:  choose by where(condition, x, y) instead of by if"
        )

    def test_no_axes(self) -> None:
        with pytest.raises(TypeError):
            len(Abstract(()))
        with pytest.raises(TypeError):
            iter(Abstract(()))

    def test_it_has_no_hash(self) -> None:
        with pytest.raises(TypeError):
            hash(Abstract(()))


BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
]  # fmt: skip
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
DTYPES = st.sampled_from([np.float32, np.float64, np.int16, np.int64, np.uint8])


class TestOperators:
    @given(
        function=st.sampled_from(BINARY),
        shapes=hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3),
        dtypes=st.tuples(DTYPES, DTYPES),
        order=st.sampled_from(["both", "left", "right"]),
    )
    def test_as_numpy(self, function: Any, shapes: Any, dtypes: Any, order: str) -> None:
        left, right = (np.ones(s, d) for s, d in zip(shapes.input_shapes, dtypes, strict=True))
        expected = function(left, right)
        told = function(
            left if order == "right" else like(left), right if order == "left" else like(right)
        )
        assert (told.shape, told.dtype) == (expected.shape, expected.dtype)

    @given(
        function=st.sampled_from(BINARY),
        number=st.sampled_from([2, 2.5, True, np.float64(3), np.float32(3), np.int8(1)]),
        dtype=DTYPES,
    )
    def test_bare_numbers_adapt(self, function: Any, number: Any, dtype: Any) -> None:
        x = np.ones(3, dtype)
        for args in ((x, number), (number, x)):
            expected = function(*args)
            told = function(*(like(a) if a is x else a for a in args))
            assert (told.shape, told.dtype) == (expected.shape, expected.dtype)

    @pytest.mark.parametrize("function", BITS)
    def test_bits(self, function: Any) -> None:
        x = np.ones((2, 3), np.int32)
        expected = function(x, x[0])
        for told in (function(like(x), x[0]), function(x, like(x[0])), function(like(x), like(x))):
            assert (told.shape, told.dtype) == (expected.shape, expected.dtype)

    @pytest.mark.parametrize("function", [operator.neg, operator.pos, abs])
    def test_unary(self, function: Any) -> None:
        assert repr(function(Abstract((2,), np.float32))) == "<float32[2]>"

    def test_invert(self) -> None:
        assert repr(~(Abstract((2,)) > 0)) == "<bool[2]>"

    def test_matmul(self) -> None:
        assert repr(Abstract((5, 3, 4)) @ Abstract((4, 2), np.float32)) == "<float64[5, 3, 2]>"
        assert repr(np.ones((3, 4)) @ Abstract((4,))) == "<float64[3]>"

    def test_units_and_arrays_with_units(self) -> None:
        x = Abstract((3,))
        assert (x * Unit("m")).unit == Unit("m")
        assert (x * DimArray(2.0, "m")).unit == Unit("m")
        assert (DimArray([1.0, 2.0, 3.0], "m") * x).data.shape == (3,)

    @pytest.mark.parametrize("other", ["text", None, {}, object()])
    def test_foreign_operands_are_pythons_error(self, other: Any) -> None:
        with pytest.raises(TypeError, match="unsupported operand"):
            Abstract(()) + other

    def test_shapes_that_do_not_meet(self) -> None:
        with pytest.raises(ShapeMismatch):
            Abstract((3,)) + Abstract((4,))


class TestWriting:
    def test_in_place_keeps_shape_and_dtype(self) -> None:
        x = y = Abstract((2, 3), np.float32)
        y += np.ones(3)
        assert y is x
        assert (x.shape, x.dtype) == ((2, 3), np.float32)

    def test_in_place_does_not_grow(self) -> None:
        x = Abstract((3,))
        with pytest.raises(ShapeMismatch):
            x += Abstract((2, 3))

    def test_in_place_does_not_cut(self) -> None:
        x = Abstract((3,), np.int64)
        with pytest.raises(NotANumber):
            x /= 2

    def test_assignment(self) -> None:
        x = Abstract((4, 3))
        x[1] = Abstract((3,))
        x[:, 0] = 5
        x[x > 0] = 0.0
        with pytest.raises(ShapeMismatch):
            x[1] = Abstract((4,))
        with pytest.raises(ShapeMismatch):
            x[0, 0] = Abstract((3,))
        with pytest.raises(IndexError):
            x[7] = 1.0

    def test_assignment_with_units(self) -> None:
        x = DimArray(Abstract((4,)), "m")
        x[1] = 5 * Unit("km")
        x += DimArray(Abstract((4,)), "ft")
        assert x.unit == Unit("m")
        with pytest.raises(UnitError):
            x[1] = 5 * Unit("s")


@st.composite
def indexing(draw: Any) -> tuple[tuple[int, ...], Any]:
    """A shape and a key that NumPy takes for it."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4))
    key: list[Any] = []
    axes = 0
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["int", "slice", "none", "ints", "mask"]))
        if kind == "none":
            key.append(None)
            continue
        if axes >= len(shape):
            break
        n = shape[axes]
        axes += 1
        if kind == "int":
            key.append(draw(st.integers(-n, n - 1)))
        elif kind == "slice":
            key.append(draw(st.slices(n)))
        elif kind == "ints":
            like_shape = draw(st.sampled_from([(2,), (1,), (3, 2), (3, 1)]))
            key.append(draw(hnp.arrays(np.intp, like_shape, elements=st.integers(-n, n - 1))))
        else:
            key.append(draw(hnp.arrays(np.bool_, n)))
    if draw(st.booleans()):
        key.insert(draw(st.integers(0, len(key))), Ellipsis)
    return shape, tuple(key) if len(key) != 1 or draw(st.booleans()) else key[0]


class TestIndexing:
    @given(indexing())
    def test_as_numpy(self, drawn: Any) -> None:
        shape, key = drawn
        try:
            expected = np.empty(shape)[key].shape
        except IndexError:
            keys = key if isinstance(key, tuple) else (key,)
            if not any(getattr(k, "dtype", None) == np.intp for k in keys):  # values do not count
                with pytest.raises((IndexError, ShapeMismatch)):
                    Abstract(shape)[key]
            return
        assert Abstract(shape)[key].shape == expected
        assert agrees(Abstract((None,) * len(shape))[key].shape, expected)
        keys = key if isinstance(key, tuple) else (key,)
        unknown = tuple(like(k) for k in keys)
        assert agrees(Abstract(shape)[unknown].shape, expected)

    @pytest.mark.parametrize(
        ("key", "shape"),
        [
            ([0, 2], (2, 3)),
            ([], (0, 3)),
            (True, (1, 4, 3)),
            (np.int64(1), (3,)),
            (Abstract((5,), np.int64), (5, 3)),
            (Abstract((4,), np.bool_), (None, 3)),
            (Abstract((4, 3), np.bool_), (None,)),
            ((slice(None), None, 0), (4, 1)),
        ],
    )
    def test_keys(self, key: Any, shape: Any) -> None:
        assert Abstract((4, 3))[key].shape == shape

    @pytest.mark.parametrize("key", [4, -5, (0, 3), 1.5, "a", Abstract((2,)), [0.5], (1, 2, 3)])
    def test_bad_keys(self, key: Any) -> None:
        with pytest.raises((IndexError, ShapeMismatch)):
            Abstract((4, 3))[key]

    def test_a_mask_of_another_length(self) -> None:
        with pytest.raises((IndexError, ShapeMismatch)):
            Abstract((4, 3))[Abstract((3,), np.bool_)]


def np_calls() -> list[Any]:
    """Calls of NumPy's functions on two arrays of 2 × 3."""
    return [
        lambda x, y: np.where(x > 0, x, y),
        lambda x, y: np.where(x > 0, x, 0),
        lambda x, y: np.sqrt(x),
        lambda x, y: np.select([x > 0, y > 0], [x, y]),
        lambda x, y: np.choose(x > 0, [x, y]),
        lambda x, y: np.sqrt(x, dtype=np.float64),
        lambda x, y: np.add.reduce(x),
        lambda x, y: np.add.reduce(x, axis=1, keepdims=True),
        lambda x, y: np.add.reduce(x, axis=None, dtype=np.float64),
        lambda x, y: np.logical_or.reduce(x > 0),
        lambda x, y: np.multiply.accumulate(x, axis=1),
        lambda x, y: np.add.reduceat(x, [0, 1, 2, 0], axis=1),
        lambda x, y: np.subtract.outer(x, y),
        lambda x, y: np.divmod(x, y),
        lambda x, y: np.sum(x, axis=0),
        lambda x, y: np.sum(x, 0, np.float64),
        lambda x, y: np.mean(x, axis=-1, keepdims=True),
        lambda x, y: np.max(x),
        lambda x, y: np.concatenate([x, y], axis=1),
        lambda x, y: np.stack((x, y)),
        lambda x, y: np.reshape(x, (3, 2)),
        lambda x, y: np.transpose(x),
        lambda x, y: np.broadcast_to(x, (4, 2, 3)),
        lambda x, y: np.matmul(x, np.transpose(y)),
        lambda x, y: np.clip(x, 0.0, 1.0),
        lambda x, y: np.zeros_like(x),
        lambda x, y: np.ones_like(x, dtype=np.int64),
        lambda x, y: np.full_like(x, 3.0, shape=(5,)),
        lambda x, y: np.copy(x),
        lambda x, y: np.isnan(x),
        lambda x, y: np.arctan2(x, y),
        lambda x, y: np.argmax(x, axis=1),
        lambda x, y: np.cumsum(x, axis=0),
        lambda x, y: np.squeeze(x[:1]),
        lambda x, y: np.expand_dims(x, 1),
        lambda x, y: x.sum(axis=0),
        lambda x, y: x.mean(),
        lambda x, y: x.max(1),
        lambda x, y: (x > 0).any(),
        lambda x, y: (x > 0).all(axis=0),
        lambda x, y: x.reshape(-1),
        lambda x, y: x.reshape(3, 2),
        lambda x, y: x.transpose(1, 0),
        lambda x, y: x.transpose(),
        lambda x, y: x.ravel(),
        lambda x, y: x.astype(np.int32),
        lambda x, y: x.copy(),
        lambda x, y: x.T,
        lambda x, y: x.clip(0.0, 1.0),
    ]


class TestNumPyFunctions:
    @pytest.mark.parametrize("call", np_calls())
    def test_as_numpy(self, call: Any) -> None:
        x, y = np.ones((2, 3), np.float32), np.ones((2, 3), np.float32)
        expected, told = call(x, y), call(like(x), like(y))
        for one, other in zip(leaves(told), leaves(expected), strict=True):
            assert isinstance(one, Abstract)
            assert (one.shape, one.dtype) == (np.shape(other), np.asarray(other).dtype)

    def test_what_can_be_answered(self) -> None:
        x = Abstract((2, 3), np.complex64)
        assert np.shape(x) == (2, 3)
        assert np.ndim(x) == 2
        assert np.size(x) == 6
        assert np.size(x, 1) == 3
        assert np.iscomplexobj(x)
        assert not np.isrealobj(x)
        assert np.result_type(x, np.float64) == np.complex128

    def test_out(self) -> None:
        x, out = Abstract((2, 3)), Abstract((2, 3))
        assert np.sqrt(x, out=out) is out
        with pytest.raises(ShapeMismatch):
            np.sqrt(x, out=Abstract((3, 2)))

    def test_at(self) -> None:
        x = Abstract((4,))
        np.add.at(x, [0, 1, 1], 1.0)
        with pytest.raises(ShapeMismatch):
            np.add.at(x, [0, 1, 1], Abstract((2,)))

    @pytest.mark.parametrize("call", [np.array2string, np.packbits, np.poly])
    def test_what_nobody_checks_is_refused(self, call: Any) -> None:
        with pytest.raises((MissingRule, NoDataError)):
            call(Abstract((3,)))

    def test_an_argument_that_is_not_understood_is_refused(self) -> None:
        with pytest.raises(MissingRule, match="out"):
            np.sum(Abstract((3,)), out=Abstract(()))


def test_a_parameter_may_leave_one_of_several_results() -> None:
    values = ops.svd(Abstract((4, 5, 3), "float64"), compute_uv=False)
    triangle = ops.qr(Abstract((5, 3), "float32"), mode="r")
    assert (values.shape, values.dtype) == ((4, 3), np.dtype("float64"))
    assert (triangle.shape, triangle.dtype) == ((3, 3), np.dtype("float32"))


@pytest.mark.parametrize("casting", ["unsafe", "same_kind", "safe", "no"])
@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.complex128])
def test_a_cast_is_allowed_without_data_where_numpy_allows_it(casting: Any, dtype: Any) -> None:
    def made(*arrays: Any) -> Any:
        try:
            return np.add(*arrays, dtype=dtype, casting=casting).dtype
        except TypeError:
            return None

    numbers = np.ones(3), np.ones(3, np.float32)
    assert made(*(Abstract(x.shape, x.dtype) for x in numbers)) == made(*numbers)
