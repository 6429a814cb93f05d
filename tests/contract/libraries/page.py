"""The page of the docs about libraries, made from the records that were kept of runs."""

import json
import re
from pathlib import Path
from typing import Any

from tests.contract.libraries.conduct import EXCUSED
from tests.contract.libraries.report import ENGINES, WAYS

ROOT = Path(__file__).parents[3]
RECORDS = Path(__file__).parent / "records"
PAGE = ROOT / "docs/reference/libraries.md"
BEGIN, END = "<!-- begin: written by `python -m tests.contract.libraries` -->", "<!-- end -->"


def path_of(record: dict[str, Any], folder: Path) -> Path:
    """Where a record is kept."""
    return folder / f"{record['library'].replace(':', '_')}.json"


def keep(record: dict[str, Any], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(record, indent=1, ensure_ascii=False)
    path_of(record, folder).write_text(text + "\n", encoding="utf-8")


def kept(folder: Path = RECORDS) -> list[dict[str, Any]]:
    """The records, in the order of their names."""
    return [json.loads(p.read_text(encoding="utf-8")) for p in sorted(folder.glob("*.json"))]


def markdown(records: list[dict[str, Any]]) -> str:
    """The table, then what is refused and what deviates, library by library."""
    head = [
        "library",
        "device",
        "samples",
        "ops",
        *WAYS.values(),
        *ENGINES.values(),
        "refused",
        "deviations",
        "failures",
    ]
    lines = [_piped(head), _piped([*["---"] * 3, *["--:"] * (len(head) - 3)])]
    lines += [_piped(_cells(record)) for record in records]
    for record in records:
        lines += _reasons(record)
    return "\n".join(lines)


def _cells(record: dict[str, Any]) -> list[str]:
    hardware = record["hardware"]
    device = record["device"] if hardware == record["device"] else f"{record['device']}, {hardware}"
    kept_out = {name for name, law, _ in record["deviations"] if law != "runs"}
    return [
        f"{record['name']} {record['version']}",
        device,
        record["samples"],
        str(record["ops"]),
        *(str(record["ways"][key]) for key in WAYS),
        *(str(record.get("engines", {}).get(law, "")) for law in ENGINES),
        str(len(record["refused"])),
        str(len(kept_out)),
        str(len({name for name, *_ in record["failures"]})),
    ]


def _reasons(record: dict[str, Any]) -> list[str]:
    """Each reason once, with the ops that it is given for."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name, law, reason in record["deviations"]:
        what = f"deviates: {law}"
        if law == "runs":
            what = "refused" if name in record["refused"] else "refused for some arguments"
        groups.setdefault((reason, what), []).append(f"`{name}`")
    for (library, law), reason in EXCUSED.items():
        if library == record["name"]:
            groups.setdefault((reason, f"does not hold: {law.replace('_', ' ')}"), [])
    if not groups:
        return []
    title = f"### {record['name']} on {record['device']}"
    lines = ["", title, "", _piped(["what", "ops", "why"]), _piped(["---"] * 3)]
    for (reason, what), names in groups.items():
        lines.append(_piped([what, " ".join(names) or "operators and indices", reason]))
    return lines


def _piped(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def refresh(page: Path, records: list[dict[str, Any]]) -> None:
    """Write the table between its markers; the rest of the page is prose."""
    old = page.read_text(encoding="utf-8")
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    text = f"{BEGIN}\n{markdown(records)}\n{END}"
    page.write_text(pattern.sub(lambda _: text, old, count=1), encoding="utf-8")
