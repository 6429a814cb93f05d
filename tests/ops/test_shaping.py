"""Arranging, joining, splitting and repeating: NumPy's values, the arrays' own units."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import DimensionError, PointError, ShapeMismatch, UnitConversionError

arrays = hnp.arrays(
    float,
    hnp.array_shapes(min_dims=1, max_dims=3, max_side=4),
    elements=st.integers(-9, 9).map(float),
)

# Ops of one array that only rearrange it, with parameters that every (2, 3, 4) array takes.
ARRANGED = {
    "reshape": {"shape": (4, -1), "order": "F"},
    "permute_dims": {"axes": (2, 0, 1)},
    "matrix_transpose": {},
    "swapaxes": {"axis1": 0, "axis2": 2},
    "moveaxis": {"source": 0, "destination": 1},
    "rollaxis": {"axis": 2},
    "broadcast_to": {"shape": (2, 2, 3, 4)},
    "expand_dims": {"axis": 1},
    "squeeze": {},
    "ravel": {},
    "flatten": {},
    "atleast_1d": {},
    "atleast_2d": {},
    "atleast_3d": {},
    "flip": {"axis": 1},
    "flipud": {},
    "fliplr": {},
    "rot90": {"k": 3},
    "tile": {"reps": (2, 1, 1)},
    "repeat": {"repeats": 2, "axis": 0},
    "roll": {"shift": 3, "axis": 2},
    "resize": {"new_shape": (5, 5)},
    "delete": {"obj": 1, "axis": 0},
    "diagonal": {"offset": 1},
    "copy": {},
}


@pytest.mark.parametrize("name", ARRANGED)
@pytest.mark.parametrize("unit", ["km", "degC", "dBm", "deg"])
def test_arranging_keeps_the_unit_whatever_it_is(name, unit):
    raw = np.random.default_rng(0).normal(size=(2, 3, 4))
    result = ops.get(name)(DimArray(raw, unit), **ARRANGED[name])
    plain = ops.get(name)(raw, **ARRANGED[name])
    np.testing.assert_array_equal(result.data, plain)
    assert str(result.unit) == str(DimArray(raw, unit).unit)


NUMBERS = (
    "broadcast_to squeeze ravel flatten atleast_1d atleast_2d atleast_3d tile repeat resize copy"
)


@pytest.mark.parametrize("name", ARRANGED)
def test_a_single_number_is_arranged_where_no_axis_is_asked_for(name):
    number, params = DimArray(2.0, "m"), ARRANGED[name]
    if name in NUMBERS.split():
        result = ops.get(name)(number, **params)
        assert str(result.unit) == "m"
        assert set(np.ravel(result.data)) == {2.0}
    else:
        with pytest.raises(ValueError, match=r"."):
            ops.get(name)(number, **params)


@given(arrays, st.data())
def test_turning_back_gives_the_same_array(raw, data):
    x = DimArray(raw, "m")
    axis = data.draw(st.integers(-raw.ndim, raw.ndim - 1))
    shift = data.draw(st.integers(-7, 7))
    order = data.draw(st.permutations(range(raw.ndim)))
    there_and_back = [
        ops.flip(ops.flip(x, axis=axis), axis=axis),
        ops.roll(ops.roll(x, shift, axis), -shift, axis),
        ops.roll(ops.roll(x, shift), -shift),
        ops.permute_dims(ops.permute_dims(x, tuple(order)), tuple(np.argsort(order))),
        ops.moveaxis(ops.moveaxis(x, 0, axis), axis, 0),
        ops.squeeze(ops.expand_dims(x, axis), axis=axis),
        ops.reshape(ops.ravel(x, order="F"), raw.shape, order="F"),
        ops.stack(ops.unstack(x, axis=axis), axis=axis),
    ]
    for result in there_and_back:
        np.testing.assert_array_equal(result.data, raw)
        assert str(result.unit) == "m"


@given(arrays, st.data())
def test_parts_joined_again_are_the_whole(raw, data):
    x = DimArray(raw, "m")
    axis = data.draw(st.integers(0, raw.ndim - 1))
    n = raw.shape[axis]
    count = data.draw(st.integers(1, 5))
    cuts = tuple(sorted(data.draw(st.lists(st.integers(0, n), max_size=3))))
    for parts in (ops.array_split(x, count, axis), ops.split(x, cuts, axis)):
        np.testing.assert_array_equal(ops.concat(parts, axis=axis).data, raw)
    expected = np.array_split(raw, count, axis)
    for part, theirs in zip(ops.array_split(x, count, axis), expected, strict=True):
        np.testing.assert_array_equal(part.data, theirs)


@given(arrays, st.data())
def test_what_was_inserted_can_be_deleted(raw, data):
    axis = data.draw(st.integers(0, raw.ndim - 1))
    at = data.draw(st.integers(-raw.shape[axis], raw.shape[axis]))
    more = ops.insert(DimArray(raw, "m"), at, DimArray(0.5, "km"), axis=axis)
    np.testing.assert_array_equal(more.data, np.insert(raw, at, 500.0, axis=axis))
    place = at if at >= 0 else raw.shape[axis] + at
    np.testing.assert_array_equal(ops.delete(more, place, axis=axis).data, raw)


@given(st.lists(st.sampled_from(["m", "km", "cm", "ft"]), min_size=1, max_size=4), st.randoms())
def test_joined_lengths_are_the_same_lengths(units, random):
    rng = np.random.default_rng(random.randrange(1 << 30))
    parts = [DimArray(rng.uniform(1, 2, (2, 2)), u) for u in units]
    metres = [p.to_value("m") for p in parts]
    for ours, theirs in (
        (ops.concat(parts, axis=1), np.concatenate(metres, 1)),
        (ops.concat(parts, axis=None), np.concatenate(metres, None)),
        (ops.stack(parts, axis=1), np.stack(metres, 1)),
        (ops.vstack(parts), np.vstack(metres)),
        (ops.hstack(parts), np.hstack(metres)),
        (ops.dstack(parts), np.dstack(metres)),
        (ops.column_stack(parts), np.column_stack(metres)),
    ):
        assert str(ours.unit) == units[0]
        np.testing.assert_allclose(ours.to_value("m"), theirs, rtol=1e-14)


def test_joining_two_dimensions_names_the_array():
    lengths, times = DimArray([1.0], "km"), DimArray([1.0], "s")
    with pytest.raises(DimensionError) as error:
        ops.concat([lengths, times])
    assert str(error.value).startswith(
        "concat needs arguments of one dimension, but got\n"
        "  arrays[0]: km   [length]\n"
        "  arrays[1]: s    [time]\n"
    )
    for name in ("stack", "vstack", "hstack", "dstack", "column_stack"):
        with pytest.raises(DimensionError, match=r"arrays\[2\]"):
            ops.get(name)([lengths, lengths, times])
    with pytest.raises(DimensionError):
        ops.append(lengths, times)
    with pytest.raises(DimensionError):
        ops.insert(lengths, 0, times)
    with pytest.raises(DimensionError):
        ops.concat([lengths, np.ones(1)])


@pytest.mark.parametrize("library", ["numpy", "torch", "jax", "mlx", "dask", "array_api_strict"])
@pytest.mark.parametrize("number", [0, float("inf"), True, 2.5])
def test_a_number_joins_arrays_of_every_library(library, number):
    plain = np.array([1.0, 2.0], np.float32)
    unit = "m" if number in (0, float("inf")) else ""
    x = DimArray(plain, unit).to_backend(library)
    for joined, numbers in (
        (ops.append(x, number), [1, 2, number]),
        (ops.append(number, x), [number, 1, 2]),
        (ops.concat([x, number], axis=None), [1, 2, number]),
        (ops.stack([x[0], number]), [1, number]),
    ):
        assert (joined.backend, str(joined.unit)) == (library, unit)
        assert joined.to_numpy().tolist() == numbers


def test_points_join_as_points():
    both = ops.concat([DimArray([20.0], "degC"), DimArray([212.0], "degF")])
    np.testing.assert_allclose(both.data, [20.0, 100.0])
    assert both.unit == DimArray(1.0, "degC").unit
    # Kelvin are absolute temperatures here, and differences have a unit of their own.
    assert ops.concat([DimArray([20.0], "degC"), DimArray([300.0], "K")]).data[1] == pytest.approx(
        26.85
    )


def test_a_grid_has_a_unit_for_each_axis():
    x, y = DimArray([1.0, 2.0], "m"), DimArray([1.0, 2.0, 3.0], "s")
    for indexing in ("xy", "ij"):
        for sparse in (False, True):
            grid = ops.meshgrid(x, y, indexing=indexing, sparse=sparse)
            theirs = np.meshgrid(x.data, y.data, indexing=indexing, sparse=sparse)
            assert [str(g.unit) for g in grid] == ["m", "s"]
            for ours, expected in zip(grid, theirs, strict=True):
                np.testing.assert_array_equal(ours.data, expected)
                ours.data[...] = 0  # its own memory, as NumPy's
    assert x.data.tolist() == [1.0, 2.0]
    stretched = ops.broadcast_arrays(x, DimArray(1.0, "kg"))
    assert [str(s.unit) for s in stretched] == ["m", "kg"]
    with pytest.raises(ShapeMismatch, match="indexing 'xy' or 'ij'"):
        ops.meshgrid.definition(x, y, indexing="yx")


@pytest.mark.parametrize("name", ["tril", "triu", "diag", "diagflat"])
def test_zeros_that_appear_are_no_points(name):
    square = np.arange(1.0, 10.0).reshape(3, 3)
    raw = square if name.startswith("tri") else square[0]
    result = ops.get(name)(DimArray(raw, "m"), k=1)
    np.testing.assert_array_equal(result.data, getattr(np, name)(raw, k=1))
    with pytest.raises(PointError):
        ops.get(name)(DimArray(raw, "degC"))


def test_the_diagonal_of_a_matrix_of_points_is_one_of_points():
    assert ops.diag(DimArray(np.eye(2), "degC")).data.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: ops.reshape.shape((x.shape,), {"shape": (4, 2)}), "a shape of 6 elements"),
        (lambda x: ops.reshape.shape((x.shape,), {"shape": (-1, -1)}), "one -1 at most"),
        (lambda x: ops.reshape.shape((x.shape,), {"shape": (-1, 0)}), "a shape of 6 elements"),
        (lambda x: ops.permute_dims.shape((x.shape,), {"axes": (0,)}), "2 axes"),
        (lambda x: ops.permute_dims.shape((x.shape,), {"axes": (0, 0)}), "axes that differ"),
        (lambda x: ops.broadcast_to.shape((x.shape,), {"shape": (3,)}), "stretches to"),
        (lambda x: ops.broadcast_to.shape((x.shape,), {"shape": (3, 3)}), "stretches to"),
        (lambda x: ops.concat.shape((x.shape, (3,)), {"axis": 0}), r"2 axes in arrays\[1\]"),
        (lambda x: ops.concat.shape((x.shape, (2, 4)), {"axis": 0}), "length 3 along axis 1"),
        (lambda x: ops.concat.shape(((), ()), {"axis": 0}), "one axis or more"),
        (lambda x: ops.concat.shape((), {"axis": 0}), "one array or more"),
        (lambda x: ops.stack.shape((x.shape, (3, 2)), {"axis": 0}), "length 2 along axis 0"),
        (lambda x: ops.stack.shape((x.shape,), {"axis": 3}), "an axis from -3 to 2"),
        (
            lambda x: ops.moveaxis.shape((x.shape,), {"source": (0, 1), "destination": 0}),
            "2 places",
        ),
        (lambda x: ops.split(x, 2, axis=1), "equal parts for 3 elements"),
        (lambda x: ops.array_split(x, 0), "one part or more"),
        (lambda x: ops.insert.definition(x, 9, x[0, 0]), "places from -6 to 6"),
        (lambda x: ops.squeeze.definition(x, axis=0), "length 1 along axis 0"),
        (lambda x: ops.matrix_transpose.definition(x[0]), "two axes or more"),
        (lambda x: ops.tril.definition(x[0]), "two axes or more"),
        (lambda x: ops.delete.definition(x, 9), "places among 6 elements"),
        (lambda x: ops.diag.definition(ops.expand_dims(x, 0)), "one axis or two"),
    ],
)
def test_shapes_that_do_not_fit_are_named(call, message):
    with pytest.raises(ShapeMismatch, match=message):
        call(DimArray(np.ones((2, 3)), "m"))


@pytest.mark.parametrize(
    ("name", "given", "params", "expected"),
    [
        ("reshape", [(None, 3)], {"shape": (3, -1)}, (3, None)),
        ("permute_dims", [(None, 3)], {"axes": None}, (3, None)),
        ("moveaxis", [(None, 3)], {"source": 0, "destination": 1}, (3, None)),
        ("broadcast_to", [(None,)], {"shape": (2, 5)}, (2, 5)),
        ("concat", [(None, 3), (2, 3)], {"axis": 0}, (None, 3)),
        ("concat", [(None, 3), (2, None)], {"axis": 1}, (2, None)),
        ("concat", [(None,), (2,)], {"axis": None}, (None,)),
        ("stack", [(None, 3), (2, None)], {"axis": 0}, (2, 2, 3)),
        ("pad_constant", [(None, 3), None], {"pad_width": 1}, (None, 5)),
    ],
)
def test_lengths_that_only_the_data_knows(name, given, params, expected):
    assert ops.get(name).shape(tuple(given), params) == expected


# Padding

WIDTHS = st.tuples(*[st.tuples(st.integers(0, 5), st.integers(0, 5))] * 2)
MODES = [
    {"mode": "constant"},
    {"mode": "edge"},
    {"mode": "wrap"},
    {"mode": "linear_ramp"},
    {"mode": "maximum", "stat_length": 2},
    {"mode": "minimum"},
    {"mode": "mean", "stat_length": ((1, 2), (3, 9))},
    {"mode": "median"},
    *[{"mode": m, "reflect_type": t} for m in ("reflect", "symmetric") for t in ("even", "odd")],
]


@given(
    st.sampled_from(MODES), WIDTHS, st.tuples(st.integers(1, 4), st.integers(1, 4)), st.randoms()
)
def test_every_mode_pads_as_numpy_does(mode, widths, shape, random):
    raw = np.random.default_rng(random.randrange(1 << 30)).normal(size=shape)
    expected = np.pad(raw, widths, **mode)
    padded = ops.pad(DimArray(raw, "m"), widths, **mode)
    np.testing.assert_allclose(padded.data, expected, rtol=1e-12, atol=1e-12)
    assert str(padded.unit) == "m"


def test_what_is_padded_with_is_converted():
    x = DimArray([[1.0]], "m")
    padded = ops.pad(x, 1, constant_values=DimArray([[1.0, 2.0], [3.0, 4.0]], "km"))
    expected = np.pad([[1.0]], 1, constant_values=((1000.0, 2000.0), (3000.0, 4000.0)))
    np.testing.assert_array_equal(padded.data, expected)
    ramp = ops.pad(DimArray([4.0], "m"), (2, 0), "linear_ramp", end_values=DimArray(0.002, "km"))
    np.testing.assert_allclose(ramp.data, [2.0, 3.0, 4.0])
    with pytest.raises(DimensionError):
        ops.pad(x, 1, constant_values=DimArray(1.0, "s"))
    with pytest.raises(DimensionError):
        ops.pad(x, 1, constant_values=1.0)
    assert str(ops.pad(DimArray([1.0], "rad"), 1, constant_values=1.0).unit) == "rad"


@pytest.mark.parametrize("mode", ["constant", "linear_ramp"])
def test_points_are_not_padded_with_nothing(mode):
    warm = DimArray([20.0, 22.0], "degC")
    with pytest.raises(PointError):
        ops.pad(warm, 1, mode)
    name = "constant_values" if mode == "constant" else "end_values"
    padded = ops.pad(warm, 1, mode, **{name: DimArray(32.0, "degF")})
    np.testing.assert_allclose(padded.data, [0.0, 20.0, 22.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("mode", [m for m in MODES if m["mode"] not in ("constant", "linear_ramp")])
@pytest.mark.parametrize("unit", ["degC", "degF", "K"])
def test_points_are_padded_with_points(mode, unit):
    raw = np.array([[20.0, 22.0, 27.0]])
    padded = ops.pad(DimArray(raw, "degC").to(unit), 2, **mode)
    assert padded.unit == DimArray(0.0, unit).unit
    np.testing.assert_allclose(padded.to_value("degC"), np.pad(raw, 2, **mode), rtol=1e-12)


@pytest.mark.parametrize(
    ("widths", "message"),
    [(-1, "0 or more"), (1.5, "whole numbers"), (((1, 1),) * 3, "a pad_width for 2 axes")],
)
def test_widths_that_make_no_sense(widths, message):
    for mode in ("constant", "edge"):
        with pytest.raises(ShapeMismatch, match=message):
            ops.pad(DimArray(np.ones((2, 2)), "m"), widths, mode)


def test_widths_by_axis():
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(ops.pad(x, {-1: (1, 2)}), np.pad(x, ((0, 0), (1, 2))))


def test_a_mode_that_nobody_knows():
    with pytest.raises(TypeError, match="NumPy's modes by name"):
        ops.pad(DimArray([1.0], "m"), 1, "mirror")
    with pytest.raises(ShapeMismatch, match="elements along axis 0"):
        ops.pad(DimArray(np.ones(0), "m"), 1, "edge")


# Creation and casts


def test_arrays_like_another_keep_its_unit():
    x = DimArray(np.array([1.5, 2.5], np.float32), "km")
    for name, value in (("zeros_like", 0.0), ("ones_like", 1.0)):
        result = ops.get(name)(x)
        assert (result.data.tolist(), str(result.unit)) == ([value] * 2, "km")
        assert result.dtype == np.float32
        assert ops.get(name)(x, int, shape=(3,)).dtype == np.dtype(int)
    assert str(ops.empty_like(x).unit) == "km"
    filled = ops.full_like(x, DimArray(500.0, "m"))
    assert (filled.data.tolist(), str(filled.unit)) == ([0.5, 0.5], "km")
    assert str(ops.full_like(DimArray([1.0], "rad"), 2.0).unit) == "rad"
    assert np.isinf(ops.full_like(x, float("inf")).data).all()
    with pytest.raises(DimensionError):
        ops.full_like(x, 5.0)
    with pytest.raises(TypeError, match="which it would cut"):
        ops.full_like(DimArray(np.array([1, 2]), "km"), DimArray(500.0, "m"))


def test_a_cast_to_integers_asks_for_the_unit():
    x = DimArray([1.7, 2.2], "m")
    with pytest.raises(ValueError, match="depends on the unit") as error:
        ops.astype(x, int)
    assert "say in which: dimflow.astype(..., unit='m')" in str(error.value)
    for same in (x, x.to("km"), x.to("cm")):
        cut = ops.astype(same, "int32", unit="dm")
        assert (cut.data.tolist(), str(cut.unit), cut.dtype) == ([17, 22], "dm", np.int32)
    assert ops.astype(DimArray([250.0], "percent"), int, unit="").data.tolist() == [2]
    with pytest.raises(ValueError, match="depends on the unit"):
        ops.astype(DimArray([250.0], "percent"), int)
    assert DimArray([20.6], "degC").astype(int, unit="degC").data.tolist() == [20]


def test_a_cast_to_fractions_keeps_the_unit_and_one_to_truth_has_none():
    x = DimArray([1.0, 0.0], "km")
    single = ops.astype(x, np.float32)
    assert (str(single.unit), single.dtype) == ("km", np.float32)
    assert ops.astype(x, float, unit="m").data.tolist() == [1000.0, 0.0]
    truth = ops.astype(x, bool)
    assert (type(truth), str(truth.unit)) == (DimArray, "")
    assert truth.tolist() == [True, False]
    with pytest.raises(PointError):
        ops.astype(DimArray([0.0], "degC"), bool)
    with pytest.raises(UnitConversionError):
        ops.astype(x, float, unit="s")
