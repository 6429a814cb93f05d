"""Units: their strings, definitions and conversions."""

from tests.contract.hints.program import program

PROGRAMS = [
    program(
        "x.to('rad/s')",
        "x.to('rad/s', via='cycles')",
        "x.to('rad/s', via='angle') * 2 * np.pi",
        right="2 * np.pi * Unit('rad/s')",
        given="x = 1 * u.Hz",
    ),
    program(
        "a[()] = 5",
        "x = a.copy(); x[()] = 5 * Unit('deg')",
        "x = a; x.to('', via='cycles') * 20 * u.deg",
        "x = a; x.to('', via='angle') * 10 / np.pi * u.deg",
        right="5 * u.deg",
    ),
    program(
        "mine.define('@alias reading = m')",
        "NAME = UNIT, UNIT = 'reading', 'm'; mine.define(f'@ambiguous {NAME} = m, ft')",
        right="None",
        given="from dimflow.units import Registry; mine = Registry()",
    ),
    program(
        "mine.define('florin = [currency]')",
        "florin = mine.define('florin = 1.25 crown'); x = florin.conversion_factor(crown)",
        right="1.25",
        given="from dimflow.units import Registry; mine = Registry(); "
        "crown = mine.define('crown = [currency]')",
    ),
    program(
        "(1 * u.nm).to('J', via='nothing')",
        "(1 * u.nm).to('J', via=dimflow.units.equivalencies.spectral())",
        "[molar(18.0), doppler(1.0), brightness_temperature(1.0)]; "
        "(1 * u.nm).to('J', via='spectral')",
        right="dimflow.constants.h * dimflow.constants.c / (1 * u.nm)",
        given="from dimflow.units.equivalencies import brightness_temperature, doppler, molar",
    ),
    program(
        "(1 * u.nm).to('J')",
        "(1 * u.nm).to('J', via='spectral')",
        right="dimflow.constants.h * dimflow.constants.c / (1 * u.nm)",
    ),
    program(
        "(1 * u.nm).to('J', via='temperature_energy')",
        "via='temperature_energy'; (1 * u.nm).to('J', via='spectral')",
        right="dimflow.constants.h * dimflow.constants.c / (1 * u.nm)",
    ),
    program(
        "u.m ** 0.3333",
        "u.m ** fractions.Fraction(1, 3)",
        right="u.m ** '1/3'",
        given="import fractions",
    ),
    program(
        "dimflow.units.define('m = 2 ft', replace=True)",
        "with Registry() as mine: y = mine.define('m = 2 ft', replace=True); x = (1 * y).to('ft')",
        right="2 * u.ft",
        given="from dimflow.units import Registry",
    ),
    program(
        "dimflow.units.define('m = 2 ft')",
        "mine = Registry(); y = mine.define('m = 2 ft', replace=True); x = (1 * y).to('ft')",
        right="2 * u.ft",
        given="from dimflow.units import Registry",
    ),
    program(
        "(5 * u.m).to(u.km / 1000)",
        "(5 * u.m).to(Unit('0.001 km'))",
        right="5 * u.m",
    ),
    program(
        "dimflow.floor(x, unit='s')",
        "dimflow.floor(x, unit='m')",
        right="x",
    ),
    program(
        "x.to_astropy()",
        "x.to_base_units().to_astropy().to_value('m')",
        right="x.to_value('m')",
        given="x = 1 * Unit('smoot')",
    ),
    program(
        "DimArray.load(path)",
        "dimflow.load(path)['x']",
        right="x",
        given="import tempfile; path = tempfile.mkdtemp() + '/v.npz'; dimflow.save(path, x=x, t=t)",
    ),
]
