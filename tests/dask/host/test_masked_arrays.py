"""Arrays with holes: lazily by dask.array.ma, and what is computed from them.

The truth is np.ma's own for plain numbers. Numbers under a mask never come into a result.
"""

import copy
import pickle

import dask
import dask.array as da
import numpy as np
import pytest

from dimflow import ops
from dimflow.array import DimArray
from dimflow.backends import backend_of
from dimflow.dask import DaskDimArray
from dimflow.errors import BackendMismatch, DimflowError, NotANumber, UnitError, UnsupportedFunction
from dimflow.units import Unit
from tests.dask.conftest import nothing_runs

NUMBERS = np.array([[1.0, 4.0, 2.0], [8.0, 3.0, 5.0]])
HOLES = NUMBERS > 3.5
PLAIN = np.ma.MaskedArray(NUMBERS, HOLES)
x = da.ma.masked_greater(DaskDimArray(NUMBERS, "m", chunks=2), DimArray(350.0, "cm"))
eager = x.compute()


def same(found, wanted):
    assert isinstance(found, np.ma.MaskedArray) == isinstance(wanted, np.ma.MaskedArray)
    np.testing.assert_array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(wanted))
    np.testing.assert_allclose(np.ma.filled(found, -1.0), np.ma.filled(wanted, -1.0))


class TestLazily:
    def test_limits_carry_units(self):
        same(eager.to_value("m"), PLAIN)
        for limit in (DimArray(1.0, "s"), 3.5):
            for mask in (da.ma.masked_greater, da.ma.masked_less_equal, da.ma.masked_equal):
                with pytest.raises(DimflowError), nothing_runs():
                    mask(DaskDimArray(NUMBERS, "m"), limit)
        with pytest.raises(DimflowError), nothing_runs():
            da.ma.masked_inside(x, DimArray(1.0, "m"), DimArray(1.0, "s"))

    def test_points_on_a_scale(self):
        celsius = DaskDimArray(np.array([-5.0, 10.0, 30.0]), "degC", chunks=2)
        frost = da.ma.masked_less(celsius, DimArray(273.15, "K")).compute()
        assert frost.data.mask.tolist() == [True, False, False]

    @pytest.mark.parametrize("name", ["sum", "mean", "std", "var", "max", "min", "prod"])
    @pytest.mark.parametrize("axis", [None, 0, 1])
    def test_reductions_leave_holes_out(self, name, axis):
        powers = {"var": 2, "prod": NUMBERS.size if axis is None else NUMBERS.shape[axis]}
        with nothing_runs():
            found = getattr(x, name)(axis=axis)
        assert found.unit == Unit("m") ** powers.get(name, 1)
        same(found.compute().data, getattr(PLAIN, name)(axis=axis))

    def test_arithmetic_joins_holes(self):
        other = da.ma.masked_less(DaskDimArray(NUMBERS, "m", chunks=2), DimArray(1.5, "m"))
        with nothing_runs():
            results = [x + other, x * other, x / DimArray(2.0, "s"), x**2, -x, np.sqrt(x)]
        plain = np.ma.masked_less(NUMBERS, 1.5)
        wanted = [PLAIN + plain, PLAIN * plain, PLAIN / 2, PLAIN**2, -PLAIN, np.ma.sqrt(PLAIN)]
        for found, expected in zip(dask.compute(*results), wanted, strict=True):
            same(found.data, expected)

    def test_conversion_keeps_holes(self):
        same(x.to("cm").compute().data, PLAIN * 100)
        same((x + DimArray(1.0, "km")).compute().to_value("m"), PLAIN + 1000)

    def test_filling(self):
        with nothing_runs():
            filled = da.ma.filled(x, DimArray(1.0, "km"))
            zeros = da.ma.filled(x, 0)
        np.testing.assert_array_equal(filled.compute().to_value("m"), PLAIN.filled(1000.0))
        np.testing.assert_array_equal(zeros.compute().to_value("m"), PLAIN.filled(0.0))
        with pytest.raises(UnitError, match="1e20 in any unit"):
            da.ma.filled(x)
        with pytest.raises(UnitError):
            da.ma.filled(x, 1.0)
        with pytest.raises(NotANumber):
            da.ma.filled(x, DimArray([1.0, 2.0], "m"))
        assert da.ma.filled(x / DimArray(1.0, "m")).unit == Unit("")

    def test_a_filling_value_is_kept_in_place(self):
        y = da.ma.masked_greater(DaskDimArray(NUMBERS, "m", chunks=2), DimArray(3.5, "m"))
        assert da.ma.set_fill_value(y, DimArray(2.0, "km")) is None
        assert y.compute().data.fill_value == 2000
        with pytest.raises(UnitError):
            da.ma.set_fill_value(y, DimArray(2.0, "s"))

    def test_tolerances_carry_units(self):
        tiny = DaskDimArray(np.array([1e-9, 2e-9]), "m", chunks=1)
        near = da.ma.masked_values(tiny, DimArray(1.0, "nm"))
        assert near.compute().data.mask.tolist() == [True, False]
        wide = da.ma.masked_values(tiny, DimArray(1.0, "nm"), atol=DimArray(1.0, "nm"))
        assert wide.compute().data.mask.tolist() == [True, True]

    def test_questions_are_plain(self, lazy):
        assert type(da.ma.count(x)) is da.Array
        assert type(da.ma.getmaskarray(x)) is da.Array
        assert da.ma.getdata(x).unit == Unit("m")

    def test_averages(self):
        weights = DaskDimArray(NUMBERS, "kg", chunks=2)
        found, total = da.ma.average(x, weights=weights, returned=True)
        expected, plain = np.ma.average(PLAIN, weights=NUMBERS, returned=True)
        assert found.compute().to_value("m") == pytest.approx(expected)
        assert total.compute().to_value("kg") == pytest.approx(plain)

    def test_a_pickle_of_the_graph(self):
        same(pickle.loads(pickle.dumps(x)).compute().data, PLAIN)


