"""The files of a table: its description, the deck that it learned, its journal."""

from __future__ import annotations

import os
import stat
import time
from tempfile import TemporaryFile
from typing import Final

from croupier.app.doctor.examined import Examined
from croupier.app.doctor.finding import Finding, absent, ok, warning, wrong
from croupier.errors import one_line

SLOW_S: Final = 0.5
"""Each observation waits for the disk; a good SD card takes 10 ms."""

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO

_TRIED: Final = 10
_SAMPLE: Final = 200
"""So many lines of a game are enough to know what one costs."""

COSTLY_MB: Final = 50.0
"""A game that writes more wears an SD card out within years."""


def config_valid(table: Examined) -> Finding:
    """Is `croupier.toml` there, and right?"""
    if table.fault is not None:
        first, *more = (one_line(str(one)) for one in table.fault.args)
        told = f"{first}{f' (and {len(more)} more)' if more else ''}."
        return wrong(told, "mend the line; docs/configuration.md lists every option", mistakes=1 + len(more))
    if not table.file.exists():
        return ok(f"There is no {table.file}, so every option is as usual; croupier setup writes one.")
    return ok(f"{table.file} is right.")


def config_private(table: Examined) -> Finding:
    """May others read the passwords that stand in the file?"""
    config = table.config
    if not (config.mqtt.password or any(hook.secret for hook in config.webhooks)):
        return absent("No passwords stand in the file.")
    if table.file.stat().st_mode & _OTHERS:
        return warning("Others on this machine may read the passwords in the file.", f"chmod 600 {table.file}")
    return ok("Nobody else may read the passwords in the file.")


def deck_learned(table: Examined) -> Finding:
    """Can the deck profile be read, and does the reader know it?"""
    from croupier.app.reading.own_deck import load_profile
    from croupier.app.reading.pictures import card_reader

    card_reader()
    profile = table.config.deck.profile
    if profile is None:
        return ok("The reader uses the editions that it knows.")
    load_profile(profile)
    return ok(f"The reader knows your deck ({profile.name}).")


def journal_writes(table: Examined) -> Finding:
    """Can be written where the journal lies, and how long does the disk take?"""
    file = table.config.journal.file
    folder = file.absolute().parent
    remedy = f"make the folder, or give it to whoever runs the table: sudo chown croupier {folder}"
    if not folder.is_dir():
        return wrong(f"{folder}: there is no such folder, and the journal belongs there.", remedy)
    if file.exists() and not os.access(file, os.W_OK):
        return wrong(f"{file} may not be written by this user.", remedy)
    times = []
    with TemporaryFile(dir=folder) as tried:  # an OSError is told as it is
        for _ in range(_TRIED):
            began = time.monotonic()
            tried.write(b"\0" * 4096)
            tried.flush()
            os.fsync(tried.fileno())
            times.append(time.monotonic() - began)
    slowest = max(times)
    told = (
        f"The disk takes {sorted(times)[len(times) // 2] * 1000:.0f} ms to keep a line, {slowest * 1000:.0f} at most."
    )
    if slowest > SLOW_S:
        return warning(told, "take a better SD card (A2), or an SSD on USB", slowest_ms=round(slowest * 1000))
    return ok(told, slowest_ms=round(slowest * 1000))


def journal_whole(table: Examined) -> Finding:
    """Is every line of the journal as it was written?"""
    from croupier.journal import Archive

    file = table.config.journal.file
    if not file.exists():
        return absent("There is no journal yet.")
    with Archive(file) as archive:
        damages, games = list(archive.damages()), len(archive.games())
    if damages:
        first = damages[0]
        told = f"{len(damages)} of {games} games are not as they were written: game {first.game}, line {first.line}."
        return wrong(told, "croupier journal verify lists them; croupier journal export saves what can be read",
                     games=games, damaged=len(damages))  # fmt: skip
    return ok(f"All {games} games are as they were written.", games=games)


def journal_wear(table: Examined) -> Finding:
    """What does a game cost the SD card?"""
    from croupier.journal import Archive
    from croupier.journal.wear import bytes_written

    with Archive(table.config.journal.file) as archive:
        last = archive.last()
        if last is None:
            return absent("No game has been played yet.")
        lines = archive.lines(last)
    some = lines[:_SAMPLE]
    mb = bytes_written(some) * len(lines) / len(some) / 1e6
    told = f"The last game, of {len(lines)} lines, wrote about {mb:.1f} MB."
    if mb > COSTLY_MB:
        return warning(told, "keep the journal on an SSD or a USB stick: file in [journal]", mb=round(mb, 2))
    return ok(told, mb=round(mb, 2), lines=len(lines))
