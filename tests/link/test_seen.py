"""What is said of a port at which no Pico of ours answers: what was seen there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial
from hypothesis import given
from hypothesis import strategies as st

from croupier.device_files import group_of, users_of
from croupier.doctor.check import CheckContext, ask
from croupier.doctor.runner import CHECKS
from croupier.errors import PortNotFound
from croupier.link import link as link_module
from croupier.link.link import Link, PortFinder
from croupier.link.seen import Board, describe
from tests.link.ptys import GPS, NOISE, REPL, Talker
from tests.patience import PATIENCE_S

NAME = "name the Pico's port"
PROMPT = "MicroPython's prompt answers, and not the firmware; run croupier firmware install"
SEEN = [
    pytest.param(GPS, False, f'a GPS receiver sends "{GPS[:59].decode()}…"; {NAME}', id="gps"),
    pytest.param(REPL, True, PROMPT, id="repl"),
    pytest.param(b">>> ", True, PROMPT, id="repl-that-was-open"),
    pytest.param(b"\r\nERROR\r\n", True, f'a modem answers "ERROR"; {NAME}', id="modem"),
    pytest.param(NOISE, False, rf"\d+ bytes came that are no text, as at a wrong speed; {NAME}", id="noise"),
    pytest.param(b"", True, f"it sends back what it gets; {NAME}", id="echo"),
    pytest.param(b"21.5\x1b[31m C\r\n", False, f'something else sends "21.5\\x1b[31m C"; {NAME}', id="sensor"),
    pytest.param(b"", False, "nothing answers; run croupier firmware install", id="silence"),
]  # fmt: skip


def waited_for(link: Link, seen: str = "") -> str:
    """Why the port cannot be used, once that is known. ``seen``: what it ends with, as text or as a pattern: a busy
    machine lets a talker say it only after a first search."""
    until = time.monotonic() + PATIENCE_S
    while not is_told(link.trouble, seen) and time.monotonic() < until:
        link.wait(0.01)
    return link.trouble


def is_told(trouble: str, seen: str) -> bool:
    """True if a trouble is told, and this one."""
    _, _, told = trouble.partition(": ")
    return bool(trouble) and (not seen or told == seen or re.fullmatch(seen, told) is not None)


@pytest.mark.parametrize(("says", "echoes", "seen"), SEEN)
def test_what_talks_at_a_port_is_named_with_its_first_line(
    says: bytes, echoes: bool, seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "UNANSWERED_S", 0.3)
    with Talker(says, echoes=echoes) as port, Link(port.path) as link:
        trouble = waited_for(link, seen)
    assert trouble.partition(": ")[0] == port.path
    assert is_told(trouble, seen), trouble
    assert trouble.isprintable()


def test_doctor_says_what_talks_at_the_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "UNANSWERED_S", 0.3)
    with Talker(GPS) as port:
        (tmp_path / "croupier.toml").write_text(
            f'[camera]\nsource = "none"\n[buttons]\nkind = "pico"\n[pico]\nport = "{port.path}"\n'
        )
        with CheckContext(tmp_path / "croupier.toml") as table:
            found = ask(CHECKS["pico.firmware"], table, CHECKS)
    assert (found.state, found.remedy) == ("wrong", "Name the Pico's port.")
    assert found.message.startswith(f'{port.path}: a GPS receiver sends "$GPGGA,123519,')


def test_the_product_on_usb_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "UNANSWERED_S", 0.3)
    with Talker() as port:
        usb = SimpleNamespace(
            device=port.path, serial_number="E6", vid=0x2E8A, pid=0x0005, product="Board: in FS\n mode"
        )
        with Link(PortFinder("auto", lambda: [usb])) as link:
            trouble = waited_for(link)
    assert trouble == f"{port.path} (Board  in FS): nothing answers; run croupier firmware install"


@given(st.binary(max_size=300))
def test_any_bytes_are_described_in_one_line(data: bytes) -> None:
    told = describe(data)
    assert told.isprintable()
    assert "; " in told
    assert len(told) < 500


PICO = SimpleNamespace(device="/dev/ttyACM0", serial_number="E661A", vid=0x2E8A, pid=0x0005, product="Board")
OTHER = SimpleNamespace(device="/dev/ttyACM1", serial_number="E661B", vid=0x2E8A, pid=0x0005, product="Board")
GPS_MOUSE = SimpleNamespace(device="/dev/ttyACM2", serial_number=None, vid=0x1546, pid=0x01A7, product="u-blox 7")


def boot_loader(root: Path) -> None:
    device = root / "sys/bus/usb/devices/1-1"
    device.mkdir(parents=True)
    (device / "idVendor").write_text("2e8a\n")
    (device / "idProduct").write_text("0003\n")


@pytest.mark.parametrize(
    ("wanted", "usb", "is_booting", "missing"),
    [
        pytest.param("auto", [], False, "no Pico on USB: plug it in, or name its port, such as /dev/ttyACM0",
                     id="nothing"),
        pytest.param("auto", [GPS_MOUSE], False,
                     'no Pico on USB, only "u-blox 7" /dev/ttyACM2: plug the Pico in, or name its port',
                     id="a-gps-mouse"),
        pytest.param("auto", [], True, "a Pico is in its boot loader: copy MicroPython onto its drive, which is called "
                     "RPI-RP2, then run croupier firmware install", id="boot-loader"),
        pytest.param("usb:E99", [PICO], False, 'no Pico with serial number E99 on USB, only "Board" usb:E661A '
                     "(/dev/ttyACM0): plug it in, or name its port", id="another-serial-number"),
        pytest.param("usb:E661", [PICO, OTHER], False, '2 devices have such a serial number, "Board" usb:E661A '
                     '(/dev/ttyACM0), "Board" usb:E661B (/dev/ttyACM1): name one by all of it',
                     id="two-begin-so"),
        pytest.param("/dev/ttyACM9", [PICO], False, '/dev/ttyACM9: no such port, only "Board" usb:E661A '
                     "(/dev/ttyACM0): plug the Pico in, or name its port", id="another-path"),
    ],
)  # fmt: skip
def test_a_port_that_is_missing_is_one_line_with_what_is_there(
    tmp_path: Path, wanted: str, usb: list[SimpleNamespace], is_booting: bool, missing: str
) -> None:
    if is_booting:
        boot_loader(tmp_path)
    finder = PortFinder(wanted, lambda: usb, lambda _pattern: [], tmp_path)
    assert finder.find() is None
    assert finder.missing() == missing


def test_what_must_not_be_done_to_another_pico_asks_for_a_name_where_there_are_two() -> None:
    assert PortFinder("auto", lambda: [PICO, GPS_MOUSE]).only() == "/dev/ttyACM0"
    assert PortFinder("usb:E661B", lambda: [PICO, OTHER]).only() == "/dev/ttyACM1"
    with pytest.raises(PortNotFound, match=r"2 Picos are on USB, .*usb:E661A .*usb:E661B .*: name one by usb:"):
        PortFinder("auto", lambda: [OTHER, PICO]).only()


def test_a_pico_named_by_its_link_is_found_again_under_another_number(tmp_path: Path) -> None:
    link = tmp_path / "usb-MicroPython_Board_E661A-if00"
    (device := tmp_path / "ttyACM0").touch()
    link.symlink_to(device)
    ports = [SimpleNamespace(**{**vars(PICO), "device": str(device)})]
    finder = PortFinder(str(link), lambda: ports)
    assert finder.find() == str(link)
    finder.answered(str(link))
    link.unlink()
    ports[0].device = "/dev/ttyACM7"
    assert finder.find() == "/dev/ttyACM7"


def test_doctor_names_two_picos_and_setup_keeps_one(tmp_path: Path) -> None:
    (tmp_path / "croupier.toml").write_text('[camera]\nsource = "none"\n[buttons]\nkind = "pico"\n')
    boards = [Board.of(PICO), Board.of(OTHER)]
    with Talker() as port, CheckContext(tmp_path / "croupier.toml", find_boards=lambda: boards) as table:
        table.open_link = lambda _config: Link(port.path)
        found = ask(CHECKS["pico.found"], table, CHECKS)
    assert found.state == "warning"
    assert "usb:E661A (/dev/ttyACM0), " in found.message
    assert "croupier setup shoe" in found.remedy


def test_a_busy_port_says_who_uses_it() -> None:
    hold = (
        "import fcntl, sys; port = open(sys.argv[1]); fcntl.flock(port, fcntl.LOCK_EX); print('held', flush=True); "
        "sys.stdin.read()"
    )
    with Talker() as port:
        command = [sys.executable, "-c", hold, port.path]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            with pytest.raises(PortNotFound, match=rf"\(PID {holder.pid}\) uses this port; end that program, or name"):
                Link(port.path).__enter__()
            assert holder.stdin is not None
            holder.stdin.close()
            holder.wait(PATIENCE_S)
        assert users_of(port.path) == ""


def test_who_may_use_a_device_is_its_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import grp

    port = tmp_path / "port"
    port.touch()
    port.chmod(0o660)
    assert group_of(port) == "", "who may use it needs no group"
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert group_of(port) == grp.getgrgid(port.stat().st_gid).gr_name
    monkeypatch.setattr(serial, "Serial", denied)
    with pytest.raises(PortNotFound, match=r"no permission; join the group of the device \(usermod -aG \w+ \$USER\)"):
        Link(str(port)).__enter__()


def denied(*_: object, **_more: object) -> None:
    raise serial.SerialException(13, "could not open port: [Errno 13] Permission denied")
