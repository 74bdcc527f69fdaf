"""The firmware on its board, against budgets: presses, loop, deal, silence, start, ring, memory.

It runs on the simulated board in virtual time. MicroPython executes the firmware itself; its work takes as long as was
measured on an emulated RP2040 (`croupier_sim.board.vm.costs`), so a budget that breaks here breaks on the board. What
depends on the board's own speed or words (boot, ring, free memory) is scaled from figures of that RP2040, and says so.
With a MicroPython image it runs on that RP2040 itself (`croupier_bench.emulated`), where nothing is scaled.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, Final, Self

from croupier.devices.deal_plan import MotorLimits, plan_deal
from croupier.devices.pico.firmware_files import firmware_folder
from croupier.errors import CannotSimulate
from croupier.link import reports
from croupier.link.commands import Clear, Command, Config, Deal, Go, Home, Place
from croupier.link.commands import Ring as Show
from croupier.link.conversation import Conversation, Event, Greeted
from croupier_extras.firmware.installer import compiled, files
from croupier_sim.board import Settings, SimPico
from croupier_sim.board.pico import environment, interpreter
from tablewire.frame import Decoder
from tablewire.messages import HEARD_BY_HOST, TICKS
from tablewire.pins import SEATS

if TYPE_CHECKING:
    from croupier_bench.emulated import EmulatedPico

LOOP_MS: Final = 5.0
BURST_MS: Final = 12.0
CONFIG_MS: Final = 60.0
CLOCK_MS: Final = 0.5
STAMP_US: Final = 50
BOOT_S: Final = 0.7
OFF_S: Final = 0.5
DEAL: Final = 1.2
FREE_KB: Final = 120
FRAME_MS: Final = 10.0
"""The budgets: work of a round of the main loop (95 of 100; also while ten people press within `BURST_US`), the longest
round with a new layout, which comes while nothing moves, the clock of a press (99 of 100), its stamp behind its
edge, power to the first byte, motors off after the host's last word, the opening deal in times of the mechanical limit,
memory, and half of the time between two frames of the ring."""

BOOTED_S: Final = 1.80
COMPILED_S: Final = 1.55
"""Time from power on to the first byte of an RP2040 that compiles the sources, and the part of it that loads them."""
FREE_AT_START_KB: Final = 164.6
"""Free memory of that RP2040 with everything loaded."""

APART: Final = 0.15
"""By so much a figure of the stand-in may be off from the VM on the emulated RP2040."""

SETTLES_S: Final = 10.0
"""Until the rate of the Pico's clock is known well."""
GREETS_S: Final = 5.0
"""A firmware that runs has greeted by then."""
ANSWERS_S: Final = 0.3
"""Until the board has told its free memory."""
TURN_S: Final = 2.0
"""The longest turn."""
BURST_US: Final = 10_000
BURST_S: Final = 0.2
"""Time in which ten people press, and that in which their presses and releases are worked on."""
APART_US: Final = (1_000, 100, 30)
LOADS: Final = 20
DEAL_SEATS: Final = {0: -90.0, 1: 0.0, 2: 90.0, 3: 180.0}


@dataclass(frozen=True, slots=True)
class Plan:
    """How often: presses, bursts of ten, pairs of presses for each distance, cuts of the line; and seconds of dealing
    for the memory."""

    presses: int = 60
    bursts: int = 20
    pairs: int = 40
    cuts: int = 20
    dealing_s: float = 3600.0


PLAN: Final = Plan()
ON_EMULATOR: Final = Plan(presses=20, bursts=4, pairs=10, cuts=4, dealing_s=60.0)
"""A busy second of the emulated processor takes half a minute."""

_RING: Final = Path(__file__).parent / "vm/ring.py"
_FRAME_US: Final = 1_000
"""The host reads the line in each frame of USB."""


