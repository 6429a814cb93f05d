"""Arrays of Dask: how each contender makes one with a unit, and what is in its results."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.array_libraries import ARRAYS, FACTORS
from benchmarks.libraries import Dimflow, Library, Pint, Unyt
from benchmarks.race import WrongAnswer
from benchmarks.texts import Exponents

RAW = "raw"  # dask.array, the same work without units
TOLERANCE = 1e-12
_UNITS = {"metre": "m", "km": "km", "cm": "cm", "mm": "mm"}


class Maker(NamedTuple):
    """A contender: its name, and how arrays of Dask become its own and back."""

    name: str
    library: Library | None  # None has no units
    make: Callable[[Any, Any], Any]
    parts: Callable[[Any], tuple[Any, Any]]

    def arrays(self, raw: dict[str, Any]) -> dict[str, Any]:
        """The arrays that statements name, and the units."""
        written = {name: text.split() for name, text in ARRAYS.items()}
        if self.library is None:
            return {name: raw[of] for name, (of, _) in written.items()}
        read = self.library.read
        arrays = {name: self.make(raw[of], read(unit)) for name, (of, unit) in written.items()}
        return {**arrays, **{name: read(unit) for name, unit in _UNITS.items()}}

    def check(self, result: Any, values: Any, exponents: Exponents, work: str) -> None:
        """Raise WrongAnswer unless these are the values in SI units, lazy, of this dimension."""
        import dask

        if not dask.is_dask_collection(result):
            raise WrongAnswer(f"{self.name}: {work} was computed")
        raw, scale = result, 1.0
        if self.library is not None:
            raw, unit = self.parts(result)
            scale, found = self.library.meaning(unit)
            if tuple(found) != exponents:
                raise WrongAnswer(f"{self.name}: {work} has {found}, not {exponents}")
        got = np.asarray(raw.compute(scheduler="sync"), np.float64) * float(scale)
        if got.shape != np.shape(values) or not np.allclose(got, values, rtol=TOLERANCE, atol=0):
            raise WrongAnswer(f"{self.name}: {work} is {got} in SI units, not {values}")


def numbers(size: int) -> dict[str, Any]:
    """From 1 and from 2 on, so that nothing overflows, vanishes or is special."""
    steps = np.arange(size) / size
    return {"a": 1 + steps, "b": 2 + steps}


def in_blocks(size: int, blocks: int) -> dict[str, Any]:
    """The same numbers as arrays of Dask, each in so many blocks."""
    import dask.array as da

    chunk = -(-size // blocks)
    return {name: da.from_array(x, chunks=chunk, name=f"{name}-{size}-{blocks}")
            for name, x in numbers(size).items()}  # fmt: skip


def truth(size: int) -> dict[str, Any]:
    """The arrays in SI units: the truth is computed with these, by NumPy."""
    raw = numbers(size)
    arrays = {name: raw[text.split()[0]] for name, text in ARRAYS.items()}
    return arrays | {name: arrays[name] * factor for name, factor in FACTORS.items()}


def makers() -> list[Maker]:
    """Ours first, Dask itself second, then the peers that stay lazy."""
    from unyt.dask_array import unyt_from_dask

    from dimflow.dask import DaskDimArray

    pint, unyt = Pint(), Unyt()
    quantity = pint.namespace["ureg"].Quantity
    return [
        Maker("dimflow", Dimflow(), DaskDimArray, lambda x: (x.data, x.unit)),
        Maker(RAW, None, lambda data, unit: data, lambda x: (x, None)),
        Maker("pint", pint, quantity, lambda x: (x.magnitude, x.units)),
        Maker("unyt", unyt, unyt_from_dask, lambda x: (x.to_dask(), x.units)),
    ]
