"""What the page's process says to the table: the same after the way, and nothing else is taken."""

from __future__ import annotations

import json
import pickle
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import is_dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.commands import (
    ChooseDealer,
    Command,
    CountFedCards,
    DiscardCards,
    LayCard,
    MakeHouseRule,
    NameCard,
    PluginOrder,
    PressKey,
    ProvokeFault,
    ShowCards,
    StartGame,
    SwapHands,
)
from croupier.errors import BadMessage
from croupier.networks import Network
from croupier.table_api.live_table import (
    AppealRequest,
    CameraInvitation,
    CameraOrder,
    CameraRequest,
    CameraView,
    ChangeSettings,
    ClipRequest,
    LiveLine,
    LiveTableState,
    PileClip,
    PileVerdict,
    Request,
    Settings,
    SettingsAnswer,
    TableOffers,
)
from croupier.table_api.messages import (
    FROM_PAGE,
    FROM_TABLE,
    Answer,
    Followers,
    KeepForPlugin,
    NewCodes,
    News,
    Order,
    PageMessage,
    Reachable,
    Sessions,
    Startup,
    TableMessage,
    WriteFailed,
    decode_content,
    encode_content,
)
from croupier.web.accounts import Accounts, Person
from croupier.web.worker_process import WorkerProcess
from croupier_rules.referee import Header, Options, Written
from croupier_rules.referee.corrections import ChangePlayers, Report, SetTo, TopIs, Undo, Was
from croupier_rules.referee.moves import SeatMoves
from croupier_rules.referee.observations import Clock, Drew, Overrule, Play, PlayerChange, Shown, Uno
from croupier_rules.rules import load
from croupier_tally.score_sheet import new_sheet
from tests.patience import PATIENCE_S
from tests.web.tables import QUICK, RecordingTable

HEADER = Header(
    ruleset=load("official-el"), seats=("Ann", "Zoë", "C<d", "Δ"), dealer=None,
    options=Options(target=300, custom=Written(text="Κάτι", draw=3, skip=True)),
)  # fmt: skip
encode, decode = FROM_PAGE.encode, FROM_PAGE.decode
MESSAGES: tuple[PageMessage, ...] = (
    Order(7, PressKey(0, "uno")),
    PressKey(3, "uno"),
    PressKey(0, "draw", line=17),
    SetTo({"top": "red-7"}, line=3),
    Report(Drew(0.0, seat=1, n=2), line=9),
    SwapHands(2), SwapHands(2, 0, line=5), ChangePlayers("leave", 2), ChangePlayers("join", 2, name="Zoë", line=5),
    ChangePlayers("swap", 0, 3), Undo(Overrule(1.0, set={"out": [1]}, player=PlayerChange("leave", 1))),
    DiscardCards(3, 1, line=5),
    NameCard("wild-draw4"), ChooseDealer(0), MakeHouseRule(1, 7, "“Clap”\n"), LayCard("red-7"),
    LayCard("red-7", 2), ShowCards(1, ("red-7", "red-7")), CountFedCards(0), ProvokeFault("jam"),
    PluginOrder("bell", "ring", 1), PluginOrder("bell", "ring"),
    StartGame(HEADER), TopIs("blue-skip"), Was(Play(1.1, u=0.1, card="red-7", seat=2), None, is_read=True),
    Was(Play(1.1, card="red-7", clock=Clock("pico", 0.01)), Play(1.1, card="red-1", clock=Clock("pico", 0.01))),
    Undo(), Undo(Uno(0.1 + 0.2, seat=1)), SetTo({"hands": {0: 3, 9: 1}, "top": "red-7", "color": None}),
    SetTo({"scores": [1, 2], "turn": 0}), Report(Drew(0.0, seat=1, n=2)), Report(Shown(0.0, seat=0, cards=("red-7",))),
    ChangePlayers("rename", 1, name="Zoë"),
    ChangeSettings({"seats.names": ("Ann", "Ben"), "page.theme": None, "voice.on": True, "voice.volume": 7}, "a", "de"),
    ChangeSettings({"seats.teams": ((0, 2), (1, 3)), "rules.stack.draw2": "draw2"}, "b"),
    Report(Overrule(2.0, undo=3)), Followers(7), CameraRequest(), ClipRequest(1.5, 2.0), AppealRequest(1.5),
    NewCodes("{}"), Sessions("{}"),
    KeepForPlugin("statistics", "…"),
    CameraOrder("usb:0", (1.5, 2.0), ((0.0, 1.0), (2.0, 3.0)), measures=True),
)  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES, ids=lambda one: encode(one).decode()[:40])
def test_a_message_is_the_same_after_the_way(message: PageMessage) -> None:
    assert decode(encode(message)) == message


