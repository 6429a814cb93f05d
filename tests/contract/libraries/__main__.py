"""`python -m tests.contract.libraries [library ...]`: the table on array libraries, as a report.

    python -m tests.contract.libraries                      those that run on a CPU
    python -m tests.contract.libraries torch:cuda cupy      others, on their devices
    python -m tests.contract.libraries dask:cupy            Dask, with blocks of CuPy's
    python -m tests.contract.libraries torch --ops sin svd  a few ops
    python -m tests.contract.libraries --keep               keep the records, write the page
    python -m tests.contract.libraries cupy --keep out      keep the record in a folder

It needs the libraries and NumPy, and neither pytest nor hypothesis.
"""

import argparse
import sys
import warnings
from pathlib import Path

from dimflow.errors import BackendNotInstalled
from tests.contract.libraries import page
from tests.contract.libraries.library import Library, chosen
from tests.contract.libraries.report import plain, report


def missing(library: Library) -> str | None:
    """Why a library cannot run here: it, or the GPU that it needs, is not there."""
    try:
        return None if library.device else "it has no device"
    except (BackendNotInstalled, StopIteration) as error:
        return " ".join(str(error).split()) or "there is no such device"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.contract.libraries",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("libraries", nargs="*", metavar="library", default=chosen())
    parser.add_argument("--ops", nargs="+", default=[], metavar="op", help="only these ops")
    parser.add_argument("--quick", action="store_true", help="one sample of each op, not all")
    parser.add_argument(
        "--keep", nargs="?", type=Path, const=page.RECORDS, metavar="folder",
        help="keep the records; without a folder where the page of the docs is made from",
    )  # fmt: skip
    parser.add_argument("--page", action="store_true", help="only make the page anew")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    records = []
    for text in [] if arguments.page else arguments.libraries:
        library = Library(text)
        if (problem := missing(library)) is not None:
            print(f"{text} was not run: {problem}", flush=True)
            continue
        record = report(library, arguments.ops, thorough=not arguments.quick)
        print(plain(record), flush=True)
        records.append(record)
        if arguments.keep is not None:
            page.keep(record, arguments.keep)
    if arguments.keep is not None:
        print(page.markdown(records))
    if arguments.page or arguments.keep == page.RECORDS:
        page.refresh(page.PAGE, page.kept())
    return 1 if any(record["failures"] for record in records) else 0


if __name__ == "__main__":
    sys.exit(main())
