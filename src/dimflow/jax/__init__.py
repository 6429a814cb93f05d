"""JAX: arrays with units in its transformations. Nothing has to be called.

    import jax
    from dimflow import DimArray

    jax.jit(energy)(DimArray([1.0, 2.0], "kg"), DimArray([3.0, 4.0], "m/s"))

A DimArray is a pytree of one leaf, its numbers; its unit is static, part of the structure. So
traced code has no trace of units but one product where numbers are converted, another unit compiles
anew, and a loop that changes the unit of its state is refused by JAX. This is registered as soon as
both JAX and dimflow are imported. Derivatives with units: `dimflow.grad`, `dimflow.vjp`,
`dimflow.jvp`.
"""

from dimflow.jax.leaves import refuse_as_leaf
from dimflow.jax.tree import register

__all__: list[str] = []

register()
refuse_as_leaf()
