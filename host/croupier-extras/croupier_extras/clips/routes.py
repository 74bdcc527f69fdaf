"""The pages that show moments on the discard pile again, appeals against the card that was read there, and clips that
are saved."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from pathlib import Path as FilePath
from typing import Annotated, Any, Final, Literal
from zipfile import ZipFile

from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.game_views.record import differences
from croupier.game_views.story import Moment, Story
from croupier.i18n import _
from croupier.table_api.live_table import AppealRequest, ClipRequest, PileClip
from croupier.web.dependencies import (
    AccountsDep,
    AsPlayer,
    Client,
    GameNumber,
    GamesDep,
    Place,
    RendererDep,
    Who,
    not_allowed,
    rings,
    thread,
)
from croupier.web.forms import Form, Number, Posted
from croupier.web.http import attached, provided
from croupier.web.limits import BoundedExecutor
from croupier.web.pages import PagePlugin
from croupier_extras.clips.clips import Decision, clips_of, decide_appeal, marks, may_appeal, touch_of
from croupier_extras.clips.saved import SavedClip, SavedClips


class _AppealForm(Form):
    """``n``: the line of the log that was shown again."""

    n: Number


_NOTHING: Final[dict[str, Any]] = {"kept": None, "seats": (), "decision": None, "may_appeal": False, "may_keep": False}


class _AnswerForm(Form):
    """``seat``: for which a referee agrees, since nobody there has a phone."""

    do: Literal["agree", "refuse", "delete"]
    seat: Number | None = None


def decided(decision: Decision | None, story: Story) -> dict[str, Any]:
    """The variables of ``appeal.html``."""
    effect = decision and decision.effect
    return {"decision": decision, "differences": list(differences(effect, story)) if effect else []}


ClipNumber = Annotated[int, Path(ge=1, lt=1 << 30, description="The number of a kept clip.")]
SavedClipsDep = Annotated[SavedClips, provided(SavedClips)]

router = APIRouter()
ClipThread = Annotated[BoundedExecutor, thread("clips", 6, 2)]
AppealThread = Annotated[BoundedExecutor, thread("appeals", 6, 2)]


class _Clips:
    """Clips, which are open to everybody: a clip shows nothing that did not lie on the pile for all to see. A player
    whom a card concerns may appeal against its reading."""

    def __init__(
        self, person: Who, client: Client, games: GamesDep, render: RendererDep, accounts: AccountsDep,
        executor: ClipThread,
    ) -> None:  # fmt: skip
        self._person, self._client, self._games, self._render = person, client, games, render
        self._accounts, self._executor = accounts, executor

    async def find(self, game: int, story: Story, moment: Moment) -> PileClip | None:
        """The clip of a moment; None if it is gone."""
        touch, table = touch_of(story, moment), self._games.live_table
        if touch is None or table is None or game != self._games.live_game:
            return None
        request = ClipRequest(story.first(touch).t, story.first(moment).t + 0.5)
        return await self._executor.run(self._client, lambda: table.ask(request))

    async def html(self, game: int, story: Story, moment: Moment, decision: Decision | None = None) -> Response:
        """The page with the clip of a moment, and what became of an appeal."""
        touch, found = touch_of(story, moment), await self.find(game, story, moment)
        may = found and touch is not None and touch in story.standing and may_appeal(self._person, touch)
        return self.show(
            game, story, moment, found,
            **decided(decision, story), may_appeal=may, may_keep=found and self._person.may("player"),
        )  # fmt: skip

    def show(self, game: int, story: Story, moment: Moment, found: PileClip | None, **variables: object) -> Response:
        """The page with a clip."""
        data = found and {
            "touch": found.t, "frames": [(t, b64encode(jpeg).decode()) for t, jpeg in found.frames],
        }  # fmt: skip
        page = self._render.html(
            "clips/clip", self._person, game=game, story=story, n=moment.n, said=story.describe(moment), clip=found,
            data=data, marks=marks(story, found) if found else (), **(_NOTHING | variables),
        )  # fmt: skip
        page.headers["cache-control"] = "no-store"
        return page

    def concerns(self, saved: SavedClip) -> bool:
        """True if the person was seated when the clip was asked for, or is a referee."""
        names = self._games.seat_names()
        seat = self._person.seat
        is_there = seat is not None and seat < len(names) and saved.names.get(seat) == names[seat]
        return self._person.may("referee") or is_there

    def may_agree(self, saved: SavedClip) -> list[int]:
        """The seats for which the person may agree: the own one; a referee for those without a phone."""
        if self._person.may("referee"):
            return sorted(saved.waits_for - self._accounts.players.keys())
        return [seat for seat in (self._person.seat,) if seat is not None and seat in saved.waits_for]


Clips = Annotated[_Clips, Depends(_Clips)]


async def _saved(clip: ClipNumber, _person: AsPlayer, clips: Clips, saved_clips: SavedClipsDep) -> SavedClip:
    """The clip, or the answer 403 or 404."""
    if (saved := saved_clips.get(clip)) is None or not clips.concerns(saved):
        raise HTTPException(404, _("There is no such clip."))
    return saved


Saved = Annotated[SavedClip, Depends(_saved)]


@router.post("/games/{game}/clip/keep", dependencies=[rings])
async def keep(
    game: GameNumber, person: AsPlayer, form: Posted[_AppealForm], clips: Clips, games: GamesDep,
    saved_clips: SavedClipsDep,
) -> Response:  # fmt: skip
    """Ask everybody who is seated whether a clip may be saved."""
    games.require_live(game)
    story = games.live_story()
    moment, free = story.at(form.n), story.free_seats
    if (found := await clips.find(game, story, moment)) is None:
        gone = _("This clip is gone: clips are dropped after 90 seconds, and when the next round is dealt.")
        raise HTTPException(409, gone)
    names = {seat: name for seat, name in enumerate(story.header.seats) if seat not in free}
    if (saved := saved_clips.ask(game, moment.n, found, names)) is None:
        raise HTTPException(409, _("There is no room for another clip: delete one first."))
    if person.seat is not None:
        saved_clips.agree(saved.number, person.seat)
    return RedirectResponse(f"/clips/{saved.number}", 303)


@router.get("/clips", response_class=HTMLResponse)
async def list_clips(person: AsPlayer, clips: Clips, render: RendererDep, saved_clips: SavedClipsDep) -> Response:
    """Clips that are saved or wait to be saved."""
    saved = [one for one in saved_clips.all() if clips.concerns(one)]
    return render.html("clips/clips", person, clips=saved)


@router.get("/clips/{clip}", response_class=HTMLResponse)
async def saved_clip(saved: Saved, client: Client, clips: Clips, games: GamesDep) -> Response:
    """A clip that is saved or waits for it, and the players who must agree."""
    story = await games.with_story(saved.game, client, lambda story: story)
    moment = story.at(saved.n)
    return clips.show(saved.game, story, moment, saved.clip, kept=saved, seats=clips.may_agree(saved))


@router.get("/clips/{clip}/pictures.zip")
async def pictures(clip: ClipNumber, saved: Saved) -> Response:
    """The pictures of a kept clip, named by their time (ms) after the touch."""
    if not saved.has_consent:
        raise HTTPException(409, _("It is not kept yet: not everybody has agreed."))
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for n, (t, jpeg) in enumerate(saved.clip.frames):
            archive.writestr(f"{n:03}_{1000 * (t - saved.clip.t):+.0f}ms.jpg", jpeg)
    return attached(file.getvalue(), "application/zip", f"clip-{clip}.zip")


@router.post("/clips/{clip}", dependencies=[rings])
async def answer(
    clip: ClipNumber, saved: Saved, person: AsPlayer, form: Posted[_AnswerForm], clips: Clips,
    saved_clips: SavedClipsDep,
) -> Response:  # fmt: skip
    """Agree that a clip is saved, refuse it, or delete one that is saved."""
    if form.do == "agree":
        seat = person.seat if form.seat is None else form.seat
        if seat is None or (seat != person.seat and seat not in clips.may_agree(saved)):
            raise not_allowed()
        saved_clips.agree(clip, seat)
    else:
        saved_clips.drop(clip)
    return RedirectResponse(f"/clips/{clip}" if form.do == "agree" else "/clips", 303)


@router.get("/games/{game}/clip", response_class=HTMLResponse)
async def clip(
    game: GameNumber, client: Client, clips: Clips, games: GamesDep, at: Place = None, still: bool = False
) -> Response:
    """The pile around the touch of a card, slowly, by default of the last; with a note where the clip is gone.
    ``still``: the last picture alone, in which the card lies there."""
    story = await games.with_story(game, client, lambda story: story)
    moment = story.at(max(clips_of(story, game), default=None) if at is None else at)
    if still:
        if (found := await clips.find(game, story, moment)) is None:
            raise HTTPException(404, _("There is no such clip."))
        return Response(found.frames[-1][1], media_type="image/jpeg", headers={"cache-control": "no-store"})
    return await clips.html(game, story, moment)


@router.post("/games/{game}/appeal", response_class=HTMLResponse)
async def appeal(
    request: Request, game: GameNumber, person: Who, client: Client, form: Posted[_AppealForm], clips: Clips,
    games: GamesDep, render: RendererDep, appeal_thread: AppealThread,
) -> Response:  # fmt: skip
    """Read the kept pictures of a card again, and correct the record where they are sure."""
    table, _state = games.require_live(game)
    story = games.live_story()
    moment = story.at(form.n)
    touch = touch_of(story, moment)
    if touch is None or touch not in story.standing:
        raise HTTPException(409, _("That is no longer in the record. Check what is there now."))
    if not may_appeal(person, touch):
        raise not_allowed()
    t = story.first(touch).t
    verdict = await appeal_thread.run(client, lambda: table.ask(AppealRequest(t)))
    story = games.live_story()
    decision = decide_appeal(story, touch, verdict)
    if decision.correction is not None:
        table.submit(decision.correction)
    if "hx-request" in request.headers:
        return HTMLResponse(render.pages.render("clips/appeal", game=game, **decided(decision, story)))
    return await clips.html(game, story, moment, decision)


PLUGIN_PAGE: Final = PagePlugin(
    router, FilePath(__file__).parent, menu=("menu.html",), part=lambda _journal, _keep: SavedClips()
)
