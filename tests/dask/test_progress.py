"""A bar while Dask computes here; on a cluster it is tested in `cluster/`."""

import dask.array as da
import numpy as np
import pytest
from dask.diagnostics import Profiler, ProgressBar

from dimflow.dask import DaskDimArray
from dimflow.dask.progress import client_of, shown


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(np.arange(12.0), "km", chunks=3)


@pytest.mark.parametrize("scheduler", ["sync", "threads", None])
def test_compute_with_a_bar(
    x: DaskDimArray, scheduler: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    result = x.to("m").sum().compute(progress=True, scheduler=scheduler)
    assert (result.item(), str(result.unit)) == (66_000.0, "m")
    shown_text = capsys.readouterr().out
    assert "100% Completed" in shown_text
    assert shown_text.endswith("\n")


def test_persist_with_a_bar(x: DaskDimArray, capsys: pytest.CaptureFixture[str]) -> None:
    assert x.persist(progress=True).compute().tolist() == list(range(12))
    assert "100% Completed" in capsys.readouterr().out


def test_no_bar_unless_asked_for(x: DaskDimArray, capsys: pytest.CaptureFixture[str]) -> None:
    x.compute()
    x.persist()
    with shown(False, "threads") as scheduler:
        assert scheduler == "threads"
    assert capsys.readouterr().out == ""


def test_a_bar_goes_when_its_block_ends(
    x: DaskDimArray, capsys: pytest.CaptureFixture[str]
) -> None:
    with shown(True):
        da.ones(3).sum().compute()
    assert "Completed" in capsys.readouterr().out
    x.compute()
    assert capsys.readouterr().out == ""


def test_a_bar_ends_where_a_task_fails(x: DaskDimArray, capsys: pytest.CaptureFixture[str]) -> None:
    broken = DaskDimArray(x.data.map_blocks(lambda b: 1 // 0, dtype=float, meta=np.empty(0)), "m")
    with pytest.raises(ZeroDivisionError):
        broken.compute(progress=True)
    assert capsys.readouterr().out.endswith("\n")
    x.compute()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("scheduler", ["sync", "threads", "processes", None])
def test_there_is_no_cluster_here(scheduler: str | None) -> None:
    assert client_of(scheduler) is None


def test_dasks_own_bar_and_profilers_see_the_tasks(
    x: DaskDimArray, capsys: pytest.CaptureFixture[str]
) -> None:
    with ProgressBar(), Profiler() as profiler:
        x.sum().compute()
    assert "100% Completed" in capsys.readouterr().out
    assert len(profiler.results) > x.npartitions
