"""A law over every way into a column: a number keeps all its digits, or is refused."""

from fractions import Fraction
from io import StringIO

import numpy as np
import pandas as pd
import pytest
import torch

from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import UnitError
from dimflow.pandas import DimExtensionArray

START = pd.Series([1.0, np.nan, 3.0], dtype="dimflow[m]")
FIRST = pd.Series([True, False, False])


def changed(change):
    def way(n):
        found = START.copy()
        change(found, n)
        return found

    return way


def read(text):
    return pd.read_csv(StringIO(f"a\n{text}\n"), dtype={"a": "dimflow[m]"}).a


WAYS = {
    "a list": lambda n: DimExtensionArray([n], "m"),
    "a fraction": lambda n: DimExtensionArray([Fraction(n)], "m"),
    "an array": lambda n: DimExtensionArray(np.array([n]), "m"),
    "objects": lambda n: DimExtensionArray(np.array([n, None], dtype=object), "m"),
    "a DimArray": lambda n: DimExtensionArray(DimArray([n], "m")),
    "one quantity": lambda n: DimExtensionArray([n * u.m]),
    "one in the unit": lambda n: DimExtensionArray([n * u.m], "m"),
    "one beside numbers": lambda n: DimExtensionArray([1.5 * u.m, n * u.m])[1:],
    "torch": lambda n: DimExtensionArray(torch.tensor([n]), "m"),
    "torch in a list": lambda n: DimExtensionArray([torch.tensor(n)], "m"),
    "a tensor with a unit": lambda n: DimExtensionArray(DimArray(torch.tensor([n]), "m")),
    "a text": lambda n: DimExtensionArray([str(n)], "m"),
    "a text with a unit": lambda n: DimExtensionArray([f"{n} m"], "m"),
    "texts by astype": lambda n: pd.Series([str(n)]).astype("dimflow[m]"),
    "a file": read,
    "a file with units": lambda n: read(f"{n} m"),
    "a Series of it": lambda n: pd.Series([n * u.m]),
    "a Series of one": lambda n: pd.Series(n * u.m, index=[0, 1]),
    "a Series of a dtype": lambda n: pd.Series([n], dtype="dimflow[m]"),
    "a Series by a unit": lambda n: pd.Series([n]) * u.m,
    "Int64 by a unit": lambda n: pd.Series([n, None], dtype="Int64") * u.m,
    "a table": lambda n: pd.DataFrame({"a": [n * u.m, 1 * u.m]}).a,
    "rows": lambda n: pd.DataFrame([{"a": n * u.m}]).a,
    "a new column": lambda n: pd.DataFrame({"b": [1, 2]}).assign(a=n * u.m).a,
    "headings": lambda n: pd.DataFrame({"a [m]": [n]}).dimflow.quantify().a,
    "an index": lambda n: pd.Series(pd.Index([n * u.m])),
    "a longer index": lambda n: pd.Series(pd.Index(START).insert(0, n * u.m)),
    "map": lambda n: pd.Series([1, 2]).map(lambda _: n * u.m),
    "an element": changed(lambda s, n: s.__setitem__(0, n * u.m)),
    "iloc": changed(lambda s, n: s.iloc.__setitem__(0, n * u.m)),
    "a slice": changed(lambda s, n: s.__setitem__(slice(1), DimArray([n], "m"))),
    "a slice of a list": changed(lambda s, n: s.__setitem__(slice(2), [n * u.m, 1 * u.m])),
    "a new row": lambda n: changed(lambda s, n: s.loc.__setitem__(7, n * u.m))(n)[[7]],
    "fillna": lambda n: START.fillna(n * u.m)[[1]],
    "where": lambda n: START.where(~FIRST, n * u.m),
    "mask": lambda n: START.mask(FIRST, n * u.m),
    "clip": lambda n: START.clip(n * u.m, n * u.m),
    "replace": lambda n: START.replace(1 * u.m, n * u.m),
    "shift": lambda n: START.shift(1, fill_value=n * u.m),
    "reindex": lambda n: START.reindex([7, 0], fill_value=n * u.m),
    "combine_first": lambda n: START[[1]].combine_first(pd.Series([n * u.m], index=[1])),
    "case_when": lambda n: START.case_when([(FIRST, n * u.m)]),
    "DimArray of a column": lambda n: DimArray(pd.Series([n], dtype="Int64"), "m"),
    "of one with gaps": lambda n: DimArray(pd.Series([n, None], dtype="Int64"), "m"),
    "of Arrow's with gaps": lambda n: DimArray(pd.Series([n, None], dtype="int64[pyarrow]"), "m"),
    "of an array with gaps": lambda n: DimArray(pd.array([n, None], dtype="Int64"), "m"),
    "arithmetic with gaps": lambda n: pd.Series([n, None], dtype="Int64") * (1 * u.m),
}
EXACT = [3, 2**53, 2**60, -(2**53)]
CUT = [2**53 + 1, -(2**53) - 1, 2**63 - 1]


@pytest.mark.parametrize("way", WAYS)
def test_a_number_keeps_its_digits_or_is_refused(way):
    for number in EXACT:
        assert _first(WAYS[way](number)) == number
    for number in CUT:
        try:
            found = WAYS[way](number)
        except UnitError as error:
            if "too many digits" not in str(error):
                raise
        else:
            assert _first(found) == number


def _first(found):
    """The number of the first element, exact."""
    return int(DimArray(found).to_numpy()[0])
