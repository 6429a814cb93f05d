"""Quantities of pint, astropy and unyt: read, written, met in arithmetic, as those say it."""

import operator
import subprocess
import sys
from fractions import Fraction

import astropy.units as au
import numpy as np
import pint
import pytest
import unyt
from astropy.units.core import PrefixUnit, UnitBase
from hypothesis import given
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, Unit
from dimflow import units as u
from dimflow.errors import DimensionError, NotANumber, UnitError

REGISTRY = pint.UnitRegistry()

MAKE = {
    "pint": lambda numbers, unit: REGISTRY.Quantity(numbers, unit),
    "astropy": lambda numbers, unit: au.Quantity(numbers, unit),
    "unyt": lambda numbers, unit: unyt.unyt_array(numbers, unit),
}
PEERS = list(MAKE)


def to_peer(array, peer):
    return array.to_pint(REGISTRY) if peer == "pint" else getattr(array, f"to_{peer}")()


# Reading, over everything that a library defines


def pint_names():
    return sorted({str(unit.name) for unit in REGISTRY._units.values()})


def astropy_names():
    """Every unit, and of those with a prefix, of which there are thousands, one in nine."""
    names = sorted(name for name, unit in vars(au).items() if isinstance(unit, UnitBase))
    prefixed = [name for name in names if isinstance(getattr(au, name), PrefixUnit)]
    return sorted({*names} - {*prefixed} | {*prefixed[::9]})


def unyt_names():
    return sorted(unyt.unit_registry.default_unit_registry.keys())


def in_base(peer, name):
    """What 1 of a unit is by the library itself: a number and the text of its base units."""
    if peer == "pint":
        whole = REGISTRY.Quantity(1.0, name).to_root_units()
        return whole.magnitude, " * ".join(
            f"{part}**({Fraction(power).limit_denominator(99)})"
            for part, power in whole.units._units.items()
        )
    if peer == "astropy":
        whole = getattr(au, name).decompose()
        pairs = zip(whole.bases, whole.powers, strict=True)
        text = " * ".join(f"{max(b.names, key=len)}**({p})" for b, p in pairs)
        return whole.scale, text
    whole = unyt.unyt_quantity(1.0, name).in_mks()
    return float(whole.value), str(whole.units)


@pytest.mark.parametrize(
    ("peer", "names", "least"),
    [("pint", pint_names(), 390), ("astropy", astropy_names(), 550), ("unyt", unyt_names(), 890)],
    ids=PEERS,
)
def test_every_unit_is_read_with_its_meaning_or_refused(peer, names, least):
    known = 0
    for name in names:
        if peer == "astropy":
            theirs = 2.0 * getattr(au, name)
        else:
            theirs = MAKE[peer](2.0, name)
        try:
            ours = DimArray(theirs)
        except UnitError:
            continue
        known += 1
        assert ours.item() == 2.0
        levels = ours.unit.law is not None or ours.unit.dimension is Unit("mol").dimension
        if levels or name.endswith("mol"):
            continue  # their own tests below
        number, base = in_base(peer, name)
        assert ours.unit.dimension is Unit(base).dimension, name
        assert ours.to_value(Unit(base)) == pytest.approx(2.0 * number, rel=1e-6), name
    assert known >= least


@pytest.mark.parametrize(
    ("peer", "names"),
    [("pint", pint_names()), ("astropy", astropy_names()), ("unyt", unyt_names())],
    ids=PEERS,
)
def test_what_is_read_is_written_as_an_equal_quantity(peer, names):
    # Two names of one unit to us, which pint tells apart by the last bit of a float.
    apart = {"international_british_thermal_unit", "ln10"}
    for name in names:
        theirs = 2.0 * getattr(au, name) if peer == "astropy" else MAKE[peer](2.0, name)
        try:
            ours = DimArray(theirs)
        except UnitError:
            continue
        back = to_peer(ours, peer)
        if name not in apart:
            assert back == theirs, name
        assert DimArray(back).unit == Unit("") or DimArray(back).unit == ours.unit, name


