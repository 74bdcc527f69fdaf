"""What is said aloud at the table, and what is not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from croupier.config import read
from croupier.devices.protocols import Ask
from croupier.events import SequencedEvent, UnsureCard
from croupier.observers import ObservedGame
from croupier.observers.notifier import Notifier
from croupier_extras.voice.cues import Cue, CueQueue
from croupier_extras.voice.notifier import VoiceNotifier, likely_sentences
from croupier_extras.voice.synthesis import VOICES
from croupier_rules.cards import DECKS
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee.observations import Challenge, Fault, Play, Resumed, Tick
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import (
    Caught,
    ChallengeOutcome,
    ColorIs,
    Draw,
    GameOver,
    Illegal,
    RoundOver,
    Ruling,
    ShowHand,
    Skip,
    Turn,
    UnoStands,
    Void,
)
from croupier_rules.rules import UNWRITTEN as ON
from croupier_rules.rules import load
from tests.journal.games import game_lines
from tests.observers.replayed import Asking, header_of, laid_open, replayed

HEADER = Header(ruleset=load("g7942-en"), seats=("Ann", "Ben", "Cat", "Dan"), dealer=3)


class Ears:
    """An announcer, and what it said."""

    def __init__(self, **more: Any) -> None:
        self.cues: list[Cue] = []
        self.notifier = VoiceNotifier(HEADER, "en", lambda *cues: self.cues.extend(cues), now=lambda: 7.0, **more)

    def hear(self, told: SequencedEvent, *rulings: Ruling, phase: str = "turn") -> list[Cue]:
        """What is said to it."""
        self.cues.clear()
        self.notifier(told, rulings, Position(phase=phase, owed={}))
        return list(self.cues)

    def in_order(self, *rulings: Ruling) -> list[str]:
        """What is said, in the order in which it is heard."""
        waiting = CueQueue()
        waiting.push(self.hear(Tick(0.0), *rulings))
        texts = []
        while (cue := waiting.pop(7.0)) is not None:
            texts.append(cue.text)
        return texts


@pytest.mark.parametrize(
    ("ruling", "sound"),
    [
        pytest.param(UnoStands(ON, 0), "uno", id="uno"),
        pytest.param(Caught(ON, 0, 1), "catch", id="catch"),
        pytest.param(Illegal(ON, 0, "no-match", "red-7"), "illegal", id="illegal"),
        pytest.param(RoundOver(ON, 0), "win", id="round"),
        pytest.param(GameOver(ON, seat=0), "win", id="game"),
        pytest.param(Turn(ON, 0, "left"), None, id="turn"),
    ],
)
def test_what_matters_has_a_sound_and_a_turn_has_none(ruling: Ruling, sound: str | None) -> None:
    (cue,) = Ears().hear(Tick(0.0), ruling)
    assert (cue.sound, cue.text, cue.t) == (sound, Explainer(HEADER).spoken(ruling), 7.0)


def test_a_challenge_sounds_when_it_is_made_unless_it_is_void() -> None:
    ears = Ears()
    assert [cue.sound for cue in ears.hear(Challenge(0.0, 1), ShowHand(ON, 0, 1))] == ["challenge", None]
    assert [cue.sound for cue in ears.hear(Tick(0.0), ChallengeOutcome(ON, 0, 1, True))] == [None]
    assert [cue.sound for cue in ears.hear(Challenge(0.0, 2), Void(ON, 2, "not-the-challenger"))] == [None]


def test_the_finding_comes_first_and_the_turn_last() -> None:
    said = Ears().in_order(Turn(ON, 2, "left"), Skip(ON, 1), Draw(ON, 1, 4, "guilty"), Illegal(ON, 1, "wrong-phase"))
    assert said == ["Not now, Ben.", "Ben misses a turn.", "Ben draws 4 cards.", "It is Cat's turn."]


def test_a_win_is_played_once() -> None:
    assert [cue.sound for cue in Ears().hear(Tick(0.0), RoundOver(ON, 0), GameOver(ON, seat=0))] == ["win", None]


def test_turns_may_be_left_to_the_light() -> None:
    assert Ears(turns=False).in_order(Skip(ON, 1), Turn(ON, 2, "left")) == ["Ben misses a turn."]


def test_trouble_is_called_and_so_is_its_end() -> None:
    ears = Ears()
    (pause,) = ears.hear(Fault(0.0, "shoe", "jam"), phase="paused")
    (goes_on,) = ears.hear(Resumed(1.0))
    assert pause.text == "Play is paused. A card is jammed in the shoe: remove it, then go on."
    assert pause.sound == "trouble"
    assert (goes_on.text, goes_on.topic) == ("Play goes on.", pause.topic), "who clears it at once hears only that"


def test_who_pressed_pause_does_not_hear_why() -> None:
    (pause,) = Ears().hear(Fault(0.0, "panel", "pause"), phase="paused")
    assert pause.text == "Play is paused."


def test_people_are_asked_for_a_card_that_nobody_could_read() -> None:
    (cue,) = Ears().hear(UnsureCard(0.0, ("red-6", "red-9")))
    assert cue.text == "Which card is that? Please name it on the page."


def test_what_no_ruling_says_is_called_when_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    cues: list[Cue] = []
    speaker = SimpleNamespace(say=lambda *said: cues.extend(said))
    monkeypatch.setattr("croupier_extras.voice.plugin.Speaker", lambda *_: speaker)
    page = Asking()
    aloud = Notifier(read("[voice]\non = true\nspeech = false\n"), page, print)
    asks = [
        Ask("show-hand", seat=1), Ask("show-hand", seat=1, seats=(2,)), Ask("turn", seat=1), Ask("next-round"),
        Ask("choose-dealer"),
    ]  # fmt: skip
    aloud.ask(asks[0])  # before there is a game, nobody says it
    aloud.begin(ObservedGame(HEADER, 1, (), Position(phase="deal", owed={})))
    for ask in asks:
        aloud.ask(ask)
    assert page.asked == [asks[0], *asks]
    assert [cue.text for cue in cues] == [
        "Ben, show your hand to the camera.",
        "Collect all cards and shuffle them for the next round.",
        "Who deals? Please choose on the page.",
    ]


def test_people_are_asked_once_to_turn_up_the_first_card() -> None:
    ears = Ears()
    (cue,) = ears.hear(Tick(0.0), phase="upcard")
    assert cue.text == "The first card has to be turned up."
    assert ears.hear(Tick(0.0), phase="upcard") == []


@pytest.mark.parametrize("language", VOICES)
def test_no_hidden_card_is_ever_spoken(language: str) -> None:
    lines = game_lines(5, rounds=2, open_hands=True)
    header = header_of(lines)
    explainer = Explainer(header, language)
    names = {explainer.card(face): face for face in DECKS["g7942"]}
    cues: list[Cue] = []
    opened: set[str] = set()
    for observation in replayed(lines, VoiceNotifier(header, language, lambda *said: cues.extend(said))):
        opened |= laid_open(observation)
        for cue in cues:
            assert {face for name, face in names.items() if name in cue.text} <= opened
        cues.clear()


def test_nearly_all_that_is_said_in_a_game_was_made_ahead() -> None:
    lines = game_lines(5, rounds=2)
    header = header_of(lines)
    explainer = Explainer(header)
    cues: list[Cue] = []
    plays = sum(
        isinstance(told, Play) for told in replayed(lines, VoiceNotifier(header, "en", lambda *c: cues.extend(c)))
    )
    made = set(likely_sentences(explainer, len(header.seats)))
    said = [cue.text for cue in cues if cue.text]
    assert len(said) > plays > 20
    assert sum(text in made for text in said) > 0.85 * len(said), {text for text in said if text not in made}


def test_the_colors_made_ahead_are_those_of_the_deck() -> None:
    header = Header(ruleset=load("mau-mau-en"), seats=("Ann", "Ben"), dealer=0)
    explainer = Explainer(header)
    made = likely_sentences(explainer, 2)
    assert [explainer.spoken(ColorIs(ON, color)) in made for color in ("hearts", "red")] == [True, False]
