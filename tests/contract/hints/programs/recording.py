"""Gradients that gather in leaves: `x.requires_grad_()` and `y.backward()`."""

from tests.contract.hints.program import program

LEAF = "x.requires_grad_()"
TRUE = "[2.0, 4.0, 8.0] * u.m"

PROGRAMS = [
    program(
        "x = x * 2; x.requires_grad_(False)",
        "x = x * 2; x = x.detach(); x.requires_grad",
        right="False",
        given=LEAF,
    ),
    program(
        "y = t * 1; y.retain_grad()",
        "x.requires_grad_(); y = x * 1; y.retain_grad(); (y * y).sum().backward(); y.grad",
        right=TRUE,
    ),
    program(
        "y = x * 1; y.retain_grad(); y.grad; x.sum().backward(); (x * 2).grad",
        "x.retain_grad(); (x * x).sum().backward(); x.grad",
        "dimflow.grad(lambda x: (x * x).sum())(x.detach())",
        right=TRUE,
        given=LEAF,
    ),
    program(
        "x.grad = 2 * x",
        "x.requires_grad_(); x.grad = 2 * x.detach(); x.grad",
        right=TRUE,
    ),
    program(
        "x.grad = [2.0, 4.0, 8.0]",
        "numbers = [2.0, 4.0, 8.0]; x.grad = DimArray(numbers, 'J/m'); x.grad * u.m**2 / u.J",
        right=TRUE,
        given=LEAF,
    ),
    program(
        "dimflow.grad(lambda x: ((x * x).sum().backward(), x.sum())[1])(x)",
        "x.requires_grad_(); y = (x * x).sum(); y.backward(); x.grad",
        "dimflow.grad(lambda x: (x * x).sum())(x)",
        right=TRUE,
    ),
    program(
        "(x * x).sum().backward()",
        "x.requires_grad_(); y = (x * x).sum(); y.backward(); x.grad",
        "with dimflow.no_grad(): x = x * 1\nx.requires_grad_(); (x * x).sum().backward(); x.grad",
        right=TRUE,
    ),
    program(
        "(x * x).backward()",
        "y, g = x * x, dimflow.ones(3); y.backward(g); x.grad",
        right=TRUE,
        given=LEAF,
    ),
    program(
        "x -= 1 * u.m",
        "with dimflow.no_grad(): x -= x - [2.0, 4.0, 8.0] * u.m; x = x.detach()",
        right=TRUE,
        given=LEAF,
    ),
    program(
        "(x * x).sum().backward(); (x * t).sum().backward()",
        "(x * t).sum().backward(); x.grad = None; (x * x).sum().backward(); x.grad",
        right=TRUE,
        given=LEAF,
    ),
    program(
        "(x * x).sum().backward(create_graph=True)",
        "dimflow.grad(lambda x: (x * x).sum())(x.detach())",
        "x = x.detach()\nwith dimflow.GradientTape() as tape: x = tape.watch(x); "
        "y = (x * x).sum()\n"
        "tape.gradient(y, x)",
        right=TRUE,
        given=LEAF,
    ),
    program(
        "y = dimflow.zeros(3, 'm'); z = y[:]; y += x",
        "y = dimflow.zeros(3, 'm'); x = x + y + x; x.detach()",
        right=TRUE,
        given=LEAF,
    ),
    program(
        "dimflow.grad(lambda x: (x.__imul__(x)).sum())(x)",
        "y = x * x; y / u.m * [2.0, 1.0, 0.5]",
        right=TRUE,
    ),
    program(
        "x += d; x",
        "y = x + d; y.compute()",
        right=TRUE,
        given="d = x.to_backend('dask')",
    ),
    program(
        "dimflow.grad(lambda x: np.add.at(x, 0, 1 * u.m))(x)",
        "key, y = slice(None), x; x = x.at[key].add(y); x",
        right=TRUE,
    ),
    program(
        "dimflow.grad(lambda x: np.put(x, 0, 1 * u.m))(x)",
        "key, y = slice(None), 2 * x; x = x.at[key].set(y); x",
        right=TRUE,
    ),
]
