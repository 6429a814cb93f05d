"""What astropy's and unyt's own tests do with NumPy gives the same physics with our arrays.

Each recorded call gives the same numbers in the same physical unit, or raises as theirs does, or
is a line of `peer_deviations`; a line that no call needs any longer fails.
"""

import json
import re
import subprocess
import sys
import zlib

import pytest

from tests.array.peer_deviations import DEVIATIONS

AT_LEAST = {"astropy": 3000, "unyt": 9500}  # calls that agree
SHARE = 8  # one in so many of their tests, others each day; all of them in the deep run


def outcomes(library, path, step, first):
    command = [sys.executable, "-m", "tests.array.peer_suites", library, str(path)]
    done = subprocess.run(
        [*command, str(step), str(first)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    found = json.loads(path.read_text())
    assert found["code"] == 0, done.stdout[-2000:]  # their tests pass while they are recorded
    return found["outcomes"]


def explanation(library, name, outcome, said):
    """The place of the line that explains an outcome; None if there is none."""
    for place, (whose, what, pattern, names, _reason) in enumerate(DEVIATIONS):
        fits = (whose, what) == (library, outcome) and name in names.split()
        if fits and re.match(pattern, said):
            return place
    return None


def unexplained(library, found, used):
    left = []
    for name, outcome, said, call, theirs in found:
        if outcome in ("agrees", "both raise", "unreadable"):
            continue
        place = explanation(library, name, outcome, said)
        if place is None:
            left.append(f"{name} {outcome}: {said}\n  {call}\n  -> {theirs}")
        used.add((place, name))
    return left


@pytest.mark.parametrize("library", AT_LEAST)
def test_a_share_of_their_tests(library, tmp_path, request):
    seed = zlib.crc32(str(request.config.option.hypothesis_seed).encode())
    found = outcomes(library, tmp_path / "outcomes", SHARE, seed % SHARE)
    assert sum(outcome == "agrees" for _, outcome, *_ in found) > 50
    assert not unexplained(library, found, set())


@pytest.mark.deep
@pytest.mark.parametrize("library", AT_LEAST)
def test_all_of_their_tests(library, tmp_path):
    found = outcomes(library, tmp_path / "outcomes", 1, 0)
    assert sum(outcome == "agrees" for _, outcome, *_ in found) >= AT_LEAST[library]
    used = set()
    assert not unexplained(library, found, used)
    lines = {
        (place, name)
        for place, (whose, _, _, names, _) in enumerate(DEVIATIONS)
        if whose == library
        for name in names.split()
    }
    stale = {(*DEVIATIONS[place][:3], name) for place, name in lines - used}
    assert not stale
