"""Whatever differentiates gives lazy arrays for lazy arrays."""

import dask
import numpy as np
import pytest

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.dask import DaskDimArray
from tests.dask.conftest import nothing_runs
from tests.dask.derivatives.programs import FIELD, METRE, RNG, assert_same, cubes, lazy_of


def one_scan(x):
    return dimflow.scan(lambda c, row: (c + (row**2).sum(),) * 2, DimArray(0.0, "m**2"), x)


def with_tape(x):
    with dimflow.GradientTape() as tape:
        x = tape.watch(x)
        y = cubes(x)
    return tape.gradient(y, x)


def with_backward(x):
    x = x.copy().requires_grad_()
    cubes(x).backward()
    return x.grad


@dimflow.custom_gradient
def tripled(x):
    return x**2, lambda ct: (3 * x * ct,)


def pulled(x):
    y, back = dimflow.vjp(lambda x: x**2 * u.kg, x)
    return back(y / y / y)[0]


TRANSFORMS = {
    "vjp": pulled,
    "jvp": lambda x: dimflow.jvp(lambda x: x**2, (x,), (2 * x,)),
    "linearize": lambda x: dimflow.linearize(lambda x: x**2, x)[1](x),
    "jacobian": lambda x: dimflow.jacobian(lambda v: v**2)(x[0]),
    "jacobian by columns": lambda x: dimflow.jacobian(lambda v: v**2, mode="forward")(x[0]),
    "hessian": lambda x: dimflow.hessian(cubes)(x[:, 0]),
    "hvp": lambda x: dimflow.hvp(cubes, (x,), (x,)),
    "third derivative": lambda x: dimflow.nth_derivative(lambda x: x**3, 3)(x),
    "divergence": lambda x: dimflow.divergence(lambda r: r**2)(x),
    "curl": lambda x: dimflow.curl(lambda r: r[::-1] ** 2)(x[:, :2]),
    "laplacian": lambda x: dimflow.laplacian(cubes)(x),
    "vmap": lambda x: dimflow.vmap(lambda row: (row**2).sum())(x),
    "gradients of rows": lambda x: dimflow.vmap(dimflow.grad(cubes))(x),
    "a gradient's gradient": lambda x: dimflow.grad(lambda x: (dimflow.grad(cubes)(x) ** 2).sum())(
        x
    ),
    "tape": with_tape,
    "backward": with_backward,
    "stop_gradient": lambda x: dimflow.grad(lambda x: (x * dimflow.stop_gradient(x)).sum())(x),
    "custom_gradient": lambda x: dimflow.grad(lambda x: tripled(x).sum())(x),
    "checkpoint": lambda x: dimflow.grad(lambda x: dimflow.checkpoint(lambda x: x**2)(x).sum())(x),
    "scan": one_scan,
    "a scan's gradient": lambda x: dimflow.grad(lambda x: one_scan(x)[0])(x),
    "map": lambda x: dimflow.map(lambda row: (row**2).sum(), x),
    "fori_loop": lambda x: dimflow.fori_loop(0, 3, lambda i, y: y * 2 + i * METRE, x),
    "a count of rounds": lambda x: dimflow.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, x)
    )[1],
    "cond": lambda x: dimflow.cond((x > 0.6 * METRE).all(), lambda x: x**2, lambda x: x**2 * 2, x),
    "a cond's gradient": lambda x: dimflow.grad(
        lambda x: dimflow.cond((x > 0.1 * METRE).all(), cubes, lambda x: 2 * cubes(x), x)
    )(x),
    "rows one by one": lambda x: dimflow.grad(lambda x: sum((row**3).sum() for row in x))(x),
    "points": lambda x: dimflow.grad(lambda t: ((t - DimArray(1.0, "degC")) ** 2).sum())(
        DimArray(x.data, "degC")
    ),
    "complex numbers": lambda x: dimflow.grad(lambda x: abs(x * (1 + 2j)).sum())(x),
}


def flat(found):
    return [f for part in found for f in flat(part)] if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("name", TRANSFORMS)
def test_what_else_differentiates_is_lazy_too(name):
    transform = TRANSFORMS[name]
    eager = flat(transform(FIELD))
    with nothing_runs():
        found = flat(transform(lazy_of(FIELD, (2, 4))))
    assert len(found) == len(eager)
    for one, wanted in zip(found, eager, strict=True):
        assert_same(one, wanted)


def test_points_have_gradients_by_differences():
    celsius = lazy_of(DimArray(RNG.uniform(0, 30, 10), "degC"), 5)
    gradient = dimflow.grad(lambda t: ((t - DimArray(15.0, "degC")) ** 2).mean())(celsius)
    assert gradient.unit == u.delta_degC
    np.testing.assert_allclose(gradient.compute().data, (celsius.compute().data - 15) / 5)


# A worked use: a field from blocks of data that need not fit into memory


def test_a_field_is_found_from_measurements():
    """Diffusivity and source of a rod, by gradient descent on lazy measurements."""
    rng = np.random.default_rng(3)
    place = DaskDimArray(np.linspace(0.0, 1.0, 2_000), "m", chunks=250)
    truth = DimArray(300.0, "K"), DimArray(40.0, "K/m"), DimArray(-25.0, "K/m**2")

    def profile(base, slope, bend, x):
        return base + slope * x + bend * x**2

    noise = DaskDimArray(rng.normal(0, 0.1, 2_000), "K", chunks=250)
    measured = profile(*truth, place) + noise

    def misfit(parameters):
        model = profile(*parameters, place)
        return (((model - measured) / DimArray(0.1, "K")) ** 2).mean()

    parameters = DimArray(290.0, "K"), DimArray(0.0, "K/m"), DimArray(0.0, "K/m**2")
    gradient = dimflow.grad(misfit)
    with nothing_runs():
        slopes = gradient(parameters)
        curved = dimflow.hessian(lambda *p: misfit(p), (0, 1, 2))(*parameters)
    assert [s.unit for s in slopes] == [p.unit**-1 for p in parameters]
    slopes, curved = dask.compute(slopes, curved)
    matrix = np.array([[c.data for c in row] for row in curved])
    step = np.linalg.solve(matrix, [s.data for s in slopes])  # the misfit is a parabola
    pairs = zip(parameters, step, strict=True)
    parameters = tuple(p - DimArray(float(s), p.unit) for p, s in pairs)
    for found, wanted in zip(parameters, truth, strict=True):
        assert abs((found - wanted).data) < 0.3
    assert float(misfit(parameters).compute()) == pytest.approx(1.0, abs=0.1)
