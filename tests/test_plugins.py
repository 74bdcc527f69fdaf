"""Plug-ins: what is not installed is not offered, and is named where people ask for it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cardsight.sources import Frame
from croupier import installer, plugins
from croupier.cli import main
from croupier.config import Config, read
from croupier.config.model import _config_class
from croupier.config.options import InvalidValue, Section, option
from croupier.config.validation import BadConfigFile
from croupier.errors import PluginUnavailable
from croupier.journal import Journal
from croupier.observers import ObservedTable
from croupier.observers.notifier import Notifier
from croupier.pictures import table_reader
from croupier.pictures.live_camera import LiveCamera
from croupier.plugins import CameraKind
from croupier.runtime.devices import open_exit_camera
from croupier.runtime.host import check
from croupier.web.pages import page_plugins
from tests.journal.games import game_lines
from tests.observers.replayed import Asking
from tests.web.tables import page
from tools.lock import DISTRIBUTIONS

HERE = __name__


@pytest.fixture(autouse=True)
def by_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if pip had installed the program from an index."""
    monkeypatch.setattr(installer, "_way", lambda prefix: ("pip", ""))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, dict[str, EntryPoint]]]:
    """The entry points by group and name that the program finds: none, unless a test adds some."""
    found: dict[str, dict[str, EntryPoint]] = {}
    monkeypatch.setattr(plugins, "_entries", lambda group: found.get(group, {}))
    caches = (_config_class, page_plugins)
    for one in caches:
        one.cache_clear()
    yield found
    for one in caches:
        one.cache_clear()


def offer(found: dict[str, dict[str, EntryPoint]], group: str, name: str, value: str) -> None:
    found.setdefault(group, {})[name] = EntryPoint(name, value, group)


@pytest.mark.parametrize(
    ("command", "distribution"),
    [
        ("tournament", "'croupier[hub]'"),
        ("demo", "'croupier[all]'"),
        ("bench", "croupier-bench"),
        ("rules", "'croupier[table]'"),
        ("voice", "'croupier[table]'"),
        ("stats", "'croupier[table]'"),
        ("read", "croupier"),
        ("firmware", "'croupier[table]'"),
        ("tally", "croupier"),
        ("audit", "croupier"),
        ("enroll", "croupier"),
        ("score", "croupier"),
    ],
)
def test_a_command_that_is_not_installed_is_not_offered_and_says_what_to_install(
    command: str, distribution: str, installed: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["--help"]) == 0
    assert not re.search(rf"^ +{command}\b", capsys.readouterr().out, re.MULTILINE)
    assert main.run([command, "standings", "--json"]) == 2
    assert capsys.readouterr().err == f"croupier: {command} is not installed here: pip install {distribution}\n"


def test_a_section_that_is_not_installed_says_what_to_install_and_leaves_the_others(installed: object) -> None:
    with pytest.raises(BadConfigFile) as caught:
        read('[tournament]\nhub = "http://127.0.0.1:8400"\n[camera]\nsise = 3\n')
    assert str(caught.value).splitlines() == [
        "croupier.toml:1: tournament: tournament is not installed here: pip install 'croupier[hub]'",
        next(line for line in str(caught.value).splitlines() if line.startswith("croupier.toml:4: [camera] sise")),
    ]


def test_a_table_without_plugins_has_no_observers_of_them(installed: object) -> None:
    notifier = Notifier(read(""), Asking(), print)
    assert notifier.plugins == {}
    notifier.close()


def test_a_camera_at_the_card_exit_without_what_seals_its_faces_says_what_to_install(installed: object) -> None:
    config = read('[shoe]\nkind = "pico"\nexit_camera = "usb:1"\n[seats]\nnumber = 4\n', is_complete=False)
    with pytest.raises(PluginUnavailable, match=r"exit_camera is not installed here: pip install 'croupier\[table\]'"):
        open_exit_camera(config, lambda: 0.0, lambda: None)
    with pytest.raises(PluginUnavailable, match=r"pip install 'croupier\[table\]'"):
        plugins.load(plugins.FACE_SEALERS, plugins.SEALER)


