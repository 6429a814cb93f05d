"""Draw docs/assets/plotting.png: the example of docs/guide/plotting.md.

python tools/make_plotting_picture.py
"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from dimflow import DimArray
from dimflow import units as u
from dimflow.plotting import label

TARGET = Path(__file__).parents[1] / "docs/assets/plotting.png"


def drawn() -> Figure:
    """A train in minutes and kilometres, a cyclist in seconds and metres, on the same axes."""
    time = DimArray(np.linspace(0, 10, 50), "min")
    train = (time * (90 * u.km / u.h)).to("km")
    cyclist = time.to("s") * (6 * u.m / u.s) + 5 * u.km
    figure = Figure(figsize=(6, 3.5), layout="constrained", dpi=120)
    axes = figure.add_subplot()
    axes.plot(time, train, label="train, 90 km/h")
    axes.plot(time.to("s"), cyclist, label="cyclist, 6 m/s")
    axes.axhline(12_000 * u.m, color="gray", linestyle=":", label="12 000 m")
    axes.set_xlim(0 * u.s, 10 * u.min)
    axes.set_xlabel(label("time", time))
    axes.set_ylabel(label("distance", train))
    axes.legend()
    return figure


if __name__ == "__main__":
    drawn().savefig(TARGET)
