"""Determinants on NumPy."""

from typing import Any

import numpy as np


def adjugate(x: Any, /) -> Any:
    """By singular values: adj(U S Vᴴ) = det(U) det(Vᴴ) V adj(S) Uᴴ, exact for singular x too."""
    u, s, vh = np.linalg.svd(x)
    before = np.ones_like(s)
    after = np.ones_like(s)
    np.cumprod(s[..., :-1], axis=-1, out=before[..., 1:])
    np.cumprod(s[..., :0:-1], axis=-1, out=after[..., -2::-1])
    phase = np.linalg.det(u) * np.linalg.det(vh)
    v, uh = np.conj(np.swapaxes(vh, -1, -2)), np.conj(np.swapaxes(u, -1, -2))
    return np.matmul(v * (phase[..., None, None] * (before * after)[..., None, :]), uh)
