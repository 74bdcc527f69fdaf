"""Who may do what of a tournament at the page of a table: sit down with a badge, call the director."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from socket import socketpair
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from playwright.sync_api import Browser

from croupier.child_process import Channel
from croupier.commands import PluginOrder
from croupier.table_api.messages import FROM_TABLE, News
from croupier.web.accounts import Person
from croupier.web.worker_process import _RemoteTable
from croupier_hub.table import CALL, PLUGIN, AtTournament
from croupier_hub.tickets import Ticket
from tests.web.chromium import needs_chromium
from tests.web.tables import Page, RecordingTable, page, reached
from tests.web.test_every_action import come_in, tap
from tests.web.test_roles import (
    ADMIN,
    EVERYBODY,
    LINES,
    OF_A_TOURNAMENT,
    REFEREE,
    REFEREES,
    SEAT,
    Entry,
    Visitors,
    action,
    check,
)

DIRECTOR = Ed25519PrivateKey.from_private_bytes(bytes(32))
KEY = DIRECTOR.public_key().public_bytes_raw().hex()
TOURNAMENT = {"plugins": ((PLUGIN, AtTournament(KEY, "", (("Player 2", (1 << 40) - 1), ("Player 3", 1 << 40)))),)}
REVOKED = {"plugins": ((PLUGIN, AtTournament(KEY, "", (("Player 2", 1 << 40),))),)}
BADGE = Ticket("player", "Player 2", 1 << 40).signed(DIRECTOR.sign)
MATRIX: dict[str, list[Entry]] = {
    "GET /badge/{ticket}": [
        Entry(EVERYBODY, table=TOURNAMENT),
        Entry(EVERYBODY, 404, table=REVOKED),
        Entry(EVERYBODY, 404),
    ],
    "POST /badge/{ticket}": [
        Entry(EVERYBODY, 303, table=TOURNAMENT, but={REFEREE: 409, ADMIN: 409}),
        Entry(EVERYBODY, 404, table=REVOKED),
        Entry(EVERYBODY, 404),
    ],
    "POST /actions/call": [
        action(SEAT, {"seat": "1"}, **TOURNAMENT),
        action(REFEREES, {}, **TOURNAMENT),
        action(frozenset(), {"seat": "1"}),
    ],
}


@pytest.mark.parametrize("table", [TOURNAMENT, REVOKED, {"plugins": ((PLUGIN, AtTournament("", "on its way")),)}])
def test_what_a_page_shows_of_a_tournament_is_the_same_in_its_own_process(table: dict[str, Any]) -> None:
    """Pages of a state are cached, so it has to have a hash there, too."""
    state = RecordingTable(**table).state
    news = FROM_TABLE.decode(FROM_TABLE.encode(News((), state)))
    assert isinstance(news, News)
    near, far = map(Channel, socketpair())
    with closing(near), closing(far):
        assert hash(_RemoteTable(news.state, near).state) == hash(state)
        assert _RemoteTable(news.state, near).state == state


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, Visitors]]:
    with reached(), page(tmp_path_factory.mktemp("roles"), LINES) as up:
        visitors = Visitors(up.server.url, up.accounts)
        visitors.ticket = BADGE
        yield up, visitors
        visitors.close()


def test_these_are_all_addresses_of_a_tournament() -> None:
    assert set(MATRIX) == OF_A_TOURNAMENT


@pytest.mark.parametrize("address", MATRIX)
def test_everybody_may_do_what_the_role_allows_and_no_more(live: tuple[Page, Visitors], address: str) -> None:
    check(*live, address, MATRIX[address])


@pytest.mark.slow
@needs_chromium
def test_the_call_for_the_director_reaches_the_table(browser: Browser, tmp_path: Path) -> None:
    player = Person("player", 1)
    with page(tmp_path, LINES) as up, browser.new_context(base_url=up.server.url) as context:
        up.table.plugins = TOURNAMENT["plugins"]
        tab = context.new_page()
        come_in(tab, up.accounts.new_code(player))
        tab.goto("/games/1")
        with tab.expect_response(lambda answer: answer.request.method == "POST") as answer:
            tap(tab, "Call the director")
        assert answer.value.status == 204
        assert up.table.commands == [PluginOrder(PLUGIN, CALL, 1)]
