"""How a DimArray reads: numbers once, the unit once, in the style that the context asks for."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from dimflow.array.core import Core
from dimflow.backends import Backend, backend_of
from dimflow.errors import NoDataError, NotANumber, TracedValueError, UnitError, UnitFormatError
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.convert import converter
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit
from dimflow.units.simplify import as_shown

_TABLE_LIMIT = 400  # elements that an HTML table or a LaTeX matrix shows
_IMPLIED = ("float64", "int64", "complex128", "bool")  # dtypes that their literals imply
_NUMBER = re.compile(
    r"((?:.?[<>=^])?[-+ ]?z?#?0?\d*[,_]?(?:\.\d+)?[bcdeEfFgGnoxX%]?)\s*([A-Za-z~].*)?", re.DOTALL
)
_TWO_NUMBERS = re.compile(r"-?[0-9]{1,3} [0-9]{3}(?![0-9])|[^\[ ]+ [0-9][^A-Za-zµΩ%°]*$")
_POWER = re.compile(r"e([-+]?\d+)")


class Options(NamedTuple):
    """How arrays are written; None leaves NumPy's own print options in force."""

    precision: int | None = None
    style: str = ""
    threshold: int | None = None
    edgeitems: int | None = None
    suppress: bool | None = None


_DEFAULT = Options()
_options: ContextVar[Options] = ContextVar("dimflow_display", default=_DEFAULT)


@contextmanager
def display(**options: Any) -> Iterator[None]:
    """Write arrays otherwise within a `with` block, in this thread or task alone.

    `precision` (digits after the point), `style` (of the unit: plain, compact, unicode, latex,
    html, or pint's `~P`), `threshold` and `edgeitems` (when and how long arrays are abbreviated),
    `suppress` (no powers of ten for small numbers). What is left out stays as it was.
    """
    known = _options.get()
    unknown = set(options) - set(Options._fields)
    if unknown:
        raise UnitFormatError(
            f"display has no option {min(unknown)!r}", "it has " + ", ".join(Options._fields)
        )
    for name in ("precision", "threshold", "edgeitems"):
        value = options.get(name)
        if value is not None and (type(value) is not int or value < 0):
            raise UnitFormatError(f"display's {name} is a count, but got {value!r:.40}")
    if options.get("style"):
        format(Unit(""), options["style"])  # a wrong style is an error here and not at every print
    token = _options.set(known._replace(**options))
    try:
        yield
    finally:
        _options.reset(token)


def _beside(number: str, unit: str) -> str:
    """A number and its unit; 3*0.5 and 1*500/min where a space would leave one number or two."""
    text = f"{number} {unit}".rstrip()
    return f"{number}*{unit}" if _TWO_NUMBERS.match(text) else text


