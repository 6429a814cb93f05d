"""Random training programs: backward passes, retained gradients, writes; PyTorch's are the truth.

A program runs twice, step by step: on quantities in whatever units, and on PyTorch's raw numbers in
SI. After every step the gradients of all leaves and of all retained values are the same. Values are
used several times, gradients gather over several passes in several units, and some parameters are
complex or single numbers.
"""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import dimflow
from dimflow import DimArray, Unit
from dimflow.errors import ComputationError, UnitError

LEAVES: list[tuple[Any, str, float]] = [  # SI numbers, the unit they are written in, its scale
    (np.array([0.5, -1.5, 2.0]), "cm", 0.01),
    (np.array(-0.75), "min", 60.0),
    (np.array([[1.5], [-2.0]]), "m", 1.0),
    (np.array([1.0 - 2.0j, -0.5 + 0.25j, 2.0j]), "km", 1000.0),
    (np.array([2.0]), "", 1.0),
]
SHARES = {"": 1.0, "percent": 0.01, "km/m": 1000.0}


class Pair:
    """A quantity, and PyTorch's tensor of its SI numbers."""

    def __init__(self, ours: Any, theirs: Any, *parents: "Pair") -> None:
        self.ours, self.theirs = ours, theirs
        self.roots = {id(self)} if not parents else set().union(*(p.roots for p in parents))
        self.is_pytorchs = isinstance(ours.data, torch.Tensor)
        self.is_retained = False
        self.is_leaf = False

    def check(self, rounding: float = 1e-10) -> None:
        """Values and gradients are the same."""
        np.testing.assert_allclose(si(self.ours), plain(self.theirs), rtol=1e-9, atol=1e-9)
        assert self.ours.requires_grad is self.theirs.requires_grad
        assert self.ours.is_leaf is self.theirs.is_leaf
        if not (self.is_leaf or self.is_retained):
            return
        mine, wanted = self.ours.grad, self.theirs.grad
        assert (mine is None) is (wanted is None)
        if mine is None:
            return
        assert mine.dimension is (Unit("") / self.ours.unit).dimension
        assert not mine.requires_grad
        numbers = plain(wanted)
        if not self.is_pytorchs:  # our engine takes JAX's side: the derivative, not its conjugate
            numbers = numbers.conj()
        np.testing.assert_allclose(si(mine), numbers, rtol=1e-8, atol=rounding)
        assert mine.shape == self.ours.shape


def si(array: Any) -> Any:
    return np.asarray(array.detach().to_numpy()) * array.unit.scale


def plain(tensor: Any) -> Any:
    return tensor.detach().resolve_conj().numpy()


# a * a + a * a and a - 2 a use a value several times, whatever the second one is.
def binary(name: str) -> Callable[[Any, Any], Any]:
    return {
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "rmul": lambda a, b: b * a,
        "same": lambda a, b: a * a + a * a,
        "self": lambda a, b: a - a * 2.0,
    }[name]


