"""Parts of the big screen beside the view of the table: last cards, what just happened, open hands, podium.

Lengths are units of a picture that is `WIDTH` wide and `STAGE_HEIGHT` high: px of a screen of 1920 by 1080.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from croupier.game_views.agreements import Facts
from croupier.game_views.geometry import Spot
from croupier.game_views.open_hands import hand_in_sight, hands_due
from croupier.game_views.podium import podium
from croupier.game_views.signs import Sign
from croupier.game_views.story import Story
from croupier.game_views.view import Card, TableView, card_view
from croupier.table_api.live_table import LiveTableState
from croupier_rules.cards import BACK
from croupier_rules.referee.observations import Play, Shown
from croupier_rules.referee.rulings import Caught, ChallengeOutcome, Illegal, Mismatch, UnoStands, Void
from croupier_rules.referee.table import GameConstants

WIDTH: Final = 1920
STAGE_HEIGHT: Final = 756
PLATE: Final = (336, 132)
"""Width and height of the plate of a seat."""

SHOWN_S: Final = 3.0
"""Time for which an UNO call, or the outcome of a challenge, is shown large (s of the table's clock, and of the
screen's)."""

_MAX_LETTERS: Final = 200
"""Number of letters that fit into two lines in every language."""

_REFUSED: Final = (Illegal, Void, Caught, Mismatch)
_TOLD: Final = ("dealt", "drew", "fault", "resumed", "overrule")
"""Reports that are announced without a ruling."""

_BEFORE_PLAY: Final = ("pick", "deal", "upcard")


@dataclass(frozen=True, slots=True)
class OpenHand:
    """A hand at the end of a round: the cards as far as they were shown, else their backs. ``points``: what the round
    brought the seat; None before the points are counted, and where teams are counted. ``total``: after the round."""

    sign: Sign
    name: str
    cards: tuple[Card, ...]
    points: int | None
    total: int


@dataclass(frozen=True, slots=True)
class Rank:
    """A step of the podium: ``place`` from 1, equal totals share it; ``before``: the total before the round. ``signs``:
    those of its players."""

    signs: tuple[Sign, ...]
    place: int
    name: str
    total: int
    before: int


@dataclass(frozen=True, slots=True)
class Duel:
    """A challenge: ``accused`` of a bluff by ``challenger``, and their ``signs``. ``guilty``: None while the hand is
    being shown."""

    signs: tuple[Sign, Sign]
    accused: str
    challenger: str
    guilty: bool | None = None


class BigScreen:
    """The big screen at the moment of a view.

    ``plates``: the middle of each seat's plate. ``laid``: the cards below the up-card, lowest first. ``laid_by``: the
    seat that has just laid it; ``refused``: a card that was laid now and must be taken back. ``ruling``: what the
    referee says, in two lines; ``is_refusal``: whether it says no. ``totals``: the total of each seat or of its team,
    ``target``: the points that end the game, or with which a player is eliminated; None if a round is the game.
    ``scene``: what covers the table now, if anything: ``uno``, ``challenge``, ``verdict``, ``open-hands`` or ``seats``;
    ``n``: the line of the log with which ``uno`` or ``verdict`` came. ``table``: the live table, if this is its
    present moment.
    """

    def __init__(self, story: Story, view: TableView, table: LiveTableState | None = None) -> None:
        self._story, self._moment, self._names = story, view.moment, [seat.short for seat in view.seats]
        self._signs, self._table = view.signs, table
        moment, constants = view.moment, GameConstants(story.header)
        self.plates = tuple(plate_spot(seat, len(self._names)) for seat in range(len(self._names)))
        self.laid = tuple(card_view(face, story) for face in moment.laid[:-1])
        refusal = next((one for one in moment.rulings if isinstance(one, Illegal) and one.card is not None), None)
        self.refused = None if refusal is None or refusal.card is None else card_view(refusal.card, story)
        self.laid_by: int | None = None
        if isinstance(moment.reported, Play) and self.refused is None:
            self.laid_by = moment.actor
        self.plays = sum(one.obs == "play" for one in story.moments[: moment.n + 1])
        self.is_refusal, self.ruling = self._said()
        self.target = constants.target if constants.options.limit is None else constants.options.limit
        scores = moment.position["scores"]
        self.totals = tuple(scores[constants.team_of.get(seat, seat)] for seat in range(len(self._names)))
        self.uno, self.duel, self.n = "", view.duel and self._duel(*view.duel), 0
        self.uno_sign: Sign | None = None
        self.hands: tuple[OpenHand, ...] = ()
        self.podium: tuple[Rank, ...] = ()
        self.scene = self._scene()

    def later(self, pending: Facts, beside: Iterable[str]) -> Facts:
        """What the next game is played by otherwise, while no round is played: as much as finds room in two lines
        ``beside`` what people have to do. A blank question stands for the rest."""
        if self.scene not in ("open-hands", "seats"):
            return []
        room, shown = _MAX_LETTERS - sum(map(len, beside)), Facts()
        for what, answer in pending:
            room -= len(what) + len(answer) + len(" · ")
            if room < 0:
                return [*shown, ("", "…")]
            shown.append((what, answer))
        return shown

    def _scene(self) -> str:
        if self._moment.is_over:
            self.hands, self.podium = self._open_hands(), self._ranks()
            return "open-hands"
        for moment in reversed(self._story.moments[: self._moment.n + 1]):
            if self._moment.t - moment.t >= SHOWN_S or moment.obs == "overrule":
                break
            for ruling in moment.rulings:
                if isinstance(ruling, UnoStands):
                    self.uno, self.uno_sign, self.n = self._names[ruling.seat], self._signs[ruling.seat], moment.n
                    return "uno"
                if isinstance(ruling, ChallengeOutcome):
                    self.duel, self.n = self._duel(ruling.seat, ruling.by, ruling.guilty), moment.n
                    return "verdict"
        if self.duel is not None:
            return "challenge"
        position = self._moment.position
        return "seats" if position.get("resumes", position["phase"]) in _BEFORE_PLAY else ""

    def _duel(self, accused: int, challenger: int, guilty: bool | None = None) -> Duel:
        signs = self._signs[accused], self._signs[challenger]
        return Duel(signs, self._names[accused], self._names[challenger], guilty)

    def _said(self) -> tuple[bool, str]:
        """True if the last rulings refuse something, and as many of their sentences as there is room for."""
        moments = reversed(self._story.moments[: self._moment.n + 1])
        last = next((one for one in moments if one.rulings or one.obs in _TOLD), None)
        if last is None:
            return False, ""
        text = self._story.describe(last)
        spoken = [ruling.text for ruling in text.rulings if ruling.name != "turn"] or [text.seen]
        while len(spoken) > 1 and len(" ".join(spoken)) > _MAX_LETTERS:
            spoken.pop()
        return any(isinstance(ruling, _REFUSED) for ruling in last.rulings), " ".join(spoken)

    def _points(self) -> Mapping[int, int]:
        """The points of this round by account; empty before they are counted."""
        counted = [score for score in self._story.scores_at(self._moment) if score.round == self._moment.round]
        return counted[-1].points if counted else {}

    def _open_hands(self) -> tuple[OpenHand, ...]:
        position, points = self._moment.position, self._points()
        shown: dict[int, tuple[str, ...]] = {}
        for moment in reversed(self._story.moments[: self._moment.n + 1]):
            if not moment.is_over:
                break
            if isinstance(moment.reported, Shown):
                shown.setdefault(moment.reported.seat, moment.reported.cards)
        if (due := hands_due(self._story, self._table)) and (seen := hand_in_sight(self._story, self._table)):
            backs = (BACK,) * (position["hands"][due[0]] - len(seen))
            shown.setdefault(due[0], (*seen, *backs))
        counts_seats = len(position["scores"]) == len(self._names)
        return tuple(
            OpenHand(
                self._signs[seat],
                name,
                tuple(card_view(face, self._story) for face in shown.get(seat, (BACK,) * position["hands"][seat])),
                points.get(seat, 0) if points and counts_seats else None,
                self.totals[seat],
            )
            for seat, name in enumerate(self._names)
            if seat not in position["out"] or seat in shown
        )

    def _ranks(self) -> tuple[Rank, ...]:
        """All accounts by their totals, the best first; empty before the points are counted."""
        points = self._points()
        if not points:
            return ()
        teams = self._story.header.teams or [(seat,) for seat in range(len(self._names))]
        signs = [tuple(self._signs[seat] for seat in team) for team in teams]
        return tuple(
            Rank(signs[one.account], one.place, one.name, one.points, one.points - points.get(one.account, 0))
            for one in podium(self._story, self._moment)
        )


def plate_spot(seat: int, seats: int) -> Spot:
    """The middle of a seat's plate. The plates stand evenly along the sides of the picture: seat 0 at the bottom, the
    others clockwise."""
    across, down = WIDTH - PLATE[0] - 32, STAGE_HEIGHT - PLATE[1]
    left, top = (WIDTH - across) / 2, PLATE[1] / 2
    way = 2 * (across + down) * seat / seats
    legs = ((across / 2, (-1, 0)), (down, (0, -1)), (across, (1, 0)), (down, (0, 1)), (across / 2, (-1, 0)))
    x, y = left + across / 2, top + down
    for length, (dx, dy) in legs:
        part = min(way, length)
        x, y, way = x + dx * part, y + dy * part, way - part
    return Spot(round(x, 1), round(y, 1))