class Display(Core):
    """repr, str, f-strings, and what Jupyter asks for."""

    __slots__ = ()

    def __repr__(self) -> str:
        name, raw, unit = type(self).__name__, _numpy(self), str(self._unit)
        if raw is None:
            return f"{name}({self._raw!r}, {unit!r})"
        head = f"{name}("
        text = _text(raw, separator=", ", prefix=head)
        tail = f", {unit!r}" if unit else ""
        if not raw.size and raw.shape != (0,):
            tail += f", shape={raw.shape}"
        dtype = str(self.dtype).rpartition(".")[2]
        if dtype not in _IMPLIED or not raw.size:
            tail += f", dtype={dtype!r}"
        return f"{head}{text}{tail})"

    def __str__(self) -> str:
        raw, unit = _shown(self)
        text = repr(self._raw) if raw is None else _text(raw, separator=" ", prefix="")
        return _beside(text, _unit_text(unit))

    def __format__(self, spec: str) -> str:
        """A number's spec, then how to write the unit: `.3f`, `.2e unicode`, `.3f~P`, `latex`."""
        if not spec:
            return str(self)
        found = _NUMBER.fullmatch(spec)
        if found is None:
            raise UnitFormatError(
                f"{spec[:40]!r} is not a format of arrays",
                "a number's format, then a style of the unit: '.3f', '.2e unicode', '.3f~P'",
            )
        number, style = found[1], (found[2] or "").strip()
        if len(spec) > 1 and spec.isalpha() and spec.islower():  # cf and compact are no c and f
            number, style = "", spec
        if number.endswith("%"):  # Python's own multiplies by 100, so that the unit counts
            self = self._like(self._pure(f"the format {spec!r}"), PURE)
        raw, own = _shown(self)
        unit = format(own, style or _options.get().style)
        if raw is None:
            text = repr(self._raw)
        elif not number:
            text = _text(raw, separator=" ", prefix="")
        else:
            text = _formatted(raw, number)
        if style in ("latex", "~L", "L"):
            return text + (rf"\ {unit}" if unit else "")
        return _beside(text, unit)

    def _repr_inline_(self, max_width: int) -> str:
        """One line for xarray's tables: the unit, then as many numbers as there is room for."""
        raw, unit = _shown(self)
        head = f"[{_unit_text(unit)}]"
        if raw is None or not raw.size:
            return f"{head} {type(self._raw).__name__}"[:max_width]
        room = max(max_width - len(head) - 1, 0)
        flat = raw.reshape(-1)
        shown = [_scalar(value, _options.get()) for value in flat[: max(room // 2, 1)]]
        text = " ".join(shown)
        if len(text) > room or len(shown) < flat.size:
            while shown and len(" ".join([*shown, "..."])) > room:
                shown.pop()
            text = " ".join([*shown, "..."])
        return f"{head} {text}"[:max_width]

    def _repr_html_(self) -> str:
        import html

        raw, own = _shown(self)
        unit = own.format("html")
        if raw is None or raw.ndim != 2 or not 0 < raw.size <= _TABLE_LIMIT:
            text = repr(self._raw) if raw is None else _text(raw, separator=" ", prefix="")
            shown = html.escape(text)
            if "\n" in shown:
                return f"<pre>{shown}</pre>{unit}"
            return f"<span>{shown}</span> {unit}".rstrip()
        caption = f"<caption>{unit}</caption>" if unit else ""
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in _cells(raw)
        )
        return f"<table>{caption}{rows}</table>"

    def _repr_latex_(self) -> str | None:
        raw, own = _shown(self)
        unit = own.format("latex")
        if raw is None or raw.ndim > 2 or raw.size > _TABLE_LIMIT or not raw.size:
            return None  # Jupyter shows the next best form
        cells = [[_latex(cell) for cell in row] for row in _cells(np.atleast_2d(raw))]
        if raw.ndim == 0:
            body = cells[0][0]
        else:
            rows = r" \\ ".join(" & ".join(row) for row in cells)
            body = rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}"
        return rf"${body}\ {unit}$" if unit else f"${body}$"


def _numpy(array: Core) -> Any:
    """The numbers as a NumPy array; None for a value that holds none (traced, abstract, lazy)."""
    try:
        interpreter = interpreter_of(type(array._raw))
    except NotANumber:  # what a library puts in the place of numbers, to show a structure
        return None
    if not isinstance(interpreter, Backend) or interpreter.beneath(array._raw).is_lazy:
        return None
    raw = interpreter.detach(array._raw)
    library = backend_of(raw)  # of what was within, if a trace followed it
    try:
        return np.asanyarray(library.to_numpy(raw))
    except (NoDataError, TracedValueError):
        return None
    except UnitError:  # a dtype that NumPy has not, such as bfloat16
        return np.asarray(library.to_numpy(library.asarray(raw, dtype="float32")))


def _shown(array: Core) -> tuple[Any, Unit]:
    """The numbers as a NumPy array, if there are any, and the unit that they are shown in."""
    raw, unit = _numpy(array), array._unit
    shown = as_shown(unit)
    if shown is unit or raw is None:
        return raw, unit
    convert = converter(unit, shown)
    return raw if convert is None else convert(raw), shown


def _unit_text(unit: Unit) -> str:
    return format(unit, _options.get().style)


def _holed(raw: Any) -> Any:
    """An array with holes as one of objects, in which each of them reads as np.ma writes it."""
    if interpreter_of(type(raw)).name != "numpy.ma":
        return raw
    return np.asarray(raw.astype(object).filled(str(np.ma.masked_print_option)))


def _text(raw: Any, *, separator: str, prefix: str) -> str:
    options = _options.get()
    raw = _holed(raw)
    chosen: dict[str, Any] = {
        name: value for name, value in options._asdict().items() if name != "style"
    }
    if options.suppress is not None:
        chosen["suppress_small"] = options.suppress
    del chosen["suppress"]
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if raw.ndim == 0:
        return _scalar(raw[()], options)
    if raw.dtype == object:
        chosen["formatter"] = {"object": str}
    return np.array2string(raw, separator=separator, prefix=prefix, **chosen)


def _scalar(value: Any, options: Options) -> str:
    if options.precision is None or getattr(value, "dtype", np.dtype(object)).kind not in "fc":
        return str(value)  # in the fewest digits for its own dtype
    return np.array2string(np.asarray(value), precision=options.precision)


def _formatted(raw: Any, spec: str) -> str:
    """Every element by Python's own format."""

    def one(value: Any) -> str:
        try:
            return value if isinstance(value, str) else format(np.asarray(value).item(), spec)
        except ValueError:
            raise UnitFormatError(f"{spec!r} is not a format of {raw.dtype} numbers") from None

    shown = _holed(raw)
    if raw.ndim == 0:
        return one(shown[()])
    return np.array2string(shown, separator=" ", formatter={"all": one})


def _cells(raw: Any) -> list[list[str]]:
    options = _options.get()
    digits = np.get_printoptions()["precision"] if options.precision is None else options.precision
    style = f".{digits}g" if raw.dtype.kind in "fc" else ""
    rows = _holed(raw).tolist()
    return [[v if isinstance(v, str) else format(v, style) for v in row] for row in rows]


def _latex(number: str) -> str:
    """A number in LaTeX, also where two stand in it: 1e-20+2j."""
    shown = _POWER.sub(lambda found: rf" \times 10^{{{int(found[1])}}}", number)
    return shown.replace("inf", r"\infty").replace("nan", r"\mathrm{nan}")
