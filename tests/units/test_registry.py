"""Registries: user units in scopes over one immutable table; a conflict is an error."""

import gc

import pytest

from dimflow import Unit, units
from dimflow.errors import (
    UndefinedUnitError,
    UnitDefinitionError,
)
from dimflow.units import Registry, convert, find
from dimflow.units.tables import builtin
from tests.units.fresh import json_of
from tests.units.strategies import DEFINITIONS


@pytest.fixture
def lab() -> Registry:
    return Registry(name="lab")


class TestDefine:
    def test_a_unit(self, lab: Registry) -> None:
        zqmoot = lab.define("zqmoot = 67 inch = zqmt, zqmt_ = bridge_length")
        assert zqmoot is not None
        assert zqmoot == Unit("1.7018 m")
        assert str(zqmoot) == "zqmt"
        for text in ("zqmoot", "zqmt", "bridge_length", "zqmoots", "bridge_lengths"):
            assert lab(text) is zqmoot
        assert lab("kilozqmoot") == Unit("1701.8 m")
        assert lab("zqmoot/s").name == "zqmoot/second"
        assert lab.zqmoot is zqmoot
        assert "zqmoot" in lab
        assert "zqmoot" in dir(lab)
        with pytest.raises(UndefinedUnitError):
            Unit("zqmoot")

    def test_many_at_once_in_any_order(self, lab: Registry) -> None:
        last = lab.define(
            """
            # lengths
            @family of my lab
            @source the notebook
            zqa = 2 zqb  # from the next
            zqb = 3 zqc = zqb_s
            zqc = 5 m
            """
        )
        assert last == Unit("5 m")
        assert lab("zqa") == Unit("30 m")
        definition = lab.find("zqb")
        assert definition is not None
        assert (definition.family, definition.source) == ("of my lab", "the notebook")

    def test_nothing(self, lab: Registry) -> None:
        assert lab.define("") is None
        assert lab.define("# only a comment\n\n   \n") is None

    def test_prefixes(self, lab: Registry) -> None:
        lab.define("zqdozen- = 12 = zqd-")
        assert lab("zqdozenmetre") == Unit("12 m")
        assert lab("zqdm") == Unit("12 m")
        assert str(lab("zqdm")) == "zqdm"
        lab.define("bazillion- = 1e33 = bz-")
        assert lab("bazillionmetre") == Unit("1e33 m")
        lab.define("gross- = 144")
        assert lab("grossmetre") == Unit("144 m")
        assert lab(str(lab("grossmetre"))) is lab("grossmetre")

    def test_options(self, lab: Registry) -> None:
        lab.define("zqm = 2 m; prefix: si; ucum: [zqm] = zqm_")
        assert lab("kzqm_") == Unit("2 km")
        with lab:
            assert Unit("k[zqm]", ucum=True) == Unit("2 km")
            assert Unit("zqm").format("ucum") == "[zqm]"
        lab.define("zqn = 2 m; prefix: none = zqn_")
        with pytest.raises(UndefinedUnitError):
            lab("kilozqn")
        lab.define("zqt = 5/9 kelvin; offset: 100 = zqT")
        assert convert(0, lab("zqt"), "K") == 100
        lab.define("zql = 2 W; logbase: 10; logfactor: 10 = zqL")
        assert convert(10, lab("zql"), "W") == pytest.approx(20)
        assert lab("zql").linear == Unit("2 W")

    def test_every_field_of_unicode(self, lab: Registry) -> None:
        lab.define("\u03bcfoo = 3 m = \u2126foo, μx")
        assert lab("\u03bcfoo") is lab("\u00b5foo")
        assert lab("\u03a9foo") is lab("\u2126foo") is lab("μx")
        lab.define("größe = 2 m = Größe_ = 长度")
        assert lab("größe") is lab("长度")

    @pytest.mark.parametrize(
        "name",
        ["parse", "find", "load", "define", "atom_", "resolve", "spellings", "build", "unit"],
    )
    def test_names_of_methods(self, lab: Registry, name: str) -> None:
        unit = lab.define(f"{name} = 3 kg")
        assert lab(name) is unit
        with lab:
            assert Unit(name) is unit
            assert any(d.name == name for d in find("mass"))
            assert find(name)[0].name == name

    def test_another_name_for_a_point_keeps_its_law(self, lab: Registry) -> None:
        for name, known in (("zqtemp", "degC"), ("zqlevel", "dBm"), ("zqmagnitude", "mag")):
            unit = lab.define(f"{name} = {known}")
            assert unit == Unit(known)
            assert convert(1, unit, unit.linear) == convert(1, known, Unit(known).linear)

    @pytest.mark.parametrize("expression", ["2 dBm", "dBm/Hz", "dBV**2", "dB(mW) Hz"])
    def test_points_are_no_factors_here_either(self, lab: Registry, expression: str) -> None:
        with pytest.raises(UnitDefinitionError):
            lab.define(f"zqx = {expression}")

    def test_a_difference_is(self, lab: Registry) -> None:
        assert lab.define("zqx = 2 degC/m") == Unit("2 K/m")


