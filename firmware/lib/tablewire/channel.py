"""One side of a conversation over a line that loses, doubles and damages bytes. No port and no clock of its own.

::

    commands = channel.receive(data, now)      # what the port gave
    channel.send("done", 41, 3, 3, "complete", ticks)
    port.write(channel.due(now))               # what the port is to take

Theory of operation. The host chooses a number for the session and greets with it; the Pico answers in that session, and
either side forgets what was under way in an older one. Inside a session each message that is meant `once` has a
number.
The receiver takes only the number that is due and drops the rest: a lower one came twice, a higher one means that
something before it was lost. Every line carries the last number taken; what was not acknowledged for `RESEND_MS` is
sent again, all of it, in order. So each message is carried out once and in order, or the session ends.

A session that was left is never taken up again, since its numbers would begin again: a greeting for it opens nothing.

Times are milliseconds that may wrap at 2^30, as the Pico's do.
"""

from tablewire.frame import NUMBERS, Decoder, Encoder, Frame, encode_text
from tablewire.messages import ALWAYS, FORM_OF, TICKS, Message, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RESEND_MS = 30
"""Time before a line is sent again: longer than a busy Pico takes to answer, short compared with a player's
patience."""

QUEUE = 32
"""Maximum number of messages that wait for an acknowledgement."""

_WRAP = TICKS - 1
_LEFT = 8
_SAID = 8


def elapsed(now: int, then: int) -> int:
    """Return the milliseconds from ``then`` to ``now``, across the wrap."""
    return (now - then) & _WRAP


class Session:
    """State of the conversation since a greeting. Number 0: there was no greeting, and no numbered message can be
    sent."""

    def __init__(self, number: int, now: int) -> None:
        self.number = number
        self.heard_at = now
        """Time (ms) of the last line from the other side."""
        self.waiting: list[tuple[str, tuple[int | str, ...]]] = []
        """Names and values of the messages that are not acknowledged yet, in order."""
        self._first = 1  # the number of the first that waits
        self._sent = 0  # how many of those that wait are on their way
        self._sent_at = now
        self._reached = 0  # the highest number that was ever sent
        self.taken = 0
        """The number of the last message taken from the other side."""
        self.owes = False
        """True while an acknowledgement is due."""

    def to_send(self, now: int) -> range:
        """Return the numbers of the messages to be sent now: new ones, or all that wait once more."""
        if self._sent and elapsed(now, self._sent_at) >= RESEND_MS:
            self._sent = 0
        if not self._sent:
            self._sent_at = now
        numbers = range(self._first + self._sent, self._first + len(self.waiting))
        self._sent = len(self.waiting)
        self._reached = max(self._reached, self._first + self._sent - 1)
        return numbers

    def message(self, number: int) -> tuple[str, tuple[int | str, ...]]:
        """Return name and values of a message that waits."""
        return self.waiting[number - self._first]

    def take(self, frame: Frame, now: int) -> bool:
        """Process the head of a line. Returns True if its message must be carried out."""
        if not self.number or frame.session != self.number:
            return False
        # Only the lower bits are on the line: of the numbers with these bits it is the last one that was sent.
        behind = (self._reached - frame.ack) & NUMBERS
        if behind > NUMBERS // 2:  # never sent
            return False
        self.heard_at = now
        arrived = self._reached - behind - self._first + 1
        if arrived > 0:
            self.waiting = self.waiting[arrived:]
            self._first += arrived
            self._sent = max(0, self._sent - arrived)
            self._sent_at = now
        if frame.message.once:
            self.owes = True
            if frame.number != (self.taken + 1) & NUMBERS:
                return False
            self.taken += 1
        return bool(frame.message.name != "ack")


class Channel:
    """One side of the conversation. ``incoming`` and ``outgoing``: the messages to and from this side, by name."""

    def __init__(self, incoming: dict[str, Message], outgoing: dict[str, Message]) -> None:
        self._decoder = Decoder(incoming)
        self._encoder = Encoder()
        self._outgoing = outgoing
        self._left: list[int] = []
        self._out: list[bytes] = []
        self.session = Session(0, 0)
        self.said = 0
        """Number of bytes, of those that `due` returned last, that belong to what was said."""
        self.lost = 0
        """Messages lost because the queue was full or no session was open."""

    @property
    def dropped(self) -> int:
        """Number of damaged lines."""
        return self._decoder.dropped

    @property
    def has_room(self) -> bool:
        """True if `send` would keep a message now."""
        return self.session.number > 0 and len(self.session.waiting) < QUEUE

    def open(self, number: int, now: int) -> bool:
        """Open a session and forget the messages of the previous one; returns False for a session that was left
        before."""
        self.close()
        if number in self._left:
            return False
        self.session = Session(number, now)
        return True

    def close(self) -> None:
        """Leave the session and forget its messages."""
        if self.session.number:
            self._left = self._left[1 - _LEFT :] + [self.session.number]
        self.session = Session(0, 0)

    def send(self, name: str, *values: int | str) -> bool:
        """Queue a message that is delivered exactly once. Returns False, and counts the message as lost, if there
        is no room. The values are not checked (`tablewire.messages.write` does that)."""
        if not self.has_room:
            self.lost += 1
            return False
        self.session.waiting.append((name, values))
        return True

    def say(self, name: str, *values: int | str) -> None:
        """Send a message that may get lost: a greeting, a ping, a pong."""
        if len(self._out) < _SAID:
            self._put(0, name, values)

    def receive(self, data: bytes, now: int) -> "Iterator[Frame]":
        """Yield the messages in ``data``, each once and in order, and those of any session that are taken always.

        Take every item before you ask for the next: the answer to a greeting (`open`) decides about the messages
        after it.
        """
        for frame in self._decoder.receive(data):
            if frame.message.name in ALWAYS or self.session.take(frame, now):
                yield frame

    def due(self, now: int) -> bytes:
        """Return the bytes to be written now. Allocates nothing if nothing is due."""
        session = self.session
        if not (self._out or session.waiting or session.owes):
            self.said = 0
            return b""
        self.said = sum([len(line) for line in self._out])
        for number in session.to_send(now):
            self._put(number, *session.message(number))
        if session.owes:
            self._put(0, "ack", ())
        out, self._out = self._out, []
        return b"".join(out)

    def _put(self, number: int, name: str, values: tuple[int | str, ...]) -> None:
        session = self.session
        session.owes = False
        if name in ALWAYS:
            line = encode_text(session.number, 0, session.taken, write(self._outgoing[name], values))
        else:
            line = self._encoder.encode(session.number, number, session.taken, FORM_OF[name], values)
        self._out.append(line)
