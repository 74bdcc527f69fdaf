"""Machines of tests are as separate as real ones, and connected as real ones."""

from __future__ import annotations

import sys

import pytest

from tests.namespaces import Machine, World


@pytest.fixture
def pair(world: World) -> tuple[Machine, Machine]:
    table, phone = world.machine("table"), world.machine("phone")
    home = world.network()
    home.join(table, "wlan0", "10.42.0.1/24", "fd00:42::1/64")
    home.join(phone, "wlan0", "10.42.0.7/24", "fd00:42::7/64")
    return table, phone


@pytest.mark.parametrize(
    ("host", "url"), [("0.0.0.0", "http://10.42.0.1"), ("::", "http://[fd00:42::1]")], ids=["IPv4", "IPv6"]
)
def test_a_machine_reaches_another_in_its_network(pair: tuple[Machine, Machine], host: str, url: str) -> None:
    table, phone = pair
    words = (sys.executable, "-u", "-m", "http.server", "8300", "--bind", host)
    with table.start(*words, cwd="tests/house") as server:
        assert server.stdout is not None
        assert "8300" in server.stdout.readline()
        assert "test_deploy.py" in phone.fetch(f"{url}:8300/").text


def test_who_is_in_another_network_reaches_nobody(world: World, pair: tuple[Machine, Machine]) -> None:
    table, _phone = pair
    stranger = world.machine("stranger")
    world.network().join(stranger, "wlan0", "10.42.0.7/24")
    with table.listen("10.42.0.1") as listener:
        port = listener.getsockname()[1]
        assert stranger.fetch(f"http://10.42.0.1:{port}/", within_s=0.3).status == 0
        assert "unreachable" in world.machine("alone").fetch(f"http://10.42.0.1:{port}/").error


def test_a_machine_has_a_name_and_devices_of_its_own_and_no_dns(pair: tuple[Machine, Machine]) -> None:
    table, _phone = pair
    assert table.run("hostname").strip() == "table"
    assert set(table.run("ls", "/sys/class/net").split()) >= {"lo", "wlan0"}
    assert table.run("cat", "/etc/resolv.conf") == ""


def test_a_cable_that_is_pulled_has_no_carrier_until_it_is_plugged_in(world: World) -> None:
    table, home = world.machine("table"), world.network()
    home.join(table, "eth0", "192.168.1.5/24")
    home.unplug(table, "eth0")
    assert table.run("cat", "/sys/class/net/eth0/carrier") == "0\n"
    home.plug(table, "eth0")
    assert table.run("cat", "/sys/class/net/eth0/carrier") == "1\n"
    home.leave(table, "eth0")
    assert "eth0" not in table.run("ls", "/sys/class/net").split()
