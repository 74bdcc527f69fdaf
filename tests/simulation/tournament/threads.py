"""Programs whose threads run in virtual time: each is a greenlet, and goes on until it waits.

The code of a program is the real one. `Threads` has what it gets in place of `threading` and of
`concurrent.futures`: who waits lets the world go on.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent import futures
from typing import Any, Self

from greenlet import getcurrent, greenlet

from tests.simulation.world import World


class Gone(BaseException):
    """The program was killed: none of its threads goes on."""


class Program:
    """A program at ``address`` in the network. ``is_dead``: it was killed, or has ended."""

    def __init__(self, name: str, address: str) -> None:
        self.name, self.address, self.is_dead = name, address, False
        self.threads: list[_Thread] = []


class _Thread:
    """One thread of a ``program``."""

    def __init__(self, threads: Threads, program: Program, run: Callable[[], object]) -> None:
        self.program, self._run = program, run
        self.ended = Event(threads)
        self.greenlet = greenlet(self._live, parent=threads.main)

    def _live(self) -> None:
        try:
            self._run()
        except (Gone, Exception):
            if not self.program.is_dead:
                raise
        finally:
            self.ended.set()


class Event:
    """In place of `threading.Event`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._is_set = False
        self._waiting: list[_Wait] = []

    def is_set(self) -> bool:
        """As `threading.Event`."""
        return self._is_set

    def set(self) -> None:
        """As `threading.Event`."""
        self._is_set = True
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            self._threads.wake(one)

    def clear(self) -> None:
        """As `threading.Event`."""
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        """As `threading.Event`."""
        if not self._is_set:
            wait = self._threads.wait()
            self._waiting.append(wait)
            if timeout is not None:
                self._threads.world.after(timeout, self._threads.resume, wait)
            self._threads.pause(wait)
        return self._is_set


class _Wait:
    """A thread that waits once."""

    def __init__(self, thread: _Thread) -> None:
        self.thread, self.is_over = thread, False


class Threads:
    """All threads of all programs of a ``world``."""

    def __init__(self, world: World) -> None:
        self.world, self.main = world, getcurrent()
        self._of: dict[Any, _Thread] = {}
        threads = self

        class VirtualEvent(Event):
            def __init__(self) -> None:
                super().__init__(threads)

        class VirtualThread:
            def __init__(
                self, target: Callable[..., object], name: str = "", args: tuple[Any, ...] = (), daemon: bool = True
            ) -> None:  # fmt: skip
                self._run = lambda: target(*args)
                self._thread: _Thread | None = None

            def start(self) -> None:
                self._thread = threads.start(threads.program, self._run)

            def is_alive(self) -> bool:
                return self._thread is not None and not self._thread.ended.is_set()

            def join(self, timeout: float | None = None) -> None:
                assert self._thread is not None
                self._thread.ended.wait(timeout)

        class VirtualFuture(futures.Future[Any]):
            def result(self, timeout: float | None = None) -> Any:
                if not self.done():
                    done = VirtualEvent()
                    self.add_done_callback(lambda _: done.set())
                    done.wait(timeout)
                return super().result(0)

        class VirtualPool:
            def __init__(self, most: int) -> None:
                self._all: list[_Thread] = []

            def submit(self, act: Callable[..., object], *arguments: Any) -> VirtualFuture:
                future = VirtualFuture()

                def run() -> None:
                    try:
                        future.set_result(act(*arguments))
                    except Exception as err:
                        future.set_exception(err)

                self._all.append(threads.start(threads.program, run))
                return future

            def __enter__(self) -> Self:
                return self

            def __exit__(self, *_: object) -> None:
                for one in self._all:
                    one.ended.wait()

        self.Event, self.Thread, self.Future, self.Pool = VirtualEvent, VirtualThread, VirtualFuture, VirtualPool

    @property
    def program(self) -> Program:
        """The program that runs now."""
        return self._of[getcurrent()].program

    def start(self, program: Program, run: Callable[[], object]) -> _Thread:
        """Start a thread of a program, which runs soon."""
        thread = _Thread(self, program, run)
        program.threads.append(thread)
        self._of[thread.greenlet] = thread
        self.resume(_Wait(thread))
        return thread

    def sleep(self, seconds: float) -> None:
        """Let the thread that runs now wait."""
        wait = self.wait()
        self.world.after(seconds, self.resume, wait)
        self.pause(wait)

    def kill(self, program: Program) -> None:
        """End a program: its threads do not go on. Called by the world."""
        program.is_dead = True
        for thread in program.threads:
            if thread.greenlet:
                thread.greenlet.throw(Gone())
            self._of.pop(thread.greenlet, None)
        program.threads.clear()

    def wait(self) -> _Wait:
        """The thread that runs now is about to wait."""
        thread = self._of[getcurrent()]
        if thread.program.is_dead:
            raise Gone
        return _Wait(thread)

    def pause(self, wait: _Wait) -> None:
        """Wait until it is over."""
        thread = wait.thread
        self.main.switch()
        if thread.program.is_dead:
            raise Gone

    def wake(self, wait: _Wait) -> None:
        """Let a thread go on, as soon as the world is at it."""
        self.world.at(self.world.now, self.resume, wait)

    def resume(self, wait: _Wait) -> None:
        """Let a thread go on, unless it does already. Called by the world."""
        thread = wait.thread
        if getcurrent() is not self.main:
            self.wake(wait)
        elif not wait.is_over and not thread.program.is_dead:
            wait.is_over = True
            thread.greenlet.switch()
            if thread.ended.is_set():
                self._of.pop(thread.greenlet, None)
                if thread in thread.program.threads:
                    thread.program.threads.remove(thread)
