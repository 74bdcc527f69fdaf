"""How alike two cards look, by two measures that do not depend on their names.

The **traits** are what the reader network has made of a card before it names it: its embedding, which tells apart
what it has learned to, and the features before it, still laid out as on the card, which tell apart what it has not. The
**print** is the straightened card itself, without its color and a little blurred: it tells one printer's card from
another's of the same face. Of both, the cosine is the likeness (-1…1).

What was learned of a deck, in one file of the user's own.

The file holds the straightened crops themselves, each with its face, and the fingerprint of the reader network they
were learned with. All else follows from them; with another network they are learned anew, without new photographs.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
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
from cardsight.geometry import CROP_H, CROP_W, Image
from croupier.cards import BACK, is_face

Vector = NDArray[np.float32]

BLUR: Final = 0.025
"""Blur of a print in card widths: what a soft lens or a corner a millimeter off takes away is taken from all alike."""


class Look(NamedTuple):
    """What a straightened card looks like: traits and print, of length 1; and what the network says: the probability
    of each of `classify.FACES`, and that it is a well placed card at all (0…1)."""

    traits: Vector
    print: Vector
    said: Vector
    is_card: float


def look(net: cv2.dnn.Net, cut: Image) -> Look:
    """The look of one crop (`rectify.cut`), as `cardsight.model.Model.reader` sees it."""
    (said,) = classify_crops(net, [cut])
    net.setInput(normalize_crops(cut))
    inner = np.asarray(net.forward(_body(net)), np.float32).ravel()
    traits = _unit(np.concatenate([_unit(said.embedding), _unit(inner)]))
    return Look(traits, print_of(cut), said.faces, 1 - float(said.kinds[NONE]))


def upside_down(cut: Image) -> Image:
    """The same crop turned by half: an outline may begin at either top-left corner."""
    return np.ascontiguousarray(cut[::-1, ::-1])


def most_alike(vector: Vector, others: Vector) -> Vector:
    """The likeness of ``vector`` to each of ``others`` (N, 2, D), upright or turned, whichever is more: (N,)."""
    return np.asarray((others @ vector).max(axis=1), np.float32)


def stacked(vectors: Sequence[Vector]) -> Vector:
    """Vectors of upright and turned cards, in turn, as `most_alike` wants them: (N, 2, D)."""
    return np.asarray(vectors, np.float32).reshape(len(vectors) // 2, 2, -1)


def print_of(cut: Image) -> Vector:
    """The print of one crop: the card without its outermost rim, at half size, how white it is at each point. The
    weakest channel tells that of all colors alike: in gray, yellow would be as good as white."""
    white = normalize_crops(cut)[0].min(axis=0)
    soft = cv2.GaussianBlur(white, (0, 0), BLUR * CROP_W)
    y, x = CROP_H // 10, CROP_W // 9
    inner = soft[y:-y:2, x:-x:2].ravel()
    return _unit(inner - inner.mean())


def _unit(vector: Vector) -> Vector:
    return np.asarray(vector / (np.linalg.norm(vector) + 1e-9), np.float32)


@cache
def _body(net: cv2.dnn.Net) -> str:
    """The name of the network's last ReLU layer before that of the embedding."""
    names = [str(name) for name in net.getLayerNames()]
    return [name for name in names if net.getLayer(net.getLayerId(name)).type == "ReLU"][-2]


VERSION: Final = 1
SURENESS: Final = 7.0
"""Natural log of how much likelier a face is that looks like itself than the one that is most like it. Measured: from 4
to 10 about as many cards are read right; the higher, the surer of them."""
STRANGE: Final = 0.8
"""Likeness to a face that was not learned, where fewer than two were; otherwise it is measured (`_gap`)."""
LEAST_GAP: Final = 0.07
"""Two pictures of one card differ by about half as much, so no smaller gap counts: the look of a card would decide by
what is chance in its picture."""


@dataclass(frozen=True, slots=True)
class Learned:
    """One card as it was learned: what it is (a face or ``back``) and its crop."""

    face: str
    cut: Image


