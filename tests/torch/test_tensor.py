"""DimTensor: a DimArray with what PyTorch's users expect of a tensor."""

import copy
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import dimflow
from dimflow import DimArray, units
from dimflow.errors import (
    BackendMismatch,
    DimflowError,
    ShapeMismatch,
    UnitError,
    UnitLossError,
    UnsupportedFunction,
)
from dimflow.torch import DimParameter, DimTensor


def test_every_way_to_make_one():
    raw = torch.arange(3.0)
    for made in (
        DimTensor(raw, "m"),
        DimArray(raw, "m"),
        raw * units.m,
        DimTensor([0.0, 1.0, 2.0], "m"),
        DimTensor(np.arange(3, dtype="float32"), "m"),
        DimArray([0.0, 1.0, 2.0], "m").to_backend("torch"),
        DimTensor(DimArray([0.0, 1.0, 2.0], "m")),
        DimTensor(DimArray([0.0, 100.0, 200.0], "cm"), "m"),
    ):
        assert type(made) is DimTensor
        assert isinstance(made, DimArray)
        assert isinstance(made.data, torch.Tensor)
        assert str(made.unit) == "m"
        assert made.tolist() == [0.0, 1.0, 2.0]
    assert DimTensor(raw, "m").data is raw
    with pytest.raises(BackendMismatch):
        DimTensor(raw, "m", backend="numpy")


def test_results_are_tensors_of_the_same_class():
    x, y = DimTensor([1.0, 2.0], "m"), DimTensor([1.0, 4.0], "s")
    for result in (
        x * y,
        x / y,
        x + x,
        x - x,
        x**2,
        -x,
        abs(x),
        2 * x,
        x @ y,
        x[0],
        x.T,
        x * 2.0,
        x > x,
    ):
        assert type(result) is DimTensor
    assert type(dimflow.sqrt(x * x)) is DimTensor


def test_operators_agree_with_those_of_numpy():
    import operator

    values, others = [1.0, 2.5, -3.0], [2.0, 0.5, 4.0]
    for operation in (
        *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv),
        *(operator.mod, operator.lt, operator.le, operator.gt, operator.ge, operator.eq),
        operator.ne,
    ):
        for left, right in (("m", "m"), ("m", "cm"), ("km", "m"), ("", "percent"), ("m", "s")):
            pair = DimArray(values, left), DimArray(others, right)
            ours = tuple(p.to_backend("torch") for p in pair)
            for _ in range(2):  # the second time from memory
                try:
                    expected = operation(*pair)
                except DimflowError as error:
                    with pytest.raises(type(error)):
                        operation(*ours)
                    continue
                result = operation(*ours)
                if isinstance(expected, DimArray):
                    assert result.unit is expected.unit
                    expected, result = expected.data, result.data
                np.testing.assert_allclose(result.numpy(), expected)


def test_plain_tensors_stand_on_either_side():
    x, raw = DimTensor([1.0, 2.0], "m"), torch.tensor([3.0, 4.0])
    assert (raw * x).tolist() == (x * raw).tolist() == [3.0, 8.0]
    assert str((raw * x).unit) == "m"
    assert str((raw / x).unit) == "1/m"
    with pytest.raises(UnitError):
        raw + x
    with pytest.raises(UnitError):
        raw += x
    with pytest.raises(UnitError):
        raw[0] = x[0]
    assert raw.tolist() == [3.0, 4.0]


def test_to_takes_units_dtypes_and_devices():
    x = DimTensor([1500.0], "m")
    assert x.to("km").tolist() == [1.5]
    assert x.to(units.km).tolist() == [1.5]
    assert x.to(unit="km").tolist() == [1.5]
    for moved in (
        *(x.to(torch.float64), x.to("cpu"), x.to("cpu", torch.float64), x.to(device="cpu")),
        *(x.to(x), x.to(torch.ones(1, dtype=torch.float64)), x.double(), x.half(), x.cpu()),
        *(x.to("meta"), x.to(dtype=torch.float64), x.bfloat16(), x.to(torch.device("cpu"))),
    ):
        assert type(moved) is DimTensor
        assert str(moved.unit) == "m"
    assert x.to(torch.float64).dtype is torch.float64
    assert str(x.to("meta").device) == "meta"


def test_fractions_are_not_cut_in_a_unit():
    x = DimTensor([1.5], "m")
    for cut in (x.int, x.long, x.short, x.byte, x.char, lambda: x.to(torch.int32)):
        with pytest.raises(UnitError, match="depend on the unit"):
            cut()
    assert DimTensor([150.0], "percent").int().tolist() == [1]
    assert x.bool().tolist() == [True]
    assert x.astype("int64", unit="cm").tolist() == [150]


