"""Importing the constants reads no data and brings nothing heavy."""

import subprocess
import sys
from pathlib import Path

import pytest

import dimflow.constants

DATA = ("codata2022.txt", "definitions.txt", "symbols.txt", "iau.txt")
WATCH = """
import sys
opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
def read():
    return sorted({path.replace("\\\\", "/").rpartition("/")[2] for path in opened
                   if path.endswith(".txt") and "dimflow" in path})
"""


def output_of(code: str) -> str:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", WATCH + code],
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.strip()


def test_import_reads_no_data() -> None:
    assert output_of("import dimflow.constants; print(read())") == "[]"
    assert output_of("from dimflow import constants; print(read())") == "[]"
    assert output_of("from dimflow.constants import Constant, find; print(read())") == "[]"


def test_probing_by_the_import_system_reads_no_data() -> None:
    code = "import dimflow.constants as k; print(hasattr(k, '__wrapped__'), read())"
    assert output_of(code) == "False []"


def test_the_first_constant_reads_the_data() -> None:
    code = "import dimflow.constants as k; k.c; print(read())"
    assert output_of(code) == str(sorted(DATA))


def test_neither_import_nor_use_brings_another_library() -> None:
    code = """
import dimflow.constants as k
k.hbar, k.M_sun, k.find("mass"), k.catalogue(), repr(k.G), k.c.to("km/h"), k.sigma_sb.unit
print(sorted({name.partition(".")[0] for name in sys.modules} & {"scipy", "astropy", "pint"}))
"""
    assert output_of(code) == "[]"


def test_values_do_not_read_the_table_of_units() -> None:
    code = """
import dimflow.constants as k
k.hbar.value, k.find("mass")
from dimflow.units.tables import builtin
print(builtin.is_read)
"""
    assert output_of(code) == "False"


def test_the_import_itself_is_short(tmp_path: Path) -> None:
    code = """
import time, dimflow, dimflow.errors
start = time.perf_counter()
import dimflow.constants
print(time.perf_counter() - start)
"""
    run = [sys.executable, "-X", f"pycache_prefix={tmp_path}", "-c", "import sys\n"
           "sys.dont_write_bytecode = False\n" + code]  # fmt: skip
    times = [float(subprocess.check_output(run, text=True)) for _ in range(6)]
    assert min(times[1:]) < 0.002  # the first run compiles


@pytest.mark.parametrize("file", DATA)
def test_data_files_lie_beside_the_module(file: str) -> None:
    text = (Path(dimflow.constants.__file__).parent / file).read_bytes()
    assert text.isascii()
    assert b"\r" not in text
    assert text.endswith(b"\n")
