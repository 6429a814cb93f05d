"""First steps with dimflow: a tour of units, arrays, checks, files and constants.

The tour is a session at Python's prompt. Every line that is printed with a prompt is run as it is
printed, and what stands under it is what it gave. Each layer of dimflow adds its part here.
"""

import os
import sys
from doctest import DocTestParser, Example

from dimflow import __version__
from dimflow.errors import DimflowError

TOUR = """
ARRAYS THAT KNOW THEIR UNITS

An array with a unit is a raw array plus a unit. Sums, products and conversions keep it true.

>>> import numpy as np
>>> from dimflow import DimArray, units as u
>>> m, v = DimArray([1.0, 2.0], u.kg), DimArray([3.0, 4.0], u.m / u.s)
>>> energy = (0.5 * m * v**2).to(u.kJ)
>>> energy
>>> np.sqrt(2 * energy / m).to("km/h")
>>> [1.5, 2.5] * u.km + 200 * u.m
>>> np.mod(1 * u.km, 300 * u.m), np.sin(90 * u.deg), np.var([1.0, 2.0, 4.0] * u.s)

A wrong sum is an error, and says what is missing. So is a number that lost its unit.

>>> 0.5 * m * v + energy
>>> np.asarray(energy)

What is written into an array is converted into its unit, which never changes.

>>> route = [1.0, 2.0, 3.0] * u.km
>>> route[0] = 300 * u.m
>>> route += 1 * u.mile
>>> route

Temperatures are points: they have a mean and differences, but no double.

>>> T = DimArray([20.0, 25.0, 37.0], "degC")
>>> T.to("degF"), T.max()
>>> T - T[0], np.mean(T[:2])
>>> 2 * T


BEFORE ANYTHING EXPENSIVE STARTS

A function is checked on units and shapes alone. A million million elements take no time.

>>> import dimflow
>>> def kinetic(m, v):
...     return 0.5 * m * v**2
>>> dimflow.check(kinetic, m="kg[1000000000000]", v="km/h")
>>> dimflow.check(lambda m, v, h: kinetic(m, v) + m * h, "kg", "m/s", "m")


A GRADIENT IS A FORCE

Derivatives have the unit of the result over that of the argument.

>>> stiffness = 250 * u.N / u.m
>>> def stored(x):
...     return np.sum(0.5 * stiffness * x**2).to("mJ")
>>> dimflow.grad(stored)([1.0, -2.0] * u.cm)
>>> dimflow.grad(stored)([1.0, -2.0] * u.cm).to("N")


IN A FILE, WITH THE UNIT

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     energy.save(f"{folder}/energy.npz")
...     print(DimArray.load(f"{folder}/energy.npz"))


A VALUE IN ANOTHER UNIT

Scales are exact numbers, so a conversion is rounded once, at the end.

>>> from dimflow import Unit, constants, units
>>> units.convert(65, "mile/hour", "km/h")
>>> units.convert(1, "furlong/fortnight", "mm/s")
>>> units.parsec.conversion_factor("light_year")

Units multiply and divide. They are equal if they mean the same, however they are spelled.

>>> units.kg * units.m / units.s**2 == units.N
>>> (units.kPa * units.m**2).simplified()
>>> Unit("kg m^2 s^-3").dimension, Unit("mile per hour"), Unit("mm[Hg]", ucum=True)


A MISTAKE, CAUGHT

In 1999 a spacecraft was lost because pound-force seconds were taken for newton seconds. Converted,
the number is 4.4 times as large; and into newtons there is no way at all.

>>> units.convert(1000, "lbf*s", "N*s")
>>> units.convert(1000, "lbf*s", "N")

An error says what could have been meant: 60 turns a minute, or so many radians? Which unit?

>>> units.convert(60, "rpm", "Hz")
>>> Unit("kg/furlng")


CONSTANTS, WITH THEIR UNCERTAINTY

All of CODATA 2022 and those of the IAU.

>>> constants.c
>>> constants.G
>>> constants.G.relative_uncertainty
>>> constants.find("electron mass")[0]
>>> constants.m_e.to("MeV", via="mass_energy")


A UNIT OF YOUR OWN

>>> units.define("smoot = 67 inch = smt")
>>> units.convert(364, "smoot", "m")          # the Harvard Bridge, and an ear
>>> units.kilosmoot, Unit("smoot/s").dimension


TEMPERATURES AND DECIBELS

They are points on a scale: 20 degrees Celsius are 68 degrees Fahrenheit, but a difference of 20 is
one of 36. A point cannot be a factor.

>>> units.convert(20, "degC", "degF")
>>> units.convert(20, "delta_degC", "delta_degF")
>>> units.convert(30, "dBm", "W"), units.convert(1, "mV", "dBV"), units.convert(7, "pH", "mol/L")
>>> units.dBm * units.s


THE SAME THING IN ANOTHER DIMENSION

Light has a wavelength, a frequency and an energy. A law of physics that connects dimensions is
asked for by name, never taken for granted.

>>> units.convert(656.28, "nm", "eV")
>>> units.convert(656.28, "nm", "eV", via="spectral")
>>> units.convert(1, "g", "kiloton_TNT", via="mass_energy")


EVERY NOTATION

>>> unit = Unit("J/(kg K)")
>>> for style in ("plain", "unicode", "latex", "html", "cf", "ucum"):
...     print(f"{style:8}", unit.format(style))


OVER THE WIRE

A unit travels with its definition. The other side needs no table: this is a new Python that never
heard of a smoot.

>>> wire = units.encode(Unit("smoot/s"))
>>> wire
>>> import subprocess, sys
>>> code = "import sys; from dimflow import units; print(units.decode(sys.argv[1]).scale, 'm/s')"
>>> subprocess.run([sys.executable, "-c", code, wire], capture_output=True, text=True).stdout
"""
END = """

WHERE TO LOOK NEXT

  dimflow convert "65 mile/hour" km/h    the same from the command line (here: .venv/bin/dimflow)
  dimflow units pressure                 find a unit; `dimflow --help` lists the commands
  docs/guide/arrays.md                   units in five minutes
  docs/guide/units.md                    all about units
  docs/guide/derivatives.md              gradients, Jacobians, Hessians; six worked examples
  docs/design.md                         what is built, and what comes next
"""


def main() -> None:
    sys.stdout.reconfigure(errors="replace")  # a terminal without Unicode shows "?"
    print(bold(f"dimflow {__version__}, first steps"))
    session: dict[str, object] = {"__name__": "session"}
    for part in DocTestParser().parse(TOUR):
        if isinstance(part, Example):
            run(part.source, session)
        else:
            show(part)
    show(END)


def run(source: str, session: dict[str, object]) -> None:
    """Show a statement and run it, as the prompt of Python does."""
    first, *rest = source.rstrip("\n").split("\n")
    print("\n".join([f">>> {bold(first)}", *(f"... {bold(line)}" for line in rest)]))
    try:
        exec(compile(source, "<tour>", "single"), session)
    except DimflowError as error:
        print(f"{type(error).__name__}: {error}")


def show(text: str) -> None:
    for line in text.splitlines():
        print(bold(line) if line.isupper() else line)


def bold(text: str) -> str:
    shows_bold = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return f"\x1b[1m{text}\x1b[0m" if shows_bold and text else text


if __name__ == "__main__":
    main()
