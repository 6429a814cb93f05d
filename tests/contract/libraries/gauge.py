"""Results that are determined up to signs or phases: what libraries choose differently is undone.

An eigenvector times a number of modulus 1 is an eigenvector. Each is turned to the one that NumPy
found, together with what belongs to it: a row of R or of V† turns against its column of Q or U.
"""

from typing import Any

import numpy as np

# op -> which results hold vectors in columns, and which rows turn against them.
_COLUMNS_AND_ROWS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "eigh": ((1,), ()),
    "eig": ((1,), ()),
    "qr": ((0,), (1,)),
    "svd": ((0,), (2,)),
}
TURNED = frozenset(_COLUMNS_AND_ROWS)


def turns(name: str, actual: list[Any], expected: list[Any]) -> list[Any]:
    """What each result of a library is to be multiplied by; 1 for all that are determined."""
    factors: list[Any] = [1] * len(actual)
    columns, rows = _COLUMNS_AND_ROWS.get(name, ((), ()))
    for k in columns:
        if k < len(actual) and np.shape(actual[k]) == np.shape(expected[k]):
            inner = np.sum(np.conj(actual[k]) * expected[k], axis=-2)
            size = np.abs(inner)
            phase = np.where(size > 0, inner / np.where(size > 0, size, 1), 1)
            phase = phase.astype(np.asarray(actual[k]).dtype)
            factors[k] = phase[..., None, :]
            for j in rows:
                found = np.conj(phase)[..., :, None]
                factors[j] = np.ones_like(actual[j][..., :1])
                length = min(found.shape[-2], factors[j].shape[-2])
                factors[j][..., :length, :] = found[..., :length, :]
    return factors


def _orthonormal(vectors: Any, count: int) -> Any:
    """Columns past the singular values span what is left, in any way: how far they are from it."""
    if vectors.shape[-1] == count:
        return vectors
    rest = np.conj(np.swapaxes(vectors, -1, -2)) @ vectors - np.eye(vectors.shape[-1])
    return np.concatenate([vectors[..., :count], rest[..., count:]], axis=-1)


def _thin(name: str, parts: list[Any]) -> list[Any]:
    if name != "svd" or len(parts) != 3:
        return parts
    u, s, vh = parts
    count = s.shape[-1]
    rows = np.swapaxes(_orthonormal(np.swapaxes(vh, -1, -2), count), -1, -2)
    return [_orthonormal(u, count), s, rows]


def _ordered(parts: list[Any]) -> list[Any]:
    """Eigenvalues, and vectors with them, from the least to the largest: they come in any order."""
    values = np.asarray(parts[0])
    size = np.abs(values).max(initial=0.0) or 1.0
    places = np.lexsort((values.imag, np.round(values.real / size, 4)), axis=-1)
    ordered = [np.take_along_axis(values, places, axis=-1)]
    return ordered + [np.take_along_axis(v, places[..., None, :], axis=-1) for v in parts[1:]]


def comparable(name: str, actual: list[Any], expected: list[Any]) -> tuple[list[Any], list[Any]]:
    """Results of a library and of NumPy without what each may choose."""
    if len(actual) != len(expected):
        return actual, expected
    if name in ("eig", "eigvals"):
        actual, expected = _ordered(actual), _ordered(expected)
    if name not in _COLUMNS_AND_ROWS:
        return actual, expected
    left, right = _thin(name, actual), _thin(name, expected)
    return turned(name, left, right), right


def turned(name: str, actual: list[Any], expected: list[Any]) -> list[Any]:
    """The results of a library with their free phases as NumPy has them."""
    factors = turns(name, actual, expected)
    return [a if isinstance(f, int) else a * f for a, f in zip(actual, factors, strict=True)]