def test_several_results_of_one_array_each_time():
    """The second call finds its plan at once, and must not take the tuple for a tensor."""
    x = DimTensor([1.0, 2.0], "m")
    for _ in range(3):
        parts = torch.unbind(x)
        assert type(parts) is tuple
        assert [type(part) for part in parts] == [DimTensor, DimTensor]
    assert str(torch.square(x).unit) == str(torch.square(x).unit) == "m**2"


def test_shapes_as_in_pytorch():
    x = DimTensor(torch.arange(6.0), "m")
    y = x.view(2, 3)
    assert y.size == 6
    assert y.size() == torch.Size([2, 3])
    assert y.size(1) == 3
    assert (y.dim(), y.numel(), y.ndim) == (2, 6, 2)
    for shaped, shape in (
        (y.permute(1, 0), (3, 2)),
        (y.unsqueeze(0), (1, 2, 3)),
        (y.expand(4, 2, 3), (4, 2, 3)),
        (y.contiguous(), (2, 3)),
        (y.flatten(start_dim=0), (6,)),
        (y.sum(dim=1, keepdim=True), (2, 1)),
        (torch.transpose(y, 0, 1), (3, 2)),
        (y.unbind()[0], (3,)),
        (y.chunk(3, dim=1)[2], (2, 1)),
    ):
        assert type(shaped) is DimTensor
        assert tuple(shaped.shape) == shape
        assert str(shaped.unit) == "m"


def test_keywords_of_pytorch_have_its_meaning():
    raw = torch.tensor([[1.0, 5.0], [4.0, 2.0]])
    x = DimTensor(raw, "m")
    values, places = x.max(dim=0)
    assert values.tolist() == [4.0, 5.0]
    assert str(values.unit) == "m"
    assert places.tolist() == [1, 0]
    assert x.std(dim=0).tolist() == raw.std(dim=0).tolist()
    assert x.std(axis=0).tolist() == raw.std(dim=0, correction=0).tolist()
    assert x.sort(dim=1, descending=True)[0].tolist() == [[5.0, 1.0], [4.0, 2.0]]


def test_writing_converts_or_raises_and_changes_nothing_then():
    x = DimTensor([1.0, 2.0], "m")
    same = x
    x.add_(DimTensor([1.0, 1.0], "km"))
    assert x is same
    assert x.tolist() == [1001.0, 1002.0]
    assert x.mul_(2).tolist() == [2002.0, 2004.0]
    assert x.copy_(DimTensor([1.0, 2.0], "km")).tolist() == [1000.0, 2000.0]
    for wrong in (
        lambda: x.mul_(x),
        lambda: x.add_(1.0),
        lambda: x.copy_(torch.ones(2)),
        lambda: x.fill_(True),
        lambda: x.sqrt_(),
        lambda: x.normal_(),
        lambda: x.masked_fill_(torch.tensor([True, False]), 3.0),
        lambda: x.index_put_((torch.tensor([0]),), torch.ones(1)),
        lambda: x.put_(torch.tensor([0]), torch.ones(1)),
        lambda: x.scatter_(0, torch.tensor([0]), 5.0),
        lambda: torch.add(x, x, out=torch.empty(2)),
        lambda: torch.mul(x, x, out=DimTensor(torch.empty(2), "m")),
    ):
        with pytest.raises(DimflowError):
            wrong()
    assert x.tolist() == [1000.0, 2000.0]
    out = DimTensor(torch.zeros(2), "km")
    assert torch.add(x, x, out=out) is out
    assert out.tolist() == [2.0, 4.0]
    assert x.zero_().tolist() == [0.0, 0.0]
    assert x.scatter_(0, torch.tensor([1]), DimTensor([3.0], "cm")).tolist()[1] == pytest.approx(
        0.03
    )


def test_numbers_leave_with_the_unit_or_by_name():
    x = DimTensor([1.0, 2.0], "m")
    array = x.numpy()
    assert type(array) is DimArray
    assert array.backend == "numpy"
    assert str(array.unit) == "m"
    array[0] = 5 * units.m
    assert x.tolist()[0] == 5.0  # the memory is shared
    assert x[1].item() == 2.0
    for lose in (lambda: float(x[0]), lambda: np.asarray(x), lambda: torch.from_dlpack(x)):
        with pytest.raises((UnitLossError, TypeError)):
            lose()
    with pytest.raises((TypeError, DimflowError)):
        torch.as_tensor(x)
    with pytest.raises((TypeError, DimflowError)):
        torch.tensor(x[0])


def test_a_missing_attribute_is_pythons_error():
    x = DimTensor([1.0], "m")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        x.nonsense  # noqa: B018
    assert not hasattr(x, "__array_struct__")
    assert hasattr(x, "unsqueeze")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64])
