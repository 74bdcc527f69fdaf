"""Messages between writers and hubs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, StringConstraints

from croupier_hub.merkle import EMPTY
from croupier_hub.signed_log import Sent

MOST_LINES: Final = 1000
MOST_LETTERS: Final = 100_000
"""Of one piece: a slow line sends it in the time of a request (`croupier.http_server.REQUEST_S`)."""


class Verdict(StrEnum):
    """Outcome of lines that were given to the store."""

    ACCEPTED = "accepted"
    FORK = "fork"  # other lines than before: kept, and an alarm
    GAP = "gap"  # lines before them are missing
    CHAIN = "chain"  # not the head that they lead to; from 0 on they show a fork, if there is one
    SIGNATURE = "signature"
    UNKNOWN = "unknown"  # the director has not enrolled this key


@dataclass(frozen=True, slots=True)
class Answer:
    """``accepted_to``: lines of the log in the store after the commit; ``head``: its root then."""

    verdict: Verdict
    accepted_to: int = 0
    head: bytes = EMPTY


class Body(BaseModel):
    """Lines in one request: without line ends, as the writer's log has them."""

    lines: list[Annotated[str, StringConstraints(pattern=r"^[^\x00\r\n]*$")]]
    head: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")]
    signature: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{128})?$")]

    @classmethod
    def of(cls, sent: Sent) -> Body:
        """Message of a writer."""
        return cls(lines=list(sent.lines), head=sent.head.hex(), signature=sent.signature.hex())
