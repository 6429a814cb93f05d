"""Draw the pictures of graphs that docs/guide/dask.md shows.

python tools/make_dask_picture.py
"""

from pathlib import Path

import numpy as np

from dimflow.dask import DaskDimArray

ASSETS = Path(__file__).parents[1] / "docs/assets"


def program() -> DaskDimArray:
    """An energy of two speeds that are given in different units, in a third one."""
    body, wind, current = (
        DaskDimArray.from_array(np.ones((4, 4)), unit, chunks=2, name=name)
        for name, unit in (("body", "kg"), ("wind", "m/s"), ("current", "km/h"))
    )
    return (0.5 * body * (wind + current) ** 2).sum(axis=0).to("kJ")  # type: ignore[return-value]


def drawn() -> dict[str, str]:
    """File names, and the text of each."""
    layers, tasks = program().visualize(), program().visualize(tasks=True)
    return {"dask_graph.svg": layers.svg, "dask_tasks.svg": tasks.svg}


if __name__ == "__main__":
    for name, svg in drawn().items():
        (ASSETS / name).write_text(svg, encoding="utf-8")
