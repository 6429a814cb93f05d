"""The two registries that are always there: the built-in table, and the shared one over it."""

from collections.abc import Iterator
from pathlib import Path

from dimflow.errors import UnitDefinitionError, UnitError
from dimflow.units import definition as definitions
from dimflow.units import scope
from dimflow.units.definition import Definition, Prefix
from dimflow.units.registry import Registry
from dimflow.units.unit import Unit

_TABLE = Path(__file__).parent / "definitions"


class _Builtin(Registry):
    """The table that comes with dimflow: read at first use, and never changed after."""

    def __init__(self) -> None:
        super().__init__(name="built in")
        self.is_read = False
        self._files = sorted(
            _TABLE.glob("*.units"), key=lambda path: (path.stem != "si", path.stem)
        )

    def _default_parent(self) -> None:
        return None

    def find(self, name: str) -> Definition | None:
        self._read()
        return self._table.get(name)

    def find_prefix(self, name: str) -> Prefix | None:
        self._read()
        return self._prefixes.get(name)

    def prefixes(self) -> list[Prefix]:
        self._read()
        return super().prefixes()

    def spellings(self) -> list[str]:
        self._read()
        return list(self._table)

    def __iter__(self) -> Iterator[Definition]:
        self._read()
        return super().__iter__()

    def define(self, text: str, *, replace: bool = False) -> Unit | None:  # noqa: ARG002
        raise UnitDefinitionError(text, "the built-in table cannot be changed", "use units.define")

    def _read(self) -> None:
        if self.is_read:
            return
        with self._lock:
            while self._files:
                for definition in definitions.read(self._files[0].read_text(encoding="utf-8")):
                    if definition.name[-1] == "-":
                        self._add_prefix(definition)
                    else:
                        for name in definition.spellings:
                            self._table[name] = definition
                del self._files[0]
            self.is_read = True


class _Shared(Registry):
    """The user's units for the whole process; asks the plugins before it says no."""

    def __init__(self) -> None:
        super().__init__(builtin, name="shared")
        self._asked_plugins = False

    def load_plugins(self) -> bool:
        """Add the units of installed packages with an entry point in the group `dimflow.units`.

        Returns whether this call added any; they are asked once.
        """
        with self._lock:
            if self._asked_plugins:
                return False
            self._asked_plugins = True
            # importlib.metadata is slow, and only needed for an unknown name
            from dimflow.units.plugins import cannot_read, definitions_of, installed

            texts = [(plugin.name, definitions_of(plugin)) for plugin in installed()]
            for name, text in texts:
                try:
                    self.define(text)
                except UnitError as error:
                    raise cannot_read(name, error) from error
            return bool(texts)


builtin = scope.builtin = _Builtin()
shared = scope.shared = _Shared()
