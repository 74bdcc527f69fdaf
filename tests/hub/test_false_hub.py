"""A hub, a federation or a witness that lies: it takes neither the memory nor the time of those who ask it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from croupier_hub import client as hub_client
from croupier_hub.client import DirectorsLog, HubClient, deliver
from croupier_hub.cosigning import Submitter
from croupier_hub.errors import HubRefuses, HubUnavailable
from croupier_hub.forwarding import Forwarder
from croupier_hub.messages import Answer, Body, Verdict
from croupier_hub.outbox import Outbox
from croupier_hub.serving import serving
from croupier_hub.signed_log import Sent, name_of, sign
from croupier_hub.store import LogStore

DIRECTOR, ONE, LIAR = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in range(1, 4))
BOSS = name_of(DIRECTOR)
LINES = [f'{{"enroll": "{name_of(ONE)}", "table": 1, "from_round": 1}}']


@contextmanager
def hub_that(answers: Callable[[Request], Response]) -> Iterator[HubClient]:
    """The client of a hub that answers so."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await answers(Request(scope))(scope, receive, send)

    with serving(app) as url, HubClient(url) as client:  # type: ignore[arg-type]
        yield client


def endless(_request: Request) -> Response:
    def parts() -> Iterator[bytes]:
        while True:
            yield b"x" * 100_000

    return StreamingResponse(parts())


def packed(_request: Request) -> Response:
    return Response(gzip.compress(bytes(50_000_000)), headers={"content-encoding": "gzip"})


ASK: dict[str, Callable[[HubClient], object]] = {
    "get": lambda client: client.get("/results"),
    "director": lambda client: client.director(0),
    "put": lambda client: client.put(sign(ONE, ["x"])),
    "growth": lambda client: client.growth(BOSS, 0),
    "receipt": lambda client: client.receipt("7KQ2-M4XD-9TRA"),
    "add_checkpoint": lambda client: client.add_checkpoint("x"),
    "forks": lambda client: client.forks(),
    "totals": lambda client: client.totals(),
}
"""By method: all that a client asks a hub."""


def test_every_question_is_asked_here() -> None:
    assert ASK.keys() == {name for name in vars(HubClient) if not name.startswith("_")} - {"no_hub", "close", "sign_in"}


@pytest.mark.parametrize("what", ASK)
@pytest.mark.parametrize("lie", [endless, packed])
def test_an_answer_without_end_is_read_up_to_a_limit(
    lie: Callable[[Request], Response], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_client, "MOST_BYTES_OF_ALL", 1_000_000)
    with hub_that(lie) as client, pytest.raises(HubUnavailable, match="not a hub of Croupier"):
        ASK[what](client)


def test_an_answer_that_comes_byte_by_byte_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_client, "ANSWER_S", -1.0)
    with hub_that(lambda _: Response(b"{}")) as client, pytest.raises(HubUnavailable):
        client.get("/results")


@pytest.mark.parametrize(
    "told",
    [
        {"verdict": "accepted", "accepted_to": -5, "head": ""},
        {"verdict": "accepted", "accepted_to": 1 << 40, "head": ""},
        {"verdict": "accepted", "accepted_to": 1, "head": "00"},
        {"verdict": "accepted", "accepted_to": 1, "head": 7},
        {"verdict": "yes", "accepted_to": 1, "head": ""},
        {"verdict": "accepted"},
        [],
    ],
)
def test_an_answer_with_a_number_out_of_its_range_is_no_answer(told: object) -> None:
    with hub_that(lambda _: Response(json.dumps(told))) as client, pytest.raises(HubUnavailable):
        client.put(sign(ONE, ["x"]))


class Liar:
    """A hub that answers by turns."""

    def __init__(self, *answers: Answer) -> None:
        self.answers, self.asked = answers, 0

    def put(self, _sent: Sent, /) -> Answer:
        self.asked += 1
        assert self.asked < 100, "it is asked for ever"
        return self.answers[(self.asked - 1) % len(self.answers)]


