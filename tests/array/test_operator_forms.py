"""Every binary operator in every form in which it can be written, against exact whole numbers.

x op y for the first time and later, from memory; with a bare partner on either side; in place; as a
ufunc, with its keywords. The truth is NumPy on numbers that count in the finest of the units, which
are halves and quarters and so stay exact. The grids pair all values where formulas part: zeros of
both signs, negative, infinite and nan.
"""

import operator
import warnings
from typing import Any

import numpy as np
import pytest

from dimflow import DimArray, Unit
from dimflow.errors import DimflowError, UnitError

FINEST = {"cm": 1, "m": 100, "km": 100_000, "percent": 1, "": 100}
SI = {"cm": 0.01, "m": 1.0, "km": 1000.0, "percent": 0.01, "": 1.0}
LENGTHS = [("m", "m"), ("m", "km"), ("km", "m"), ("cm", "km")]
SHARES = [("", ""), ("percent", "percent"), ("percent", ""), ("", "percent")]
PRODUCTS = [*LENGTHS[:2], *SHARES, ("m", "percent"), ("percent", "km"), ("cm", ""), ("", "m")]

SUMS = ["add", "sub"]
QUOTIENTS = ["floordiv", "mod"]
COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]
UFUNCS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "and_": np.bitwise_and,
    "or_": np.bitwise_or,
    "xor": np.bitwise_xor,
    "lshift": np.left_shift,
    "rshift": np.right_shift,
    "pow": np.power,
}
OF_ONE_DIMENSION = [*SUMS, *QUOTIENTS, *COMPARISONS]
CASES = [(name, pair) for name in OF_ONE_DIMENSION for pair in (*LENGTHS, *SHARES)]
CASES += [(name, pair) for name in ("mul", "truediv") for pair in PRODUCTS]

REAL = (0.0, -0.0, 1.0, -1.0, 0.25, -2.5, 3.0, 7.0, -7.75, 100.0, np.inf, -np.inf, np.nan)
COMPLEX = (0j, complex(0.0, -0.0), 1 + 0j, -1j, 2 - 0.5j, -0.25 + 3j)
WHOLE = (0, 1, -1, 2, -3, 7, 100)
EDGES = {"f": REAL, "c": COMPLEX, "i": WHOLE}
DTYPES = [("f8", "f8"), ("f8", "f4"), ("f4", "f8"), ("f4", "f4"), ("i8", "i8"), ("i4", "f8")]
DTYPES += [("f4", "i4"), ("c16", "c16"), ("f8", "c16"), ("c8", "f4")]
PLAIN = {"f8", "f4", "i8", "i4"}


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def values(dtype: str, other: str) -> tuple[Any, ...]:
    """Those of a dtype; NumPy multiplies complex infinities part by part, so these stay finite."""
    found = EDGES[dtype[0]]
    return found[:10] if dtype[0] == "f" and other[0] == "c" else found


def grid(left: str, right: str, layout: str) -> tuple[Any, Any]:
    """All pairs of values of two dtypes, in a shape and with strides."""
    first, second = values(left, right), values(right, left)
    x = np.repeat(np.array(first, left), len(second))
    y = np.tile(np.array(second, right), len(first))
    if layout == "broadcast":
        return np.array(first, left).reshape(-1, 1), np.array(second, right)
    if layout == "none":
        return np.array(first[4], left), np.array(second[5], right)
    if layout == "scalars":
        return np.array(first, left)[3], np.array(second, right)[2]
    if layout == "empty":
        return np.empty((0, 3), left), np.empty((1, 3), right)
    if layout == "large":  # where the fast path writes into what it has just converted
        return np.resize(x, 9001), np.resize(y, 9001)
    if layout == "strided":
        x, y = x[::-1], np.asfortranarray(np.stack([y, y]))[1]
    if layout == "frozen":
        x.flags.writeable = y.flags.writeable = False
    return x, y


LAYOUTS = ("flat", "broadcast", "none", "scalars", "empty", "large", "strided", "frozen")


def has_order(dtypes: tuple[str, str]) -> bool:
    return not any(d[0] == "c" for d in dtypes)


