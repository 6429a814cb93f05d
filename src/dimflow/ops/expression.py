"""Scalar expressions: the value of one element of an elementwise op, for kernels to render.

The language is a small part of Python's expressions over the op's arguments, numbers, `pi`, `e`,
`inf`, `nan`, the operators below, `a if c else b`, and the functions of `FUNCTIONS`. It is read
once, when a kernel is made or a test evaluates it; never run as Python from elsewhere.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import ast

FUNCTIONS = frozenset(
    [
        "abs",
        "sqrt",
        "cbrt",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "fmod",
        "hypot",
        "fmin",
        "fmax",
        "copysign",
        "nextafter",
        "ldexp",
        "isnan",
        "isinf",
        "isfinite",
        "signbit",
        "erf",
        "erfc",
        "erfinv",
        "gamma",
        "lgamma",
        "digamma",
        "polygamma",
        "beta",
        "bessel_j0",
        "bessel_j1",
        "bessel_y0",
        "bessel_y1",
        "bessel_i0",
        "bessel_i1",
        "spacing",
        "frexp_mantissa",
        "frexp_exponent",
        "real",
        "imag",
        "conj",
        "angle",
        "floordiv",
        "gcd",
        "lcm",
        "popcount",
    ]
)
CONSTANTS = frozenset({"pi", "e", "inf", "nan"})
_NODES = frozenset(
    [
        "Expression",
        "Name",
        "Load",
        "Constant",
        "Call",
        "BinOp",
        "UnaryOp",
        "Compare",
        "BoolOp",
        "IfExp",
        "Add",
        "Sub",
        "Mult",
        "Div",
        "Pow",
        "Mod",
        "BitAnd",
        "BitOr",
        "BitXor",
        "LShift",
        "RShift",
        "USub",
        "UAdd",
        "Invert",
        "Not",
        "And",
        "Or",
        "Eq",
        "NotEq",
        "Lt",
        "LtE",
        "Gt",
        "GtE",
    ]
)


class Expression(NamedTuple):
    """The text of an expression and the names of its arguments, in the order of the op's.

    Static parameters of the op stand under their own names.
    """

    text: str
    arguments: tuple[str, ...]
    parameters: tuple[str, ...] = ()

    def tree(self) -> "ast.expr":
        """The syntax tree; ValueError if the text leaves the language."""
        import ast  # late, since a table is loaded more often than a kernel is made

        body = ast.parse(self.text, mode="eval").body
        known = {*self.arguments, *self.parameters, *CONSTANTS}
        called = {id(n.func) for n in ast.walk(body) if isinstance(n, ast.Call)}
        for node in ast.walk(body):
            if type(node).__name__ not in _NODES:
                raise ValueError(f"{type(node).__name__} in the expression {self.text!r}")
            if isinstance(node, ast.Call) and (
                not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS
            ):
                raise ValueError(f"unknown function in the expression {self.text!r}")
            if isinstance(node, ast.Name) and id(node) not in called and node.id not in known:
                raise ValueError(f"unknown name {node.id!r} in the expression {self.text!r}")
        return body
