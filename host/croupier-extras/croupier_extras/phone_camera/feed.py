"""The protocol of the phone's page and the table: which phone is the camera, what a message holds, and when its picture
was taken.

Theory of operation of the times. The phone sends messages, and each is answered. A message left the phone at ``sent``
of its clock and arrived here later; the answer before it left here at ``answered`` of our clock and arrived there, at
``received``, later. So each message bounds the offset of the clocks from both sides, whatever the network delays.
Between messages the bounds widen by what two clocks may drift. The middle of the bounds is the estimate, half their
distance its uncertainty.
"""

from __future__ import annotations

import secrets
import struct
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from math import inf, isfinite
from typing import Final, Literal, Self

MOST_BYTES: Final = 4_000_000
"""Limit of a message: a picture of 1920 x 1080 has a tenth of it."""

LATE_S: Final = 1.5
"""Age from which a picture is dropped: by then the camera is reported to send nothing."""

DRIFT: Final = 600e-6
"""The largest difference in rate of two clocks: two crystals of 50 ppm, and 500 ppm by which a system slews its own."""

_HEAD: Final = struct.Struct("<?Iddddd")

State = Literal["waiting", "away", "hidden", "sending"]
"""``waiting``: no phone has come yet; ``away``: it does not answer; ``hidden``: its page cannot be seen, or its screen
is off."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the page, times in seconds of the phone's clock, but ``answered`` of ours.

    ``number``: of the message, 0 for the first one of a page. ``received``: 0 before the first answer. The picture was
    taken within ``span`` before ``taken``; ``jpeg``: empty without one. ``is_hidden``: nobody can see the page.
    """

    is_hidden: bool
    number: int
    sent: float
    answered: float
    received: float
    taken: float
    span: float
    jpeg: bytes

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Parse a message. Raises ValueError."""
        if not _HEAD.size <= len(data) <= MOST_BYTES:
            raise ValueError(f"a message of {len(data)} bytes")
        fields = _HEAD.unpack_from(data)
        message = cls(*(*fields, data[_HEAD.size :]))
        is_in_order = 0 <= message.received <= message.sent and message.taken <= message.sent
        if not (all(map(isfinite, fields)) and is_in_order and 0 <= message.span <= 1):
            raise ValueError("times that cannot be")
        return message

    def pack(self) -> bytes:
        """Return the message as the page sends it."""
        head = (self.is_hidden, self.number, self.sent, self.answered, self.received, self.taken, self.span)
        return _HEAD.pack(*head) + self.jpeg


class PhoneClock:
    """Converts the phone's times to ours."""

    def __init__(self) -> None:
        self._least, self._most, self._at = -inf, inf, 0.0

    def learn(self, message: Message, arrived: float) -> None:
        """Take in a message that arrived at this time of our clock."""
        least = message.answered - message.received if message.received else -inf
        most, since = arrived - message.sent, DRIFT * (arrived - self._at)
        low, high = max(least, self._least - since), min(most, self._most + since)
        # A phone's clock may stand still while it sleeps: then only the newest message counts.
        self._least, self._most = (low, high) if low <= high else (min(least, most), most)
        self._at = arrived

    def time(self, moment: float) -> tuple[float, float]:
        """Return our time of a moment of the phone's clock, and its uncertainty; infinite before the first answer."""
        return moment + (self._least + self._most) / 2, (self._most - self._least) / 2


def _hash(key: str) -> str:
    return sha256(key.encode()).hexdigest()


class PhoneFeed:
    """The phone that is the camera, and its messages. ``phone``: the hash of its key, "" for none; ``keep``: keeps that
    hash for the next start. ``show``: takes each picture (JPEG) with its time and the uncertainty (s of ``now``).
    ``tell``: called when `token`, `state` or `dropped` has changed.
    """

    def __init__(
        self, phone: str, keep: Callable[[str], None], show: Callable[[float, float, bytes], None],
        tell: Callable[[], None], now: Callable[[], float],
    ) -> None:  # fmt: skip
        self._phone, self._keep, self._show, self._tell, self._now = phone, keep, show, tell, now
        self.token = secrets.token_urlsafe(16)
        """Makes the next phone the camera, once."""
        self.state: State = "away" if phone else "waiting"
        self.dropped = 0
        """Pictures of this phone that came too late, or after a newer one."""
        self._begin()

    def _begin(self) -> None:
        self._clock, self._number, self._shown_t = PhoneClock(), -1, -inf

    def join(self, token: str) -> str | None:
        """Make the phone that shows the token the camera, in place of any other: its key; None for a wrong token."""
        if not compare_digest(token.encode(), self.token.encode()):
            return None
        key, self.token = secrets.token_urlsafe(32), secrets.token_urlsafe(16)
        self._phone = _hash(key)
        self._keep(self._phone)
        self._begin()
        self.state, self.dropped = "away", 0
        self._tell()
        return key

    def is_camera(self, key: str) -> bool:
        """True if this is the key of the phone that is the camera."""
        return compare_digest(_hash(key), self._phone)

    def leave(self) -> None:
        """Note that the phone has hung up."""
        self._set("away", self.dropped)

    def take(self, data: bytes) -> str:
        """Take in a message; returns the answer. Raises ValueError if it is not a message."""
        arrived, message = self._now(), Message.parse(data)
        if message.number == 0:
            self._begin()  # the page was loaded again, and has another clock
        is_newer, self._number = message.number > self._number, max(message.number, self._number)
        dropped = self.dropped
        if is_newer:
            self._clock.learn(message, arrived)
        if message.jpeg:
            t, u = self._clock.time(message.taken - message.span / 2)
            if is_newer and isfinite(u) and self._shown_t < t and arrived - t <= LATE_S:
                self._shown_t = t
                self._show(t, u + message.span / 2, message.jpeg)
            else:
                dropped += 1
        self._set("hidden" if message.is_hidden else "sending", dropped)
        return str(self._now())

    def _set(self, state: State, dropped: int) -> None:
        if (state, dropped) != (self.state, self.dropped):
            self.state, self.dropped = state, dropped
            self._tell()
