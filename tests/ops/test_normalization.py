"""Softmax, norms and attention against SciPy and plain NumPy, with units."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from scipy.spatial import distance

from dimflow import DimArray, ops
from dimflow.errors import DimensionError, PureNumberError, ShapeMismatch
from dimflow.units import Unit

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.sampled_from([0, 1, -1, (0, 1)]), st.sampled_from([1.0, 1e3]))
def test_softmax_is_that_of_scipy(seed, axis, scale):
    x = np.random.default_rng(seed).normal(size=(3, 4)) * scale
    np.testing.assert_allclose(ops.softmax(x, axis), special.softmax(x, axis), atol=1e-14)
    np.testing.assert_allclose(ops.log_softmax(x, axis), special.log_softmax(x, axis), rtol=1e-12)


def test_softmax_takes_pure_numbers():
    result = ops.softmax(DimArray([100.0, 200.0], "percent"))
    np.testing.assert_allclose(result.to_value(""), special.softmax([1.0, 2.0]))
    with pytest.raises(PureNumberError, match="softmax"):
        ops.softmax(DimArray([1.0], "m"))


# Norms


def normed(x, axis, eps):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + eps)


@given(SEEDS, st.sampled_from([0, -1, (1, 2)]), st.sampled_from([0, 1e-5, 0.5]))
def test_layer_norm_leaves_mean_zero_and_variance_one(seed, axis, eps):
    x = np.random.default_rng(seed).normal(3.0, 2.0, size=(4, 3, 5))
    result = ops.layer_norm(x, axis, eps=eps)
    np.testing.assert_allclose(result, normed(x, axis, eps), atol=1e-12)
    if not eps:
        np.testing.assert_allclose(result.mean(axis), 0.0, atol=1e-12)
        np.testing.assert_allclose(result.var(axis), 1.0, atol=1e-12)


@given(SEEDS)
def test_the_other_norms_are_their_formulas(seed):
    rng = np.random.default_rng(seed)
    x, (weight, bias) = rng.normal(size=(2, 6, 5)), rng.normal(size=(2, 6))
    mean, var = rng.normal(size=6), rng.uniform(0.5, 2.0, 6)
    rms = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(ops.rms_norm(x), rms, atol=1e-12)
    groups = normed(x.reshape(2, 3, 10), -1, 1e-5).reshape(x.shape)
    groups = groups * weight[:, None] + bias[:, None]
    np.testing.assert_allclose(ops.group_norm(x, 3, weight, bias), groups, atol=1e-12)
    batch = (x - mean[:, None]) / np.sqrt(var[:, None] + 1e-5) * weight[:, None] + bias[:, None]
    np.testing.assert_allclose(ops.batch_norm(x, mean, var, weight, bias), batch, atol=1e-12)


def test_a_norm_has_the_unit_of_its_weight_and_none_of_x():
    x = DimArray([[1.0, 2.0, 4.0]], "m")
    plain = ops.layer_norm(x, eps=0)
    assert plain.is_dimensionless
    np.testing.assert_allclose(ops.layer_norm(x.to("km"), eps=0).data, plain.data)
    weight, bias = DimArray(2.0, "kg"), DimArray(500.0, "g")
    heavy = ops.layer_norm(x, weight=weight, bias=bias, eps=0)
    assert heavy.unit == Unit("kg")
    np.testing.assert_allclose(heavy.data, 2.0 * plain.data + 0.5)
    with pytest.raises(DimensionError):
        ops.layer_norm(x, bias=bias, eps=0)


@pytest.mark.parametrize(
    "call",
    [
        lambda x, **eps: ops.layer_norm(x, **eps),
        lambda x, **eps: ops.rms_norm(x, **eps),
        lambda x, **eps: ops.group_norm(x, 1, **eps),
        lambda x, **eps: ops.batch_norm(x, x[0], x[0] * x[0], **eps),
    ],
    ids=["layer_norm", "rms_norm", "group_norm", "batch_norm"],
)
def test_eps_has_the_square_of_the_unit(call, request):
    name = request.node.callspec.id
    x = DimArray([[1.0, 2.0, 4.0]], "m")
    with pytest.raises(DimensionError, match=f"{name}(.|\n)*eps(.|\n)*square of x's unit"):
        call(x)
    in_metres = call(x, eps=DimArray(0.25, "m**2"))
    in_centimetres = call(x.to("cm"), eps=DimArray(0.25, "m**2"))
    np.testing.assert_allclose(in_centimetres.to_value(""), in_metres.to_value(""), atol=1e-12)


def test_the_default_eps_counts_percent_as_hundredths():
    x = DimArray([[0.1, 0.2, 0.4]], "percent")
    np.testing.assert_allclose(
        ops.layer_norm(x).to_value(""), normed(x.data / 100, -1, 1e-5), rtol=1e-9
    )


def test_temperatures_may_be_normalized():
    t = DimArray([[10.0, 20.0, 40.0]], "degC")
    expected = normed(t.data, -1, 0)
    for unit in ("degC", "degF", "K"):
        np.testing.assert_allclose(ops.layer_norm(t.to(unit), eps=0).to_value(""), expected)
    result = ops.batch_norm(t, DimArray([32.0] * 3, "degF"), DimArray([4.0] * 3, "K**2"), eps=0)
    np.testing.assert_allclose(result.to_value(""), t.data / 2, atol=1e-12)


def test_channels_must_fit():
    x = np.ones((2, 6, 5))
    with pytest.raises(ShapeMismatch, match="4 equal groups"):
        ops.group_norm(x, 4)
    with pytest.raises(ShapeMismatch, match="weight: one value for each of 6"):
        ops.group_norm(x, 2, weight=np.ones(5))
    with pytest.raises(ShapeMismatch, match="mean: one value for each of 6"):
        ops.batch_norm(x, np.ones(5), np.ones(6))


# Likeness and attention


@given(SEEDS)
def test_cosine_similarity_is_that_of_scipy(seed):
    x, y = np.random.default_rng(seed).normal(size=(2, 5))
    assert ops.cosine_similarity(x, y) == pytest.approx(1 - distance.cosine(x, y))
    mixed = ops.cosine_similarity(DimArray(x, "m"), DimArray(y, "s"))
    assert mixed.is_dimensionless
    assert float(mixed) == pytest.approx(1 - distance.cosine(x, y))


def test_the_least_product_of_lengths_has_their_unit():
    x = DimArray([0.0, 0.0], "m")
    y = DimArray([3.0, 4.0], "s")
    assert float(ops.cosine_similarity(x, y, eps=DimArray(1.0, "m*s"))) == 0.0
    with pytest.raises(DimensionError):
        ops.cosine_similarity(x, y, eps=1e-8)


def attended(q, k, v, mask, scale):
    scores = q @ np.swapaxes(k, -1, -2) * scale + mask
    return special.softmax(scores, -1) @ v


@given(SEEDS)
def test_attention_is_its_formula(seed):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=(2, 4, 8)) for _ in range(3))
    added = rng.normal(size=(4, 4))
    seen = np.tri(4, dtype=bool)
    hidden = np.where(seen, 0.0, -np.inf)
    attention = ops.scaled_dot_product_attention
    half = 8**-0.5
    np.testing.assert_allclose(attention(q, k, v), attended(q, k, v, 0.0, half))
    np.testing.assert_allclose(attention(q, k, v, added), attended(q, k, v, added, half))
    np.testing.assert_allclose(attention(q, k, v, seen), attended(q, k, v, hidden, half))
    causal = attention(q, k, v, is_causal=True, scale=0.3)
    np.testing.assert_allclose(causal, attended(q, k, v, hidden, 0.3))


def test_attention_has_the_unit_of_values_and_scores_are_pure():
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(3, 4)) for _ in range(3))
    attention = ops.scaled_dot_product_attention
    result = attention(q, k, DimArray(v, "m"))
    assert result.unit == Unit("m")
    with_units = attention(
        DimArray(q, "V"), DimArray(k, "A"), DimArray(v, "m"), scale=DimArray(0.5, "1/W")
    )
    np.testing.assert_allclose(with_units.data, attention(q, k, v, scale=0.5))
    with pytest.raises(PureNumberError):
        attention(DimArray(q, "V"), k, v)
    with pytest.raises(ShapeMismatch, match="is_causal"):
        attention(q, k, v, np.ones((3, 3)), is_causal=True)
