"""Laws of derivatives: the record's rule on a library's arrays, and the library's own."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import dimflow
from dimflow.errors import DimflowError
from dimflow.ops.rules.derivatives import Zero
from tests.contract.batches import batch_of
from tests.contract.deviations import REFUSED_DERIVATIVES
from tests.contract.evaluate import is_inexact, leaves, quietly, run
from tests.contract.finite_differences import (
    differentiable_places,
    random_tangents,
    tangent_of,
)
from tests.contract.libraries.gauge import TURNED, turns
from tests.contract.libraries.trial import SINGLE, Trial, single
from tests.contract.modes import TWICE, back, forward, program, reverse_over_reverse
from tests.contract.samples import DEEP, SEEDS, Case, edge_cases

REFUSALS = (DimflowError, NotImplementedError, RuntimeError, TypeError, ValueError)
_DOUBLE = 1e-7


def places_of(trial: Trial) -> list[int]:
    """The arguments to differentiate by, which are arrays."""
    if not trial.case.smooth or trial.draws:
        return []
    places = differentiable_places(trial.op, trial.case)
    return [i for i in places if isinstance(trial.case.args[i], (np.ndarray, np.generic))]


def has_rule(trial: Trial) -> bool:
    """Whether the record has a derivative of its own that is not zero."""
    rule = trial.op.derivative
    return rule is not None and not isinstance(rule, Zero) and bool(places_of(trial))


def rtol_of(trial: Trial) -> float:
    return 50 * SINGLE if trial.library.dtype == np.float32 else _DOUBLE


def rule_agrees(trial: Trial) -> None:
    """The tangent by the rule, on arrays of the library as on NumPy's."""
    op, case, library = trial.op, trial.case, trial.library
    tangents = _of_precision(random_tangents(op, case, places_of(trial)), case.args)
    wanted = quietly(tangent_of, op, tangents, case.args, case.params)
    given = tuple(library.array(t) for t in tangents)
    got = quietly(tangent_of, op, given, trial.args, case.params)
    factors = turns(op.name, leaves(library.numbers(trial.result)), leaves(trial.expected))
    turned = [
        (a, b if isinstance(f, int) or b is None else np.conj(f) * b)
        for a, b, f in zip(leaves(got), leaves(wanted), factors, strict=True)
    ]
    present = [(a, b) for a, b in turned if a is not None and b is not None and is_inexact(b)]
    assert all(library.owns(a) for a, _ in present), case.label
    for a, b in present:
        trial.is_close(a, b, rtol_of(trial))


def _of_precision(tangents: tuple[Any, ...], args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        None if t is None else np.asarray(t, np.asarray(a).dtype)
        for t, a in zip(tangents, args, strict=True)
    )


def has_engine(trial: Trial) -> bool:
    """Whether there is something to differentiate: by a rule, or through the definition."""
    return (
        not isinstance(trial.op.derivative, Zero)
        and trial.op.name not in REFUSED_DERIVATIVES
        and bool(places_of(trial))
        and any(is_inexact(leaf) for leaf in leaves(trial.expected))
    )


def has_native(trial: Trial) -> bool:
    """Whether the library differentiates too."""
    return trial.library.backend.differentiates and has_engine(trial)


class Pair:
    """A sample as a function of arrays of NumPy and of a library, with random directions.

    Results of free sign come in that of each library: their cotangents turn with them.
    """

    def __init__(self, trial: Trial, places: list[int] | None = None) -> None:
        self.trial = trial
        places = places_of(trial) if places is None else places
        own = trial.case._replace(args=trial.args)
        self.ours = program(trial.op, trial.case, places)
        found = leaves(trial.library.numbers(trial.result))
        factors = turns(trial.op.name, found, leaves(trial.expected))
        smooth = [k for k, leaf in enumerate(leaves(trial.expected)) if is_inexact(leaf)]
        self.factors = [factors[k] for k in smooth]

        def function(*chosen: Any) -> Any:
            args = list(own.args)
            for i, value in zip(places, chosen, strict=True):
                args[i] = value
            results = leaves(run(trial.op, args, own.params))
            return tuple(results[k] for k in smooth)

        args = tuple(trial.args[i] for i in places)
        self.theirs = self.ours._replace(function=function, args=args)
        self.given = self.ours.cotangents(4000)
        self.turned = tuple(ct * f for ct, f in zip(self.given, self.factors, strict=True))

    def to_library(self, values: Any) -> tuple[Any, ...]:
        return tuple(self.trial.library.array(v) for v in values)

    def agrees(self, got: Any, wanted: Any, scale: float = 1.0) -> None:
        """Numbers for the arguments, as exact as the precision; None counts as zeros."""
        trial = self.trial
        rtol = scale * rtol_of(trial)
        largest = max(float(np.abs(ct).max(initial=0.0)) for ct in self.given)
        noise = 1e-2 * rtol * largest  # where terms cancel, as in the variance of one number
        for value, found, want in zip(self.ours.args, got, wanted, strict=True):
            found = np.zeros_like(value) if found is None else trial.library.numbers(found)
            want = np.zeros_like(value) if want is None else want
            assert np.shape(found) == np.shape(value), f"{trial.case.label}: {np.shape(found)}"
            trial.is_close(found, np.asarray(want).astype(np.asarray(found).dtype), rtol, noise)


