"""Arrays of a library with a class of its own, while a trace follows them.

Then they are DimArrays that hold carriers, and what their library's class adds is looked up here:
so a program can be differentiated that uses it.
"""

from typing import Any

from dimflow.array.core import Core
from dimflow.autodiff.carrier import Carrier, innermost, settled
from dimflow.backends import class_of


def attribute(array: Core, name: str) -> Any:
    """What a followed array has by a name that DimArrays do not have; AttributeError if nothing.

    A class says in `_followed` what it offers while its arrays are followed.
    """
    from dimflow.array.dimarray import wrap

    cls = class_of(type(innermost(array._raw)))
    followed = getattr(cls, "_followed", None)
    if followed is None or not hasattr(cls, name):
        raise AttributeError(f"{type(array).__name__!r} object has no attribute {name!r}")
    value = settled(array._raw)
    if not isinstance(value, Carrier):
        return getattr(wrap(value, array._unit), name)
    return followed(wrap(value, array._unit), name)


def settle_class(array: Core) -> None:
    """The class that belongs to what an array holds now, unless it is of a class of the user's."""
    from dimflow.array.dimarray import DimArray, wrap

    if type(array) in (DimArray, class_of(type(innermost(array._raw)))):
        array.__class__ = type(wrap(array._raw, array._unit))
