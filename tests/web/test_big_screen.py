"""The big screen: what is shown at each moment, read from afar, without anything that jumps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ViewportSize, expect
from playwright.sync_api import Page as Tab

from croupier.game_views.agreements import changes
from croupier.game_views.big_screen import PLATE, STAGE_HEIGHT, WIDTH, BigScreen, plate_spot
from croupier.game_views.view import TableView
from croupier.journal import text_of
from croupier.table_api.live_table import Settings
from croupier.web.accounts import SPECTATOR, Person
from croupier.web.pages import Pages, Perspective
from tests.journal.games import game_lines
from tests.longer import some
from tests.web.chromium import needs_chromium
from tests.web.moments import MOMENTS, ended, log, visited
from tests.web.stories import story_of
from tests.web.tables import Page, page, reached

ROUND, GAME = game_lines(5, rounds=1, target=1), game_lines(5, rounds=3, target=150)
"""Games until somebody has won, of one round and of three."""

HD: ViewportSize = {"width": 1920, "height": 1080}
NEXT = text_of({**json.loads(log()[0]), "ruleset": "g7942-en+seven=swap", "options": {"target": 300, "deal": "winner"}})
"""The header of the next game, for which rules wait."""

BETWEEN = ("hands", "podium", "podium-10", "won-2", "free-4", "free-10")
"""The moments at which no round is played."""

SHOWN_MS, MENU_MS = 3000, 5000
LEAST_PX, MOST_BYTES = 28, 150_000
LONGEST = ("de", "el", "hu", "it", "pl")

WATCH = """
  window.jumps = []; window.motions = 0;
  const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      window.jumps.push([value, ...sources.map(({ node, previousRect, currentRect }) =>
        `${node?.nodeName} ${node?.className ?? node?.data}: ${place(previousRect)} -> ${place(currentRect)}`)]);
  }).observe({ type: "layout-shift", buffered: true });
  document.addEventListener("htmx:sse:after:message", (event) =>
    document.documentElement.setAttribute("data-seen", event.detail.message.id));
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...how) { window.motions++; return animate.apply(this, how); };
"""

HOLD_EVENTS = """
  const through = new Promise((done) => { window.letThrough = done; }), { fetch } = window;
  window.fetch = async (what, ...how) => {
    if (String(what.url ?? what).includes("/events?")) await through;
    return fetch(what, ...how);
  };
