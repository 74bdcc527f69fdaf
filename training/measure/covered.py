"""Cards under others: how many are read, by the fraction that is visible, and how many sums are silently short.

The scenes are composed of real cards as people hold and lay them (`sets.laid`): hands fanned close and wide, close fans
of three, piles. Each is read as `croupier tally` reads it. A picture is silently short if a card is missing in the
answer and no ``?`` says so: then a sum is too low, and nobody is told. Of a picture in which no card is found there is
no sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Final

from cardsight.card_reader import CardReader
from cardsight.explanation import CloseReader
from cardsight.geometry import length
from cardsight.layout import LayoutModel
from cardsight.model import Model
from cardsight.reader import Reader
from cardsight.track.blocks import Part
from cardsight.track.cards import read_part
from croupier.pictures.readings import points_of
from croupier_rules.cards import DECKS, UNREAD
from croupier_tally.tally import Hand
from training.measure import sets
from training.measure.calibration import HIGH
from training.measure.judging import Result, Scene
from training.photos import DRAWN_ON, Photo

SHARES = (0.15, 0.22, 0.3, 0.4, 0.55)
"""Visible fractions of the table: each card counts for the nearest one."""
LIMITS = (0.12, 0.65)
"""Visible fractions between which a card counts as covered."""
VISIBLE = 0.05
"""Visible fraction below which nobody misses a card."""
KINDS = {"hand": 0.5, "close fan": 0.25, "pile": 0.25}
"""Fraction of the scenes of each kind."""
SERIES = "report"


def scenes(photos: Sequence[Photo], sources: Sequence[str], count: int, series: str = SERIES) -> Iterator[Scene]:
    """Yield about ``count`` scenes composed of the cards of these sources."""
    able = [
        material
        for source in sources
        if source not in DRAWN_ON and (own := [photo for photo in photos if photo.source == source])
        if (material := sets.photographed(own, sets.of_group(source, photos), series))
    ]
    for material in able:
        yield from sets.laid(
            material, {kind: max(1, round(share * count / len(able))) for kind, share in KINDS.items()}, series
        )


LOOKS: Final = ("at a glance", "then closely")
"""How a running table reads a hand."""


def by_share(results: Sequence[Result]) -> list[dict[str, float]]:
    """Return, for each of `SHARES`, how many covered cards are read, ``?`` or missed, and how many of those with a
    visible index are read. Without an index, little more than the color of a card may be visible."""
    rows = []
    for share in SHARES:
        cards = [
            (card, state)
            for result in results
            for card, state in zip(result.scene.cards, result.states, strict=True)
            if LIMITS[0] <= card.seen < LIMITS[1] and min(SHARES, key=lambda one: abs(one - card.seen)) == share
        ]
        states, named = [state for _, state in cards], [state for card, state in cards if card.corner]
        read, read_by_index = states.count("read"), named.count("read")
        rows.append(
            {
                "seen": share,
                "cards": len(states),
                "read": read,
                "unsure": states.count("?"),
                "missed": states.count("missed"),
                "right": round(read / max(1, len(states)), 3),
                "with index": len(named),
                "right there": round(read_by_index / max(1, len(named)), 3),
            }
        )
    return rows


def is_silently_short(result: Result) -> bool:
    """True if a visible card is neither read nor ``?``, and neither a ``?``, nor cards that may hide others, nor a
    picture without cards stops the sum."""
    stops = not result.reading.cards or is_asked(result) or result.reading.may_hide
    return not stops and ("missed" in _visible(result) or bool(result.wrong))


def is_whole(result: Result) -> bool:
    """True if every visible card is read and no face is wrong: each ``?`` is then a needless question."""
    return all(state == "read" for state in _visible(result)) and not result.wrong


def is_asked(result: Result) -> bool:
    """True if the answer holds a ``?``."""
    return any(card.face == "?" for card in result.reading.cards)


def sum_of(result: Result, *, is_counted: bool = False) -> int | None:
    """Return the sum that `croupier tally` tells, None if it tells none. ``is_counted``: it is also told how many cards
    there are."""
    hand = Hand(len(result.scene.cards) if is_counted else None)
    hand.see(result.counted if is_counted and result.counted is not None else result.reading)
    return hand.score(partial=False)


def is_wrong(told: int, result: Result) -> bool:
    """True if the sum that was told is not that of the scene."""
    return Hand(None, [points_of(card.face) for card in result.scene.cards]).score(partial=False) != told


def _visible(result: Result) -> list[str]:
    """Return what became of the visible cards."""
    cards = zip(result.scene.cards, result.states, strict=True)
    return [state for card, state in cards if card.seen >= VISIBLE]


def summary(name: str, results: Sequence[Result]) -> dict[str, float | str]:
    """Return the row of a kind of scene: pictures, silently short ones, whole ones and those of them with a needless
    question, sums and the wrong ones, both also if the number of cards is told, faces reported, and the wrong ones."""
    whole = [result for result in results if is_whole(result)]
    sums, counted = (
        [is_wrong(told, result) for result in results if (told := sum_of(result, is_counted=is_counted)) is not None]
        for is_counted in (False, True)
    )
    reported = [(s.confidence, right) for result in results for s, right in result.reported]
    sure = [right for confidence, right in reported if confidence > HIGH]
    return {
        "scenes": name,
        "pictures": len(results),
        "exact": sum(result.exact for result in results),
        "silently short": sum(map(is_silently_short, results)),
        "whole": len(whole),
        "whole, yet asked": sum(map(is_asked, whole)),
        "sums": len(sums),
        "wrong sums": sums.count(True),
        "sums if counted": len(counted),
        "wrong sums if counted": counted.count(True),
        "faces": len(reported),
        "wrong": sum(not right for _, right in reported),
        "above 0.9": len(sure),
        "wrong above 0.9": sure.count(False),
        "ms": round(sum(result.ms for result in results) / max(1, len(results)), 1),
    }


def at_the_table(model: Model, fitted: LayoutModel, scenes: Iterable[Scene]) -> list[dict[str, float | str]]:
    """Return, for each kind of scene, how many a running table takes for complete, and how many of those are not: at a
    glance, and with a close look. It knows the deck, the length of its cards, and how many the hand has."""
    rows = dict[str, Counter[str]]()
    for scene in scenes:
        row, image = rows.setdefault(scene.kind, Counter()), scene.picture()
        row["pictures"] += 1
        long = median(length(card.quad) for card in scene.cards if card.quad is not None)
        part = Part((0, 0, image.shape[1], image.shape[0]), long)
        true = sorted(card.face.removesuffix("*") for card in scene.cards)
        closely = CloseReader(Reader(model), model, fitted, number=len(true))
        readers: dict[str, CardReader] = {LOOKS[0]: Reader(model), LOOKS[1]: closely}
        for look, reader in readers.items():
            cards = read_part(reader, part, long, image, DECKS["official-el"], top_only=False).cards
            read = sorted(card.face.removesuffix("*") for card in cards)
            if len(read) == len(true) and UNREAD not in read:
                row.update({look: 1, f"wrong {look}": int(read != true)})
                break
    names = ("pictures", *(name for look in LOOKS for name in (look, f"wrong {look}")))
    return [{"scenes": kind, **{name: row[name] for name in names}} for kind, row in rows.items()]


def misread(results: Sequence[Result]) -> list[dict[str, str]]:
    """Return every wrong face, and every silently short picture, by name."""
    rows = []
    for result in results:
        missing = [
            f"{card.face} ({card.seen:.2f} seen)"
            for card, state in zip(result.scene.cards, result.states, strict=True)
            if state == "missed" and card.seen >= VISIBLE
        ]
        short = ", ".join(missing) if is_silently_short(result) else ""
        wrong = ", ".join(f"{s.face} {s.confidence:.3f}" for s in result.wrong)
        if short or wrong:
            rows.append({"picture": result.scene.name, "silently missing": short, "wrong": wrong})
    return rows
