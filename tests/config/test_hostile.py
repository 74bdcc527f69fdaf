"""A `croupier.toml` made to do harm: each gets a clear message, at the cost of a large file and no more."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from croupier.cli.main import run
from croupier.config import BadConfigFile, Config, load, read
from croupier.config.model import section_class, section_names
from croupier.config.options import options
from croupier.config.validation import MOST_MISTAKES
from croupier.errors import CroupierError
from croupier.files import MOST_BYTES, parse_toml, toml_statements
from croupier.setup.draft import Draft
from croupier.setup.page import TableSetup, find_fault
from tests.longer import some

DEEP: Final = "more than 16 levels of tables and lists in each other"
LONG: Final = "a number or a name of more than 256 characters"

HOSTILE: Final = [
    pytest.param("a = " + "[" * 5000, 1, DEEP, id="nested-lists"),
    pytest.param("a = " + "[" * 5000 + "]" * 5000, 1, DEEP, id="nested-lists-closed"),
    pytest.param("\na = " + "{a=" * 5000, 2, DEEP, id="nested-tables"),
    pytest.param(".".join(["a"] * 6000) + " = 1", 1, DEEP, id="6000-dotted-keys"),
    pytest.param("[" + ' . "a"' * 6000 + "]", 1, DEEP, id="6000-quoted-keys-in-a-header"),
    pytest.param("[camera]\nfps = " + "9" * 5000, 2, LONG, id="5000-digits"),
    pytest.param("[camera]\nfps = 0x" + "f" * 5000, 2, LONG, id="5000-hexadecimal-digits"),
    pytest.param("[camera]\nfps = 1" + "_0" * 200, 2, LONG, id="digits-with-underscores"),
    pytest.param("[camera]\nfps = " + "9" * 250, 2, "expected a number, 1 to 120", id="250-digits"),
    pytest.param("[camera]\nfps = nan", 2, "[camera] fps: NaN: expected a number, 1 to 120", id="not-a-number"),
    pytest.param("[camera]\nfps = 1e999", 2, "[camera] fps: Infinity: expected a number, 1 to 120", id="infinity"),
    pytest.param('[deck]\nprofile = "a\\u0000b"', 2, "profile: contains a control character", id="nul-in-a-name"),
    pytest.param('[seats]\nnames = ["Ann", "\\u001b[31m"]', 2, "cannot be seen (U+001B)", id="terminal-sequence"),
    pytest.param("[camera]\n\0", 2, "Invalid", id="nul"),
    pytest.param('"\\u0000" = 1', 1, "\N{REPLACEMENT CHARACTER}: is outside any section", id="nul-as-a-key"),
    pytest.param('a = "\\ud800"', 1, "not a Unicode scalar value", id="surrogate"),
    pytest.param("[camera]\n" + "".join(f"x{n} = 1\n" for n in range(9000)), 2, "unknown option", id="options"),
    pytest.param("".join(f"[x{n}]\n" for n in range(9000)), 1, "unknown section", id="sections"),
    pytest.param("[rules]\nbase = 'g7942-en'\n" + "".join(f"x.y{n} = 1\n" for n in range(9000)), 3, "x.y0", id="rules"),
    pytest.param("[[webhooks]]\n" * 9000, 1, "[[webhooks]] url: is missing", id="webhooks"),
    pytest.param("[[webhooks]]\nurl = 'http://a'\nrulings = [" + "'x'," * 20_000 + "]", 3, "ruling x", id="rulings"),
    pytest.param("x = [\n" + "1,\n" * 40_000 + "]", 1, "unknown section", id="a-list-of-40000-lines"),
    pytest.param('x = "' + '\\"' * 60_000, None, "not TOML", id="unfinished-string"),
    pytest.param('x = """' + '\\"""' * 30_000 + "\\", None, "not TOML", id="unfinished-text"),
    pytest.param('[seats]\ndealer = "' + "x" * 100_000 + '"', 2, f'dealer: "{"x" * 79}…: expected', id="long-value"),
    pytest.param("#" * (MOST_BYTES + 1), None, "larger than 128 KB", id="huge"),
]  # fmt: skip

MOST_CALLS: Final = 4_000_000
"""Calls of functions, Python's and C's; the largest valid file takes a third of these."""


class TooLong(BaseException):
    """More calls than `MOST_CALLS`; no handler of the program may swallow it."""


@contextmanager
def bounded() -> Iterator[None]:
    """Fail where the block takes more than `MOST_CALLS`."""
    calls = 0

    def count(*_: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > MOST_CALLS:
            sys.setprofile(None)
            raise TooLong

    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize(("text", "line", "told"), some(HOSTILE, 3))
def test_a_hostile_file_gets_one_clear_message_in_bounded_time(text: str, line: int | None, told: str) -> None:
    with pytest.raises(BadConfigFile) as fault, bounded():
        read(text)
    assert fault.value.lines[0].startswith("croupier.toml:" if line is None else f"croupier.toml:{line}: ")
    assert told in fault.value.lines[0]
    assert len(fault.value.lines) <= MOST_MISTAKES + 1
    assert all(one.isprintable() and len(one) < 2000 for one in fault.value.lines)


def test_of_very_many_mistakes_the_first_are_listed_and_the_rest_is_mentioned() -> None:
    with pytest.raises(BadConfigFile) as fault:
        read("[camera]\n" + "".join(f"x{n} = 1\n" for n in range(200)))
    assert len(fault.value.mistakes) == MOST_MISTAKES + 1
    assert fault.value.lines[-1] == "croupier.toml: there are more mistakes: correct these first"


COMMANDS: Final = [
    pytest.param(["run"], id="run"),
    pytest.param(["setup"], id="setup"),
    pytest.param(["doctor", "--only", "config.valid"], id="doctor"),
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("text", "line", "told"), some(HOSTILE, 4))
def test_no_command_falls_over_a_hostile_file(
    text: str, line: int | None, told: str, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("croupier.toml").write_text(text)
    assert run(command) == 2
    output = "".join(capsys.readouterr())
    assert told in output.replace("\n", " ")
    assert "croupier.toml" in output


@pytest.mark.parametrize(("text", "line", "told"), some(HOSTILE, 4))
def test_the_setup_page_shows_what_is_wrong_with_a_hostile_file(
    text: str, line: int | None, told: str, tmp_path: Path
) -> None:
    file = tmp_path / "croupier.toml"
    setup = TableSetup(file)
    for shown in (setup.save(text), setup.check(text)):
        assert told in shown.mistakes[0][1]
    assert not file.exists()
    file.write_text(text)
    assert told in setup.file().mistakes[0][1]
    assert told in find_fault(file)


@pytest.mark.parametrize("path", [("camera", "fps"), ("seats", "names"), ("seats", "dealer"), ("deck", "profile")])
@pytest.mark.parametrize(("text", "line", "told"), some(HOSTILE, 4))
def test_a_hostile_answer_is_refused_and_changes_nothing(
    text: str, line: int | None, told: str, path: tuple[str, ...], tmp_path: Path
) -> None:
    draft = Draft(tmp_path / "croupier.toml")
    value = text.partition(" = ")[2] or text
    for answer in (text, value, value[:4096], f'"{value}"'):
        with bounded():
            wrong = draft.answer(path, answer)
        assert wrong == "" or not draft.is_changed
        with suppress(BadConfigFile):
            draft.config()
        draft.discard()


def test_a_file_without_an_end_is_read_no_further_than_its_limit() -> None:
    with pytest.raises(CroupierError, match="/dev/zero: larger than 128 KB"):
        load(Path("/dev/zero"))


def test_a_large_file_that_is_right_is_taken() -> None:
    text = "[[webhooks]]\nurl = 'http://a'\n" * 4000
    with bounded():
        assert len([*read(text).sections_of_plugins()]) == 4000


def taken(content: bytes, folder: Path) -> Config | None:
    """The file of these bytes; None where it was refused."""
    file = folder / "croupier.toml"
    file.write_bytes(content)
    try:
        config = load(file)
    except CroupierError:
        return None
    config.header()
    config.ruleset()
    return config


HARMLESS: Final = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@HARMLESS
@given(
    content=st.one_of(st.binary(max_size=400), st.text(max_size=400).map(lambda text: text.encode("utf-8", "replace")))
)
def test_no_bytes_whatsoever_raise_anything_but_an_error_of_the_program(content: bytes, tmp_path: Path) -> None:
    taken(content, tmp_path)


SECTIONS: Final = {name: model for name in section_names() if (model := section_class(name)) is not None}
KEYS: Final = st.sampled_from(
    sorted({one.name for model in SECTIONS.values() for one in options(model)} | {"x", "'\\0'"})
)
TEXTS: Final = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["usb:0", "22:00-07:00", "1920x1080", "http://[", "http://a:99999", "croupier", "\0", "/", "GPIO17"]
    ),
    st.sampled_from([str(option.example) for model in SECTIONS.values() for option in options(model)]),
)
VALUES: Final = st.recursive(
    st.one_of(
        TEXTS.map(json.dumps),
        st.integers().map(str),
        st.integers(-5, 20).map(str),
        st.floats().map(str),
        st.sampled_from(
            ["true", "false", "2024-02-30", "2024-01-01", "07:32:00", "0x" + "f" * 200, "9" * 300, "1e400"]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=11).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(KEYS, inner, max_size=4).map(
            lambda items: f"{{ {', '.join(f'{key} = {value}' for key, value in items.items())} }}"
        ),
    ),
    max_leaves=12,
)


@st.composite
def near_misses(draw: st.DrawFn) -> str:
    """A file with known sections and options, and values of every kind."""
    lines = []
    for name in draw(st.lists(st.sampled_from([*SECTIONS, "x"]), max_size=5, unique=True)):
        known = [option.name for option in options(SECTIONS[name])] if name in SECTIONS else ["x"]
        for _section in range(draw(st.integers(1, 2)) if name == "webhooks" else 1):
            lines.append("[[webhooks]]" if name == "webhooks" else f"[{name}]")
            keys = draw(st.lists(st.one_of(st.sampled_from(known), KEYS), max_size=4, unique=True))
            lines += [f"{key} = {draw(VALUES)}" for key in keys]
    return "\n".join(lines)


@HARMLESS
@given(text=near_misses())
def test_no_value_of_any_option_raises_anything_but_an_error_of_the_program(text: str, tmp_path: Path) -> None:
    taken(text.encode("utf-8", "replace"), tmp_path)


@HARMLESS
@given(text=near_misses())
def test_the_statements_of_a_file_are_all_of_its_text_each_with_its_line(text: str) -> None:
    with suppress(CroupierError):
        parse_toml(text)
        found = list(toml_statements(text))
        assert "".join(statement for _line, statement in found) == text
        assert all(text.split("\n")[line - 1] == statement.split("\n")[0] for line, statement in found)


PAINFUL: Final = '''[table]  # ]]
name = """
[not a section]
quote: \\""" ""\"""
language = "en"
[seats]
names = [ # [
  "Ann]", 'Ben["',
]
dealer = 9
'''


def test_brackets_and_quotes_inside_of_texts_move_no_line() -> None:
    with pytest.raises(BadConfigFile) as fault:
        read(PAINFUL)
    assert [one.line for one in fault.value.mistakes] == [2, 10]  # a name has one line
