"""Code written to the standard: SciPy's and scikit-learn's array-API paths run on DimArrays."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import array_api_compat
import numpy as np
import pytest

import dimflow
from dimflow import DimArray, Unit, xp
from dimflow.errors import UnitError
from dimflow.transforms.spec import Spec

# What becomes of metres: a unit; None is a plain number of Python's; an error has its name.
METRES: dict[str, str | None] = {
    "stats.zscore": "",
    "stats.zmap": "",
    "stats.gmean": "PureNumberError",
    "stats.hmean": "m",
    "stats.pmean": "m",
    "stats.skew": "UnitError",
    "stats.kurtosis": "",
    "stats.moment": "m**2",
    "stats.sem": "m",
    "stats.kstat": "m**2",
    "stats.variation": "",
    "stats.tmean": "PureNumberError",
    "stats.tvar": "m**2",
    "stats.tmin": "m",
    "stats.gzscore": "PureNumberError",
    "stats.pearsonr": "",
    "stats.bartlett": "PureNumberError",
    "stats.levene": "",
    "stats.iqr": "m",
    "stats.lmoment": "m",
    "stats.skewtest": "UnitError",
    "stats.normaltest": "UnitError",
    "stats.rankdata_min": "",
    "stats.differential_entropy": "PureNumberError",
    "stats.wilcoxon": "",
    "stats.mannwhitneyu": "",
    "stats.spearmanrho": "",
    "stats.linregress": "UnitLossError",
    "stats.circvar": "PureNumberError",
    "stats.entropy": "",
    "stats.quantile": "m",
    "stats.rankdata": "",
    "stats.trim_mean": "m",
    "stats.sigmaclip": "m",
    "stats.ttest_ind": "",
    "stats.ttest_1samp": "",
    "stats.f_oneway": "",
    "stats.jarque_bera": "UnitError",
    "stats.circmean": "PureNumberError",
    "special.logsumexp": "PureNumberError",
    "special.softmax": "PureNumberError",
    "special.erf": "UnitLossError",
    "special.gammaln": "UnitLossError",
    "signal.fftconvolve": "m**2",
    "signal.hilbert": "m",
    "signal.resample": "m",
    "signal.detrend": "UnitLossError",
    "fft.fft": "m",
    "fft.rfft": "m",
    "integrate.trapezoid": "m",
    "integrate.cumulative_trapezoid": "m",
    "cluster.whiten": "UnitError",
    "optimize.rosen": "DimensionError",
    "ndimage.gaussian_filter": "UnitLossError",
    "spatial.Rotation": "DimensionError",
    "PCA.fit_transform": "UnitError",
    "PCA.transform": "m",
    "PCA.variance": "m**2",
    "LinearDiscriminantAnalysis": "UnitError",
    "LinearDiscriminantAnalysis.predict": "UnitError",
    "Ridge": "DimensionError",
    "Ridge.predict": "DimensionError",
    "Ridge.cross_val_predict": "DimensionError",
    "StandardScaler": "DimensionError",
    "MinMaxScaler": "DimensionError",
    "MaxAbsScaler": "DimensionError",
    "Normalizer": "DimensionError",
    "PolynomialFeatures": "UnitError",
    "KernelCenterer": "m**2",
    "LabelEncoder": "",
    "train_test_split": "m",
    "linear_kernel": "m**2",
    "rbf_kernel": "DimensionError",
    "cosine_similarity": "DimensionError",
    "mean_squared_error": "UnitLossError",
    "mean_absolute_error": "UnitLossError",
    "r2_score": None,
    "explained_variance_score": None,
    "accuracy_score": None,
    "f1_score": None,
    "confusion_matrix": "",
    "log_loss": None,
    "brier_score_loss": None,
    "zero_one_loss": None,
    "max_error": "UnitLossError",
    "d2_absolute_error_score": "UnitError",
    "mean_absolute_percentage_error": "DimensionError",
    "euclidean_distances": "DimensionError",
    "LinearRegression": "UnitLossError",
    "KBinsDiscretizer": "UnitLossError",
    "Binarizer": "UnitError",
    "LabelBinarizer": "",
}
PLAIN = {"mean_squared_error", "mean_absolute_error", "r2_score", "explained_variance_score"}
PLAIN |= {"accuracy_score", "f1_score", "log_loss", "brier_score_loss", "zero_one_loss"}
PLAIN |= {"max_error", "d2_absolute_error_score", "mean_absolute_percentage_error"}
PLAIN |= {"stats.linregress"}


@cache
def outcomes() -> dict[str, tuple[Any, Any]]:
    program = Path(__file__).with_name("consumers.py")
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return {name: (pure, metres) for name, pure, metres in lines}


def test_every_call_is_classified() -> None:
    assert outcomes().keys() == METRES.keys()


@pytest.mark.parametrize("name", sorted(METRES))
def test_pure_numbers_give_what_arrays_of_numpy_give(name: str) -> None:
    assert outcomes()[name][0] == {"unit": None if name in PLAIN else "", "same": True}


@pytest.mark.parametrize("name", sorted(METRES))
def test_metres_keep_their_meaning_or_are_refused(name: str) -> None:
    found, wanted = outcomes()[name][1], METRES[name]
    if wanted is not None and wanted.endswith("Error"):
        assert found["error"] == wanted, found
    else:
        assert found == {"unit": wanted, "same": True}


def test_array_api_compat_knows_our_arrays() -> None:
    x = xp.asarray([1.0, 2.0], unit="m")
    assert array_api_compat.is_array_api_obj(x)
    assert not array_api_compat.is_numpy_array(x)
    assert array_api_compat.array_namespace(x, 1.0) is xp
    assert array_api_compat.device(x) == "cpu"
    assert array_api_compat.size(x) == 2
    assert array_api_compat.to_device(x, "cpu").unit == Unit("m")


def standardized(x: Any) -> Any:
    """As a user writes it to the standard."""
    xp = x.__array_namespace__()
    spread = xp.std(x, axis=0, correction=1, keepdims=True)
    return (x - xp.mean(x, axis=0, keepdims=True)) / xp.where(
        spread == 0, xp.ones_like(spread), spread
    )


@pytest.mark.parametrize("library", ["numpy", "torch", "jax", "mlx", "array_api_strict"])
def test_one_function_for_every_library(library: str) -> None:
    numbers = np.asarray([[1.0, 7.0], [2.0, 7.0], [4.0, 7.0]], np.float32)
    got = standardized(DimArray(numbers, "km").to_backend(library))
    assert got.backend == library
    assert got.unit == Unit("")
    spread = np.std(numbers, axis=0, ddof=1)
    wanted = (numbers - numbers.mean(0)) / np.where(spread == 0, 1, spread)
    np.testing.assert_allclose(got.to_numpy(), wanted, rtol=1e-5)


def test_code_to_the_standard_is_checked_without_data() -> None:
    assert dimflow.check(standardized, "km[30, 4]") == Spec(Unit(""), (30, 4))

    def several(x: Any) -> Any:
        xp = x.__array_namespace__()
        below = xp.less(x, xp.mean(x))
        flat = xp.reshape(x, (9,), copy=False)
        return xp.where(below, x, 0), xp.argsort(flat), xp.linalg.trace(x), xp.ones(3) * x

    found = dimflow.check(several, "km[3, 3]")
    assert [str(spec.unit) for spec in found] == ["km", "", "km", "km"]
    assert [spec.shape for spec in found] == [(3, 3), (9,), (), (3, 3)]
    with pytest.raises(UnitError):
        dimflow.check(lambda x: x.__array_namespace__().exp(x), "km[3]")