class Bench:
    """A board and its host in step, and the truth about both."""

    def __init__(self, seed: int, pico: SimPico | EmulatedPico | None = None) -> None:
        self.pico = pico or SimPico(Settings(seed=seed))
        self.jobs = 0
        self.rng = random.Random(seed)
        self.host = Conversation(lambda: self.rng.randrange(1, 1 << 16))
        self.stamps: list[tuple[int, int]] = []
        """Each press as the line carries it: ticks and buttons."""
        self.told: list[Event] = []
        self.is_silent = False
        self.frame_us = _FRAME_US
        self.kept: dict[str, list[float]] = {"memory": [], "rounds": []}
        self._decoder = Decoder(HEARD_BY_HOST)
        self._is_plugged_in = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pico.close()

    @property
    def now(self) -> float:
        """Seconds since the board had power."""
        return self.pico.now_us / 1e6

    def run(self, seconds: float, until: Callable[[], object] = lambda: False) -> None:
        """Let time pass, at most until something holds."""
        end_us = self.pico.now_us + round(seconds * 1e6)
        while self.pico.now_us < end_us and not until():
            if self._is_plugged_in and not self.is_silent:
                self.pico.write(self.host.due(self.now))
            for event in self.pico.run_to(min(end_us, self.pico.now_us + self.frame_us)):
                self.kept.get(event.kind, []).extend(event.values)
                if event.kind == "boot":
                    self._is_plugged_in = True
                    self.host.connected(self.now)
            data = self.pico.read()
            self.stamps += [one.values for one in self._decoder.receive(data) if one.message.name == "press"]
            if data and not self.is_silent:
                self.host.receive(data, self.now)
            self.told += self.host.events()

    def send(self, *commands: Command) -> None:
        """Send commands to the board."""
        for command in commands:
            self.host.send(command)

    def of(self, kind: type[Any]) -> list[Any]:
        """Return the reports of this kind that the host got."""
        return [one for one in self.told if isinstance(one, kind)]

    def set_up(self) -> None:
        """Begin as a table does, and find the magnet. Raises CannotSimulate if the firmware does not greet."""
        self.run(GREETS_S, lambda: self.of(Greeted))
        if not self.of(Greeted):
            raise CannotSimulate(f"the firmware does not greet on {self.pico.runs_on}: take MicroPython for the Pico")
        self.send(Config(seats=SEATS, lights=24, speed=1200, turn_speed=80, turn_acceleration=40))
        self.send(*(Place(seat=seat, angle=round(10 * angle)) for seat, angle in DEAL_SEATS.items()), Go(), Home())
        self.send(Show(turn=1, direction="left", color="red", mode="play", n=0))
        still = 0
        while still < 5:
            self.run(0.1)
            still = 0 if self.pico.is_driven else still + 1

    def begin_deal(self, seat: int, n: int) -> None:
        """Ask for a job."""
        self.jobs += 1
        self.send(Deal(job=self.jobs, seat=seat, n=n))

    def deal(self, seat: int, n: int) -> None:
        """Have a job done."""
        done = len(self.of(reports.Done))
        self.begin_deal(seat, n)
        self.run(10, lambda: len(self.of(reports.Done)) > done)

    def measured(self, kind: str) -> list[float]:
        """Report of the board: times of ``rounds`` of its loop since the last report, or its free ``memory``."""
        self.kept[kind].clear()
        self.pico.do("board", {"rounds": "time_rounds", "memory": "measure_memory"}[kind])
        self.run(ANSWERS_S if kind == "memory" else 0.01, lambda: self.kept[kind])
        return list(self.kept[kind])


def measure(image: Path | None = None) -> Iterator[dict[str, Any]]:
    """Measure all budgets. ``image``: MicroPython for an emulated RP2040, as a UF2 file; then the stand-in is measured
    after it, and the last line has both side by side.

    Raises:
        CannotSimulate: MicroPython or the emulator is not installed, or the image does not run the firmware.
    """
    if image is None:
        yield from _on_stand_in()
        return
    found = []
    for line in _on_emulator(image):
        found.append(line)
        yield line
    yield compared(list(_on_stand_in()), found)


