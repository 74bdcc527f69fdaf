"""The page's name in the network: croupier.local (multicast DNS, RFC 6762), announced and taken back.

Whoever asks the network for ``croupier.local`` gets this machine's address, and the page stands in lists of services.
A name that another machine answers to already is followed by a number.
"""

from __future__ import annotations

import socket
from types import TracebackType
from typing import Final, Self

import zeroconf
from zeroconf import InterfaceChoice, IPVersion, NonUniqueNameException, ServiceInfo, Zeroconf

from croupier.web.addresses import spellings

SERVICE: Final = "_http._tcp.local."

ASK_MS: Final = 1500
"""Whoever has the name answers by then: twice what RFC 6762 waits, since a table that reads cards may answer late."""


class Announced:
    """Announces the page at ``port`` as ``name``.local, from `__enter__` to `__exit__`; ``table`` is what lists show.

    ``addresses``: of this machine; ``interfaces``: where it is announced, all of them if nothing is said. Use it as a
    context manager; `name` then is the name that was free.

    Raises:
        OSError: there is no network, or every spelling of the name is taken.
    """

    def __init__(
        self, name: str, port: int, table: str, addresses: tuple[str, ...], interfaces: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self._port, self._table, self._addresses = port, table, addresses
        self._network = Zeroconf(
            interfaces=list(interfaces) if interfaces else InterfaceChoice.All, ip_version=IPVersion.V4Only
        )

    def __enter__(self) -> Self:
        try:
            self.name = next((one for one in spellings(self.name) if self._is_free(one)), "")
            if not self.name:
                raise OSError("the name and its numbers are all taken in this network")
            self._network.register_service(self._info(), allow_name_change=True)
        except NonUniqueNameException as err:
            self._network.close()
            raise OSError("too many services are called so in this network") from err
        except BaseException:
            self._network.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._network.unregister_all_services()
        self._network.close()

    def _info(self) -> ServiceInfo:
        return ServiceInfo(
            SERVICE,
            f"{self._table.replace('.', ' ')[:60]}.{SERVICE}",
            port=self._port,
            addresses=[socket.inet_aton(address) for address in self._addresses],
            server=f"{self.name}.local.",
            properties={"path": "/"},
        )

    def _is_free(self, name: str) -> bool:
        """Whether nobody answers to the name, or only this machine."""
        asked = zeroconf.AddressResolverIPv4(f"{name}.local.")  # type: ignore[attr-defined]  # not in its `__all__`
        return not asked.request(self._network, ASK_MS) or set(asked.parsed_addresses()) <= set(self._addresses)
