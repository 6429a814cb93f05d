"""Logic: of truth values, and of the bits of integers.

Zero is zero in every unit, so a quantity has a truth value; a point on a scale has none.
"""

from dimflow.ops.definitions import elementwise as elements
from dimflow.ops.rules.derivatives import DISCRETE
from dimflow.ops.rules.units import any_to_mask, counts, counts_to_plain
from dimflow.ops.standard import adapters
from dimflow.ops.table import elementwise

for name, word, expr, onnx in (
    ("logical_and", "both x and y are", "x != 0 and y != 0", "And"),
    ("logical_or", "x or y is", "x != 0 or y != 0", "Or"),
    ("logical_xor", "one of x and y is", "(x != 0) != (y != 0)", "Xor"),
):
    elementwise(
        name,
        doc=f"Whether {word} other than zero.",
        unit=any_to_mask,
        partials=DISCRETE,
        expr=expr,
        domain=((-2.0, 2.0), (-2.0, 2.0)),
        array_api=(name, getattr(adapters, name)),
        torch=name,
        onnx=onnx,
        laws=("commutative", "associative"),
    )

elementwise(
    "logical_not",
    doc="Whether x is zero.",
    unit=any_to_mask,
    partials=DISCRETE,
    expr="x == 0",
    domain=(-2.0, 2.0),
    array_api=("logical_not", adapters.logical_not),
    torch="logical_not",
    onnx="Not",
)

for name, symbol, numpy, laws in (
    ("bitwise_and", "&", "bitwise_and", ("commutative", "associative", "identity:-1")),
    ("bitwise_or", "|", "bitwise_or", ("commutative", "associative", "identity:0")),
    ("bitwise_xor", "^", "bitwise_xor", ("commutative", "associative", "identity:0")),
    ("bitwise_left_shift", "<<", "left_shift", ()),
    ("bitwise_right_shift", ">>", "right_shift", ()),
):
    elementwise(
        name,
        doc=f"x {symbol} y, bit by bit.",
        unit=counts,
        partials=DISCRETE,
        expr=f"x {symbol} y",
        domain=((0, 7, True), (0, 7, True)),
        numpy=numpy,
        array_api=name,
        torch=name,
        laws=laws,
    )

elementwise(
    "bitwise_invert",
    doc="Every bit of x turned over.",
    unit=counts,
    partials=DISCRETE,
    expr="~x",
    domain=(0, 7, True),
    numpy="invert",
    array_api="bitwise_invert",
    torch="bitwise_not",
    laws=("involution",),
)

elementwise(
    "bitwise_count",
    doc="How many bits of abs(x) are set.",
    unit=counts_to_plain,
    partials=DISCRETE,
    expr="popcount(abs(x))",
    definition=elements.bitwise_count,
    domain=(0, 100, True),
)
