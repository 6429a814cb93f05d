"""NumPy's functions on DimArrays: keywords, targets, forms of arguments, and what is refused."""

import io
import math

import numpy as np
import pytest

from dimflow.array import DimArray
from dimflow.errors import (
    DimensionError,
    DimflowError,
    PointError,
    PureNumberError,
    UnitError,
    UnitLossError,
    UnsupportedFunction,
)
from dimflow.units import Unit

RAW = np.array([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])
x = DimArray(RAW, "m")
v = DimArray([1.0, 4.0, 2.0, 8.0], "m")
t = DimArray([2.0, 1.0, 5.0, 3.0], "s")
celsius = DimArray([10.0, 30.0, 20.0], "degC")
MASK = RAW > 2

KEYWORDS = [
    ("sum", {"axis": 0, "dtype": np.float32}, 1),
    ("sum", {"axis": (0, 1), "keepdims": True}, 1),
    ("sum", {"axis": 1, "where": MASK}, 1),
    ("mean", {"axis": 0, "dtype": np.float32, "keepdims": True}, 1),
    ("mean", {"axis": 1, "where": MASK}, 1),
    ("std", {"axis": 0, "ddof": 1}, 1),
    ("std", {"axis": 0, "correction": 1}, 1),
    ("var", {"axis": 0, "dtype": np.float32}, 2),
    ("prod", {"axis": 1, "dtype": np.float32}, 3),
    ("prod", {"axis": 0, "keepdims": True}, 2),
    ("max", {"axis": 1, "keepdims": True}, 1),
    ("cumsum", {"axis": 1, "dtype": np.float32}, 1),
    ("median", {"axis": 1, "overwrite_input": False, "keepdims": True}, 1),
    ("percentile", {"q": [10, 50], "axis": 1, "method": "nearest"}, 1),
    ("quantile", {"q": 0.3, "axis": 0, "keepdims": True}, 1),
    ("quantile", {"q": 0.3, "axis": 0, "method": "inverted_cdf", "weights": np.ones(2)}, 1),
    ("nansum", {"axis": 1, "dtype": np.float32}, 1),
    ("nanmax", {"axis": 1, "keepdims": True}, 1),
    ("ptp", {"axis": 1, "keepdims": True}, 1),
    ("sort", {"axis": 0, "kind": "stable"}, 1),
    ("partition", {"kth": 1, "axis": 1}, 1),
    ("diff", {"n": 1, "axis": 0}, 1),
    ("repeat", {"repeats": [1, 2, 3], "axis": 1}, 1),
    ("roll", {"shift": 1, "axis": 1}, 1),
    ("pad", {"pad_width": 1, "mode": "reflect", "reflect_type": "odd"}, 1),
    ("pad", {"pad_width": ((1, 0), (0, 2)), "mode": "constant"}, 1),
    ("trace", {"offset": 1, "dtype": np.float32}, 1),
    ("unique", {"axis": 0}, 1),
    ("gradient", {"axis": 1}, 1),
    ("linalg.norm", {"axis": 1, "ord": 1}, 1),
    ("linalg.svd", {"compute_uv": False}, 1),
    ("reshape", {"shape": (3, 2), "order": "F"}, 1),
    ("zeros_like", {"dtype": np.float32, "shape": (4,)}, 1),
    ("ones_like", {"order": "F"}, 1),
    ("take", {"indices": [0, 5], "mode": "wrap", "axis": 1}, 1),
    ("copy", {"order": "F"}, 1),
    ("lib.stride_tricks.sliding_window_view", {"window_shape": (2, 2)}, 1),
]


def function(name):
    result = np
    for part in name.split("."):
        result = getattr(result, part)
    return result


@pytest.mark.parametrize(("name", "keywords", "power"), KEYWORDS)
def test_keywords_mean_what_they_mean_in_numpy(name, keywords, power):
    result = function(name)(x, **keywords)
    expected = function(name)(RAW, **keywords)
    assert result.unit == Unit("m") ** power
    np.testing.assert_array_equal(result.data, expected)
    assert result.dtype == expected.dtype
    assert result.data.flags.f_contiguous == np.asarray(expected).flags.f_contiguous


