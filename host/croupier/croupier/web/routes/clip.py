"""The pages that show moments on the discard pile again, appeals against the card that was read there, and clips that
are saved."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import Annotated, Any, Final, Literal
from zipfile import ZipFile

from fastapi import APIRouter, HTTPException, Path, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier.game_views.story import Moment, Story
from croupier.i18n import _
from croupier.table_api.live_table import PileClip
from croupier.web.accounts import Person
from croupier.web.clips import Decision, clips_of, decide_appeal, marks, may_appeal, touch_of
from croupier.web.context import Client, Context, GameNumber, Place, Who, require
from croupier.web.forms import Form, Number, Posted
from croupier.web.record import differences
from croupier.web.saved_clips import SavedClip


class _AppealForm(Form):
    """``n``: the line of the log that was shown again."""

    n: Number


_NOTHING: Final[dict[str, Any]] = {"kept": None, "seats": (), "decision": None, "may_appeal": False, "may_keep": False}

ClipNumber = Annotated[int, Path(ge=1, lt=1 << 30, description="The number of a kept clip.")]


class _AnswerForm(Form):
    """``seat``: for which a referee agrees, since nobody there has a phone."""

    do: Literal["agree", "refuse", "delete"]
    seat: Number | None = None


def decided(decision: Decision | None, story: Story) -> dict[str, Any]:
    """The variables of ``parts/appeal.html``."""
    effect = decision and decision.effect
    return {"decision": decision, "differences": list(differences(effect, story)) if effect else []}


def clip_routes(router: APIRouter, context: Context) -> None:
    """Routes for clips, which are open to everybody: a clip shows nothing that did not lie on the pile for all to see.
    Whom a card concerns may appeal against its reading."""

    async def clip_html(
        game: int, story: Story, moment: Moment, person: Person, client: str, decision: Decision | None = None
    ) -> Response:
        touch, found = touch_of(story, moment), await find(game, story, moment, client)
        may = found and touch is not None and touch in story.standing and may_appeal(person, touch)
        return show(
            person, game, story, moment, found,
            **decided(decision, story), may_appeal=may, may_keep=found and person.may("player"),
        )  # fmt: skip

    async def find(game: int, story: Story, moment: Moment, client: str) -> PileClip | None:
        touch, table = touch_of(story, moment), context.live_table
        if touch is None or table is None or game != context.live_game:
            return None
        t, until, pile_clip = story.first(touch).t, story.first(moment).t + 0.5, table.pile_clip
        return await context.clip_thread.run(client, lambda: pile_clip(t, until))

    def show(
        person: Person, game: int, story: Story, moment: Moment, found: PileClip | None, **variables: object
    ) -> Response:
        data = found and {
            "touch": found.t, "frames": [(t, b64encode(jpeg).decode()) for t, jpeg in found.frames],
        }  # fmt: skip
        page = context.html(
            "clip", person, game=game, story=story, n=moment.n, said=story.describe(moment), clip=found, data=data,
            marks=marks(story, found) if found else (), **(_NOTHING | variables),
        )  # fmt: skip
        page.headers["cache-control"] = "no-store"
        return page

    def is_of(person: Person, saved: SavedClip) -> bool:
        """Whether a person was seated when the clip was asked for, or is a referee."""
        names = context.seat_names()
        seat = person.seat
        is_there = seat is not None and seat < len(names) and saved.names.get(seat) == names[seat]
        return person.may("referee") or is_there

    def find_saved(number: int, person: Person) -> SavedClip:
        """The clip, or the answer 403 or 404."""
        require(person, "player")
        if (saved := context.saved_clips.get(number)) is None or not is_of(person, saved):
            raise HTTPException(404, _("There is no such clip."))
        return saved

    def may_agree(person: Person, saved: SavedClip) -> list[int]:
        """The seats for which a person may agree: the own one; a referee for those without a phone."""
        if person.may("referee"):
            return sorted(saved.waits_for - context.accounts.players.keys())
        return [seat for seat in (person.seat,) if seat is not None and seat in saved.waits_for]

    @router.post("/games/{game}/clip/keep")
    async def keep(
        request: Request, game: GameNumber, person: Who, client: Client, form: Posted[_AppealForm]
    ) -> Response:
        """Ask everybody who is seated whether a clip may be saved."""
        require(person, "player")
        context.require_live(game)
        story = context.live_story()
        moment, free = story.at(form.n), story.free_seats
        if (found := await find(game, story, moment, client)) is None:
            gone = _("This clip is gone: clips are dropped after 90 seconds, and when the next round is dealt.")
            raise HTTPException(409, gone)
        names = {seat: name for seat, name in enumerate(story.header.seats) if seat not in free}
        if (saved := context.saved_clips.ask(game, moment.n, found, names)) is None:
            raise HTTPException(409, _("There is no room for another clip: delete one first."))
        if person.seat is not None:
            context.saved_clips.agree(saved.number, person.seat)
        context.stream.ring()
        return RedirectResponse(f"/clips/{saved.number}", 303)

    @router.get("/clips", response_class=HTMLResponse)
    async def clips(person: Who) -> Response:
        """The clips that are saved, or are to be."""
        require(person, "player")
        saved = [one for one in context.saved_clips.all() if is_of(person, one)]
        return context.html("clips", person, clips=saved)

    @router.get("/clips/{clip}", response_class=HTMLResponse)
    async def saved_clip(clip: ClipNumber, person: Who, client: Client) -> Response:
        """A clip that is saved, or is to be, and who has to agree."""
        saved = find_saved(clip, person)
        story = await context.with_story(saved.game, client, lambda story: story)
        moment = story.at(saved.n)
        return show(person, saved.game, story, moment, saved.clip, kept=saved, seats=may_agree(person, saved))

    @router.get("/clips/{clip}/pictures.zip")
    async def pictures(clip: ClipNumber, person: Who) -> Response:
        """The pictures of a kept clip, named by their time (ms) after the touch."""
        saved = find_saved(clip, person)
        if not saved.has_consent:
            raise HTTPException(409, _("It is not kept yet: not everybody has agreed."))
        file = BytesIO()
        with ZipFile(file, "w") as archive:
            for n, (t, jpeg) in enumerate(saved.clip.frames):
                archive.writestr(f"{n:03}_{1000 * (t - saved.clip.t):+.0f}ms.jpg", jpeg)
        headers = {"content-disposition": f"attachment; filename=clip-{clip}.zip", "cache-control": "no-store"}
        return Response(file.getvalue(), media_type="application/zip", headers=headers)

    @router.post("/clips/{clip}")
    async def answer(request: Request, clip: ClipNumber, person: Who, form: Posted[_AnswerForm]) -> Response:
        """Agree that a clip is saved, refuse it, or delete one that is saved."""
        saved = find_saved(clip, person)
        if form.do == "agree":
            seat = person.seat if form.seat is None else form.seat
            if seat is None or (seat != person.seat and seat not in may_agree(person, saved)):
                raise HTTPException(403, _("You are not allowed to do that. Log in with your code first."))
            context.saved_clips.agree(clip, seat)
        else:
            context.saved_clips.drop(clip)
        context.stream.ring()
        return RedirectResponse(f"/clips/{clip}" if form.do == "agree" else "/clips", 303)

    @router.get("/games/{game}/clip", response_class=HTMLResponse)
    async def clip(game: GameNumber, person: Who, client: Client, at: Place = None) -> Response:
        """The pile around the touch of a card, slowly, by default of the last; with a note where the clip is gone."""
        story = await context.with_story(game, client, lambda story: story)
        moment = story.at(max(clips_of(story, game), default=None) if at is None else at)
        return await clip_html(game, story, moment, person, client)

    @router.post("/games/{game}/appeal", response_class=HTMLResponse)
    async def appeal(
        request: Request, game: GameNumber, person: Who, client: Client, form: Posted[_AppealForm]
    ) -> Response:
        """Read the kept pictures of a card again, and correct the record where they are sure."""
        table, _state = context.require_live(game)
        story = context.live_story()
        moment = story.at(form.n)
        touch = touch_of(story, moment)
        if touch is None or touch not in story.standing:
            raise HTTPException(409, _("That is no longer in the record. Check what is there now."))
        if not may_appeal(person, touch):
            raise HTTPException(403, _("You are not allowed to do that. Log in with your code first."))
        t = story.first(touch).t
        verdict = await context.appeal_thread.run(client, lambda: table.appeal(t))
        story = context.live_story()
        decision = decide_appeal(story, touch, verdict)
        if decision.correction is not None:
            table.submit(decision.correction)
        if "hx-request" in request.headers:
            return HTMLResponse(context.pages.render("parts/appeal", game=game, **decided(decision, story)))
        return await clip_html(game, story, moment, person, client, decision)
