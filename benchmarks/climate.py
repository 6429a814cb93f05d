"""A climate reduction that is larger than its cluster's memory, with units and without.

    python -m benchmarks.climate               # 20 GB on workers that may use 2 GB together
    python -m benchmarks.climate --size 1      # the same on a coarser grid

Daily temperatures of a globe, in °C and in single precision, are made block by block on the
workers. They become kelvins, zonal means, annual means and anomalies of the global mean, which are
known in closed form and compared with it. Each program runs on one worker and on two; a worker is
one process with one thread, and the limit is that of all workers together.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from benchmarks import machine, page
from benchmarks.race import WrongAnswer

ROOT = Path(__file__).parents[1]
LIMIT = 2 * 10**9  # bytes, of all workers together
FULL = 20.0  # GB
YEARS, DAYS, LATITUDES, LONGITUDES = 14, 365, 721, 1440
WARMING, SEASON, WAVE = 0.05, 12.0, 6.0  # K/a, K, K
TOLERANCE = 2e-3  # K: means of so many numbers in single precision
RAW, OURS = "raw", "dimflow"
_DAYS_A_BLOCK, _BANDS = 73, 4


class Globe(NamedTuple):
    """Days from pole to pole and once around."""

    years: int
    latitudes: int
    longitudes: int

    @property
    def bytes(self) -> int:
        return 4 * self.years * DAYS * self.latitudes * self.longitudes


def of_size(gigabytes: float) -> Globe:
    """A globe that takes so much: all years on a finer or coarser grid."""
    share = (gigabytes / (Globe(YEARS, LATITUDES, LONGITUDES).bytes / 1e9)) ** 0.5
    return Globe(YEARS, max(5, round(LATITUDES * share)), max(8, round(LONGITUDES * share)))


def latitudes(count: int) -> Any:
    """In radians, from pole to pole."""
    return np.linspace(-np.pi / 2, np.pi / 2, count)


def temperatures(
    globe: Globe, block_info: dict[Any, Any] | None = None, dtype: Any = "float32"
) -> Any:
    """A block, in °C: cold poles, seasons, a wave around each circle of latitude, a warming."""
    assert block_info is not None
    (day, last), (south, north), _ = block_info[None]["array-location"]
    days, angles = np.arange(day, last)[:, None], latitudes(globe.latitudes)[south:north]
    zonal = zonal_mean(days // DAYS, days, angles).astype(dtype)
    around = np.arange(globe.longitudes) * (2 * np.pi / globe.longitudes)
    return zonal[:, :, None] + (WAVE * np.cos(3 * around)).astype(dtype)


def zonal_mean(years: Any, days: Any, angles: Any) -> Any:
    """In °C. A wave has no mean, so this is what is left of the temperatures."""
    season = SEASON * np.sin(angles) * np.cos(2 * np.pi * days / DAYS)
    return 27.0 - 40.0 * np.sin(angles) ** 2 + season + WARMING * years


def field(globe: Globe) -> Any:
    """All temperatures as an array of Dask whose blocks nobody has made yet."""
    import dask.array as da

    bands = max(1, globe.latitudes // _BANDS)
    shape = globe.years * DAYS, globe.latitudes, globe.longitudes
    blocks = da.core.normalize_chunks((_DAYS_A_BLOCK, bands, -1), shape, dtype="float32")
    return da.map_blocks(temperatures, globe, chunks=blocks, dtype="float32", meta=_META)


_META = np.empty((0, 0, 0), "float32")


def weights(globe: Globe) -> Any:
    """How much area a circle of latitude stands for, as a share of the globe."""
    share = np.cos(latitudes(globe.latitudes))
    return share / share.sum()


def reduced(kelvins: Any, globe: Globe) -> Any:
    """Anomalies of each year: its global mean less that of all years."""
    zonal = kelvins.mean(axis=2)
    annual = zonal.reshape((globe.years, DAYS, globe.latitudes)).mean(axis=1)
    anomalies = annual - annual.mean(axis=0)
    return (anomalies * weights(globe)).sum(axis=1)


def with_units(globe: Globe) -> Any:
    from dimflow.dask import DaskDimArray

    return reduced(DaskDimArray(field(globe), "degC").to("K"), globe)


def without(globe: Globe) -> Any:
    return reduced(field(globe) + np.float32(273.15), globe)


PROGRAMS: dict[str, Callable[[Globe], Any]] = {OURS: with_units, RAW: without}


def require(name: str, result: Any, globe: Globe) -> None:
    """Raise unless the anomalies are those that the temperatures were made with."""
    values = result
    if name == OURS:
        if str(result.unit) != "K":
            raise WrongAnswer(f"anomalies are in {result.unit}, not in K")
        values = result.data
    years = np.arange(globe.years)
    truth = WARMING * (years - years.mean())
    if not np.allclose(values, truth, rtol=0, atol=TOLERANCE):
        raise WrongAnswer(f"{name}: anomalies are {values}, not {truth}")


class Run(NamedTuple):
    """One program on one cluster."""

    program: str
    workers: int
    seconds: float
    tasks: int
    peaks: list[int]  # bytes, of each worker's process


def peak() -> int:
    """The most memory that this process ever had, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text(encoding="utf-8").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


