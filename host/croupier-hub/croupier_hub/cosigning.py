"""Witnesses: other hubs cosign the heads of logs, and tables keep those of each other (c2sp.org/tlog-witness).

A witness keeps the longest head of each log that it has seen. Only a log that goes on after that one is taken; so
a change or a cut of a log is found, even if every line and signature of it is made again. Anybody can make keys, so
only the logs of the tournaments here are cosigned, and those of a list.
"""

from __future__ import annotations

import hmac
import re
from base64 import b64encode
from collections.abc import Callable
from contextlib import AbstractContextManager
from http import HTTPStatus
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import select, update

from croupier.errors import marked
from croupier.i18n import _, localize
from croupier_hub.background_tasks import Errand, running
from croupier_hub.checkpoints import Checkpoint, Growth
from croupier_hub.client import HubClient
from croupier_hub.errors import BadCheckpoint, HubRefuses
from croupier_hub.merkle import EMPTY, is_consistent
from croupier_hub.store import LogStore
from croupier_hub.tables import COSIGNER, LOGS, WITNESSED

_MOST_SIZES: Final = 5
"""A witness says what it has seen, and then perhaps what another hub has shown it since."""

_LOOK_S: Final = 10.0
"""Time between two looks for longer logs."""

CUT: Final = marked("ALARM: the log {key} had {n} lines, and has {now} at {address}: lines were cut off, or a backup "
                    "was restored")  # fmt: skip
CHANGED: Final = marked("ALARM: the first {n} lines of the log {key} are other ones at {address} than before")


def goes_on(known: Checkpoint | None, growth: Growth, address: str) -> Checkpoint:
    """The newer checkpoint of a log whose head ``known`` somebody has kept.

    Raises:
        HubRefuses: lines were changed or cut off.
        BadCheckpoint: the newer head is not as it was signed.
    """
    new = growth.checkpoint.check()
    size, root = (0, EMPTY) if known is None else (known.size, known.root)
    if new.size < size:
        raise HubRefuses(CUT, key=new.log, n=size, now=new.size, address=address)
    if not is_consistent(size, root, new.size, new.root, growth.proof):
        raise HubRefuses(CHANGED, key=new.log, n=size, address=address)
    return new


class Cosigner:
    """The witness in the database of a hub: for the logs of its tournaments, and for those of other hubs whose keys are
    in the file ``listed``, one a line, which may grow. Thread-safe."""

    def __init__(self, store: LogStore, listed: Path | None = None) -> None:
        self._engine, self._insert, self._listed = store.engine, store.insert, listed
        with self._engine.connect() as connection:
            key = connection.execute(select(COSIGNER.c.key)).scalar_one()
        self._key = Ed25519PrivateKey.from_private_bytes(key)

    def secret(self, purpose: str) -> bytes:
        """A secret of all hubs with this database, for one purpose."""
        return hmac.digest(self._key.private_bytes_raw(), purpose.encode(), "sha256")

    def add(self, growth: Growth, now: int) -> tuple[HTTPStatus, str]:
        """The status and the text by which a witness answers; ``now``: in seconds since 1970."""
        new = growth.checkpoint
        if not self._knows(new.log):
            return HTTPStatus.NOT_FOUND, ""
        if not new.is_signed:
            return HTTPStatus.FORBIDDEN, ""
        if growth.old > new.size:
            return HTTPStatus.BAD_REQUEST, ""
        this = WITNESSED.c.log == new.log
        with self._engine.begin() as connection:
            first = {"log": new.log, "size": 0, "root": EMPTY}
            connection.execute(self._insert(WITNESSED).values(first).on_conflict_do_nothing())
            known = connection.execute(select(WITNESSED).where(this).with_for_update()).one()
            if growth.old != known.size or (new.size == known.size and new.root != known.root):
                return HTTPStatus.CONFLICT, f"{known.size}\n"
            if not is_consistent(known.size, known.root, new.size, new.root, growth.proof):
                return HTTPStatus.UNPROCESSABLE_ENTITY, ""
            connection.execute(update(WITNESSED).where(this).values(size=new.size, root=new.root))
        return HTTPStatus.OK, new.cosigned(self._key, now)

    def _knows(self, log: str) -> bool:
        with self._engine.connect() as connection:
            if (
                connection.execute(select(LOGS.c.id).where(LOGS.c.name == bytes.fromhex(log)).limit(1)).first()
                is not None
            ):
                return True
        try:
            return self._listed is not None and log in self._listed.read_text("ascii", "replace").split()
        except OSError:
            return False


