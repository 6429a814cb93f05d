"""Pickling a DimArray, and plain dictionaries of it.

What is stored is the library's name, dtype, shape, buffer and the wire encoding of the unit, so
the reader needs no registration and a missing library is a clear message.
"""

import base64
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from pickle import PickleBuffer
from typing import Any, Self

import numpy as np

from dimflow.array.core import Core
from dimflow.backends import Backend, backend, class_of
from dimflow.errors import BackendNotInstalled, FileFormatError, TracedValueError, UnitError
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.dtypes import named
from dimflow.units import Unit, decode, encode, from_json, to_json

FORMAT = "dimflow.array/1"
_KINDS = frozenset("biufc")
_restore_on: ContextVar[str | None] = ContextVar("dimflow_restore_on", default=None)


@contextmanager
def restore_on(name: str) -> Iterator[None]:
    """Within a `with` block, arrays come out of pickles as arrays of this library."""
    token = _restore_on.set(name)
    try:
        yield
    finally:
        _restore_on.reset(token)


class Persistence(Core):
    """Copies that leave the process."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        interpreter = interpreter_of(type(self._raw))
        if not isinstance(interpreter, Backend):
            return _restore_value, (type(self), self._raw, encode(self._unit))
        if interpreter.follows:
            return _settled(self, "a pickle").__reduce_ex__(protocol)  # type: ignore[no-any-return]
        if interpreter.name == "numpy.ma":
            return _restore_holes, _with_holes(self)
        raw, kept = _numbers(interpreter, self._raw)
        is_scalar = isinstance(self._raw, np.generic)
        order = "F" if raw.flags.f_contiguous and not raw.flags.c_contiguous else "C"
        if not raw.flags.forc:
            raw = np.ascontiguousarray(raw)
        buffer: Any = PickleBuffer(raw) if protocol >= 5 and raw.ndim else raw.tobytes(order)
        name = "numpy scalar" if is_scalar else f"{interpreter.name} {kept}".rstrip()
        # a plain tuple of plain things: nothing of dimflow but this function is named in the pickle
        # and the class of a library is found by the array: that library may not be there to name it
        own = None if type(self) is class_of(type(self._raw)) else type(self)
        return _restore, (
            own,
            name,
            raw.dtype.str,
            raw.shape,
            order,
            buffer,
            encode(self._unit),
        )

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        """What Dask names results by: the class, the numbers, and what the unit means."""
        if getattr(interpreter_of(type(self._raw)), "follows", False):
            found: tuple[Any, ...] = _settled(self, "a token of Dask's").__dask_tokenize__()
            return found
        normalize = sys.modules["dask.base"].normalize_token  # who asks has imported it
        kind = f"{type(self).__module__}.{type(self).__qualname__}"
        return kind, self._unit.__dask_tokenize__(), normalize(_told_apart_by(self._raw))

    def to_dict(self, *, binary: bool = False) -> dict[str, Any]:
        """The array as plain Python, ready for JSON; `from_dict` reads it.

        The numbers are nested lists (complex ones as pairs), or with `binary=True` the bytes in
        base64. JSON has no nan and no infinity: Python writes them all the same, other readers
        may stumble; `binary=True` avoids that.
        """
        interpreter = interpreter_of(type(self._raw))
        if not isinstance(interpreter, Backend):
            raise UnitError("to_dict needs values, but the array has none", "run it on data first")
        if interpreter.follows:
            return _settled(self, "x.to_dict()").to_dict(binary=binary)  # type: ignore[no-any-return]
        raw = interpreter.to_numpy(self._raw)
        if binary or raw.dtype.char in "gG":  # more digits than JSON's readers have
            data: Any = base64.b64encode(raw.tobytes()).decode("ascii")
        elif raw.dtype.kind == "c":
            data = np.stack([raw.real, raw.imag], axis=-1).tolist()
        else:
            data = raw.tolist()
        return {
            "format": FORMAT,
            "backend": interpreter.name,
            "dtype": raw.dtype.str,
            "shape": list(raw.shape),
            "unit": to_json(self._unit),
            "data": data,
        }

    @classmethod
    def from_dict(cls, record: Any) -> Self:
        """The array of a `to_dict`, with everything in it checked."""
        try:
            dtype, shape, unit, name = _checked(record)
            raw = _raw_of(record["data"], dtype, shape)
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            problem = f"{type(error).__name__}: {error}"
            raise FileFormatError("a dictionary of an array", problem) from None
        made: Self = _made(cls, restored(raw, name), unit)
        return made

    def save(self, path: Any, *, compress: bool = False, overwrite: bool = True) -> None:
        """Save the array and its unit in a `.npz` file; `DimArray.load` reads it.

        Another suffix is refused: `dimflow.savetxt` and `dimflow.to_csv` write tables.
        """
        import_module("dimflow.io").save(path, self, compress=compress, overwrite=overwrite)

    @classmethod
    def load(cls, path: Any, *, backend: str | None = None, max_bytes: int | None = None) -> Self:
        """The array that `save` wrote."""
        found = import_module("dimflow.io").load(path, backend=backend, max_bytes=max_bytes)
        if not isinstance(found, Core):
            what = f"arrays by name: {', '.join(found)}" if type(found) is dict else "no unit"
            raise FileFormatError(str(path), f"it holds {what}", "use dimflow.load(path)")
        made: Self = _made(cls, found._raw, found._unit)
        return made


def _settled(array: Core, operation: str) -> Any:
    """The array without traces that are over; an error while one follows it."""
    from dimflow.array.dimarray import wrap
    from dimflow.autodiff.carrier import Carrier, settled

    raw = settled(array._raw)
    if isinstance(raw, Carrier):
        raise TracedValueError(operation, raw.trace.verb, raw.trace.hint)
    return wrap(raw, array._unit)


def _numbers(library: Backend, raw: Any) -> tuple[Any, str]:
    """As a NumPy array; with the name of the dtype if NumPy has none of it (bfloat16)."""
    dtype = named(library.dtype(raw))
    if isinstance(dtype, np.dtype):
        numbers = library.to_numpy(raw)
        if numbers.dtype == dtype:  # JAX tells NumPy of its bfloat16, and the others do not use it
            return numbers, ""
    wider = library.asarray(library.detach(raw), dtype="float32")
    return library.to_numpy(wider), str(dtype).rpartition(".")[2]


def _with_holes(array: Core) -> tuple[Any, ...]:
    """An array of NumPy's with holes: its numbers as one without, where they are, what fills them.

    The numbers under a mask mean nothing, so they leave as zeros.
    """
    raw = array._raw
    holes = np.ma.getmaskarray(raw)
    numbers = np.where(holes, np.zeros((), raw.dtype), raw.data)
    return array._like(numbers, array._unit), holes, raw.fill_value


def _restore_holes(array: Core, holes: Any, filling: Any) -> Core:
    raw = np.ma.MaskedArray(array._raw, holes, fill_value=filling)
    return array._like(raw, array._unit)


def _told_apart_by(raw: Any) -> Any:
    """A raw value as Dask hashes it well: a pickle of a tensor has addresses in it."""
    library = interpreter_of(type(raw))
    if (
        not isinstance(library, Backend)
        or library.follows
        or library.name in ("dask", "numpy", "numpy.ma")
    ):
        return raw
    return library.name, library.device(raw), *_numbers(library, raw)


def _checked(record: Any) -> tuple[np.dtype[Any], tuple[int, ...], Unit, str]:
    if record["format"] != FORMAT:
        raise ValueError(f"the format is {record['format']!r:.40}, not {FORMAT!r}")
    dtype = np.dtype(record["dtype"])
    if dtype.kind not in _KINDS:
        raise ValueError(f"the dtype {dtype} holds no numbers")
    shape = tuple(record["shape"])
    if any(type(n) is not int or n < 0 for n in shape):
        raise ValueError(f"{record['shape']!r:.40} is no shape")
    name = record["backend"]
    if not isinstance(name, str):
        raise ValueError("the array library has no name")
    return dtype, shape, from_json(record["unit"]), name


def _raw_of(data: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    if isinstance(data, str):
        content = base64.b64decode(data, validate=True)
        if len(content) != math.prod(shape) * dtype.itemsize:
            raise ValueError(f"{len(content)} bytes do not fill the shape {shape}")
        return np.frombuffer(content, dtype).reshape(shape).copy()
    if dtype.kind == "c":
        pairs = np.asarray(data, dtype=dtype.type(0).real.dtype).reshape((*shape, 2))
        raw = np.empty(shape, dtype)
        raw.real, raw.imag = pairs[..., 0], pairs[..., 1]  # 1j * inf would be nan + inf j
        return raw
    raw = np.asarray(data)
    if raw.size and raw.dtype.kind not in _KINDS:
        raise ValueError("the data are no numbers")
    if raw.shape != shape and raw.size:
        raise ValueError(f"the data are of shape {raw.shape}, not {shape}")
    found = raw.astype(dtype).reshape(shape)
    if dtype.kind in "biu" and raw.size and not np.array_equal(found, raw):
        raise ValueError(f"the data are not of dtype {dtype}")
    return found


def _restore(
    cls: Any, name: str, dtype: str, shape: tuple[int, ...], order: Any, buffer: Any, unit: str
) -> Any:
    """What a pickle calls."""
    raw: Any = np.frombuffer(buffer, np.dtype(dtype)).reshape(shape, order=order)
    if isinstance(buffer, bytes):
        raw = raw.copy(order)  # bytes are not to be written to
    raw = raw[()] if name == "numpy scalar" else restored(raw, name)
    return _made(cls, raw, decode(unit))


def restored(raw: Any, name: str, wanted: str | None = None) -> Any:
    """A NumPy array as one of the library that it came from, or of the one that is wanted."""
    name, _, dtype = name.partition(" ")
    wanted = wanted or _restore_on.get() or name
    if wanted == "numpy":
        return raw
    try:
        return backend(wanted).asarray(raw, dtype=dtype or None)
    except BackendNotInstalled as error:
        hint = f"{error.hint}, or load it elsewhere: with dimflow.restore_on('numpy'): ..."
        raise BackendNotInstalled(wanted, hint) from None


def _restore_value(cls: Any, value: Any, unit: str) -> Any:
    return _made(cls, value, decode(unit))


def _made(cls: Any, raw: Any, unit: Unit) -> Any:
    """An array of a class; of that of its library where none is asked for, or a wider one is."""
    usual = class_of(type(raw))
    made = object.__new__(usual if cls is None or issubclass(usual, cls) else cls)
    made._raw = raw
    made._unit = unit
    return made
