"""Expressions: the scalar expression of an elementwise op, evaluated, equals the op."""

import ast
import cmath
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from dimflow import ops
from dimflow.ops.expression import FUNCTIONS, Expression
from tests.contract.evaluate import assert_same, leaves, names, quietly, run
from tests.contract.samples import Case, all_cases, parametrized

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
# The truth about each function of the language, by other hands than NumPy's kernels.
TRUTH: dict[str, Callable[..., Any]] = {
    **{name: getattr(math, name) for name in FUNCTIONS if hasattr(math, name)},
    "abs": abs,
    "rint": round,
    "fmin": min,
    "fmax": max,
    "signbit": lambda x: math.copysign(1.0, x) < 0,
    "digamma": scipy.special.digamma,
    "beta": scipy.special.beta,
    "bessel_j0": scipy.special.j0,
    "bessel_j1": scipy.special.j1,
    "bessel_y0": scipy.special.y0,
    "bessel_y1": scipy.special.y1,
    "bessel_i0": scipy.special.i0,
    "bessel_i1": scipy.special.i1,
    "spacing": lambda x: math.copysign(math.ulp(x), x),
    "frexp_mantissa": lambda x: math.frexp(x)[0],
    "frexp_exponent": lambda x: math.frexp(x)[1],
    "real": lambda x: complex(x).real,
    "imag": lambda x: complex(x).imag,
    "conj": lambda x: complex(x).conjugate() if isinstance(x, complex) else x,
    "angle": cmath.phase,
    "floordiv": lambda x, y: x // y,
    "popcount": lambda x: abs(x).bit_count(),
    **{
        name: getattr(scipy.special, name)
        for name in FUNCTIONS
        if not hasattr(math, name) and hasattr(scipy.special, name)
    },
    **{
        name: lambda x, k=kind, d=order: scipy.special.__dict__[f"{k}{d}"](x)
        for name, kind, order in [
            (f"bessel_{k}{d}", k, d) for k in ("j", "y", "i", "k") for d in (0, 1)
        ]
    },
    **{f"bessel_i{d}e": lambda x, d=d: scipy.special.__dict__[f"i{d}e"](x) for d in (0, 1)},
}


def evaluated(node: ast.expr, scope: dict[str, Any]) -> Any:
    """The value of an expression of the language at one point."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return scope[node.id] if node.id in scope else CONSTANTS[node.id]
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        return TRUTH[node.func.id](*(evaluated(a, scope) for a in node.args))
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](evaluated(node.left, scope), evaluated(node.right, scope))
    if isinstance(node, ast.UnaryOp):
        return OPERATORS[type(node.op)](evaluated(node.operand, scope))
    if isinstance(node, ast.IfExp):
        return evaluated(node.body if evaluated(node.test, scope) else node.orelse, scope)
    if isinstance(node, ast.BoolOp):
        values = (bool(evaluated(v, scope)) for v in node.values)
        return all(values) if isinstance(node.op, ast.And) else any(values)
    assert isinstance(node, ast.Compare)
    left = evaluated(node.left, scope)
    for op, right in zip(node.ops, node.comparators, strict=True):
        value = evaluated(right, scope)
        if not OPERATORS[type(op)](left, value):
            return False
        left = value
    return True


def trees(name: str) -> list[ast.expr]:
    """The expression of each result."""
    op = ops.get(name)
    assert op.expr is not None
    static = tuple(n for n in op.signature.parameters if n not in op.array_names)
    texts = op.expr.text.split(";") if op.outputs else [op.expr.text]
    return [Expression(text.strip(), (*op.expr.arguments, *static)).tree() for text in texts]


def points_of(case: Case) -> list[tuple[Any, ...]]:
    """The arguments of a sample, element by element, as Python numbers."""
    present = [a for a in case.args if a is not None]
    flat = zip(*(np.ravel(a).tolist() for a in np.broadcast_arrays(*present)), strict=True)
    found = []
    for values in flat:
        queue = list(values)
        found.append(tuple(None if a is None else queue.pop(0) for a in case.args))
    return found


@parametrized("expression", names("expr"))
def test_the_expression_evaluated_is_the_op(name: str) -> None:
    op = ops.get(name)
    assert op.expr is not None
    wanted = trees(name)
    for case in all_cases(name):
        if any(a is None for a in case.args):
            continue
        for point in points_of(case):
            scope = {**dict(zip(op.expr.arguments, point, strict=True)), **case.params}
            expected = [np.asarray(evaluated(tree, scope)) for tree in wanted]
            actual = leaves(quietly(run, op, tuple(map(np.asarray, point)), case.params))
            actual = [np.asarray(a) for a in actual]
            assert_same(
                [
                    a.astype(e.dtype) if a.dtype.kind == "b" else a
                    for a, e in zip(actual, expected, strict=True)
                ],
                expected,
                rtol=2e-14,
                what=f"{case.label} at {point}",
            )


def test_the_truth_is_known_for_every_function_of_the_language() -> None:
    assert FUNCTIONS - TRUTH.keys() == set()
