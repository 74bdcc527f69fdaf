"""`croupier firmware image`: MicroPython and the firmware in one UF2 file, and what is refused.

No image of MicroPython is at hand here: the program that stands for it (`tests.firmware.pico_program`) tells about
itself what MicroPython tells.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from littlefs import LittleFS, UserContext
from rp2040py.device.load_flash import load_uf2
from rp2040py.simulator import Simulator

from croupier.cli.main import run
from croupier_bench.emulated import EmulatedPico
from croupier_extras.firmware.image import firmware_files
from tests.firmware.pico_program import FLASH, flash, uf2

DISK, END = 0xA_0000, 0x20_0000
DRIVE = (FLASH + DISK, END - DISK)
HEAD_AT, LIST_AT = 0x3E0, 0x700
"""Where the program's list of what it tells about itself is announced, and where it lies."""


def micropython(drive: tuple[int, int] | None = DRIVE, version: str = "v1.28.0", size: int = 0x1000) -> bytes:
    """A program for the Pico that tells of MicroPython's file system, address and size, and of its version."""
    entries = [struct.pack("<2HIi", 5, 0x5052, 0x68F4_65DE, 0)]
    if drive:
        entries.append(struct.pack("<2H4IH", 7, 0x504D, 0, *drive, 0, 3))
    text_at = FLASH + LIST_AT + 0x80
    entries.append(struct.pack("<2H2I", 6, 0x5052, 0x11A9_BC3A, text_at))
    pointers, at = b"", text_at + 0x20
    for entry in entries:
        pointers += struct.pack("<I", at)
        at += len(entry)
    told = pointers.ljust(0x80, b"\0") + version.encode().ljust(0x20, b"\0") + b"".join(entries)
    begin = FLASH + LIST_AT
    head = struct.pack("<5I", 0x7188_EBF2, begin, begin + len(pointers), 0, 0xE71A_A390)
    program = bytearray(flash().ljust(size, b"\0"))
    program[HEAD_AT : HEAD_AT + len(head)] = head
    program[LIST_AT : LIST_AT + len(told)] = told
    return bytes(program)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "RPI_PICO.uf2"
    path.write_bytes(uf2(micropython()))
    return path


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the command; MicroPython ends within a sector."""
    source = tmp_path_factory.mktemp("image") / "RPI_PICO.uf2"
    source.write_bytes(uf2(micropython(size=0x1300)))
    out = source.with_name("croupier.uf2")
    assert run(["firmware", "image", str(source), str(out)]) == 0
    return out


def test_every_block_is_one_that_the_boot_loader_takes_and_sectors_are_whole(image: Path) -> None:
    data = image.read_bytes()
    blocks = [struct.unpack("<8I476sI", data[at : at + 512]) for at in range(0, len(data), 512)]
    assert {(*block[:3], block[4], *block[6:8], block[9]) for block in blocks} == {
        (0x0A32_4655, 0x9E5D_5157, 0x2000, 256, len(blocks), 0xE48B_FF56, 0x0AB1_6F30)
    }
    assert [block[5] for block in blocks] == list(range(len(blocks)))
    expected = [*range(FLASH, FLASH + 0x2000, 256), *range(FLASH + DISK, FLASH + END, 256)]
    assert [block[3] for block in blocks] == expected


def test_the_flash_holds_micropython_and_a_file_system_with_the_firmware(image: Path) -> None:
    board = Simulator().rp2040
    load_uf2(image, board)
    assert bytes(board.flash[:0x1300]) == micropython(size=0x1300)
    there = LittleFS(UserContext(buffsize=0), mount=False, block_size=4096, block_count=352, prog_size=256)
    there.context.buffer = bytearray(board.flash[DISK:END])
    there.mount()
    assert there.fs_stat().disk_version == 0x0002_0000
    names = [f"{folder}/{name}".lstrip("/") for folder, _, names in there.walk("/") for name in names]
    found = {name: there.open(name, "rb").read() for name in names}
    assert found == firmware_files(lambda _line: None)
    assert {"main.py", "croupier-a/pico/app.mpy"} <= found.keys()


def test_a_board_with_the_image_starts(image: Path) -> None:
    pico = EmulatedPico(image)
    assert [event.kind for event in pico.run_to(25_000)] == ["boot"]


def test_the_command_says_what_it_wrote_and_what_to_do_with_it(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = source.with_name("new.uf2")
    assert run(["firmware", "image", str(source), str(out)]) == 0
    told = capsys.readouterr().out
    count = len(firmware_files(lambda _line: None))
    assert told.startswith(f"{out}: MicroPython v1.28.0 and {count} files of the firmware\n")
    assert "BOOTSEL" in told
    assert "RPI-RP2" in told


def changed(at: int, value: int, block: int = 0) -> Callable[[bytes], bytes]:
    """Replace a word of a block of the UF2 file."""

    def change(data: bytes) -> bytes:
        at_byte = 512 * block + at
        return data[:at_byte] + struct.pack("<I", value) + data[at_byte + 4 :]

    return change


def of_family(family: int) -> Callable[[bytes], bytes]:
    return lambda data: data.replace(struct.pack("<I", 0xE48B_FF56), struct.pack("<I", family))


def program(*args: object, **words: object) -> Callable[[bytes], bytes]:
    return lambda _data: uf2(micropython(*args, **words))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(lambda _data: b"", "it is not a UF2 file", id="empty"),
        pytest.param(lambda _data: b"no image" * 100, "it is not a UF2 file", id="text"),
        pytest.param(lambda data: data[:-100], "the UF2 file is cut off in block 16", id="cut-off"),
        pytest.param(lambda data: data[:-512], "the UF2 file lacks blocks", id="blocks-missing"),
        pytest.param(changed(24, 2**32 - 1), "the UF2 file lacks blocks", id="other-count"),
        pytest.param(changed(4, 0, block=2), "block 3 is not a block of a UF2 file", id="other-mark"),
        pytest.param(changed(12, 0x2000_0000), "block 1 is not a page of a Pico’s flash", id="for-the-ram"),
        pytest.param(changed(16, 476), "block 1 is not a page of a Pico’s flash", id="larger-page"),
        pytest.param(of_family(0xE48B_FF59), "it is for the Pico 2 (RP2350)", id="pico-2"),
        pytest.param(of_family(0x5EE2_1072), "it is for another chip (family 0x5ee21072)", id="another-chip"),
        pytest.param(program(None), "there is no MicroPython in it", id="another-program"),
        pytest.param(lambda _data: uf2(flash()), "there is no MicroPython in it", id="tells-nothing"),
        pytest.param(
            program((FLASH + 0x12_C000, 848 * 1024)),
            "its MicroPython keeps files at 0x1012c000 (848 kB); expected 0x100a0000 (1408 kB)",
            id="pico-w",
        ),
        pytest.param(
            program(size=DISK + 256), "it ends at 0x100a0100, expected 0x100a0000 at most", id="reaches-into-files"
        ),
        pytest.param(program(version="v1.19.1"), "it is MicroPython v1.19.1; expected 1.24 or newer", id="too-old"),
    ],
)
def test_other_files_are_refused(
    source: Path, capsys: pytest.CaptureFixture[str], change: Callable[[bytes], bytes], expected: str
) -> None:
    source.write_bytes(change(source.read_bytes()))
    out = source.with_name("croupier.uf2")
    assert run(["firmware", "image", str(source), str(out)]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert told.startswith(f"croupier: {source}: ")
    assert expected in told
    assert "take the UF2 file of MicroPython for the Raspberry Pi Pico (RPI_PICO)" in told
    assert not out.exists()


def test_an_image_is_no_source_of_another(image: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["firmware", "image", str(image), str(image.with_name("second.uf2"))]) == 2
    assert "it is too large or has files already: it ends at 0x10200000" in capsys.readouterr().err


def test_a_missing_source_and_an_existing_file_are_refused(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["firmware", "image", str(source.with_name("none.uf2")), str(source.with_name("croupier.uf2"))]) == 2
    assert "none.uf2: No such file or directory; take the UF2 file" in capsys.readouterr().err
    before = source.read_bytes()
    assert run(["firmware", "image", str(source), str(source)]) == 2
    assert f"{source}: this file already exists" in capsys.readouterr().err
    assert source.read_bytes() == before
