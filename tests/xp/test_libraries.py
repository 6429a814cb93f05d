"""The same functions on other libraries: NumPy's numbers, in arrays of the library, with units."""

from functools import cache
from typing import Any

import array_api_compat
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import DimArray, Unit, xp
from dimflow.backends import backend
from dimflow.errors import BackendNotInstalled, MissingRule, UnitError
from dimflow.xp import for_library
from tests.xp.agreement import DTYPES, attempt, function
from tests.xp.recipes import RECIPES
from tests.xp.unit_calls import POWERS, REFUSED, X, arguments, parts

LIBRARIES = ("array_api_strict", "torch", "jax", "mlx")
each = pytest.mark.parametrize("library", LIBRARIES)


@cache
def array(library: str, unit: str = "m") -> DimArray:
    return DimArray(backend(library).asarray(X, dtype="float32"), unit)


@each
def test_an_array_leads_to_the_namespace_of_its_library(library: str) -> None:
    found = array(library).__array_namespace__()
    assert found is for_library(library)
    assert found is not xp
    assert found.__name__ == f"dimflow.xp.{library}"
    assert found.linalg.__name__ == f"dimflow.xp.{library}.linalg"
    x = array(library)
    assert array_api_compat.array_namespace(x, found.isnan(x), found.argsort(x)) is found


NO_KERNEL = {("array_api_strict", "linalg.eig"), ("array_api_strict", "linalg.eigvals")}

# JAX compiles every call anew, so that most of its share is left to the deep run.
CALLS = [
    pytest.param(library, path, marks=pytest.mark.deep if library == "jax" and i % 5 else ())
    for library in LIBRARIES
    for i, path in enumerate(sorted(POWERS))
]


@pytest.mark.share(2)
@pytest.mark.parametrize(("library", "path"), CALLS)
def test_it_gives_numpys_numbers_in_the_same_unit(library: str, path: str) -> None:
    args, kwargs = arguments(path, array(library))
    got = attempt(lambda: function(for_library(library), path)(*args, **kwargs))
    args, kwargs = arguments(path, array("numpy"))
    wanted = attempt(lambda: function(xp, path)(*args, **kwargs))
    if (library, path) in NO_KERNEL:
        assert isinstance(got, MissingRule)
        return
    for one, other in zip(parts(got), parts(wanted), strict=True):
        assert isinstance(one, DimArray)
        assert one.backend == library
        assert one.shape == other.shape
        assert one.unit == other.unit
        assert np.asarray(one.to_numpy()).dtype.kind == other.dtype.kind
        if path not in ("empty_like", "linalg.eig", "linalg.eigh", "linalg.svd", "linalg.qr"):
            mine, theirs = np.asarray(one.to_numpy()), np.asarray(other.to_numpy())
            if path == "linalg.eigvals":  # in no order
                mine, theirs = np.sort(abs(mine)), np.sort(abs(theirs))
            np.testing.assert_allclose(mine, theirs, rtol=2e-4, atol=2e-4)


@each
@pytest.mark.parametrize("path", sorted(REFUSED.split()))
def test_what_has_no_meaning_is_refused(library: str, path: str) -> None:
    args, kwargs = arguments(path, array(library))
    with pytest.raises(UnitError):
        function(for_library(library), path)(*args, **kwargs)


@each
def test_new_arrays_are_those_of_the_library(library: str) -> None:
    found = for_library(library)
    made = [
        *(found.zeros(2, unit="m"), found.ones((1, 2), unit="m"), found.empty(3, unit="m")),
        *(found.full(2, 7.0, unit="m"), found.eye(2, unit="m"), found.arange(3, unit="m")),
        *(found.linspace(0, 1, 3, unit="m"), found.asarray([1.0, 2.0], unit="m")),
        found.asarray(DimArray(np.ones(2, np.float32), "m")),
        found.fft.fftfreq(4, d=DimArray(2.0, "s"), dtype=found.float32)
        * DimArray(1.0, "m*s").to_backend(library),
    ]
    for x in made:
        assert (x.backend, x.unit) == (library, Unit("m"))
    assert (
        found.zeros(2).dtype == found.__array_namespace_info__().default_dtypes()["real floating"]
    )


