"""`python -m tests.fuzz SECONDS [TARGET …]`: run each target for so long, one on each core (`make fuzz`).

New inputs that reach new code are kept in ``.cache/fuzz``; the corpus in the repository is only read. The input of a
failure is written to ``.cache/fuzz`` as well, and the command ends with status 1. Put that input into the corpus with
the mending of the bug.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, STDOUT
from typing import Final

ROOT: Final = Path(__file__).parents[2]
CACHE: Final = ROOT / ".cache/fuzz"
INSTRUMENTED: Final = [
    *("croupier", "croupier_rules", "croupier_hub", "croupier_extras"),
    *("cardsight", "tablewire", "tomllib", "json"),
]


def fuzz(name: str, seconds: str) -> None:
    """Run one target in this process, which libFuzzer ends."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from croupier.errors import CroupierError
        from tests.fuzz.targets import CORPUS, TARGETS

    def run(data: bytes) -> None:
        with suppress(CroupierError):
            TARGETS[name](data)

    found = CACHE / name
    found.mkdir(parents=True, exist_ok=True)
    options = [f"-max_total_time={seconds}", "-rss_limit_mb=1024", "-timeout=10", "-max_len=4096", "-verbosity=0"]
    options += ["-print_final_stats=1", f"-artifact_prefix={CACHE}/{name}-"]
    atheris.Setup([sys.argv[0], *options, str(found), str(CORPUS / name)], run)
    atheris.Fuzz()


def run_apart(name: str, seconds: str) -> bool:
    """Run one target in a process of its own, and print what it says; returns True if nothing was found."""
    code = f"from tests.fuzz.__main__ import fuzz; fuzz({name!r}, {seconds!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, stdout=PIPE, stderr=STDOUT, text=True)
    print(f"== {name}, {seconds} s\n{done.stdout}", end="", flush=True)
    return done.returncode == 0


def main(seconds: str, *names: str) -> int:
    """Run the targets; 1 if one of them failed."""
    from tests.fuzz.targets import TARGETS

    targets = names or tuple(TARGETS)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = list(pool.map(run_apart, targets, [seconds] * len(targets)))
    failed = [name for name, has_passed in zip(targets, passed, strict=True) if not has_passed]
    print(f"failed: {', '.join(failed)}; the inputs are in {CACHE}" if failed else "nothing but CroupierError came out")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or ("60",)))
