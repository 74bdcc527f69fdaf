"""Count what can happen: `python -m tools.perft [--depth 4] [--ruleset NAME] [--write]`; `--write`: into docs/perft.md.

A position is laid out with every card known and the draw pile in a fixed order. A leaf is a sequence of so many
observations, each of which `croupier_rules.legal` offers to a seat after the ones before (docs/perft.md).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from croupier_rules import Header, Observation, Referee, legal, observations, parse_header, position_to_text
from croupier_rules.rules import load, names
from croupier_rules.rules.ruleset import presets

DEPTH: Final = 4
SEATS: Final = ("Ann", "Ben", "Cat")
Hands = tuple[tuple[str, ...], ...]


class Laid(NamedTuple):
    """How the cards of a deck lie: the up-card, the hands by stage of a round, and the draw pile from its top."""

    top: str
    hands: Mapping[str, Hands]
    order: tuple[str, ...]


_ORDER: Final = (
    *("green-5", "red-9", "blue-skip", "yellow-1", "green-reverse", "yellow-7", "red-1", "blue-2", "green-9"),
    *("yellow-4", "blue-8", "red-3", "yellow-skip", "green-4", "blue-9", "red-6", "yellow-2", "green-8", "blue-1"),
    *("red-2", "yellow-9", "green-1", "blue-4", "red-8", "yellow-6", "green-7", "blue-3", "red-4", "yellow-3"),
    "green-3",
)
"""The first cards of the draw pile; no more are drawn in `DEPTH` observations."""

_CLASSIC: Final = Laid(
    "red-5",
    {
        "early": (
            ("red-7", "blue-5", "wild", "red-draw2", "green-0", "red-skip"),
            ("red-skip", "green-2", "wild-draw4", "blue-draw2", "red-7", "yellow-5"),
            ("red-draw2", "red-reverse", "blue-7", "wild-draw4", "green-skip", "red-0"),
        ),
        "late": (("red-7", "wild-draw4"), ("red-draw2", "blue-5"), ("red-skip", "wild")),
    },
    _ORDER,
)
_SUITS: Final = {
    "early": (
        ("hearts-7", "spades-9", "hearts-8", "clubs-king", "diamonds-7"),
        ("clubs-8", "hearts-jack", "diamonds-ace", "spades-7", "hearts-10"),
        ("hearts-queen", "clubs-7", "spades-jack", "diamonds-8", "hearts-ace"),
    ),
    "late": (("hearts-7", "clubs-jack"), ("hearts-8", "spades-7"), ("diamonds-8", "hearts-jack")),
}
_SUITS_ORDER: Final = (
    *("clubs-9", "spades-10", "diamonds-queen", "hearts-king", "clubs-10", "spades-queen", "diamonds-9", "clubs-ace"),
    *("spades-king", "diamonds-10"),
)
_BY_DECK: Final = {
    "no-mercy": Laid(
        "red-5",
        {
            "early": (
                ("red-7", "red-discard-all", "wild-draw6", "red-draw4", "green-0", "red-skip"),
                ("red-skip-all", "red-draw4", "green-0", "wild-roulette", "red-7", "blue-draw2"),
                ("red-draw2", "wild-roulette", "wild-reverse-draw4", "red-0", "yellow-5", "wild-draw10"),
            ),
            "late": (("red-7", "wild-draw6"), ("red-draw4", "blue-5"), ("red-skip-all", "wild-roulette")),
        },
        _ORDER,
    ),
    "all-wild": Laid(
        "wild",
        {
            "early": (
                ("wild", "wild-reverse", "wild-skip", "wild-draw2", "wild-target-draw2", "wild-forced-swap"),
                ("wild", "wild-skip2", "wild-draw4", "wild-target-draw2", "wild-reverse", "wild"),
                ("wild", "wild-forced-swap", "wild-draw2", "wild-skip", "wild", "wild-draw4"),
            ),
            "late": (("wild", "wild-target-draw2"), ("wild-skip", "wild-forced-swap"), ("wild", "wild-draw2")),
        },
        ("wild", "wild-skip", "wild", "wild-reverse", "wild-draw2", "wild", "wild", "wild-skip2", "wild", "wild-draw4"),
    ),
    "mau-mau": Laid("hearts-9", _SUITS, _SUITS_ORDER),
    "crazy-eights": Laid("hearts-9", _SUITS, _SUITS_ORDER),
}
STAGES: Final = ("early", "late")
"""Of a round: the positions that are counted from."""


def rulesets() -> list[str]:
    """Every printed sheet, and the English one with each preset of house rules."""
    return [*names(), *(load(f"g7942-en+{name}").name for name in presets())]


def laid(ruleset: str) -> Laid:
    """How the cards lie by these rules."""
    return _BY_DECK.get(load(ruleset).deck, _CLASSIC)


def header(ruleset: str, stage: str) -> Header:
    """The position that is counted from, at this stage of a round: Ann is on turn."""
    hands = laid(ruleset).hands[stage]
    given: dict[str, Any] = {
        "phase": "turn", "turn": 0, "direction": "left", "top": laid(ruleset).top, "discard_pile": 1,
        "hands": [len(hand) for hand in hands], "known": {str(seat): list(hand) for seat, hand in enumerate(hands)},
    }  # fmt: skip
    return parse_header({"log": "croupier/1", "ruleset": ruleset, "seats": list(SEATS), "dealer": 2, "given": given})


def moves(referee: Referee, full: int) -> Iterator[Observation]:
    """What may be observed next, one second after the last observation; ``full``: cards in the draw pile at first.

    Who owes cards draws them all, the first such seat from Ann on, before anybody does anything else; a hand that is to
    be shown is shown.
    """
    position, t = referee.position(), referee.t + 1
    first, order = full - position["draw_pile"], laid(referee.header.ruleset.name).order
    if position["owed"]:
        seat, n = min((int(seat), n) for seat, n in position["owed"].items())
        yield observations.Drew(t, seat, n, order[first : first + n])
        return
    if "challenger" in position.get("remembered", {}) and position["phase"] == "challenge":
        seat = position["turn"] or 0
        yield observations.Shown(t, seat, tuple(position["known"].get(str(seat), ())))
        return
    for seat in range(len(position["hands"])):
        for one in legal(referee, seat):
            if isinstance(one, observations.Drew):
                one = replace(one, cards=order[first : first + one.n])
            elif isinstance(one, observations.Discarded):
                color = f"{position['color']}-"
                held = position["known"].get(str(seat), [])
                one = replace(one, cards=tuple(face for face in held if face.startswith(color)))
            elif isinstance(one, observations.HouseRule):
                continue
            yield one


def perft(referee: Referee, depth: int, full: int | None = None) -> int:
    """The number of sequences of ``depth`` observations."""
    full = referee.position()["draw_pile"] if full is None else full
    leaves = 0
    for observation in list(moves(referee, full)):
        if depth == 1:
            leaves += 1
            continue
        referee.push(observation)
        leaves += perft(referee, depth - 1, full)
        referee.undo()
    return leaves


def main() -> None:
    """Count, and print or write the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.perft", description=__doc__)
    parser.add_argument("--depth", type=int, default=DEPTH)
    parser.add_argument("--ruleset", action="append")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows = []
    for name in args.ruleset or rulesets():
        counts = [perft(Referee(header(name, stage)), depth) for stage in STAGES for depth in range(1, args.depth + 1)]
        rows.append(f"| `{name.replace('+', ' +')}` | {' | '.join(f'{count:,}' for count in counts)} |")
        print(name, *counts, flush=True)
    if args.write:
        page = Path("docs/perft.md")
        head, _, _ = page.read_text(encoding="utf-8").partition(_COUNTED)
        page.write_text(head + "\n".join([_COUNTED, *_positions(), *_table(rows, args.depth)]) + "\n", encoding="utf-8")


_COUNTED: Final = "<!-- counted -->"


def _positions() -> Iterator[str]:
    """The positions and the draw piles, for the page."""
    for name in ("g7942-en", "no-mercy-en", "mau-mau-en", "crazy-eights-en", "all-wild-en"):
        others = ", and of every other sheet of four colors" if name == "g7942-en" else ""
        lines = [position_to_text(Referee(header(name, stage)).position()) for stage in STAGES]
        yield f"\n`{name}`{others}, {' and '.join(STAGES)}, and the draw pile from its top:\n"
        yield "\n".join(["```position", *lines, "```", "", "```text", " ".join(laid(name).order), "```", ""])


def _table(rows: list[str], depth: int) -> Iterator[str]:
    """The numbers, for the page."""
    columns = [f"{stage} {one}" for stage in STAGES for one in range(1, depth + 1)]
    yield f"| rules | {' | '.join(columns)} |"
    yield f"|---|{'--:|' * len(columns)}"
    yield from rows


if __name__ == "__main__":
    main()
