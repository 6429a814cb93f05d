"""Names of results: two arguments share one if, and only if, they mean the same."""

import os
import subprocess
import sys
from itertools import combinations
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from dask.base import tokenize
from hypothesis import given

import dimflow
from dimflow import DimArray, Unit, constants
from dimflow import units as u
from dimflow.dask import DaskDimArray
from dimflow.units import decode, encode
from tests.units.strategies import any_units, products, user_units

units = any_units() | products() | user_units()

ALIKE = [
    ("N", "kg*m/s**2"),
    ("J", "W*s"),
    ("Pa", "N/m**2"),
    ("l", "dm**3"),
    ("km/m", "1000"),
    ("delta_degC", "K"),
    ("percent", "1/100"),
]
APART = [
    "",
    "m",
    "km",
    "s",
    "J",
    "8.314*J",
    "K",
    "degC",
    "degF",
    "delta_degF",
    "rad",
    "deg",
    "dB",
    "dBm",
    "percent",
    "m**0.5",
]
KINDS = {
    "unit": lambda unit: unit,
    "NumPy": lambda unit: DimArray(np.arange(3.0), unit),
    "number": lambda unit: DimArray(2.0, unit),
    "PyTorch": lambda unit: DimArray(np.arange(3.0), unit).to_backend("torch"),
    "JAX": lambda unit: DimArray(np.arange(3.0), unit).to_backend("jax"),
    "Dask": lambda unit: DaskDimArray(da.arange(3.0, chunks=2), unit),
    "nested": lambda unit: {"a": [DimArray([1.0], unit), (unit,)]},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_spellings_of_one_meaning_are_one_argument(kind: str, one: str, other: str) -> None:
    make = KINDS[kind]
    assert tokenize(make(Unit(one))) == tokenize(make(Unit(other)))


@pytest.mark.parametrize("kind", KINDS)
def test_units_that_differ_are_arguments_that_differ(kind: str) -> None:
    tokens = {text: tokenize(KINDS[kind](Unit(text))) for text in APART}
    for one, other in combinations(APART, 2):
        assert (tokens[one] == tokens[other]) is (Unit(one) == Unit(other)), (one, other)


@given(one=units, other=units)
def test_tokens_agree_where_units_do(one: Unit, other: Unit) -> None:
    assert (tokenize(one) == tokenize(other)) is (one == other)
    assert tokenize(decode(encode(one))) == tokenize(one)
    base = one if one.law is not None else one.to_base()
    assert (tokenize(base) == tokenize(one)) is (base == one)


def test_numbers_shapes_and_dtypes_are_part_of_the_name() -> None:
    values = [
        DimArray([1.0, 2.0], "m"),
        DimArray([1.0, 3.0], "m"),
        DimArray([[1.0, 2.0]], "m"),
        DimArray([1, 2], "m"),
        DimArray(np.array([1, 2], "f4"), "m"),
        DimArray([1.0, 2.0], "m").to_backend("torch"),
    ]
    assert len({tokenize(v) for v in values}) == len(values)


def test_a_large_array_is_told_apart_by_one_element_in_the_middle() -> None:
    one, other = np.zeros(100_000), np.zeros(100_000)
    other[50_000] = 1e-9
    assert tokenize(DimArray(one, "m")) != tokenize(DimArray(other, "m"))


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_are_deterministic(kind: str) -> None:
    value = KINDS[kind](Unit("km/h"))
    first = tokenize(value, ensure_deterministic=True)
    assert tokenize(value, ensure_deterministic=True) == first


PROGRAM = """
import dask.array as da, numpy as np
from dask.base import tokenize
from dimflow import DimArray, Unit, constants
from dimflow.dask import DaskDimArray
values = [
    Unit("km/h"), Unit("degC"), Unit("dBm"), Unit("8.314*J"), DimArray([1.0, 2.0], "kg*m/s**2"),
    DimArray(3.0, "m"), constants.h, DaskDimArray(da.ones((4, 4), chunks=2), "N").to("kN"),
]
tokens = [tokenize(v, ensure_deterministic=True) for v in values]
"""


def test_tokens_are_the_same_in_every_process() -> None:
    here: dict[str, Any] = {}
    exec(PROGRAM, here)
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    there = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM + "print(*tokens)"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    ).stdout.split()
    assert there == here["tokens"]
    assert len(set(there)) == 8


def test_constants_are_told_apart() -> None:
    assert tokenize(constants.h) == tokenize(dimflow.constants.get("Planck constant"))
    assert tokenize(constants.h) != tokenize(constants.hbar)


def test_pure_functions_of_metres_and_seconds_are_not_mixed_up() -> None:
    """What goes wrong in libraries whose tokens have no unit in them: m times s gives s**2."""
    ones = np.ones(3)
    double = dask.delayed(lambda q: 2 * q, pure=True)
    metres, seconds = double(ones * u.m), double(ones * u.s)
    assert metres.key != seconds.key
    product = metres.compute() * seconds.compute()
    assert product.unit == u.m * u.s


def test_a_scale_is_part_of_the_name() -> None:
    """`J` and `8.314 J` differ by a number alone."""
    joule, gas = DaskDimArray(da.ones(3), "J"), DaskDimArray(da.ones(3), Unit("8.314*J"))
    delayed = dask.delayed(lambda q: q.to("J").sum(), pure=True)
    one, other = delayed(joule), delayed(gas)
    assert one.key != other.key
    assert float(one.compute() / u.J) == 3.0
    assert float(other.compute() / u.J) == pytest.approx(3 * 8.314)


def test_names_of_lazy_arrays_do_not_depend_on_the_unit() -> None:
    """The unit is no part of the graph, so what is computed once serves for both."""
    raw = da.ones((4, 4), chunks=2)
    assert (DaskDimArray(raw, "m") * 2).name == (DaskDimArray(raw, "s") * 2).name


class Mine(DimArray):
    """A class of a user's, which a function may treat in another way."""

    __slots__ = ()


def test_another_class_is_another_argument() -> None:
    assert tokenize(Mine([1.0], "m")) != tokenize(DimArray([1.0], "m"))
