"""Structures of arrays: the walk over one, and the form of many, see the same."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from dimflow import DimArray
from dimflow.transforms.calls import paths_of, put_together, taken_apart, with_units
from dimflow.transforms.forms import form_of, other_form, parts_of
from dimflow.transforms.structure import mapped

X, V, M = DimArray([1.0, 2.0], "m"), DimArray(3.0, "m/s"), np.ones((2, 2))


class Pair(NamedTuple):
    x: Any
    v: Any


@dataclass(frozen=True)
class Body:
    place: Any
    name: str = "moon"
    rest: Any = None


@dataclass
class Counted:
    place: Any
    count: int = field(default=3, metadata={"static": True})
    name: Any = field(default="moon", metadata={"static": True})


STRUCTURES: dict[str, Any] = {
    "an array": X,
    "a tuple": (X, V),
    "a list of tuples": [(X, V), (M,)],
    "a dict": {"x": X, "state": {2: V}},
    "a named tuple": Pair(X, (V, M)),
    "an ordered dict": OrderedDict(b=X, a=V),
    "a frozen dataclass": Body((X, V), rest=[M]),
    "a dataclass with static fields": [Counted(X), Counted((V, M), 2, None)],
    "nothing": (),
    "None within": (X, None, {"a": None}),
}


@pytest.mark.parametrize("value", STRUCTURES.values(), ids=STRUCTURES)
def test_both_ways_find_the_same_arrays_in_the_same_places(value: Any) -> None:
    walked: list[tuple[str, Any]] = []

    def note(part: Any, path: str) -> Any:
        if part is not None:
            walked.append((path, part))
        return part

    mapped(value, note)
    form = form_of(value)
    parts = parts_of(form, value, "", other_form("a test", "value"))
    assert form.paths("") == [path for path, _ in walked]
    assert all(part is leaf for part, (_, leaf) in zip(parts, walked, strict=True))
    leaves, structure = taken_apart("a test", value)
    assert paths_of(structure) == form.paths("")
    for again in (
        form.put(iter(parts)),
        put_together(structure, with_units([leaf.raw for leaf in leaves], leaves)),
    ):
        assert type(again) is type(value)
        found = parts_of(form, again, "", other_form("a test", "value"))
        assert all(np.array_equal(a, b) for a, b in zip(found, parts, strict=True))
