"""The broker of a club: an account for each table that the director has enrolled, and one for the house.

A table may write what is its own, and nobody else may; nobody without an account gets in. Passwords follow from the
director's key, so that writing all again changes none; a table with a new key has a new one. In a network all is
encrypted, since passwords and messages could be overheard there.
"""

from __future__ import annotations

import os
from base64 import b32encode, b64encode
from collections.abc import Callable
from getpass import getuser
from hashlib import pbkdf2_hmac, sha256
from pathlib import Path
from typing import Final

from croupier.files import put, unwritten
from croupier_extras.certificate import own_certificate
from croupier_extras.home_automation import MQTT_PORT, MQTT_TLS_PORT
from croupier_extras.home_automation.home_assistant import Topics, discovery_topics
from croupier_hub.standings import Directed

HOUSE: Final = "house"
CERTIFICATE: Final = "ca.pem"
"""Address and credentials of the broker, which a table needs beside its section."""
_BEGIN: Final = "-----BEGIN CERTIFICATE-----"
_LIMITS: Final = "max_connections 2000\nmessage_size_limit 16384\nmax_queued_messages 100\nmemory_limit 268435456\n"
"""Of the broker, for a club of some hundred tables: connections, bytes of a message, messages for somebody who is away,
bytes in all."""

_ROUNDS: Final = 10_000
"""Of PBKDF2, with which mosquitto 2 keeps passwords."""


def account_of(table: int | str) -> str:
    """The account of a table, which is its id at the broker too. ``table``: the number, or a pattern of numbers."""
    return f"table-{table}"


def write_broker(
    known: Directed, sign: Callable[[bytes], bytes], host: str, folder: Path, port: int | None = None
) -> int:
    """Write mosquitto's files into ``folder``, and for each table the section ``[mqtt]`` of its configuration. Returns
    the number of files. ``sign``: with the director's key; ``host``: where tables find the broker, which encrypts
    unless that is this machine alone; ``port``: the usual one if None.

    Raises:
        CannotWrite: the folder cannot be written.
    """
    has_tls = host != "127.0.0.1"
    port = port or (MQTT_TLS_PORT if has_tls else MQTT_PORT)
    keys = {account_of(table): keys[max(keys)] for table, keys in sorted(known.keys.items())}
    passwords = {name: _password(sign, f"{name} {key}") for name, key in (keys | {HOUSE: ""}).items()}
    here = folder.absolute()
    pem = here / "broker.pem"
    files = {
        # As whoever writes the files, since nobody else may read them.
        "mosquitto.conf": f"listener {port}{'' if has_tls else ' 127.0.0.1'}\n{_LIMITS}user {getuser()}\n"
        f"allow_anonymous false\npassword_file {here}/passwords\nacl_file {here}/rights\n"
        + f"certfile {pem}\nkeyfile {pem}\n"
        * has_tls,
        "passwords": "".join(f"{name}:{_kept(password)}\n" for name, password in passwords.items()),
        "rights": "".join(map(_rights, keys)) + f"user {HOUSE}\ntopic read #\ntopic write {Topics('+').command}\n",
    } | {f"{name}.toml": _section(name, password, host, port, has_tls) for name, password in passwords.items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise unwritten(folder, err) from err
    if has_tls:
        own_certificate(pem, [host])
        files[CERTIFICATE] = pem.read_text()[pem.read_text().index(_BEGIN) :]
    for name, text in files.items():
        put(folder / name, text.encode(), 0o600)
    return len(files)


def _password(sign: Callable[[bytes], bytes], account: str) -> str:
    return b32encode(sha256(sign(f"croupier broker {account}".encode())).digest()[:15]).decode().lower()


def _kept(password: str) -> str:
    salt = os.urandom(12)
    hash_ = pbkdf2_hmac("sha512", password.encode(), salt, _ROUNDS)
    return f"$7${_ROUNDS}${b64encode(salt).decode()}${b64encode(hash_).decode()}"


def _rights(table: str) -> str:
    topics = Topics(table)
    # Each topic by its name: what a table may write and retain has an end.
    own = (topics.availability, topics.state, topics.ruling, *discovery_topics(topics))
    return f"user {table}\n" + "".join(f"topic write {one}\n" for one in own) + f"topic read {topics.command}\n\n"


def _section(user: str, password: str, host: str, port: int, has_tls: bool) -> str:
    tls = f'tls = true\nca = "{CERTIFICATE}"\n' * has_tls
    return f'[mqtt]\nhost = "{host}"\nport = {port}\nuser = "{user}"\npassword = "{password}"\n{tls}id = "{user}"\n'
