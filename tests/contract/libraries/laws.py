"""Laws that hold for an op on every array library. Each raises if the library breaks it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dimflow.array import DimArray
from dimflow.errors import DimensionError, MissingRule
from tests.contract.batches import mixtures
from tests.contract.evaluate import fresh, is_inexact, leaves, quietly, raw_of
from tests.contract.libraries import blocks, derivatives, dtypes
from tests.contract.libraries.trial import DOUBLE, SINGLE, Trial, single
from tests.contract.samples import edge_cases
from tests.contract.units_search import REWRITTEN, accepted, chosen_unit, may_be_refused


class Law(NamedTuple):
    """What holds, and for which samples it says something."""

    text: str
    applies: Callable[[Trial], bool]
    check: Callable[[Trial], None]


def always(trial: Trial) -> bool:
    return True


def is_elementwise(trial: Trial) -> bool:
    return trial.op.kind == "elementwise"


def is_determined(trial: Trial) -> bool:
    return not trial.draws


# Values, shapes, where they live


def runs(trial: Trial) -> None:
    leaves(trial.result)


def stays(trial: Trial) -> None:
    library = trial.library
    for leaf in leaves(trial.result):
        assert library.owns(leaf), f"{trial.case.label}: {type(leaf)} is not of {library.name}"
        device = library.backend.device(leaf)
        assert device == library.device, f"{trial.case.label}: on {device}"
        if library.blocks is not None:
            found = type(leaf.compute())
            assert library.blocks.holds(found), f"{trial.case.label}: blocks are {found}"


def has_values_of_numpy(trial: Trial) -> None:
    trial.agrees(trial.result)


def has_values_at_edges(trial: Trial) -> None:
    """At zeros, infinities and nan too; complex numbers only where the library takes them."""
    for case in edge_cases(trial.op.name):
        other = trial.of_dtype(single(case) if trial.library.dtype == np.float32 else case)
        try:
            with np.errstate(all="ignore"):
                expected, result = other.expected, leaves(other.library.numbers(other.result))
        except Exception:  # in whatever words the library has
            if not other.is_complex:
                raise
            continue
        rtol = SINGLE if trial.library.dtype == np.float32 else DOUBLE
        for one, wanted in zip(result, leaves(expected), strict=True):
            for part in ("real", "imag"):  # one of them may be infinite, and the other count
                got, want = getattr(np.asarray(one), part), getattr(np.asarray(wanted), part)
                np.testing.assert_allclose(got, want, rtol, atol=rtol, err_msg=case.label)


def leaves_arguments_alone(trial: Trial) -> None:
    assert trial.result is not None
    for given, kept in zip(trial.args, trial.case.args, strict=True):
        if trial.library.owns(given):
            found = trial.library.numbers(given)
            np.testing.assert_array_equal(found, kept, err_msg=trial.case.label)


def draws_again(trial: Trial) -> None:
    """The same seed gives the same numbers, in the shape that NumPy gives."""
    one, other = trial.library.numbers(trial.result), trial.library.numbers(trial.run(trial.args))
    for a, b, c in zip(leaves(one), leaves(other), leaves(trial.expected), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=trial.case.label)
        assert np.shape(a) == np.shape(c), trial.case.label


def has_single_precision(trial: Trial) -> None:
    other = trial.of_dtype(single(trial.case))
    other.agrees(other.result)


def keeps_double_precision(trial: Trial) -> None:
    """Doubles stay doubles, or are refused; they never become single behind one's back."""
    from tests.contract.samples import cases

    other = trial.of_dtype(cases(trial.op.name)[trial.index])
    try:
        result = other.result
    except Exception:  # refusing is honest, in whatever words the library has
        return
    other.agrees(result)
    got = [other.library.dtype_of(leaf) for leaf in leaves(result)]
    wanted = [np.asarray(leaf).dtype for leaf in leaves(other.expected)]
    assert all(g == w for g, w in zip(got, wanted, strict=True) if w.kind == "f"), got


def takes_no_axes(trial: Trial) -> None:
    args = tuple(a if np.ndim(a) == 0 else a.reshape(-1)[0] for a in trial.case.args)
    other = trial.of_dtype(trial.case._replace(args=args, label="no axes"))
    stays(other)
    other.agrees(other.result)


