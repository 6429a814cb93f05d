"""Files with units: `.npz` archives that hold numbers and units, and text tables that say them.

dimflow.save("run.npz", time=t, speed=v)
run = dimflow.load("run.npz")
table = dimflow.from_csv("run.csv")    # time [s], speed [m/s]
"""

from dimflow.io.columns import loadtxt, savetxt
from dimflow.io.npz import load, save
from dimflow.io.tables import from_csv, to_csv

__all__ = ["from_csv", "load", "loadtxt", "save", "savetxt", "to_csv"]
