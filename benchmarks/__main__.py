"""`python -m benchmarks [suite ...]`: measure, print the tables, keep the numbers, draw them."""

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks import machine, page, plot, suites, table
from benchmarks.race import FULL, QUICK, Effort, Suite, run_all

ROOT = Path(__file__).parents[1]
PAGE = "docs/benchmarks.md"


def measure(suite: Suite, effort: Effort) -> dict[str, Any]:
    """Everything that is kept of one run of a suite."""
    described = machine.description(suite.packages)
    return {
        "suite": suite.name,
        "title": suite.title,
        "effort": effort._asdict(),
        "machine": described,
        "rows": run_all(suite.races(effort)),
        "pictures": {p.name: run_all(p.races(effort)) for p in suite.pictures},
    }


def keep(record: dict[str, Any], suite: Suite, root: Path) -> None:
    """Write numbers, plot and the section of the docs below a root like that of the repository."""
    numbers = root / f"benchmarks/results/{suite.name}.json"
    numbers.parent.mkdir(parents=True, exist_ok=True)
    numbers.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    plot.draw(record, root / "docs" / picture_of(suite))
    for picture in suite.pictures:
        picture.draw(
            record["pictures"][picture.name], root / "docs" / picture_of(suite, picture.name)
        )
    page.refresh(root / PAGE, suite.name, section(record, suite))


def section(record: dict[str, Any], suite: Suite) -> str:
    """What the page says about a suite, with all of its pictures."""
    more = [page.Drawn(p.name, p.caption, picture_of(suite, p.name)) for p in suite.pictures]
    return page.section(record, suite.about, picture_of(suite), more)


def picture_of(suite: Suite, name: str = "") -> str:
    """Where a picture lies below the docs; that of the table has no name."""
    return f"assets/benchmarks_{'_'.join(filter(None, (suite.name, name)))}.png"


def destination(given: Path | None, is_quick: bool) -> Path | None:
    """Where numbers go: those of a quick run nowhere, unless a folder is given."""
    return given or (None if is_quick else ROOT)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "suites", nargs="*", metavar="suite",
        help=f"any of {', '.join(suites.names())}; all of them if none is given",
    )  # fmt: skip
    parser.add_argument(
        "--quick", action="store_true",
        help="a few rounds, to see that all runs; nothing is written unless --root is given",
    )  # fmt: skip
    parser.add_argument(
        "--root", type=Path, default=None,
        help=f"write below this folder, which has {PAGE} (default: this repository)",
    )  # fmt: skip
    arguments = parser.parse_args()
    root = destination(arguments.root, arguments.quick)
    try:
        chosen = [suites.find(name) for name in arguments.suites or suites.names()]
    except ValueError as error:
        parser.error(str(error))
    for suite in chosen:
        record = measure(suite, QUICK if arguments.quick else FULL)
        print(table.plain(record), flush=True)
        for name, rows in record["pictures"].items():
            print(table.plain({**record, "title": f"{suite.title}, {name}", "rows": rows}))
        if root is not None:
            keep(record, suite, root)


if __name__ == "__main__":
    main()
