"""Layers reach up by name in these places alone: import-linter does not see a name in a text."""

import ast
import tomllib
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "dimflow"
PROJECT = SOURCE.parents[1] / "pyproject.toml"

# (who, which layer) -> why it is not an import.
DOORS = {
    ("array/conversion", "pandas"): "x.to_pandas()",
    ("array/persistence", "io"): "x.save(), DimArray.load()",
    ("array/protocols", "xp"): "x.__array_namespace__()",
    ("files_of_torch", "array"): "what torch.load calls, imported when it does",
    ("files_of_torch", "constants"): "what torch.load calls, imported when it does",
    ("files_of_torch", "torch"): "what torch.load calls, imported when it does",
    ("files_of_torch", "units"): "what torch.load calls, imported when it does",
    ("constants/constant", "array"): "the class that isinstance takes a constant for",
    ("autodiff/forward", "transforms"): "the class of DimArray for dual numbers",
    ("backends/__init__", "array"): "the class of DimArray for raw values of a type",
    ("backends/dask", "dask"): "the class of DimArray for lazy arrays",
    ("backends/torch", "torch"): "the class of DimArray for tensors",
    ("ops/dispatch", "backends"): "backends enter themselves as interpreters",
    ("ops/namespace", "array"): "functions for users run on arrays with units",
    ("transforms/nan_watches", "torch"): "operators of tensors, where they are loaded",
    ("units/unit", "array"): "5 * units.m",
}


def ranks() -> dict[str, int]:
    """The layers that import-linter knows, the lowest first."""
    contracts = tomllib.loads(PROJECT.read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [c["layers"] for c in contracts if c["id"] == "layers"]
    found = {}
    for rank, names in enumerate(reversed(layers)):
        found.update(dict.fromkeys(names.split(" | "), rank))
    return found


def texts(path: Path) -> set[str]:
    """The layers of dimflow whose modules are named in a file's texts, docstrings apart."""
    tree = ast.parse(path.read_text())
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            module = node.value.partition(":")[0].split(".")
            if module[0] == "dimflow" and len(module) > 1 and all(map(str.isidentifier, module)):
                found.add(module[1])
    return found


def test_only_these_places_name_a_layer_above_their_own() -> None:
    known = ranks()
    found = set()
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        for layer in texts(path):
            own = known.get(parts[0])
            if own is not None and layer in known and known[layer] > own:
                found.add(("/".join(parts), layer))
    assert found == DOORS.keys()
