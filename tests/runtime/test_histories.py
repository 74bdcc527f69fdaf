"""Page, keys, terminal and home automation act at once, and the power fails again and again.

A history is what was ordered, what the table answered (the lines of the log that it told its observers of, and the
orders of the page that it said were written), and the log after each power cut. An answered order stands in the log
once, where the answer said. An order whose time has come is answered.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable
from io import StringIO
from pathlib import Path
from random import Random

import pytest
from rich.console import Console

from croupier.commands import LayCard, MakeHouseRule, PressKey
from croupier.events import CommandGiven, Press
from croupier.journal import Journal
from croupier.log_replay import Record
from croupier.runtime.table import ON_ITS_WAY_S
from croupier.runtime.terminal import CommandReader, Terminal
from croupier_rules.cards import FACES
from croupier_rules.referee.observations import to_json
from croupier_rules.referee.verdict import VERDICT
from tests.journal.power import Disk, Files, recording
from tests.longer import many
from tests.runtime.live import TWO, Running

KEYS = ("uno", "accept", "challenge", "pass", "red", "green")
KILLS_A_TABLE = 25


class Table(Running):
    """A running table whose disk remembers each write. ``answers``: when (operations of the disk), game, place in the
    log, line. ``promised``: when the page was told that an order is written, and its text."""

    def __init__(self, path: Path, disk: Disk) -> None:
        self.answers: list[tuple[int, int, int, str]] = []
        self.promised: list[tuple[int, str]] = []
        self.operations = disk.ops
        super().__init__(path, TWO, step_observers=(self.answer,))
        terminal = Terminal(Console(file=StringIO())).begin(self.table.run.session)
        clock = self.table.clock
        self.reader = CommandReader(StringIO(), clock.now, self.table.inbox, terminal, self.table.page.seat)

    def answer(self, game: int, step: Record) -> None:
        self.answers.append((len(self.operations), game, step.n, json.dumps(to_json(step.observation))))

    def make_rule(self, seat: int, number: int, text: str) -> None:
        """Make a house rule on the page, which answers when it is written."""
        written = self.table.submit(MakeHouseRule(seat, number, text))
        written.add_done_callback(lambda _: self.promised.append((len(self.operations), text)))


class History:
    """What was ordered at a table through power cuts, and what became of it. ``anomalies``: what must not be."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.path, self.random = folder / "croupier.journal", Random(seed)
        self.ordered = Counter[Hashable]()
        self.answered: dict[tuple[int, int], str] = {}
        self.settled: set[str] = set()
        self.promised: set[str] = set()
        self.anomalies: list[str] = []
        self.counts = Counter[str]()
        folder.mkdir()

    def play(self, cuts: int) -> None:
        """Act, and cut the power so often."""
        files: Files = {}
        for _ in range(cuts):
            disk = Disk.holding(files)
            with recording(disk):
                table = Table(self.path, disk)
                self._check(table.disk.journal)
                earliest, settled = self._act(table, disk)
                latest = len(disk.ops)
                table.kill()
            cut = self.random.randint(earliest, latest)
            self.answered |= {(game, n): line for at, game, n, line in table.answers if at <= cut}
            self.promised |= {text for at, text in table.promised if at <= cut}
            self.settled |= settled
            files = disk.state(cut, self.random)
            for file in self.path.parent.iterdir():
                file.unlink()
            for name, data in files.items():
                (self.path.parent / name).write_bytes(data)
            self.counts["cuts"] += 1
        with Journal(self.path) as journal:
            self._check(journal)
        self.counts["orders"] = sum(self.ordered.values())
        self.counts["answers"] = len(self.answered)
        self.counts["settled"] = len(self.settled)
        self.counts["promised"] = len(self.promised)

    def _act(self, table: Table, disk: Disk) -> tuple[int, set[str]]:
        """Order things from everywhere. Returns the earliest moment of the cut (operations of the disk), and the house
        rules that are answered by then."""
        before, rules = len(disk.ops), set[str]()
        is_settled = self.random.random() < 0.5
        for _ in range(self.random.randint(4, 16)):
            for _ in range(self.random.choice((0, 1, 1, 2, 3))):
                rules |= self._order(table)
            table.wait(0.1)
        if not is_settled:
            return before, set()
        table.press("go")
        self.ordered["resumed"] += 1
        table.wait(2.0)
        if table.position.phase == "paused" or table.table.run.sequencer.is_waiting:
            return before, set()
        return len(disk.ops), rules

    def _order(self, table: Table) -> set[str]:
        random, inbox, now = self.random, table.table.inbox, table.table.clock.now()
        seat, key = random.randrange(2), random.choice(KEYS)
        color = key if key in ("red", "green") else ""
        pressed = ("color", seat, color) if color else (key, seat)
        match random.choice(("page", "page", "rule", "rule", "keys", "terminal", "mqtt", "card", "go")):
            case "page":
                table.table.submit(PressKey(seat, key))  # type: ignore[arg-type]
                self.ordered[pressed] += 1
            case "rule":
                text = f"order {sum(self.ordered.values())}"
                table.make_rule(seat, random.randrange(10), text)
                self.ordered[text] += 1
                return {text}
            case "keys":
                inbox.put(Press(t=now, seat=seat, key=key))  # type: ignore[arg-type]
                self.ordered[pressed] += 1
            case "terminal":
                table.reader.take(f"{key} {table.table.run.session.header.seats[seat]}")
                self.ordered[pressed] += 1
            case "mqtt":
                inbox.put(Press(t=now, u=ON_ITS_WAY_S, seat=0, key="pause"))
                self.ordered["panel"] += 1
            case "card":
                fit = sorted(table.table.run.session.referee.expected_faces().intersection(FACES))
                card = random.choice(fit or ["red-7"])
                inbox.put(CommandGiven(t=now, command=LayCard(card)))
                self.ordered[card] += 1
            case _:
                table.press("go")
                self.ordered["resumed"] += 1
        return set()

    def _check(self, journal: Journal) -> None:
        """Compare the log after a power cut with what was ordered and answered."""
        logs = {game: [reported(line) for line in journal.lines(game)[1:]] for game in journal.began()}
        self.anomalies += [f"told of a loss: {journal.recovery.notice}"] if journal.recovery else []
        self.anomalies += [str(damage) for damage in journal.damages()]
        for (game, n), line in self.answered.items():
            if n > len(logs.get(game, ())) or logs[game][n - 1] != json.loads(line):
                self.anomalies.append(f"an answer is not in the log: game {game}, line {n}: {line}")
        logged = Counter(what for log in logs.values() for line in log if (what := order_of(line)) is not None)
        for what, n in logged.items():
            if n > self.ordered[what]:
                self.anomalies.append(f"{what} was ordered {self.ordered[what]} times and stands {n} times in the log")
        self.anomalies += [f"never answered: {rule}" for rule in self.settled if logged[rule] != 1]
        self.anomalies += [f"the page said it is written: {rule}" for rule in self.promised if logged[rule] != 1]


