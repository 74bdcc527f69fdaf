"""Where the Pico's port is, and where it is when it comes back."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from croupier.link.link import PortFinder


@dataclass
class Usb:
    device: str
    serial_number: str | None
    vid: int | None = 0x2E8A
    pid: int | None = 0x0005


PICO = Usb("/dev/ttyACM0", "E66164084321")
OTHER = Usb("/dev/ttyACM1", "E66164089999")
PRINTER = Usb("/dev/ttyUSB0", "A123", 0x0403, 0x6001)
CONSOLE = Usb("/dev/ttyS0", None, None, None)


@pytest.mark.parametrize(
    ("wanted", "ports", "found"),
    [
        pytest.param("auto", [CONSOLE, PRINTER, PICO, OTHER], "/dev/ttyACM0", id="the-first-pico"),
        pytest.param("auto", [CONSOLE, PRINTER], None, id="no-pico"),
        pytest.param("usb:E66164089999", [PICO, OTHER], "/dev/ttyACM1", id="by-serial-number"),
        pytest.param("usb:E6616408999", [PICO, OTHER], "/dev/ttyACM1", id="by-the-beginning-of-it"),
        pytest.param("usb:F", [PICO, OTHER], None, id="another-serial-number"),
        pytest.param("/dev/ttyACM1", [PICO], "/dev/ttyACM1", id="by-path"),
        pytest.param("/dev/ttyAC*", [], "/dev/ttyACM1", id="by-wildcard"),
        pytest.param("/dev/nope", [PICO], None, id="no-such-path"),
    ],
)
def test_the_port_is_found(wanted: str, ports: list[Usb], found: str | None) -> None:
    files = {"/dev/ttyACM1": ["/dev/ttyACM1"], "/dev/ttyAC*": ["/dev/ttyACM2", "/dev/ttyACM1"]}
    finder = PortFinder(wanted, lambda: ports, lambda pattern: files.get(pattern, []))
    assert finder.find() == found


@pytest.mark.parametrize("wanted", ["auto", "/dev/ttyACM0", "usb:E66164084321"])
def test_a_pico_that_answered_is_found_under_another_name(wanted: str) -> None:
    ports = [PICO]
    finder = PortFinder(wanted, lambda: ports, lambda pattern: [pattern])
    assert finder.find() == "/dev/ttyACM0"
    finder.answered("/dev/ttyACM0")
    ports[:] = [OTHER]
    assert finder.find() is None, "another Pico now has its name, or is the only one"
    ports[:] = [OTHER, Usb("/dev/ttyACM5", PICO.serial_number)]
    assert finder.find() == "/dev/ttyACM5"


def test_with_auto_a_pico_that_does_not_answer_is_not_waited_for_where_there_is_another() -> None:
    third = Usb("/dev/ttyACM2", "E66164085555")
    ports = [PICO, OTHER, third]
    finder = PortFinder("auto", lambda: ports)
    taken = []
    for _ in range(4):
        taken.append(path := finder.find())
        assert path is not None
        finder.unanswered(path)
    assert taken == ["/dev/ttyACM0", "/dev/ttyACM1", "/dev/ttyACM2", "/dev/ttyACM0"]
    finder.answered("/dev/ttyACM1")
    assert finder.find() == "/dev/ttyACM1"
    finder.unanswered("/dev/ttyACM1")
    assert finder.find() == "/dev/ttyACM0"


@pytest.mark.parametrize("wanted", ["/dev/ttyACM0", "usb:E66164084321"])
def test_a_pico_that_was_named_is_waited_for_however_deaf_it_is(wanted: str) -> None:
    ports = [PICO]
    finder = PortFinder(wanted, lambda: ports, lambda pattern: [pattern])
    finder.answered("/dev/ttyACM0")
    finder.unanswered("/dev/ttyACM0")
    ports[:] = [OTHER, Usb("/dev/ttyACM5", PICO.serial_number)]
    assert finder.find() == "/dev/ttyACM5"


def test_a_pty_that_comes_back_under_another_name_is_found_by_its_pattern() -> None:
    there = ["/run/table/ttyACM0"]
    finder = PortFinder("/run/table/tty*", list, lambda pattern: there)
    assert finder.find() == "/run/table/ttyACM0"
    finder.answered("/run/table/ttyACM0")
    there[:] = ["/run/table/ttyACM1"]
    assert finder.find() == "/run/table/ttyACM1"


@pytest.mark.parametrize("wanted", ["auto", "usb:E6", "/dev/nope"])
def test_a_missing_port_is_one_line_that_says_what_to_do(wanted: str) -> None:
    line = PortFinder(wanted, list, lambda pattern: []).missing()
    assert "plug" in line
    assert "\n" not in line
