"""Everything that can be pressed on the page, pressed in a real browser: what reaches the table by it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import pytest
from playwright.sync_api import Browser, BrowserContext
from playwright.sync_api import Page as Tab

from croupier.commands import (
    ChooseDealer,
    Command,
    CountFedCards,
    DiscardCards,
    LayCard,
    MakeHouseRule,
    NameCard,
    PluginOrder,
    PressKey,
    ProvokeFault,
    ShowCards,
    StartGame,
    SwapHands,
)
from croupier.journal import text_of
from croupier.web.accounts import Person
from croupier_extras.voice.cues import Loudness
from croupier_rules.referee.corrections import ChangePlayers, OfMoment, Report, SetTo, TopIs, Undo, Was
from tests.journal.games import game_lines
from tests.longer import some
from tests.web.chromium import needs_chromium
from tests.web.tables import Page, page

pytestmark = [pytest.mark.slow, needs_chromium]

PLAYER, REFEREE = Person("player", 1), Person("referee")
HEADER = json.loads(game_lines(1)[0])
TURN = {"phase": "turn", "top": "red-7", "turn": 1}
RULES = {"ruleset": "house-rules-pl"}
WILD = {"obs": "play", "t": 1.0, "seat": 1, "card": "wild"}
DRAW_FOUR = ({"obs": "play", "t": 1.0, "seat": 1, "card": "wild-draw4"}, {"obs": "color", "t": 2.0, "color": "red"})
UNO = {"obs": "uno", "t": 1.0, "seat": 1}
UNREAD = ({"obs": "play", "t": 1.0, "seat": 1, "card": "?"}, {"obs": "play", "t": 2.0, "seat": 2, "card": "red-5"})


@dataclass(frozen=True)
class Action:
    """``given`` and ``lines``: where the game stands; ``taps``: buttons and what is opened, chosen (``(choice)``) or
    filled in (``label=value``) before them, by their names; ``command``: what reaches the table, or its kind."""

    taps: tuple[str, ...]
    command: Command | type[Command]
    given: Mapping[str, Any] = field(default_factory=lambda: TURN)
    lines: tuple[Mapping[str, Any], ...] = ()
    person: Person = PLAYER
    path: str = "/seats/1"
    header: Mapping[str, Any] = field(default_factory=dict)
    table: Mapping[str, Any] = field(default_factory=dict)


def _table(*taps: str, command: Command | type[Command], **more: Any) -> Action:
    return Action(taps, command, path="", **more)


BLIND = {"has_camera": False}
LOUD, MUTED = ({"plugins": (("voice", Loudness(80, muted=is_muted)),)} for is_muted in (False, True))
AWAY = {"out": [1], "hands": [5, 0, 5, 5], "turn": 2}
ACTIONS = {
    "uno": Action(("UNO!",), PressKey(1, "uno")),
    "draw": Action(("Draw a card",), PressKey(1, "draw")),
    "pass": Action(("Pass",), PressKey(1, "pass"), lines=({"obs": "drew", "t": 1.0, "seat": 1, "n": 1},)),
    "red": Action(("red",), PressKey(1, "red"), lines=(WILD,)),
    "yellow": Action(("yellow",), PressKey(1, "yellow"), lines=(WILD,)),
    "green": Action(("green",), PressKey(1, "green"), lines=(WILD,)),
    "blue": Action(("blue",), PressKey(1, "blue"), lines=(WILD,)),
    "take": Action(("Take the cards",), PressKey(2, "accept"), lines=DRAW_FOUR, person=REFEREE, path="/seats/2"),
    "challenge": Action(("Challenge",), PressKey(2, "challenge"), lines=DRAW_FOUR, person=REFEREE, path="/seats/2"),
    "take the stack": Action(
        ("Take 4 cards",), PressKey(1, "accept"), header={"ruleset": "g7942-en+stacking"},
        given=TURN | {"phase": "stack", "top": "red-draw2", "stack": 4},
    ),
    "challenge on a stack": Action(
        ("Challenge",), PressKey(1, "challenge"), header={"ruleset": "g7942-en+stacking"},
        given=TURN | {"turn": 0, "top": "red-3"}, lines=tuple({**one, "seat": 0} for one in DRAW_FOUR),
    ),
    "draw on": Action(
        ("Draw a card",), PressKey(1, "draw"), header={"ruleset": "g7942-en+turn.must_draw=until-it-fits"},
        lines=({"obs": "drew", "t": 1.0, "seat": 1, "n": 1},),
    ),
    "swap": Action(
        ("Swap with Player 3 7 cards",), SwapHands(3, 1), header={"ruleset": "g7942-en+seven-zero"},
        given=TURN | {"phase": "swap"},
    ),
    "under": Action(
        ("Other cards of the color that lie under it=3", "Confirm"), DiscardCards(3, 1),
        header={"ruleset": "no-mercy-en"}, given=TURN | {"phase": "discard", "top": "red-discard-all"},
    ),
    "turn up": Action(
        ("Draw a card",), PressKey(1, "draw"), header={"ruleset": "no-mercy-en"},
        given=TURN | {"phase": "roulette", "top": "wild-roulette", "color": "red"},
    ),
    "jump in": Action(
        ("red 7",), LayCard("red-7", 1), table=BLIND,
        header={"ruleset": "g7942-en+jump-in"}, given=TURN | {"turn": 3},
    ),
    "go": Action(("Go on",), PressKey(1, "go"), given={"phase": "round_over", "hands": [0, 5, 5, 5]}),
    "acted": Action(
        ("Done!",), PressKey(1, "acted"), given=TURN | {"house_rules": {"5": "Clap."}}, header=RULES,
        lines=({"obs": "play", "t": 1.0, "seat": 1, "card": "red-5"},),
    ),
    "decline": Action(
        ("Make no rule",), PressKey(1, "decline"), header=RULES, given=TURN | {"top": "red-3"},
        lines=({"obs": "play", "t": 1.0, "seat": 1, "card": "red-7*"},),
    ),
    "rule": Action(
        ("What everybody has to do=Clap.", "Make the rule"), MakeHouseRule(1, 7, "Clap."), header=RULES,
        given=TURN | {"top": "red-3"}, lines=({"obs": "play", "t": 1.0, "seat": 1, "card": "red-7*"},),
    ),
    "i deal": Action(("I deal",), ChooseDealer(1), given={"phase": "pick"}, header={"dealer": None}),
    "laid": Action(
        ("(red)", "5"), LayCard("red-5", 1), table=BLIND,
    ),
    "laid with the icon": Action(
        ("(red)", "(with the Add-a-Rule icon)", "5"), LayCard("red-5*", 1), table=BLIND,
        header=RULES,
    ),
    "laid without a color": Action(
        ("(no color)", "Wild Draw Four"), LayCard("wild-draw4", 1), table=BLIND,
    ),
    "turned up": Action(
        ("(green)", "Skip"), LayCard("green-skip"), table=BLIND, given={"phase": "upcard"},
    ),
    "opened": Action(
        ("(red)", "1", "(green)", "3", "✕ green 3", "(blue)", "2", "I lay my hand open"),
        ShowCards(1, ("red-1", "blue-2")), table=BLIND,
        given=TURN | {"turn": 0, "hands": [1, 2, 5, 5]}, lines=({"obs": "play", "t": 1.0, "card": "red-5"},),
    ),
    "my hand": Action(
        ("This is my hand",), PressKey(1, "open"), given=TURN | {"turn": 2, "hands": [5, 2, 1, 5], "called": [2]},
        lines=({"obs": "play", "t": 1.0, "card": "red-5"},),
    ),
    "candidate": _table(
        "red 9 Then: Player 1’s turn", command=NameCard("red-9"), table={"candidates": ("red-6", "red-9")}
    ),
    "no candidate": _table(
        "Player 2’s red 5 is really …", "(green)", "4", command=NameCard("green-4"), person=REFEREE, lines=UNREAD[1:]
    ),
    "unread": _table("(red)", "1", command=Was, lines=UNREAD),
    "who deals": _table("Player 3 deals", command=ChooseDealer(3), given={"phase": "pick"}, header={"dealer": None}),
    "counted": _table(
        "How many of the cards came out?=3", "Confirm", command=CountFedCards(3),
        table={"alarms": (("shoe", "job-in-doubt"),)}
    ),
    "undo": _table("Undo: Player 1 presses UNO.", command=Undo, lines=(UNO,)),
    "stop": _table("Stop play", command=PressKey(0, "pause"), person=REFEREE),
    "go on": _table("Go on", command=PressKey(0, "go"), person=REFEREE),
    "fault": _table("Provoke a fault", "Fault: jam", command=ProvokeFault("jam"), person=REFEREE),
    "otherwise": _table(
        "Why?", "This is wrong: Player 1 presses UNO.", "That did not happen", "Correct", command=Was, lines=(UNO,),
        person=REFEREE,
    ),
    "another card": _table(
        "Why?", "This is wrong: Player 1 plays red 5.", "(blue)", "7", "Correct",
        command=Was, lines=({"obs": "play", "t": 1.0, "seat": 1, "card": "red-5"},), person=REFEREE,
    ),
    "for another": _table("Press for someone else", "Player 2", "UNO!", command=PressKey(2, "uno"), person=REFEREE),
    "my keys": _table("My keys", "UNO!", command=PressKey(1, "uno")),
    "mute": _table("Mute the table", command=PluginOrder("voice", "80 muted"), table=LOUD),
    "unmute": _table(
        "Unmute the table", command=PluginOrder("voice", "80"), table=MUTED
    ),
    "softer": _table("Quieter", command=PluginOrder("voice", "60"), table=LOUD),
    "louder": _table("Louder", command=PluginOrder("voice", "100"), table=LOUD),
    "another game": _table(
        "New game", "Seat 1=Zoe", "Preview the game", "Begin", command=StartGame, person=REFEREE,
        given={"phase": "game_over"}, table={"may_start_game": True},
    ),
    "leave": Action(("Leave or change seats", "I leave the game"), ChangePlayers("leave", 1)),
    "change seats": Action(
        ("Leave or change seats", "Swap seats with Player 3"), ChangePlayers("swap", 1, 3)
    ),
    "come back": Action(("I play again",), ChangePlayers("join", 1), given=AWAY),
    "another leaves": _table(
        "Players come, go or change seats", "Player 2 leaves", command=ChangePlayers("leave", 2), person=REFEREE
    ),
    "another comes back": _table(
        "Players come, go or change seats", "Player 1 comes back", command=ChangePlayers("join", 1), person=REFEREE,
        given=AWAY,
    ),
    "a new player": _table(
        "Players come, go or change seats", "New player at seat 2=Zoe", "Join",
        command=ChangePlayers("join", 1, name="Zoe"), person=REFEREE, given=AWAY,
    ),
    "others change seats": _table(
        "Players come, go or change seats", "Swaps seats with=Player 3", "Swap seats",
        command=ChangePlayers("swap", 0, 3), person=REFEREE,
    ),
    "undo a change": _table(
        "Undo: Player 1 leaves the game.", command=Undo, person=REFEREE,
        lines=({"obs": "overrule", "t": 1.0, "player": {"does": "leave", "seat": 1},
                "set": {"out": [1], "hands": [7, 0, 7, 7], "draw_pile": 86, "turn": 2}},),
    ),
    "record: undo": Action(
        ("Undo: Player 1 presses UNO.", "Correct"), Undo, lines=(UNO,), person=REFEREE, path="/record"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    games = [
        (text_of(HEADER | action.header | {"given": action.given}), *map(text_of, action.lines))
        for action in ACTIONS.values()
    ]
    with page(tmp_path_factory.mktemp("actions"), *games) as made:
        yield made


@pytest.fixture(scope="module")
def people(browser: Browser, up: Page) -> Mapping[Person, BrowserContext]:
    """A browser of each, who has come in."""
    made = {}
    for person in (PLAYER, REFEREE):
        made[person] = browser.new_context(base_url=up.server.url)
        with made[person].new_page() as tab:
            come_in(tab, up.accounts.new_code(person))
    return made


@pytest.mark.parametrize("name", some(ACTIONS, 10))
def test_what_is_pressed_reaches_the_table(up: Page, people: Mapping[Person, BrowserContext], name: str) -> None:
    action, table = ACTIONS[name], up.table
    table.game = 1 + list(ACTIONS).index(name)
    usual = {"has_camera": True, "candidates": (), "alarms": (), "plugins": (), "may_start_game": False}
    for what, value in (usual | dict(action.table)).items():
        setattr(table, what, value)
    table.commands.clear()
    with people[action.person].new_page() as tab:  # a page of its own: the answer may still lead the last one elsewhere
        tab.goto(f"/games/{table.game}{action.path}")
        for label in action.taps[:-1]:
            tap(tab, label)
        with tab.expect_response(lambda answer: answer.request.method == "POST") as answer:
            tap(tab, action.taps[-1])
        assert answer.value.status in (204, 303)
    (command,), wanted = table.commands, action.command
    if isinstance(command, OfMoment):
        assert command.line == up.last_line(table.game)
        command = replace(command, line=None)
    assert (type(command) if isinstance(wanted, type) else command) == wanted


@pytest.mark.long
def test_people_come_and_go_and_each_reads_his_own_language(browser: Browser, up: Page) -> None:
    up.table.game = 1
    tab = browser.new_context(base_url=up.server.url).new_page()
    come_in(tab, up.accounts.new_code(Person("admin")))
    tap(tab, "More")
    tap(tab, "Players")
    tap(tab, "Code for Player 2")
    code = tab.locator(".code").inner_text()
    tap(tab, "More")
    tap(tab, "Log out (admin)")
    tap(tab, "Log in")
    tab.wait_for_url("**/login")
    come_in(tab, code)
    tab.wait_for_url("**/games/1/seats/2")
    tap(tab, "Deutsch")
    tap(tab, "Tisch")
    tap(tab, "Meine Tasten")
    tab.wait_for_url("**/games/1/seats/2")


@pytest.mark.long
def test_what_leads_elsewhere_leads_there(up: Page, people: Mapping[Person, BrowserContext]) -> None:
    tab = people[PLAYER].new_page()
    up.table.game = 1 + list(ACTIONS).index("take")  # of which something was told
    game = f"/games/{up.table.game}"
    for name, path in {
        "Table": "",
        "Big screen": "/board",
        "Croupier": "/seats/1",
        "Replay": "?at=0",
        "Now": "",
    }.items():
        tab.goto(f"{game}?at=0" if name == "Now" else game)
        tap(tab, name)
        tab.wait_for_url(f"**{game}{path}")
    tab.goto("/games")
    other = next(n for n, one in enumerate(ACTIONS.values(), start=1) if one.lines and n != up.table.game)
    tap(tab, f"Replay game {other}")
    tab.wait_for_url(f"**/games/{other}?at=0")
    tab.goto(game)
    with tab.expect_download() as download:
        tap(tab, "Table log")
    assert download.value.suggested_filename == f"game-{up.table.game}.jsonl"


def test_no_command_of_the_page_was_left_out() -> None:
    wanted = [action.command for action in ACTIONS.values()]
    kinds = {one if isinstance(one, type) else type(one) for one in wanted}
    assert kinds == set(get_args(Command)) - {SetTo, Report, TopIs}  # their forms: test_recording


def come_in(tab: Tab, code: str) -> None:
    tab.goto("/login")
    tab.get_by_label("Your code").fill(code)
    tab.get_by_role("button", name="Log in").click()
    tab.wait_for_url("**/games/1**")


def tap(tab: Tab, what: str) -> None:
    """Press what is called so, choose it (``(choice)``), or fill it in (``label=value``)."""
    if what.startswith("("):
        name = what.strip("()")
        tab.get_by_role("radio", name=name, exact=True).or_(tab.get_by_role("checkbox", name=name, exact=True)).check()
        return
    label, is_filled, value = what.partition("=")
    if is_filled:
        one = tab.get_by_label(label).first
        if one.evaluate("it => it.tagName") == "SELECT":
            one.select_option(value)
        else:
            one.fill(value)
        return
    button = tab.get_by_role("button", name=what, exact=True).or_(tab.get_by_role("link", name=what, exact=True))
    button.or_(tab.locator("summary", has_text=what)).filter(visible=True).first.click()
