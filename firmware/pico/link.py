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

_GREET_MS = const(1000)
_MOST = const(256)
_PIECE = const(32)


class Port:
    """The USB serial line, as MicroPython gives it to standard input and output. Nothing here waits for the host."""

    def __init__(self):
        micropython.kbd_intr(-1)  # 0x03 is data, never Ctrl-C
        self._in, self._out = sys.stdin.buffer, sys.stdout.buffer
        self._ready = poll()
        self._ready.register(sys.stdin, POLLIN)
        self._room = poll()
        self._room.register(sys.stdout, POLLOUT)

    def read(self):
        """Return the bytes that have arrived, at most 256. MicroPython's ``read(n)`` would wait for all n."""
        data = bytearray()
        while len(data) < _MOST and self._ready.poll(0):
            one = self._in.read(1)
            if not one:
                break
            data.extend(one)
        return data

    def write(self, data):
        """Write a piece where there is room; returns how many bytes were taken."""
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
        self.is_new_session = False
        """True if the last `poll` began a session: the host must be told the state."""

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
        """Yield the commands that have arrived, pairs of name and values, each once and in order."""
        self.is_new_session = False
        commands = []
        now = clock.ticks_ms()
        data = self._port.read()
        if data:
            ticks = clock.ticks_us()
            for frame in self._channel.receive(data, now):
                name = frame.message.name
                if name == "hello":
                    self._greet(frame, now)
                elif name == "ping":
                    self._channel.say("pong", frame.values[0], ticks, clock.ticks_us())
                else:
                    commands.append((name, frame.values))
        self._write(now)
        return commands

    def flush(self):
        """Write the reports made since; call this before waiting for the host."""
        self._write(clock.ticks_ms())

    def _greet(self, frame, now):
        """Answer a greeting. A greeting of another version, or for a session that was left, opens nothing."""
        channel = self._channel
        if frame.values != (VERSION, SCHEMA):
            channel.close()
        elif frame.session != channel.session.number:
            self.is_new_session = channel.open(frame.session, now)
        else:
            channel.session.heard_at = now
        channel.say(*self._hello)

    def _is_silent(self, now):
        session = self._channel.session
        return not session.number or elapsed(now, session.heard_at) >= SILENCE_MS

    def _write(self, now):
        # What a silent host does not read would only fill the buffers: it gets a greeting now and then.
        if not self._out:
            if not self._is_silent(now):
                self._out = self._channel.due(now)
            elif elapsed(now, self._greeted_at) >= _GREET_MS:
                self._greeted_at = now
                self._channel.say(*self._hello)
                self._out = self._channel.due(now)
        while self._out:
            taken = self._port.write(self._out)
            if not taken:
                break
            self._out = self._out[taken:]
