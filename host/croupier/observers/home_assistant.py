"""The table as Home Assistant sees it: its state, its rulings as events, and how it is discovered.

The state holds what everybody sees who stands beside the table, and nothing else. Discovery is one retained message
for each entity, whose ``unique_id`` and topic never change. It is not one message for the whole device, since other
programs than Home Assistant read only messages for one entity. The fields are those of Home Assistant's pages on MQTT
sensors, binary sensors, events and buttons.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from croupier import alarms
from croupier.cards import COLORS
from croupier.config.sections import RULINGS
from croupier.errors import one_line
from croupier.events import RefereedStep, SequencedEvent
from croupier.i18n import _
from croupier.referee import Explainer, Header
from croupier.referee.header import MOST_SEATS
from croupier.referee.observations import Fault, Overrule
from croupier.referee.position import Position
from croupier.referee.rulings import GameOver, Ruling


class RoundCounter:
    """An observer that counts rounds, also in the ``past`` of a resumed game. ``number``: that of the round, from 1."""

    def __init__(self, past: Iterable[RefereedStep] = ()) -> None:
        self.number = 1
        self._phase = ""
        for step in past:
            self(step.observation, step.rulings, step.position)

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Count a round that begins, unless it begins because the end of the one before was undone."""
        if position.phase == "paused":
            return
        if self._phase == "round_over" != position.phase and position.phase != "game_over":
            self.number += not isinstance(event, Overrule)
        self._phase = position.phase


LONGEST_NAME = 100
"""Home Assistant accepts states of at most 255 characters; the winners' names are joined."""


def display_names(header: Header) -> tuple[str, ...]:
    """The names of the players, each in one short line."""
    return tuple(one_line(name)[:LONGEST_NAME] for name in header.seats)


def score_holders(header: Header) -> tuple[str, ...]:
    """Who has a score: the players, or their teams."""
    players = display_names(header)
    return tuple(" & ".join(players[seat] for seat in team) for team in header.teams) or players


class TableState:
    """An observer that keeps the state to publish in ``now``."""

    def __init__(self, header: Header, position: Position, rounds: RoundCounter) -> None:
        self._names, self._rounds = display_names(header), rounds
        self._fault: Fault | None = None
        self._winner: str | None = None
        self._header = header
        self.now = self._of(position)

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Update the state."""
        self._rounds(event, rulings, position)
        if isinstance(event, Fault) and event.kind != "pause":
            self._fault = event
        if position.phase != "paused":
            self._fault = None
        for ruling in rulings:
            if isinstance(ruling, GameOver):
                self._winner = self._winners(ruling)
        self.now = self._of(position)

    def _of(self, position: Position) -> dict[str, Any]:
        seat, fault = position.turn, self._fault
        return {
            "phase": position.phase,
            "turn": None if seat is None else self._names[seat],
            "seat": seat,
            "direction": position.direction,
            "color": position.color,
            "up_card": position.top,
            "round": self._rounds.number,
            "cards": list(position.hands),
            "draw_pile": position.draw_pile,
            "scores": list(position.scores),
            "fault": None if fault is None else f"{fault.device}: {fault.kind}",
            "remedy": None if fault is None else alarms.problem_text(fault.device, fault.kind),
            "winner": self._winner if position.phase == "game_over" else None,
        }

    def _winners(self, ruling: GameOver) -> str:
        if ruling.team is not None:
            return score_holders(self._header)[ruling.team]
        seats = ruling.seats or (() if ruling.seat is None else (ruling.seat,))
        return " & ".join(self._names[seat] for seat in seats)


def ruling_event(ruling: Ruling, explainer: Explainer) -> dict[str, Any]:
    """A ruling as an event: its name as ``event_type``, its fields, and a sentence as ``text``."""
    fields = ruling.to_json()
    return {"event_type": fields.pop("ruling"), **fields, "text": explainer.said(ruling).text}


ONLINE: Final = "online"
OFFLINE: Final = "offline"
PAUSE: Final = "pause"


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of the table ``id``."""

    id: str

    @property
    def availability(self) -> str:
        """`ONLINE` or `OFFLINE`; retained."""
        return f"croupier/{self.id}/availability"

    @property
    def state(self) -> str:
        """The state of the table, one JSON object; retained."""
        return f"croupier/{self.id}/state"

    @property
    def ruling(self) -> str:
        """Each ruling when it is made, one JSON object."""
        return f"croupier/{self.id}/ruling"

    @property
    def command(self) -> str:
        """The topic that the table subscribes to: `PAUSE`."""
        return f"croupier/{self.id}/command"


