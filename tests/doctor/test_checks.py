"""`croupier doctor`: each check says what is right, what is not and what to do; none can hold up the others."""

from __future__ import annotations

import ast
import json
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from cardsight.calibrate import Calibration, Plane
from cardsight.errors import NoCamera, NoMoreFrames
from cardsight.sources import Frame, Source
from croupier import i18n
from croupier.cli import main
from croupier.config import Config
from croupier.devices.pico import Layout
from croupier.doctor.check import Check, CheckContext, ask, examine
from croupier.doctor.checks.machine import PAGE_LINE
from croupier.doctor.finding import Finding, by_urgency, exit_status, ok
from croupier.doctor.runner import CHECKS
from croupier.journal import Journal
from croupier.link.conversation import Greeted, Mismatch, mismatch
from croupier.link.link import Link
from croupier_sim.board import SimPico, SimPort
from croupier_sim.shoe_trial import ShoeFault, SimulatedShoe
from tests.journal.games import game_lines
from tests.journal.test_journal import tampered
from tests.vision.laid import Lying, picture
from tools.lock import ROOT

PICO = '[shoe]\nkind = "pico"\n[buttons]\nkind = "pico"\n[ring]\nkind = "pico"\n[camera]\nsource = "none"\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(name: str, table: CheckContext) -> Finding:
    return ask(CHECKS[name], table, CHECKS)


def table(text: str = "", **settings: Any) -> CheckContext:
    """The table that ``text`` describes."""
    Path("croupier.toml").write_text(text)
    return CheckContext(Path("croupier.toml"), **settings)


# -- how checks are asked ------------------------------------------------------------------------------------------


def test_a_check_that_hangs_holds_up_nobody(here: Path) -> None:
    never = Event()

    def hang(_: CheckContext) -> Finding:
        never.wait()
        return ok("")

    checks = {one.id: one for one in (Check("hangs", hang, seconds=0.05), Check("next", lambda _: ok("Here.")))}
    found = list(examine(table(), checks.values(), checks))
    never.set()
    assert [(one.id, one.state) for one in found] == [("hangs", "wrong"), ("next", "ok")]
    assert found[0].message == "No answer within 0 s."


@pytest.mark.parametrize("name", CHECKS)
def test_only_what_is_plugged_in_is_to_be_unplugged_where_a_check_hangs(here: Path, name: str) -> None:
    never = Event()
    hanging = replace(CHECKS[name], look=lambda _: ok(str(never.wait())), needs="", after=(), seconds=0.01)
    advice = ask(hanging, table(), CHECKS).remedy
    never.set()
    is_device = name == "voice.sound" or name.partition(".")[0] in ("camera", "pico", "shoe", "ring", "panel")
    assert ("Unplug" in advice) == is_device
    assert ("disk" in advice) == name.startswith(("journal.", "disk."))


def test_a_check_that_breaks_is_a_finding_that_names_the_mistake(here: Path) -> None:
    def breaks(_: CheckContext) -> Finding:
        raise KeyError("seat")

    found = ask(Check("breaks", breaks), table(), {})
    assert (found.id, found.state) == ("breaks", "wrong")
    assert "KeyError" in found.message
    assert "--bundle" in found.remedy


def test_what_follows_from_something_wrong_is_not_looked_at(here: Path) -> None:
    def fails(_: CheckContext) -> Finding:
        raise OSError("no such device; plug it in")

    def breaks(_: CheckContext) -> Finding:
        raise AssertionError("it was looked at")

    checks = {"first": Check("first", fails), "second": Check("second", breaks, "first")}
    first, second = examine(table(), reversed(checks.values()), checks)
    assert (first.id, first.state, first.message) == ("second", "absent", "Not checked: first comes first.")
    assert (second.id, second.message, second.remedy) == ("first", "no such device.", "Plug it in")


def test_each_check_is_asked_once(here: Path) -> None:
    asked_for: list[str] = []

    def look(_: CheckContext) -> Finding:
        asked_for.append("")
        return ok("")

    checks = {"a": Check("a", look), "b": Check("b", lambda _: ok(""), "a")}
    assert len(list(examine(table(), checks.values(), checks))) == 2
    assert asked_for == [""]


