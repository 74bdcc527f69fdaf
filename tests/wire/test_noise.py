"""Whatever happens to the bytes, no command is carried out that was not given, none twice, none out of order."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewire.channel import QUEUE, RESEND_MS, Channel, elapsed
from tablewire.frame import LONGEST, Decoder
from tablewire.messages import HEARD_BY_HOST, HEARD_BY_PICO, MESSAGES, TICKS, TO_PICO, Message, write
from tests.longer import many, seeds
from tests.wire.noise import corrupt
from tests.wire.vectors import encode

ONCE = [one for one in MESSAGES if one.way == TO_PICO and one.once]


def some_values(message: Message, rng: random.Random) -> tuple[int | str, ...]:
    return tuple(
        rng.randint(*field.allowed) if field.kind == "number" else rng.choice(field.allowed) for field in message.fields
    )


def some_lines(rng: random.Random, n: int) -> Iterator[tuple[tuple[object, ...], bytes]]:
    """Lines of all kinds as they follow each other in a session, with what each says."""
    for number in range(1, n + 1):
        message = rng.choice(ONCE)
        values = some_values(message, rng)
        yield (number, message.name, values), encode(0x3F0A, number, rng.randrange(9), write(message, values))


def damaged_bytes(n: int, seed: int) -> None:
    """Damage ``n`` bytes of a stream of lines, and look at every line that is still taken for one."""
    rng = random.Random(seed)
    given = [list(some_lines(rng, 200)) for _ in range(20)]
    damaged = taken = 0
    while damaged < n:
        lines = rng.choice(given)
        stream = b"".join(line for _, line in lines)
        share = min(n - damaged, rng.randrange(1, len(stream) // 12))
        frames = Decoder(HEARD_BY_PICO).receive(corrupt(stream, rng, share) + b"\n")
        said = {one for one, _ in lines}
        wrong = [one for one in frames if (one.number, one.message.name, one.values) not in said]
        assert wrong == []
        damaged += share
        taken += len(frames)
    assert taken > 0


def test_no_damaged_line_is_taken_for_another() -> None:
    damaged_bytes(100_000, seed=1)


@pytest.mark.long
def test_no_damaged_line_is_taken_for_another_in_millions_of_damaged_bytes() -> None:
    damaged_bytes(many(10_000_000), seed=2)


@given(st.lists(st.binary(max_size=60) | st.just(b"\n") | st.sampled_from([b"3f0a 1 0 go *", b" *", b"\xff\n"])))
def test_the_decoder_never_raises(pieces: list[bytes]) -> None:
    decoder = Decoder(HEARD_BY_PICO)
    assert [frame for piece in pieces for frame in decoder.receive(piece)] == []


def test_a_stream_without_line_ends_takes_no_memory() -> None:
    decoder = Decoder(HEARD_BY_PICO)
    for _ in range(10_000):
        decoder.receive(b"x" * 100)
        assert len(decoder._begun) <= LONGEST
    assert decoder.dropped == 1
    (frame,) = decoder.receive(b"the end of it\n" + encode(1, 1, 0, "go"))
    assert frame.message.name == "go"


class Wire:
    """Two channels with a line between them that damages a share of the bytes, lets some go astray and some wait."""

    def __init__(self, seed: int, damage: float, start: int = 0) -> None:
        self.rng = random.Random(seed)
        self.damage = damage
        self.now = start
        self.host = Channel(HEARD_BY_HOST, HEARD_BY_PICO)
        self.pico = Channel(HEARD_BY_PICO, HEARD_BY_HOST)
        self.carried_out: list[tuple[object, ...]] = []
        self.reported: list[tuple[object, ...]] = []
        self.damaged = 0
        self.on_its_way = [b"", b""]
        assert self.host.open(7, self.now)
        assert self.pico.open(7, self.now)

    def step(self) -> None:
        """Ten milliseconds."""
        self.now = (self.now + 10) % TICKS
        for frame in self.pico.receive(self._carry(0, self.host.due(self.now)), self.now):
            self.carried_out.append((frame.message.name, *frame.values))
        for frame in self.host.receive(self._carry(1, self.pico.due(self.now)), self.now):
            self.reported.append((frame.message.name, *frame.values))

    def _carry(self, way: int, data: bytes) -> bytes:
        data = self.on_its_way[way] + data
        here = self.rng.randrange(len(data) + 1) if self.rng.random() < 0.2 else len(data)
        data, self.on_its_way[way] = data[:here], data[here:]
        n = sum(self.rng.random() < self.damage for _ in data) if self.damage and len(data) > 1 else 0
        self.damaged += n
        return corrupt(data, self.rng, n) if n and len(data) > n + 2 else data


def talk(seed: int, damage: float, messages: int, start: int = 0) -> Wire:
    """Say so many commands and reports; all of them arrive, once and in order."""
    wire = Wire(seed, damage, start)
    given = [("deal", n, n % 10, 1 + n % 7) for n in range(1, messages + 1)]
    told = [("press", n, 1 + n % 1023) for n in range(1, messages + 1)]
    commands, reports = iter(given), iter(told)
    for _ in range(messages * 200):
        for channel, source in ((wire.host, commands), (wire.pico, reports)):
            if len(channel.session.waiting) < QUEUE and (one := next(source, None)) is not None:
                assert channel.send(*one)
        wire.step()
        if len(wire.carried_out) == len(given) and len(wire.reported) == len(told):
            break
    assert wire.carried_out == given
    assert wire.reported == told
    return wire


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("damage", [0.0, 0.002, 0.02])
def test_every_message_arrives_once_and_in_order(seed: int, damage: float) -> None:
    wire = talk(seed, damage, 150)
    assert bool(wire.damaged) == bool(damage)


def test_a_resend_is_due_also_where_the_milliseconds_wrap() -> None:
    talk(1, 0.01, 50, start=TICKS - 200)
    wire = Wire(1, 0.0, start=TICKS - 5)
    wire.host.send("go")
    assert wire.host.due(TICKS - 5) == encode(7, 1, 0, "go")
    assert wire.host.due((TICKS - 5 + RESEND_MS - 1) % TICKS) == b""
    assert wire.host.due((TICKS - 5 + RESEND_MS) % TICKS) == encode(7, 1, 0, "go")
    assert elapsed(3, TICKS - 2) == 5


class Small(int):
    """A whole number as the Pico keeps it without allocating: 31 bits."""

    def __sub__(self, other: int) -> Small:
        return self._fit(int(self) - int(other))

    def __and__(self, other: int) -> Small:
        return self._fit(int(self) & int(other))

    def _fit(self, value: int) -> Small:
        assert -(1 << 30) <= value < 1 << 30
        return Small(value)


@given(st.integers(0, TICKS - 1), st.integers(0, TICKS - 1))
def test_time_that_has_passed_is_computed_in_small_integers(then: int, passed: int) -> None:
    assert elapsed(Small((then + passed) % TICKS), Small(then)) == passed


@pytest.mark.parametrize("seed", seeds(0, 4))
def test_every_message_arrives_through_very_much_noise(seed: int) -> None:
    assert talk(100 + seed, 0.01, 20_000).damaged > 20_000


def test_what_finds_the_queue_full_is_refused_and_counted() -> None:
    wire = Wire(1, 0.0)
    assert [wire.pico.send("press", 1, 1) for _ in range(QUEUE + 3)] == [True] * QUEUE + [False] * 3
    assert wire.pico.lost == 3
    wire.step()
    wire.step()
    assert len(wire.reported) == QUEUE
    assert wire.pico.send("press", 2, 1)


def test_nothing_is_said_once_before_somebody_greeted() -> None:
    channel = Channel(HEARD_BY_PICO, HEARD_BY_HOST)
    assert not channel.send("press", 1, 1)
    assert (channel.lost, channel.due(0)) == (1, b"")


def test_lines_of_a_session_that_was_left_are_not_carried_out() -> None:
    wire = Wire(1, 0.0)
    wire.host.send("go")
    old = wire.host.due(0)
    wire.pico.open(8, 0)
    assert list(wire.pico.receive(old, 0)) == []
    assert not wire.pico.open(7, 0), "its numbers would begin anew"
    assert list(wire.pico.receive(old, 0)) == []


def test_an_acknowledgement_of_what_was_never_sent_is_none() -> None:
    wire = Wire(1, 0.0)
    wire.host.send("go")
    wire.host.due(0)
    assert list(wire.host.receive(encode(7, 1, 5, "press 1 1"), 0)) == []
    assert len(wire.host.session.waiting) == 1
    assert [one.message.name for one in wire.host.receive(encode(7, 1, 1, "press 1 1"), 0)] == ["press"]
    assert wire.host.session.waiting == []
