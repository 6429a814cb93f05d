"""NumPy's functions."""

from tests.contract.hints.program import program

LINE = "np.polyfit([1.0, 2.0, 4.0], [0.5, 3.0, 2.0], 1)"

PROGRAMS = [
    program("x ** y", "x ** 2", right="x * x", given="y = DimArray([1.0, 2.0, 2.0])"),
    program(
        "np.nan_to_num(x)",
        "np.nan_to_num(x, posinf=np.inf, neginf=-np.inf)",
        right="x",
    ),
    program("np.unwrap(x)", "np.unwrap(x, period=4 * u.m)", right="x"),
    program(
        "np.unwrap(x, period=360)",
        "np.unwrap(x, period=360 * units.deg)",
        "np.unwrap(x.to('', via='cycles'), period=1) * 360 * u.deg",
        "np.unwrap(x.to('', via='angle')) * u.rad",
        "np.unwrap(x, period=360 * Unit('deg'))",
        right="[0.0, -10.0] * u.deg",
        given="units = u; x = [0.0, 350.0] * u.deg",
    ),
    program("np.polyfit(x, y, 1)", "np.polyfit(x / Unit('m'), y / Unit('m'), 1)", right=LINE),
    program(
        "x.view(int)",
        "dtype = np.int64; x.data.view(dtype).view(float)",
        "dtype = np.float32; x.astype(dtype).data",
        right="[1.0, 2.0, 4.0]",
    ),
    program("x[x]", "y[x.to_value('m').astype(int) - 2]", right="y[[-1, 0, 2]]"),
    program(
        "a[:] = x",
        "a[:] = x.to_value('m'); a",
        "dimflow.asarray(x).data",
        "np.concatenate([dimflow.arange(1, 3), [dimflow.random.default_rng().normal(4, 0)]])",
        right="[1.0, 2.0, 4.0]",
        given="a = np.ones(3)",
    ),
    program(
        "np.save(path, x)",
        "np.save(path, x.to_value('m')); np.load(path) * u.m",
        "dimflow.save(path[:-1] + 'z', x); dimflow.load(path[:-1] + 'z')",
        "dimflow.savetxt(path + '.txt', x); dimflow.loadtxt(path + '.txt')",
        right="x",
        given="import tempfile; path = tempfile.mkdtemp() + '/v.npy'",
    ),
]
