"""The ledger in random rounds: a hand is what the seat holds, or it is not told."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from croupier.journal import text_of
from croupier.log_replay import Record, replay_lines
from croupier_extras.sealed.ledger import Ledger, RoundProof
from croupier_rules.cards import DECKS, UNREAD
from croupier_rules.referee import Observation, Referee, Rulings
from croupier_rules.referee.observations import Dealt, Drew, to_json
from tests.longer import seeds
from tests.referee.games import Watched, header


class Followed:
    """A random game whose every dealt and drawn card was read; the truth is compared after each line."""

    def __init__(self, seed: int, unread: bool = False) -> None:
        self.told = self.untold = 0
        self._header = header(2 + seed % 9)
        self._faces: dict[int, tuple[tuple[str, ...], ...]] = {}
        self._lines = [text_of(self._header.to_json())]
        self._unread = unread
        self._truth: list[list[list[str]]] = []
        self._watched = Watched(self._header, seed, self._look)
        self._watched.play(1)
        ledger = Ledger(len(self._header.seats), self._faces)
        steps = (
            one for one in replay_lines((line.encode() for line in self._lines), "game") if isinstance(one, Record)
        )
        for step, hands in zip(steps, self._truth, strict=True):
            ledger.follow([step])
            held = step.fields["hands"]
            for seat, hand in enumerate(hands):
                cards = ledger.hand(seat)
                if len(hand) == held[seat] and cards is not None:
                    assert [card.rstrip("*") for card in cards] == sorted(card.rstrip("*") for card in hand), step.n
                    self.told += 1
                else:
                    self.untold += 1
        self.proof = ledger.proofs[-1]

    def _look(self, observation: Observation, rulings: Rulings, referee: Referee) -> None:
        seen = self._watched._with_faces(observation)
        self._lines.append(text_of(to_json(observation)))
        if isinstance(seen, Dealt | Drew):
            cards = tuple((card,) for card in seen.cards)
            lost = self._unread and len(self._faces) % 5 == 0
            self._faces[len(self._lines) - 1] = ((UNREAD,),) * len(cards) if lost else cards
        self._truth.append([list(hand) for hand in self._watched.table._hands])


@pytest.mark.parametrize("seed", seeds(1, 42, short=2, long=10))
def test_a_hand_is_what_the_seat_holds(seed: int) -> None:
    followed = Followed(seed)
    assert followed.told > followed.untold
    assert not followed.proof.too_many(DECKS["g7942"])


@pytest.mark.parametrize("seed", [1, *seeds(3, 20, long=5)])
def test_a_hand_with_a_card_that_was_not_read_is_not_told(seed: int) -> None:
    followed = Followed(seed, unread=True)
    assert followed.told
    assert followed.untold


DECK = {"red-7": 2, "blue-1": 1, "wild": 1}


@pytest.mark.parametrize(
    ("seen", "unread", "is_all", "missing", "more", "is_whole"),
    [
        ({"red-7": 2, "blue-1": 1, "wild": 1}, 0, True, {}, {}, True),
        ({"red-7": 1, "blue-1": 1, "wild": 1}, 0, True, {"red-7": 1}, {}, False),
        ({"red-7": 1, "blue-1": 1, "wild": 1}, 0, False, {}, {}, False),
        ({"red-7": 1, "blue-1": 1, "wild": 1}, 1, True, {}, {}, False),
        ({"red-7": 2, "blue-1": 3}, 0, True, {"wild": 1}, {"blue-1": 2}, False),
    ],
    ids=["whole", "missing", "not-yet-seen", "unread", "double"],
)
def test_what_is_known_of_a_deck(
    seen: dict[str, int], unread: int, is_all: bool, missing: dict[str, int], more: dict[str, int], is_whole: bool
) -> None:
    proof = RoundProof(seen, unread, (), is_all, False)
    assert (proof.missing(DECK), proof.too_many(DECK), proof.is_whole(DECK)) == (missing, more, is_whole)
    disturbed = replace(proof, is_disturbed=True)
    assert (disturbed.missing(DECK), disturbed.too_many(DECK), disturbed.is_whole(DECK)) == ({}, {}, False)


def test_a_card_that_is_not_in_the_box_is_named_when_the_shoe_is_empty() -> None:
    deck = [face for face, n in DECKS["g7942"].items() for _ in range(n)]
    deck.remove("blue-7")
    head = {"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben"], "dealer": 0}
    dealt = [{"obs": "dealt", "t": 0.0, "seat": seat, "n": 7} for seat in (0, 1)]
    rest = [*dealt, {"obs": "upcard", "t": 1.0, "card": deck[14]}]
    rest += [
        {"obs": "drew", "t": 2.0, "seat": 1, "n": 1},
        {"obs": "fault", "t": 3.0, "device": "shoe", "kind": "empty"},
    ]
    faces = {1: deck[:7], 2: deck[7:14], 4: deck[15:]}
    ledger = Ledger(2, {line: tuple((face,) for face in cards) for line, cards in faces.items()})
    lines = (json.dumps(line).encode() for line in (head, *rest))
    ledger.follow(one for one in replay_lines(lines, "game") if isinstance(one, Record))
    (proof,) = ledger.proofs
    assert sum(Counter(proof.seen).values()) == len(deck)
    assert proof.is_all
