"""A form that is sent twice does what it does once."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from croupier.journal import Journal
from croupier.setup.page import TableSetup
from croupier.web.accounts import Accounts
from croupier.web.once import DOUBLE_S, KEPT_S, MOST_BYTES, OnceMiddleware
from croupier.web.pages import STATIC
from croupier.web.serving import serve_in_thread
from tests.patience import PATIENCE_S
from tests.web.chromium import needs_chromium
from tests.web.tables import QUICK, Page, RecordingTable, page, reached
from tests.web.test_roles import ADMIN, LINES, MATRIX, PLACES, SETTINGS, SETUP_MATRIX, SHEET, Entry

ROOT = STATIC.parents[3]


class Counting:
    """A site on which each press counts, until ``fails``; ``now``: of its clock."""

    def __init__(self) -> None:
        self.now, self.presses, self.status, self.text = 0.0, list[dict[str, str]](), 200, "done"
        self.gate = asyncio.Event()
        self.gate.set()
        self._app = OnceMiddleware(Starlette(routes=[Route("/{path:path}", self._press, methods=["POST"])]), self.clock)

    def clock(self) -> float:
        return self.now

    async def _press(self, request: Request) -> Response:
        self.presses.append({str(name): str(text) for name, text in (await request.form()).items()})
        await self.gate.wait()
        return PlainTextResponse(f"{self.text} {len(self.presses)}", self.status)

    async def post(self, path: str = "/a", *, body: str = "once=K&x=1", **headers: str) -> tuple[int, str]:
        transport = httpx.ASGITransport(self._app)
        kind = {"content-type": "application/x-www-form-urlencoded"}
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
            answer = await client.post(path, content=body, headers=kind | named)
        return answer.status_code, answer.text


def test_the_same_press_has_the_same_answer_for_a_while() -> None:
    async def run() -> None:
        site = Counting()
        assert await site.post() == await site.post() == (200, "done 1")
        assert site.presses == [{"x": "1"}], "the key is not a field of the form"
        site.now += KEPT_S
        assert await site.post() == (200, "done 2")

    asyncio.run(run())


@pytest.mark.parametrize(
    "other",
    [{"body": "once=K&x=2"}, {"body": "once=L&x=1"}, {"path": "/b"}, {"path": "/a?q"}, {"cookie": "croupier=other"}],
)
def test_another_press_is_another(other: dict[str, str]) -> None:
    async def run() -> None:
        site = Counting()
        await site.post()
        assert await site.post(**other) == (200, "done 2")

    asyncio.run(run())


def test_two_presses_at_once_are_one() -> None:
    async def run() -> None:
        site = Counting()
        site.gate.clear()
        both = [asyncio.create_task(site.post()) for _ in range(2)]
        while not site.presses:
            await asyncio.sleep(0)
        site.gate.set()
        assert await asyncio.gather(*both) == [(200, "done 1")] * 2
        assert len(site.presses) == 1

    asyncio.run(run())


@pytest.mark.parametrize("status", [404, 409, 422, 503])
def test_what_failed_is_tried_again(status: int) -> None:
    async def run() -> None:
        site = Counting()
        site.status = status
        assert (await site.post())[0] == status
        site.status = 200
        assert await site.post() == (200, "done 2")

    asyncio.run(run())


def test_a_form_without_a_key_is_a_double_press_for_a_moment_and_only_from_our_script() -> None:
    async def run() -> None:
        site = Counting()
        assert [await site.post(body="x=1", hx_request="true") for _ in range(2)] == [(200, "done 1")] * 2
        site.now += DOUBLE_S
        assert await site.post(body="x=1", hx_request="true") == (200, "done 2")
        assert [await site.post(body="x=1") for _ in range(2)] == [(200, "done 3"), (200, "done 4")]

    asyncio.run(run())


def test_whoever_sends_forms_without_end_takes_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    most = MOST_BYTES // 10
    monkeypatch.setattr("croupier.web.once.MOST_BYTES", most)

    async def run() -> None:
        site = Counting()
        site.text = "x" * 100_000
        for n in range(100):
            await site.post(body=f"once={n}")
        kept = site._app._answers
        assert sum(one.size for one in kept.values()) == site._app._size <= most + 101_000
        site._app._answers.clear()
        site._app._size, site.text = 0, ""
        for n in range(most // 1000 + 100):
            await site.post(body=f"once=b{n}")
            assert len(site._app._answers) <= most // 1000 + 1

    asyncio.run(run())


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with reached(), page(tmp_path_factory.mktemp("once"), LINES) as made:
        made.table.settings = SETTINGS
        yield made


def state(up: Page) -> dict[str, Any]:
    """What a press may change: at the table, in files, who is there."""
    folder = up.journal.path.parent
    sessions = json.loads(up.accounts.sessions)
    return {
        "commands": [*up.table.commands], "changes": [*up.table.changes], "codes": up.accounts.codes,
        "sessions": sessions["sessions"], "newcomers": sessions["newcomers"], "confirms": sessions["confirms"],
        "sheets": {file.name: file.read_text() for file in folder.glob("*.score")},
        "log": [*up.journal.lines(1)],
    }  # fmt: skip


POSTED = [
    pytest.param(address.partition(" ")[2], entry, id=f"{address} {n}")
    for address, entries in MATRIX.items()
    for n, entry in enumerate(entries)
    if address.startswith("POST") and entry.may and entry.status < 400
]


@pytest.mark.parametrize(("path", "entry"), POSTED)
def test_every_form_of_the_page_that_is_sent_twice_acts_once(up: Page, path: str, entry: Entry) -> None:
    person = min(entry.may, key=repr)
    if path.startswith("/join"):
        person = next(one for one in entry.may if one.role == "spectator")
    usual = {name: getattr(RecordingTable, name) for name in ("has_camera", "is_simulation", "plugins", "candidates")}
    for name, value in (usual | dict(entry.table)).items():
        setattr(up.table, name, value)
    (up.journal.path.parent / "evening.score").write_text(SHEET.text)
    up.accounts.open("host", next(iter(MATRIX["GET /people"][0].may)))
    code = re.findall(r"/join/([\w-]+)", up.host().get("people").text)[3] if "{code}" in path else ""
    form = {name: text.replace("{version}", SHEET.version) for name, text in entry.form.items()}
    if "code" in form:
        form["code"] = up.accounts.new_code(person)
    token = secrets.token_urlsafe(12)
    if person.role != "spectator":
        up.accounts.open(token, person)
    up.table.commands.clear()
    up.table.changes.clear()
    address, form = path.format(**PLACES, code=code), {"once": secrets.token_urlsafe(12), **form}

    def send(form: Mapping[str, str]) -> tuple[int, str, bytes]:
        with httpx.Client(
            base_url=up.server.url, timeout=PATIENCE_S, headers={"cookie": f"croupier={token}"}
        ) as client:
            answer = client.post(address, data=form)
        return answer.status_code, answer.headers.get("location", ""), answer.content

    before = state(up)
    first = send(form)
    assert first[0] == entry.status
    after = state(up)
    assert (send(form), state(up)) == (first, after), "nothing is done twice, and the answer is the same"
    if after["commands"] != before["commands"]:
        send(form | {"once": "another"})
        assert len(state(up)["commands"]) == 2 * len(after["commands"]), "a new press is a new one"


@pytest.mark.parametrize("path", [address.removeprefix("POST ") for address in SETUP_MATRIX if "POST" in address])
def test_every_form_of_the_setup_that_is_sent_twice_acts_once(tmp_path: Path, path: str) -> None:
    (entry,) = SETUP_MATRIX[f"POST {path}"]
    accounts, journal = Accounts(hasher=QUICK), tmp_path / "croupier.journal"
    Journal(journal).close()
    accounts.open("host", ADMIN)
    with (
        serve_in_thread(journal, accounts, setup=TableSetup(tmp_path / "croupier.toml"), port=0) as site,
        httpx.Client(base_url=site.url, timeout=PATIENCE_S, headers={"cookie": "croupier=host"}) as client,
    ):
        sent = [client.post(path.format(name="camera"), data={"once": "K", **entry.form}) for _press in range(2)]
    assert [answer.status_code for answer in sent] == [entry.status] * 2
    if entry.status < 400:
        assert sent[0].content == sent[1].content, "the key of its own form would be another one"


def test_each_form_that_changes_something_has_a_key_but_those_of_live_parts() -> None:
    found = 0
    for file in sorted(ROOT.glob("*/*/**/templates/**/*.html")):
        for form in re.findall(r"<form\b.*?>", file.read_text("utf-8")):
            assert "enctype" not in form or 'action="/people/list"' in form, "only what writes nothing may have files"
            found += 'method="post"' in form
            assert ("method=" in form) == ('method="post"' in form)
    assert found > 40


def test_the_key_of_each_form_is_its_first_field_and_another_one_each_time(up: Page) -> None:
    keys = list[str]()
    for path in ("score", "people", "settings", "games/1/record", "login", "score"):
        text = up.host().get(path).text if path != "login" else up.client().get(path).text
        main = text.partition("<main")[2].partition("</main>")[0]
        forms = re.findall(r'<form method="post"[^>]*>(.{60})', main, re.DOTALL)
        assert forms
        keys += [re.findall(r'^<input type="hidden" name="once" value="([\w-]{16})">', form)[0] for form in forms]
    assert len(set(keys)) == len(keys)


@needs_chromium
@pytest.mark.slow
def test_begin_that_is_pressed_twice_makes_one_sheet(browser: Browser, up: Page) -> None:
    folder = up.journal.path.parent
    before = {*folder.glob("*.score")}
    up.accounts.open("host", next(iter(MATRIX["GET /people"][0].may)))
    with browser.new_context(base_url=up.server.url) as context:
        context.add_cookies([{"name": "croupier", "value": "host", "url": up.server.url}])
        tab = context.new_page()
        tab.goto("/score")
        for n, name in enumerate(("Ann", "Ben")):
            tab.locator(f"[name=name-{n}]").fill(name)
        tab.get_by_role("button", name="Begin").dblclick()
        tab.wait_for_url("**/score/20*")
    assert len({*folder.glob("*.score")} - before) == 1