def test_the_trial_of_a_shoe_that_is_not_installed_says_what_to_install(
    installed: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.run(["doctor", "--shoe"]) == 2
    assert capsys.readouterr().err == "croupier: shoe_trial is not installed here: pip install 'croupier[table]'\n"


def test_a_camera_that_is_not_installed_says_what_to_install(installed: object, tmp_path: Path) -> None:
    with pytest.raises(BadConfigFile) as caught:
        read('[camera]\nsource = "phone:8443"\n')
    assert str(caught.value) == (
        "croupier.toml:2: [camera] source: phone is not installed here: pip install 'croupier[table]'"
    )
    with pytest.raises(PluginUnavailable, match=r"^phone is not installed here: pip install 'croupier\[table\]'"):
        check(tmp_path / "croupier.toml", {("camera", "source"): "phone"})


def _only_even(source: str) -> None:
    if int(source.partition(":")[2]) % 2:
        raise InvalidValue(f"{source}: expected an even number")


FRAMES: list[Frame] = []
EVEN = CameraKind(
    open=lambda section, clock: SimpleNamespace(frame=FRAMES.pop, now=clock, close=lambda: None),
    check=_only_even,
    patience_s=0.2,
)


def test_a_camera_of_a_plugin_is_checked_opened_and_watched(installed: dict[str, dict[str, EntryPoint]]) -> None:
    offer(installed, plugins.CAMERAS, "even", f"{HERE}:EVEN")
    with pytest.raises(BadConfigFile, match=r"croupier.toml:2: \[camera\] source: even:3: expected an even number"):
        read('[camera]\nsource = "even:3"\n')
    section = read('[camera]\nsource = "even:4"\n').camera
    frame = Frame(1.0, np.zeros((2, 2, 3), np.uint8))
    FRAMES[:] = [frame]
    camera = table_reader.camera(section)
    assert isinstance(camera, LiveCamera), "a camera that can be silent is watched"
    with closing(camera):
        assert camera.frame() is frame


def test_a_score_sheet_as_pdf_that_is_not_installed_says_what_to_install(
    installed: dict[str, dict[str, EntryPoint]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    offer(installed, plugins.COMMANDS, "score", "croupier_tally.score_commands:score_app")
    log, pdf = tmp_path / "game.jsonl", tmp_path / "score.pdf"
    log.write_text("\n".join(game_lines(3)), encoding="utf-8")
    assert main.run(["score", str(log), "--pdf", str(pdf)]) == 2
    assert capsys.readouterr().err == "croupier: score.pdf is not installed here: pip install 'croupier[table]'\n"
    assert not pdf.exists()


def test_a_page_without_plugins_offers_none_of_their_files_and_says_what_to_install(
    installed: dict[str, dict[str, EntryPoint]], tmp_path: Path
) -> None:
    with page(tmp_path, game_lines(3)) as up:
        client = up.client()
        for path in ("games/1", "games/1?at=9"):
            text = client.get(path).text
            assert "score.pdf" not in text
            assert "moment.png" not in text
            assert "clip" not in text
            assert "Show that again" not in text
        for name in ("score.pdf", "moment.png"):
            answer = client.get(f"games/1/{name}")
            assert answer.status_code == 501
            assert f"{name} is not installed here: pip install 'croupier[table]'" in unescape(answer.text)
        assert client.get("games/1/score.csv").status_code == 404
        offer(installed, plugins.DOCUMENTS, "score.csv", f"{HERE}:CSV")
        answer = client.get("games/1/score.csv?at=0")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8")
        assert answer.headers["content-disposition"] == "inline; filename=score-1.csv"
        assert answer.text == "0,4"


def as_csv(game: plugins.DrawnGame) -> bytes:
    return f"{game.moment.n},{len(game.story.accounts)}".encode()


CSV = plugins.Document("text/csv", as_csv)


class Bell(Section):
    """A bell that rings when somebody goes out."""

    pin: int = option(3, "The pin of the bell.", ge=0)


OPENED: list[tuple[Bell, ObservedTable]] = []


def open_bell(section: Bell, table: ObservedTable) -> object:
    OPENED.append((section, table))
    return SimpleNamespace(close=lambda finish_s: None) if section.pin else None


def test_a_section_of_a_plugin_is_checked_and_opens_its_observer(
    installed: dict[str, dict[str, EntryPoint]], tmp_path: Path
) -> None:
    offer(installed, plugins.SECTIONS, "bell", f"{HERE}:Bell")
    offer(installed, plugins.OBSERVERS, "bell", f"{HERE}:open_bell")
    with pytest.raises(BadConfigFile, match=r"croupier.toml:2: \[bell\] pin: -1: expected a whole number, 0 or more"):
        read("[bell]\npin = -1\n")
    with pytest.raises(BadConfigFile, match=r"\[bell\] pinn: unknown option: did you mean pin"):
        read("[bell]\npinn = 4\n")
    config = read('[bell]\npin = 4\n[table]\nname = "Club"\n', tmp_path / "croupier.toml")
    assert isinstance(config, Config)
    assert config.plugin_sections == {"bell": Bell(pin=4)}
    notifier = Notifier(config, Asking(), print)
    assert set(notifier.plugins) == {"bell"}
    assert [(one.pin, table.name, table.journal) for one, table in OPENED] == [(4, "Club", config.journal.file)]
    off = Notifier(read("[bell]\npin = 0\n"), Asking(), print)
    assert off.plugins == {}


def test_a_plugin_that_lacks_a_package_says_which(installed: dict[str, dict[str, EntryPoint]]) -> None:
    offer(installed, plugins.COMMANDS, "bell", "no_such_package.cli:app")
    with pytest.raises(PluginUnavailable, match="bell needs no_such_package, which is not installed: pip install bell"):
        plugins.load(plugins.COMMANDS, "bell")


def test_what_nobody_offers_is_named(installed: object) -> None:
    with pytest.raises(PluginUnavailable, match="no installed package offers bell"):
        plugins.load(plugins.OBSERVERS, "bell")


def test_the_statistics_without_their_library_say_what_to_install(
    journal_of_one_game: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "croupier_extras.statistics.figures", raising=False)
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    assert main.run(["stats", "--journal", str(journal_of_one_game)]) == 2
    needed = "openskill.models, which is not installed: pip install 'croupier-extras[statistics]'"
    assert capsys.readouterr().err == f"croupier: stats needs {needed}\n"


@pytest.fixture
def journal_of_one_game(tmp_path: Path) -> Path:
    with Journal(tmp_path / "croupier.journal") as writer:
        writer.add(game_lines(1), began=1.7e9)
    return tmp_path / "croupier.journal"


ASKED_BY_NAME = (plugins.COMMANDS, plugins.SECTIONS, plugins.CAMERAS, plugins.DOCUMENTS)
"""The groups of which people type a name, or find it in a file or an address."""


def test_the_program_knows_which_of_our_distributions_has_a_plugin() -> None:
    offered = {
        (group, name): distribution
        for distribution, project in DISTRIBUTIONS.items()
        for group, entries in project.get("entry-points", {}).items()
        for name in entries
    }
    known = {(group, name): it for group, names in plugins._DISTRIBUTIONS.items() for name, it in names.items()}
    assert known.items() <= offered.items()
    assert {one for one in offered if one[0] in ASKED_BY_NAME} <= set(known)
