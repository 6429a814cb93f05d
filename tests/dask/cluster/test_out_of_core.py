"""Arrays that no worker could hold: they are computed all the same, in blocks or from the disk."""

from collections.abc import Iterator
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster, wait

from dimflow import DimArray
from dimflow import units as u
from dimflow.dask import DaskDimArray

LIMIT = 500_000_000  # bytes of a worker, of which Python and the libraries take a third
BLOCK = 1_000_000  # numbers

pytestmark = pytest.mark.deep


@pytest.fixture
def small_workers(tmp_path: Path) -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            memory_limit=LIMIT,
            dashboard_address="127.0.0.1:0",
            local_directory=str(tmp_path),
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
        dask.config.set(scheduler="distributed"),
    ):
        yield client


@pytest.mark.usefixtures("small_workers")
def test_a_reduction_of_more_than_the_workers_hold() -> None:
    """Three gigabytes in workers of half a gigabyte each, converted on the way."""
    count = 400 * BLOCK
    heights = DaskDimArray(da.arange(count, chunks=BLOCK, dtype=float), "cm")
    assert heights.nbytes > 3 * 2 * LIMIT
    total, spread = dask.compute(heights.to("km").sum(), (heights + 1 * u.m).std())
    assert str(total.unit) == "km"
    np.testing.assert_allclose(total.data, count * (count - 1) / 2 * 1e-5, rtol=1e-9)
    assert str(spread.unit) == "cm"
    np.testing.assert_allclose(spread.data, np.sqrt((count**2 - 1) / 12), rtol=1e-9)


def test_blocks_that_are_kept_go_to_the_disk(small_workers: Client) -> None:
    """Kept blocks of more than the workers' memory are spilled, and read again."""
    count = 160 * BLOCK
    kept = (2 * DaskDimArray(da.arange(count, chunks=BLOCK, dtype=float), "m")).persist()
    assert kept.nbytes > 2 * LIMIT
    wait(kept)
    spilled = small_workers.run(lambda dask_worker: dask_worker.data.spilled_total.disk)
    assert sum(spilled.values()) > 0
    result = kept.to("km").sum().compute()
    assert str(result.unit) == "km"
    np.testing.assert_allclose(result.data, count * (count - 1) / 1000, rtol=1e-9)


def _filled(number: int) -> DimArray:
    return DimArray(np.full(5 * BLOCK, float(number)), "km")


def test_eager_arrays_that_are_kept_go_to_the_disk_too(small_workers: Client) -> None:
    """Workers know how large a DimArray is; else they would die of it."""
    futures = small_workers.map(_filled, range(36))
    wait(futures)
    assert {f.status for f in futures} == {"finished"}
    held = small_workers.nbytes(summary=False)
    assert min(held.values()) >= 5 * BLOCK * 8
    assert sum(held.values()) > 2 * LIMIT
    means = small_workers.gather(small_workers.map(lambda q: q.to("m").mean(), futures))
    assert [q.item() for q in means] == [1000.0 * n for n in range(36)]
    assert {str(q.unit) for q in means} == {"m"}
