"""Which of xarray's own tests of duck arrays pass, as data."""

import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        module = getattr(item, "module", None)
        if not hasattr(module, "XARRAY_DEVIATIONS") or "[" not in item.name:
            continue
        name, _, parameters = item.name.partition("[")
        reasons = module.XARRAY_DEVIATIONS[parameters.rstrip("]").rpartition("-")[2]]
        # xarray marks a few as failing for every library; here each has to be as it is written down
        item.own_markers[:] = [mark for mark in item.own_markers if mark.name != "xfail"]
        reason = reasons.get(item.name.rpartition("-")[0] or name) or reasons.get(name)
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def pytest_configure(config):
    for mark in ("flaky", "network", "slow", "mypy"):
        config.addinivalue_line("markers", f"{mark}: a mark of xarray's tests")