def compared(stand_in: list[dict[str, Any]], machine: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of the stand-in beside those of MicroPython on the emulated RP2040. ``apart``: by what part
    the stand-in is off; above `APART` it is no stand-in for that figure."""
    known = {line["what"]: line["ours"] for line in stand_in}
    rows = [
        {"what": line["what"], "unit": line["unit"], "stand_in": known[line["what"]], "vm": line["ours"],
         "apart": round(abs(known[line["what"]] - line["ours"]) / line["ours"], 3) if line["ours"] else 0.0}
        for line in machine if line["what"] in known
    ]  # fmt: skip
    wrong = sum(row["apart"] > APART for row in rows)
    return {"bench": "board", "what": f"figures of the stand-in that part by over {APART:.0%} from the VM", "unit": "",
            "ours": wrong, "beside": rows}  # fmt: skip


def _on_stand_in() -> Iterator[dict[str, Any]]:
    program = interpreter()
    if program is None:
        raise CannotSimulate("MicroPython is missing: pip install 'croupier[sim]' (Linux on x86-64)")
    with Bench(1) as bench:
        bench.set_up()
        yield from _deal(bench)
    with Bench(2) as bench:
        bench.set_up()
        yield from _presses(bench, PLAN)
        yield _burst(bench, PLAN)
        yield from _order(bench, PLAN)
        yield _config(bench)
    with Bench(4) as bench:
        bench.set_up()
        yield _silence(bench, PLAN)
    yield _boot(program)
    yield _frame(program)
    with Bench(3) as bench:
        bench.set_up()
        yield _memory(bench, PLAN)


def _on_emulator(image: Path) -> Iterator[dict[str, Any]]:
    try:
        from croupier_bench.emulated import EmulatedPico
    except ModuleNotFoundError as err:
        raise CannotSimulate(f"{err.name} is missing: pip install 'croupier[emulator]'") from err
    pico = EmulatedPico(image)
    with Bench(1, pico) as bench:
        bench.set_up()
        yield _line("power to the first byte, with compiled files", "s", pico.first_byte_us / 1e6, BOOT_S)
        yield from _deal(bench)
        yield from _presses(bench, ON_EMULATOR)
        yield _burst(bench, ON_EMULATOR)
        yield from _order(bench, ON_EMULATOR)
        yield _config(bench)
        yield _silence(bench, ON_EMULATOR)
        yield _memory(bench, ON_EMULATOR)


def _line(what: str, unit: str, ours: float, limit: float, *, at_least: bool = False, **more: Any) -> dict[str, Any]:
    ratio = limit / ours if at_least and ours else ours / limit
    figures = {"ours": round(ours, 3), "limit": limit, "ratio": round(ratio, 3)}
    return {"bench": "board", "what": what, "unit": unit, **figures, **more}


def _deal(bench: Bench) -> Iterator[dict[str, Any]]:
    plan = plan_deal(DEAL_SEATS, 7, MotorLimits())
    bench.measured("rounds")
    began = bench.now
    for seat, n in plan.feeds:
        bench.deal(seat, n)
    took = bench.now - began
    line = _rounds("main loop while dealing, 95 of 100", bench.measured("rounds"))
    scaled = ", whose work takes as long as on an emulated RP2040" if isinstance(bench.pico, SimPico) else ""
    line["remarks"].append(f"on {bench.pico.runs_on}{scaled}")
    yield line
    fed = sum(done.fed for done in bench.of(reports.Done))
    yield _line("opening deal of 28 cards, in times of the mechanical limit", "times", took / plan.limit_s, DEAL,
                counts={"cards": fed})  # fmt: skip


def _rounds(what: str, rounds_us: list[float], limit: float = LOOP_MS, **more: Any) -> dict[str, Any]:
    ms = [us / 1000 for us in rounds_us]
    remarks = [f"median {median(ms):.1f} ms, longest {max(ms):.1f} ms"]
    return _line(what, "ms", quantiles(ms, n=20)[18], limit, remarks=remarks, **more)


def _burst(bench: Bench, plan: Plan) -> dict[str, Any]:
    """The product's moment: all people at a full table press, with contacts that bounce."""
    rounds_us: list[float] = []
    bench.stamps.clear()
    for _ in range(plan.bursts):
        bench.measured("rounds")
        began_us = bench.pico.now_us + 1_000
        for seat in range(SEATS):
            at_us = began_us + bench.rng.randrange(BURST_US)
            bench.pico.press(1 << seat, at_us=at_us, up_after_us=100_000, bounces=bench.rng.randrange(3))
        bench.run(BURST_S)
        rounds_us += bench.measured("rounds")
    reported = sum(mask.bit_count() for _, mask in bench.stamps)
    counts = {"pressed": SEATS * plan.bursts, "reported": reported}
    what = f"main loop while ten people press within {BURST_US // 1000} ms, 95 of 100"
    return _rounds(what, rounds_us, BURST_MS, counts=counts)


def _config(bench: Bench) -> dict[str, Any]:
    bench.measured("rounds")
    bench.send(Config(seats=SEATS, lights=60, speed=1200, turn_speed=90, turn_acceleration=50))
    bench.run(BURST_S)
    longest_ms = max(bench.measured("rounds")) / 1000
    return _line("longest round with a new layout", "ms", longest_ms, CONFIG_MS)


def _presses(bench: Bench, plan: Plan) -> Iterator[dict[str, Any]]:
    bench.measured("rounds")
    bench.run(SETTLES_S)
    yield _rounds("main loop while nothing happens, 95 of 100", bench.measured("rounds"))
    pressed = []
    bench.stamps.clear()
    bench.told.clear()
    for _ in range(plan.presses):
        at_us = bench.pico.now_us + bench.rng.randrange(20_000)
        bench.pico.press(
            1 << bench.rng.randrange(SEATS), at_us=at_us, up_after_us=60_000, bounces=bench.rng.randrange(3)
        )
        pressed.append(at_us)
        bench.run(0.12)
    yield _rounds("main loop while people press, 95 of 100", bench.measured("rounds"))
    epoch_us = bench.pico.epoch_us
    late_us = [(epoch_us + ticks - at_us) % TICKS for (ticks, _), at_us in zip(bench.stamps, pressed, strict=True)]
    yield _line("stamp of a press behind its edge, at most", "µs", max(late_us), STAMP_US)
    told = bench.of(reports.Press)
    off = [abs(press.t - at_us / 1e6) > press.u for press, at_us in zip(told, pressed, strict=True)]
    yield _line("uncertainty of a press on the table's clock, 99 of 100", "ms",
                1000 * quantiles([press.u for press in told], n=100)[98], CLOCK_MS,
                counts={"presses": len(told), "farther off than they say": sum(off)})  # fmt: skip


def _order(bench: Bench, plan: Plan) -> Iterator[dict[str, Any]]:
    """The order of two presses, by their stamps; two in the same instant have the same stamp."""
    for apart_us in APART_US:
        bench.stamps.clear()
        pairs = []
        for _ in range(plan.pairs):
            first, second = bench.rng.sample(range(SEATS), 2)
            at_us = bench.pico.now_us + bench.rng.randrange(20_000)
            for seat, us in ((first, at_us), (second, at_us + apart_us)):
                bench.pico.press(1 << seat, at_us=us, up_after_us=60_000)
            bench.run(0.15)
            pairs.append((first, second))
        at = {"right": 0, "same stamp": 0, "wrong": 0}
        stamps = iter([(ticks, seat) for ticks, mask in bench.stamps for seat in range(SEATS) if mask >> seat & 1])
        for (first, second), one, other in zip(pairs, stamps, stamps, strict=True):
            ticks = {one[1]: one[0], other[1]: other[0]}
            at["same stamp" if one[0] == other[0] else "right" if ticks[first] < ticks[second] else "wrong"] += 1
        yield {"bench": "board", "what": f"order of two presses {apart_us} µs apart", "unit": "of pairs right",
               "ours": round(at["right"] / plan.pairs, 3), "counts": at}  # fmt: skip


def _silence(bench: Bench, plan: Plan) -> dict[str, Any]:
    off = []
    for _ in range(plan.cuts):
        bench.pico.do("feeding", "set_cards", 108)
        bench.send(Go())
        bench.begin_deal(bench.jobs % 4, 40)
        bench.run(3, lambda: bench.pico.is_driven)
        bench.run(bench.rng.uniform(0.05, 1.5))
        began, bench.is_silent = bench.now, True
        bench.run(2, lambda: not bench.pico.is_driven)
        off.append(bench.now - began)
        bench.is_silent = False
        bench.run(1)
        bench.pico.do("feeding", "clear")
        bench.run(0.1)
        bench.send(Clear())
        bench.run(0.5)
    return _line(f"motors off after the host's last word, longest of {plan.cuts}", "s", max(off), OFF_S)


def _boot(program: str) -> dict[str, Any]:
    """The start with compiled files. How much quicker these load is measured here, in the same interpreter."""
    sources = {name: data for name, data in files().items() if name.startswith(("lib/", "pico/"))}
    told = subprocess.run(
        [program, "-c", "import sys; print(sys.implementation._mpy)"], capture_output=True, check=True
    )
    loads = [_loads_s(program, one) for one in (sources, compiled(files(), int(told.stdout), lambda line: None))]
    ratio = loads[1] / loads[0]
    took = f"scaled: an emulated RP2040 takes {BOOTED_S} s with sources, {COMPILED_S} of it to load them"
    remarks = [f"{took}; compiled files load in {ratio:.2f} of that"]
    seconds = BOOTED_S - COMPILED_S * (1 - ratio)
    return _line("power to the first byte, with compiled files", "s", seconds, BOOT_S, remarks=remarks)


def _frame(program: str) -> dict[str, Any]:
    """Return the costliest mode of the ring."""
    env = environment([firmware_folder()])
    told = subprocess.run([program, str(_RING)], env=env, capture_output=True, check=True)
    frames_us = json.loads(told.stdout)
    remarks = ["scaled: " + ", ".join(f"{mode} {us / 1000:.1f} ms" for mode, us in frames_us.items())]
    what = "a frame of sixty lights on an RP2040, in its costliest mode"
    return _line(what, "ms", max(frames_us.values()) / 1000, FRAME_MS, remarks=remarks)


_LOADS: Final = """import sys
class Any:
    def __getattr__(self, name): return self
    def __call__(self, *_, **__): return self
    def __or__(self, other): return self
for name in ("machine", "rp2"):
    sys.modules[name] = Any()
names = ("feeder", "turntable", "link", "buttons", "ring", "shoe", "selftest", "safety", "buzzer", "memory")
for _ in range(int(sys.argv[1])):
    for name in list(sys.modules):
        if name.split(".")[0] in ("pico", "tablewire"):
            del sys.modules[name]
    for name in names:
        __import__("pico." + name)
"""


def _loads_s(program: str, placed: dict[str, bytes]) -> float:
    """Return the processor time that MicroPython takes to load these files of the firmware (s)."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (placed | {"loads.py": _LOADS.encode()}).items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        taken = []
        for times in (0, LOADS):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [program, "-X", "heapsize=8M", f"{folder}/loads.py", str(times)]
            subprocess.run(command, env=environment([Path(folder)]), capture_output=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return (taken[1] - taken[0]) / LOADS


def _memory(bench: Bench, plan: Plan) -> dict[str, Any]:
    """What dealing leaves behind; a word of the board has half as many bytes as one of the simulated board."""
    bench.run(TURN_S)  # so long the simulated turntable keeps the way of its last turn
    (first,) = bench.measured("memory")
    if is_scaled := isinstance(bench.pico, SimPico):
        bench.frame_us = 100_000
    end, jobs = bench.now + plan.dealing_s, bench.jobs
    bench.send(Go())
    while bench.now < end:
        bench.pico.do("feeding", "set_cards", 108)
        for _ in range(10):
            bench.pico.press(1 << bench.jobs % SEATS)
            bench.deal(bench.jobs % 4, 3)
        bench.run(min(300.0, max(0.0, end - bench.now)))
        bench.told.clear()
        bench.stamps.clear()
    (last,) = bench.measured("memory")
    left = (first - last) / (2000 if is_scaled else 1000)
    free = FREE_AT_START_KB - left if is_scaled else last / 1000
    how = f"scaled: {FREE_AT_START_KB} KB on an emulated RP2040, and {left:.1f} KB less after that time here"
    remarks = [how if is_scaled else f"{left:.1f} KB less than before"]
    return _line(f"free memory after {plan.dealing_s / 60:g} minutes", "KB", free, FREE_KB, at_least=True,
                 counts={"jobs": bench.jobs - jobs}, remarks=remarks)  # fmt: skip
