"""What is fuzzed: a parser for each kind of input from outside. Each target takes bytes and may raise `CroupierError`.

Whatever else comes out of a target is a bug. `python -m tests.fuzz` runs a target under atheris, and `test_corpus`
runs every target on its corpus, which also holds the inputs of the bugs that were found.
"""

from __future__ import annotations

import io
import random
import tempfile
from base64 import urlsafe_b64encode
from binascii import b2a_base64, crc32
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cardsight.enroll import profile
from cardsight.geometry import CROP_H, CROP_W
from cardsight.headers import remedy, stated_size
from cardsight.model import Model, fingerprint
from croupier import config, log_replay
from croupier.errors import one_line
from croupier.link import seen
from croupier.link.conversation import Conversation
from croupier.pictures import table_reader
from croupier_extras.spreadsheets import read_sheet
from croupier_hub.fold import Fold
from croupier_hub.pages.live import LiveTables
from croupier_hub.signed_log import Head, name_of
from croupier_hub.standings import Log
from croupier_hub.tickets import read_ticket
from croupier_rules.cards import FACES
from croupier_tally.score_sheet import ScoreSheet
from tablewire.channel import Channel
from tablewire.frame import Decoder, encode_text
from tablewire.messages import HEARD_BY_HOST, HEARD_BY_PICO, SCHEMA, VERSION

CORPUS: Final = Path(__file__).parent / "corpus"
SESSION: Final = 0x3F0A
_DIRECTOR: Final = Ed25519PrivateKey.from_private_bytes(bytes(32))
_PLAYED: Final = (
    '{"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben"], "dealer": 1, "given": {"top": "red-7"}}'
)
"""The game that goes on with the line of a table."""


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="croupier-fuzz-"))


def _file(name: str, data: bytes) -> Path:
    """A file with this content, since these parsers read files."""
    path = _folder() / name
    path.write_bytes(data)
    return path


def configuration(data: bytes) -> None:
    """`croupier.toml`."""
    config.load(_file("croupier.toml", data))


def table_log(data: bytes) -> None:
    """A table log, refereed line by line."""
    for _step in log_replay.replay_lines(io.BytesIO(data), "fuzzed"):
        pass


def hub_line(data: bytes) -> None:
    """A line that a table sends to a hub: its leaf, the standings, and the game at the desk."""
    line = data.decode("utf-8", "replace")
    log = Log((_PLAYED, line))
    Head().after(log.lines)
    (fold := Fold("0" * 64)).add("1" * 64, log)
    fold.standings()
    (live := LiveTables(lambda: 0.0)).add("1" * 64, log)
    live.game("1" * 64)


def ticket(data: bytes) -> None:
    """A ticket that the director has signed, whatever it says, and one that nobody has."""
    content = b"croupier/ticket\n" + data
    signed = urlsafe_b64encode(_DIRECTOR.sign(content) + data).decode()
    for text in (signed, data.decode("latin-1")):
        read_ticket(text, name_of(_DIRECTOR), 0.0).may("referee")


def score_sheet(data: bytes) -> None:
    """The file of `croupier score`, and its points."""
    sheet = ScoreSheet.parse(data, "fuzzed")
    if sheet.rounds:
        sheet.without_last_round()


def wire(data: bytes) -> None:
    """Bytes on the line, heard by either side. Each second line gets the session and the checksum that it lacks,
    as text and packed."""
    line = b"\n".join(_checked(data))
    pieces = [line[at : at + 50] for at in range(0, len(line), 50)]
    for heard in (HEARD_BY_HOST, HEARD_BY_PICO):
        decoder, channel = Decoder(heard), Channel(heard, HEARD_BY_PICO)
        for number, piece in enumerate(pieces):
            decoder.receive(piece)
            channel.receive(piece, number)
    conversation, now = Conversation(lambda: SESSION), 0.0
    conversation.due(now)
    conversation.receive(encode_text(SESSION, 0, 0, f"hello {VERSION} {SCHEMA} rp2 hardware power 7"), now)
    for piece in pieces:
        now += 0.02
        conversation.receive(piece, now)
        conversation.due(now)
        conversation.events()
        conversation.watermark(now)


def stream(data: bytes) -> None:
    """Bytes on a line that brings them in pieces of any length, as TCP and USB do. The first byte chooses the lengths:
    the same is understood, whatever they are. What is no line of ours is described as what a foreign device sends."""
    seed, line = data[:1], b"\n".join(_checked(data[1:]))
    chance = random.Random(seed)
    for heard in (HEARD_BY_HOST, HEARD_BY_PICO):
        whole, pieces, frames, at = Decoder(heard), Decoder(heard), list[object](), 0
        while at < len(line):
            end = at + chance.choice((1, 1, 2, 3, 64, 1500))
            frames += pieces.receive(line[at:end])
            at = end
        assert frames == whole.receive(line)
    told = seen.describe(line)
    assert one_line(told) == told


def _checked(data: bytes) -> Iterator[bytes]:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if number % 2:
            yield line
        else:
            yield encode_text(SESSION, 0, 0, line.decode(errors="replace")).rstrip(b"\n")
            packed = SESSION.to_bytes(2, "little") + line
            yield b2a_base64(packed + crc32(packed).to_bytes(4, "little"), newline=False)


def deck_profile(data: bytes) -> None:
    """A deck profile: the bytes as they are, and a whole file with arrays that the bytes describe."""
    for content in (data, _arrays(data)):
        table_reader.load_profile(_file("deck.npz", content), _model())


def _arrays(data: bytes) -> bytes:
    """A file with the arrays of a profile, each of them possibly of a wrong kind."""
    chance, content = random.Random(data[:64]), io.BytesIO()
    kinds = [np.uint8, np.int64, np.float64, np.str_, np.bool_]
    shapes = [(), (0,), (1,), (2,), (1, CROP_H, CROP_W, 3), (0, CROP_H, CROP_W, 3), (1, 1, 1, 3)]
    arrays: dict[str, Any] = {"version": profile.VERSION, "model": fingerprint(), "faces": np.array(FACES[:1])}
    for name in ("version", "model", "faces", "cuts"):
        if chance.random() < 0.5:
            arrays[name] = np.zeros(chance.choice(shapes), chance.choice(kinds))
    np.savez(content, **arrays)
    return content.getvalue()


@cache
def _model() -> Model:
    return table_reader.shipped_model()


def calibration(data: bytes) -> None:
    """The file of `croupier calibrate`."""
    table_reader.calibration(_file("calibration.toml", data))


def picture_header(data: bytes) -> None:
    """The head of a picture file, which states its size before anything is decoded."""
    size = stated_size(data)
    assert size is None or all(isinstance(side, int) for side in size)
    remedy(data)


def spreadsheet(data: bytes) -> None:
    """A list of players with points, as people have it."""
    sheet = read_sheet(data, "list.csv", "player", "points")
    assert len(sheet.names()) == len(sheet.points())
    assert "\n" not in "".join([*sheet.understood(), *sheet.first_rows()])


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    target.__name__: target
    for target in (
        configuration,
        table_log,
        hub_line,
        ticket,
        score_sheet,
        wire,
        stream,
        deck_profile,
        calibration,
        picture_header,
        spreadsheet,
    )
}