def own_engine_agrees(trial: Trial) -> None:
    """Cotangents by our engine on the library's arrays: of their library and dtype, as on NumPy."""
    pair = Pair(trial)
    wanted = quietly(back, pair.ours, pair.turned)
    got = quietly(back, pair.theirs, pair.to_library(pair.given))
    for value, found in zip(pair.theirs.args, got, strict=True):
        assert trial.library.owns(found), f"{trial.case.label}: {type(found)}"
        dtypes = trial.library.dtype_of(found), trial.library.dtype_of(value)
        assert dtypes[0] == dtypes[1], f"{trial.case.label}: {dtypes[0]} for {dtypes[1]}"
    pair.agrees(got, wanted)


def second_order_agrees(trial: Trial) -> None:
    """How our cotangents change with the arguments, on the library's arrays as on NumPy's."""
    pair = Pair(trial)
    tangents = pair.ours.tangents()
    wanted = quietly(reverse_over_reverse, pair.ours, pair.turned, tangents)
    given = pair.to_library(pair.given), pair.to_library(tangents)
    for way in TWICE.values():
        pair.agrees(quietly(way, pair.theirs, *given), wanted, scale=20.0)


def native_agrees(trial: Trial) -> None:
    """Cotangents by the library's reverse mode, and by our engine on NumPy; complex ones too."""
    _native_agrees(Pair(trial))


def native_agrees_beside_numbers(trial: Trial) -> None:
    """The same, and with one argument a bare number, as a constant is in a program."""
    for pair in (Pair(trial), *_beside_numbers(trial)):
        _native_agrees(pair)


def _native_agrees(pair: Pair) -> None:
    wanted = quietly(back, pair.ours, pair.turned)
    pair.agrees(quietly(native_pull, pair), wanted)


def _beside_numbers(trial: Trial) -> Iterator[Pair]:
    places = [i for i, a in enumerate(trial.case.args) if is_inexact(a)]
    costs = trial.library.name == "jax" and not DEEP
    if trial.op.kind != "elementwise" or trial.index or len(places) < 2 or costs:
        return
    for i in places:
        args = list(trial.case.args)
        args[i] = np.asarray(args[i]).ravel()[0].item()
        label = f"{trial.case.label}, with a number for argument {i}"
        other = trial.of_dtype(trial.case._replace(args=tuple(args), label=label))
        yield Pair(other, [j for j in places if j != i])


def native_pull(pair: Pair) -> Any:
    """The cotangents of the arguments by the library's reverse mode."""
    _, pull = pair.trial.library.backend.vjp(pair.theirs.function, pair.theirs.args)
    found = pull(pair.to_library(pair.given))
    return found if isinstance(found, (tuple, list)) else (found,)


def complex_agrees(trial: Trial) -> None:
    """The same of complex numbers, where the op takes them on both sides."""
    turned = tuple(_turned(a) for a in trial.case.args)
    label = f"{trial.case.label}, turned in the complex plane"
    other = trial.of_dtype(trial.case._replace(args=turned, label=label))
    try:
        pair = Pair(other)
        wanted = quietly(back, pair.ours, pair.turned)
    except Exception:  # it is for real numbers, here or there, or NumPy's derivative is
        return
    try:
        got = quietly(native_pull, pair)
    except (RuntimeError, TypeError, ValueError, NotImplementedError):  # the library says no
        return
    pair.agrees(got, wanted)