@pytest.mark.parametrize("requires_grad", [False, True])
def test_copies_and_pickles_keep_everything(dtype, requires_grad):
    if requires_grad and not dtype.is_floating_point:
        return
    x = DimTensor(torch.tensor([1, 2]).to(dtype), "m/s", requires_grad=requires_grad)
    for copied in (
        copy.deepcopy(x),
        pickle.loads(pickle.dumps(x)),
        pickle.loads(pickle.dumps(x, 2)),
    ):
        assert type(copied) is DimTensor
        assert copied.unit is x.unit
        assert copied.dtype is dtype
        assert copied.requires_grad is requires_grad
        assert copied.tolist() == x.tolist()
        assert copied.data is not x.data
        assert copied.data.data_ptr() != x.data.data_ptr()


def test_a_plain_tensor_is_read_without_pytorch():
    text = pickle.dumps(DimTensor([1.0], "m"))
    with dimflow.restore_on("numpy"):
        assert pickle.loads(text).backend == "numpy"


def test_autocast():
    a, b = DimTensor(torch.ones(2, 2), "m"), DimTensor(torch.ones(2, 2), "s")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        for product in (a @ b, torch.matmul(a, b), torch.nn.functional.linear(a, b)):
            assert product.dtype is torch.bfloat16
            assert str(product.unit) == "m*s"


# What these mean for NumPy's arrays is nothing
PYTORCHS = {
    "flatten": [(1,), (1, 2), (0, 1), (-2,)],
    "max": [(torch.full((2, 1, 3), 7.0),)],
    "min": [(torch.full((2, 1, 3), 7.0),)],
    "repeat": [(1, 2, 1), (2, 1, 1, 1)],
}


@pytest.mark.parametrize("name", PYTORCHS)
def test_arguments_that_only_pytorch_has_mean_what_they_mean_there(name):
    raw = torch.arange(24.0).reshape(2, 4, 3)
    for args in PYTORCHS[name]:
        quantities = [DimTensor(a, "m") if isinstance(a, torch.Tensor) else a for a in args]
        found = getattr(DimTensor(raw, "m"), name)(*quantities)
        assert torch.equal(found.to_value("m"), getattr(raw, name)(*args)), args
    places = DimTensor(raw, "m").nonzero(as_tuple=True)
    assert all(map(torch.equal, places, raw.nonzero(as_tuple=True)))
    assert nn.Flatten()(DimTensor(raw, "m")).shape == (2, 12)


@pytest.mark.parametrize("name", ["expand_as", "reshape_as", "view_as"])
def test_the_unit_of_a_tensor_that_only_has_the_shape_does_not_matter(name):
    raw, shape = torch.arange(6.0), torch.zeros(2, 3)
    raw = raw[:3] if name == "expand_as" else raw
    expected = getattr(raw, name)(shape)
    for one in (raw, DimTensor(raw, "m")):
        for other in (shape, DimTensor(shape, "s"), DimTensor(shape, "degC")):
            found = getattr(one, name)(other) if isinstance(one, DimTensor) else None
            found = getattr(torch.Tensor, name)(one, other) if found is None else found
            assert isinstance(found, DimTensor) == isinstance(one, DimTensor)
            assert torch.equal(getattr(found, "magnitude", found), expected)


def test_an_order_that_is_no_order_of_axes_says_what_exchanges_two():
    x = DimTensor(torch.arange(24.0).reshape(2, 4, 3), "m")
    with pytest.raises(ShapeMismatch) as caught:
        x.transpose(-1, -2)
    assert caught.value.hint.startswith("x.swapaxes(-1, -2)")
    assert torch.equal(x.swapaxes(-1, -2).data, x.data.transpose(-1, -2))
    for order in ("K", 1, None):
        with pytest.raises(ValueError, match="order must be"):
            x.ravel(order)


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "argmax", "argmin", "any", "all", "norm"])
def test_a_truth_value_is_keepdim_as_pytorch_has_it(name):
    raw = torch.tensor([[1.0, 5.0], [2.0, 3.0]])
    args = (2, 1, True) if name == "norm" else (1, True)
    found, expected = getattr(DimTensor(raw, "m"), name)(*args), getattr(raw, name)(*args)
    assert torch.equal(found.data if isinstance(found, DimTensor) else found, expected)


@pytest.mark.parametrize("name", ["max", "min", "sort"])
def test_a_truth_value_asks_for_values_and_indices(name):
    raw = torch.tensor([[1.0, 5.0], [2.0, 3.0]])
    found, expected = getattr(DimTensor(raw, "m"), name)(1, True), getattr(raw, name)(1, True)
    assert torch.equal(found.values.data, expected.values)
    assert torch.equal(found.indices, expected.indices)


def test_what_makes_tensors_names_the_function_of_ours():
    for call in (
        lambda: torch.linspace(0 * units.m, 1 * units.m, 3),
        lambda: torch.arange(0 * units.m, 3 * units.m),
        lambda: torch.full((2,), 1 * units.m),
        lambda: torch.fft.fftfreq(3, d=1 * units.s),
    ):
        with pytest.raises(UnsupportedFunction) as caught:
            call()
        assert caught.value.hint.startswith("dimflow.")


