"""Fixtures of pandas' own suite, and the tests of it that columns with units are known to fail."""

import pytest
from pandas.tests.extension.conftest import *  # noqa: F403


def pytest_collection_modifyitems(items):
    items[:] = [
        item
        for item in items
        if item.name not in getattr(getattr(item, "module", None), "PANDAS_NOT_ASKED", ())
    ]
    for item in items:
        reasons = getattr(getattr(item, "module", None), "PANDAS_DEVIATIONS", {})
        reason = reasons.get(item.name) or reasons.get(item.name.partition("[")[0])
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
