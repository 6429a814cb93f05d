"""Show versions, what is installed, and unit plugins.

No array library but NumPy is imported to find out: versions are read
from the packages' metadata.
"""

import platform
import sys
from argparse import ArgumentParser, Namespace
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dimflow
from dimflow import constants
from dimflow.cli import description, terminal
from dimflow.units import find
from dimflow.units.plugins import installed

EXAMPLES = """
examples:
  dimflow info
  dimflow info --json
"""
# The array libraries that dimflow is made for, by the name they are imported under
LIBRARIES = ("numpy", "torch", "jax", "dask", "mlx", "cupy", "wgpu")


def add_arguments(parser: ArgumentParser) -> None:
    """What `dimflow info` takes."""
    parser.add_argument("--json", action="store_true", help="print a JSON object, for programs")


def run(arguments: Namespace) -> int:
    """Print what this installation is made of."""
    from dimflow import backends, ops  # with NumPy; --help needs neither

    failure = description.load_plugins()
    definitions = find("")
    told: dict[str, Any] = {
        "dimflow": dimflow.__version__,
        "location": str(Path(dimflow.__file__).parent),
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": f"{platform.system()} {platform.machine()}",
        "units": len(definitions),
        "families": len({d.family for d in definitions}),
        "constants": len(constants.catalogue()),
        "operations": len(ops.TABLE),
        "backends": backends.names(),
        "libraries": {name: installed_version(name) for name in LIBRARIES},
        "plugins": [
            {"name": p.name, "value": p.value, "package": p.dist.name if p.dist else None}
            for p in installed()
        ],
        "plugin_error": failure or None,
    }
    if arguments.json:
        terminal.write_json(told)
        return 0
    _print(told)
    return 0


def installed_version(name: str) -> str | None:
    """The version of a package that could be imported; None if there is none."""
    if name not in sys.modules and find_spec(name) is None:
        return None
    try:
        return version(name)
    except PackageNotFoundError:  # cupy is installed as cupy-cuda12x and the like
        distributions = packages_distributions().get(name)
        return version(distributions[0]) if distributions else "unknown"


def _print(told: dict[str, Any]) -> None:
    python = f"{told['python']} ({told['implementation']}, {told['platform']})"
    terminal.card(
        f"dimflow {told['dimflow']}",
        [
            ("Python", python),
            ("location", told["location"]),
            ("units", f"{told['units']:,} in {told['families']} families"),
            ("constants", f"{told['constants']:,}"),
            ("operations", f"{told['operations']:,}"),
            ("backends", ", ".join(told["backends"])),
            ("plugins", "; ".join(_plugin(p) for p in told["plugins"]) or "none"),
            ("failed", (told["plugin_error"] or "").partition("\n")[0]),
        ],
    )
    print()
    found = {name: version or "not installed" for name, version in told["libraries"].items()}
    terminal.card("array libraries", list(found.items()))
    planned = [name for name in LIBRARIES if name not in told["backends"]]
    terminal.note(f"\nArrays with units run on the backends; planned: {', '.join(planned)}.")


def _plugin(plugin: dict[str, str]) -> str:
    return f"{plugin['name']} from {plugin['package']} ({plugin['value']})"
