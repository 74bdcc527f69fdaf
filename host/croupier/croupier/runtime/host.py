"""`croupier host`: a table from nothing but a laptop, a camera and phones; what is settled is kept in a file."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from cardsight.sources.found import FoundCamera, find_cameras
from croupier import plugins
from croupier.config import change, load, read
from croupier.config.file import changed, file_text
from croupier.config.model import USUAL_SEATS
from croupier.config.sections import SOURCE, is_device
from croupier.config.validation import BadConfigFile
from croupier.errors import BadConfig, one_line
from croupier.files import CONFIG, JOURNAL, unwritten, user_folder
from croupier.i18n import _, localize
from croupier.names import chosen_names, numbered_names, split_names
from croupier.runtime.devices import REAL, Factories, zones_if_calibrated
from croupier.runtime.run import Host, run

FACTORIES: Final = replace(REAL, zones=zones_if_calibrated)
"""The devices of a table that also runs before its camera is calibrated."""

ALL_INTERFACES: Final = "0.0.0.0"

_EXAMPLE: Final = "croupier host Ann Ben Cat"


def host_table(
    path: Path | None,
    names: Sequence[str],
    source: str | None,
    *,
    opens_browser: bool,
    is_new: bool,
    factories: Factories = FACTORIES,
    ask: Callable[[str], str] | None = None,
) -> int:
    """Settle what is missing, and play. Return the exit status.

    ``path``: None for a file in the user's own folder. ``names``: empty for those of last time. ``source``: None for
    the camera of last time. ``ask``: asks in the terminal; None if nobody sits there.

    Raises:
        CroupierError: the file is invalid, or cannot be written.
    """
    path = path or user_folder() / CONFIG
    if ask is None and sys.stdin is not None and sys.stdin.isatty():
        ask = input
    cameras = find_cameras()
    options = new_options(path, names, source, cameras, ask)
    if options:
        check(path, options)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise unwritten(path, err) from err
        change(path, options)
        print(_("{path} now describes this table.", path=path))
    for camera in cameras:
        name = f"{one_line(camera.name)} {camera.size_text}".strip()
        print(_("Camera {source}: {name}", source=camera.number or camera.source, name=name))
    if not cameras and source is None:
        print(_("No camera was found. Plug one in, or use a phone: choose it on the page Camera."))
    for find in plugins.loaded(plugins.SEARCHES).values():
        find(path, ask)
    host = Host(choices(path, cameras), greet if opens_browser else None)
    return run(path, is_new=is_new, factories=factories, host=host)


def choices(path: Path, cameras: Sequence[FoundCamera]) -> list[tuple[str, str]]:
    """Return sources and names of the cameras to choose from: each by what identifies it, the one that the file names
    by its number by that."""
    configured = ""
    with suppress(BadConfig):  # `run` reports it
        configured = load(path).camera.source
    return [
        (camera.number if camera.number == configured else camera.source, camera.name or camera.source)
        for camera in cameras
    ]


def new_options(
    path: Path, names: Sequence[str], source: str | None, cameras: Sequence[FoundCamera],
    ask: Callable[[str], str] | None,
) -> dict[tuple[str, ...], Any]:  # fmt: skip
    """Return the options to write into the file ``path``. For a new one, ask who plays."""
    options: dict[tuple[str, ...], Any] = {}
    if not path.exists():
        # A laptop's own camera comes first and looks at its user, so another one is meant for the table.
        last = cameras[-1] if cameras else FoundCamera("none", "", None)
        options |= {("camera", "source"): last.source, ("camera", "size"): last.size_text or None}
        options |= {("page", "address"): ALL_INTERFACES}
        if not names and ask is not None:
            names = _ask_who_plays(path, ask)
    if source is not None:
        options["camera", "source"] = source
    if names:
        options |= {("seats", "names"): list(names), ("seats", "number"): None}
    return options


def check(path: Path, options: Mapping[tuple[str, ...], Any]) -> None:
    """Check options that somebody typed, before they are written into the file ``path``.

    Raises:
        BadConfig: they are wrong; the text names no line of the file, where they do not stand.
        BadConfigFile: the file was wrong before.
    """
    source = options.get(("camera", "source"))
    if source is not None and not is_device(source) and not Path(source).exists():
        raise BadConfig(_("{value}: expected {expected}", value=one_line(source), expected=_(SOURCE)))
    text = file_text(path) if path.exists() else ""
    try:
        read(changed(text, options, path), path)
    except BadConfigFile as err:
        read(text, path)
        names = one_line(", ".join(options.get(("seats", "names")) or ()))
        wrong = [
            _("{names}: {why}; name all who play, clockwise: {example}", names=names, why=one.text, example=_EXAMPLE)
            if one.where.startswith("[seats]")
            else one.text
            for one in err.mistakes
        ]
        raise BadConfig(*wrong) from err


def _ask_who_plays(path: Path, ask: Callable[[str], str]) -> list[str]:
    """Ask until the names can be used; empty for seats without names."""
    question = _("Who plays? Names clockwise, with commas between them (Enter: {n} seats without names)",
                 n=USUAL_SEATS)  # fmt: skip
    known = plugins.known_names(path.with_name(JOURNAL.name))
    if known:
        print(_("Who has played before, each also by number: {names}", names=one_line(numbered_names(known))))
    while names := chosen_names(split_names(ask(f"{question}: ")), known):
        try:
            check(path, {("seats", "names"): names})
            break
        except BadConfig as err:
            print(*localize(err), sep="\n")
    return names


def greet(url: str) -> None:
    """Open the page in the browser, if there is a screen."""
    if sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(url)
