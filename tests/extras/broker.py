"""A real mosquitto of the tests, on this machine."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Any, Final

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from tests.patience import PATIENCE_S
from tests.ports import own_port

MOSQUITTO: Final = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")

Heard = SimpleQueue[tuple[str, str, bool]]
"""Topic, payload, and whether it was kept for who comes later."""


class Broker:
    """A broker at a port that stays the same when it ends and is started again."""

    def __init__(self, folder: Path, more: str = "allow_anonymous true\n") -> None:
        self.port = own_port()
        self._config = folder / "mosquitto.conf"
        self._config.write_text(f"listener {self.port} 127.0.0.1\nlog_type none\n{more}")
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """It answers when this returns."""
        assert MOSQUITTO is not None
        self.process = subprocess.Popen([MOSQUITTO, "-c", str(self._config)], stderr=subprocess.DEVNULL)
        end = monotonic() + PATIENCE_S
        while monotonic() < end:
            with socket.socket() as line:
                if line.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
        raise AssertionError("the broker does not answer")

    def stop(self) -> None:
        """It is gone."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextmanager
def house(broker: Broker, login: tuple[str, str] | None = None) -> Iterator[tuple[Client, Heard]]:
    """Somebody who hears everything at the broker. ``login``: name and password."""
    heard: Heard = SimpleQueue()

    def hear(client: Client, user: Any, message: MQTTMessage) -> None:
        heard.put((message.topic, message.payload.decode(), message.retain))

    is_ready: SimpleQueue[None] = SimpleQueue()
    client = Client(CallbackAPIVersion.VERSION2)
    client.on_message = hear
    if login is not None:
        client.username_pw_set(*login)
    client.on_subscribe = lambda *_: is_ready.put(None)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    client.subscribe("#", qos=1)
    is_ready.get(timeout=PATIENCE_S)
    yield client, heard
    client.disconnect()
    client.loop_stop()


def kept(broker: Broker) -> dict[str, str]:
    """What somebody finds who comes later."""
    with house(broker) as (client, heard):
        client.publish("end", "", qos=1)  # as all before it, of which it would overtake those that wait
        found = {}
        while (said := heard.get(timeout=PATIENCE_S))[0] != "end":
            found[said[0]] = said[1]
            assert said[2]
    return found
