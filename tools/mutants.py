"""Mutation testing with mutmut: does a test fail when the code of a part is changed? `make mutants PART=journal`.

``ONLY='*[37]'`` runs the mutants whose names match: these are numbered, so it is a fifth of them.

mutmut expects the code in a folder ``src`` beside the tests, so the tree is copied into ``out/mutants``. The surviving
mutants are printed. A part passes if `ENOUGH` of its mutants are killed or equal to the original.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "out/mutants"
PACKAGES = (
    ROOT / "host/croupier/croupier",
    ROOT / "host/croupier-rules/croupier_rules",
    ROOT / "host/croupier-hub/croupier_hub",
    ROOT / "host/croupier-tally/croupier_tally",
)

ENOUGH = 0.90
"""Fraction of mutants that must be killed."""

KILLED = ("killed", "timeout", "suspicious", "caught by type check", "segfault")


@dataclass(frozen=True)
class Part:
    """A part. ``mutated``: files of `PACKAGES`; ``tests``: files or folders with its tests; ``left_out``: words in the
    names of tests that are slow and kill few mutants."""

    mutated: tuple[str, ...]
    tests: tuple[str, ...]
    left_out: tuple[str, ...] = ()


PARTS = {
    "journal": Part(
        ("croupier/journal/*",),
        ("tests/journal", "tests/referee/test_referee.py"),
        ("flipped", "cut_file", "power_cut", "thirty_kills"),
    ),
    "session": Part(("croupier/runtime/session.py",), ("tests/journal/test_session.py", "tests/journal/test_table.py")),
    "sequencer": Part(("croupier/runtime/sequencer.py",), ("tests/runtime/test_sequencer.py",)),
    "planner": Part(
        ("croupier/runtime/planner.py",),
        ("tests/runtime/test_director.py", "tests/runtime/test_round_end.py", "tests/runtime/test_random_play.py"),
    ),
    "shoe": Part(("croupier/devices/pico/shoe.py",), ("tests/link/test_pico.py",)),
    "hub-plans": Part(
        (
            "croupier_hub/evenness.py",
            "croupier_hub/next_round.py",
            "croupier_hub/rotation.py",
        ),
        ("tests/hub/test_plans.py", "tests/hub/test_designs.py", "tests/hub/test_evenness.py"),
    ),
    "hub-standings": Part(("croupier_hub/standings.py", "croupier_hub/fold.py"), ("tests/hub/test_standings.py",)),
    "hub-logs": Part(
        (
            "croupier_hub/merkle.py",
            "croupier_hub/signed_log.py",
            "croupier_hub/tickets.py",
            "croupier_hub/verification.py",
        ),
        (
            "tests/hub/test_merkle.py",
            "tests/hub/test_logs.py",
            "tests/hub/test_verification.py",
            "tests/hub/test_desk.py",
        ),
    ),
    "web-access": Part(
        ("croupier/web/accounts.py", "croupier/web/seating.py", "croupier/web/limits.py"),
        (
            "tests/web/test_accounts.py",
            "tests/web/test_joining.py",
            "tests/web/test_limits.py",
            "tests/web/test_roles.py",
        ),
    ),
    "web-views": Part(
        ("croupier/game_views/offers.py", "croupier/game_views/turns.py"),
        ("tests/web/test_offers.py", "tests/web/test_turns.py"),
    ),
    "score-sheet": Part(
        ("croupier_tally/score_sheet.py",), ("tests/web/test_score_sheet.py", "tests/replay/test_score.py")
    ),
}


def lay_out(part: Part) -> None:
    """Copy the files that mutmut needs, with its configuration for ``part``."""
    shutil.rmtree(WORK, ignore_errors=True)
    for source, copy in (*((package, f"src/{package.name}") for package in PACKAGES), (ROOT / "tests", "tests")):
        shutil.copytree(source, WORK / copy, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", WORK)
    mutated = "\n    ".join(f"src/{pattern}" for pattern in part.mutated)
    selection = "\n    ".join(part.tests)
    left_out = f"    -k\n    not ({' or '.join(part.left_out)})\n" if part.left_out else ""
    (WORK / "setup.cfg").write_text(
        f"[mutmut]\nsource_paths = src\nonly_mutate =\n    {mutated}\n"
        f"pytest_add_cli_args =\n    -m\n    not long and not slow\n{left_out}"
        f"pytest_add_cli_args_test_selection =\n    {selection}\n"
        "use_git_change_detection = false\ntimeout_multiplier = 30\n",
        encoding="utf-8",
    )


def mutmut(*arguments: str) -> str:
    """Run mutmut and return its output."""
    command = [sys.executable, "-m", "mutmut", *arguments]
    return subprocess.run(command, cwd=WORK, check=False, text=True, stdout=subprocess.PIPE).stdout


def is_equal(change: str) -> bool:
    """True if the mutant is equivalent: it changes the case of SQL or of an encoding's name."""
    before, after = (re.findall(rf"^\{sign}(?!\{sign})(.*)$", change, re.MULTILINE) for sign in "-+")
    is_sql = any(re.search(r"utf-8|select |insert |update |pragma ", line, re.IGNORECASE) for line in before)
    return is_sql and [line.lower() for line in before] == [line.lower() for line in after]


def main(name: str = "", only: str = "*") -> int:
    """Run the mutants of the part ``name`` whose names match ``only``. Returns the exit status."""
    if name not in PARTS:
        print(f"PART={name}: expected one of {', '.join(PARTS)}", file=sys.stderr)
        return 2
    lay_out(PARTS[name])
    if subprocess.run([sys.executable, "-m", "mutmut", "run", only], cwd=WORK, check=False).returncode:
        return 2
    found = re.findall(r"^\s*(\S+): (.+)$", mutmut("results", "--all", "true"), re.MULTILINE)
    results = [(mutant, state) for mutant, state in found if fnmatch(mutant, only)]
    survivors = 0
    for mutant in (mutant for mutant, state in results if state not in KILLED):
        change = mutmut("show", mutant)
        if not is_equal(change):
            survivors += 1
            print(change, flush=True)
    killed = 1 - survivors / max(1, len(results))
    print(f"{name}: {len(results)} mutants, {survivors} survivors, {killed:.1%} killed")
    return 0 if results and killed >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
