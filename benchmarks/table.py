"""The numbers of a suite as a table: aligned for a terminal, or in Markdown."""

from typing import Any

from benchmarks.race import CONTROL

_SCALES = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
}
_ABSENT = "–"
MET, WITHIN_NOISE, MISSED = "✓", "≈", "✗"


def amount(value: float, unit: str) -> str:
    """A number in three digits and a unit that fits: 73.4 ns, 3.75 MB, n^0.98; a count as it is."""
    if unit == "n":
        return f"{value:.0f}"
    if unit == "power":
        return f"n^{value:.2f}"
    size, name = next((s for s in _SCALES[unit] if value >= 0.9995 * s[0]), _SCALES[unit][-1])
    return f"{_digits(value / size)} {name}"


def ratio(value: float) -> str:
    return f"{_digits(value) if value < 100 else format(value, ',.0f')}×"


def _digits(value: float) -> str:
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}"


def excess(row: dict[str, Any]) -> float | None:
    """How many times its goal a row takes; the worst, if it has goals of several kinds."""
    ours, found = _ours(row), []
    if row["goal"] is not None:
        found.append(ours["median"] / row["goal"])
    if "goal_ratio" in row:
        found.append(ours["ratio"] / row["goal_ratio"])
    if "goal_more" in row:
        found.append(ours["median"] / (row["contenders"][row["base"]]["median"] + row["goal_more"]))
    return max(found, default=None)


def verdict(row: dict[str, Any]) -> str:
    """Whether the median is within the goal, or as far beyond it as the control is beyond 1."""
    beyond = excess(row)
    if beyond is None:
        return ""
    if beyond <= 1:
        return MET
    return WITHIN_NOISE if beyond <= row["contenders"][CONTROL]["ratio_spread"][1] else MISSED


def goal(row: dict[str, Any]) -> str:
    """What was asked for and whether it is so: 200 ns ✓, 2.5× NumPy ✗, raw + 1.20 µs ✓."""
    asked = [amount(row["goal"], row["unit"])] if row["goal"] is not None else []
    if "goal_ratio" in row:
        asked.append(f"{row['goal_ratio']:.4g}× {row['base']}")
    if "goal_more" in row:
        asked.append(f"{row['base']} + {amount(row['goal_more'], row['unit'])}")
    return f"{', '.join(asked)} {verdict(row)}".strip()


def rivals(rows: list[dict[str, Any]]) -> list[str]:
    """Everyone but ourselves, in the order of their first appearance."""
    found = {name: None for row in rows for name in [*row["contenders"], *row["refused"]]}
    return [name for name in found if name not in (_ourselves(rows[0]), CONTROL)]


def cells(rows: list[dict[str, Any]]) -> list[list[str]]:
    """The head, then a line for every row."""
    others = rivals(rows)
    head = ["", "", "goal", _ourselves(rows[0]), "minimum", *others, "control"]
    return [head, *(_line(row, others) for row in rows)]


def _line(row: dict[str, Any], others: list[str]) -> list[str]:
    line = [row["name"], row["work"], goal(row), _number(row, _ourselves(row))]
    line.append(amount(_ours(row)["minimum"], row["unit"]))
    line += [_number(row, name) for name in others]
    low, high = row["contenders"][CONTROL]["ratio_spread"]
    line.append(f"{low:.2f} to {high:.2f}")
    return line


def _number(row: dict[str, Any], name: str) -> str:
    """The median of a contender, and its ratio unless it is the one that ratios are taken to."""
    numbers = row["contenders"].get(name)
    if numbers is None:
        return _ABSENT
    median = amount(numbers["median"], row["unit"])
    is_measure = name == row.get("base", _ourselves(row))
    return median if is_measure else f"{median} ({ratio(numbers['ratio'])})"


def _ourselves(row: dict[str, Any]) -> str:
    return str(next(iter(row["contenders"])))


def _ours(row: dict[str, Any]) -> dict[str, Any]:
    ours: dict[str, Any] = row["contenders"][_ourselves(row)]
    return ours


def machine(record: dict[str, Any]) -> str:
    """Where and when, in a sentence or two."""
    at = record["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in at["packages"].items())
    busy = "" if at["load"] is None else f", load {at['load']} at the start"
    return (
        f"{at['processor']}, {at['cores']} cores, {at['system']}{busy}; {at['python']}; "
        f"{versions}; {at['date']}."
    )


def plain(record: dict[str, Any]) -> str:
    """For a terminal."""
    rows = record["rows"]
    head, *lines = cells(rows)
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
    text = [f"{record['title']}: {machine(record)}", "", _aligned(head, widths)]
    group = None
    for row, line in zip(rows, lines, strict=True):
        if row["group"] != group:
            group = row["group"]
            text += ["-" * (sum(widths) + 2 * len(widths) - 2), f"{group}:"]
        text.append(_aligned(line, widths))
    return "\n".join([*text, "", *_missing(rows)]) + "\n"


def _aligned(line: list[str], widths: list[int]) -> str:
    left = [text.ljust(width) for text, width in zip(line[:2], widths, strict=False)]
    right = [text.rjust(width) for text, width in zip(line[2:], widths[2:], strict=True)]
    return "  ".join(left + right).rstrip()


def _missing(rows: list[dict[str, Any]]) -> list[str]:
    """Why somebody has no number."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        for name, why in row["refused"].items():
            reasons.setdefault(f"{name} {why}", []).append(row["work"])
    return [f"{_ABSENT} {reason}: {', '.join(works)}" for reason, works in reasons.items()]


def markdown(record: dict[str, Any]) -> str:
    """For the docs: a table for each group."""
    rows = record["rows"]
    head, *lines = cells(rows)
    text: list[str] = []
    group = None
    for row, line in zip(rows, lines, strict=True):
        if row["group"] != group:
            group = row["group"]
            text += ["", _piped([group, *head[2:]]), _piped(["---", *["--:"] * (len(head) - 2)])]
        name, work, *numbers = line
        text.append(_piped([f"{name}, `{work}`", *numbers]))
    return "\n".join(text[1:])


def _piped(line: list[str]) -> str:
    return f"| {' | '.join(line)} |"
