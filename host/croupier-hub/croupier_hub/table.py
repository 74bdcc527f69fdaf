"""A table of a tournament: its section of `croupier.toml`, and the tournament's part of its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import AfterValidator

from croupier.config.options import File, Section, option
from croupier.i18n import marked
from croupier_extras.network import check_address

PLUGIN: Final = "tournament"
"""The name of the plug-in: of the section, of the observer and of the part of the page."""

CALL: Final = "call"
"""The order of the page that calls for the director."""

CallState = Literal["", "on its way", "heard", "answered"]
"""States of a call for the director: no call is open; the hub does not have it yet; the hub has it; a director is
coming."""


@dataclass(frozen=True, slots=True)
class AtTournament:
    """The table in a tournament. ``director``: the key that signs badges, in hex, "" while it is unknown; ``call``:
    what became of the call for the director, "" if there is none; ``revoked``: names of players, each with the time
    (s since 1970) up to which badges that expire are no longer good, as far as the hub has reported."""

    director: str
    call: CallState
    revoked: tuple[tuple[str, int], ...] = ()


class Tournament(Section):
    """A tournament over several tables: this one sends its games to a hub."""

    hub: Annotated[str, AfterValidator(check_address)] | None = option(
        None, "The hub. Default: no tournament.", expected=marked("an address that begins with http:// or https://"),
        example="http://192.168.1.20:8400", pattern=r"^https?://[^\s/?#]+\S*$",
    )  # fmt: skip
    file: File = option("table.outbox", "File with the table's key and what the hub gets.", validate_default=True)
