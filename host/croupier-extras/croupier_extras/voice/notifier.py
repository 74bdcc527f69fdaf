"""The sentences and sounds of the voice during a game, and their order.

The voice says only what everybody may know: rulings hold no hidden card, and of the observations only faults are said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from croupier import alarms
from croupier.devices.protocols import Ask
from croupier.events import Amended, SequencedEvent, UnsureCard
from croupier.i18n import speaking
from croupier_extras.voice.cues import MAX_AGE_S, Cue, Sound
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee import rulings as kinds
from croupier_rules.referee.observations import Challenge, Fault, Overrule, PlayerChange, Resumed
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling
from croupier_rules.rules import UNWRITTEN
from croupier_rules.rules.card_tables import card_tables

_FINDING, _CONSEQUENCE, _PROMPT = range(3)
"""Ranks: what was found comes first, then what it costs, then what the table waits for."""

_NEXT: Final = "next"


@dataclass(frozen=True, slots=True)
class _Style:
    """The style of a spoken ruling: fields of `Cue`."""

    rank: int = _FINDING
    sound: Sound | None = None
    topic: str = ""
    max_age_s: float = MAX_AGE_S


_STYLES: Final = {
    "illegal": _Style(sound="illegal"),
    "uno": _Style(sound="uno"),
    "caught": _Style(sound="catch"),
    "color": _Style(_CONSEQUENCE, topic="color"),
    "draw": _Style(_CONSEQUENCE),
    "skip": _Style(_CONSEQUENCE),
    "recycle": _Style(_CONSEQUENCE, max_age_s=20.0),
    "short": _Style(_CONSEQUENCE),
    "round_over": _Style(_CONSEQUENCE, "win", _NEXT, 20.0),
    "score": _Style(_CONSEQUENCE, max_age_s=20.0),
    "eliminated": _Style(_CONSEQUENCE, max_age_s=20.0),
    "game_over": _Style(_CONSEQUENCE, "win", _NEXT, 30.0),
    "dealer": _Style(_PROMPT, topic=_NEXT),
    "pick_again": _Style(_PROMPT, topic=_NEXT),
    "turn": _Style(_PROMPT, topic=_NEXT),
    "choose_color": _Style(_PROMPT, topic=_NEXT),
    "may_challenge": _Style(_PROMPT, topic=_NEXT, max_age_s=10.0),
    "may_stack": _Style(_PROMPT, topic=_NEXT, max_age_s=10.0),
    "choose_seat": _Style(_PROMPT, topic=_NEXT, max_age_s=10.0),
    "choose_target": _Style(_PROMPT, topic=_NEXT, max_age_s=10.0),
    "discard_all": _Style(_PROMPT, topic=_NEXT, max_age_s=10.0),
    "turn_up": _Style(_PROMPT, topic=_NEXT, max_age_s=10.0),
    "show_hand": _Style(_PROMPT, topic=_NEXT, max_age_s=10.0),
    "redeal": _Style(_PROMPT, topic=_NEXT, max_age_s=10.0),
}
"""By the name of the ruling; other rulings are findings."""

_FINDING_STYLE: Final = _Style()

_CALLS: Final = {"show-hand": "show_hand", "next-round": "next_round", "choose-dealer": "choose_dealer"}
"""The call for each request to the people."""


class VoiceNotifier:
    """An observer that says aloud what happens in the game of ``header``. ``turns``: also say whose turn it is."""

    def __init__(
        self, header: Header, language: str, say: Callable[..., None], *, turns: bool = True,
        now: Callable[[], float] = monotonic,
    ) -> None:  # fmt: skip
        self._explainer, self._language = Explainer(header, language), language
        self._say, self._turns, self._now = say, turns, now
        self._phase = ""

    def ask(self, ask: Ask) -> None:
        """Speak a request to the people, unless the spoken ruling contains it."""
        call = _CALLS.get(ask.what)
        if call is not None and not ask.seats:  # a ruling says whose hand a challenger may see
            text = self._explainer.call(call, ask.seat)
            self._say(Cue(text=text, rank=_PROMPT, topic=_NEXT, max_age_s=20.0, t=self._now()))

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Say the event and the rulings on it."""
        self._say(*self._cues(event, rulings, position))

    def _cues(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> Iterator[Cue]:
        now, explainer = self._now(), self._explainer.naming(position.names)
        self._explainer = explainer
        match event:
            case Fault():
                yield Cue(text=self._fault(event), sound="trouble", topic="pause", max_age_s=20.0, t=now)
            case Resumed():
                yield Cue(text=explainer.seen(event), topic="pause", t=now)
            case Amended(observations=(Overrule(player=PlayerChange()) as change,)):
                yield Cue(text=explainer.seen(change), t=now)
            case UnsureCard():
                yield Cue(text=explainer.call("which_card"), topic="which", t=now)
            case Challenge() if not any(isinstance(ruling, kinds.Void) for ruling in rulings):
                yield Cue(sound="challenge", t=now)
            case _:
                pass
        sounds: set[Sound | None] = set()
        for ruling in rulings:
            if isinstance(ruling, kinds.Turn) and not self._turns:
                continue
            style = _STYLES.get(ruling.name, _FINDING_STYLE)
            sound = None if style.sound in sounds else style.sound
            sounds.add(sound)
            yield Cue(
                text=explainer.spoken(ruling), sound=sound, rank=style.rank, topic=style.topic,
                max_age_s=style.max_age_s, t=now,
            )  # fmt: skip
        if position.phase != self._phase:
            self._phase = position.phase
            if self._phase == "upcard":
                yield Cue(text=explainer.call("upcard"), rank=_PROMPT, topic=_NEXT, max_age_s=20.0, t=now)

    def _fault(self, fault: Fault) -> str:
        paused = self._explainer.call("paused")
        if fault.kind == "pause":  # who pressed it knows why
            return paused
        with speaking(self._language):
            return f"{paused} {alarms.problem_text(fault.device, fault.kind)}"


def likely_sentences(explainer: Explainer, seats: int) -> list[str]:
    """The sentences to synthesize in advance, the most frequent first."""
    colors = card_tables(explainer.ruleset.deck).colors
    calls = [explainer.call("show_hand", seat) for seat in range(seats)]
    return list(dict.fromkeys([*(explainer.spoken(ruling) for ruling in _likely_rulings(seats, colors)), *calls]))


def _likely_rulings(seats: int, colors: Sequence[str]) -> Iterator[Ruling]:
    on = UNWRITTEN
    everybody = range(seats)
    yield from (kinds.Turn(on, seat, "left") for seat in everybody)
    yield from (kinds.ColorIs(on, color) for color in colors)
    for each in (kinds.UnoStands, kinds.ChooseColor, kinds.Skip, kinds.RoundOver):
        yield from (each(on, seat) for seat in everybody)
    yield from (kinds.Draw(on, seat, n, "draw2") for n in (2, 4, 6, 1) for seat in everybody)
    yield from (kinds.MayChallenge(on, (seat,)) for seat in everybody)
    for why in ("no-match", "not-your-turn", "one-draw", "wrong-phase", "hand-card-after-draw", "must-play-drawn"):
        yield from (kinds.Illegal(on, seat, why) for seat in everybody)
    yield from (kinds.GameOver(on, seat=seat) for seat in everybody)
    yield from (kinds.Caught(on, seat, by) for seat in everybody for by in everybody if by != seat)