def expected_of(name: str, x: Any, y: Any, pair: tuple[str, str]) -> Any:
    """What NumPy gives for the numbers in the finest unit; in SI for products."""
    if pair[0] == pair[1] and x.dtype.kind == y.dtype.kind == "i":
        scales: dict[str, Any] = {pair[0]: 1 if name == "floordiv" else FINEST[pair[0]]}
    else:
        scales = {unit: float(n) for unit, n in FINEST.items()}
    if name in ("mul", "truediv"):
        scales = SI
    wide = {"c": "c16", "f": "f8", "i": "i8"}
    numbers = [a.astype(wide[a.dtype.kind]) * scales[u] for a, u in zip((x, y), pair, strict=True)]
    return UFUNCS[name](*numbers)


def assert_is(result: Any, name: str, x: Any, y: Any, pair: tuple[str, str]) -> None:
    """A result is the right quantity, in the right unit, of the right dtype and shape."""
    assert type(result) is DimArray
    expected = expected_of(name, x, y, pair)
    assert result.shape == expected.shape
    assert result.dtype == dtype_of(name, x, y, pair)
    numbers = result.data
    if name in COMPARISONS or name == "floordiv":
        assert result.unit == Unit("")
    elif name in ("mul", "truediv"):
        left, right = Unit(pair[0]).dimension, Unit(pair[1]).dimension
        assert result.dimension is (left * right if name == "mul" else left / right)
        numbers = numbers * result.unit.scale
    else:
        assert result.unit is Unit(keeps(name, pair))
        numbers = numbers * float(FINEST[keeps(name, pair)])
    if name in COMPARISONS or name == "floordiv":
        np.testing.assert_array_equal(numbers, expected)
        return
    if name == "truediv" and expected.dtype.kind == "c":  # a complex zero has no quotient
        divides = np.broadcast_to(y != 0, expected.shape)
        numbers, expected = numbers[divides], expected[divides]
    single = min(x.dtype.itemsize / (1 + (x.dtype.kind == "c")), y.dtype.itemsize) < 8
    rtol = 3e-6 if single else 1e-14
    size = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
    np.testing.assert_allclose(numbers, expected, rtol=rtol, atol=rtol * size)
    if name in ("mul", "truediv") and x.dtype.kind == y.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(numbers), np.signbit(expected))


def dtype_of(name: str, x: Any, y: Any, pair: tuple[str, str]) -> Any:
    """NumPy's, where integers that are converted become fractions."""
    if pair[0] != pair[1] and name not in COMPARISONS and name not in ("mul", "truediv"):
        x, y = (
            a.astype("f8") if a.dtype.kind == "i" and u != keeps(name, pair) else a
            for a, u in zip((x, y), pair, strict=True)
        )
    return UFUNCS[name](x, y).dtype


def keeps(name: str, pair: tuple[str, str]) -> str:
    """The unit whose numbers stay: the first of a sum; the finer one for whole quotients."""
    return min(pair, key=FINEST.__getitem__) if name in QUOTIENTS else pair[0]


def combinations(name: str) -> list[tuple[tuple[str, str], str]]:
    """Dtypes flat, then layouts in double precision and in two precisions."""
    fitting = [
        d for d in DTYPES if has_order(d) or name in ("add", "sub", "mul", "truediv", "eq", "ne")
    ]
    found = [(dtypes, "flat") for dtypes in fitting]
    found += [(dtypes, layout) for dtypes in DTYPES[:2] for layout in LAYOUTS[1:]]
    return found


def ids(value: Any) -> str:
    return value if isinstance(value, str) else "-".join(u or "1" for u in value)


@pytest.mark.parametrize(("name", "pair"), CASES, ids=ids)
def test_the_first_time_and_later(name: str, pair: tuple[str, str]) -> None:
    function = getattr(operator, name)
    for dtypes, layout in combinations(name):
        x, y = grid(*dtypes, layout)
        before = x.copy(), y.copy()
        ours = DimArray(x, pair[0]), DimArray(y, pair[1])
        for _ in range(3):
            result = function(*ours)
            assert_is(result, name, x, y, pair)
            assert not np.shares_memory(result.data, x)
            assert not np.shares_memory(result.data, y)
        assert_is(UFUNCS[name](*ours), name, x, y, pair)
        assert_is(UFUNCS[name](*ours), name, x, y, pair)
        np.testing.assert_array_equal(x, before[0])
        np.testing.assert_array_equal(y, before[1])


