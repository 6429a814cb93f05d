"""The numbers of a suite as a picture: a line for each row, a mark for each contender."""

from collections import Counter
from math import log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import table
from benchmarks.race import CONTROL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, told apart by the colour-blind too, and a shape for each besides. A
# library has the same ones in every picture.
MARKS = {
    "dimflow": ("#0072B2", "o"),
    "NumPy": ("#333333", "X"),
    "raw": ("#7a7a7a", "*"),
    "pint": ("#D55E00", "s"),
    "astropy": ("#E69F00", "^"),
    "unyt": ("#CC79A7", "D"),
    "saiunit": ("#009E73", "v"),
    "dimtensor": ("#56B4E9", "P"),
    "PyTorch": ("#EE4C2C", "<"),
    "autograd": ("#8C6D31", ">"),
    "gradient": ("#5B3A8C", "p"),
    "every step": ("#A6761D", "h"),
}
INK, GRID = "#333333", "#ececec"
_FAINT = "#cfcfcf"
_GOAL, _NOISE = "goal", "control: the first again"
_LABELS = {
    "s": "median time, logarithmic; left is better",
    "B": "memory, logarithmic; left is better",
    "n": "count, logarithmic; left is better",
    "power": "the power of n that it grows with; left is better",
}
_LEGEND = 7  # entries fit into one line
_OVERLAP = 0.13  # marks that would hide one another stand a little apart


def draw(record: dict[str, Any], path: Path) -> None:
    """Write the picture of a suite as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = record["rows"]
    units = list(dict.fromkeys(row["unit"] for row in rows))
    panels = [[row for row in rows if row["unit"] == unit] for unit in units]
    heights = [_lines(panel) + 0.6 for panel in panels]
    size = 9.5, 0.6 + 0.27 * (sum(heights) + 1.6 * len(panels))
    figure = Figure(figsize=size, dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False)[:, 0]
    names = [next(iter(rows[0]["contenders"])), *table.rivals(rows)]
    for ax, panel in zip(axes, panels, strict=True):
        _panel(ax, panel)
    found = (ax.get_legend_handles_labels() for ax in axes)
    handles = {label: handle for pair in found for handle, label in zip(*pair, strict=True)}
    shown = [name for name in [*names, _NOISE, _GOAL] if name in handles]
    columns = len(shown) if len(shown) <= _LEGEND else (len(shown) + 1) // 2
    figure.legend(
        [handles[name] for name in shown], shown, loc="outside upper center", ncols=columns,
        frameon=False, handletextpad=0.3, columnspacing=1.5,
    )  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Software": None})


def _lines(rows: list[dict[str, Any]]) -> int:
    return len(rows) + len({row["group"] for row in rows})


def _panel(ax: "Axes", rows: list[dict[str, Any]]) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

    unit = rows[0]["unit"]
    heights: list[float] = []
    group, y = None, 0.0
    ax.set_xscale("log")
    for row in rows:
        if row["group"] != group:
            group = row["group"]
            ax.text(
                -0.005, y, group, transform=ax.get_yaxis_transform(), ha="right", va="center",
                fontweight="bold", color=INK,
            )  # fmt: skip
            y += 1
        _row(ax, row, y)
        heights.append(y)
        y += 1
    ax.set_yticks(heights, _labels(rows))
    ax.set_ylim(y - 0.4, -0.6)
    ax.set_xlabel(_LABELS[unit], color=INK)
    low, high = ax.get_xlim()
    ax.xaxis.set_major_locator(
        LogLocator(subs=(1.0,) if log10(high / low) > 3 else (1.0, 2.0, 5.0))
    )
    ax.xaxis.set_major_formatter(lambda value, _: _tick(value, unit))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.grid(axis="x", color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(length=0, colors=INK)
    for side in ax.spines.values():
        side.set_visible(False)


def _labels(rows: list[dict[str, Any]]) -> list[str]:
    """The names; where several rows of a group have one name, with the work."""
    counts = Counter((row["group"], row["name"]) for row in rows)
    return [
        f"{row['name']}: {row['work']}" if counts[row["group"], row["name"]] > 1 else row["name"]
        for row in rows
    ]


def _row(ax: "Axes", row: dict[str, Any], y: float) -> None:
    shown = {name: numbers for name, numbers in row["contenders"].items() if name != CONTROL}
    medians = [numbers["median"] for numbers in shown.values()]
    ax.plot([min(medians), max(medians)], [y, y], color=_FAINT, linewidth=1.2, zorder=1)
    noise = [medians[0] * edge for edge in row["contenders"][CONTROL]["ratio_spread"]]
    ours, theirs = next(iter(shown)), list(shown)[1:]
    ax.plot(
        noise, [y, y], color=MARKS[ours][0], alpha=0.3, linewidth=6, solid_capstyle="butt",
        label=_NOISE, zorder=2,
    )  # fmt: skip
    for i, name in enumerate(theirs):
        color, marker = MARKS[name]
        ax.plot(
            shown[name]["median"], y + _OVERLAP * (i - (len(theirs) - 1) / 2), marker, color=color,
            markersize=6.5, markeredgecolor="white", markeredgewidth=0.6, label=name, zorder=3,
        )  # fmt: skip
    color, marker = MARKS[ours]
    ax.plot(
        medians[0], y, marker, color=color, markersize=8.5, markeredgecolor="white",
        markeredgewidth=0.6, label=ours, zorder=4,
    )  # fmt: skip
    for goal in goals(row):
        ax.plot(
            goal, y, "|", color=INK, markersize=14, markeredgewidth=1.8, label=_GOAL,
            zorder=1.5,
        )  # fmt: skip


def goals(row: dict[str, Any]) -> list[float]:
    """What a row may take, in its unit; a ratio is that to the base's median."""
    found = [row["goal"]] if row["goal"] is not None else []
    if "goal_ratio" in row:
        found.append(row["goal_ratio"] * row["contenders"][row["base"]]["median"])
    if "goal_more" in row:
        found.append(row["goal_more"] + row["contenders"][row["base"]]["median"])
    return found


def _tick(value: float, unit: str) -> str:
    if unit == "power":
        return table.amount(value, unit)
    number, *name = table.amount(value, unit).split()
    return " ".join([f"{float(number):g}", *name])