class TestComputed:
    def test_holes_are_shown(self):
        assert repr(eager) == "DimArray([[1.0, --, 2.0],\n          [--, 3.0, --]], 'm')"
        assert str(eager[0]) == "[1.0 -- 2.0] m"
        assert f"{eager[0]:.2f}" == "[1.00 -- 2.00] m"
        assert str(eager[0, 1]) == "-- m"
        assert eager._repr_html_().count("--") == 3

    def test_parts(self):
        assert eager.backend == "numpy"
        assert eager.tolist() == PLAIN.tolist()
        same(eager[0].data, PLAIN[0])
        same(eager[:, 1:].data, PLAIN[:, 1:])
        same(eager[NUMBERS > 1.5].data, PLAIN[NUMBERS > 1.5])
        same(eager.T.data, PLAIN.T)
        same(eager.reshape(3, 2).data, PLAIN.reshape(3, 2))
        assert [bool(np.ma.is_masked(part.data)) for part in eager[0]] == [False, True, False]

    def test_copies_keep_holes(self):
        copies = [pickle.loads(pickle.dumps(eager, protocol)) for protocol in range(2, 6)]
        for other in (*copies, copy.copy(eager), copy.deepcopy(eager), eager.copy()):
            assert other.unit == Unit("m")
            same(other.data, PLAIN)
        assert not np.any(copies[0].data.data[HOLES]), "numbers under a mask leave the process"

    @pytest.mark.parametrize("name", ["sum", "mean", "std", "var", "max", "min", "prod", "cumsum"])
    @pytest.mark.parametrize("axis", [0, 1])
    def test_reductions_leave_holes_out(self, name, axis):
        same(getattr(eager, name)(axis=axis).data, getattr(PLAIN, name)(axis=axis))
        same(getattr(np, name)(eager, axis=axis).data, getattr(PLAIN, name)(axis=axis))

    def test_arithmetic_and_conversion(self):
        same((eager + eager.to("km")).to_value("m"), 2 * PLAIN)
        same((eager * DimArray(NUMBERS, "s")).data, PLAIN * NUMBERS)
        same((DimArray(NUMBERS, "s") * eager).data, PLAIN * NUMBERS)
        same((2 * eager).data, 2 * PLAIN)
        same(np.hypot(eager, eager).data, np.ma.hypot(PLAIN, PLAIN))
        same((eager > DimArray(1.5, "m")).data, PLAIN > 1.5)
        with pytest.raises(DimflowError):
            eager + DimArray(1.0, "s")

    def test_elementwise_ops_without_a_ufunc_look_under_no_mask(self):
        found = ops.erf(PLAIN)
        same(found, np.ma.MaskedArray(ops.erf(NUMBERS), HOLES))
        assert backend_of(found).name == "numpy.ma"

    def test_joined(self):
        same(np.concatenate([eager, eager.to("cm")]).data, np.ma.concatenate([PLAIN, PLAIN]))
        same(np.stack([eager, eager]).data, np.ma.stack([PLAIN, PLAIN]))

    def test_what_would_look_under_the_mask_is_refused(self):
        for call in (
            lambda: np.linalg.eigh(eager[:, :2]),
            lambda: np.fft.fft(eager),
            lambda: np.sort(eager, axis=0, stable=False, kind="heapsort"),
        ):
            with pytest.raises((UnsupportedFunction, NotANumber, DimflowError)):
                call()

    def test_other_libraries_have_no_holes(self):
        with pytest.raises(BackendMismatch):
            eager * DimArray(NUMBERS, "m", backend="jax")
        with pytest.raises(NotANumber):
            DimArray(PLAIN, "m")

    def test_assignment(self):
        y = eager.copy()
        y[0, 1] = DimArray(1.0, "km")
        assert y[0, 1].to_value("m") == 1000
        assert np.ma.is_masked(eager.data[0, 1])
