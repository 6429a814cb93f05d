"""Reductions without nan, on NumPy: its functions take an argument left out, but not None."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow.backends.numpy_kernels.joining import widened


def _leaving_out(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """NumPy's function, called without the optional arrays that were not given."""

    def kernel(x: Any, **options: Any) -> Any:
        for optional in ("initial", "where", "mean"):
            if options.get(optional, 0) is None:
                del options[optional]
        if "initial" in options and options.get("dtype") is None:
            x = widened(x, options["initial"])  # NumPy would cut it off
        return function(x, **options)

    kernel.__name__ = name
    return kernel


nansum = _leaving_out(np.nansum, "nansum")
nanprod = _leaving_out(np.nanprod, "nanprod")
nanmean = _leaving_out(np.nanmean, "nanmean")
nanvar = _leaving_out(np.nanvar, "nanvar")
nanstd = _leaving_out(np.nanstd, "nanstd")
nanmax = _leaving_out(np.nanmax, "nanmax")
nanmin = _leaving_out(np.nanmin, "nanmin")
