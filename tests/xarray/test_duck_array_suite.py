"""xarray's own tests of wrapped arrays, with DimArrays of pure numbers and of metres."""

import xarray.tests.test_duck_array_wrapping as suite

NAMESPACES = {"dimflow": "of pure numbers", "tests.xarray.metres": "of metres"}

_INSIDE = "every coefficient has a unit of its own: .dimflow.polyfit"
_MISSING = "xarray needs a package for it that is not installed"
_CALL = "the test itself calls it without an argument that it needs"
_BARE = "the test mixes metres and bare numbers, which is the error that units are for"
_UNIT = "what comes out depends on the unit, and the test does not say which"
_FACTORS = "a product of metres has a unit for every number of factors"

# Tests that fail, and why; one that passes all the same is an error.
EVERYWHERE = {
    "test_interpolate_na": _CALL,
    "test_ffill": _CALL,
    "test_bfill": _CALL,
    "test_rank": _MISSING,
    "test_polyfit": _INSIDE,
    "test_rolling_exp_reduce": _MISSING,
}
XARRAY_DEVIATIONS = {
    "dimflow": EVERYWHERE,
    "tests.xarray.metres": {
        **EVERYWHERE,
        "test_apply_ufunc": _BARE,
        "test_map_blocks": _BARE,
        "test_where": _BARE,
        "test_clip": _BARE,
        "test_round": _UNIT,
        "test_astype": _UNIT,
        "test_prod[True": _FACTORS,
        "test_cumprod": _FACTORS,
    },
}

for _name in NAMESPACES:
    suite.NAMESPACE_ARRAYS[_name] = {
        "attrs": {"array": "DimArray", "constructor": "asarray"},
        "xfails": {},
    }
suite.NAMESPACES[:] = list(NAMESPACES)  # the list that xarray's marks hold: ours instead of theirs

TestTopLevelMethods = suite.TestTopLevelMethods
TestDataArrayMethods = suite.TestDataArrayMethods
