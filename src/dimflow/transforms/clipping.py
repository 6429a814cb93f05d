"""Gradients within bounds: by value, by norm, by the norm of all of them together.

Gradients of parameters in different units have no common norm by themselves: `scales` says what
counts as much as what.
"""

from collections.abc import Callable
from typing import Any

from dimflow import ops
from dimflow.array.conversion import as_unit
from dimflow.array.dimarray import DimArray, wrap
from dimflow.errors import ComputationError, DimensionError, StructureMismatch, UnitError
from dimflow.ops.rules.units import PURE
from dimflow.transforms.calls import leaf_of
from dimflow.transforms.structure import mapped
from dimflow.units import Unit
from dimflow.units.alike import are_alike

_NONFINITE = ("error", "pass")


def clip_by_value(grads: Any, limit: Any) -> Any:
    """Every element between -limit and limit. A structure of limits has one for each gradient.

    A limit is in any unit of its gradient's dimension.
    """
    limits = _beside("clip_by_value", grads, limit, "limit")

    def clipped(gradient: Any, bound: Any, path: str) -> Any:
        bound = _quantity("clip_by_value", bound, "limit")
        _check_bound("clip_by_value", gradient, bound, path, "limit")
        return ops.clip(gradient, -bound, bound)

    return _mapped_pairs("clip_by_value", grads, limits, clipped)


def clip_by_norm(grads: Any, max_norm: Any, *, nonfinite: str = "error") -> Any:
    """Every gradient scaled down to a norm of its own, if it is longer than that.

    A structure of norms has one for each gradient.
    """
    _check_choice("clip_by_norm", nonfinite)
    norms = _beside("clip_by_norm", grads, max_norm, "max_norm")

    def clipped(gradient: Any, bound: Any, path: str) -> Any:
        bound = _quantity("clip_by_norm", bound, "max_norm")
        _check_bound("clip_by_norm", gradient, bound, path, "max_norm")
        norm = _norm([gradient])
        _check_finite("clip_by_norm", norm, [(gradient, path)], nonfinite)
        return _shortened(gradient, _factor(norm, bound), path)

    return _mapped_pairs("clip_by_norm", grads, norms, clipped)


def global_norm(grads: Any, scales: Any = None) -> Any:
    """The norm of all gradients together: the root of the sum of all squares.

    Gradients of one dimension need no scales. For others give a structure of units or quantities,
    one for each gradient, that each is multiplied with, and that makes their dimensions one:
    usually how far a parameter moves (its unit, or its size), which makes each gradient a change of
    the loss.
    """
    return _norm(_scaled("global_norm", grads, scales))


def clip_by_global_norm(
    grads: Any, max_norm: Any, scales: Any = None, *, nonfinite: str = "error"
) -> tuple[Any, Any]:
    """All gradients scaled down by one factor to a norm of all together; and what that was before.

    `scales` as for `global_norm`. An infinite or nan gradient is an error that names it; with
    `nonfinite="pass"` the result is what arithmetic gives.
    """
    name = "clip_by_global_norm"
    _check_choice(name, nonfinite)
    scaled = _scaled(name, grads, scales)
    bound = _quantity(name, max_norm, "max_norm")
    norm = _norm(scaled)
    _check_bound(name, norm, bound, "", "max_norm")
    _check_finite(name, norm, _leaves(name, grads), nonfinite)
    factor = _factor(norm, bound)
    return _mapped_pairs(name, grads, [factor] * len(scaled), _shortened), norm


# Parts


def _leaves(name: str, grads: Any) -> list[tuple[Any, str]]:
    """The gradients, with their places; raw arrays are pure numbers."""
    found: list[tuple[Any, str]] = []

    def note(value: Any, path: str) -> Any:
        if value is not None:
            leaf = leaf_of(name, value, path)
            found.append((value if isinstance(value, DimArray) else wrap(leaf.raw, PURE), path))
        return value

    mapped(grads, note)
    return found


def _scaled(name: str, grads: Any, scales: Any) -> list[Any]:
    """The gradients times their scales, in one dimension."""
    found = _leaves(name, grads)
    if not found:
        raise StructureMismatch(name, "gradients", "a structure without any")
    if scales is not None:
        given = _beside(name, grads, scales, "scales")
        found = [
            (gradient * _quantity(name, scale, "scales"), path)
            for (gradient, path), scale in zip(found, given, strict=True)
        ]
    first, where = found[0]
    for gradient, path in found[1:]:
        if not are_alike(gradient.unit, first.unit):
            hint = (
                "say how they compare: scales= takes a unit or a quantity for each gradient, "
                "such as the unit of its parameter"
            )
            names = (f"grads{where}", f"grads{path}")
            raise DimensionError(name, first.unit, gradient.unit, hint, names)
    return [gradient for gradient, _ in found]


