"""Requests of a writer to a hub over HTTP, and their answers."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic
from typing import Annotated, Any, Final, Protocol, Self

import httpx
from pydantic import BaseModel, StringConstraints, TypeAdapter, ValidationError

from croupier.errors import marked, one_line
from croupier_extras.network import is_in_house, reason
from croupier_hub.checkpoints import MOST_BYTES as MOST_NOTE
from croupier_hub.errors import BadHub, HubRefuses, HubUnavailable
from croupier_hub.merkle import EMPTY
from croupier_hub.messages import Answer, Body, Verdict
from croupier_hub.outbox import Outbox
from croupier_hub.passes import Writer, sign_pass
from croupier_hub.signed_log import Head, Sent
from croupier_hub.standings import Key, LineNumber

TIMEOUT_S: Final = 20.0
"""Of a connection, and between two parts of an answer."""

ANSWER_S: Final = 60.0
"""Of a whole answer."""

MOST_BYTES: Final = 8_000_000
"""Of an answer: a piece of the director's log is the longest, up to `croupier_hub.service.MOST_BYTES` as JSON."""

MOST_BYTES_OF_ALL: Final = 64_000_000
"""Of the results of a whole tournament."""

_MOST_DIRECTED: Final = 1_000_000
"""Lines of a director's log. One who is not known yet may be anybody, and write without end."""

_MOST_REASON: Final = 200
_KEEP_ALIVE: Final = httpx.Limits(keepalive_expiry=2.0)
"""A connection is left before the hub, after 5 s, closes it: a request that it crosses would fail."""
_BUSY: Final = HTTPStatus.SERVICE_UNAVAILABLE
_AS_IT_IS: Final = {"accept-encoding": "identity"}
_JSON: Final = TypeAdapter(dict[str, Any])
_PLACES: Final = TypeAdapter(list[dict[str, Any]])
_FORKS: Final = TypeAdapter(dict[Key, LineNumber])


class _PutAnswer(BaseModel):
    """What `PUT /logs/{log}/{start}` answers."""

    verdict: Verdict
    accepted_to: LineNumber
    head: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")]


@dataclass(frozen=True, slots=True)
class _HttpAnswer:
    """An answer that was read within the limits."""

    status: int
    headers: httpx.Headers
    content: bytes

    @property
    def is_success(self) -> bool:
        """True for a status of 200 to 299."""
        return 200 <= self.status < 300


