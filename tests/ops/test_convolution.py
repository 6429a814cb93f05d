"""Convolution against plain loops, SciPy and NumPy, with units and with bad input."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from dimflow import DimArray, ops
from dimflow.errors import PointError, ShapeMismatch, UnitError
from dimflow.units import Unit

SEEDS = st.integers(0, 2**32 - 1)


def looped(x, weight, stride, pads, dilation, groups):
    """The definition of a convolution with channels, one product at a time."""
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    kernel, per_group = weight.shape[2:], weight.shape[0] // groups
    out = [
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)
    ]
    result = np.zeros((x.shape[0], weight.shape[0], *out))
    for n, o in itertools.product(range(x.shape[0]), range(weight.shape[0])):
        for place in itertools.product(*map(range, out)):
            for c, *at in itertools.product(*map(range, weight.shape[1:])):
                where = [
                    p * s + a * d for p, s, a, d in zip(place, stride, at, dilation, strict=True)
                ]
                channel = o // per_group * weight.shape[1] + c
                result[(n, o, *place)] += x[(n, channel, *where)] * weight[(o, c, *at)]
    return result


@st.composite
def convolutions(draw):
    """Everything that a small convolution of one or two axes of space may be called with."""
    rank = draw(st.integers(1, 2))
    groups = draw(st.integers(1, 3))

    def each(low, high):
        return tuple(draw(st.integers(low, high)) for _ in range(rank))

    kernel, dilation, stride = each(1, 3), each(1, 2), each(1, 3)
    pads = tuple((draw(st.integers(0, 2)), draw(st.integers(0, 2))) for _ in range(rank))
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    space = tuple(span + draw(st.integers(0, 4)) for span in spans)
    inner, outer = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    rng = np.random.default_rng(draw(SEEDS))
    x = rng.normal(size=(draw(st.integers(1, 2)), groups * inner, *space))
    weight = rng.normal(size=(groups * outer, inner, *kernel))
    return x, weight, {"stride": stride, "padding": pads, "dilation": dilation, "groups": groups}


@given(convolutions())
@settings(max_examples=40)
def test_a_convolution_is_what_the_loops_say(case):
    x, weight, params = case
    expected = looped(x, weight, *params.values())
    np.testing.assert_allclose(ops.conv(x, weight, **params), expected, atol=1e-12)


@given(convolutions())
def test_the_three_convolutions_are_transposes_of_each_other(case):
    """<y, conv(x, w)> = <conv_transpose(y, w), x> = <conv_weight_grad(x, y), w>."""
    x, weight, params = case
    out = ops.conv(x, weight, **params)
    y = np.cos(np.arange(out.size)).reshape(out.shape)
    by_x, by_weight = (ops.conv.derivative.transposes[i](y, (x, weight), params) for i in (0, 1))
    assert by_x.shape == x.shape
    assert by_weight.shape == weight.shape
    product = np.sum(y * out)
    np.testing.assert_allclose(np.sum(by_x * x), product, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.sum(by_weight * weight), product, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("mode", ["same", "valid"])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_conv_is_the_correlation_of_scipy(mode, rank):
    rng = np.random.default_rng(rank)
    x, weight = rng.normal(size=(5, 6, 7)[:rank]), rng.normal(size=(3, 3, 3)[:rank])
    actual = ops.conv(x[None, None], weight[None, None], padding=mode)
    np.testing.assert_allclose(actual[0, 0], signal.correlate(x, weight, mode), atol=1e-12)


@given(SEEDS, st.integers(1, 3), st.integers(1, 4), st.integers(0, 2))
def test_conv_transpose_is_the_convolution_of_spread_out_values(seed, stride, kernel, extra):
    rng = np.random.default_rng(seed)
    extra = min(extra, stride - 1)
    x, weight = rng.normal(size=5), rng.normal(size=kernel)
    spread = np.zeros(4 * stride + 1)
    spread[::stride] = x
    expected = np.concatenate([np.convolve(spread, weight), np.zeros(extra)])
    actual = ops.conv_transpose(
        x[None, None], weight[None, None], stride=stride, output_padding=extra
    )
    np.testing.assert_allclose(actual[0, 0], expected, atol=1e-12)


@given(SEEDS, st.integers(1, 7), st.integers(1, 7), st.sampled_from(["full", "same", "valid"]))
def test_the_definition_of_correlate_and_the_transposes_of_convolve(seed, n, m, mode):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n) + 1j * rng.normal(size=n), rng.normal(size=m) + 1j
    np.testing.assert_allclose(
        ops.correlate.definition(x, y, mode), np.correlate(x, y, mode), atol=1e-12
    )
    out = ops.convolve(x, y, mode)
    np.testing.assert_allclose(out, np.convolve(x, y, mode), atol=1e-12)
    ct = rng.normal(size=out.shape)
    for i, value in enumerate((x, y)):
        back = ops.convolve.derivative.transposes[i](ct, (x, y), {"mode": mode})
        np.testing.assert_allclose(np.sum(back * value), np.sum(ct * out), atol=1e-9)


@pytest.mark.parametrize("op", [ops.convolve, ops.correlate])
def test_units_of_signals_multiply(op):
    x, y = DimArray([1.0, 2.0, 3.0], "km"), DimArray([1.0, 1.0], "s")
    assert op(x, y).unit == Unit("km*s")
    np.testing.assert_allclose(op(x.to("m"), y).to_value("km*s"), op(x, y).data)
    with pytest.raises(PointError):
        op(DimArray([1.0, 2.0], "degC"), y)


def test_units_of_images_multiply_and_derivatives_are_homogeneous():
    x = DimArray(np.ones((1, 1, 5)), "V")
    weight = DimArray(np.ones((1, 1, 2)), "mA/V")
    out = ops.conv(x, weight)
    np.testing.assert_allclose(out.to_value("A"), np.full((1, 1, 4), 0.002))
    params = {"stride": 1, "padding": 0, "dilation": 1, "groups": 1}
    ct = DimArray(np.ones((1, 1, 4)), "J/A")
    by_x, by_weight = (ops.conv.derivative.transposes[i](ct, (x, weight), params) for i in (0, 1))
    assert by_x.unit.dimension == Unit("J/V").dimension
    assert by_weight.unit.dimension == Unit("J*V/A").dimension


@pytest.mark.parametrize("dtype", ["float32", "int32", "complex64"])
def test_the_dtype_is_kept(dtype):
    x, weight = np.ones((2, 1, 6), dtype), np.ones((1, 1, 3), dtype)
    assert ops.conv(x, weight).dtype == dtype
    assert ops.conv_transpose(x, weight).dtype == dtype
    assert ops.conv_weight_grad(x, np.ones((2, 1, 4), dtype), kernel_size=3).dtype == dtype


def test_many_images_are_convolved_a_few_at_a_time(monkeypatch):
    from dimflow.backends.numpy_kernels import convolution

    rng = np.random.default_rng(0)
    x, weight = rng.normal(size=(7, 2, 9)), rng.normal(size=(3, 2, 3))
    y = rng.normal(size=(7, 3, 7))
    whole = ops.conv(x, weight), ops.conv_weight_grad(x, y, kernel_size=3)
    monkeypatch.setattr(convolution, "_COLUMNS", 100)
    parts = ops.conv(x, weight), ops.conv_weight_grad(x, y, kernel_size=3)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_no_images_at_all():
    assert ops.conv(np.ones((0, 2, 5)), np.ones((3, 2, 2))).shape == (0, 3, 4)
    assert ops.conv_transpose(np.ones((0, 2, 5)), np.ones((2, 3, 2))).shape == (0, 3, 6)
    grad = ops.conv_weight_grad(np.ones((0, 2, 5)), np.ones((0, 3, 4)), kernel_size=2)
    np.testing.assert_array_equal(grad, np.zeros((3, 2, 2)))


IMAGE, WEIGHT = np.ones((1, 4, 6)), np.ones((2, 4, 3))


@pytest.mark.parametrize(
    ("args", "params", "message"),
    [
        ((np.ones((4, 6)), WEIGHT), {}, r"\(N, C, \*space\)"),
        ((np.ones((1, 3, 6)), WEIGHT), {}, "4 channels"),
        ((IMAGE, WEIGHT), {"groups": 2}, "8 channels"),
        ((IMAGE, np.ones((3, 2, 3))), {"groups": 2}, "2 equal groups"),
        ((IMAGE, WEIGHT), {"groups": 0}, "from 1"),
        ((IMAGE, WEIGHT), {"stride": 0}, "stride: an integer from 1"),
        ((IMAGE, WEIGHT), {"stride": (1, 1)}, "or 1 of them"),
        ((IMAGE, WEIGHT), {"stride": 1.5}, "stride"),
        ((IMAGE, WEIGHT), {"dilation": -1}, "dilation"),
        ((IMAGE, WEIGHT), {"padding": -1}, "padding"),
        ((IMAGE, WEIGHT), {"padding": ((1, 1), (1, 1))}, "1 pairs"),
        ((IMAGE, WEIGHT), {"padding": "full"}, "'same' and 'valid'"),
        ((IMAGE, WEIGHT), {"padding": "same", "stride": 2}, "stride of 1"),
        ((IMAGE, WEIGHT), {"dilation": 4}, "at least 9"),
    ],
)
def test_conv_says_what_does_not_fit(args, params, message):
    with pytest.raises((ShapeMismatch, UnitError), match=message):
        ops.conv(*args, **params)


@pytest.mark.parametrize(
    ("op", "args", "params", "message"),
    [
        (ops.conv_transpose, (IMAGE, WEIGHT), {}, "2 channels"),
        (ops.conv_transpose, (IMAGE, np.ones((4, 2, 3))), {"output_padding": 1}, "below the str"),
        (ops.conv_transpose, (IMAGE, np.ones((4, 2, 3))), {"padding": 9}, "some space"),
        (ops.conv_weight_grad, (IMAGE, np.ones((1, 2, 9))), {"kernel_size": 3}, "y of space"),
        (ops.conv_weight_grad, (IMAGE, np.ones((2, 2, 4))), {"kernel_size": 3}, "as many images"),
        (
            ops.conv_weight_grad,
            (IMAGE, np.ones((1, 3, 4))),
            {"kernel_size": 3, "groups": 2},
            "groups",
        ),
        (
            ops.convolve.derivative.transposes[0],
            (np.ones(3), (np.ones(0), np.ones(3))),
            None,
            "one ele",
        ),
    ],
)
def test_its_transposes_say_what_does_not_fit(op, args, params, message):
    with pytest.raises(ShapeMismatch, match=message):
        op(*args, {"mode": "full"}) if params is None else op(*args, **params)


def test_shapes_may_be_unknown():
    params = {"stride": 2, "padding": 1, "dilation": 1, "groups": 1}
    assert ops.conv.shape(((None, 3, None, 8), (5, 3, 3, 3)), params) == (None, 5, None, 4)
    shape = ops.conv_transpose.shape(((None, 3, None), (3, 5, 3)), {**params, "output_padding": 1})
    assert shape == (None, 5, None)
    assert ops.convolve.shape(((None,), (3,)), {"mode": "full"}) == (None,)
