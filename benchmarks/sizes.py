"""The picture of races at many sizes: the ratio to the base, a line for each contender."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import table
from benchmarks.plot import GRID, INK, MARKS
from benchmarks.race import CONTROL

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Write the picture as PNG: a panel for each work."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    works = list(dict.fromkeys(row["work"] for row in rows))
    figure = Figure(figsize=(9.5, 4.4), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(works), sharey=True, squeeze=False)[0]
    for ax, work in zip(axes, works, strict=True):
        _panel(ax, [row for row in rows if row["work"] == work])
    base = rows[0]["base"]
    axes[0].set_ylabel(f"time, {base} = 1; lower is better", color=INK)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Software": None})


def _panel(ax: "Axes", rows: list[dict[str, Any]]) -> None:
    from matplotlib.ticker import NullLocator

    ours, base = next(iter(rows[0]["contenders"])), rows[0]["base"]
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.axhline(1, color=MARKS[base][0], linewidth=1.2, label=base)
    sizes = [row["size"] for row in rows]
    low, high = zip(*(_noise(row, ours) for row in rows), strict=True)
    ax.fill_between(sizes, low, high, color=MARKS[ours][0], alpha=0.2, linewidth=0)
    for name in [ours, *(rival for rival in table.rivals(rows) if rival != base)]:
        _line(ax, rows, name, is_ours=name == ours)
    ax.set_title(rows[0]["work"], color=INK, fontsize="medium", family="monospace")
    ax.set_xlabel("elements", color=INK)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_minor_locator(NullLocator())
    ax.grid(color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(length=0, colors=INK)
    for side in ax.spines.values():
        side.set_visible(False)


def _line(ax: "Axes", rows: list[dict[str, Any]], name: str, *, is_ours: bool) -> None:
    found = [row for row in rows if name in row["contenders"]]
    color, marker = MARKS[name]
    ax.plot(
        [row["size"] for row in found],
        [row["contenders"][name]["ratio"] for row in found],
        color=color, marker=marker, linewidth=2.4 if is_ours else 1.2,
        markersize=7 if is_ours else 5, markeredgecolor="white", markeredgewidth=0.6,
        label=name, zorder=4 if is_ours else 3,
    )  # fmt: skip


def _noise(row: dict[str, Any], ours: str) -> list[float]:
    """How far our ratio may be off, by the control."""
    ratio = row["contenders"][ours]["ratio"]
    return [ratio * edge for edge in row["contenders"][CONTROL]["ratio_spread"]]
