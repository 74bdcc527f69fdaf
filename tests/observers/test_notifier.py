"""Voice, house and other programs, as croupier.toml has them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from croupier.config import read
from croupier.devices.protocols import Ask
from croupier.events import Observer
from croupier.journal import Journal
from croupier.observers import ObservedGame, TableObserver
from croupier.observers.notifier import Notifier
from croupier.runtime.session import begin, resume
from croupier_extras.errors import MqttUnavailable, WebhooksUnavailable
from croupier_extras.home_automation import HomeAutomation
from croupier_extras.home_automation.home_assistant import RoundCounter
from croupier_extras.voice.plugin import Voice
from croupier_extras.webhooks import WebhookObserver
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import RoundOver
from tests.journal.games import game_lines
from tests.observers.replayed import Asking, header_of, replayed

LINES = game_lines(5, rounds=2)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path / "croupier.journal")
    yield made
    made.close()


def notifier(text: str, lines: SimpleQueue[str] | None = None) -> Notifier:
    return Notifier(read(text), Asking(), (lines or SimpleQueue()).put)


def begin_game(notifier: Notifier, journal: Journal) -> list[Observer]:
    kept = begin(journal, header_of(LINES), now=0.0)
    return notifier.begin(ObservedGame(kept.header, kept.game, kept.past, kept.referee.state()))


def test_a_table_without_configuration_has_a_voice_that_says_nothing(journal: Journal) -> None:
    nobody = notifier("")
    (voice,) = begin_game(nobody, journal)
    assert isinstance(voice, Voice)
    assert voice.state is None
    nobody.close()


class Failing(TableObserver):
    def ask(self, ask: Ask) -> None:
        raise ValueError("no bell")


def test_an_observer_that_fails_when_people_are_asked_is_reported_and_they_are_asked() -> None:
    lines: SimpleQueue[str] = SimpleQueue()
    page = Asking()
    hall = Notifier(read(""), page, lines.put)
    hall.plugins["bell"] = Failing()
    hall.ask(Ask("turn", seat=1))
    assert page.asked == [Ask("turn", seat=1)]
    assert lines.get_nowait() == "bell: ValueError: no bell"
    hall.close()


def test_each_game_has_all_configured_observers(journal: Journal) -> None:
    hall = notifier(
        '[voice]\non = true\nprogram = "none"\nspeech = false\n'
        '[mqtt]\nhost = "127.0.0.1"\nport = 9\n[[webhooks]]\nurl = "http://127.0.0.1:9"\n'
    )
    for _ in range(2):
        voice, home, webhooks = begin_game(hall, journal)
        assert isinstance(voice, Voice)
        assert isinstance(home, HomeAutomation)
        assert isinstance(webhooks, WebhookObserver)
    hall.close()


def test_a_game_that_is_gone_on_with_goes_on_in_its_round_and_at_its_ruling(journal: Journal) -> None:
    kept = begin(journal, header_of(LINES), now=0.0)
    counted = overs = 0

    def count(told: Any, rulings: Any, position: Position) -> None:
        nonlocal counted, overs
        counted += len(rulings)
        overs += any(isinstance(ruling, RoundOver) for ruling in rulings)

    told = iter(LINES[1:])
    for _ in replayed(LINES, count):
        journal.append(kept.game, json.loads(next(told)))
        if overs == 2:
            break
    again = resume(journal)
    assert again is not None
    assert RoundCounter(again.past).number == 2
    assert sum(len(step.rulings) for step in again.past) == counted


def test_home_automation_that_is_not_installed_is_reported_with_the_way_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "croupier_extras.home_automation.mqtt", raising=False)
    monkeypatch.setitem(sys.modules, "paho.mqtt.client", None)
    with pytest.raises(
        MqttUnavailable,
        match=r"^\[mqtt\] needs paho.mqtt.client: install croupier with its extra mqtt: make -C .* setup$",
    ):
        notifier('[mqtt]\nhost = "house"\n')


def test_webhooks_that_are_not_installed_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "croupier_extras.webhooks.sending", raising=False)
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(
        WebhooksUnavailable,
        match=r"^\[\[webhooks\]\] needs httpx: install croupier with its extra webhooks: make -C .* setup$",
    ):
        notifier('[[webhooks]]\nurl = "http://127.0.0.1:9"\n')
