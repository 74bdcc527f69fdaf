"""Asks PyPI for known vulnerabilities of the locked packages; run as `make audit`.

PyPI answers for each release with the advisories of the Python Packaging Advisory Database. The report names the
registry, the time, and the packages without an answer: these may be vulnerable.
"""

from __future__ import annotations

import argparse
import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from tools.lock import pins

PYPI: Final = "https://pypi.org"
WAIT_S: Final = 20.0
AT_ONCE: Final = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """A registry's answer about a release. ``age``: the age in the answer's header; ``error``: why there is no
    answer."""

    name: str
    version: str
    advisories: tuple[str, ...] = ()
    age: str = ""
    error: str = ""


def ask(registry: str, name: str, version: str) -> Answer:
    """Ask about one release. Withdrawn advisories do not count."""
    try:
        with urllib.request.urlopen(f"{registry}/pypi/{name}/{version}/json", timeout=WAIT_S) as answer:
            found = json.load(answer)["vulnerabilities"]
            lines = [_advisory(one) for one in found if not one.get("withdrawn")]
            return Answer(name, version, tuple(lines), answer.headers.get("Date", "an unknown time"))
    except urllib.error.HTTPError as err:
        return Answer(name, version, error=f"HTTP status {err.code}")
    except (OSError, ValueError, KeyError, TypeError) as err:
        return Answer(name, version, error=str(err) or type(err).__name__)


def _advisory(found: dict[str, Any]) -> str:
    names = ", ".join([found["id"], *found.get("aliases", ())])
    corrected = ", ".join(found.get("fixed_in", ())) or "no release yet"
    about = (found.get("summary") or found.get("details") or "").partition("\n")[0]
    return f"{names}, corrected in {corrected}: {about}"


def report(answers: Sequence[Answer], registry: str) -> tuple[list[str], int]:
    """Return the lines of the report, and the exit status: 1 for a known vulnerability, 2 if nobody answered."""
    answered = [one for one in answers if not one.error]
    lines = [f"{one.name}=={one.version}: {advisory}" for one in answered for advisory in one.advisories]
    known = len(lines)
    lines += [f"{one.name}=={one.version}: cannot tell: {one.error}" for one in answers if one.error]
    when = max((one.age for one in answered), default="")
    source = f"{registry} at {when}" if when else f"{registry}, which did not answer"
    lines.append(f"{len(answered)} of {len(answers)} packages checked, {known} known vulnerabilities; source: {source}")
    return lines, 1 if known else 0 if answered else 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a lock. Return the exit status of `report`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lock", default="all", help="requirements/LOCK.txt")
    parser.add_argument("--registry", default=PYPI, help="address of a package registry with PyPI's JSON interface")
    given = parser.parse_args(arguments)
    releases = [(pin.name, next(iter(pin.specifier)).version) for pin in pins(given.lock)]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        answers = list(threads.map(lambda release: ask(given.registry, *release), releases))
    lines, status = report(answers, given.registry)
    print("\n".join(lines))
    return status


if __name__ == "__main__":
    raise SystemExit(main())