def unary(name: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    f: dict[str, Any] = {
        "double": lambda a: 2.0 * a,
        "neg": lambda a: -a,
        "square": lambda a: a**2,
        "reciprocal": lambda a: 3.0 / a,
        "half": lambda a: a / 2,
        "slice": lambda a: a[..., :1] if a.ndim else a,
        "flat": lambda a: a.reshape((-1,)),
        "sum": lambda a: a.sum(),
        "mean": lambda a: a.mean(),
        "conj": lambda a: a.conj() * a,
    }
    return f[name], f[name]


BINARY = ["mul", "div", "rmul", "same", "self"]
UNARY = ["double", "neg", "square", "reciprocal", "half", "slice", "flat", "sum", "mean"]
UNARY += ["conj"]


class Program:
    def __init__(self, seed: int, library: str, is_long: bool = False) -> None:
        self.rng = np.random.default_rng(seed)
        self.library = library
        self.is_long = is_long
        self.pool: list[Pair] = []
        self.largest = 0.0
        for numbers, unit, scale in LEAVES:
            ours = DimArray(numbers / scale, unit).to_backend(library, copy=True)
            pair = Pair(ours, torch.tensor(numbers))
            assert ours.requires_grad_() is ours
            pair.theirs.requires_grad_()
            pair.is_leaf = True
            self.pool.append(pair)

    def pick(self) -> Pair:
        return self.pool[int(self.rng.integers(len(self.pool)))]

    def combine(self) -> None:
        """A new value of two, or of one, that may be used again."""
        a, b = self.pick(), self.pick()
        if self.rng.random() < 0.5:
            name = str(self.rng.choice(BINARY))
            f = binary(name)
            try:
                made = f(a.theirs, b.theirs)
            except RuntimeError:  # shapes that do not broadcast
                return
            if not _is_tame(made):
                return
            b = a if name in ("same", "self") else b
            self.add(Pair(f(a.ours, b.ours), made, a, b))
            return
        f, g = unary(str(self.rng.choice(UNARY)))
        made = g(a.theirs)
        if _is_tame(made):
            self.add(Pair(f(a.ours), made, a))

    def add(self, pair: Pair) -> None:
        """Its gradient is retained at once, later or never."""
        self.pool.append(pair)
        if self.rng.random() < 0.3:
            self.retain(pair)

    def retain(self, pair: Pair) -> None:
        """Once or twice; to say it again, and of a leaf, changes nothing."""
        for same in self.pool:
            same.is_retained |= same.theirs is pair.theirs
        for _ in range(int(self.rng.integers(1, 3))):
            pair.ours.retain_grad()
            pair.theirs.retain_grad()

    def retain_later(self) -> None:
        """Of what was used already, too."""
        self.retain(self.pick())

    def backward(self) -> None:
        """Of a pure number, in one of several units of these."""
        pair = self.pick()
        unit = str(self.rng.choice(list(SHARES)))
        ours = (pair.ours * pair.ours.conj()).sum().real / DimArray(1.0, pair.ours.unit**2)
        theirs = (pair.theirs * pair.theirs.conj()).sum().real / pair_scale(pair)
        if not theirs.requires_grad:
            return
        ours = ours.to(unit)
        seed = float(self.rng.choice([1.0, -2.0, 0.5]))
        way = int(self.rng.integers(3))
        given: dict[str, Any] = {"retain_graph": True}
        theirs_given: dict[str, Any] = {"retain_graph": True}
        if way == 1 and not any(p.is_retained for p in self.pool):  # only into some of them
            chosen = [p for p in self.pool if p.is_leaf and id(p) in pair.roots]
            chosen = chosen[: int(self.rng.integers(1, 3))]
            if not chosen:
                return
            given["inputs"] = [p.ours for p in chosen] if len(chosen) > 1 else chosen[0].ours
            theirs_given["inputs"] = [p.theirs for p in chosen]
        if way == 2:
            ours.backward(DimArray(seed * 100, "percent").to_backend(self.library), **given)
            theirs.backward(torch.tensor(seed, dtype=theirs.dtype), **theirs_given)
        else:
            ours.backward(**given)
            theirs.backward(**theirs_given)

    def reset(self) -> None:
        pair = self.pick()
        if not pair.is_leaf:
            return
        way = int(self.rng.integers(3))
        if way == 0:
            pair.ours.grad = None
        elif way == 1:
            del pair.ours.grad
        if way < 2:
            pair.theirs.grad = None
            return
        numbers = np.ones(pair.ours.shape, plain(pair.theirs).dtype)
        unit = Unit("percent") / pair.ours.unit
        pair.ours.grad = DimArray(numbers, unit).to_backend(self.library)
        pair.theirs.grad = torch.tensor(numbers * unit.scale)

    def write(self) -> None:
        """A step of an optimizer on what nothing depends on yet: PyTorch keeps no older values."""
        pair = self.pool[int(self.rng.integers(len(LEAVES)))]
        if pair.theirs.grad is None or any(id(pair) in p.roots for p in self.pool[len(LEAVES) :]):
            return
        same = pair.ours
        scale = pair.ours.unit.scale
        with dimflow.no_grad(), torch.no_grad():
            pair.ours -= pair.ours.grad * DimArray(0.001 / scale**2, pair.ours.unit**2) * scale**2
            step = 0.001 * pair.theirs.grad * scale**2
            pair.theirs -= step if pair.is_pytorchs else step.conj()  # as in `check`
        assert pair.ours is same

    def copied(self) -> None:
        """A copy has the values and gradients, and is a leaf of its own."""
        pair = self.pool[int(self.rng.integers(len(LEAVES)))]
        mine = copy.deepcopy(pair.ours)
        before = None if mine.grad is None else si(mine.grad).copy()
        assert mine.is_leaf
        assert mine.requires_grad
        assert (before is None) is (pair.ours.grad is None)
        if before is not None:
            np.testing.assert_array_equal(before, si(pair.ours.grad))
        one = DimArray(1.0, mine.unit**-2).to_backend(self.library)
        (mine * mine.conj()).sum().real.backward(one)
        pair.check()
        wanted = si(mine) if pair.is_pytorchs else si(mine).conj()
        wanted = 2 * wanted / mine.unit.scale**2 + (0 if before is None else before)
        size = 0 if before is None else np.abs(before).max()
        np.testing.assert_allclose(si(mine.grad), wanted, rtol=1e-9, atol=1e-12 * size + 1e-12)

    def step(self) -> None:
        moves = [
            self.combine,
            self.retain_later,
            self.backward,
            self.reset,
            self.write,
            self.copied,
        ]
        chances = [0.45, 0.15, 0.25, 0.05, 0.05, 0.05]
        moves[int(self.rng.choice(len(moves), p=chances))]()
        for pair in self.pool:
            pair.check(self.rounding())

    def rounding(self) -> float:
        """What may be left where a pass takes away what others gathered, up to 1e29 of it."""
        if not self.is_long:
            return 1e-10
        kept = [p.theirs for p in self.pool if p.theirs.is_leaf or p.theirs.retains_grad]
        sizes = [float(t.grad.abs().max()) for t in kept if t.grad is not None]
        self.largest = max([self.largest, *sizes])
        return max(1e-10, 1e-14 * self.largest)


def pair_scale(pair: Pair) -> float:
    return float(pair.ours.unit.scale) ** 2


def _is_tame(tensor: Any) -> bool:
    """Numbers that rounding does not blow up."""
    size = tensor.detach().abs()
    return bool(((size > 1e-4) & (size < 1e4)).all()) and tensor.numel() < 40


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("seed", range(25))
def test_gradients_after_every_step_are_pytorchs(seed: int, library: str) -> None:
    program = Program(seed, library)
    for _ in range(30):
        program.step()


@pytest.mark.deep
@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_gradients_after_every_step_of_longer_programs(seed: int, library: str) -> None:
    program = Program(seed, library, is_long=True)
    for _ in range(80):
        program.step()


def test_a_record_is_freed_with_the_pass_unless_it_is_kept() -> None:
    x = DimArray([1.0, 2.0], "m").requires_grad_()
    y = (x * x).sum()
    y.backward()
    with pytest.raises(ComputationError):
        y.backward()
    with pytest.raises(UnitError):
        y.backward(create_graph=True)