def test_arguments_by_position_and_by_name():
    for result in (np.sum(x, 0), np.sum(x, axis=0), np.sum(a=x, axis=0)):
        np.testing.assert_array_equal(result.data, RAW.sum(0))
    out = DimArray(np.zeros(3), "m")
    assert np.sum(x, 0, None, out) is out
    np.testing.assert_array_equal(out.data, RAW.sum(0))
    np.testing.assert_array_equal(np.clip(v, DimArray(2.0, "m"), None).data, [2, 4, 2, 8])
    np.testing.assert_array_equal(np.clip(v, max=DimArray(3.0, "m")).data, [1, 3, 2, 3])
    np.testing.assert_array_equal(np.clip(v, min=DimArray(300.0, "cm")).data, [3, 4, 3, 8])
    for bad in ({"axis": 0, "nonsense": 1}, {"axes": 1}):
        with pytest.raises(TypeError):
            np.sum(x, **bad)
    with pytest.raises(ValueError, match="axis"):
        np.sum(x, axis=7)


def test_masks_are_arrays_of_ours_and_indices_and_counts_are_plain():
    assert type(np.argmax(x)) is np.intp
    assert type(np.argsort(v)) is np.ndarray
    assert type(np.isclose(v, v)) is DimArray
    assert type(np.isin(v, v)) is DimArray
    assert type(np.count_nonzero(v)) is int or np.count_nonzero(v) == 4
    assert type(np.nonzero(v)[0]) is np.ndarray
    assert type(np.searchsorted(v, v)) is np.ndarray
    assert bool(np.all(v > DimArray(0.5, "m")))
    assert bool(np.all(v))
    assert np.shape(x) == (2, 3)
    assert np.ndim(x) == 2
    assert np.size(x) == 6
    assert np.result_type(x, np.float32) == np.float64
    assert np.iscomplexobj(x) is False


def test_integers_do_not_lose_fractions():
    for call in (
        lambda: np.sum(v, dtype=int),
        lambda: np.mean(v, dtype=int),
        lambda: np.astype(v, int),
        lambda: np.linspace(DimArray(0.0, "m"), DimArray(1.0, "m"), 5, dtype=int),
        lambda: np.round(v),
        lambda: np.around(v, 1),
        lambda: np.fix(v),
    ):
        with pytest.raises(UnitError):
            call()
    assert np.sum(DimArray(np.array([1, 2]), "m"), dtype=np.int32).dtype == np.int32


def test_another_librarys_array_gets_its_turn():
    class Other:
        def __array_function__(self, function, types, args, kwargs):
            return "other"

    assert np.concatenate([v, Other()]) == "other"
    assert np.concatenate([Other(), v]) == "other"

    class Helpless:
        def __array_function__(self, function, types, args, kwargs):
            return NotImplemented

    with pytest.raises(TypeError, match="no implementation"):
        np.concatenate([v, Helpless()])


def test_comparison_of_whole_arrays():
    km = v.to("km")
    assert np.array_equal(v, km) is True
    assert np.array_equiv(v, km) is True
    assert np.allclose(v, km) is True
    for other in (t, v.data, 1.0, "text"):
        assert np.array_equal(v, other) is False
        assert np.array_equiv(v, other) is False
    for other in (t, v.data, 1.0):
        for close in (np.isclose, np.allclose):
            with pytest.raises(
                DimensionError, match=r"(isclose|np\.allclose) needs arguments of one dimension"
            ):
                close(v, other)
    nan = DimArray([np.nan], "m")
    assert np.array_equal(nan, nan) is False
    assert np.array_equal(nan, nan, equal_nan=True)
    assert np.isclose(nan, nan, equal_nan=True).all()


