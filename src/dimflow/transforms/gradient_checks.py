"""check_grads: derivatives against finite differences, in both modes, of any order."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dimflow.array.dimarray import DimArray, wrap
from dimflow.backends import backend_of
from dimflow.errors import DerivativeMismatch, NotANumber, ShapeMismatch, UnitError
from dimflow.ops.rules.dtypes import kind_of
from dimflow.transforms.calls import difference, labelled, leaf_of
from dimflow.transforms.derivatives import jvp, vjp
from dimflow.transforms.structure import mapped
from dimflow.units import Unit

_MODES = ("forward", "reverse")
_ELEMENTS = 24  # of each argument that are moved one by one

Leaves = tuple[Any, ...]
Flat = Callable[..., Leaves]


class _Tolerance(NamedTuple):
    rtol: float
    atol: float
    eps: float  # steps, as a share of an argument's size
    precision: float  # of the numbers


def check_grads(
    function: Callable[..., Any],
    args: Any,
    order: int = 2,
    modes: Sequence[str] = _MODES,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    eps: float | None = None,
    engine: str | None = None,
    seed: int = 0,
) -> None:
    """Compare the derivatives of a function with central differences; DerivativeMismatch if wrong.

        check_grads(energy, (x, mass))

    `args` is a tuple of the function's arguments: arrays, or structures of arrays; what is no
    floating point stays as it is. Forward mode is checked along a direction for each argument,
    reverse mode element by element (some, of a large array). With order 2 the derivatives are
    differentiated and checked in turn, in every combination of modes.

    A derivative may differ by `rtol` of itself plus `atol` of the largest of its argument. Steps
    are `eps` times the size of an argument. The defaults fit the precision of the numbers.
    """
    _check_options(order, modes)
    given = args if isinstance(args, (tuple, list)) else (args,)
    flat, values, paths = _flattened(function, tuple(given))
    if not values:
        raise NotANumber("check_grads", "no array of floating point among args")
    tolerance = _tolerance(values, rtol, atol, eps)
    name = getattr(function, "__name__", "the function")
    check = _Check(name, paths, tuple(modes), tolerance, engine, np.random.default_rng(seed))
    check.run(flat, values, order, ())


def _check_options(order: Any, modes: Any) -> None:
    if not isinstance(order, int) or order < 1:
        raise UnitError(f"check_grads needs an order of 1 or more, but got {order!r}")
    if isinstance(modes, str) or not modes or set(modes) - set(_MODES):
        problem = f"check_grads was given modes={modes!r}"
        raise UnitError(problem, f"some of {', '.join(map(repr, _MODES))}")


def _flattened(
    function: Callable[..., Any], args: tuple[Any, ...]
) -> tuple[Flat, list[Any], list[str]]:
    """The function of its differentiable arrays alone, that gives a tuple of such; and these."""
    values: list[Any] = []
    paths: list[str] = []

    def note(part: Any, path: str) -> Any:
        if _is_differentiable(part):
            values.append(part)
            paths.append(f"args{path}")
        return part

    mapped(args, note)

    def flat(*moved: Any) -> Leaves:
        rest = iter(moved)
        full = mapped(args, lambda part, _: next(rest) if _is_differentiable(part) else part)
        found: list[Any] = []

        def take(part: Any, _path: str) -> Any:
            if _is_differentiable(part):
                found.append(part)
            return part

        mapped(function(*full), take)
        if not found:
            raise NotANumber("check_grads", "a function that gives no floating point")
        return tuple(found)

    return flat, values, paths


def _is_differentiable(part: Any) -> bool:
    is_array = isinstance(part, (DimArray, float, complex)) or hasattr(part, "shape")
    return is_array and kind_of(part._raw if isinstance(part, DimArray) else part) in "fc"


def _tolerance(values: Iterable[Any], rtol: Any, atol: Any, eps: Any) -> _Tolerance:
    """What the coarsest numbers among the arguments allow."""
    precision = max(float(np.finfo(_numbers(value).dtype).eps) for value in values)
    step = float(np.cbrt(precision)) if eps is None else float(eps)
    allowed = max(1e-6, 200 * step**2) if rtol is None else float(rtol)
    return _Tolerance(allowed, allowed if atol is None else float(atol), step, precision)


def _numbers(value: Any) -> Any:
    raw = leaf_of("check_grads", value, "").raw
    library = backend_of(raw)
    return np.asarray(library.to_numpy(library.detach(raw)))


def _unit(value: Any) -> Unit:
    return difference(leaf_of("check_grads", value, "").unit)


def _like(value: Any, numbers: Any, unit: Unit) -> Any:
    """Numbers in a unit, in the library and dtype of a value; bare where that is."""
    leaf = leaf_of("check_grads", value, "")
    library = backend_of(leaf.raw)
    raw = library.asarray(numbers, dtype=library.dtype(leaf.raw))
    return labelled(raw, unit, leaf.is_bare)


def _moved(value: Any, step: Any) -> Any:
    """A value with numbers added to its own, in its unit."""
    leaf = leaf_of("check_grads", value, "")
    library = backend_of(leaf.raw)
    raw = library.asarray(_numbers(value) + step, dtype=library.dtype(leaf.raw))
    return raw if leaf.is_bare else wrap(raw, leaf.unit)


def _size(value: Any) -> float:
    """How large the numbers of a value are; 1 for zeros and for none."""
    numbers = np.abs(_numbers(value))
    return float(numbers.max()) or 1.0 if numbers.size else 1.0


class _Check:
    """All comparisons for one function."""

    def __init__(
        self,
        name: str,
        paths: list[str],
        modes: tuple[str, ...],
        tolerance: _Tolerance,
        engine: str | None,
        random: np.random.Generator,
    ) -> None:
        self.name = name
        self.paths = paths
        self.modes = modes
        self.tolerance = tolerance
        self.engine = engine
        self.random = random

    def run(self, flat: Flat, values: list[Any], order: int, trail: tuple[str, ...]) -> None:
        """Check the first derivatives, then those of the derivatives."""
        out = flat(*values)
        for mode in self.modes:
            check = self._forward if mode == "forward" else self._reverse
            check(flat, values, out, (*trail, mode))
        if order > 1:
            for mode in self.modes:
                derived = self._derivative(flat, values, out, mode)
                self.run(derived, values, order - 1, (*trail, mode))

    def _derivative(self, flat: Flat, values: list[Any], out: Leaves, mode: str) -> Flat:
        """The derivative along a fixed direction, or of a fixed combination of the results."""
        if mode == "forward":
            tangents = tuple(_like(v, self._direction(v), _unit(v)) for v in values)
            return lambda *moved: jvp(flat, moved, tangents, engine=self.engine)[1]
        cotangents = self._cotangents(out)
        return lambda *moved: vjp(flat, *moved, engine=self.engine)[1](cotangents)

    def _direction(self, value: Any) -> Any:
        """Numbers about as large as those of a value, none of them zero."""
        numbers = _numbers(value)
        return self._drawn(numbers.shape, numbers.dtype.kind == "c") * _size(value)

    def _drawn(self, shape: tuple[int, ...], is_complex: bool) -> Any:
        signs = self.random.choice([-1.0, 1.0], shape)
        drawn = signs * self.random.uniform(0.5, 1.5, shape)
        return drawn + 1j * self._drawn(shape, False) if is_complex else drawn

    def _cotangents(self, out: Leaves) -> Leaves:
        """Such that with its result each gives a pure number of the order of one."""
        return tuple(
            _like(o, self._drawn(n.shape, n.dtype.kind == "c") / _size(o), Unit("") / _unit(o))
            for o, n in ((o, _numbers(o)) for o in out)
        )

    def _forward(self, flat: Flat, values: list[Any], out: Leaves, trail: tuple[str, ...]) -> None:
        eps = self.tolerance.eps
        for i, path in enumerate(self.paths):
            direction = self._direction(values[i])
            tangents = tuple(
                _like(v, direction if j == i else np.zeros(_numbers(v).shape), _unit(v))
                for j, v in enumerate(values)
            )
            _, changes = jvp(flat, tuple(values), tangents, engine=self.engine)
            sides = [
                flat(*(_moved(v, s * eps * direction) if j == i else v for j, v in _each(values)))
                for s in (1, -1)
            ]
            for o, change, high, low in zip(out, changes, *sides, strict=True):
                expected = (_wide(high) - _wide(low)) / (2 * eps)
                actual = _in_unit(change, _unit(o))
                noise = self.tolerance.precision * _size(o) / eps
                self._compare(path, trail, expected, actual, noise, _unit(o))

    def _reverse(self, flat: Flat, values: list[Any], out: Leaves, trail: tuple[str, ...]) -> None:
        cotangents = self._cotangents(out)
        weights = [_wide(ct) for ct in cotangents]
        _, pull = vjp(flat, *values, engine=self.engine)
        backs = pull(cotangents)

        def paired(moved: list[Any]) -> float:
            parts = flat(*moved)
            return sum(
                float(np.real(np.sum(w * _wide(p)))) for w, p in zip(weights, parts, strict=True)
            )

        sizes = [float(np.sum(np.abs(w * _wide(o)))) for w, o in zip(weights, out, strict=True)]
        for i, path in enumerate(self.paths):
            value = values[i]
            unit = Unit("") / _unit(value)
            step = self.tolerance.eps * _size(value)
            noise = self.tolerance.precision * sum(sizes) / step
            actual = _in_unit(backs[i], unit)
            expected = actual.copy()
            for place in self._places(actual.shape):
                expected[place] = self._slope(paired, values, i, place, step)
            self._compare(path, trail, expected, actual, noise, unit)

    def _places(self, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Elements to move: all of a few, some of many."""
        count = int(np.prod(shape))
        chosen = np.arange(count)
        if count > _ELEMENTS:
            chosen = self.random.choice(count, _ELEMENTS, replace=False)
        return [tuple(int(k) for k in np.unravel_index(each, shape)) for each in chosen]

    def _slope(
        self,
        paired: Callable[[list[Any]], float],
        values: list[Any],
        i: int,
        place: tuple[int, ...],
        step: float,
    ) -> complex:
        """How the paired results change with one element; cotangents pair without conjugation."""
        numbers = _numbers(values[i])

        def along(factor: complex) -> float:
            move = np.zeros(numbers.shape, np.result_type(type(factor), numbers.dtype))
            move[place] = factor * step
            high, low = (
                paired([_moved(v, s * move) if j == i else v for j, v in _each(values)])
                for s in (1, -1)
            )
            return (high - low) / (2 * step)

        return along(1.0) - 1j * along(1j) if numbers.dtype.kind == "c" else along(1.0)

    def _compare(
        self,
        path: str,
        trail: tuple[str, ...],
        expected: Any,
        actual: Any,
        noise: float,
        unit: Unit,
    ) -> None:
        if expected.shape != actual.shape:
            raise ShapeMismatch(f"the derivative of {self.name}", expected.shape, actual.shape)
        if not expected.size:
            return
        largest = float(np.max(np.abs(expected)))
        allowed = self.tolerance.rtol * np.abs(expected) + self.tolerance.atol * largest
        excess = np.abs(actual - expected) - allowed - 20 * noise
        if np.all(excess <= 0):  # nan is never right
            return
        worst = np.unravel_index(int(np.argmax(np.where(excess > 0, excess, 0))), excess.shape)
        if np.isnan(excess).any():
            worst = tuple(np.argwhere(np.isnan(excess))[0])
        raise DerivativeMismatch(
            self.name,
            path,
            " of ".join(reversed(trail)),
            len(trail),
            tuple(int(k) for k in worst),
            f"{expected[worst]:.8g} {unit}".rstrip(),
            f"{actual[worst]:.8g} {unit}".rstrip(),
        )


def _each(values: list[Any]) -> Iterable[tuple[int, Any]]:
    return enumerate(values)


def _wide(value: Any) -> Any:
    """The numbers of a value with all digits that differences of them need."""
    numbers = _numbers(value)
    return numbers.astype(np.result_type(numbers.dtype, np.float64))


def _in_unit(value: Any, unit: Unit) -> Any:
    """The numbers of a derivative in the unit that it should have."""
    found = value.to(unit) if isinstance(value, DimArray) else value
    return _wide(found)
