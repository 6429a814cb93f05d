"""How much the property tests try, with which seed, and which tests are left to `make test-deep`.

DIMFLOW_DEEP=1    the `deep` tests too, and 2000 examples for each property
DIMFLOW_SEED=...  the seed of the property tests; without it, today's date, so that each day
                  tries another sample and every failure of that day can be had again
"""

import datetime
import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

DEEP = os.environ.get("DIMFLOW_DEEP", "") not in ("", "0")
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
    if config.option.hypothesis_seed is None:
        # Kept in the environment, so that the workers of one run agree across midnight.
        today = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d")
        config.option.hypothesis_seed = os.environ.setdefault("DIMFLOW_SEED", today)
    if not DEEP and not config.option.markexpr:
        config.option.markexpr = "not deep"


def pytest_report_header(config: pytest.Config) -> str:
    seed = config.option.hypothesis_seed
    which = "with" if DEEP else "without"
    return f"dimflow: {which} the deep tests; again with DIMFLOW_SEED={seed}"


@pytest.fixture(scope="module", autouse=True)
def _what_is_older_is_set_aside() -> Iterator[None]:
    """A file's collections of garbage go through its own objects, not the millions of the suite."""
    gc.freeze()
    yield
    gc.collect()
    gc.unfreeze()
