"""Scopes: a string means the unit that the scope of the call has, whoever asked for it before."""

import ast
import inspect
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dimflow
from dimflow import DimArray, Unit
from dimflow.errors import UndefinedUnitError, UnitError
from dimflow.units import Dimension, Registry
from dimflow.units.tables import builtin

WORD = "zqton"
NAMES = frozenset(("unit", "units", "beam_unit"))
MODULES = (
    *("dimflow", "dimflow.xp", "dimflow.units", "dimflow.units.equivalencies", "dimflow.testing"),
    *("dimflow.dask", "dimflow.pandas", "dimflow.plotting", "dimflow.torch"),
)

# They read or write files, where `unit=` goes through the same function as in `from_array`.
FILES = frozenset(
    [
        "from_csv",
        "from_hdf5",
        "from_netcdf",
        "from_npy_stack",
        "from_zarr",
        "loadtxt",
        "store",
        "to_hdf5",
        "to_zarr",
    ]
)
# They take units, not strings, or say what a unit is.
NOT_STRINGS = frozenset(("encode", "to_json", "UnitConverter"))


def mass() -> DimArray:
    return DimArray([[1234.5, 8765.4], [2222.2, 3333.3]], "kg")


def block(x: Any, *_: Any, **__: Any) -> Any:
    return x * 1.0


# What stands for a required parameter of this name, in all of these modules.
VALUES: dict[str, Any] = {
    **dict.fromkeys(("x", "array", "actual"), mass),
    **dict.fromkeys(("data", "value", "values", "obj"), lambda: [1.5, 2.5]),
    **dict.fromkeys(("N", "n", "n_rows", "num"), lambda: 3),
    **dict.fromkeys(("start", "left", "low", "a", "df", "dfnum", "mu", "mean"), lambda: 1.0),
    **dict.fromkeys(("mode", "nonc", "kappa", "b", "dfden", "scale", "rest"), lambda: 2.0),
    **dict.fromkeys(("stop", "right", "high", "frequency"), lambda: 5.0),
    **dict.fromkeys(("func", "chunk", "aggregate", "reduction"), lambda: block),
    "alpha": lambda: [1.0, 2.0],
    "axes": lambda: [0],
    "axis": lambda: 0,
    "dtype": lambda: "float64",
    "fill_value": lambda: 3.0,
    "function": lambda: lambda *index: index[0] * 1.0,
    "name": lambda: "mass",
    "shape": lambda: (2,),
    "size": lambda: 3,
}

# Where a name alone does not say what is wanted.
EXPLICIT: dict[str, Callable[[Any], Any]] = {
    "dimflow.testing.assert_unit": lambda u: dimflow.testing.assert_unit(mass().to(u), u),
    "dimflow.xp.from_dlpack": lambda u: dimflow.xp.from_dlpack(np.ones(2), unit=u),
    "dimflow.from_dlpack": lambda u: dimflow.from_dlpack(np.ones(2), u),
    "dimflow.testing.arrays": lambda u: _unit_drawn(dimflow.testing.arrays(u)),
    "dimflow.units.equivalencies.molar": lambda u: DimArray(1.0, "mol").to(
        "kg", _equivalencies().molar(2.0, times(u, "1/mol"))
    ),
    "dimflow.units.equivalencies.doppler": lambda u: DimArray(1.0, "Hz").to(
        "m/s", _equivalencies().doppler(2.0, times(u, "Hz/kg"))
    ),
    "dimflow.units.equivalencies.brightness_temperature": lambda u: DimArray(1.0, "Jy").to(
        "K", _equivalencies().brightness_temperature(2.0, beam=1.0, beam_unit=times(u, "sr/kg"))
    ),
    "dimflow.DualNumber": lambda u: dimflow.DualNumber(1.0, unit=u).value,
    "dimflow.torch.DimParameter": lambda u: _parameter(u),
    "DaskDimArray.random": lambda u: _dask().DaskDimArray.random(3, u, seed=1),
    "Generator.vonmises": lambda u: _generator().vonmises(0.5, 1.0, 3, unit=times(u, "rad/kg")),
    "Generator.standard_gamma": lambda u: _generator().standard_gamma(2.0, 3, unit=u),
    "Generator.gamma": lambda u: _generator().gamma(2.0, 1.0, 3, unit=u),
    "dimflow.dask.apply_along_axis": lambda u: _lazy("apply_along_axis", u, block, 0, WHOLE),
    "dimflow.dask.apply_over_axes": lambda u: _lazy("apply_over_axes", u, block, WHOLE, [0]),
    "dimflow.dask.apply_gufunc": lambda u: _lazy("apply_gufunc", u, block, "()->()", WHOLE),
    "dimflow.dask.blockwise": lambda u: _lazy("blockwise", u, block, "ij", WHOLE, "ij"),
    "dimflow.dask.coarsen": lambda u: _lazy("coarsen", u, np.sum, WHOLE, {0: 2}),
    "dimflow.dask.delayed": lambda u: _delayed(u),
    "dimflow.dask.from_delayed": lambda u: _from_delayed(u),
    "dimflow.dask.from_dask_dataframe": lambda u: _from_frame(u),
    "dimflow.dask.map_blocks": lambda u: _lazy("map_blocks", u, block, WHOLE),
    "dimflow.dask.map_overlap": lambda u: _lazy("map_overlap", u, block, WHOLE, depth=0),
    "dimflow.dask.reduction": lambda u: _lazy("reduction", u, WHOLE, np.sum, np.sum, dtype=float),
}
WHOLE = "stands for a lazy array in kg"


