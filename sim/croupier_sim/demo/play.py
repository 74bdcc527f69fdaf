"""Plays a demo: simulated time against the clock on the wall, the log, the picture, the closing lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep, time
from typing import TYPE_CHECKING, Final

import cv2
from croupier.runtime.page_table import everything_read
from rich.live import Live

from cardsight.classify import FACES as LEARNED
from cardsight.track.cards import CardReader
from croupier.console import Console
from croupier.errors import CannotServe
from croupier.events import SequencedEvent
from croupier.i18n import _, chosen, ngettext
from croupier.journal import Journal, LogFile
from croupier.observers.notifier import LAST_WORDS_S
from croupier.observers.voice.cues import VoiceSettings
from croupier.observers.voice.speaker import Speaker
from croupier.observers.voice_notifier import Voice, VoicePage
from croupier.optional_dependencies import requires_extra
from croupier.output_files import check_new
from croupier.pictures.readings import Seen, draw, drawing_paths
from croupier.referee import Explainer
from croupier.referee.observations import Observation, Shown, to_json
from croupier.referee.position import Position
from croupier.referee.rulings import Ruling
from croupier.runtime.session import Kept, begin
from croupier_sim.demo.game import Demo
from croupier_sim.demo.setting import DemoOptions
from croupier_sim.demo.view import LABEL, PlainLines, View

if TYPE_CHECKING:
    from croupier.web.serving import WebServer

_REDRAWS_PER_S: Final = 8

PAGE_SPEED: Final = 1.0
TERMINAL_SPEED: Final = 4.0
"""Simulated seconds in a second while somebody follows the game on a page, and where only a terminal shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """How a demo is shown, and what is kept of it.

    ``headless``: nothing is shown, and it goes as fast as it can. ``with_page``: it is shown on a page, too, at
    ``port`` (`None`: the first free one). ``speed``: simulated seconds in a second; ``None``: `PAGE_SPEED` while
    somebody follows it on the page, `TERMINAL_SPEED` otherwise. ``log``: the table log as text; ``journal``: the game
    in a journal. ``voice``: it is said aloud, too.
    """

    headless: bool = False
    with_page: bool = False
    as_json: bool = False
    log: Path | None = None
    journal: Path | None = None
    picture: str | None = None
    speed: float | None = None
    port: int | None = None
    voice: bool = False


def play(options: DemoOptions, reader: CardReader, showing: Showing) -> int:
    """Play and report. Returns 0, or 1 where the log has no result or not what really happened at the table.

    Raises CannotWrite where the log, the journal or the picture cannot be made, CannotServe where the page cannot.
    """
    headless, as_json, picture = showing.headless, showing.as_json, showing.picture
    # The pictures are small: more threads only wait for each other, all the more where other programs run too.
    cv2.setNumThreads(1)
    path = drawing_paths(picture, [picture])[0] if picture else None
    if showing.log:
        check_new(showing.log, "--log")
    console = Console(stderr=as_json)
    demo = Demo(options, lambda table, camera: reader)
    if unlearned := set(demo.table.deck) - set(LEARNED):
        console.print(
            _(
                "the card reader has not learned all faces of this deck, such as {face}: people correct what it takes "
                "them for",
                face=min(unlearned),
            ),
            highlight=False,
            soft_wrap=True,
        )
    camera = _LastHand(demo)
    with ExitStack() as stack:
        stack.callback(demo.close)
        kept = _kept(demo, showing, stack)
        speaker = _voice(demo, console, stack) if showing.voice else None
        up = (
            _page(demo, kept, showing.port, speaker, stack, console) if kept is not None and showing.with_page else None
        )
        log = stack.enter_context(LogFile(showing.log, demo.header.to_json())) if showing.log else None

        def record(observations: Sequence[Observation]) -> None:
            if kept is not None:
                kept.record(observations)
            if log is not None:
                log.append(*map(to_json, observations))

        demo.listeners.append(camera)
        with _shown(demo, console, headless):
            demo.begin(record)
            for _step in _steps(demo) if headless else _paced(demo, showing.speed, up):
                if up is not None:
                    up.ring()
        if path and camera.seen:
            faces = [card.face for card in camera.seen.reading.cards]
            draw(camera.seen, path, faces, caption=f"{LABEL}: what the camera saw and what was read")
        _close(demo, console, path, as_json)
        if up is not None and console.is_terminal and sys.stdin.isatty():
            console.print(_("the page stays until Ctrl-C"), style="dim")
            with suppress(KeyboardInterrupt):
                up.wait()
    return 0 if demo.truth_agrees and not demo.gave_up else 1


def _steps(demo: Demo) -> Iterator[None]:
    """Each step of the demo."""
    while not demo.is_over:
        demo.step()
        yield


