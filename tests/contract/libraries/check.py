"""Every law on an op and a library, and what was expected of it: the data of deviations."""

from collections.abc import Iterable
from zlib import crc32

from tests.contract.deviations import ARBITRARY
from tests.contract.evaluate import names
from tests.contract.libraries.deviations import DEVIATIONS
from tests.contract.libraries.laws import LAWS
from tests.contract.libraries.library import Library
from tests.contract.libraries.trial import Trial, trials
from tests.contract.samples import DAY

# Laws that make JAX compile much, or Dask build many graphs: each day an op is held to another
# sixteenth of them, in the deep run to all. On the other libraries they cost little.
_COSTLY = {
    "jax": frozenset(LAWS) - {"runs", "library", "values", "dtype", "units"},
    "dask": frozenset({"own engine", "second order"}),
}
_SHARES = 16

# Laws that say the same of one sample as of many.
_ONCE = frozenset({"no axes", "empty", "edges", "native edges", "native batches"})


def table() -> list[str]:
    """The ops that are run: those with a sample that holds an array, and values to look at."""
    return [name for name in names() if name not in ARBITRARY and trials(_ANY, name)]


_ANY = Library("numpy")


def known(library: Library, name: str) -> dict[str, str]:
    """The laws that an op is known to break on a library, with the reasons."""
    return {
        law: reason
        for (text, op, law), reason in DEVIATIONS.items()
        if op == name and text in library.keys
    }


def broken(
    library: Library, name: str, *, thorough: bool, laws: Iterable[str] = LAWS
) -> dict[str, str]:
    """The laws that an op breaks, each with what happened.

    One sample will do for most ops, and one of complex numbers; those with a deviation are tried
    with all, so that one that is no longer needed is found.
    """
    with library.ready():
        found = trials(library, name)
        if not thorough and not known(library, name):
            found = found[:1] + [t for t in found[1:] if t.is_complex][:1]
        failures: dict[str, str] = {}
        running = [
            t for t in found if (text := _failure(t, "runs")) is None or _note(failures, text)
        ]
        for law in laws:
            for trial in running[:1] if law in _ONCE else running:
                text = _failure(trial, law)
                if text is not None:
                    failures[law] = text
                    break
        return failures


def laws_of_today(library: Library, name: str) -> list[str]:
    """The laws that an op is held to in the fast run, with those that it is known to break."""
    costly, reasons = _COSTLY.get(library.name, frozenset()), known(library, name)

    def is_due(law: str) -> bool:
        return (crc32(f"{name} {law}".encode()) + DAY) % _SHARES == 0

    return [law for law in LAWS if law not in costly or law in reasons or is_due(law)]


def _note(failures: dict[str, str], text: str) -> bool:
    failures.setdefault("runs", text)
    return False


def _failure(trial: Trial, law: str) -> str | None:
    try:
        if LAWS[law].applies(trial):
            LAWS[law].check(trial)
    except Exception as error:  # whatever a library raises breaks the law
        return f"{trial.case.label}: {type(error).__name__}: {str(error)[:1000]}"
    return None


def judged(library: Library, name: str, *, thorough: bool) -> list[str]:
    """What is not as the data says: laws broken without a reason, and reasons without need."""
    laws = LAWS if thorough else laws_of_today(library, name)
    failures = broken(library, name, thorough=thorough, laws=laws)
    reasons = known(library, name)
    surprises = [f"{law}: {text}" for law, text in failures.items() if law not in reasons]
    kept = [f"{law} holds, though it is a deviation: {reasons[law]}" for law in reasons]
    return surprises + [text for text in kept if text.partition(" holds")[0] not in failures]


def says_something(library: Library, name: str, law: str) -> bool:
    """Whether a law applies to some sample of an op that runs."""
    with library.ready():
        return any(
            _failure(trial, "runs") is None and LAWS[law].applies(trial)
            for trial in trials(library, name)
        )


def is_refused(library: Library, name: str) -> bool:
    """Whether no sample of an op runs on a library."""
    with library.ready():
        return all(_failure(trial, "runs") is not None for trial in trials(library, name))
