"""Points on a scale, and levels."""

from tests.contract.hints.program import program

TEMPERATURES = "x = DimArray([10.0, 20.0, 40.0], 'degC')"

LEVEL = "x = DimArray([10.0], 'dBm')"

PROGRAMS = [
    program(
        "dimflow.grad(lambda x: (x.to('mW/Hz')**2).sum())(x)",
        "x = x.to('0.001*kg*m**2/s**2'); dimflow.grad(lambda x: (x**2).sum())(x)",
        right="[20.0] * Unit('mW/Hz')",
        given="x = DimArray([10.0], 'dB(mW/Hz)')",
    ),
    program(
        "x.mean()",
        "((x.to('0.00002*Pa')**2).mean()**0.5).to('dB_SPL')",
        right="75.68201724066995 * Unit('dB_SPL')",
        given="x = DimArray([60.0, 70.0, 80.0], 'dB_SPL')",
    ),
    program(
        "dimflow.arange(0 * u.degC, 10 * u.degC, 5 * u.degC)",
        "dimflow.arange(0 * u.degC, 10 * u.degC, 5 * Unit('delta_degC'))",
        right="DimArray([0.0, 5.0], 'degC')",
    ),
    program(
        "np.full_like(x, 1.5 * u.m)",
        "fill_value = 1.5 * u.m; np.full_like(x, fill_value, dtype=float)",
        right="DimArray([1.5, 1.5], 'm')",
        given="x = DimArray([1, 2], 'm')",
    ),
    program("np.sum(x)", "x.mean()", right="x[0] + 40 / 3 * u.K", given=TEMPERATURES),
    program(
        "np.isclose(x, x)",
        "np.isclose(x, x, rtol=0, atol=0.1 * Unit('delta_degC'))",
        right="[True] * 3",
        given=TEMPERATURES,
    ),
    program(
        "np.std(x)",
        "np.std((x - 0 * Unit('pH')).to('delta_pH'))",
        right="0.5 * Unit('delta_pH')",
        given="x = DimArray([6.0, 7.0], 'pH')",
    ),
    program(
        "np.std(x)",
        "np.std((x - 0 * Unit('dBm')).to('delta_dB'))",
        right="0.5 * Unit('delta_dB')",
        given="x = DimArray([6.0, 7.0], 'dBm')",
    ),
    program("x > 0", "x > 0 * Unit('degC')", right="[True] * 3", given=TEMPERATURES),
    program(
        "np.nansum(x)",
        "x.mean()",
        right="x[0] + 40 / 3 * u.K",
        given=TEMPERATURES,
    ),
    program(
        "np.linspace(x, y, 2)",
        "np.linspace(x.to('mW'), y.to('mW'), 2).to('dBm')",
        right="[0.0, 10.0] * Unit('dBm')",
        given="x, y = DimArray(0.0, 'dBm'), DimArray(10.0, 'dBm')",
    ),
    program(
        "dimflow.linspace(x, y, 2)",
        "dimflow.linspace(x.to(x.unit.linear), y.to(x.unit.linear), 2).to('dBm')",
        right="[0.0, 10.0] * Unit('dBm')",
        given="x, y = DimArray(0.0, 'dBm'), DimArray(10.0, 'dBm')",
    ),
    program(
        "dimflow.geomspace(x, y, 2)",
        "dimflow.geomspace(x.to(x.unit.linear), y.to(x.unit.linear), 2).to('dBm')",
        right="[0.0, 10.0] * Unit('dBm')",
        given="x, y = DimArray(0.0, 'dBm'), DimArray(10.0, 'dBm')",
    ),
    program(
        "Unit('degF').conversion_factor(Unit('K'))",
        "dimflow.units.convert(68.0, Unit('degF'), Unit('K'))",
        "Unit('degF').delta.conversion_factor(Unit('K')) * 527.67",
        "x = DimArray(68.0, 'degF'); x.to(x.unit.linear).to_value('K')",
        right="293.15",
    ),
    program(
        "Unit('dBm') / Unit('Hz')",
        "Unit('dBm').linear / Unit('Hz')",
        "Unit('dB(mW/Hz)').linear",
        right="Unit('mW/Hz')",
    ),
    program("Unit('dB(mW)/Hz')", "Unit('dB(mW/Hz)').linear", right="Unit('mW/Hz')"),
    program(
        "x + 3 * u.Hz",
        "right = 3 * u.Hz; x + right.to('rpm', via='cycles') - 179 * u.rpm",
        "right = np.pi * u.Hz; (x + right.to('rpm', via='angle') - 29 * u.rpm) * 60 / 60",
        right="61 * Unit('rpm')",
        given="x = 60 * Unit('rpm')",
    ),
    program(
        "x + 5",
        "(x.to('delta_dB') + 20 * Unit('dB')).to('')",
        "x.to('') + 990.0",
        "(x + 20 * Unit('dB')).to('')",
        right="1000.0",
        given="x = DimArray(10.0, 'dB')",
    ),
    program(
        "np.exp(x)",
        "np.exp(x.to('delta_dB').to_value('delta_Np') * 0 + 10)",
        "np.exp(x.to(''))",
        right="np.exp(10.0)",
        given="x = DimArray(10.0, 'dB')",
    ),
    program("x[0] = 5.0", "x[0] = 5 * Unit('dBm')", right="[5.0] * Unit('dBm')", given=LEVEL),
    program(
        "x + 5.0",
        "(x.to('mW') * 2).to('dBm')",
        "x + 10 * np.log10(2) * Unit('dB')",
        right="(10 + 10 * np.log10([2.0])) * Unit('dBm')",
        given=LEVEL,
    ),
    program("np.sum(x)", "np.sum(x.to('mW')).to('dBm')", right="10 * Unit('dBm')", given=LEVEL),
    program(
        "x.to('')",
        "np.exp(x.to('delta_Np') / u.Np)",
        "np.sqrt(x.to('dB').to(''))",
        right="[10.0]",
        given="x = DimArray([20.0], 'dB/m') * u.m",
    ),
    program(
        "x + 1.0",
        "right = 1.0; x.to('delta_dB') + right * Unit('Np')",
        right="[20 + 20 / np.log(10)] * Unit('dB')",
        given="x = DimArray([20.0], 'dB/m') * u.m",
    ),
    program(
        "y = x; y[0] = 5.0",
        "y = x; x[0] = 5 * Unit('dB')",
        "y = 10**0.5; x[0] = DimArray(y, '').to('dB')",
        right="[5.0] * Unit('dB')",
        given="x = DimArray([20.0], 'dB')",
    ),
    program(
        "x.to('delta_dB')",
        "(x * Unit('Np')).to('delta_dB') / (20 * np.log10(np.e))",
        right="[20.0] * Unit('delta_dB')",
        given="x = DimArray([20.0])",
    ),
    program(
        "21.5 * u.mag / u.arcsec**2",
        "21.5 * Unit('mag/(arcsec**2)')",
        right="21.5 * Unit('mag(1/arcsec**2)')",
    ),
    program(
        "x * 3.1",
        "(x.to('delta_mag') * 3.1).to('mag')",
        "(x.to('') ** 3.1).to('mag')",
        right="0.93 * u.mag",
        given="x = 0.3 * u.mag",
    ),
    program(
        "x * 25 * u.degC",
        "x * (25 * Unit('degC')).to('K')",
        "x * 25 * Unit('delta_degC') + x * 273.15 * u.K",
        right="596.3 * u.J",
        given="x = 2 * u.J / u.K",
    ),
    program(
        "dimflow.avg_pool(T, 3, padding=1)",
        "dimflow.avg_pool(T, 3, padding=1, count_include_pad=False)",
        right="[[[15.0]]] * Unit('degC')",
        given="T = T.reshape(1, 1, 3)",
    ),
    program(
        "dimflow.testing.assert_allclose(T[:1] - T[:1] + T[:1] - 10 * u.K, 0)",
        "dimflow.testing.assert_allclose(T[:1] - 10 * u.K, 0 * Unit('degC'))",
        right="None",
    ),
    program(
        "dimflow.testing.assert_allclose(T, T, atol=1 * Unit('degC'))",
        "dimflow.testing.assert_allclose(T, T + 1 * u.K, atol=1.01 * Unit('K'))",
        right="None",
    ),
    program(
        "dimflow.testing.assert_allclose(x, x, atol=1)",
        "dimflow.testing.assert_allclose(x, x, atol=1 * Unit('m'))",
        right="None",
    ),
]
