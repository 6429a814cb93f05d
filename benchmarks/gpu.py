"""`python -m benchmarks.gpu`: what units cost on a GPU, where work is launched and not awaited.

It needs dimflow, NumPy and at least one of PyTorch, CuPy and JAX with a GPU; no peers, no plots.

    python -m benchmarks.gpu                   measure; print JSON and a table in Markdown
    python -m benchmarks.gpu --out folder      keep both in a folder
    python -m benchmarks.gpu --keep gpu.json   put a record into this repository's results and docs
"""

import argparse
import json
from collections.abc import Callable
from functools import partial
from importlib.metadata import packages_distributions
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from benchmarks import machine, page, table
from benchmarks.race import FULL, QUICK, Effort, Race, Sampler, WrongAnswer, run_all

RAW = "raw"
OPS = 20
SIZES = (10**6, 10**7)
DTYPES = ("float32", "float64")
_TRIAL = 1 / 4
ROOT = Path(__file__).parents[1]


class Place(NamedTuple):
    """A library on a device: how arrays get there, and how one waits for them."""

    name: str
    device: str
    hardware: str
    array: Callable[[Any], Any]
    wait: Callable[[Any], Any]  # for a raw array to be there
    sqrt: Callable[[Any], Any]
    maximum: Callable[[Any, Any], Any]


def torch_on(device: str) -> Place:
    import torch

    is_gpu = device.startswith("cuda")
    return Place(
        "torch",
        device,
        torch.cuda.get_device_name(device) if is_gpu else device,
        lambda data: torch.tensor(data, device=device),
        (lambda raw: torch.cuda.synchronize()) if is_gpu else (lambda raw: None),
        torch.sqrt,
        torch.maximum,
    )


def cupy_on(device: str) -> Place:
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(0)
    return Place(
        "cupy",
        device,
        properties["name"].decode(),
        cupy.asarray,
        lambda raw: cupy.cuda.get_current_stream().synchronize(),
        cupy.sqrt,
        cupy.maximum,
    )


def jax_on(device: str) -> Place:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    place = jax.devices("gpu" if device.startswith("cuda") else device)[0]
    return Place(
        "jax",
        device,
        place.device_kind,
        lambda data: jax.device_put(data, place),
        jax.block_until_ready,
        jnp.sqrt,
        jnp.maximum,
    )


_PLACES = {"torch": torch_on, "cupy": cupy_on, "jax": jax_on}


def places(device: str) -> list[Place]:
    """The libraries that have this device here."""
    found = []
    for make in _PLACES.values():
        try:
            place = make(device)
            place.wait(place.array(np.ones(3)))
        except Exception as error:  # each library has errors of its own for what is not there
            print(f"without {make.__name__.partition('_')[0]}: {type(error).__name__}: {error}")
            continue
        found.append(place)
    return found


def chain(m: Any, v: Any, sqrt: Any, maximum: Any) -> Any:
    """Twenty operations, of which each is one launch: from kg and m/s to kg m/s."""
    energy = 0.5 * m * v**2
    momentum = m * v
    energy = energy + momentum * v
    energy = energy - 0.25 * energy
    speed = sqrt(energy / m)
    speed = speed + v
    speed = 0.5 * speed - v
    action = speed * speed * m + energy
    action = maximum(abs(action), energy)
    return action * 2.0 / v


def with_units(place: Place, m: Any, v: Any) -> Callable[[], Any]:
    """The chain on arrays with units, down to the raw result."""
    import dimflow

    masses, speeds = dimflow.DimArray(m, "kg"), dimflow.DimArray(v, "m/s")
    return lambda: chain(masses, speeds, dimflow.sqrt, dimflow.maximum)


def without(place: Place, m: Any, v: Any) -> Callable[[], Any]:
    return lambda: chain(m, v, place.sqrt, place.maximum)


def launched(work: Callable[[], Any], wait: Callable[[], Any], seconds: float) -> Sampler:
    """Seconds a call, of calls that are launched one after another and awaited at the end."""
    count = 0

    def loop(times: int) -> float:
        start = perf_counter()
        for _ in range(times):
            work()
        wait()
        return perf_counter() - start

    def sample(turn: int) -> float:
        nonlocal count
        if not count:
            loop(3)
            again = 1
            while (taken := loop(again)) < _TRIAL * seconds:
                again *= 4
            count = max(1, int(seconds * again / taken))
        return loop(count) / count

    return sample


