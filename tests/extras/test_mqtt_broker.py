"""The table and a real broker on this machine, which comes and goes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from getpass import getuser
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

import pytest

from croupier import supervisor
from croupier.errors import BadConfig
from croupier.retry import RetryPolicy
from croupier_extras.home_automation import Mqtt
from croupier_extras.home_automation.home_assistant import RoundCounter, TableState
from croupier_extras.home_automation.mqtt import Publisher
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee.observations import Tick
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import HouseRuleIs, UnoStands
from croupier_rules.rules import UNWRITTEN, load
from tests.extras.broker import MOSQUITTO, Broker, Heard, house, kept
from tests.patience import PATIENCE_S

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(MOSQUITTO is None, reason="there is no mosquitto here; tests/apt.txt installs it where it may"),
]

HEADER: Final = Header(ruleset=load("g7942-en"), seats=("Ann", "<b>Ben"), dealer=1)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    made = Broker(tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "RETRY", RetryPolicy(0.05, 0.2))


@contextmanager
def table(
    broker: Broker,
    lines: SimpleQueue[str],
    pause: Callable[[], None] = lambda: None,
    host: str = "127.0.0.1",
    **more: Any,
) -> Iterator[Publisher]:
    config = Mqtt(host=host, port=broker.port, **more)
    position = Position(phase="turn", turn=0, owed={}, hands=(7, 7), scores=(0, 0))
    made = Publisher(config, "Our table", lines.put)
    made.begin(HEADER, TableState(HEADER, position, RoundCounter()), Explainer(HEADER), pause)
    try:
        yield made
    finally:
        made.close()


def turn(seat: int) -> Position:
    return Position(phase="turn", turn=seat, owed={}, hands=(7, 7), scores=(0, 0))


def next_at(heard: Heard, topic: str) -> str:
    """What is said next at the topic."""
    while True:
        said, payload, _ = heard.get(timeout=PATIENCE_S)
        if said == topic:
            return payload


def cut(line: int) -> None:
    """Nothing goes through the socket any more, and nobody said good-bye."""
    with socket.socket(fileno=os.dup(line)) as same:
        same.shutdown(socket.SHUT_RDWR)


def test_a_house_that_comes_later_finds_the_table_as_it_is(broker: Broker) -> None:
    with house(broker) as (_, heard), table(broker, SimpleQueue()) as publisher:
        assert next_at(heard, "croupier/table/availability") == "online"
        publisher(Tick(1.0), (UnoStands(UNWRITTEN, 1),), turn(1))
        said = json.loads(next_at(heard, "croupier/table/ruling"))
        assert (said["event_type"], said["seat"], said["text"]) == ("uno", 1, "<b>Ben's UNO call counts.")
        found = kept(broker)
        assert json.loads(found["croupier/table/state"])["turn"] == "<b>Ben"
        assert "croupier/table/ruling" not in found
        assert json.loads(found["homeassistant/sensor/table/turn/config"])["device"]["name"] == "Our table"
        assert "homeassistant/button/table/pause/config" not in found
    assert kept(broker)["croupier/table/availability"] == "offline"


def score_names(broker: Broker) -> list[str]:
    """The names of the scores that whoever comes to the house now finds."""
    found = kept(broker)
    return [json.loads(found[f"homeassistant/sensor/table/score_{n}/config"])["name"] for n in range(2)]


def introduced(heard: Heard) -> dict[str, str]:
    """What a table says first, up to its state and that it is online: whether the broker or the game was there first
    decides which of them comes first."""
    said: dict[str, str] = {}
    while not said.keys() >= {"croupier/table/availability", "croupier/table/state"}:
        topic, payload, _ = heard.get(timeout=PATIENCE_S)
        said[topic] = payload
    return said


def test_whoever_takes_a_seat_over_has_the_score_under_the_own_name(broker: Broker) -> None:
    with house(broker) as (_, heard), table(broker, SimpleQueue()) as publisher:
        assert introduced(heard)["croupier/table/availability"] == "online"
        assert score_names(broker) == ["Score of Ann", "Score of <b>Ben"]
        publisher(Tick(1.0), (), replace(turn(0), names=("Eve", "<b>Ben"), scores=(40, 0)))
        assert json.loads(next_at(heard, "homeassistant/sensor/table/score_0/config"))["name"] == "Score of Eve"
        assert json.loads(next_at(heard, "croupier/table/state"))["scores"] == [40, 0]
        publisher(Tick(2.0), (), replace(turn(1), names=("Eve", "<b>Ben"), scores=(40, 0)))
        repeated = []
        while (message := heard.get(timeout=PATIENCE_S))[0] != "croupier/table/state":
            repeated.append(message[0])
        assert repeated == [], "what has the same name is not told again"
    assert score_names(broker) == ["Score of Eve", "Score of <b>Ben"]


def test_who_took_a_seat_over_while_the_broker_was_gone_is_known_when_it_is_back(broker: Broker) -> None:
    broker.stop()
    with table(broker, SimpleQueue()) as publisher:
        publisher(Tick(1.0), (), replace(turn(0), names=("Eve", "<b>Ben")))
        broker.start()
        with house(broker) as (_, heard):
            while heard.get(timeout=PATIENCE_S)[:2] != ("croupier/table/availability", "online"):
                pass
            assert score_names(broker) == ["Score of Eve", "Score of <b>Ben"]


def test_no_state_is_overtaken_by_an_older_one(broker: Broker) -> None:
    with house(broker) as (_, heard), table(broker, SimpleQueue()) as publisher:
        assert next_at(heard, "croupier/table/availability") == "online"
        for _ in range(20):
            publisher.begin(HEADER, TableState(HEADER, turn(0), RoundCounter()), Explainer(HEADER))
        publisher(Tick(1.0), (), turn(1))
    assert json.loads(kept(broker)["croupier/table/state"])["turn"] == "<b>Ben"


def test_a_table_that_dies_is_offline_by_its_last_will_and_online_when_it_is_back(broker: Broker) -> None:
    lines: SimpleQueue[str] = SimpleQueue()
    with house(broker) as (_, heard), table(broker, lines) as publisher:
        assert next_at(heard, "croupier/table/availability") == "online"
        line = publisher._client.socket()
        assert line is not None
        cut(line.fileno())  # as when the power is cut
        assert next_at(heard, "croupier/table/availability") == "offline"
        assert next_at(heard, "croupier/table/availability") == "online"
        assert "cannot be reached" in lines.get(timeout=PATIENCE_S)
        assert "is back" in lines.get(timeout=PATIENCE_S)


def test_a_broker_that_is_gone_is_reported_once_and_finds_all_when_it_is_back(broker: Broker) -> None:
    lines: SimpleQueue[str] = SimpleQueue()
    broker.stop()
    with table(broker, lines) as publisher:
        address = f"127.0.0.1:{broker.port}"
        assert lines.get(timeout=PATIENCE_S) == (
            f"Home automation: the broker {address} cannot be reached; the table goes on."
        )
        publisher(Tick(1.0), (), turn(1))
        broker.start()
        assert lines.get(timeout=PATIENCE_S) == f"Home automation: the broker {address} is back."
        with house(broker) as (_, heard):
            assert json.loads(next_at(heard, "croupier/table/state"))["seat"] == 1
    assert lines.empty()


@pytest.mark.long
def test_a_broker_that_hangs_never_delays_the_table(broker: Broker) -> None:
    with house(broker) as (_, heard), table(broker, SimpleQueue()) as publisher:
        assert next_at(heard, "croupier/table/availability") == "online"
        assert broker.process is not None
        broker.process.send_signal(signal.SIGSTOP)
        told = 0
        for n in range(1000):  # more in all than the line between them holds: a call that waited would never return
            publisher(Tick(float(n)), (HouseRuleIs(UNWRITTEN, 2, "run", "moo " * 2500),), turn(n % 2))
            told += 1
        assert told == 1000
        broker.process.send_signal(signal.SIGCONT)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl here to make a certificate with")
def test_the_line_is_encrypted_and_only_a_known_broker_gets_messages(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "ca.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
        capture_output=True, check=True,
    )  # fmt: skip
    # As who runs the tests, and not as a user of its own, who may not read the key.
    broker = Broker(tmp_path, f"allow_anonymous true\nuser {getuser()}\ncertfile {certificate}\nkeyfile {key}\n")
    broker.start()
    lines: SimpleQueue[str] = SimpleQueue()
    with table(broker, lines, tls=True) as stranger:
        assert "cannot be reached" in lines.get(timeout=PATIENCE_S)
        assert not stranger._client.is_connected()
    known = SimpleQueue[str]()
    with table(broker, known, tls=True, ca=certificate) as publisher:
        arrived: SimpleQueue[None] = SimpleQueue()
        publisher._client.on_publish = lambda *_: arrived.put(None)
        publisher(Tick(1.0), (), turn(1))
        arrived.get(timeout=PATIENCE_S)
    assert known.empty()
    broker.stop()


def test_a_certificate_that_is_none_is_reported_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    for name, why in (("ca.pem", "no certificate"), ("no.pem", "No such file")):
        with pytest.raises(BadConfig, match=rf"^\[mqtt\] ca: .*{name}: .*{why}.*: expected the certificate"):
            Publisher(Mqtt(host="a", tls=True, ca=tmp_path / name), "Our table", lambda line: None)


def test_the_house_may_pause_play_only_where_the_table_allows_it(broker: Broker) -> None:
    pressed: SimpleQueue[str] = SimpleQueue()
    with (
        house(broker) as (client, heard),
        table(broker, SimpleQueue(), lambda: pressed.put("allowed"), control=True, id="yes"),
        table(broker, SimpleQueue(), lambda: pressed.put("not allowed"), id="no"),
    ):
        for _ in range(2):
            while not heard.get(timeout=PATIENCE_S)[0].endswith("/availability"):
                pass
        for command in ("go", "pause"):
            for table_id in ("no", "yes"):
                client.publish(f"croupier/{table_id}/command", command, qos=1)
        assert pressed.get(timeout=PATIENCE_S) == "allowed"
        assert pressed.empty()


def test_an_error_in_what_a_message_causes_does_not_end_the_connection(broker: Broker) -> None:
    pressed: SimpleQueue[int] = SimpleQueue()
    presses = iter(range(2))

    def pause() -> None:
        if (n := next(presses)) == 0:
            raise RuntimeError("a defect of the table")
        pressed.put(n)

    with house(broker) as (client, heard), table(broker, SimpleQueue(), pause, control=True):
        assert next_at(heard, "croupier/table/availability") == "online"
        for _ in range(2):
            client.publish("croupier/table/command", "pause", qos=1)
        assert pressed.get(timeout=PATIENCE_S) == 1
