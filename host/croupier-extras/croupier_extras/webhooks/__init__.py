"""Webhooks: each ruling is posted to every address that asks for it.

This module has the section, the check of the doctor and the observer, and imports no library of HTTP.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator

from croupier.config.options import InvalidValue, Section, expected_one_of, option
from croupier.doctor.check import Check, CheckContext
from croupier.doctor.finding import Finding, absent, ok, warning
from croupier.i18n import _, marked
from croupier.observers import ObservedGame, ObservedTable, TableObserver
from croupier.optional_dependencies import requires_extra
from croupier_extras.errors import WEBHOOKS
from croupier_extras.network import check_address
from croupier_rules.referee.rulings import Ruling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from croupier.events import SequencedEvent
    from croupier_extras.webhooks.sending import Webhooks
    from croupier_rules.referee.position import Position

RULINGS: Final = frozenset(kind.name for kind in Ruling.__subclasses__())


def _known_rulings(names: tuple[str, ...]) -> tuple[str, ...]:
    if unknown := next((name for name in names if name not in RULINGS), None):
        known = expected_one_of(unknown, sorted(RULINGS))
        raise InvalidValue(_("unknown ruling {name}: {expected}", name=unknown, expected=known))
    return names


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Webhook(Section):
    """An address that receives every ruling."""

    url: Annotated[str, AfterValidator(check_address)] = option(
        ..., "The address.", expected=marked("an address that begins with http:// or https://"),
        example="https://example.org/croupier", is_secret=True, pattern=r"^https?://[^\s/?#]+\S*$",
    )  # fmt: skip
    secret: str = option(
        "", "Signs the messages, so that the receiver can check their origin.",
        expected=marked("a long random text that both sides know"), example="gP4wq0Zz7uXk", is_secret=True,
    )  # fmt: skip
    rulings: Annotated[tuple[str, ...], AfterValidator(_known_rulings)] = option(
        (),
        "Rulings to send. Default: all.",
        expected=marked("a list of rulings: {rulings}"),
        words={"rulings": ", ".join(sorted(RULINGS))},
        example=["caught", "round_over", "score"],
    )

    @property
    def is_unencrypted(self) -> bool:
        """True if rulings that a secret signs leave this machine unencrypted."""
        parts = urlsplit(self.url)
        return bool(self.secret) and parts.scheme == "http" and not _is_loopback(parts.hostname or "")


SECTION = tuple[Webhook, ...]
"""``[[webhooks]]``: any number of them."""


class WebhookObserver(TableObserver):
    """The observer of a table: its webhooks, game after game. Rulings are posted as data, in no language."""

    def __init__(self, webhooks: Webhooks) -> None:
        self._webhooks = webhooks

    def begin(self, game: ObservedGame) -> None:
        """Post the rulings of this game from now on."""
        self._webhooks.begin(game.number, sum(len(step.rulings) for step in game.past))

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Put the rulings into the queues."""
        self._webhooks(event, rulings, position)

    def close(self, finish_s: float = 0.0) -> None:
        """End."""
        self._webhooks.close()


def open_observer(section: SECTION, table: ObservedTable) -> WebhookObserver | None:
    """Return the observer that the sections ask for; None without one.

    Raises:
        WebhooksUnavailable: httpx is not installed.
    """
    if not section:
        return None
    with requires_extra(WEBHOOKS):
        from croupier_extras.webhooks.sending import Webhooks
    return WebhookObserver(Webhooks(section, table.name, table.report))


def _encrypted(table: CheckContext) -> Finding:
    """Check that signed rulings leave this machine encrypted."""
    hooks = table.config.plugin_sections.get("webhooks")
    if not isinstance(hooks, tuple) or not hooks:
        return absent(marked("This table posts to no webhook."))
    for hook in hooks:
        if isinstance(hook, Webhook) and hook.is_unencrypted:
            text = marked("Webhook: {address} is not encrypted: others can read its rulings.")
            return warning(text, marked("Let its url begin with https://."), address=urlsplit(hook.url).hostname)
    return ok(marked("Signed rulings leave this machine encrypted."))


CHECKS: Final = (Check("webhooks.encrypted", _encrypted, needs="config.valid"),)
