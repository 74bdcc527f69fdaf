"""`croupier host` finds the buttons kit by itself, writes it into the table's file, and offers to test the buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from croupier import plugins
from croupier.config import load
from croupier.link.seen import Board
from croupier.runtime import host
from croupier.runtime.host import host_table
from croupier_bench.link import Vm
from croupier_extras.button_search import find_buttons
from croupier_sim.board.pico import interpreter
from tests.link.ptys import REPL, Talker
from tests.link.test_link import LONGEST_S

needs_vm = pytest.mark.skipif(interpreter() is None, reason="MicroPython's VM is for Linux on x86-64")

TABLE = '[seats]\nnames = ["Ann", "Ben"]\n'


@pytest.fixture
def vm() -> Iterator[Vm]:
    with Vm() as vm:
        yield vm


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "croupier.toml").write_text(TABLE)
    return tmp_path / "croupier.toml"


def looked(file: Path, boards: list[Board], answer: str | None, patience_s: float = LONGEST_S) -> list[str]:
    """Look for the kit, and return what was said. ``answer``: of the person in the terminal."""
    said: list[str] = []

    def asked(question: str) -> str:
        said.append(question)
        return answer or ""

    ask: Callable[[str], str] | None = None if answer is None else asked
    find_buttons(file, ask, boards=lambda: boards, patience_s=patience_s, show=said.append)
    return said


@needs_vm
def test_a_kit_is_found_written_down_and_tested_button_by_button(file: Path, vm: Vm) -> None:
    said = looked(file, [Board(vm.path, "E661", "Board in FS mode")], "")
    assert (
        said[0] == f'Found the Pico for buttons and ring: "Board in FS mode" usb:E661 ({vm.path}). It is now in {file}.'
    )
    assert said[1].startswith("Test the buttons now?")
    assert [line.partition(":")[0].strip() for line in said[2:6]] == [
        "Press the button at seat 1 …", "Seat 1", "Press the button at seat 2 …", "Seat 2",
    ]  # fmt: skip
    assert said[6:] == ["2 of 2 buttons answer."]
    config = load(file)
    assert (config.buttons.kind, config.ring.kind, config.shoe.kind) == ("pico", "pico", "none")
    assert config.pico.port == "auto", "the only one is found whatever its port is"
    assert looked(file, [Board("/nowhere", "", "")], "") == [], "it is known the next time"


@needs_vm
@pytest.mark.parametrize("answer", [pytest.param("n", id="later"), pytest.param(None, id="nobody-in-the-terminal")])
def test_a_test_that_nobody_wants_now_is_named(answer: str | None, file: Path, vm: Vm) -> None:
    said = looked(file, [Board(vm.path, "", "")], answer)
    assert said[-1] == "Each button can be tested one after the other: croupier link buttons --seats 2"
    assert load(file).buttons.kind == "pico"


@needs_vm
def test_of_several_picos_the_one_with_the_firmware_is_taken_and_kept_by_its_number(file: Path, vm: Vm) -> None:
    said = looked(file, [Board(str(file), "E1", ""), Board(vm.path, "E2", "")], "later")
    assert said[0].startswith(f"{file}: cannot be opened as a serial port")
    assert load(file).pico.port == "usb:E2"


def test_a_pico_without_the_firmware_is_named_and_the_table_starts_without_it(file: Path) -> None:
    with Talker(REPL) as talker:
        board = Board(talker.path, "", "Pico")
        (said,) = looked(file, [board], "", patience_s=0.3)
    assert said.startswith(f'"Pico" {talker.path} is no buttons kit yet: ')
    assert said.endswith("run croupier firmware install")
    assert file.read_text() == TABLE


@pytest.mark.parametrize(
    "settled", ['[buttons]\nkind = "none"\n', '[ring]\nkind = "none"\n', '[shoe]\nkind = "pico"\n']
)
def test_what_the_file_says_is_left_as_it_is(settled: str, file: Path) -> None:
    file.write_text(TABLE + settled)
    assert looked(file, [Board("/nowhere", "", "")], "") == []
    assert file.read_text() == TABLE + settled


def test_a_hosted_table_looks_for_kits_before_it_starts(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    assert plugins.load(plugins.SEARCHES, "buttons") is find_buttons
    monkeypatch.setattr(plugins, "loaded", lambda group: {group: lambda *asked: done.append((group, *asked))})
    monkeypatch.setattr(host, "find_cameras", tuple)
    monkeypatch.setattr(host, "run", lambda path, **_: len(done))
    ask = str
    assert host_table(file, (), None, opens_browser=False, is_new=False, ask=ask) == 1, "before it runs"
    assert done == [(plugins.SEARCHES, file, ask)]