def test_every_message_of_a_page_is_among_them() -> None:
    assert {type(one) for one in MESSAGES} == set(get_args(PageMessage))
    assert {type(one) for one in MESSAGES} >= set(get_args(Command))


SETTINGS = Settings(
    now=(("seats.names", ("Ann", "Zoë")), ("voice.on", True), ("voice.volume", 1), ("page.theme", None)),
    later=(("seats.teams", ((0, 2), (1, 3))), ("game.target", 500)), running=(), next_header="", unsaved="",
)  # fmt: skip
MOVES = SeatMoves(frozenset({"pass", "accept"}), ("red",), (1, 2), (0, 9), jumps_in=True, changes=(3,))
STATE = LiveTableState(
    game=3, is_simulation=False, candidates=("red-7", "?"), sightings=((1.5, ("red-7", "red-1")),), faults=("jam",),
    alarms=(("camera", "missing"),), has_camera=True, has_shoe=False, may_start_game=True,
    can_set_up_camera=True, language="el", theme="dark", settings=SETTINGS, receipts="http://hub:8400",
    offers=TableOffers(17, (MOVES, SeatMoves()), (("red-7", "?"), ())),
)  # fmt: skip
LINE = LiveLine(3, 17, '{"obs": "uno", "t": 1.0, "seat": 0, "rulings": [], "changed": {}}', "turn")


NETWORKS = (Network("wlan0", ("10.42.0.1", "fd00::7"), "wlan"), Network("eth0", (), "cable", "link-local"))


@pytest.mark.parametrize("message", [
    pytest.param(Startup(Path("/x/y"), "{}", "{}", STATE, "uno", 8300, NETWORKS, None, Path("/x/z")), id="startup"),
    pytest.param(Reachable(NETWORKS), id="reachable"),
    pytest.param(News((LINE, LINE), STATE), id="news"),
    pytest.param(Answer(7, b'{"face": "\xc3\xab 1"}'), id="answer"),
    pytest.param(Answer(8, b""), id="no-answer"),
])  # fmt: skip
def test_a_message_of_the_table_is_the_same_after_the_way(message: TableMessage) -> None:
    after = FROM_TABLE.decode(FROM_TABLE.encode(message))
    assert after == message
    assert not isinstance(after, News) or repr(after.state.settings) == repr(SETTINGS), "its mark is of the text"
    with pytest.raises(BadMessage):  # of a page that says what only the table may say
        decode(FROM_TABLE.encode(message))


PICTURE = b"\xff\xd8\x00 a picture"
VIEW = CameraView(
    PICTURE, (640, 480), (("red 7", ((1.5, 2.0),)),), (), (("Ann", (1.0, 2.0)),), (("usb:0", "Webcam"),), "usb:0",
    ("On the pile: red 7.",), True, CameraInvitation("https://h/", "<svg/>", "AB:CD", ""),
)  # fmt: skip


