"""A mask has the namespace of what was compared: by operator, op, host function or standard."""

import operator
import warnings
from typing import Any

import array_api_compat
import numpy as np
import pandas as pd
import pytest
import torch
import xarray as xr

from dimflow import DimArray, ops
from dimflow.backends import backend
from dimflow.ops import TABLE
from tests.contract.samples import cases, parametrized

LIBRARIES = ("numpy", "torch", "dask", "mlx", "array_api_strict")
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


def array(library: str, unit: str = "m") -> DimArray:
    return DimArray(np.asarray([1.0, 0.0, 3.0], np.float32), unit).to_backend(library)


@parametrized("masks", sorted(name for name, op in TABLE.items() if op.kind != "random"))
def test_no_op_returns_a_plain_mask(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        result = op.run(tuple(wrapped(arg) for arg in case.args), case.params)
        for part in result if isinstance(result, (tuple, list)) else [result]:
            raw = getattr(part, "_raw", part)
            assert isinstance(part, DimArray) or getattr(raw, "dtype", None) != np.dtype(bool)


def wrapped(arg: Any) -> Any:
    if isinstance(arg, (list, tuple)):
        return [wrapped(a) for a in arg]
    return DimArray(arg) if isinstance(arg, np.ndarray) else arg


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("other", ["m", "km", "s"])
def test_a_mask_has_the_namespace_of_its_arguments(library: str, other: str) -> None:
    x, y = array(library), array(library, other)
    for compare in COMPARISONS:
        if other == "s" and compare not in (operator.eq, operator.ne):
            continue
        for _ in range(2):  # the second call goes the short way
            mask = compare(x, y)
            assert type(mask) is type(x)
            assert mask.__array_namespace__() is x.__array_namespace__()
            assert array_api_compat.array_namespace(x, mask) is x.__array_namespace__()


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_mask_picks_from_raw_arrays_and_combines_with_raw_masks(library: str) -> None:
    x = array(library)
    mask = x > DimArray(0.5, "m")
    wanted = np.array([True, False, True])
    np.testing.assert_array_equal((mask & mask).to_numpy(), wanted)
    np.testing.assert_array_equal((~mask).to_numpy(), ~wanted)
    np.testing.assert_array_equal((mask & mask.data).to_numpy(), wanted)
    if library not in ("mlx", "array_api_strict"):  # whose indexing takes its own arrays alone
        with warnings.catch_warnings():  # torch looks at a foreign index as a sequence first
            warnings.filterwarnings("ignore", "Using a non-tuple sequence")
            picked = backend(library).asarray(np.array([5.0, 6.0, 7.0]))[mask]
        picked = picked.to_numpy() if isinstance(picked, DimArray) else np.asarray(picked)
        np.testing.assert_array_equal(picked, [5.0, 7.0])


def test_hosts_return_masks_like_the_operators() -> None:
    x, t = array("numpy"), array("torch")
    for name in ("less", "equal", "isnan", "isfinite", "signbit", "isclose", "isin", "logical_and"):
        arguments = 1 if name in ("isnan", "isfinite", "signbit") else 2
        assert type(getattr(np, name)(*[x] * arguments)) is DimArray, name
        function = getattr(torch, "eq" if name == "equal" else name)
        assert type(function(*[t] * arguments)) is type(t), name
    for name in ("any", "all"):
        assert type(getattr(np, name)(x)) is type(getattr(x, name)()) is DimArray
    assert bool(np.less(x, 2 * x).any())
    assert not np.isnan(x).any()


def test_masks_are_truth_values_where_python_asks() -> None:
    x = array("numpy")
    assert x[0] == x[0]
    assert x[1] < x[0]
    assert min([x[0], x[2], x[1]], key=lambda v: v.item()) == x[1]
    assert max(x[0], x[2]) == x[2]
    assert x[0] in [x[2], x[0]]
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x == x)


def test_a_mask_is_one_of_the_library_where_others_take_it() -> None:
    """What took NumPy's mask takes ours, and gives the same."""
    x, numbers = array("numpy"), np.array([5.0, 6.0, 7.0])
    ours = x > DimArray(0.5, "m")
    columns = pd.Series(numbers), pd.Series(x), pd.DataFrame({"a": numbers, "b": x})

    def written(frame: Any, mask: Any) -> Any:
        frame = frame.copy()
        frame[mask] = frame.iloc[0]
        return frame

    calls = {
        "s[m]": lambda m: [c[m] for c in columns],
        "loc": lambda m: [c.loc[m] for c in columns],
        "iloc": lambda m: [c.iloc[m] for c in columns],
        "two": lambda m: columns[2].loc[m, "b"],
        "index": lambda m: pd.Index(numbers)[m],
        "series": lambda m: pd.Series(m),
        "where": lambda m: [c.where(m) for c in columns[:2]],
        "set": lambda m: [written(c, m) for c in columns[:1]],
        "column": lambda m: columns[2].assign(c=m),
        "isel": lambda m: xr.DataArray(x, dims="t").isel(t=m).data,
        "[m, 0]": lambda m: np.stack([numbers, numbers], 1)[m, 0],
        "ix_": lambda m: np.eye(3)[np.ix_(m, [0])],
        "where=": lambda m: numbers.sum(where=m),
        "out": lambda m: np.add(numbers, 1, where=m, out=np.zeros(3)),
        "masked": lambda m: np.ma.masked_where(m, numbers),
        "compress": lambda m: np.compress(m, numbers),
        "select": lambda m: np.select([m, ~m], [numbers, -numbers]),
        "torch": lambda m: torch.from_numpy(numbers)[torch.from_numpy(np.asarray(m))],
    }
    for name, call in calls.items():
        assert str(plain(call(ours))) == str(plain(call(ours.data))), name


def plain(result: Any) -> Any:
    if isinstance(result, list):
        return [plain(part) for part in result]
    return result.data if isinstance(result, DimArray) else result


@pytest.mark.parametrize("traced", [False, True])
def test_every_form_of_where_on_pytorch(traced: bool) -> None:
    x = array("torch")
    y, mask, numbers = 2 * x, x > DimArray(0.5, "m"), torch.tensor([5.0, 6.0, 7.0])

    def calls(x: Any, y: Any, mask: Any, numbers: Any) -> list[Any]:
        return [
            torch.where(mask, x, y),
            torch.where(mask, x, 0),
            torch.where(condition=mask, input=x, other=y),
            x.where(mask, y),
            y.where(mask.data, x),
            numbers.where(mask, -numbers),
            mask.where(mask, mask),
        ]

    run = torch.compile(calls, backend="eager", fullgraph=True) if traced else calls
    for found, known in zip(
        run(x, y, mask, numbers),
        ([1.0, 0, 3], [1.0, 0, 3], [1.0, 0, 3], [1.0, 0, 3], [2.0, 0, 6], [5.0, -6, 7], [1, 0, 1]),
        strict=True,
    ):
        np.testing.assert_array_equal(found.to_numpy().data, known)
    (places,) = torch.where(mask)
    np.testing.assert_array_equal(places, [0, 2])


def test_a_mask_is_written_to_files_as_truth_values() -> None:
    stored = xr.DataArray(array("numpy"), dims="t") > DimArray(0.5, "m")
    with xr.open_dataset(bytes(stored.to_dataset(name="mask").to_netcdf())) as read:
        np.testing.assert_array_equal(read.mask.values, [True, False, True])
    assert stored.to_pandas().dtype == bool
