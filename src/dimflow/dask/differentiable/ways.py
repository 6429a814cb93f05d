"""The two ways through a function of blocks, as functions of blocks: one task each, as it is."""

from collections.abc import Callable, Sequence
from typing import Any

from dimflow import ops
from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.dask.blocks.call import OfFunction
from dimflow.transforms.derivatives import jvp, vjp
from dimflow.units import Unit


class InUnit(OfFunction):
    """A user's function of blocks, by some of its arguments, its result in the unit planned.

    `part` says which of several results it is.
    """

    __slots__ = ("part", "unit")

    def __init__(
        self, function: Callable[..., Any], unit: Unit | None, part: int | None = None
    ) -> None:
        super().__init__(function)
        self.unit = unit
        self.part = part

    def of(self, places: Sequence[int], blocks: Sequence[Any], kwargs: Any) -> Callable[..., Any]:
        """The function of the blocks at some places; the others stay as they are."""

        def partial(*values: Any) -> Any:
            full = list(blocks)
            for place, value in zip(places, values, strict=True):
                full[place] = value
            result = self.function(*full, **kwargs)
            result = result if self.part is None else result[self.part]
            if self.unit is None:
                return result
            if isinstance(result, DimArray):
                return DimArray(result, self.unit)  # of bare numbers, too
            return wrap(result, self.unit)

        return partial


class BlockPull(InUnit):
    """A block of an argument's cotangent, from that of the result and those of the arguments.

    It has axes of one element in front, along which there are more blocks to add to it.
    """

    __slots__ = ("axes", "place")

    def __init__(
        self, function: Callable[..., Any], unit: Unit | None, part: Any, place: int, axes: int
    ) -> None:
        super().__init__(function, unit, part)
        self.place = place
        self.axes = axes

    def __call__(self, ct: Any, *blocks: Any, **kwargs: Any) -> Any:
        """The function runs again: nothing of its first run is kept."""
        _, back = vjp(self.of((self.place,), blocks, kwargs), blocks[self.place])
        (found,) = back(ct)
        return found[(None,) * self.axes] if self.axes else found


class BlockPush(InUnit):
    """A block of the result's tangent, from the arguments and the tangents of some of them."""

    __slots__ = ("places",)

    def __init__(
        self, function: Callable[..., Any], unit: Unit | None, part: Any, places: tuple[int, ...]
    ) -> None:
        super().__init__(function, unit, part)
        self.places = places

    def __call__(self, *given: Any, **kwargs: Any) -> Any:
        """Arguments first, then tangents."""
        count = len(given) - len(self.places)
        blocks, tangents = given[:count], given[count:]
        moving = [blocks[place] for place in self.places]
        return jvp(self.of(self.places, blocks, kwargs), moving, tangents)[1]


class Each(OfFunction):
    """A function called for each place along the first axis of some arguments, in a batch."""

    __slots__ = ("which",)

    def __init__(self, function: Callable[..., Any], which: Sequence[bool]) -> None:
        super().__init__(function)
        self.which = tuple(which)  # of the arguments have the axis

    def __call__(self, *blocks: Any, **kwargs: Any) -> Any:
        """The results of all calls along the first axis."""
        pairs = list(zip(blocks, self.which, strict=True))
        count = next(len(block) for block, is_each in pairs if is_each)
        calls = ([b[i] if is_each else b for b, is_each in pairs] for i in range(count))
        return ops.stack([self.function(*args, **kwargs) for args in calls], axis=0)


class Listed(OfFunction):
    """A function that gets lists of blocks, as one of these blocks put together."""

    __slots__ = ("cuts",)

    def __init__(self, function: Callable[..., Any], cuts: Sequence[Any]) -> None:
        super().__init__(function)
        self.cuts = cuts  # for each argument, the axes that are cut and the lengths of the parts

    def __call__(self, *blocks: Any, **kwargs: Any) -> Any:
        """What the function gives."""
        return self.function(*map(_listed, blocks, self.cuts), **kwargs)


def _listed(block: Any, cuts: Any) -> Any:
    if not cuts:
        return block
    (axis, lengths), *rest = cuts
    parts, start = [], 0
    for length in lengths:
        key = (slice(None),) * axis + (slice(start, start + length),)
        parts.append(_listed(block[key], rest))
        start += length
    return parts
