"""The dimension of NIST's unit texts, worked out apart from dimflow: a truth for the tests.

Steradians count as angle squared, as dimflow counts them; lumens contain them.
"""

import re

Exponents = dict[str, float]

_BASES = ["length", "mass", "time", "current", "temperature", "amount", "luminosity", "angle"]
_UNITS = {
    #       m  kg  s  A  K  mol cd rad
    "m": (1, 0, 0, 0, 0, 0, 0, 0),
    "fm": (1, 0, 0, 0, 0, 0, 0, 0),
    "kg": (0, 1, 0, 0, 0, 0, 0, 0),
    "u": (0, 1, 0, 0, 0, 0, 0, 0),
    "s": (0, 0, 1, 0, 0, 0, 0, 0),
    "Hz": (0, 0, -1, 0, 0, 0, 0, 0),
    "MHz": (0, 0, -1, 0, 0, 0, 0, 0),
    "c": (1, 0, -1, 0, 0, 0, 0, 0),
    "A": (0, 0, 0, 1, 0, 0, 0, 0),
    "C": (0, 0, 1, 1, 0, 0, 0, 0),
    "K": (0, 0, 0, 0, 1, 0, 0, 0),
    "mol": (0, 0, 0, 0, 0, 1, 0, 0),
    "N": (1, 1, -2, 0, 0, 0, 0, 0),
    "Pa": (-1, 1, -2, 0, 0, 0, 0, 0),
    "J": (2, 1, -2, 0, 0, 0, 0, 0),
    "eV": (2, 1, -2, 0, 0, 0, 0, 0),
    "MeV": (2, 1, -2, 0, 0, 0, 0, 0),
    "GeV": (2, 1, -2, 0, 0, 0, 0, 0),
    "E_h": (2, 1, -2, 0, 0, 0, 0, 0),
    "W": (2, 1, -3, 0, 0, 0, 0, 0),
    "V": (2, 1, -3, -1, 0, 0, 0, 0),
    "ohm": (2, 1, -3, -2, 0, 0, 0, 0),
    "S": (-2, -1, 3, 2, 0, 0, 0, 0),
    "F": (-2, -1, 4, 2, 0, 0, 0, 0),
    "H": (2, 1, -2, -2, 0, 0, 0, 0),
    "Wb": (2, 1, -2, -1, 0, 0, 0, 0),
    "T": (0, 1, -2, -1, 0, 0, 0, 0),
    "lm": (0, 0, 0, 0, 0, 0, 1, 2),
    "sr": (0, 0, 0, 0, 0, 0, 0, 2),
}


def dimension_of(text: str) -> Exponents:
    """Base dimension -> exponent, zeros left out."""
    outer = 1
    if match := re.fullmatch(r"\((.*)\)\^(-?\d+)", text):
        text, outer = match[1], int(match[2])
    total = [0] * len(_BASES)
    for sign, name, power in re.findall(r"(/?)\s*([A-Za-z_]+)(?:\^(-?\d+))?", text):
        factor = outer * (-1 if sign else 1) * int(power or 1)
        total = [t + factor * e for t, e in zip(total, _UNITS[name], strict=True)]
    return {base: float(e) for base, e in zip(_BASES, total, strict=True) if e}
