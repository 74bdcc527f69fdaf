"""Errors of the network, for people, and whether an address lies in the own network."""

from __future__ import annotations

import os
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

_HOME_DOMAINS: Final = (".local", ".home.arpa", ".internal", ".lan")
"""Domains of names that only the own network knows: RFC 6762, RFC 8375, ICANN, and what routers use."""


def is_in_house(url: str) -> bool:
    """True if ``url`` is at this machine or in a private network. A name is not looked up."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(_HOME_DOMAINS)


def reason(err: BaseException) -> str:
    """The operating system's words for an error of httpx, or its own."""
    cause: BaseException | None = err
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            if cause.errno and cause.strerror.startswith("Connect call failed"):  # asyncio's words for any reason
                return os.strerror(cause.errno)
            return cause.strerror
        several = cause.exceptions if isinstance(cause, BaseExceptionGroup) else ()  # an attempt for each address
        cause = several[0] if several else cause.__cause__ or cause.__context__
    return str(err) or type(err).__name__
