"""The page of a running table: opened, kept open, and told when something was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from croupier.config import Config
from croupier.i18n import _
from croupier.runtime.factories import Makers
from croupier.runtime.join_info import Invitation
from croupier.runtime.live import LiveTable
from croupier.runtime.terminal import Terminal

CODES: Final = "-codes"
"""Behind the name of the journal: who may do what on the page."""


class KeptPage:
    """The page, opened and kept open, and told when something was written."""

    def __init__(self, config: Config, table: LiveTable, terminal: Terminal, makers: Makers) -> None:
        self._config, self._terminal, self._alarms = config, terminal, table.alarms
        self._invitation: Invitation | None = None
        self._up: Any = None
        journal = config.journal.file
        self._supervisor = makers.supervisor(
            "page", lambda: makers.page(config, journal, self._come_in(journal), table.desk, self._gone),
            self._gone, use=self._use,
        )  # fmt: skip
        table.on_news = self._ring
        self._supervisor.start()

    def close(self) -> None:
        """No more."""
        self._supervisor.close()
        self._invite(None)

    def _come_in(self, journal: Path) -> Any:
        """Who may do what; the admin's first code is told once."""
        from croupier.web.accounts import Accounts, Person

        accounts = Accounts(Path(f"{journal}{CODES}"))
        if not accounts.has_admin:
            code = accounts.new_code(Person("admin"))
            self._terminal.line(_("The admin's code for the page, told only now: {code}", code=code))
        return accounts

    def _gone(self, why: str) -> None:
        self._alarms.set("page", "gone" if why else "", why)

    def _use(self, page: Any) -> None:
        self._up = None if page is None else page.up
        if page is not None:
            self._gone("")
        self._invite(self._up)

    def _invite(self, up: Any) -> None:
        if self._invitation is not None:
            self._invitation.close()
        self._invitation = (
            None
            if up is None
            else Invitation(self._config, up, self._terminal.line, with_code=self._terminal.is_terminal)
        )

    def _ring(self) -> None:
        if (up := self._up) is not None:
            up.ring()
