"""The accounts of a club's broker, at a real one: each table speaks for itself, and for nobody else."""

from __future__ import annotations

import socket
import tomllib
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from stat import S_IMODE
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from croupier_extras.home_automation.home_assistant import Topics, discovery, discovery_topics
from croupier_hub.mosquitto import HOUSE, write_broker
from croupier_hub.signed_log import name_of
from croupier_hub.standings import directed
from croupier_rules.referee import parse_header
from tests.extras.broker import MOSQUITTO, Broker, house
from tests.extras.test_mqtt_broker import next_at, table
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S

DIRECTOR, OLD, NEW, TWO = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in range(4))
ENROLLED = [f'{{"enroll": "{name_of(key)}", "table": {n}, "from_round": 1}}' for n, key in ((1, OLD), (2, TWO))]
REPLACED = f'{{"enroll": "{name_of(NEW)}", "table": 1, "from_round": 2}}'
STATE = "croupier/table-1/state"

pytestmark = pytest.mark.skipif(
    MOSQUITTO is None, reason="there is no mosquitto here; tests/apt.txt installs it where it may"
)


def sections(folder: Path, *lines: str) -> dict[str, dict[str, Any]]:
    """What the director's file gives to tables and house; without what a test has at another place."""
    write_broker(directed(lines), DIRECTOR.sign, "127.0.0.1", folder)
    found = {file.stem: tomllib.loads(file.read_text())["mqtt"] for file in folder.glob("*.toml")}
    assert {(one.pop("host"), one.pop("port")) for one in found.values()} == {("127.0.0.1", 1883)}
    return found


def test_a_table_with_a_new_key_has_a_new_password_and_others_keep_theirs(tmp_path: Path) -> None:
    before, again, after = (sections(tmp_path, *lines) for lines in (ENROLLED, ENROLLED, [*ENROLLED, REPLACED]))
    assert before == again
    changed = {name for name in before if before[name] != after[name]}
    assert (set(before), changed) == ({"table-1", "table-2", HOUSE}, {"table-1"})
    assert len({one["password"] for one in after.values()}) == 3
    assert {S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}


def test_a_table_may_write_where_it_is_discovered_and_keeps_no_other_message(tmp_path: Path) -> None:
    topics, header = Topics("table-1"), parse_header(game_lines(1)[0])
    assert set(discovery(topics, header, "Table 1", control=True)) == set(discovery_topics(topics))
    mine = sections(tmp_path / "broker", *ENROLLED)
    settings = (tmp_path / "broker/mosquitto.conf").read_text().partition("\n")[2]
    broker = Broker(tmp_path, settings)
    broker.start()
    try:
        liar = Client(CallbackAPIVersion.VERSION2, "liar")
        liar.username_pw_set(mine["table-1"]["user"], mine["table-1"]["password"])
        liar.connect("127.0.0.1", broker.port)
        liar.loop_start()
        others = [f"any{n}/sensor/table-1/turn/config" for n in range(50)]
        others += [f"homeassistant/sensor/table-1/any{n}/config" for n in range(50)]
        sent = [liar.publish(topic, "kept", qos=1, retain=True) for topic in [*others, *discovery_topics(topics)]]
        for one in sent:
            one.wait_for_publish(PATIENCE_S)
        login = (mine[HOUSE]["user"], mine[HOUSE]["password"])
        with house(broker, login) as (_, heard):
            kept = {heard.get(timeout=PATIENCE_S)[0] for _ in discovery_topics(topics)}
        assert kept == set(discovery_topics(topics))
        liar.disconnect()
        liar.loop_stop()
    finally:
        broker.stop()


def test_strangers_other_tables_and_replayed_messages_are_not_heard(tmp_path: Path) -> None:
    mine = sections(tmp_path / "broker", *ENROLLED)
    settings = (tmp_path / "broker/mosquitto.conf").read_text().partition("\n")[2]
    broker = Broker(tmp_path, settings)
    broker.start()
    try:
        for account in (dict[str, Any](), mine["table-1"] | {"password": "guessed"}):
            said: SimpleQueue[str] = SimpleQueue()
            with table(broker, said, **account):
                assert "refuses the table (Not authorized)" in said.get(timeout=PATIENCE_S)
        login = (mine[HOUSE]["user"], mine[HOUSE]["password"])
        with house(broker, login) as (_, heard), table(broker, SimpleQueue(), **mine["table-1"]):
            genuine = next_at(heard, STATE)
            assert next_at(heard, "croupier/table-1/availability") == "online"
            replay(broker, STATE, genuine)
            with table(broker, SimpleQueue(), **mine["table-2"] | {"id": "table-1"}):
                pass  # with the id of the first it would end the connection of that
            other = Client(CallbackAPIVersion.VERSION2)
            other.username_pw_set(mine["table-2"]["user"], mine["table-2"]["password"])
            other.connect("127.0.0.1", broker.port)
            other.loop_start()
            for topic in (STATE, "croupier/table-1/availability", "homeassistant/sensor/table-1/turn/config",
                          "croupier/table-1/command", "croupier/table-2/state"):  # fmt: skip
                other.publish(topic, "forged", qos=1)
            while (message := heard.get(timeout=PATIENCE_S))[1] != "forged":
                assert not message[0].startswith("croupier/table-1/"), message
            assert message[0] == "croupier/table-2/state"
            other.disconnect()
            other.loop_stop()
    finally:
        broker.stop()


def replay(broker: Broker, topic: str, payload: str) -> None:
    """Send a message that was overheard, as it was, over a connection of one's own; the broker ends it."""
    body = len(topic).to_bytes(2, "big") + topic.encode() + payload.encode()
    length = bytes([len(body) % 128 | 128, len(body) // 128])
    with socket.create_connection(("127.0.0.1", broker.port), PATIENCE_S) as line, suppress(ConnectionResetError):
        line.sendall(b"\x31" + length + body)
        assert line.recv(100) == b""