class DeckProfile:
    """The cards learned of one deck, and how they look to the reader network ``net``.

    Add cards with `learn`; what was learned of a face, forget with `forget`.
    """

    def __init__(self, net: cv2.dnn.Net) -> None:
        self.net = net
        self.cards: list[Learned] = []
        self._looks: list[tuple[Look, Look]] = []
        self._known: _Known | None = None

    @property
    def faces(self) -> tuple[str, ...]:
        """What was learned, each face once, in the order of the reader's own list; others and ``back`` after it."""
        known = {card.face for card in self.cards}
        return (*(face for face in FACES if face in known), *sorted(known - {*FACES}))

    @property
    def is_strange(self) -> bool:
        """Whether the network took some of the learned cards for no cards at all, so that the finder may miss them."""
        return any(up.is_card < 0.5 for up, _ in self._looks)

    def learn(self, face: str, cut: Image) -> None:
        """Take in one more crop of ``face`` (or ``back``)."""
        self.cards.append(Learned(face, cut))
        self._looks.append((look(self.net, cut), look(self.net, upside_down(cut))))
        self._known = None

    def forget(self, face: str) -> int:
        """Forget all crops of ``face``; how many there were."""
        kept = [place for place, card in enumerate(self.cards) if card.face != face]
        gone = len(self.cards) - len(kept)
        self.cards = [self.cards[place] for place in kept]
        self._looks = [self._looks[place] for place in kept]
        self._known = None
        return gone

    def alike(self, seen: Look) -> tuple[Vector, Vector]:
        """How like each of ``cards`` a card looks, by traits and by print (-1…1)."""
        known = self._now()
        return most_alike(seen.traits, known.traits), most_alike(seen.print, known.prints)

    def prints(self) -> Vector:
        """The prints of each of ``cards``, upright and turned, (N, 2, D)."""
        return self._now().prints

    def by_print(self, seen: Look) -> tuple[float, float]:
        """How like the learned back, and how like the most similar learned face, a card is printed (-1…1)."""
        prints = self.alike(seen)[1]
        backs = np.array([card.face == BACK for card in self.cards])
        return max(prints[backs].tolist(), default=-1.0), max(prints[~backs].tolist(), default=-1.0)

    def taken_for(self, face: str, seen: Look) -> str | None:
        """Which other learned face a card said to be ``face`` looks like, or ``None`` where nothing speaks against it.

        It does where it looks more like that one than like what was learned of ``face``, by half of what the deck's
        faces differ in; or, where nothing was learned of ``face`` yet, as if it were that one.
        """
        if not self.cards:
            return None
        known = self._now()
        alike: dict[str, float] = {}
        for card, likeness in zip(self.cards, most_alike(seen.traits, known.traits).tolist(), strict=True):
            alike[card.face] = max(likeness, alike.get(card.face, -1.0))
        own = alike.pop(face, 1 - known.gap / 4 - known.gap / 2)
        other = max(alike, key=lambda name: alike[name], default=None)
        return other if other is not None and alike[other] > own + known.gap / 2 else None

    def weighed(self, chances: NDArray[np.float64], seen: Look) -> dict[str, float]:
        """The probability of every face, from ``chances`` of `classify.FACES` by the network and the card's look.

        As Bayes would (1763): a face is the likelier the more the card looks like what was learned of it. What the
        network took the learned card for counts as a name of that face too, so that a print that it misreads, or a
        face that it has no name for, is read by its look.
        """
        known = self._now()
        traits = most_alike(seen.traits, known.traits)
        near = np.array([traits[places].max() if places else 1 - known.gap for places in known.places])
        odds = np.log(known.meant @ chances + 1e-9) + near * SURENESS / known.gap
        odds = np.exp(odds - odds.max())
        return dict(zip(known.names, (odds / odds.sum()).tolist(), strict=True))

    def _now(self) -> _Known:
        if self._known is None:
            self._known = _known([card.face for card in self.cards], self._looks)
        return self._known

    def to_bytes(self, fingerprint: str) -> bytes:
        """The content of its file; ``fingerprint`` is that of the model."""
        faces = np.array([card.face for card in self.cards])
        cuts = np.array([card.cut for card in self.cards], np.uint8).reshape(-1, CROP_H, CROP_W, 3)
        content = io.BytesIO()
        np.savez_compressed(content, version=VERSION, model=fingerprint, faces=faces, cuts=cuts)
        return content.getvalue()


