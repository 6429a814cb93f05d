"""Lengths that only the data know: an op gives the right answer, or says whose length it needs.

Never does an error speak of the insides of Dask, and never is a number nan for lack of a length.
"""

import math
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest

from dimflow import DimArray, ops
from dimflow.array.core import Core
from dimflow.dask import DaskDimArray
from dimflow.errors import DimflowError, ShapeMismatch, UnsupportedFunction
from dimflow.units import Unit
from tests.array import numpy_recipes, numpy_walk
from tests.contract.samples import DEEP, all_cases, cases
from tests.dask.conftest import Early, nothing_runs
from tests.dask.host import dask_walk
from tests.dask.host.dask_recipes import HASTY
from tests.dask.host.dask_walk import Quantities, leaves

FEW = 1  # calls of an op in a plain run
DRAWN = ("dropout",)
COMPUTE = "x.compute_chunk_sizes()"


def forgotten(raw: Any) -> Any:
    """An array that does not know how long its first axis is."""
    first, *rest = raw.chunks
    return da.Array(
        raw.dask, raw.name, ((math.nan,) * len(first), *rest), dtype=raw.dtype, meta=raw._meta
    )


def unknown(values: Any, unit: Any = "m", chunks: int = 2) -> DaskDimArray:
    raw = da.from_array(np.asarray(values), chunks=chunks, name=False)
    return DaskDimArray(forgotten(raw), unit)


def numbers(result: Any) -> list[Any]:
    """All numbers of a result, computed."""
    found = []
    for leaf in leaves(result):
        raw = leaf._raw if isinstance(leaf, Core) else leaf
        found.append(raw.compute() if isinstance(raw, da.Array) else raw)
    return found


def assert_same(found: list[Any], wanted: list[Any], name: str) -> None:
    for got, want in zip(found, wanted, strict=True):
        if np.asarray(want).dtype.kind in "biufc":
            got, want = np.ma.filled(got, 0), np.ma.filled(want, 0)
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12, err_msg=name)
            assert np.shape(got) == np.shape(want), name


