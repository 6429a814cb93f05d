"""Kernels of ops that PyTorch has no function of the same signature for, or a faster one.

One module for each family of the table; a kernel is a function of the op's name and signature. All
are made of PyTorch's own functions, so that its autograd, `torch.func` and `torch.compile` go
through them: no values are looked at, nothing given is written into.
"""
