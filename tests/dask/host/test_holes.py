"""Numbers under a mask never come into a result: only what is known to honour masks runs.

Every entry of the lists is held against np.ma, or against nan in the places of the holes; all else
is refused. The numbers under the masks are huge, and then others, so that a look at them shows.
"""

from typing import Any

import dask.array as da
import numpy as np
import pytest

from dimflow import DimArray, ops
from dimflow.array.dimarray import wrap
from dimflow.backends import holes
from dimflow.backends.holes import BENEATH, FIRST, KEPT, MOVED, OWN, has_holes, honours_masks
from dimflow.dask import DaskDimArray
from dimflow.dask.host import functions as dasks
from dimflow.dask.host.entries import HONOURING
from dimflow.errors import DimflowError, NotANumber, UnsupportedFunction
from dimflow.units import Unit
from tests.array import numpy_recipes, numpy_walk
from tests.contract.samples import DEEP, all_cases, cases
from tests.dask.conftest import nothing_runs
from tests.dask.host import dask_walk
from tests.dask.host.holes_walk import (
    HUGE,
    OTHER,
    Holed,
    assert_alike,
    hidden,
    holes_of,
    in_blocks,
    leaves,
)

TABLE = [name for name, op in ops.TABLE.items() if op.kind != "random"]
HONOURED = [name for name in TABLE if honours_masks(ops.get(name))]
PLACED = {name for name in HONOURED if ops.get(name).kind != "elementwise"}
MADE = ("empty_like", "full_like", "ones_like", "zeros_like")
LAZILY = pytest.mark.parametrize("is_lazy", [False, True], ids=["in memory", "in blocks"])
FEW = 2  # calls of an op in a plain run


def calls(name: str) -> Any:
    """The calls of an op of which an array has axes, and where each array has holes."""
    for case in all_cases(name) if DEEP else cases(name)[:FEW]:
        limit = 1 if name in FIRST else len(case.args)
        masks = [
            holes_of(a.shape, i) if isinstance(a, np.ndarray) and a.ndim and i < limit else None
            for i, a in enumerate(case.args)
        ]
        if any(mask is not None for mask in masks):
            yield case, masks


def holed(case: Any, masks: Any, under: float, is_lazy: bool) -> Any:
    made = [a if m is None else hidden(a, m, under) for a, m in zip(case.args, masks, strict=True)]
    return tuple(in_blocks(a) if is_lazy and has_holes(a) else a for a in made)


def by_elements(op: Any, case: Any, masks: Any) -> Any:
    """The op on the numbers that are seen; a hole wherever an argument has one."""
    shape = np.broadcast_shapes(*(np.shape(a) for a in case.args if a is not None))
    gone = np.zeros(shape, bool)
    for mask in masks:
        gone = gone if mask is None else gone | mask
    return [np.ma.MaskedArray(part, gone) for part in leaves(op.run(case.args, case.params))]


def by_nan(op: Any, case: Any, masks: Any) -> Any:
    """The op on numbers with nan for holes: where nan comes out, there are the holes."""
    pairs = zip(case.args, masks, strict=True)
    args = [a if m is None else np.where(m, np.nan, a) for a, m in pairs]
    found = leaves(op.run(tuple(args), case.params))
    return [np.ma.masked_invalid(part) for part in found]


def by_numpys(op: Any, case: Any, masks: Any) -> Any:
    """np.ma's function of that name."""
    array, *others = holed(case, masks, OTHER, False)
    rest = {k: v for k, v in zip(op.array_names[1:], others, strict=True) if v is not None}
    function: Any = {
        "average": np.ma.average,
        "count_nonzero": lambda x, **kw: np.count_nonzero(x.filled(0), **kw),
        "trapezoid": np.trapezoid,
    }.get(op.name) or getattr(np.ma, op.hosts.numpy)
    known = {k: v for k, v in case.params.items() if k not in holes.unknown_to(op)}
    return leaves(function(array, **rest, **known))


