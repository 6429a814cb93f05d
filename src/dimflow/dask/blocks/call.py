"""A user's function as the graph holds it: raw blocks in and out, units in between."""

import pickle
from collections.abc import Callable
from inspect import Parameter, Signature, signature
from types import FunctionType
from typing import Any

import numpy as np
from dask.base import normalize_token
from dask.utils import funcname

from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.dask.blocks.places import current_task
from dimflow.dask.blocks.settling import Wanted, described, settled
from dimflow.errors import BlockMismatch, DimflowError
from dimflow.units import Unit, encode, scope

ShapeRule = Callable[[tuple[Any, ...], Any], Any]
_ABOUT_BLOCKS = ("block_id", "block_info")
_TAKEN = ("block_id", "computing_meta")  # whether the function asks for them or not


class BlockCall:
    """A function of blocks with units. It is one task, as the function itself would be.

    `units` are those of the positional arguments, `named` those of keywords: None for what is
    handed on as it is. `wanted` is what every block has to give: one, or a tuple or a dict of them
    for a function that returns several. It goes to other processes if the function does.
    """

    __slots__ = (
        *("array", "asks", "function", "named", "operation", "scope", "shape", "units"),
        "wanted",
    )

    def __init__(
        self, operation: str, function: Callable[..., Any], units: tuple[Any, ...], named: Any
    ) -> None:
        self.operation = operation
        self.function = function
        self.asks: list[str] = []  # what the function wants to be told of its block
        self.scope = (scope.entered.get() or (None,))[-1]  # by which the function reads strings
        self.units = units
        self.named: dict[str, Unit] = named
        self.wanted: Any = Wanted()
        self.array = ""  # the name of the array that is made of the blocks
        self.shape: ShapeRule | tuple[ShapeRule, ...] | None = None

    def __call__(self, *blocks: Any, block_id: Any = None, **kwargs: Any) -> Any:
        """The raw result for raw blocks."""
        if kwargs.pop("computing_meta", False):
            return blocks[0]  # Dask asks for the kind of array: what was planned is known already
        place = block_id
        if place is not None and "block_id" in self.asks:
            kwargs["block_id"] = place
        args = [with_unit(b, u) for b, u in zip(blocks, self.units, strict=True)]
        for name, unit in self.named.items():
            kwargs[name] = with_unit(kwargs[name], unit)
        try:
            with scope.as_called(self.scope):
                result = self.function(*args, **kwargs)
        except Exception as error:
            error.add_note(f"in {self.operation} of {self.__name__}, {self._here(place)[0]}")
            raise
        return self._settled(result, self.wanted, self.shape, blocks, place)

    def _settled(self, result: Any, wanted: Any, rule: Any, blocks: Any, place: Any) -> Any:
        if isinstance(wanted, Wanted):
            shape = None if rule is None else rule(blocks, place)
            return settled(result, wanted, shape, self._refuser(place))
        if isinstance(wanted, dict):
            if not isinstance(result, dict) or result.keys() != wanted.keys():
                raise self._wrong_structure(
                    result, f"a dict of {', '.join(map(str, wanted))}", place
                )
            return {k: self._settled(result[k], w, rule, blocks, place) for k, w in wanted.items()}
        if not isinstance(result, (tuple, list)) or len(result) != len(wanted):
            raise self._wrong_structure(result, f"a tuple of {len(wanted)} arrays", place)
        rules = rule if isinstance(rule, tuple) else (rule,) * len(wanted)
        each = zip(result, wanted, rules, strict=True)
        return tuple(self._settled(r, w, s, blocks, place) for r, w, s in each)

    def _wrong_structure(self, result: Any, expected: str, place: Any) -> DimflowError:
        actual = f"{len(result)} of them" if isinstance(result, (tuple, list)) else None
        if isinstance(result, dict):
            actual = f"a dict of {', '.join(map(str, result))}"
        elif isinstance(result, Core) or hasattr(result, "shape"):
            actual = "one array"
        return self._refuser(place)("result", expected, actual or described(result), None)

    def _refuser(self, place: Any) -> Callable[..., DimflowError]:
        def refuse(what: str, expected: str, actual: str, hint: str | None) -> DimflowError:
            _, array, block = self._here(place)
            return BlockMismatch(
                self.operation, self.__name__, what, expected, actual, array, block, hint
            )

        return refuse

    def _here(self, place: Any) -> tuple[str, str, Any]:
        """The block in words, the array's name, and the block's index; None while planning."""
        array, block = (self.array, tuple(place)) if place is not None else current_task()
        array = array or self.array
        text = f"block {block} of {array!r}" if block is not None else "while planning"
        return text, array, block

    @property
    def __name__(self) -> str:
        return str(funcname(self.function))

    @property
    def __signature__(self) -> Signature:
        """Dask looks here for what the function wants to be told."""
        asked = dict.fromkeys((*_TAKEN, *self.asks))
        return Signature(
            [
                Parameter("blocks", Parameter.VAR_POSITIONAL),
                *(Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in asked),
                Parameter("kwargs", Parameter.VAR_KEYWORD),
            ]
        )

    def __dask_tokenize__(self) -> Any:
        plan = self.operation, spelled(self.units), spelled(self.named), spelled(self.wanted)
        read_by = None if self.scope is None else pickle.dumps(self.scope)
        # What is returned is hashed as its text, so that all must have one that tells it apart.
        return "dimflow.dask.BlockCall", normalize_token(self.function), plan, read_by


