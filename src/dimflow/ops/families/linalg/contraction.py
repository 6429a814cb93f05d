"""The rules of einsum: subscripts read once, written out in full, and turned round.

Every rule first spells the subscripts without ellipsis and with the output named, where a letter
has one length throughout, or 1 where an operand is broadcast along it.
"""

from math import prod
from string import ascii_letters
from typing import Any, NamedTuple

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.families.linalg.matrices import identity
from dimflow.ops.rules.batching import ndim, to_front
from dimflow.ops.rules.costs import Work, moved
from dimflow.ops.rules.transposition import shape_of, unbroadcast


class Subscripts(NamedTuple):
    """The letters of each operand and of the result."""

    inputs: tuple[str, ...]
    output: str

    def __str__(self) -> str:
        return f"{','.join(self.inputs)}->{self.output}"


def parsed(subscripts: str, ranks: list[int]) -> Subscripts:
    """Subscripts in full, for operands of these numbers of axes."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ShapeMismatch("einsum", f"{len(terms)} operands for {subscripts!r}", len(ranks))
    free = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks, strict=True)]
    for term, rest, rank in zip(terms, free, ranks, strict=True):
        if rest < 0 or (rest and "..." not in term):
            raise ShapeMismatch("einsum", f"an operand with the axes {term!r}", f"{rank} axes")
    width = max(free, default=0)
    spare = "".join(c for c in ascii_letters if c not in text)[:width]
    inputs = [
        term.replace("...", spare[width - rest :]) for term, rest in zip(terms, free, strict=True)
    ]
    if not arrow:
        named = left.replace(",", "").replace(".", "")
        right = "..." + "".join(sorted(c for c in set(named) if named.count(c) == 1))
    output = right.replace("...", spare)
    unknown = set(output) - set("".join(inputs))
    if unknown or len(set(output)) != len(output):
        raise ShapeMismatch("einsum", "an output of letters of the operands, each once", right)
    return Subscripts(tuple(inputs), output)


def _lengths(inputs: tuple[str, ...], shapes: Any) -> dict[str, int | None]:
    """The length of each letter: a 1 is broadcast."""
    lengths: dict[str, int | None] = {}
    for term, shape in zip(inputs, shapes, strict=True):
        for letter, n in zip(term, shape, strict=True):
            known = lengths.get(letter, 1)
            if known not in (1, None, n) and n not in (1, None):
                raise ShapeMismatch("einsum", f"one length for {letter!r}: {known}", n)
            lengths[letter] = n if known == 1 else known if n == 1 else n or known
    return lengths


def shape(shapes: Any, params: Any) -> Any:
    """The lengths of the output's letters."""
    inputs, output = parsed(params["subscripts"], [len(s) for s in shapes])
    lengths = _lengths(inputs, shapes)
    return tuple(lengths[letter] for letter in output)


def cost(shapes: Any, results: Any, params: Any) -> Work:
    """One multiplication for each further operand and one addition, for each set of indices."""
    inputs, _ = parsed(params["subscripts"], [len(s) for s in shapes])
    indices = prod(n or 0 for n in _lengths(inputs, shapes).values())
    return Work(len(shapes) * indices, moved(shapes, results))


def batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    """One more letter, in front."""
    is_batched = [d is not None for d in dims]
    arrays = tuple(to_front(x, d) for x, d in zip(args, dims, strict=True))
    ranks = [ndim(x) - b for x, b in zip(arrays, is_batched, strict=True)]
    inputs, output = parsed(params["subscripts"], ranks)
    new = next(c for c in ascii_letters if c not in "".join(inputs))
    terms = tuple(new + t if b else t for t, b in zip(inputs, is_batched, strict=True))
    return op.run(arrays, {**params, "subscripts": str(Subscripts(terms, new + output))}), 0


def transpose(index: int, ct: Any, args: Any, params: Any) -> Any:
    """The cotangent of one operand: the other operands contracted with that of the result."""
    inputs, output = parsed(params["subscripts"], [ndim(a) for a in args])
    lengths = _lengths(inputs, [shape_of(a) for a in args])
    term = inputs[index]
    others = [i for i in range(len(args)) if i != index]
    known = set(output).union(*(inputs[i] for i in others))
    letters = "".join(dict.fromkeys(term))
    kept = "".join(c for c in letters if c in known)
    spelled = Subscripts((output, *(inputs[i] for i in others)), kept)
    back = ops.einsum(str(spelled), ct, *(args[i] for i in others))
    # A letter that only this operand has was summed over: its cotangent is the same all along.
    found = dict(zip(kept, shape_of(back), strict=True))
    back = ops.reshape(back, shape=tuple(found.get(c, 1) for c in letters))
    back = ops.broadcast_to(back, shape=tuple(lengths[c] for c in letters))
    return unbroadcast(_on_diagonals(back, term, letters), args[index])


def _on_diagonals(x: Any, term: str, letters: str) -> Any:
    """An array over letters as one over a term that repeats some: zero off the diagonals."""
    if term == letters:
        return x
    lengths = dict(zip(letters, shape_of(x), strict=True))
    firsts = [term.index(c) for c in term]
    shape = tuple(lengths[c] if firsts[i] == i else 1 for i, c in enumerate(term))
    x = ops.reshape(x, shape=shape)
    for place, first in enumerate(firsts):
        if place != first:
            n = lengths[term[place]]
            mask = identity(n).reshape([n if i in (place, first) else 1 for i in range(len(term))])
            x = ops.multiply(x, mask)
    return x


def pair(
    x_rank: int, y_rank: int, left: tuple[int, ...], right: tuple[int, ...]
) -> tuple[str, str, str]:
    """Letters of two operands that are summed over pairs of axes, and of what is left."""
    x_letters = ascii_letters[:x_rank]
    y_letters = list(ascii_letters[x_rank : x_rank + y_rank])
    for i, j in zip(left, right, strict=True):
        y_letters[j] = x_letters[i]
    rest = [c for i, c in enumerate(x_letters) if i not in left]
    rest += [c for j, c in enumerate(y_letters) if j not in right]
    return x_letters, "".join(y_letters), "".join(rest)
