"""When two quantities are one key: the same in every place of pandas that looks values up."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import UnitError
from dimflow.pandas import DimExtensionArray

NUMBERS = st.lists(
    st.floats(1e-6, 1e9) | st.integers(-1000, 1000).map(float) | st.just(-0.0),
    min_size=1,
    max_size=12,
    unique=True,
)
PAIRS = st.sampled_from(
    [(a, b) for a in ("m", "ft", "km", "mm", "inch") for b in ("m", "ft", "mile", "um")]
    + [("degC", "degF"), ("K", "degC"), ("m/s", "km/h"), ("rad", ""), ("%", "")]
)


@given(NUMBERS, PAIRS)
def test_a_quantity_is_found_in_its_own_column_in_whatever_unit(numbers, pair):
    first, second = pair
    ours = DimExtensionArray(numbers, first)
    known = pd.Series(ours)
    other = known.dimflow.to(second)
    for left, right in ((known, other), (other, known)):
        assert left.isin(right).all()
        assert (pd.Index(left).get_indexer(pd.Index(right)) == np.arange(len(left))).all()
        for method in ("inner", "outer", "left", "right"):
            frames = (pd.DataFrame({"key": v, "n": range(len(v))}) for v in (left, right))
            merged = pd.merge(*frames, on="key", how=method)
            assert (merged["n_x"] == merged["n_y"]).all()
            assert len(merged) == len(left)
        assert len(pd.Index(left).union(pd.Index(right))) == len(left)
        assert pd.Index(left).difference(pd.Index(right)).empty
        assert all(pd.Index(left).get_loc(value) == n for n, value in enumerate(right))


@given(st.integers(1, 10**6), st.integers(-3, 3))
def test_what_people_write_in_two_units_hashes_alike(whole, power):
    feet = whole * 10.0**power
    pairs = [(feet, "ft", float(f"{feet * 304.8:.15g}"), "mm"), (feet, "m", feet / 1000, "km")]
    for number, unit, other, other_unit in pairs:
        one = pd.Series([number], dtype=f"dimflow[{unit}]")[0]
        two = pd.Series([other], dtype=f"dimflow[{other_unit}]")[0]
        assert one == two
        assert two == one
        assert not one < two
        assert hash(one) == hash(two)
        assert len({one, two}) == 1


def test_zeros_are_one_key_and_close_numbers_in_one_unit_are_two():
    zeros = pd.Series([0.0, -0.0], dtype="dimflow[m]")
    assert zeros.nunique() == 1
    assert len({zeros[0], zeros.dimflow.to("km")[1]}) == 1
    close = pd.Series([1.0, np.nextafter(1.0, 2.0)], dtype="dimflow[m]")
    assert close.nunique() == 2
    assert len(set(close)) == 2
    assert close.isin([1 * u.m]).tolist() == [True, False]


@pytest.mark.parametrize("wrong", [DimArray([1.0], "s"), DimArray([1.0], "kg")])
def test_another_dimension_is_no_key(wrong):
    known = pd.Series([1.0, 2.0], dtype="dimflow[m]")
    assert not known.isin(wrong).any()
    assert (pd.Index(known).get_indexer(pd.Index(wrong)) == -1).all()
    with pytest.raises(KeyError):
        pd.Index(known).get_loc(wrong[0])


def test_a_point_is_no_difference_of_its_scale() -> None:
    points = pd.Series([5.0, 20.0], dtype="dimflow[degC]")
    table = pd.DataFrame({"t": points, "d": points - 0 * u.degC})
    for value in (5 * u.degC, DimArray([5.0], "degC"), 5 * u.delta_degC):
        found = table.isin([value] if not value.ndim else value)
        is_point = value.unit is u.degC
        assert found["t"].tolist() == [is_point, False]
        assert found["d"].tolist() == [not is_point, False]
    assert not points.isin(table["d"]).any()


# A bare number where a value of a column is looked up, by every way in: it would not be found
COLUMN = pd.Series([1.0, -999.0, 3.0], dtype="dimflow[m]")
TABLE = pd.DataFrame({"a": COLUMN, "n": [1.0, -999.0, 2.0], "s": list("xyz")})
LOOKUPS = {
    "replace": lambda v: COLUMN.replace(v, np.nan),
    "replace by keyword": lambda v: COLUMN.replace(to_replace=v, value=np.nan),
    "replace several": lambda v: COLUMN.replace([v, np.nan], np.nan),
    "replace by a mapping": lambda v: COLUMN.replace({v: 2 * u.m}),
    "replace by a column": lambda v: COLUMN.replace(pd.Series([np.nan], index=pd.Index([v]))),
    "replace in a table": lambda v: TABLE.replace(v, np.nan).a,
    "replace several in a table": lambda v: TABLE.replace([v], np.nan).a,
    "replace in one column": lambda v: TABLE.replace({"a": v}, np.nan).a,
    "replace in one by a mapping": lambda v: TABLE.replace({"a": {v: np.nan}}).a,
    "isin": lambda v: COLUMN.isin([v]),
    "isin of a table": lambda v: TABLE.isin({"a": [v]}).a,
    "isin of an index": lambda v: pd.Series(pd.Index(COLUMN).isin([v])),
    "map": lambda v: COLUMN.map({v: 5.0}),
    "reindex": lambda v: COLUMN.set_axis(pd.Index(COLUMN)).reindex([v]),
    "reindex a table": lambda v: TABLE.set_index("a").reindex(index=[v]).n,
}
ELSEWHERE = {
    "another column": lambda: TABLE.replace({"n": -999}, np.nan),
    "another column's mapping": lambda: TABLE.replace({"n": {-999: np.nan}}),
    "words": lambda: TABLE.replace("x", "q"),
    "other columns": lambda: TABLE[["n", "s"]].replace(-999, np.nan),
    "isin of another column": lambda: TABLE.isin({"n": [-999]}),
}


@pytest.mark.parametrize("name", LOOKUPS)
@pytest.mark.parametrize("value", [-999, -999.0, np.float64(-999), np.int64(1)])
def test_a_bare_number_is_not_looked_up(name, value):
    with pytest.raises(UnitError, match="takes values in m, but got a pure number"):
        LOOKUPS[name](value)


@pytest.mark.parametrize("name", LOOKUPS)
def test_quantities_zeros_and_infinities_are_looked_up(name):
    quantity = pd.Series([-99900.0], dtype="dimflow[cm]")[0]
    wanted = LOOKUPS[name](pd.Series([-999.0], dtype="dimflow[m]")[0])
    found = LOOKUPS[name](quantity)  # an index asked for in centimetres is in them
    pd.testing.assert_series_equal(found.reset_index(drop=True), wanted.reset_index(drop=True))
    zero = pd.Series([0.0], dtype="dimflow[m]")[0]
    for bare in (0, 0.0):
        pd.testing.assert_series_equal(LOOKUPS[name](bare), LOOKUPS[name](zero))
    for bare in (np.inf, -np.inf, np.nan):
        LOOKUPS[name](bare)


def test_zeros_are_found_by_a_bare_zero():
    zeros = pd.Series([0.0, 1.0], dtype="dimflow[m]")
    assert zeros.isin([0]).tolist() == [True, False]
    assert zeros.replace(0, np.nan).isna().tolist() == [True, False]
    assert zeros.map({0: 5.0}).tolist()[0] == 5.0
    points = pd.Series([0.0, 1.0], dtype="dimflow[degC]")
    with pytest.raises(UnitError, match="takes values in degC"):
        points.replace(0, np.nan)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_bare_numbers_of_other_columns_are_looked_up_there(name):
    plain = TABLE.assign(a=TABLE.a.dimflow.magnitude)
    found, wanted = ELSEWHERE[name](), eval_on(plain, name)
    assert found.drop(columns="a", errors="ignore").equals(
        wanted.drop(columns="a", errors="ignore")
    )


def eval_on(table, name):
    """The same call on a table of plain numbers."""
    global TABLE
    kept, TABLE = TABLE, table
    try:
        return ELSEWHERE[name]()
    finally:
        TABLE = kept
