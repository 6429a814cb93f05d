"""Plain derivatives rest on names inside of JAX: on a JAX without them they are warned of."""

import subprocess
import sys

import pytest

from dimflow.jax import insides

# A JAX whose function has another name, which is all that another release may change.
_RENAMED = """
import inspect, warnings
import jax
from jax._src import api

name = {name!r}
if name == "tree_unflatten":
    plain = jax.tree_util.tree_unflatten

    class Compiled:
        def __call__(self, *args):
            return plain(*args)

    jax.tree_util.tree_unflatten = Compiled()
elif name == "transposed_fun":
    outer = inspect.unwrap(api.linear_transpose)
    parts = outer.__code__.co_consts
    parts = tuple(
        part.replace(co_name="renamed") if getattr(part, "co_name", None) == name else part
        for part in parts
    )
    outer.__code__ = outer.__code__.replace(co_consts=parts)
elif name:
    function = getattr(api, name)
    function.__code__ = function.__code__.replace(co_name="renamed")

import dimflow
from dimflow import DimArray

x = DimArray(jax.numpy.asarray([1.0, 2.0]), "m")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    found = jax.grad(lambda x: dimflow.sum(x**3).to_value("m**3"))(x)
texts = {{str(w.message) for w in caught if w.category is RuntimeWarning}}
right = dimflow.grad(lambda x: dimflow.sum(x**3))(x)
print(found.unit, right.unit, len(texts), *texts, sep="|")
"""


def report(name: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", _RENAMED.format(name=name)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.strip().split("|")


def test_this_jax_has_all_of_them() -> None:
    assert insides.missing() == []
    assert report("") == ["1/m", "m**2", "0"]


@pytest.mark.parametrize("name", ["_vjp3_bwd", "transposed_fun", "tree_unflatten"])
def test_a_jax_without_one_of_them_is_warned_of(name: str) -> None:
    _, right, count, text = report(name)
    assert right == "m**2"  # by dimflow.grad, on any JAX
    assert count == "1"
    assert f"does not find {name} in JAX" in text
    assert "use dimflow.grad" in text


@pytest.mark.parametrize("name", sorted(insides._FUNCTIONS))
def test_each_name_is_looked_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place = insides._PLACES.get(name, insides.api)
    monkeypatch.delattr(place, insides._AROUND.get(name, name))
    assert insides.missing() == [name]


def test_so_are_the_variables_that_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insides.api, "_vjp3_bwd", lambda in_tree: in_tree)
    assert insides.missing() == ["_vjp3_bwd"]
