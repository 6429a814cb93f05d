"""Device: where an array lives. A text in its library's own words, which knows its library."""

from typing import Any, Self

from dimflow.errors import DeviceMismatch


class Device(str):
    """A place that arrays of one library live in: `"cpu"`, `"cuda:0"`.

    It is a text, and equal to it: `x.device == "cuda:0"`, and to the library's own object. Where a
    device is asked for, the text, the Device and the library's own object will all do.
    """

    __slots__ = ("backend",)

    backend: str  # the name of the library

    def __new__(cls, name: str, backend: str = "numpy") -> Self:
        made = super().__new__(cls, name)
        made.backend = backend
        return made

    @property
    def kind(self) -> str:
        """What sort of device it is: "cpu", "cuda", "gpu", "mps"."""
        return self.partition(":")[0].lower()

    type = kind  # as torch has it

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return str.__eq__(self, other)
        try:
            native = self.native
        except DeviceMismatch:  # of another machine
            return False
        return native.__class__ is other.__class__ and bool(native == other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    @property
    def index(self) -> int:  # type: ignore[override]  # as torch has it; a text's is not needed
        """Which one of its kind it is."""
        number = self.partition(":")[2]
        return int(number) if number.isdecimal() else 0

    @property
    def native(self) -> Any:
        """The library's own object for it."""
        from dimflow.backends import backend

        return backend(self.backend).native_device(str(self))

    @property
    def description(self) -> str:
        """What the hardware is called, as far as the library tells."""
        from dimflow.backends import backend

        return backend(self.backend).describe_device(str(self))

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.backend

    def __repr__(self) -> str:
        return f"Device({str(self)!r}, {self.backend!r})"
