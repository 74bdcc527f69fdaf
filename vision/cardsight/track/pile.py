"""State of the discard pile, and the cause of each change: which cards were laid, taken or pushed.

A card was laid if it is seen where none was known and the picture has changed there. A hand is not explained: while
something else that is new touches the card, the card may be held, and nothing is reported.

`Pile` knows no time; `pile_state` turns its changes into events.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from cardsight.sighting import Reading, Sighting
from cardsight.track.background_model import Edges
from cardsight.track.blocks import Mask, Part, Small, differs, joined_to_rim
from cardsight.track.cards import (
    ROUGHLY,
    SAME_PLACE,
    as_unread,
    is_likely_same,
    is_same_card,
    is_same_place,
    likely_face,
    looks_alike,
    mean_distance,
    printed_corners,
)
from cardsight.track.pile_change import PileChange
from cardsight.track.registration import displaced
from croupier_rules.cards import UNREAD

_NEW: Final = 0.35
"""Fraction of a card's place that has changed when the card was laid: its twin's panels look like its own."""
_OLD_CORNER: Final = 0.25
"""Fraction of the edges in a printed corner that lie elsewhere, below which the corner was there before: the noise of a
cheap camera hides half of those of another symbol."""
_HIDDEN: Final = 0.1
"""A card of which less than this fraction shows cannot be identified."""
_UNCOVERED: Final = 0.3
"""Fraction of a card's old place that has changed when the card has left it."""
_AS_BEFORE: Final = 0.12
"""Two pictures of a place show the same if at most this fraction differs."""
_BARE: Final = 0.2
"""Fraction of the pile's place that differs from the bare table as it was long ago, up to which it is bare again."""
_TWIN_APART: Final = 0.1
"""Distance (card lengths) below which a card seen near its old place was pushed, unless its edge still lies there:
nobody lays a card so exactly on its twin."""
_EXACTLY: Final = 0.03
"""Distance (card lengths) up to which a card lies where it did: nobody lays its twin so exactly."""
_EDGE_PX: Final = 20
"""Smallest visible edge of a card (px of the shrunk picture) that shows whether the card still lies there."""
_EDGE_LEVELS: Final = 15.0
"""Least difference (gray levels) of such an edge and what was under it."""
_EDGE_STAYS: Final = 0.5
"""The edge of a card that still lies there has changed less than this fraction of its difference from what was under
it: by 0.4 at most. That of a pushed card has changed twice as much or more."""
_REPLACED: Final = 0.7
"""Changed fraction of what another card leaves free of the top one's place from which that one lies there no more,
though the border of a third card looks like its own."""
_PUSHED_TOO: Final = 0.5
"""Distance (card lengths) over which a push of the top card takes cards below with it."""
_HALF: Final = 0.5
"""Fraction of a card's place, or of its visible rest, that must look as before: a hand may hide the rest."""
_MOSTLY: Final = 0.8
"""Fraction of the visible rest of a covered card that has changed when the card is gone."""
_STANDS_OUT: Final = 0.04
"""Smallest visible fraction of a covered card that shows whether the card still lies there."""
_SHADOW: Final = 0.07
_REACH: Final = 0.25
"""Distance outside a card's outline within which its shadow, the blur of its edge and neighbors lie (card lengths)."""
_FINGER: Final = 0.025
"""Fraction of a card's area that one finger covers beside it."""
_HELD_OUTSIDE: Final = 0.25
"""A card that reaches this far beyond the picture can be held there (card lengths)."""
_REMEMBERED: Final = 4


def _may_be(card: Sighting, known: Sighting) -> bool:
    """True if this is the card known to lie there; the outline of an uncertain reading is inexact, too."""
    if card.face == UNREAD:
        likeliest = next((face for face, _ in card.candidates), None)
        return likeliest == known.face and is_same_place(card.corners_px, known.corners_px, ROUGHLY)
    return is_same_card(card, known)


