"""The pages of a site as answers: of a game as it is now, of one of its moments, and all others."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from time import monotonic

from fastapi import Request
from fastapi.responses import HTMLResponse

from croupier.game_views.story import Story
from croupier.game_views.turns import timeline
from croupier.i18n import language
from croupier.web.accounts import SPECTATOR, Person
from croupier.web.addresses import PageAddresses, asked_host, is_own_machine
from croupier.web.games import Games, require_seat
from croupier.web.pages import Kind, Pages, Perspective, page_plugins
from croupier.web.seating import Seating, Seats


class Renderer:
    """Answers with pages. ``addresses``: how other machines reach the site; ``clock``: monotonic seconds."""

    def __init__(
        self, pages: Pages, games: Games, seating: Seating, addresses: PageAddresses,
        clock: Callable[[], float] = monotonic,
    ) -> None:  # fmt: skip
        self.pages = pages
        self._games, self._seating, self._addresses = games, seating, addresses
        self._views = {
            name: plugin.view(pages, games, clock) for name, plugin in page_plugins().items() if plugin.view is not None
        }

    def html(self, name: str, person: Person, status: int = 200, **variables: object) -> HTMLResponse:
        """The page ``name``."""
        live = None if (state := self._games.state) is None else state.game
        return HTMLResponse(self.pages.render(name, person=person, live=live, **variables), status)

    def site(self, request: Request) -> str:
        """The address of the site for others: that of the request, unless it works on this machine alone."""
        best = self._addresses.best
        return best.url if best is not None and is_own_machine(request.base_url.hostname) else str(request.base_url)

    def perspective(self, kind: Kind, game: int, person: Person, seat: int | None = None) -> Perspective:
        """What somebody sees who asks now."""
        host = self._addresses.own_host(asked_host()) if kind == "board" else ""
        return Perspective(kind, game, person, seat, language(), host=host)

    async def replay(self, request: Request, page: str, game: int, n: int, person: Person, client: str) -> HTMLResponse:
        """A page to go through a game, after ``n`` observations. It has no secret, so it may be compressed."""
        site = self.site(request) if page == "replay" else ""
        table = state if (state := self._games.state) is not None and state.game == game else None

        def render(story: Story) -> HTMLResponse:
            moment = story.at(n)
            text = story.describe(moment)
            part = self.pages.render_part(replay_of(game), story, moment.n)
            moments = timeline(story) | {"reruns": self.pages.reruns(story, table)}
            answer = self.html(
                page, person, game=game, part=part, n=moment.n, last=len(story), story=story, site=site,
                moments=moments, told=" ".join((text.seen, *(ruling.text for ruling in text.rulings))),
            )  # fmt: skip
            answer.headers["vary"] = "accept-encoding"
            if "gzip" in request.headers.get("accept-encoding", ""):
                answer.body = gzip.compress(answer.body)
                answer.headers.update({"content-encoding": "gzip", "content-length": str(len(answer.body))})
            return answer

        return await self._games.with_story(game, client, render)

    async def game(
        self, kind: Kind, game: int, n: int | None, person: Person, client: str, seat: int | None = None
    ) -> HTMLResponse:
        """A page of a game after ``n`` observations; ``None``: now."""
        is_live = game == self._games.live_game

        def render(story: Story) -> HTMLResponse:
            if seat is not None:
                require_seat(seat, story)
            seats = self._seats(story) if is_live else None
            place = None if n is None or (n >= len(story) and is_live) else min(n, len(story))
            part = self.pages.render_part(self.perspective(kind, game, person, seat), story, place, seats)
            return self.html(
                kind, person, game=game, part=part, n=place, last=len(story), seat=seat, story=story, is_live=is_live
            )  # fmt: skip

        return await self._games.with_story(game, client, render)

    def live(self, perspective: Perspective) -> tuple[int, str] | None:
        """Return the view of the live game for a page, with the place in the log; None if its game is over."""
        if perspective.plugin:
            return self._views[perspective.plugin](perspective)
        if perspective.game != self._games.live_game:
            return None
        story = self._games.repository.story(perspective.game)
        return len(story), self.pages.render_part(perspective, story, None, self._seats(story))

    def _seats(self, story: Story) -> Seats | None:
        """The seats of the live table, at which ``story`` is played, and who sits there; None without one."""
        return None if self._games.live_table is None else self._seating.seats(len(story.header.seats))


def replay_of(game: int) -> Perspective:
    """Return the perspective of a viewer who goes through a game: the public one."""
    return Perspective("replay", game, SPECTATOR, language=language())
