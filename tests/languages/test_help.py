"""Help and usage errors of the command line are in the reader's language, all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from croupier.cli import main
from croupier.cli.help_texts import help_texts
from croupier.i18n import LANGUAGES, _patterns, from_others, speaking
from tests.longer import some
from tools.lock import ROOT
from tools.texts import TRANSLATED, translations


def squeezed(text: str) -> str:
    """Without blanks, since help texts are wrapped, also at hyphens."""
    return re.sub(r"\s", "", text)


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each command with its words."""
    yield path, command
    for name, subcommand in getattr(command, "commands", {}).items():
        yield from commands(subcommand, (*path, name))


def own_texts(command: Any) -> list[str]:
    """The texts of one command, without its subcommands."""
    theirs = [text for subcommand in getattr(command, "commands", {}).values() for text in help_texts(subcommand)]
    return list(help_texts(command))[: len(list(help_texts(command))) - len(theirs)]


@pytest.mark.parametrize("code", some(TRANSLATED, 10))
def test_the_help_of_each_command_is_whole_in_each_language(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    known = translations(code)
    seen = 0
    for path, command in commands(main.program()):
        assert main.run([*path, "--help", "--language", code]) == 0
        printed = capsys.readouterr().out
        shown = squeezed(printed)
        for text in own_texts(command):
            translated = known[text]
            assert isinstance(translated, str)
            for part in re.split(r"{\w+}", translated):
                assert squeezed(part) in shown, (path, text)
                seen += 1
        for text in ("Usage:", "Options", "Show this message and exit.", *(["Examples:"] if command.epilog else [])):
            translated = squeezed(str(known[text]))
            assert translated in shown, (path, text)
            assert translated == squeezed(text) or squeezed(text) not in shown, (path, text)
        assert "[default:" not in shown
        assert re.search(r"<\w|{", printed) is None, path  # of Typer: NAME <list[str]>, {NAME}
    assert seen > 300


@pytest.mark.parametrize(
    ("line", "english"),
    some([
        ("reed", "No such command 'reed'. Did you mean 'read'?; see croupier --help"),
        ("nonsense", "No such command 'nonsense'"),
        ("read --jsn", "No such option: --jsn (Possible options: --json)"),
        ("read", "Missing argument 'IMAGE'"),
        ("rules why game.jsonl", "Missing option '--at'"),
        ("read a.jpg --config", "Option '--config' requires an argument"),
        ("read a.jpg --json=1", "Option '--json' does not take a value"),
        ("journal export 1 2", "Got unexpected extra argument(s) (2)"),
        ("journal", "Missing command"),
        ("demo --seed x", "Input should be a valid integer"),
        ("replay --round x", "Input should be a valid integer"),
        ("demo --seats 1", "Invalid value for '--seats': Input should be greater than or equal to 2"),
        ("demo --seats 11", "Input should be less than or equal to 10"),
        ("doctor --simulated moon", "Value error, 'moon' is not one of 'nothing'"),
        ("score page nowhere", "dir 'nowhere' does not exist"),
        ("doctor --deck tarot", "there is no tarot; expected one of g7942"),
        ("read nowhere.jpg", "no such file; expected a picture"),
        ("tally empty", "no pictures in this folder"),
        ("audit empty.jpg", "the file is empty; expected a picture"),
        ("read cards.pdf", "a PDF document; expected a picture: save its page as JPEG, PNG, WebP, TIFF or BMP"),
        ("read nowhere.mp4", "no such file; expected a video"),
        ("referee nowhere", "No such file or directory: expected a table log"),
        ("referee .", "Is a directory: expected a table log"),
        ("run --config nowhere.toml", "No such file or directory: expected the file that describes the table"),
        ("enroll a.jpg --names nowhere", "No such file or directory; expected a list"),
        ("read a.jpg --deck-profile nowhere", "no such file; make it with croupier enroll"),
    ], 9),
)  # fmt: skip
def test_what_is_wrong_with_a_command_line_is_said_in_each_language(
    line: str, english: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.jpg").touch()
    (tmp_path / "cards.pdf").write_bytes(b"%PDF-1.7")
    parts = [part for part in map(str.strip, re.split("[:;.(]", english)) if " " in part]
    said = {}
    for code in LANGUAGES:
        assert main.run([*line.split(), "--language", code]) == 2
        said[code] = capsys.readouterr().err
    assert english in said["en"]
    assert len(set(said.values())) > len(LANGUAGES) * 0.7
    for code in TRANSLATED:
        assert [part for part in parts if part in said[code]] == []


def test_texts_of_others_are_found_with_what_they_hold_and_unknown_ones_stay() -> None:
    with speaking("de"):
        assert from_others("Permission denied") == "keine Berechtigung"
        assert from_others("cannot be opened: Permission denied") == "kann nicht geöffnet werden: keine Berechtigung"
        assert from_others("the moon is full") == "the moon is full"


def test_each_text_of_a_part_without_languages_is_one_that_it_says() -> None:
    files = (file for part in ("vision", "host") for file in sorted((ROOT / part).rglob("*.py")))
    source = "".join(file.read_text(encoding="utf-8") for file in files)
    source = re.sub(r'"\s+f?"', "", source)  # a text over several lines
    texts = [text for text, _pattern in _patterns()]
    ours = texts[texts.index("JPEG, PNG, WebP, TIFF or BMP") :]
    assert len(ours) > 10
    for text in ours:
        pattern = re.sub(r"\\{\w+\\}", r"[^\\n]+", re.escape(text))
        assert re.search(pattern, source), text
