"""`croupier doctor`: asks all checks and tells what to mend."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from croupier.doctor.check import Check, examine
from croupier.doctor.check_context import Examined
from croupier.doctor.checks import CHECKS
from croupier.doctor.finding import by_urgency, exit_status
from croupier.doctor.formatting import tell
from croupier.errors import CheckNotFound
from croupier.i18n import _, language, speaking


def report(file: Path, *, only: Sequence[str], moves: bool, bundle: Path | None, as_json: bool) -> int:
    """Examine the table that ``file`` describes. Returns the exit status.

    Raises:
        CheckNotFound: ``only`` names one that there is not. CannotWrite: the bundle cannot be written.
    """
    from croupier.doctor.bundle import check_place, write

    if bundle is not None:
        check_place(bundle)
    wanted = _wanted(only)
    # What cannot be opened says so in words of its own, which then are for programs and far-away helpers.
    with Examined(file, moves=moves) as table, speaking("en" if as_json or bundle is not None else language()):
        findings = list(examine(table, wanted, CHECKS))
        if bundle is not None:
            inside = write(bundle, findings, table)
    world = table.greeted.world if table.greeted else "hardware"
    if as_json:
        print(json.dumps({"world": world, "findings": [finding.to_json() for finding in by_urgency(findings)]}))
    else:
        tell(findings, "" if world == "hardware" else world)
        if bundle is not None:
            print(f"{bundle}: {inside}")
    return exit_status(findings)


def _wanted(only: Sequence[str]) -> list[Check]:
    """The checks whose ids are named, or begin so."""
    for name in only:
        if not any(_is_meant(name, check) for check in CHECKS):
            raise CheckNotFound(
                _("--only {name}: there is no such check: expected one of {all}", name=name, all=", ".join(CHECKS))
            )
    return [one for one in CHECKS.values() if not only or any(_is_meant(name, one.id) for name in only)]


def _is_meant(name: str, check: str) -> bool:
    return check == name or check.startswith(f"{name}.")
