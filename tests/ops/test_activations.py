"""Activations against their formulas and SciPy, over the whole range, with units."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from dimflow import DimArray, autodiff, ops
from dimflow.errors import PointError, PureNumberError, UnitError
from dimflow.units import Unit

X = np.concatenate([np.linspace(-12, 12, 481), [-700.0, 700.0, -1e5, 1e5]])
SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772

# Written from their definitions, with functions of SciPy.
TRUTH = {
    "relu": lambda x: np.where(x > 0, x, 0),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "elu": lambda x: np.where(x > 0, x, special.expm1(np.minimum(x, 0))),
    "celu": lambda x: np.where(x > 0, x, special.expm1(np.minimum(x, 0))),
    "selu": lambda x: SCALE * np.where(x > 0, x, ALPHA * special.expm1(np.minimum(x, 0))),
    "gelu": lambda x: x * special.ndtr(x),
    "silu": lambda x: x * special.expit(x),
    "mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "hardtanh": lambda x: np.clip(x, -1, 1),
    "relu6": lambda x: np.clip(x, 0, 6),
    "hard_sigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
    "hard_swish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "tanhshrink": lambda x: x - np.tanh(x),
    "softshrink": lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0),
    "hardshrink": lambda x: np.where(np.abs(x) > 0.5, x, 0),
}
HOMOGENEOUS = ("relu", "leaky_relu")


@pytest.mark.parametrize("name", TRUTH)
def test_an_activation_is_its_formula_without_overflow(name):
    actual = ops.get(name)(X)
    np.testing.assert_allclose(actual, TRUTH[name](X), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", TRUTH)
def test_nan_stays_nan_and_single_precision_stays(name):
    x = np.array([np.nan, 1.0, -1.0], "float32")
    result = ops.get(name)(x)
    assert np.isnan(result[0])
    assert result.dtype == np.float32
    np.testing.assert_allclose(result[1:], TRUTH[name](x[1:].astype(float)), rtol=1e-5)


@pytest.mark.parametrize("name", sorted(set(TRUTH) - {"gelu"}))
def test_the_slope_keeps_single_precision(name):
    op = ops.get(name)
    x = np.array([-0.7, 0.7, 4.0], "float32")
    params = {k: p.default for k, p in op.signature.parameters.items() if p.default is not p.empty}
    _, pull = autodiff.vjp(lambda x: (op(x, **params),), (x,))
    assert pull((np.ones_like(x),))[0].dtype == np.float32


@pytest.mark.parametrize("name", sorted(set(TRUTH) - set(HOMOGENEOUS)))
def test_an_activation_that_is_not_homogeneous_takes_pure_numbers(name):
    op = ops.get(name)
    percent = op(DimArray([50.0, -250.0], "percent"))
    np.testing.assert_allclose(percent.to_value(""), TRUTH[name](np.array([0.5, -2.5])))
    with pytest.raises(PureNumberError, match=r"_?".join(name.split("_"))):
        op(DimArray([1.0], "m"))


@pytest.mark.parametrize("name", HOMOGENEOUS)
def test_relu_keeps_any_unit_but_refuses_points(name):
    op = ops.get(name)
    x = DimArray([-2.0, 3.0], "km")
    assert op(x).unit == Unit("km")
    np.testing.assert_allclose(op(x.to("m")).to_value("km"), op(x).data)
    with pytest.raises(PointError):
        op(DimArray([1.0], "degC"))


def test_prelu_takes_slopes_without_unit():
    x = DimArray([-2.0, 3.0], "m")
    result = ops.prelu(x, DimArray([50.0, 50.0], "percent"))
    assert result.unit == Unit("m")
    np.testing.assert_allclose(result.data, [-1.0, 3.0])
    with pytest.raises(PureNumberError):
        ops.prelu(x, x)


@given(st.floats(0.1, 5.0), st.floats(-30.0, 30.0))
def test_parameters_are_used(a, x):
    assert ops.leaky_relu(x, a) == pytest.approx(x if x > 0 else a * x)
    assert ops.elu(x, a) == pytest.approx(x if x > 0 else a * np.expm1(x))
    assert ops.celu(x, a) == pytest.approx(x if x > 0 else a * np.expm1(x / a))
    assert ops.hardtanh(x, -a, 2 * a) == pytest.approx(min(max(x, -a), 2 * a))
    assert ops.softshrink(x, a) == pytest.approx(np.sign(x) * max(abs(x) - a, 0.0))
    assert ops.hardshrink(x, a) == pytest.approx(x if abs(x) > a else 0.0)


def test_gelu_is_near_its_approximation_and_knows_no_other():
    x = np.linspace(-5, 5, 101)
    gap = np.max(np.abs(ops.gelu(x) - ops.gelu(x, "tanh")))
    assert 1e-5 < gap < 1e-3
    t = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
    np.testing.assert_allclose(ops.gelu(x, "tanh"), 0.5 * x * (1 + t), atol=1e-14)
    with pytest.raises(UnitError, match="'sigmoid'"):
        ops.gelu(x, "sigmoid")


def test_glu_gates_the_first_half_by_the_second():
    x = np.random.default_rng(0).normal(size=(2, 6))
    np.testing.assert_allclose(ops.glu(x), x[:, :3] * special.expit(x[:, 3:]))
    with pytest.raises(ValueError, match=r"equal|divi"):
        ops.glu(np.ones(3))
