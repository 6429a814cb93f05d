"""The committed table is what the generator writes, from scipy's copy or from NIST's file."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import dimflow.constants

SCRIPT = Path(__file__).parents[2] / "tools" / "make_constants.py"
COMMITTED = Path(dimflow.constants.__file__).with_name("codata2022.txt").read_bytes()
NIST_HEADING = """\
             Fundamental Physical Constants --- Complete Listing
             2022 CODATA adjustment


             From:  http://physics.nist.gov/constants



  Quantity                                                       Value                 Uncertainty           Unit
-----------------------------------------------------------------------------------------------------------------------------
"""  # noqa: E501


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_constants", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_scipys_table_gives_the_committed_file_byte_for_byte() -> None:
    run = subprocess.run([sys.executable, SCRIPT, "--stdout"], capture_output=True, check=True)
    assert run.stdout.replace(b"\r\n", b"\n") == COMMITTED


def test_nists_file_gives_the_committed_file_byte_for_byte(
    generator: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nist = tmp_path / "allascii.txt"
    nist.write_text(NIST_HEADING + generator.scipy_table() + "\n", "ascii")
    generator.main([str(nist), "--stdout"])
    assert capsys.readouterr().out.encode() == COMMITTED


def test_another_adjustment_is_refused(generator: ModuleType) -> None:
    older = NIST_HEADING.replace("2022", "2018") + generator.scipy_table()
    with pytest.raises(ValueError, match="2022 CODATA adjustment"):
        generator.render(older)


@pytest.mark.parametrize(
    "line",
    [
        "a name alone",
        "electron mass     about 9     0.1     kg",
        "electron mass     9.1 e-31     small     kg",
        "electron mass     9.1 e-31     0.1 e-31     kg     and more",
    ],
)
def test_a_strange_line_is_refused(generator: ModuleType, line: str) -> None:
    with pytest.raises(ValueError, match=r"expected|should be"):
        generator.render(line)