def takes_empty_arrays(trial: Trial) -> None:
    args = tuple(
        a if not isinstance(a, (np.ndarray, np.generic)) else np.empty((0,), a.dtype)
        for a in trial.case.args
    )
    other = trial.of_dtype(trial.case._replace(args=args, label="empty"))
    stays(other)
    assert all(tuple(leaf.shape) == (0,) for leaf in leaves(other.result))


# NumPy's arrays and lists beside the library's


def arrays_of(trial: Trial) -> list[int]:
    return [i for i, a in enumerate(trial.case.args) if isinstance(a, np.ndarray) and a.ndim]


def has_company(trial: Trial) -> bool:
    return len(arrays_of(trial)) > 1 and is_determined(trial)


def lifts_numpy(trial: Trial) -> None:
    places = arrays_of(trial)
    for alone in (places[0], places[-1]):
        args = tuple(
            a if i == alone else b
            for i, (a, b) in enumerate(zip(trial.case.args, trial.args, strict=True))
        )
        result = trial.run(args)
        assert all(trial.library.owns(leaf) for leaf in leaves(result)), trial.case.label
        trial.agrees(result, rtol=SINGLE if trial.library.dtype == np.float32 else 0.0)


def lifts_lists(trial: Trial) -> None:
    """Lists become what the library makes of them, in its own usual precision."""
    for alone in (arrays_of(trial)[0], arrays_of(trial)[-1]):
        args = tuple(
            a.tolist() if i == alone else b
            for i, (a, b) in enumerate(zip(trial.case.args, trial.args, strict=True))
        )
        result = trial.run(args)
        assert all(trial.library.owns(leaf) for leaf in leaves(result)), trial.case.label
        trial.agrees(result, rtol=SINGLE)


# Units


def has_units(trial: Trial) -> bool:
    return is_determined(trial) and bool(accepted(trial.op.name, trial.index))


def labels_as_numpy(trial: Trial) -> None:
    """With units: the units and numbers that NumPy's arrays give, in the class of the library."""
    for units in accepted(trial.op.name, trial.index)[:1]:
        params = chosen_unit(trial.op, trial.case, units)
        wanted = trial.run(trial.with_units(trial.case.args, units), params)
        got = trial.run(trial.with_units(trial.args, units), params)
        what = f"{trial.case.label} in {units}"
        for one, other in zip(leaves(got), leaves(wanted), strict=True):
            assert isinstance(one, DimArray) == isinstance(other, DimArray), f"{what}: {one!r}"
            if isinstance(one, DimArray):
                assert one.unit is other.unit, f"{what}: {one.unit}, not {other.unit}"
                assert type(one) is trial.library.array_class(one.data), what
            assert trial.library.owns(raw_of(one)), f"{what}: {type(raw_of(one))}"
        trial.agrees(
            [raw_of(leaf) for leaf in leaves(got)], [raw_of(leaf) for leaf in leaves(wanted)]
        )


def is_covariant(trial: Trial) -> None:
    """In other units, the same physical result."""
    units = accepted(trial.op.name, trial.index)[0]
    others = tuple(u if u is None else REWRITTEN.get(u, (u,))[0] for u in units)
    wanted = trial.run(
        trial.with_units(trial.case.args, units), chosen_unit(trial.op, trial.case, units)
    )
    given = tuple(
        a.to(u) if isinstance(a, DimArray) and u is not None else a
        for a, u in zip(trial.with_units(trial.args, units), others, strict=True)
    )
    try:
        got = trial.run(given, chosen_unit(trial.op, trial.case, units))
    except DimensionError as error:
        if not may_be_refused(error, others):
            raise
        return
    pairs = list(zip(leaves(got), leaves(wanted), strict=True))
    converted = [
        one.to(other.unit).data if isinstance(one, DimArray) else one for one, other in pairs
    ]
    rtol = 1e-4 if trial.library.dtype == np.float32 else DOUBLE
    trial.agrees(converted, [raw_of(other) for _, other in pairs], rtol=rtol)


def may_be_rewritten(trial: Trial) -> bool:
    """Equal lengths in m and km may differ by a rounding, which discrete results show."""
    return (
        has_units(trial)
        and trial.op.name != "ones_like"  # which is 1 in the unit of its argument
        and any(is_inexact(leaf) for leaf in leaves(trial.expected))
    )


