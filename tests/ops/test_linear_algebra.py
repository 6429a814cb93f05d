"""Products of tensors: subscripts of every form, transposes, batches, units, and bad input."""

from itertools import product as every
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import PointError, ShapeMismatch
from dimflow.ops.families.linalg import contraction
from dimflow.ops.families.linalg.linear_algebra import _cheapest
from dimflow.ops.rules.derivatives import Zero
from dimflow.units import Unit
from tests.contract.evaluate import leaves, quietly
from tests.contract.finite_differences import differentiable_places, random_tangents, tangent_of
from tests.contract.samples import cases, cast

LENGTHS = {"a": 2, "b": 3, "c": 1, "d": 4, "e": 2}
RNG = np.random.default_rng(5)

FAMILIES = {
    "linear_algebra",
    "solving",
    "determinants",
    "matrix_functions",
    "decompositions",
    "eigenvalues",
    "norms",
    "fourier",
}


@st.composite
def einsums(draw: Any) -> tuple[str, list[Any]]:
    """Valid subscripts, with repeated letters, broadcast ones and ellipsis, and operands."""
    terms = draw(st.lists(st.text("abcde", max_size=4), min_size=1, max_size=3))
    letters = sorted(set("".join(terms)))
    rest = draw(st.integers(0, 2)) if draw(st.booleans()) else None
    output = "".join(
        draw(
            st.permutations(draw(st.lists(st.sampled_from(letters), unique=True)))
            if letters
            else st.just([])
        )
    )
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    spelled, operands = [], []
    for term in terms:
        # a letter may be broadcast from 1 where it stands once in its term
        shape = [
            1 if term.count(c) == 1 and draw(st.integers(0, 4)) == 0 else LENGTHS[c] for c in term
        ]
        if rest is not None:
            extra = draw(st.integers(0, rest))
            shape = [*([3, 2][2 - extra :]), *shape]
            term = "..." + term
        spelled.append(term)
        operands.append(rng.normal(size=shape))
    if rest is not None:
        output = "..." + output
    arrow = f"->{output}" if draw(st.integers(0, 3)) else ""
    return ",".join(spelled) + arrow, operands


def numpy_einsum(subscripts: str, operands: list[Any]) -> Any:
    return np.einsum(subscripts, *operands)


@given(einsums())
def test_einsum_is_numpys(call: tuple[str, list[Any]]) -> None:
    subscripts, operands = call
    expected = numpy_einsum(subscripts, operands)
    np.testing.assert_allclose(ops.einsum(subscripts, *operands), expected, atol=1e-12)
    shapes = tuple(x.shape for x in operands)
    assert contraction.shape(shapes, {"subscripts": subscripts}) == expected.shape
    in_full = contraction.parsed(subscripts, [x.ndim for x in operands])
    np.testing.assert_allclose(np.einsum(str(in_full), *operands), expected, atol=1e-12)


@given(einsums())
def test_einsum_transposes_pass_the_dot_product_test(call: tuple[str, list[Any]]) -> None:
    subscripts, operands = call
    out = numpy_einsum(subscripts, operands)
    ct = np.random.default_rng(1).normal(size=out.shape)
    for i, x in enumerate(operands):
        back = contraction.transpose(i, ct, tuple(operands), {"subscripts": subscripts})
        assert back.shape == x.shape
        np.testing.assert_allclose(np.sum(back * x), np.sum(ct * out), atol=1e-9, rtol=1e-9)


@given(einsums(), st.data())
def test_a_batch_of_einsums_is_a_loop(call: tuple[str, list[Any]], data: Any) -> None:
    subscripts, operands = call
    batched = data.draw(st.lists(st.booleans(), min_size=len(operands), max_size=len(operands)))
    dims = tuple(
        data.draw(st.integers(0, x.ndim)) if b else None
        for x, b in zip(operands, batched, strict=True)
    )
    if not any(batched):
        return
    stacks = tuple(
        x if d is None else np.stack([x, 2 * x, -x], axis=d)
        for x, d in zip(operands, dims, strict=True)
    )
    params = {"subscripts": subscripts}
    result, dim = contraction.batch(ops.get("einsum"), stacks, dims, params)
    single = numpy_einsum(subscripts, operands)
    for k, factor in enumerate((1, 2, -1)):
        scale = factor ** sum(batched)
        np.testing.assert_allclose(np.take(result, k, axis=dim), scale * single, atol=1e-11)


