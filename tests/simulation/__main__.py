"""`make sim SEEDS=…`: runs seeds of the simulation; each seed that fails is told with the command that replays it.

SEEDS: one seed (4711), whose trace is printed; or a range (0-300), the last one included, on all cores. OF: what is
simulated, a `table` or a `tournament` with its hub. RULES of a table: a sheet, or SHEET+PRESET, in place of what each
seed chooses; `first`: as the seeds chose while people knew the printed sheets.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from hashlib import sha256

from tests.simulation import run
from tests.simulation.run import Outcome, told
from tests.simulation.tournament import run as tournament

USUAL = "0-299"
SIMULATED = {"table": run.run_seed, "tournament": tournament.run_seed}


def main(wanted: str = USUAL, of: str = "table", rules: str = "") -> int:
    """Run the seeds ``wanted`` of a simulation, by these ``rules``; returns the exit status."""
    if of not in SIMULATED:
        print(f"OF={of}: expected one of {', '.join(SIMULATED)}")
        return 2
    first, _, last = wanted.partition("-")
    try:
        seeds = range(int(first), int(last or first) + 1)
    except ValueError:
        print(f"SEEDS={wanted}: expected a seed or a range, such as 4711 or 0-{USUAL.partition('-')[2]}")
        return 2
    if len(seeds) == 1:
        outcome = SIMULATED[of](seeds[0], rules)
        print("\n".join(outcome.trace))
        print(f"trace {sha256(chr(10).join(outcome.trace).encode()).hexdigest()}")
        print(outcome.failure or "all holds")
        return 1 if outcome.failure else 0
    failed = lines = kills = 0
    seconds = 0.0
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        for outcome in workers.map(partial(_without_trace, of, rules), seeds, chunksize=8):
            seconds, kills, lines = seconds + outcome.virtual_s, kills + outcome.kills, lines + outcome.lines
            if outcome.failure:
                failed += 1
                print(told(outcome), flush=True)
    print(
        f"{len(seeds)} seeds, {failed} failed; {seconds / 3600:.1f} virtual hours, {kills} kills, {lines} lines of logs"
    )
    return 1 if failed else 0


def _without_trace(of: str, rules: str, seed: int) -> Outcome:
    outcome = SIMULATED[of](seed, rules)
    outcome.trace.clear()
    return outcome


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