# Rules


def is_batched(trial: Trial) -> bool:
    return trial.op.batching is not None and trial.op.kind != "random"


def batches_as_numpy(trial: Trial) -> None:
    case = trial.case
    for dims in mixtures([case])[:1]:
        stacked = tuple(
            a if d is None else np.stack([np.asarray(a)] * 2, axis=d)
            for a, d in zip(case.args, dims, strict=True)
        )
        args = tuple(trial.library.array(a) for a in stacked)
        rule = trial.op.rule("batching")
        try:
            wanted, axes = quietly(rule, trial.op, stacked, dims, fresh(case.params))
        except MissingRule:
            return  # the record says why
        got, found = quietly(rule, trial.op, args, dims, fresh(case.params))
        assert axes == found
        agreed = trial.library.numbers(got)
        trial.of_dtype(case).agrees(
            [np.take(x, 0, axis=0) for x in leaves(agreed)],
            [np.take(x, 0, axis=0) for x in leaves(wanted)],
        )


LAWS: dict[str, Law] = {
    "runs": Law("it runs", always, runs),
    "library": Law("results are of the library, on the same device", always, stays),
    "values": Law("the values and shapes are NumPy's", is_determined, has_values_of_numpy),
    "edges": Law(
        "at zeros, infinities and nan too",
        lambda t: is_elementwise(t) and is_determined(t),
        has_values_at_edges,
    ),
    "intact": Law("the arguments are as they were", always, leaves_arguments_alone),
    "draws": Law("a seed gives the same numbers again", lambda t: t.draws, draws_again),
    "single": Law("in single precision too", is_determined, has_single_precision),
    "double": Law(
        "doubles stay doubles, or are refused",
        lambda t: is_determined(t) and t.library.dtype == np.float32,
        keeps_double_precision,
    ),
    "dtype": Law("the dtypes are the raw library's", is_determined, dtypes.are_those_of_library),
    "no axes": Law("arrays without axes stay such", is_elementwise, takes_no_axes),
    "empty": Law("empty arrays stay empty", is_elementwise, takes_empty_arrays),
    "lifted": Law("NumPy's arrays beside it are lifted", has_company, lifts_numpy),
    "lists": Law("lists beside it are lifted", has_company, lifts_lists),
    "units": Law("units and numbers are those of NumPy's arrays", has_units, labels_as_numpy),
    "covariance": Law("the result does not depend on the units", may_be_rewritten, is_covariant),
    "derivative": Law(
        "the derivative rule runs, and gives what it gives on NumPy",
        derivatives.has_rule,
        derivatives.rule_agrees,
    ),
    "own engine": Law(
        "our engine's reverse mode gives what it gives on NumPy, in the argument's dtype",
        derivatives.has_engine,
        derivatives.own_engine_agrees,
    ),
    "second order": Law(
        "so do both modes of it over each other",
        derivatives.has_engine,
        derivatives.second_order_agrees,
    ),
    "native": Law(
        "the library's own reverse mode gives the same",
        derivatives.has_native,
        derivatives.native_agrees_beside_numbers,
    ),
    "native complex": Law(
        "and for complex numbers, where the op takes them",
        lambda t: is_elementwise(t) and derivatives.has_native(t),
        derivatives.complex_agrees,
    ),
    "native forward": Law(
        "and so does its forward mode",
        derivatives.has_native,
        derivatives.native_forward_agrees,
    ),
    "native edges": Law(
        "and both do where formulas change sides",
        lambda t: is_elementwise(t) and bool(edge_cases(t.op.name)) and derivatives.has_native(t),
        derivatives.native_agrees_at_edges,
    ),
    "native batches": Law(
        "and so do its cotangents of batches, and its batches of cotangents",
        derivatives.has_batches,
        derivatives.native_batches_agree,
    ),
    "batching": Law("the batching rule runs as on NumPy", is_batched, batches_as_numpy),
    "lazy": Law(
        "a call computes nothing, with units or without", blocks.is_lazy, blocks.builds_alone
    ),
    "blocks": Law(
        "in blocks of one element and in uneven ones it is the same",
        blocks.is_cut,
        blocks.agrees_in_any_blocks,
    ),
}
