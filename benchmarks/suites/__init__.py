"""The suites: each file here has a `SUITE`, and is found by its name."""

from importlib import import_module
from pkgutil import iter_modules

from benchmarks.race import Suite


def names() -> list[str]:
    return sorted(module.name for module in iter_modules(__path__))


def find(name: str) -> Suite:
    """The suite of a file; ValueError if there is no such file."""
    if name not in names():
        raise ValueError(f"no suite is called {name!r}; there are {', '.join(names())}")
    suite: Suite = import_module(f"benchmarks.suites.{name}").SUITE
    return suite
