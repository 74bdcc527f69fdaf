"""Seals what the shoe deals while a game is played, opens it when it may be seen, and tells of the deck."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from croupier.devices.protocols import ExitCamera
from croupier.errors import CroupierError
from croupier.i18n import _, language
from croupier.journal import Archive, Journal
from croupier.log_replay import Record, place, replay_lines
from croupier_extras.sealed import box
from croupier_extras.sealed.box import Passages
from croupier_extras.sealed.exit_camera import open_camera
from croupier_extras.sealed.ledger import Ledger, RoundProof
from croupier_rules.cards import DECKS, UNREAD
from croupier_rules.referee import Header
from croupier_rules.referee.explain import card_name
from croupier_rules.rules import RuleSet


class FaceSealer:
    """The sealed faces of one ``game``. It keeps no face itself. ``rules``: of the game, which name the deck."""

    open_camera = staticmethod(open_camera)

    @staticmethod
    def deck_report(archive: Archive, game: int) -> Iterator[str]:
        """As the function `deck_report`."""
        return deck_report(archive, game)

    def __init__(self, journal: Journal, game: int, camera: ExitCamera, rules: RuleSet) -> None:
        self._journal, self._game, self._camera, self._deck = journal, game, camera, DECKS[rules.deck]
        camera.expect(rules.faces)
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

    def end_round(self) -> Sequence[str]:
        """Open all that is sealed, since the round is over: its key goes into the journal. Returns what is wrong with
        the deck: the cards that are missing, or are too many."""
        key = box.current_key(self._journal.path)
        if key is None:
            return ()
        try:
            proof = ledger(self._journal, self._game, key).proofs[-1]
            self._journal.publish_key(self._game, key)
            box.end_key(self._journal.path)
        except CroupierError:
            return ()
        return tuple(what_is_wrong(proof, self._deck))


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


def deck_report(archive: Archive, game: int) -> Iterator[str]:
    """Report for each round that is over what passed the card exit, and whether the deck is whole; of the round that is
    played, nothing.

    Raises:
        BadJournal: the game or a box is damaged.
    """
    header = next(replay_lines((line.encode() for line in archive.lines(game)[:1]), place(str(archive.path))))
    assert isinstance(header, Header)
    deck = DECKS[header.ruleset.deck]
    for n, proof in enumerate(ledger(archive, game).proofs, start=1):
        if proof.read and not proof.is_closed:
            yield _("Round {n}: {read} cards read, {unread} unread.", n=n, read=proof.read, unread=proof.unread)
            yield from what_is_wrong(proof, deck)
            if proof.is_whole(deck):
                yield _("The deck is whole.")


def what_is_wrong(proof: RoundProof, deck: Mapping[str, int]) -> Iterator[str]:
    """Name the cards that are missing, too many, or passed as one."""
    if missing := proof.missing(deck):
        yield _("Missing from the deck: {cards}.", cards=_named(missing))
    if more := proof.too_many(deck):
        yield _("More often in the deck than they should be: {cards}.", cards=_named(more))
    for faces in proof.doubles:
        yield _("Dealt as one card: {cards}.", cards=_named(dict.fromkeys(faces, 1)))


def _named(faces: Mapping[str, int]) -> str:
    return ", ".join(card_name(face, language()) + (f" x {n}" if n > 1 else "") for face, n in sorted(faces.items()))
