"""checked: annotations that say a unit or a dimension are checked whenever the function runs."""

import inspect
import sys
from collections.abc import Callable
from functools import wraps
from math import isfinite
from typing import Any, TypeVar, overload

from dimflow.array import DimArray
from dimflow.errors import UnitError
from dimflow.transforms.acceptance import Options, Place, acceptor, is_shaped, quick_test
from dimflow.transforms.annotations import (
    Choice,
    Unresolved,
    Wish,
    annotations_of,
    is_generator,
)
from dimflow.units import scope

_NOTHING: dict[str, int] = {}  # stands for the named lengths of a call that has none
_EMPTY = inspect.Parameter.empty

F = TypeVar("F", bound=Callable[..., Any])


@overload
def checked(function: F, /) -> F: ...
@overload
def checked(
    *, convert: bool = True, strict: bool = False, plain: bool = False
) -> Callable[[F], F]: ...
def checked(
    function: Any = None, /, *, convert: bool = True, strict: bool = False, plain: bool = False
) -> Any:
    """Check arguments and results against the annotations, at every call.

        @checked
        def kinetic(m: Mass, v: "m/s") -> Annotated[DimArray, "J"]: ...

    An annotation is a dimension (`Mass` of `dimflow.typing`, a `Dimension`), which is checked, or a
    unit (a text, a `Unit`, `Annotated[DimArray, "m/s"]`), to which the argument is converted. A
    shape may follow: `"m[n, 3]"`; lengths of the same name are the same in one call, `?` is any
    length and `...` any number of axes. Other annotations are left alone.

    convert=False   only checks the dimension of what is annotated with a unit
    strict=True     accepts the very unit and converts nothing
    plain=True      gives the function raw numbers in the annotated units, and its result the unit
    """
    if plain and not convert:
        raise UnitError("plain=True hands over numbers in a unit, which convert=False forbids")
    options = Options(convert, strict, plain)
    local = dict(sys._getframe(1).f_locals)
    if function is None:
        return lambda function: _decorated(function, options, local)
    return _decorated(function, options, local)


def _decorated(function: Any, options: Options, local: dict[str, Any]) -> Any:
    if isinstance(function, (classmethod, staticmethod)):
        return type(function)(_decorated(function.__func__, options, local))
    if isinstance(function, type):
        function.__init__ = _decorated(function.__init__, options, local)  # type: ignore[misc]
        return function
    if not inspect.isfunction(function):
        raise UnitError(f"checked decorates functions and classes, not {type(function).__name__}")
    try:
        return wraps(function)(_wrapper(function, options, local))
    except Unresolved:
        return _postponed(function, options)


def _postponed(function: Callable[..., Any], options: Options) -> Callable[..., Any]:
    """For an annotation that names a class defined below: read at the first call."""
    made: list[Callable[..., Any]] = []
    registry = scope.current()  # whose units the annotations mean, whoever calls first

    @wraps(function)
    def late(*args: Any, **kwargs: Any) -> Any:
        if not made:
            try:
                with registry:
                    made.append(_wrapper(function, options, {}))
            except Unresolved as error:
                raise UnitError(
                    f"{function.__qualname__} has the annotation {str(error)!r}, which is no unit "
                    "and no name that is defined when it runs",
                    "import the type outside of `if TYPE_CHECKING`, or write the unit as a text",
                ) from None
        return made[0](*args, **kwargs)

    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def late_asynchronous(*args: Any, **kwargs: Any) -> Any:
            return await late(*args, **kwargs)

        return late_asynchronous
    return late


def _wrapper(
    function: Callable[..., Any], options: Options, local: dict[str, Any]
) -> Callable[..., Any]:
    """A function of the same signature that checks, calls and checks.

    It is generated, so that a call costs little and a wrong one fails with Python's own message.
    """
    wishes = annotations_of(function, local)
    parameters = inspect.signature(function).parameters
    for name, parameter in parameters.items():
        wish = wishes.get(name)
        if wish is not None and parameter.default is None:
            wishes[name] = Choice((wish,), (type(None),))
    if is_generator(function):
        wishes.pop("return", None)
    source = _Source(function, options, wishes)
    for parameter in parameters.values():
        source.add(parameter)
    return source.made()


