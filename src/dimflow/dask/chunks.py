"""How an array is cut into blocks, and other cuts of it."""

from collections.abc import Iterator
from typing import Any, Self

from dimflow.array import DimArray
from dimflow.backends.dask_blocks.lengths import blame_lengths, is_known, unknown_length
from dimflow.dask.small_blocks import warn_of_small_blocks


class Chunks(DimArray):
    """What only arrays in blocks have."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[Any, ...]:
        """The lengths of the axes; nan where one is known only with the data."""
        return self._raw.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> Any:
        """The dtype of the numbers."""
        return self._raw.dtype

    @property
    def chunks(self) -> tuple[tuple[int, ...], ...]:
        """The lengths of the blocks along each axis."""
        return self._raw.chunks  # type: ignore[no-any-return]

    @property
    def chunksize(self) -> tuple[int, ...]:
        """The lengths of the largest block."""
        return tuple(max(lengths) for lengths in self._raw.chunks)

    @property
    def numblocks(self) -> tuple[int, ...]:
        """The number of blocks along each axis."""
        return self._raw.numblocks  # type: ignore[no-any-return]

    @property
    def npartitions(self) -> int:
        """The number of blocks."""
        return self._raw.npartitions  # type: ignore[no-any-return]

    @property
    def name(self) -> str:
        """The name of the array's layer in the graph."""
        return self._raw.name  # type: ignore[no-any-return]

    @property
    def dask(self) -> Any:
        """The graph."""
        return self._raw.dask

    @property
    def blocks(self) -> Any:
        """The blocks by index: `x.blocks[0, :2]`."""
        return _View(self, self._raw.blocks)

    partitions = blocks

    @property
    def vindex(self) -> Any:
        """Elements at several arrays of positions at once: `x.vindex[rows, columns]`."""
        return _View(self, self._raw.vindex)

    def rechunk(self, chunks: Any = "auto", *args: Any, **kwargs: Any) -> Self:
        """The same numbers in other blocks."""
        try:
            raw = self._raw.rechunk(chunks, *args, **kwargs)
        except ValueError as error:
            blame_lengths("rechunk", (self._raw,), error)
            raise
        warn_of_small_blocks(raw)
        return self._like(raw, self._unit)

    def compute_chunk_sizes(self) -> Self:
        """Learn lengths that are known only with the data, which computes them."""
        self._raw.compute_chunk_sizes()
        return self

    def __len__(self) -> int:
        if not self.ndim or is_known(self._raw):
            return len(self._raw)
        raise unknown_length("len(x)", self._raw)

    def __iter__(self) -> Iterator[Self]:
        len(self)  # raises where it is not known
        return super().__iter__()


class _View:
    """Blocks or elements of an array by a way of indexing of Dask's."""

    __slots__ = ("_array", "_view")

    def __init__(self, array: DimArray, view: Any) -> None:
        self._array = array
        self._view = view

    def __getitem__(self, key: Any) -> Any:
        return self._array._like(self._view[key], self._array._unit)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of blocks along each axis."""
        return self._view.shape  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """The number of blocks."""
        return self._view.size  # type: ignore[no-any-return]

    def ravel(self) -> list[Any]:
        """Every block as an array."""
        unit = self._array._unit
        return [self._array._like(block, unit) for block in self._view.ravel()]
