"""What the sealed faces tell of the deck, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from croupier.i18n import _, language
from croupier.journal import Archive
from croupier.log_replay import place, replay_lines
from croupier.sealed.ledger import RoundProof
from croupier.sealed.sealing import ledger
from croupier_rules.cards import DECKS
from croupier_rules.referee import Header
from croupier_rules.referee.explain import card_name


def deck_report(archive: Archive, game: int) -> Iterator[str]:
    """Tell of each round that is over what passed the card exit, and whether the deck is whole; of the round that is
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