@given(
    st.sampled_from(["m", "km", "s", "h", "kg", "N", "J", "eV", "Pa", "deg", "K", "A", "V"]),
    st.sampled_from(["m", "g", "min", "mol", "W", "C", "rad", "bar", "L"]),
    st.sampled_from([1, 2, -1, -2, Fraction(1, 2), Fraction(-3, 2)]),
    st.sampled_from(PEERS),
)
def test_products_and_powers_go_there_and_back(first, second, power, peer):
    ours = DimArray([1.5, -2.0], Unit(first) * Unit(second) ** power)
    back = DimArray(to_peer(ours, peer))
    assert back.unit == ours.unit
    assert back.tolist() == ours.tolist()


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_shape_and_dtype_stay(peer, dtype):
    theirs = MAKE[peer](np.arange(6, dtype=dtype).reshape(2, 3), "km/s")
    ours = dimflow.asarray(theirs)
    assert ours.shape == (2, 3)
    assert ours.dtype == dtype
    assert ours.unit == Unit("km/s")
    back = to_peer(ours, peer)
    assert DimArray(back).dtype == dtype
    assert np.array_equal(DimArray(back).data, ours.data)


# Points, levels, angles, counts


def test_temperatures_are_points():
    for theirs in (
        REGISTRY.Quantity(20.0, "degC"),
        20.0 * au.deg_C,
        unyt.unyt_quantity(20, "degC"),
    ):
        assert DimArray(theirs).unit == u.degC
        assert DimArray(theirs).to_value("K") == pytest.approx(293.15)
    assert DimArray(REGISTRY.Quantity(20.0, "delta_degC")).unit == u.delta_degC
    assert DimArray(REGISTRY.Quantity(2.0, "J/delta_degC")).unit == Unit("J/K")
    assert DimArray(20.0, "degC").to_pint(REGISTRY).to("kelvin").magnitude == pytest.approx(293.15)
    kelvin = DimArray(20.0, "degC").to_astropy().to(au.K, equivalencies=au.temperature())
    assert kelvin.value == pytest.approx(293.15)


def test_levels_keep_their_reference():
    assert DimArray(REGISTRY.Quantity(30.0, "dBm")).to_value("W") == pytest.approx(1.0)
    assert DimArray(30.0 * au.dB(au.mW)).to_value("W") == pytest.approx(1.0)
    assert DimArray(30.0, "dBm").to_astropy().to(au.W).value == pytest.approx(1.0)
    magnitude = 20.0 * au.ABmag
    assert DimArray(magnitude).to_value("Jy") == pytest.approx(magnitude.to(au.Jy).value)
    assert DimArray(magnitude).to_astropy() == magnitude
    gravity = 4.44 * au.dex(au.cm / au.s**2)
    assert DimArray(gravity).to_value("m/s**2") == pytest.approx(gravity.physical.si.value)
    count = au.Magnitude(-2.5, au.mag(au.ct / au.s))
    assert DimArray(count).to_value("1/s") == pytest.approx(10.0)


def test_short_names_that_mean_something_else_here():
    # ct is a carat and ph a phot to our parser; 't' is a carat's neighbour in neither library
    assert DimArray(3 * au.ct).unit == u.count
    assert DimArray(3 * au.ph).unit == u.photon
    assert DimArray(3 * au.bit).dimension is u.bit.dimension
    assert DimArray(unyt.unyt_quantity(3, "J/(mol*K)")).unit == Unit("J/(mol K)")


def test_scaled_units_without_a_name():
    assert DimArray(3.0 * au.Unit("0.5 m")).to_value("m") == 1.5
    assert DimArray(3.0 * (au.km / au.m)).to_value("") == pytest.approx(3000)
    assert DimArray(3.0, "1000 m").to_astropy() == 3000 * au.m
    assert DimArray(50.0, "percent").to_pint(REGISTRY).to("dimensionless").magnitude == 0.5


def test_angles_are_read_as_angles():
    from astropy.coordinates import Angle

    assert DimArray(Angle(180, au.deg)).to_value("rad") == pytest.approx(np.pi)
    assert DimArray(REGISTRY.Quantity(1.0, "turn")).to_value("deg") == pytest.approx(360)


def test_units_alone_are_one_of_their_kind():
    for unit in (REGISTRY.km, au.km, unyt.km):
        assert DimArray(unit).item() == 1
        assert DimArray(unit).unit == u.km


# What cannot be read


