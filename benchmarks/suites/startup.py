"""What it costs to have units at all: the CPU time of the import, the memory of the registry."""

from collections.abc import Callable
from typing import NamedTuple

from benchmarks.process import bytes_kept, cpu_seconds
from benchmarks.race import Effort, Race, Sampler, Suite

IMPORT, MEMORY = "CPU time over importing NumPy", "memory over importing NumPy"
_MEMORY_ROUNDS = 2  # allocations hardly vary


class Work(NamedTuple):
    """What a fresh interpreter does, and an expression that is true if it did it."""

    code: str
    proof: str


IMPORTS = {
    "dimflow": Work("import dimflow", "dimflow.Unit('km').conversion_factor('m') == 1000"),
    "pint": Work("import pint", "pint.UnitRegistry().convert(1, 'km', 'm') == 1000"),
    "astropy": Work("import astropy.units as u", "u.km.to(u.m) == 1000"),
    "unyt": Work("import unyt", "unyt.km.get_conversion_factor(unyt.m)[0] == 1000"),
    "saiunit": Work("import saiunit", "saiunit.kmeter.magnitude == 1000"),
    "dimtensor": Work("import dimtensor", "dimtensor.units.km.scale == 1000"),
}
FIRST_UNITS = {
    "dimflow": Work(
        "from dimflow import units; km = units.km", "km.conversion_factor('m') == 1000"
    ),
    "pint": Work(
        "import pint; ureg = pint.UnitRegistry(); km = ureg.km",
        "ureg.convert(1, km, ureg.m) == 1000",
    ),
    "astropy": Work("import astropy.units as u; km = u.km", "km.to(u.m) == 1000"),
    "unyt": Work("import unyt; km = unyt.km", "km.get_conversion_factor(unyt.m)[0] == 1000"),
    "saiunit": Work("import saiunit; km = saiunit.kmeter", "km.magnitude == 1000"),
    "dimtensor": Work("from dimtensor import units; km = units.km", "km.scale == 1000"),
}
FIRST_ARRAYS = {
    "dimflow": Work(
        "from dimflow import DimArray, units; x = DimArray([1.0], units.km)",
        "x.to('m').tolist() == [1000.0]",
    ),
    "pint": Work(
        "import pint; ureg = pint.UnitRegistry(); x = ureg.Quantity(numpy.array([1.0]), ureg.km)",
        "x.to('m').magnitude.tolist() == [1000.0]",
    ),
    "astropy": Work(
        "import astropy.units as u; x = u.Quantity([1.0], u.km)",
        "x.to_value(u.m).tolist() == [1000.0]",
    ),
    "unyt": Work(
        "import unyt; x = unyt.unyt_array([1.0], unyt.km)",
        "x.to_value('m').tolist() == [1000.0]",
    ),
    "saiunit": Work(
        "import saiunit; x = saiunit.Quantity([1.0], unit=saiunit.kmeter)",
        "x.to(saiunit.meter).mantissa.tolist() == [1000.0]",
    ),
    "dimtensor": Work(
        "from dimtensor import DimArray, units; x = DimArray([1.0], units.km)",
        "x.to(units.m).data.tolist() == [1000.0]",
    ),
}
_ALL_DIMFLOW = Work(
    "names = units.Registry().spellings(); kept = [getattr(units, name) for name in names]",
    "len(set(kept)) > 1000",
)
_ALL_PINT = Work(
    "ureg = pint.UnitRegistry()\n"  # not by text: it lists names, such as R_∞, that it cannot read
    "kept = [ureg.get_root_units(pint.util.UnitsContainer({name: 1})) for name in ureg]",
    "len(kept) > 1000",
)
REGISTRIES = {
    "dimflow": ("from dimflow import units", _ALL_DIMFLOW),
    "pint": ("import pint", _ALL_PINT),
}
EVERYTHING = {
    "dimflow": Work(f"from dimflow import units; {_ALL_DIMFLOW.code}", _ALL_DIMFLOW.proof),
    "pint": Work(f"import pint; {_ALL_PINT.code}", _ALL_PINT.proof),
    "astropy": Work(
        "import astropy.units as u; from astropy.units import cds, cgs, imperial, misc\n"
        "kept = [unit.decompose() for unit in u.get_current_unit_registry().all_units]",
        "len(kept) > 1000",
    ),
    "unyt": Work(
        "import unyt; from unyt.unit_registry import default_unit_registry as registry\n"
        "kept = [unyt.Unit(name) for name in registry.keys()]",
        "len(kept) > 100",
    ),
    "saiunit": Work(
        "import saiunit; kept = [u for u in vars(saiunit).values() if isinstance(u, saiunit.Unit)]",
        "len(kept) > 1000",
    ),
    "dimtensor": Work(
        "from dimtensor import Unit, units\n"
        "kept = [u for u in vars(units).values() if isinstance(u, Unit)]",
        "len(kept) > 50",
    ),
}


def races(effort: Effort) -> list[Race]:
    starts, weighings = effort.starts, min(effort.starts, _MEMORY_ROUNDS)
    registries = {
        name: bytes_kept(*work, before=before) for name, (before, work) in REGISTRIES.items()
    }
    everything = {name: bytes_kept(*work) for name, work in EVERYTHING.items()}
    return [
        _imports("import", "import dimflow", IMPORTS, starts),
        _imports("import and the first unit", "units.km", FIRST_UNITS, starts),
        _imports("import and the first array", "DimArray([1.0], units.km)", FIRST_ARRAYS, starts),
        _memory("registry, every unit resolved", registries, weighings, 5e6),
        _memory("code and registry, every unit resolved", everything, weighings),
    ]


def _imports(name: str, shown: str, works: dict[str, Work], rounds: int) -> Race:
    entries = {library: cpu_seconds(*work) for library, work in works.items()}
    check = _prover(entries)
    return Race(IMPORT, name, shown, entries, check, rounds, 60e-3, warm_up=False)


def _memory(name: str, entries: dict[str, Sampler], rounds: int, goal: float | None = None) -> Race:
    absent = [library for library in EVERYTHING if library not in entries]
    refused = dict.fromkeys(absent, "builds its registry while it is imported")
    return Race(
        MEMORY,
        name,
        "every name",
        entries,
        _prover(entries),
        rounds,
        goal,
        unit="B",
        refused=refused,
        warm_up=False,
    )


def _prover(entries: dict[str, Sampler]) -> Callable[[], None]:
    """Runs each once, which compiles bytecode; a process asserts its proof after its work."""

    def check() -> None:
        for sample in entries.values():
            sample(0)

    return check


SUITE = Suite(
    name="startup",
    title="Start-up",
    about="""\
Each number is from fresh interpreters that had imported NumPy before. CPU time is user plus system
time, with compiled bytecode in place. `import dimflow` brings nothing until a name is used, so the
second and the third row are those to compare. Memory is what Python holds, by `tracemalloc`, after
every name that the library lists has been resolved down to base units; all but pint and we build
their registries while they are imported, so theirs cannot be told from their code.""",
    packages=("dimflow", "pint", "astropy", "unyt", "saiunit", "dimtensor", "numpy"),
    races=races,
)
