"""How Home Assistant is told which entities the table has.

One retained message for each, of which ``unique_id`` and topic never change, so that a table keeps its place in the
house. One message an entity, not one for the whole device, since other programs than Home Assistant read only those.
The fields are those of Home Assistant's pages on MQTT sensors, binary sensors, events and buttons.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from croupier.cards import COLORS
from croupier.config.sections import RULINGS
from croupier.i18n import _
from croupier.observers.mqtt.state import accounts
from croupier.referee import Header
from croupier.referee.header import MOST_SEATS

ONLINE: Final = "online"
OFFLINE: Final = "offline"
PAUSE: Final = "pause"


@dataclass(frozen=True, slots=True)
class Topics:
    """Where the table ``id`` says what."""

    id: str

    @property
    def availability(self) -> str:
        """`ONLINE` or `OFFLINE`; retained."""
        return f"croupier/{self.id}/availability"

    @property
    def state(self) -> str:
        """How the table stands, in one JSON object; retained."""
        return f"croupier/{self.id}/state"

    @property
    def ruling(self) -> str:
        """Every ruling as it is made, in one JSON object."""
        return f"croupier/{self.id}/ruling"

    @property
    def command(self) -> str:
        """Where the table listens: `PAUSE`."""
        return f"croupier/{self.id}/command"


def discovery(
    topics: Topics, header: Header, name: str, *, prefix: str = "homeassistant", control: bool = False, url: str = ""
) -> dict[str, dict[str, Any] | None]:
    """By topic: what to say there, or `None` to take back what an earlier game said.

    ``name``: that of the table. ``prefix``: where Home Assistant looks. ``url``: the table's page. ``control``: with a
    button that pauses play.
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
    said: dict[str, dict[str, Any] | None] = {}
    for kind, key, fields in [*_sensors(topics, header), *_scores(topics, header), *_others(topics, control)]:
        topic = f"{prefix}/{kind}/{topics.id}/{key}/config"
        said[topic] = None if fields is None else {"unique_id": f"croupier_{topics.id}_{key}"} | fields | shared
    return said


_Entity = tuple[str, str, dict[str, Any] | None]


def _sensors(topics: Topics, header: Header) -> list[_Entity]:
    def shows(field: str, name: str, icon: str, **more: Any) -> _Entity:
        template = f"{{{{ value_json.{field} }}}}"
        usual = {"name": name, "icon": icon, "state_topic": topics.state, "value_template": template}
        return "sensor", field, usual | more

    return [
        shows("turn", _("Turn"), "mdi:account-arrow-right"),
        shows("color", _("Color"), "mdi:palette", device_class="enum", options=list(COLORS)),
        shows("direction", _("Direction"), "mdi:rotate-3d-variant", device_class="enum", options=["left", "right"]),
        shows("round", _("Round"), "mdi:counter"),
        shows("phase", _("Phase"), "mdi:cards", json_attributes_topic=topics.state),
        shows("winner", _("Winner"), "mdi:trophy"),
    ]


def _scores(topics: Topics, header: Header) -> list[_Entity]:
    """One for each who has a score; the rest of the places, up to the biggest table, is taken back."""
    who = accounts(header)
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