@pytest.mark.parametrize(
    ("name", "unit"),
    [(n, u) for n in OF_ONE_DIMENSION for u in ("", "percent")]
    + [(n, u) for n in ("mul", "truediv") for u in ("", "percent", "km")],
)
def test_bare_partners_on_either_side(name: str, unit: str) -> None:
    function = getattr(operator, name)
    x = np.array(REAL)
    bares = [2, 2.5, -1, np.float64(0.25), np.int64(3), True, x[::-1].copy(), list(x[::-1])]
    for bare in bares:
        y = np.asarray(bare, float)
        for _ in range(3):
            assert_is(function(DimArray(x, unit), bare), name, x, y, (unit, ""))
            assert_is(function(bare, DimArray(x, unit)), name, y, x, ("", unit))


def in_place_of(name: str) -> Any:
    return getattr(operator, "i" + name.rstrip("_"))


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        (name, pair)
        for name, pair in CASES
        if name not in COMPARISONS and (name in SUMS or pair[1] in ("", "percent"))
    ],
    ids=ids,
)
def test_in_place_the_object_its_memory_and_unit_stay(name: str, pair: tuple[str, str]) -> None:
    for dtypes, layout in combinations(name):
        if layout in ("frozen", "broadcast", "empty", "scalars"):
            continue
        x, y = grid(*dtypes, layout)
        base = np.zeros((*x.shape, 2), x.dtype)
        view = base[..., 0]  # of strided memory
        view[...] = x
        array = alias = DimArray(view, pair[0])
        other = DimArray(y, pair[1])
        wanted = getattr(operator, name)(DimArray(x, pair[0]), other).to(pair[0]).data
        if not np.can_cast(wanted.dtype, x.dtype, "same_kind"):
            with pytest.raises((DimflowError, TypeError)):
                in_place_of(name)(array, other)
            np.testing.assert_array_equal(view, x)
            continue
        array = in_place_of(name)(array, other)
        assert array is alias
        assert array.data is view
        assert array.unit == Unit(pair[0])
        rtol = 3e-6 if "f4" in dtypes or "c8" in dtypes else 1e-14
        finite = np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)
        np.testing.assert_allclose(view, wanted, rtol=rtol, atol=rtol * finite)
        assert not base[..., 1].any()


@pytest.mark.parametrize("name", ["mul", "truediv", "floordiv", "mod", "add", "sub"])
@pytest.mark.parametrize("pair", [("m", "s"), ("m", "m"), ("", "m"), ("percent", "s")], ids=ids)
def test_in_place_what_changes_the_unit_changes_nothing(name: str, pair: tuple[str, str]) -> None:
    raw = np.arange(1.0, 18.0)
    array = DimArray(raw, pair[0])
    other = DimArray(np.arange(2.0, 19.0), pair[1])
    function = getattr(operator, name)
    if name in ("add", "sub", "mod") and pair == ("m", "m"):
        return
    for _ in range(2):
        with pytest.raises(UnitError):
            in_place_of(name)(array, other)
        assert array.data is raw
        assert raw.tolist() == list(range(1, 18))
    if name == "truediv" and pair == ("m", "m"):
        assert function(array, other).unit == Unit("")


BITS = ["and_", "or_", "xor", "lshift", "rshift"]


@pytest.mark.parametrize("name", BITS)
def test_bits_in_all_forms(name: str) -> None:
    function = getattr(operator, name)
    numbers = np.arange(-9, 12)
    shifts = np.arange(21) % 5
    for x, y in (
        (numbers, shifts if "shift" in name else numbers[::-1]),
        (numbers.astype("i4"), shifts.astype("i4")),
        *([] if "shift" in name else [(numbers > 0, numbers % 2 == 0)]),
    ):
        for _ in range(3):
            for result in (
                function(DimArray(x), DimArray(y)),
                function(DimArray(x), y),
                function(x, DimArray(y)),
                UFUNCS[name](DimArray(x), DimArray(y)),
            ):
                assert result.unit == Unit("")
                np.testing.assert_array_equal(result.data, function(x, y), strict=True)
            if x.dtype.kind != "b":
                np.testing.assert_array_equal(function(DimArray(x), 2).data, function(x, 2))
                np.testing.assert_array_equal(function(2, DimArray(y)).data, function(2, y))
        raw = x.copy()
        array = alias = DimArray(raw)
        array = in_place_of(name)(array, DimArray(y))
        assert array is alias
        assert array.data is raw
        np.testing.assert_array_equal(raw, function(x, y), strict=True)
    for wrong in (lambda: function(DimArray([1], "m"), 1), lambda: function(1, DimArray([1], "m"))):
        with pytest.raises(DimflowError):
            wrong()


