"""Angles and levels, beside others and beside bare numbers: every host refuses what `+` refuses.

Each entry brings y into an array of the unit of x in the way of its host, without saying how. It
answers where the two units are alike, with the numbers that `.to` has, and else raises.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import dimflow
from dimflow import DimArray, Unit, ops
from dimflow.errors import DimflowError
from dimflow.units.alike import are_alike

# Pairs that differ by an angle, by a level, or by nothing.
PAIRS = [
    *[("Hz", "rad/s"), ("rad/s", "Hz"), ("rpm", "Hz"), ("Bq", "rad/s"), ("rpm", "1/min")],
    *[("rad/s", "1/s"), ("1/s", "Bq"), ("rpm", "deg/s"), ("m/s", "rad*m/s"), ("m/s", "Hz*m")],
    *[("", "rad"), ("rad", ""), ("", "deg"), ("tr", ""), ("percent", "sr"), ("J", "N*m/rad")],
    *[("dB", ""), ("", "dB"), ("mag", ""), ("dB", "percent"), ("dB", "Np"), ("dB", "dB_field")],
    *[("dB", "delta_dB"), ("delta_dB", ""), ("", "delta_dB"), ("delta_Np", ""), ("dB/km", "1/km")],
    *[("Np/m", "1/m"), ("dBm", "mW"), ("dBm", "dBW"), ("dBm", ""), ("dBm", "delta_dB")],
]
Entry = Callable[[Any, Any], Any]


def _put(x: Any, y: Any) -> Any:
    x[...] = y
    return x


def _in_place(method: str) -> Entry:
    return lambda x, y: getattr(x, method)(y)


def _checked(x: Any, y: Any) -> Any:
    def function(value: Any) -> Any:
        return value

    function.__annotations__ = {"value": str(x.unit)}
    return dimflow.checked(function)(y)


def _poked(x: Any, y: Any, function: Callable[..., Any], *args: Any) -> Any:
    function(x, *args, y)
    return x


NUMPY: dict[str, Entry] = {
    "concatenate": lambda x, y: np.concatenate([x, y])[2:],
    "stack": lambda x, y: np.stack([x, y])[1],
    "append": lambda x, y: np.append(x, y)[2:],
    "block": lambda x, y: np.block([x, y])[2:],
    "union1d": lambda x, y: np.union1d(x[:0], y)[[0, 0]],
    "select": lambda x, y: np.select([[False, False]], [x], y[0]),
    "choose": lambda x, y: np.choose([1, 1], [x, y]),
    "clip": lambda x, y: np.clip(x, y, y),
    "pad": lambda x, y: np.pad(x, (2, 0), constant_values=y[0])[:2],
    "full_like": lambda x, y: np.full_like(x, y),
    "max of initial": lambda x, y: np.stack([np.max(x[:0], initial=y[0])] * 2),
    "put": lambda x, y: _poked(x, y, np.put, [0, 1]),
    "putmask": lambda x, y: _poked(x, y, np.putmask, [True, True]),
    "place": lambda x, y: _poked(x, y, np.place, [True, True]),
    "copyto": lambda x, y: _poked(x, y, np.copyto),
    "put_along_axis": lambda x, y: (np.put_along_axis(x, np.array([0, 1]), y, 0), x)[1],
    "piecewise": lambda x, y: np.piecewise(x, [[True, False]], [lambda v: v, y[0]])[[1, 1]],
    "fill": lambda x, y: (x.fill(y[0]), x)[1],
    "at[...].set": lambda x, y: x.at[:].set(y),
    "list": lambda x, y: DimArray([x[0], y[0], y[1]])[1:],
    "linspace": lambda x, y: dimflow.linspace(y[0], x[0], 2)[[0, 0]].to(x.unit),
    "checked": _checked,
    "xp.where": lambda x, y: x.__array_namespace__().where(x[[0, 0]] != x, x, y),
    "xp.concat": lambda x, y: x.__array_namespace__().concat([x, y])[2:],
}
TORCH: dict[str, Entry] = {
    "cat": lambda x, y: _torch().cat([x, y])[2:],
    "where": lambda x, y: _torch().where(_torch().zeros(2, dtype=bool), x, y),
    "clamp": lambda x, y: _torch().clamp(x, y, y),
    "full_like": lambda x, y: _torch().full_like(x, y[0]),
    "copy_": _in_place("copy_"),
    "fill_": lambda x, y: x.fill_(y[0]),
    "masked_fill": lambda x, y: x.masked_fill(_torch().ones(2, dtype=bool), y[0]),
    "index_copy": lambda x, y: x.index_copy(0, _torch().arange(2), y),
    "scatter": lambda x, y: x.scatter(0, _torch().arange(2), y),
    "assignment": _put,
    "pad": lambda x, y: _torch().nn.functional.pad(x, (2, 0), value=y[0])[:2],
    "buffer": lambda x, y: _buffer(x, y),
    "state": lambda x, y: _state(x, y),
}
DASK: dict[str, Entry] = {
    "concatenate": lambda x, y: _dask().concatenate([x, y])[2:],
    "where": lambda x, y: _dask().where(_dask().zeros(2, dtype=bool), x, y),
    "clip": lambda x, y: _dask().clip(x, y[0], y[0]),
    "full_like": lambda x, y: _dask().full_like(x, y[0].compute()),
    "pad": lambda x, y: _dask().pad(x, (2, 0), constant_values=y[0].compute())[:2],
    "assignment": _put,
    "map_blocks": lambda x, y: _dask().map_blocks(lambda a, b: ops.where(a != a, a, b), x, y),
}
JAX: dict[str, Entry] = {
    "where": lambda x, y: dimflow.where(np.array([False, False]), x, y),
    "concat": lambda x, y: dimflow.concat([x, y])[2:],
    "at[...].set": lambda x, y: x.at[:].set(y),
    "jit": lambda x, y: _jax().jit(lambda a, b: dimflow.concat([a, b])[2:])(x, y),
}
PANDAS: dict[str, Entry] = {
    "where": lambda x, y: x.where([False, False], y),
    "mask": lambda x, y: x.mask([True, True], y.iloc[0]),
    "setitem": lambda x, y: (x.__setitem__(slice(None), y), x)[1],
    "iloc": lambda x, y: (x.iloc.__setitem__(slice(None), y), x)[1],
    "clip": lambda x, y: x.clip(lower=y.iloc[0], upper=y.iloc[0]),
    "shift": lambda x, y: x.shift(2, fill_value=y.iloc[0]),
    "reindex": lambda x, y: x.reindex([7, 8], fill_value=y.iloc[0]),
    "fillna": lambda x, y: x.shift(2).fillna(y.iloc[0]),
    "insert into an index": lambda x, y: _index(x).insert(0, y.iloc[0])[[0, 0]].to_series(),
    "combine_first": lambda x, y: x.shift(2).combine_first(y),
    "merge": lambda x, y: _merged(x, y),
}
XARRAY: dict[str, Entry] = {
    "concat": lambda x, y: _xarray().concat([x, y], "t")[2:],
    "where": lambda x, y: x.where(_xarray().DataArray([False, False], dims="t"), y),
    "fillna": lambda x, y: (x * np.nan if x.data.unit.law is None else x.shift(t=2)).fillna(y),
    "setitem": _put,
    "clip": lambda x, y: x.clip(y.data[0], y.data[0]),
    "shift": lambda x, y: x.shift(t=2, fill_value=y.data[0]),
    "pad": lambda x, y: x.pad(t=(2, 0), constant_values=y.data[0])[:2],
}


def _torch() -> Any:
    return import_module("torch")


def _jax() -> Any:
    return import_module("jax")


def _dask() -> Any:
    return import_module("dask.array")


def _xarray() -> Any:
    import dimflow.xarray  # noqa: F401

    return import_module("xarray")


def _index(series: Any) -> Any:
    import pandas as pd

    return pd.Index(series)


def _buffer(x: Any, y: Any) -> Any:
    module = dimflow.torch.UnitModule()
    module.register_buffer("b", x)
    module.b = y
    return module.b


def _state(x: Any, y: Any) -> Any:
    modules = [dimflow.torch.UnitModule(), dimflow.torch.UnitModule()]
    for module, value in zip(modules, (x, y), strict=True):
        module.register_buffer("b", value)
    modules[0].load_state_dict(modules[1].state_dict())
    return modules[0].b


def _merged(x: Any, y: Any) -> Any:
    import pandas as pd

    units = x.dtype.unit, y.dtype.unit
    if are_alike(*units):  # equal values are found, in either unit; logarithms are rounded
        x = pd.Series(y.array.to(units[0])) if units[0].law is units[1].law is None else y
    return pd.merge(x.to_frame("a"), y.to_frame("a"), on="a")["a"].iloc[:2]


def _made(host: str, unit: str, values: tuple[float, float]) -> Any:
    array = DimArray(np.array(values), unit)
    if host in ("torch", "jax", "dask"):
        return array.to_backend(host)
    if host == "pandas":
        return array.to_pandas()
    return _xarray().DataArray(array, dims="t") if host == "xarray" else array


def _read(found: Any, unit: str) -> Any:
    array = DimArray(found.compute() if hasattr(found, "compute") else found)
    return np.asarray(array.to_backend("numpy").to_value(unit), float)


def cases() -> Iterator[Any]:
    hosts = {
        "numpy": NUMPY,
        "torch": TORCH,
        "dask": DASK,
        "jax": JAX,
        "pandas": PANDAS,
        "xarray": XARRAY,
    }
    for host, entries in hosts.items():
        for name, entry in entries.items():
            yield pytest.param(host, entry, id=f"{host} {name}")


@pytest.mark.parametrize(("host", "entry"), list(cases()))
def test_an_entry_takes_what_is_alike_and_refuses_the_rest(host: str, entry: Entry) -> None:
    for x_unit, y_unit in PAIRS:
        x, y = _made(host, x_unit, (2.0, 2.0)), _made(host, y_unit, (3.0, 3.0))
        what = f"{y_unit or 'pure numbers'} into {x_unit or 'pure numbers'}"
        if not are_alike(Unit(x_unit), Unit(y_unit)):
            with pytest.raises((DimflowError, ValueError, TypeError)):
                print(what, _read(entry(x, y), x_unit))
            continue
        wanted = DimArray([3.0, 3.0], y_unit).to_value(x_unit)
        try:
            found = entry(x, y)
        except DimflowError:
            if Unit(x_unit).law is Unit(y_unit).law is None:
                raise
            continue  # points have rules of their own
        np.testing.assert_allclose(_read(found, x_unit), wanted, rtol=1e-6, err_msg=what)
