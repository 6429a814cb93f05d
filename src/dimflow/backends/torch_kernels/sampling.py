"""Random draws. The generator decides whose numbers they are, and where they live.

A `torch.Generator` gives PyTorch's numbers on its device; a seed or a generator of NumPy's gives
the numbers that NumPy gives, whichever library the arrays beside it are of.
"""

from typing import Any

import torch
from torch import Tensor

from dimflow.backends.numpy_kernels import sampling as numpy_draws
from dimflow.backends.torch_kernels.functions import floated
from dimflow.ops.families.sampling import drawn_shape, size_of


def _by_numpy(name: str, *args: Any, dtype: Any, generator: Any, **options: Any) -> Any:
    """NumPy's numbers, on the device of the first tensor."""
    given = [a.detach().cpu().numpy() if isinstance(a, Tensor) else a for a in args]
    if dtype is not None:
        options["dtype"] = str(dtype).rpartition(".")[2]
    drawn = getattr(numpy_draws, name)(*given, generator=generator, **options)
    place = next((a.device for a in args if isinstance(a, Tensor)), None)
    return torch.as_tensor(drawn, device=place)


def _empty(size: Any, dtype: Any, generator: torch.Generator) -> Any:
    kind = torch.get_default_dtype() if dtype is None else dtype
    return torch.empty(size_of(size), dtype=kind, device=generator.device)


def random_uniform(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Between 0 and 1."""
    return _empty(size, dtype, generator).uniform_(generator=generator)


def random_normal(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Mean 0, deviation 1."""
    return _empty(size, dtype, generator).normal_(generator=generator)


def random_exponential(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Mean 1."""
    return _empty(size, dtype, generator).exponential_(generator=generator)


def random_cauchy(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    return _empty(size, dtype, generator).cauchy_(generator=generator)


def random_laplace(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """The difference of two exponential numbers."""
    options = {"dtype": dtype, "generator": generator}
    return random_exponential(size, **options) - random_exponential(size, **options)


def random_gumbel(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """The logarithm of an exponential number, turned around."""
    return -torch.log(random_exponential(size, dtype=dtype, generator=generator))


def random_logistic(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """The difference of two logarithms of exponential numbers."""
    options = {"dtype": dtype, "generator": generator}
    return random_gumbel(size, **options) - random_gumbel(size, **options)


def _parameter(name: str, value: Any, size: Any, dtype: Any, generator: Any) -> Any:
    """A parameter for each number of a sample, where the generator draws."""
    shape = drawn_shape(name, size, value)
    kind = floated(torch.as_tensor(value)).dtype if dtype is None else dtype
    return torch.as_tensor(value, dtype=kind, device=generator.device).expand(shape)


def random_gamma(shape: Any, /, size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Scale 1."""
    if not isinstance(generator, torch.Generator):
        return _by_numpy("random_gamma", shape, size=size, dtype=dtype, generator=generator)
    shapes = _parameter("random_gamma", shape, size, dtype, generator).detach()
    return torch._standard_gamma(shapes, generator=generator)


def random_poisson(lam: Any, /, size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Counts."""
    if not isinstance(generator, torch.Generator):
        return _by_numpy("random_poisson", lam, size=size, dtype=dtype, generator=generator)
    means = _parameter("random_poisson", lam, size, None, generator).detach()
    return torch.poisson(means, generator=generator).to(dtype or torch.int64)


def random_permutation(n: int, *, generator: Any) -> Any:
    """Indices in random order."""
    return torch.randperm(n, generator=generator, device=generator.device)
