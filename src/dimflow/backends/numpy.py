"""NumPy: the reference backend, and the one that bare numbers and lists belong to."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow.backends import pins
from dimflow.backends.backend import Backend
from dimflow.backends.holes import refuse_written
from dimflow.errors import NotANumber, UnitError
from dimflow.ops import Op
from dimflow.ops.rules.dtypes import named
from dimflow.ops.rules.values import refuse_cut

_NUMBERS = "biufc"  # kinds of dtype that hold numbers
_PLAIN = (bool, int, float, complex, list, tuple)


class NumPy(Backend):
    """Raw values are ndarrays, NumPy scalars and Python numbers."""

    name = "numpy"
    rank = 0
    kernel_package = "dimflow.backends.numpy_kernels"

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """NumPy's function of the record's name; None where this NumPy is too old to have it."""
        if op.hosts.numpy is None:
            return None
        function: Any = np
        for part in op.hosts.numpy.split("."):
            function = getattr(function, part, None)
        return function  # type: ignore[no-any-return]

    @property
    def namespace(self) -> Any:
        """NumPy itself, which speaks the standard since its version 2."""
        return np

    def holds(self, kind: type) -> bool:
        """Arrays, NumPy's scalars, and of Python's types numbers and lists."""
        return issubclass(kind, (np.ndarray, np.generic)) or kind in _PLAIN

    def as_dtype(self, dtype: Any) -> Any:
        """NumPy's dtype of that name."""
        return np.dtype(named(dtype))

    def asarray(self, data: Any, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        """An ndarray of numbers; NotANumber for anything else."""
        if device not in (None, "cpu"):
            raise UnitError(f"NumPy arrays live on 'cpu', not on {device!r}")
        bases = {base.__name__ for base in type(data).__mro__}
        if "MaskedArray" in bases:
            hint = "say what stands under the mask: m.astype(float).filled(np.nan)"
            raise NotANumber("an array", f"a {type(data).__name__}", hint)
        if "matrix" in bases:
            raise NotANumber("an array", "a matrix (take its plain data by np.asarray first)")
        try:
            raw = np.array(data, dtype=named(dtype), copy=copy)
        except (TypeError, ValueError) as error:
            if copy is False and "copy" in str(error):
                raise
            raise NotANumber("an array", _described(data, error)) from None
        if raw.dtype.kind not in _NUMBERS:
            raise NotANumber("an array", _described(data, raw.dtype))
        return raw

    def dtype(self, raw: Any) -> Any:
        """That of an array or NumPy scalar; of a Python number, what NumPy makes of it."""
        return getattr(raw, "dtype", None) or np.asarray(raw).dtype

    def numpy_dtype(self, raw: Any) -> Any:
        """The dtype, or the class of a bare Python number."""
        return raw.dtype if hasattr(raw, "dtype") else type(raw)

    def is_mutable(self, raw: Any) -> bool:
        """Arrays are; NumPy's scalars and Python's numbers are not."""
        return isinstance(raw, np.ndarray)

    def assign(self, raw: Any, key: Any, value: Any) -> None:
        """x[key] = value, in place. Fractions are not cut off to fit integers."""
        refuse_cut(value, raw.dtype)
        refuse_written(raw, value)
        pins.check(raw)
        raw[key] = value

    def overlaps(self, raw: Any, other: Any) -> bool:
        """As NumPy has it."""
        return np.may_share_memory(raw, other)

    def take(self, raw: Any, source: Backend, device: Any = None, copy: Any = None) -> Any:
        """What the other library gives as NumPy's; shared if it can, read-only if it must not."""
        return self.asarray(source.to_numpy(raw), device=device, copy=copy)

    def to_numpy(self, raw: Any) -> Any:
        """The array itself."""
        return np.asarray(raw)

    def device(self, raw: Any) -> str:
        """Always the CPU."""
        return "cpu"


def _described(data: Any, why: Any) -> str:
    text = f"{type(data).__name__} {data!r:.60}" if isinstance(data, (str, bytes, list)) else ""
    return f"{text or type(data).__name__} ({why})"


BACKEND = NumPy()