class TestConflicts:
    @pytest.mark.parametrize(
        "name", ["m", "metre", "mile", "km", "kilometre", "metres", "µm", "Newton"]
    )
    def test_what_has_a_meaning_keeps_it(self, lab: Registry, name: str) -> None:
        with pytest.raises(UnitDefinitionError, match="is defined already"):
            lab.define(f"{name} = 3.5 kg")
        with pytest.raises(UnitDefinitionError, match="is defined already"):
            lab.define(f"zqnew = 3.5 kg = {name}")
        assert lab(name) is Unit(name)

    def test_twice_the_same_is_no_conflict(self, lab: Registry) -> None:
        first = lab.define("zqmoot = 67 inch = zqmt")
        assert lab.define("zqmoot = 67 inch = zqmt") is first
        assert lab.define("zqmoot = 1.7018 m = zqmt") == first
        with pytest.raises(UnitDefinitionError):
            lab.define("zqmoot = 68 inch = zqmt")
        with pytest.raises(UnitDefinitionError):
            lab.define("zqmoots = 68 inch")
        assert lab("zqmoot") == first

    def test_prefixes(self, lab: Registry) -> None:
        with pytest.raises(UnitDefinitionError):
            lab.define("kilo- = 1024 = k-")
        with pytest.raises(UnitDefinitionError):
            lab.define("zqnew- = 1024 = M-")
        lab.define("kilo- = 1000 = k-")
        assert lab("km") == Unit("km")

    def test_replace(self, lab: Registry) -> None:
        lab.define("mile = 1.5 km", replace=True)
        assert lab("mile") == Unit("1.5 km")
        assert Unit("mile") == Unit("5280 ft")
        assert lab("mile") != Unit("mile")
        lab.define("mile = 1.6 km", replace=True)
        assert lab("mile") == Unit("1.6 km")
        assert lab("mile/hour") == Unit("1.6 km/hour")

    def test_the_shared_units_are_not_replaced(self) -> None:
        with pytest.raises(UnitDefinitionError, match="cannot be replaced"):
            units.define("mile = 1.5 km", replace=True)
        with pytest.raises(UnitDefinitionError, match="cannot be changed"):
            builtin.define("zqzq = m")
        assert "zqzq" not in builtin


