"""`import dimflow` costs NumPy and nothing heavier; units cost not even that."""

import json
import subprocess
import sys

import pytest

PRINT_MODULES = "import json, sys; print(json.dumps(sorted(sys.modules)))"


def modules_after(statement: str) -> set[str]:
    """The names in sys.modules of a fresh interpreter that ran the statement."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{statement}\n{PRINT_MODULES}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(run.stdout))


def third_party(modules: set[str]) -> set[str]:
    """The top-level packages that are neither of the standard library nor private to a start-up."""
    tops = {name.partition(".")[0] for name in modules}
    return {
        top
        for top in tops - sys.stdlib_module_names - third_party_at_start()
        if not top.startswith("_")
    }


def third_party_at_start() -> set[str]:
    """What site and .pth files bring before any statement runs."""
    return {name.partition(".")[0] for name in modules_after("pass")}


def test_import_dimflow_brings_numpy_at_most() -> None:
    loaded = modules_after("import dimflow")
    assert "dimflow" in third_party(loaded)
    assert third_party(loaded) <= {"dimflow", "numpy"}


def test_import_dimflow_brings_no_more_of_numpy_than_numpy_does() -> None:
    ours = {name for name in modules_after("import dimflow") if name.startswith("numpy.")}
    assert ours <= modules_after("import numpy")


@pytest.mark.parametrize(
    "statement",
    ["from dimflow import units; units.km", "from dimflow import Unit; Unit('J/(kg K)')"],
)
def test_units_need_no_numpy(statement: str) -> None:
    assert third_party(modules_after(statement)) - {"numpy"} == {"dimflow"}
    standalone = f"import sys; sys.modules['numpy'] = None\n{statement}"
    assert "dimflow.units" in modules_after(standalone)


def test_plain_arrays_need_no_engine() -> None:
    """Who takes no derivative does not pay for the engine, nor for what is built on it."""
    statement = """
import numpy as np
from dimflow import DimArray
x = DimArray([1.0, 2.0], "m")
x[0] = x[1]
x += x
np.sqrt(x * x), np.sum(x), x.mean(), f"{x}", x.to("km")
"""
    loaded = modules_after(statement)
    assert "dimflow.array" in loaded
    layers = {name.split(".")[1] for name in loaded if name.startswith("dimflow.")}
    assert not layers & {"autodiff", "transforms"}


def test_a_check_needs_no_engine() -> None:
    loaded = modules_after("import dimflow; dimflow.check(lambda m, v: m * v**2 / 2, 'kg', 'm/s')")
    assert "dimflow.transforms.checking" in loaded
    assert not {name for name in loaded if name.startswith("dimflow.autodiff")}


def test_import_dimflow_parses_no_command_line() -> None:
    assert not modules_after("import dimflow") & {"argparse", "dimflow.cli"}