class _Source:
    """The text of a wrapper, and the values that it names."""

    def __init__(
        self, function: Callable[..., Any], options: Options, wishes: dict[str, Wish | None]
    ) -> None:
        self._function = function
        self._options = options
        self._wishes = {name: wish for name, wish in wishes.items() if wish is not None}
        self._scope: dict[str, Any] = {"_f_": function, "_type_": type, "_DimArray_": DimArray}
        self._scope["_nothing_"] = _NOTHING
        self._signature: list[str] = []
        self._call: list[str] = []
        self._previous: Any = None

    def add(self, parameter: inspect.Parameter) -> None:
        """One parameter: how it is declared, and how it is handed on."""
        name, kind = parameter.name, parameter.kind
        if self._previous is parameter.POSITIONAL_ONLY and kind is not self._previous:
            self._signature.append("/")
        if kind is parameter.KEYWORD_ONLY and self._previous not in (
            kind,
            parameter.VAR_POSITIONAL,
        ):
            self._signature.append("*")
        self._previous = kind
        if kind is parameter.VAR_POSITIONAL:
            self._signature.append(f"*{name}")
            each = self._taken(name, "_v_")
            self._call.append(f"*{name}" if each == "_v_" else f"*[{each} for _v_ in {name}]")
        elif kind is parameter.VAR_KEYWORD:
            self._signature.append(f"**{name}")
            each = self._taken(name, "_v_")
            values = f"{{_k_: {each} for _k_, _v_ in {name}.items()}}"
            self._call.append(f"**{name}" if each == "_v_" else f"**{values}")
        else:
            taken = self._taken(name, name)
            keyword = f"{name}=" if kind is parameter.KEYWORD_ONLY else ""
            default = self._default(parameter)
            if default and taken != name:  # it was checked, and may be a bare number
                taken = f"({name} if {name} is {default} else {taken})"
            self._call.append(keyword + taken)
            self._signature.append(f"{name}={default}" if default else name)

    def _taken(self, name: str, value: str) -> str:
        """The expression of a value as the annotation of `name` asks for it."""
        wish = self._wishes.get(name)
        if wish is None:
            return value
        place = Place(self._function.__qualname__, name)
        self._scope[f"_accept_{name}_"] = acceptor(wish, place, self._options)
        long_way = f"_accept_{name}_({value}, _names_)"
        quick = quick_test(wish, self._options)
        if quick is None:
            return long_way
        field, self._scope[f"_wanted_{name}_"] = quick
        test = f"_type_({value}) is _DimArray_ and {value}.{field} is _wanted_{name}_"
        return f"({value} if {test} else {long_way})"

    def _default(self, parameter: inspect.Parameter) -> str:
        """A default is checked once, here. Bare numbers stand where they mean something."""
        name, default = parameter.name, parameter.default
        if default is _EMPTY:
            return ""
        accept = self._scope.get(f"_accept_{name}_")
        is_number = isinstance(default, (int, float)) and not isinstance(default, bool)
        stands = is_number and (self._options.plain or default == 0 or not isfinite(default))
        if accept is not None and default is not None and not stands:
            default = accept(default, {})
        self._scope[f"_default_{name}_"] = default
        return f"_default_{name}_"

    def made(self) -> Callable[..., Any]:
        """The function."""
        if self._previous is inspect.Parameter.POSITIONAL_ONLY:
            self._signature.append("/")
        is_async = inspect.iscoroutinefunction(self._function)
        call = f"{'await ' if is_async else ''}_f_({', '.join(self._call)})"
        names = "{}" if any(map(is_shaped, self._wishes.values())) else "_nothing_"
        text = (
            f"{'async ' if is_async else ''}def _made_({', '.join(self._signature)}):\n"
            f"    _names_ = {names}\n"
            f"    _result_ = {call}\n"
            f"    return {self._taken('return', '_result_')}\n"
        )
        exec(compile(text, f"<checked {self._function.__qualname__}>", "exec"), self._scope)
        made: Callable[..., Any] = self._scope["_made_"]
        return made
