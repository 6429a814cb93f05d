"""Laws of derivatives: the record's rule on a library's arrays, and the library's own."""

from typing import Any

import numpy as np

from dimflow.backends import Backend
from dimflow.ops.rules.derivatives import Zero
from tests.contract.carrier import primal
from tests.contract.deviations import REFUSED_DERIVATIVES
from tests.contract.evaluate import is_inexact, leaves, quietly, run
from tests.contract.finite_differences import (
    differentiable_places,
    like,
    random_tangents,
    tangent_of,
)
from tests.contract.libraries.gauge import turns
from tests.contract.libraries.trial import SINGLE, Trial
from tests.contract.reverse import Recorded, cotangents
from tests.contract.samples import generator

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


def has_native(trial: Trial) -> bool:
    """Whether the library differentiates, and the sample is of real numbers.

    Of complex ones some libraries give the conjugate of what others do.
    """
    kind = type(trial.library.backend)
    if kind.vjp is Backend.vjp or isinstance(trial.op.derivative, Zero):
        return False
    if trial.op.name in REFUSED_DERIVATIVES or not places_of(trial):
        return False
    values = [*trial.case.args, *leaves(trial.expected)]
    is_real = all(a is None or np.asarray(a).dtype.kind != "c" for a in values)
    return is_real and any(is_inexact(leaf) for leaf in leaves(trial.expected))


def native_agrees(trial: Trial) -> None:
    """Cotangents by the library's reverse mode, and by the records' rules on NumPy."""
    op, case, library = trial.op, trial.case, trial.library
    places = places_of(trial)
    rng = generator(op, 4000)
    smooth = [k for k, leaf in enumerate(leaves(trial.expected)) if is_inexact(leaf)]
    given = {k: _drawn(rng, leaves(trial.expected)[k]) for k in smooth}
    factors = turns(op.name, leaves(library.numbers(trial.result)), leaves(trial.expected))
    mirrored = {k: given[k] * factors[k] for k in smooth}  # for NumPy's signs

    def function(*chosen: Any) -> Any:
        args = list(trial.args)
        for i, value in zip(places, chosen, strict=True):
            args[i] = value
        found = leaves(run(op, args, case.params))
        kept = tuple(found[k] for k in smooth)
        return kept if len(kept) > 1 else kept[0]

    def pulled() -> Any:
        _, pull = library.backend.vjp(function, tuple(trial.args[i] for i in places))
        cts = tuple(library.array(given[k]) for k in smooth)
        return pull(cts if len(cts) > 1 else cts[0])

    sources = [Recorded(a) if i in places else a for i, a in enumerate(case.args)]
    results = leaves(quietly(run, op, sources, case.params))
    recorded = [mirrored.get(k) if isinstance(r, Recorded) else None for k, r in enumerate(results)]
    wanted = quietly(cotangents, results, recorded, [sources[i] for i in places])
    assert [np.shape(primal(r)) for r in results] == [np.shape(e) for e in leaves(trial.expected)]
    largest = max(float(np.abs(ct).max(initial=0.0)) for ct in given.values())
    noise = 1e-2 * rtol_of(trial) * largest  # where terms cancel, as in the variance of one number
    for i, got, want in zip(places, quietly(pulled), wanted, strict=True):
        shape = np.shape(case.args[i])
        want = np.zeros(shape) if want is None else np.asarray(want)
        got = np.zeros(shape) if got is None else library.numbers(got)
        want = want.astype(np.asarray(got).dtype)
        trial.is_close(got, want, rtol_of(trial), noise)


def _drawn(rng: Any, value: Any) -> Any:
    return np.asarray(like(rng, value), np.asarray(value).dtype)