class TestScopes:
    def test_a_block(self, lab: Registry) -> None:
        lab.define("zqmoot = 67 inch = zqmt")
        with lab as same:
            assert same is lab
            assert Unit("zqmoot") is lab("zqmoot")
            assert units.zqmoot is lab("zqmoot")
            assert units.define("zqinner = 2 zqmoot") is lab("zqinner")
            assert any(d.name == "zqmoot" for d in find("zqmoot"))
        for text in ("zqmoot", "zqinner"):
            with pytest.raises(UndefinedUnitError):
                Unit(text)

    def test_nested(self, lab: Registry) -> None:
        lab.define("zqa = 2 m")
        inner = Registry(lab)
        inner.define("zqa = 3 m", replace=True)
        inner.define("zqb = 5 zqa")
        with lab:
            assert Unit("zqa") == Unit("2 m")
            with inner:
                assert Unit("zqa") == Unit("3 m")
                assert Unit("zqb") == Unit("15 m")
                with lab:
                    assert Unit("zqa") == Unit("2 m")
                assert Unit("zqa") == Unit("3 m")
            assert Unit("zqa") == Unit("2 m")

    def test_the_same_twice(self, lab: Registry) -> None:
        lab.define("zqa = 2 m")
        with lab, lab:
            assert "zqa" in lab
            Unit("zqa")
        with pytest.raises(UndefinedUnitError):
            Unit("zqa")

    def test_an_exception_leaves_the_block(self, lab: Registry) -> None:
        lab.define("zqa = 2 m")
        with pytest.raises(RuntimeError), lab:
            raise RuntimeError
        with pytest.raises(UndefinedUnitError):
            Unit("zqa")

    def test_units_outlive_their_registry(self) -> None:
        lab = Registry()
        unit = lab.define("zqgone = 7 m = zqg")
        assert unit is not None
        del lab
        gc.collect()
        assert str(unit**2) == "zqg**2"
        assert unit.conversion_factor("m") == 7
        assert unit.format("unicode") == "zqg"
        assert unit.simplified() is unit

    def test_a_child_sees_what_its_parent_learns(self, lab: Registry) -> None:
        child = Registry(lab)
        grandchild = Registry(child)
        with pytest.raises(UndefinedUnitError):
            grandchild("zqlate")
        lab.define("zqlate = 2 m; ucum: [zqlate]; prefix: si")
        assert grandchild("zqlate") == Unit("2 m")
        lab.define("zqlate = 3 m; ucum: [zqlate]", replace=True)
        for registry in (lab, child, grandchild):
            assert registry("zqlate") == Unit("3 m")
            assert registry("zqlate/s") == Unit("3 m/s")
            assert registry.zqlate == Unit("3 m")
            assert registry.parse("[zqlate]", style="ucum") == Unit("3 m")

    def test_a_replaced_constant_changes_no_law_of_physics(self) -> None:
        code = """
import json
from dimflow.units import Registry, convert, systems, find_system
with Registry() as odd:
    odd.define("speed_of_light = 1 m/s", replace=True)
    odd.define("planck_constant = 1 J s", replace=True)
    inside = [convert(1, "kg", "J", via="mass_energy"), convert(1, "Hz", "J", via="spectral"),
              convert(1, "kg", "eV", via="natural")]
outside = [convert(1, "kg", "J", via="mass_energy"), convert(1, "Hz", "J", via="spectral"),
           convert(1, "kg", "eV", via="natural")]
print(json.dumps([inside, outside]))
"""
        inside, outside = json_of(code)
        assert inside == outside
        assert outside[0] == float(299792458**2)

    def test_a_prefix_of_a_scope_does_not_leak_into_simplified(self, lab: Registry) -> None:
        lab.define("zqdozen- = 12 = zqd-")
        with lab:
            inside = Unit("12 kg*m/s**2").simplified()
            assert inside == Unit("12 N")
        assert Unit("12 kg*m/s**2").simplified() == Unit("12 N")
        assert Unit(str(Unit("12 kg*m/s**2").simplified())) == Unit("12 N")

    def test_the_module_has_no_private_units(self) -> None:
        assert not hasattr(units, "_m")
        assert not hasattr(Registry(), "_no_such")
        assert not hasattr(object.__new__(Registry), "anything")


def test_a_registry_tells_what_it_is() -> None:
    lab = Registry(name="lab")
    lab.define("zqmoot = 67 inch")
    assert repr(lab) == f"<Registry lab: {len(list(lab)):,} units>"
    assert len(list(lab)) > len(DEFINITIONS)
