"""Files have no room for masks: they are filled first, or nothing is written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest

from dimflow.dask import DaskDimArray
from dimflow.errors import UnitError
from tests.dask.conftest import nothing_runs

WRITERS: dict[str, Callable[[Any, Path], Any]] = {
    "zarr": lambda x, path: x.to_zarr(path),
    "hdf5": lambda x, path: x.to_hdf5(path),
    "npy": lambda x, path: x.to_npy_stack(path),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_masked_numbers_are_refused_before_anything_is_written(tmp_path: Path, kind: str) -> None:
    x = DaskDimArray(da.ma.masked_greater(da.arange(4.0, chunks=2), 2), "m")
    with nothing_runs(), pytest.raises(UnitError, match="would lose which numbers are masked"):
        WRITERS[kind](x, tmp_path / "x")
    assert not (tmp_path / "x").exists()
    WRITERS[kind](DaskDimArray(da.ma.filled(x.data, -1.0), "m"), tmp_path / "x")


@pytest.mark.parametrize("kind", WRITERS)
def test_a_block_that_turns_out_masked_is_refused(tmp_path: Path, kind: str) -> None:
    raw = da.arange(4.0, chunks=2).map_blocks(
        lambda block: np.ma.masked_greater(block, 2), dtype=float, meta=np.empty(0)
    )
    with pytest.raises(UnitError, match="masked"):
        WRITERS[kind](DaskDimArray(raw, "m"), tmp_path / "x")


def test_store_refuses_them_too() -> None:
    x = DaskDimArray(da.ma.masked_greater(da.arange(4.0, chunks=2), 2), "m")
    with nothing_runs(), pytest.raises(UnitError, match="masked"):
        x.store(np.zeros(4), unit="m")
