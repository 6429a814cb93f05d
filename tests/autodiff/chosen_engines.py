"""Tests over all engines, of which a plain run takes some."""

from typing import Any

import pytest

from tests.transforms.libraries import ENGINES


def engines(*fast: str) -> Any:
    """Each engine, of which all but some ("jax-usual") are left to the deep tests."""
    params = []
    for name, engine in ENGINES:
        label = f"{name}-{engine or 'usual'}"
        marks = [] if label in fast else [pytest.mark.deep]
        params.append(pytest.param(name, engine, id=label, marks=marks))
    return pytest.mark.parametrize(("library", "engine"), params)
