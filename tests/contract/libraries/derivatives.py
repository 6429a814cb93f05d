"""Laws of derivatives: the record's rule on a library's arrays, and the library's own."""

from typing import Any

import numpy as np

from dimflow.ops.rules.derivatives import Zero
from tests.contract.deviations import REFUSED_DERIVATIVES
from tests.contract.evaluate import is_inexact, leaves, quietly, run
from tests.contract.finite_differences import (
    differentiable_places,
    random_tangents,
    tangent_of,
)
from tests.contract.libraries.gauge import turns
from tests.contract.libraries.trial import SINGLE, Trial
from tests.contract.modes import TWICE, back, forward, program, reverse_over_reverse

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

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        places = places_of(trial)
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
    pair = Pair(trial)
    wanted = quietly(back, pair.ours, pair.turned)
    pair.agrees(quietly(native_pull, pair), wanted)


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
