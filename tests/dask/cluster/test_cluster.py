"""A real cluster: units travel, errors come back whole, and a worker that dies changes nothing."""

import asyncio
import os
import pickle
import signal
import time
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import distributed
import numpy as np
import pytest
from distributed import Client, LocalCluster, as_completed, futures_of, wait

from dimflow import DimArray, Unit, units
from dimflow import units as u
from dimflow.dask import DaskDimArray
from dimflow.dask.progress import shown
from dimflow.errors import DimensionError, UnitLossError
from tests.dask.cluster.conftest import busy_worker

NUMBERS = np.arange(24.0).reshape(4, 6)


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(NUMBERS, "km", chunks=(2, 3))


def same(found: Any, numbers: Any, unit: str) -> None:
    assert type(found) is DimArray
    assert str(found.unit) == unit
    np.testing.assert_allclose(found.data, numbers, rtol=1e-14)


# What a client does with collections


def test_compute_runs_on_the_workers(client: Client, x: DaskDimArray) -> None:
    pids = da.map_blocks(
        lambda block: np.full(block.shape, os.getpid()), x.data, dtype=int, meta=np.empty((0, 0))
    )
    assert set(client.run(os.getpid).values()) >= set(np.unique((pids * u.m).compute().data))
    same((x.to("m") + 1 * u.m).compute(), NUMBERS * 1000 + 1, "m")


def test_client_compute(client: Client, x: DaskDimArray) -> None:
    future = client.compute(x + 1 * u.m)
    assert isinstance(future, distributed.Future)
    same(future.result(), NUMBERS + 0.001, "km")
    one, other, raw = client.gather(client.compute([x, x.sum(), x.data]))
    same(one, NUMBERS, "km")
    same(other, NUMBERS.sum(), "km")
    assert type(raw) is np.ndarray
    same(client.compute(x.mean(), sync=True), NUMBERS.mean(), "km")


def test_persist(client: Client, x: DaskDimArray) -> None:
    kept = client.persist(x.to("m"))
    assert type(kept) is DaskDimArray
    assert len(futures_of(kept)) == kept.npartitions == 4
    wait(kept)
    same((kept + 1 * u.km).sum().compute(), (NUMBERS * 1000 + 1000).sum(), "m")
    same(x.persist().compute(), NUMBERS, "km")
    (again,) = dask.persist(x)
    same(again.compute(), NUMBERS, "km")


def test_options_of_the_scheduler(client: Client, x: DaskDimArray) -> None:
    worker = next(iter(client.scheduler_info()["workers"]))
    same(x.compute(workers=[worker], retries=2, priority=5), NUMBERS, "km")


def test_delayed_and_mixed(client: Client, x: DaskDimArray) -> None:
    later = dask.delayed(lambda q: q.to("m"))(x)
    found, raw, moved = dask.compute({"a": x}, x.data, later)
    same(found["a"], NUMBERS, "km")
    assert type(raw) is np.ndarray
    same(moved, NUMBERS * 1000, "m")


def test_rechunking_between_workers(client: Client) -> None:
    numbers = np.arange(10_000.0).reshape(100, 100)
    x = DaskDimArray(numbers, "m", chunks=(10, 100)).rechunk((100, 10))
    same(x.to("km").compute(), numbers / 1000, "km")


def test_published_datasets(client: Client, x: DaskDimArray) -> None:
    client.publish_dataset(heights=x.persist())
    try:
        found = client.get_dataset("heights")
        assert type(found) is DaskDimArray
        same(found.compute(), NUMBERS, "km")
    finally:
        client.unpublish_dataset("heights")


def test_an_asynchronous_client(cluster: LocalCluster, x: DaskDimArray) -> None:
    async def run() -> Any:
        async with Client(cluster.scheduler_address, asynchronous=True) as client:
            kept = await client.persist(x)
            assert type(kept) is DaskDimArray
            return await client.compute(kept.to("m"))

    same(asyncio.run(run()), NUMBERS * 1000, "m")


# Futures of eager arrays


def test_submit_and_map(client: Client) -> None:
    q = DimArray([1.0, 2.0], "km")
    same(client.submit(lambda v: 2 * v, q).result(), [2.0, 4.0], "km")
    first = client.submit(lambda v: v.to("m"), q)
    same(client.submit(lambda v, w: v + w, first, q).result(), [2000.0, 4000.0], "m")
    moved = client.map(lambda v: v.to("cm"), [q, 2 * q])
    same(client.gather(moved)[1], [200_000.0, 400_000.0], "cm")
    done = {f.key: r for f, r in as_completed(moved, with_results=True)}
    assert len(done) == 2
    assert all(type(r) is DimArray and r.unit == u.cm for r in done.values())


