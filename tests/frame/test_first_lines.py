"""A program's first line means what it means later, in whatever order libraries were imported.

Each library has its programs. In a fresh process each program is run first of all, in a
fork, and again when dimflow has made arrays and knows every library: both must say the same.
"""

import json
import subprocess
import sys

import pytest

from tests.contract.samples import DAY

PROGRAMS = {
    "numpy as np": [
        "np.array([1.0, 2.0]) * u.m",
        "u.m * np.float64(2.0)",
        "np.sqrt(const.c)",
        "np.timedelta64(3, 's') * u.m",
        "np.timedelta64(3, 's') * const.c",
        "np.array([3], 'm8[s]') * u.m",
    ],
    "pandas as pd": [
        "pd.Series([1.0, 2.0]) * u.m",
        "u.m * pd.Series([1.0, 2.0])",
        "pd.Series([1.0, 2.0]) / u.m",
        "pd.Series([1.0, 2.0]) * const.c",
        "pd.Series([const.c, const.c])",
        "pd.DataFrame({'a': [1.0]}) * u.m",
        "pd.Index([1.0]) * u.m",
        "pd.Timedelta('1h') * u.m",
        "pd.Series([1.0], dtype='dimflow[m]')",
        "pd.Series.dimflow, pd.DataFrame.dimflow",
        "pd.Series([1.0]).dimflow.quantify('m')",
        "pd.Series(['1 m']).astype('dimflow[m]')",
    ],
    "xarray as xr": [
        "labelled().x * u.s",
        "u.s * labelled().x",
        "labelled().x * const.c",
        "labelled('hPa') * u.s",
        "labelled('hPa') / u.s",
        "labelled('hPa') * const.c",
        "labelled('1') * u.s",
        "labelled().to_dataset(name='a') * u.s",
        "labelled('hPa').dimflow.quantify()",
        "xr.Dataset.dimflow, xr.DataArray.dimflow",
        "xr.DataArray(const.c)",
    ],
    "dask.array as da": [
        "(da.ones(3, chunks=2) * u.m).sum().compute()",
        "(u.m * da.ones(3, chunks=2)).sum().compute()",
        "(da.ones(3, chunks=2) * const.c).sum().compute()",
    ],
    "dask.dataframe as dd": [
        "dd.from_dict({'a': [1.0]}, 1).a.astype('dimflow[m]').sum().compute()",
    ],
    "pint": [
        "pint.Quantity(2.0, 'metre') * u.s",
        "u.s * pint.Quantity(2.0, 'metre')",
        "pint.Quantity(2.0, 'metre') * const.c",
        "pint.Unit('metre') * u.s",
    ],
    "astropy.units as apu": [
        "(2.0 * apu.m) * u.s",
        "u.s * (2.0 * apu.m)",
        "(2.0 * apu.m) * const.c",
        "apu.m * u.s",
    ],
    "unyt": [
        "unyt.unyt_array([2.0], 'm') * u.s",
        "u.s * unyt.unyt_array([2.0], 'm')",
        "unyt.unyt_quantity(2.0, 'm') * const.c",
        "unyt.m * u.s",
    ],
    "jax": [
        "jax.numpy.ones(3) * u.m",
        "jax.numpy.ones(3) * const.c",
        "jax.jit(lambda c: 2 * c)(const.c)",
    ],
    "torch": [
        "torch.ones(3) * u.m",
        "u.m * torch.ones(3)",
        "torch.ones(3) * const.c",
    ],
    "matplotlib.figure": [
        "drawn([1, 2], [1, 2] * u.m)",
        "drawn([1, 2], [const.c, const.c])",
    ],
}
SCRIPT = """
import json, os, sys
def labelled(unit=None):
    x = ("x", [0.0, 1.0], {"units": "km"})
    attrs = {} if unit is None else {"units": unit}
    return xr.DataArray([0.0, 1.0], dims="x", coords={"x": x}, attrs=attrs)
def drawn(x, y):
    axes = matplotlib.figure.Figure().subplots()
    axes.plot(x, y)
    return axes.get_ylabel()
def outcome(program):
    try:
        value = eval(program)
        return f"{type(value)} {value!r}"
    except Exception as error:
        return f"{type(error)} {error}"
def at_first(program):
    read, write = os.pipe()
    if not os.fork():
        os.write(write, outcome(program).encode())
        os._exit(0)
    os.close(write)
    with open(read) as found:
        return found.read()
first = [at_first(program) for program in PROGRAMS]
import dimflow.array, dimflow.constants
2.0 * u.m, const.c * 2
import numpy, pandas, xarray
for program in PROGRAMS:
    outcome(program)
print(json.dumps([first, [outcome(program) for program in PROGRAMS]]))
"""
OURS = "from dimflow import units as u, constants as const"


BOTH = ("numpy as np", "pandas as pd", "xarray as xr")  # the way of waiting is one for all
OTHERS = tuple(name for name in PROGRAMS if name not in BOTH)  # one a day
ORDERS = [
    *((name, order) for name in BOTH for order in (True, False)),
    *(
        pytest.param(name, True, marks=[] if i == DAY % len(OTHERS) else pytest.mark.deep)
        for i, name in enumerate(OTHERS)
    ),
]


@pytest.mark.share(2)
@pytest.mark.parametrize(("library", "is_first"), ORDERS)
def test_a_first_line_says_what_it_says_later(library: str, is_first: bool) -> None:
    imports = [OURS, f"import {library}"]
    lines = [*(imports if is_first else imports[::-1]), f"PROGRAMS = {PROGRAMS[library]!r}", SCRIPT]
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    first, later = json.loads(run.stdout.splitlines()[-1])
    assert dict(zip(PROGRAMS[library], first, strict=True)) == dict(
        zip(PROGRAMS[library], later, strict=True)
    )
    assert not [text for text in first if "AttributeError" in text]
