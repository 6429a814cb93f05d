"""`x.requires_grad_()`, `y.backward()`, `x.grad`: derivatives as PyTorch's users write them.

Those of PyTorch's own tensors are PyTorch's: see `dimflow.torch`. All others are ours.
"""

from typing import Any, Self

from dimflow.array.core import Core
from dimflow.backends import backend_of


class Recording(Core):
    """What is done with an array that requires grad is recorded, until a backward pass."""

    __slots__ = ()

    @property
    def requires_grad(self) -> bool:
        """Whether what is done with this array is recorded, to be differentiated."""
        return backend_of(self._raw).requires_grad(self._raw)

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        self.requires_grad_(flag)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Record what is done with this array from now on, or no longer.

        Its values are copied, so that nobody can change what was recorded.
        """
        from dimflow.array.leaves import require

        require(self, requires_grad)
        return self

    def retain_grad(self) -> None:
        """Gather the gradient here too, though this is no leaf."""
        from dimflow.array.leaves import retain

        retain(self)

    @property
    def is_leaf(self) -> bool:
        """Whether this was not computed from arrays that are recorded."""
        if not self.requires_grad:
            return True
        from dimflow.array.leaves import is_leaf

        return is_leaf(self._raw)

    @property
    def grad(self) -> Any:
        """What has gathered from backward passes, in [output] / [input]; None if nothing has.

        UnitError for what was computed from others, unless `retain_grad()` was called.
        """
        if not backend_of(self._raw).follows:
            return None
        from dimflow.array.leaves import gradient_of

        return gradient_of(self)

    @grad.setter
    def grad(self, gradient: Any) -> None:
        from dimflow.array.leaves import put_gradient

        put_gradient(self, gradient)

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool = False,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Differentiate by all leaves, or by `inputs`; gradients add up in their `.grad`.

        Each is in the unit of this array over that of the leaf. `gradient` (for other outputs than
        a single number) multiplies: its unit counts too. The record is freed on the way, unless it
        is retained. Derivatives of derivatives are taken by dimflow.grad or GradientTape instead.
        """
        from dimflow.array.leaves import backward
        from dimflow.errors import UnitError

        if create_graph:
            problem = "backward(create_graph=True) is PyTorch's alone: x.grad is not recorded"
            raise UnitError(problem, "nest dimflow.grad or dimflow.GradientTape")
        backward(self, gradient, retain_graph, inputs)
