"""Doing something when another library is imported, and not before."""

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from typing import Any


def when_imported(module: str, action: Callable[[], object]) -> None:
    """Do something once a module is imported: now, if it is, else right after it has been."""
    if module in sys.modules:
        action()
    else:
        sys.meta_path.insert(0, _Watch(module, action))


class _Watch:
    """A finder that finds nothing itself, but learns that a module is being looked for.

    It stays until the module is there: many look for a module and never import it.
    """

    def __init__(self, module: str, action: Callable[[], object]) -> None:
        self.module = module
        self.action = action

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self.module:
            return None
        others = [finder for finder in sys.meta_path if not isinstance(finder, _Watch)]
        found = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self.arrived)  # type: ignore[assignment]
        return spec

    def arrived(self) -> None:
        """Act, once."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
            self.action()


class _Loader:
    """A module's own loader, which acts when the module is there and then leaves no trace."""

    def __init__(self, loader: Any, action: Callable[[], object]) -> None:
        self._loader = loader
        self._action = action

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._action()