def race(place: Place, dtype: str, size: int, effort: Effort) -> Race:
    steps = np.arange(size) / size
    m, v = (place.array((first + steps).astype(dtype)) for first in (1, 2))
    ours, raw = with_units(place, m, v), without(place, m, v)

    def check() -> None:
        expected = chain(1 + steps, 2 + steps, np.sqrt, np.maximum)
        found = ours()
        if str(found.unit.dimension) != str(_momentum().dimension):
            raise WrongAnswer(f"{place.name}: the chain is in {found.unit}")
        for result in (found.to("kg*m/s"), None):
            values = raw() if result is None else result.data
            got = _on_host(values)
            if not np.allclose(got, expected, rtol=1e-4 if dtype == "float32" else 1e-12):
                raise WrongAnswer(f"{place.name}: the chain is {got}, not {expected}")

    wait = partial(place.wait, m)  # any array of the device
    samplers = {"dimflow": ours, RAW: raw}
    return Race(
        f"{place.name} on {place.hardware}",
        f"{dtype}, n = {size:,}",
        f"a chain of {OPS} operations",
        {name: launched(work, _waiting(place, work, wait), effort.seconds * 4)
         for name, work in samplers.items()},
        check=check,
        rounds=effort.rounds,
        base=RAW,
        goal_ratio=1.0,
        size=size,
    )  # fmt: skip


def _waiting(place: Place, work: Any, wait: Any) -> Callable[[], Any]:
    """JAX waits for an array, the last one; the others for all that was launched."""
    if place.name != "jax":
        return wait  # type: ignore[no-any-return]
    return lambda: place.wait(_raw(work()))


def _raw(result: Any) -> Any:
    return getattr(result, "magnitude", result)


def _momentum() -> Any:
    from dimflow import Unit

    return Unit("kg*m/s")


def _on_host(raw: Any) -> Any:
    from dimflow.backends import backend_of

    return backend_of(raw).to_numpy(raw)


def measure(found: list[Place], effort: Effort) -> dict[str, Any]:
    """Everything that is kept of a run."""
    sizes = [size for size in SIZES if size <= max(effort.largest, 10**3)] or [10**3]
    races = [race(p, dtype, size, effort) for p in found for dtype in DTYPES for size in sizes]
    distributions = packages_distributions()  # CuPy's is called after the version of CUDA
    packages = [distributions.get(place.name, [place.name])[0] for place in found]
    described = machine.description(("dimflow", "numpy", *packages))
    return {
        "suite": "gpu",
        "title": "On a GPU",
        "effort": effort._asdict(),
        "machine": described,
        "rows": run_all(races),
    }


ABOUT = """\
A chain of 20 operations, launched one after another and awaited at the end, with units and without.
A GPU works through what was launched while Python goes on: the time that units take is hidden as
long as a launch takes longer, or the numbers do. Of JAX these are single operations, not jitted."""


def section(record: dict[str, Any]) -> str:
    """What the page says about it, markers included."""
    lines = [
        page.begin("gpu"), f"## {record['title']}", "", ABOUT, "",
        table.markdown(record), "", table.machine(record), page.end("gpu"),
    ]  # fmt: skip
    return "\n".join(lines)


def keep(path: Path, root: Path) -> None:
    """Put a record into the results and the page of a repository."""
    record = json.loads(path.read_text(encoding="utf-8"))
    target = root / "benchmarks/results/gpu.json"
    target.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    page.refresh(root / "docs/benchmarks.md", "gpu", section(record))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--device", default="cuda", help="cpu, to see that it runs")
    parser.add_argument("--quick", action="store_true", help="a few rounds")
    parser.add_argument("--out", type=Path, help="keep gpu.json and gpu.md in a folder")
    parser.add_argument("--keep", type=Path, help="put this record into results and docs")
    arguments = parser.parse_args()
    if arguments.keep is not None:
        keep(arguments.keep, ROOT)
        return
    found = places(arguments.device)
    if not found:
        parser.error(f"no library has a device {arguments.device!r} here")
    record = measure(found, QUICK if arguments.quick else FULL)
    text = json.dumps(record, indent=1, ensure_ascii=False)
    print(text)
    print(table.markdown(record))
    if arguments.out is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "gpu.json").write_text(text + "\n", encoding="utf-8")
        (arguments.out / "gpu.md").write_text(section(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
