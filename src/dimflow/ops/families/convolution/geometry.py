"""The geometry of convolution: windows, strides, gaps and borders, one number for each axis."""

from typing import Any

from dimflow.errors import ShapeMismatch, UnitError

Pairs = tuple[tuple[int, int], ...]


def per_axis(op: str, name: str, value: Any, count: int, least: int = 0) -> tuple[int, ...]:
    """One integer for each axis of space, from one for all or a sequence."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,) * count
    is_whole = all(isinstance(v, int) and not isinstance(v, bool) and v >= least for v in values)
    if len(values) != count or not is_whole:
        wanted = f"{name}: an integer from {least}, or {count} of them"
        raise ShapeMismatch(op, wanted, value)
    return values


def pairs_of(op: str, padding: Any, kernel: Any, stride: Any, dilation: Any) -> Pairs:
    """How much is added before and after each axis of space."""
    count = len(kernel)
    if padding == "valid":
        return ((0, 0),) * count
    if padding == "same":
        if any(s != 1 for s in stride):
            hint = "give the padding in numbers"
            raise UnitError(f"{op} with padding='same' needs a stride of 1, not {stride}", hint)
        totals = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
        return tuple((t // 2, t - t // 2) for t in totals)
    if isinstance(padding, str):
        raise UnitError(f"{op} has the paddings 'same' and 'valid', not {padding!r}")
    if isinstance(padding, (tuple, list)) and any(isinstance(p, (tuple, list)) for p in padding):
        if len(padding) != count:
            raise ShapeMismatch(op, f"padding: {count} pairs", padding)
        found = [per_axis(op, "padding", p, 2) for p in padding]
        return tuple((low, high) for low, high in found)
    return tuple((p, p) for p in per_axis(op, "padding", padding, count))


class Geometry:
    """The parameters of a convolution, checked, with one number for each axis of space."""

    def __init__(self, op: str, kernel: Any, params: dict[str, Any]) -> None:
        count = len(kernel)
        self.op = op
        self.kernel = tuple(kernel)
        self.stride = per_axis(op, "stride", params["stride"], count, 1)
        self.dilation = per_axis(op, "dilation", params["dilation"], count, 1)
        self.padding = pairs_of(op, params["padding"], kernel, self.stride, self.dilation)
        self.extra = per_axis(op, "output_padding", params.get("output_padding", 0), count)
        for extra, s, d in zip(self.extra, self.stride, self.dilation, strict=True):
            if extra and extra >= max(s, d):
                wanted = "output_padding below the stride or the dilation"
                raise ShapeMismatch(op, wanted, params["output_padding"])

    @property
    def spans(self) -> tuple[int, ...]:
        """How far a kernel reaches, with its gaps."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation, strict=True))

    def outward(self, lengths: Any) -> tuple[int | None, ...]:
        """The space that a convolution gives."""
        result: list[int | None] = []
        for n, span, s, pads in zip(lengths, self.spans, self.stride, self.padding, strict=True):
            if n is None:
                result.append(None)
            elif n + sum(pads) < span:
                wanted = f"space of at least {span - sum(pads)} for a kernel of {self.kernel}"
                raise ShapeMismatch(self.op, wanted, tuple(lengths))
            else:
                result.append((n + sum(pads) - span) // s + 1)
        return tuple(result)

    def inward(self, lengths: Any) -> tuple[int | None, ...]:
        """The space that a transposed convolution gives."""
        return tuple(
            None if n is None else (n - 1) * s - sum(pads) + span + extra
            for n, span, s, pads, extra in zip(
                lengths, self.spans, self.stride, self.padding, self.extra, strict=True
            )
        )

    def params(self, **others: Any) -> dict[str, Any]:
        """The parameters as ops take them."""
        common = {"stride": self.stride, "padding": self.padding, "dilation": self.dilation}
        return {**common, **others}


# Signals of one axis

MODES = ("full", "same", "valid")


def window_of(op: str, mode: str, left: int, right: int) -> tuple[int, int]:
    """Where the result of a mode begins and ends within the full one."""
    longer, shorter = max(left, right), min(left, right)
    if not shorter:
        raise ShapeMismatch(op, "signals of one element or more", (left, right))
    if mode == "full":
        return 0, longer + shorter - 1
    if mode == "same":
        return (shorter - 1) // 2, (shorter - 1) // 2 + longer
    if mode == "valid":
        return shorter - 1, longer
    raise UnitError(f"{op} has the modes {', '.join(MODES)}, but got {mode!r}")
