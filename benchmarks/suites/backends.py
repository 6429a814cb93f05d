"""Units over PyTorch, JAX and MLX against the raw libraries and two peers: times and counts."""

from collections.abc import Callable
from typing import Any, NamedTuple

from benchmarks import tensors
from benchmarks.race import Effort, Race, Sampler, Suite, WrongAnswer
from benchmarks.statement import repeated
from benchmarks.tensors import RAW, Maker
from benchmarks.texts import Exponents

SMALL, LARGE = 10, 10**6
TORCH, TORCH_LARGE = "PyTorch, 10 elements", "PyTorch, 10⁶ elements"
JAX, MLX, COUNTS = "JAX, 10 elements", "MLX, 10 elements", "what is traced"
_LONGER = 4  # samples of large arrays

LENGTH: Exponents = (1, 0, 0, 0, 0)
ROOT: Exponents = (0.5, 0, 0, 0, 0)
LENGTH_TIME: Exponents = (1, 0, 1, 0, 0)
ENERGY: Exponents = (2, 1, -2, 0, 0)
MOMENTUM: Exponents = (1, 1, -1, 0, 0)


class Row(NamedTuple):
    """A statement on arrays of one library. The truth is NumPy's answer in SI units."""

    group: str
    backend: str
    name: str
    statement: str  # in our spelling
    exponents: Exponents
    truth: str = ""  # the statement itself, if empty
    goal_ratio: float | None = None
    goal_more: float | None = None
    size: int = SMALL
    others: dict[str, str] = {}
    refused: dict[str, str] = {}
    unlabelled: tuple[str, ...] = ()  # whose result has no unit

    def said(self, name: str) -> str:
        return self.others.get(name, self.statement)

    def namespaces(self) -> dict[str, tuple[Maker, dict[str, Any]]]:
        """What each contender's statement can use."""
        convert = tensors.converter(self.backend)
        raw = {name: convert(data) for name, data in tensors.numbers(self.size).items()}
        return {
            maker.name: (maker, {**tools(self.backend, maker), **maker.arrays(raw)})
            for maker in tensors.makers(self.backend)
            if maker.name not in self.refused
        }

    def check(self, contenders: dict[str, tuple[Maker, dict[str, Any]]]) -> None:
        """Every answer is right."""
        known = tensors.truth(tensors.numbers(self.size))
        values = eval(self.truth or self.statement, {**known, **_NUMPY})
        for maker, namespace in contenders.values():
            said = self.said(maker.name)
            exponents = None if maker.name in self.unlabelled else self.exponents
            maker.check(eval(said, namespace), values, exponents, said)

    def race(self, effort: Effort) -> Race:
        contenders = self.namespaces()
        is_large = self.size >= LARGE
        threads = is_large or self.backend == "mlx"  # the work is done by others
        seconds = effort.seconds * (_LONGER if is_large else 1)
        return Race(
            self.group,
            self.name,
            self.statement,
            {
                name: repeated(self.said(name), namespace, seconds, threads=threads)
                for name, (_, namespace) in contenders.items()
            },
            check=lambda: self.check(contenders),
            rounds=max(3, effort.rounds // 2) if is_large else effort.rounds,
            base=RAW,
            goal_ratio=self.goal_ratio,
            goal_more=self.goal_more,
            size=self.size,
            refused=self.refused,
        )


def _numpy() -> dict[str, Any]:
    import numpy as np

    return {"sqrt": np.sqrt, "product": lambda x, y: x * y, "energy": kinetic}


def kinetic(m: Any, v: Any) -> Any:
    """½mv², the program that is traced and differentiated."""
    return (0.5 * m * v**2).sum()


_NUMPY = _numpy()


def tools(backend: str, maker: Maker) -> dict[str, Any]:
    """Functions under one name for all: the library's own, or the contender's."""
    if backend == "torch":
        return _torch_tools(maker)
    if backend == "jax":
        return _jax_tools(maker)
    import mlx.core as mx

    if maker.name == RAW:
        return {"evaluated": _evaluated(mx.eval, lambda x: x)}
    return {"evaluated": _evaluated(mx.eval, lambda x: x.data)}


def _evaluated(run: Callable[[Any], Any], raw: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The array, when its numbers are there."""

    def evaluated(array: Any) -> Any:
        run(raw(array))
        return array

    return evaluated


def _torch_tools(maker: Maker) -> dict[str, Any]:
    import torch

    return {"sqrt": _root(maker, torch.sqrt), "slope": slope_by(maker)}


def _root(maker: Maker, raw: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The square root as users of the contender write it."""
    import saiunit

    import dimflow

    found = {RAW: raw, "dimflow": dimflow.sqrt, "saiunit": saiunit.math.sqrt}
    return found.get(maker.name) or (lambda x: x.sqrt())


def slope_by(maker: Maker) -> Callable[[Any, Any], Any]:
    """dE/dv by forward and backward, of a leaf that stays, as a parameter does in training."""
    leaves: dict[int, Any] = {}

    def of_arrays(m: Any, v: Any) -> Any:
        leaf = leaves.get(id(v))
        if leaf is None:
            leaf = leaves[id(v)] = v.detach().requires_grad_()
        holder = leaf.data if maker.name == "dimtensor" else leaf  # whose grad cannot be set
        holder.grad = None  # so that gradients do not add up
        kinetic(m, leaf).backward()
        return leaf.grad

    def of_quantities(m: Any, v: Any) -> Any:
        leaf, quantity = leaves.get(id(v)) or (None, None)
        if leaf is None:
            leaf = v.mantissa.detach().requires_grad_()
            quantity = maker.make(leaf, v.unit)
            leaves[id(v)] = leaf, quantity
        leaf.grad = None
        kinetic(m, quantity).mantissa.backward()
        return leaf.grad

    return of_quantities if maker.name == "saiunit" else of_arrays


def _jax_tools(maker: Maker) -> dict[str, Any]:
    import jax
    import jax.numpy as jnp

    product = jax.jit(lambda x, y: x * y)
    root = _root(maker, jnp.sqrt)
    return {"sqrt": root, "product": product, "energy": jax.jit(kinetic)}


_KM: dict[str, Any] = {"others": {RAW: "x + k * 1000.0"}}

ROWS = [
    Row(TORCH, "torch", "product", "x * y", LENGTH_TIME, goal_ratio=1.5),
    Row(TORCH, "torch", "sum, same unit", "x + z", LENGTH),
    Row(TORCH, "torch", "sum, m + km", "x + k", LENGTH, truth="x + k", **_KM),
    Row(TORCH, "torch", "square root", "sqrt(x)", ROOT),
    Row(
        TORCH,
        "torch",
        "forward and backward",
        "slope(m, v)",
        MOMENTUM,
        truth="m * v",
        goal_ratio=1.3,
        unlabelled=("saiunit", "dimtensor"),
    ),
    Row(TORCH_LARGE, "torch", "product", "x * y", LENGTH_TIME, size=LARGE),
    Row(TORCH_LARGE, "torch", "½mv²", "0.5 * m * v**2", ENERGY, size=LARGE),
    Row(JAX, "jax", "product", "x * y", LENGTH_TIME, goal_ratio=1.4),
    Row(JAX, "jax", "sum, same unit", "x + z", LENGTH),
    Row(JAX, "jax", "square root", "sqrt(x)", ROOT),
    Row(JAX, "jax", "a jitted call", "product(x, y)", LENGTH_TIME, goal_more=1.2e-6),
    Row(JAX, "jax", "½mv², jitted", "energy(m, v)", ENERGY),
    Row(MLX, "mlx", "product", "evaluated(x * y)", LENGTH_TIME, truth="x * y"),
    Row(MLX, "mlx", "½mv²", "evaluated(0.5 * m * v**2)", ENERGY, truth="0.5 * m * v**2"),
]


def races(effort: Effort) -> list[Race]:
    return [*(row.race(effort) for row in ROWS), *counts(effort)]


def counts(effort: Effort) -> list[Race]:
    """Equations and nodes of the same program, with units and without."""
    return [
        _count("equations of the jaxpr", "jax", equations, effort),
        _count("nodes of the graph", "torch", nodes, effort),
    ]


def _count(name: str, backend: str, count: Callable[[Any, Any], int], effort: Effort) -> Race:
    row = Row(COUNTS, backend, name, "(0.5 * m * v**2).sum()", ENERGY)
    found: dict[str, int] = {}
    for maker, namespace in row.namespaces().values():
        if maker.name in ("dimflow", RAW):
            found[maker.name] = count(namespace["m"], namespace["v"])

    def check() -> None:
        if min(found.values()) < 3:
            raise WrongAnswer(f"{name}: {found} for a product, a power and a sum")

    entries: dict[str, Sampler] = {key: _constant(value) for key, value in found.items()}
    return Race(
        COUNTS, f"{name} ({backend})", row.statement, entries, check=check, rounds=3, unit="n",
        base=RAW, goal_ratio=1.0, warm_up=False,
        refused=dict.fromkeys(("saiunit", "dimtensor"), "is not counted"),
    )  # fmt: skip


def _constant(value: int) -> Sampler:
    return lambda turn: float(value)


def equations(m: Any, v: Any) -> int:
    """How many equations JAX traces."""
    import jax

    return len(jax.make_jaxpr(kinetic)(m, v).eqns)


def nodes(m: Any, v: Any) -> int:
    """How many calls there are in the graph that PyTorch captures in one piece."""
    import torch

    found: list[int] = []

    def counting(graph: Any, inputs: Any) -> Any:
        found.append(sum(node.op.startswith("call") for node in graph.graph.nodes))
        return graph.forward

    torch._dynamo.reset()
    torch.compile(kinetic, backend=counting, fullgraph=True)(m, v)
    return sum(found)


SUITE = Suite(
    name="backends",
    title="Array libraries",
    about="""\
One statement on arrays of PyTorch, JAX and MLX in single precision, on a CPU. Ratios are to the raw
library, which does the same without units; where units have to be converted it multiplies by 1000.
A jitted call may take a fixed time longer than the raw one: what it costs to take the arrays apart
and to put them together. MLX is lazy, so its numbers are evaluated in the statement. Forward and
backward is the gradient of ½mv² by v, a leaf that stays as parameters do; making a new leaf each
time costs more (1.58 times raw, measured on a busy machine). What is traced is counted: equations
of the jaxpr and calls in the graph that `torch.compile(fullgraph=True)` captures, for a program
with units and without.
Every answer is compared with NumPy's in SI units, and its dimension with physics. Times are the CPU
time of the calling thread, which does the work of ten elements by itself; of MLX and of 10⁶
elements, where other threads work, they are those of the wall clock.""",
    packages=("dimflow", "torch", "jax", "mlx", "saiunit", "dimtensor", "numpy"),
    races=races,
)