@pytest.mark.parametrize(
    ("subscripts", "shapes", "wanted"),
    [
        ("ij,jk", [(2, 3)], "2 operands"),
        ("ij", [(2, 3), (3,)], "1 operands"),
        ("ij->ik", [(2, 3)], "letters of the operands"),
        ("ij->ii", [(2, 3)], "each once"),
        ("ijk", [(2, 3)], "axes 'ijk'"),
        ("i", [(2, 3)], "axes 'i'"),
        ("ij,jk", [(2, 3), (4, 2)], "one length for 'j': 3"),
    ],
)
def test_bad_subscripts_say_what_is_wrong(subscripts: str, shapes: Any, wanted: str) -> None:
    with pytest.raises(ShapeMismatch) as caught:
        contraction.shape(tuple(shapes), {"subscripts": subscripts})
    assert wanted in str(caught.value)


@pytest.mark.parametrize("n", [3, 60])
def test_large_einsums_take_the_path_of_matrix_products(n: int) -> None:
    x, y, z = (np.random.default_rng(i).normal(size=(n, n)) for i in range(3))
    np.testing.assert_allclose(ops.einsum("ij,jk,kl->il", x, y, z), x @ y @ z, rtol=1e-9)


# Units


def test_units_multiply() -> None:
    force, way = DimArray([[1.0, 2.0]], "kN"), DimArray([[3.0, 4.0]], "m")
    assert ops.einsum("ij,ij->i", force, way).to_value("J").tolist() == [11000.0]
    assert ops.vecdot(force, way).to_value("J").tolist() == [11000.0]
    assert ops.tensordot(force, way, axes=2).to_value("J") == 11000.0
    assert ops.inner(force, way).unit == Unit("kN*m")
    assert ops.outer(force, way).unit == Unit("kJ")
    assert ops.kron(force, way).unit == Unit("kJ")
    assert ops.multi_dot(
        [
            force,
            way[0],
        ]
    ).unit == Unit("kJ")


def test_a_torque_is_a_cross_product() -> None:
    arm, force = DimArray([2.0, 0.0, 0.0], "cm"), DimArray([0.0, 5.0, 0.0], "N")
    torque = ops.cross(arm, force)
    np.testing.assert_allclose(torque.to_value("N*m"), [0, 0, 0.1])
    np.testing.assert_allclose((-ops.cross(force, arm)).to_value("N*m"), [0, 0, 0.1])


@pytest.mark.parametrize(("x", "y"), [((2,), (2,)), ((3,), (2,)), ((4,), (3,))])
def test_cross_is_defined_for_three_components(x: Any, y: Any) -> None:
    with pytest.raises(ShapeMismatch, match="vectors of 3 components"):
        ops.cross.definition(np.ones(x), np.ones(y))


@pytest.mark.parametrize(
    "name", sorted(n for n, op in ops.TABLE.items() if op.family in FAMILIES and op.unit)
)
def test_points_are_refused_but_shifted(name: str) -> None:
    op = ops.get(name)
    sample = op.domain(np.random.default_rng(0))[0]
    defaults = {n: p.default for n, p in op.signature.parameters.items()}
    params = {n: v for n, v in {**defaults, **sample.params}.items() if n not in op.array_names}
    args = [None if a is None else DimArray(np.asarray(a), "degC") for a in sample.args]
    args += [None] * (len(op.array_names) - len(args))
    if name in ("fftshift", "ifftshift"):
        assert op.run(tuple(args), params).unit == Unit("degC")
        return
    with pytest.raises(PointError, match="points in"):
        op.run(tuple(args), params)


# Chains, ranks, batches


def chains(lengths: list[int], i: int, j: int) -> int:
    """The fewest products for matrices i to j, by trying every order."""
    if i == j:
        return 0
    return min(
        chains(lengths, i, k)
        + chains(lengths, k + 1, j)
        + lengths[i] * lengths[k + 1] * lengths[j + 1]
        for k in range(i, j)
    )


@given(st.lists(st.integers(1, 9), min_size=3, max_size=7))
def test_chains_are_multiplied_in_the_cheapest_order(lengths: list[int]) -> None:
    splits = _cheapest(lengths)

    def cost(i: int, j: int) -> int:
        if i == j:
            return 0
        k = splits[i, j]
        return cost(i, k) + cost(k + 1, j) + lengths[i] * lengths[k + 1] * lengths[j + 1]

    assert cost(0, len(lengths) - 2) == chains(lengths, 0, len(lengths) - 2)


