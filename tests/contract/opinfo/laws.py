"""The laws that a sample is held to: values, derivatives of both modes and two orders, libraries.

PyTorch pairs cotangents with a conjugate and we do not, so that its gradient is the conjugate of
ours.
"""

from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
import torch

from dimflow import autodiff
from dimflow.backends import backend_of
from tests.contract.opinfo import gauges
from tests.contract.opinfo.registry import ADAPTERS
from tests.contract.opinfo.samples import Call, record, results_of, to_numpy, to_tensor

Flat = Callable[..., tuple[Any, ...]]


class Trial:
    """One sample: PyTorch's function and ours, of the leaves that are differentiated."""

    def __init__(self, name: str, dtype: str, call: Call) -> None:
        self.name = name
        self.call = call
        self.record = record(name)
        self.rng = np.random.default_rng([crc32(name.encode()), crc32(dtype.encode()), call.number])
        self.values = [to_numpy(t) for t in call.tensors]
        self.processed = gauges.RESULTS.get(name, results_of)
        self.prepared = gauges.ARGUMENTS.get(name, lambda *args, **kwargs: (args, kwargs))
        args, kwargs = self.prepared(
            *((call.sample.input, *call.sample.args)), **call.sample.kwargs
        )
        found = self.record(*args, **kwargs)
        self.wanted = list(self.processed(found))
        self.precision = self._precision()

    def _precision(self) -> float:
        """That of the least precise tensor of the sample, beside double precision."""
        leaves = [x for x in (*self.call.leaves, *self.wanted) if torch.is_tensor(x)]
        bits = [
            torch.finfo(x.dtype).bits for x in leaves if x.is_floating_point() or x.is_complex()
        ]
        return {16: 1e6, 32: 1e4}.get(min(bits, default=64), 1.0)

    # PyTorch's side

    def wanted_value(self) -> list[Any]:
        return [to_numpy(leaf) for leaf in self.wanted]

    def ends(self) -> list[int]:
        """The results that PyTorch has a derivative of."""
        mine = self.ours(to_numpy)(*self.values)
        return [
            i
            for i, (w, m) in enumerate(zip(self.wanted, mine, strict=True))
            if torch.is_tensor(w) and w.requires_grad and m is not None
        ]

    def torch_gradient(self, ends: list[int], cts: list[Any], order: bool = False) -> list[Any]:
        """The cotangents of the leaves in our convention; tensors on PyTorch's graph if asked."""
        given = [tensor_of(np.conj(ct)) for ct in cts]
        found = torch.autograd.grad(
            [self.wanted[i] for i in ends],
            self.call.tensors,
            given,
            create_graph=order,
            retain_graph=True,
            allow_unused=True,
            materialize_grads=True,
        )
        return [g.conj() for g in found]

    # Ours

    def ours(self, convert: Callable[[Any], Any]) -> Flat:
        """Our function of the leaves, the other arguments converted to a library."""

        def function(*values: Any) -> tuple[Any, ...]:
            args, kwargs = self.call.arguments(values, convert)
            args, kwargs = self.prepared(*args, **kwargs)
            return tuple(self.processed(ADAPTERS[self.name](*args, **kwargs)))

        return function

    def differentiable(self, ends: list[int], convert: Callable[[Any], Any]) -> Flat:
        """The same, with those results alone that are differentiated."""
        function = self.ours(convert)
        return lambda *values: tuple(function(*values)[i] for i in ends)

    def draw(self, like: Any) -> Any:
        """Random numbers of the shape and dtype of a value."""
        like = np.asarray(like)
        drawn = self.rng.normal(size=like.shape)
        if like.dtype.kind == "c":
            drawn = drawn + 1j * self.rng.normal(size=like.shape)
        return np.asarray(drawn, like.dtype)


def tensor_of(value: Any) -> Any:
    """A tensor of NumPy's array or number."""
    return torch.from_numpy(np.asarray(value))