def asked(function: Callable[..., Any]) -> list[str]:
    """What a function wants to be told of its block."""
    if isinstance(function, FunctionType) and not function.__dict__:
        code = function.__code__  # a signature, which a decorator may note, takes ten times longer
        names: Any = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return [name for name in _ABOUT_BLOCKS if name in names]
    if isinstance(function, np.ufunc):
        return []
    try:
        names = signature(function).parameters
    except (TypeError, ValueError):  # not every function can be looked into
        return []
    return [name for name in _ABOUT_BLOCKS if name in names]


def with_unit(value: Any, unit: Any) -> Any:
    """A block with its unit. Blocks may come in lists, and be dicts and tuples of arrays."""
    if unit is None:
        return value
    if isinstance(value, list):
        return [with_unit(v, unit) for v in value]
    if isinstance(unit, dict):
        return {name: with_unit(value[name], u) for name, u in unit.items()}
    if isinstance(unit, tuple):
        return tuple(with_unit(v, u) for v, u in zip(value, unit, strict=True))
    return wrap(value, unit)


def spelled(unit: Any) -> Any:
    """Units, also within tuples and dicts, as texts that differ where spellings do."""
    if isinstance(unit, Unit):
        return encode(unit)
    if isinstance(unit, dict):
        return sorted((str(name), spelled(u)) for name, u in unit.items())
    return [spelled(u) for u in unit] if isinstance(unit, tuple) else unit


class OfFunction:
    """Calls another function, has its name in graphs, and is another task if any slot differs."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    @property
    def __name__(self) -> str:
        return str(funcname(self.function))

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        slots = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())]
        what = tuple(getattr(self, name) for name in slots)
        return f"dimflow.dask.{type(self).__name__}", normalize_token(spelled(what))


class PlacedCall:
    """A call that is told its block by position, where Dask has no keyword for it."""

    __slots__ = ("call",)

    def __init__(self, call: BlockCall) -> None:
        self.call = call

    def __call__(self, place: tuple[int, ...], *blocks: Any, **kwargs: Any) -> Any:
        """The raw result for raw blocks."""
        return self.call(*blocks, block_id=place, **kwargs)

    @property
    def __name__(self) -> str:
        return self.call.__name__

    def __dask_tokenize__(self) -> Any:
        return "dimflow.dask.PlacedCall", self.call.__dask_tokenize__()
