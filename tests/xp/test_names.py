"""What the namespace has: every name of the standard, under the standard's signature."""

import inspect
import pickle
import subprocess
import sys
from typing import Any

import array_api_compat
import array_api_strict as strict
import numpy as np
import pytest

import dimflow
from dimflow import DimArray, linalg, xp
from dimflow.errors import UnitError
from tests.contract import array_api
from tests.xp.agreement import DTYPES, function

CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")
PATHS = sorted(
    {f"{c}.{n}" if c in ("linalg", "fft") else n for c, n in array_api.names()}
    | {*array_api.NOT_OPS}
)
# The standard knows no units, so these may be told one.
WITH_UNIT = {"ceil", "floor", "round", "trunc", "astype", "arange", "asarray", "empty", "eye"} | {
    *("from_dlpack", "full", "linspace", "ones", "zeros")
}
# Keywords of NumPy's that xarray hands to any namespace.
OF_NUMPY = {("std", "ddof"), ("var", "ddof"), ("all", "out"), ("any", "out")}
# array-api-strict marks a default that depends on the version; the standard has None.
DEFAULTS = {("astype", "device"), ("from_dlpack", "device"), ("from_dlpack", "copy")}


def parameters(callable_: Any) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(callable_).parameters)


@pytest.mark.parametrize("path", PATHS)
def test_the_signature_is_the_standards(path: str) -> None:
    got, wanted = parameters(function(xp, path)), parameters(function(strict, path))
    if path in WITH_UNIT:
        unit = got.pop("unit")
        assert (unit.kind, unit.default) == (unit.KEYWORD_ONLY, None)
    got = {name: p for name, p in got.items() if (path, name) not in OF_NUMPY}
    assert list(got) == list(wanted)
    for name, parameter in wanted.items():
        assert got[name].kind is parameter.kind, name
        if (path, name) in DEFAULTS:
            assert got[name].default is None
        elif (path, name) == ("expand_dims", "axis"):
            assert got[name].default == 0  # as the standard has it; array-api-strict has none
        else:
            assert got[name].default == parameter.default, name


@pytest.mark.parametrize("path", PATHS)
def test_it_says_what_it_does(path: str) -> None:
    assert (function(xp, path).__doc__ or "").strip()
    assert function(xp, path).__name__ == path.rpartition(".")[2]


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants(name: str) -> None:
    assert getattr(xp, name) is None or type(getattr(xp, name)) is float
    np.testing.assert_equal(getattr(xp, name), getattr(strict, name))
    np.testing.assert_equal(getattr(dimflow, name), getattr(strict, name))


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes_are_those_of_the_library(name: str) -> None:
    assert getattr(xp, name) == np.dtype(name)
    assert xp.zeros(2, dtype=getattr(xp, name)).dtype == getattr(xp, name)


def test_every_name_is_listed_and_there() -> None:
    for place, module in (("", xp), ("linalg.", xp.linalg), ("fft.", xp.fft)):
        listed = dir(module)
        assert listed == sorted(listed)
        for name in listed:
            getattr(module, name)
        wanted = {p.removeprefix(place) for p in PATHS if p.rpartition(".")[0] == place[:-1]}
        assert wanted <= {*listed}
    assert {*CONSTANTS, *DTYPES, "linalg", "fft", "__array_api_version__"} <= {*dir(xp)}


@pytest.mark.parametrize("module", ["xp", "xp.linalg", "xp.fft"])
def test_what_is_not_there_says_so(module: str) -> None:
    with pytest.raises(AttributeError, match=f"'dimflow.{module}' has no attribute 'sinus'"):
        function(dimflow, f"{module}.sinus")


def test_the_version() -> None:
    assert xp.__array_api_version__ == "2025.12"


@pytest.mark.parametrize("version", [None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"])
def test_an_array_leads_to_the_namespace(version: str | None) -> None:
    assert DimArray([1.0], "m").__array_namespace__(api_version=version) is xp


@pytest.mark.parametrize("version", ["2019.12", "2099.12", "", 2024])
def test_an_unknown_version_is_refused(version: Any) -> None:
    with pytest.raises(UnitError, match=r"no array API of version .*\n.*2024\.12"):
        DimArray([1.0], "m").__array_namespace__(api_version=version)


def test_masks_and_indices_lead_to_it_too() -> None:
    x = xp.asarray([1.0, 2.0], unit="m")
    found = array_api_compat.array_namespace(x, xp.isnan(x), xp.argsort(x), xp.less(x, x), 1.0)
    assert found is xp
    assert array_api_compat.is_array_api_obj(x)


def test_namespaces_and_their_functions_are_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(xp.linalg)) is xp.linalg


def test_a_function_is_made_once() -> None:
    assert xp.sin is xp.sin
    assert xp.linalg is xp.linalg
    assert xp.linalg.svd is xp.linalg.svd


def test_other_ops_of_the_table_are_there_in_their_own_form() -> None:
    x = xp.asarray([1.0, np.nan, 3.0], unit="m")
    assert xp.nanmean(x) == DimArray(2.0, "m")
    assert isinstance(xp.isclose(x, x, equal_nan=True), DimArray)
    with pytest.raises(AttributeError):
        _ = xp.einstein


SHARED = (
    "cross",
    "diagonal",
    "matmul",
    "matrix_transpose",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
)


@pytest.mark.parametrize("name", SHARED)
def test_linalg_has_what_the_standard_has_there(name: str) -> None:
    assert parameters(getattr(linalg, name)) == parameters(getattr(xp.linalg, name))
    assert name in dir(linalg)


def test_linalg_takes_the_last_two_axes_and_leaves_raw_arrays_raw() -> None:
    stack = np.arange(18.0).reshape(2, 3, 3)
    np.testing.assert_array_equal(linalg.trace(stack), np.linalg.trace(stack))
    np.testing.assert_array_equal(linalg.diagonal(stack), np.linalg.diagonal(stack))
    assert type(linalg.trace(stack)) is np.ndarray
    assert linalg.trace(DimArray(stack, "m")).unit == dimflow.Unit("m")
    assert dimflow.trace(stack).shape == (3,)


def test_importing_it_brings_no_other_library() -> None:
    code = (
        "import sys, dimflow.xp as xp; xp.sum(xp.asarray([1.0], unit='m')); dir(xp);"
        "others = {'torch', 'jax', 'mlx', 'cupy', 'array_api_compat', 'scipy'};"
        "print(sorted(others & {*sys.modules}))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
