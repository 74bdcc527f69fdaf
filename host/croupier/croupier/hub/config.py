"""The section of a table of a tournament in `croupier.toml`."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from croupier.config.options import File, Section, option
from croupier.config.sections import check_address
from croupier.i18n import marked


class Tournament(Section):
    """A tournament over several tables: this one sends its games to a hub."""

    hub: Annotated[str, AfterValidator(check_address)] | None = option(
        None, "The hub. Default: no tournament.", expected=marked("an address that begins with http:// or https://"),
        example="http://192.168.1.20:8400", pattern=r"^https?://[^\s/?#]+\S*$",
    )  # fmt: skip
    file: File = option("table.outbox", "File with the table's key and what the hub gets.", validate_default=True)
