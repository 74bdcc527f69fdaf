"""Seals what the shoe deals while a game is played, and opens it when it may be seen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress

from croupier.devices.protocols import ExitCamera
from croupier.errors import CroupierError
from croupier.journal import Archive, Journal
from croupier.log_replay import Record, replay_lines
from croupier.sealed import box
from croupier.sealed.box import Passages
from croupier.sealed.ledger import Ledger, RoundProof
from croupier_rules.cards import UNREAD
from croupier_rules.referee import Header


class FaceSealer:
    """The sealed faces of one ``game``. It keeps no face itself. ``faces``: those of the deck."""

    def __init__(self, journal: Journal, game: int, camera: ExitCamera, faces: Collection[str]) -> None:
        self._journal, self._game, self._camera = journal, game, camera
        camera.expect(faces)
        box.cipher(bytes(box.KEY_BYTES))  # a missing library is told at the start

    def seal(self, line: int | None, t: float, n: int) -> None:
        """Seal the cards that passed up to ``t`` (s): those of a ``line`` of the log, of which the shoe counted ``n``.

        If the camera saw another number, nobody knows which, and all are unread. Cards without a line are left out. A
        full disk costs the faces, and no line.
        """
        passages = self._camera.take(t)
        if line is None:
            return
        if sum(map(len, passages)) != n:
            passages = ((UNREAD,),) * n
        with suppress(CroupierError):
            key = box.key_of_round(self._journal.path)
            self._journal.seal(self._game, line, box.seal(key, self._game, line, passages))

    def hand(self, seat: int) -> tuple[str, ...] | None:
        """Open the hand of a seat for a ruling; None if a card in it is not known."""
        try:
            return ledger(self._journal, self._game, box.current_key(self._journal.path)).hand(seat)
        except CroupierError:
            return None

    def end_round(self) -> RoundProof | None:
        """Open all that is sealed, since the round is over: its key goes into the journal. Returns what is known of the
        deck; None if nothing was sealed."""
        key = box.current_key(self._journal.path)
        if key is None:
            return None
        try:
            proof = ledger(self._journal, self._game, key).proofs[-1]
            self._journal.publish_key(self._game, key)
            box.end_key(self._journal.path)
        except CroupierError:
            return None
        return proof


def ledger(archive: Archive, game: int, key: bytes | None = None) -> Ledger:
    """Follow a game with all faces that are open; ``key``: opens those of the round that is played.

    Raises:
        BadJournal: the game or a box is damaged.
    """
    faces: dict[int, Passages] = {}
    left_closed: set[int] = set()
    for line, closed, published in archive.sealed(game):
        if (opens := published or key) is not None:
            faces[line] = box.opened(opens, game, line, closed)
        else:
            left_closed.add(line)
    lines: Sequence[str] = archive.lines(game)
    read = replay_lines((line.encode("utf-8") for line in lines), str(archive.path))
    header = next(read)
    assert isinstance(header, Header)
    found = Ledger(len(header.seats), faces, left_closed)
    found.follow(step for step in read if isinstance(step, Record))
    return found
