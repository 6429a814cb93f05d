"""Constants of nature and of astronomy, with units and uncertainties.

    >>> from dimflow import constants
    >>> constants.h
    <Constant Planck constant h = 6.62607015e-34 J/Hz (exact), CODATA 2022>

An attribute is a symbol (`k_B`), a name as an identifier (`Boltzmann_constant`, in lower case too)
or another library's name for it (`Boltzmann`). The data, all of CODATA 2022 and the constants of
the IAU, are read when the first constant is asked for.
"""

from dimflow.constants.constant import Constant

__all__ = ["Constant", "catalogue", "find", "get"]


def get(name: str) -> Constant:
    """The constant with that name, symbol or alias.

    Names may be in any case (`"Electron mass"`); symbols may not, since `g` is not `G`.
    """
    from dimflow.constants.table import TABLE

    return TABLE.get(name)


def find(text: str) -> list[Constant]:
    """The constants whose names, symbol or aliases hold all words of the text, in any order.

    Case does not matter. A constant that is called exactly so comes first.
    """
    from dimflow.constants.table import TABLE

    return TABLE.find(text)


def catalogue(source: str = "") -> list[Constant]:
    """All constants, or those whose source starts so: `"CODATA"`, `"IAU 2015"`."""
    from dimflow.constants.table import TABLE

    return [constant for constant in TABLE if constant.source.startswith(source)]


def __getattr__(name: str) -> Constant:
    if name.startswith("_"):  # Python looks for __path__ and the like; no data for that
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    constant = globals()[name] = get(name)
    return constant


def __dir__() -> list[str]:
    from dimflow.constants.table import TABLE

    return sorted({*globals(), *TABLE.spelled})
