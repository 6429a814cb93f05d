"""Rules of functions of Dask's that are no ops of the table, in the words of its vocabulary.

Each is a record as in the table, with a signature, a unit rule and what it does with points;
Dask's own function does the work.
"""

from typing import Any

from dimflow.array.numpy_host.rules import rule
from dimflow.errors import PureNumberError
from dimflow.ops import Op
from dimflow.ops.rules import points
from dimflow.ops.rules.units import (
    PURE,
    RADIAN,
    Call,
    Resolved,
    UnitRule,
    any_to_plain,
    first,
    pure,
    pure_to_plain,
    pure_to_pure,
    same,
    same_to_plain,
    to,
    unit_of,
    unit_rule,
)
from dimflow.units import Unit
from dimflow.units.meaning import Affine


@unit_rule(params=True)
def _moment(call: Call) -> Resolved:
    """The power of a difference from the mean."""
    unit = unit_of(call, 0).delta
    return Resolved(to(call, None), unit ** call.params["order"])


@unit_rule(params=True)
def _moment_of_stats(call: Call) -> Resolved:
    return Resolved(to(call, None), unit_of(call, 0).delta ** call.params["moment"])


@unit_rule(params=True)
def _average(call: Call) -> Resolved:
    """Weights count relative to each other; their sum is in their own unit."""
    unit, weights = unit_of(call, 0), unit_of(call, 1)
    targets = (None, None)
    return Resolved(targets, (unit, weights) if call.params["returned"] else unit)


@unit_rule
def _pure_of_any(call: Call) -> Resolved:
    """Ratios: a factor on the array does not change them."""
    return Resolved(to(call, None), PURE)


@unit_rule
def _lu(call: Call) -> Resolved:
    """P, L of pure numbers, U in the unit of the matrix."""
    return Resolved(to(call, None), (PURE, PURE, unit_of(call, 0)))


@unit_rule
def _singular(call: Call) -> Resolved:
    return Resolved(to(call, None), (PURE, unit_of(call, 0), PURE))


@unit_rule
def _orthogonal_and_rest(call: Call) -> Resolved:
    return Resolved(to(call, None), (PURE, unit_of(call, 0)))


@unit_rule(params=True)
def _tall_qr(call: Call) -> Resolved:
    return (_singular if call.params["compute_svd"] else _orthogonal_and_rest)(call)


@unit_rule
def _solution(call: Call) -> Resolved:
    return Resolved(to(call, None), unit_of(call, 1) / unit_of(call, 0))


@unit_rule
def _scaled_last(call: Call) -> Resolved:
    """A shape of pure numbers, then a scale in whose unit the draw is: gamma(shape, scale)."""
    pure(call, 0)
    return Resolved((PURE, None), unit_of(call, 1))


@unit_rule
def _angles(call: Call) -> Resolved:
    """A mean direction, which is an angle, and how closely draws gather about it."""
    unit = call.units[0]
    if isinstance(unit, Unit) and unit.dimension not in (RADIAN.dimension, PURE.dimension):
        hint = "it takes an angle or a pure number"
        raise PureNumberError(call.op.name, unit, call.argument(0), hint)
    pure(call, 1)
    return Resolved((PURE, PURE), RADIAN)


def _about_points(rule: UnitRule, call: Call) -> Resolved:
    """Draws about a point, such as 20 degC: their spread is a difference."""
    place = call.units[0]
    if not isinstance(place, Unit) or not isinstance(place.law, Affine):
        return points.refuse(rule, call)
    linear = call._replace(units=(place.delta, *call.units[1:]))
    if any(unit.law is not None for unit in linear.proper):
        return points.refuse(rule, call)
    return Resolved((None, *rule(linear).targets[1:]), place)


_KEPT = {"points": points.free}
_PICKED = {"points": points.keep}
_BLENDED = {"points": points.blend}

# The parameters of draws, with NumPy's defaults.
_ABOUT = ("normal", "laplace", "logistic", "gumbel")
_PURE_DRAWS = {
    "beta": "a, b",
    "binomial": "n, p",
    "chisquare": "df",
    "f": "dfnum, dfden",
    "geometric": "p",
    "lognormal": "mean=0.0, sigma=1.0",
    "logseries": "p",
    "negative_binomial": "n, p",
    "noncentral_chisquare": "df, nonc",
    "noncentral_f": "dfnum, dfden, nonc",
    "pareto": "a",
    "poisson": "lam=1.0",
    "power": "a",
    "standard_gamma": "shape",
    "standard_t": "df",
    "weibull": "a",
    "zipf": "a",
}


