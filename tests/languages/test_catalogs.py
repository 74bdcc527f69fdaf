"""Every text of the program is translated into every language, with the same names in braces, in every plural form."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from gettext import GNUTranslations
from importlib.metadata import entry_points
from io import BytesIO
from pathlib import Path
from string import Formatter
from time import time_ns

import pytest
from babel.messages.catalog import Catalog, Message

from cardsight import errors as reader_errors
from croupier import errors
from croupier.i18n import _patterns, compiled
from tools import texts
from tools.lock import ROOT
from tools.texts import (
    KEYWORDS,
    RULES,
    SOURCE,
    TRANSLATED,
    in_the_program,
    is_whole,
    key_of,
    sources,
    written,
)

MISSING = "run `make texts`, then fill in what is missing (docs/translating.md)"


@pytest.fixture(scope="module")
def program() -> dict[str, Catalog]:
    return in_the_program()


@pytest.fixture(scope="module", params=TRANSLATED)
def catalogs(request: pytest.FixtureRequest) -> dict[str, Catalog]:
    return written(request.param)


def messages(catalogs: dict[str, Catalog]) -> Iterator[Message]:
    for catalog in catalogs.values():
        yield from (message for message in catalog if message.id)


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def forms(message: Message) -> list[str]:
    said = message.string or ""
    return [said] if isinstance(said, str) else list(said)


def test_a_catalog_has_the_texts_of_its_area_and_no_others(
    program: dict[str, Catalog], catalogs: dict[str, Catalog]
) -> None:
    ours = {name: {message.id for message in catalog if message.id} for name, catalog in program.items()}
    theirs = {name: {message.id for message in catalog if message.id} for name, catalog in catalogs.items()}
    assert theirs == ours, MISSING


def test_nothing_is_missing_and_nothing_is_unsure(catalogs: dict[str, Catalog]) -> None:
    for catalog in catalogs.values():
        unsure = [key_of(one) for one in catalog if one.id and (one.fuzzy or not is_whole(one, catalog.num_plurals))]
        assert unsure == [], MISSING


def test_no_text_of_a_plugin_is_deleted_while_the_plugin_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "entry_points", lambda group, name: [] if name == "tally" else entry_points(group=group))
    monkeypatch.setattr(texts, "update", lambda *_: pytest.fail("a catalog was written"))
    with pytest.raises(SystemExit, match=r"^not installed: tally \(croupier-tally\); run make \.venv/\.dev first$"):
        texts.main([])


def test_a_translation_fills_in_what_the_english_text_does(catalogs: dict[str, Catalog]) -> None:
    for message in messages(catalogs):
        wanted = names(message.id if isinstance(message.id, str) else message.id[1])
        for form in forms(message):
            # Where a form stands for one number alone, it need not say it.
            assert names(form) | ({"n"} & wanted) == wanted, form


def test_a_translation_begins_and_ends_as_the_english_text_does(catalogs: dict[str, Catalog]) -> None:
    for message in messages(catalogs):
        for form in forms(message):
            assert form == form.strip()
            if " " in key_of(message):  # which is no abbreviation
                assert form.endswith(".") == key_of(message).endswith("."), form


def repeated(text: str, n: int = 5) -> set[tuple[str, ...]]:
    """The runs of ``n`` words that a text has more than once."""
    words = text.split()
    runs = [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
    return {run for run in runs if runs.count(run) > 1}


def test_a_merge_has_not_put_two_translations_of_a_text_together(catalogs: dict[str, Catalog]) -> None:
    """git merges both sides of a catalog, and where both worded a long text anew, it has the lines of both."""
    twice = [
        form
        for message in messages(catalogs)
        for form in forms(message)
        if (len(key_of(message)) > 80 and len(form) > 1.7 * len(key_of(message)))
        or (len(repeated(form)) > 1 and not repeated(key_of(message)))
    ]
    assert twice == [], "two translations in one: leave one of them"


def test_the_text_in_the_program_says_what_is_filled_in(program: dict[str, Catalog]) -> None:
    """A sum of pieces or a number in a text cannot be translated."""
    for message in messages(program):
        for text in [message.id] if isinstance(message.id, str) else message.id:
            assert all(re.fullmatch(r"[a-z_]+", name) for name in names(text)), text


def test_every_text_that_is_looked_up_is_found_by_make_texts(program: dict[str, Catalog]) -> None:
    """One inside an f-string, or put together, is not."""
    ours = {key_of(message) for catalog in program.values() for message in catalog if message.id}
    lost = []
    for file in sources():
        if file.suffix != ".py":
            continue
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in KEYWORDS:
                said = call.args[0] if call.args else None
                text = said.value if isinstance(said, ast.Constant) else None
                is_put_together = isinstance(said, ast.JoinedStr | ast.BinOp)
                if is_put_together or (isinstance(text, str) and text not in ours):
                    lost.append(f"{file.name}, line {call.lineno}: {ast.unparse(call)}")
    assert lost == []


TEMPLATES = [file for file in sources() if file.suffix in (".html", ".svg")]
SAID = re.compile(r'\b(?:aria-label|alt|title|placeholder|label)="([^"]*)"')


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name)
def test_a_template_shows_no_text_that_is_not_marked(file: Path) -> None:
    text = re.sub(r"{% block kind %}[a-z -]*{% endblock %}", "", file.read_text(encoding="utf-8"))  # a name for styles
    text = re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}|<style>.*?</style>", " ", text, flags=re.DOTALL)
    shown = [*SAID.findall(text), *re.sub(r"<[^>]*>", "\n", text).split("\n")]
    assert [words.strip() for words in shown if re.search(r"[^\W\d_]{2}", words)] == []


ENGLISH = {
    "link_console/console.py": "the messages of the line, word by word",
    "firmware/installer.py": "for who puts the firmware onto the Pico",
    "firmware/command.py": "as firmware/installer.py",
    "firmware/image.py": "as firmware/installer.py",
    "log_replay.py": "what is wrong inside a table log",
    "rules_report/why.py": "as log_replay.py",
    "referee": "as log_replay.py",
    "rules/card_tables.py": "what is wrong inside a deck file of ours",
    "motors_off.py": "for the system's journal; it loads no catalogs, since a motor runs",
    "voice/output.py": "a folder of the system",
}
"""Where what is said stays English, and why."""

READER = ROOT / "vision/cardsight"
PURE = [*(SOURCE / name for name in ("errors.py", "files.py", "journal", "link", "devices")),
        SOURCE / "pictures/worker.py", READER, RULES]  # fmt: skip
"""Raise errors in English, or mark them; whoever tells them translates."""
SAYING = [file for root in (SOURCE, RULES, READER) for file in sorted(root.rglob("*.py"))
          if not any(file.is_relative_to(root / name) for name in ENGLISH)]  # fmt: skip
RAISED = {name for module in (errors, reader_errors) for name, kind in vars(module).items()
          if isinstance(kind, type) and issubclass(kind, Exception)}  # fmt: skip
TELLERS = {"BadParameter", "HTTPException", "say", "print", *RAISED}
A_TEXT = re.compile(r"[^\W\d_]{2,} [^\W\d_]{2,}")
"""Two words, one after the other."""


def bare(node: ast.AST) -> Iterator[str]:
    """What an expression may say without looking it up, with {} for what is filled in. What is put together out of a
    text that is looked up is not."""
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.JoinedStr():
            yield "".join("".join(bare(one)) for one in node.values)
        case ast.BinOp(op=ast.Add()):
            yield "".join("".join(bare(one)) for one in (node.left, node.right))
        case ast.BoolOp():
            yield from (text for one in node.values for text in bare(one))
        case ast.IfExp():
            yield from (text for one in (node.body, node.orelse) for text in bare(one))
        case _:
            yield "{}"


def unknown(text: str) -> list[str]:
    """The pieces of what a part says that no text of ``others.toml`` covers."""
    text = re.sub(r"^{}(?=\w)", "", text)  # the hint of a name that is similar
    for _template, pattern in _patterns():
        if found := pattern.fullmatch(text):
            return [piece for value in found.groups() for piece in unknown(value)]
    name, colon, rest = text.partition(": ")
    return [*unknown(name), *unknown(rest)] if colon else [text]


@pytest.mark.parametrize("file", SAYING, ids=lambda file: str(file.relative_to(ROOT)))
def test_code_says_no_text_that_is_not_translated(file: Path) -> None:
    is_pure = any(file.is_relative_to(part) for part in PURE)
    found = []
    for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name | ast.Attribute):
            name = call.func.id if isinstance(call.func, ast.Name) else call.func.attr
            texts = [text for one in call.args for text in bare(one)] if name in TELLERS else []
            pieces = [piece for text in texts for piece in (unknown(text) if is_pure else [text])]
            found += [f"line {call.lineno}: {piece}" for piece in pieces if A_TEXT.search(piece)]
    assert found == []


def test_a_catalog_is_compiled_again_when_its_source_is_newer(tmp_path: Path) -> None:
    source, target = tmp_path / "de.po", tmp_path / "de.mo"
    for round_, translation in enumerate(("Ja", "Doch")):
        source.write_text(f'msgid "yes"\nmsgstr "{translation}"\n', encoding="utf-8")
        os.utime(source, ns=(0, time_ns() if round_ == 0 else target.stat().st_mtime_ns))
        packed = compiled(source)
        assert GNUTranslations(BytesIO(packed)).gettext("yes") == translation
    assert target.read_bytes() == packed
    source.write_text("no catalog", encoding="utf-8")
    os.utime(source, ns=(0, target.stat().st_mtime_ns - 1))
    assert compiled(source) == packed
