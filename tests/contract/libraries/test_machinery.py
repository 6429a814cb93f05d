"""The suite itself: a library that breaks a law is found, and so is data that is not needed."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dimflow import ops
from dimflow.backends import backend
from tests.contract.libraries import check, page
from tests.contract.libraries.__main__ import main
from tests.contract.libraries.conduct import CONDUCT, EXCUSED, misconduct
from tests.contract.libraries.deviations import DEVIATIONS
from tests.contract.libraries.laws import LAWS
from tests.contract.libraries.library import ON_THE_CPU, VARIABLE, Library, chosen, chosen_of
from tests.contract.libraries.report import plain, report

STRICT = Library("array_api_strict")
DASK = Library("dask")


@contextmanager
def replaced(
    name: str,
    change: Callable[[Callable[..., Any]], Callable[..., Any]],
    library: Library = STRICT,
) -> Iterator[Any]:
    """The library with another kernel for an op."""
    backend = library.backend
    one = library.array(np.ones(2))
    ops.get(name)(one, *([] if name == "sin" else [one]))
    right = backend._found[name]
    backend._found[name] = lambda args, params: change(lambda: right(args, params))(args)
    try:
        yield
    finally:
        backend._found[name] = right


def laws_broken(name: str, library: Library = STRICT) -> set[str]:
    return {text.partition(":")[0] for text in check.judged(library, name, thorough=True)}


def test_a_library_that_is_right_breaks_no_law() -> None:
    assert laws_broken("sin") == laws_broken("hypot") == set()


def test_wrong_values_are_found() -> None:
    with replaced("sin", lambda right: lambda args: right() * 1.0001):
        assert {"values", "single", "units", "no axes"} <= laws_broken("sin")


def test_an_array_of_another_library_is_found() -> None:
    with replaced("sin", lambda right: lambda args: STRICT.numbers(right())):
        assert {"library", "no axes", "units"} <= laws_broken("sin")


def test_another_dtype_is_found() -> None:
    xp = STRICT.backend.namespace
    with replaced("hypot", lambda right: lambda args: xp.astype(right(), xp.float64)):
        assert "dtype" in laws_broken("hypot")


def test_an_argument_that_is_written_into_is_found() -> None:
    def spoiling(right: Any) -> Any:
        def run(args: Any) -> Any:
            result = right()
            args[0][...] = 0.0
            return result

        return run

    with replaced("hypot", spoiling):
        assert "intact" in laws_broken("hypot")


def test_a_number_that_is_asked_for_too_soon_is_found() -> None:
    assert laws_broken("hypot", DASK) == set()

    def hasty(right: Any) -> Any:
        def run(args: Any) -> Any:
            args[0].sum().compute()
            return right()

        return run

    with replaced("hypot", hasty, DASK):
        assert laws_broken("hypot", DASK) == {"lazy"}


def test_a_result_that_depends_on_the_blocks_is_found() -> None:
    def by_block(right: Any) -> Any:
        def run(args: Any) -> Any:
            found = right()
            return found * 1.5 if found.npartitions > 1 else found

        return run

    with replaced("hypot", by_block, DASK):
        assert laws_broken("hypot", DASK) == {"blocks"}


def test_a_shape_that_was_promised_and_not_kept_is_found() -> None:
    def short(right: Any) -> Any:
        def run(args: Any) -> Any:
            return right().map_blocks(lambda block: block[..., :0])

        return run

    with replaced("hypot", short, DASK):
        assert {"values", "blocks"} <= laws_broken("hypot", DASK)


def test_a_refusal_without_a_reason_is_found() -> None:
    def refuse(right: Any) -> Any:
        def run(args: Any) -> Any:
            raise NotImplementedError("not here")

        return run

    with replaced("sin", refuse):
        assert laws_broken("sin") == {"runs"}
        assert check.is_refused(STRICT, "sin")
        done = report(STRICT, ["sin"], thorough=True)
    assert list(done["refused"]) == ["sin"]
    assert "NotImplementedError: not here" in plain(done)


def test_a_deviation_that_is_not_needed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DEVIATIONS, ("array_api_strict", "sin", "values"), "a reason")
    (text,) = check.judged(STRICT, "sin", thorough=False)
    assert text == "values holds, though it is a deviation: a reason"
    (failure,) = report(STRICT, ["sin"], thorough=False)["failures"]
    assert failure[:2] == ["sin", "values"]


def test_a_deviation_may_be_of_one_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DEVIATIONS, ("torch:cuda", "sin", "values"), "a reason")
    assert check.known(Library("torch:cuda"), "sin") == {"values": "a reason"}
    assert check.known(Library("torch"), "sin") == {}


def test_deviations_are_of_ops_and_laws_that_there_are() -> None:
    names = set(check.table())
    for (library, name, law), reason in DEVIATIONS.items():
        assert library.partition(":")[0] in (*ON_THE_CPU, "cupy")
        assert name in names, name
        assert law in LAWS, law
        assert reason
    assert all(law in CONDUCT and reason for (_, law), reason in EXCUSED.items())


def test_the_environment_chooses_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert chosen() == ON_THE_CPU
    monkeypatch.setenv(VARIABLE, "torch:cuda, cupy")
    assert chosen() == ("torch:cuda", "cupy")
    assert chosen_of("torch") == "torch:cuda"
    assert chosen_of("jax") is None


def test_blocks_may_be_of_a_library_that_is_named() -> None:
    library = Library("dask:numpy")
    assert library.name == "dask"
    assert library.blocks is backend("numpy")
    assert library.keys == ("dask", "dask:numpy")
    assert type(library.array(np.ones(3)).compute()) is np.ndarray
    assert Library("dask").blocks is None
    record = report(library, ["sin", "mean"], thorough=False)
    assert record["failures"] == []
    assert f"over numpy {np.__version__}" in record["version"]


def test_blocks_of_another_library_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library("dask:numpy")
    monkeypatch.setattr(library.blocks, "holds", lambda kind: False)
    assert "blocks are" in check.broken(library, "sin", thorough=False)["library"]


def test_what_is_not_there_is_not_run_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.delitem(sys.modules, "dimflow.backends.cupy", raising=False)
    monkeypatch.setattr(sys, "argv", ["libraries", "dask:cupy", "torch:moon", "--ops", "sin"])
    assert main() == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("dask:cupy was not run: the array library 'cupy' is not available")
    assert second == "torch:moon was not run: there is no such device"


def test_every_op_with_arrays_is_run() -> None:
    left_out = set(ops.TABLE) - set(check.table())
    assert all(n == "empty_like" or ops.get(n).kind in ("random", "composite") for n in left_out)
    assert len(check.table()) > 400


def test_the_report_needs_neither_pytest_nor_hypothesis() -> None:
    code = (
        "import runpy, sys; sys.modules |= {'pytest': None, 'hypothesis': None};"
        "sys.argv = ['report', 'array_api_strict', '--ops', 'sin', 'svd'];"
        "runpy.run_module('tests.contract.libraries', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=page.ROOT
    )
    assert done.returncode == 0, done.stderr
    assert "2 ops: 0 a kernel of ours, 2 its own function" in done.stdout
    assert "0 failures" in done.stdout


def test_misconduct_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert misconduct(STRICT) == []
    monkeypatch.delitem(EXCUSED, ("array_api_strict", "rows_are_had_by_one_index_and_by_iteration"))
    monkeypatch.setitem(EXCUSED, ("array_api_strict", "a_copy_shares_nothing"), "a reason")
    assert {law for _, law, _ in misconduct(STRICT)} == {
        "rows_are_had_by_one_index_and_by_iteration",
        "a_copy_shares_nothing",
    }


@pytest.mark.parametrize("law", [name for name in CONDUCT if "_into_integers" in name])
def test_the_reference_writes_into_integers_by_the_same_rule(law: str) -> None:
    CONDUCT[law](Library("numpy"))


def test_the_page_is_made_from_the_records(tmp_path: Path) -> None:
    copy = tmp_path / "libraries.md"
    text = page.PAGE.read_text(encoding="utf-8")
    copy.write_text(text, encoding="utf-8")
    page.refresh(copy, page.kept())
    assert copy.read_text(encoding="utf-8") == text


# Failures that stand in a kept record: a run on a GPU is not made anew for each.
EXPLAINED = {
    ("torch:cuda", "adjugate", "native forward"): "an assertion inside PyTorch 2.11 fails",
    ("jax:cuda", "vecmat", "single"): "JAX multiplies complex matrices in TF32 there, unless told",
}


def test_the_records_are_of_all_libraries_and_of_no_failure() -> None:
    records = {record["library"]: record for record in page.kept()}
    assert set(ON_THE_CPU) <= set(records)
    for record in records.values():
        failed = {(record["library"], op, law) for op, law, _ in record["failures"]}
        assert failed <= EXPLAINED.keys()
        assert record["ops"] == sum(record["ways"].values()) + len(record["refused"])
        assert record["samples"] in ("all", "one of each")
