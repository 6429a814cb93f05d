"""New arrays in the standard's form, each made by one library. Every one takes a `unit` as well."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array import factories
from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray, wrap
from dimflow.backends import Backend
from dimflow.errors import UnitError
from dimflow.ops.rules.dtypes import named
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit

Choice = Unit | str | None
_NUMBERS = frozenset((bool, int, float, complex, np.float64, np.int64, np.bool_))


class Creation:
    """The standard's creation functions, bound to a library."""

    def __init__(self, library: Backend) -> None:
        self._library = library
        self._name = library.name

    def asarray(
        self,
        obj: Any,
        /,
        *,
        dtype: Any = None,
        device: Any = None,
        copy: bool | None = None,
        unit: Choice = None,
    ) -> DimArray:
        """An array of anything array-like; what has a unit keeps it, or is converted to `unit`.

        A number beside lazy arrays stays one that is known: a fill value is no task.
        """
        if not isinstance(obj, DimArray):
            if type(obj) in _NUMBERS and self._library.is_lazy:
                return DimArray(obj, unit, dtype=dtype, backend="numpy")
            return DimArray(obj, unit, dtype=dtype, backend=self._name, device=device, copy=copy)
        changed = dtype is not None and named(dtype) != named(obj.dtype)
        if changed and copy is False:
            problem = f"asarray with copy=False cannot make {obj.dtype} into {dtype}"
            raise UnitError(problem, "leave copy out, or ask for the dtype that it has")
        x = obj.to_backend(self._name, device=device, copy=None if changed else copy)
        if changed:
            x = ops.astype(x, dtype, unit=unit)
        return x if unit is None else x.to(unit, copy=False)  # type: ignore[no-any-return]

    def from_dlpack(
        self, x: Any, /, *, device: Any = None, copy: bool | None = None, unit: Choice = None
    ) -> DimArray:
        """An array on the memory of another library's; one of dimflow's keeps its unit."""
        if isinstance(x, Core):
            return self.asarray(x, device=device, copy=copy, unit=unit)
        place = self._library.native_device(device)
        raw = self._library.namespace.from_dlpack(x, device=place, copy=copy)
        return wrap(raw, PURE if unit is None else Unit(unit))

    def empty(
        self, shape: Any, *, dtype: Any = None, device: Any = None, unit: Choice = None
    ) -> DimArray:
        """An array of whatever the memory holds."""
        return factories.empty(shape, unit, dtype=dtype, backend=self._name, device=device)

    def zeros(
        self, shape: Any, *, dtype: Any = None, device: Any = None, unit: Choice = None
    ) -> DimArray:
        """An array of zeros."""
        return factories.zeros(shape, unit, dtype=dtype, backend=self._name, device=device)

    def ones(
        self, shape: Any, *, dtype: Any = None, device: Any = None, unit: Choice = None
    ) -> DimArray:
        """An array of ones."""
        return factories.ones(shape, unit, dtype=dtype, backend=self._name, device=device)

    def full(
        self,
        shape: Any,
        fill_value: Any,
        *,
        dtype: Any = None,
        device: Any = None,
        unit: Choice = None,
    ) -> DimArray:
        """An array of one value, which may carry a unit itself."""
        return factories.full(
            shape, fill_value, unit, dtype=dtype, backend=self._name, device=device
        )

    def eye(
        self,
        n_rows: int,
        n_cols: int | None = None,
        /,
        *,
        k: int = 0,
        dtype: Any = None,
        device: Any = None,
        unit: Choice = None,
    ) -> DimArray:
        """Ones on a diagonal, zeros elsewhere."""
        return factories.eye(
            n_rows, n_cols, k, unit, dtype=dtype, backend=self._name, device=device
        )

    def arange(
        self,
        start: Any,
        /,
        stop: Any = None,
        step: Any = 1,
        *,
        dtype: Any = None,
        device: Any = None,
        unit: Choice = None,
    ) -> DimArray:
        """Equally spaced values; the ends and the step may carry units."""
        if stop is None:
            start, stop = 0, start
        return factories.arange(
            start, stop, step, unit, dtype=dtype, backend=self._name, device=device
        )

    def linspace(
        self,
        start: Any,
        stop: Any,
        /,
        num: int,
        *,
        dtype: Any = None,
        device: Any = None,
        endpoint: bool = True,
        unit: Choice = None,
    ) -> DimArray:
        """`num` values from start to stop, equally spaced; the ends may carry units."""
        return factories.linspace(
            start,
            stop,
            num,
            unit,
            endpoint=endpoint,
            dtype=dtype,
            backend=self._name,
            device=device,
        )

    def fftfreq(
        self, n: int, /, *, d: Any = 1.0, dtype: Any = None, device: Any = None
    ) -> DimArray:
        """The frequencies of an `fft` of n samples; those of samples in seconds are in hertz."""
        return self._frequencies(ops.fftfreq, n, d, dtype, device)

    def rfftfreq(
        self, n: int, /, *, d: Any = 1.0, dtype: Any = None, device: Any = None
    ) -> DimArray:
        """The frequencies of an `rfft` of n samples."""
        return self._frequencies(ops.rfftfreq, n, d, dtype, device)

    def _frequencies(self, op: Any, n: int, d: Any, dtype: Any, device: Any) -> DimArray:
        made = op(n, d if isinstance(d, Core) else DimArray(d))
        return self.asarray(made, dtype=dtype, device=device)
