"""array-api-strict: a library that has the standard and nothing else runs the table."""

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import dimflow
from dimflow import DimArray, ops
from dimflow import units as u
from dimflow.backends import backend
from dimflow.errors import DeviceMismatch, MissingRule, NotANumber
from tests.contract.deviations import ARBITRARY
from tests.contract.evaluate import assert_same, leaves, names, quietly, run
from tests.contract.libraries.gauge import turned
from tests.contract.samples import cases

STRICT = backend("array_api_strict")
STRICT_ARRAY = type(strict.asarray(0))

# Ops that the standard has no function for, and no other op expresses.
REFUSED = {
    "eig": "the standard has no eigenvalues of matrices that are not symmetric",
    "eigvals": "the standard has no eigenvalues of matrices that are not symmetric",
}


def first_case(name: str) -> Any:
    """A sample with an array; None for draws that take none."""
    found = [c for c in cases(name) if any(isinstance(a, np.ndarray) for a in c.args)]
    return found[0] if found else None


RUNNABLE = [name for name in names() if name not in ARBITRARY and first_case(name) is not None]


def strictly(value: Any) -> Any:
    return STRICT.asarray(value) if isinstance(value, (np.ndarray, np.generic)) else value


def numbers(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [numbers(v) for v in value]
    return STRICT.to_numpy(value)


@pytest.mark.parametrize("name", RUNNABLE)
def test_it_runs_with_no_kernel_of_ours(name: str) -> None:
    op = ops.get(name)
    assert STRICT.own_kernel(op) is None
    case = first_case(name)
    args = tuple(map(strictly, case.args))
    if name in REFUSED:
        with pytest.raises(MissingRule, match="has no kernel for array_api_strict"):
            run(op, args, case.params)
        return
    found = leaves(quietly(run, op, args, case.params))
    expected = leaves(quietly(run, op, case.args, case.params))
    assert all(isinstance(leaf, STRICT_ARRAY) for leaf in found)
    assert_same(turned(name, numbers(found), expected), expected, rtol=1e-9, what=case.label)


def metres(values: Any = (1.0, 2.0, 4.0)) -> DimArray:
    return DimArray(strict.asarray(list(values)), "m")


def test_operators_convert_and_stay_in_the_library() -> None:
    x = metres()
    for found in (x + 1 * u.km, 1 * u.km + x, x * x.to("cm"), x / 2, 2 / x, -x, x**2, abs(x)):
        assert isinstance(found.data, STRICT_ARRAY)
    assert (x + 1 * u.km).tolist() == [1001.0, 1002.0, 1004.0]
    assert (x @ x).to("cm**2").item() == 210000.0


def test_it_has_more_devices_than_one_and_arrays_stay_where_they_are() -> None:
    every = dimflow.devices("array_api_strict")
    places = [place for place in every if not place.startswith("no_")]  # one has no float64
    assert len(places) > 1
    for place in places:
        x = metres().to_device(place)
        assert x.device == place
        assert (x * x + x.to("cm") * x).device == place
        assert (x + DimArray([1.0, 2.0, 3.0], "km")).device == place
        x[0] = 5 * u.km
        assert x.tolist() == [5000.0, 2.0, 4.0]
        assert x.to_backend("numpy").tolist() == x.tolist()
    here, there = (metres().to_device(place) for place in places[:2])
    with pytest.raises(ValueError, match="device"):
        _ = here + there
    with pytest.raises(DeviceMismatch, match="array_api_strict arrays got the wrong device"):
        metres().to_device("cuda:0")


def test_kinds_meet_as_in_numpy() -> None:
    whole = DimArray(strict.asarray([1, 2]), "m")
    for found in (ops.divide(whole, 2), ops.add(whole, 0.5 * u.m), ops.sqrt(whole)):
        assert found.dtype == strict.float64
    single = DimArray(strict.asarray([1.0, 2.0], dtype=strict.float32), "m")
    assert (single * 2).dtype == single.to("km").dtype == strict.float32


def test_bad_dtypes_and_data_are_refused() -> None:
    with pytest.raises(NotANumber, match="the dtype bfloat16, which it has none for"):
        STRICT.asarray([1.0], dtype="bfloat16")
    for bad in ("text", None, {}, b"bytes"):
        with pytest.raises(NotANumber):
            STRICT.asarray(bad)


def test_copies_share_nothing_and_numpy_shares_all() -> None:
    x = metres()
    copy, view = x.copy(), x.to_numpy()
    x[0] = 9 * u.m
    assert copy.tolist() == [1.0, 2.0, 4.0]
    assert view.tolist() == [9.0, 2.0, 4.0]
