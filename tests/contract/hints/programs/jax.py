"""JAX's functions and transformations."""

from tests.contract.hints.program import program

JAX = (
    "import jax; import jax.numpy as jnp; jax.config.update('jax_enable_x64', True); "
    "n = x; x = x.to_backend('jax')"
)
ODE = f"{JAX}; from jax.experimental.ode import odeint; f = lambda y, t: -y / (1 * u.s)"
FORWARD = "lambda x: (x.to('km'), None)"
GRADIENT = "dimflow.grad(lambda x: f(x).sum())(x).to_backend('numpy')"

PROGRAMS = [
    program(
        "jnp.sin(x * u.deg / u.m)",
        "x = x * u.deg / u.m; dimflow.sin(x).to_backend('numpy')",
        "x = x * u.deg / u.m; jax.numpy.sin(x.to_value('rad')); dimflow.sin(x).to_backend('numpy')",
        right="[math.sin(math.radians(v)) for v in (1, 2, 4)]",
        given=JAX,
    ),
    program(
        "jax.lax.exp(x * u.percent / u.m)",
        "x = x * u.percent / u.m; np.asarray(jax.lax.exp(x.to_value('')))",
        right="[math.exp(v / 100) for v in (1, 2, 4)]",
        given=JAX,
    ),
    program(
        "jnp.allclose(x, x.to('km'))",
        "np.allclose(x, x.to('km'))",
        "x.to_value('m'); np.allclose(x, x.to('km'))",
        right="True",
        given=JAX,
    ),
    program(
        "f = lambda x: dimflow.while_loop(lambda y: y < 5 * u.m, lambda y: 2 * y, x); "
        "dimflow.grad(f)(x[2])",
        "f = lambda x: dimflow.while_loop(lambda y: y < 5 * u.m, lambda y: 2 * y, x); "
        "dimflow.grad(f, engine='own')(x[2]).item()",
        right="2.0",
        given=JAX,
    ),
    program(
        "jnp.full(2, 50 * u.percent)",
        "x = 50 * u.percent; np.asarray(jnp.full(2, x.to_value('')))",
        right="[0.5, 0.5]",
        given=JAX,
    ),
    program(
        "jax.jit(lambda x: dimflow.unique_values(x))(x)",
        "condition, y = x > 0 * u.m, -x; dimflow.where(condition, x, y).to_backend('numpy')",
        "jax.jit; dimflow.unique_values(x).to_backend('numpy')",
        right="n",
        given=JAX,
    ),
    program(
        "jax.jit(lambda x: x[x > 1 * u.m])(x)",
        "mask = x > 1 * u.m; jax.jit(lambda x: dimflow.where(mask, x, 0))(x).sum()"
        ".to_backend('numpy')",
        "jax.jit; x[x > 1 * u.m].sum().to_backend('numpy')",
        right="6 * u.m",
        given=JAX,
    ),
    program(
        "jax.jit(lambda x: x.to_numpy())(x)",
        "jax.jit(lambda x: jax.debug.print('') or x)(x).to_numpy()",
        right="[1.0, 2.0, 4.0]",
        given=JAX,
    ),
    program(
        "jax.vmap(lambda x: jax.lax.psum(x, 'i'), axis_name='i')(T.to_backend('jax'))",
        "axis_name = 'i'; "
        "jax.vmap(lambda x: jax.lax.pmean(x, axis_name), axis_name='i')(T.to_backend('jax'))[0]"
        ".to_backend('numpy')",
        right="T.mean()",
        given=JAX,
    ),
    program(
        "odeint(f, x, t)",
        "t, y0 = t, x; s = 1 * Unit('s'); "
        "odeint(lambda y, t: (f(y, t * s) * s).to(y.unit), y0, "
        "t.to_value('s'))[0].to_backend('numpy')",
        right="n",
        given=ODE,
    ),
    program(
        "dimflow.grad(lambda k: odeint(f, y0, t, k)[-1])(k)",
        "dimflow.grad(lambda k: odeint(lambda y, t: f(y, t, k), y0, t)[-1])(k)"
        ".to_value('m*s').round(5).item()",
        right="-round(2 * math.exp(-1), 5)",
        given=f"{ODE}; f = lambda y, t, k: -y * k * u.s; y0 = x[0]; k = y0 / (2 * u.m * u.s); "
        "t = jnp.array([0.0, 2.0])",
    ),
    program(
        f"f.defvjp({FORWARD}, lambda _, ct: (ct,)); {GRADIENT}",
        f"f.defvjp({FORWARD}, lambda _, ct: (ct.to('1/m'),)); {GRADIENT}",
        right="[1.0, 1.0, 1.0] * u.km / u.m / 1000",
        given=f"{JAX}; f = jax.custom_vjp(lambda x: x.to('km'))",
    ),
    program(
        "jax.hessian(lambda x: (x * x * x).sum())(x)",
        "f = lambda x: (x * x * x).sum(); dimflow.jacobian(dimflow.grad(f))(x).to_backend('numpy')",
        "f = lambda x: (x * x * x).sum(); dimflow.jacobian(f)(x); "
        "dimflow.hessian(f)(x).to_backend('numpy')",
        "f = lambda x: (x * x * x).sum(); jax.jacfwd(jax.grad(f)); "
        "dimflow.hessian(f)(x).to_backend('numpy')",
        right="np.diag([6.0, 12.0, 24.0]) * u.m",
        given=JAX,
    ),
]