def test_close_means_the_same_in_every_unit():
    small, other = DimArray([1e-12], "m"), DimArray([2e-12], "m")
    for unit in ("m", "nm", "km"):
        assert not np.isclose(small.to(unit), other).any()
        assert np.isclose(small.to(unit), other, atol=DimArray(1.0, "nm")).all()
    with pytest.raises(DimensionError):
        np.isclose(v, v, atol=1e-8)
    with pytest.raises(DimensionError):
        np.allclose(v, v, atol=DimArray(1.0, "s"))
    assert np.isclose(DimArray(1e-9, ""), 0).all()


def test_einsum_in_both_forms():
    a, b = DimArray(RAW, "m"), DimArray(RAW.T, "s")
    expected = RAW @ RAW.T
    for result in (
        np.einsum("ij,jk->ik", a, b),
        np.einsum(a, [0, 1], b, [1, 2], [0, 2]),
        np.einsum(a, [0, 1], b, [1, 2]),
        np.einsum("ij,jk", a, RAW.T * 1.0 * Unit("s"), optimize=True),
    ):
        assert result.unit == Unit("m*s")
        np.testing.assert_allclose(result.data, expected)
    assert np.einsum("ii", DimArray(np.eye(2), "m")).to_value("m") == 2
    with pytest.raises(PointError):
        np.einsum("i,i", celsius, celsius)


def test_apply_along_axis_gives_slices_with_units():
    seen = []

    def spread(row, factor):
        seen.append(row.unit)
        return factor * (np.max(row) - np.min(row))

    result = np.apply_along_axis(spread, 1, x, 2)
    assert set(seen) == {Unit("m")}
    np.testing.assert_array_equal(result.to_value("m"), [8, 8])
    for axis in (0, 1, -1):
        rows = np.apply_along_axis(lambda row: np.outer(row, row), axis, x)
        expected = np.apply_along_axis(lambda row: np.outer(row, row), axis, RAW)
        np.testing.assert_array_equal(rows.to_value("m**2"), expected)
    assert np.apply_along_axis(lambda row: int(np.argmax(row)), 1, x).tolist() == [1, 2]
    with pytest.raises(ValueError, match="length 0"):
        np.apply_along_axis(np.sum, 0, DimArray(np.zeros((2, 0)), "m"))
    with pytest.raises(ValueError, match="axes"):
        np.apply_over_axes(lambda a, axis: a[0, 0], x, [0])
    over = np.apply_over_axes(np.sum, x, [0, 1])
    assert over.shape == (1, 1)
    assert over.to_value("m") == 21


def test_piecewise():
    y = np.piecewise(
        v,
        [v > DimArray(3.0, "m"), v < DimArray(2.0, "m")],
        [lambda a: 2 * a, DimArray(1.0, "km"), 0],
    )
    np.testing.assert_array_equal(y.to_value("m"), [1000, 8, 0, 16])
    speed = np.piecewise(t, t.data > 2, [lambda a: DimArray(6.0, "m") / a, DimArray(0.0, "m/s")])
    assert speed.unit == Unit("m/s")
    with pytest.raises(UnitError):
        np.piecewise(v, [v.data > 3], [lambda a: a, lambda a: a * a])
    with pytest.raises(ValueError, match="1 or 2 functions"):
        np.piecewise(v, [v.data > 3], [1, 2, 3])


def test_select_and_choose():
    picked = np.select([v.data > 3, v.data > 1], [v, v.to("km")])
    np.testing.assert_allclose(picked.to_value("m"), [0, 4, 2, 8])
    with pytest.raises(DimensionError):
        np.select([v.data > 3], [v], default=1.0)
    with pytest.raises(PointError):
        np.select([[True, False, True]], [celsius])
    chosen = np.choose([0, 1, 1, 0], [v, DimArray([1.0] * 4, "km")])
    np.testing.assert_array_equal(chosen.to_value("m"), [1, 1000, 1000, 8])


def test_where_of_one_argument_gives_indices():
    assert [a.tolist() for a in np.where(v)] == [[0, 1, 2, 3]]
    assert np.where(v > DimArray(2.0, "m"))[0].tolist() == [1, 3]