def reported(line: str) -> dict[str, object]:
    """What a line of the log reports, without the verdict on it."""
    return {name: value for name, value in json.loads(line).items() if name not in VERDICT}


def order_of(line: dict[str, object]) -> Hashable | None:
    """The order that a line of the log came from; None if from no person."""
    match line["obs"]:
        case "house_rule":
            return str(line["text"])
        case "uno" | "accept" | "challenge" | "pass":
            return line["obs"], line["seat"]
        case "color":
            return "color", line["seat"], line["color"]
        case "play" | "upcard":
            return str(line["card"])
        case "resumed":
            return "resumed"
        case "fault":
            return "panel" if line["device"] == "panel" else None
        case _:
            return None


def histories(folder: Path, tables: int, cuts: int, seed: int) -> Counter[str]:
    """Counts over the histories of so many tables, each with so many power cuts."""
    counts = Counter[str]()
    for n in range(tables):
        history = History(folder / str(n), seed + n)
        history.play(cuts)
        counts += history.counts
        assert history.anomalies == []
    return counts


def test_each_answered_order_stands_in_the_log_once_through_power_cuts(tmp_path: Path) -> None:
    counts = histories(tmp_path, 2, 10, 3)
    assert counts["cuts"] == 20
    assert counts["answers"] > 100
    assert counts["settled"] > 10
    assert counts["promised"] > counts["settled"] / 2


@pytest.mark.long
def test_each_answered_order_stands_in_the_log_once_through_a_thousand_power_cuts(tmp_path: Path) -> None:
    print(counts := histories(tmp_path, many(44), KILLS_A_TABLE, 100))
    assert counts["cuts"] >= many(1_000)
    assert counts["orders"] >= many(10_000)
