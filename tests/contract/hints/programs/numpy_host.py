"""NumPy's functions: targets, creation, ufuncs, and what the host refuses."""

from tests.contract.hints.program import program

PROGRAMS = [
    program(
        "dimflow.linspace(0 * u.mW, 10 * u.dBm, 3)",
        "dimflow.linspace(0 * u.mW, 10 * u.dBm, 3, unit='mW')",
        right="[0.0, 5.0, 10.0] * u.mW",
    ),
    program(
        "np.real_if_close(x * (1 + 0j))",
        "x = x * (1 + 0j); DimArray(np.real_if_close(x.to_value('m')), 'm')",
        right="[1.0, 2.0, 4.0] * u.m",
    ),
    program(
        "dimflow.multiply(DimArray([2.0], 'm'), x)",
        "dimflow.multiply(DimArray([2.0], 'm'), float(x))",
        right="[1.0] * u.m",
        given="from fractions import Fraction\nx = Fraction(1, 2)",
    ),
    program(
        "dimflow.from_dlpack(x)",
        "x.to_backend('torch').to_backend('numpy')",
        right="x",
    ),
    program("x *= y; x", "y = x * y; y", right="[0.5, 6.0, 8.0] * u.m**2"),
    program(
        "x[0] = 5.0; x",
        "x[0] = 5 * Unit('m'); x",
        right="[5.0, 2.0, 4.0] * u.m",
    ),
    program(
        "DimArray(Reading())",
        "numbers, unit = [1.0], 'm'; DimArray(numbers, unit)",
        right="[1.0] * u.m",
        given="class Reading:\n    units = 'm/furlongish'\n    unit = object()",
    ),
    program(
        "np.lib.scimath.log(x)",
        "np.lib.scimath.log(x.astype('complex128')).to_backend('numpy')",
        right="np.log([0.5, 0.2]) + 0j",
        given="x = DimArray([0.5, 0.2]).to_backend('torch')",
    ),
    program(
        "np.arange(0 * u.m, 3 * u.m, like=x)",
        "start, stop = 0 * u.m, 3 * u.m; np.arange(start, stop, 1 * Unit('m'), like=x)",
        right="[0.0, 1.0, 2.0] * u.m",
    ),
    program(
        "special.gamma(x)",
        "x0 = 2 * u.m; dimflow.special.gamma(x / x0)",
        right="special.gamma([0.5, 1.0, 2.0])",
        given="import scipy.special as special",
    ),
    program(
        "random.shuffle(x)",
        "x = dimflow.random.default_rng().permutation(x); np.sort(x, axis=0)",
        right="[[1.0], [2.0]] * u.m",
        given="import random\nx = [[1.0], [2.0]] * u.m",
    ),
    program(
        "special.cosdg(x)",
        "special.cosdg(x.to_value('deg'))",
        right="0.5",
        given="import scipy.special as special\nx = DimArray(60.0, 'deg').to('rad')",
    ),
    program(
        "DimArray(m, 'm')",
        "DimArray(m.astype(float).filled(np.nan), 'm')",
        right="[1.0, np.nan] * u.m",
        given="m = np.ma.masked_array([1, 2], [False, True])",
    ),
    program(
        "x[0] = m; x",
        "x[0] = m.astype(float).filled(np.nan); x",
        right="[np.nan, 2.0, 4.0] * u.m",
        given="m = np.ma.masked",
    ),
    program(
        "x[m > 1]",
        "condition = m > 1; x[np.ma.filled(condition, False)]",
        right="[2.0] * u.m",
        given="m = np.ma.masked_array([1, 2, 3], [False, False, True])",
    ),
    program(
        "np.linalg.pinv(A, rcond=cut)",
        "np.linalg.pinv(A, rcond=cut / np.linalg.norm(A, 2))",
        right="np.diag([0.5, 0.0]) * u.m / u.N",
        given="A = np.diag([2.0, 1.0]) * u.N / u.m; cut = 1500 * u.mN / u.m",
    ),
    program(
        "np.linalg.lstsq(A, b, rcond=cut)[0]",
        "np.linalg.lstsq(A, b, rcond=cut / np.linalg.norm(A, 2))[0]",
        right="[2.0, 0.0] * u.m",
        given="A = np.diag([2.0, 1.0]) * u.N / u.m; cut = 1500 * u.mN / u.m; b = [4.0, 1.0] * u.N",
    ),
    program(
        "np.full((2,), x, dtype=float)",
        "shape = (2,); dimflow.full(shape, x)",
        "np.full((2,), x.to_value('m'), dtype=float) * u.m",
        right="[2.0, 2.0] * u.m",
        given="x = 2 * u.m",
    ),
    program(
        "np.testing.assert_allclose(x, x)",
        "dimflow.testing.assert_allclose(x, x)",
        right="None",
    ),
    program("x % u.m", "x % (1 * Unit('m'))", right="[0.5] * u.m", given="x = [2.5] * u.m"),
    program(
        "np.busday_offset(x, 1)",
        "x.to_value('m')",
        right="[1.0, 2.0, 4.0]",
    ),
    program(
        "np.r_[x, y]",
        "np.concatenate((x, y))",
        "np.column_stack((x, y)).T.ravel()",
        right="[1.0, 2.0, 4.0, 0.5, 3.0, 2.0] * u.m",
    ),
    program(
        "x ** dimflow.astype(n, float)",
        "x ** 2",
        right="x * x",
        given="n = DimArray([2.0, 2.0, 2.0])",
    ),
    program(
        "np.percentile(x, p)",
        "q = p; np.quantile(x, q)",
        right="[2.0, 1.4] * u.m",
    ),
    program(
        "np.linalg.qr(x, mode='raw')",
        "np.linalg.qr(x, mode='reduced')[1]",
        "np.linalg.qr(x, mode='complete')[1]",
        right="np.linalg.qr([[2.0, 1.0], [1.0, 3.0]]).R * u.m",
        given="x = DimArray(np.array([[2.0, 1.0], [1.0, 3.0]]), 'm')",
    ),
    program(
        "dimflow.grad(lambda x: np.linalg.qr(x, mode='complete')[1].sum())(x)",
        "dimflow.grad(lambda x: np.linalg.qr(x, mode='reduced')[1].sum())(x)",
        right="[[1.0], [0.0]]",
        given="x = DimArray([[1.0], [0.0]], 'm')",
    ),
    program(
        "dimflow.grad(lambda x: np.linalg.svd(x)[1].sum())(x)",
        "dimflow.grad(lambda x: np.linalg.svd(x, full_matrices=False)[1].sum())(x)",
        right="[[0.6], [0.8]]",
        given="x = DimArray([[3.0], [4.0]], 'm')",
    ),
]