@pytest.mark.parametrize("ends", list(every((False, True), repeat=2)))
def test_the_definition_of_multi_dot_is_numpys(ends: tuple[bool, bool]) -> None:
    arrays = [RNG.normal(size=s) for s in ((2, 3), (3, 6), (6, 4), (4, 5))]
    arrays[0] = arrays[0][0] if ends[0] else arrays[0]
    arrays[-1] = arrays[-1][:, 0] if ends[1] else arrays[-1]
    expected = np.linalg.multi_dot(arrays)
    np.testing.assert_allclose(ops.multi_dot.definition(arrays), expected)
    np.testing.assert_allclose(ops.multi_dot(arrays), expected)


def test_one_matrix_is_no_chain() -> None:
    with pytest.raises(ShapeMismatch, match="two arrays or more"):
        ops.multi_dot.definition([np.eye(2)])


@given(st.integers(0, 3), st.integers(0, 3))
def test_the_definition_of_dot_takes_every_rank(left: int, right: int) -> None:
    x, y = RNG.normal(size=(2,) * left), RNG.normal(size=(2,) * right)
    np.testing.assert_allclose(ops.dot.definition(x, y), np.dot(x, y))
    np.testing.assert_allclose(ops.inner.definition(x, y), np.inner(x, y))
    np.testing.assert_allclose(ops.kron.definition(x, y), np.kron(x, y))


@given(st.integers(1, 3), st.integers(1, 3), st.data())
def test_a_batch_of_matrix_products_is_a_loop(left: int, right: int, data: Any) -> None:
    op = ops.get("matmul")
    x, y = RNG.normal(size=(5, *[2] * left)), RNG.normal(size=(5, *[2] * right))
    is_batched = data.draw(st.sampled_from([(True, True), (True, False), (False, True)]))
    places = [
        data.draw(st.integers(0, n)) if b else None
        for n, b in zip((left, right), is_batched, strict=True)
    ]
    args = tuple(
        np.moveaxis(a, 0, d) if d is not None else a[0] for a, d in zip((x, y), places, strict=True)
    )
    result, dim = op.batching(op, args, tuple(places), {})
    expected = [x[i if is_batched[0] else 0] @ y[i if is_batched[1] else 0] for i in range(5)]
    np.testing.assert_allclose(np.moveaxis(result, dim, 0), expected)


@pytest.mark.parametrize("shapes", [((2, 3), (2, 3)), ((), (3,)), ((3,), (2,))])
def test_matmul_refuses_shapes_that_do_not_meet(shapes: Any) -> None:
    with pytest.raises(ShapeMismatch, match="matmul"):
        ops.matmul.shape(shapes, {})


def test_tensordot_says_which_lengths_differ() -> None:
    with pytest.raises(ShapeMismatch, match=r"lengths \(3,\) on the right"):
        ops.tensordot.definition(np.ones((2, 3)), np.ones((2, 3)), axes=1)


@pytest.mark.parametrize(("shapes", "flops"), [(((3, 4), (4, 5)), 120), (((7, 3, 4), (4,)), 168)])
def test_the_cost_of_a_matrix_product(shapes: Any, flops: int) -> None:
    result = ops.matmul.shape(shapes, {})
    assert ops.matmul.cost(shapes, (result,), {}).flops == flops


# Precision


@pytest.mark.parametrize(
    "name",
    sorted(
        n
        for n, op in ops.TABLE.items()
        if op.family in FAMILIES and op.derivative and not isinstance(op.derivative, Zero)
    ),
)
def test_derivatives_stay_in_single_precision(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        is_complex = any(np.iscomplexobj(a) for a in case.args)
        single = cast(case, np.complex64 if is_complex else np.float32)
        if not case.smooth:
            continue
        tangents = random_tangents(op, single, differentiable_places(op, single))
        tangents = tuple(
            t if t is None else t.astype(np.asarray(a).dtype)
            for t, a in zip(tangents, single.args, strict=True)
        )
        results = leaves(quietly(op.run, single.args, single.params))
        changes = leaves(quietly(tangent_of, op, tangents, single.args, single.params))
        for result, change in zip(results, changes, strict=True):
            if change is not None:
                assert change.dtype == result.dtype, case.label
