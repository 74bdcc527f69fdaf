"""The Pico's end of the line: takes commands, gives reports, and knows how long the host has been silent.

link = Link(Port(), "rp2-pico", "hardware", "power", boot)
while True:
    for name, values in link.poll():
        …
"""

import sys
from select import POLLIN, POLLOUT, poll

import micropython
from micropython import const
from pico import clock

from tablewire.channel import Channel, elapsed
from tablewire.messages import HEARD_BY_HOST, HEARD_BY_PICO, SCHEMA, SILENCE_MS, VERSION

_GREET_MS = const(1_000)
_MOST = const(256)
_PIECE = const(32)
_PIECES = const(4)
"""Pieces that are written in one round of the loop, so that none takes long."""
_PINGS = const(8)
_END = const(10)


class Port:
    """The USB serial line, as MicroPython gives it to standard input and output.

    ``began``: when the first byte of the last `read` was there (µs). ``is_behind``: did bytes wait after that?
    """

    def __init__(self):
        self._in, self._out = sys.stdin.buffer, sys.stdout.buffer
        self._ready = poll()
        self._ready.register(sys.stdin, POLLIN)
        self._room = poll()
        self._room.register(sys.stdout, POLLOUT)
        # Bound once: a method that is looked up and kept is an object.
        self._ipoll, self._take = self._ready.ipoll, self._in.readinto  # type: ignore[union-attr]  # see the stubs
        self._one, self._data = bytearray(1), bytearray(_MOST)
        self.began = 0
        self.is_behind = False

    @micropython.native
    def read(self):
        """Return the bytes that have arrived, at most 256, and to the end of a line: each line costs a round of the
        loop its time. If bytes waited after the last time, the end of a line ends nothing, so that no lines pile up.
        To read several bytes at once would wait for all of them."""
        ipoll, take = self._ipoll, self._take
        one, data = self._one, self._data  # four at once would make a tuple
        was_behind = self.is_behind
        n = 0
        while True:
            is_there = False
            for _ in ipoll(0):
                is_there = True
            self.is_behind = is_there
            if not is_there or n == _MOST or (n and one[0] == _END and not was_behind):
                break
            if n == 0:
                self.began = clock.ticks_us()
            if not take(one):
                break
            data[n] = one[0]
            n += 1
        return data[:n] if n else b""

    def write(self, data):
        """Write a piece where there is room; returns how many bytes were taken. A piece for which there is too little
        room, since the host stopped reading, takes half a second;
        afterwards nothing is taken until the host reads again."""
        if not self._room.poll(0):
            return 0
        return self._out.write(data[:_PIECE])


class Link:
    """The conversation with the host. ``board``, ``world``, ``cause``, ``boot``: fields of the greeting
    (`tablewire.messages`)."""

    def __init__(self, port, board, world, cause, boot):
        self._port = port
        self._hello = ("hello", VERSION, SCHEMA, board, world, cause, boot)
        self._channel = Channel(HEARD_BY_PICO, HEARD_BY_HOST)
        self._channel.say(*self._hello)
        self._greeted_at = clock.ticks_ms()
        self._out = b"\n"  # ends whatever line was cut off by the reset
        self._read_at = self._greeted_at
        self._asked = []  # the pings to be answered, and when each was read
        self._answered = 0  # the last ping that was answered
        self._written = (0, 0)  # the last ping whose answer was written, and when the end of that was
        self._writing = 0  # the ping whose answer is in `_out`
        self._to_end = -1  # how many bytes before its end are not written; -1: none is there
        self.is_busy = False
        """True if the next round of the loop is to write, not to read: what the last `poll` calls for, or what is left
        of it."""
        self.is_new_session = False
        """True if the last `poll` began a session: the host must get the state."""

    @property
    def is_silent(self):
        """True if there is no host, or it has been silent for too long."""
        return self._is_silent(clock.ticks_ms())

    @property
    def heard_at(self):
        """Time (ms) of the host's last line in its session."""
        return self._channel.session.heard_at

    @property
    def lost(self):
        """Reports that could not be kept since the start."""
        return self._channel.lost

    @property
    def has_room(self):
        """True if a report would be kept now."""
        return self._channel.has_room

    def report(self, name, *values):
        """Send a report exactly once; returns False if the queue is full or nobody is there. A report that ends
        with a time gets the present time by default."""
        if len(values) < len(HEARD_BY_HOST[name].fields):
            values += (clock.ticks_us(),)
        return self._channel.send(name, *values)

    def poll(self):
        """Return the commands that have arrived, pairs of name and values, each once and in order. Allocates nothing if
        nothing has come."""
        self.is_new_session = False
        if self.is_busy:
            self.is_busy = False  # a host that never stops gets its answers all the same
            return ()
        now, was_behind = clock.ticks_ms(), self._port.is_behind
        data = self._port.read()
        if not was_behind:
            self._read_at = now
        if not data:
            return ()
        commands: list[tuple[str, tuple[int | str, ...]]] = []
        # A line was not sent before its first byte was there; others may have come while this one was read.
        ticks = self._port.began if data.find(b"\n") == len(data) - 1 else clock.ticks_us()
        # What waited while earlier bytes were read does not prove that the host still speaks.
        for frame in self._channel.receive(data, self._read_at):
            name = frame.message.name
            if name == "hello":
                if self._greet(frame, self._read_at):
                    commands.clear()  # they are of a session that is over
                    self._asked.clear()
            elif name == "ping":
                if len(self._asked) < _PINGS:
                    self._asked.append((frame.values[0], ticks))
            else:
                commands.append((name, frame.values))
        self.is_busy = True
        return commands

    def flush(self):
        """Write what is due, unless this round of the loop has read already: then the next one writes, so that none
        takes long."""
        if not self.is_busy:
            self._write(clock.ticks_ms())

    def _greet(self, frame, now):
        """Answer a greeting; returns True if it opens a session. A greeting of another version, or for a session that
        was left, opens nothing."""
        channel = self._channel
        is_opened = False
        if frame.values != (VERSION, SCHEMA):
            channel.close()
        elif frame.session != channel.session.number:
            is_opened = self.is_new_session = channel.open(frame.session, now)
        else:
            channel.session.heard_at = now
        channel.say(*self._hello)
        return is_opened

    def _is_silent(self, now):
        session = self._channel.session
        return not session.number or elapsed(now, session.heard_at) >= SILENCE_MS

    def _write(self, now):
        # What a silent host does not read would only fill the buffers: it gets a greeting now and then.
        if not self._out:
            if not self._is_silent(now):
                for n, ticks in self._asked:
                    self._channel.say("pong", n, ticks, *self._written)
                    self._answered = n
                self._out = self._channel.due(now)
            elif elapsed(now, self._greeted_at) >= _GREET_MS:
                self._greeted_at = now
                self._channel.say(*self._hello)
                self._out = self._channel.due(now)
            # An answer is the last that was said; its end is the byte before what is numbered.
            is_answer = self._asked and not self._is_silent(now)
            self._to_end = self._channel.said - 1 if is_answer else -1
            self._writing = self._answered
            self._asked.clear()
        for _ in range(_PIECES):
            if not self._out:
                return
            ticks = clock.ticks_us()
            taken = self._port.write(self._out)
            if not taken:
                return
            self._out = self._out[taken:]
            if self._to_end >= 0:
                self._to_end -= taken
                if self._to_end < 0:
                    self._written = (self._writing, ticks)
        self.is_busy = bool(self._out)