def test_metres_and_seconds_have_futures_of_their_own(client: Client) -> None:
    """Equal numbers in two units are two arguments: their results are not mixed up."""
    ones = np.ones(3)
    metres, seconds = (client.submit(lambda v: 2 * v, ones * unit) for unit in (u.m, u.s))
    assert metres.key != seconds.key
    same(metres.result() * seconds.result(), [4.0] * 3, "m*s")


def test_scatter_and_gather(client: Client) -> None:
    q = DimArray(np.arange(100_000.0), "km")
    same(client.scatter(q, broadcast=True).result(), q.data, "km")
    found = client.gather(client.scatter({"a": q, "b": [1]}))
    same(found["a"], q.data, "km")
    future = client.scatter(q)
    assert (
        client.nbytes(summary=False)[future.key] >= q.nbytes
    )  # the scheduler knows how much it is
    changed = client.submit(_changed, future).result()
    same(changed[:2], [7.0, 1.0], "km")


def _changed(q: Any) -> Any:
    q[0] = 7 * u.km
    return q


def test_a_lazy_array_as_an_argument(client: Client, x: DaskDimArray) -> None:
    """As Dask's own arrays it arrives as it is, and may be computed there."""
    same(client.submit(lambda v: v.sum().compute(scheduler="sync"), x).result(), 276.0, "km")
    same(client.submit(lambda v: v.sum(), client.compute(x)).result(), 276.0, "km")


def test_run_on_every_worker(client: Client) -> None:
    found = client.run(lambda: DimArray([1.0], "km").to("m"))
    assert len(found) == 2
    for q in found.values():
        same(q, [1000.0], "m")


def test_variables_and_queues(client: Client) -> None:
    q = client.scatter(DimArray([1.0], "km"))
    variable = distributed.Variable("height", client=client)
    variable.set(q)
    same(variable.get().result(), [1.0], "km")
    queue = distributed.Queue("heights", client=client)
    queue.put(q)
    same(queue.get().result(), [1.0], "km")
    variable.delete()
    queue.close()


def test_a_unit_that_no_worker_has_heard_of(client: Client) -> None:
    """It travels with its definition: nothing is registered over there."""
    smoot = Unit("smoot", u.m.dimension, 1.7018)
    lazy = DaskDimArray(np.ones(4), smoot, chunks=2)
    same(lazy.sum().compute(), 4.0, "smoot")
    same(
        client.submit(lambda v: v.to("m"), DimArray([1.0, 2.0], smoot)).result(),
        [1.7018, 3.4036],
        "m",
    )
    with units.Registry() as mine:
        mine.define("bridge = 620.1 m")
        bridges = DaskDimArray(np.ones(4), "bridge", chunks=2)
        same((bridges.to("m") + bridges).sum().compute(), 4 * 2 * 620.1, "m")
        same(client.submit(lambda v: v + v, DimArray([1.0], "bridge")).result(), [2.0], "bridge")


# Errors


def _adds(q: Any) -> Any:
    return q + 1 * u.s


def test_an_error_of_a_task_comes_back_with_its_fields(client: Client) -> None:
    with pytest.raises(DimensionError, match="add needs arguments of one dimension") as caught:
        client.submit(_adds, DimArray([1.0], "km")).result()
    assert (str(caught.value.left), str(caught.value.right)) == ("km", "s")
    assert caught.value.operation == "add"


def test_an_error_in_one_block_stops_the_computation(client: Client, x: DaskDimArray) -> None:
    def check(block: Any) -> Any:
        if block.size and block.max() > 20:
            raise UnitLossError("a block", u.km)
        return block

    lazy = x.data.map_blocks(check, dtype=float, meta=np.empty((0, 0))) * u.km
    with pytest.raises(UnitLossError) as caught:
        lazy.sum().compute()
    assert caught.value.unit == u.km


def test_mistakes_are_found_before_the_cluster_hears_of_them(
    client: Client, x: DaskDimArray
) -> None:
    before = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
    with pytest.raises(DimensionError):
        x + DaskDimArray(NUMBERS, "s", chunks=(2, 3))
    assert client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) <= before


