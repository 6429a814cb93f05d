"""Dtypes: promotion, limits, kinds and what the namespace tells of itself."""

from itertools import product
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import dimflow
from dimflow import DimArray, xp
from tests.xp.agreement import DTYPES, FLOATS, INTEGERS, attempt

KINDS = ("bool", "signed integer", "unsigned integer", "integral", "real floating")
KINDS += ("complex floating", "numeric")
PAIRS = list(product(DTYPES, DTYPES))


def ids(pair: Any) -> str:
    return "-".join(map(str, pair))


@pytest.mark.parametrize("pair", PAIRS, ids=ids)
def test_promotion(pair: tuple[str, str]) -> None:
    wanted = attempt(lambda: strict.result_type(*(getattr(strict, d) for d in pair)))
    if isinstance(wanted, TypeError):
        return  # not in the standard: it is what the library makes of it
    name = str(wanted).rpartition(".")[2]
    ours = [getattr(xp, d) for d in pair]
    arrays = [xp.ones(2, dtype=d) for d in ours]
    assert xp.result_type(*ours) == getattr(xp, name)
    assert xp.result_type(arrays[0], ours[1]) == getattr(xp, name)
    assert xp.result_type(arrays[0].data, arrays[1]) == getattr(xp, name)
    for joined in (xp.concat(arrays), xp.stack(arrays), xp.where(arrays[0] != 0, *arrays)):
        assert joined.dtype == getattr(xp, name)
    if "bool" not in pair:
        assert (arrays[0] * arrays[1]).dtype == xp.multiply(*arrays).dtype == getattr(xp, name)


@pytest.mark.parametrize("pair", PAIRS, ids=ids)
def test_can_cast(pair: tuple[str, str]) -> None:
    wanted = strict.can_cast(*(getattr(strict, d) for d in pair))
    source, target = (getattr(xp, d) for d in pair)
    if {np.dtype(d).kind for d in pair} <= {*"iu"} or len({np.dtype(d).kind for d in pair}) == 1:
        assert xp.can_cast(source, target) is wanted
        assert xp.can_cast(xp.ones(2, dtype=source, unit="m"), target) is wanted
    assert type(xp.can_cast(source, target)) is bool


@pytest.mark.parametrize(("dtype", "kind"), list(product(DTYPES, KINDS)), ids=str)
def test_isdtype(dtype: str, kind: str) -> None:
    wanted = strict.isdtype(getattr(strict, dtype), kind)
    assert xp.isdtype(getattr(xp, dtype), kind) is wanted
    assert xp.isdtype(getattr(xp, dtype), (kind, getattr(xp, dtype))) is True
    assert xp.isdtype(xp.ones(2, dtype=getattr(xp, dtype)).dtype, kind) is wanted


@pytest.mark.parametrize("dtype", FLOATS)
def test_finfo(dtype: str) -> None:
    got, wanted = xp.finfo(getattr(xp, dtype)), strict.finfo(getattr(strict, dtype))
    for name in ("bits", "eps", "max", "min", "smallest_normal"):
        value = getattr(got, name)
        assert type(value) is (int if name == "bits" else float)
        assert value == getattr(wanted, name)
    assert got.dtype == getattr(xp, str(wanted.dtype).rpartition(".")[2])
    assert xp.finfo(DimArray(np.ones(2, dtype), "m")) == got == dimflow.finfo(dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_iinfo(dtype: str) -> None:
    got, wanted = xp.iinfo(getattr(xp, dtype)), strict.iinfo(getattr(strict, dtype))
    assert (got.bits, got.max, got.min) == (wanted.bits, wanted.max, wanted.min)
    assert {type(v) for v in got[:3]} == {int}
    assert got.dtype == getattr(xp, dtype)
    assert xp.iinfo(xp.ones(2, dtype=getattr(xp, dtype))) == got == dimflow.iinfo(dtype)


@pytest.mark.parametrize("call", ["finfo(xp.int8)", "iinfo(xp.float32)", "isdtype(xp.int8, 'odd')"])
def test_questions_without_an_answer(call: str) -> None:
    assert isinstance(attempt(lambda: eval(f"xp.{call}", {"xp": xp})), (ValueError, TypeError))


@pytest.mark.parametrize(
    "shapes", [((2, 1), (1, 3)), ((), (4,)), ((0,), (1,)), ((3, 1, 2), (5, 1))]
)
def test_broadcast_shapes(shapes: Any) -> None:
    assert xp.broadcast_shapes(*shapes) == strict.broadcast_shapes(*shapes)
    assert dimflow.broadcast_shapes(*shapes) == strict.broadcast_shapes(*shapes)


def test_shapes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="shape"):
        xp.broadcast_shapes((2,), (3,))


# Inspection


def test_capabilities() -> None:
    found = xp.__array_namespace_info__().capabilities()
    assert found == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}


def test_devices() -> None:
    info = xp.__array_namespace_info__()
    assert info.devices() == ("cpu",)
    assert info.default_device() in info.devices()
    for device in info.devices():
        assert xp.zeros(2, device=device).device == device
        assert xp.asarray([1.0], unit="m").to_device(device).unit == dimflow.Unit("m")


def test_default_dtypes() -> None:
    info = xp.__array_namespace_info__()
    made = {
        "real floating": xp.asarray(1.0),
        "complex floating": xp.asarray(1j),
        "integral": xp.asarray(1),
        "indexing": xp.argmax(xp.asarray([1.0])),
    }
    assert info.default_dtypes() == {kind: x.dtype for kind, x in made.items()}
    assert info.default_dtypes(device="cpu") == info.default_dtypes()


@pytest.mark.parametrize("kind", [None, *KINDS, ("bool", "integral"), ()], ids=str)
@pytest.mark.parametrize("device", [None, "cpu"])
def test_dtypes_of_a_kind(kind: Any, device: str | None) -> None:
    found = xp.__array_namespace_info__().dtypes(kind=kind, device=device)
    for name, dtype in found.items():
        assert dtype == getattr(xp, name)
        assert xp.empty(1, dtype=dtype, device=device).dtype == dtype
    wanted = [d for d in DTYPES if kind is None or xp.isdtype(getattr(xp, d), kind)]
    assert sorted(found) == sorted(wanted)
