"""Checks of the table's files: configuration, deck profile, journal."""

from __future__ import annotations

import os
import stat
import time
from statistics import median
from tempfile import TemporaryFile
from typing import Any, Final

from croupier.config.options import options
from croupier.doctor.check import CheckContext
from croupier.doctor.finding import Finding, absent, graded, ok, plain, warning, wrong
from croupier.errors import one_line
from croupier.i18n import marked

SLOW_S: Final = 0.5
"""Longest time (s) for a write, for which each observation waits; a good SD card takes 10 ms."""

_CHMOD: Final = "chmod 600 {file}"
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO

_TRIED: Final = 10
_SAMPLE: Final = 200
"""Writes that are timed; lines of a game that are measured."""

COSTLY_MB: Final = 50.0
"""Most that a game may write (MB); more wears an SD card out within years."""


def config_valid(table: CheckContext) -> Finding:
    """Check `croupier.toml`."""
    if table.fault is not None:
        first, *more = (one_line(str(one)) for one in table.fault.args)
        advice = marked("Correct it ({mistakes} in all); docs/configuration.md lists every option.")
        return wrong(plain(f"{first}."), advice, mistakes=1 + len(more))
    none = marked("There is no {file}, so every option has its default; croupier setup writes one.")
    return ok(marked("{file} is valid.") if table.file.exists() else none, file=str(table.file))


def config_private(table: CheckContext) -> Finding:
    """Check that nobody else may read the passwords in the file."""
    sections = [section for _where, section in table.config.sections_of_plugins()]
    if not any(option.is_secret and getattr(one, option.name) for one in sections for option in options(type(one))):
        return absent(marked("The file holds no passwords."))
    if table.file.stat().st_mode & _OTHERS:
        text = marked("Other users of this machine can read the passwords in {file}.")
        return warning(text, _CHMOD, file=str(table.file))
    return ok(marked("Nobody else can read the passwords in the file."))


def deck_learned(table: CheckContext) -> Finding:
    """Check that the deck profile can be read."""
    from croupier.pictures.table_reader import load_profile, shipped_model

    model = shipped_model()
    profile = table.config.deck.profile
    if profile is None:
        return ok(marked("The reader uses the editions that it knows by itself."))
    load_profile(profile, model)
    return ok(marked("The reader knows your deck ({profile})."), profile=profile.name)


def journal_writes(table: CheckContext) -> Finding:
    """Check that the journal can be written, and how long that takes."""
    file = table.config.journal.file
    folder = file.absolute().parent
    advice = marked("Create the folder, or give it to the user that runs the table: sudo chown croupier {folder}")
    if not folder.is_dir():
        text = marked("{folder}: there is no such folder, and the journal belongs there.")
        return wrong(text, advice, folder=str(folder))
    if file.exists() and not os.access(file, os.W_OK):
        return wrong(marked("{file} cannot be written by this user."), advice, file=str(file), folder=str(folder))
    times = []
    with TemporaryFile(dir=folder) as tried:  # an OSError becomes a finding
        for _ in range(_TRIED):
            began = time.monotonic()
            tried.write(b"\0" * 4096)
            tried.flush()
            os.fsync(tried.fileno())
            times.append(time.monotonic() - began)
    measured: dict[str, Any] = {"usual_ms": round(1000 * median(times)), "slowest_ms": round(1000 * max(times))}
    text = marked("The disk takes {usual_ms} ms to save a line, {slowest_ms} ms at most.")
    advice = marked("Use a better SD card (A2), or an SSD on USB.")
    return graded("", text, advice, warning=max(times) > SLOW_S, **measured)


def journal_whole(table: CheckContext) -> Finding:
    """Check the hash chain of the journal."""
    from croupier.journal import Archive

    file = table.config.journal.file
    if not file.exists():
        return absent(marked("There is no journal yet."))
    with Archive(file) as archive:
        damages, games = list(archive.damages()), len(archive.began())
    if damages:
        return wrong(
            marked("Damaged games: {damaged} of {games}; the first is game {game}, from line {line} on."),
            marked("croupier journal verify lists them; croupier journal export saves what can be read."),
            games=games, damaged=len(damages), game=damages[0].game, line=damages[0].line,
        )  # fmt: skip
    return ok(marked("Every game is intact; games: {games}."), games=games)


def journal_wear(table: CheckContext) -> Finding:
    """Check how many bytes a game writes."""
    from croupier.journal import Archive
    from croupier.journal.journal import bytes_written

    with Archive(table.config.journal.file) as archive:
        last = archive.last()
        if last is None:
            return absent(marked("No game has been played yet."))
        lines = archive.lines(last)
    some = lines[:_SAMPLE]
    measured: dict[str, Any] = {"mb": round(bytes_written(some) * len(lines) / len(some) / 1e6, 2), "lines": len(lines)}
    text = marked("The last game, {lines} lines long, wrote about {mb} MB.")
    advice = marked("Keep the journal on an SSD or a USB stick: file in [journal].")
    return graded("", text, advice, warning=measured["mb"] > COSTLY_MB, **measured)
