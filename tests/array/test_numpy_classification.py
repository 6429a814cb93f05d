"""Every function of NumPy that can be overridden is supported, or refused with a reason."""

import importlib

import numpy as np
import pytest
from numpy.testing.overrides import get_overridable_numpy_array_functions

from dimflow.array import DimArray
from dimflow.array.numpy_host.by_op import ByOp
from dimflow.array.numpy_host.functions import classified, definitions, handler_of, name_of
from dimflow.array.numpy_host.refused import FUNCTIONS as REFUSED
from dimflow.array.numpy_host.rules import RULES
from dimflow.errors import UnsupportedFunction
from tests.array.numpy_recipes import NAMED, PURE_RECIPES, RECIPES

for module in ("char", "fft", "lib.recfunctions", "polynomial", "rec", "strings"):
    importlib.import_module(f"numpy.{module}")  # what is not imported does not register

FUNCTIONS = {name_of(f): f for f in get_overridable_numpy_array_functions()}
SUPPORTED = {n for n in FUNCTIONS if classified(n)[0] in ("op", "rule", "defined")}


def test_every_function_has_its_place():
    unknown = {n for n in FUNCTIONS if classified(n)[0] == "unknown"}
    assert not unknown, "NumPy has gained these: decide what they do to units"


def test_the_data_name_no_function_twice_and_none_that_numpy_lacks():
    places = (set(REFUSED), set(RULES), set(definitions()))
    for i, one in enumerate(places):
        assert one <= set(FUNCTIONS), one - set(FUNCTIONS)
        for other in places[i + 1 :]:
            assert not one & other


def test_nearly_all_with_a_meaning_are_supported():
    meaningful = {n for n in FUNCTIONS if n not in REFUSED}
    assert len(SUPPORTED) / len(meaningful) >= 0.95
    reasons = set(REFUSED.values())
    assert len(reasons) == 3  # strings, dates and records are no quantities
    assert len(SUPPORTED) >= 250


def test_every_supported_function_is_tried_with_units():
    tried = set(RECIPES) | set(PURE_RECIPES) | NAMED
    assert tried == SUPPORTED


@pytest.mark.parametrize("name", sorted(SUPPORTED))
def test_a_supported_function_has_a_handler_that_takes_its_arguments(name):
    handler = handler_of(FUNCTIONS[name])
    assert callable(handler)
    if isinstance(handler, ByOp):
        for slot in handler._arrays:  # the arrays of the op stand among NumPy's arguments
            if slot.default is None:
                assert slot.place is not None, slot.name


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_refused_function_says_why(name):
    with pytest.raises(UnsupportedFunction) as error:
        handler_of(FUNCTIONS[name])
    assert error.value.reason == REFUSED[name]
    assert error.value.function == f"np.{name}"
    assert error.value.hint


def test_refusal_reaches_the_caller():
    x = DimArray([1.0, 2.0], "m")
    with pytest.raises(UnsupportedFunction, match="calendar dates"):
        np.busday_offset(x, 1)
    with pytest.raises(UnsupportedFunction, match="structured arrays"):
        np.lib.recfunctions.structured_to_unstructured(x)


def test_a_function_of_another_package_is_refused():
    def mean(x):
        return x

    mean.__module__ = "elsewhere"
    with pytest.raises(UnsupportedFunction, match="does not know"):
        DimArray([1.0], "m").__array_function__(mean, (DimArray,), (), {})
    mean.__module__ = "numpy.new"
    with pytest.raises(UnsupportedFunction, match=r"np\.new\.mean"):
        DimArray([1.0], "m").__array_function__(mean, (DimArray,), (), {})
