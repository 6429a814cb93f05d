"""How much the property tests try, with which seed, and which tests are left to `make test-deep`.

DIMFLOW_DEEP=1    the `deep` tests too, all cases of a law, and 2000 examples for each property
DIMFLOW_SEED=...  the seed of the property tests, and of the cases of a law that a plain run tries;
                  without it, today's date, so that each day tries another sample and every failure
                  of that day can be had again
"""

import ctypes
import datetime
import gc
import os
import sys
from collections.abc import Iterator
from zlib import crc32

import psutil
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

DEEP = os.environ.get("DIMFLOW_DEEP", "") not in ("", "0")
MEMORY = 0.8e9  # bytes by which a worker grows before it forgets what the libraries compiled
IN_CI = os.environ.get("CI", "") not in ("", "0", "false")

settings.register_profile(
    "fast",
    parent=settings.get_profile("default"),  # hypothesis would take its own "ci" profile in CI
    database=None if IN_CI else DirectoryBasedExampleDatabase(".hypothesis/examples"),
    deadline=None,
    derandomize=False,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", parent=settings.get_profile("fast"), max_examples=2000)
settings.load_profile("deep" if DEEP else "fast")


@pytest.hookimpl(tryfirst=True)  # before hypothesis reads its own options
def pytest_configure(config: pytest.Config) -> None:
    # Kept in the environment, so that the workers of one run agree across midnight.
    today = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d")
    seed = os.environ.setdefault("DIMFLOW_SEED", today)
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = seed
    if not DEEP and not config.option.markexpr:
        config.option.markexpr = "not deep"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The workers of one run know a test by its name: an address in it differs between them."""
    if not (DEEP or config.option.keyword or any("::" in text for text in config.args)):
        left = [item for item in items if not _is_of_today(item)]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if _is_of_today(item)]
    if named := [item.nodeid for item in items if " at 0x" in item.nodeid]:
        raise pytest.UsageError(f"give ids= to what has an address for a name: {named[0]}")


def _is_of_today(item: pytest.Item) -> bool:
    """Of the cases of a costly law, `@pytest.mark.share(4)` runs another quarter each day."""
    mark = item.get_closest_marker("share")
    if mark is None:
        return True
    day = crc32(os.environ["DIMFLOW_SEED"].encode())
    return (crc32(item.nodeid.encode()) + day) % mark.args[0] == 0


def pytest_report_header(config: pytest.Config) -> str:
    seed = config.option.hypothesis_seed
    which = "with" if DEEP else "without"
    return f"dimflow: {which} the deep tests; again with DIMFLOW_SEED={seed}"


@pytest.fixture(scope="module", autouse=True)
def _what_is_older_is_set_aside() -> Iterator[None]:
    """A file's collections of garbage go through its own objects, not the millions of the suite."""
    gc.freeze()
    yield
    if not _forgets_when_large():
        gc.collect()
    gc.unfreeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """One file can compile thousands of programs: without this a worker grows to 5 GB."""
    _forgets_when_large()


def _forgets_when_large() -> bool:
    """Drop what the libraries compiled, each time that the process has grown by MEMORY."""
    if psutil.Process().memory_info().rss < _FORGOTTEN[-1] + MEMORY:
        return False
    if "jax" in sys.modules:  # JAX and PyTorch keep programs for as long as the process lives
        sys.modules["jax"].clear_caches()
    if "torch._dynamo" in sys.modules:
        sys.modules["torch._dynamo"].reset()
    gc.collect()
    if sys.platform == "linux":
        # glibc keeps what was freed: 5.3 GB of a worker were 2.1 after this
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)
    _FORGOTTEN.append(psutil.Process().memory_info().rss)
    return True


_FORGOTTEN = [500_000_000]  # bytes of the process after each time