@dataclass(frozen=True, slots=True)
class _Known:
    """What follows from the cards learned. ``traits`` and ``prints``: of each card, upright and turned, (N, 2, D).

    ``names``: all faces that can be told; ``places``: which cards are learned of each; ``meant``: how likely the
    network calls each by each of `FACES`. ``gap``: how much less like it than itself the most similar other face is.
    """

    traits: Vector
    prints: Vector
    names: tuple[str, ...]
    places: tuple[list[int], ...]
    meant: NDArray[np.float64]
    gap: float


def _known(faces: list[str], looks: list[tuple[Look, Look]]) -> _Known:
    traits = stacked([one.traits for both in looks for one in both])
    prints = stacked([one.print for both in looks for one in both])
    names = (*FACES, *sorted({*faces} - {*FACES, BACK}))
    places = tuple([place for place, face in enumerate(faces) if face == name] for name in names)
    meant = np.zeros((len(names), len(FACES)))
    meant[: len(FACES)] = np.eye(len(FACES))
    for row, learned in enumerate(places):
        if learned:
            said = np.mean([one.said for place in learned for one in looks[place]], axis=0)
            meant[row] = (meant[row] + said) / (2 if row < len(FACES) else 1)
    return _Known(traits, prints, names, places, meant, _gap(faces, traits))


def _gap(faces: list[str], traits: Vector) -> float:
    """The middle over all cards of 1 - the greatest likeness to a card of another face."""
    up = np.array([face != BACK for face in faces])
    other = np.array([[one != another for another in faces] for one in faces]).reshape(len(faces), len(faces))
    if not other[up][:, up].any():
        return 1 - STRANGE
    alike = np.stack([most_alike(upright, traits) for upright in traits[:, 0]])
    nearest = np.where(other, alike, -1.0)[up][:, up].max(axis=1)
    return max(float(1 - np.median(nearest)), LEAST_GAP)


def load(path: Path, model: models.Model, fingerprint: str, *, renew: bool = False) -> DeckProfile:
    """The profile in a file.

    Raises:
        NotAProfile: there is none; the text says why and what to do.
        OtherModel: it was learned with another model than the one of ``fingerprint``; ``renew`` learns it anew.
    """
    try:
        with np.load(path, allow_pickle=False) as held:
            version, learned_with = int(held["version"]), str(held["model"])
            faces, cuts = [str(face) for face in held["faces"]], np.asarray(held["cuts"])
    except FileNotFoundError:
        raise NotAProfile("no such file; make it with croupier enroll") from None
    except OSError as fault:
        raise NotAProfile(
            f"cannot be opened, {fault.strerror or fault}; expected a file made by croupier enroll"
        ) from fault
    except Exception as fault:  # a damaged file leads zip, zlib and NumPy to raise of many kinds
        raise NotAProfile(
            "this is no deck profile, or it is damaged; expected a file made by croupier enroll"
        ) from fault
    if version != VERSION:
        raise NotAProfile(f"a deck profile of version {version}; expected version {VERSION}, enroll the deck anew")
    _check(faces, cuts)
    if learned_with != fingerprint and not renew:
        raise OtherModel("learned with another version of the card reader; run croupier enroll with --renew on it")
    profile = DeckProfile(model.reader)
    for face, cut in zip(faces, cuts, strict=True):
        profile.learn(face, np.ascontiguousarray(cut))
    return profile


def _check(faces: Iterable[str], cuts: NDArray[np.uint8]) -> None:
    faces = list(faces)
    if cuts.dtype != np.uint8 or cuts.ndim != 4 or cuts.shape[0] != len(faces) or cuts.shape[1:] != (CROP_H, CROP_W, 3):
        expected = f"{len(faces)} pictures of {CROP_W}x{CROP_H} pixels"
        raise NotAProfile(f"its cards are stored in another form; expected {expected}, enroll the deck anew")
    for face in faces:
        if not is_face(face) and face != BACK:
            raise NotAProfile(f"it holds a card named {face!r}, which no deck has; enroll the deck anew")
