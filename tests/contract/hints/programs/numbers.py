"""Plain numbers of a quantity, and functions whose result depends on the unit."""

from tests.contract.hints.program import program

ANGLE = "x = DimArray(90.0, 'deg')"

PLAIN_NUMBERS = [
    program(
        "math.sin(x)",
        "math.sin(x.to_value('rad'))",
        "math.sin(math.radians(x.to_value('deg')))",
        right="1.0",
        given=ANGLE,
    ),
    program(
        "math.cos(x)",
        "math.cos(x.to_value('rad'))",
        "math.cos(x.to_value('tr') * math.tau)",
        right="-1.0",
        given="x = 0.5 * u.turn",
    ),
    program(
        "math.radians(x)",
        "x.to_value('rad')",
        "math.radians(x.to_value('deg'))",
        right="np.pi / 2",
        given=ANGLE,
    ),
    program(
        "'%.1f' % x",
        "float('%.1f' % (x.to_value('rad') / math.pi * 180))",
        "float('%.1f' % x.to_value('deg'))",
        right="90.0",
        given=ANGLE,
    ),
    program(
        "complex(x)",
        "complex(x.to_value('rad'))",
        "complex(math.radians(x.to_value('deg')))",
        right="np.pi / 2",
        given=ANGLE,
    ),
    program("math.sqrt(x)", "math.sqrt(x.to_value('m**2'))", right="2.0", given="x = 4 * u.m**2"),
    program("int(x)", "int(x.to_value('m'))", right="3", given="x = 3.0 * u.m"),
    program("range(x)", "len(range(x.to_value('m')))", right="3", given="x = 3 * u.m"),
    program("math.fsum(x)", "math.fsum(x.to_value('m'))", right="7.0"),
    program("'%.1f' % x", "float('%.1f' % x.to_value('m'))", right="3.0", given="x = 3.0 * u.m"),
    program(
        "np.asarray(x)",
        "np.asarray(x.to_value('m'))",
        "dimflow.asarray(x).to_value('m')",
        "dimflow.random.default_rng().normal([1.0, 2.0, 4.0] * u.m, 0 * u.m).to_value('m')",
        right="[1.0, 2.0, 4.0]",
    ),
]

CHOSEN_UNITS = [
    program(
        "round(x, 1)",
        "dimflow.round(x, 1, unit='m')",
        right="DimArray([0.2, 1.3], 'm')",
        given="x = DimArray([0.23, 1.26], 'm')",
    ),
    program("np.round(x)", "dimflow.round(x, unit='m')", right="x"),
    program(
        "np.floor(x)",
        "dimflow.floor(x, unit='km')",
        right="DimArray([1.0], 'km')",
        given="x = DimArray([1.5], 'km')",
    ),
    program("np.ceil(x)", "dimflow.ceil(x, unit='m')", right="x"),
    program("x.astype(int)", "dimflow.astype(x, int, unit='m')", right="x"),
    program("np.frexp(x)[0]", "dimflow.frexp(x, unit='m')[0]", right="[0.5, 0.5, 0.5] * u.m"),
    program("np.modf(x)[1]", "dimflow.modf(x, unit='m')[1]", right="x"),
    program(
        "x // 3",
        "dimflow.floor(x / y, unit='m')",
        right="DimArray([3.0], 'm')",
        given="x = DimArray([10.0], 'm'); y = 3",
    ),
    program(
        "x[0] = 2.5 * u.m; x",
        "x = x.astype(float); x[0] = 2.5 * u.m; x",
        right="[2.5, 2.0, 4.0] * u.m",
        given="x = DimArray([1, 2, 4], 'm')",
    ),
    program(
        "x.mean(dtype=int)",
        "y = x.mean(); y.astype('int64', unit='m')",
        right="DimArray(2, 'm')",
    ),
    program(
        "np.sum(x, dtype=int)",
        "y = np.sum(x); y.astype('int64', unit='km')",
        right="DimArray(4, 'km')",
        given="x = DimArray([1.4, 2.8], 'km')",
    ),
    program(
        "rng.integers(0 * u.m, 1 * u.m)",
        "rng.integers(0 * u.m, 1 * u.m, unit='m')",
        right="DimArray(0, 'm')",
        given="rng = dimflow.random.default_rng(0)",
    ),
    program(
        "np.histogram(x, 2)[0]",
        "low, high = x - 1 * u.cm, x + 1 * u.cm; np.histogram(x, 2, range=(low, high))[0]",
        "np.histogram(x, bins=[1.99, 2.0, 2.01] * u.m)[0]",
        right="[0, 1]",
        given="x = 2.0 * u.m",
    ),
]

PROGRAMS = [*PLAIN_NUMBERS, *CHOSEN_UNITS]