@pytest.mark.parametrize(
    "answers",
    [
        [Answer(Verdict.ACCEPTED, -5)],
        [Answer(Verdict.ACCEPTED, 0)],
        [Answer(Verdict.ACCEPTED, 2)],
        [Answer(Verdict.ACCEPTED, 1 << 40)],
        [Answer(Verdict.GAP, -5)],
        [Answer(Verdict.GAP, 0), Answer(Verdict.ACCEPTED, 5)],
        [Answer(Verdict.GAP, 4), Answer(Verdict.GAP, 3), Answer(Verdict.GAP, 2), Answer(Verdict.GAP, 1)],
    ],
)
def test_who_sends_to_a_hub_that_contradicts_itself_stops(answers: list[Answer], tmp_path: Path) -> None:
    with closing(Outbox(tmp_path / "table.outbox")) as outbox:
        outbox.append(lambda _: [f"line {n}" for n in range(7)])
        before = outbox.lines()
        with pytest.raises((HubUnavailable, HubRefuses)):
            deliver(Liar(*answers), outbox, 5)
        assert outbox.lines() == before


def test_a_director_whom_nobody_knows_does_not_write_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_client, "_MOST_DIRECTED", 50)
    lines: list[str] = []

    def answers(request: Request) -> Response:
        start = int(request.url.path.rpartition("/")[2])
        lines.extend(f"line {n}" for n in range(len(lines), start + 10))
        sent = sign(LIAR, lines, start)
        return Response(json.dumps({"log": sent.log} | Body.of(sent).model_dump()))

    with hub_that(answers) as client, pytest.raises(HubUnavailable):
        DirectorsLog().update(client)
    assert len(lines) < 100


def test_a_hub_whose_backup_was_restored_is_told_as_one_and_not_as_a_forger(tmp_path: Path) -> None:
    whole, restored = (LogStore(f"sqlite:///{tmp_path / name}", BOSS) for name in ("whole", "restored"))
    log = DirectorsLog()
    whole.put(sign(DIRECTOR, lines := LINES * 3))
    restored.put(sign(DIRECTOR, lines[:1]))
    with closing(whole), closing(restored):
        now = [whole]

        def answers(request: Request) -> Response:
            sent = now[0].sent(BOSS, int(request.url.path.rpartition("/")[2]))
            return Response(json.dumps({"log": sent.log} | Body.of(sent).model_dump()))

        with hub_that(answers) as client:
            assert log.update(client)
            now[0] = restored
            with pytest.raises(HubRefuses, match="Was a backup restored"):
                log.update(client)
            assert log.lines == lines
            restored.put(sign(DIRECTOR, [*lines, "news"], 1))
            assert log.update(client)
            assert log.lines == [*lines, "news"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LogStore]:
    """A club's hub with the logs of the director and of a table."""
    store = LogStore(f"sqlite:///{tmp_path / 'hub.db'}", BOSS)
    store.put(sign(DIRECTOR, LINES))
    store.put(sign(ONE, [f"line {n}" for n in range(20)]))
    yield store
    store.close()


@pytest.mark.parametrize("verdict", ["gap", "chain", "accepted"])
def test_a_federation_that_lies_is_left_and_changes_nothing(store: LogStore, verdict: str) -> None:
    asked = [0]

    def answers(request: Request) -> Response:
        asked[0] += 1
        assert asked[0] < 100, "it is asked for ever"
        if request.method == "GET":  # other lines under the director's own signature
            start = int(request.url.path.rpartition("/")[2])
            told = Body.of(sign(LIAR, ["x"] * (start + 1), start)).model_dump()
            return Response(json.dumps({"log": BOSS} | told))
        return Response(json.dumps({"verdict": verdict, "accepted_to": asked[0] % 2, "head": ""}))

    before = store.logs()
    with hub_that(answers) as client, suppress(HubUnavailable, HubRefuses):
        Forwarder(store, client, lambda _line: None).begin()
    assert store.logs() == before


@pytest.mark.parametrize("text", ["1\n", "99999999999\n", "²\n", "-1\n", "", "9" * 5000 + "\n"])
def test_a_witness_that_lies_is_left(store: LogStore, text: str) -> None:
    asked = [0]

    def answers(_request: Request) -> Response:
        asked[0] += 1
        assert asked[0] < 100, "it is asked for ever"
        return Response(text if asked[0] % 2 else "2\n", 409)

    told = list[str]()
    with hub_that(answers) as client, suppress(HubUnavailable):
        Submitter(store, client, told.append).begin()
    assert all("ALARM" in line for line in told)
