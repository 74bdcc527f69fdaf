"""`croupier update`, `rollback`, `backup`, `restore`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.help_texts import offer
from croupier.cli.options import ConfigFile
from croupier.files import CONFIG

KEY = Path("/etc/croupier/update.pub")
INDEX = Path("/etc/croupier/update.index")


def update(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A package, a folder with packages, or the address of an index.")
    ] = "",
    key: Annotated[Path, typer.Option(metavar="FILE", help="The public key of who signs the packages.")] = KEY,
    older: Annotated[bool, typer.Option("--older", help="Take an older version, too.")] = False,
) -> None:
    """Bring this table to a newer version, and go back if the table does not work with it.

    The package must be signed. Without SOURCE the index is asked that the package came from.
    """
    from functools import partial
    from tempfile import TemporaryDirectory

    from croupier.i18n import _
    from croupier.progress import progress
    from croupier_extras.upkeep.minisign import PublicKey
    from croupier_extras.upkeep.package import this_machine, this_system
    from croupier_extras.upkeep.update import Service, Update, fetch, newest, take
    from croupier_extras.upkeep.versions import CURRENT, Versions

    versions, machine, system = Versions(), this_machine(), this_system()
    wanted = source or (INDEX.read_text(encoding="utf-8").strip() if INDEX.exists() else "")
    with versions.locked(), TemporaryDirectory(prefix="croupier-", dir=versions.folder) as folder, progress() as shown:
        trusted = PublicKey.read(key)
        if "://" in wanted:
            file = fetch(wanted, machine, system, Path(folder), shown.step(_("fetching")))
        else:
            place = Path(wanted or ".")
            file = newest(place, machine, system) if place.is_dir() else place
        size = file.stat().st_size if file.exists() else None
        reading, unpacking = shown.step(_("checking"), size), shown.step(_("unpacking"))
        version = take(
            file, trusted, versions, machine, system, older=older, on_read=reading, on_file=partial(unpacking, 1)
        )
        if version == versions.linked(CURRENT):
            print(_("Version {version} runs here already.", version=version))
            return
        Update(versions, Service(), partial(print, flush=True)).to(version)
        print(_("Version {version} is kept. croupier rollback goes back.", version=version))


def rollback() -> None:
    """Go back to the version before the last update."""
    from functools import partial

    from croupier.i18n import _, marked
    from croupier_extras.errors import BadUpdate
    from croupier_extras.upkeep.update import Service, Update
    from croupier_extras.upkeep.versions import BEFORE, Versions

    versions = Versions()
    with versions.locked():
        if not (before := versions.linked(BEFORE)):
            raise BadUpdate(marked("there is no version before this one here"))
        Update(versions, Service(), partial(print, flush=True)).to(before)
        print(_("Version {version} is kept. croupier rollback goes back.", version=before))


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, such as table.zip.")],
    config: ConfigFile = CONFIG,
) -> None:
    """Write games, people, decks, calibration, settings and codes into one file. The table may run meanwhile."""
    from croupier.i18n import _
    from croupier.progress import progress
    from croupier_extras.upkeep.backup import back_up

    with progress() as shown:
        held = back_up(config, file, shown.step(_("writing")))
        print(_("{file}: files: {n}, games: {games}.", file=file, n=len(held.files), games=held.games))


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that croupier backup has written.")],
    folder: Annotated[Path, typer.Option("--into", metavar="FOLDER", help="The folder of the table.")] = Path(),
) -> None:
    """Take a backup back, on this machine or another one; the table must not run. What was there is kept beside."""
    from croupier.i18n import _
    from croupier.progress import progress
    from croupier_extras.upkeep.backup import restore as take_back

    with progress() as shown:
        held = take_back(file, folder, shown.step(_("checking")))
        print(_("{file}: files: {n}, games: {games}.", file=file, n=len(held.files), games=held.games))
        if held.beside is not None:
            print(_("What was there before is in {folder}.", folder=held.beside))


update_app, rollback_app, backup_app, restore_app = (typer.Typer(rich_markup_mode=None) for _ in range(4))
offer(update_app, update, "", "/media/usb", "croupier_0.2.1+deb12_arm64.deb")
offer(rollback_app, rollback, "")
offer(backup_app, backup, "table.zip")
offer(restore_app, restore, "table.zip")