def _equivalencies() -> Any:
    return import_module("dimflow.units.equivalencies")


def times(unit: Any, factor: str) -> Any:
    return unit * Unit(factor) if isinstance(unit, Unit) else f"{unit} * {factor}"


def _dask() -> Any:
    return import_module("dimflow.dask")


def _parameter(unit: Any) -> Any:
    return import_module("dimflow.torch").DimParameter([1.5], unit).detach()


def _unit_drawn(strategy: Any) -> Any:
    from hypothesis import find

    return find(strategy, lambda _: True).unit


def _generator() -> Any:
    return import_module("dimflow.random").default_rng(3)


def _lazy(name: str, unit: Any, *args: Any, **kwargs: Any) -> Any:
    dask = _dask()
    x = dask.from_array(mass(), chunks=1 if name == "map_blocks" else 2)
    made = getattr(dask, name)(*(x if a is WHOLE else a for a in args), unit=unit, **kwargs)
    return made.compute()


def _delayed(unit: Any) -> Any:
    return _dask().delayed(mass, unit=unit)().compute()


def _from_delayed(unit: Any) -> Any:
    import dask

    made = dask.delayed(np.ones)(2)
    return _dask().from_delayed(made, unit, (2,), float).compute()


def _from_frame(unit: Any) -> Any:
    import pandas as pd
    from dask import dataframe

    series = dataframe.from_pandas(pd.DataFrame({"m": [1.0, 2.0]}), npartitions=1)["m"]
    return _dask().from_dask_dataframe(series, unit).compute()


def takes_units(function: Any) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return []
    return [name for name in parameters if name in NAMES]


def of_modules() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Every public function and class with such a parameter."""
    seen: set[int] = set()
    for module in MODULES:
        found = import_module(module)
        for name in dict.fromkeys([*getattr(found, "__all__", ()), *dir(found)]):
            if name.startswith("_") or name in FILES | NOT_STRINGS:
                continue
            function = getattr(found, name)
            is_ours = str(getattr(function, "__module__", "dimflow")).startswith("dimflow")
            is_error = isinstance(function, type) and issubclass(function, Exception)
            if not is_ours or is_error or id(function) in seen or not takes_units(function):
                continue
            seen.add(id(function))
            yield f"{module}.{name}", partial(called, f"{module}.{name}", function)


def of_methods() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Every method with such a parameter, of one array for each library, and of a generator."""
    from dimflow import dask, torch

    for kind in (DimArray, torch.DimTensor, dask.DaskDimArray, type(_generator())):
        for name in dir(kind):
            if name.startswith("_") or name in FILES or not takes_units(getattr(kind, name)):
                continue
            yield f"{kind.__name__}.{name}", partial(_method, kind, name)


def _method(kind: type, name: str, unit: Any) -> Any:
    self: Any
    if kind.__name__ == "Generator":
        self = _generator()
    elif isinstance(inspect.getattr_static(kind, name), classmethod):
        self = kind
    else:
        self = mass() if kind is DimArray else kind(mass().data, "kg")
    if kind.__name__ == "DaskDimArray" and f"dimflow.dask.{name}" in EXPLICIT:
        return EXPLICIT[f"dimflow.dask.{name}"](unit)
    return called(f"{kind.__name__}.{name}", getattr(self, name), unit)


def called(name: str, function: Callable[..., Any], unit: Any) -> Any:
    """The result of a call with this unit, whatever else it asks for."""
    if name in EXPLICIT:
        return EXPLICIT[name](unit)
    parameters = inspect.signature(function).parameters
    args, kwargs = [], {}
    for parameter in parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name in NAMES - {"beam_unit"}:
            value = unit
        elif parameter.name == "size" and name.startswith("Generator"):
            value = 3
        elif parameter.default is parameter.empty:
            value = VALUES[parameter.name]()
        else:
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY:
            args.append(value)
        else:
            kwargs[parameter.name] = value
    return function(*args, **kwargs)


