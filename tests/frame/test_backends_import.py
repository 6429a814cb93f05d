"""No array library is imported before it is needed, though all of them are installed."""

import json
import subprocess
import sys
from importlib.util import find_spec
from typing import NamedTuple

import pytest

from dimflow import ops
from dimflow.errors import NotANumber

LIBRARIES = {"torch", "jax", "mlx", "cupy", "array_api_strict", "array_api_compat"}
BACKENDS = {"torch", "jax", "mlx", "cupy", "array_api_strict"}
ON_DEMAND = ["torch", "jax", "mlx", "array_api_strict"]
_SHOW = """
import json, sys
scope, seen = {}, []
def show():
    tops = {name.partition('.')[0] for name in sys.modules}
    ours = [name for name in sys.modules if name.startswith('dimflow.backends.')]
    seen.append([sorted(tops), [name.split('.')[2] for name in ours]])
"""


class Loaded(NamedTuple):
    """Which array libraries an interpreter has imported, and which backends of ours."""

    libraries: set[str]
    backends: set[str]


def loaded_after(*statements: str) -> list[Loaded]:
    """What a fresh interpreter has after each statement."""
    lines = [f"exec({statement!r}, scope); show()" for statement in statements]
    run = subprocess.run(
        [sys.executable, "-c", "\n".join([_SHOW, *lines, "print(json.dumps(seen))"])],
        capture_output=True,
        text=True,
        check=True,
    )
    return [
        Loaded(set(tops) & LIBRARIES, set(ours) & BACKENDS) for tops, ours in json.loads(run.stdout)
    ]


NOTHING = Loaded(set(), set())


def test_they_are_installed() -> None:
    assert all(find_spec(name) is not None for name in ON_DEMAND)


def test_no_library_comes_with_dimflow() -> None:
    steps = [
        "import dimflow",
        "from dimflow import backends; backends.names(); backends.available()",
        "from dimflow import DimArray; x = DimArray([1.0], 'm'); y = (x * x).to('km**2'); repr(y)",
        "[getattr(dimflow, name) for name in ('sqrt', 'sum', 'check', 'linalg', 'fft', 'random')]",
        "import pickle; pickle.loads(pickle.dumps(x))",
        "import numpy as np; np.mean(x); np.ones(1) * x; np.asarray(x / x)",
    ]
    for step, found in zip(steps, loaded_after(*steps), strict=True):
        assert found == NOTHING, step


# What makes an array of each, without dimflow.
MAKE = {
    "torch": "import torch; raw = torch.ones(3)",
    "jax": "import jax.numpy; raw = jax.numpy.ones(3)",
    "mlx": "import mlx.core; raw = mlx.core.ones(3)",
    "array_api_strict": "import array_api_strict; raw = array_api_strict.ones(3)",
}


@pytest.mark.parametrize("name", ON_DEMAND)
def test_an_array_of_a_library_brings_its_own_backend_alone(name: str) -> None:
    wrap = "from dimflow import DimArray; x = DimArray(raw, 'm'); y = x * x"
    alone, made, wrapped = loaded_after("import dimflow", MAKE[name], wrap)
    assert alone == NOTHING
    assert made.backends == set()  # the library by itself brings nothing of ours
    assert wrapped.backends == {name}
    assert wrapped.libraries & set(ON_DEMAND) == {name}


@pytest.mark.parametrize("name", ON_DEMAND)
def test_a_backend_is_had_by_name(name: str) -> None:
    asked = f"from dimflow import backends; backends.backend({name!r})"
    (found,) = loaded_after(asked)
    assert found.backends == {name}
    assert found.libraries & set(ON_DEMAND) == {name}


class Foreign:
    """No array of any library that dimflow knows."""


def test_an_array_of_an_unknown_library_is_an_error_that_names_it() -> None:
    with pytest.raises(NotANumber, match=r"Foreign"):
        ops.sin(Foreign())