def _beside(name: str, grads: Any, given: Any, what: str) -> list[Any]:
    """One value for each gradient: from a structure like theirs, or the same for all."""
    paths = [path for _, path in _leaves(name, grads)]
    found: dict[str, Any] = {}

    def note(value: Any, path: str) -> Any:
        if value is not None:
            found[path] = value
        return value

    mapped(given, note)
    if list(found) == [""]:
        return [found[""]] * len(paths)
    if list(found) != paths:
        wanted = f"{what} at {', '.join(paths) or 'one place'}, as the gradients are"
        raise StructureMismatch(name, wanted, ", ".join(found) or "none")
    return list(found.values())


def _mapped_pairs(
    name: str, grads: Any, beside: list[Any], function: Callable[[Any, Any, str], Any]
) -> Any:
    made = iter(
        [
            function(gradient, other, path)
            for (gradient, path), other in zip(_leaves(name, grads), beside, strict=True)
        ]
    )

    def put(value: Any, _path: str) -> Any:
        if value is None:
            return value
        result = next(made)
        return result if isinstance(value, DimArray) else result._raw

    return mapped(grads, put)


def _quantity(name: str, value: Any, what: str) -> DimArray:
    """A bound or a scale with its unit: a unit stands for one of it."""
    if isinstance(value, (Unit, str)):
        return DimArray(1.0, as_unit(value))
    if isinstance(value, DimArray):
        return value
    leaf = leaf_of(f"{name} ({what}=)", value, "")
    return wrap(leaf.raw, PURE)


def _check_bound(name: str, value: DimArray, bound: DimArray, path: str, what: str) -> None:
    if bound.shape:
        problem = f"{name} takes one number for {what}, but got shape {bound.shape}"
        raise UnitError(problem, "give a structure with one for each gradient")
    if not are_alike(bound.unit, value.unit):
        hint = f"write {what} with its unit: ... * Unit({str(value.unit)!r})"
        raise DimensionError(name, value.unit, bound.unit, hint, (f"grads{path}", what))
    if not bool(ops.all(bound >= 0 * bound.unit)):
        raise UnitError(f"{name} needs {what} >= 0, but got {bound}")


def _check_choice(name: str, nonfinite: str) -> None:
    if nonfinite not in _NONFINITE:
        problem = f"{name} was given nonfinite={nonfinite!r}"
        raise UnitError(problem, f"it is one of {', '.join(map(repr, _NONFINITE))}")


def _check_finite(name: str, norm: Any, found: list[tuple[Any, str]], nonfinite: str) -> None:
    """ComputationError that names the first gradient that is not finite."""
    if nonfinite == "pass" or bool(ops.isfinite(norm)):
        return
    for gradient, path in found:
        if not bool(ops.all(ops.isfinite(gradient))):
            hint = "look for the cause by dimflow.nan_watch(), or let it pass: nonfinite='pass'"
            raise ComputationError(name, f"grads{path} holds infinite values or nan", hint)


def _norm(gradients: list[Any]) -> Any:
    """In the unit of the first; scaled by the largest element, so that no square overflows."""
    unit = gradients[0].unit
    parts = [abs(gradient.to(unit)) for gradient in gradients if gradient.size]
    if not parts:
        return abs(ops.sum(gradients[0]))
    largest = ops.max(ops.stack([ops.max(part) for part in parts]))
    one = ops.ones_like(largest)
    is_plain = (largest > 0 * unit) & ops.isfinite(largest)
    scale = ops.where(is_plain, largest, one)
    total = ops.stack([ops.sum((part / scale) ** 2) for part in parts])
    return scale * ops.sqrt(ops.sum(total))


def _shortened(gradient: Any, factor: Any, _path: str) -> Any:
    """A gradient times a factor, in its own dtype."""
    return ops.astype(gradient * factor, gradient.dtype)


def _factor(norm: Any, bound: DimArray) -> Any:
    """What to multiply by, so that the norm is at most the bound."""
    is_long = norm > bound
    return ops.where(is_long, bound / ops.where(is_long, norm, ops.ones_like(norm)), 1.0).to("")
