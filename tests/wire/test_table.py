"""The table of messages, and all that is made from it."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args

import pytest

from croupier.link.commands import Command
from croupier.link.reports import Report
from tablewire import messages
from tablewire.frame import LONGEST
from tablewire.messages import MESSAGES, TO_HOST, TO_PICO, Message, read, write
from tests.wire.vectors import encode
from tools import protocol


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: f"{message.name}-{message.way}")
def test_a_message_is_written_and_read_at_both_ends_of_what_is_allowed(message: Message) -> None:
    for end in (0, -1):
        values = tuple(
            "x" * messages.LONGEST_NAME if one.kind == "name" else one.allowed[end] for one in message.fields
        )
        if message.name == "hello":
            values = (messages.VERSION, messages.SCHEMA, *values[2:])
        text = write(message, values)
        assert read(message, text.split(" ")[1:]) == values
        assert len(encode(0xFFFF, messages.TICKS - 1, messages.TICKS - 1, text)) <= LONGEST


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: f"{message.name}-{message.way}")
def test_a_message_says_what_it_means_in_a_sentence(message: Message) -> None:
    assert message.meaning[0].isupper()
    assert message.meaning[-1] in ".:"
    assert all(one.meaning and not one.meaning.endswith(".") for one in message.fields)
    assert len({one.name for one in message.fields}) == len(message.fields)


def test_every_report_has_its_moment() -> None:
    assert all("ticks" in [f.name for f in one.fields] for one in MESSAGES if one.way == TO_HOST and one.once)


def test_the_protocol_page_is_as_the_table_is() -> None:
    text = protocol.PAGE.read_text(encoding="utf-8")
    assert protocol.page(text) == text, "docs/protocol.md is not as the messages are now: run `make docs`"


def test_the_hosts_dataclasses_are_as_the_table_is() -> None:
    assert protocol.COMMANDS.read_text(encoding="utf-8") == protocol.commands(), "run `make docs`"
    assert protocol.REPORTS.read_text(encoding="utf-8") == protocol.reports(), "run `make docs`"


def test_every_message_that_is_carried_out_has_its_dataclass() -> None:
    for way, union in ((TO_PICO, Command), (TO_HOST, Report)):
        classes = {one.message: {field.name for field in fields(one)} for one in get_args(union)}
        table = {
            one.name: {field.name for field in one.fields}
            for one in MESSAGES
            if one.way == way and (one.once or one.name == "leave")
        }
        if way == TO_HOST:
            table = {name: names - {"ticks"} | {"t", "u"} for name, names in table.items()}
        assert classes == table


def test_the_checksum_of_the_table_depends_on_what_decides_a_meaning() -> None:
    before = messages.canonical()
    assert "deal" in before
    assert "how many" not in before, "words for people may change"
    assert len(before.splitlines()) == len(MESSAGES)
