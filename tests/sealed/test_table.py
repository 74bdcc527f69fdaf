"""A table whose shoe knows what it deals: nobody shows a hand, and nobody sees one before its time."""

from __future__ import annotations

import stat
from collections.abc import Collection
from pathlib import Path

import pytest

from croupier.commands import LayCard
from croupier.errors import BadJournal
from croupier.events import CommandGiven
from croupier.i18n import speaking
from croupier.journal import Archive
from croupier.log_replay import redacted_lines
from croupier.runtime.devices import Factories
from croupier_extras.sealed import box
from croupier_extras.sealed.sealing import deck_report
from tests.runtime.live import TWO, Board, Line, Running

HANDS = {
    0: ["wild-draw4", "red-1", "red-2", "red-3", "red-4", "red-5", "red-6"],
    1: ["red-7", "red-8", "red-9", "red-0", "red-1", "red-2", "blue-9"],
}
EXIT = '[shoe]\nkind = "pico"\nexit_camera = "usb:1"\n[buttons]\nkind = "pico"\n'


class SeeingBoard(Board):
    """Deals these cards, and has a camera at its exit, which ``misses`` the next cards."""

    trouble = ""

    def __init__(self, hands: dict[int, list[str]]) -> None:
        self.hands = {seat: list(cards) for seat, cards in hands.items()}
        self.dealt: dict[int, list[str]] = {0: [], 1: []}
        self.misses = 0
        self.seen: list[tuple[float, tuple[str, ...]]] = []
        self.ahead = 1.0
        super().__init__()

    def passed(self, seat: int) -> None:
        face = self.hands[seat].pop(0) if self.hands[seat] else "green-0"
        self.dealt[seat].append(face)
        if self.misses:
            self.misses -= 1
        else:
            self.seen.append((self.now - self.ahead, (face,)))

    def start(self) -> None: ...
    def close(self) -> None: ...
    def expect(self, faces: Collection[str]) -> None: ...
    def poll(self) -> tuple[()]:
        return ()

    def watermark(self) -> float:
        return self.now - self.ahead

    def take(self, until: float) -> tuple[tuple[str, ...], ...]:
        due = tuple(faces for t, faces in self.seen if t <= until + 1e-3)
        self.seen = self.seen[len(due) :]
        return due


class Sealing(Running):
    """A running table with such a board, and both hands dealt."""

    def __init__(self, path: Path, hands: dict[int, list[str]] = HANDS, misses: int = 0) -> None:
        self.eye = SeeingBoard(hands)
        self.eye.misses = misses
        factories = Factories(
            reader=lambda config: None,  # type: ignore[arg-type,return-value]
            link=lambda port, now, wake: Line(self.eye, now),
            exit_camera=lambda config, now, wake: self.eye,
        )
        super().__init__(path, TWO + EXIT, factories, board=self.eye)
        self.go(8.0)

    def lays(self, card: str) -> None:
        self.say(CommandGiven(t=self.table.clock.now(), command=LayCard(card)))
        self.wait(0.5)

    def challenge(self) -> None:
        """Seat 1 lays a card on the starter card, seat 0 a Wild Draw Four, and seat 1 challenges it."""
        self.lays("blue-5")
        self.lays("blue-9")
        self.lays("wild-draw4")
        self.press("green", 0)
        self.wait(0.5)
        self.press("challenge", 1)
        self.wait(0.5)

    @property
    def is_asked_to_show(self) -> bool:
        return any(ask.what == "show-hand" for ask in self.people.asked)


def files_of(journal: Path) -> bytes:
    return b"".join(one.read_bytes() for one in journal.parent.iterdir() if one.name.startswith(journal.name))


def shown(table: Sealing) -> list[tuple[int, list[str]]]:
    return [(line["seat"], line["cards"]) for line in table.log if line["obs"] == "shown"]


@pytest.mark.parametrize(("other", "draws"), [("red-6", 6), ("blue-6", 4)], ids=["innocent", "guilty"])
def test_a_wild_draw_four_is_judged_without_showing_the_hand(tmp_path: Path, other: str, draws: int) -> None:
    path = tmp_path / "croupier.journal"
    table = Sealing(path, {0: [*HANDS[0][:6], other], 1: HANDS[1]})
    assert shown(table) == []
    assert b"red-" not in files_of(path), "nobody reads a face on the disk"
    assert stat.S_IMODE(box.key_file(path).stat().st_mode) == 0o600
    table.challenge()
    assert shown(table) == [(0, sorted([*HANDS[0][1:6], other]))]
    assert not table.is_asked_to_show
    table.wait(5.0)
    drawn = [(line["seat"], line["n"]) for line in table.log if line["obs"] == "drew"]
    assert drawn == [(1 if draws == 6 else 0, draws)]
    assert "red-1" not in "".join(redacted_lines(table.disk.journal.lines(1)))
    table.kill()


def test_after_a_restart_the_hand_is_still_known_and_a_hand_that_was_not_read_is_shown(tmp_path: Path) -> None:
    for misses in (0, 1):
        table = Sealing(tmp_path / f"{misses}.journal", misses=misses)
        table.kill()
        table.eye.ahead = table.board.now - 8.0
        table.start()
        table.go(1.0)
        table.challenge()
        assert (shown(table) != [], table.is_asked_to_show) == (not misses, bool(misses))
        table.kill()


def test_a_round_is_scored_and_its_faces_are_open_when_it_is_over(tmp_path: Path) -> None:
    path = tmp_path / "croupier.journal"
    table = Sealing(path, {0: [*(f"red-{n}" for n in range(1, 7)), "blue-9"], 1: [f"red-{n}" for n in range(2, 9)]})
    table.lays("red-9")
    with Archive(path) as archive:
        assert list(deck_report(archive, 1)) == [], "the round is played"
    for n in range(7):
        for seat in (1, 0):
            if table.position.phase == "turn":
                if table.position.hands[seat] == 2:
                    table.press("uno", seat)
                    table.wait(0.2)
                table.lays(table.eye.dealt[seat][n])
    assert table.position.scores == (0, 9)
    assert shown(table) == [(0, ["blue-9"])]
    assert not table.is_asked_to_show
    assert not box.key_file(path).exists()
    with Archive(path) as archive, speaking("en"):
        assert list(deck_report(archive, 1)) == ["Round 1: 14 cards read, 0 unread."]
    table.kill()


def test_a_box_opens_in_its_place_only() -> None:
    key = bytes(range(32))
    closed = box.seal(key, 1, 2, (("red-7",), ("wild", "?")))
    assert box.opened(key, 1, 2, closed) == (("red-7",), ("wild", "?"))
    assert len(closed) == len(box.seal(key, 1, 2, (("wild-draw4",), ("green-reverse", "yellow-reverse"))))
    for game, line, changed in ((2, 2, closed), (1, 3, closed), (1, 2, closed[:-1] + bytes([closed[-1] ^ 1]))):
        with pytest.raises(BadJournal, match=f"game {game}, line {line}: the sealed cards were changed"):
            box.opened(key, game, line, changed)
