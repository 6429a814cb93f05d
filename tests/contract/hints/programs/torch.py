"""PyTorch's functions, gradients and modules."""

from tests.contract.hints.program import program

TORCH = "import torch; x = x.to_backend('torch')"
LEAF = f"{TORCH}; x = x.requires_grad_()"
TRUE = "[2.0, 4.0, 8.0] * u.m"
MODULE = """
import torch
from torch import nn
import dimflow.torch
from dimflow.torch import DimParameter, DimTensor, UnitModule
class Net(UnitModule):
    def __init__(self):
        super().__init__()
        self.w = DimParameter(torch.ones(1), 'm')
net = Net()
"""

PROGRAMS = [
    program(
        "torch.lu_unpack(x, x)",
        "torch.Tensor(x.to_value('m')).double()",
        right="[1.0, 2.0, 4.0]",
        given=TORCH,
    ),
    program(
        "torch.linspace(1 * u.m, 4 * u.m, 4)",
        "dimflow.linspace(1 * u.m, 4 * u.m, 4, backend='torch').to_backend('numpy')",
        right="[1.0, 2.0, 3.0, 4.0] * u.m",
        given=TORCH,
    ),
    program(
        "x.transpose(0, 1)",
        "x.swapaxes(0, 1).to_backend('numpy')",
        "torch.transpose(x, 0, 1).to_backend('numpy')",
        right="DimArray(np.arange(8.0).reshape(2, 2, 2).swapaxes(0, 1), 'm')",
        given=f"{MODULE}\nx = DimTensor(torch.arange(8.0).double().reshape(2, 2, 2), 'm')",
    ),
    program(
        "nn.init.xavier_uniform_(x)",
        "torch.manual_seed(0); plain = nn.init.xavier_uniform_(torch.ones(2, 2)); "
        "torch.manual_seed(0); nn.init.xavier_uniform_(x.data); "
        "torch.equal(x.to_value('km'), plain)",
        "torch.manual_seed(0); plain = nn.init.normal_(torch.ones(2, 2)); torch.manual_seed(0); "
        "unit = u.m; nn.init.normal_(x, 0 * unit, 1 * unit); "
        "torch.allclose(x.to_value('m'), plain)",
        right="True",
        given=f"{MODULE}\nx = DimTensor(torch.ones(2, 2), 'km')",
    ),
    program(
        "torch.nn.utils.clip_grad_norm_([net.w], 1.0)",
        "dimflow.clip_by_global_norm([net.w.grad], 5 * u.m)[0][0].to_backend('numpy')",
        right="[2.0] * u.m",
        given=f"{MODULE}\n(net.w * 2 * u.m).sum().backward()",
    ),
    program(
        "nn.functional.batch_norm(x, zero, running_var, training=True)",
        "nn.functional.batch_norm(x, zero, running_var.to('m**2'), training=True).data.numpy()",
        right="[[-1.0], [1.0]]",
        given=f"{MODULE}\nx = DimTensor([[1.0], [3.0]], 'm').double(); "
        "zero = DimTensor([0.0], 'm').double(); running_var = DimTensor([1.0], 'cm**2').double()",
    ),
    program(
        "net.load_state_dict({'w': torch.ones(1)})",
        "state = {'w': torch.ones(1)}; state['w'] = DimTensor(state['w'], 'm'); "
        "_ = net.load_state_dict(state); net.w.detach().to_backend('numpy')",
        right="[1.0] * u.m",
        given=MODULE,
    ),
    program(
        "x.to_device('cuda:77')",
        "x.to_device('cpu').to_backend('numpy')",
        right="[1.0, 2.0, 4.0] * u.m",
        given=TORCH,
    ),
    program(
        "x.astype('bfloat16').to_numpy()",
        "x = x.astype('bfloat16'); x.astype('float32').to_numpy()",
        right="[1.0, 2.0, 4.0]",
        given=TORCH,
    ),
    program(
        "(x * x).sum().backward(); (x * x * x).sum().backward()",
        "(x * x * x).sum().backward(); optimizer = torch.optim.SGD([x.data]); "
        "optimizer.zero_grad(); "
        "x.grad = None; (x * x).sum().backward(); x.grad.detach().to_backend('numpy')",
        right=TRUE,
        given=LEAF,
    ),
    program(
        "(x * x).sum().data.backward(); x.grad",
        "loss = (x * x).sum(); loss.backward(); x.grad.to_backend('numpy')",
        "loss = (x * x).sum(); loss.data.backward(); x.data.grad.numpy() * u.m",
        right=TRUE,
        given=LEAF,
    ),
    program(
        "x.grad = torch.ones(3)",
        "numbers = torch.tensor([2.0, 4.0, 8.0]).double(); x.grad = DimTensor(numbers, 'J/m'); "
        "x.grad.to_backend('numpy') * u.m**2 / u.J",
        right=TRUE,
        given=f"{LEAF}; from dimflow.torch import DimTensor",
    ),
    program(
        "x.grad = x",
        "x.requires_grad_(); x.grad = 2 * x.detach(); x.grad.to_backend('numpy')",
        right=TRUE,
        given=TORCH,
    ),
    program(
        "x.abs_().mul_(x)",
        "f = lambda x: 2 * x; y = f(x); y.to_backend('numpy')",
        right=TRUE,
        given=TORCH,
    ),
    program(
        "DimTensor([1.0], 'm', backend='jax')",
        "data, unit = [1.0], 'm'; DimArray(data, unit, backend='jax').to_backend('numpy')",
        right="[1.0] * u.m",
        given="from dimflow.torch import DimTensor",
    ),
    program(
        "net.w = DimTensor(torch.zeros(1), 'm')",
        "x = DimTensor([3.0], 'm'); module = net\nwith torch.no_grad(): module.w.copy_(x)\n"
        "x = module.w.detach().to_backend('numpy')",
        right="[3.0] * u.m",
        given=MODULE,
    ),
    program(
        "net.register_parameter('v', DimTensor(torch.zeros(1), 'm'))",
        "x = DimTensor(torch.ones(1), 'm'); net.register_parameter('v', nn.Parameter(x)); "
        "net.v.detach().to_backend('numpy')",
        right="[1.0] * u.m",
        given=MODULE,
    ),
    program(
        "net.w = nn.Parameter(torch.zeros(1))",
        "data = torch.ones(1); net.w = DimParameter(data, 'm'); net.w.detach().to_backend('numpy')",
        right="[1.0] * u.m",
        given=MODULE,
    ),
    program(
        "net.k = nn.Parameter(torch.ones(1)) * u.m",
        "data = torch.ones(1); net.k = DimParameter(data, 'm'); net.k.detach().to_backend('numpy')",
        "x = nn.Parameter(torch.ones(1)) * u.m\nnet.k = x.detach(); net.k.to_backend('numpy')",
        right="[1.0] * u.m",
        given=MODULE,
    ),
    program(
        "torch.nn.Buffer(x)",
        "nn.Buffer(DimTensor(x)).to_backend('numpy')",
        right="[1.0, 2.0, 4.0] * u.m",
        given="import torch; from torch import nn; from dimflow.torch import DimTensor",
    ),
    program(
        "net.w.data = torch.zeros(1)",
        "x, y, unit = net.w, torch.ones(1), 'm'\n"
        "with torch.no_grad(): x.copy_(DimTensor(y, unit))\n"
        "x = net.w.detach().to_backend('numpy')",
        right="[1.0] * u.m",
        given=MODULE,
    ),
    program(
        "k = DimParameter(torch.ones(1), 'km'); torch.optim.SGD([k]).load_state_dict(state)",
        "k = DimParameter(torch.ones(1), 'km'); k = DimParameter(k, 'm'); "
        "torch.optim.SGD([k]).load_state_dict(state); k.detach().to_backend('numpy')",
        right="[1000.0] * u.m",
        given=f"{MODULE}\nstate = torch.optim.SGD([net.w]).state_dict()",
    ),
    program(
        "pytree.tree_map(lambda t: t * t, [x])",
        "pytree.tree_map(lambda t: t * t, [x], is_leaf=lambda x: isinstance(x, DimTensor))[0]"
        ".to_backend('numpy')",
        right="[1.0, 4.0, 16.0] * u.m**2",
        given=f"{TORCH}; from torch.utils import _pytree as pytree\n"
        "from dimflow.torch import DimTensor",
    ),
    program(
        "torch.nn.Parameter(x)",
        "DimParameter(x).detach().to_backend('numpy')",
        right="[1.0, 2.0, 4.0] * u.m",
        given="import torch; from dimflow.torch import DimParameter",
    ),
    program(
        "class F(torch.autograd.Function):\n"
        "    forward = staticmethod(lambda ctx, x: x**2)\n"
        "F.apply(x)",
        "f, rule = (lambda x: x**2), (lambda ct, out, x: (ct * 2 * x,))\n"
        "f = dimflow.custom_gradient(f); f.defvjp(rule)\n"
        "f(x).sum().backward(); x.grad.to_backend('numpy')",
        right=TRUE,
        given=f"{LEAF}; import dimflow",
    ),
    program(
        "checkpoint(torch.square, x, use_reentrant=True)",
        "f = torch.square; checkpoint(f, x, use_reentrant=False).sum().backward(); "
        "x.grad.to_backend('numpy')",
        right=TRUE,
        given=f"{LEAF}; from torch.utils.checkpoint import checkpoint",
    ),
    program(
        "module = nn.Identity(); module.register_full_backward_hook(print); module(x)",
        "hook = lambda g: 2 * g; x.register_hook(hook); x.dot(x).backward(); "
        "x.grad.to_backend('numpy') / 2",
        right=TRUE,
        given=f"{LEAF}; from torch import nn",
    ),
    program(
        "torch.nn.parallel.scatter(x, [0, 1])",
        "unit = 'm'; x.to_value(unit).numpy()",
        right="[1.0, 2.0, 4.0]",
        given=TORCH,
    ),
    program(
        "other = Net(); other.w = DimParameter(torch.ones(1), 'km'); "
        "torch.func.stack_module_state([net, other])",
        "other = Net(); k = DimParameter(torch.ones(1), 'km'); "
        "other.w = DimParameter(k.to('m')); "
        "torch.func.stack_module_state([other, other])[0]['w'].detach().numpy()",
        right="[[1000.0], [1000.0]]",
        given=MODULE,
    ),
]
