"""Indexing by every kind of key, against NumPy; writing into new arrays; searching."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import (
    DimensionError,
    MissingRule,
    NotANumber,
    PointError,
    PureNumberError,
    ShapeMismatch,
    UnitError,
)
from dimflow.ops.families.index.indexing import indexed
from dimflow.ops.families.index.keys import MASK, split_key

shapes = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)


def numbered(shape):
    return np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape)


@st.composite
def keyed(draw):
    """A shape and a key for it: slices, integer arrays, masks, and mixtures."""
    shape = draw(shapes)
    kind = draw(st.sampled_from(["basic", "arrays", "mask", "mixed"]))
    if kind == "basic":
        key = draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    elif kind == "arrays":
        key = draw(hnp.integer_array_indices(shape))
    elif kind == "mask":
        key = draw(hnp.arrays(bool, shape[: draw(st.integers(1, len(shape)))]))
    else:
        key = tuple(draw(_part(n)) for n in shape)
    return shape, key


@st.composite
def _part(draw, n):
    kind = draw(st.sampled_from(["slice", "integer", "array", "mask", "list"]))
    if kind == "slice":
        return draw(st.slices(n))
    if kind == "integer":
        return draw(st.integers(-n, n - 1))
    if kind == "mask":  # one True, so that it broadcasts with every array beside it
        return np.arange(n) == draw(st.integers(0, n - 1))
    values = draw(st.lists(st.integers(-n, n - 1), min_size=2, max_size=2))
    return values if kind == "list" else np.array(values)


@given(keyed())
def test_any_key_gives_what_numpy_gives_in_the_same_unit(case):
    shape, key = case
    raw = numbered(shape)
    found = ops.getitem(DimArray(raw, "km"), key)
    np.testing.assert_array_equal(found.data, raw[key])
    assert str(found.unit) == "km"


@given(keyed())
def test_the_shape_of_an_indexed_array_is_known_but_for_masks(case):
    shape, key = case
    static, arrays = split_key(key)
    predicted = indexed([shape, *map(np.shape, arrays)], {"key": static})
    actual = numbered(shape)[key].shape
    assert len(predicted) == len(actual)
    has_mask = MASK in [p for p in static if isinstance(p, str)]
    for p, a in zip(predicted, actual, strict=True):
        assert p == a or (p is None and has_mask)


@given(keyed())
def test_unknown_lengths_stay_unknown_and_nothing_fails(case):
    shape, key = case
    static, arrays = split_key(key)
    predicted = indexed([(None,) * len(shape), *map(np.shape, arrays)], {"key": static})
    assert len(predicted) == numbered(shape)[key].ndim


@given(keyed(), st.randoms())
def test_adding_at_a_key_is_the_transpose_of_picking_by_it(case, random):
    shape, key = case
    rng = np.random.default_rng(random.randrange(1 << 30))
    static, arrays = split_key(key)
    x = rng.normal(size=shape)
    picked = ops.index(x, *arrays, key=static)
    ct = rng.normal(size=np.shape(picked))
    (back, *_) = ops.index.derivative.transpose(ct, (x, *arrays), {"key": static})
    assert np.shape(back) == shape
    np.testing.assert_allclose(np.sum(ct * picked), np.sum(back * x), atol=1e-12)


@given(keyed())
def test_writers_give_what_numpy_writes_and_leave_the_array_alone(case):
    shape, key = case
    raw = numbered(shape)
    before = raw.copy()
    value = DimArray(2.5, "km")
    for name, ufunc in (("add", np.add), ("max", np.maximum), ("min", np.minimum)):
        expected = raw.copy()
        ufunc.at(expected, key, 2500.0)
        result = ops.get(f"at_{name}")(DimArray(raw, "m"), key, value)
        np.testing.assert_allclose(result.data, expected)
        assert str(result.unit) == "m"
    expected = raw.copy()
    expected[key] = 2500.0
    np.testing.assert_allclose(ops.at_set(DimArray(raw, "m"), key, value).data, expected)
    np.testing.assert_array_equal(raw, before)


@given(keyed(), st.randoms())
def test_what_was_overwritten_gets_no_gradient(case, random):
    """The dot-product test, for keys that name places twice as well."""
    shape, key = case
    rng = np.random.default_rng(random.randrange(1 << 30))
    static, arrays = split_key(key)
    x, ct = rng.normal(size=shape), rng.normal(size=shape)
    values = rng.normal(size=np.shape(x[key]))
    written = ops.index_set(x, values, *arrays, key=static)
    args = (x, values, *arrays)
    back = ops.index_set.derivative.transpose(ct, args, {"key": static})
    expected = np.sum(back[0] * x) + np.sum(back[1] * values)
    np.testing.assert_allclose(np.sum(ct * written), expected, atol=1e-12)


def test_places_given_twice_are_added_to_twice():
    result = ops.at_add(DimArray(np.zeros(3), "m"), np.array([1, 1, 2]), DimArray(1.0, "m"))
    assert result.data.tolist() == [0.0, 2.0, 1.0]


@pytest.mark.parametrize("key", ["a", b"a", 1.5, (0, "b"), {1: 2}])
def test_what_is_no_index_is_refused_by_type(key):
    with pytest.raises(
        NotANumber, match=r"an index needs a number, but got (str|bytes|float|dict)"
    ):
        ops.getitem(DimArray(np.ones((2, 2)), "m"), key)


def test_a_key_for_too_many_axes_has_no_shape():
    with pytest.raises(ShapeMismatch, match="a key for 1 axes at most"):
        indexed([(3,)], {"key": (0, 0)})


def test_a_mask_of_another_shape_has_no_shape():
    with pytest.raises(ShapeMismatch, match=r"a mask of shape \(3,\)"):
        indexed([(3,), (4,)], {"key": (MASK,)})


def test_a_batch_of_masks_is_refused_with_the_reason():
    x = np.ones((2, 3))
    masks = np.array([[True, False, True], [True, True, True]])
    with pytest.raises(MissingRule, match="another number of elements"):
        ops.index.batching(ops.index, (x, masks), (0, 0), {"key": (MASK,)})


@st.composite
def batched(draw):
    """Arrays of x[key] for a random key without masks, each with a batch axis of 3 or without."""
    shape, key = draw(keyed().filter(lambda case: MASK not in map(str, split_key(case[1])[0])))
    static, arrays = split_key(key)
    rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    given = [numbered(shape), *map(np.asarray, arrays)]
    dims = [draw(st.none() | st.integers(0, array.ndim)) for array in given]
    if all(d is None for d in dims):
        dims[0] = 0
    stacked = [
        a if d is None else np.stack([rng.permuted(a, axis=None) for _ in range(3)], axis=d)
        for a, d in zip(given, dims, strict=True)
    ]
    return static, stacked, dims, rng


def slices(arrays, dims, i):
    return [a if d is None else np.take(a, i, axis=d) for a, d in zip(arrays, dims, strict=True)]


@given(batched())
def test_a_batch_of_keys_and_arrays_is_a_loop(case):
    """Also where NumPy moves the axes of separated arrays to the front."""
    key, arrays, dims, _ = case
    params = {"key": key}
    result, axis = ops.index.batching(ops.index, tuple(arrays), tuple(dims), params)
    for i in range(3):
        one = ops.index(*slices(arrays, dims, i), key=key)
        np.testing.assert_array_equal(np.take(result, i, axis=axis), one)


@given(batched(), st.booleans())
def test_a_batch_of_writes_is_a_loop(case, each_its_own):
    key, (x, *indices), (dim, *dims), rng = case
    place = np.shape(ops.index(*slices([x, *indices], [dim, *dims], 0), key=key))
    values = rng.normal(size=(3, *place) if each_its_own else place)
    arrays, dims = (x, values, *indices), (dim, 0 if each_its_own else None, *dims)
    for name in ("index_add", "index_max"):
        op = ops.get(name)
        result, axis = op.batching(op, arrays, dims, {"key": key})
        for i in range(3):
            one = op(*slices(arrays, dims, i), key=key)
            np.testing.assert_allclose(np.take(result, i, axis=axis), one)


# Units of what is written


def test_what_is_written_takes_the_unit_of_the_array():
    angles = DimArray(np.zeros(2), "rad")
    assert str(ops.at_set(angles, 0, 1.0).unit) == "rad"
    turned = ops.at_set(DimArray(np.zeros(2), "deg"), 0, DimArray(1.0, "rad"))
    assert turned.data[0] == pytest.approx(np.degrees(1.0))
    with pytest.raises(DimensionError, match="an angle is not a pure number"):
        ops.at_set(DimArray(np.zeros(2), "deg"), 0, 1.0)


def test_a_quantity_of_another_dimension_is_not_written():
    with pytest.raises(DimensionError, match="at_set needs arguments of one dimension"):
        ops.at_set(DimArray([1.0, 2.0], "m"), 0, DimArray(1.0, "s"))
    with pytest.raises(DimensionError):
        ops.at_add(DimArray([1.0, 2.0], "m"), 0, 1.0)


def test_integers_are_not_filled_with_fractions():
    whole = DimArray(np.array([1, 2]), "km")
    assert ops.at_set(whole, 0, DimArray(3, "km")).data.tolist() == [3, 2]
    for metres in (300, 3000):  # what is converted is a fraction, whatever its value
        with pytest.raises(NotANumber, match="which it would cut"):
            ops.at_set(whole, 0, DimArray(metres, "m"))
    with pytest.raises(NotANumber, match="which it would cut"):
        ops.at_set(np.zeros(2, np.int8), 0, 300)
    with pytest.raises(NotANumber, match="which it would cut"):
        ops.at_set(np.zeros(2), 0, 1j)
    assert whole.data.tolist() == [1, 2]


WRITTEN = ("m", "km", "degC", "K", "delta_degF", "dBm", "dB", "delta_dB", "mag", "percent", "deg")


@pytest.mark.parametrize("how", ["add", "subtract"])
@pytest.mark.parametrize("unit", WRITTEN)
def test_adding_at_a_place_is_adding(unit: str, how: str) -> None:
    """Of points and levels too: what has no sum beside, or another kind of sum, has none there."""
    x = DimArray([20.0, 25.0, 30.0], unit)
    for other in WRITTEN:
        values = DimArray([1.0, 2.0], other)
        try:
            right = getattr(ops, how)(x[:2], values)
        except UnitError:
            right = None
        if right is None or right.unit is not x.unit:  # another kind of thing comes out
            with pytest.raises(UnitError, match=r"x\.at|a point moves by a difference"):
                getattr(x.at[:2], how)(values)
            continue
        found = getattr(x.at[:2], how)(values)
        assert found.unit is x.unit, other
        np.testing.assert_allclose(found[:2].data, right.to_value(unit), err_msg=other)
        np.testing.assert_array_equal(found[2:].data, x[2:].data)
        twice = getattr(x.at[[0, 0]], how)(values)
        once = getattr(getattr(x.at[0], how)(values[0]).at[0], how)(values[1])
        np.testing.assert_allclose(twice.data, once.data, err_msg=other)


def test_keywords_of_jax_are_promises_or_refused() -> None:
    x = DimArray([1.0, 2.0], "m")
    for name in ("set", "add", "subtract", "max", "min"):
        write = getattr(x.at[0], name)
        one = DimArray(1.0, "m")
        assert write(one, unique_indices=True, indices_are_sorted=True).unit is x.unit
        with pytest.raises(UnitError, match=f"{name} takes no mode: keys are those of x"):
            write(one, mode="drop")
    with pytest.raises(AttributeError, match="subtract, max and min, and no multiply"):
        _ = x.at[0].multiply


def test_points_can_be_put() -> None:
    warm = DimArray([20.0, 25.0], "degC")
    result = ops.at_set(warm, 0, DimArray(293.15, "K"))
    np.testing.assert_allclose(result.data, [20.0, 25.0])
    assert result.unit == warm.unit
    with pytest.raises(PointError, match="write the zero with its unit"):
        ops.at_set(warm, 0, 0)
    assert ops.take(warm, 0).data == 20.0  # an index of 0 is no point


# where


def test_where_converts_to_the_first_and_takes_bare_zeros():
    mask = np.array([True, False])
    mixed = ops.where(mask, DimArray([1.0, 2.0], "km"), DimArray(5.0, "m"))
    np.testing.assert_allclose(mixed.data, [1.0, 0.005])
    assert str(mixed.unit) == "km"
    assert str(ops.where(mask, 0, DimArray(5.0, "m")).unit) == "m"
    assert np.isnan(ops.where(mask, float("nan"), DimArray(5.0, "m")).data[0])


def test_where_across_dimensions_names_the_arguments():
    with pytest.raises(DimensionError) as error:
        ops.where(True, DimArray(1.0, "m"), DimArray(1.0, "s"))
    assert str(error.value).startswith("where needs arguments of one dimension, but got\n  x: m")
    with pytest.raises(PureNumberError):
        ops.where(DimArray([1.0], "m"), 1.0, 2.0)


def test_where_of_points_wants_points():
    cold = DimArray([-5.0, 5.0], "degC")
    picked = ops.where(cold > DimArray(0.0, "degC"), cold, DimArray(32.0, "degF"))
    np.testing.assert_allclose(picked.data, [0.0, 5.0], atol=1e-12)
    with pytest.raises(PointError, match="bare 0"):
        ops.where(cold > DimArray(0.0, "degC"), cold, 0)


# Along an axis


def test_scatter_and_gather_are_the_loops_that_torch_documents():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 3))
    rows = np.argsort(rng.normal(size=(4, 2)), axis=0)[:3]
    values = rng.normal(size=(3, 2))
    put, added, low, high = x.copy(), x.copy(), x.copy(), x.copy()
    for i in range(3):
        for j in range(2):
            put[rows[i, j], j] = values[i, j]
            added[rows[i, j], j] += values[i, j]
            low[rows[i, j], j] = min(low[rows[i, j], j], values[i, j])
            high[rows[i, j], j] = max(high[rows[i, j], j], values[i, j])
    lengths = DimArray(x, "m")
    new = DimArray(values / 1000, "km")
    for name, expected in (("", put), ("_add", added), ("_min", low), ("_max", high)):
        result = ops.get(f"scatter{name}")(lengths, rows, new, axis=0)
        np.testing.assert_allclose(result.data, expected)
        assert str(result.unit) == "m"
    gathered = ops.gather(lengths, rows, axis=0)
    expected = [[x[rows[i, j], j] for j in range(2)] for i in range(3)]
    np.testing.assert_array_equal(gathered.data, expected)


def test_gather_does_not_stretch():
    with pytest.raises(ShapeMismatch, match="indices no longer than"):
        ops.gather(np.ones((2, 3)), np.zeros((3, 3), int), axis=1)
    with pytest.raises(ShapeMismatch, match="indices of 2 axes"):
        ops.take_along_axis.definition(np.ones((2, 3)), np.zeros(3, int), axis=1)


def test_an_index_with_a_dimension_is_refused():
    for name in ("take", "take_along_axis", "gather"):
        with pytest.raises(PureNumberError):
            ops.get(name)(DimArray([1.0, 2.0], "m"), DimArray([0], "s"), axis=0)
    with pytest.raises(PureNumberError):
        ops.one_hot(DimArray([0, 1], "m"), 2)


# Choices and conditions, against NumPy's own functions


def test_select_and_choose_are_numpy_s():
    rng = np.random.default_rng(1)
    masks = [rng.normal(size=5) > 0.5, rng.normal(size=5) > 0]
    choices = [rng.normal(size=5), rng.normal(size=5)]
    lengths = [DimArray(c, "m") for c in choices]
    got = ops.select(0, *masks, *lengths)
    np.testing.assert_array_equal(got.data, np.select(masks, choices, 0))
    places = rng.integers(-3, 4, 5)
    for mode in ("wrap", "clip"):
        got = ops.choose(places, *lengths, mode=mode)
        np.testing.assert_array_equal(got.data, np.choose(places, choices, mode=mode))
    with pytest.raises(ShapeMismatch, match="as many conditions as choices"):
        ops.select(0, *masks, lengths[0])


@given(st.integers(1, 7), st.randoms())
def test_functional_writers_give_what_numpy_s_do_in_place(count, random):
    rng = np.random.default_rng(random.randrange(1 << 30))
    x, mask, values = rng.normal(size=(3, 4)), rng.normal(size=(3, 4)) > 0, rng.normal(size=count)
    places = rng.permutation(12)[:5]
    x_m, values_km = DimArray(x, "m"), DimArray(values / 1000, "km")
    cases = (
        (np.putmask, ops.putmask, mask),
        (np.place, ops.place, mask),
        (np.put, ops.put, places),
    )
    for in_place, op, where in cases:
        expected = x.copy()
        in_place(expected, where, values)
        np.testing.assert_allclose(op(x_m, where, values_km).data, expected)
    square = x[:3, :3].copy()
    np.fill_diagonal(square, values[:1])
    result = ops.fill_diagonal(x_m[:3, :3], values_km[:1])
    np.testing.assert_allclose(result.data, square)


# Searching


def test_searching_compares_in_one_unit_and_gives_plain_indices():
    edges = DimArray([0.0, 1.0, 2.0], "km")
    found = ops.searchsorted(edges, DimArray([500.0, 1000.0, 2500.0], "m"))
    assert isinstance(found, np.ndarray)
    assert found.tolist() == [1, 1, 3]
    assert ops.searchsorted(edges, DimArray(1000.0, "m"), side="right") == 2
    mixed = DimArray([2.0, 0.0, 1.0], "km")
    assert ops.searchsorted(mixed, DimArray(500.0, "m"), sorter=np.array([1, 2, 0])) == 1
    with pytest.raises(DimensionError):
        ops.searchsorted(edges, DimArray(1.0, "s"))
    warm = DimArray([0.0, 10.0, 20.0], "degC")
    sorter = np.array([0, 1, 2])
    assert ops.searchsorted(warm, DimArray(59.0, "degF"), sorter=sorter) == 2


def test_what_is_not_zero_is_found_in_every_unit_but_those_with_another_zero():
    x = DimArray([[0.0, 2.0], [3.0, 0.0]], "m")
    assert [a.tolist() for a in ops.nonzero(x)] == [[0, 1], [1, 0]]
    assert ops.argwhere(x).tolist() == [[0, 1], [1, 0]]
    assert ops.flatnonzero(x).tolist() == [1, 2]
    with pytest.raises(PointError):
        ops.nonzero(DimArray([0.0, 1.0], "degC"))
    trimmed = ops.trim_zeros(DimArray([0.0, 1.0, 0.0, 2.0, 0.0], "m"))
    assert (trimmed.data.tolist(), str(trimmed.unit)) == ([1.0, 0.0, 2.0], "m")
    with pytest.raises(UnitError):
        ops.trim_zeros(DimArray([0.0, 1.0], "degC"))


def test_one_hot_rows():
    assert ops.one_hot(np.array([2, 0]), 3).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert ops.one_hot(1, 2, dtype="int8").dtype == np.int8
    assert ops.one_hot(np.array([5]), 3).tolist() == [[0, 0, 0]]
