"""Plugins: real packages on the path of a fresh process, found by their entry points."""

from pathlib import Path

import pytest

from dimflow import Unit
from tests.units.fresh import json_of, output_of


def install(folder: Path, name: str, target: str, module: str) -> None:
    """A package with an entry point, as an installer leaves it on the path."""
    package = folder / f"{name}_units"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(module, encoding="utf-8")
    metadata = folder / f"{name}_units-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}-units\nVersion: 1.0\n", encoding="utf-8"
    )
    (metadata / "entry_points.txt").write_text(
        f"[dimflow.units]\n{name} = {name}_units:{target}\n", encoding="utf-8"
    )


class TestPlugins:
    def test_text_function_and_path(self, tmp_path: Path) -> None:
        install(tmp_path, "brewing", "TEXT", 'TEXT = "zqkeg = 15.5 gallon = zqk"')
        install(tmp_path, "mining", "make", 'def make():\n    return "zqcart = 2 tonne"')
        install(tmp_path, "sailing", "PATH",
                "from pathlib import Path\nPATH = Path(__file__).parent / 'x.units'")  # fmt: skip
        (tmp_path / "sailing_units" / "x.units").write_text("zqrope = 7 fathom\n", encoding="utf-8")
        code = """
import json, sys
from dimflow import Unit, units
from dimflow.units import Registry
Unit("km/h")
loaded = [n for n in sys.modules if n.endswith("_units")]
with Registry():
    inside = Unit("zqkeg/s").scale
found = [Unit("zqkeg"), Unit("zqcart"), units.zqrope, Unit("kilozqrope")]
assert loaded == [], loaded
assert [d.name for d in units.find("zqrope")] == ["zqrope"]
assert "zqcart" in dir(units)
print(json.dumps([inside] + [u.scale for u in found]))
"""
        answers = json_of(code, path=tmp_path)
        keg = Unit("15.5 gallon").scale
        rope = Unit("7 fathom").scale
        assert answers == [keg, keg, 2000.0, rope, Unit("7000 fathom").scale]

    def test_ucum_codes_and_searches_know_them_first(self, tmp_path: Path) -> None:
        install(tmp_path, "brewing", "TEXT", 'TEXT = "zqkeg = 58 L; ucum: [zqkeg] = zqk"')
        code = """
from dimflow import Unit, units
print(Unit("[zqkeg]", ucum=True), len(units.find("zqkeg")))
"""
        assert output_of(code, path=tmp_path) == "zqk 1\n"

    @pytest.mark.parametrize(
        ("module", "word"),
        [
            ('TEXT = "mile = 3 m"', "mile"),
            ('TEXT = "broken ="', "broken"),
            ("TEXT = 3", "int"),
            ("import no_such_module_zq", "no_such_module_zq"),
            ("1/0", "ZeroDivisionError"),
        ],
    )
    def test_a_broken_one_is_named(self, tmp_path: Path, module: str, word: str) -> None:
        install(tmp_path, "broken", "TEXT", module)
        code = """
from dimflow import Unit
from dimflow.errors import DimflowError, UndefinedUnitError, UnitDefinitionError
Unit("km/h")
try:
    Unit("zqunknown")
except UnitDefinitionError as error:
    print(error)
else:
    raise AssertionError
try:
    Unit("zqunknown")
except (UndefinedUnitError, UnitDefinitionError):
    pass
assert Unit("mile").scale == 1609.344
"""
        text = output_of(code, path=tmp_path)
        assert "broken" in text
        assert word in text

    def test_none_are_asked_for_known_units(self, tmp_path: Path) -> None:
        install(tmp_path, "brewing", "TEXT", "raise AssertionError('asked')")
        code = """
import sys
from dimflow import Unit, units
Unit("J/(kg K)"), units.km, Unit("mm[Hg]", ucum=True), units.convert(1, "mile", "km")
from dimflow.units.tables import builtin
for definition in builtin:
    Unit(definition.name), Unit(str(Unit(definition.name)))
for name in ("kilometre", "km", "µm", "metres", "Newtons", "dB(mW)", "delta_degC", "m2", "kg.m-3"):
    Unit(name)
assert "importlib.metadata" not in sys.modules
"""
        output_of(code, path=tmp_path)