class Submitter(Errand):
    """Has the logs of ``store`` cosigned by the witness of ``client``. ``report``: takes one line for each log that
    the witness has seen otherwise, from any thread."""

    def __init__(self, store: LogStore, client: HubClient, report: Callable[[str], None]) -> None:
        self._store, self._client, self._report = store, client, report
        self._done: dict[str, int] = {}
        """Of each log, the lines that the witness has received."""

    def run(self) -> None:
        """Have all that is new cosigned. Raises `HubUnavailable`; `BadHub`: the database here cannot be used."""
        with self._store.errors():
            for log, (lines, _fork) in self._store.heads().items():
                if lines and self._done.get(log) != lines:
                    self._submit(log)

    def forget(self) -> None:
        """Send the witness all heads again."""
        self._done.clear()

    def _submit(self, log: str) -> None:
        old = self._done.get(log, 0)
        for _time in range(_MOST_SIZES):
            size, text = self._store.growth(log, old)
            if text is None:
                return
            status, answer = self._client.add_checkpoint(text)
            self._done[log] = size
            if status == HTTPStatus.OK:
                keep_cosignatures(self._store, Growth.parse(text).checkpoint, answer)
            elif status == HTTPStatus.NOT_FOUND:
                self._report(_("Witness: {address} does not know the key {key}: whoever runs it adds it to the file of "
                               "--cosign-for", key=log, address=self._client.url))  # fmt: skip
            elif status == HTTPStatus.CONFLICT and (seen := _size(answer, self._client)) > size:
                self._report(_(CUT, key=log, n=seen, now=size, address=self._client.url))
            elif status == HTTPStatus.CONFLICT and seen != old:
                old = seen
                continue
            else:
                self._report(_(CHANGED, key=log, n=old, address=self._client.url))
            return


def _size(answer: str, client: HubClient) -> int:
    """The number of lines that a witness says it has seen. Raises `HubUnavailable`: it is no number."""
    if not re.fullmatch(r"(0|[1-9][0-9]{0,9})\n", answer):
        raise client.no_hub()
    return int(answer)


def keep_cosignatures(store: LogStore, checkpoint: Checkpoint, answer: str) -> None:
    """Keep the right ones of a witness's ``answer``, in place of those over a shorter log."""
    note = f"{checkpoint.body}\n" + "".join(
        f"— {name} {b64encode(data).decode()}\n" for name, data in checkpoint.signatures
    )
    lines = (f"{line}\n" for line in answer.splitlines())
    right = [line for line in lines if Checkpoint.parse(note + line).cosigners]
    store.keep_cosignatures(checkpoint.log, checkpoint.size, right)


def cosigned_by(store: LogStore, url: str, report: Callable[[str], None]) -> AbstractContextManager[None]:
    """Context in which the logs of a store are cosigned by the hub ``url``.

    ``report``: takes one line when that fails, and for each log that was changed or cut, from other threads.
    """
    failed = marked("Witness: {why}; heads are cosigned later.")
    return running(lambda client: Submitter(store, client, report), url, _LOOK_S, report, failed)


def look(client: HubClient, log: str, known: Checkpoint | None, report: Callable[[str], None]) -> str | None:
    """The newest head of a log at a hub as a note, for somebody who keeps it; None if there is none, or if it does not
    go on after ``known``, which is reported. Raises `HubUnavailable`."""
    text = client.growth(log, 0 if known is None else known.size)
    if text is None:
        return None
    try:
        goes_on(known, Growth.parse(text), client.url)
    except (BadCheckpoint, HubRefuses) as err:
        report(localize(err)[0])
        return None
    return text.partition("\n\n")[2]
