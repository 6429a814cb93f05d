"""A program that hands DimArrays to SciPy's and scikit-learn's array-API paths.

SciPy reads SCIPY_ARRAY_API when it is imported, so this runs in a process of its own. It prints,
for every call, what came of pure numbers and of metres: the unit, and whether the numbers are those
that NumPy's arrays give; or the error.
"""

import json
import os
import warnings
from collections.abc import Callable
from typing import Any

os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import scipy.cluster.vq as vq
import scipy.constants
import scipy.fft
import scipy.integrate
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.special
import sklearn
from scipy import stats
from scipy.spatial.transform import Rotation
from sklearn import decomposition, discriminant_analysis, linear_model, metrics, preprocessing
from sklearn.metrics import pairwise
from sklearn.model_selection import cross_val_predict, train_test_split

from dimflow import DimArray, xp

Call = Callable[[Any, Any, Any], Any]

SCIPY: dict[str, Call] = {
    "stats.zscore": lambda x, y, c: stats.zscore(x),
    "stats.zmap": lambda x, y, c: stats.zmap(x, x),
    "stats.gmean": lambda x, y, c: stats.gmean(x),
    "stats.hmean": lambda x, y, c: stats.hmean(x),
    "stats.pmean": lambda x, y, c: stats.pmean(x, 2),
    "stats.skew": lambda x, y, c: stats.skew(x),
    "stats.kurtosis": lambda x, y, c: stats.kurtosis(x),
    "stats.moment": lambda x, y, c: stats.moment(x, order=2),
    "stats.sem": lambda x, y, c: stats.sem(x),
    "stats.kstat": lambda x, y, c: stats.kstat(y, 2),
    "stats.entropy": lambda x, y, c: stats.entropy(x),
    "stats.quantile": lambda x, y, c: stats.quantile(x, 0.3),
    "stats.rankdata": lambda x, y, c: stats.rankdata(x),
    "stats.trim_mean": lambda x, y, c: stats.trim_mean(x, 0.1),
    "stats.sigmaclip": lambda x, y, c: stats.sigmaclip(y).clipped,
    "stats.ttest_ind": lambda x, y, c: stats.ttest_ind(x, x * 1.1).statistic,
    "stats.ttest_1samp": lambda x, y, c: stats.ttest_1samp(x, y[0]).pvalue,
    "stats.f_oneway": lambda x, y, c: stats.f_oneway(x, x * 1.1).statistic,
    "stats.jarque_bera": lambda x, y, c: stats.jarque_bera(x).statistic,
    "stats.circmean": lambda x, y, c: stats.circmean(x),
    "stats.variation": lambda x, y, c: stats.variation(x),
    "stats.tmean": lambda x, y, c: stats.tmean(x),
    "stats.tvar": lambda x, y, c: stats.tvar(x),
    "stats.tmin": lambda x, y, c: stats.tmin(y),
    "stats.gzscore": lambda x, y, c: stats.gzscore(x),
    "stats.pearsonr": lambda x, y, c: stats.pearsonr(y, y**2).statistic,
    "stats.bartlett": lambda x, y, c: stats.bartlett(y, y * 1.1).statistic,
    "stats.levene": lambda x, y, c: stats.levene(y, y * 1.1).statistic,
    "stats.iqr": lambda x, y, c: stats.iqr(y),
    "stats.lmoment": lambda x, y, c: stats.lmoment(y, order=2),
    "stats.skewtest": lambda x, y, c: stats.skewtest(y).statistic,
    "stats.normaltest": lambda x, y, c: stats.normaltest(y).pvalue,
    "stats.rankdata_min": lambda x, y, c: stats.rankdata(y, method="min"),
    "stats.differential_entropy": lambda x, y, c: stats.differential_entropy(y),
    "stats.wilcoxon": lambda x, y, c: stats.wilcoxon(y, y * 1.1).statistic,
    "stats.mannwhitneyu": lambda x, y, c: stats.mannwhitneyu(y, y * 1.1).statistic,
    "stats.spearmanrho": lambda x, y, c: stats.spearmanrho(y, y**2).statistic,
    "stats.linregress": lambda x, y, c: stats.linregress(y, y * 1.1).slope,
    "stats.circvar": lambda x, y, c: stats.circvar(x),
    "special.logsumexp": lambda x, y, c: scipy.special.logsumexp(x, axis=0),
    "special.softmax": lambda x, y, c: scipy.special.softmax(x, axis=1),
    "special.erf": lambda x, y, c: scipy.special.erf(x),
    "special.gammaln": lambda x, y, c: scipy.special.gammaln(x),
    "signal.fftconvolve": lambda x, y, c: scipy.signal.fftconvolve(y, y),
    "signal.hilbert": lambda x, y, c: scipy.signal.hilbert(y),
    "signal.resample": lambda x, y, c: scipy.signal.resample(y, 10),
    "signal.detrend": lambda x, y, c: scipy.signal.detrend(x, axis=0),
    "fft.fft": lambda x, y, c: scipy.fft.fft(y),
    "fft.rfft": lambda x, y, c: scipy.fft.rfft(y),
    "integrate.trapezoid": lambda x, y, c: scipy.integrate.trapezoid(x, axis=0),
    "integrate.cumulative_trapezoid": lambda x, y, c: scipy.integrate.cumulative_trapezoid(y),
    "cluster.whiten": lambda x, y, c: vq.whiten(x),
    "optimize.rosen": lambda x, y, c: scipy.optimize.rosen(y),
    "ndimage.gaussian_filter": lambda x, y, c: scipy.ndimage.gaussian_filter(x, 1.0),
    "spatial.Rotation": lambda x, y, c: Rotation.from_rotvec(x[:, :3]).as_matrix(),
}
SKLEARN: dict[str, Call] = {
    "PCA.fit_transform": lambda x, y, c: decomposition.PCA(2).fit_transform(x),
    "PCA.transform": lambda x, y, c: decomposition.PCA(2).fit(x).transform(x),
    "PCA.variance": lambda x, y, c: decomposition.PCA(2).fit(x).explained_variance_,
    "LinearDiscriminantAnalysis": lambda x, y, c: _lda().fit(x, c).transform(x),
    "LinearDiscriminantAnalysis.predict": lambda x, y, c: _lda().fit(x, c).predict(x),
    "Ridge": lambda x, y, c: _ridge().fit(x, y).coef_,
    "Ridge.predict": lambda x, y, c: _ridge().fit(x, y).predict(x),
    "Ridge.cross_val_predict": lambda x, y, c: cross_val_predict(_ridge(), x, y),
    "StandardScaler": lambda x, y, c: preprocessing.StandardScaler().fit_transform(x),
    "MinMaxScaler": lambda x, y, c: preprocessing.MinMaxScaler().fit_transform(x),
    "MaxAbsScaler": lambda x, y, c: preprocessing.MaxAbsScaler().fit_transform(x),
    "Normalizer": lambda x, y, c: preprocessing.Normalizer().fit_transform(x),
    "PolynomialFeatures": lambda x, y, c: preprocessing.PolynomialFeatures(2).fit_transform(x),
    "KernelCenterer": lambda x, y, c: preprocessing.KernelCenterer().fit_transform(x @ x.T),
    "LabelEncoder": lambda x, y, c: preprocessing.LabelEncoder().fit_transform(c),
    "train_test_split": lambda x, y, c: train_test_split(x, random_state=0)[0],
    "linear_kernel": lambda x, y, c: pairwise.linear_kernel(x),
    "rbf_kernel": lambda x, y, c: pairwise.rbf_kernel(x),
    "cosine_similarity": lambda x, y, c: pairwise.cosine_similarity(x),
    "mean_squared_error": lambda x, y, c: metrics.mean_squared_error(y, y * 1.1),
    "mean_absolute_error": lambda x, y, c: metrics.mean_absolute_error(y, y * 1.1),
    "r2_score": lambda x, y, c: metrics.r2_score(y, y * 1.1),
    "explained_variance_score": lambda x, y, c: metrics.explained_variance_score(y, y * 1.1),
    "accuracy_score": lambda x, y, c: metrics.accuracy_score(c, c),
    "f1_score": lambda x, y, c: metrics.f1_score(c, c),
    "log_loss": lambda x, y, c: metrics.log_loss(c, y / y.max() * 0.9 + 0.05),
    "brier_score_loss": lambda x, y, c: metrics.brier_score_loss(c, y / y.max() * 0.9 + 0.05),
    "zero_one_loss": lambda x, y, c: metrics.zero_one_loss(c, c),
    "max_error": lambda x, y, c: metrics.max_error(y, y * 1.1),
    "d2_absolute_error_score": lambda x, y, c: metrics.d2_absolute_error_score(y, y * 1.1),
    "mean_absolute_percentage_error": lambda x, y, c: metrics.mean_absolute_percentage_error(
        y, y * 1.1
    ),
    "euclidean_distances": lambda x, y, c: pairwise.euclidean_distances(x),
    "LinearRegression": lambda x, y, c: linear_model.LinearRegression().fit(x, y).coef_,
    "KBinsDiscretizer": lambda x, y, c: preprocessing.KBinsDiscretizer(
        3, encode="ordinal", quantile_method="averaged_inverted_cdf"
    ).fit_transform(x),
    "Binarizer": lambda x, y, c: preprocessing.Binarizer().fit_transform(x),
    "LabelBinarizer": lambda x, y, c: preprocessing.LabelBinarizer().fit_transform(c),
    "confusion_matrix": lambda x, y, c: metrics.confusion_matrix(c, c),
}


