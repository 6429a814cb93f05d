"""Doing something when another library is imported, and not before."""

import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.machinery import ModuleSpec
from typing import Any


def when_imported(module: str, action: Callable[[], object]) -> None:
    """Do something once a module is imported: now, if it is, else right after it has been."""
    if module in sys.modules:
        action()
    else:
        sys.meta_path.insert(0, _Watch(module, action))


class _Watch:
    """A finder that finds nothing itself, but learns that a module is being looked for."""

    def __init__(self, module: str, action: Callable[[], object]) -> None:
        self.module = module
        self.action = action

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self.module:
            return None
        with suppress(ValueError):  # another thread was first
            sys.meta_path.remove(self)  # type: ignore[arg-type]
        from importlib.util import find_spec

        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self.action)  # type: ignore[assignment]
        return spec


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
