"""The serial line in virtual time: bytes that take their time, get lost, doubled, damaged or swapped, and a cable.

`HostLine` does with the real `Conversation` what `croupier.link.link.Link` does with it in its thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croupier.link.commands import Command
from croupier.link.conversation import TICK_S, Conversation, Event
from croupier.link.link import UNANSWERED_S
from croupier.retry import PORT
from tests.simulation.pico import Board
from tests.simulation.world import World

_FRAME_S: Final = (0.0005, 0.002)
"""USB brings bytes in frames of a millisecond."""


class Cable:
    """The cable between the host's port and the Pico. ``damage``: the chance that something befalls a piece of bytes;
    ``is_mute``: nothing comes through; ``lag_s``: bytes take so much longer."""

    def __init__(self, world: World, board: Board) -> None:
        self.world, self.board = world, board
        self.damage = 0.0
        self.is_mute = False
        self.lag_s = 0.0
        self.is_plugged_in = True
        self.has_port = False
        """True while the Pico shows its port."""
        self.to_host: Callable[[bytes], None] | None = None
        """Takes bytes, while the program has the port open."""
        self.on_gone: Callable[[], None] | None = None
        """Called when the port goes, while the program has it open."""
        self._chance = world.chance("cable")
        self._connection = 0
        self._next = {True: 0.0, False: 0.0}
        board.on_bytes = self._from_pico
        board.on_port = self._port

    @property
    def is_there(self) -> bool:
        """True while the host sees a port."""
        return self.is_plugged_in and self.has_port

    def plug(self, is_in: bool) -> None:
        """The cable is pulled, or put back. The Pico has another supply."""
        if is_in != self.is_plugged_in:
            self.is_plugged_in = is_in
            self.world.note("cable", "in" if is_in else "out")
            self._lose()

    def from_host(self, data: bytes) -> None:
        """The program writes."""
        self._carry(data, to_pico=True)

    def _from_pico(self, data: bytes) -> None:
        self._carry(data, to_pico=False)

    def _port(self, is_there: bool) -> None:
        self.has_port = is_there
        self._lose()

    def _lose(self) -> None:
        """What was under way is lost, and whoever has the port open hears that it is gone."""
        self._connection += 1
        if self.on_gone is not None and not self.is_there:
            self.on_gone()

    def _carry(self, data: bytes, *, to_pico: bool) -> None:
        if not self.is_there or self.is_mute:
            return
        if self.damage and self._chance.random() < self.damage:
            data = self._damaged(data)
        # In their order: a serial line brings no byte before an earlier one.
        at = max(self._next[to_pico], self.world.now + self._chance.uniform(*_FRAME_S) + self.lag_s)
        self._next[to_pico] = at
        self.world.at(at, self._arrive, self._connection, data, to_pico)

    def _arrive(self, connection: int, data: bytes, to_pico: bool) -> None:
        if connection != self._connection:
            return
        if to_pico:
            self.board.receive(data)
        elif self.to_host is not None:
            self.to_host(data)

    def _damaged(self, data: bytes) -> bytes:
        """Lose, double, damage or swap some of the bytes."""
        chance, out = self._chance, bytearray(data)
        first = chance.randrange(len(out))
        n = min(len(out) - first, chance.choice((1, 1, 2, 5, 40, 400)))
        match chance.randrange(5):
            case 0:
                del out[first : first + n]
            case 1:
                out[first:first] = out[first : first + n]
            case 2:
                out[first] ^= 1 << chance.randrange(8)
            case 3:
                out[first : first + n] = out[first : first + n][::-1]
            case _:
                out[first:first] = chance.randbytes(n)
        return bytes(out)


class HostLine:
    """The program's end of the cable; implements `croupier.devices.pico.Line`. ``now``: the table's clock (s).

    ``is_stalled``: the program's threads do not run."""

    trouble = ""

    def __init__(self, world: World, cable: Cable, now: Callable[[], float], on_news: Callable[[], None]) -> None:
        self._world, self._cable, self._now, self._on_news = world, cable, now, on_news
        chance = world.chance(f"session {world.now}")
        self._conversation = Conversation(lambda: chance.randrange(1, 1 << 16))
        self._is_open = self._is_ended = False
        self._heard = 0.0
        self._stalled: list[bytes] | None = None

    def start(self) -> None:
        """As `Line.start`."""
        self._find()

    def close(self) -> None:
        """As `Line.close`, and when the program was killed."""
        self._is_ended = True
        self._shut()

    def stall(self, is_stalled: bool) -> None:
        """The computer gives the program no time, or gives it time again."""
        if is_stalled:
            self._stalled = self._stalled if self._stalled is not None else []
        elif self._stalled is not None:
            data, self._stalled = b"".join(self._stalled), None
            if data:
                self._read(data)

    def send(self, command: Command) -> bool:
        """As `Line.send`."""
        self._world.point(f"before {command.message}")
        is_sent = self._conversation.send(command)
        self._world.note("send", command, "" if is_sent else "NOT SENT")
        if is_sent:
            self._write()
        self._world.point(f"after {command.message}")
        return is_sent

    def events(self) -> list[Event]:
        """As `Line.events`."""
        events = self._conversation.events()
        for event in events:
            self._world.note("event", event)
        if events:
            self._world.point("after events")
        return events

    def watermark(self) -> float:
        """As `Line.watermark`."""
        return self._conversation.watermark(self._now())

    # -- what the link's thread does -------------------------------------------------------------------------------

    def _find(self) -> None:
        if self._is_ended or self._is_open:
            return
        if not self._cable.is_there or self._stalled is not None:
            self.trouble = "no port"
            self._world.after(PORT.first_s, self._find)
            return
        self.trouble, self._is_open, self._heard = "", True, self._world.now
        self._cable.to_host, self._cable.on_gone = self._read, self._gone
        self._conversation.connected(self._now())
        self._tick()

    def _tick(self) -> None:
        if not self._is_open:
            return
        if self._stalled is None:
            self._write()
            if self._conversation.is_open:
                self._heard = self._world.now
            elif self._world.now - self._heard > UNANSWERED_S:
                self._gone()
                return
        self._world.after(TICK_S, self._tick)

    def _gone(self) -> None:
        self._shut()
        self._world.after(PORT.first_s, self._find)

    def _shut(self) -> None:
        if self._is_open:
            self._is_open = False
            self._cable.to_host = self._cable.on_gone = None
            self._conversation.disconnected(self._now())
            self._on_news()

    def _read(self, data: bytes) -> None:
        if self._stalled is not None:
            self._stalled.append(data)
            return
        if not self._is_open:
            return
        self._conversation.receive(data, self._now())
        self._write()
        self._on_news()

    def _write(self) -> None:
        if self._is_open and self._stalled is None and (data := self._conversation.due(self._now())):
            self._cable.from_host(data)