def _turned(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f":
        return (value * np.exp(0.3j)).astype(np.result_type(value.dtype, np.complex64))
    return value


def native_forward_agrees(trial: Trial) -> None:
    """Tangents by the library's forward mode, and by our engine on NumPy."""
    pair = Pair(trial)
    tangents = pair.ours.tangents()
    wanted = quietly(forward, pair.ours, tangents)
    moved = pair.to_library(tangents)
    jvp = trial.library.backend.jvp
    _, got = quietly(jvp, pair.theirs.function, pair.theirs.args, moved)
    for found, want, factor in zip(got, wanted, pair.factors, strict=True):
        want = want if isinstance(factor, int) else np.conj(factor) * want
        trial.is_close(found, want, rtol_of(trial), 1e-2 * rtol_of(trial))


def native_agrees_at_edges(trial: Trial) -> None:
    """Both native modes where formulas change sides, such as 0.5, and the op itself is smooth."""
    case = _smooth_edges(trial)
    if case is not None:
        other = trial.of_dtype(single(case) if trial.library.dtype == np.float32 else case)
        native_agrees(other)
        native_forward_agrees(other)


def _smooth_edges(trial: Trial, step: float = 1e-6) -> Case | None:
    """The edge values from which the slopes to the left and to the right are one."""
    case = edge_cases(trial.op.name)[0]
    args = [np.asarray(a) for a in case.args]
    smooth = np.all([np.isfinite(a) for a in args], axis=0)
    with np.errstate(all="ignore"):
        at = np.asarray(run(trial.op, args, case.params))
        for i in [i for i, a in enumerate(args) if a.dtype.kind == "f"]:
            slopes = []
            for h in (step, -step):
                moved = [a + h if j == i else a for j, a in enumerate(args)]
                slopes.append((np.asarray(run(trial.op, moved, case.params)) - at) / h)
            smooth &= np.isclose(*slopes, rtol=1e-4, atol=1e-4) & (np.abs(slopes[0]) < 1 / step)
    found = tuple(a[smooth] for a in args)
    return case._replace(args=found, smooth=True) if smooth.any() else None


def has_batches(trial: Trial) -> bool:
    """Whether the library batches and differentiates an op whose results are determined."""
    costs = trial.library.name == "jax" and not DEEP  # it compiles each op of each shape
    return has_native(trial) and trial.op.name not in TURNED and not costs


def native_batches_agree(trial: Trial) -> None:
    """A batch by the library, its cotangents, and a batch of cotangents: those of each call.

    An argument that all calls share gets the sum from a batch. A refusal is no wrong number.
    """
    batch = batch_of(trial.op.name, trial.index, SEEDS[0])
    trial = trial.of_dtype(single(batch[0]) if trial.library.dtype == np.float32 else batch[0])
    pair, places = Pair(trial), places_of(trial)
    each = [_of_precision(tuple(c.args[i] for i in places), pair.ours.args) for c in batch]
    for shared in (None, *(range(len(places)) if len(places) > 1 else ())):
        axes = tuple(None if k == shared else 0 for k in range(len(places)))
        rows = [tuple(each[0][k] if k == shared else a for k, a in enumerate(r)) for r in each]
        columns = enumerate(zip(*rows, strict=True))
        stacked = [rows[0][k] if k == shared else np.stack(a) for k, a in columns]
        wanted = _of_batch(pair, rows, shared)
        for name, way in _by_library(pair, axes, pair.to_library(stacked), len(batch)).items():
            try:
                found = quietly(way)
            except REFUSALS:
                continue
            for k, (got, want) in enumerate(zip(found, wanted[name], strict=True)):
                rtol = 5 * rtol_of(trial)
                noise = rtol * max(np.abs(want).max(initial=0.0), 1.0)
                what = f"{trial.case.label}: {name} along {axes}, number {k}"
                numbers = trial.library.numbers(got)
                np.testing.assert_allclose(numbers, want, rtol, atol=noise, err_msg=what)


def _of_batch(pair: Pair, rows: Any, shared: int | None) -> dict[str, list[Any]]:
    """By NumPy, call after call."""
    values = [quietly(pair.ours.function, *row) for row in rows]
    cotangents = [quietly(back, pair.ours._replace(args=row), pair.given) for row in rows]
    each = [np.stack([np.asarray(ct) for ct in cts]) for cts in zip(*cotangents, strict=True)]
    return {
        "a batch": [np.stack(parts) for parts in zip(*values, strict=True)],
        "cotangents in a batch": each,
        "cotangents of a batch": [e.sum(axis=0) if k == shared else e for k, e in enumerate(each)],
    }


def _by_library(pair: Pair, axes: Any, args: Any, size: int) -> dict[str, Callable[[], Any]]:
    function, cts = pair.theirs.function, pair.to_library(pair.given)
    many = pair.to_library([np.stack([ct] * size) for ct in pair.given])
    batched = dimflow.vmap(function, in_axes=axes, engine="native")

    def cotangents(*values: Any) -> Any:
        return dimflow.vjp(function, *values, engine="native")[1](cts)

    return {
        "a batch": lambda: batched(*args),
        "cotangents in a batch": lambda: dimflow.vmap(cotangents, axes, engine="native")(*args),
        "cotangents of a batch": lambda: dimflow.vjp(batched, *args, engine="native")[1](many),
    }
