"""Fourier transforms: the unit stays, frequencies have 1 over it; transposes in every norm."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import PointError, ShapeMismatch
from dimflow.units import Unit

NORMS = (None, "backward", "ortho", "forward")
ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")
TAKES_COMPLEX = {
    "fft",
    "ifft",
    "irfft",
    "hfft",
    "fft2",
    "ifft2",
    "irfft2",
    "fftn",
    "ifftn",
    "irfftn",
}

norms = st.sampled_from(NORMS)
seeds = st.integers(0, 10**6)


def drawn(seed: int, shape: Any, name: str) -> Any:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=shape)
    return x + 1j * rng.normal(size=shape) if name in TAKES_COMPLEX else x


# Units


@pytest.mark.parametrize("name", [*ONE_AXIS, *SEVERAL])
def test_the_unit_stays(name: str) -> None:
    x = drawn(1, (4, 6), name)
    result = ops.get(name)(DimArray(x, "km"))
    assert result.unit == Unit("km")
    expected = getattr(np.fft, name)(x)
    np.testing.assert_allclose(result.to_value("m"), 1000 * expected, atol=1e-9)


def test_a_note_is_found_at_its_frequency() -> None:
    step = DimArray(0.5, "ms")
    time = np.arange(400) * step
    signal = ops.sin(2 * np.pi * DimArray(50.0, "1/s") * time) * DimArray(3.0, "mV")
    spectrum = ops.abs(ops.rfft(signal, norm="forward"))
    frequencies = ops.rfftfreq(400, step)
    assert frequencies.unit == Unit("1/ms")
    peak = int(np.argmax(spectrum.data))
    assert float(frequencies[peak].to_value("Hz")) == pytest.approx(50.0)
    assert float(2 * spectrum.to_value("V")[peak]) == pytest.approx(0.003)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
@pytest.mark.parametrize("n", [1, 2, 7, 8])
def test_frequencies_have_one_over_the_unit_of_the_step(name: str, n: int) -> None:
    op, plain = ops.get(name), getattr(np.fft, name)
    np.testing.assert_allclose(op(n, DimArray(20.0, "cm")).to_value("1/m"), plain(n, 0.2))
    np.testing.assert_array_equal(op(n), plain(n))
    np.testing.assert_array_equal(op(n, d=0.1), plain(n, 0.1))
    assert not isinstance(op(n, 0.1), DimArray)
    with pytest.raises(ShapeMismatch, match="a step of no axes"):
        op.shape(((3,),), {"n": n})


@given(seeds, st.integers(1, 20), norms)
def test_energy_is_that_of_the_samples(seed: int, n: int, norm: Any) -> None:
    """Parseval, with units: the sum of squares over the factor of the norm."""
    x = DimArray(drawn(seed, n, "fft"), "V")
    factor = {None: n, "backward": n, "ortho": 1, "forward": 1 / n}[norm]
    there = ops.vdot(ops.fft(x, norm=norm), ops.fft(x, norm=norm)) / factor
    here = ops.vdot(x, x)
    np.testing.assert_allclose(there.to_value("V**2"), here.to_value("V**2"), rtol=1e-10)


@pytest.mark.parametrize("name", [*ONE_AXIS, *SEVERAL])
def test_points_have_no_sum(name: str) -> None:
    with pytest.raises(PointError, match="no meaning for points"):
        ops.get(name)(DimArray(np.ones((4, 4)), "degC"))


def test_shifted_points_are_points() -> None:
    x = DimArray([1.0, 2.0, 3.0], "degC")
    assert ops.fftshift(x).unit == Unit("degC")
    np.testing.assert_array_equal(ops.ifftshift(ops.fftshift(x)).data, x.data)


# There and back


@given(seeds, st.integers(2, 12), norms)
def test_every_transform_has_its_inverse(seed: int, n: int, norm: Any) -> None:
    z, x = drawn(seed, (2, n), "fft"), drawn(seed, (2, n), "rfft")
    np.testing.assert_allclose(ops.ifft(ops.fft(z, norm=norm), norm=norm), z, atol=1e-12)
    np.testing.assert_allclose(ops.irfft(ops.rfft(x, norm=norm), n=n, norm=norm), x, atol=1e-12)
    np.testing.assert_allclose(ops.hfft(ops.ihfft(x, norm=norm), n=n, norm=norm), x, atol=1e-12)


@given(seeds, st.sampled_from(ONE_AXIS), st.integers(1, 9), st.integers(0, 9), norms, st.data())
def test_definitions_and_shapes_are_numpys(
    seed: int, name: str, length: int, n: int, norm: Any, data: Any
) -> None:
    op, axis = ops.get(name), data.draw(st.sampled_from([0, 1, -1, -2]))
    shape = (length, 3) if axis in (0, -2) else (3, length)
    x = drawn(seed, shape, name)
    options = {"n": n or None, "axis": axis, "norm": norm}
    if not n and name in ("irfft", "hfft") and length == 1:
        return  # NumPy refuses a result of no length
    expected = getattr(np.fft, name)(x, **options)
    if op.definition:
        np.testing.assert_allclose(op.definition(x, **options), expected, atol=1e-12)
    if op.shape:
        assert op.shape((shape,), options) == expected.shape


@given(
    seeds,
    st.sampled_from(SEVERAL),
    st.sampled_from([(0, 1), (1, 2), (2, 0), (-1, -3), (1,), (0, 1, 2)]),
    st.booleans(),
    norms,
)
def test_several_axes_are_numpys(seed: int, name: str, axes: Any, sized: bool, norm: Any) -> None:
    x = drawn(seed, (3, 4, 5), name)
    s = (6, 2, 5)[: len(axes)] if sized else None
    expected = getattr(np.fft, name)(x, s, axes, norm)
    actual = ops.get(name).definition(x, s, axes, norm)
    np.testing.assert_allclose(actual, expected, atol=1e-12)


def test_lengths_must_fit_the_axes() -> None:
    with pytest.raises(ShapeMismatch, match="2 lengths"):
        ops.fftn.definition(np.ones((2, 2)), s=(2, 2, 2), axes=(0, 1))
    with pytest.raises(ShapeMismatch, match="a length n of 1 or more"):
        ops.fft.shape(((4,),), {"n": 0, "axis": 0, "norm": None})


# Transposes


@given(
    seeds,
    st.sampled_from(["fft", "ifft", "rfft", "irfft"]),
    st.integers(2, 9),
    st.integers(0, 9),
    norms,
    st.sampled_from([0, 1, -1]),
)
def test_transposes_pair_by_the_sum_of_products(
    seed: int, name: str, length: int, n: int, norm: Any, axis: int
) -> None:
    op = ops.get(name)
    shape = (length, 3) if axis == 0 else (3, length)
    x = drawn(seed, shape, name)
    params = {"n": n or None, "axis": axis, "norm": norm}
    out = op.run((x,), params)
    rng = np.random.default_rng(seed + 1)
    ct = rng.normal(size=out.shape)
    ct = ct + 1j * rng.normal(size=out.shape) if np.iscomplexobj(out) else ct
    (back,) = op.derivative.transpose(ct, (x,), params)
    assert back.shape == x.shape
    got, wanted = np.sum(back * x), np.sum(ct * out)
    if name == "irfft":  # real from complex: the real part pairs
        got = got.real
    np.testing.assert_allclose(got, wanted, atol=1e-11)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.float64, np.int16, np.bool_])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_dtypes_are_numpys(name: str, dtype: Any) -> None:
    x = np.ones(4, dtype)
    if name == "rfft" and x.dtype.kind == "c":
        return  # NumPy refuses them
    assert ops.get(name).dtype((x.dtype,), {}) == getattr(np.fft, name)(x).dtype


def test_the_cost_is_that_of_the_fast_algorithm() -> None:
    params = {"n": None, "axis": -1, "norm": None}
    assert ops.fft.cost(((3, 1024),), ((3, 1024),), params).flops == 3 * 5 * 1024 * 10