class Pile:
    """The cards known to lie on the pile, and the picture of the part before each of them."""

    def __init__(self, part: Part, card_px: float) -> None:
        self._part, self._card_px = part, card_px
        self.cards: list[Sighting] = []
        self._before: list[Small] = []
        self._bare: Small | None = None
        """The part without a pile on it."""

    @property
    def top(self) -> Sighting | None:
        """The up-card as it was seen when it was laid or pushed last."""
        return self.cards[-1] if self.cards else None

    def lay(self, card: Sighting, before: Small) -> None:
        """Put ``card`` on top; ``before``: the part without it."""
        if not self.cards:
            self._bare = before
        self.cards.append(card)
        self._before = [*self._before[-_REMEMBERED + 1 :], before]

    def slip_under(self, card: Sighting) -> None:
        """Put ``card`` under the top one."""
        self.cards.insert(-1, card)

    def lift(self) -> Sighting:
        """Remove the top card."""
        if self._before:
            self._before.pop()
        return self.cards.pop()

    def put(self, card: Sighting) -> None:
        """Set the place of the top card; cards under it may have been pushed too."""
        self.cards[-1] = card
        self._before.clear()

    def keep(self, top: Sighting | None) -> None:
        """Remove the pile except this card."""
        self.cards = [top] if top else []
        self._before.clear()

    def near(self, *cards: Sighting) -> Mask:
        """Return the blocks of these cards and those around them."""
        return self._blocks(cards, _REACH)

    def own(self, *cards: Sighting) -> Mask:
        """Return the blocks of these cards with their shadows."""
        return self._blocks(cards, _SHADOW)

    def touching(self, changed: Mask, cards: Sequence[Sighting]) -> Mask | None:
        """Return what is new beside these cards and touches them, if it is at least as large as a finger."""
        mask = changed & self.near(*cards) & ~self.own(*cards)
        return mask if mask.sum() > _FINGER * self._part.card_blocks else None

    def reaches_out(self, cards: Sequence[Sighting]) -> bool:
        """True if a hand outside the picture can hold one of these cards."""
        return any(self._part.reaches_beyond(card.corners_px, _HELD_OUTSIDE * self._card_px) for card in cards)

    def new_cards(self, reading: Reading, changed: Mask) -> list[Sighting]:
        """Return the cards with a likely face where none was known and the picture has changed."""
        return [
            card
            for card in reading.cards
            if likely_face(card) != UNREAD
            and not any(is_likely_same(card, known, ROUGHLY) for known in self.cards)
            and not self._is_top_under_arm(card, changed)
            and self._share(changed, card) >= _NEW
        ]

    def occluded_card(
        self, card: Sighting, over: Sequence[Sighting], changed: Mask, now: Small, seen: Small
    ) -> Sighting | None:  # fmt: skip
        """Return the card if it still lies under the cards ``over`` it and its visible rest has changed.

        It may be another card, ``?``, unless it looks as in the picture in which it was ``seen``.
        """
        place = self._free(card, *over)
        shown = place & changed
        if shown.sum() < _STANDS_OUT * self._part.card_blocks:
            return None
        if differs(now, seen)[shown].mean() < _HALF:
            return card
        is_there = shown.sum() >= _MOSTLY * place.sum() and not (joined_to_rim(changed) & shown).any()
        return as_unread(card) if is_there else None

    def is_free(self, card: Sighting, over: Sequence[Sighting], changed: Mask) -> bool:
        """True if what the cards ``over`` it leave free of a card's place shows what it did: it does not lie there."""
        return self._is_as_before(self._free(card, *over), changed)

    def is_replaced(
        self, card: Sighting, over: Sequence[Sighting], changed: Mask, arms: Mask, now: Small, before: Small
    ) -> bool:  # fmt: skip
        """True if something new lies where the card was held that was then laid elsewhere (``over`` it). ``arms``:
        changed blocks that may be an arm where they reach the edge of the picture. ``before``: the part before both."""
        own = self.own(*over)
        place = self._inside(card) & ~own
        shown = place & changed
        is_much = shown.sum() >= max(_HIDDEN * self._part.card_blocks, _HALF * place.sum())
        if not is_much or (joined_to_rim(arms & ~own) & shown).any():
            return False
        (x, y), (to_x, to_y) = (np.mean(one.corners_px, axis=0) / self._part.px for one in (card, over[-1]))
        # A bump against the camera moves all that lies there, which is nothing new.
        moved = displaced(before, now, ~own, (to_x - x, to_y - y))
        return all(differs(now, one)[shown].mean() >= _HALF for one in moved)

    def explain(self, reading: Reading, changed: Mask, now: Small, before: Small) -> PileChange | None:
        """Return the likeliest cause of the change since ``before``; ``None`` where it cannot be decided yet.

        A change of light only is an empty `PileChange`.
        """
        top = self.top
        new = self._new(reading, changed, Edges.of(now, before))
        new += [card for card in reading.cards if card not in new and self._is_instead(card, new, changed, now, before)]
        if top is not None and (pushed := self._pushed(top, new, changed, now, before)) is not None:
            laid, under = self._came_with(top, pushed, new, reading, changed, now)
            is_taken = not (laid or under) and self._is_alone(now, top, pushed)
            return PileChange(laid, under, is_taken=is_taken, place=pushed, cards=(top, pushed, *laid, *under))
        if new:
            is_lifted = top is not None and self._has_left(top, new, reading, now)
            gone = (top,) if is_lifted and top else ()
            if is_lifted:
                new = self._not_there_before(new, now)
            beside = changed & ~self.own(*gone)
            new = [card for card in new if card.face != UNREAD or self._covers(card, beside)]
            return PileChange(laid=tuple(self.in_order(new, now)), is_lifted=is_lifted, cards=(*gone, *new))
        if top is None:
            return None
        is_seen = self._sees(reading, top)
        is_read = any(is_same_card(card, top, ROUGHLY) for card in reading.cards)
        if is_read or (is_seen and self._share(changed, top) < _NEW):
            if self._is_alone(now, top):
                return PileChange(is_taken=True, place=top, cards=tuple(self.cards))
            return PileChange(place=top, cards=(top,))
        if self._is_bare(now, self._covered()):
            is_one = len(self.cards) == 1
            return PileChange(is_lifted=is_one, is_taken=not is_one, cards=tuple(self.cards))
        if (
            self._share(changed, top) >= _UNCOVERED
            and not is_seen
            and self._shows_what_was_under(top, changed, now, reading)
        ):
            return PileChange(is_lifted=True, cards=(top,))
        return None

    def _is_instead(
        self, card: Sighting, new: Sequence[Sighting], changed: Mask, now: Small, before: Small
    ) -> bool:  # fmt: skip
        """True if the card, which none of the ``new`` ones covers, lies exactly where the top one did and has another
        symbol; of one color, most of the place has not changed."""
        top = self.top
        if top is None or UNREAD in (card.face, top.face) or card.face == top.face:
            return False
        if not is_same_place(card.corners_px, top.corners_px) or any(is_same_card(card, one) for one in self.cards):
            return False
        if not self._share(changed, card) or self._is_top_under_arm(card, changed):
            return False
        if (self._inside(*(one for one in new if one.face != UNREAD)) & self._inside(card)).any():
            return False
        views = self._part.card_of(now, card.corners_px), self._part.card_of(before, top.corners_px)
        return not looks_alike(*views)

    def top_is_gone(self, reading: Reading, changed: Mask, now: Small) -> bool:
        """True if the top card is not seen any more and was not covered by something else."""
        top = self.top
        if top is None or self._sees(reading, top) or self._share(changed, top) < _UNCOVERED:
            return False
        return self._may_be_uncovered(top, now, reading)

    def _sees(self, reading: Reading, top: Sighting) -> bool:
        """True if something is read in the top card's place that is not the card known under it."""
        below = [card for card in self.cards[-2:-1] if card.face != top.face]
        others = (card for card in reading.cards if not any(is_same_card(card, one) for one in below))
        return any(is_same_place(card.corners_px, top.corners_px) for card in others)

    def _new(self, reading: Reading, changed: Mask, edges: Edges) -> list[Sighting]:
        """Return the cards that are seen where none was known and the picture has changed.

        Of a card that another one covers and that was read for certain, the visible rest must have changed;
        otherwise it lay there before.
        """
        places = [
            (card, self._inside(card))
            for card in reading.cards
            if not (
                self._is_known(card, changed)
                or self._is_uncovered(card, reading, changed)
                or self._is_under(card, changed)
            )
        ]
        new: list[Sighting] = []
        for card, place in places:
            beside = place.copy()
            for other, covered in places:
                if other is not card and other.face != UNREAD:
                    beside &= ~covered
            is_hidden = beside.sum() < _HIDDEN * self._part.card_blocks
            is_covered = bool((place & ~beside).any())
            if card.face == UNREAD and (is_hidden or (is_covered and self._is_place_known(card, ROUGHLY))):
                continue
            seen = place if is_hidden else beside
            if seen.any() and changed[seen].mean() >= _NEW and edges.have_moved(seen):
                new.append(card)
        return [card for card in new if not self._shows_old_corner(card, edges)]

    def _shows_old_corner(self, card: Sighting, edges: Edges) -> bool:
        """True if one of the printed corners was seen there before: the card lies under another that was not read."""
        corners = (self._part.inside(corner) for corner in printed_corners(card.corners_px))
        return any(not edges.have_moved(corner, _OLD_CORNER) for corner in corners)

    def _covers(self, card: Sighting, mask: Mask) -> bool:
        """True if the card shows in these blocks. A card that shows only where another was taken away or pushed lay
        there before."""
        return bool((mask & self._inside(card)).sum() >= _HIDDEN * self._part.card_blocks)

    def _share(self, mask: Mask, card: Sighting) -> float:
        place = self._inside(card)
        size = int(place.sum())
        return float((mask & place).sum()) / size if size else 0.0

    def _is_known(self, card: Sighting, changed: Mask) -> bool:
        """True if the card is one of the two on top, in its old place.

        Cards further down are all but covered: if one seems to be the cause of a change, its twin was laid
        there. An unread card may be any of them, unless it lies over the top one.
        """
        top = self.top
        if top is None:
            return False
        if is_same_card(card, top) or (card.face == UNREAD and is_same_place(card.corners_px, top.corners_px)):
            return True
        if self._is_top_under_arm(card, changed):
            return True
        may_be = any(_may_be(card, known) for known in self.cards[-2:-1])
        return (may_be or (card.face == UNREAD and self._is_place_known(card))) and not self._is_over(card, changed)

    def _is_top_under_arm(self, card: Sighting, changed: Mask) -> bool:
        """True if this may be the top card, misread because an arm covers a part of it: a printed corner that the arm
        leaves free looks as before."""
        top = self.top
        if top is None or not is_same_place(card.corners_px, top.corners_px, ROUGHLY):
            return False
        arm = joined_to_rim(changed)
        if not (self._inside(card) & arm).any():
            return False
        corners = (self._part.inside(corner) for corner in printed_corners(card.corners_px))
        return any(
            (corner & ~arm).sum() >= max(1, _HALF * corner.sum()) and changed[corner & ~arm].mean() <= _AS_BEFORE
            for corner in corners
        )

    def _is_uncovered(self, card: Sighting, reading: Reading, changed: Mask) -> bool:
        """True if the card lies exactly where it did under the top one, which is not seen any more.

        It may as well be its twin on a neat pile, where the cards over it lie in almost the same place, or if the
        visible rest of the top card is still seen.
        """
        if self.top is None or self._sees(reading, self.top):
            return False
        rest = self._free(self.top, card)
        if not rest.any() or changed[rest].mean() <= _AS_BEFORE:
            return False
        return any(
            is_same_card(card, known, _EXACTLY)
            and all(mean_distance(known.corners_px, over.corners_px) >= _TWIN_APART for over in self.cards[n + 1 :])
            for n, known in enumerate(self.cards[:-1])
        )

    def _is_place_known(self, card: Sighting, within: float = SAME_PLACE) -> bool:
        """True if a card is known there; ``within``: card lengths, more for cards of which another hides a part."""
        return any(is_same_place(card.corners_px, known.corners_px, within) for known in self.cards)

    def _is_under(self, card: Sighting, changed: Mask) -> bool:
        """True if the top card, which lay there before, lies over the card."""
        if self.top is None:
            return False
        both = self._inside(self.top) & self._inside(card)
        return self._is_as_before(both, changed)

    def _is_over(self, card: Sighting, changed: Mask) -> bool:
        """True if the card lies over the top card: the visible rest of that one is still seen."""
        return self._is_as_before(self._free(self.cards[-1], card), changed)

    def _is_as_before(self, part: Mask, changed: Mask) -> bool:
        """True if this part of a card is large enough to decide and shows what it did."""
        return bool(part.sum() >= _STANDS_OUT * self._part.card_blocks and changed[part].mean() < _UNCOVERED)

    def _pushed(self, top: Sighting, new: list[Sighting], changed: Mask, now: Small, before: Small) -> Sighting | None:
        """Return the top card in a new place, if it is one of the new ones: its old place shows what was under it.

        A ``?`` may have a face now, and a misread card another one. A picture that looks as before is no play.
        """
        candidates = new if len(new) == 1 else [card for card in new if card.face == top.face]
        if not candidates:
            return None
        free = self._inside(top) & ~self._inside(*new)
        is_as_before = self._is_as_before(free, changed)
        has_changed = bool(free.any() and changed[free].mean() >= _REPLACED)
        shows_edge = not has_changed and self._shows_edge(top, new, now, before)
        for card in candidates:
            moved = mean_distance(top.corners_px, card.corners_px)
            if (moved >= _TWIN_APART and is_as_before) or (card.face != UNREAD and shows_edge):
                continue
            is_it = card.face == top.face or (UNREAD in (card.face, top.face) and moved < _TWIN_APART)
            cards = self._part.card_of(now, card.corners_px), self._part.card_of(before, top.corners_px)
            if is_it or looks_alike(*cards):
                return replace(card, face=top.face) if card.face == UNREAD else card
        return None

    def _came_with(
        self, top: Sighting, pushed: Sighting, new: list[Sighting], reading: Reading, changed: Mask, now: Small
    ) -> tuple[tuple[Sighting, ...], tuple[Sighting, ...]]:
        """Return the cards that came while the top card was pushed: those over it, and those under it or unseen."""
        beside = changed & ~self.own(top, pushed)
        here = [card for card in new if not is_same_place(card.corners_px, pushed.corners_px)]
        read = [card for card in here if card.face != UNREAD and not self._is_pushed_too(card)]
        fresh = self._not_there_before(read, now) if self._before else []
        came = [card for card in here if card in fresh or self._covers(card, beside)]
        ordered = self.in_order([pushed, *(card for card in came if card.face != UNREAD)], now)
        is_nudged = mean_distance(top.corners_px, pushed.corners_px) < ROUGHLY  # by what was laid on it
        if is_nudged:
            ordered.insert(0, ordered.pop(ordered.index(pushed)))
        at = ordered.index(pushed)
        under = tuple(ordered[:at])
        if not (came or is_nudged) and self._hides_another(top, pushed, reading, changed, now):
            under = (replace(top, face=UNREAD, candidates=()),)
        laid = (*(card for card in came if card.face == UNREAD), *ordered[at + 1 :])
        return laid, under

    def _is_pushed_too(self, card: Sighting) -> bool:
        """True if this may be a card of the pile that was pushed with the top one."""
        return any(
            card.face == known.face and mean_distance(card.corners_px, known.corners_px) < _PUSHED_TOO
            for known in self.cards[:-1]
        )

    def _hides_another(self, top: Sighting, pushed: Sighting, reading: Reading, changed: Mask, now: Small) -> bool:
        """True if the place that the pushed card left shows something new, though the pile did not move and no arm
        is over it."""
        rest, beside = self._covered() & ~self.own(top, pushed), changed & ~self.own(top, pushed)
        has_moved = rest.sum() >= _STANDS_OUT * self._part.card_blocks and not self._is_as_before(rest, changed)
        if not self._before or has_moved or joined_to_rim(beside).any():
            return False
        if self._before[-1] in self._before[:-1]:  # laid at once with the one below
            return False
        if any(self._is_pushed_too(card) and not self._is_place_known(card) for card in reading.cards):
            return False
        other = changed & differs(now, self._before[-1]) & ~self.own(pushed)
        return bool(other.sum() >= _HIDDEN * self._part.card_blocks)

    def _shows_edge(self, top: Sighting, over: Sequence[Sighting], now: Small, before: Small) -> bool:
        """True if the top card still lies there under the cards ``over`` it: what is left free of it looks as it did,
        and not as what was under it."""
        edge = self._part.uncovered(top.corners_px, [card.corners_px for card in over])
        if not self._before or edge.sum() < _EDGE_PX:
            return False
        edges, as_before, under = (one.pixels[edge] for one in (now, before, self._before[-1]))
        if np.abs(as_before - under).mean() < _EDGE_LEVELS:
            return False
        return bool(np.abs(edges - as_before).mean() < _EDGE_STAYS * np.abs(edges - under).mean())

    def _has_left(self, top: Sighting, new: list[Sighting], reading: Reading, now: Small) -> bool:
        """True if the old top card was taken back, perhaps while another was laid: its place, or what the new cards
        leave free of it, shows what was under it."""
        if self._sees(reading, top):
            return False
        shown = self._free(top, *new)
        is_enough = bool(shown.sum() >= 0.1 * self._part.card_blocks)
        return self._is_as_under(self.own(top), now) or (is_enough and self._is_as_under(shown, now))

    def _is_as_under(self, where: Mask, now: Small) -> bool:
        """True if these blocks look as they did before the top card was laid."""
        return bool(self._before) and float(differs(now, self._before[-1])[where].mean()) < _AS_BEFORE

    def _not_there_before(self, new: list[Sighting], now: Small) -> list[Sighting]:
        """Return the cards whose places do not look as they did before the top card was laid.

        The others are cards that the top card covered and that were never identified.
        """
        changed = differs(now, self._before[-1])
        return [card for card in new if self._share(changed, card) >= _NEW]

    def _covered(self) -> Mask:
        """Return the blocks under the whole pile."""
        return self._inside(*self.cards)

    def _inside(self, *cards: Sighting) -> Mask:
        """Return the blocks of these cards."""
        return self._blocks(cards, 0.0)

    def _free(self, card: Sighting, *over: Sighting) -> Mask:
        """Return the blocks of a card that the cards ``over`` it and their shadows leave free."""
        return self._inside(card) & ~self.own(*over)

    def _blocks(self, cards: Iterable[Sighting], margin: float) -> Mask:
        """Return the blocks of cards widened by a margin (card lengths) on all sides."""
        mask = np.zeros(self._part.shape, np.bool_)
        for card in cards:
            mask |= self._part.inside(card.corners_px, margin * self._card_px)
        return mask

    def _is_bare(self, now: Small, where: Mask) -> bool:
        """True if the bare table is seen there."""
        if self._bare is None or where.sum() < 0.1 * self._part.card_blocks:
            return False
        return float(differs(now, self._bare)[where].mean()) < _BARE

    def _is_alone(self, now: Small, *tops: Sighting) -> bool:
        """True if the pile is gone except for its top card, in its old or a new place."""
        return len(self.cards) > 1 and self._is_bare(now, self._covered() & ~self.own(*tops))

    def _shows_what_was_under(self, top: Sighting, changed: Mask, now: Small, reading: Reading) -> bool:
        if self._is_as_under(self.own(top), now):
            return True
        uncovered = (card for card in reading.cards if self._is_uncovered(card, reading, changed))
        if any(self._share(changed, card) >= _HALF for card in uncovered):
            return True
        is_seen = len(self.cards) > 1 and any(_may_be(card, self.cards[-2]) for card in reading.cards)
        return is_seen and self._may_be_uncovered(top, now, reading)

    def _may_be_uncovered(self, top: Sighting, now: Small, reading: Reading) -> bool:
        """False if something else covers the top card's place: a card face down, or what looks otherwise than before
        it was laid."""
        if (self._inside(top) & self._inside(*reading.backs)).any():
            return False
        return not self._before or float(differs(now, self._before[-1])[self.own(top)].mean()) < _HALF

    def in_order(self, cards: list[Sighting], now: Small) -> list[Sighting]:
        """Return the cards from the lowest to the highest: an unreadable card is covered, and of two overlapping
        cards the edge of the upper one is seen all along inside the other."""
        if len(cards) <= 1:
            return cards
        lightness = now.pixels.mean(axis=2)
        steps = np.abs(np.diff(lightness, axis=0))[:, :-1] + np.abs(np.diff(lightness, axis=1))[:-1]

        def shown(card: Sighting) -> tuple[bool, float]:
            others = np.zeros(self._part.shape, np.bool_)
            for other in cards:
                if other is not card:
                    others |= self._part.inside(other.corners_px, -0.03 * self._card_px)
            return card.face != UNREAD, self._part.height_along(card.corners_px, steps, others)

        return sorted(cards, key=shown)