def quantities(case: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The arrays of a call with units, in memory, and with the first one of unknown length."""
    units = case.units or [""] * len(case.args)
    eager = [
        DimArray(a, unit or "") if isinstance(a, np.ndarray) else a
        for a, unit in zip(case.args, units, strict=False)
    ] + list(case.args[len(units) :])
    at = next((i for i, a in enumerate(eager) if isinstance(a, DimArray) and a.ndim), None)
    if at is None:
        return (), ()
    lazy = [unknown(a.data, a.unit) if i == at else a for i, a in enumerate(eager)]
    return tuple(eager), tuple(lazy)


NAMES = [name for name, op in ops.TABLE.items() if op.kind != "random" and name not in DRAWN]
PARTS = 8


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")  # of nan in rows, lazily as in memory
@pytest.mark.parametrize("part", range(PARTS))
def test_an_op_is_right_or_says_which_length_it_needs(part: int) -> None:
    right = 0
    for name in NAMES[part::PARTS]:
        op = ops.get(name)
        if op.family == "sampling":
            continue
        for case in all_cases(name) if DEEP else cases(name)[:FEW]:
            eager, lazy = quantities(case)
            if not lazy:
                continue
            try:
                with nothing_runs():
                    result = op.run(lazy, dict(case.params))
            except DimflowError as error:
                if "compute_chunk_sizes" not in str(error) and not _fails(op, eager, case):
                    raise
                continue
            right += 1
            assert_same(numbers(result), numbers(op.run(eager, dict(case.params))), name)
    assert right > 10


@pytest.mark.parametrize("chunks", [1, 2, 3, 6])
@pytest.mark.parametrize("shape", [(6,), (6, 4), (6, 4, 3), (1, 6), (0, 3)])
@pytest.mark.parametrize(
    "flat", [ops.ravel, lambda x: ops.reshape(x, shape=-1)], ids=["ravel", "reshape"]
)
def test_elements_keep_their_order_in_one_axis(flat: Any, shape: Any, chunks: int) -> None:
    eager = DimArray(np.arange(float(np.prod(shape))).reshape(shape), "m")
    assert_same(numbers(flat(unknown(eager.data, "m", chunks))), numbers(flat(eager)), "ravel")


def _fails(op: Any, eager: Any, case: Any) -> bool:
    """Whether a call is an error in memory too."""
    try:
        op.run(eager, dict(case.params))
    except DimflowError:
        return True
    return False


class Unknown(Quantities):
    """Makes lazy quantities that do not know how long they are."""

    def __init__(self, unit: str) -> None:
        super().__init__(unit)
        self.like = {"like": DaskDimArray(np.ones(1), unit)}

    def __call__(self, values: Any) -> Any:
        made = super().__call__(values)
        return DaskDimArray(forgotten(made.data), made.unit) if made.ndim else made


class Known(Quantities):
    """The same with lengths."""

    def __init__(self, unit: str) -> None:
        super().__init__(unit)
        self.like = {"like": DaskDimArray(np.ones(1), unit)}


# What they say is the shape, and nan is in it; or nobody has chosen what is in them.
SHAPES = ("empty_like", "ma.empty_like", "shape", "size", "random.choice", "random.permutation")


def _is_right(name: str, recipe: Any, function: Any) -> bool:
    """Whether a function gives what it gives with lengths; False if it asks for them."""
    try:
        with dask.config.set(scheduler="sync"):
            result = recipe(function, Unknown("m"), Unknown("s"))
    except DimflowError as error:
        if "compute_chunk_sizes" not in str(error) and not isinstance(error, UnsupportedFunction):
            with pytest.raises(DimflowError):
                recipe(function, Known("m"), Known("s"))
        return False
    assert_same(numbers(result), numbers(recipe(function, Known("m"), Known("s"))), name)
    return True


def test_functions_of_dask() -> None:
    names = [name for name in sorted(dask_walk.ALL) if name not in SHAPES]
    right = 0
    for name in names if DEEP else names[::4]:
        right += _is_right(name, dask_walk.ALL[name], dask_walk.function(name))
    assert right > len(names) / 20


def test_functions_of_numpy() -> None:
    names = [name for name in sorted(numpy_recipes.RECIPES) if name not in SHAPES]
    right = 0
    for name in names if DEEP else names[::4]:
        right += _is_right(name, numpy_recipes.RECIPES[name], numpy_walk.function(name))
    assert right > len(names) / 20


OTHER = unknown([1.0, 2.0, 3.0], chunks=1)  # in blocks that do not meet those of x
x, y = unknown([1.0, 2.0, 4.0]), unknown([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: np.flip(x), "flip"),
        (lambda: da.flip(x, 0), "da.flip"),
        (lambda: np.diff(x), "diff"),
        (lambda: da.diff(x), "da.diff"),
        (lambda: np.pad(x, 1, mode="wrap"), "pad"),
        (lambda: da.pad(x, 1), "da.pad"),
        (lambda: np.roll(x, 1), "roll"),
        (lambda: da.roll(x, 1), "da.roll"),
        (lambda: np.average(x, weights=np.ones(3)), "average"),
        (lambda: da.average(x, weights=da.ones(3)), "da.average"),
        (lambda: x.rechunk(2), "rechunk"),
        (lambda: len(x), "len(x)"),
        (lambda: x + OTHER, "add"),
        (lambda: x - OTHER.to("cm"), "subtract"),
        (lambda: x * OTHER, "multiply"),
        (lambda: da.squeeze(x), "da.squeeze"),
        (lambda: ops.split(y, 3), "split"),
        (lambda: ops.vstack([x, x]), "vstack"),
        (lambda: da.stats.ttest_1samp(x, DimArray(2.0, "m")), "da.stats.ttest_1samp"),
    ],
)
def test_the_error_names_the_function_and_the_axis(call: Any, name: str) -> None:
    import dask.array.stats  # noqa: F401 - Dask imports it for those alone who ask for it

    with pytest.raises(ShapeMismatch) as error, nothing_runs():
        call()
    assert name in error.value.operation.replace("np.", "")
    assert "axis 0" in str(error.value) or "axes 0" in str(error.value)
    assert COMPUTE in error.value.hint


def test_the_whole_text() -> None:
    with pytest.raises(ShapeMismatch) as error:
        ops.flip(y, axis=0)
    assert str(error.value) == (
        "flip got the wrong shape\n"
        "  expected: a length of axis 0 that is known\n"
        "  actual:   (nan, 2)\n"
        "  hint:  x.compute_chunk_sizes() computes the lengths"
    )
    np.testing.assert_array_equal(ops.flip(y, axis=1).compute().data[0], [2.0, 1.0])


def test_a_mistake_stays_what_it_is() -> None:
    with pytest.raises(np.exceptions.AxisError):
        ops.sum(y, axis=5)
    with pytest.raises(DimflowError, match="one dimension"):
        ops.concat([y, unknown(np.ones((3, 2)), "s")])


def test_the_hint_helps() -> None:
    picked = DaskDimArray(np.arange(6.0), "m", chunks=2)
    picked = picked[picked > DimArray(2.5, "m")]
    with pytest.raises(ShapeMismatch, match="compute_chunk_sizes"):
        np.diff(picked)
    np.testing.assert_array_equal(np.diff(picked.compute_chunk_sizes()).compute().data, [1.0, 1.0])
    assert picked.unit == Unit("m")


def test_hasty_functions_are_still_asked_first() -> None:
    assert len(HASTY) == 3
    for name in HASTY:
        with pytest.raises(ShapeMismatch, match="compute_chunk_sizes"), nothing_runs():
            dask_walk.ALL[name](dask_walk.function(name), Unknown("m"), Unknown("s"))
    assert issubclass(Early, AssertionError)
