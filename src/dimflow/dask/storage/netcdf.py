"""Variables of netCDF files: of the fourth version by h5netcdf, of the third by SciPy."""

import os
from typing import Any

import numpy as np

from dimflow.dask.storage.files import (
    Options,
    first_bytes,
    mappable,
    name_of_file,
    readable,
)
from dimflow.dask.storage.sources import Source, lazily, with_its_unit
from dimflow.errors import BackendNotInstalled, DimflowError, FileFormatError

_HDF5 = b"\x89HDF\r\n\x1a\n"
_CLASSIC = (b"CDF\x01", b"CDF\x02")


class NetcdfSource(Source):
    """A variable of a file."""

    __slots__ = ("_options", "_path", "_variable")

    def __init__(
        self, path: str, options: Options, variable: str, found: Any, dtype: Any, attrs: Any
    ) -> None:
        native, chunks = np.dtype(dtype).newbyteorder("="), getattr(found, "chunks", None)
        super().__init__(f"{path}:{variable}", found.shape, native, chunks, attrs)
        self._path = path
        self._options = options
        self._variable = variable

    def is_at(self, place: str) -> bool:
        """Any part of the file."""
        return os.path.realpath(self._path) == os.path.realpath(place)


class Netcdf4Source(NetcdfSource):
    """A variable of a file of netCDF 4, which is HDF5."""

    __slots__ = ()

    def read(self, key: Any) -> Any:
        """A part of the variable."""
        import h5netcdf

        with readable(self._path, self._options) as name, h5netcdf.File(name, "r") as file:
            found = file[self._variable]
            dtype = np.dtype(found.dtype).newbyteorder("=")
            self.ask_for_the_same(found.shape, dtype, found.attrs)
            return np.asarray(found[key], self.dtype)


class Netcdf3Source(NetcdfSource):
    """A variable of a file of netCDF 3."""

    __slots__ = ()

    def read(self, key: Any) -> Any:
        """A part of the variable, copied from a map of the file."""
        from scipy.io import netcdf_file

        with netcdf_file(mappable(self._path, self._options), "r", mmap=True) as file:
            variable = file.variables[self._variable]
            found, attrs = variable.data, variable._attributes
            try:
                self.ask_for_the_same(found.shape, found.dtype.newbyteorder("="), attrs)
                return np.array(found[key], self.dtype)
            finally:
                del found, variable  # the map is closed only when nobody looks into it


def read_netcdf(
    cls: Any, path: Any, variable: str | None, unit: Any, chunks: Any, options: Options
) -> Any:
    """A variable as a lazy array with its unit."""
    name = name_of_file(path, options)
    start = first_bytes(name, options, 8)
    if start == _HDF5:
        described = _described_4
    elif start[:4] in _CLASSIC:
        described = _described_3
    else:
        hint = "netCDF 4 is HDF5, and netCDF 3 begins with CDF" if start[:3] != b"CDF" else None
        raise FileFormatError(name, "it is of no version of netCDF that can be read here", hint)
    try:
        source, attrs = described(name, options, variable)
    except (DimflowError, MemoryError):
        raise
    except Exception as error:
        raise FileFormatError(name, f"it is damaged: {error!s:.200}") from error
    return with_its_unit(cls, lazily(source, chunks, "from-netcdf"), attrs, unit, source.place)


def _described_4(
    name: str, options: Options, variable: str | None
) -> tuple[NetcdfSource, dict[str, Any]]:
    try:
        import h5netcdf
    except ImportError:
        raise BackendNotInstalled("h5netcdf", "pip install 'dimflow[io]'") from None
    with readable(name, options) as place, h5netcdf.File(place, "r") as file:
        chosen = _chosen(name, variable, list(file.variables), file.dimensions)
        try:
            found = file[chosen]
        except KeyError:
            raise _unknown(name, chosen, list(file.variables)) from None
        if not hasattr(found, "dtype"):
            raise _unknown(name, chosen, list(file.variables))
        attrs = dict(found.attrs)
        return Netcdf4Source(name, options, chosen, found, found.dtype, attrs), attrs


def _described_3(
    name: str, options: Options, variable: str | None
) -> tuple[NetcdfSource, dict[str, Any]]:
    try:
        from scipy.io import netcdf_file
    except ImportError:
        raise BackendNotInstalled("scipy", "pip install scipy") from None
    with netcdf_file(mappable(name, options), "r", mmap=True) as file:
        chosen = _chosen(name, variable, list(file.variables), file.dimensions)
        if chosen not in file.variables:
            raise _unknown(name, chosen, list(file.variables))
        found = file.variables[chosen]
        attrs = dict(found._attributes)
        source = Netcdf3Source(name, options, chosen, found, found.data.dtype, attrs)
        del found  # the map is closed only when nobody looks into it
        return source, attrs


def _chosen(name: str, variable: str | None, names: list[str], dimensions: Any) -> str:
    """The variable of that name; the only one that is no coordinate if none is named."""
    if variable is not None:
        return variable
    found = [n for n in names if n not in dimensions]
    if len(found) != 1:
        hint = f"name one of: {', '.join(names[:10]) or 'none'}"
        raise FileFormatError(name, f"it has {len(found)} variables", hint)
    return found[0]


def _unknown(name: str, variable: str, names: list[str]) -> FileFormatError:
    listed = ", ".join(names[:10]) or "none"
    return FileFormatError(name, f"it has no variable {variable!r:.60}", f"there are: {listed}")
