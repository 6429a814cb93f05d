"""Batching: a batch of calls in one call gives what a loop over the calls gives."""

import numpy as np

from dimflow import ops
from dimflow.errors import MissingRule
from dimflow.ops import Op
from tests.contract.batches import batch_of, mixtures
from tests.contract.evaluate import assert_same, dtype_of, leaves, names, quietly, run
from tests.contract.samples import SEEDS, Case, cases, parametrized


@parametrized("batching", names("batching"))
def test_a_batch_is_a_loop(name: str) -> None:
    op = ops.get(name)
    for seed in SEEDS:
        for index in range(len(cases(name, seed))):
            batch = batch_of(name, index, seed)
            for dims in mixtures(batch):
                _check(op, batch, dims)


def _check(op: Op, batch: list[Case], dims: tuple[int | None, ...]) -> None:
    first = batch[0]
    args = tuple(
        a if d is None else np.stack([np.asarray(c.args[i]) for c in batch], axis=d)
        for i, (a, d) in enumerate(zip(first.args, dims, strict=True))
    )
    what = f"{first.label} batched along {dims}"
    try:
        result, out_dims = quietly(op.batching, op, args, dims, first.params)
    except MissingRule as error:
        refusal = error
    else:
        refusal = None
    if refusal is not None:
        assert refusal.hint, f"{op.name} does not say why it cannot be batched"
        return
    got = leaves(result)
    out_dims = list(out_dims) if isinstance(out_dims, (tuple, list)) else [out_dims] * len(got)
    assert len(out_dims) == len(got), what
    for k, case in enumerate(batch):
        mixed = tuple(
            a if d is None else case.args[i]
            for i, (a, d) in enumerate(zip(first.args, dims, strict=True))
        )
        expected = leaves(quietly(run, op, mixed, first.params))
        slices = [
            leaf if d is None else np.take(leaf, k, axis=d)
            for leaf, d in zip(got, out_dims, strict=True)
        ]
        assert_same(slices, expected, rtol=1e-10, what=f"{what}, slice {k}")
        dtypes = [[dtype_of(x) for x in r] for r in (slices, expected)]
        assert dtypes[0] == dtypes[1], f"{what}: {dtypes}"
