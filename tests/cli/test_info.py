"""`dimflow info`, and units that a plugin brings along."""

import json
import platform
from importlib.metadata import version
from pathlib import Path

import pytest

import dimflow
from dimflow import backends, constants, ops, units
from dimflow.cli.commands.info import LIBRARIES, installed_version
from tests.cli.conftest import Run


def test_it_tells_versions_and_counts(run: Run) -> None:
    told = json.loads(run("info", "--json").out)
    assert told["dimflow"] == dimflow.__version__
    assert told["python"] == platform.python_version()
    assert told["libraries"]["numpy"] == version("numpy")
    assert list(told["libraries"]) == list(LIBRARIES)
    assert told["units"] == len(units.find(""))
    assert told["constants"] == len(constants.catalogue())
    assert told["operations"] == len(ops.TABLE)
    assert told["backends"] == backends.names()
    shown = run("info")
    assert shown.code == 0
    assert shown.lines[0] == f"dimflow {dimflow.__version__}"
    assert f"  numpy  {version('numpy')}" in shown.lines
    assert f"  operations  {len(ops.TABLE)}" in shown.lines
    assert f"  backends    {', '.join(backends.names())}" in shown.lines
    assert shown.err.endswith("planned: wgpu.\n")


def test_a_library_that_is_not_there() -> None:
    assert installed_version("no_such_library") is None


def test_a_library_installed_under_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, "turbo", "", dist="turbo-cuda12x")
    monkeypatch.syspath_prepend(tmp_path)
    assert installed_version("turbo") == "1.0"


def package(folder: Path, name: str, source: str, *, dist: str = "", entry_point: str = "") -> None:
    """A package as pip leaves it: the module and its metadata."""
    metadata = folder / f"{(dist or name).replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    text = f"Metadata-Version: 2.1\nName: {dist or name}\nVersion: 1.0\n"
    (metadata / "METADATA").write_text(text, encoding="utf-8")
    (metadata / "top_level.txt").write_text(name, encoding="utf-8")
    if entry_point:
        lines = f"[dimflow.units]\n{name} = {name}:{entry_point}\n"
        (metadata / "entry_points.txt").write_text(lines, encoding="utf-8")
    (folder / f"{name}.py").write_text(source, encoding="utf-8")


def test_the_units_of_a_plugin(tmp_path: Path, installed: Run) -> None:
    text = "@family brewing\\n@source my own\\nwort_pound = 0.5 kilogram = wlb"
    package(tmp_path, "brewing", f'UNITS = "{text}"', entry_point="UNITS")
    path = str(tmp_path)
    told = installed("info", PYTHONPATH=path).lines
    assert "  plugins     brewing from brewing (brewing:UNITS)" in told
    found = installed("units", "wort", PYTHONPATH=path)
    assert found.lines[1].split() == ["wort_pound", "wlb", "[mass]", "0.5", "kg"]
    assert installed("convert", "3 wlb", "kg", PYTHONPATH=path).out == "3 wlb = 1.5 kg\n"
    assert installed("__complete", "parse", "wort", PYTHONPATH=path).out == "wort_pound\n"


def test_a_broken_plugin_is_named_and_nothing_else_fails(tmp_path: Path, installed: Run) -> None:
    package(tmp_path, "brewing", "raise ImportError('no hops')", entry_point="UNITS")
    path = str(tmp_path)
    failure = "the units of a plugin could not be read: ImportError: no hops"
    assert f"  failed      {failure}" in installed("info", PYTHONPATH=path).lines
    found = installed("units", "psi", PYTHONPATH=path)
    assert found.code == 0
    assert found.err.startswith(failure)
    assert installed("convert", "1 m", "ft", PYTHONPATH=path).code == 0