def test_what_to_mend_first_stands_first_and_decides_the_exit_status() -> None:
    states: list[Any] = ["ok", "absent", "warning", "wrong"]
    findings = [Finding(state, state, "") for state in states]
    assert [one.state for one in by_urgency(findings)] == ["wrong", "warning", "ok", "absent"]
    assert [exit_status(findings[:n]) for n in (1, 2, 3, 4)] == [0, 0, 1, 2]


def test_every_check_is_described() -> None:
    page = (ROOT / "docs/doctor.md").read_text(encoding="utf-8")
    assert [name for name in CHECKS if f"`{name}`" not in page] == []


# -- the machine ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("free", "state"), [(900, "ok"), (200, "warning"), (50, "wrong")])
def test_memory(here: Path, free: int, state: str) -> None:
    (here / "proc").mkdir()
    (here / "proc/meminfo").write_text(f"MemTotal: 1000000 kB\nMemAvailable: {free * 1024} kB\n")
    found = asked("memory", table(root=here))
    assert (found.state, found.measured["free_mb"]) == (state, free)


@pytest.mark.parametrize(("free", "state"), [(10**10, "ok"), (10**8, "warning"), (10**6, "wrong")])
def test_disk_space(here: Path, monkeypatch: pytest.MonkeyPatch, free: int, state: str) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    assert asked("disk.space", table()).state == state


@pytest.mark.parametrize(
    ("bits", "state", "told"),
    [
        ("0x0", "ok", "stable"),
        ("0x50005", "wrong", "too low now"),
        ("0x50000", "warning", "since the start"),
        ("0x4", "warning", "throttled"),
    ],
)
def test_the_supply_of_a_raspberry_pi(here: Path, bits: str, state: str, told: str) -> None:
    folder = here / "sys/devices/platform/soc/soc:firmware"
    folder.mkdir(parents=True)
    (folder / "get_throttled").write_text(f"{bits}\n")
    found = asked("power.supply", table(root=here))
    assert found.state == state
    assert told in found.message


@pytest.mark.parametrize(("told", "state"), [("45000\n", "ok"), ("83500\n", "warning")])
def test_heat(here: Path, told: str, state: str) -> None:
    (here / "sys/class/thermal/thermal_zone0").mkdir(parents=True)
    (here / "sys/class/thermal/thermal_zone0/temp").write_text(told)
    assert asked("machine.heat", table(root=here)).state == state


def test_a_clock_that_was_never_set_is_reported(here: Path) -> None:
    assert asked("clock.sane", table(clock=lambda: 0.0)).state == "warning"
    with Journal(here / "croupier.journal") as journal:
        journal.add(game_lines(), began=4e9)
    found = asked("clock.sane", table(clock=lambda: 3.9e9))
    assert (found.state, found.message) == ("warning", "The clock is behind the newest game in the journal.")


def test_what_the_table_needs_and_is_not_installed_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier.doctor.checks.machine._version", lambda name: "" if name == "pyserial" else "1.0")
    found = asked("versions", table(PICO))
    assert found.state == "wrong"
    assert "pyserial" in found.message
    assert f"make -C {ROOT} setup" in found.remedy


# -- files ---------------------------------------------------------------------------------------------------------


def test_a_file_that_is_wrong_is_reported_with_its_line_and_the_rest_is_looked_at(here: Path) -> None:
    broken = table('[seats]\nnumber = 99\n[camera]\nsource = "none"\n')
    found = asked("config.valid", broken)
    assert found.state == "wrong"
    assert "croupier.toml:2: [seats] number" in found.message
    assert asked("memory", broken).state == "ok"


def test_a_journal_is_written_and_checked(here: Path) -> None:
    assert asked("journal.whole", table()).state == "absent"
    with Journal(here / "croupier.journal") as journal:
        journal.add(game_lines(), began=0.0)
    known = table()
    assert asked("journal.writes", known).state == "ok"
    assert asked("journal.whole", known).measured == {"games": 1}
    assert 0 < asked("journal.wear", known).measured["mb"] < 50


