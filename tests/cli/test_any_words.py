"""Whatever the words, the command ends with a code and a text, and never with a traceback."""

import io
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow.cli import main
from dimflow.cli.program import COMMANDS

pieces = st.sampled_from(
    [*"0123456789.-+*/^()[]{} ,'\"°µ²\\\n", "m", "km", "dBm", "degC", "pH", "to", "e", "inf", "**"]
)
words = st.one_of(
    st.lists(pieces, max_size=8).map("".join),
    st.text(max_size=12),
    st.sampled_from(["--json", "--long", "--via", "--to", "-n", "spectral", "-p", "3", "-"]),
)


@pytest.fixture(scope="module", autouse=True)
def no_input() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO(""))
        yield


@given(
    command=st.sampled_from([*COMMANDS, "__complete", "bogus"]), rest=st.lists(words, max_size=4)
)
def test_every_command_line_ends_with_a_code(command: str, rest: list[str]) -> None:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([command, *rest])
    assert code in (0, 1, 2)
    assert "Traceback" not in err.getvalue()
    assert code != 2 or err.getvalue()
