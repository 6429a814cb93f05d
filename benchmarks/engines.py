"""The contenders that differentiate: what each calls its functions, and how it makes arrays.

Every contender gets the same numbers. What it needs before the clock starts (leaves that require a
gradient, arrays with units) is made once, as a program that trains or simulates makes it.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from benchmarks.programs import Functions, Program

Function = Callable[..., Any]
Work = Callable[[], Any]  # ready to be timed


def _no(function: Function, *args: Any) -> Function:
    raise NotImplementedError("this contender does not take part here")


class Engine(NamedTuple):
    """A way to differentiate."""

    name: str
    functions: Functions
    array: Callable[[Any, str, bool], Any]  # of numbers and a unit; whether there is a slope by it
    grad: Callable[[Function, int], Function]  # by so many arguments, from the first on
    record: Callable[[Function], Function] = _no  # forward alone, ready to go back
    hvp: Callable[[Function, int, list[Any]], Function] = _no
    jacobian: Callable[[Function], Function] = _no
    units: bool = False

    def ready(self, program: Program) -> tuple[Function, list[Any]]:
        """The program as a function of what there is a slope by, and these arguments."""
        wanted = program.wanted
        given = [self.array(x, u, i < wanted) for i, (x, u) in enumerate(program.arguments())]
        function, rest = program.build(self.functions), given[wanted:]
        return (lambda *args: function(*args, *rest)), given[:wanted]

    def gradient(self, program: Program) -> Work:
        """The gradient by all wanted arguments."""
        function, given = self.ready(program)
        slope = self.grad(function, program.wanted)
        return lambda: slope(*given)

    def recorded(self, program: Program) -> Work:
        """The value, and all that is needed to go back from it."""
        function, given = self.ready(program)
        run = self.record(function)
        return lambda: run(*given)

    def curvature(self, program: Program) -> Work:
        """The Hessian times ones."""
        function, given = self.ready(program)
        numbers = program.arguments()[: program.wanted]
        ones = [self.array(np.ones_like(x), unit, False) for x, unit in numbers]
        run = self.hvp(function, program.wanted, ones)
        return lambda: run(*given)

    def slopes(self, program: Program) -> Work:
        """The Jacobian by the first argument."""
        function, given = self.ready(program)
        run = self.jacobian(function)
        return lambda: run(given[0])


def _raw(library: str, numbers: Any) -> Any:
    """An array of the library; a number of Python stays one."""
    if library == "numpy" or not isinstance(numbers, np.ndarray):
        return numbers
    if library == "torch":
        import torch

        return torch.tensor(numbers)
    import jax.numpy as jnp

    return jnp.asarray(numbers)


def dimflow_engine(library: str = "numpy", *, units: bool = True) -> Engine:
    """`dimflow.grad` on arrays of a library, with units or as they are."""
    import dimflow

    def array(numbers: Any, unit: str, is_wanted: bool) -> Any:
        raw = _raw(library, numbers)
        is_plain = not units or (unit == "1" and isinstance(numbers, float))
        return raw if is_plain else dimflow.DimArray(raw, unit)

    return Engine(
        "dimflow",
        Functions(dimflow.sqrt, dimflow.exp, dimflow.relu, dimflow.sum, dimflow.mean),
        array,
        lambda function, count: dimflow.grad(function, argnums=tuple(range(count))),
        record=lambda function: lambda *given: dimflow.vjp(function, *given),
        hvp=_dimflow_hvp,
        jacobian=lambda function: dimflow.jacobian(function),
        units=units,
    )


def _dimflow_hvp(function: Function, count: int, along: list[Any]) -> Function:
    import dimflow

    return lambda *given: dimflow.hvp(function, given, along)


@cache
def _torch_functions() -> Functions:
    import torch

    return Functions(torch.sqrt, torch.exp, torch.relu, torch.sum, torch.mean)


def torch_tape() -> Engine:
    """PyTorch as most use it: leaves that require a gradient, and its tape."""
    import torch

    def array(numbers: Any, unit: str, is_wanted: bool) -> Any:
        raw = _raw("torch", numbers)
        return raw.requires_grad_() if is_wanted else raw

    return Engine(
        "PyTorch",
        _torch_functions(),
        array,
        lambda function, count: lambda *given: torch.autograd.grad(function(*given), given),
        record=lambda function: function,
    )


def torch_functional(name: str = "raw") -> Engine:
    """`torch.func`, which nests; it is what dimflow runs on tensors."""
    import torch

    def hvp(function: Function, count: int, along: list[Any]) -> Function:
        slope = torch.func.grad(function, argnums=tuple(range(count)))
        return lambda *given: torch.func.jvp(slope, given, tuple(along))[1]

    return Engine(
        name,
        _torch_functions(),
        lambda numbers, unit, is_wanted: _raw("torch", numbers),
        lambda function, count: torch.func.grad(function, argnums=tuple(range(count))),
        hvp=hvp,
        jacobian=torch.func.jacrev,
    )


def jax_engine() -> Engine:
    """`jax.grad`, operation by operation."""
    import jax
    import jax.numpy as jnp

    return Engine(
        "raw",
        Functions(jnp.sqrt, jnp.exp, jax.nn.relu, jnp.sum, jnp.mean),
        lambda numbers, unit, is_wanted: _raw("jax", numbers),
        lambda function, count: jax.grad(function, argnums=tuple(range(count))),
    )


def hips_autograd() -> Engine:
    """HIPS autograd, a tape over NumPy."""
    import autograd
    import autograd.numpy as anp

    def record(function: Function) -> Function:
        both = autograd.make_vjp(lambda pair: function(*pair))
        return lambda *given: both(given)

    def hvp(function: Function, count: int, along: list[Any]) -> Function:
        curved = autograd.make_hvp(lambda given: function(*given))
        return lambda *given: curved(given)[0](tuple(along))

    return Engine(
        "autograd",
        Functions(anp.sqrt, anp.exp, lambda x: anp.maximum(x, 0), anp.sum, anp.mean),
        lambda numbers, unit, is_wanted: numbers,
        lambda function, count: autograd.grad(function, tuple(range(count))),
        record=record,
        hvp=hvp,
        jacobian=autograd.jacobian,
    )


NUMPY = Functions(np.sqrt, np.exp, lambda x: np.maximum(x, 0), np.sum, np.mean)


def numpy_forward(program: Program) -> Work:
    """The program alone, without any derivative: what recording is measured against."""
    given = [numbers for numbers, _ in program.arguments()]
    function = program.build(NUMPY)
    return lambda: function(*given)