def test_a_journal_that_was_tampered_with_is_reported(here: Path) -> None:
    with Journal(here / "croupier.journal") as journal:
        journal.add(game_lines(), began=0.0)
    tampered(here / "croupier.journal", "UPDATE line SET text = replace(text, 'red', 'blue')")
    known = table()
    assert asked("journal.whole", known).state == "wrong"
    assert asked("journal.wear", known).state == "absent"


def test_a_folder_for_the_journal_that_is_not_there(here: Path) -> None:
    found = asked("journal.writes", table('[journal]\nfile = "nowhere/croupier.journal"\n'))
    assert found.state == "wrong"
    assert "nowhere" in found.message


def test_a_deck_profile_that_is_none_is_reported(here: Path) -> None:
    Path("ours.deck").write_bytes(b"no deck")
    found = asked("deck.learned", table('[deck]\nprofile = "ours.deck"\n'))
    assert found.state == "wrong"
    assert "ours.deck" in found.message


# -- the camera ----------------------------------------------------------------------------------------------------


class Scripted:
    """A camera whose frames are known."""

    def __init__(self, picture: Callable[[int], Any], fps: float, n: int) -> None:
        self._picture, self._fps, self._n = picture, fps, n
        self._at = 0
        self.is_closed = False

    def frame(self) -> Frame:
        if self._at >= self._n:
            raise NoMoreFrames("over")
        self._at += 1
        return Frame(self._at / self._fps, self._picture(self._at))

    def now(self) -> float:
        return self._at / self._fps

    def close(self) -> None:
        self.is_closed = True


