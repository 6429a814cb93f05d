"""The numbers of a suite as a picture: a line for each row, a mark for each contender."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import table
from benchmarks.race import CONTROL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, told apart by the colour-blind too, and a shape for each besides.
_MARKS = [("#0072B2", "o"), ("#D55E00", "s"), ("#E69F00", "^"), ("#CC79A7", "D"), ("#009E73", "v")]
_INK, _FAINT = "#333333", "#d8d8d8"
_LABELS = {"s": "time of one (logarithmic; left is better)", "B": "memory (left is better)"}


def draw(record: dict[str, Any], path: Path) -> None:
    """Write the picture of a suite as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = record["rows"]
    units = list(dict.fromkeys(row["unit"] for row in rows))
    panels = [[row for row in rows if row["unit"] == unit] for unit in units]
    heights = [_lines(panel) + 2.2 for panel in panels]
    figure = Figure(figsize=(9.5, 0.9 + 0.27 * sum(heights)), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False)[:, 0]
    names = [next(iter(rows[0]["contenders"])), *table.rivals(rows)]
    for ax, panel in zip(axes, panels, strict=True):
        _panel(ax, panel, dict(zip(names, _MARKS, strict=False)))
    handles, labels = axes[0].get_legend_handles_labels()
    known = dict(zip(labels, handles, strict=True))
    figure.legend(
        known.values(), known, loc="outside upper center", ncols=len(known), frameon=False
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Software": None})


def _lines(rows: list[dict[str, Any]]) -> int:
    return len(rows) + len({row["group"] for row in rows})


def _panel(ax: "Axes", rows: list[dict[str, Any]], marks: dict[str, tuple[str, str]]) -> None:
    unit = rows[0]["unit"]
    heights: list[float] = []
    group, y = None, 0.0
    ax.set_xscale("log")
    for row in rows:
        if row["group"] != group:
            group = row["group"]
            ax.text(
                -0.005, y, group, transform=ax.get_yaxis_transform(), ha="right", va="center",
                fontweight="bold", color=_INK,
            )  # fmt: skip
            y += 1
        _row(ax, row, y, marks)
        heights.append(y)
        y += 1
    ax.set_yticks(heights, _labels(rows))
    ax.set_ylim(y - 0.4, -0.7)
    ax.set_xlabel(_LABELS[unit], color=_INK)
    ax.xaxis.set_major_formatter(lambda value, _: _tick(value, unit))
    ax.grid(axis="x", color=_FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(length=0, colors=_INK)
    for side in ax.spines.values():
        side.set_visible(False)


def _labels(rows: list[dict[str, Any]]) -> list[str]:
    """The names; where several rows have one name, with the work."""
    counts = Counter(row["name"] for row in rows)
    return [
        f"{row['name']}: {row['work']}" if counts[row["name"]] > 1 else row["name"] for row in rows
    ]


def _row(ax: "Axes", row: dict[str, Any], y: float, marks: dict[str, tuple[str, str]]) -> None:
    shown = {name: n for name, n in row["contenders"].items() if name != CONTROL}
    medians = [numbers["median"] for numbers in shown.values()]
    ax.plot([min(medians), max(medians)], [y, y], color=_FAINT, linewidth=1.5, zorder=1)
    for i, (name, numbers) in enumerate(reversed(shown.items())):
        color, marker = marks[name]
        is_ours = i == len(shown) - 1
        ax.plot(
            numbers["median"], y, marker, color=color, markersize=8 if is_ours else 6,
            markeredgecolor="white", markeredgewidth=0.6, label=name, zorder=2 + i, linestyle="",
        )  # fmt: skip
    if row["goal"] is not None:
        ax.plot(
            row["goal"], y, "|", color=_INK, markersize=13, markeredgewidth=1.8, label="goal",
            zorder=1.5, linestyle="",
        )  # fmt: skip


def _tick(value: float, unit: str) -> str:
    number, name = table.amount(value, unit).split()
    return f"{float(number):g} {name}"
