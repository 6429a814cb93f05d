"""Registries: from names and texts to units, in scopes that stand on one another."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import count
from pathlib import Path
from threading import Lock, RLock
from typing import Any, TypeVar, cast
from weakref import WeakSet

from dimflow.errors import (
    UnitDefinitionError,
    UnitError,
    UnitParseError,
    UnitRangeError,
)
from dimflow.units import definition as definitions
from dimflow.units import phrases, scope, spelling
from dimflow.units.alike import counts_by_itself
from dimflow.units.definition import Ambiguity, Definition, Prefix, Resolved
from dimflow.units.dimension import BASE_UNITS, DIMENSIONLESS, KINDS, Dimension
from dimflow.units.doubts import refuse_doubtful
from dimflow.units.exponent import Exponent
from dimflow.units.grammar import ONES, Product, parse
from dimflow.units.meaning import Atom, Meaning, noted, prefixed, with_law
from dimflow.units.primes import bounded
from dimflow.units.scale import ONE, Scale
from dimflow.units.unit import Unit, as_factor, make_unit

T = TypeVar("T")
_SPACES = str.maketrans("\u00a0\u2009\u202f", "   ")
_PARSED_LIMIT = 4096
_DEEPEST = 50
_serials = count()
_LONGEST_SYMBOL = 200  # of a unit that is named by a text: dB(mW)
_family = Lock()  # guards memos and lists of children; no other lock is taken while it is held


class Registry:
    """Units by name, over those of a parent.

    `Registry()` stands on the shared registry, which stands on the built-in table. Use it as a
    namespace (`registry.smoot`), call it (`registry("smoot/s")`), or enter it, and every text
    in the block is read by it:

        with Registry() as lab:
            lab.define("smoot = 67 inch")
            Unit("smoot/s")
    """

    def __init__(self, parent: "Registry | None" = None, *, name: str = "") -> None:
        self._parent: Registry | None = parent or scope.shared
        self._name = name
        self._begin()

    @classmethod
    def of_texts(cls, texts: Callable[[], Iterable[str]], name: str) -> "Registry":
        """A registry on nothing, filled from texts at first use, and never changed."""
        registry = object.__new__(cls)
        registry._parent = None
        registry._name = name
        registry._begin()
        registry._unread = texts
        registry._is_frozen = True
        return registry

    @classmethod
    def with_plugins(cls, parent: "Registry", name: str) -> "Registry":
        """A registry that asks installed packages for units before it says that there is none."""
        registry = cls(parent, name=name)
        registry._has_plugins = True
        return registry

    def _begin(self) -> None:
        self._table: dict[str, Definition] = {}  # every spelling
        self._prefixes: dict[str, Prefix] = {}  # every spelling
        self._ambiguous: dict[str, tuple[str, ...]] = {}  # what is refused, and its readings
        self._atoms: dict[str, Atom] = {}
        self._units: dict[str, Unit] = {}
        self._lock = RLock()
        self._children: WeakSet[Registry] = WeakSet()
        if self._parent is not None:
            with _family:
                self._parent._children.add(self)
        self._indexes: dict[str, Any] = {}
        self._serial = next(_serials)
        self._changes = 0  # how often what is remembered was forgotten
        self._unread: Callable[[], Iterable[str]] | None = None
        self._is_frozen = False
        self._has_plugins = False
        self._said: list[tuple[str, bool]] = []  # what was defined, for other processes
        self.parsed: dict[str, Unit] = {}  # texts that were read before

    def __reduce__(self) -> tuple[Any, ...]:
        """In another process: what was defined here, over what is shared there."""
        if self in (scope.builtin, scope.shared):
            return _standing, ("builtin" if self is scope.builtin else "shared",)
        return _again, (self._parent, self._name, tuple(self._said))

    @property
    def state(self) -> tuple[int, int]:
        """What a memo of strings is keyed on: another one wherever a name may mean another unit."""
        return self._serial, self._changes

    # Looking up

    def __call__(self, text: str) -> Unit:
        """Read a text by this registry."""
        return self.parse(text)

    def __getattr__(self, name: str) -> Unit:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return self.unit(name)

    def unit(self, name: str) -> Unit:
        """The unit of a name, also of one that is an attribute of registries (`load`, `atom`)."""
        unit = self._units.get(name)
        if unit is None and name in ONES:
            return make_unit(ONE, ())
        if unit is None:
            changes = self._changes
            atom = self.atom(name)
            if atom is None:
                raise spelling.unknown(name, name, 0, self)
            unit = make_unit(ONE, ((atom, 1),))
            self._remember(self._units, name, unit, changes)
        return unit

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.resolve(name) is not None

    def __iter__(self) -> Iterator[Definition]:
        """The definitions, those of the parent first."""
        if self._parent is not None:
            yield from self._parent
        yield from dict.fromkeys(definition for _, definition in self._own())

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *(n for n in self.spellings() if n.isidentifier())]

    def __repr__(self) -> str:
        return f"<Registry {self._name or 'of your own'}: {len(list(self)):,} units>"

    def spellings(self) -> list[str]:
        """Every name, symbol and alias that can be read, prefixes and plurals aside."""
        inherited = self._parent.spellings() if self._parent is not None else []
        own = self._own()
        return [*inherited, *(n for n, d in own if not spelling.is_ambiguous(n, d, self))]

    def _own(self) -> list[tuple[str, Definition]]:
        """The table as it is now: another thread may add to it while a reader goes through it."""
        self._fill()
        with self._lock:
            return list(self._table.items())

    def prefixes(self) -> list[Prefix]:
        """The prefixes in force."""
        self._fill()
        inherited = self._parent.prefixes() if self._parent is not None else []
        with self._lock:
            return list(dict.fromkeys([*inherited, *self._prefixes.values()]))

    def resolve(self, name: str) -> Resolved | None:
        """The definition that a name, a prefixed name or a plural stands for."""
        found = spelling.resolve(name, self)
        if found is None and self.load_plugins():
            found = spelling.resolve(name, self)
        return found

    def load_plugins(self) -> bool:
        """Add the units of installed packages that have an entry point in `dimflow.units`.

        They go to the shared registry, once. Returns whether this call added any.
        """
        if self._parent is not None and self._parent.load_plugins():
            return True
        with self._lock:
            if not self._has_plugins:
                return False
            self._has_plugins = False
            # importlib.metadata is slow, and only needed for an unknown name
            from dimflow.units.plugins import add_plugins

            return add_plugins(self)

    def find(self, name: str) -> Definition | None:
        """The definition with exactly this spelling."""
        if self._unread is not None:
            self._fill()
        found = self._table.get(name)
        if found is None and self._parent is not None:
            return self._parent.find(name)
        return found

    def find_prefix(self, name: str) -> Prefix | None:
        """The prefix with exactly this spelling."""
        if self._unread is not None:
            self._fill()
        found = self._prefixes.get(name)
        if found is None and self._parent is not None:
            return self._parent.find_prefix(name)
        return found

    @property
    def ambiguous(self) -> dict[str, tuple[str, ...]]:
        """Strings that are read in two ways, unless a unit of this registry has the name."""
        if self._unread is not None:
            self._fill()
        if self._parent is None or not self._ambiguous:
            return self._parent.ambiguous if self._parent else self._ambiguous
        with self._lock:
            return {**self._parent.ambiguous, **self._ambiguous}

    @property
    def is_read(self) -> bool:
        """Whether the texts of the registry, if it has any, have been read."""
        return self._unread is None

    def _fill(self) -> None:
        """Read the texts that the registry was made of; they are ours, so nothing is checked."""
        with self._lock:
            if self._unread is not None:
                for text in self._unread():
                    for definition in definitions.read(text):
                        if isinstance(definition, Ambiguity):
                            self._ambiguous[definition.name] = definition.readings
                        elif definition.name[-1] == "-":
                            self._add_prefix(definition)
                        else:
                            self._table.update(dict.fromkeys(definition.spellings, definition))
                self._unread = None

    def atom(self, name: str) -> Atom | None:
        """The unit of a name as an atom of spellings, or None if no unit has the name."""
        atom = self._own_atom(name)
        if atom is None and self.load_plugins():
            atom = self._own_atom(name)
        return atom

    def _own_atom(self, name: str) -> Atom | None:
        atom = self._atoms.get(name)
        if atom is None:
            changes = self._changes
            resolved = spelling.resolve(name, self)
            atom = self._make_atom(resolved) if resolved else None
            if atom is not None:
                self._remember(self._atoms, name, atom, changes)
        return atom

    def definition_of(self, atom: Atom) -> Resolved | None:
        """Where an atom comes from, if this registry gives its name the same meaning."""
        return self.resolve(atom.name) if self.atom(atom.name) is atom else None

    # Reading texts

    def parse(self, text: str, style: str | None = None) -> Unit:
        """Read a unit; `style` names a dialect that has a grammar of its own: ucum, latex, html."""
        if not isinstance(text, str):
            raise UnitError(f"a unit is given by text, but got {type(text).__name__}: {text!r:.60}")
        if style not in (None, "plain", "compact", "unicode", "cf"):
            from dimflow.units.dialects import read  # rare, and needs much of the standard library

            with bounded():
                return self.build(text, read(text, style, self))
        try:
            return self.read(text)
        except UnitParseError as error:
            raise spelling.with_clear_readings(error, self) from None

    def read(self, text: str) -> Unit:
        """A unit, or an error that may offer readings which cannot be read either."""
        unit = self.parsed.get(text)
        if unit is None:
            changes = self._changes
            spaced = (text if text.isascii() else text.translate(_SPACES)).rstrip()
            try:
                with bounded():
                    unit = self._special(spaced) or self._product(spaced)
            except UnitRangeError as error:
                raise UnitParseError(text, 0, error.problem, error.hint) from None
            self._remember(self.parsed, text, unit, changes)
        return unit

    def _product(self, text: str) -> Unit:
        spelling.refuse_ambiguous(text, self)
        if phrases.MAY_BE_WORDS.search(text):
            text = phrases.joined(text, self)
        unit = self.build(text, product := parse(text))
        if product.terms and (text != product.terms[0].name or text[-1].isdigit()):
            refuse_doubtful(text, product, unit, self)
        return unit

    def _defining(self, definition: Definition) -> Unit:
        expression = definition.expression
        if scope.builtin.find(definition.name) is definition:  # it has no phrases and one meaning
            return self.build(expression, parse(expression))
        return self._product(expression)

    def build(self, text: str, product: Product) -> Unit:
        """The unit of a product of names."""
        atoms: list[tuple[Atom, Exponent]] = []
        known = self._atoms
        for name, exponent, position in product.terms:
            atom = known.get(name) or self._own_atom(name)
            if atom is None:
                atom, exponent = self._glued(name, exponent, text, position)
            atoms.append((atom, exponent))
        if len(atoms) > 1 or product.factor is not ONE or (atoms and atoms[0][1] != 1):
            level = self._special(spelling.surface_level(product.factor, atoms, self))
            if level is not None:
                return level
            atoms = [(as_factor(atom), exponent) for atom, exponent in atoms]
        try:
            return make_unit(product.factor, atoms)
        except UnitRangeError as error:
            raise UnitParseError(text, 0, error.problem, error.hint) from None

    def _glued(
        self, name: str, exponent: Exponent, text: str, position: int
    ) -> tuple[Atom, Exponent]:
        """A name with its exponent set against it: m2."""
        bare = name.rstrip("0123456789")
        atom = self._own_atom(bare) if bare and len(name) - len(bare) < 4 else None
        power = int(name[len(bare) :] or 0) if atom is not None else 0
        if atom is None or not power:
            atom, power = self.atom(name), 1  # asks the plugins
        if atom is None:
            raise spelling.unknown(name, text, max(text.find(name, position), 0), self)
        return atom, exponent * power

    def _special(self, text: str) -> Unit | None:
        """Texts of units with a law of their own: dB(mW), lg(re 1 mW), K @ 273.15."""
        found = spelling.law_text(text, self) if spelling.MAY_STATE_A_LAW.search(text) else None
        if found is None:
            return None
        symbol, unit, law = found
        if unit.law is not None:
            raise UnitParseError(text, 0, f"{unit} is not linear, so nothing can be built on it")
        if len(symbol) > _LONGEST_SYMBOL:
            raise UnitParseError(text, 0, "the reference of this unit is too long")
        return make_unit(ONE, ((Atom(symbol, symbol, with_law(unit.key, law)), 1),))

    def ad_hoc(self, symbol: str, dimension: Any, scale: Any) -> Unit:
        """A unit known by no registry; or the one that the symbol means, if it means the same."""
        if not isinstance(dimension, Dimension):
            dimension = DIMENSIONLESS if dimension is None else Dimension(dimension)
        wanted = Scale(1 if scale is None else scale)
        try:
            unit = self.parse(symbol)
        except UnitParseError:
            definitions.check_name(symbol, f"Unit({symbol!r:.60}, {dimension}, {scale})")
            return make_unit(ONE, ((Atom(symbol, symbol, Meaning(dimension, wanted)), 1),))
        same_scale = unit.key.scale == wanted or unit.scale == float(wanted)
        if unit.law is None and unit.dimension is dimension and same_scale:
            return unit
        raise UnitDefinitionError(
            f"Unit({symbol!r}, {dimension}, {scale})",
            f"{symbol!r} is {unit.dimension} with scale {unit.scale!r} already",
            "choose another symbol",
        )

    # Defining

    def define(self, text: str, *, replace: bool = False) -> Unit | None:
        """Add units or prefixes by text, one definition a line; returns the last unit.

        A name that means something already is an error, unless `replace` is given and this
        registry is not the shared one. Nothing is added if any of the lines is wrong.
        """
        if not isinstance(text, str):
            raise UnitError(f"definitions are given by text, but got {type(text).__name__}")
        if self._is_frozen:
            raise UnitDefinitionError(
                text, f"the {self._name} table cannot be changed", "use units.define"
            )
        if self is scope.shared and replace:
            raise UnitDefinitionError(
                text,
                "units that every part of a program shares cannot be replaced",
                "replace them in a scope: with Registry() as mine: mine.define(..., replace=True)",
            )
        with self._lock:
            saved = dict(self._table), dict(self._prefixes), dict(self._ambiguous)
            try:
                lines = list(definitions.read(text))
                self._ambiguous.update(a for a in lines if isinstance(a, Ambiguity))
                added = [self._add(d, replace) for d in lines if isinstance(d, Definition)]
                self._forget()
                units = [self._defined(d) for d in added if not d.name.endswith("-")]
            except BaseException:
                self._table, self._prefixes, self._ambiguous = saved
                self._forget()
                raise
            self._said.append((text, replace))
        scope.changed()
        return units[-1] if units else None

    def load(self, path: str | Path, *, replace: bool = False) -> None:
        """Add the definitions of a file in UTF-8."""
        self.define(definitions.read_file(Path(path)), replace=replace)

    def __enter__(self) -> "Registry":
        scope.entered.set((*scope.entered.get(), self))
        scope.changed()
        return self

    def __exit__(self, *exception: object) -> None:
        scope.entered.set(scope.entered.get()[:-1])
        scope.changed()

    def _add(self, definition: Definition, replace: bool) -> Definition:
        definitions.check(definition)
        is_prefix = definition.name.endswith("-")
        for name in definition.spellings:
            known = self.find_prefix(name[:-1]) if is_prefix else self._meant_by(name)
            if known is not None and not replace and not self._agrees(known, definition):
                raise UnitDefinitionError(
                    definition.text,
                    f"{name!r} is defined already: {definitions.described(known)}",
                    "choose another name, or give replace=True in a registry of your own",
                )
        definitions.check_money(definition, self)
        if definition.ucum and not replace:
            self._check_code(definition, definition.ucum)
        if is_prefix:
            self._add_prefix(definition)
        else:
            self._table.update(dict.fromkeys(definition.spellings, definition))
        return definition

    def _check_code(self, definition: Definition, code: str) -> None:
        from dimflow.units.ucum import find_code

        known = find_code(code, self)
        if known is not None and not self._agrees(known, definition):
            problem = f"the UCUM code {code!r} is defined already: {definitions.described(known)}"
            raise UnitDefinitionError(definition.text, problem)

    def _meant_by(self, name: str) -> Resolved | None:
        """What a name means already, if only with its last digits as an exponent: m2."""
        bare = name.rstrip("0123456789")
        return self.resolve(name) or (self.resolve(bare) if bare != name else None)

    def _agrees(self, known: "Resolved | Prefix", definition: Definition) -> bool:
        """Whether a name is only said again, as when a cell of a notebook runs twice."""
        if isinstance(known, Prefix):
            return parse(definition.expression) == Product(known.scale, ())
        try:
            if definition.name in definitions.names_in(definition.expression):
                return False
            atom = self._make_atom(known)
            if atom is None or atom.name != definition.name:
                return False
            return atom.meaning is self._meaning(definition)[0]
        except UnitError:  # it stands on a unit that is not defined yet
            return False

    def _add_prefix(self, definition: Definition) -> None:
        prefix = definitions.prefix_of(definition)
        for name in (prefix.name, *prefix.symbols, *prefix.aliases):
            self._prefixes[name] = prefix

    def _defined(self, definition: Definition) -> Unit:
        return make_unit(ONE, ((self.base_atom(definition.name), 1),))

    def _make_atom(self, resolved: Resolved) -> Atom | None:
        definition, prefix, is_delta = resolved
        if is_delta:
            atom = self._make_atom(Resolved(definition, prefix))
            return None if atom is None or atom.meaning.law is None else atom.delta
        with self._lock:
            meaning, counts = self._meaning(definition)
        kind = definition.keys.get("kind", "")
        if prefix is None:
            clear = (s for s in (definition.symbol, *definition.symbols) if s.isascii())
            doubted = spelling.is_ambiguous
            symbol = next((s for s in clear if not doubted(s, definition, self)), definition.name)
            return noted(Atom(definition.name, symbol, meaning), counts, kind)
        name = prefix.name + definition.name
        symbol = prefix.symbol + definition.symbol if definition.takes_symbols else name
        if spelling.resolve(symbol, self) != resolved:
            symbol = name  # the symbol is another unit's: a petayear is no Pa
        return noted(Atom(name, symbol, prefixed(meaning, prefix.scale)), counts, kind)

    def _meaning(self, definition: Definition) -> tuple[Meaning, bool]:
        """What a unit means, and whether it counts turns, degrees or events, as its parts may."""
        expression = definition.expression
        counts = "counts" in definition.keys
        if expression[0] == "[":
            if expression[1:-1] not in KINDS or expression[-1] != "]":
                raise UnitDefinitionError(
                    definition.text,
                    f"{expression} is not a base dimension",
                    "base dimensions: " + ", ".join(KINDS),
                )
            base = Meaning(Dimension(expression), ONE)
        else:
            if definition.name in definitions.resolving.names:
                raise UnitDefinitionError(definition.text, "the definition goes in a circle")
            if len(definitions.resolving.names) > _DEEPEST:
                raise UnitDefinitionError(
                    definition.text, f"definitions stand on one another more than {_DEEPEST} deep"
                )
            definitions.resolving.names.append(definition.name)
            try:
                with bounded():
                    unit = self._special(expression) or self._defining(definition)
                base = unit.key
                counts = counts or any(atom.counts for atom, _ in unit.atoms)
            except UnitDefinitionError:
                raise
            except UnitError as error:
                raise UnitDefinitionError(definition.text, str(error)) from None
            finally:
                definitions.resolving.names.pop()
        try:
            meaning = with_law(base, definition.law)
        except UnitRangeError as error:
            raise UnitDefinitionError(definition.text, error.problem) from None
        is_angle = base.dimension.without_angle() is DIMENSIONLESS
        return meaning, counts or (is_angle and counts_by_itself(base))

    def remembered(self, key: str, make: Callable[[], T]) -> T:
        """What `make` gives, kept until this registry changes."""
        changes = self._changes
        known = self._indexes.get(key)
        if known is None:
            known = make()
            self._remember(self._indexes, key, known, changes)
        return cast(T, known)

    def _forget(self) -> None:
        with _family:
            self._changes += 1
            for memo in (self._atoms, self._units, self._indexes, self.parsed):
                memo.clear()
            children = list(self._children)
        for child in children:
            child._forget()

    def _remember(self, memo: dict[str, Any], key: str, value: object, changes: int) -> None:
        """Keep what was made since so many changes, unless there was another meanwhile."""
        with _family:
            if len(memo) >= _PARSED_LIMIT:
                memo.clear()
            if changes == self._changes:
                memo[key] = value

    # What units are made of

    def base_atom(self, name: str) -> Atom:
        """The atom of a unit that is known to exist."""
        return cast(Atom, self._own_atom(name))

    def base_unit(self, dimension: Dimension) -> Unit:
        """The coherent SI unit of a dimension, spelled in base units."""
        powers = dimension.as_dict()
        atom = scope.builtin.base_atom
        atoms = [(atom(unit), powers.get(base, 0)) for base, unit in BASE_UNITS.items()]
        if "currency" in powers:
            atoms.append((self._money(), powers["currency"]))
        return make_unit(ONE, atoms)

    def _money(self) -> Atom:
        """The user's base unit of money, or one without a name behind a unit from elsewhere."""
        own = next((d for d in self if d.expression == "[currency]"), None)
        if own is not None:
            return self.base_atom(own.name)
        return Atom("currency", "currency", Meaning(Dimension(currency=1), ONE))

    def without_shift(self, atom: Atom) -> Unit:
        """The unit that an atom such as K@273.15 shifts."""
        unit = make_unit(atom.meaning.scale, ()) * self.base_unit(atom.meaning.dimension)
        try:
            named = self.parse(atom.name.partition("@")[0])
        except UnitParseError:
            return unit
        return named if named == unit else unit

    def reference_of(self, unit: Unit) -> Unit:
        """What a logarithmic unit takes its ratios to: 1 mW for dBm."""
        resolved = self.definition_of(unit.atoms[0][0])
        if resolved is not None:
            return self.build("", parse(resolved.definition.expression))
        return make_unit(unit.key.scale, ()) * self.base_unit(unit.dimension)


def _standing(name: str) -> Registry:
    return cast(Registry, getattr(scope, name))


@lru_cache(64)
def _again(parent: Registry, name: str, said: tuple[tuple[str, bool], ...]) -> Registry:
    """A registry that was defined elsewhere; a task after another finds the same one."""
    registry = Registry(parent, name=name)
    for text, replace in said:
        registry.define(text, replace=replace)
    return registry
