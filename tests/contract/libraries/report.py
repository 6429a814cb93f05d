"""What became of the table on a library: how each op runs, which are refused, what fails."""

import datetime
import platform
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

from dimflow import ops
from dimflow.backends import Backend
from dimflow.ops import Op
from tests.contract.libraries.check import broken, is_refused, known, says_something, table
from tests.contract.libraries.conduct import misconduct
from tests.contract.libraries.library import Library

WAYS = {
    "kernel": "a kernel of ours",
    "function": "its own function",
    "definition": "by definition",
}
# The laws of the two engines, and what the page calls the ops that they hold for.
ENGINES = {"own engine": "derivative by our engine", "native": "by its own"}
_PACKAGES = {
    "torch": ("torch",),
    "jax": ("jax",),
    "mlx": ("mlx",),
    "dask": ("dask",),
    "cupy": ("cupy", "cupy-cuda12x", "cupy-cuda13x"),
    "array_api_strict": ("array-api-strict",),
}


def way(backend: Backend, op: Op) -> str:
    """How a library runs an op."""
    if backend.own_kernel(op) is not None:
        return "kernel"
    return "function" if backend.host_function(op) is not None else "definition"


def report(library: Library, names: Iterable[str] = (), *, thorough: bool) -> dict[str, Any]:
    """Everything that is kept of a run over the table."""
    names = list(names)
    chosen = names or table()
    ways: dict[str, list[str]] = {key: [] for key in WAYS}
    refused: dict[str, str] = {}
    deviating: list[list[str]] = []
    failing: list[list[str]] = []
    engines: dict[str, list[str]] = {law: [] for law in ENGINES}
    for name in chosen:
        found, reasons = broken(library, name, thorough=thorough), known(library, name)
        failing += [[name, law, text] for law, text in found.items() if law not in reasons]
        failing += [
            [name, law, "it holds, though it is a deviation"] for law in reasons if law not in found
        ]
        deviating += [[name, law, reason] for law, reason in reasons.items()]
        if "runs" in found and is_refused(library, name):
            refused[name] = reasons.get("runs", found["runs"])
        else:
            ways[way(library.backend, ops.get(name))].append(name)
        for law, members in engines.items():
            if law not in found and says_something(library, name, law):
                members.append(name)
    if not names:
        failing += misconduct(library)
    return {
        "library": library.text,
        "name": library.name,
        "version": _versions(library),
        "device": library.device,
        "hardware": (library.blocks or library.backend).describe_device(library.device),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "samples": "all" if thorough else "one of each",
        "ops": len(chosen),
        "ways": {key: len(members) for key, members in ways.items()},
        "engines": {law: len(members) for law, members in engines.items()},
        "refused": refused,
        "deviations": deviating,
        "failures": failing,
    }


def _versions(library: Library) -> str:
    """That of the library, and of the one that its blocks belong to."""
    blocks = library.blocks
    beneath = "" if blocks is None else f" over {blocks.name} {_version(blocks.name)}"
    return _version(library.name) + beneath


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError

    for package in _PACKAGES.get(name, (name,)):
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    return "from source"


def plain(record: dict[str, Any]) -> str:
    """For a terminal."""
    ways = ", ".join(f"{count} {WAYS[key]}" for key, count in record["ways"].items())
    place = f"{record['name']} {record['version']} on {record['device']} ({record['hardware']})"
    counts = f"{len(record['deviations'])} deviations, {len(record['failures'])} failures"
    lines = [
        f"{place}, Python {record['python']}, NumPy {record['numpy']}",
        f"  {record['ops']} ops: {ways}, {len(record['refused'])} refused; {counts}",
        *(f"  refused {name}: {_line(why)}" for name, why in record["refused"].items()),
        *(f"  FAILS {name}, {law}: {_line(text)}" for name, law, text in record["failures"]),
    ]
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())[:300]
