"""One file for a new Pico: MicroPython and the firmware in a UF2 file, as `croupier firmware image` writes it.

A UF2 file consists of blocks of 512 bytes; each carries a page of the flash with its address and the family of the chip
(https://github.com/microsoft/uf2). The Pico's boot loader can lose pages of a sector that is written in part (data
sheet of the RP2040, erratum RP2040-E14), so sectors are written whole. So is the file system: LittleFS could take a
block of an older one that stayed on the Pico for a newer one of its own.

Where MicroPython keeps its files, and which version it is, its program tells by itself (``pico/binary_info.h``).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from littlefs import LittleFS

from croupier.errors import CannotInstall
from croupier_extras.firmware.installer import OLDEST, compiled, files, in_slot

DISK_AT: Final = 0xA_0000
BLOCK: Final = 4096
BLOCKS: Final = 352
"""MicroPython's file system on a Pico: the last 1,408 kB of the flash, in blocks of a sector."""
_DISK_VERSION: Final = 0x0002_0000
"""Of LittleFS: the oldest that MicroPython takes."""
_PROGRAM: Final = 256
"""Bytes that LittleFS writes at once, as MicroPython mounts it: a page of the flash."""
_MPY: Final = 0x1306
"""Format of compiled files that MicroPython 1.24 and newer takes on an RP2040, as of
`croupier_extras.firmware.installer`."""

_FLASH: Final = 0x1000_0000
"""Address of the flash's first byte."""
_SIZE: Final = DISK_AT + BLOCK * BLOCKS
"""Bytes of a Pico's flash."""
_PAGE: Final = 256

_UF2: Final = struct.Struct("<8I476sI")
"""A block: two marks, flags, address, size, number of the block and of all blocks, family, data, a mark."""
_MARKS: Final = (0x0A32_4655, 0x9E5D_5157, 0x0AB1_6F30)
_HAS_FAMILY, _NOT_FLASH = 0x2000, 0x0001
"""Flags of a block."""
_RP2040: Final = 0xE48B_FF56
_RP2350: Final = range(0xE48B_FF57, 0xE48B_FF5C)
"""Families of blocks, as the boot loaders know them."""
_LARGEST: Final = 1 << 24
"""Bytes of the largest file that is read; one with the whole flash of a Pico has a quarter of it."""

_INFO_WITHIN: Final = 1024
"""The program's list of what it tells begins in so many first bytes of the flash."""
_INFO: Final = struct.Struct("<5I")
"""A mark, begin and end of the list, the table of what is copied to RAM at the start, a mark."""
_INFO_MARKS: Final = (0x7188_EBF2, 0xE71A_A390)
_DRIVE: Final = (7, int.from_bytes(b"MP", "little"))
"""Kind and origin of the entry about MicroPython's file system: address of its name, its address, its size."""
_TEXT: Final = (6, int.from_bytes(b"RP", "little"))
"""Kind and origin of an entry of what and where the text is."""
_VERSION: Final = 0x11A9_BC3A
"""What: the version of the program."""

_TAKE: Final = "take the UF2 file of MicroPython for the Raspberry Pi Pico (RPI_PICO)"


@dataclass(frozen=True, slots=True)
class MicroPython:
    """MicroPython for the Pico. ``pages``: of the flash, by address from its first byte. ``version``: "" if unknown."""

    pages: dict[int, bytes]
    version: str


def firmware_files(say: Callable[[str], None]) -> dict[str, bytes]:
    """The firmware's files as they lie on a new Pico; ``say`` takes a line if they cannot be compiled."""
    return in_slot(compiled(files(), _MPY, say), "croupier-a")


def file_system(contents: dict[str, bytes]) -> bytes:
    """Return a Pico's whole file system with these files."""
    disk = LittleFS(block_size=BLOCK, block_count=BLOCKS, prog_size=_PROGRAM, disk_version=_DISK_VERSION)
    for name, data in contents.items():
        disk.makedirs(str(Path(name).parent), exist_ok=True)
        with disk.open(name, "wb") as file:
            file.write(data)
    disk.unmount()
    return bytes(disk.context.buffer)


