"""Parity: an op on raw arrays gives what NumPy's function gives; units only label the numbers."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array import DimArray
from dimflow.backends import backend
from dimflow.ops import Op
from dimflow.units import Unit
from tests.contract.evaluate import assert_same, dtype_of, leaves, names, quietly, raw_of, run
from tests.contract.numpy_calls import numpy_result
from tests.contract.samples import SEEDS, Case, all_cases, cast, parametrized, variants
from tests.contract.units_search import all_accepted, run_with

NUMPY = backend("numpy")
DTYPES = (np.float64, np.float32, np.int64, np.bool_, np.complex128)


def has_own_way(op: Op) -> bool:
    """Whether something else than NumPy's function runs, so that there is something to compare."""
    return NUMPY.own_kernel(op) is not None or NUMPY.native(op) is None


ALL = names()
OWN = [n for n in ALL if ops.get(n).hosts.numpy and has_own_way(ops.get(n))]
DEFINED = [
    n
    for n in names("definition")
    if NUMPY.native(ops.get(n)) is not None and ops.get(n).definition is not None
]


@parametrized("numpy", OWN)
def test_own_kernels_give_what_numpy_gives(name: str) -> None:
    op = ops.get(name)
    compared = 0
    for case in all_cases(name):
        for variant in variants(case, DTYPES):
            expected = quietly(numpy_result, op, variant)
            if expected is None:
                continue
            _compare(quietly(run, op, variant.args, variant.params), expected, variant)
            compared += 1
    assert compared, f"no sample of {name} could be given to np.{op.hosts.numpy}"


def _compare(actual: Any, expected: Any, case: Case) -> None:
    single = any(dtype_of(leaf) in (np.float32, np.complex64) for leaf in leaves(expected))
    assert_same(actual, expected, rtol=2e-5 if single else 1e-12, what=case.label)
    got, wanted = ([dtype_of(x) for x in leaves(r)] for r in (actual, expected))
    assert got == wanted, f"{case.label}: {got}, not {wanted}"


@parametrized("definition", DEFINED)
def test_the_definition_gives_what_the_kernel_gives(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        expected = quietly(run, op, case.args, case.params)
        actual = quietly(op.call, op.definition, case.args, case.params)
        assert_same(actual, expected, rtol=1e-11, what=case.label)


@parametrized("definition in single precision", DEFINED)
def test_the_definition_keeps_single_precision(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        single = cast(case, np.float32)
        expected = quietly(run, op, single.args, single.params)
        actual = quietly(op.call, op.definition, single.args, single.params)
        _compare(actual, expected, single)


@parametrized("label", ALL)
def test_in_coherent_units_the_numbers_are_those_of_the_raw_op(name: str) -> None:
    op = ops.get(name)
    found = all_accepted(name, SEEDS)
    coherent = [(c, units) for c, units in found if all(map(is_coherent, units))]
    assert coherent or not found
    for case, units in coherent:
        expected = quietly(run, op, case.args, case.params)
        actual = [raw_of(leaf) for leaf in leaves(run_with(op, case, units))]
        assert_same(actual, expected, rtol=1e-12, what=f"{case.label} in {units}")


def is_coherent(unit: str | None) -> bool:
    """Whether a unit is the SI's own for its dimension, without a factor."""
    return unit is None or (float(Unit(unit).key.scale) == 1.0 and Unit(unit).law is None)


@parametrized("callable", ALL)
def test_it_is_called_like_a_function(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        expected = quietly(run, op, case.args, case.params)
        actual = quietly(op.call, op, case.args, case.params)
        assert_same(actual, expected, what=case.label)
        assert not any(isinstance(leaf, DimArray) for leaf in leaves(actual))
