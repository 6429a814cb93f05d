"""Functions of Dask's that take several arrays, in forms of their own."""

from typing import Any

from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.array.numpy_host.algebra import EINSUM
from dimflow.array.numpy_host.arranging import BLOCK
from dimflow.array.numpy_host.choosing import CHOOSE
from dimflow.array.numpy_host.parts import Handler, named, plan
from dimflow.dask.host.patches import own
from dimflow.dask.host.planned import library_of, plain
from dimflow.ops.rules.values import refuse_cast

FUNCTIONS: dict[str, Handler] = {}


@named(FUNCTIONS, "unify_chunks")
def _unify_chunks(*args: Any, **kwargs: Any) -> Any:
    """Arrays with their subscripts, cut alike; each keeps its unit."""
    arrays = args[::2]
    raws = [a._raw if isinstance(a, Core) else a for a in arrays]
    mixed = [part for pair in zip(raws, args[1::2], strict=True) for part in pair]
    chunks, found = own("unify_chunks")(*mixed, **kwargs)
    pairs = zip(found, arrays, strict=True)
    return chunks, [wrap(raw, a._unit) if isinstance(a, Core) else raw for raw, a in pairs]


@named(FUNCTIONS, "block")
def _block(arrays: Any, allow_unknown_chunksizes: bool = False) -> Any:
    """Nested lists of arrays of one dimension, in the unit of the first."""
    leaves = list(_leaves(arrays))
    raws, unit = plan(BLOCK, leaves)
    library_of("da.block", BLOCK, raws)
    rest = iter(raws)

    def rebuilt(part: Any) -> Any:
        return [rebuilt(inner) for inner in part] if type(part) is list else next(rest)

    return wrap(own("block")(rebuilt(arrays), allow_unknown_chunksizes), unit)


def _leaves(part: Any) -> Any:
    if type(part) is list:
        for inner in part:
            yield from _leaves(inner)
    else:
        yield part


@named(FUNCTIONS, "einsum")
def _einsum(*operands: Any, **kwargs: Any) -> Any:
    """Both forms: a text of subscripts, or subscripts as lists after each array."""
    if isinstance(operands[0], str):
        raws, unit = plan(EINSUM, operands[1:])
        args: tuple[Any, ...] = (operands[0], *raws)
    else:
        places = range(0, len(operands) - 1, 2)
        raws, unit = plan(EINSUM, [operands[i] for i in places])
        args = tuple(raws[i // 2] if i in places else operand for i, operand in enumerate(operands))
    library_of("da.einsum", EINSUM, raws)
    refuse_cast("einsum", kwargs.get("dtype"), raws, unit)
    return wrap(own("einsum")(*args, **kwargs), unit)


@named(FUNCTIONS, "choose")
def _choose(a: Any, choices: Any) -> Any:
    """Elements of several arrays of one dimension, picked by indices without a unit."""
    raws, unit = plan(CHOOSE, tuple(choices))
    places = plain(a, "an index")
    library_of("da.choose", CHOOSE, (places, *raws))
    return wrap(own("choose")(own("asarray")(places), list(raws)), unit)