def test_a_unit_of_the_users_own_is_refused_with_its_definition():
    registry = pint.UnitRegistry()
    registry.define("frob2 = 1.7 metre")
    registry.define("dog = [dogs]")
    with pytest.raises(UnitError, match="no unit for pint's 'frob2'") as caught:
        DimArray(registry.Quantity(1.0, "frob2"))
    assert "dimflow.units.define('frob2 = 1.7 m')" in str(caught.value)
    with pytest.raises(UnitError, match="no unit for pint's 'dog'"):
        DimArray(registry.Quantity(1.0, "dog"))


def test_a_name_that_is_redefined_is_not_read_as_ours():
    registry = pint.UnitRegistry()
    registry.define("smoot = 1.8 metre")
    with pytest.raises(UnitError, match=r"pint's 'smoot' is 1\.8 m, but dimflow's is another"):
        DimArray(registry.Quantity(1.0, "smoot"))


def test_masks_and_records_are_refused():
    from astropy.utils.masked import Masked

    with pytest.raises(NotANumber, match="unmasked"):
        DimArray(Masked([1.0, 2.0], mask=[True, False]) * au.m)
    record = np.array([(1.0, 2.0)], dtype=[("x", float), ("t", float)])
    with pytest.raises(UnitError):
        DimArray(au.Quantity(record, au.StructuredUnit((au.m, au.s), names=("x", "t"))))


@pytest.mark.parametrize(
    ("peer", "unit"), [("unyt", "dBm"), ("pint", "mag(AB)"), ("astropy", "pH")]
)
def test_a_unit_that_the_peer_has_not_is_refused(peer, unit):
    with pytest.raises(UnitError, match=f"{peer} has no unit that means"):
        to_peer(DimArray(1.0, unit), peer)


# Arithmetic: ours in both orders, and right

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.mod]
COMPARISONS = [operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge]


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
def test_both_orders_are_ours(peer, function):
    ours, numbers = DimArray([300.0, 5000.0], "m"), [1.0, 2.0]
    theirs, same = MAKE[peer](numbers, "km"), DimArray(numbers, "km")
    for left, right, wanted in (
        (ours, theirs, function(ours, same)),
        (theirs, ours, function(same, ours)),
    ):
        result = function(left, right)
        assert type(result) is DimArray
        assert type(result.data) is np.ndarray
        assert result.unit == wanted.unit
        assert result.tolist() == pytest.approx(wanted.tolist())


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("function", COMPARISONS, ids=lambda f: f.__name__)
def test_comparisons_convert(peer, function):
    ours, theirs = DimArray([1000.0, 5000.0], "m"), MAKE[peer]([1.0, 2.0], "km")
    assert function(ours, theirs).tolist() == function(ours, DimArray([1.0, 2.0], "km")).tolist()
    assert function(theirs, ours).tolist() == function(DimArray([1.0, 2.0], "km"), ours).tolist()


@pytest.mark.parametrize("peer", PEERS)
def test_scalars_keep_their_unit(peer):
    # a unyt_quantity is an array of no axes, which must not pass for a bare number
    two = DimArray(MAKE[peer](2.0, "s"))
    ours = DimArray([1.0, 2.0], "m")
    theirs = to_peer(two, peer)
    assert (ours * theirs).unit == (theirs * ours).unit == Unit("m s")
    assert (theirs * ours).tolist() == [2.0, 4.0]
    with pytest.raises(DimensionError):
        ours + theirs
    with pytest.raises(DimensionError):
        theirs + ours


@pytest.mark.parametrize("peer", PEERS)
def test_numpy_and_our_functions_take_them(peer):
    ours, theirs = DimArray([3.0, 4.0], "m"), MAKE[peer]([0.004, 0.003], "km")
    for result in (
        np.hypot(ours, theirs),
        np.hypot(theirs, ours),
        np.add(theirs, ours) - np.add(ours, theirs) + DimArray(5.0, "m"),
        dimflow.hypot(ours, theirs),
        dimflow.hypot(theirs, ours),
    ):
        assert type(result) is DimArray
        assert result.to_value("m") == pytest.approx([5.0, 5.0])
    assert np.concatenate([ours, theirs]).to_value("m") == pytest.approx([3, 4, 4, 3])