def test_arrays_like_a_quantity():
    like = DimArray(0.0, "m")
    for made, shape in (
        (np.zeros(3, like=like), (3,)),
        (np.ones((2, 2), like=like), (2, 2)),
        (np.empty(2, like=like), (2,)),
        (np.eye(2, like=like), (2, 2)),
        (np.identity(2, like=like), (2, 2)),
        (np.tri(2, like=like), (2, 2)),
        (np.arange(3, like=like), (3,)),
        (np.array([1, 2], like=like), (2,)),
        (np.asarray([1, 2], like=like), (2,)),
        (np.fromiter([1.0, 2.0], float, like=like), (2,)),
        (np.frombuffer(b"\0" * 16, like=like), (2,)),
        (np.fromstring("1 2", sep=" ", like=like), (2,)),
        (np.fromfunction(lambda i: i, (2,), like=like), (2,)),
        (np.loadtxt(io.StringIO("1 2"), like=like), (2,)),
        (np.genfromtxt(io.StringIO("1 2"), like=like), (2,)),
        (np.require([1.0, 2.0], like=like), (2,)),
        (np.full(2, 5.0, like=like), (2,)),
    ):
        assert isinstance(made, DimArray)
        assert made.unit == Unit("")
        assert made.shape == shape
    made = np.array([v, v.to("km")], like=like)
    np.testing.assert_allclose(made.to_value("m"), [v.data, v.data])
    assert np.full(2, v[0], like=like).unit == Unit("m")
    assert np.fromfunction(lambda i: i * v[0], (2,), like=like).unit == Unit("m")
    spaced = np.arange(v[0], DimArray(0.004, "km"), v[0], like=like)
    np.testing.assert_allclose(spaced.to_value("m"), [1, 2, 3])
    with pytest.raises(UnitError, match="step"):
        np.arange(v[0], v[1], like=like)
    with pytest.raises(UnitError):
        np.asarray(v, dtype=int, like=like)
    with pytest.raises(UnitLossError):
        np.zeros(v, like=like)


def test_fromfile_like_a_quantity(tmp_path):
    np.arange(3.0).tofile(tmp_path / "numbers")
    assert np.fromfile(tmp_path / "numbers", like=v).data.tolist() == [0, 1, 2]


def test_even_spacing():
    values, step = np.linspace(DimArray(0.0, "m"), DimArray(1.0, "km"), 5, retstep=True)
    assert values.to_value("m").tolist() == [0, 250, 500, 750, 1000]
    assert step.to_value("m") == 250
    assert np.linspace(0, v[1], 3).unit == Unit("m")
    warm, step = np.linspace(celsius[0], DimArray(303.15, "K"), 3, retstep=True)
    np.testing.assert_allclose(warm.to_value("degC"), [10, 20, 30])
    assert step.unit == Unit("delta_degC")
    np.testing.assert_allclose(np.geomspace(v[0], v[3], 4).to_value("m"), [1, 2, 4, 8])
    np.testing.assert_allclose(np.logspace(DimArray(100.0, "%"), 2, 2).data, [10, 100])
    with pytest.raises(DimensionError):
        np.linspace(v[0], t[0])
    with pytest.raises(PureNumberError):
        np.logspace(v[0], v[1])


def test_polynomials_of_a_pure_variable():
    fit = np.polyfit([0.0, 1.0, 2.0], DimArray([1.0, 3.0, 5.0], "m"), 1)
    np.testing.assert_allclose(fit.to_value("m"), [2, 1])
    fit, spread = np.polyfit(np.arange(4.0), v, 1, cov=True)
    assert spread.unit == Unit("m**2")
    _, spread = np.polyfit(np.arange(4.0), v, 1, w=1 / v, cov="unscaled")
    assert spread.unit == Unit("m**2")
    with pytest.raises(UnsupportedFunction, match="unit of its own"):
        np.polyfit(t, v, 1)
    with pytest.raises(UnsupportedFunction, match="unit of its own"):
        np.polyval([1.0, 2.0], v)
    with pytest.raises(UnsupportedFunction, match="unit of its own"):
        np.vander(v)
    np.testing.assert_allclose(np.polyval(v, DimArray(200.0, "%")).to_value("m"), 36)
    np.testing.assert_allclose(np.roots(v).data, np.roots(v.data))