class HubClient:
    """A hub at the address ``url``.

    Raises:
        BadHub: the lines, which tell of hidden cards, would cross the internet unencrypted.
        HubUnavailable: in each method: nobody answers there, or not as a hub does.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        if self.url.startswith("http://") and not is_in_house(self.url):
            text = marked("{address}: this hub is outside your own network, where others could read along: expected "
                          "https:// in place of http://")  # fmt: skip
            raise BadHub(text, address=self.url)
        trusted = ssl.create_default_context()  # the certificates of this machine, perhaps one of the house
        self._client = httpx.Client(timeout=TIMEOUT_S, trust_env=False, verify=trusted, limits=_KEEP_ALIVE)
        self._writer: Writer | None = None

    def sign_in(self, writer: Writer) -> None:
        """Ask as this writer from now on, whom a busy hub does not take for a stranger at the same address."""
        self._writer = writer

    def get(self, path: str) -> bytes:
        """Answer of the hub, which may be all that it has."""
        return self._ask("GET", path, most=MOST_BYTES_OF_ALL).content

    def director(self, start: int, expected: str = "") -> Sent:
        """The director's log from a line on, as much as comes at once. ``expected``: who the director is, if known.

        Raises:
            HubRefuses: it is the tournament of another director.
        """
        data = self._data(self._ask("GET", f"/director/{start}"))
        try:
            body = Body.model_validate(data)
            sent = Sent(str(data["log"]), start, tuple(body.lines), bytes.fromhex(body.head),
                        bytes.fromhex(body.signature))  # fmt: skip
        except (ValidationError, KeyError) as err:
            raise self.no_hub() from err
        if expected and sent.log != expected:
            text = marked("{address}: this is the tournament of another director ({key}): expected {expected}")
            raise HubRefuses(text, address=self.url, key=sent.log, expected=expected)
        return sent

    def put(self, sent: Sent) -> Answer:
        """Send lines; the hub has them durably when it accepts them."""
        content = Body.of(sent).model_dump_json()
        answer = self._ask("PUT", f"/logs/{sent.log}/{sent.start}", content, refused=(403, 409))
        try:
            told = _PutAnswer.model_validate_json(answer.content)
        except ValidationError as err:
            raise self.no_hub() from err
        return Answer(told.verdict, told.accepted_to, bytes.fromhex(told.head))

    def growth(self, log: str, old: int) -> str | None:
        """The newest head of a log in the form for a witness that has seen ``old`` lines; None if there is none."""
        answer = self._ask("GET", f"/checkpoints/{log}?old={old}", refused=(404,))
        return self._text(answer) if answer.is_success else None

    def receipt(self, code: str) -> bytes | None:
        """The result with this receipt, and its proof, as JSON; None if there is none."""
        answer = self._ask("GET", f"/receipts/{code}.json", refused=(404,))
        return answer.content if answer.is_success else None

    def add_checkpoint(self, text: str) -> tuple[int, str]:
        """Ask the hub as a witness to cosign a head: the status and the text of its answer."""
        answer = self._ask("POST", "/add-checkpoint", text, refused=(400, 403, 404, 409, 422))
        return answer.status, self._text(answer)

    def forks(self) -> dict[str, int]:
        """The first line of each log of which the hub has another one."""
        try:
            return _FORKS.validate_python(
                self._data(self._ask("GET", "/standings", most=MOST_BYTES_OF_ALL)).get("forks")
            )
        except ValidationError as err:
            raise self.no_hub() from err

    def totals(self) -> dict[str, int]:
        """The points of each player who has a result or a penalty."""
        try:
            data = self._data(self._ask("GET", "/standings", most=MOST_BYTES_OF_ALL))
            rows = _PLACES.validate_python(data.get("standings"))
            return {str(one["player"]): int(one["points"]) for one in rows}
        except (ValidationError, KeyError, ValueError, TypeError) as err:
            raise self.no_hub() from err

    def no_hub(self) -> HubUnavailable:
        """The error that something else answers at this address."""
        return HubUnavailable(marked("{address}: what answers there is not a hub of Croupier"), address=self.url)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(
        self, method: str, path: str, content: str | None = None, refused: tuple[int, ...] = (), most: int = MOST_BYTES
    ) -> _HttpAnswer:
        """The answer. What answers there may be anything: its length, its time and its form have a limit."""
        answer = self._answer(method, path, content, most)
        challenge = answer.headers.get("www-authenticate", "") if answer.status == _BUSY else ""
        if self._writer is not None and (signed := sign_pass(challenge, self._writer)):
            self._client.headers["authorization"] = signed
            answer = self._answer(method, path, content, most)
        if not (answer.is_success or answer.status in refused):
            why = f"HTTP {answer.status}"
            if answer.headers.get("content-type", "").startswith("application/json"):
                why = one_line(str(self._data(answer).get("error", why))[:_MOST_REASON])
            raise self._unavailable(why)
        return answer

    def _answer(self, method: str, path: str, content: str | None, most: int) -> _HttpAnswer:
        try:
            with self._client.stream(method, self.url + path, content=content, headers=_AS_IT_IS) as stream:
                return _HttpAnswer(stream.status_code, stream.headers, self._read(stream, most))
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as err:
            raise self._unavailable(reason(err)) from err

    def _read(self, stream: httpx.Response, most: int) -> bytes:
        """The body of an answer, which must not be packed: a few bytes could become any number."""
        if stream.headers.get("content-encoding", "identity") != "identity":
            raise self.no_hub()
        content, last = bytearray(), monotonic() + ANSWER_S
        for part in stream.iter_raw():
            content += part
            if len(content) > most or monotonic() > last:
                raise self.no_hub()
        return bytes(content)

    def _data(self, answer: _HttpAnswer) -> dict[str, Any]:
        try:
            return _JSON.validate_json(answer.content)
        except ValidationError as err:
            raise self.no_hub() from err

    def _text(self, answer: _HttpAnswer) -> str:
        """The text of a note, with the length of one."""
        if len(answer.content) > MOST_NOTE:
            raise self.no_hub()
        try:
            return answer.content.decode()
        except UnicodeDecodeError as err:
            raise self.no_hub() from err

    def _unavailable(self, why: str) -> HubUnavailable:
        text = marked("{address}: {why}: expected a hub there, as croupier tournament hub starts one")
        return HubUnavailable(text, address=self.url, why=why)


_MOST_GAPS: Final = 3
"""A hub says once what it lacks, and again only if its database was restored meanwhile."""


class Taker(Protocol):
    """A hub, over HTTP or its store in this process."""

    def put(self, sent: Sent, /) -> Answer:
        """Take lines durably."""


def deliver(client: Taker, outbox: Outbox, start: int | None = None) -> int:
    """Send what the hub does not have, from line ``start`` on or from where the hub says. Returns the number of lines
    that it has.

    Raises:
        HubUnavailable: as `HubClient`; what was sent is known at the next attempt.
        HubRefuses: the hub does not know this key, or has other lines.
    """
    accepted, gaps = len(outbox) if start is None else start, 0
    while True:
        sent = outbox.piece(accepted)
        answer = client.put(sent)
        if answer.verdict is Verdict.UNKNOWN:
            raise unknown(outbox.log)
        gaps += answer.verdict is Verdict.GAP
        if gaps > _MOST_GAPS or (answer.verdict is Verdict.ACCEPTED and answer.accepted_to < sent.end):
            raise HubUnavailable(marked("the hub contradicts itself; what it does not have is sent again later"))
        is_known = answer.verdict is Verdict.ACCEPTED or (
            answer.verdict is Verdict.GAP and answer.accepted_to < accepted
        )
        if not (is_known and outbox.accept(answer.accepted_to)):
            text = marked("{file}: the hub has other lines of this key, as after a restored backup: move the file "
                          "away, and a new one with a new key is made, which the director has to enroll")  # fmt: skip
            raise HubRefuses(text, file=outbox.file)
        if answer.verdict is Verdict.ACCEPTED and answer.accepted_to == len(outbox):
            return answer.accepted_to
        accepted = answer.accepted_to


def unknown(key: str) -> HubRefuses:
    """The error that a hub does not know the key of a table."""
    text = marked("the hub does not know the key {key}; the director has to enroll it: "
                  "croupier tournament enroll {key} --table N")  # fmt: skip
    return HubRefuses(text, key=key)


class DirectorsLog:
    """The director's log, as hubs have it: signed, and only longer from time to time."""

    def __init__(self, director: str = "") -> None:
        self.director = director
        self.lines: list[str] = []
        self._head = Head()

    def update(self, client: HubClient) -> bool:
        """Get what is new; True if there was something. The first director remains the director. After an error all
        is as before.

        Raises:
            HubUnavailable: as `HubClient`.
            HubRefuses: it is the tournament of another director, the log is not as it was signed, or the hub has less
                of it than before.
        """
        director, head, news = self.director, self._head, list[str]()
        while True:
            sent = client.director(len(self.lines) + len(news), director)
            if sent.start and not sent.lines and sent.head == EMPTY:
                text = marked(
                    "{address}: the hub has less of the director’s log than this table ({n} lines). "
                    "Was a backup restored? The rest comes back when the director sends something."
                )
                raise HubRefuses(text, address=client.url, n=sent.start)
            head = head.after(sent.lines)
            if head.root != sent.head or not (sent.is_signed or not sent.end):
                text = marked("{address}: the director’s log is not as it was signed")
                raise HubRefuses(text, address=client.url)
            director = sent.log
            news += sent.lines
            if len(self.lines) + len(news) > _MOST_DIRECTED:
                raise client.no_hub()
            if not sent.lines:
                self.director, self._head = director, head
                self.lines += news
                return bool(news)
