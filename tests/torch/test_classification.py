"""Every function that PyTorch lists as overridable is supported, or refused with a reason."""

import warnings
from inspect import getsource
from types import FunctionType

import pytest
import torch
from torch import nn
from torch.overrides import get_overridable_functions

from dimflow.errors import DimflowError, PointError, UnsupportedFunction
from dimflow.ops import TABLE
from dimflow.ops.rules.units import resolve
from dimflow.torch import DimTensor
from dimflow.torch.functions import classified, handler_of, name_of
from dimflow.torch.host.defined import FUNCTIONS as DEFINED
from dimflow.torch.host.defined import UNITLESS
from dimflow.torch.host.entries import ENTRIES
from dimflow.torch.host.planned import Planned
from dimflow.torch.host.refused import REFUSED
from dimflow.torch.host.rules import RULES
from dimflow.units import Unit

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    LISTED = [f for many in get_overridable_functions().values() for f in many]
    # some that PyTorch forgets to list
    OWN = [f for f in vars(nn.functional).values() if isinstance(f, FunctionType)]
    OWN = [f for f in OWN if f.__module__ == "torch.nn.functional" and f.__name__[0] != "_"]
    LISTED += [f for f in OWN if "return handle_torch_function(" in getsource(f)]
FUNCTIONS = {name_of(f): f for f in LISTED}
PLACES = {name: classified(name) for name in FUNCTIONS}


def test_every_function_has_its_place():
    unknown = sorted(name for name, (kind, _) in PLACES.items() if kind == "unknown")
    assert not unknown, "PyTorch has gained these: decide what they do to units"
    assert len({id(f) for f in LISTED}) > 1300


def test_nine_of_ten_are_supported():
    refused = [name for name, (kind, _) in PLACES.items() if kind == "refused"]
    assert len(refused) < 0.13 * len(PLACES)
    assert len(set(REFUSED.values())) == 13


def test_the_data_name_no_function_twice():
    places = (set(ENTRIES), set(REFUSED), set(DEFINED), set(UNITLESS))
    for i, one in enumerate(places):
        for other in places[i + 1 :]:
            assert not one & other


def test_every_line_of_the_data_is_of_a_function_that_exists():
    used = {what for kind, what in PLACES.values() if kind != "refused"}
    extra = (set(ENTRIES) | set(DEFINED) | UNITLESS) - used
    initial = {f"nn.init.{n}" for n in ("constant_", "uniform_", "normal_", "kaiming_uniform_")}
    # overridable, and not in the list
    inner = {"_is_all_true", "_is_any_true", "nn.utils.rnn.pad_sequence"}
    assert extra == {"autograd.grad", "autograd.backward", "stride"} | initial | inner


def test_every_rule_is_one_of_the_table_or_beside_it():
    for name, entry in ENTRIES.items():
        assert entry.rule in TABLE or entry.rule in RULES, name
    assert not set(RULES) & set(TABLE), "one name, two rules"
    used = {entry.rule for entry in ENTRIES.values()}
    by_hand = {"counts_and_edges", "per_spacing"}
    assert set(RULES) <= used | by_hand


def alike():
    """Functions that follow a rule beside the table, and the op of their name."""
    for name, entry in ENTRIES.items():
        op = TABLE.get(name.removesuffix(".__get__").rpartition(".")[2])
        if op is None or op.unit is None or entry.rule not in RULES:
            continue
        given = [place for place in entry.at or ("0",) if place.isdigit()]
        parameters = [p for p in op.signature.parameters.values() if p.name in op.array_names]
        if len(given) == sum(p.default is p.empty for p in parameters):
            yield name, RULES[entry.rule], op, len(given)


def planned_unit(op, count, unit):
    """The unit of the result for arrays of one unit; None if it is refused."""
    static = [p for p in op.signature.parameters.values() if p.name not in op.array_names]
    params = {p.name: None if p.default is p.empty else p.default for p in static}
    units = (Unit(unit),) * count
    if op.family != "torch":
        units += (None,) * (len(op.array_names) - count)
    try:
        return resolve(op, units, params, ((2, 2),) * len(units)).result, True
    except DimflowError:
        return None, False


def test_a_rule_says_what_the_op_of_that_name_says():
    found = list(alike())
    assert len(found) > 60
    for unit in ("m", "km", "", "rad", "degC", "dBm"):
        for name, rule, op, count in found:
            ours, theirs = planned_unit(rule, count, unit), planned_unit(op, count, unit)
            assert ours == theirs, (name, rule.name, unit)