def test_texts():
    assert np.array2string(v) == "[1. 4. 2. 8.] m"
    assert np.array2string(v, separator=", ") == "[1., 4., 2., 8.] m"
    assert np.array2string(DimArray([1.0], "")) == "[1.]"
    assert np.array_repr(v) == repr(v)
    assert np.array_str(v) == str(v)
    assert np.array_str(v, precision=1).endswith(" m")
    assert "unit='m'" in np.array_repr(v, precision=1)


@pytest.mark.parametrize("save", [np.save, np.savetxt, np.savez, np.savez_compressed])
def test_files_of_numpy_store_no_unit(save, tmp_path):
    path = tmp_path / "x.npz"
    with pytest.raises(UnitLossError, match=r"dimflow\.save"):
        save(path, v)
    assert not path.exists()
    save(path, DimArray([50.0, 100.0], "%"))
    stored = np.loadtxt(path) if save is np.savetxt else None
    if stored is None:
        with path.with_suffix(".npz" if path.exists() else ".npz.npy").open("rb") as file:
            stored = np.load(file)
            stored = stored if isinstance(stored, np.ndarray) else stored["arr_0"]
    np.testing.assert_array_equal(stored, [0.5, 1])


def test_points_are_kept_where_values_are_picked_or_averaged():
    for result, expected in (
        (np.max(celsius), 30),
        (np.mean(celsius), 20),
        (np.median(celsius), 20),
        (np.sort(celsius)[0], 10),
        (np.concatenate([celsius, DimArray([300.0], "K")])[-1], 26.85),
        (np.unique(celsius)[0], 10),
        (np.quantile(celsius, 0.5), 20),
        (np.reshape(celsius, (3, 1))[0, 0], 10),
        (np.where([True, False, True], celsius, DimArray(0.0, "degC"))[1], 0),
    ):
        assert result.to_value("degC") == pytest.approx(expected)
    for result in (np.diff(celsius), np.std(celsius), np.ptp(celsius), np.ediff1d(celsius)):
        assert result.unit == Unit("delta_degC")
    for call in (np.sum, np.prod, np.cumsum, np.linalg.norm, np.nan_to_num):
        with pytest.raises(DimflowError):
            call(celsius)


def test_nan_to_num_says_what_infinities_become():
    y = DimArray([np.nan, np.inf, 1.0], "m")
    with pytest.raises(UnitError, match="posinf"):
        np.nan_to_num(y)
    kept = np.nan_to_num(y, posinf=np.inf, neginf=-np.inf)
    np.testing.assert_array_equal(kept.data, [0, np.inf, 1])
    top = np.nan_to_num(y, nan=DimArray(1.0, "km"), posinf=DimArray(2.0, "km"), neginf=0)
    np.testing.assert_array_equal(top.to_value("m"), [1000, 2000, 1])
    assert np.nan_to_num(DimArray([np.inf], "")).data == np.finfo(float).max
    with pytest.raises(DimensionError):
        np.nan_to_num(y, nan=1.0, posinf=0, neginf=0)


def test_views_stay_views():
    for view in (np.reshape(x, 6), np.transpose(x), np.ravel(x), np.swapaxes(x, 0, 1)):
        assert np.shares_memory(view, x)
    for part in (*np.split(v, 2), *np.array_split(v, 3), np.broadcast_to(v, (2, 4))):
        assert np.may_share_memory(part, v)
    assert not np.shares_memory(np.copy(v), v)


