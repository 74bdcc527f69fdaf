"""The name of a page in the network, as a real browser of services finds it."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from typing import Any, cast

import pytest
from zeroconf import IPVersion, ServiceBrowser, Zeroconf

from croupier_extras.mdns import SERVICE, announcement, service_label
from tests.longer import some
from tests.patience import PATIENCE_S

HERE = "127.0.0.1"


class Neighbor:
    """Another machine in the network, which looks what services there are."""

    def __init__(self) -> None:
        self.network = Zeroconf(interfaces=[HERE], ip_version=IPVersion.V4Only)
        self.came, self.went = Event(), Event()
        self.name = ""
        self._browser = ServiceBrowser(self.network, SERVICE, cast(Any, self))

    def add_service(self, _network: Zeroconf, _kind: str, name: str) -> None:
        if name.startswith("Adler"):
            self.name = name
            self.came.set()

    def remove_service(self, _network: Zeroconf, _kind: str, name: str) -> None:
        if name.startswith("Adler"):
            self.went.set()

    def update_service(self, _network: Zeroconf, _kind: str, _name: str) -> None: ...


@pytest.fixture
def neighbor() -> Iterator[Neighbor]:
    made = Neighbor()
    yield made
    made.network.close()


@pytest.mark.long
def test_the_name_is_announced_and_taken_back(neighbor: Neighbor) -> None:
    with announcement("croupier-of-a-test", 8300, "Adler", [HERE]) as announced:
        assert neighbor.came.wait(PATIENCE_S)
        info = neighbor.network.get_service_info(SERVICE, neighbor.name, timeout=int(PATIENCE_S * 1000))
        assert info is not None
        assert (info.server, info.port, info.parsed_addresses()) == ("croupier-of-a-test.local.", 8300, [HERE])
        assert announced == "croupier-of-a-test"
        # Another table of that name, with another address, takes the next one.
        with announcement("croupier-of-a-test", 8301, "Adler", ["127.0.0.2"]) as other:
            assert other == "croupier-of-a-test-2"
    assert neighbor.went.wait(PATIENCE_S)


@pytest.mark.parametrize(
    "name", some(["Ω" * 47, "x" * 100, "a.b", "🂡" * 30], 4), ids=["Greek", "long", "dots", "4 bytes"]
)
def test_a_table_of_any_name_is_announced(name: str) -> None:
    """A label holds 63 bytes: 47 Greek letters took the page down."""
    assert len(service_label(name).encode()) <= 60
    with announcement("croupier-of-a-test", 8300, name, [HERE]) as announced:
        assert announced == "croupier-of-a-test"
