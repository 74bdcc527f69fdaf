"""Which tables are on, as a real broker tells it, encrypted, as `croupier tournament broker` sets it up."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Any

import pytest

from croupier.errors import BadConfig
from croupier_extras.home_automation import Mqtt
from croupier_hub.mosquitto import HOUSE, write_broker
from croupier_hub.presence import Presence, mqtt_account
from croupier_hub.standings import directed
from tests.extras.broker import MOSQUITTO, Broker
from tests.extras.test_mqtt_broker import cut, table
from tests.hub.test_mosquitto import DIRECTOR, ENROLLED
from tests.patience import PATIENCE_S

needs_mosquitto = pytest.mark.skipif(
    MOSQUITTO is None, reason="there is no mosquitto here; tests/apt.txt installs it where it may"
)


def wait_until(is_it: Callable[[], bool]) -> None:
    last = monotonic() + PATIENCE_S
    while not is_it():
        assert monotonic() < last


@contextmanager
def club(folder: Path) -> Iterator[tuple[Broker, dict[str, Any], Presence]]:
    """A broker in a network, whose accounts are in ``folder``; the account of table 1, without the broker's address;
    and the house, as soon as it knows the broker."""
    write_broker(directed(ENROLLED), DIRECTOR.sign, "localhost", folder)
    broker = Broker(folder.parent, (folder / "mosquitto.conf").read_text().partition("\n")[2])
    broker.start()
    mine = mqtt_account(folder / "table-1.toml").model_dump(exclude={"host", "port"})
    try:
        with closing(Presence(account(folder, broker))) as house:
            wait_until(lambda: house.is_known)
            yield broker, mine, house
    finally:
        broker.stop()


def account(folder: Path, broker: Broker) -> Mqtt:
    """That of the house."""
    return mqtt_account(folder / f"{HOUSE}.toml").model_copy(update={"port": broker.port})


@needs_mosquitto
@pytest.mark.slow
def test_the_house_knows_which_tables_are_on_even_after_the_broker_was_away(tmp_path: Path) -> None:
    with club(folder := tmp_path / "broker") as (broker, mine, house):
        assert house.is_on(1) is None
        with table(broker, SimpleQueue(), host="localhost", **mine) as publisher:
            wait_until(lambda: house.is_on(1) is True)
            assert (house.is_on(2), house.is_on(11)) == (None, None)
            broker.stop()
            wait_until(lambda: not house.is_known)
            assert house.is_on(1) is None
            broker.start()
            wait_until(lambda: house.is_on(1) is True)
            pulled = publisher._client.socket()
            assert pulled is not None
            cut(pulled.fileno())
            wait_until(lambda: house.is_on(1) is False)
            wait_until(lambda: house.is_on(1) is True)
        wait_until(lambda: house.is_on(1) is False)
        with closing(Presence(account(folder, broker))) as late:
            wait_until(lambda: late.is_on(1) is False)


@needs_mosquitto
@pytest.mark.slow
def test_who_does_not_know_the_brokers_certificate_or_is_at_another_one_tells_it_nothing(tmp_path: Path) -> None:
    other = tmp_path / "other"
    write_broker(directed(ENROLLED), DIRECTOR.sign, "localhost", other)
    with club(tmp_path / "broker") as (broker, mine, house):
        for wrong in ({"ca": None}, {"ca": other / "ca.pem"}, {"host": "127.0.0.1"}, {"tls": False}):
            said: SimpleQueue[str] = SimpleQueue()
            with table(broker, said, **{"host": "localhost"} | mine | wrong):
                assert "cannot be reached" in said.get(timeout=PATIENCE_S), wrong
        assert house.is_on(1) is None


def test_the_certificate_passes_the_strict_checks_of_python_3_13_and_tables_get_no_private_key(tmp_path: Path) -> None:
    write_broker(directed(ENROLLED), DIRECTOR.sign, "192.168.1.20", tmp_path)
    assert "PRIVATE" not in (tmp_path / "ca.pem").read_text()
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context(cafile=tmp_path / "ca.pem")
    server.load_cert_chain(tmp_path / "broker.pem")
    client.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(back, there, server_hostname="192.168.1.20"), server.wrap_bio(there, back, server_side=True)
    ]  # fmt: skip
    for end in [*ends, *ends]:
        with suppress(ssl.SSLWantReadError):
            end.do_handshake()
    assert ends[0].getpeercert()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "No such file"),
        ("[mqtt", "not TOML|expected"),
        ('[camera]\nsource = "none"\n', "expected house.toml, as croupier tournament broker writes it"),
    ],
)
def test_another_file_than_that_of_the_house_is_refused(tmp_path: Path, text: str | None, said: str) -> None:
    file = tmp_path / "house.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(BadConfig, match=said):
        mqtt_account(file)
