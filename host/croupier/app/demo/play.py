"""Plays a demo: simulated time against the clock on the wall, the log, the picture, the closing lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import perf_counter, sleep
from typing import Final

import cv2
from rich.console import Console
from rich.live import Live

from cardsight.classify import FACES as LEARNED
from cardsight.sighting import Reading
from cardsight.track.cards import CardReader
from croupier.app.demo.game import Demo, DemoOptions
from croupier.app.demo.view import LABEL, PlainLines, View
from croupier.app.reading.pictures import Seen, draw, drawing_paths
from croupier.app.running.position import Position
from croupier.app.running.run import TableRun
from croupier.app.running.sequencer import Told
from croupier.journal import LogFile
from croupier.referee import Explainer
from croupier.referee.observations import Observation, Shown, to_json
from croupier.referee.rulings import Ruling

_REDRAWS_PER_S: Final = 8


def play(
    options: DemoOptions, reader: CardReader, *, headless: bool, as_json: bool, log: Path | None, picture: str | None,
    speed: float,
) -> int:  # fmt: skip
    """Play and report. Returns 0, or 1 where the log has no result or not what really happened at the table.

    ``speed``: simulated seconds in a second; headless as fast as it goes.
    Raises CannotWrite where ``log`` or ``picture`` cannot be made.
    """
    # The pictures are small: more threads only wait for each other, all the more where other programs run too.
    cv2.setNumThreads(1)
    path = drawing_paths(picture, [picture])[0] if picture else None
    console = Console(stderr=as_json)
    demo = Demo(options, lambda table, camera: reader)
    if unlearned := set(demo.table.deck) - set(LEARNED):
        console.print(
            f"the card reader has not learned {len(unlearned)} faces of this deck, such as {min(unlearned)}: "
            "people correct what it takes them for",
            highlight=False,
            soft_wrap=True,
        )
    camera = _LastHand(demo)
    with ExitStack() as stack:
        journal = stack.enter_context(LogFile(log, demo.header.to_json())) if log else None

        def record(observations: Sequence[Observation]) -> None:
            if journal is not None:
                journal.append(*map(to_json, observations))

        stack.enter_context(_shown(demo, console, headless))
        demo.listeners.append(camera)
        demo.begin(record)
        began = perf_counter()
        while not demo.is_over:
            demo.step()
            ahead = demo.table.now / speed - (perf_counter() - began)
            if not headless and ahead > 0:
                sleep(ahead)
    if path and camera.seen:
        faces = [card.face for card in camera.seen.reading.cards]
        draw(camera.seen, path, faces, caption=f"{LABEL}: what the camera saw and what was read")
    _close(demo, console, path, as_json)
    return 0 if demo.truth_agrees and not demo.gave_up else 1


@contextmanager
def _shown(demo: Demo, console: Console, headless: bool) -> Iterator[None]:
    """Show the demo while it is played: live on a terminal, else line by line, headless not at all."""
    explainer = Explainer(demo.header)
    if headless:
        yield
    elif console.is_terminal:
        view = View(demo.header.seats, explainer, demo.table)
        demo.listeners.append(view)
        with Live(console=console, get_renderable=view.render, refresh_per_second=_REDRAWS_PER_S):
            yield
    else:
        demo.listeners.append(PlainLines(explainer, console))
        yield


class _LastHand:
    """A listener that keeps what the camera saw when a hand was last laid open, and what was read in it."""

    def __init__(self, demo: Demo) -> None:
        self._demo = demo
        self.seen: Seen | None = None

    def __call__(self, told: Told, rulings: tuple[Ruling, ...], position: Position) -> None:
        run = self._demo.run
        if isinstance(told, Shown) and run is not None and run.frame is not None:
            self.seen = Seen("table", run.frame.image, _everything_read(run, run.frame.image.shape))


def _everything_read(run: TableRun, shape: tuple[int, ...]) -> Reading:
    """The up-card and the hand that lies open."""
    top = run.pile.top
    hand = run.show.reading.cards if run.show.reading else ()
    return Reading(size=(shape[1], shape[0]), cards=(*((top,) if top else ()), *hand))


def _close(demo: Demo, console: Console, path: Path | None, as_json: bool) -> None:
    summary = demo.summary()
    if path:
        console.print(f"what the camera saw: {path}", highlight=False, soft_wrap=True)
    if demo.gave_up:
        console.print("the table came to a standstill: record and table do not agree", style="bold red")
    if not demo.truth_agrees:
        console.print("the log's result is not what really happened at the table", style="bold red")
    if as_json:
        print(json.dumps(summary))
        return
    winner = "nobody" if summary["winner"] is None else demo.header.seats[summary["winner"]]
    console.print(
        f"{LABEL}: {summary['rounds']} round(s), {winner} went out; scores "
        + ", ".join(f"{name} {score}" for name, score in zip(demo.header.seats, summary["scores"], strict=True))
        + f"; {summary['cards_read']} cards read, {summary['cards_misread']} of them wrongly; "
        + f"{summary['simulated_s']:.0f} s of play in {summary['wall_s']:.0f} s",
        highlight=False,
        soft_wrap=True,
    )