def test_functions_of_init_take_quantities():
    x = DimTensor(torch.zeros(2000), "m")
    torch.manual_seed(0)
    nn.init.normal_(x, mean=3 * units.m, std=20 * units.cm)
    assert abs(x.mean().to_value("m") - 3) < 0.02
    assert abs(x.std().to_value("m") - 0.2) < 0.02
    nn.init.uniform_(x, a=DimTensor(50.0, "cm"), b=1 * units.m)
    assert 0.5 <= x.min().to_value("m") <= x.max().to_value("m") <= 1.0
    nn.init.uniform_(DimTensor(torch.zeros(2), "percent"), 0.5)
    for bare in (nn.init.normal_, nn.init.uniform_):
        with pytest.raises(UnitError, match="takes values in m"):
            bare(x)


_DRAWING = {"sparse_": (0.5,), "constant_": (2.0,)}
INITIAL = sorted(n for n in dir(nn.init) if n.endswith("_") and not n.startswith("_"))


@pytest.mark.parametrize("name", INITIAL)
def test_functions_of_init_fill_the_numbers_where_they_take_no_quantities(name):
    function, args = getattr(nn.init, name), _DRAWING.get(name, ())
    shape = (3, 3, 3) if name == "dirac_" else (3, 3)
    k, plain = DimParameter(torch.zeros(shape), "N/m"), nn.Parameter(torch.zeros(shape))
    if name != "zeros_":
        with pytest.raises((UnitError, UnsupportedFunction)) as caught:
            function(k, *args)
        assert not k.data.any()
        if name.startswith(("xavier", "kaiming")):
            assert "nn.init.xavier_uniform_(x.data)" in caught.value.hint
    for filled in (k.data, plain):
        torch.manual_seed(0)
        function(filled, *args)
    assert torch.equal(k.to_value("N/m"), plain)


@pytest.mark.parametrize("name", ["uniform_", "normal_", "exponential_", "random_"])
def test_pure_numbers_are_drawn_in_their_unit(name):
    raw, x = torch.zeros(20), DimTensor(torch.zeros(20), "percent")
    for tensor in (raw, x):
        torch.manual_seed(0)
        assert getattr(tensor, name)() is tensor
    torch.testing.assert_close(x.to_value("percent"), raw * 100)


def _same(one, other):
    are_many = [isinstance(v, (tuple, list)) for v in (one, other)]
    if any(are_many):
        return all(are_many) and len(one) == len(other) and all(map(_same, one, other))
    one, other = (v.data if isinstance(v, DimArray) else v for v in (one, other))
    if isinstance(one, torch.Tensor):
        return isinstance(other, torch.Tensor) and one.tolist() == other.tolist()
    return not hasattr(one, "dtype") and one == other


@pytest.mark.filterwarnings("ignore:The use of `x.T`")
def test_the_guide_lists_the_methods_with_two_meanings():
    guide = Path(__file__).parents[2] / "docs/guide/coming_from_pytorch.md"
    table = re.search(r"\| PyTorch's meaning \|\n(.*?)\n\n", guide.read_text("utf-8"), re.DOTALL)
    cells = [row.split("|")[1] for row in table[1].splitlines()]
    listed = {name for cell in cells for name in re.findall(r"`x\.(\w+)", cell)}
    numbers = [[[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]], [[3.0, 1.0], [2.0, 5.0]], [2.0, 0.0, 1.0]]
    found = set()
    for name in {n for n in dir(torch.Tensor) if n[0] != "_" and n != "numpy"} & set(
        dir(DimTensor)
    ):
        for raw in (torch.tensor(each, dtype=torch.float64) for each in numbers):
            for args in ((), (0,), (1,), (2,), (0, 1), (1, 0), (1, 2), (0, True)):
                try:
                    theirs = _of(raw.clone(), name, args)
                    ours = _of(DimTensor(raw.clone(), ""), name, args)
                except (TypeError, ValueError, RuntimeError, IndexError, DimflowError):
                    continue
                if not _same(theirs, ours):
                    found.add(name)
    assert found == listed - {"size"}


def _of(x, name, args):
    value = getattr(x, name)
    return value(*args) if callable(value) else value


@pytest.mark.parametrize("make", [torch.tensor, torch.as_tensor, torch.ones(2).new_tensor])
@pytest.mark.parametrize("one", [2.0 * units.m, DimTensor(2.0, "m"), DimTensor(2.0, "")])
def test_pytorch_makes_no_tensor_of_a_list_of_quantities(make, one):
    with pytest.raises(TypeError, match=r"dimflow\.stack"):
        make([one, one])
    assert dimflow.stack([one, one]).unit == one.unit
