"""Other machines: checks of their addresses in `croupier.toml`, which are in the own network, and why one fails."""

from __future__ import annotations

import os
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from croupier.config.sections import out_of
from croupier.i18n import _

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


def host_name(name: str) -> str:
    """Return a name or an address of a machine. Raises `ValueError`."""
    try:
        if name.encode("idna"):
            return name
    except UnicodeError:
        pass
    raise ValueError(f'"{name}"')


def check_address(url: str) -> str:
    """Return an address of the web that can be asked. Raises `InvalidValue`."""
    # The messages leave out the value, which may hold a password.
    try:
        parts = urlsplit(url)
        host_name(parts.hostname or "")
    except ValueError as err:
        raise out_of("host", _("a name or an address")) from err
    try:
        is_port = parts.port != 0
    except ValueError:
        is_port = False
    if not is_port:
        raise out_of("port", _("a whole number, {least} to {most}", least=1, most=65535))
    return url