@each
def test_dtypes_are_the_librarys_own(library: str) -> None:
    found = for_library(library)
    for name in ("bool", "int32", "uint8", "float32", "complex64"):
        x = found.zeros(2, dtype=getattr(found, name))
        assert x.dtype == getattr(found, name)
        assert found.astype(array(library, ""), getattr(found, name)).dtype == getattr(found, name)
    assert found.isdtype(found.float32, "real floating")
    assert not found.isdtype(found.int32, ("bool", "complex floating"))
    assert found.result_type(found.int32, found.int16) == found.int32
    assert found.result_type(array(library), found.float32) == found.float32
    assert found.can_cast(found.int16, found.int32)
    assert found.finfo(found.float32)[:5] == xp.finfo(xp.float32)[:5]
    assert found.finfo(array(library)).dtype == found.float32
    assert found.iinfo(found.int16)[:3] == xp.iinfo(xp.int16)[:3]


@each
def test_the_library_tells_of_itself(library: str) -> None:
    info = for_library(library).__array_namespace_info__()
    assert {"boolean indexing", "data-dependent shapes"} <= info.capabilities().keys()
    assert info.default_device() == info.devices()[0]
    assert info.dtypes(kind="bool") == {"bool": for_library(library).bool}
    assert info.dtypes().keys() <= {*DTYPES}
    assert {"real floating", "integral", "indexing"} <= info.default_dtypes().keys()
    x = for_library(library).ones(2, device=info.default_device())
    assert x.device == info.default_device()


@each
def test_arrays_of_numpy_beside_them_are_lifted(library: str) -> None:
    x = array(library)
    product = x.__array_namespace__().multiply(x, X.astype(np.float32))
    assert (product.backend, product.unit) == (library, Unit("m"))
    np.testing.assert_allclose(product.to_numpy(), X * X, rtol=1e-6)


def test_a_library_that_is_not_known() -> None:
    with pytest.raises(BackendNotInstalled, match="abacus"):
        for_library("abacus")


def lifted(library: str, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return DimArray(backend(library).asarray(value, dtype=value.dtype.name))
    if isinstance(value, np.dtype):
        return getattr(for_library(library), value.name)
    return [lifted(library, v) for v in value] if isinstance(value, list) else value


@pytest.mark.deep
@each
@pytest.mark.parametrize("path", sorted(RECIPES))
@given(data=st.data())
@settings(max_examples=10)
def test_any_floating_point_call_gives_numpys_numbers(library: str, path: str, data: Any) -> None:
    args, kwargs = RECIPES[path](data.draw, path)
    arrays = [
        a for v in args for a in (v if isinstance(v, list) else [v]) if isinstance(a, np.ndarray)
    ]
    if not all(a.size and a.dtype == np.float32 and np.all(np.abs(a) < 1e3) for a in arrays):
        return
    wanted = attempt(lambda: function(xp, path)(*args, **kwargs))
    if isinstance(wanted, Exception):
        return
    positional = [lifted(library, a) for a in args]
    keywords = {k: lifted(library, v) for k, v in kwargs.items()}
    got = attempt(lambda: function(for_library(library), path)(*positional, **keywords))
    for one, other in zip(parts(got), parts(wanted), strict=True):
        assert one.backend == library
        assert one.shape == other.shape
        if "unique" not in path:
            np.testing.assert_allclose(one.to_numpy(""), other.to_numpy(""), rtol=1e-3, atol=1e-3)


@each
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16"])
def test_running_sums_of_narrow_integers_are_as_wide_as_their_sum(library: str, dtype: str) -> None:
    space = for_library(library)
    x = DimArray(backend(library).asarray(np.full(300, 1, dtype=dtype) * np.array(120, dtype)), "")
    for total, running in ((space.sum, space.cumulative_sum), (space.prod, space.cumulative_prod)):
        sums = running(x, include_initial=True)
        assert sums.dtype == running(x).dtype == total(x).dtype
    assert space.cumulative_sum(x).to_numpy("").tolist() == np.cumsum(x.to_numpy("")).tolist()
