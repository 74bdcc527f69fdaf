"""The dealer of a table without a shoe: people deal the cards that the director orders, and confirm when they have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from croupier.devices.protocols import Ask, Feed, Page
from croupier.events import CommandGiven, Press, ShoeReport


class ManualDealer:
    """A `Shoe` made of people, and the `EventSource` of its reports.

    The page asks people to deal and to draw. Go reports that all of it is done; a seat's draw key, that the seat has
    taken its cards. A card that a seat draws on its turn counts as taken when the seat asks for it.

    ``page``: asks the people; ``now``: the table's clock.
    """

    fault = ""
    is_recovering = False
    in_doubt = None

    def __init__(self, page: Page, now: Callable[[], float]) -> None:
        self._page, self._now = page, now
        self._asked: dict[int, Feed] = {}
        self._new: list[Feed] = []
        self._done: set[int] = set()
        self._outbox: list[ShoeReport] = []

    def feed(self, feed: Feed) -> None:
        """As `Shoe.feed`: ask the people; a finished job is only reported again."""
        if feed.job in self._done or feed.is_wished:
            self._finish(feed)
        elif feed.job not in self._asked:
            self._asked[feed.job] = feed
            self._new.append(feed)

    def watermark(self) -> float:
        """As `EventSource.watermark`: a report exists as soon as the key was handled."""
        return self._now()

    def poll(self) -> tuple[ShoeReport, ...]:
        """As `EventSource.poll`. All that was ordered meanwhile is asked at once."""
        self._ask()
        reports, self._outbox = tuple(self._outbox), []
        return reports

    def handle(self, event: Press | CommandGiven) -> None:
        """As `Shoe.handle`: go, and a seat's draw key."""
        match event:
            case Press(key="go"):
                self._finish(*self._asked.values())
            case Press(key="draw"):
                self._finish(*(feed for feed in self._asked.values() if feed.seat == event.seat))
            case _:
                pass

    def begin_game(self) -> bool:
        """As `Shoe.begin_game`; open requests are dropped."""
        for kept in (self._asked, self._new, self._done, self._outbox):
            kept.clear()
        return True

    def recover(self, jobs: Sequence[Feed] | None, fault: str) -> None:
        """As `Shoe.recover`, without effect: people know which cards they have dealt, and the director asks for the
        rest."""

    def hands_counted(self) -> None:
        """As `Shoe.hands_counted`, without effect: the director asks for what is missing then."""

    def _finish(self, *feeds: Feed) -> None:
        for feed in feeds:
            self._asked.pop(feed.job, None)
            self._done.add(feed.job)
            t, n = self._now(), feed.n
            self._outbox.append(ShoeReport(t=t, kind="fed", job=feed.job, seat=feed.seat, asked=n, n=n))

    def _ask(self) -> None:
        new, self._new = self._new, []
        n = max((feed.n for feed in new), default=0)
        if len(new) > 1 and all(feed.n == n for feed in new):
            self._page.ask(Ask("deal", n=n, seats=tuple(feed.seat for feed in new)))
            return
        for feed in new:
            self._page.ask(Ask("draw", seat=feed.seat, n=feed.n))
