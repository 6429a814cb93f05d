"""Run code in an interpreter that has seen nothing of this one."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def output_of(code: str, *arguments: str, path: Path | None = None) -> str:
    """What the code prints, with `path` before all others on its sys.path."""
    before = f"import sys; sys.path.insert(0, {str(path)!r})\n" if path else ""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", before + code, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def json_of(code: str, *arguments: str, path: Path | None = None) -> Any:
    """The same, read as JSON."""
    return json.loads(output_of(code, *arguments, path=path))
