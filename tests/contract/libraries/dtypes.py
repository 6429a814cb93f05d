"""The law of dtypes: those of the raw library's own function, or else NumPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow.ops import Op
from tests.contract.evaluate import leaves
from tests.contract.libraries.library import Library
from tests.contract.libraries.trial import Trial, single
from tests.contract.samples import cast

DTYPES = (np.float64, np.float32, np.int64, np.bool_, np.complex128)

# NumPy makes these double whatever it is given, or beside a bare number; others need not.
_WIDENED = frozenset(
    {"bincount", "corrcoef", "cov", "diff", "dot", "fftfreq", "inner", "integer_sums", "interp"}
    | {"rfftfreq"}
)

# Beside elementwise ops, those that libraries call by one array.
_FOLDS = frozenset({"sum", "prod", "mean", "max", "min", "all", "any"})


def are_those_of_library(trial: Trial) -> None:
    """As the library's own function gives them for many dtypes; in two precisions as NumPy does."""
    raw = raw_function(trial.library, trial.op)
    if raw is not None and is_plain(trial):
        _compare_with_raw(trial, raw)
    else:
        _compare_with_numpy(trial)


def is_plain(trial: Trial) -> bool:
    """Whether the library's function is called by arrays alone."""
    op = trial.op
    if op.name in _FOLDS:
        return len([a for a in trial.case.args if a is not None]) == 1
    return op.kind == "elementwise" and len(op.signature.parameters) == len(op.array_names)


def raw_function(library: Library, op: Op) -> Callable[..., Any] | None:
    """What the library has for an op under the name in its record."""
    if library.name == "torch":
        import torch

        return _found(torch, op.hosts.torch)
    if library.name == "jax":
        import jax.numpy as jnp

        return _found(jnp, op.hosts.numpy)
    if library.name == "cupy":
        import cupy

        return _found(cupy, op.hosts.numpy)
    if library.name == "dask":  # its blocks are NumPy's: lazily all is as it is at once
        return lambda *args: op(*map(library.numbers, args))
    name = op.hosts.array_api if op.hosts.is_direct else None
    return _found(library.backend.namespace, name)


def _found(namespace: Any, name: str | None) -> Callable[..., Any] | None:
    for part in (name or "absent").split("."):
        namespace = getattr(namespace, part, None)
    return namespace  # type: ignore[no-any-return]


def _compare_with_raw(trial: Trial, raw: Callable[..., Any]) -> None:
    compared = 0
    dtype_of = trial.library.backend.dtype
    for dtype in DTYPES:
        case = cast(trial.case, dtype)
        try:
            args = [trial.library.array(a) for a in case.args if a is not None]
            wanted = [dtype_of(leaf) for leaf in leaves(raw(*args))]
        except Exception:  # what the library does not take, ours need not take
            continue
        other = trial.of_dtype(case._replace(params={**case.params, **_no_axis(trial)}))
        got = [dtype_of(leaf) for leaf in leaves(other.result)]
        assert got == wanted, f"{case.label}: {got}, not {wanted}"
        compared += 1
    if not compared:
        _compare_with_numpy(trial)


def _no_axis(trial: Trial) -> dict[str, Any]:
    return {"axis": None, "keepdims": False} if trial.op.name in _FOLDS else {}


def _compare_with_numpy(trial: Trial) -> None:
    """Real and complex numbers exactly; of integers each library has its own usual length."""
    alternatives = {trial.case.label: trial.case, "single": single(trial.case)}
    for case in alternatives.values():
        other = trial.of_dtype(case)
        got = [trial.library.dtype_of(leaf) for leaf in leaves(other.result)]
        wanted = [np.asarray(leaf).dtype for leaf in leaves(other.expected)]
        for g, w in zip(got, wanted, strict=True):
            is_exact = w.kind in "fc" and trial.op.name not in _WIDENED
            same = g == w if is_exact else _kind(g) == _kind(w)
            assert same, f"{case.label}: {g}, not {w}"


def _kind(dtype: Any) -> str:
    kind = np.dtype(dtype).kind
    return "i" if kind == "u" else kind
