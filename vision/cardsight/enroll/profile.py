"""Deck profile: the learned cards of one deck, their similarity to a crop, and their file.

Two measures compare crops, whatever their names. The **traits** are features of the reader network: its embedding,
which separates the faces it was trained on, and the feature map before it, which separates others. The **print** is the
crop without color, slightly blurred: it distinguishes printings of one face. The similarity is the cosine (-1…1) of
both.

The file holds the crops, their faces, and the fingerprint of the reader network. Everything else is computed from them,
so a new network needs no new photographs.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight import model as models
from cardsight.classify import FACES, NONE, classify_crops, normalize_crops
from cardsight.errors import NotAProfile, OtherModel
from cardsight.geometry import CROP_H, CROP_W, Image, Quad
from cardsight.light import degrees_between, panel_color
from cardsight.networks import Network
from croupier_rules.cards import BACK, color_of, is_name

Vector = NDArray[np.float32]

BLUR: Final = 0.025
"""Blur of a print (card widths): it hides a soft lens, or corners that are off by a millimeter, in all crops alike."""


class CardFeatures(NamedTuple):
    """Features of a crop: traits and print, of length 1; the network's probabilities (0…1) of each of
    `classify.FACES` and of a well placed card; the corners (4, 2) of the card in the crop (px); and the color of its
    panel (`light.panel_color`)."""

    traits: Vector
    print: Vector
    faces: Vector
    is_card: float
    corners: Quad
    panel: complex | None


def extract_features(net: Network, crop: Image) -> CardFeatures:
    """Extract the features of a crop (`geometry.warp_crop`). ``net``: the reader network."""
    (classified,) = classify_crops(net, [crop])
    planes = normalize_crops(crop)
    (inner,) = net.layers(planes, [_body(net[planes.shape])])
    traits = _unit(np.concatenate([_unit(classified.embedding), _unit(inner.ravel())]))
    is_card = 1 - float(classified.kinds[NONE])
    return CardFeatures(traits, print_of(crop), classified.faces, is_card, classified.corners, panel_color(crop))


def upside_down(crop: Image) -> Image:
    """Return the crop rotated by 180°: an outline may begin at either top-left corner."""
    return np.ascontiguousarray(crop[::-1, ::-1])


def similarities(vector: Vector, others: Vector) -> Vector:
    """Return the similarity (N,) of ``vector`` to each of ``others`` (N, 2, D), upright or rotated, whichever is
    greater."""
    return np.asarray((others @ vector).max(axis=1), np.float32)


def stacked(vectors: Sequence[Vector]) -> Vector:
    """Stack vectors of upright and rotated cards, in turn, for `similarities`: (N, 2, D)."""
    return np.asarray(vectors, np.float32).reshape(len(vectors) // 2, 2, -1)


def print_of(crop: Image) -> Vector:
    """Return the print of a crop: its whiteness without the rim, at half size. The weakest channel measures whiteness
    for all colors alike; in gray, yellow would nearly equal white."""
    white = normalize_crops(crop)[0].min(axis=0)
    soft = cv2.GaussianBlur(white, (0, 0), BLUR * CROP_W)
    y, x = CROP_H // 10, CROP_W // 9
    inner = soft[y:-y:2, x:-x:2].ravel()
    return _unit(inner - inner.mean())


def _unit(vector: Vector) -> Vector:
    return np.asarray(vector / (np.linalg.norm(vector) + 1e-9), np.float32)


@cache
def _body(net: cv2.dnn.Net) -> str:
    """Return the name of the last ReLU layer before that of the embedding."""
    names = [str(name) for name in net.getLayerNames()]
    return [name for name in names if net.getLayer(net.getLayerId(name)).type == "ReLU"][-2]


VERSION: Final = 1
SURENESS: Final = 7.0
"""Natural log of the likelihood ratio between a face and the face most similar to it. From 4 to 10 about as many cards
are read right; higher values give higher confidence."""
STRANGE: Final = 0.8
"""Assumed similarity to a face that was not learned, if fewer than two faces were; else it is measured (`_gap`)."""
LEAST_GAP: Final = 0.07
"""Minimum gap. Two pictures of one card differ by about half of it; with a smaller gap, chance would decide."""


ALIKE: Final = 4.0
"""Log odds between two learned faces below which they look alike: a new picture of a card is about half a gap less
similar than its own crop, which costs half of `SURENESS`. Chosen with `python -m training.measure.look_alikes`."""

HUE_DEG: Final = 6.0
"""Standard deviation of the hue of one panel under two lamps: mostly 0.1 to 3 degrees in drawn editions under drawn
lamps (`training.measure.own_deck`); the nearest colors of these are 20 apart."""
MOST_HUE: Final = 8.0
"""Most that a hue lowers the log odds of a face."""
HUE_UNKNOWN: Final = 2.0
"""What a face loses of which no color was learned."""
OTHER_HUE_DEG: Final = 3 * HUE_DEG
"""Difference from which two cards have two colors."""


class LookAlikes(NamedTuple):
    """Two learned faces that a profile may mistake for each other, and the similarity (-1…1) of their cards."""

    faces: tuple[str, str]
    similarity: float


@dataclass(frozen=True, slots=True)
class Learned:
    """A learned card: its face (or ``back``) and its crop."""

    face: str
    crop: Image


class DeckProfile:
    """The learned cards of one deck, and their features by the reader network ``net``."""

    def __init__(self, net: Network) -> None:
        self.net = net
        self.cards: list[Learned] = []
        self._features: list[tuple[CardFeatures, CardFeatures]] = []
        self._derived: _Derived | None = None

    @property
    def faces(self) -> tuple[str, ...]:
        """The learned faces, each once, in the order of `classify.FACES`; then others and ``back``."""
        learned = {card.face for card in self.cards}
        return (*(face for face in FACES if face in learned), *sorted(learned - {*FACES}))

    @property
    def has_unusual_print(self) -> bool:
        """True if the network takes some learned cards for no cards, so that the detector may miss them."""
        return any(up.is_card < 0.5 for up, _ in self._features)

    def learn(self, face: str, crop: Image) -> None:
        """Add a crop of ``face`` (or ``back``)."""
        self.cards.append(Learned(face, crop))
        self._features.append((extract_features(self.net, crop), extract_features(self.net, upside_down(crop))))
        self._derived = None

    def forget(self, face: str) -> int:
        """Remove all crops of ``face``; return their number."""
        rest = [place for place, card in enumerate(self.cards) if card.face != face]
        gone = len(self.cards) - len(rest)
        self.cards = [self.cards[place] for place in rest]
        self._features = [self._features[place] for place in rest]
        self._derived = None
        return gone

    def similarity(self, seen: CardFeatures) -> tuple[Vector, Vector]:
        """Return the similarity of a crop to each of ``cards``, by traits and by print (-1…1)."""
        learned = self._current()
        return similarities(seen.traits, learned.traits), similarities(seen.print, learned.prints)

    def prints(self) -> Vector:
        """The prints of ``cards``, upright and rotated, (N, 2, D)."""
        return self._current().prints

    def by_print(self, seen: CardFeatures) -> tuple[float, float]:
        """Return the print similarity (-1…1) to the learned back, and to the most similar learned face."""
        prints = self.similarity(seen)[1]
        backs = np.array([card.face == BACK for card in self.cards])
        return max(prints[backs].tolist(), default=-1.0), max(prints[~backs].tolist(), default=-1.0)

    def conflicting_face(self, face: str, seen: CardFeatures) -> str | None:
        """Return another learned face that a card of the stated ``face`` resembles; ``None`` if nothing contradicts the
        statement.

        The similarity must exceed that to ``face`` by half of the deck's gap between faces. A ``face`` not learned yet
        counts as slightly less similar than the same card.
        """
        if not self.cards:
            return None
        learned = self._current()
        similarity: dict[str, float] = {}
        alike = similarities(seen.traits, learned.traits).tolist()
        for card, (features, _), value in zip(self.cards, self._features, alike, strict=True):
            if _have_other_hues(seen.panel, features.panel):
                continue
            similarity[card.face] = max(value, similarity.get(card.face, -1.0))
        own = similarity.pop(face, 1 - learned.gap / 4 - learned.gap / 2)
        other = max(similarity, key=lambda name: similarity[name], default=None)
        return other if other is not None and similarity[other] > own + learned.gap / 2 else None

    def weighted(self, chances: NDArray[np.float64], seen: CardFeatures) -> dict[str, float]:
        """Return the probability of every face by Bayes' rule, from the network's ``chances`` of `classify.FACES` and
        the similarity to the learned cards.

        What the network takes a learned card for counts as a name of its face. So a print that it misreads, or a face
        that it does not know, is read by similarity. The network calls a color that it has not learned by the nearest
        that it has: the hue of the panel tells the colors apart that were learned.
        """
        odds = self._log_odds(chances, seen)
        odds = np.exp(odds - odds.max())
        return dict(zip(self._current().names, (odds / odds.sum()).tolist(), strict=True))

    def look_alikes(self) -> list[LookAlikes]:
        """Return the pairs of learned faces whose `odds_between` are below `ALIKE`, the most similar first."""
        alike = [pair for pair, odds in self.odds_between().items() if odds < ALIKE]
        return sorted((LookAlikes(pair, self._similarity(*pair)) for pair in alike), key=lambda one: -one.similarity)

    def odds_between(self) -> dict[tuple[str, str], float]:
        """Return, for each two learned faces, the least log odds of one of them against the other that the profile
        gives for one of its own cards. A face with the icon and without it are no pair: the icon is another network's.
        """
        odds = dict[tuple[str, str], float]()
        if not self.cards:
            return odds
        learned = self._current()
        places = {name: place for place, name in enumerate(learned.names) if learned.places[place]}
        for card, (seen, _) in zip(self.cards, self._features, strict=True):
            if card.face == BACK:
                continue
            told = self._log_odds(seen.faces.astype(np.float64), seen)
            for other, place in places.items():
                if other.rstrip("*") != card.face.rstrip("*"):
                    pair = min(card.face, other), max(card.face, other)
                    against = float(told[places[card.face]] - told[place])
                    odds[pair] = min(against, odds.get(pair, against))
        return odds

    def _similarity(self, one: str, other: str) -> float:
        """Return the similarity (-1…1) of the two most similar cards of two learned faces."""
        learned = self._current()
        of_one, of_other = (learned.traits[learned.places[learned.names.index(face)]] for face in (one, other))
        return max(float(similarities(upright, of_other).max()) for upright in of_one[:, 0])

    def _log_odds(self, chances: NDArray[np.float64], seen: CardFeatures) -> NDArray[np.float64]:
        """Return the log odds of each of `_Derived.names`, but for a constant. See `weighted`."""
        learned = self._current()
        traits = similarities(seen.traits, learned.traits)
        near = np.array([traits[places].max() if places else 1 - learned.gap for places in learned.places])
        odds = np.log(learned.meant @ chances + 1e-9) + near * SURENESS / learned.gap - self._off_hue(seen.panel)
        return np.asarray(odds, np.float64)

    def has_other_hue(self, face: str, seen: CardFeatures) -> bool:
        """True if the panel of a card has none of the hues that were learned of the color of ``face``."""
        own = self._current().panels.get(color_of(face), ())
        return len(own) > 0 and all(_have_other_hues(seen.panel, one) for one in own)

    def _off_hue(self, panel: complex | None) -> NDArray[np.float64] | float:
        """Return how much each face loses by the hue of a card: it is compared with all learned cards of its color."""
        learned = self._current()
        if panel is None or not learned.panels:
            return 0.0
        lost = {
            color: min(min(degrees_between(panel, one) for one in some) ** 2 / (2 * HUE_DEG**2), MOST_HUE)
            for color, some in learned.panels.items()
        }
        return np.array([lost.get(color_of(face), HUE_UNKNOWN) for face in learned.names])

    def _current(self) -> _Derived:
        if self._derived is None:
            self._derived = _derived([card.face for card in self.cards], self._features)
        return self._derived

    def to_bytes(self, fingerprint: str) -> bytes:
        """Return the content of the file. ``fingerprint``: that of the model."""
        return to_bytes(self.cards, fingerprint)


@dataclass(frozen=True, slots=True)
class _Derived:
    """Values computed from the learned cards. ``traits`` and ``prints``: of each card, upright and rotated, (N, 2, D).

    ``names``: all possible faces. ``places``: indices of the cards of each. ``meant``: probability that the network
    calls each by each of `FACES`. ``gap``: 1 - similarity of the most similar other face. ``panels``: the colors of the
    learned panels, by the color of their face.
    """

    traits: Vector
    prints: Vector
    names: tuple[str, ...]
    places: tuple[list[int], ...]
    meant: NDArray[np.float64]
    gap: float
    panels: Mapping[str | None, list[complex]]


def _derived(faces: list[str], features: list[tuple[CardFeatures, CardFeatures]]) -> _Derived:
    traits = stacked([one.traits for both in features for one in both])
    prints = stacked([one.print for both in features for one in both])
    names = (*FACES, *sorted({*faces} - {*FACES, BACK}))
    places = tuple([place for place, face in enumerate(faces) if face == name] for name in names)
    meant = np.zeros((len(names), len(FACES)))
    meant[: len(FACES)] = np.eye(len(FACES))
    for row, learned in enumerate(places):
        if learned:
            classified = np.mean([one.faces for place in learned for one in features[place]], axis=0)
            meant[row] = (meant[row] + classified) / (2 if row < len(FACES) else 1)
    panels = defaultdict[str | None, list[complex]](list)
    for face, (up, _) in zip(faces, features, strict=True):
        if up.panel is not None and face != BACK and color_of(face) is not None:
            panels[color_of(face)].append(up.panel)
    return _Derived(traits, prints, names, places, meant, _gap(faces, traits), panels)


def _have_other_hues(one: complex | None, other: complex | None) -> bool:
    return one is not None and other is not None and degrees_between(one, other) > OTHER_HUE_DEG


def _gap(faces: list[str], traits: Vector) -> float:
    """Return the median over all cards of 1 - the greatest similarity to a card of another face."""
    up = np.array([face != BACK for face in faces])
    other = np.array([[one != another for another in faces] for one in faces]).reshape(len(faces), len(faces))
    if not other[up][:, up].any():
        return 1 - STRANGE
    similarity = np.stack([similarities(upright, traits) for upright in traits[:, 0]])
    nearest = np.where(other, similarity, -1.0)[up][:, up].max(axis=1)
    return max(float(1 - np.median(nearest)), LEAST_GAP)


def to_bytes(cards: Sequence[Learned], fingerprint: str) -> bytes:
    """Return the content of a profile with these cards. ``fingerprint``: that of the model."""
    faces = np.array([card.face for card in cards], np.str_)
    crops = np.array([card.crop for card in cards], np.uint8).reshape(-1, CROP_H, CROP_W, 3)
    content = io.BytesIO()
    np.savez_compressed(content, version=VERSION, model=fingerprint, faces=faces, cuts=crops)
    return content.getvalue()


def load(path: Path, model: models.Model, fingerprint: str, *, renew: bool = False) -> DeckProfile:
    """Load a profile.

    Raises:
        NotAProfile: there is none; the text names the fault and the remedy.
        OtherModel: it was learned with another model than that of ``fingerprint``; ``renew`` computes it again.
    """
    cards, learned_with = load_cards(path)
    if learned_with != fingerprint and not renew:
        raise OtherModel("learned with another version of the card reader; run croupier enroll with --renew on it")
    profile = DeckProfile(model.reader)
    for card in cards:
        profile.learn(card.face, card.crop)
    return profile


def load_cards(path: Path) -> tuple[list[Learned], str]:
    """Load the cards of a profile, and the fingerprint of the model that learned them. Raises `NotAProfile`."""
    try:
        with np.load(path, allow_pickle=False) as held:
            version, learned_with = int(held["version"]), str(held["model"])
            faces, crops = [str(face) for face in held["faces"]], np.asarray(held["cuts"])
    except FileNotFoundError:
        raise NotAProfile("no such file; make it with croupier enroll") from None
    except OSError as fault:
        raise NotAProfile(
            f"cannot be opened, {fault.strerror or fault}; expected a file made by croupier enroll"
        ) from fault
    except Exception as fault:  # a damaged file makes zip, zlib and NumPy raise errors of many kinds
        raise NotAProfile(
            "this is no deck profile, or it is damaged; expected a file made by croupier enroll"
        ) from fault
    if version != VERSION:
        raise NotAProfile(f"a deck profile of version {version}; expected version {VERSION}, enroll the deck anew")
    _check(faces, crops)
    return [Learned(face, np.ascontiguousarray(crop)) for face, crop in zip(faces, crops, strict=True)], learned_with


def _check(faces: Iterable[str], crops: NDArray[np.uint8]) -> None:
    faces = list(faces)
    if crops.dtype != np.uint8 or crops.shape != (len(faces), CROP_H, CROP_W, 3):
        raise NotAProfile(
            f"its cards are stored in another form; expected {len(faces)} pictures of {CROP_W}x{CROP_H} pixels, enroll "
            "the deck anew"
        )
    for face in faces:
        if not is_name(face):
            raise NotAProfile(f"it holds a card named {face!r}, which is no name of a card; enroll the deck anew")