def _paced(demo: Demo, speed: float | None, up: WebServer | None) -> Iterator[None]:
    """Each step of the demo in its time, as `Showing` has it."""
    due, then = perf_counter(), demo.table.now
    for _step in _steps(demo):
        yield
        now_speed = speed or (PAGE_SPEED if up is not None and up.followers else TERMINAL_SPEED)
        # What a slow machine did not manage is not made up for later: nobody wants to see a table hurry.
        due = max(due + (demo.table.now - then) / now_speed, perf_counter())
        then = demo.table.now
        sleep(max(0.0, due - perf_counter()))


def _kept(demo: Demo, showing: Showing, stack: ExitStack) -> Kept | None:
    """The game in the journal that was asked for, or in one for the page alone."""
    path = showing.journal
    if path is None and showing.with_page:
        path = Path(stack.enter_context(TemporaryDirectory(prefix="croupier-"))) / "croupier.journal"
    return None if path is None else begin(stack.enter_context(Journal(path)), demo.header, now=time())


def _page(
    demo: Demo, kept: Kept, port: int | None, speaker: Speaker | None, stack: ExitStack, console: Console
) -> WebServer | None:
    """The page, where it is installed; told where it is."""
    try:
        with requires_extra("web"):
            from croupier_sim.demo.page import page
    except CannotServe as missing:
        console.print(str(missing))
        return None
    up, code = stack.enter_context(page(demo, kept, port, speaker))
    console.print(f"{LABEL}: " + _("the page is at {address}", address=up.url), highlight=False)
    console.print(_("to correct and to provoke faults there, come in with the code {code}", code=code), highlight=False)
    return up


def _voice(demo: Demo, console: Console, stack: ExitStack) -> Speaker:
    """Say aloud what happens, and what people are asked for."""
    settings = VoiceSettings(language=chosen() or demo.header.ruleset.language)
    voice = Voice(settings, lambda line: console.print(line, highlight=False, markup=False, soft_wrap=True))
    # Who ends it with Ctrl-C wants silence.
    stack.callback(lambda: voice.speaker.close(LAST_WORDS_S if demo.is_over else 0.0))
    demo.page = page = VoicePage(demo.page)
    page.notifier = voice.begin(demo.header)
    demo.listeners.append(page.notifier)
    return voice.speaker


@contextmanager
def _shown(demo: Demo, console: Console, headless: bool) -> Iterator[None]:
    """Show the demo while it is played: live on a terminal, else line by line, headless not at all."""
    explainer = Explainer(demo.header, chosen())
    if headless:
        yield
    elif console.is_terminal:
        view = View(demo.header.seats, explainer, demo.table)
        demo.listeners.append(view)
        demo.alarm_listeners.append(view.show_alarm)
        with Live(console=console, get_renderable=view.render, refresh_per_second=_REDRAWS_PER_S):
            yield
    else:
        lines = PlainLines(explainer, demo.table, console)
        demo.listeners.append(lines)
        demo.alarm_listeners.append(lines.show_alarm)
        yield


class _LastHand:
    """A listener that keeps what the camera saw when a hand was last laid open, and what was read in it."""

    def __init__(self, demo: Demo) -> None:
        self._demo = demo
        self.seen: Seen | None = None

    def __call__(self, told: SequencedEvent, rulings: tuple[Ruling, ...], position: Position) -> None:
        run = self._demo.run
        if isinstance(told, Shown) and run is not None and run.frame is not None:
            self.seen = Seen("table", run.frame.image, everything_read(run, run.frame.image))


def _close(demo: Demo, console: Console, path: Path | None, as_json: bool) -> None:
    summary = demo.summary()
    if path:
        console.print(_("what the camera saw: {file}", file=path), highlight=False, soft_wrap=True)
    if demo.gave_up:
        console.print(_("the table came to a standstill: record and table do not agree"), style="bold red")
    if not demo.truth_agrees:
        console.print(_("the log's result is not what really happened at the table"), style="bold red")
    if as_json:
        print(json.dumps(summary))
        return
    seats = demo.header.seats
    n, bad = summary["cards_read"], summary["cards_misread"]
    told = [
        ngettext("{n} round", "{n} rounds", summary["rounds"]),
        *([] if summary["winner"] is None else [_("{name} went out", name=seats[summary["winner"]])]),
        _("points: {points}", points=", ".join(map("{} {}".format, seats, summary["scores"]))),
        ngettext("{n} card read, {bad} of them wrongly", "{n} cards read, {bad} of them wrongly", n, bad=bad),
        _("{s} s of play in {wall} s", s=round(summary["simulated_s"]), wall=round(summary["wall_s"])),
    ]
    console.print(f"{LABEL}: {'; '.join(told)}", highlight=False, markup=False, soft_wrap=True)
