"""What the voice says of what happens at the table: which rulings with which sound, in which order, and for how long.

Only what everybody may know: rulings hold no hidden card, and of observations nothing is said but that there is
trouble.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Final

from croupier import alarms
from croupier.cards import COLORS
from croupier.devices.protocols import Ask, Page, Say
from croupier.events import SequencedEvent, UnsureCard
from croupier.i18n import speaking
from croupier.observers.voice.cues import LASTS_S, Cue, Sound
from croupier.referee import Explainer, Header
from croupier.referee.observations import Challenge, Fault, Resumed
from croupier.referee.position import Position
from croupier.referee.rulings import (
    Caught,
    ChooseColor,
    ColorIs,
    Draw,
    GameOver,
    Illegal,
    MayChallenge,
    RoundOver,
    Ruling,
    Skip,
    Turn,
    UnoStands,
    Void,
)
from croupier.rules import UNWRITTEN

_RULED, _FOLLOWS, _AWAITED = range(3)
"""What was found comes first, then what it costs, then what the table waits for."""

_NEXT: Final = "next"


@dataclass(frozen=True, slots=True)
class _Manner:
    """How a ruling is said: the fields of `Cue`."""

    rank: int = _RULED
    sound: Sound | None = None
    topic: str = ""
    lasts_s: float = LASTS_S


_MANNERS: Final = {
    "illegal": _Manner(sound="illegal"),
    "uno": _Manner(sound="uno"),
    "caught": _Manner(sound="catch"),
    "color": _Manner(_FOLLOWS, topic="color"),
    "draw": _Manner(_FOLLOWS),
    "skip": _Manner(_FOLLOWS),
    "recycle": _Manner(_FOLLOWS, lasts_s=20.0),
    "short": _Manner(_FOLLOWS),
    "round_over": _Manner(_FOLLOWS, "win", _NEXT, 20.0),
    "score": _Manner(_FOLLOWS, lasts_s=20.0),
    "eliminated": _Manner(_FOLLOWS, lasts_s=20.0),
    "game_over": _Manner(_FOLLOWS, "win", _NEXT, 30.0),
    "dealer": _Manner(_AWAITED, topic=_NEXT),
    "pick_again": _Manner(_AWAITED, topic=_NEXT),
    "turn": _Manner(_AWAITED, topic=_NEXT),
    "choose_color": _Manner(_AWAITED, topic=_NEXT),
    "may_challenge": _Manner(_AWAITED, topic=_NEXT, lasts_s=10.0),
    "show_hand": _Manner(_AWAITED, topic=_NEXT, lasts_s=10.0),
    "redeal": _Manner(_AWAITED, topic=_NEXT, lasts_s=10.0),
}
"""By the name of the ruling; all others are findings."""

_USUAL: Final = _Manner()

_CALLS: Final = {"show-hand": "show_hand", "next-round": "next_round", "choose-dealer": "choose_dealer"}
"""By what is asked: what is called."""


class Announcer:
    """A listener of a run that says aloud what happens in the game of ``header``, in ``language``. ``turns``: also
    whose turn it is."""

    def __init__(
        self,
        header: Header,
        language: str,
        say: Callable[..., None],
        *,
        turns: bool = True,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._explainer, self._language = Explainer(header, language), language
        self._say, self._turns, self._now = say, turns, now
        self._phase = ""

    def asked(self, ask: Ask) -> None:
        """Say aloud what the people are asked for, where no ruling says it."""
        call = _CALLS.get(ask.what)
        if call is not None and not ask.seats:  # a hand that is shown to a challenger is ruled on
            text = self._explainer.call(call, ask.seat)
            self._say(Cue(text=text, rank=_AWAITED, topic=_NEXT, lasts_s=20.0, t=self._now()))

    def __call__(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        """Say what there is to say."""
        self._say(*self._cues(told, rulings, position))

    def _cues(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> Iterator[Cue]:
        now, explainer = self._now(), self._explainer
        match told:
            case Fault():
                yield Cue(text=self._trouble(told), sound="trouble", topic="pause", lasts_s=20.0, t=now)
            case Resumed():
                yield Cue(text=explainer.seen(told), topic="pause", t=now)
            case UnsureCard():
                yield Cue(text=explainer.call("which_card"), topic="which", t=now)
            case Challenge() if not any(isinstance(ruling, Void) for ruling in rulings):
                yield Cue(sound="challenge", t=now)
            case _:
                pass
        sounds: set[Sound | None] = set()
        for ruling in rulings:
            if isinstance(ruling, Turn) and not self._turns:
                continue
            manner = _MANNERS.get(ruling.name, _USUAL)
            sound = None if manner.sound in sounds else manner.sound
            sounds.add(sound)
            yield Cue(
                text=explainer.spoken(ruling),
                sound=sound,
                rank=manner.rank,
                topic=manner.topic,
                lasts_s=manner.lasts_s,
                t=now,
            )
        if position.phase != self._phase:
            self._phase = position.phase
            if self._phase == "upcard":
                yield Cue(text=explainer.call("upcard"), rank=_AWAITED, topic=_NEXT, lasts_s=20.0, t=now)

    def _trouble(self, fault: Fault) -> str:
        paused = self._explainer.call("paused")
        if fault.kind == "pause":  # who pressed it knows why
            return paused
        with speaking(self._language):
            return f"{paused} {alarms.problem_text(fault.device, fault.kind)}"


class Aloud:
    """A `Page` of which is also said aloud what it asks; ``announcer`` by whom, while there is a game."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.announcer: Announcer | None = None

    def ask(self, ask: Ask) -> None:
        """Ask the people for something."""
        self._page.ask(ask)
        if self.announcer is not None:
            self.announcer.asked(ask)

    def say(self, say: Say) -> None:
        """Rulings are said by the announcer."""
        self._page.say(say)


def ahead(explainer: Explainer, seats: int) -> list[str]:
    """The sentences that will be said at this table, the most frequent first, for the voice to make ahead."""
    called = [explainer.call("show_hand", seat) for seat in range(seats)]
    return list(dict.fromkeys([*(explainer.spoken(ruling) for ruling in _likely(seats)), *called]))


def _likely(seats: int) -> Iterator[Ruling]:
    on = UNWRITTEN
    everybody = range(seats)
    yield from (Turn(on, seat, "left") for seat in everybody)
    yield from (ColorIs(on, color) for color in COLORS)
    for each in (UnoStands, ChooseColor, Skip, RoundOver):
        yield from (each(on, seat) for seat in everybody)
    yield from (Draw(on, seat, n, "draw2") for n in (2, 4, 6, 1) for seat in everybody)
    yield from (MayChallenge(on, (seat,)) for seat in everybody)
    for why in ("no-match", "not-your-turn", "one-draw", "wrong-phase", "hand-card-after-draw", "must-play-drawn"):
        yield from (Illegal(on, seat, why) for seat in everybody)
    yield from (GameOver(on, seat=seat) for seat in everybody)
    yield from (Caught(on, seat, by) for seat in everybody for by in everybody if by != seat)
