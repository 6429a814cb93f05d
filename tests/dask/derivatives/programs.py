"""Programs to differentiate, and what they are held against."""

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray
from dimflow.dask import DaskDimArray

RNG = np.random.default_rng(7)
FIELD = DimArray(RNG.uniform(0.5, 2.0, (6, 8)), "m")
WEIGHTS = DimArray(RNG.uniform(0.5, 2.0, 8), "kg")
METRE = DimArray(1.0, "m")
TABLE = DimArray(RNG.uniform(0.5, 2.0, (8, 3)), "s")  # a constant that is not lazy

PROGRAMS = {
    "squares": lambda x, w: (x**2 * w).sum(),
    "mean": lambda x, w: (x * w).mean(axis=0).sum(),
    "scaled mean": lambda x, w: (x * 3.0).mean() * w.sum(),
    "where": lambda x, w: dimflow.where(x > METRE, x * w, 0).sum(),
    "exp": lambda x, w: (dimflow.exp(x / METRE) * w).sum(),
    "matmul": lambda x, w: (x @ w).max(),
    "gram": lambda x, w: (x.T @ x).sum() * w.mean(),
    "constant matrix": lambda x, w: (x @ TABLE).sum() * w.sum(),
    "max": lambda x, w: (x * w).max(axis=1).sum(),
    "std": lambda x, w: (x * w).std(),
    "var": lambda x, w: (x * w).var(axis=1, ddof=1).sum(),
    "concat": lambda x, w: (dimflow.concat([x, x.to("km")], axis=1) ** 2).sum() * w.sum(),
    "stack": lambda x, w: (dimflow.stack([x, (2 * x).to("cm")]) ** 2 * w).sum(),
    "cumsum": lambda x, w: (x.cumsum(axis=1) * w).sum(),
    "slices": lambda x, w: (x[1:4, ::2] ** 2).sum() * w[-2],
    "steps back": lambda x, w: (x[::-2, -3] ** 2).sum() * w[::-1][0],
    "positions": lambda x, w: (x[:, [0, 3, 3]] ** 2).sum() * w[np.array([1, -1])].sum(),
    "reshape": lambda x, w: (x.reshape(48)[3:20] ** 2).sum() * w.sum(),
    "norm": lambda x, w: dimflow.linalg.norm(x) * dimflow.linalg.norm(w),
    "diff": lambda x, w: (dimflow.diff(x, axis=0) ** 2 * w).sum(),
    "roll": lambda x, w: (dimflow.roll(x, 1, axis=1) * x * w).sum(),
    "flip": lambda x, w: (dimflow.flip(x, axis=0) * x * w).sum(),
    "pad": lambda x, w: (dimflow.pad(x, 1) ** 2).sum() * w.sum(),
    "clip": lambda x, w: (dimflow.clip(x, 0.8 * METRE, 1.5 * METRE) * w).sum(),
    "units": lambda x, w: (x.to("km") ** 2 * w.to("g")).sum().to("m**2*kg"),
    "einsum": lambda x, w: dimflow.einsum("ij,j->i", x, w).sum(),
    "quotient": lambda x, w: (w / x).sum(),
    "powers": lambda x, w: (x**1.5).sum() * w.sum() ** 2,
    "ufuncs": lambda x, w: (np.sin(x / METRE) * np.sqrt(w)).sum(),
    "logsumexp": lambda x, w: dimflow.logsumexp(x / METRE, axis=1).sum() * w.sum(),
    "product": lambda x, w: x[:, :2].prod(axis=1).sum() * w.sum(),
}


def lazy_of(array, chunks):
    return DaskDimArray(array, chunks=chunks)


def assert_same(lazy, eager, chunks=None):
    """A lazy array with the unit and the numbers of an eager one."""
    assert type(lazy) is DaskDimArray
    assert lazy.unit == eager.unit
    if chunks is not None:
        assert lazy.chunks == chunks
    np.testing.assert_allclose(lazy.compute().data, eager.data, rtol=1e-9, atol=1e-12)


def tasks(*arrays):
    """The number of tasks that several arrays need together."""
    graph = {}
    for array in arrays:
        graph.update(array.__dask_graph__())
    return len(graph)


@st.composite
def cuts(draw, length):
    """Lengths of blocks that add up to a length."""
    ends = draw(st.sets(st.integers(1, length - 1), max_size=3))
    edges = [0, *sorted(ends), length]
    return tuple(b - a for a, b in pairwise(edges))


def cubes(x):
    return (x**3).sum()
