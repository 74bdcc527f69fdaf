"""What the people at the table are to do now, where the game waits for them."""

from __future__ import annotations

from croupier.alarms import problem_text
from croupier.i18n import _, ngettext
from croupier.referee.observations import Fault, Resumed
from croupier.web.desk import DeskState
from croupier.web.story import Moment, Story


def advice(story: Story, moment: Moment, table: DeskState) -> str:
    """One sentence or two; empty where everybody knows."""
    position = moment.position
    dealer = story.header.seats[position["dealer"]] if position["dealer"] is not None else ""
    match position["phase"]:
        case "paused":
            return " ".join((*_trouble(story, table), _("Play is paused. When the table is in order, press Go on.")))
        case "deal" if not table.has_shoe:
            return ngettext(
                "Deal {n} card to each seat, then press Go on.",
                "Deal {n} cards to each seat, then press Go on.",
                story.header.ruleset.number("deal.hand"),
            )
        case "upcard":
            return _("{name}: turn up the first card of the discard pile.", name=dealer)
        case "game_over":
            return _("The game is over. Press Go on for another one.")
        case "round_over" if any(scored.round == moment.round for scored in story.scores_at(moment)):
            return _("The round is over. Collect all cards, shuffle them, and press Go on.")
        case "round_over":
            return _("Who still holds cards lays them open, one after the other.")
        case _ if position["draw_pile"] == 0 and position["discard_pile"] > 1:
            return _("{name}: shuffle the discard pile, less its top card, into the draw pile.", name=dealer)
        case _:
            return ""


def _trouble(story: Story, table: DeskState) -> tuple[str, ...]:
    """What play was paused for, unless that is told as a trouble already."""
    told = {device for device, _kind in table.troubles}
    for moment in reversed(story.moments):
        match moment.reported:
            case Fault(device=device, kind=kind):
                return () if device in told else (problem_text(device, kind),)
            case Resumed():
                break
            case _:
                pass
    return ()