@pytest.mark.parametrize("peer", PEERS)
def test_in_place_and_assignment_convert(peer):
    ours = DimArray([1.0, 2.0], "m")
    ours += MAKE[peer]([1.0, 1.0], "km")
    ours[0] = MAKE[peer](5.0, "km")
    assert type(ours) is DimArray
    assert ours.tolist() == [5000.0, 1002.0]


@pytest.mark.parametrize("peer", PEERS)
def test_units_of_ours_times_quantities_of_theirs(peer):
    theirs = MAKE[peer]([1.0, 2.0], "km")
    for result in (theirs * u.s, u.s * theirs, DimArray(theirs) * u.s):
        assert type(result) is DimArray
        assert result.unit == Unit("km s")
        assert result.tolist() == [1.0, 2.0]
    assert (theirs / u.s).unit == Unit("km/s")


def test_units_of_theirs_times_arrays_of_ours():
    ours = DimArray([1.0, 2.0], "m")
    for result in (ours * REGISTRY.km, REGISTRY.km * ours, ours * au.km, au.km * ours):
        assert type(result) is DimArray
        assert result.to_value("m**2") == pytest.approx([1000.0, 2000.0])
    assert (ours / unyt.s).unit == Unit("m/s")
    for array in (ours, DimArray([1.0]), DimArray([1.0], "percent")):
        with pytest.raises(UnitError):
            unyt.km * array


def test_nobody_wraps_a_dimarray():
    ours = DimArray([1.0, 2.0], "m")
    with pytest.raises(TypeError):
        REGISTRY.Quantity(ours, "km")
    with pytest.raises(TypeError):
        au.Quantity(ours)

    class Mine(DimArray):
        """A class made after pint was imported."""

        __slots__ = ()

    assert isinstance(REGISTRY.Quantity(2.0, "s") * Mine([1.0], "m"), DimArray)


def test_lists_of_quantities_meet_in_the_first_unit():
    for peer in PEERS:
        mixed = [DimArray(1.0, "m"), to_peer(DimArray(2.0, "km"), peer)]
        assert DimArray(mixed).unit == u.m
        assert DimArray(mixed).tolist() == [1.0, 2000.0]


def test_units_of_peers_are_taken_as_units():
    metres = DimArray([300.0, 500.0], "m")
    for kilometre, second in (
        (REGISTRY.km, REGISTRY.s),
        (au.km, au.s),
        (unyt.km, unyt.s),
    ):
        assert metres.to(kilometre).unit is u.km
        assert metres.to_value(kilometre).tolist() == [0.3, 0.5]
        assert DimArray([1.0], kilometre).unit is u.km
        assert DimArray(metres, kilometre).tolist() == [0.3, 0.5]
        with pytest.raises(DimensionError):
            metres.to(second)


def test_numpy_functions_whose_first_argument_is_a_peers():
    metres = DimArray([300.0, 500.0], "m")
    for peer in PEERS:
        other = to_peer(DimArray([1.0, 2.0], "km"), peer)
        joined = np.concatenate([other, metres])
        assert (joined.unit, joined.tolist()) == (u.km, [1.0, 2.0, 0.3, 0.5])
        chosen = np.where([True, False], other, metres)
        assert (chosen.unit, chosen.tolist()) == (u.km, [1.0, 0.5])
        with pytest.raises(DimensionError):
            np.concatenate([to_peer(DimArray([1.0], "s"), peer), metres])


@pytest.mark.parametrize("order", ["import dimflow.array, {0}", "import {0}, dimflow.array"])
@pytest.mark.parametrize("library", ["pint", "astropy.units", "unyt"])
def test_the_order_of_imports_does_not_matter(order, library):
    quantity = {
        "pint": "pint.UnitRegistry().Quantity(2.0, 's')",
        "astropy.units": "2.0 * astropy.units.s",
        "unyt": "2.0 * unyt.s",
    }[library]
    program = (
        f"{order.format(library)}\n"
        f"q, x = {quantity}, dimflow.DimArray([1.0], 'm')\n"
        "assert str((q * x).unit) == 's*m' and str((x * q).unit) == 'm*s'\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=120)


def test_none_of_them_is_imported_without_need():
    program = (
        "import sys, dimflow; x = dimflow.DimArray([1.0], 'm') * 2\n"
        "assert not {'pint', 'astropy', 'unyt'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