def run(name: str, workers: int, globe: Globe, limit: int = LIMIT, bar: bool = True) -> Run:
    """Start a cluster, run a program on it, and ask its workers how much memory they used."""
    from distributed import Client, LocalCluster, progress

    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True,
            memory_limit=limit // workers, dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        _warmed()
        client.run(_warmed)
        start = perf_counter()
        result = PROGRAMS[name](globe)
        future = client.compute(result)
        if bar:
            progress(future, notebook=False)
        found = future.result()
        seconds = perf_counter() - start
        peaks = sorted(client.run(peak).values())
        require(name, found, globe)
    return Run(name, workers, seconds, len(dict(result.__dask_graph__())), peaks)


def _warmed() -> None:
    """Everything is imported that either program needs, so that neither waits for it."""
    import dimflow.dask  # noqa: F401


def measure(globe: Globe, limit: int, rounds: int, bar: bool) -> dict[str, Any]:
    """Everything that is kept: all programs on all clusters, in turn."""
    runs: list[Run] = []
    for turn in range(rounds):
        for workers in (1, 2):
            for name in list(PROGRAMS)[:: -1 if turn % 2 else 1]:
                if bar:
                    print(f"{name}, {workers} worker{'s' * (workers > 1)}", flush=True)
                runs.append(run(name, workers, globe, limit, bar))
                if bar:
                    print(f"\n  {runs[-1].seconds:.1f} s", flush=True)
    return {
        "suite": "climate",
        "title": "Larger than memory",
        "machine": machine.description(("dimflow", "dask", "distributed", "numpy")),
        "globe": globe._asdict(),
        "bytes": globe.bytes,
        "limit": limit,
        "rounds": rounds,
        "runs": [one._asdict() for one in runs],
    }


def lines(record: dict[str, Any]) -> list[list[str]]:
    """A line for every program and number of workers, as texts."""
    found = [["", "workers", "time", "to raw", "1 to 2 workers", "peak of a worker", "of all",
              "limit", "tasks"]]  # fmt: skip
    for workers in (1, 2):
        for name in PROGRAMS:
            (seconds, most, total, tasks) = _best(record, name, workers)
            ratio = seconds / _best(record, RAW, workers)[0]
            speed = _best(record, name, 1)[0] / seconds
            found.append([
                name, str(workers), f"{seconds:.1f} s", f"{ratio:.2f}×", f"{speed:.2f}×",
                f"{most / 1e9:.2f} GB", f"{total / 1e9:.2f} GB", f"{record['limit'] / 1e9:.2g} GB",
                f"{tasks:,}",
            ])  # fmt: skip
    return found


def _best(record: dict[str, Any], name: str, workers: int) -> tuple[float, int, int, int]:
    """Of all rounds: the shortest time, the highest peaks of a worker and of all, the tasks."""
    runs = [r for r in record["runs"] if (r["program"], r["workers"]) == (name, workers)]
    return (
        min(r["seconds"] for r in runs),
        max(max(r["peaks"]) for r in runs),
        max(sum(r["peaks"]) for r in runs),
        runs[0]["tasks"],
    )


def _described(record: dict[str, Any]) -> str:
    globe, at = Globe(**record["globe"]), record["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in at["packages"].items())
    return (
        f"{record['bytes'] / 1e9:.1f} GB: {globe.years} years of days on {globe.latitudes} × "
        f"{globe.longitudes} points. {_rounds(record)}. {at['processor']}, "
        f"{at['cores']} cores, {at['system']}, load {at['load']} at the start; {versions}; "
        f"{at['date']}."
    )


def _rounds(record: dict[str, Any]) -> str:
    return f"Best of {record['rounds']} rounds" if record["rounds"] > 1 else "One round"


ABOUT = """\
Temperatures in °C, made block by block by the workers, become kelvins, zonal and annual means, and
anomalies, with units and in plain `dask.array`. They are ten times as large as the memory that all
workers together may use, and the answer is compared with its closed form. A worker is a process
with one thread, and *peak* is the most that it ever had resident, Python and its libraries
included; that of *all* is the sum of the workers' peaks, which need not have been at the same time.
The goal is that all stays within the limit."""


def section(record: dict[str, Any]) -> str:
    """What the page says about it, markers included."""
    head, *rest = lines(record)
    piped = [
        f"| {' | '.join(line)} |" for line in [head, ["---", *["--:"] * (len(head) - 1)], *rest]
    ]
    text = [page.begin("climate"), f"## {record['title']}", "", ABOUT, "", *piped, "",
            _described(record), page.end("climate")]  # fmt: skip
    return "\n".join(text)


def plain(record: dict[str, Any]) -> str:
    """For a terminal."""
    rows = lines(record)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = ["  ".join(t.rjust(w) for t, w in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([_described(record), "", *aligned])


def keep(record: dict[str, Any], root: Path) -> None:
    """Put a record into the results and the page of a repository."""
    target = root / "benchmarks/results/climate.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    page.refresh(root / "docs/benchmarks.md", "climate", section(record))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.climate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--size", type=float, default=FULL, help="gigabytes (default: 20)")
    parser.add_argument("--rounds", type=int, default=3, help="how often everything runs")
    parser.add_argument("--limit", type=float, default=LIMIT / 1e9, help="gigabytes of memory")
    parser.add_argument("--quiet", action="store_true", help="without progress bars")
    parser.add_argument(
        "--root", type=Path, default=None,
        help="write below this folder (default: this repository, if the size is at least 20)",
    )  # fmt: skip
    arguments = parser.parse_args()
    globe, limit = of_size(arguments.size), round(arguments.limit * 1e9)
    record = measure(globe, limit, arguments.rounds, not arguments.quiet)
    print(plain(record))
    root = arguments.root or (ROOT if arguments.size >= FULL else None)
    if root is not None:
        keep(record, root)


if __name__ == "__main__":
    main()
