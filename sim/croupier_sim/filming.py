"""A simulated table that is filmed in real time, for a camera that a real program looks through."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Protocol, Self

import cv2
import numpy as np

from cardsight.geometry import Image
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import STYLES, Lamp
from croupier_sim.table import PILE_MM, Lying, SimTable

FPS = 12.0
SIZE_PX = (1280, 720)
LONGEST_S = 1 / 6
"""Simulated time between two frames, however long the machine takes for one: no hand comes and goes in between."""

THINKS_S = 1.5


class Film(Protocol):
    """Takes the pictures of the table."""

    def show(self, picture: Image) -> None:
        """Take the next picture (BGR)."""


class CameraFile:
    """A file that Chromium takes for a camera (``--use-file-for-fake-video-capture``): a film (Y4M) of one picture,
    which it reads again and again, so that it sees what is written last."""

    def __init__(self, file: Path, size: tuple[int, int] = SIZE_PX, fps: float = FPS) -> None:
        head = f"YUV4MPEG2 W{size[0]} H{size[1]} F{fps:.0f}:1 Ip A1:1 C420jpeg\nFRAME\n".encode()
        file.write_bytes(head + bytes(size[0] * size[1] * 3 // 2))
        self._begin, self._file = len(head), os.open(file, os.O_WRONLY)
        self.flags = [
            "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
            f"--use-file-for-fake-video-capture={file}",
        ]  # fmt: skip

    def show(self, picture: Image) -> None:
        """As `Film`."""
        os.pwrite(self._file, cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420).tobytes(), self._begin)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


class FilmedTable:
    """The table and its film. Only its own thread touches ``table``; use `do`.

    ``touched``: when each card touched the pile (s, monotonic), between the pictures before and after.
    """

    def __init__(self, film: Film, seats: int = 4, *, size: tuple[int, int] = SIZE_PX, fps: float = FPS) -> None:
        self.touched: list[float] = []
        self._frame_s = 1 / fps
        rng = np.random.default_rng(7)
        self.table = SimTable(seats, rng, ())
        self.camera = SimCamera(self.table, style=STYLES["modern"], ground="cloth", lamp=Lamp(), rng=rng, size=size)
        self._film_on = film
        self._way: np.ndarray | None = None  # of a lens that was pushed
        self._acts: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._is_over = Event()
        self._thread = Thread(target=self._film, daemon=True)

    @property
    def pile_px(self) -> tuple[float, float]:
        """Place of the discard pile in the picture."""
        x, y = self.camera.to_px([PILE_MM])[0]
        return float(x), float(y)

    def do(self, act: Callable[[], object]) -> None:
        """Let somebody act, before the next frame."""
        self._acts.put(act)

    def lay(self, seat: int, face: str) -> None:
        """A hand lays this card on the discard pile."""

        def act() -> None:
            self.table.hands[seat].append(face)
            self.table.lay(seat, face)

        self.do(act)

    def lay_open(self, seat: int, hand: list[str]) -> None:
        """A seat lays its hand open beside the pile, after the time that people need for it."""

        def act() -> None:
            self.table.hands[seat][:] = hand
            self.table.at(self.table.now + THINKS_S, lambda: self.table.lay_open(seat, hand))

        self.do(act)

    def gather(self, seat: int) -> None:
        """A seat takes its open hand up again."""
        self.do(lambda: self.table.gather(seat))

    def push(self, x_px: float = 0.0, y_px: float = 0.0) -> None:
        """Somebody pushes the lens: all is seen so far from where it was; by default where it was at first."""
        way = np.array([(1, 0, x_px), (0, 1, y_px)], np.float32)
        self.do(lambda: setattr(self, "_way", way if x_px or y_px else None))

    def show(self, *cards: Lying) -> None:
        """These cards lie beside the pile from now on, and no others."""

        def act() -> None:
            self.table.spread[:] = cards
            self.table.version += 1

        self.do(act)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _picture(self) -> Image:
        seen = self.camera.frame().image
        if self._way is None:
            return seen
        return np.asarray(cv2.warpAffine(seen, self._way, self.camera.size, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    def _film(self) -> None:
        last = last_shown = time.monotonic()
        while not self._is_over.is_set():
            with suppress(Empty):
                while True:
                    self._acts.get_nowait()()
            now, before = time.monotonic(), self.table.now
            self.table.run_to(self.table.now + min(now - last, LONGEST_S))
            last = now
            picture = self._picture()
            shown = time.monotonic()
            times = np.interp(self.table.touched[len(self.touched) :], [before, self.table.now], [last_shown, shown])
            self.touched += times.tolist()
            last_shown = shown
            self._film_on.show(picture)
            self._is_over.wait(max(0.0, self._frame_s - (time.monotonic() - now)))
