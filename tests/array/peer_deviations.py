"""Where a replayed call of another library's tests ends otherwise, and who is right.

A line: the library, the outcome, a pattern of what was said of it, the functions, the reason.
"""

_OUT_KEEPS_ITS_UNIT = "out= keeps the unit that it has; they relabel it"
_NO_BARE_NUMBERS = "a bare number is no amount of a unit, only 0, inf and nan alone are"
_CHOOSE = "rounding depends on the unit: x.to(unit) or unit= chooses it"
_LIKE = "like= chooses the library; they read the bare numbers in the unit of like="
_SUBOK = "no unit is lost by default; they lose it without subok=True"
_TEXT = "an array of ours is shown as one of ours"
_NEAR_A_MULTIPLE = "a remainder just below its divisor or 0, by the rounding of the conversion"
_THEIR_NUMBERS = "they take the numbers of a quantity as pure numbers"
_EQUAL = "no length is equal to a bare number: they take the number in the unit, or any zero"
_SLIM = "methods have fewer keywords than NumPy's functions, which take these"
_VIA = "an equivalence is named by via="
_INTEGERS = "converted numbers are floats, which an array of integers would cut"
_WHOLE = "a plain array has no unit to keep"
_LATER = "a power that is taken from data has no one unit"

DEVIATIONS: tuple[tuple[str, str, str, str, str], ...] = (
    # astropy
    (
        "astropy",
        "differs",
        "dimension",
        (
            "np.arange np.array np.asanyarray np.asarray np.ascontiguousarray np.asfortranarray"
            " np.empty np.eye np.frombuffer np.fromfile np.fromfunction np.fromiter np.fromstring"
            " np.full np.genfromtxt np.identity np.loadtxt np.ones np.require np.tri np.zeros"
        ),
        _LIKE,
    ),
    (
        "astropy",
        "differs",
        "dimension",
        "np.broadcast_to np.broadcast_arrays np.empty_like",
        _SUBOK,
    ),
    (
        "astropy",
        "differs",
        "dimension",
        "np.histogram",
        "a density is per unit of the bins, its weights cancel; they keep the weights' unit",
    ),
    (
        "astropy",
        "differs",
        "dimension",
        "np.sin np.arcsin np.arctan2",
        "radians and pure numbers go into each other's out=, whose unit stays",
    ),
    (
        "astropy",
        "differs",
        "structure",
        "np.place np.putmask",
        "None as NumPy has it; they return the array",
    ),
    (
        "astropy",
        "differs",
        "value",
        "np.percentile np.nanpercentile",
        "q= is a bare number of percent; they read a pure number as a fraction",
    ),
    (
        "astropy",
        "differs",
        "value",
        "np.array_equal",
        "equal means equal: 70 cm is not the 0.7000000000000001 m that they made of it",
    ),
    ("astropy", "differs", "value", "np.array2string np.array_repr", _TEXT),
    ("astropy", "differs", "value", "np.equal", _EQUAL),
    ("astropy", "differs", "value", "x.item", "a number of ours; they return a quantity"),
    (
        "astropy",
        "differs",
        "value",
        "np.shares_memory np.may_share_memory",
        "the copies of two views share nothing",
    ),
    (
        "astropy",
        "ours raises",
        "DimensionError",
        (
            "np.concatenate np.isclose np.allclose np.union1d np.greater np.greater_equal np.less"
            " np.less_equal foreign.clip"
        ),
        _NO_BARE_NUMBERS,
    ),
    ("astropy", "ours raises", "NotANumber", "x.__setitem__", _INTEGERS),
    (
        "astropy",
        "ours raises",
        "PureNumberError",
        "np.sinc",
        "sinc takes x with a factor of pi; they read an angle without it",
    ),
    (
        "astropy",
        "ours raises",
        "PureNumberError: the ufunc",
        "foreign.cbrt foreign.radian",
        "a ufunc of SciPy or ERFA, not of NumPy",
    ),
    ("astropy", "ours raises", "TypeError", "x.to x.to_value", _VIA),
    ("astropy", "ours raises", "TypeError", "x.copy x.round x.sum", _SLIM),
    (
        "astropy",
        "ours raises",
        "UnitChoiceError",
        (
            "x.round np.round x.astype np.around np.fix np.modf np.spacing np.rint np.floor np.ceil"
            " np.real_if_close"
        ),
        _CHOOSE,
    ),
    (
        "astropy",
        "ours raises",
        "UnitError: nan_to_num of",
        "np.nan_to_num",
        "the largest float is no length",
    ),
    (
        "astropy",
        "ours raises",
        "UnitError: .*would change the unit of an existing array",
        (
            "np.mean np.std np.var np.median np.min np.max np.ptp np.sum np.cumsum np.concatenate"
            " np.quantile np.nanstd np.nanvar np.sin np.absolute np.multiply np.divmod foreign.clip"
            " x.trace x.clip"
        ),
        _OUT_KEEPS_ITS_UNIT,
    ),
    ("astropy", "ours raises", "UnitError: a unit is given by text", "x.to_value", "1 is no unit"),
    (
        "astropy",
        "ours raises",
        "UnitError: dimflow does not know how to read",
        "x.__setitem__",
        "an object that has a unit attribute alone is refused",
    ),
    ("astropy", "ours raises", "UnitError: pow of", "np.power", _LATER),
    (
        "astropy",
        "ours raises",
        r"UnitLossError: np.asarray\(x\)",
        "np.arange np.array np.full",
        "they were called with like=, whose other arguments NumPy does not hand over",
    ),
    (
        "astropy",
        "ours raises",
        "UnitLossError: r.*= of",
        "np.linalg.pinv",
        "rtol= is relative, without a unit; they read it as absolute",
    ),
    (
        "astropy",
        "theirs raises",
        "TypeError: Unsupported operand",
        "np.add np.divmod np.floor_divide np.remainder",
        "a unit stands for 1 of it, also in sums",
    ),
    (
        "astropy",
        "theirs raises",
        "UnitConversionError: Can only apply",
        "np.equal np.not_equal",
        "nothing is equal to what has another dimension; their operator says so too",
    ),
    ("astropy", "theirs raises", "UnitConversionError: ''", "x.to", "radians are absorbed"),
    (
        "astropy",
        "theirs raises",
        "UnitsError: Cannot use 'at'",
        "np.sin.at",
        "radians are absorbed",
    ),
    (
        "astropy",
        "theirs raises",
        "UnitTypeError: Can only apply 'sinc'",
        "np.sinc",
        "sinc of a pure number is NumPy's",
    ),
    (
        "astropy",
        "theirs raises",
        "UnitsError: Cannot use 'reduce'",
        "np.prod x.prod np.multiply.reduce",
        "a product of n lengths is a length to the n",
    ),
    (
        "astropy",
        "theirs raises",
        "AttributeError",
        "np.sin",
        "out= without a unit takes a pure number",
    ),
    ("astropy", "theirs raises", "NotImplementedError", "x.tolist", "a list of the numbers"),
    # unyt
    (
        "unyt",
        "differs",
        "dimension",
        "np.histogram np.histogram2d np.histogramdd",
        "a density is per unit of the bins, its weights cancel; they keep the weights' unit",
    ),
    ("unyt", "differs", "dimension", "np.argsort", "places are pure numbers; they keep the unit"),
    ("unyt", "differs", "dimension", "np.intersect1d np.copy", "the unit stays; they lose it"),
    (
        "unyt",
        "differs",
        "dimension",
        "np.linalg.cholesky np.linalg.lstsq np.linalg.qr",
        "L has the root of the unit, residuals its square, Q none: the factors multiply to x",
    ),
    ("unyt", "differs", "dimension", "np.arctan2", "radians, absorbed where a pure number is"),
    ("unyt", "differs", "dimension", "np.divmod", "a quotient has no unit; theirs has x's"),
    ("unyt", "differs", "shape", "np.hstack", "they stack vertically"),
    ("unyt", "differs", "shape", "np.apply_over_axes", "NumPy keeps the axes; they do not"),
    ("unyt", "differs", "value", "np.array_repr np.array2string", _TEXT),
    ("unyt", "differs", "value", "np.equal np.not_equal", _EQUAL),
    (
        "unyt",
        "differs",
        "value",
        "np.shares_memory",
        "the copies of two views share nothing",
    ),
    ("unyt", "differs", "value", "np.remainder np.fmod", _NEAR_A_MULTIPLE),
    ("unyt", "differs", "value", "np.subtract", "what is left is below the rounding"),
    ("unyt", "differs", "value", "np.divide", "g of a registry of its own, which meant another"),
    (
        "unyt",
        "ours raises",
        "DimensionError",
        (
            "np.histogram np.greater_equal np.isclose np.insert np.greater np.searchsorted np.clip"
            " np.less np.add np.subtract np.less_equal"
        ),
        _NO_BARE_NUMBERS,
    ),
    (
        "unyt",
        "ours raises",
        "DimensionError",
        "np.divmod",
        "a length has no remainder by a mass",
    ),
    (
        "unyt",
        "ours raises",
        "IndexError",
        "np.apply_over_axes",
        "NumPy keeps the axes, and its own call with these arguments raises too",
    ),
    ("unyt", "ours raises", "NotANumber", "np.dot np.divide x.__setitem__", _INTEGERS),
    (
        "unyt",
        "ours raises",
        "PointError",
        "np.isclose np.add np.subtract",
        "points in °C and °F have no sum, no relative distance and nothing to be taken from",
    ),
    (
        "unyt",
        "ours raises",
        "PureNumberError",
        (
            "np.logspace np.take_along_axis np.logaddexp np.logaddexp2 np.heaviside np.bincount"
            " np.sinc np.exp np.exp2 np.log np.log2 np.log10 np.expm1 np.log1p np.sin np.cos np.tan"
            " np.arcsin np.arccos np.arctan np.sinh np.cosh np.tanh np.arcsinh np.arccosh"
            " np.arctanh np.deg2rad np.rad2deg"
        ),
        _THEIR_NUMBERS,
    ),
    ("unyt", "ours raises", "TypeError", "x.to", _VIA),
    ("unyt", "ours raises", "TypeError", "x.copy x.dot", _SLIM),
    (
        "unyt",
        "ours raises",
        "UnitChoiceError",
        (
            "np.around np.fix np.rint x.astype np.floor np.ceil np.trunc np.modf np.frexp"
            " np.spacing np.real_if_close"
        ),
        _CHOOSE,
    ),
    ("unyt", "ours raises", "UnitConversionError", "x.to", "gauss are no SI unit by 4 pi"),
    ("unyt", "ours raises", "UnitError: nanprod of", "np.nanprod", _LATER),
    (
        "unyt",
        "ours raises",
        "UnitError: .* takes values in",
        "np.copyto np.fill_diagonal x.__setitem__",
        _NO_BARE_NUMBERS,
    ),
    (
        "unyt",
        "ours raises",
        "UnitError: .*would change the unit of an existing array",
        (
            "np.dot np.sign np.sqrt np.cbrt np.square np.reciprocal np.logical_not np.isfinite"
            " np.isinf np.isnan np.signbit np.multiply np.divide np.arctan2 np.greater"
            " np.greater_equal np.less np.less_equal np.not_equal np.equal np.logical_and"
            " np.logical_or np.logical_xor np.copysign np.divmod np.vecdot"
        ),
        _OUT_KEEPS_ITS_UNIT,
    ),
    ("unyt", "ours raises", "UnitError: a unit is asked for", "x.to", "10 g is no unit"),
    (
        "unyt",
        "ours raises",
        "UnitLossError: .* into a plain array",
        "np.dot np.copyto np.compress np.divide",
        _WHOLE,
    ),
    (
        "unyt",
        "ours raises",
        "UnitLossError: np.savetxt",
        "np.savetxt",
        "x.save writes the unit too",
    ),
    (
        "unyt",
        "theirs raises",
        "InvalidUnitOperation|UnitOperationError: The <ufunc 'add'>",
        "np.subtract np.add",
        "27 °C from 80 °F is a difference; a kelvin can be added to °C",
    ),
    (
        "unyt",
        "theirs raises",
        "UnitConversionError",
        "x.to",
        "unyt has no such conversion of electrostatic units",
    ),
    (
        "unyt",
        "theirs raises",
        "UnitInconsistencyError",
        "np.choose np.fill_diagonal np.insert np.searchsorted",
        "km go beside cm",
    ),
    (
        "unyt",
        "theirs raises",
        "UnitOperationError: The <ufunc 'logical",
        "np.logical_and np.logical_or np.logical_xor",
        "whether a number is 0 does not depend on its unit",
    ),
)