def agree(got: Any, wanted: Any, what: str, rtol: float) -> None:
    """Same shape, and values that differ little beside the largest."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape, f"{what}: shape {got.shape}, not {wanted.shape}"
    if got.dtype.kind not in "fc" and wanted.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, wanted, err_msg=what)
        return
    finite = np.abs(wanted[np.isfinite(wanted)])
    atol = rtol * float(finite.max(initial=0.0)) + rtol * 1e-2
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol, err_msg=what)


def value(trial: Trial, rtol: float) -> None:
    """Our op gives what PyTorch gives."""
    got = trial.ours(to_numpy)(*trial.values)
    wanted = trial.wanted_value()
    assert len(got) == len(wanted), f"{len(got)} results, not {len(wanted)}"
    for i, (g, w) in enumerate(zip(got, wanted, strict=True)):
        if g is not None and w is not None:
            agree(g, w, f"result {i}", rtol)


def _pulled(trial: Trial, ends: list[int], cts: list[Any]) -> list[Any]:
    function = trial.differentiable(ends, to_numpy)
    _, pull = autodiff.vjp(function, trial.values)
    return list(pull(tuple(cts)))


def gradient(trial: Trial, rtol: float) -> None:
    """The own engine's cotangents are PyTorch's, in the dtype of the argument."""
    ends = trial.ends()
    cts = [trial.draw(to_numpy(trial.wanted[i])) for i in ends]
    wanted = trial.torch_gradient(ends, cts)
    got = _pulled(trial, ends, cts)
    for i, (g, w, x) in enumerate(zip(got, wanted, trial.values, strict=True)):
        agree(g, to_numpy(w), f"gradient by {i}", rtol)
        assert np.asarray(g).dtype == x.dtype, f"gradient by {i}: {g.dtype} for {x.dtype}"


def pairing(trial: Trial, rtol: float) -> None:
    """Both modes: <ct, jvp(t)> = <vjp(ct), t>, where there is something to change."""
    ends = trial.ends()
    wanted = [to_numpy(trial.wanted[i]) for i in ends]
    cts = [np.where(np.isfinite(w), trial.draw(w), 0) for w in wanted]
    tangents = [trial.draw(x) for x in trial.values]
    function = trial.differentiable(ends, to_numpy)
    _, moved = autodiff.jvp(function, trial.values, tangents)
    backs = _pulled(trial, ends, cts)
    for i, (m, ct) in enumerate(zip(moved, cts, strict=True)):
        assert np.shape(m) == np.shape(ct), f"tangent {i}: {np.shape(m)} for {np.shape(ct)}"
    terms = [np.real(ct * m)[ct != 0] for ct, m in zip(cts, moved, strict=True)]
    others = [np.real(b * t) for b, t in zip(backs, tangents, strict=True)]
    if not all(np.isfinite(x).all() for x in (*wanted, *others)):
        return  # 0 * nan on the way back
    size = sum(float(np.abs(t).sum()) for t in (*terms, *others)) + 1.0
    left, right = (sum(float(np.sum(t)) for t in part) for part in (terms, others))
    np.testing.assert_allclose(left, right, rtol=rtol, atol=rtol * size, err_msg="pairing")


def second(trial: Trial, rtol: float) -> None:
    """The gradient of a linear functional of the gradient is PyTorch's double backward."""
    ends = trial.ends()
    cts = [trial.draw(to_numpy(trial.wanted[i])) for i in ends]
    weights = [trial.draw(x) for x in trial.values]
    firsts = trial.torch_gradient(ends, cts, order=True)
    on_graph = [(f, w) for f, w in zip(firsts, weights, strict=True) if f.requires_grad]
    wanted: Any = [torch.zeros_like(t) for t in trial.call.tensors]
    if on_graph:
        wanted = torch.autograd.grad(
            [f for f, _ in on_graph],
            trial.call.tensors,
            [tensor_of(np.conj(w)) for _, w in on_graph],
            allow_unused=True,
            materialize_grads=True,
        )
    function = trial.differentiable(ends, to_numpy)

    def gradients(*values: Any) -> tuple[Any, ...]:
        return tuple(autodiff.vjp(function, values)[1](tuple(cts)))

    _, pull = autodiff.vjp(gradients, trial.values)
    for i, (g, w) in enumerate(zip(pull(tuple(weights)), wanted, strict=True)):
        agree(g, to_numpy(w.conj()), f"second order by {i}", rtol)


def tensors(trial: Trial, rtol: float) -> None:
    """The own engine gives on PyTorch's tensors what it gives on NumPy's arrays."""
    ends = trial.ends()
    cts = [trial.draw(to_numpy(trial.wanted[i])) for i in ends]
    wanted = _pulled(trial, ends, cts)
    function = trial.differentiable(ends, to_tensor)
    _, pull = autodiff.vjp(function, [tensor_of(x) for x in trial.values])
    for i, (g, w) in enumerate(zip(pull(tuple(map(tensor_of, cts))), wanted, strict=True)):
        agree(backend_of(g).to_numpy(g), w, f"gradient of tensors by {i}", rtol)