def truth(op: Any, case: Any, masks: Any) -> Any:
    """What an op should give."""
    if op.name == "where":
        return [np.ma.where(*holed(case, masks, OTHER, False))]
    if op.kind == "elementwise" or op.name in BENEATH:
        return by_elements(op, case, masks)
    moves = op.name in MOVED or (op.hosts.numpy or "") in KEPT
    if moves or op.name in ("concat", "diag", "diff", "ediff1d", "select", "stack"):
        return by_nan(op, case, masks)
    return by_numpys(op, case, masks)


@LAZILY
@pytest.mark.parametrize("name", [n for n in HONOURED if n in PLACED and n not in MADE])
def test_an_op_that_honours_masks_gives_what_np_ma_gives(name: str, is_lazy: bool) -> None:
    op = ops.get(name)
    count = 0
    for case, masks in calls(name):
        try:
            with np.errstate(all="ignore"):  # NumPy's ufuncs warn of hidden numbers too
                results = [
                    leaves(op.run(holed(case, masks, under, is_lazy), dict(case.params)))
                    for under in (HUGE, OTHER)
                ]
        except UnsupportedFunction:  # an argument that has no meaning beside holes
            continue
        count += 1
        for found in results:
            for part, wanted in zip(found, truth(op, case, masks), strict=True):
                assert_alike(part, wanted, name)
    assert count, "every call was refused"


@pytest.mark.deep
@LAZILY
@pytest.mark.parametrize("name", [n for n in HONOURED if n not in PLACED])
def test_an_elementwise_op_has_a_hole_wherever_an_argument_has_one(
    name: str, is_lazy: bool
) -> None:
    op = ops.get(name)
    for case, masks in calls(name):
        with np.errstate(all="ignore"):
            found = leaves(op.run(holed(case, masks, HUGE, is_lazy), dict(case.params)))
        for part, wanted in zip(found, truth(op, case, masks), strict=True):
            seen = np.ma.getmaskarray(wanted)
            more = np.ma.getmaskarray(part) & ~seen  # np.ma masks what lies outside a domain too
            assert np.ma.getmaskarray(part)[seen].all()
            kept = np.ma.MaskedArray(np.ma.getdata(wanted), seen | more)
            assert_alike(part, kept, name)


@LAZILY
@pytest.mark.parametrize("name", MADE)
def test_arrays_like_one_with_holes(name: str, is_lazy: bool) -> None:
    """They are as the library of the numbers has them; nothing hidden is in one."""
    array = hidden(np.ones((2, 3)), holes_of((2, 3)), HUGE)
    given = in_blocks(array) if is_lazy else array
    (found,) = leaves(ops.get(name)(given, *([5.0] if name == "full_like" else [])))
    assert found.shape == (2, 3)
    if name != "empty_like":
        assert set(np.ma.getdata(found).flat) <= {0.0, 1.0, 5.0}


@LAZILY
def test_every_other_op_is_refused(is_lazy: bool) -> None:
    others = [name for name in TABLE if name not in HONOURED]
    assert len(others) > 150
    for name in others:
        op = ops.get(name)
        for case, masks in calls(name):
            args = holed(case, masks, HUGE, is_lazy)
            for given in (args, tuple(wrap(a, Unit("m")) if has_holes(a) else a for a in args)):
                with pytest.raises(DimflowError), nothing_runs():
                    op.run(given, dict(case.params))


def test_the_lists_name_ops_and_functions_that_there_are() -> None:
    known = {op.hosts.numpy for op in ops.TABLE.values()}
    assert known >= OWN | KEPT
    assert BENEATH | MOVED | FIRST.keys() | holes.WITHOUT <= set(ops.TABLE)
    assert set(dasks.public_functions()) >= HONOURING