@pytest.mark.parametrize(("request_", "content"), [
    pytest.param(CameraRequest(), PICTURE, id="picture"),
    pytest.param(CameraRequest(), None, id="no-picture"),
    pytest.param(ClipRequest(1.0, 2.0), PileClip(1.0, 0.1, (64, 48), ((0.5, 1.0),), ((0.5, PICTURE),)), id="clip"),
    pytest.param(AppealRequest(1.0), PileVerdict("red-7", 3, 4, is_sure=True), id="verdict"),
    pytest.param(CameraOrder(), VIEW, id="view"),
    pytest.param(ChangeSettings({}, ""), SettingsAnswer((("seats.names", "“Ann”: twice"),), True), id="settings"),
    pytest.param(KeepForPlugin("score", "b"), WriteFailed("{file}: no room", {"file": "/x"}), id="not-written"),
    pytest.param(NewCodes(""), None, id="kept"),
])  # fmt: skip
def test_an_answer_is_the_same_after_the_way(request_: Request[object], content: object) -> None:
    assert decode_content(request_, encode_content(request_, content)) == content
    with pytest.raises(BadMessage):
        decode_content(request_, b"made up")


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(pickle.dumps(PressKey(0, "uno")), id="pickle"),
        pytest.param(b"Popen {}", id="another-class"),
        pytest.param(b"PressKey", id="no-fields"),
        pytest.param(b'PressKey {"seat": "0", "key": "uno"}', id="another-type"),
        pytest.param(b'PressKey {"seat": 0, "key": "quit"}', id="no-such-key"),
        pytest.param(b'SetTo [null, {"hands": {"0": "x"}}]', id="no-number"),
        pytest.param(b"SetTo " + b"[" * 100_000, id="deep"),
        pytest.param(b'Was [{"obs": "play"}]', id="half"),
        pytest.param(b'StartGame {"log": "../../x"}', id="no-header"),
        pytest.param(b"\xff\xfe", id="no-text"),
    ],
)
def test_what_is_no_message_is_refused(raw: bytes) -> None:
    with pytest.raises(BadMessage):
        decode(raw)


@given(st.sampled_from([encode(one) for one in MESSAGES]), st.data())
def test_a_damaged_message_is_another_one_or_none(raw: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(raw) - 1))
    damaged = raw[:at] + data.draw(st.binary(max_size=6)) + raw[at + data.draw(st.integers(0, 3)) :]
    with suppress(BadMessage):
        assert is_dataclass(decode(damaged))


def calling(
    say: Callable[[socket.socket], None], path: Path, accounts: Accounts, table: RecordingTable | None = None
) -> tuple[list[str], RecordingTable]:
    """What the table reports, and does, where a process of the page says these things."""
    told, table, has_ended = list[str](), table or RecordingTable(), Event()

    def report(why: str) -> None:
        told.append(why)
        if why:
            has_ended.set()

    with socket.socket(socket.AF_UNIX) as calls:
        calls.bind(str(path / "page.socket"))
        calls.listen()

        def page() -> None:
            link, _ = calls.accept()
            with link:
                socket.recv_fds(link, 1, 1)
                say(link)

        Thread(target=page, daemon=True).start()
        up = WorkerProcess(
            path / "croupier.journal", lambda: accounts, table, port=0, unit_socket=calls.getsockname(), report=report
        )
        up.start()
        assert has_ended.wait(PATIENCE_S)
        up.stop()
    return told, table


def framed(raw: bytes) -> bytes:
    return len(raw).to_bytes(4, "big") + raw


class Evil:
    ran = False

    def __reduce__(self) -> tuple[Any, ...]:
        return setattr, (Evil, "ran", True)


def test_whoever_takes_over_the_page_runs_nothing_at_the_table(tmp_path: Path) -> None:
    def say(link: socket.socket) -> None:
        link.sendall(framed(encode(Followers(0))) + framed(encode(PressKey(0, "uno"))) + framed(pickle.dumps(Evil())))

    told, table = calling(say, tmp_path, Accounts(hasher=QUICK))
    assert not Evil.ran
    assert table.commands == [PressKey(0, "uno")]
    assert told[0] == ""
    assert len(told) == 2


