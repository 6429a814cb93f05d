"""Transforms."""

from tests.contract.hints.program import program

PROGRAMS = [
    program(
        "dimflow.grad(lambda x: x * x)(x)",
        "dimflow.vjp(lambda x: x * x, x)[1](DimArray([1.0] * 3))[0]",
        "np.diag(dimflow.jacobian(lambda x: x * x)(x))",
        right="2 * x",
    ),
    program(
        "dimflow.grad(lambda x: x * float(x))(2.0 * u.m)",
        "dimflow.grad(lambda x: x * x.to_value('m'))(2.0 * u.m)",
        right="4.0",
    ),
]
