"""`make sim SEEDS=…`: runs seeds of the simulation; each seed that fails is told with the command that replays it.

SEEDS: one seed (4711), whose trace is printed; or a range (0-300), the last one included, on all cores.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256

from tests.simulation.run import Outcome, run_seed

USUAL = "0-299"


def main(wanted: str) -> int:
    """Run the seeds ``wanted``; returns the exit status."""
    first, _, last = wanted.partition("-")
    try:
        seeds = range(int(first), int(last or first) + 1)
    except ValueError:
        print(f"SEEDS={wanted}: expected a seed or a range, such as 4711 or 0-{USUAL.partition('-')[2]}")
        return 2
    if len(seeds) == 1:
        outcome = run_seed(seeds[0])
        print("\n".join(outcome.trace))
        print(f"trace {sha256(chr(10).join(outcome.trace).encode()).hexdigest()}")
        print(outcome.failure or "all holds")
        return 1 if outcome.failure else 0
    failed = lines = kills = 0
    seconds = 0.0
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        for outcome in workers.map(_without_trace, seeds, chunksize=8):
            seconds, kills, lines = seconds + outcome.virtual_s, kills + outcome.kills, lines + outcome.lines
            if outcome.failure:
                failed += 1
                print(f"make sim SEEDS={outcome.seed}   # {outcome.failure[:300]}", flush=True)
    print(
        f"{len(seeds)} seeds, {failed} failed; {seconds / 3600:.1f} virtual hours, {kills} kills, "
        f"{lines} lines of table logs"
    )
    return 1 if failed else 0


def _without_trace(seed: int) -> Outcome:
    outcome = run_seed(seed)
    outcome.trace.clear()
    return outcome


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] else USUAL))