MATRIX_UNITS = [("m", ""), ("m", "percent"), ("percent", ""), ("", "percent"), ("m", "s")]


@pytest.mark.parametrize("pair", [*MATRIX_UNITS, ("km", "m")], ids=ids)
@pytest.mark.parametrize("dtypes", [("f8", "f8"), ("f4", "f8"), ("f8", "f4"), ("i8", "f8")])
def test_matrix_products_in_all_forms(pair: tuple[str, str], dtypes: tuple[str, str]) -> None:
    rng = np.random.default_rng(0)
    scales = {**SI, "s": 1.0}
    for left, right in (((4, 4), (4, 4)), ((3, 2, 5), (5, 1)), ((5,), (5, 3)), ((2, 3), (3,))):
        x = rng.integers(-4, 5, left).astype(dtypes[0])
        y = rng.integers(-4, 5, right).astype(dtypes[1])
        ours = DimArray(x, pair[0]), DimArray(y, pair[1])
        expected = (x @ y) * scales[pair[0]] * scales[pair[1]]
        for _ in range(3):
            for result in (ours[0] @ ours[1], np.matmul(*ours), ours[0].matmul(ours[1])):
                assert result.dimension is Unit(pair[0]).dimension * Unit(pair[1]).dimension
                np.testing.assert_allclose(result.data * result.unit.scale, expected, rtol=1e-6)
                assert result.dtype == (x @ y).dtype
        if pair[1] == "":
            for result in (ours[0] @ y, np.matmul(ours[0], y)):
                assert result.unit == Unit(pair[0])
                np.testing.assert_array_equal(result.data, x @ y)
            flipped = y.T @ ours[0].T if left == (4, 4) else None
            if flipped is not None:
                assert flipped.unit == Unit(pair[0])
                np.testing.assert_array_equal(flipped.data, y.T @ x.T)
    raw = rng.integers(-4, 5, (4, 4)).astype(dtypes[0])
    before = raw.copy()
    array = alias = DimArray(raw, pair[0])
    other = DimArray(rng.integers(-4, 5, (4, 4)).astype(dtypes[1]), pair[1])
    if pair[1] not in ("", "percent") or dtypes[0] == "i8":
        with pytest.raises((DimflowError, TypeError)):
            array @= other
        np.testing.assert_array_equal(raw, before)
        return
    array @= other
    assert array is alias
    assert array.data is raw
    assert array.unit == Unit(pair[0])
    np.testing.assert_allclose(raw, before @ other.data * SI[pair[1]], rtol=1e-6)


@pytest.mark.parametrize("unit", ["m", "percent", "", "km/m"])
@pytest.mark.parametrize("exponent", [2, 3.0, -1, 0, 1, 0.5, True])
def test_powers_in_all_forms(unit: str, exponent: Any) -> None:
    raw = np.array([0.25, 1.0, 2.5, 100.0, np.inf, np.nan, 0.0])
    x = DimArray(raw, unit)
    wanted = (raw * x.unit.scale) ** float(exponent)
    for _ in range(3):
        for power in (exponent, DimArray(float(exponent)), DimArray(100.0 * exponent, "percent")):
            for result in (x**power, np.power(x, power)):
                np.testing.assert_allclose(result.data * result.unit.scale, wanted, rtol=1e-13)
                assert result.dimension is x.dimension**exponent
    alias = x
    if unit == "m" and exponent != 1:
        with pytest.raises(UnitError):
            x **= exponent
        return
    buffer = raw.copy()
    x = alias = DimArray(buffer, unit)
    x **= exponent
    assert x is alias
    assert x.data is buffer
    assert x.unit == Unit(unit)
    np.testing.assert_allclose(buffer * x.unit.scale, wanted, rtol=1e-13)