def test_an_order_is_answered_when_it_is_written(tmp_path: Path) -> None:
    answers: SimpleQueue[bytes] = SimpleQueue()

    def say(link: socket.socket) -> None:
        link.sendall(framed(encode(Followers(0))) + framed(encode(Order(7, PressKey(0, "uno")))))
        sent = link.makefile("rb")
        while not answers.qsize():
            message = sent.read(int.from_bytes(sent.read(4), "big"))
            if message.startswith(b"Answer"):
                answers.put(message)
            elif table.unwritten:
                table.unwritten.pop().set_result(None)

    table = RecordingTable(writes=False)
    calling(say, tmp_path, Accounts(hasher=QUICK), table)
    assert answers.get_nowait() == b"Answer 7 "
    assert table.commands == [PressKey(0, "uno")]


def test_codes_that_are_none_leave_those_that_there_are(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path / "codes", QUICK)
    admin = accounts.new_code(Person("admin"))

    def say(link: socket.socket) -> None:
        link.sendall(framed(encode(Followers(0))) + framed(encode(NewCodes('{"x": {"role": "king"}}'))))

    calling(say, tmp_path, accounts)
    for known in (accounts, Accounts(tmp_path / "codes", QUICK)):
        assert known.person(known.log_in(admin)) == Person("admin")


SHEET = new_sheet(("Ann", "Ben"), "g7942-en").text


@pytest.mark.parametrize(
    ("plugin", "text", "kept"),
    [
        pytest.param("statistics", '["Zoë", true]', "Zoë\n", id="name"),
        pytest.param("statistics", '["Zoë\\nBen", true]', "Zoë Ben\n", id="one-line"),
        pytest.param("statistics", f'["{"x" * 1000}", true]', "", id="no-name"),
        pytest.param("statistics", '["Zoë", "yes"]', "", id="neither-out-nor-in"),
        pytest.param("statistics", "[" * 9999, "", id="no-json"),
        pytest.param("clips", '["Zoë", true]', "", id="a-plug-in-that-keeps-nothing"),
        pytest.param("../x", '["Zoë", true]', "", id="no-plug-in"),
        pytest.param("score", '["friday", "Zoë 20", ""]', "", id="no-score-sheet"),
        pytest.param("score", f'["../friday", {json.dumps(SHEET)}, ""]', "", id="a-score-sheet-elsewhere"),
        pytest.param("score", f'[7, {json.dumps(SHEET)}, ""]', "", id="a-score-sheet-without-a-name"),
        pytest.param("score", f'["friday", {json.dumps(SHEET)}, ""]', "", id="score-sheet"),
    ],
)
def test_what_a_plug_in_keeps_is_what_it_sends_and_a_name_is_one_line(
    tmp_path: Path, plugin: str, text: str, kept: str
) -> None:
    def say(link: socket.socket) -> None:
        link.sendall(framed(encode(Followers(0))) + framed(encode(KeepForPlugin(plugin, text))))

    calling(say, tmp_path, Accounts(hasher=QUICK))
    for thread in threading.enumerate():
        if thread.name == "page request":
            thread.join()
    file = tmp_path / "croupier.journal-left-out"
    assert (file.read_text() if file.exists() else "") == kept
    sheets = {one.name: one.read_text() for one in tmp_path.glob("*.score")}
    assert sheets == ({"friday.score": SHEET} if text.startswith('["friday", "{') else {})
    assert not (tmp_path.parent / "friday.score").exists()


def test_a_message_without_end_is_none(tmp_path: Path) -> None:
    def say(link: socket.socket) -> None:
        link.sendall(framed(encode(Followers(0))) + (1 << 30).to_bytes(4, "big") + bytes(1000))

    told, table = calling(say, tmp_path, Accounts(hasher=QUICK))
    assert told[0] == ""
    assert table.commands == []