def image(micropython: MicroPython, contents: dict[str, bytes]) -> bytes:
    """Return the UF2 file with MicroPython and these files."""
    disk = file_system(contents)
    pages = micropython.pages | {DISK_AT + at: disk[at : at + _PAGE] for at in range(0, len(disk), _PAGE)}
    sectors = sorted({at // BLOCK * BLOCK for at in pages})
    written = [at for sector in sectors for at in range(sector, sector + BLOCK, _PAGE)]
    first, second, last = _MARKS
    return b"".join(
        _UF2.pack(
            first, second, _HAS_FAMILY, _FLASH + at, _PAGE, number, len(written), _RP2040,
            pages.get(at, b"\xff" * _PAGE), last,
        )
        for number, at in enumerate(written)
    )  # fmt: skip


def read_micropython(path: Path) -> MicroPython:
    """Read MicroPython for the Pico from a UF2 file.

    Raises:
        CannotInstall: the file cannot be read, or is something else; the text says what to take.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as err:
        raise CannotInstall(f"{path}: {err.strerror}; {_TAKE}") from err
    try:
        pages = _pages(data)
        _check_place(pages)
        version = _told_version(pages)
        oldest = ".".join(map(str, OLDEST))
        found = re.match(r"v?(\d+)\.(\d+)", version)
        if found and (int(found[1]), int(found[2])) < OLDEST:
            raise ValueError(f"it is MicroPython {version}; expected {oldest} or newer")
    except ValueError as err:
        raise CannotInstall(f"{path}: {err}; {_TAKE}") from err
    return MicroPython(pages, version)


def _pages(data: bytes) -> dict[int, bytes]:
    """The pages of a Pico's flash in a UF2 file, by address from the first byte. Raises ValueError."""
    if len(data) > _LARGEST or not data or data[:4] != struct.pack("<I", _MARKS[0]):
        raise ValueError("it is not a UF2 file")
    if len(data) % _UF2.size:
        raise ValueError(f"the UF2 file is cut off in block {len(data) // _UF2.size + 1}")
    pages: dict[int, bytes] = {}
    families, numbers, counts = set(), set(), set()
    for place, block in enumerate(_UF2.iter_unpack(data), start=1):
        first, second, flags, address, size, number, count, family, content, last = block
        if (first, second, last) != _MARKS:
            raise ValueError(f"block {place} is not a block of a UF2 file")
        families.add(family if flags & _HAS_FAMILY else 0)
        if flags & _HAS_FAMILY and family == _RP2040 and not flags & _NOT_FLASH:
            at = address - _FLASH
            if size != _PAGE or at % _PAGE or not 0 <= at < _SIZE:
                raise ValueError(f"block {place} is not a page of a Pico’s flash (address {address:#x}, {size} bytes)")
            pages[at] = content[:_PAGE]
            numbers.add(number)
            counts.add(count)
    if not pages:
        raise ValueError(f"it is for {_chip(families)}")
    if not len(numbers) == max(numbers) + 1 == min(counts) == max(counts):
        raise ValueError("the UF2 file lacks blocks")
    return pages


def _chip(families: set[int]) -> str:
    """What a file is for that has nothing for the Pico."""
    if families & set(_RP2350):
        return "the Pico 2 (RP2350), on which this firmware has never run"
    return "another chip (family {})".format(", ".join(f"{family:#x}" for family in sorted(families)))


def _check_place(pages: dict[int, bytes]) -> None:
    """Raise ValueError if MicroPython keeps its files elsewhere than on a Pico, or reaches to where they lie."""
    drives = [struct.unpack("<2I", entry[4:12]) for entry in _entries(pages, _DRIVE)]
    if not drives:
        raise ValueError("there is no MicroPython in it")
    expected = (_FLASH + DISK_AT, BLOCK * BLOCKS)
    if expected not in drives:
        where = ", ".join(f"{address:#x} ({size // 1024} kB)" for address, size in drives)
        raise ValueError(
            f"its MicroPython keeps files at {where}; expected {expected[0]:#x} ({expected[1] // 1024} kB)"
        )
    if max(pages) >= DISK_AT:
        end = _FLASH + max(pages) + _PAGE
        raise ValueError(
            f"it is too large or has files already: it ends at {end:#x}, expected {expected[0]:#x} at most"
        )


def _told_version(pages: dict[int, bytes]) -> str:
    """The version of the program as it tells it; "" if it does not."""
    for entry in _entries(pages, _TEXT):
        what, where = struct.unpack("<2I", entry[:8])
        if what == _VERSION:
            return _bytes(pages, where, 64).partition(b"\0")[0].decode("ascii", "replace")
    return ""


def _entries(pages: dict[int, bytes], kind: tuple[int, int]) -> Iterator[bytes]:
    """What the program in these pages tells about itself: of each entry of this kind the 12 bytes behind its head."""
    head = _bytes(pages, _FLASH, _INFO_WITHIN)
    at = head.find(struct.pack("<I", _INFO_MARKS[0]))
    if at < 0 or at + _INFO.size > len(head):
        return
    _, begin, end, _, mark = _INFO.unpack_from(head, at)
    if mark != _INFO_MARKS[1] or not _FLASH <= begin <= end <= _FLASH + _SIZE:
        return
    for pointer in range(begin, end, 4):
        (where,) = struct.unpack("<I", _bytes(pages, pointer, 4))
        entry = _bytes(pages, where, 16)
        if struct.unpack("<2H", entry[:4]) == kind:
            yield entry[4:]


def _bytes(pages: dict[int, bytes], address: int, size: int) -> bytes:
    """So many bytes at an address; where nothing is, as in an erased flash."""
    begin = address - _FLASH
    first, blank = begin // _PAGE * _PAGE, b"\xff" * _PAGE
    found = b"".join(pages.get(at, blank) for at in range(first, begin + size, _PAGE))
    return found[begin - first : begin - first + size]
