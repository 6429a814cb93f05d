"""Transforms: what they ask of functions and arguments."""

from tests.contract.hints.program import program

SQUARE = "f = lambda x: (x * x).sum()"
JAX = "import jax; jax.config.update('jax_enable_x64', True); z = x.to_backend('jax')"
TORCH = "import torch; z = x.to_backend('torch')"
TRUE = "[2.0, 4.0, 8.0] * u.m"
TAPE = "tape = dimflow.GradientTape()"

PROGRAMS = [
    program(
        "dimflow.grad(f, argnums=1)(x)",
        "dimflow.grad(f, argnums='x')(x)",
        right=TRUE,
        given=SQUARE,
    ),
    program(
        "dimflow.nth_derivative(f, 2, argnums=(0, 1))(x, x)",
        "dimflow.nth_derivative(f, 2, argnums=0)(x[0], x[0])",
        "dimflow.hessian(f, (0, 1))(x[0], x[0])[0][0]",
        right="2.0",
        given="f = lambda x, y: x * x + y * y",
    ),
    program(
        "dimflow.nth_derivative(f, 1)(x)",
        "dimflow.jacobian(f)(x)",
        right=TRUE,
        given=SQUARE,
    ),
    program(
        "dimflow.vmap(f, out_axes=None)(x)",
        "dimflow.vmap(f, out_axes=0)(x)",
        right="x * x",
        given="f = lambda x: x * x",
    ),
    program(
        "dimflow.vmap(f, in_axes=(0, 0))(x, 2.0)",
        "dimflow.vmap(f, in_axes=(0, None))(x, 2.0)",
        "in_axes=None; dimflow.vmap(lambda x: f(x, 2.0))(x)",
        right="2 * x",
        given="f = lambda x, y: x * y",
    ),
    program(
        "dimflow.vmap(f)(x)",
        "dimflow.vmap(lambda x: dimflow.where(x > 1 * u.m, x, 2 * x))(x)",
        "dimflow.vmap(lambda x: dimflow.cond(x > 1 * u.m, lambda x: x, lambda x: 2 * x, x))(x)",
        "condition, y = x > 1 * u.m, 2 * x; dimflow.where(condition, x, y)",
        right="[2.0, 2.0, 4.0] * u.m",
        given="f = lambda x: x if x > 1 * u.m else 2 * x",
    ),
    program(
        "dimflow.cond(x > 1 * u.m, lambda x: x, lambda x: 2 * x, x)",
        "condition, y = x > 1 * u.m, 2 * x; dimflow.where(condition, x, y)",
        right="[2.0, 2.0, 4.0] * u.m",
    ),
    program(
        "dimflow.scan(f, init, None)",
        "dimflow.scan(f, init, length=100)[0]",
        right="101 * u.m",
        given="f = lambda c, _: (c + 1 * u.m, c); init = 1 * u.m",
    ),
    program(
        "dimflow.scan(lambda c, x: (x, c), 1.0, x)",
        "dimflow.scan(lambda c, x: (c + x, c), 0.0 * Unit('m'), x)[0]",
        right="7 * u.m",
    ),
    program(
        "dimflow.scan(lambda c, x: (c + x, c), init, x)",
        "dimflow.scan(lambda c, x: (c + x, c), dimflow.astype(init, 'float64'), x)[0]",
        right="7 * u.m",
        given="init = DimArray(np.int64(0), 'm')",
    ),
    program(
        "dimflow.cond(True, lambda x: x, lambda x: x.astype('float32'), x)",
        "dimflow.cond(True, lambda x: x, lambda x: dimflow.astype(x, 'float64'), x)",
        right="x",
    ),
    program(
        "tape.watch(x)",
        "with dimflow.GradientTape() as tape: x = tape.watch(x); y = x.sum()\ntape.gradient(y, x)",
        right="[1.0, 1.0, 1.0]",
        given=TAPE,
    ),
    program(
        "tape.gradient(x, x)",
        "with dimflow.GradientTape() as tape: x = tape.watch(x[0]); y = x * 1\ntape.gradient(y, x)",
        right="1.0",
        given=TAPE,
    ),
    program(
        "dimflow.clip_by_norm([x], 1.0)",
        "dimflow.clip_by_norm([x], 1.0 * Unit('m'))",
        right="[x / 21**0.5]",
    ),
    program(
        "dimflow.clip_by_global_norm([x * np.nan], 1.0 * u.m)",
        "with dimflow.nan_watch(): y = x * 1\n[y * np.nan]",
        "[dimflow.clip_by_global_norm([x * np.nan], 1.0 * u.m, nonfinite='pass')[0][0]]",
        right="[x * np.nan]",
    ),
    program(
        "dimflow.no_grad()(generator)",
        "with dimflow.no_grad(): x = list(generator())",
        right="[1]",
        given="def generator(): yield 1",
    ),
    program(
        "dimflow.divergence(lambda x: x)(1 * u.m)",
        "x, y, z = x; dimflow.divergence(lambda x: x)(dimflow.stack([x, y, z], axis=-1))",
        right="3.0",
    ),
    program(
        "dimflow.implicit.root(lambda x: x * x + 1 * u.m**2, 3.0 * u.m)",
        "dimflow.implicit.root(lambda x: x * x - 4 * u.m**2, 3.0 * u.m, max_steps=50)",
        right="2 * u.m",
    ),
    program(
        "for _ in [0, 1]: tape.gradient(y, x)",
        "tape = dimflow.GradientTape(persistent=True)\nwith tape: x = tape.watch(x0); y = x * x\n"
        "tape.gradient(y, x); tape.gradient(y, x)",
        right="2 * x0",
        given="tape = dimflow.GradientTape(); x0 = 3.0 * u.m\n"
        "with tape: x = tape.watch(x0); y = x * x",
    ),
    program(
        "tape.gradient(y, x)",
        "tape.gradient(y, x, unconnected='zero') + 1 * u.s / u.m",
        "tape.gradient(y, x, unconnected='none') or 1 * u.s / u.m",
        right="1 * u.s / u.m",
        given="x0, t0 = 3.0 * u.m, 2.0 * u.s\n"
        "with dimflow.GradientTape() as tape: x = tape.watch(x0); y = tape.watch(t0) * 2",
    ),
    program(
        "tape.gradient(y, x)",
        "np.diag(tape.jacobian(y, x))",
        "tape.gradient(y, x, output_gradients=DimArray([1.0, 1.0, 1.0]))",
        right="[2.0, 4.0, 8.0] * u.m",
        given="with dimflow.GradientTape(persistent=True) as tape: x = tape.watch(x); y = x * x",
    ),
    program(
        "with dimflow.GradientTape() as tape: y = x[0] * 1\ntape.gradient(y, x)",
        "with dimflow.GradientTape() as tape: x = tape.watch(x); y = x.sum()\ntape.gradient(y, x)",
        right="[1.0, 1.0, 1.0]",
    ),
    program(
        "dimflow.check(f, 'm')",
        "dimflow.check(lambda x: dimflow.where(x > 1 * u.m, x, -x), 'm'); "
        "condition, y = x > 1 * u.m, -x; dimflow.where(condition, x, y)",
        right="[-1.0, 2.0, 4.0] * u.m",
        given="f = lambda x: x if x > 1 * u.m else -x",
    ),
    program(
        "f(u.m)",
        "f(1 * Unit('m'))",
        right="1 * u.m",
        given="@dimflow.checked\ndef f(x: 'm'): return x",
    ),
    program(
        "f(x)",
        "f(x.to('m'))",
        right="x",
        given="@dimflow.checked(strict=True)\ndef f(x: 'm'): return x\nx = x.to('km')",
    ),
    program(
        "square(x)",
        "square = dimflow.custom_gradient(lambda x: (x * x, lambda ct: ct * 2 * x)); "
        "dimflow.grad(square)(x)",
        "@square.defvjp\ndef back(ct, out, x): return ct * 2 * x\nx = dimflow.grad(square)(x)",
        "@square.defjvp\ndef forth(tangents, out, x): return tangents[0] * 2 * x\n"
        "x = dimflow.jvp(square, (x,), (x,))[1] / x",
        right="6.0 * u.m",
        given="x = 3.0 * u.m\n@dimflow.custom_gradient\ndef square(x): return x * x",
    ),
]