@pytest.mark.parametrize("base", [2, 2.0, 0.5, np.float64(3), np.array([1.0, 2.0, 3.0]), [2, 3, 4]])
def test_numbers_to_the_power_of_pure_numbers(base: Any) -> None:
    raw = np.array([0.0, 1.5, -2.0])
    for _ in range(3):
        expected = np.asarray(base) ** raw
        np.testing.assert_array_equal((base ** DimArray(raw)).data, expected)
        shares = base ** DimArray(raw * 100, "percent")
        assert shares.unit == Unit("")
        np.testing.assert_allclose(shares.data, expected, rtol=1e-15)
        np.testing.assert_array_equal(np.power(base, DimArray(raw)).data, expected)


# Keywords of ufuncs


@pytest.mark.parametrize(("name", "pair"), [c for c in CASES if c[0] not in COMPARISONS], ids=ids)
def test_ufuncs_write_where_they_are_told(name: str, pair: tuple[str, str]) -> None:
    x, y = grid("f8", "f8", "flat")
    ours = DimArray(x, pair[0]), DimArray(y, pair[1])
    ufunc = UFUNCS[name]
    plain = ufunc(*ours)
    mask = np.arange(x.size) % 3 > 0
    coarse = {"cm": "m", "m": "km", "km": "m", "percent": "", "": "percent"}
    units = [plain.unit]
    if str(plain.unit) in coarse:
        units.append(Unit(coarse[str(plain.unit)]))
    for unit in units:
        wanted = plain.to(unit).data
        for _ in range(2):
            room = np.full(x.shape, 123.0)
            target = DimArray(room, unit)
            assert ufunc(*ours, out=target) is target
            assert ufunc(*ours, target) is target
            np.testing.assert_allclose(room, wanted, rtol=1e-14)
            room[...] = 123.0
            assert ufunc(*ours, out=(target,), where=mask) is target
            np.testing.assert_allclose(room[mask], wanted[mask], rtol=1e-14)
            assert (room[~mask] == 123.0).all()
            assert target.unit is unit
    wrong = DimArray(np.zeros(x.shape), "kg")
    with pytest.raises(DimflowError):
        ufunc(*ours, out=wrong)
    assert not wrong.data.any()
    single = ufunc(*ours, dtype=np.float32)
    assert single.dtype == np.float32
    assert single.unit is plain.unit


# Any units at all: the same answer or the same refusal, each time and in each form

ANY = ["m", "km", "s", "", "percent", "rad", "deg", "Hz", "rpm", "rad/s", "degC", "degF"]
ANY += ["delta_degC", "K", "dB", "dBm", "Np", "dBV", "m*rad", "mag"]


def told(call: Any) -> Any:
    """What a call gives, in full; or the error and its words."""
    try:
        result = call()
    except (DimflowError, TypeError) as error:
        return type(error).__name__, str(error)
    if isinstance(result, DimArray):
        return str(result.unit), str(result.dtype), result.data.tobytes()
    return repr(result)


@pytest.mark.parametrize("name", [n for n in UFUNCS if n not in (*BITS, "pow")])
def test_the_answer_is_the_same_each_time_and_in_each_form(name: str) -> None:
    function = getattr(operator, name)
    raws = np.array([0.0, -1.5, 20.0]), np.array([2.0, 0.5, -3.0])
    for left in ANY:
        for right in ANY:
            x, y = DimArray(raws[0], left), DimArray(raws[1], right)
            first = told(lambda x=x, y=y: function(x, y))
            for _ in range(2):
                assert told(lambda x=x, y=y: function(x, y)) == first, (left, right)
            by_ufunc = told(lambda x=x, y=y: UFUNCS[name](x, y))
            assert told(lambda x=x, y=y: UFUNCS[name](x, y)) == by_ufunc, (left, right)
            if name not in ("eq", "ne"):
                assert by_ufunc[0] == first[0], (left, right)
                if len(first) == 3:
                    assert by_ufunc == first, (left, right)
        for bare in (0, 0.0, 2, 2.5, float("inf"), np.float64(2), np.ones(3)):
            x = DimArray(raws[0], left)
            for call in (
                lambda x=x, bare=bare: function(x, bare),
                lambda x=x, bare=bare: function(bare, x),
            ):
                first = told(call)
                assert told(call) == first, (left, bare)
                assert told(call) == first, (left, bare)