def test_the_text_of_a_refusal() -> None:
    array = wrap(in_blocks(hidden(np.ones((2, 2)), holes_of((2, 2)), HUGE)), Unit("m"))
    with pytest.raises(UnsupportedFunction) as error:
        ops.softmax(array / DimArray(1.0, "m"))
    assert str(error.value) == (
        "softmax is not supported for arrays with units: it would look at the numbers under a mask"
        "\n  hint:  fill the holes first: da.ma.filled(x, value)"
    )


# Functions of NumPy and Dask, by the recipes of their own tests


def _run(recipe: Any, function: Any, under: float, is_lazy: bool) -> Any:
    units = [Holed(unit, under, is_lazy=is_lazy) for unit in ("m", "s")]
    with np.errstate(all="ignore"):
        return leaves(recipe(function, *units))


def _same_whatever_is_hidden(name: str, recipe: Any, function: Any, is_lazy: bool) -> bool:
    try:
        first = _run(recipe, function, HUGE, is_lazy)
    except DimflowError:
        return False
    for found, other in zip(first, _run(recipe, function, OTHER, is_lazy), strict=True):
        if np.asarray(found).dtype.kind in "biufc":
            assert_alike(found, other, name)
    return True


NUMPYS = sorted(numpy_recipes.RECIPES)
DASKS = sorted(name for name in dask_walk.ALL if not name.startswith(("random.", "stats.")))
UNFILLED = ("empty_like", "ma.empty_like", "ma.getdata")  # what they show nobody has chosen


def test_no_function_of_numpy_looks_under_a_mask() -> None:
    ran = set()
    for name in NUMPYS if DEEP else NUMPYS[::3]:
        for is_lazy in (False, True) if DEEP else (False,):
            if name not in UNFILLED:
                recipe, function = numpy_recipes.RECIPES[name], numpy_walk.function(name)
                if _same_whatever_is_hidden(name, recipe, function, is_lazy):
                    ran.add(name)
    assert len(ran) > len(NUMPYS) / 20


def test_no_function_of_dask_looks_under_a_mask() -> None:
    ran = set()
    for name in DASKS if DEEP else DASKS[::3]:
        if name not in UNFILLED:
            recipe, function = dask_walk.ALL[name], dask_walk.function(name)
            if _same_whatever_is_hidden(name, recipe, function, True):
                ran.add(name)
    assert len(ran) > len(DASKS) / 20


# Single elements, keys, and what is written

NUMBERS = np.array([1.0, 9.0, 8.0, 2.0])
x = da.ma.masked_greater(DaskDimArray(NUMBERS, "", chunks=2), 3.0)
eager = x.compute()


@pytest.mark.parametrize("number", [float, int, complex, lambda v: v.item()])
@pytest.mark.parametrize("array", [x, eager], ids=["lazy", "eager"])
def test_a_hole_is_no_number(number: Any, array: Any) -> None:
    assert number(array[3]) == 2
    assert bool(array[3]) is True
    for hole in (array[1], array[1:3].sum()):
        for asked in (number, bool):
            with pytest.raises(NotANumber, match=r"got a hole .*da\.ma\.filled"):
                asked(hole)
    with pytest.raises(NotANumber):
        array.item(2)
    assert array.item(0) == 1


@pytest.mark.parametrize("pick", [lambda v, c: v[c], lambda v, c: v[c, ...]])
def test_a_condition_with_holes_picks_nothing(pick: Any) -> None:
    plain, lazy = DimArray(NUMBERS, "m"), DaskDimArray(NUMBERS, "m", chunks=2)
    for array, condition in ((plain, eager > 1.0), (eager, eager > 1.0), (lazy, x > 1.0)):
        with pytest.raises(UnsupportedFunction, match="an index with holes"):
            pick(array, condition)
        with pytest.raises(UnsupportedFunction, match="an index with holes"):
            array.copy()[condition] = DimArray(1.0, array.unit)
    np.testing.assert_array_equal(pick(plain, np.ma.filled((eager > 1.0).data, False)).data, [2.0])


