"""Units that other installed packages bring along, by entry points of the group `dimflow.units`."""

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from dimflow.errors import UnitDefinitionError, UnitError
from dimflow.units.definition import read_file

if TYPE_CHECKING:
    from dimflow.units.registry import Registry

GROUP = "dimflow.units"


def installed() -> list[EntryPoint]:
    """The entry points of the group, by name."""
    return sorted(entry_points(group=GROUP), key=lambda plugin: plugin.name)


def definitions_of(plugin: EntryPoint) -> str:
    """The text that a plugin gives: as text, by the Path of a file, or by a function."""
    try:
        content = plugin.load()
        if callable(content):
            content = content()
        text = read_file(content) if isinstance(content, Path) else content
    except Exception as error:  # a plugin may fail in any way; the message names it
        raise cannot_read(plugin.name, error) from error
    if not isinstance(text, str):
        problem = TypeError(f"a plugin gives text or a Path, but got {type(text).__name__}")
        raise cannot_read(plugin.name, problem)
    return text


def add_plugins(registry: "Registry") -> bool:
    """Define the units of all plugins in a registry; whether there were any."""
    plugins = installed()
    for plugin in plugins:
        text = definitions_of(plugin)
        try:
            registry.define(text)
        except UnitError as error:
            raise cannot_read(plugin.name, error) from error
    return bool(plugins)


def cannot_read(name: str, error: Exception) -> UnitDefinitionError:
    """The error for a plugin that is broken."""
    return UnitDefinitionError(
        f"entry point {name!r} of {GROUP}",
        f"the units of a plugin could not be read: {type(error).__name__}: {error}",
        "uninstall it, or ask its authors to mend it",
    )