# Progress


def _slowly(block: Any) -> Any:
    time.sleep(0.05)
    return block


def slow(unit: str, blocks: int = 16) -> DaskDimArray:
    raw = da.arange(blocks * 10.0, chunks=10).map_blocks(_slowly, dtype=float, meta=np.empty(0))
    return DaskDimArray(raw, unit)


def test_a_bar_on_the_cluster(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    same((2 * slow("km")).sum().compute(progress=True), 25440.0, "km")
    shown = capsys.readouterr().out
    assert "100% Completed" in shown
    assert shown.endswith("\n")
    assert shown.count("\n") == 1


def test_a_bar_while_blocks_are_kept(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    kept = (3 * slow("km")).persist(progress=True)
    assert all(future.status == "finished" for future in futures_of(kept))
    shown = capsys.readouterr().out
    assert "100% Completed" in shown
    assert shown.count("\n") == 1


def test_the_clusters_own_bar(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    kept = (4 * slow("km", 4)).persist()
    distributed.progress(kept, notebook=False)
    assert "100% Completed" in capsys.readouterr().out


def test_a_bar_ends_where_a_task_fails(
    client: Client, capsys: pytest.CaptureFixture[str], x: DaskDimArray
) -> None:
    broken = x.data.map_blocks(lambda b: 1 // 0, dtype=float, meta=np.empty((0, 0))) * u.m
    with pytest.raises(ZeroDivisionError):
        broken.compute(progress=True)
    assert capsys.readouterr().out.endswith("\n")


def test_a_scheduler_given_by_hand_has_its_own_bar(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    same(slow("m", 4).sum().compute(progress=True, scheduler="threads"), 780.0, "m")
    assert "100% Completed" in capsys.readouterr().out
    same(slow("m", 4).sum().compute(progress=True, scheduler=client), 780.0, "m")
    assert "100% Completed" in capsys.readouterr().out


def test_no_bar_unless_asked_for(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    slow("m", 2).sum().compute()
    assert capsys.readouterr().out == ""


def test_a_worker_may_start_anew_behind_a_bar(client: Client) -> None:
    """It is sent Dask's configuration, so what stands there must be sent."""
    with shown(True):
        sent = pickle.dumps(dask.config.config)
    assert pickle.loads(sent)["scheduler"] == "distributed"


# A worker that dies


def test_a_worker_killed_in_the_middle_of_a_computation(client: Client) -> None:
    pids = client.run(os.getpid)
    lazy = (slow("km", 40).to("m") + 1 * u.m).sum()
    future = client.compute(lazy)
    victim = busy_worker(client)
    os.kill(pids[victim], signal.SIGKILL)
    same(future.result(timeout=60), (np.arange(400.0) * 1000 + 1).sum(), "m")
    assert victim not in client.scheduler_info()["workers"]


def test_blocks_lost_with_a_worker_are_computed_again(client: Client) -> None:
    kept = (5 * slow("km", 12)).persist()
    wait(kept)
    held = client.has_what()
    victim = max(held, key=lambda address: len(held[address]))
    assert held[victim]
    os.kill(client.run(os.getpid)[victim], signal.SIGKILL)
    result = kept.to("m").sum().compute(progress=True)  # a worker starts anew meanwhile
    same(result, 5000 * np.arange(120.0).sum(), "m")


# The example of the founding document


def test_the_distributed_example(client: Client, tmp_path: Path) -> None:
    """As written, but for the store, which is a folder here."""
    temperatures = np.linspace(250.0, 310.0, 600).reshape(20, 30)
    pressures = np.linspace(9e4, 1.1e5, 600).reshape(20, 30)
    for name, numbers, unit in [("temperature", temperatures, "K"), ("pressure", pressures, "Pa")]:
        DaskDimArray(numbers, unit, chunks=10).to_zarr(str(tmp_path / f"{name}.zarr"))

    temperature = DaskDimArray.from_zarr(str(tmp_path / "temperature.zarr"), unit=units.K)
    pressure = DaskDimArray.from_zarr(str(tmp_path / "pressure.zarr"), unit=units.Pa)
    R = 8.314 * units.J / (units.mol * units.K)
    density = pressure / (R * temperature)
    result = density.compute()

    np.testing.assert_allclose(
        result.to_value("mol/m**3"), pressures / (8.314 * temperatures), rtol=1e-12
    )