def discovery(
    topics: Topics, header: Header, name: str, *, prefix: str = "homeassistant", control: bool = False, url: str = ""
) -> dict[str, dict[str, Any] | None]:
    """The message for each topic; None deletes the message of an earlier game.

    ``name``: of the table. ``prefix``: the discovery prefix of Home Assistant. ``url``: the table's page. ``control``:
    add a button that pauses play.
    """
    device = {
        "identifiers": [f"croupier_{topics.id}"],
        "name": name,
        "manufacturer": "Croupier",
        "model": _("card table"),
        "sw_version": version("croupier"),
    } | ({"configuration_url": url} if url else {})
    shared = {
        "device": device,
        "origin": {"name": "Croupier", "sw_version": version("croupier")},
        "availability_topic": topics.availability,
    }
    messages: dict[str, dict[str, Any] | None] = {}
    for kind, key, fields in [*_sensors(topics, header), *_scores(topics, header), *_others(topics, control)]:
        topic = f"{prefix}/{kind}/{topics.id}/{key}/config"
        messages[topic] = None if fields is None else {"unique_id": f"croupier_{topics.id}_{key}"} | fields | shared
    return messages


_Entity = tuple[str, str, dict[str, Any] | None]


def _sensors(topics: Topics, header: Header) -> list[_Entity]:
    def sensor(field: str, name: str, icon: str, **more: Any) -> _Entity:
        template = f"{{{{ value_json.{field} }}}}"
        fields = {"name": name, "icon": icon, "state_topic": topics.state, "value_template": template}
        return "sensor", field, fields | more

    return [
        sensor("turn", _("Turn"), "mdi:account-arrow-right"),
        sensor("color", _("Color"), "mdi:palette", device_class="enum", options=list(COLORS)),
        sensor("direction", _("Direction"), "mdi:rotate-3d-variant", device_class="enum", options=["left", "right"]),
        sensor("round", _("Round"), "mdi:counter"),
        sensor("phase", _("Phase"), "mdi:cards", json_attributes_topic=topics.state),
        sensor("winner", _("Winner"), "mdi:trophy"),
    ]


def _scores(topics: Topics, header: Header) -> list[_Entity]:
    """A sensor for each score. Those of an earlier, bigger table are deleted."""
    who = score_holders(header)
    return [
        (
            "sensor",
            f"score_{n}",
            {
                "name": _("Score of {name}", name=who[n]),
                "icon": "mdi:scoreboard",
                "state_topic": topics.state,
                "value_template": f"{{{{ value_json.scores[{n}] }}}}",
                "state_class": "measurement",
            }
            if n < len(who)
            else None,
        )
        for n in range(MOST_SEATS)
    ]


def _others(topics: Topics, control: bool) -> list[_Entity]:
    fault = {
        "name": _("Fault"),
        "device_class": "problem",
        "state_topic": topics.state,
        "value_template": "{{ 'ON' if value_json.fault else 'OFF' }}",
        "json_attributes_topic": topics.state,
        "json_attributes_template": "{{ {'fault': value_json.fault, 'remedy': value_json.remedy} | tojson }}",
    }
    ruling = {
        "name": _("Ruling"),
        "icon": "mdi:gavel",
        "state_topic": topics.ruling,
        "event_types": sorted(RULINGS),
    }
    pause = {"name": _("Pause"), "icon": "mdi:pause", "command_topic": topics.command, "payload_press": PAUSE}
    return [
        ("binary_sensor", "fault", fault),
        ("event", "ruling", ruling),
        ("button", "pause", pause if control else None),
    ]