@pytest.mark.filterwarnings("ignore:.*norm is deprecated")
@pytest.mark.parametrize("norm", ["frobenius_norm", "nuclear_norm"])
def test_a_size_of_points_has_no_meaning(norm):
    function = getattr(torch, norm)
    assert str(function(DimTensor(torch.eye(2), "m"), dim=(0, 1)).unit) == "m"
    with pytest.raises(PointError):
        function(DimTensor([[20.0, 30.0], [1.0, 2.0]], "degC"), dim=(0, 1))


def test_equality_across_dimensions_is_that_of_the_record():
    x, t = DimTensor([1.0, 2.0], "m"), DimTensor([1.0, 2.0], "s")
    for function, answer in ((torch.eq, False), (torch.ne, True), (torch.not_equal, True)):
        assert function(x, t).tolist() == [answer, answer]
        torch._dynamo.reset()
        compiled = torch.compile(function, backend="eager", fullgraph=True)
        assert compiled(x, t).tolist() == [answer, answer]


def test_arrays_stand_among_the_arguments_that_pytorch_names():
    """A slot without a place would let a bare number adopt a unit."""
    missing = set()
    for name, function in FUNCTIONS.items():
        if PLACES[name][0] in ("op", "rule"):
            handler = handler_of(function)
            assert isinstance(handler, Planned)
            missing |= {(name, slot.name) for slot in handler.slots if slot.place is None}
    assert missing == {
        ("cumulative_trapezoid", "dx"),
        ("trapezoid", "dx"),
        ("trapz", "dx"),
        ("linalg.matrix_rank", "atol"),
    }  # these are given by name alone


@pytest.mark.parametrize("name", sorted(n for n, (kind, _) in PLACES.items() if kind == "refused"))
def test_a_refused_function_says_why(name):
    with pytest.raises(UnsupportedFunction) as error:
        handler_of(FUNCTIONS[name])
    assert error.value.reason == PLACES[name][1]
    assert error.value.hint


def test_refusal_reaches_the_caller():
    x = DimTensor([1.0, 2.0], "m")
    with pytest.raises(UnsupportedFunction, match="sparse tensors"):
        torch.smm(x, x)
    with pytest.raises(UnsupportedFunction, match="packs numbers of several units"):
        torch.linalg.lu_factor(DimTensor(torch.eye(2), "m"))
    with pytest.raises(UnsupportedFunction, match="bare numbers"):
        x.apply_(lambda value: value)


INNER = [
    f for name, f in vars(torch._C._nn).items() if name[0] != "_" and hasattr(nn.functional, name)
]


@pytest.mark.parametrize("function", INNER, ids=lambda f: f.__name__)
def test_a_message_names_what_users_call(function):
    """PyTorch's functions run parts of it, which ask too where the first argument is plain."""
    name = name_of(function)
    assert getattr(nn.functional, name.removeprefix("nn.functional.")) is not None
    assert classified(name)[0] != "unknown"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("nn.functional.pad", lambda q: nn.functional.pad(torch.ones(2), (1, 1), value=q)),
        ("nn.functional.leaky_relu", lambda q: nn.functional.leaky_relu(torch.ones(2), q)),
        ("nn.functional.elu", lambda q: nn.functional.elu(torch.ones(2), q)),
        (
            "nn.utils.rnn.pad_sequence",
            lambda q: nn.utils.rnn.pad_sequence([torch.ones(2), torch.ones(1)], padding_value=q),
        ),
    ],
)
def test_an_error_beside_plain_tensors_names_it_too(name, call):
    with pytest.raises(DimflowError, match=name) as error:
        call(2 * Unit("m"))
    assert "_C" not in str(error.value)


def test_an_unknown_function_is_refused():
    x = DimTensor([1.0], "m")

    def mean(value):
        return value

    with pytest.raises(UnsupportedFunction, match="does not know"):
        DimTensor.__torch_function__(mean, (DimTensor,), (x,))
    mean.__module__ = "torch.new"
    with pytest.raises(UnsupportedFunction, match=r"torch\.new\.mean"):
        DimTensor.__torch_function__(mean, (DimTensor,), (x,))
    with pytest.raises(UnsupportedFunction):
        torch.ops.aten.sin(x)
