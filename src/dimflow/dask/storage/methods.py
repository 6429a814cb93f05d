"""What lazy arrays have for files, stores, Delayed values and data frames."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import dask
import numpy as np

from dimflow.array import DimArray
from dimflow.array.conversion import as_unit
from dimflow.array.dimarray import wrap
from dimflow.dask.storage import hdf5, netcdf, npy_stack, zarr, zarr_writing
from dimflow.dask.storage.delayed import read_delayed
from dimflow.dask.storage.storing import write_into
from dimflow.dask.storage.tables import read_frame, write_frame
from dimflow.errors import UnitError
from dimflow.units import Unit, decode, encode

Like = Unit | str | None


class Storage(DimArray):
    """Reading and writing. Files are opened in the tasks that read them, by their path.

    The unit is stored beside the numbers: `units` as the climate and forecast conventions (CF)
    have it, and `dimflow_unit`, which keeps the spelling. On reading it comes from there; a unit
    that is given converts it, or says what is not said. Packed numbers (`scale_factor`,
    `add_offset`, `_FillValue`) are unpacked as CF says.

    Writing runs at once, and `progress=True` shows a bar; with `compute=False` nothing is written
    until the Delayed that is returned is computed. Other options are for Dask's scheduler.

    What is overwritten stays until all of the new numbers are written beside it. If they cannot be
    computed it stays as it was, and nothing is left of them (but with `compute=False` a draft).
    """

    __slots__ = ()

    # zarr

    @classmethod
    def from_zarr(
        cls,
        url: Any,
        component: str | None = None,
        unit: Like = None,
        chunks: Any = None,
        storage_options: Mapping[str, Any] | None = None,
        *,
        missing: str | None = None,
    ) -> Self:
        """From an array of zarr's: a path, a URL of fsspec's, a store or an array that is open.

        `component` is the array in a group, `chunks` is what Dask takes, and the store's own
        without it. A chunk that is not in the store is an error for arrays that dimflow wrote, and
        zarr's fill value for all others; `missing="error"` or `"fill"` decides it.
        """
        if missing not in (None, "error", "fill"):
            raise UnitError(f"missing is 'error' or 'fill', not {missing!r:.40}")
        opened = zarr.opened_for_reading(url, component, storage_options)
        return zarr.read_zarr(cls, opened, unit, chunks, missing=missing)  # type: ignore[no-any-return]

    def to_zarr(
        self,
        url: Any,
        component: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
        region: Any = None,
        compute: bool = True,
        return_stored: bool = False,
        mode: str = "a",
        *,
        overwrite: bool = False,
        unit: Like = None,
        zarr_format: int | None = None,
        dims: Sequence[str] | None = None,
        attrs: Mapping[str, Any] | None = None,
        progress: bool = False,
        scheduler: Any = None,
        **kwargs: Any,
    ) -> Any:
        """To zarr: a path, a URL of fsspec's, a store, or an array that exists.

        `region` writes to a part of an array that exists, in the unit that it is stored in. An
        array that exists is replaced with `overwrite=True` (or Dask's `mode="w"`) alone.
        `unit` converts first, `dims` names the axes (for xarray), `attrs` are further attributes.
        With `return_stored=True` the result is a lazy array that reads what was written; with
        `compute=False` too, an array that is overwritten goes at once.
        All else is for `zarr.create_array`: `shards`, `compressors`, ... Blocks of unequal lengths
        are cut anew, since zarr has only equal ones.
        """
        if mode not in ("a", "w", "w-"):
            raise UnitError(f"to_zarr writes, so mode is 'a', 'w' or 'w-', not {mode!r:.40}")
        zarr_writing.refuse_memory_of_one_process(url, scheduler)
        overwrite = overwrite or mode == "w"
        running = _running(compute, progress, scheduler)
        x = self if unit is None else self.to(unit, copy=False)
        if region is not None or _is_open(url):
            if kwargs or overwrite or dims or attrs or zarr_format:
                raise UnitError("an array that exists keeps its format, chunks and attributes")
            writing = zarr_writing.planned_region(x, url, component, storage_options, region)
        else:
            writing = zarr_writing.planned_new(
                x,
                url,
                component,
                storage_options,
                overwrite=overwrite,
                zarr_format=zarr_format,
                dims=dims,
                attrs=attrs,
                creation=kwargs,
                may_wait=compute or not return_stored,
            )
        return zarr_writing.written(self, writing, return_stored, running)

    # Files

    @classmethod
    def from_hdf5(
        cls,
        path: Any,
        dataset: str | None = None,
        unit: Like = None,
        chunks: Any = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> Self:
        """From a dataset of an HDF5 file, which need not be named if it is the only one.

        The file is a path, or a URL of fsspec's. Without `chunks` they are those that dimflow
        wrote, else multiples of the dataset's own.
        """
        return hdf5.read_hdf5(  # type: ignore[no-any-return]
            cls, path, dataset, unit, chunks, storage_options
        )

    def to_hdf5(
        self,
        path: Any,
        dataset: str = "data",
        *,
        unit: Like = None,
        overwrite: bool = False,
        attrs: Mapping[str, Any] | None = None,
        lock: Any = True,
        compute: bool = True,
        progress: bool = False,
        scheduler: Any = None,
        **kwargs: Any,
    ) -> Any:
        """To a dataset of an HDF5 file, which may hold others: `overwrite` replaces this one alone.

        One block is written at a time: HDF5 cannot more, and `lock` sees to it. All else is for
        h5py's `create_dataset`: `compression`, ...
        """
        x = self if unit is None else self.to(unit, copy=False)
        running = _running(compute, progress, scheduler)
        return hdf5.write_hdf5(
            x,
            path,
            dataset,
            overwrite=overwrite,
            attrs=attrs,
            creation=kwargs,
            lock=lock,
            running=running,
        )

    @classmethod
    def from_netcdf(
        cls,
        path: Any,
        variable: str | None = None,
        unit: Like = None,
        chunks: Any = "auto",
        storage_options: Mapping[str, Any] | None = None,
    ) -> Self:
        """From a variable of a netCDF file, which need not be named if it is the only one.

        The file is a path, or a URL of fsspec's; netCDF 3 needs a copy: `simplecache::https://...`.
        """
        return netcdf.read_netcdf(  # type: ignore[no-any-return]
            cls, path, variable, unit, chunks, storage_options
        )

    @classmethod
    def from_npy_stack(cls, dirname: Any, unit: Like = None, axis: int | None = None) -> Self:
        """From a folder of `.npy` files. A stack of Dask's needs the unit, and its axis if not 0.

        Dask's own file `info` is a pickle, and is not opened.
        """
        return npy_stack.read_npy_stack(cls, dirname, unit, axis)  # type: ignore[no-any-return]

    def to_npy_stack(
        self,
        dirname: Any,
        axis: int = 0,
        *,
        overwrite: bool = False,
        compute: bool = True,
        progress: bool = False,
        scheduler: Any = None,
    ) -> Any:
        """To a folder of `.npy` files, one for each block along an axis, and a JSON file."""
        options = {} if scheduler is None else {"scheduler": scheduler}
        return npy_stack.write_npy_stack(
            self,
            dirname,
            axis,
            overwrite=overwrite,
            compute=compute,
            progress=progress,
            options=options,
        )

    def store(
        self,
        target: Any,
        lock: Any = True,
        regions: Any = None,
        compute: bool = True,
        return_stored: bool = False,
        *,
        unit: Like = None,
        progress: bool = False,
        **options: Any,
    ) -> Any:
        """Write into anything that takes parts of an array: in the unit of the target.

        A DimArray has one, and so has a dataset of zarr's or h5py's that says it; one that says
        none is told. A plain array needs `unit`, since it would be lost.
        """
        found = write_into(
            [self],
            [target],
            units=[unit],
            regions=None if regions is None else [regions],
            lock=lock,
            compute=compute,
            return_stored=return_stored,
            progress=progress,
            options=options,
        )
        return found[0] if return_stored else found

    # Delayed values and data frames

    @classmethod
    def from_delayed(
        cls,
        delayed_arrays: Any,
        unit: Like = None,
        shape: Any = (),
        dtype: Any = float,
        chunks: Any = None,
        meta: Any = None,
    ) -> Self:
        """From one Delayed, or from nested lists of them: a list for each axis that is cut.

        `shape` is that of the whole array. Blocks are of one length along an axis, unless `chunks`
        says their lengths. A block may be a DimArray, which is converted, and numbers are cast
        where nothing is lost; one of another dimension, shape or dtype is an error that names it
        when it is computed.
        """
        target = as_unit("" if unit is None else unit)
        return cls._made(  # type: ignore[attr-defined, no-any-return]
            read_delayed(delayed_arrays, target, shape, dtype, chunks, meta), target
        )

    def to_delayed(self, optimize_graph: bool = True) -> Any:
        """The blocks as Delayed values, each a DimArray in this unit."""
        made = dask.delayed(_block, pure=True)
        blocks = self._raw.to_delayed(optimize_graph)
        unit = encode(self._unit)
        for index in np.ndindex(blocks.shape):
            blocks[index] = made(blocks[index], unit)
        return blocks

    @classmethod
    def from_dask_dataframe(cls, frame: Any, unit: Any = None, lengths: Any = None) -> Any:
        """From a Series of Dask's; from a DataFrame, its columns by name.

        A column of dtype `dimflow[m/s]` brings its unit, all others are in `unit` (of a frame: a
        mapping of names to units). Lengths are known only with the data, unless they are given, or
        computed now with `lengths=True`.
        """
        return read_frame(cls, frame, unit, lengths)

    def to_dask_dataframe(self, columns: Any = None, index: Any = None) -> Any:
        """As a Series of Dask's, or a DataFrame of two axes, of the dtype `dimflow[...]`."""
        return write_frame(self, columns, index)


def store(
    sources: Any,
    targets: Any,
    lock: Any = True,
    regions: Any = None,
    compute: bool = True,
    return_stored: bool = False,
    *,
    unit: Any = None,
    progress: bool = False,
    **options: Any,
) -> Any:
    """Write several arrays in one go: a list of targets, and of units where they need one."""
    if isinstance(sources, DimArray):
        sources, targets, unit = [sources], [targets], [unit]
        regions = None if regions is None else [regions]
    units = list(unit) if isinstance(unit, (list, tuple)) else [unit] * len(sources)
    return write_into(
        list(sources),
        list(targets),
        units=units,
        regions=regions,
        lock=lock,
        compute=compute,
        return_stored=return_stored,
        progress=progress,
        options=options,
    )


def _running(compute: bool, progress: bool, scheduler: Any) -> dict[str, Any]:
    chosen = {} if scheduler is None else {"scheduler": scheduler}
    return {"compute": compute, "progress": progress, **chosen}


def _is_open(url: Any) -> bool:
    return type(url).__module__.partition(".")[0] == "zarr" and hasattr(url, "shape")


def _block(raw: Any, unit: str) -> DimArray:
    return wrap(raw, decode(unit))
