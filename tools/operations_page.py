"""The reference of operations, made from the table itself: `python tools/operations_page.py`.

mkdocs calls this as a hook. What an op does to units is not said by hand: each is run on a sample
of its own domain with units, and the page shows what came out.
"""

import inspect
import re
import warnings
from collections.abc import Iterator
from importlib import import_module
from inspect import Parameter
from itertools import product
from typing import Any

import numpy as np

from dimflow import DimArray, ops
from dimflow.errors import DimflowError
from dimflow.ops import FAMILIES, Op
from dimflow.ops.domain import Sample
from dimflow.ops.rules.units import angle_to_pure

PAGE = "reference/operations.md"
PLACE = "<!-- the table -->"
HEAD = "| operation | what it gives | units | of °C | of dBm |\n|---|---|---|---|---|"
STATIC = {"exponent": 2, "n": 1}  # static parameters that have no default, of elementwise ops
POINTS = (("degC", "delta_degC"), ("dBm", "dB"))
SHOWN = 4  # units of a list of arrays

Units = tuple[str | None, ...]


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """What mkdocs calls for every page."""
    return markdown.replace(PLACE, table()) if page.file.src_uri == PAGE else markdown


def table() -> str:
    """All families, each with its ops."""
    ops_of: dict[str, list[Op]] = {}
    for op in ops.TABLE.values():
        ops_of.setdefault(op.family, []).append(op)
    parts, folder = [], ""
    for family in FAMILIES:
        package, _, module = family.rpartition(".")
        if package and package != folder:
            parts.append(f"## {package}")
        parts.append(f"{'###' if package else '##'} {module.replace('_', ' ')}")
        folder = package
        doc = inspect.getdoc(import_module(f"dimflow.ops.families.{family}")) or ""
        parts.append(doc.partition("\n\n")[0].replace("\n", " "))
        parts.append("\n".join([HEAD, *(row(op) for op in ops_of[module])]))
    return "\n\n".join(parts)


def row(op: Op) -> str:
    """One op."""
    doc = escaped(op.doc.partition("\n\n")[0].replace("\n", " "))
    if op.hosts.numpy not in (None, op.name):
        doc += f" `np.{op.hosts.numpy}`."
    if op.unit_dependent:
        doc += " **Needs `unit=`.**"
    chosen, case, result = first_accepted(op)
    given = tuple(u for u, a in zip(chosen, case.args, strict=True) if a is not None)
    told = f"{texts(given)} → {texts(result)}" if given else texts(result)
    points = [of_points(op, case, chosen, *pair) for pair in POINTS]
    cells = [f"`{signature(op)}`", doc, told, *map(texts, points)]
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def escaped(doc: str) -> str:
    """Formulas as they are written: x*x is no emphasis. What stands in backticks is code."""
    parts = doc.split("`")
    parts[::2] = [re.sub(r"([*_\[\]])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def signature(op: Op) -> str:
    """How it is called, without annotations."""
    prefix = f"{op.namespace}." if op.namespace else ""
    bare = [p.replace(annotation=Parameter.empty) for p in op.signature.parameters.values()]
    return f"{prefix}{op.name}{inspect.Signature(bare)}"


def texts(found: Units | None) -> str:
    """Units as they stand in a cell: 1 for pure numbers, "plain" for masks, indices and counts."""
    if found is None:
        return "–"
    names = [{"": "1", None: "plain"}.get(unit, f"`{unit}`") for unit in found]
    return ", ".join(names if len(names) <= SHOWN else [*names[:2], "…", names[-1]])


def first_accepted(op: Op) -> tuple[Units, Sample, Units]:
    """The most telling units that the op takes for any of its samples, and what comes out."""
    tries = [(chosen, case) for case in samples(op) for chosen in candidates(op, case)]
    found = None
    for chosen, case in sorted(tries, key=lambda one: not any(one[0])):
        result = run(op, case, chosen)
        if result is not None:
            found = found or (chosen, case, result)
            if any(result) or case.units is not None:
                return chosen, case, result
    if found is None:
        raise ValueError(f"no sample of {op.name} runs with any of the units that are tried")
    return found


def of_points(op: Op, case: Sample, chosen: Units, point: str, difference: str) -> Units | None:
    """What comes out for points in as many arguments as possible, beside differences."""
    choices = [
        (u,) if u is None else (point, f"{difference}**2" if u == "m**2" else u, difference)
        for u in chosen
    ]
    tries = sorted(product(*choices), key=lambda units: -units.count(point))
    results = (run(op, case, units) for units in tries if point in units)
    return next((result for result in results if result is not None), None)


def samples(op: Op) -> Iterator[Sample]:
    """Whole calls: an array or None for each argument, a value for each parameter."""
    parameters = op.signature.parameters.values()
    static = {
        p.name: STATIC.get(p.name) if p.default is p.empty else p.default
        for p in parameters
        if p.name not in op.array_names
    }
    if not callable(op.domain):
        middle = [np.full(2, round((i.low + i.high) / 2, 0 if i.integer else 3)) for i in op.domain]
        whole = [i.integer for i in op.domain]
        args = tuple(m.astype(int) if w else m for m, w in zip(middle, whole, strict=True))
        yield Sample(args, static)
        return
    for case in op.domain(np.random.default_rng(0)):
        count = len(case.args) if takes_any_number(op) else len(op.array_names)
        yield Sample(
            args=filled(case.args, count),
            params={**static, **case.params},
            units=None if case.units is None else filled(case.units, count),
        )


def filled(values: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """With None for the arguments that were left out."""
    return (*values, *[None] * (count - len(values)))


def takes_any_number(op: Op) -> bool:
    """Whether the arguments are as many as the caller likes."""
    kinds = {p.kind for p in op.signature.parameters.values()}
    return op.variadic is not None or Parameter.VAR_POSITIONAL in kinds


def candidates(op: Op, case: Sample) -> Iterator[Units]:
    """Units for the arguments that can carry one, the most telling first."""
    carry = [np.asarray(a).dtype.kind in "fc" if a is not None else False for a in case.args]
    n = sum(carry)
    if case.units is not None:
        yield case.units  # the op's own word
        return
    tries = [
        ["rad"] * n if op.unit is angle_to_pure else [],
        *([*rest] for rest in product(("m", "s", "m*s", ""), repeat=n) if n <= SHOWN),
        ["m", *["s"] * (n - 1)],
        ["m"] * n,
        ["m", *[""] * (n - 1)],
        [*[""] * (n - 1), "m"],
        [""] * n,
    ]
    tries.sort(key=lambda units: (units.count(""), -len(set(units)), "m*s" in units))
    for chosen in tries:
        if len(chosen) == n:
            left = iter(chosen)
            yield tuple(next(left) if c else None for c in carry)


def run(op: Op, case: Sample, chosen: Units) -> Units | None:
    """The units that come out; None if these are refused."""
    pairs = zip(case.args, chosen, strict=True)
    args = tuple(a if unit is None else DimArray(a, unit) for a, unit in pairs)
    params = dict(case.params)
    if op.unit_dependent and chosen:
        params["unit"] = chosen[0]
    try:
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            result = op.run(args, params)
    except DimflowError:
        return None
    return tuple(str(r.unit) if isinstance(r, DimArray) else None for r in flat(result))


def flat(result: Any) -> Iterator[Any]:
    """The arrays of one result or several."""
    if not isinstance(result, (tuple, list)):
        yield result
        return
    for part in result:
        yield from flat(part)


if __name__ == "__main__":
    print(table())
