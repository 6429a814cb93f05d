"""Something is done when a library arrives: once, and not because somebody looked for it."""

import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

from dimflow.arrival import when_imported


@pytest.fixture
def late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = "a_module_that_comes_late"
    (tmp_path / f"{name}.py").write_text("NUMBER = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


def test_it_is_done_when_the_module_is_there_and_once(late: str) -> None:
    before, numbers = list(sys.meta_path), []
    when_imported(late, lambda: numbers.append(sys.modules[late].NUMBER))
    assert numbers == []
    module = importlib.import_module(late)
    assert numbers == [1]
    assert sys.meta_path == before
    assert "SourceFileLoader" in repr(module.__loader__)
    importlib.reload(module)
    assert numbers == [1]


def test_a_look_at_where_it_is_uses_nothing_up(late: str) -> None:
    done = []
    when_imported(late, lambda: done.append(True))
    assert importlib.util.find_spec(late) is not None
    assert importlib.util.find_spec("a_module_that_does_not_exist") is None
    assert done == []
    importlib.import_module(late)
    assert done == [True]


def test_what_is_there_already_is_not_waited_for() -> None:
    before, done = list(sys.meta_path), []
    when_imported("sys", lambda: done.append(True))
    assert done == [True]
    assert sys.meta_path == before


def test_a_module_that_cannot_be_found_is_an_import_error(late: str) -> None:
    when_imported("a_module_that_does_not_exist", lambda: None)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("a_module_that_does_not_exist")


def test_an_error_of_the_action_is_seen(late: str) -> None:
    def fail() -> None:
        raise ValueError("the action failed")

    when_imported(late, fail)
    with pytest.raises(ValueError, match="the action failed"):
        importlib.import_module(late)
