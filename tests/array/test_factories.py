"""zeros, arange, linspace and the other makers, with units."""

from typing import Any

import numpy as np
import pytest

import dimflow as df
from dimflow import DimArray, Unit, units
from dimflow.errors import DimensionError, PointError, UnitConversionError, UnitError


@pytest.mark.parametrize("make", [df.zeros, df.ones, df.empty])
def test_shapes_units_and_dtypes(make: Any) -> None:
    for shape in (3, (2, 3), (), (0,)):
        made = make(shape, "m/s", dtype="float32")
        assert made.shape == ((shape,) if isinstance(shape, int) else shape)
        assert made.unit is Unit("m/s")
        assert made.dtype == np.float32
    assert make(2).is_dimensionless
    assert make(2, backend="numpy", device="cpu").backend == "numpy"


def test_values() -> None:
    assert df.zeros(2, "m").tolist() == [0.0, 0.0]
    assert df.ones(2, "m").tolist() == [1.0, 1.0]
    assert df.full(2, 5, "m").tolist() == [5, 5]
    assert df.full(2, 5 * units.km).unit is Unit("km")
    assert df.full(2, 5 * units.km, "m").tolist() == [5000.0, 5000.0]
    assert df.full((), np.nan, "m").shape == ()
    assert df.eye(2, unit="kg").tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert df.identity(2, "kg").unit is Unit("kg")
    assert df.tri(2, unit="kg").tolist() == [[1.0, 0.0], [1.0, 1.0]]
    with pytest.raises(UnitConversionError):
        df.full(2, 5 * units.km, "s")


@pytest.mark.parametrize("step", ["K", "delta_degC"])
def test_the_step_of_points_is_a_difference(step: str) -> None:
    with pytest.raises(PointError, match=r"5 \* Unit\('delta_degC'\)"):
        df.arange(0 * units.degC, 10 * units.degC, 5 * units.degC)
    start, stop, by = DimArray(0, "degC"), DimArray(10, "degC"), DimArray(5, step)
    for found in (df.arange(start, stop, by), np.arange(start, stop, by, like=start)):
        assert found.unit is df.Unit("degC")
        assert found.tolist() == [0, 5]


@pytest.mark.parametrize("library", ["torch", "jax", "mlx", "array_api_strict"])
@pytest.mark.parametrize("dtype", [None, "float32"])
def test_makers_of_every_library_take_quantities(library: str, dtype: str | None) -> None:
    m, km = units.m, units.km
    for make, *args in (
        (df.arange, 3 * m),
        (df.arange, 0 * m, 3 * m, 1 * m),
        (df.arange, 0, 3 * km, 1000 * m),
        (df.arange, 1 * m, 0.004 * km, 0.5 * m),
        (df.arange, 0 * units.degC, 20 * units.degC, 5 * units.K),
        (df.linspace, 0 * m, 1 * km, 3),
        (df.full, (2, 2), 1.5 * m),
        (df.full, 3, np.float64(2.0) * m),
    ):
        made, plain = make(*args, dtype=dtype, backend=library), make(*args, dtype=dtype)
        assert made.backend == library
        assert made.unit is plain.unit
        np.testing.assert_allclose(made.to_numpy().data, plain.data, rtol=1e-6)


def test_arange() -> None:
    assert df.arange(3).tolist() == [0, 1, 2]
    assert df.arange(3, unit="s").unit is Unit("s")
    assert df.arange(1, 4, unit="s").tolist() == [1, 2, 3]
    assert df.arange(0 * units.m, 1 * units.km, 250 * units.m).tolist() == [0, 250, 500, 750]
    assert df.arange(0, 1 * units.km, 250 * units.m, "m").tolist() == [0, 250, 500, 750]
    assert df.arange(3 * units.s).unit is Unit("s")
    with pytest.raises(DimensionError):
        df.arange(0 * units.m, 10, 1)
    with pytest.raises(UnitConversionError):
        df.arange(0 * units.m, 10 * units.s)


