"""The types that users' checkers see."""

from pathlib import Path

import pytest
from mypy import api

USAGE = Path(__file__).with_name("usage.py")


def checked(path: Path) -> tuple[str, int]:
    output, errors, status = api.run(["--strict", "--no-error-summary", str(path)])
    return output + errors, status


def test_the_public_api_has_the_types_it_promises() -> None:
    output, status = checked(USAGE)
    assert (output, status) == ("", 0)


CHECKED = (
    "from dimflow import checked\nfrom dimflow.typing import Mass\n"
    "@checked\ndef double(m: Mass) -> Mass: return m\n"
)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("double('text')", "arg-type"),
        ("double()", "call-arg"),
        ("double(w=3)", "call-arg"),
        ("x: str = double(Mass)", "assignment"),
        ("checked(nothing=True)", "call-overload"),
        ("from dimflow.typing import Masss", "attr-defined"),
    ],
)
def test_a_checked_function_keeps_its_types(line: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(f"{CHECKED}{line}\n")
    output, status = checked(path)
    assert status == 1
    assert f"[{complaint}]" in output


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("units.m.conversion_factor(3)", "arg-type"),
        ("units.m.dimension * 2", "operator"),
        ("units.convert(1)", "call-arg"),
        ("Unit('m').nothing", "attr-defined"),
    ],
)
def test_a_wrong_call_is_noticed(line: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(f"from dimflow import Unit, units\n{line}\n")
    output, status = checked(path)
    assert status == 1
    assert f"[{complaint}]" in output
