"""Asks the checks, one by one: none can hold up the others, and one that breaks is a finding, too.

table = Examined(Path("croupier.toml"))
ask(CHECKS["camera.sharp"], table)         # one, with those that it needs
for finding in examine(table): …           # all
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from threading import Thread
from typing import Final

from croupier.doctor.check_context import Examined
from croupier.doctor.finding import Finding, absent, plain, wrong
from croupier.errors import CroupierError, one_line
from croupier.i18n import marked

SECONDS: Final = 5.0
"""A check that says nothing takes no longer."""

RESTART: Final = marked("Ask once more; if it says nothing then either, restart the machine.")
UNPLUG: Final = marked("Unplug the device and plug it in again; then restart the machine.")
SLOW_DISK: Final = marked(
    "Copy the journal elsewhere and restart the machine; if it is as slow then, replace the card or disk."
)
"""What to do where a check says nothing."""


@dataclass(frozen=True, slots=True)
class Check:
    """``look`` answers. ``needs``: the check that must be well before this one can be asked; ``after``: those whose
    answers it uses, whatever they are. It takes ``seconds`` at most; ``silent``: what to do where it takes longer."""

    id: str
    look: Callable[[Examined], Finding]
    needs: str = ""
    after: tuple[str, ...] = ()
    seconds: float = SECONDS
    silent: str = RESTART


def ask(check: Check, table: Examined, known: Mapping[str, Check]) -> Finding:
    """The answer of one check. It is asked once for a table; so are those that it needs, which ``known`` finds."""
    if check.id not in table.found:
        for other in check.after:
            ask(known[other], table, known)
        first = ask(known[check.needs], table, known) if check.needs else None
        is_in_vain = first is not None and first.state in ("wrong", "absent")
        answer = unasked(first) if first is not None and is_in_vain else _answer(check, table)
        table.found[check.id] = replace(answer, id=check.id)
    return table.found[check.id]


def examine(table: Examined, checks: Iterable[Check], known: Mapping[str, Check]) -> Iterator[Finding]:
    """The answers of ``checks``, each as soon as it is known."""
    for check in checks:
        yield ask(check, table, known)


def unasked(first: Finding) -> Finding:
    """The answer of a check that needs ``first``, which was not well."""
    if first.state == "absent":
        return absent(first.text, **first.measured)
    return absent(marked("Not looked at: {first} comes first."), first=first.id)


def _answer(check: Check, table: Examined) -> Finding:
    """In a thread of its own: a driver that hangs is left behind."""
    answers: list[Finding] = []
    thread = Thread(target=lambda: answers.append(_guarded(check, table)), name=check.id, daemon=True)
    thread.start()
    thread.join(check.seconds)
    if answers:
        return answers[0]
    return wrong(marked("No answer within {seconds} s."), check.silent, seconds=round(check.seconds))


def _guarded(check: Check, table: Examined) -> Finding:
    try:
        return check.look(table)
    except ModuleNotFoundError as err:
        return wrong(marked("{missing} is not installed."), marked("Run the installer again."), missing=err.name)
    except (CroupierError, OSError) as err:
        text = one_line(str(err))
        told, _, remedy = text.partition("; " if "; " in text else ": ")
        return wrong(plain(f"{told}."), plain(f"{remedy[:1].upper()}{remedy[1:]}"))
    except Exception as err:
        return wrong(
            marked("The check itself failed: {error}."),
            marked("This is a mistake in Croupier: send the file that croupier doctor --bundle writes."),
            error=f"{type(err).__name__}: {one_line(str(err))}",
        )
