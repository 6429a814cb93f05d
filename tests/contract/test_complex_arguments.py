"""Complex numbers beside a function of real ones: no library drops a part without a word.

NumPy says what takes them. Where it refuses, another library refuses too, or has a function of its
own that is right; where both answer, they answer alike.
"""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.special

from dimflow import ops
from dimflow.backends import backend
from dimflow.ops import Op

LIBRARIES = ("torch", "jax", "mlx", "array_api_strict", "dask")
NAMES = [op.name for op in ops.TABLE.values() if op.kind == "elementwise"]
NUMBERS = np.array([1 + 2j, -0.5 + 0.25j, 2 - 3j], np.complex64)

# What libraries compute and NumPy does not, by a hand that does
BEYOND_NUMPY = {
    "logaddexp": lambda x, y: np.log(np.exp(x) + np.exp(y)),
    "logaddexp2": lambda x, y: np.log2(np.exp2(x) + np.exp2(y)),
    "atan2": lambda x, y: np.arctan(x / y) + np.where(y.real < 0, -np.pi, 0.0),
    "deg2rad": lambda x: x * np.pi / 180,
    "radians": lambda x: x * np.pi / 180,
    "rad2deg": lambda x: x * 180 / np.pi,
    "degrees": lambda x: x * 180 / np.pi,
    "bessel_j0": lambda x: scipy.special.jv(0, x),
}
# Kinds of answers that no complex number changes: sizes and truth values
NO_PART_LOST = {"fabs", "isposinf", "isneginf", "bitwise_count"}


def answer(op: Op, values: list[Any]) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error")
        try:
            return op(*values)
        except Exception as error:  # refusing is honest, in whatever words the library has
            return error


def drops_a_part(name: str, library: str) -> str:
    """What a library answers to complex numbers, if that is no answer."""
    op = ops.get(name)
    own = [NUMBERS * (1 + i) for i in range(len(op.array_names))]
    home = backend(library)
    found = answer(op, [home.asarray(a) for a in own])
    if isinstance(found, Exception) or name in NO_PART_LOST:
        return ""
    wanted = answer(op, own)
    if isinstance(wanted, Exception):
        if name not in BEYOND_NUMPY:
            return f"{found} where NumPy says {wanted}"
        wanted = BEYOND_NUMPY[name](*own)
    every = zip(*[r if isinstance(r, tuple) else (r,) for r in (found, wanted)], strict=True)
    for one, other in every:
        try:
            number = backend(library).to_numpy(one)
            if name == "logaddexp":  # a logarithm has many values
                number, other = np.exp(number), np.exp(other)
            np.testing.assert_allclose(number, other, rtol=1e-4, atol=1e-5)
        except Exception as error:  # a value that Dask finds late may be refused late
            return str(error) if isinstance(error, AssertionError) else ""
    return ""


@pytest.mark.parametrize("library", LIBRARIES)
def test_no_function_of_real_numbers_drops_the_imaginary_part(library: str) -> None:
    lost = {name: text for name in NAMES if (text := drops_a_part(name, library))}
    assert not lost