def _lda() -> Any:
    return discriminant_analysis.LinearDiscriminantAnalysis()


def _ridge() -> Any:
    return linear_model.Ridge(solver="svd")


def outcome(call: Call, data: tuple[Any, ...], unit: str, wanted: Any) -> dict[str, Any]:
    """What came of the call on arrays in a unit."""
    x, y, c = data
    try:
        result = call(xp.asarray(x, unit=unit), xp.asarray(y, unit=unit), xp.asarray(c))
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error)}
    is_ours = isinstance(result, DimArray)
    numbers = result.to_numpy() if is_ours else result
    same = np.shape(numbers) == np.shape(wanted) and np.allclose(numbers, wanted, equal_nan=True)
    return {"unit": str(result.unit) if is_ours else None, "same": bool(same)}


def main() -> None:
    """Print a line to a call."""
    warnings.simplefilter("ignore")
    sklearn.set_config(array_api_dispatch=True)
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 2, (30, 4))
    y = x @ np.asarray([1.0, 2.0, -1.0, 0.5])
    data = (x, y, (x[:, 0] > 1.5).astype(np.int64))
    for name, call in {**SCIPY, **SKLEARN}.items():
        wanted = call(*data)
        found = {unit: outcome(call, data, unit, wanted) for unit in ("", "m")}
        print(json.dumps([name, found[""], found["m"]]), flush=True)


if __name__ == "__main__":
    main()
