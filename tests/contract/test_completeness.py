"""Completeness: the table has what the array API has, and every record is whole."""

import inspect

import numpy as np
import pytest

from dimflow import ops
from dimflow.ops.evaluation import ops_in
from dimflow.ops.record import REQUIRED
from dimflow.ops.rules.units import UnitRule
from tests.contract import array_api
from tests.contract.deviations import ARBITRARY, DEVIATIONS, PRIMITIVES, READS_VALUES
from tests.contract.evaluate import names, takes_any_number
from tests.contract.numpy_calls import CALLS, function_of
from tests.contract.samples import cases, parametrized

ALL = names()


def is_expressed(name: str) -> bool:
    """Whether the scalar expression of an op is its definition."""
    return getattr(ops.get(name).definition, "__module__", "") == "dimflow.ops.evaluation"


@pytest.mark.parametrize(
    ("category", "function"),
    array_api.names(),
    ids=[f"{c.replace(' ', '_')}-{n}" for c, n in array_api.names()],
)
def test_the_array_api_is_in_the_table(category: str, function: str) -> None:
    assert function in ops.TABLE
    told = ops.get(function).hosts.array_api
    assert told is not None, f"{function} does not say its name in the array API"
    assert told.rpartition(".")[2] == function


def test_what_is_no_op_is_not_in_the_table() -> None:
    asked = {name for _, name in array_api.names()}
    assert asked.isdisjoint(array_api.NOT_OPS)
    assert all(array_api.NOT_OPS.values())


@parametrized("doc", ALL)
def test_it_says_what_it_is(name: str) -> None:
    doc = ops.get(name).doc
    assert doc.strip(), f"{name} has no doc"
    assert doc.strip().endswith("."), f"{name}: {doc!r}"


@parametrized("hosts", ALL)
def test_the_names_that_hosts_know_it_by_exist(name: str) -> None:
    hosts = ops.get(name).hosts
    if hosts.numpy is not None:
        assert callable(function_of(hosts.numpy))
    if hosts.array_api is not None:
        standard = {n for _, n in array_api.names()} | array_api.NEWER.keys()
        assert hosts.array_api.rpartition(".")[2] in standard


@parametrized("record", ALL)
def test_the_record_is_whole(name: str) -> None:
    op = ops.get(name)
    assert op.name == name
    for field in REQUIRED[op.kind]:
        assert getattr(op, field) is not None
    assert op.unit is None or isinstance(op.unit, UnitRule)
    assert op.family in {path.rpartition(".")[2] for path in ops.FAMILIES}
    assert set(op.array_names) <= set(op.signature.parameters)
    if op.unit_dependent:
        assert op.signature.parameters["unit"].default is None


@parametrized("samples", ALL)
def test_there_are_samples(name: str) -> None:
    op = ops.get(name)
    found = cases(name)
    assert found
    for case in found:
        if not takes_any_number(op):
            assert len(case.args) == len(op.array_names), case.label
        static = {n for n in op.signature.parameters if n not in op.array_names}
        assert set(case.params) == static, f"{case.label}: {set(case.params) ^ static}"


@parametrized("deterministic samples", ALL)
def test_samples_depend_on_the_seed_alone(name: str) -> None:
    again = cases.__wrapped__(name, 0)
    for one, other in zip(cases(name), again, strict=True):
        for a, b in zip(one.args, other.args, strict=True):
            assert np.array_equal(a, b, equal_nan=a is not None and np.asarray(a).dtype.kind == "f")


@parametrized("signature", [n for n in ALL if ops.get(n).definition is not None])
def test_the_definition_has_the_signature_of_the_op(name: str) -> None:
    op = ops.get(name)
    assert op.definition is not None
    wanted = [(p.name, p.default) for p in op.signature.parameters.values()]
    got = inspect.signature(op.definition).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in got):
        return
    assert [p.name for p in got][: len(op.array_names)] or not op.array_names
    assert {p.name for p in got if p.kind is p.KEYWORD_ONLY} <= {n for n, _ in wanted}


@parametrized("primitive", ALL)
def test_an_op_is_defined_by_others_or_in_the_array_api_or_a_true_primitive(name: str) -> None:
    op = ops.get(name)
    is_primitive = op.definition is None and not _in_standard(op)
    assert is_primitive == (name in PRIMITIVES)


def _in_standard(op: ops.Op) -> bool:
    """Whether the standard's function runs for it, by itself or through an adapter."""
    return op.hosts.array_api is not None and (op.hosts.is_direct or op.hosts.adapter is not None)


@parametrized("cost of unknown lengths", names("cost"))
def test_the_cost_of_a_length_that_nobody_knows_is_not_known(name: str) -> None:
    op = ops.get(name)
    assert op.cost is not None
    for case in cases(name):
        hidden = [s if s is None else (None,) * len(s) for s in case.shapes]
        if any(hidden):
            assert op.cost(tuple(hidden), (), case.params) is None, case.label


@parametrized("expressed", [n for n in ALL if is_expressed(n)])
def test_a_definition_by_the_expression_does_not_name_the_op_itself(name: str) -> None:
    op = ops.get(name)
    assert op.expr is not None
    used = ops_in(op.expr.tree())
    assert used, "it is its argument"
    assert name not in used


def test_deviations_name_ops_that_exist() -> None:
    assert PRIMITIVES.keys() | READS_VALUES.keys() <= ops.TABLE.keys()
    assert all((*PRIMITIVES.values(), *READS_VALUES.values()))
    assert {name for name, _ in DEVIATIONS} <= ops.TABLE.keys()
    assert ARBITRARY.keys() <= ops.TABLE.keys()
    assert CALLS.keys() <= ops.TABLE.keys()
    assert all(DEVIATIONS.values())


def test_no_two_ops_stand_for_one_ufunc() -> None:
    """But for `power`, whose parts share its name."""
    found: dict[str, list[str]] = {}
    for name in ALL:
        host = ops.get(name).hosts.numpy
        if host is not None and isinstance(function_of(host), np.ufunc):
            found.setdefault(host, []).append(name)
    shared = {host: n for host, n in found.items() if len(n) > 1}
    assert shared.keys() <= {"power"}, shared
