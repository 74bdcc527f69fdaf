"""A host name by multicast DNS (RFC 6762): this machine answers queries for ``croupier.local``, and is listed among the
services of each network that it is in.

In each network it answers with its addresses there and no others (RFC 6762, 6.2): a phone would wait long for one that
it cannot reach. So each network has a responder of its own, which hears only that network. If another machine has the
name there already, a number is appended.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final

from croupier.names import shorten
from croupier.networks import Network
from croupier.web.addresses import MOST_TABLES, mdns_names

if TYPE_CHECKING:
    from zeroconf import Zeroconf

SERVICE: Final = "_http._tcp.local."

QUERY_MS: Final = 1500
"""Twice the time that RFC 6762 waits for an answer, because a table that reads cards may answer late."""

_LABEL_BYTES: Final = 63
"""The longest label of a domain name, in bytes of UTF-8 (RFC 6763, 4.1.1)."""


def service_label(table: str) -> str:
    """The name of a table as one label of a service name: without dots, cut at `_LABEL_BYTES` between letters."""
    room = _LABEL_BYTES - len("-99")  # a number is appended where two tables have the same name
    return shorten(table.replace(".", " "), room, lambda letter: len(letter.encode()))


class MdnsResponders:
    """Announces a page in each of some networks, each in a thread of its own, since the question whether a name is free
    takes seconds.

    ``name``: without ``.local``; ``table``: the name in lists of services. ``report``: called with each name that was
    free, once, and with "" and the reason where none could be announced.
    """

    def __init__(self, name: str, port: int, table: str, report: Callable[[str, str], None]) -> None:
        self._name, self._port, self._table, self._report = name, port, table, report
        self._running: dict[Network, tuple[Event, Thread]] = {}
        self._told = set[tuple[str, str]]()

    def announce(self, networks: Collection[Network]) -> None:
        """Announce the page in these networks, and no longer in others. Returns at once."""
        known = [network for network in networks if network.is_likely]
        ended = [self._running.pop(network) for network in [*self._running] if network not in known]
        for ends, _thread in ended:
            ends.set()
        own = {address for network in networks for address in network.addresses}
        for network in known:
            if network not in self._running:
                # After those that end: one of them may be of the same interface, with another address.
                args = (network, own, ends := Event(), [thread for _ends, thread in ended])
                self._running[network] = ends, Thread(target=self._run, args=args, name="mdns", daemon=True)
                self._running[network][1].start()

    def close(self) -> None:
        """Take the names back."""
        threads = [thread for _ends, thread in self._running.values()]
        self.announce(())
        for thread in threads:
            thread.join()

    def _run(self, network: Network, own: Collection[str], ends: Event, earlier: Sequence[Thread]) -> None:
        for thread in earlier:
            thread.join()
        try:
            with announcement(self._name, self._port, self._table, network.addresses, own, network.interface) as free:
                self._report_once(free, "")
                ends.wait()
        except (OSError, ModuleNotFoundError) as err:
            if not ends.is_set():  # else the network has gone meanwhile
                self._report_once("", str(err))

    def _report_once(self, free: str, why: str) -> None:
        if (free, why) not in self._told:
            self._told.add((free, why))
            self._report(free, why)


@contextmanager
def announcement(
    name: str, port: int, table: str, addresses: Collection[str], own: Collection[str] = (), interface: str = ""
) -> Iterator[str]:
    """Announce the page at ``port`` as ``name``.local while the context manager is open; yields the name that was free.

    ``table``: the name in lists of services. ``addresses``: this machine's in one network, where it is announced;
    ``own``: its others, which may be in the same network by another interface; ``interface``: of these addresses.

    Raises:
        OSError: there is no network, or every variant of the name is taken.
        ModuleNotFoundError: zeroconf is not installed.
    """
    from zeroconf import (  # type: ignore[attr-defined]  # the resolver is not in its `__all__`
        AddressResolver,
        ServiceInfo,
        Zeroconf,
    )

    network, ours = Zeroconf([*addresses]), {*addresses, *own}
    if interface:
        _stay_at(interface, network)

    def is_free(info: Any) -> bool:
        return not info.request(network, QUERY_MS) or set(info.parsed_addresses()) <= ours

    with closing(network):
        free = next((one for one in mdns_names(name) if is_free(AddressResolver(f"{one}.local."))), "")
        if not free:
            raise OSError("the name and its numbers are all taken in this network")
        labels = (f"{label}.{SERVICE}" for label in _labels(table))
        label = next((one for one in labels if is_free(ServiceInfo(SERVICE, one))), "")
        if not label:
            raise OSError("too many services are called so in this network")
        service = ServiceInfo(
            SERVICE, label, port=port, parsed_addresses=[*addresses], server=f"{free}.local.", properties={"path": "/"}
        )
        # Another interface of this machine may answer for the same names in the same network.
        network.register_service(service, cooperating_responders=True)
        try:
            yield free
        finally:
            network.unregister_all_services()


def _labels(table: str) -> Iterator[str]:
    label = service_label(table)
    yield label
    for n in range(2, MOST_TABLES + 1):
        yield f"{label}-{n}"


def _stay_at(interface: str, network: Zeroconf) -> None:
    """Hear and send at this interface alone. Linux gives what comes at one interface to any of the sockets that share a
    port, whichever group it has joined; who hears a question of another network would answer with a wrong address."""
    for reader in network.engine.readers:
        with suppress(OSError, AttributeError):  # another system has no such option, and needs none
            reader.sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
