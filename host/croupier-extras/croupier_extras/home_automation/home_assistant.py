"""The table as Home Assistant sees it: its state, its rulings as events, and how it is discovered.

The state holds only what everybody beside the table sees. Discovery is one retained message for each entity, whose
``unique_id`` and topic never change; programs other than Home Assistant read no messages for a whole device. The fields
are those of Home Assistant's pages on MQTT sensors, binary sensors, events and buttons.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any, Final

from croupier import alarms
from croupier.errors import one_line
from croupier.events import SequencedEvent
from croupier.i18n import _
from croupier.log_replay import Record
from croupier.names import shorten
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee.header import MOST_SEATS
from croupier_rules.referee.observations import Fault, Overrule
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import GameOver, Ruling
from croupier_rules.rules.card_tables import card_tables

_RULINGS: Final = sorted(kind.name for kind in Ruling.__subclasses__())


class RoundCounter:
    """An observer that counts rounds, also in the ``past`` of a resumed game. ``number``: that of the round, from 1."""

    def __init__(self, past: Iterable[Record] = ()) -> None:
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
    return tuple(shorten(one_line(name), LONGEST_NAME, len) for name in header.seats)


def score_holders(header: Header) -> tuple[str, ...]:
    """Names with a score: the players, or their teams."""
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
        if position.names:
            self._header = replace(self._header, seats=position.names)
            self._names = display_names(self._header)
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
            "stack": position.stack,
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
    fields: dict[str, Any] = {**ruling.to_json()}
    return {"event_type": fields.pop("ruling"), **fields, "text": explainer.explain(ruling).text}


ONLINE: Final = "online"
OFFLINE: Final = "offline"
PAUSE: Final = "pause"


class Topics:
    """The topics of a ``table``, by its id.

    ``availability``: `ONLINE` or `OFFLINE`, retained. ``state``: the state of the table, one JSON object, retained.
    ``ruling``: each ruling when it is made, one JSON object. ``command``: the table subscribes to it; takes `PAUSE`.
    """

    def __init__(self, table: str) -> None:
        self.table = table
        self.availability, self.state, self.ruling, self.command = (
            f"croupier/{table}/{name}" for name in ("availability", "state", "ruling", "command")
        )


PREFIX: Final = "homeassistant"
"""Home Assistant's usual discovery prefix."""

_ENTITIES: Final = (
    *(("sensor", key) for key in ("turn", "color", "direction", "round", "phase", "winner")),
    *(("sensor", f"score_{n}") for n in range(MOST_SEATS)),
    ("binary_sensor", "fault"), ("event", "ruling"), ("button", "pause"),
)  # fmt: skip
"""Kind and key of each entity that a table may have."""


def discovery_topics(topics: Topics, prefix: str = PREFIX) -> list[str]:
    """All topics at which a table may be discovered."""
    return [f"{prefix}/{kind}/{topics.table}/{key}/config" for kind, key in _ENTITIES]


def discovery(
    topics: Topics, header: Header, name: str, *, prefix: str = PREFIX, control: bool = False, url: str = ""
) -> dict[str, dict[str, Any] | None]:
    """The message for each topic; None deletes the message of an earlier game.

    ``name``: of the table. ``prefix``: the discovery prefix of Home Assistant. ``url``: the table's page. ``control``:
    add a button that pauses play.
    """
    device = {
        "identifiers": [f"croupier_{topics.table}"],
        "name": name,
        "manufacturer": "Croupier",
        "model": _("card table"),
        "sw_version": version("croupier-core"),
    } | ({"configuration_url": url} if url else {})
    shared = {
        "device": device,
        "origin": {"name": "Croupier", "sw_version": version("croupier-core")},
        "availability_topic": topics.availability,
    }
    messages: dict[str, dict[str, Any] | None] = {}
    for kind, key, fields in _entities(topics, header, control):
        topic = f"{prefix}/{kind}/{topics.table}/{key}/config"
        messages[topic] = None if fields is None else {"unique_id": f"croupier_{topics.table}_{key}"} | fields | shared
    return messages


def _entities(topics: Topics, header: Header, control: bool) -> Iterator[tuple[str, str, dict[str, Any] | None]]:
    """Kind, key and fields of each entity; None for the scores of an earlier, bigger table, and for a denied button."""

    def of_state(field: str, name: str, icon: str, **more: Any) -> dict[str, Any]:
        template = f"{{{{ value_json.{field} }}}}"
        return {"name": name, "icon": icon, "state_topic": topics.state, "value_template": template} | more

    def choice(*options: str) -> dict[str, Any]:
        return {"device_class": "enum", "options": list(options)}

    yield "sensor", "turn", of_state("turn", _("Turn"), "mdi:account-arrow-right")
    yield (
        "sensor",
        "color",
        of_state("color", _("Color"), "mdi:palette", **choice(*card_tables(header.ruleset.deck).colors)),
    )
    icon = "mdi:rotate-3d-variant"
    yield "sensor", "direction", of_state("direction", _("Direction"), icon, **choice("left", "right"))
    yield "sensor", "round", of_state("round", _("Round"), "mdi:counter")
    yield "sensor", "phase", of_state("phase", _("Phase"), "mdi:cards", json_attributes_topic=topics.state)
    yield "sensor", "winner", of_state("winner", _("Winner"), "mdi:trophy")
    who = score_holders(header)
    for n in range(MOST_SEATS):
        fields = None
        if n < len(who):
            name = _("Score of {name}", name=who[n])
            fields = of_state(f"scores[{n}]", name, "mdi:scoreboard", state_class="measurement")
        yield "sensor", f"score_{n}", fields
    fault = {
        "name": _("Fault"),
        "device_class": "problem",
        "state_topic": topics.state,
        "value_template": "{{ 'ON' if value_json.fault else 'OFF' }}",
        "json_attributes_topic": topics.state,
        "json_attributes_template": "{{ {'fault': value_json.fault, 'remedy': value_json.remedy} | tojson }}",
    }
    yield "binary_sensor", "fault", fault
    ruling = {"name": _("Ruling"), "icon": "mdi:gavel", "state_topic": topics.ruling, "event_types": _RULINGS}
    yield "event", "ruling", ruling
    pause = {"name": _("Pause"), "icon": "mdi:pause", "command_topic": topics.command, "payload_press": PAUSE}
    yield "button", "pause", pause if control else None