def _drawn(name: str, parameters: str, unit: Any, **fields: Any) -> tuple[str, str, Any, Any]:
    names = tuple(part.partition("=")[0].strip() for part in parameters.split(","))
    return f"random.{name}", parameters, unit, {"arrays": names, **fields}


RULES: dict[str, Op] = {
    name: rule(name, signature, unit, **fields)
    for name, signature, unit, fields in (
        # numbers picked, moved, or cut into other blocks
        ("topk", "x, /", same, _PICKED),
        ("argtopk", "x, /", same_to_plain, _PICKED),
        ("push", "x, /", same, _KEPT),
        ("rechunk", "x, /", same, _KEPT),
        ("reshape_blockwise", "x, /", same, _KEPT),
        ("shuffle", "x, /", same, _KEPT),
        ("overlap.sliding_window_view", "x, /", same, _KEPT),
        ("overlap.periodic", "x, /", same, _KEPT),
        ("overlap.reflect", "x, /", same, _KEPT),
        ("overlap.nearest", "x, /", same, _KEPT),
        ("overlap.overlap_internal", "x, /", same, _KEPT),
        ("overlap.trim_internal", "x, /", same, _KEPT),
        ("overlap.constant", "x, /, *, value", same, {"arrays": ("x", "value"), **_PICKED}),
        ("insert", "x, /, *, values", same, {"arrays": ("x", "values"), **_PICKED}),
        ("union1d", "x, y, /", same, _PICKED),
        ("random.permutation", "x, /", same, _KEPT),
        ("random.choice", "a, /, *, p=None", first, {"arrays": ("a", "p"), **_KEPT}),
        # questions
        ("isnull", "x, /", any_to_plain, _KEPT),
        ("notnull", "x, /", any_to_plain, _KEPT),
        # statistics
        ("ptp", "x, /", same, {"points": points.delta}),
        ("moment", "x, /, *, order", _moment, _BLENDED),
        (
            "average",
            "x, /, *, weights=None, returned=False",
            _average,
            {"arrays": ("x", "weights"), **_BLENDED},
        ),
        ("stats.moment", "x, /, *, moment=1", _moment_of_stats, _BLENDED),
        ("stats.skew", "x, /", _pure_of_any, _BLENDED),
        ("stats.kurtosis", "x, /", _pure_of_any, _BLENDED),
        ("stats.skewtest", "x, /", any_to_plain, _BLENDED),
        ("stats.kurtosistest", "x, /", any_to_plain, _BLENDED),
        ("stats.normaltest", "x, /", any_to_plain, _BLENDED),
        ("stats.ttest_1samp", "x, y, /", same_to_plain, _BLENDED),
        ("stats.ttest_ind", "x, y, /", same_to_plain, _BLENDED),
        ("stats.ttest_rel", "x, y, /", same_to_plain, _BLENDED),
        ("stats.f_oneway", "*arrays", same_to_plain, _BLENDED),
        ("stats.chisquare", "x, y=None, /", pure_to_plain, {}),
        ("stats.power_divergence", "x, y=None, /", pure_to_plain, {}),
        # matrices
        ("linalg.lu", "x, /", _lu, {}),
        ("linalg.tsqr", "x, /, *, compute_svd=False", _tall_qr, {}),
        ("linalg.sfqr", "x, /", _orthogonal_and_rest, {}),
        ("linalg.solve_triangular", "a, b, /", _solution, {}),
        ("linalg.svd_compressed", "x, /", _singular, {}),
        ("linalg.compression_matrix", "x, /", _pure_of_any, {}),
        # draws
        *(_drawn(name, "loc=0.0, scale=1.0", same, points=_about_points) for name in _ABOUT),
        *(_drawn(name, names, pure_to_pure) for name, names in _PURE_DRAWS.items()),
        _drawn("uniform", "low=0.0, high=1.0", same, **_BLENDED),
        _drawn("triangular", "left, mode, right", same, **_BLENDED),
        _drawn("wald", "mean, scale", same),
        _drawn("exponential", "scale=1.0", same),
        _drawn("rayleigh", "scale=1.0", same),
        _drawn("gamma", "shape, scale=1.0", _scaled_last),
        _drawn("vonmises", "mu, kappa", _angles),
    )
}
