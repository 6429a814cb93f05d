"""The scalar expression of an op as its definition: written with other ops, for whole arrays.

`a if c else b` computes both and picks. It is good only for ops whose expression is not the op by
another name, and whose parts are finite wherever the whole is.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from dimflow.ops.expression import CONSTANTS, Expression

if TYPE_CHECKING:
    import ast

_NAMES = {"rint": "round", "floordiv": "floor_divide", "popcount": "bitwise_count"}
_OPERATORS = {
    "Add": "add",
    "Sub": "subtract",
    "Mult": "multiply",
    "Div": "divide",
    "Pow": "pow",
    "Mod": "remainder",
    "BitAnd": "bitwise_and",
    "BitOr": "bitwise_or",
    "BitXor": "bitwise_xor",
    "LShift": "bitwise_left_shift",
    "RShift": "bitwise_right_shift",
    "USub": "negative",
    "UAdd": "positive",
    "Invert": "bitwise_invert",
    "Not": "logical_not",
    "And": "logical_and",
    "Or": "logical_or",
    "Eq": "equal",
    "NotEq": "not_equal",
    "Lt": "less",
    "LtE": "less_equal",
    "Gt": "greater",
    "GtE": "greater_equal",
}


def as_definition(expression: Expression) -> Callable[..., Any]:
    """A function of the op's signature.

    The expression is read at the first call: a table is loaded more often than that.
    """

    @cache
    def compiled() -> Callable[..., Any]:
        return _compiled(expression)

    def definition(*args: Any, **params: Any) -> Any:
        return compiled()(*args, **params)

    return definition


def ops_in(tree: "ast.expr") -> set[str]:
    """The ops that an expression is made of; none for a bare argument."""
    import ast

    found = {_OPERATORS.get(type(node).__name__, "") for node in ast.walk(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(_NAMES.get(node.func.id, node.func.id))
        elif isinstance(node, ast.IfExp):
            found.add("where")
    return found - {""}


def _compiled(expression: Expression) -> Callable[..., Any]:
    import math

    from dimflow import ops

    tree = expression.tree()
    scope: dict[str, Any] = {f"_{name}": ops.get(name) for name in ops_in(tree)}
    scope.update({name: getattr(math, name) for name in CONSTANTS})
    static = [name for name in expression.parameters if name != "unit"]
    arguments = ", ".join((*expression.arguments, *static))
    return eval(f"lambda {arguments}: {_text(tree)}", scope)  # type: ignore[no-any-return]


def _text(node: "ast.expr") -> str:
    """The expression as calls of ops; numbers among themselves stay Python's."""
    import ast

    def call(op: str, *parts: "ast.expr") -> str:
        return f"_{op}({', '.join(map(_text, parts))})"

    if _is_number(node):
        return f"({ast.unparse(node)})"
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        return call(_NAMES.get(node.func.id, node.func.id), *node.args)
    if isinstance(node, ast.BinOp):
        return call(_OPERATORS[type(node.op).__name__], node.left, node.right)
    if isinstance(node, ast.UnaryOp):
        return call(_OPERATORS[type(node.op).__name__], node.operand)
    if isinstance(node, ast.IfExp):
        return call("where", node.test, node.body, node.orelse)
    if isinstance(node, ast.BoolOp):
        op = _OPERATORS[type(node.op).__name__]
        text = _text(node.values[0])
        for value in node.values[1:]:
            text = f"_{op}({text}, {_text(value)})"
        return text
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return call(_OPERATORS[type(node.ops[0]).__name__], node.left, node.comparators[0])
    return ast.unparse(node)


def _is_number(node: "ast.expr") -> bool:
    """Whether no argument stands in an expression."""
    import ast

    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return names <= CONSTANTS