def described(result: Any) -> Any:
    """What was found, to be compared: the very unit, and the numbers in it."""
    if hasattr(result, "compute"):
        result = result.compute()
    if isinstance(result, (tuple, list)):
        return [described(part) for part in result]
    unit = getattr(result, "unit", None)
    if isinstance(unit, Unit) and not hasattr(result, "to_numpy"):
        return unit._serial
    if isinstance(unit, Unit):
        return unit._serial, np.asarray(result.to_numpy()).tolist()
    if isinstance(result, Unit):
        return result._serial
    if hasattr(result, "numpy"):
        result = result.numpy()
    return result.tolist() if isinstance(result, np.ndarray) else str(result)


CALLS = dict([*of_modules(), *of_methods()])


def scopes() -> list[Registry]:
    made = [Registry(), Registry()]
    made[0].define(f"{WORD} = 1000 kg")
    made[1].define(f"{WORD} = 7 kg")
    return made


@pytest.mark.parametrize("name", CALLS)
def test_a_string_means_what_the_scope_of_the_call_says(name: str) -> None:
    call, registries = CALLS[name], scopes()
    expected = {}
    for registry in registries:
        with registry:  # the unit itself, wherever it was read
            expected[registry] = described(call(registry(WORD)))
    for registry in (*registries, *registries):
        with registry:
            assert described(call(WORD)) == expected[registry]
    with pytest.raises((UndefinedUnitError, TypeError, UnitError)):
        described(call(WORD))
    with ThreadPoolExecutor(1) as threads:
        for registry in reversed(registries):
            with registry:
                context = copy_context()
            found = threads.submit(context.run, lambda: described(call(WORD))).result()
            assert found == expected[registry]


def test_a_name_that_was_given_another_meaning_is_read_anew() -> None:
    with Registry() as lab:
        lab.define(f"{WORD} = 1000 kg")
        assert mass().round(unit=WORD).to_value("kg").tolist() == [[1000, 9000], [2000, 3000]]
        lab.define(f"{WORD} = 7 kg", replace=True)
        assert mass().round(unit=WORD).to_value("kg")[0, 0] == 176 * 7


def test_a_plan_keeps_the_spelling_that_was_asked_for() -> None:
    force = DimArray([1.5], "N")
    assert str(force.round(unit=Unit("N")).unit) == "N"
    assert str(force.round(unit=Unit("kg*m/s**2")).unit) == "kg*m/s**2"


def test_an_annotation_that_is_read_late_means_what_it_meant_where_it_was_written() -> None:
    with Registry() as lab:
        lab.define(f"{WORD} = 1000 kg")

        @dimflow.checked
        def weighed(x: WORD, later: "NotYetThere" = None) -> Any:  # type: ignore  # noqa: F821
            return x

    globals()["NotYetThere"] = int
    try:
        with Registry() as other:
            other.define(f"{WORD} = 7 kg")
            assert weighed(DimArray(2000.0, "kg")).data == 2.0
    finally:
        del globals()["NotYetThere"]


def test_units_of_a_dimension_are_those_of_the_scope() -> None:
    from dimflow.testing import _of_dimension

    with Registry() as lab:
        unit = lab.define(f"{WORD} = 1000 kg")
        assert unit in _of_dimension(Dimension("mass"))
    assert unit is not None
    assert not any(found is unit for found in _of_dimension(Dimension("mass")))


def _is_unit(text: Any) -> bool:
    try:
        return isinstance(text, str) and bool(builtin.parse(text).atoms)
    except UnitError:
        return False


def test_dimflow_itself_reads_no_name_in_the_scope_of_its_user() -> None:
    """A scope may give "rad" another meaning; sin and the rest go on to mean the table's."""
    source = Path(dimflow.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in source.rglob("*.py")}
    readers = {name.rpartition(".")[2] for name in CALLS if not name.startswith("Generator")}
    found = [
        f"{path.relative_to(source)}:{node.lineno}"
        for path, text in texts.items()
        if path.name != "equivalencies.py"  # which enters the table's own scope
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) in {"Unit", *readers}
        for argument in node.args
        if isinstance(argument, ast.Constant) and _is_unit(argument.value)
    ]
    assert found == []


def test_functions_of_angles_do_not_go_by_the_scope() -> None:
    with Registry() as lab:
        lab.define("rad = 7 m = _", replace=True)
        assert dimflow.sin(DimArray(1.0)).data == np.sin(1.0)
        assert dimflow.asin(DimArray(1.0)).unit is not lab("rad")