def _assigned(array: Any, key: Any, value: Any) -> Any:
    array[key] = value
    return array.compute().data if isinstance(array, DaskDimArray) else array.data


@pytest.mark.parametrize(
    "key", [0, 1, slice(1, 3), [0, 2], np.array([False, True, False, True])], ids=str
)
def test_an_assignment_fills_holes(key: Any) -> None:
    wanted = np.ma.masked_greater(NUMBERS, 3.0)
    wanted[key] = 7.0
    for array in (x.copy(), eager.copy()):
        assert_alike(_assigned(array, key, 7.0), wanted, "an assignment")
    if isinstance(key, np.ndarray):
        lazy_key = da.from_array(key, chunks=2)
        assert_alike(_assigned(x.copy(), lazy_key, 7.0), wanted, "by a lazy condition")
    for array in (x.copy(), DaskDimArray(NUMBERS, "", chunks=2)):
        with pytest.raises(UnsupportedFunction, match="an assignment of holes"), nothing_runs():
            array[key] = x[1]
    made = np.ma.masked_greater(NUMBERS, 3.0)
    made[key] = np.ma.masked
    assert_alike(_assigned(eager.copy(), key, eager[1]), made, "of a hole, in memory")


def test_no_hidden_number_is_written_into_an_array_without_a_mask() -> None:
    target = DimArray(np.zeros(4))
    writes = [
        lambda: target.__setitem__(slice(None), eager),
        lambda: target.__iadd__(eager),
        lambda: np.add(eager, eager, out=target),
        lambda: np.copyto(target, eager),
        lambda: np.add.at(target, [0], eager[1]),
        lambda: np.putmask(target, NUMBERS > 1.0, eager),
    ]
    for write in writes:
        with pytest.raises(UnsupportedFunction):
            write()
        assert not target.data.any()


def test_folds_of_ufuncs() -> None:
    plain = np.ma.masked_greater(NUMBERS, 3.0)
    for array in (eager, x):
        assert_alike(leaves(np.add.reduce(array))[0], plain.sum(), "add.reduce")
        assert_alike(leaves(np.add.accumulate(array))[0], plain.cumsum(), "add.accumulate")
        with pytest.raises(UnsupportedFunction):
            np.subtract.reduce(array)
        with pytest.raises(UnsupportedFunction):
            np.maximum.accumulate(array)
    with pytest.raises(UnsupportedFunction, match="where="):
        np.add(x, x, out=DaskDimArray(np.zeros(4), chunks=2), where=NUMBERS > 1.0)


def test_a_users_function_on_slices_in_memory_is_refused() -> None:
    with pytest.raises(UnsupportedFunction, match=r"np\.apply_along_axis"):
        np.apply_along_axis(np.sum, 0, eager)
    assert leaves(np.apply_along_axis(np.sum, 0, x)) == [3.0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: x[1],
        lambda: x.sum(),
        lambda: x.reshape(2, 2).max(axis=0),
        lambda: x.reshape(2, 2).cumsum(axis=0),
        lambda: da.apply_along_axis(np.sum, 0, x.reshape(2, 2)),
        lambda: da.ma.average(x),
        lambda: x + 1.0,
        lambda: x.to("%"),
    ],
)
def test_what_is_computed_from_holes_says_that_it_may_have_some(make: Any) -> None:
    with nothing_runs():
        made = make()
    assert has_holes(made.data)
    with pytest.raises(UnsupportedFunction), nothing_runs():
        ops.broadcast_to(made, (2, *made.shape))


def test_places_have_no_holes() -> None:
    assert not has_holes(x.argmax().data if isinstance(x.argmax(), DimArray) else x.argmax())
    np.testing.assert_array_equal(eager.data[np.asarray(leaves(np.argsort(x))[0])][:2], [1.0, 2.0])
