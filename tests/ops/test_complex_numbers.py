"""Derivatives of elementwise ops on complex numbers: right in every direction, or refused."""

import numpy as np
import pytest

from dimflow import DimArray, ops
from dimflow.errors import NotANumber
from dimflow.ops.rules.derivatives import Linear, Zero
from dimflow.units import Unit
from tests.contract.evaluate import leaves
from tests.contract.finite_differences import tangent_of

STEP = 1e-6
PARAMS = {"static_power": {"exponent": 3}, "angle": {"deg": True}}


def arguments(op, rng):
    """Complex numbers off the axes and off the unit circle, near the domain of the op."""
    return tuple(
        rng.uniform(i.low, i.high, 5) + 1j * rng.uniform(0.2, 0.4, 5) * rng.choice([-1, 1], 5)
        for i in op.domain
    )


def accepts_complex(op):
    try:
        op.run(arguments(op, np.random.default_rng(0)), parameters(op))
    except (TypeError, NotANumber):
        return False
    return True


def parameters(op):
    static = {n: p.default for n, p in op.signature.parameters.items() if n not in op.array_names}
    return static | PARAMS.get(op.name, {})


FAMILIES = {
    "arithmetic",
    "powers",
    "signs",
    "extremes",
    "complex_numbers",
    "floating_point",
    "exponentials",
    "trigonometry",
    "special",
    "bessel",
}
NAMES = sorted(
    name
    for name, op in ops.TABLE.items()
    if op.family in FAMILIES
    and op.kind == "elementwise"
    and not isinstance(op.derivative, Zero)
    and accepts_complex(op)
)


def test_there_are_many():
    assert {"abs", "sign", "angle", "conj", "exp", "sqrt", "array_power", "multiply"} <= {*NAMES}


@pytest.mark.parametrize(
    "name", [n for n in NAMES if n not in ("maximum", "minimum", "fmax", "fmin")]
)
def test_the_tangent_is_the_directional_derivative(name):
    op, rng = ops.get(name), np.random.default_rng(7)
    args, params = arguments(op, rng), parameters(op)
    tangents = tuple(rng.normal(size=5) + 1j * rng.normal(size=5) for _ in args)
    after, before = (
        op.run(tuple(x + s * STEP * t for x, t in zip(args, tangents, strict=True)), params)
        for s in (1, -1)
    )
    (got,) = leaves(tangent_of(op, tangents, args, params))
    np.testing.assert_allclose(got, (after - before) / (2 * STEP), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", [n for n in NAMES if isinstance(ops.get(n).derivative, Linear)])
def test_transposes_pair_without_conjugation(name):
    op, rng = ops.get(name), np.random.default_rng(8)
    args = arguments(op, rng)
    tangents = tuple(rng.normal(size=5) + 1j * rng.normal(size=5) for _ in args)
    out = op(*tangents)
    ct = rng.normal(size=5) + (1j * rng.normal(size=5) if np.iscomplexobj(out) else 0)
    back = op.derivative.transpose(ct, args, {})
    right = sum(np.sum(b * t) for b, t in zip(back, tangents, strict=True))
    assert np.sum(ct * out).real == pytest.approx(np.real(right))


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_complex_extremes_have_no_derivative(name):
    args = (np.array([1 + 1j]), np.array([2 - 1j]))
    with pytest.raises(TypeError):
        tangent_of(ops.get(name), args, args, {})


def test_the_parts_of_a_real_array_with_a_unit():
    x = DimArray([1.0, -2.0], "m")
    assert ops.real(x).unit == ops.imag(x).unit == Unit("m")
    assert ops.imag(x).tolist() == [0, 0]
    np.testing.assert_allclose(ops.angle(x).data, [0, np.pi])
    assert ops.real(DimArray([20.0], "degC")).unit == Unit("degC")