def test_containers_stay_what_they_are():
    for name in ("split", "array_split", "hsplit"):
        assert type(getattr(np, name)(v, 2)) is type(getattr(np, name)(v.data, 2))
    assert type(np.meshgrid(v, t)) is tuple
    assert [g.unit for g in np.meshgrid(v, t)] == [Unit("m"), Unit("s")]
    s = np.linalg.svd(x)
    assert s.S.unit == Unit("m")
    assert s.U.unit == Unit("")
    assert np.linalg.eigh(DimArray(np.eye(2), "m")).eigenvalues.unit == Unit("m")
    values, counts = np.unique_counts(v)
    assert values.unit == Unit("m")
    assert type(counts) is np.ndarray
    average, weight = np.average(v, weights=t, returned=True)
    assert (average.unit, weight.unit) == (Unit("m"), Unit("s"))


def test_lists_of_quantities():
    parts = [DimArray(1.0, "m"), DimArray(1.0, "km")]
    assert np.stack(parts).to_value("m").tolist() == [1, 1000]
    assert np.hstack([v[:1], v[:1].to("km")]).to_value("m").tolist() == [1, 1]
    assert sum(parts).to_value("m") == 1001
    assert max(parts) is parts[1]
    assert min(parts) is parts[0]
    ordered = sorted([parts[1], parts[0]])
    assert ordered[0] is parts[0]
    with pytest.raises(UnitLossError):
        np.asarray(parts)
    with pytest.raises(DimensionError, match="arrays"):
        np.concatenate([v, t])


@pytest.mark.parametrize("convert", [np.asarray, np.array, float, np.float64, math.sqrt, list])
def test_plain_numbers_come_from_pure_quantities_only(convert):
    length = DimArray(4.0, "m")
    with pytest.raises((UnitLossError, TypeError)) as error:
        convert(length)
    if convert is not list:
        assert "to_value('m')" in str(error.value)
        assert convert(DimArray(400.0, "%")) == convert(4.0)


def test_vectorized_functions_lose_no_unit():
    with pytest.raises(UnitLossError):
        np.vectorize(lambda a: a + 1)(v)


def test_indices_are_pure():
    with pytest.raises(UnitLossError):
        np.take(np.arange(3), v)
    with pytest.raises(DimflowError):
        np.take(v, v)
    assert np.take(v, DimArray(np.array([1]), "")).to_value("m") == 4
    with pytest.raises(DimflowError):
        np.bincount(v)
    with pytest.raises(DimflowError):
        np.repeat(v, DimArray(2, "m"))
    with pytest.raises(DimflowError):
        np.sum(v, axis=DimArray(0, "m"))


def test_edges_of_bins_have_their_own_unit():
    edges = DimArray([0.0, 300.0, 1000.0], "cm")
    counts, kept = np.histogram(v, bins=edges)
    np.testing.assert_array_equal(counts, np.histogram([1.0, 4, 2, 8], [0.0, 3, 10])[0])
    np.testing.assert_array_equal(kept.to_value("m"), [0.0, 3.0, 10.0])
    density, _ = np.histogram(v, edges, density=True)
    expected = np.histogram([1.0, 4, 2, 8], [0.0, 3, 10], density=True)[0]
    np.testing.assert_allclose(density.to_value("1/m"), expected)
    np.testing.assert_array_equal(np.histogram_bin_edges(v, edges).to_value("cm"), edges.data)
    np.testing.assert_array_equal(np.histogram(v, bins=DimArray(3, ""))[0], [2, 1, 1])
    with pytest.raises(UnitLossError):
        np.histogram(v, bins=DimArray(3, "m"))


def test_columns_of_a_joint_histogram_have_units_of_their_own():
    edges = [DimArray([0.0, 300.0, 1000.0], "cm"), DimArray([0.0, 0.05, 1.0], "min")]
    expected = np.histogramdd([v.data, t.data], [[0.0, 3, 10], [0.0, 3, 60]])[0]
    np.testing.assert_array_equal(np.histogramdd([v, t], bins=edges)[0], expected)
    np.testing.assert_array_equal(np.histogram2d(v, t, bins=edges)[0], expected)