"""

FAULTS = """() => {
  const found = [], boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim(), holder = node.parentElement;
    if (!text || holder.closest("script, title, .card, .player-sign, .only-said, .to-main, .top, .foot")) continue;
    const style = getComputedStyle(holder), range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter((box) => box.width && box.height);
    if (!rects.length || style.visibility === "hidden") continue;
    for (const box of rects) {
      const above = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      if (!above || !(holder.contains(above) || above.contains(holder))) continue;
      if (parseFloat(style.fontSize) < LEAST) found.push(`${style.fontSize}: ${text}`);
      const isOff = box.x < 0 || box.right > innerWidth || box.y < 0 || box.bottom > innerHeight;
      if (isOff) found.push(`off the screen: ${text}`);
      const air = box.height * 0.2;
      boxes.push({ text, holder, left: box.x, right: box.right, top: box.y + air, bottom: box.bottom - air });
    }
    for (let one = holder; one && one.id !== "moment"; one = one.parentElement) {
      if (getComputedStyle(one).overflow === "visible" || one.tagName === "svg") continue;
      const isFull = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 6;
      if (isFull) found.push(`cut: ${text}`);
    }
  }
  for (const [i, one] of boxes.entries()) for (const two of boxes.slice(i + 1)) {
    if (one.holder === two.holder || one.left >= two.right || two.left >= one.right) continue;
    if (one.top < two.bottom && two.top < one.bottom) found.push(`${one.text} lies over ${two.text}`);
  }
  for (const card of document.querySelectorAll(".hands svg > g")) {
    const box = card.getBoundingClientRect();
    for (const one of boxes) {
      const isOver = one.left < box.right && box.left < one.right && one.top < box.bottom && box.top < one.bottom;
      if (isOver && !one.holder.closest(".hands svg")) found.push(`${one.text} lies over a card`);
    }
  }
  return [...new Set(found)];
}""".replace("LEAST", f"{LEAST_PX - 0.1}")


def shown(name: str) -> BigScreen:
    story = story_of(MOMENTS[name])
    return BigScreen(story, TableView(story))


def headline(name: str) -> str:
    return TableView(story_of(MOMENTS[name])).headline


# -- what is shown, without a browser ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", range(2, 11))
def test_the_plates_of_all_seats_find_room_beside_each_other(seats: int) -> None:
    spots = [plate_spot(seat, seats) for seat in range(seats)]
    for one in spots:
        assert PLATE[0] / 2 <= one.x <= WIDTH - PLATE[0] / 2
        assert PLATE[1] / 2 <= one.y <= STAGE_HEIGHT - PLATE[1] / 2
    for one, other in combinations(spots, 2):
        assert abs(one.x - other.x) >= PLATE[0] or abs(one.y - other.y) >= PLATE[1]
    assert (spots[0].x, spots[0].y) == (WIDTH / 2, STAGE_HEIGHT - PLATE[1] / 2)
    assert spots[1].x < spots[0].x or seats == 2, "the next seat sits to the left"


def test_the_last_three_cards_lie_below_the_top_card_and_a_refused_one_is_taken_back() -> None:
    screen = shown("refused")
    assert [card.face for card in screen.laid] == ["red-7", "red-3", "red-9"]
    assert screen.refused is not None
    assert screen.refused.face == "green-4"
    assert screen.is_refusal
    assert screen.laid_by is None


def test_what_is_undone_does_not_lie_on_the_pile() -> None:
    lines = log(*({"obs": "play", "card": face} for face in ("red-3", "red-9")), {"obs": "overrule", "undo": 1})
    story = story_of(lines)
    assert story.at(None).laid == ("red-7", "red-3")
    assert story.at(2).laid == ("red-7", "red-3", "red-9")


def test_who_has_to_answer_a_wild_draw_four_is_awaited_then_who_has_to_show_the_hand() -> None:
    asked, challenged = (TableView(story_of(MOMENTS[name])) for name in ("answer", "duel"))
    assert asked.headline == "Ann takes or challenges"
    assert [seat.is_on_turn for seat in asked.seats] == [True, False, False, False]
    assert challenged.headline == "Dan shows the hand"
    assert [seat.is_on_turn for seat in challenged.seats] == [False, False, False, True]


def test_a_challenge_is_a_duel_and_then_has_an_outcome() -> None:
    duel, verdict = shown("duel"), shown("verdict")
    assert (duel.scene, verdict.scene) == ("challenge", "verdict")
    assert duel.duel is not None
    assert verdict.duel is not None
    assert (duel.duel.accused, duel.duel.challenger, duel.duel.guilty) == ("Dan", "Ann", None)
    assert verdict.duel.guilty is True


@pytest.mark.parametrize(("later_s", "scene"), [(1.0, "uno"), (2.5, "uno"), (3.5, "")])
def test_an_uno_call_is_shown_for_three_seconds_also_if_the_game_goes_on(later_s: float, scene: str) -> None:
    called = log({"obs": "uno", "seat": 0}, given={"hands": [2, 4, 4, 4]})
    story = story_of([*called, text_of({"obs": "play", "t": 1.0 + later_s, "card": "red-3"})])
    screen = BigScreen(story, TableView(story))
    assert screen.scene == scene
    assert screen.uno == ("Ann" if scene else "")


@pytest.mark.parametrize(("phase", "scene"), [("pick", "seats"), ("deal", "seats"), ("upcard", "seats"), ("turn", "")])
def test_people_sit_down_before_play_also_while_a_device_is_missing(phase: str, scene: str) -> None:
    before = {"phase": phase} if phase == "turn" else {"phase": phase, "turn": None, "top": None, "hands": [0] * 4}
    story = story_of(log({"obs": "fault", "device": "pico", "kind": "gone"}, given=before))
    assert story.at(1).position["phase"] == "paused"
    assert BigScreen(story, TableView(story)).scene == scene


def test_hands_are_laid_open_one_after_the_other_and_then_points_are_counted() -> None:
    before, after = shown("hands"), shown("podium")
    assert headline("hands") == "Ann wins the round"
    assert [{card.face for card in hand.cards} == {"back"} for hand in before.hands] == [False, False, True, True]
    assert before.podium == ()
    assert all("back" not in {card.face for card in hand.cards} for hand in after.hands)
    (won,) = (hand for hand in after.hands if hand.points)
    assert won.name == "Ann"
    assert [(rank.place, rank.name) for rank in after.podium] == [(1, "Cat"), (2, "Ann"), (3, "Dan"), (4, "Ben")]
    assert won.points is not None
    assert after.podium[1].total == after.podium[1].before + won.points == won.total


def test_where_the_lowest_total_wins_it_stands_highest_and_equal_totals_share_a_step() -> None:
    lines = ended(4, scores=[90, 20, 20, 500])
    head = json.loads(lines[0]) | {"options": {"scoring": "lowest"}}
    story = story_of([text_of(head), *lines[1:]])
    ranks = BigScreen(story, TableView(story)).podium
    assert [rank.total for rank in ranks] == sorted(rank.total for rank in ranks)
    assert ranks[0].place == 1


def test_partners_have_the_total_of_their_team() -> None:
    story = story_of(log(teams=[[0, 2], [1, 3]], given={"scores": [120, 33]}))
    assert BigScreen(story, TableView(story)).totals == (120, 33, 120, 33)


def test_hands_are_hidden_while_the_round_is_played() -> None:
    lines = game_lines(5, rounds=1, open_hands=True)
    story, pages = story_of(lines), Pages(None)
    for n in range(len(lines) - 1):
        if not story.at(n).is_over:
            assert 'class="hands' not in pages.render_part(Perspective("board", 1, SPECTATOR), story, n)


@pytest.mark.parametrize(
    ("name", "room", "said"),
    [
        ("podium", 200, ["What does a 7 do?", "Who deals the next round?", "Points that end the game"]),
        ("free-4", 200, ["What does a 7 do?", "Who deals the next round?", "Points that end the game"]),
        ("podium", 75, ["What does a 7 do?", ""]),
        ("turn-4", 200, []),
        ("duel", 200, []),
    ],
)
def test_what_changes_with_the_next_game_is_said_while_no_round_is_played(
    name: str, room: int, said: list[str]
) -> None:
    story = story_of(MOMENTS[name])
    pending = changes(story.header, NEXT)
    assert [what for what, _ in shown(name).later(pending, ["x" * (200 - room)])] == said


def test_as_many_sentences_are_said_as_there_is_room_for() -> None:
    head, *lines = MOMENTS["verdict"]
    story = story_of([text_of(json.loads(head) | {"seats": ["Ann " * 15, "Ben", "Cat", "Dan " * 15]}), *lines])
    said = BigScreen(story, TableView(story)).ruling
    assert said.startswith("Ann")
    assert said.endswith("held a card of that color.")


# -- in a browser -----------------------------------------------------------------------------------------------------


@contextmanager
def screen(
    browser: Browser, folder: Path, lines: list[str], *, reach: bool = False, **how: Any
) -> Iterator[tuple[Tab, Page]]:
    """The big screen of a live game, in its first second."""
    folder.mkdir(exist_ok=True)
    with (
        reached() if reach else nullcontext(),
        page(folder, tuple(lines)) as up,
        browser.new_context(base_url=up.server.url, **({"viewport": HD} | how)) as context,
    ):
        context.add_init_script(WATCH)
        tab = context.new_page()
        complaints: list[str] = []
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        yield tab, up
        assert complaints == []


def follow(tab: Tab, up: Page) -> None:
    tab.goto("games/1/board", wait_until="domcontentloaded")
    expect(tab.locator("html")).to_have_attribute("data-seen", str(up.last_line()))


def write(tab: Tab, up: Page, line: str) -> None:
    """Go on by a line, and wait until it is shown."""
    up.write(line)
    expect(tab.locator("html")).to_have_attribute("data-seen", str(up.last_line()))


@pytest.mark.slow
@needs_chromium
@pytest.mark.long
@pytest.mark.parametrize("game", [pytest.param(ROUND, id="a-round"), pytest.param(GAME, id="three-rounds")])
def test_nothing_jumps_nothing_is_cut_and_all_is_read_from_afar_for_a_whole_game(
    browser: Browser, tmp_path: Path, game: list[str]
) -> None:
    with screen(browser, tmp_path, [*game[:1]]) as (tab, up):
        follow(tab, up)
        tab.evaluate("document.body.classList.add('is-still')")
        for n, line in enumerate(game[1:]):
            write(tab, up, line)
            if n % 8 == 0 or n > len(game) - 8:
                assert tab.evaluate(FAULTS) == []
        expect(tab.locator(".headline")).to_contain_text("has won the game")
        expect(tab.locator(".podium li")).to_have_count(3)
        assert tab.evaluate("window.motions") > 0
        assert tab.evaluate("window.jumps") == []


@pytest.mark.slow
@needs_chromium
@pytest.mark.long
def test_all_is_said_without_motion_to_who_wants_none(browser: Browser, tmp_path: Path) -> None:
    with screen(browser, tmp_path, [*ROUND[:20]], reduced_motion="reduce") as (tab, up):
        follow(tab, up)
        for line in ROUND[20:]:
            write(tab, up, line)
            assert tab.evaluate("document.getAnimations().length") == 0
        assert tab.evaluate("window.motions") == 0
        totals = tab.locator(".podium [data-runs]").all()
        assert all(total.inner_text() == str(total.get_attribute("data-runs")).split()[1] for total in totals)


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_cards_fly_to_who_draws_and_a_newer_state_ends_all_motion(browser: Browser, tmp_path: Path) -> None:
    drawing = [{"obs": "drew", "t": 1.0, "seat": 0, "n": 1}, {"obs": "pass", "t": 2.0, "seat": 0}]
    with screen(browser, tmp_path, log()) as (tab, up):
        follow(tab, up)
        tab.evaluate(
            "Element.prototype.animate = () => ({ cancel() { this.oncancel?.() } })"
        )  # a motion that does not end
        write(tab, up, text_of(drawing[0]))
        expect(tab.locator("#flights use")).to_have_count(1)
        expect(tab.locator("[data-seat='0'] .count b")).to_have_text("8")
        write(tab, up, text_of(drawing[1]))
        expect(tab.locator("#flights use")).to_have_count(0)


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_points_run_up_to_what_was_counted(browser: Browser, tmp_path: Path) -> None:
    lines = MOMENTS["podium"]
    with screen(browser, tmp_path, lines[:-1]) as (tab, up):
        follow(tab, up)
        expect(tab.locator(".podium")).to_have_count(0)
        tab.wait_for_load_state("load")  # a slow machine shows the open hands one by one while it loads the page
        tab.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window.jumps = []))))")
        write(tab, up, lines[-1])
        expect(tab.locator(".step-2 [data-runs]")).to_have_text(str(shown("podium").podium[1].total))
        assert tab.evaluate("window.jumps") == []


def hold_clock(tab: Tab) -> None:
    """Open the board with a clock that goes on when it is told. Its fonts are there: what is shown waits for them, and
    then for frames, which a clock that stands still does not bring."""
    tab.clock.install(time=0)
    tab.clock.pause_at(1000)
    tab.goto("games/1/board", wait_until="domcontentloaded")
    tab.evaluate("document.fonts.ready")


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("name", some(["uno", "verdict"], 2))
def test_what_happened_is_shown_large_and_goes_by_itself(browser: Browser, tmp_path: Path, name: str) -> None:
    with screen(browser, tmp_path, MOMENTS[name]) as (tab, _up):
        hold_clock(tab)
        large = tab.locator(".banner" if name == "uno" else ".duel")
        expect(large).to_contain_text("Ann")
        box = large.bounding_box()
        assert box is not None
        assert box["width"] >= (1920 if name == "uno" else 1600)
        tab.clock.run_for(SHOWN_MS - 100)
        expect(large).to_be_visible()
        tab.clock.run_for(200)
        expect(large).not_to_be_visible()


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("shown_ms", [SHOWN_MS - 100, SHOWN_MS + 100])
def test_what_has_been_shown_is_not_shown_anew_when_the_page_connects(
    browser: Browser, tmp_path: Path, shown_ms: int
) -> None:
    with screen(browser, tmp_path, MOMENTS["verdict"]) as (tab, up):
        tab.add_init_script(HOLD_EVENTS)
        hold_clock(tab)
        tab.clock.run_for(shown_ms)
        assert tab.locator(".duel").is_visible() == (shown_ms < SHOWN_MS)
        tab.evaluate("letThrough()")
        expect(tab.locator("html")).to_have_attribute("data-seen", str(up.last_line()))
        tab.clock.run_for(2 * SHOWN_MS - shown_ms - 100)
        expect(tab.locator(".duel")).not_to_be_visible()


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_the_menu_goes_when_nobody_touches_anything_and_comes_back(browser: Browser, tmp_path: Path) -> None:
    with screen(browser, tmp_path, MOMENTS["turn-4"]) as (tab, _up):
        hold_clock(tab)
        menu = tab.get_by_role("navigation", name="Pages")
        expect(menu).not_to_be_visible()
        tab.evaluate("document.dispatchEvent(new PointerEvent('pointermove'))")  # of a pointer that rests
        expect(menu).not_to_be_visible()
        tab.mouse.move(50, 50)
        expect(menu).to_be_visible()
        tab.clock.run_for(MENU_MS + 100)
        expect(menu).not_to_be_visible()
        tab.keyboard.press("Tab")
        expect(menu).to_be_visible()


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_the_top_card_is_four_tenths_of_the_height_on_every_screen(browser: Browser, tmp_path: Path) -> None:
    with screen(browser, tmp_path, MOMENTS["turn-4"]) as (tab, _up):
        for width, height in ((1280, 720), (1920, 1080), (3840, 2160)):
            tab.set_viewport_size({"width": width, "height": height})
            tab.goto("games/1/board", wait_until="domcontentloaded")
            box = tab.locator("#top .paper").bounding_box()
            assert box is not None
            assert box["height"] == pytest.approx(0.41 * height, rel=0.04)
            for seat in tab.locator(".plate .count b").all():
                place = seat.bounding_box()
                assert place is not None
                assert 0.055 * height <= place["height"]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A site with the games of all `MOMENTS`, each of which may be the live one."""
    with ExitStack() as stack:
        with reached():
            made = stack.enter_context(page(tmp_path_factory.mktemp("moments"), *map(tuple, MOMENTS.values())))
        made.table.settings = Settings((), (), (), NEXT, "")
        yield made


