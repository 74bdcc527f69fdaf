"""`make pictures`: the pictures of the documents: a hand scored on the page, a demo round as an animation, the table.
And into out/pictures, to be looked at: the big screen at all its moments, on all screens; replay and overlay; the
question who plays, and a score sheet step by step.
And into tests/web/pictures: small pictures of main pages, with which `tests/web/test_looks.py` compares them.

Nothing in them is a photograph.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import cv2
import httpx
import numpy as np
import numpy.typing as npt
from playwright.sync_api import Browser, ViewportSize, sync_playwright

from croupier.cli import main as croupier
from croupier.journal import text_of
from croupier.names import seat_names
from croupier.web.accounts import Person
from croupier_extras.statistics.people import PeopleFile
from croupier_sim.drawing import STYLES, card_mask, draw_face
from croupier_tally.page.serving import serve_scores
from croupier_tally.score_sheet import ScoreSheet, new_sheet
from tests.journal.games import game_lines
from tests.web.looks import draw_all
from tests.web.moments import MOMENTS, visited
from tests.web.tables import page, reached
from tools.lock import ROOT

DOCS: Final = ROOT / "docs"
SEEN: Final = ROOT / "out" / "pictures"
HAND: Final = ("red-7", "wild-draw4", "blue-skip", "green-9", "yellow-reverse")
GROUND: Final = (74, 104, 132)
_PHONE: Final[ViewportSize] = {"width": 390, "height": 640}
_SCREEN: Final[ViewportSize] = {"width": 1000, "height": 600}
_FRAMES: Final = 12
_FRAME_MS: Final = 900
_CARD: Final = (240, 377)
_HD: Final[ViewportSize] = {"width": 1920, "height": 1080}
_SOME: Final = ("turn-10", "refused", "verdict", "podium", "free-4")
_LOOKS: Final[list[tuple[str, ViewportSize, dict[str, Any], tuple[str, ...]]]] = [
    ("light", _HD, {"color_scheme": "light"}, tuple(MOMENTS)),
    ("dark", _HD, {"color_scheme": "dark"}, tuple(MOMENTS)),
    ("720p", {"width": 1280, "height": 720}, {}, _SOME),
    ("4k", {"width": 3840, "height": 2160}, {"color_scheme": "dark"}, _SOME),
    ("tablet", {"width": 1024, "height": 768}, {}, _SOME),
    *((code, _HD, {"locale": code}, _SOME) for code in ("de", "el", "hu")),
]
"""How the big screen is looked at: label, size, other settings of the browser, and the moments."""
_REPLAYS: Final[list[tuple[str, ViewportSize, dict[str, Any]]]] = [
    ("light", _HD, {"color_scheme": "light"}),
    ("phone", {"width": 390, "height": 844}, {"color_scheme": "dark", "locale": "de"}),
    ("tablet", {"width": 1024, "height": 768}, {"locale": "el"}),
    ("4k", {"width": 3840, "height": 2160}, {"locale": "hu"}),
]
"""How replay and overlay are looked at: label, size, other settings of the browser."""
_PEOPLE: Final = (
    "Ágnes",
    "Bertalan",
    "Csilla",
    "Dorottya",
    "Erzsébet",
    "Ferenc",
    "Gáspár",
    "Hajnalka",
    "Ibolya",
    "Károly",
)
_PAGES: Final[list[tuple[str, ViewportSize, dict[str, Any]]]] = [
    ("phone", {"width": 390, "height": 844}, {"locale": "hu"}),
    ("tablet", {"width": 820, "height": 1180}, {"locale": "de", "color_scheme": "dark"}),
    ("screen", _HD, {"locale": "hu"}),
]
"""How the question who plays and score sheets are looked at: label, size, other settings of the browser."""
Image = npt.NDArray[np.uint8]


def drawn_hand() -> Image:
    """A hand of drawn cards on a table."""
    image = np.full((900, 1200, 3), GROUND, np.float32)
    width, height = _CARD
    for place, face in enumerate(HAND):
        printed = cv2.resize(draw_face(face, STYLES["modern"], width_px=width), _CARD).astype(np.float32)
        mask = cv2.resize(card_mask(width), _CARD).astype(np.float32)
        middle = (230 + 360 * (place % 3) + 170 * (place // 3), 240 + 420 * (place // 3))
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), (7, -4, 5, -9, 3)[place], 1.0)
        turn[:, 2] += np.subtract(middle, (width / 2, height / 2))
        alpha = cv2.warpAffine(mask, turn, (1200, 900))[..., None] / 255
        image += alpha * (cv2.warpAffine(printed, turn, (1200, 900)) - image)
    image += np.random.default_rng(0).normal(0, 3, image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def score_picture(browser: Browser, out: Path) -> None:
    """The page on a phone, with a hand that was read."""
    with TemporaryDirectory() as name:
        hand = Path(name) / "hand.jpg"
        cv2.imwrite(str(hand), drawn_hand())
        with serve_scores(Path(name), "127.0.0.1", 0, None) as up:
            tab = browser.new_context(viewport=_PHONE, device_scale_factor=1.5, is_mobile=True).new_page()
            tab.goto(up.url)
            tab.locator("input.picture").first.set_input_files(hand)
            tab.locator("#shot polygon").first.wait_for()
            tab.evaluate("window.scrollTo(0, document.getElementById('shot').offsetTop - 12)")
            tab.screenshot(path=out, type="jpeg", quality=80)


def round_animation(browser: Browser, out: Path) -> None:
    """A round of the demo, as its replay shows it."""
    with TemporaryDirectory() as name:
        log, page = Path(name) / "game.jsonl", Path(name) / "game.html"
        demo = [sys.executable, "-m", "croupier", "demo", "--headless", "--seed", "2", "--log", str(log), "--json"]
        subprocess.run(demo, check=True, stdout=subprocess.DEVNULL)
        assert croupier.run(["replay", str(log), "--page", str(page)]) == 0
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        plays = [n for n, line in enumerate(lines) if line.get("obs") in ("play", "shown")]
        places = [plays[i] for i in np.linspace(0, len(plays) - 1, _FRAMES).astype(int)]
        tab = browser.new_context(viewport=_SCREEN).new_page()
        frames: list[npt.NDArray[Any]] = []
        for place in places:
            tab.goto("about:blank")
            tab.goto(f"{page.as_uri()}#{place}")
            tab.locator("#at").wait_for()
            frame = cv2.imdecode(np.frombuffer(tab.screenshot(), np.uint8), cv2.IMREAD_COLOR)
            assert frame is not None
            frames.append(frame)
    animation = cv2.Animation()
    animation.frames = frames
    animation.durations = [_FRAME_MS] * len(frames)
    cv2.imwriteanimation(str(out), animation, [cv2.IMWRITE_WEBP_QUALITY, 50])


def big_screen_pictures(browser: Browser, out: Path) -> None:
    """The big screen at each of `MOMENTS`, light and dark, and some of them on other screens and in other languages."""
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as name, reached(), page(Path(name), *map(tuple, MOMENTS.values())) as up:
        for label, size, how, names in _LOOKS:
            tab = browser.new_context(base_url=up.server.url, viewport=size, reduced_motion="reduce", **how).new_page()
            for moment in visited(tab, up, names):
                tab.screenshot(path=out / f"board-{moment}-{label}.png")
            tab.context.close()


def replay_pictures(browser: Browser, out: Path) -> None:
    """A replay, a moment as it is shared, and the overlay of a stream over a gray picture."""
    game = game_lines(5, rounds=3, target=150)
    with TemporaryDirectory() as name, page(Path(name), tuple(MOMENTS["turn-10"]), game) as up:
        for label, size, how in _REPLAYS:
            tab = browser.new_context(base_url=up.server.url, viewport=size, reduced_motion="reduce", **how).new_page()
            for what, path in (("replay", "games/2?at=62"), ("embed", "games/2/embed?at=62"), ("overlay", "overlay")):
                tab.goto(path, wait_until="load")
                if what == "overlay":
                    tab.evaluate("document.documentElement.style.background = '#888'")
                else:
                    tab.locator("#controls").wait_for()
                tab.screenshot(path=out / f"{what}-{label}.png")
            tab.context.close()
        answer = httpx.get(f"{up.server.url}games/2/moment.png?at=62")
        (out / "moment.png").write_bytes(answer.content)


def score_sheet_pictures(browser: Browser, out: Path) -> None:
    """The question who plays, and the states of a score sheet of five and of ten people."""
    header = text_of(json.loads(game_lines(1)[0]) | {"seats": list(seat_names(4))})
    with TemporaryDirectory() as name, page(Path(name), (header,)) as up:
        up.table.may_start_game, up.table.is_simulation = True, False
        PeopleFile(Path(name) / "croupier.journal").apply(json.dumps(["add", *_PEOPLE]))
        for label, sheet in _sheets().items():
            (Path(name) / f"{label}.score").write_text(sheet.text, encoding="utf-8")
        up.accounts.open("admin", Person("admin"))
        for label, size, how in _PAGES:
            with browser.new_context(base_url=up.server.url, viewport=size, **how) as context:
                context.add_cookies([{"name": "croupier", "value": "admin", "url": up.server.url}])
                tab = context.new_page()
                for what, path in {"who-plays": "games/1/next", **{one: f"score/{one}" for one in _sheets()}}.items():
                    tab.goto(path, wait_until="load")
                    tab.screenshot(path=out / f"{what}-{label}.png", full_page=True)


def _sheets() -> dict[str, ScoreSheet]:
    """Score sheets, by what is to be seen."""
    five, ten = (new_sheet(_PEOPLE[:n], "g7942-en", target=100) for n in (5, 10))
    half = five.with_winner(1).with_hand(0, ["red-7"])
    played = {n: _round(_round(sheet, 1), 2) for n, sheet in ((5, five), (10, ten))}
    won = _round(played[5], 1, "wild")
    return {"sheet-begun": five, "sheet-half": half, "sheet-5": played[5], "sheet-10": played[10], "sheet-won": won}


def _round(sheet: ScoreSheet, winner: int, card: str = "") -> ScoreSheet:
    """A round more, in which everybody keeps a card: this one, or one of their own."""
    sheet = sheet.with_winner(winner)
    for seat in sheet.to_show:
        sheet = sheet.with_hand(seat, [card or f"blue-{seat}"])
    return sheet


def main() -> None:
    """Draw all."""
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if chromium is None:
        sys.exit("there is no chromium here; tools/apt-for-tests installs it where it may")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
        score_picture(browser, DOCS / "score.jpg")
        round_animation(browser, DOCS / "round.webp")
        big_screen_pictures(browser, SEEN)
        replay_pictures(browser, SEEN)
        score_sheet_pictures(browser, SEEN)
        draw_all(browser)
        browser.close()
    table = DOCS / "table.jpg"
    table.unlink(missing_ok=True)
    assert croupier.run(["demo", "--headless", "--seed", "2", "--picture", str(table)]) == 0


if __name__ == "__main__":
    main()
