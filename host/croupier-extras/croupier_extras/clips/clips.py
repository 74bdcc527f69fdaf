"""Clips of the discard pile: which reports can be shown again, what is drawn on the clip's time line, and appeals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from croupier.errors import BadLog, CannotCorrect
from croupier.game_views.story import Moment, Preview, Story
from croupier.i18n import _
from croupier.table_api.live_table import CLIP_AFTER_S, CLIP_BEFORE_S, CLIP_KEPT_S, PileClip, PileVerdict
from croupier.web.accounts import Person
from croupier_rules.cards import UNREAD
from croupier_rules.referee.corrections import Correction, Was
from croupier_rules.referee.observations import Play, Uno, Upcard


@dataclass(frozen=True, slots=True)
class Mark:
    """The touch (without a ``name``), or the UNO press of a player, ``s`` ± ``u`` seconds after the touch. ``x``,
    ``left``, ``right``: its place on the time line, and the ends of its uncertainty (%)."""

    name: str
    s: float
    u: float
    x: float
    left: float
    right: float


def touch_of(story: Story, moment: Moment) -> Moment | None:
    """The last card that touched the pile before a report, or with it; None if that is too long ago for a clip."""
    for one in reversed(story.moments[: moment.n + 1]):
        if isinstance(one.reported, Play | Upcard):
            return one if story.first(moment).t - story.first(one).t <= CLIP_AFTER_S else None
    return None


def clips_of(story: Story, game: int) -> Mapping[int, str]:
    """The reports of the live ``game`` that can be shown again, and the addresses of their clips."""
    found = {}
    since = story.moments[-1].t - CLIP_KEPT_S
    for moment in reversed(story.moments):
        if moment.t < since:
            break
        if moment.rulings and story.first(moment).t >= since and touch_of(story, moment) is not None:
            found[moment.n] = f"/games/{game}/clip?at={moment.n}"
    return found


def marks(story: Story, clip: PileClip) -> list[Mark]:
    """The touch and all presses on the time line of a clip, in the order of time."""
    begin, end = clip.frames[0][0], clip.frames[-1][0]

    def mark(name: str, t: float, u: float) -> Mark:
        places = (100 * (at - begin) / max(end - begin, 1e-3) for at in (t, t - u, t + u))
        x, left, right = (round(min(max(place, 0.0), 100.0), 2) for place in places)
        return Mark(name, t - clip.t, u, x, left, right)

    presses = {
        one.n: mark(one.names[one.reported.seat], one.t, one.reported.u)
        for one in map(story.first, story.moments)
        if isinstance(one.reported, Uno) and max(begin, clip.t - CLIP_BEFORE_S) <= one.t <= end
    }
    return sorted([mark("", clip.t, clip.u), *presses.values()], key=lambda one: one.s)


def may_appeal(person: Person, touch: Moment) -> bool:
    """True if the person may appeal against a card: its player, a player named in a ruling on it, or a referee."""
    concerned = {touch.actor, *(getattr(ruling, "seat", None) for ruling in touch.rulings)} - {None}
    return person.may("referee") or (person.role == "player" and person.seat in concerned)


@dataclass(frozen=True, slots=True)
class Decision:
    """Outcome of an appeal, as a ``text`` for people; the ``correction`` of the record, and its ``effect``, where
    the pictures are sure of another card."""

    text: str
    correction: Correction | None = None
    effect: Preview | None = None


def decide_appeal(story: Story, touch: Moment, verdict: PileVerdict | None) -> Decision:
    """Decide an appeal against a card. The icon of a house rule is left to people."""
    if verdict is None or verdict.face == UNREAD:
        return Decision(_("No picture that is kept shows the card. People decide."))
    shows = _(
        "The picture shows {card}, {n} of {all} pictures.",
        card=story.explainer.card(verdict.face), n=verdict.shown, all=verdict.pictures,
    )  # fmt: skip
    reported = story.reported(touch.n)
    assert isinstance(reported, Play | Upcard)
    correction = effect = None
    if not verdict.is_sure:
        then = _("That is not sure enough: the record stays, and people decide.")
    elif reported.card.removesuffix("*") == verdict.face.removesuffix("*"):
        then = _("The record is right.")
    else:
        correction = Was(reported, replace(reported, card=verdict.face), is_read=True)
        then = _("The record is corrected.")
        try:
            effect = story.preview(correction)
        except (BadLog, CannotCorrect):
            correction, then = None, _("The record can no longer be changed like this: people decide.")
    return Decision(f"{shows} {then}", correction, effect)