def test_spaces() -> None:
    line = df.linspace(0 * units.m, 1 * units.km, 5)
    assert line.unit is Unit("m")
    assert line.tolist() == [0, 250, 500, 750, 1000]
    assert df.linspace(0, 1, 3, "s").tolist() == [0, 0.5, 1]
    assert df.linspace(0, 1 * units.s, 2, endpoint=False).tolist() == [0, 0.5]
    assert df.linspace(0 * units.degC, 10 * units.degC, 3).unit is Unit("degC")
    np.testing.assert_allclose(df.geomspace(1 * units.m, 1 * units.km, 4).data, [1, 10, 100, 1000])
    assert df.logspace(0, 2, 3, "Hz").tolist() == [1, 10, 100]
    with pytest.raises(UnitError, match="geomspace"):
        df.logspace(1 * units.m, 2 * units.m)
    with pytest.raises(PointError):
        df.geomspace(1 * units.degC, 2 * units.degC)
    with pytest.raises(PointError):
        df.linspace(1 * units.dBm, 2 * units.dBm)
    with pytest.raises(DimensionError):
        df.linspace(1 * units.m, 2)


def test_functions_of_indices() -> None:
    assert df.fromfunction(lambda i, j: i + j, (2, 2), "m").tolist() == [[0, 1], [1, 2]]
    assert df.fromfunction(lambda i: i * units.s, (2,)).unit is Unit("s")


def test_other_arrays() -> None:
    raw = np.arange(3.0)
    x = DimArray(raw, "m")
    assert df.asarray(x) is x
    assert df.convert_to_tensor(x) is x
    assert df.convert_to_tensor([1, 2], "m").unit is Unit("m")
    assert df.asarray(x, "cm").tolist() == [0, 100, 200]
    shared = df.from_dlpack(raw, "s")
    assert np.shares_memory(shared.data, raw)
    assert shared.unit is Unit("s")
    with pytest.raises(UnitError):
        df.from_dlpack(x)


def test_the_functions_of_the_table_are_functions_of_dimflow() -> None:
    assert df.hypot(3 * units.m, 400 * units.cm).item() == 5
    assert df.concatenate is df.concat
    assert "hypot" in dir(df)
    assert df.sin(np.pi / 2) == 1
    with pytest.raises(AttributeError):
        df.no_such_function  # noqa: B018


@pytest.mark.parametrize("library", ["numpy", "torch", "jax", "mlx", "array_api_strict"])
def test_full_takes_a_value_of_any_library(library):
    value = DimArray(np.float32([1.5]), "km").to_backend(library)[0]
    for made in (df.full((2,), value), value.__array_namespace__().full((2,), value)):
        assert made.backend == value.backend
        np.testing.assert_array_equal(np.asarray(made.to_numpy()) * 1000, [1500.0, 1500.0])
    np.testing.assert_array_equal(df.full(2, value, "m").to_numpy(), [1500.0, 1500.0])


ENDS = [2.0, DimArray(3.0), DimArray(50.0, "%"), *(DimArray(3.0, u) for u in ("m", "km", "rad"))]
ENDS += [DimArray(3.0, u) for u in ("deg", "degC", "dB", "delta_dB")]


@pytest.mark.parametrize("stop", ENDS, ids=repr)
@pytest.mark.parametrize("start", ENDS, ids=repr)
def test_makers_have_one_rule_with_those_of_numpy(start: Any, stop: Any) -> None:
    """A bare number is a pure number beside pure ones, and neither a length nor a level."""

    def outcome(make: Any) -> Any:
        try:
            made = DimArray(make(start, stop, 3))
        except UnitError:
            return None
        return made.to(made.unit.to_base()) if made.unit.law is None else made

    for name in ("linspace", "geomspace"):
        ours, wanted = outcome(getattr(df, name)), outcome(getattr(np, name))
        assert (ours is None) == (wanted is None), (name, ours, wanted)
        if ours is not None:
            np.testing.assert_allclose(ours.data, wanted.data, rtol=1e-12)


@pytest.mark.parametrize("library", ["torch", "jax", "mlx", "dask"])
def test_an_end_of_any_library(library: str) -> None:
    stop = DimArray(np.float32(2.0), "km").to_backend(library)
    for made in (df.linspace(0 * units.m, stop, 3), np.linspace(0 * units.m, stop, 3)):
        assert (made.backend, str(made.unit)) == (stop.backend, "m")
        np.testing.assert_allclose(made.to_numpy(), [0, 1000, 2000])
    assert df.linspace(0 * units.m, stop, 3, backend="numpy").backend == "numpy"
    with pytest.raises(UnitError):
        df.linspace(0 * units.s, stop)
    folded = np.add.reduce(DimArray(np.float32([1.0, 2.0]), "m").to_backend(library))
    assert (folded.backend, float(folded / units.m)) == (stop.backend, 3)
