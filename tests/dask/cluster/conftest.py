"""One real cluster for all tests of a file: two workers that are processes of their own.

It ends with them, since its threads allocate memory that other tests would count.
"""

import time
from collections.abc import Iterator
from typing import Any

import dask
import pytest
from distributed import Client, LocalCluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        memory_limit="1GB",
        dashboard_address="127.0.0.1:0",  # its default port is taken where another cluster runs
        local_directory=str(tmp_path_factory.mktemp("workers")),
        silence_logs=50,  # workers die here on purpose
    ) as started:
        yield started


@pytest.fixture(scope="module")
def connected(cluster: LocalCluster) -> Iterator[Client]:
    with Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def client(connected: Client) -> Iterator[Client]:
    """The client of two workers that are alive, and Dask's scheduler in the test."""
    connected.wait_for_workers(2, timeout=60)
    with connected.as_current(), dask.config.set(scheduler="distributed"):
        yield connected


@pytest.fixture(autouse=True)
def _in_this_thread() -> None:
    """Tests here compute on the cluster."""


def busy_worker(client: Any) -> str:
    """The address of a worker that is computing now."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for address, keys in client.processing().items():
            if keys:
                return str(address)
        time.sleep(0.02)
    raise AssertionError("no worker began to compute")