def cards(seed: int = 0) -> Any:
    """A picture with edges, and a sensor's noise."""
    image = np.full((270, 480, 3), 90, np.uint8)
    for x in range(40, 440, 80):
        cv2.rectangle(image, (x, 80), (x + 50, 180), (235, 235, 235), -1)
        cv2.rectangle(image, (x + 12, 100), (x + 36, 160), (30, 30, 200), -1)
    noise = np.random.default_rng(seed).integers(-3, 4, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def watched(picture: Callable[[int], Any] = cards, *, fps: float = 30.0, n: int = 50, text: str = "") -> CheckContext:
    source = Scripted(picture, fps, n)
    return table(f'[camera]\nsize = "480x270"\n{text}', open_camera=lambda _: cast(Source, source))


def states(known: CheckContext) -> dict[str, str]:
    return {name: asked(name, known).state for name in ("camera.opens", "camera.rate", "camera.light", "camera.sharp")}


def test_a_camera_that_is_well(here: Path) -> None:
    assert set(states(watched()).values()) == {"ok"}


@pytest.mark.parametrize(
    ("known", "name", "state"),
    [
        pytest.param(lambda: watched(fps=15.0), "camera.rate", "warning", id="slow"),
        pytest.param(lambda: watched(fps=5.0), "camera.rate", "wrong", id="far-too-slow"),
        pytest.param(lambda: watched(lambda n: cards(n) // 5), "camera.light", "wrong", id="dark"),
        pytest.param(lambda: watched(lambda n: cards(n) // 9 + 226), "camera.light", "warning", id="bright"),
        pytest.param(
            lambda: watched(lambda n: cv2.GaussianBlur(cards(n), (0, 0), 5)), "camera.sharp", "wrong", id="blurred"
        ),
    ],
)
def test_a_camera_that_is_not(here: Path, known: Callable[[], CheckContext], name: str, state: str) -> None:
    assert states(known())[name] == state


def test_a_camera_that_is_gone_is_reported_once(here: Path) -> None:
    def gone(_: Config) -> Source | None:
        raise NoCamera(
            "camera 0: there is none, or another program has it; plug it in, close that program, or name another camera"
        )

    known = table(open_camera=gone)
    assert list(states(known).values()) == ["wrong", "absent", "absent", "absent"]
    assert asked("camera.opens", known).remedy.startswith("Plug it in")


@pytest.mark.parametrize("code", i18n.LANGUAGES)
def test_what_is_wrong_and_what_to_do_are_told_apart_in_each_language(here: Path, code: str) -> None:
    english = (
        "camera 0: there is none, or another program has it; plug it in, close that program, or name another camera"
    )

    def gone(_: Config) -> Source | None:
        raise NoCamera(english)

    with i18n.speaking(code):
        found = asked("camera.opens", table(open_camera=gone))
        what, remedy = i18n.from_others(english).split(i18n.semicolon())
    assert found.message == f"{what.rstrip()}."
    assert found.remedy == remedy[0].upper() + remedy[1:]


def test_a_phone_that_films_has_the_rate_of_its_wlan_and_must_be_awake(here: Path) -> None:
    assert set(states(watched(fps=15.0, text='source = "phone"\n')).values()) == {"ok"}
    asleep = watched(n=0, text='source = "phone"\n')
    assert list(states(asleep).values()) == ["wrong", "absent", "absent", "absent"]
    assert "wake the phone" in asked("camera.opens", asleep).remedy


@pytest.mark.long
def test_a_table_that_nobody_calibrated(here: Path) -> None:
    assert asked("table.calibrated", watched()).state == "wrong"
    known = watched(text="pile = [10, 10, 60, 60]\nshow = [10, 100, 200, 100]\ncard_px = 50\n")
    assert asked("table.calibrated", known).state == "ok"
    Path("table.toml").write_text("nothing")
    assert asked("table.calibrated", watched(text='calibration = "table.toml"\n')).state == "wrong"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("laid", "scale", "state", "words"),
    [
        pytest.param("red-7", 1.0, "ok", "is read: red-7", id="read"),
        pytest.param("red-7", 1.5, "wrong", "67 % as long as the calibration expects", id="of-another-length"),
        pytest.param("back", 1.0, "warning", "cannot be read", id="face-down"),
        pytest.param(None, 1.0, "absent", "No card lies on the discard pile", id="no-card"),
    ],
)
def test_the_card_on_the_pile_is_read(laid: str | None, scale: float, state: str, words: str, here: Path) -> None:
    size = (640, 480)
    cards = [] if laid is None else [Lying(laid, 320, 240, 5, width=84)]
    plane = Plane(np.array([[1.5 * scale, 0, 320], [0, 1.5 * scale, 240], [0, 0, 1]]))
    Path("table.toml").write_text(Calibration(size, plane).to_toml())
    shown = picture(cards, size=size)
    known = watched(lambda n: shown, n=20, text='calibration = "table.toml"\n')
    found = asked("table.card", known)
    assert (found.state, words in found.message) == (state, True), found


# -- the Pico ------------------------------------------------------------------------------------------------------


def bench(*acts: tuple[str, str, tuple[Any, ...]], cards: int = 10) -> SimulatedShoe:
    return SimulatedShoe(Layout(seats=4), cards, ShoeFault(acts=tuple((0, *act) for act in acts)))


def with_pico(line: object, *, moves: bool = False) -> CheckContext:
    return table(PICO, open_link=lambda _: cast(Link, line), moves=moves)


PICO_CHECKS = (
    "pico.found", "pico.firmware", "pico.clock", "shoe.sensors", "shoe.homes", "shoe.marks", "panel.keys",
    "ring.lights",
)  # fmt: skip


def test_a_pico_that_is_well(here: Path) -> None:
    with with_pico(bench(), moves=True) as known:
        found = {name: asked(name, known) for name in PICO_CHECKS}
    assert {one.state for one in found.values()} == {"ok"}
    assert "SIMULATION" in found["pico.firmware"].message


def test_a_pico_at_a_real_port(here: Path) -> None:
    with SimPico() as pico, SimPort(pico, here) as port:
        port.start()
        waited = Event()
        while not list(here.glob("ttyACM*")):
            waited.wait(0.01)
        with table(f'{PICO}[pico]\nport = "{here}/ttyACM*"\n') as known:
            assert [asked(name, known).state for name in ("pico.found", "pico.firmware")] == ["ok", "ok"]
            assert known.link is not None
            assert asked("shoe.sensors", known).state == "ok"


def test_nothing_moves_or_shines_unasked(here: Path) -> None:
    with with_pico(bench()) as known:
        assert [asked(name, known).state for name in ("shoe.homes", "ring.lights")] == ["absent", "absent"]


@pytest.mark.parametrize(
    ("line", "name", "told"),
    [
        pytest.param(lambda: bench(("board", "press", (0b100, None, 0))), "panel.keys", "button of seat 3", id="stuck"),
        pytest.param(
            lambda: bench(("feeding", "cover", (60_000,))), "shoe.sensors", "covering the card exit", id="covered"
        ),
        pytest.param(lambda: bench(("turning", "hold", (True,))), "shoe.homes", "cannot find", id="stable"),
        pytest.param(lambda: bench(("turning", "blind_marks", ())), "shoe.homes", "ring of marks", id="no-marks"),
    ],
)
def test_what_is_wrong_at_the_pico_is_named(
    here: Path, line: Callable[[], SimulatedShoe], name: str, told: str
) -> None:
    with with_pico(line(), moves=True) as known:
        found = asked(name, known)
    assert (found.state, told in found.message) == ("wrong", True), found


def test_an_empty_hopper_is_a_warning(here: Path) -> None:
    with with_pico(bench(cards=0)) as known:
        assert asked("shoe.sensors", known).state == "warning"


class Deaf:
    """A port on which somebody else speaks, or nobody."""

    trouble = ""

    def __init__(self, *events: object) -> None:
        self._events = list(events)

    def __enter__(self) -> Deaf:
        return self

    def __exit__(self, *_: object) -> None: ...

    def wait(self, _seconds: float) -> list[object]:
        events, self._events = self._events, []
        return events

    def send(self, _command: object) -> bool:
        return False


def test_a_pico_that_takes_no_message_is_said_not_to_answer_and_nothing_else_is_blamed(here: Path) -> None:
    greeted = Greeted(t=0.0, board="pico", world="hardware", cause="power", is_new=True, is_reset=False)
    with with_pico(Deaf(greeted), moves=True) as known:
        found = {name: asked(name, known) for name in PICO_CHECKS[2:]}
    assert {one.message for one in found.values()} == {"The Pico does not answer a test message."}


def test_another_firmware_is_reported_with_what_to_run(here: Path) -> None:
    with with_pico(Deaf(Mismatch(t=0.0, error=mismatch(0)))) as known:
        found = asked("pico.firmware", known)
        assert asked("shoe.sensors", known).state == "absent"
    assert (found.state, found.remedy) == ("wrong", "Run croupier firmware install.")


def test_a_port_that_is_not_there(here: Path) -> None:
    with table(PICO + '[pico]\nport = "/dev/ttyNONE*"\n') as known:
        found = asked("pico.found", known)
        assert asked("pico.clock", known).state == "absent"
    assert (found.state, found.message) == ("wrong", "/dev/ttyNONE*: no such port.")
    assert found.remedy.startswith("Plug the Pico in")


# -- page and voice ------------------------------------------------------------------------------------------------


def test_a_port_of_the_page_that_is_taken(here: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert asked("page.port", table(f"[page]\nport = {port}\n")).state == "warning"
    assert asked("page.port", table(f"[page]\nport = {port}\n")).state == "ok"


def test_a_name_that_reaches_nobody_is_reported(here: Path) -> None:
    assert asked("page.reach", table('[page]\nname = "croupier"\n')).state == "warning"
    assert asked("page.reach", table('[page]\nname = "croupier"\naddress = "0.0.0.0"\n')).state == "ok"


def test_a_page_with_a_user_of_its_own_is_told_from_one_with_the_rights_of_the_table(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked("page.user", table("[page]\non = true\n", root=here)).state == "absent"
    line = here / PAGE_LINE
    line.parent.mkdir(parents=True)
    line.touch()
    assert asked("page.user", table("[page]\non = true\n", root=here)).state == "ok"
    monkeypatch.setattr("os.access", lambda path, mode: path != line)
    assert asked("page.user", table("[page]\non = true\n", root=here)).state == "warning"
    assert asked("page.user", table("[page]\non = false\n")).state == "absent"


def test_a_table_that_cannot_speak_says_what_to_install(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked("voice.engine", table()).state == "absent"
    monkeypatch.setenv("PATH", str(here))
    known = table("[voice]\non = true\n")
    for name in ("voice.engine", "voice.sound"):
        assert (asked(name, known).state, "apt install" in asked(name, known).remedy) == ("wrong", True)


def test_a_broker_that_does_not_answer_is_a_warning(here: Path) -> None:
    with socket.socket() as broker:
        broker.bind(("127.0.0.1", 0))
        broker.listen()
        known = f'[mqtt]\nhost = "127.0.0.1"\nport = {broker.getsockname()[1]}\n'
        assert asked("mqtt.broker", table(known)).state == "ok"
    assert asked("mqtt.broker", table(known)).state == "warning"


@pytest.mark.parametrize(("mode", "state"), [(0o600, "ok"), (0o644, "warning")])
def test_a_password_that_others_may_read(here: Path, mode: int, state: str) -> None:
    known = table('[mqtt]\nhost = "127.0.0.1"\nuser = "croupier"\npassword = "secret"\n')
    Path("croupier.toml").chmod(mode)
    assert asked("config.private", known).state == state


def test_a_signed_webhook_without_encryption_is_warned_of(here: Path) -> None:
    known = table('[[webhooks]]\nurl = "http://192.0.2.1/hook"\nsecret = "long"\n')
    Path("croupier.toml").chmod(0o600)
    found = asked("webhooks.encrypted", known)
    assert (found.state, found.message) == (
        "warning",
        "Webhook: 192.0.2.1 is not encrypted: others can read its rulings.",
    )


# -- the command ---------------------------------------------------------------------------------------------------


@pytest.fixture
def quiet(here: Path) -> Path:
    Path("croupier.toml").write_text('[camera]\nsource = "none"\n[page]\non = false\n')
    return here


def test_the_command_tells_all_and_ends_with_0_where_all_is_well(
    quiet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert sorted(one["id"] for one in told["findings"]) == sorted(CHECKS)
    assert {one["state"] for one in told["findings"]} <= {"ok", "absent"}


def test_one_group_can_be_asked(quiet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["doctor", "--only", "journal"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("OK         journal.writes: The disk takes ")
    assert lines[1:] == [
        "not there  journal.whole, journal.wear: There is no journal yet.",
        "OK: 1, not there: 2",
    ]


def test_a_check_that_there_is_not(quiet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["doctor", "--only", "magic"]) == 2
    assert "--only magic: unknown check: expected one of config.valid, " in capsys.readouterr().err


# -- languages -----------------------------------------------------------------------------------------------------


def test_an_answer_is_in_the_language_of_the_reader_and_in_english_for_programs(
    quiet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["doctor", "--only", "journal.whole", "--language", "de"]) == 0
    assert capsys.readouterr().out == "fehlt       journal.whole: Es gibt noch kein Journal.\nfehlt: 1\n"
    assert main.run(["doctor", "--only", "journal.whole", "--language", "de", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"][0]["text"] == "There is no journal yet."


def test_what_others_say_is_shown_as_it_is(here: Path) -> None:
    def braces(_: CheckContext) -> Finding:
        raise OSError("{seat} is {odd}")

    assert ask(Check("braces", braces), table(), {}).in_words()[0] == "{seat} is {odd}."


@pytest.mark.parametrize(
    "file", sorted((ROOT / "host/croupier/croupier/doctor/checks").glob("*.py")), ids=lambda file: file.name
)
def test_a_check_says_no_text_that_is_not_marked(file: Path) -> None:
    bare = [
        ast.unparse(said)
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("ok", "warning", "wrong", "absent")
        for said in call.args
        if isinstance(said, ast.Constant | ast.JoinedStr)
    ]
    assert bare == []
