"""Who reads which language, and that it is spoken."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from croupier import i18n
from croupier.i18n import LANGUAGES, _, known, language, ngettext, of_browser, of_terminal, speaking, use


@pytest.mark.parametrize(
    ("chosen", "accepted", "read"),
    [
        pytest.param(None, "", "sv", id="nothing is asked for: the table's"),
        pytest.param(None, "de-AT,de;q=0.8,en;q=0.5", "de", id="the region does not matter"),
        pytest.param(None, "en;q=0.5,pl;q=0.9", "pl", id="what is wished most, wherever it stands"),
        pytest.param(None, "ja,zh;q=0.9,hu;q=0.1", "hu", id="the first that we have"),
        pytest.param(None, "ja", "sv", id="none that we have"),
        pytest.param(None, "el;q=0", "sv", id="nought means: not this one"),
        pytest.param(None, "*, ,;q=,fr;q=x" * 100, "sv", id="nonsense is no wish"),
        pytest.param("nl", "de", "nl", id="what was chosen goes first"),
        pytest.param("xx", "de", "de", id="a choice that there is not"),
    ],
)  # fmt: skip
def test_a_page_is_read_in_what_the_person_chose_else_in_what_the_browser_asks_for(
    chosen: str | None, accepted: str, read: str
) -> None:
    assert of_browser(chosen, accepted, "sv") == read


@pytest.mark.parametrize(
    ("environment", "spoken"),
    [
        pytest.param({}, "en", id="nothing is said"),
        pytest.param({"LANG": "de_DE.UTF-8"}, "de", id="the system"),
        pytest.param({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "pl_PL"}, "pl", id="messages go before the rest"),
        pytest.param({"LC_ALL": "C.UTF-8", "LANG": "de_DE"}, "en", id="all of it is C"),
        pytest.param({"LANG": "ja_JP"}, "en", id="none that we have"),
    ],
)
def test_a_terminal_speaks_the_systems_language(environment: dict[str, str], spoken: str) -> None:
    assert of_terminal(environment) == spoken


@pytest.mark.parametrize(
    ("wish", "code"), [("pt-BR", "pt"), ("EL", "el"), ("sv.UTF-8", "sv"), ("ja", None), ("", None)]
)
def test_a_language_is_known_by_its_code(wish: str, code: str | None) -> None:
    assert known(wish) == code


def test_each_reader_has_a_language_of_his_own_and_the_rest_the_tables() -> None:
    use("fr")

    async def reader(code: str) -> str:
        with speaking(code):
            await asyncio.sleep(0)
            return language()

    async def both() -> list[str]:
        return list(await asyncio.gather(reader("de"), reader("pl")))

    assert asyncio.run(both()) == ["de", "pl"]
    heard: list[str] = []
    with speaking("de"):
        table = Thread(target=lambda: heard.append(language()))
        table.start()
        table.join()
    assert (heard, language()) == (["fr"], "fr")


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_has_no_translation_is_said_in_english(code: str) -> None:
    with speaking(code):
        assert _("No {thing} says this.", thing="sheet") == "No sheet says this."
        assert ngettext("{n} zork", "{n} zorks", 3) in ("3 zorks", "3 zork")


def test_braces_in_what_is_filled_in_stay_as_they_are() -> None:
    assert _("A player called {name}", name="{n}%s{}") == "A player called {n}%s{}"


@pytest.fixture
def bell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A plug-in that is installed and speaks German; its folder of catalogs."""
    (tmp_path / "bell-1.dist-info").mkdir()
    (tmp_path / "bell-1.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: bell\nVersion: 1\n")
    (tmp_path / "bell-1.dist-info/entry_points.txt").write_text("[croupier.translations]\nbell = bell\n")
    (tmp_path / "bell/i18n").mkdir(parents=True)
    (tmp_path / "bell/__init__.py").write_text("raise AssertionError('its texts need no code')")
    plural = "Plural-Forms: nplurals=2; plural=(n != 1);\\nContent-Type: text/plain; charset=utf-8\\n"
    text = 'msgid "The bell rings."\nmsgstr "Die Glocke läutet."\n\nmsgid "Round"\nmsgstr "Glockenrunde"\n\n'
    text += 'msgid "{n} bell"\nmsgid_plural "{n} bells"\nmsgstr[0] "{n} Glocke"\nmsgstr[1] "{n} Glocken"\n'
    (tmp_path / "bell/i18n/de.po").write_text(f'msgid ""\nmsgstr "{plural}"\n\n{text}', encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    i18n._catalog.cache_clear()
    yield tmp_path / "bell/i18n"
    i18n._catalog.cache_clear()


def test_a_plugin_brings_its_own_translations(bell: Path) -> None:
    with speaking("de"):
        assert _("The bell rings.") == "Die Glocke läutet."
        assert [ngettext("{n} bell", "{n} bells", n) for n in (1, 3)] == ["1 Glocke", "3 Glocken"]


def test_a_plugin_does_not_change_a_text_of_the_table(bell: Path) -> None:
    with speaking("de"):
        assert _("Round") == "Runde"


def test_a_plugin_without_a_language_speaks_english_in_it(bell: Path) -> None:
    with speaking("fr"):
        assert _("The bell rings.") == "The bell rings."
        assert _("Round") == "Manche"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param("fr", "Qui distribue\N{NO-BREAK SPACE}?", id="french"),
        pytest.param("de", "Wer gibt?", id="german-has-no-space"),
    ],
)
def test_no_line_ends_before_a_sign_that_has_a_space_before_it(code: str, said: str) -> None:
    with speaking(code):
        assert _("Who deals?") == said
