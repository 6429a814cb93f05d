"""Arrays of PyTorch, JAX and MLX: how each contender makes one with a unit, and what is in it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.array_libraries import ARRAYS, FACTORS, Dimtensor, Saiunit
from benchmarks.libraries import Dimflow, Library
from benchmarks.race import WrongAnswer
from benchmarks.texts import Exponents

RAW = "raw"  # the same work without units
TOLERANCE = 1e-5  # single precision, which is what these libraries compute in


class Maker(NamedTuple):
    """A contender: its name, and how raw arrays become its own and back."""

    name: str
    library: Library | None  # None has no units
    make: Callable[[Any, Any], Any]
    parts: Callable[[Any], tuple[Any, Any]]

    def arrays(self, raw: dict[str, Any]) -> dict[str, Any]:
        """The arrays that statements name."""
        written = {name: text.split() for name, text in ARRAYS.items()}
        if self.library is None:
            return {name: raw[of] for name, (of, _) in written.items()}
        read = self.library.read
        return {name: self.make(raw[of], read(unit)) for name, (of, unit) in written.items()}

    def check(self, result: Any, values: Any, exponents: Exponents | None, work: str) -> None:
        """Raise WrongAnswer unless these are the values in SI units, of this dimension.

        None says that the library gives this result no unit.
        """
        scale: Any = 1.0
        raw = result
        if self.library is not None and exponents is not None:
            raw, unit = self.parts(result)
            scale, found = self.library.meaning(unit)
            if tuple(found) != exponents:
                raise WrongAnswer(f"{self.name}: {work} has {found}, not {exponents}")
        got = np.asarray(_plain(raw), np.float64) * float(scale)
        if got.shape != np.shape(values) or not np.allclose(got, values, rtol=TOLERANCE, atol=0):
            raise WrongAnswer(f"{self.name}: {work} is {got} in SI units, not {values}")


def _plain(raw: Any) -> Any:
    """Numbers that NumPy takes: tensors have to be detached."""
    return raw.detach() if hasattr(raw, "detach") else raw


def truth(raw: dict[str, Any]) -> dict[str, Any]:
    """The arrays in SI units, in double precision: the truth is computed with these, by NumPy."""
    arrays = {name: np.float64(raw[text.split()[0]]) for name, text in ARRAYS.items()}
    return arrays | {name: arrays[name] * factor for name, factor in FACTORS.items()}


def numbers(size: int) -> dict[str, Any]:
    """From 1 and from 2 on, in single precision."""
    steps = np.arange(size) / size
    return {"a": np.float32(1 + steps), "b": np.float32(2 + steps)}


def makers(backend: str) -> list[Maker]:
    """Ours first, the raw library second, then the peers that know its arrays."""
    from dimflow import DimArray

    raw = Maker(RAW, None, lambda data, unit: data, lambda x: (x, None))
    ours = Maker("dimflow", Dimflow(), DimArray, lambda x: (x.data, x.unit))
    if backend == "mlx":
        return [ours, raw]
    saiunit, dimtensor = Saiunit(), Dimtensor()
    quantity = saiunit.namespace["Quantity"]
    if backend == "torch":
        from dimtensor.torch import DimTensor as Theirs
    else:
        from dimtensor.jax import DimArray as Theirs
    return [
        ours,
        raw,
        Maker(
            "saiunit",
            saiunit,
            lambda data, unit: quantity(data, unit=unit),
            lambda x: (x.mantissa, x.unit),
        ),
        Maker("dimtensor", dimtensor, Theirs, lambda x: (x.data, x.unit)),
    ]


def converter(backend: str) -> Callable[[Any], Any]:
    """From NumPy's arrays to the library's own, in single precision."""
    if backend == "torch":
        import torch

        return lambda data: torch.tensor(data)
    if backend == "jax":
        import jax.numpy as jnp

        return jnp.asarray
    import mlx.core as mx

    return lambda data: mx.array(data)
