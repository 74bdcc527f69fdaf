"""Backup and update on the page, for admins.

The process of the page writes nothing. It asks the table, which writes a backup beside its journal, or the wish for an
update; systemd sees the wish, and starts `croupier update` as root (deploy/croupier-update.path). Whoever takes over
the page gains no more by it than an update that the owner of the machine has signed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import Annotated, Final, Literal

from fastapi import APIRouter, HTTPException, Response
from fastapi.responses import HTMLResponse, RedirectResponse

import croupier
from croupier.errors import BadMessage, CannotWrite, CroupierError
from croupier.files import CONFIG, put
from croupier.i18n import _, localize
from croupier.web.dependencies import AsAdmin, Client, GamesDep, RendererDep
from croupier.web.forms import Form, Posted
from croupier.web.games import Games
from croupier.web.http import provided
from croupier.web.pages import PagePlugin, SitePart
from croupier_extras.upkeep.versions import is_package
from croupier_rules.errors import json_object

PLUGIN: Final = "upkeep"
"""The name of the plug-in."""

WISH: Final = "update-wanted"
"""File beside the journal that asks for an update (deploy/croupier-update.path)."""

SAID: Final = Path("/run/croupier-update.said")
"""What the last update said (deploy/croupier-update.service)."""

_OFTEN_S: Final = 1.0
"""Period in which a backup tells how far it is."""
_MOST_SAID: Final = 4096


@dataclass(frozen=True, slots=True)
class BackupState:
    """How far a backup is, or how the last one ended. ``done``: bytes; ``error``: why there is none."""

    file: str
    done: int = 0
    games: int | None = None
    error: str = ""

    @property
    def is_over(self) -> bool:
        """True if it was written, or cannot be."""
        return self.games is not None or self.error != ""


class Upkeep(SitePart):
    """What the page knows of backups and updates. ``said``: the file with what the last update said."""

    def __init__(self, journal: Path, keep: Callable[[str], None], said: Path = SAID) -> None:
        self.keep, self.folder, self._said = keep, journal.absolute().parent, said
        self._state = _state_file(journal)

    def backup(self) -> BackupState | None:
        """The last backup that the page asked for; None without one."""
        with suppress(OSError, ValueError, TypeError):
            return BackupState(**json_object(self._state.read_text(encoding="utf-8")))
        return None

    @property
    def is_update_wanted(self) -> bool:
        """True until an update has begun."""
        return (self.folder / WISH).exists()

    def said(self) -> list[str]:
        """The lines of the last update."""
        with suppress(OSError):
            return self._said.read_text(encoding="utf-8", errors="replace")[-_MOST_SAID:].splitlines()
        return []


def _state_file(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}-upkeep")


_backing_up = Lock()


def keep(journal: Path, text: str) -> None:
    """Begin a backup, or ask for an update; at the table.

    Raises:
        BadMessage: it is neither of both. CannotWrite: it cannot be kept.
    """
    match text:
        case "backup":
            if _backing_up.acquire(blocking=False):
                Thread(target=_back_up, args=(journal,), name="backup", daemon=True).start()
        case "update":
            put(journal.with_name(WISH), b"", 0o640)
        case _:
            raise BadMessage


def _back_up(journal: Path) -> None:
    from croupier_extras.upkeep.backup import back_up

    folder = journal.absolute().parent
    file = next(one for n in count(1) if not (one := folder / f"backup-{n}.zip").exists())
    done, told = 0, monotonic()

    def show(state: BackupState) -> None:
        with suppress(CannotWrite):
            put(_state_file(journal), json.dumps(asdict(state)).encode(), 0o640)  # the page is in the group

    def written(n: int) -> None:
        nonlocal done, told
        done += n
        if monotonic() > told + _OFTEN_S:
            told = monotonic()
            show(BackupState(file.name, done))

    try:
        show(BackupState(file.name))
        games = back_up(folder / CONFIG, file, written).games
        show(BackupState(file.name, done, games))
    except (CroupierError, OSError) as err:
        show(BackupState(file.name, error=localize(err)[0] if isinstance(err, CroupierError) else str(err)))
    finally:
        _backing_up.release()


class _UpkeepForm(Form):
    do: Literal["backup", "update"]


router = APIRouter()
UpkeepDep = Annotated[Upkeep, provided(Upkeep)]


@router.get("/upkeep", response_class=HTMLResponse)
async def show_upkeep(person: AsAdmin, games: GamesDep, render: RendererDep, part: UpkeepDep) -> Response:
    """Backup and update, and how far they are."""
    return render.html(
        f"{PLUGIN}/upkeep", person, version=croupier.__version__, backup=part.backup(), folder=part.folder,
        is_package=is_package(), is_between_games=_is_between_games(games), is_wanted=part.is_update_wanted,
        said=part.said(),
    )  # fmt: skip


@router.post("/upkeep")
async def do_upkeep(
    _person: AsAdmin, client: Client, form: Posted[_UpkeepForm], games: GamesDep, part: UpkeepDep
) -> Response:
    """Begin a backup, or ask for an update, between games."""
    if not _is_between_games(games):
        raise HTTPException(409, _("A backup and an update are possible between two games."))
    if form.do == "update" and not is_package():
        raise HTTPException(
            409, _("This table was not installed by the Debian package. It is updated as it was installed.")
        )
    try:
        # The table answers, which may take a moment: not in the loop that serves everybody.
        await games.with_archive(client, lambda _games: part.keep(form.do))
    except CannotWrite as err:
        raise HTTPException(507, localize(err)[0]) from err
    return RedirectResponse("/upkeep", 303)


def _is_between_games(games: Games) -> bool:
    """True if nobody plays, or the last game is over."""
    return (state := games.state) is None or state.may_start_game


PLUGIN_PAGE: Final = PagePlugin(router, Path(__file__).parent, menu=("keeper.html",), part=Upkeep, keep=keep)
