"""Programs: ops that take functions, and the kernels that libraries have for them."""

import inspect
from types import FunctionType

import pytest

from dimflow import ops
from dimflow.autodiff import checkpoints, control, custom
from dimflow.autodiff.programs import PROGRAMS
from dimflow.backends import backend

LIBRARIES = ("numpy", "torch", "jax", "mlx", "array_api_strict")
HAVE_THEM = {
    "numpy": set(),
    "torch": {"checkpoint", "custom_call", "members"},
    "jax": set(PROGRAMS),
    "mlx": {"custom_call", "members"},
    "array_api_strict": set(),
}


def test_all_that_are_declared_are_known_by_name() -> None:
    declared = {
        value
        for module in (checkpoints, control, custom)
        for value in vars(module).values()
        if isinstance(value, ops.Op)
    }
    assert {op.name for op in declared if op.kind == "control"} == set(PROGRAMS)
    assert not set(PROGRAMS) & set(ops.TABLE)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_kernel_is_called_as_the_program_is(library: str) -> None:
    found = set()
    for name, program in PROGRAMS.items():
        kernel = backend(library).own_kernel(program)
        if kernel is not None:
            found.add(name)
            assert isinstance(kernel, FunctionType)
            own = inspect.signature(kernel).parameters
            assert [(p.name, p.kind) for p in own.values()] == [
                (p.name, p.kind) for p in program.signature.parameters.values()
            ]
    assert found == HAVE_THEM[library]
