"""Modules of classes that a pickle finds by name."""

from torch import nn


class Holder(nn.Module):
    """A plain module."""


class Own(nn.Module):
    """A module that has its own say about attributes, and a state of its own."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __setattr__(self, name, value):
        super().__setattr__(name, value)

    def __getattr__(self, name):
        return super().__getattr__(name)

    def get_extra_state(self):
        return self.count

    def set_extra_state(self, state):
        self.count = state