@needs_chromium
@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_at_any_moment(browser: Browser, stopped: Page, scheme: Literal["light", "dark"]) -> None:
    stopped.table.alarms = (("camera", "dark"),)
    how: dict[str, Any] = {"color_scheme": scheme, "reduced_motion": "reduce"}
    with browser.new_context(base_url=stopped.server.url, viewport=HD, **how) as context:
        tab = context.new_page()
        for name in visited(tab, stopped, tuple(MOMENTS)):
            found = Axe().run(tab)
            assert found.violations_count == 0, f"{name}: {found.generate_report()}"


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("code", [*LONGEST, "en"])
@pytest.mark.long
def test_the_longest_words_find_room_at_every_moment(browser: Browser, stopped: Page, code: str) -> None:
    stopped.table.alarms = (("camera", "dark"),)
    how: dict[str, Any] = {"locale": code, "reduced_motion": "reduce"}
    with browser.new_context(base_url=stopped.server.url, viewport=HD, **how) as context:
        tab = context.new_page()
        for name in visited(tab, stopped):
            assert tab.locator("html").get_attribute("lang") == code
            assert tab.evaluate(FAULTS) == [], name
            assert tab.locator(".later").count() == (name in BETWEEN)


def paired(tab: Tab, up: Page) -> None:
    """The browser is the screen in the room, which may show the codes of seats."""
    up.accounts.open("wall", Person("screen"))
    tab.context.add_cookies([{"name": "croupier", "value": "wall", "url": up.server.url}])


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_it_is_small_and_shows_a_code_for_each_free_seat_also_in_play(browser: Browser, tmp_path: Path) -> None:
    with screen(browser, tmp_path, MOMENTS["free-10"], reach=True) as (tab, up):
        paired(tab, up)
        sizes: list[int] = []
        tab.on(
            "response",
            lambda answer: sizes.append(0 if "/events" in answer.url else answer.request.sizes()["responseBodySize"]),
        )
        tab.goto("games/1/board", wait_until="load")
        expect(tab.locator(".invitations .qr svg")).to_have_count(10)
        for code in tab.locator(".invitations .qr").all():
            box = code.bounding_box()
            assert box is not None
            assert box["width"] >= 180, "read by a phone that stands before the screen"
        assert sum(sizes) <= MOST_BYTES
    with screen(browser, tmp_path / "play", MOMENTS["free-in-play"], reach=True) as (tab, up):
        paired(tab, up)
        follow(tab, up)
        expect(tab.locator(".plate .qr svg")).to_have_count(4)
        up.accounts.open("phone", Person("player", 2), "Cleo")
        up.server.ring()
        expect(tab.locator(".plate .qr svg")).to_have_count(3)


@pytest.mark.slow
@needs_chromium
def test_without_a_script_all_is_there(browser: Browser, tmp_path: Path) -> None:
    with screen(browser, tmp_path, MOMENTS["refused"], java_script_enabled=False) as (tab, _up):
        tab.goto("games/1/board", wait_until="domcontentloaded")
        assert tab.locator(".plate .name").all_inner_texts() == ["Ann", "Ben", "Cat", "Dan"]
        assert tab.locator(".plate .count b").all_inner_texts() == ["6", "3", "11", "3"]
        assert tab.locator(".plate .state").all_inner_texts() == ["120 points", "0 points", "480 points", "33 points"]
        expect(tab.locator(".tile")).to_have_text("blue")
        expect(tab.get_by_role("img", name="blue 9", exact=True)).to_be_visible()
        expect(tab.locator(".refusal")).to_contain_text("✕ Dan may not play green 4")
        expect(tab.locator("#way")).to_contain_text("to the left")
