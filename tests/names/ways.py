"""Every way on which a name comes into the program, and on which it goes out; `python -m tests.names.ways` counts.

A way in takes names that stand together, and returns them as they are kept. It raises `Refused` with what the person is
told. A way out returns the text that somebody reads, or a machine.
"""

from __future__ import annotations

import html
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Final

import httpx

from croupier.cli.main import run
from croupier.commands import StartGame
from croupier.config import change, load
from croupier.console import Console
from croupier.errors import CroupierError
from croupier.events import CommandGiven
from croupier.i18n import localize
from croupier.journal import Archive, Journal, text_of
from croupier.names import join_names, shorten
from croupier.replay.games import list_games
from croupier.runtime import host
from croupier.runtime.terminal import Terminal
from croupier.runtime.typed import TypedWords
from croupier.setup.draft import Draft
from croupier.web.accounts import Person
from croupier.web.forms import possible
from croupier_extras.home_automation.home_assistant import RoundCounter, TableState, Topics, discovery
from croupier_extras.spreadsheets import quoted, read_sheet, to_csv
from croupier_extras.voice.synthesis import speakable
from croupier_hub.director import attend, publish
from croupier_hub.plan_files import listed_names, read_plan
from croupier_hub.planner import make
from croupier_hub.report import print_plan
from croupier_hub.results import print_standings
from croupier_hub.standings import directed
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee.corrections import ChangePlayers
from croupier_rules.referee.position import Position
from croupier_rules.rules import load as ruleset
from croupier_tally.page.routes import NewSheetForm
from croupier_tally.round_entry import RoundEntry
from croupier_tally.score_output import print_score
from croupier_tally.score_sheet import new_sheet
from croupier_tally.score_sheet import read_sheet as read_score
from tests.journal.games import game_lines
from tests.names.table import ACCEPTED, ALIKE, NAMES, REFUSED
from tests.web.tables import Page, page, reached

OTHER: Final = "Xaver"
"""Who plays, too, where one name is not enough; he looks like nobody else."""

RULES: Final = ruleset("g7942-en")
ADMIN: Final = Person("admin")


class Refused(Exception):
    """Why a name was not taken, as a person reads it."""


Take = Callable[[Sequence[str]], Sequence[str]]
Way = Callable[[Path], Iterator[Take]]


@contextmanager
def told() -> Iterator[None]:
    """Errors of the program are what people are told."""
    try:
        yield
    except CroupierError as err:
        raise Refused(" ".join(localize(err))) from err


def _with_other(names: Sequence[str]) -> list[str]:
    return [*names, OTHER]


# -- ways in ---------------------------------------------------------------------------------------------------------


def configuration(folder: Path) -> Iterator[Take]:
    """The names in `croupier.toml`, as people write them; also what the page's settings write."""
    file = folder / "croupier.toml"

    def take(names: Sequence[str]) -> Sequence[str]:
        file.write_text(f"[seats]\nnames = {json.dumps(_with_other(names), ensure_ascii=False)}\n", encoding="utf-8")
        with told():
            return load(file).seats.names[:-1]

    yield take


def settings(folder: Path) -> Iterator[Take]:
    """The names that a program writes into `croupier.toml`."""
    file = folder / "settings.toml"
    file.write_text("# ours\n", encoding="utf-8")

    def take(names: Sequence[str]) -> Sequence[str]:
        with told():
            change(file, {("seats", "names"): _with_other(names)})
            return load(file).seats.names[:-1]

    yield take


def table_name(folder: Path) -> Iterator[Take]:
    """The name of a table: one at a time."""
    file = folder / "table.toml"

    def take(names: Sequence[str]) -> Sequence[str]:
        found = []
        for name in names:
            file.write_text(f"[table]\nname = {json.dumps(name, ensure_ascii=False)}\n", encoding="utf-8")
            with told():
                found.append(load(file).table.name)
        return found

    yield take


def host_command(folder: Path) -> Iterator[Take]:
    """`croupier host NAME …`."""

    def take(names: Sequence[str]) -> Sequence[str]:
        file = folder / "host.toml"
        file.unlink(missing_ok=True)
        with told():
            options = host.new_options(file, _with_other(names), "none", (), None)
            host.check(file, options)
            change(file, options)
            return load(file).seats.names[:-1]

    yield take


def host_question(folder: Path) -> Iterator[Take]:
    """The question who plays, at the first start of `croupier host`."""

    def take(names: Sequence[str]) -> Sequence[str]:
        file = folder / "asked.toml"
        file.unlink(missing_ok=True)
        answers = iter([join_names(_with_other(names)), ""])
        shown = StringIO()
        with redirect_stdout(shown):
            options = host.new_options(file, (), "none", (), lambda question: next(answers))
        if text := shown.getvalue():
            raise Refused(text)
        change(file, options)
        return load(file).seats.names[:-1]

    yield take


def setup(folder: Path) -> Iterator[Take]:
    """The question of `croupier setup`, at a terminal or on its page."""

    def take(names: Sequence[str]) -> Sequence[str]:
        draft = Draft(folder / "setup.toml")
        if why := draft.answer(("seats", "names"), join_names(_with_other(names))):
            raise Refused(why)
        return draft.config().seats.names[:-1]

    yield take


def terminal_of_a_table(folder: Path) -> Iterator[Take]:
    """The command join at the terminal of a running table."""

    def take(names: Sequence[str]) -> Sequence[str]:
        seats = [OTHER, *(f"Seat {place}" for place in range(len(names)))]
        for place, name in enumerate(names, start=1):
            words = TypedWords(seats, Explainer(Header(ruleset=RULES, seats=tuple(seats)), "en"))
            with told():
                event = words.parse(f"join {place + 1} {name}", 0.0, lambda key: None)
            assert isinstance(event, CommandGiven)
            assert isinstance(event.command, ChangePlayers)
            seats[place] = event.command.name or ""
        return seats[1:]

    yield take


def score_new(folder: Path) -> Iterator[Take]:
    """`croupier score new NAME …`, and the sheet that it writes."""

    def take(names: Sequence[str]) -> Sequence[str]:
        file, said = folder / "evening.score", StringIO()
        file.unlink(missing_ok=True)
        with redirect_stdout(StringIO()), redirect_stderr(said):
            status = run(["score", "new", "--sheet", str(file), "--", *_with_other(names)])
        if status:
            raise Refused(" ".join(said.getvalue().split()))
        sheet = read_score(file)
        entry = RoundEntry(sheet, None, lambda deck: (), folder)
        for name, typed in zip(sheet.names, _with_other(names), strict=True):
            assert entry.parse([f"{typed}=out"]) == {sheet.names.index(name): "out"}, "the hands are found by it"
        return sheet.names[:-1]

    yield take


def score_page(folder: Path) -> Iterator[Take]:
    """A new score sheet on the page."""

    def take(names: Sequence[str]) -> Sequence[str]:
        fields = {f"name-{place}": name for place, name in enumerate(_with_other(names))}
        with told(), possible():
            return NewSheetForm.model_validate(fields).sheet().names[:-1]

    yield take


def _wrong(answer: httpx.Response) -> str:
    found = re.search(r'class="wrong"[^>]*>(.*?)</p>', answer.text, re.DOTALL)
    return html.unescape(found[1] if found else re.sub(r"<[^>]*>", " ", answer.text))


def qr_code(folder: Path) -> Iterator[Take]:
    """A phone with the QR code of a seat."""
    with reached(), page(folder, game_lines(1)[:20]) as up:
        host_page = up.host()
        host_page.post("people/seats", data={"do": "trust"})

        def take(names: Sequence[str]) -> Sequence[str]:
            for seat in [*up.accounts.players]:
                host_page.post("people/seats", data={"do": "free", "seat": str(seat)})
            assert not up.accounts.players
            found = []
            for seat, name in enumerate(names):
                answer = up.client().post(f"join/{up.code(seat)}", data={"name": name})
                if answer.status_code != 303:
                    raise Refused(_wrong(answer))
                found.append(up.accounts.players[seat])
            return found

        yield take


def next_game(folder: Path) -> Iterator[Take]:
    """The form for the next game."""
    with page(folder, game_lines(1)[:1]) as up:
        up.table.may_start_game = True
        referee = up.client(Person("referee"))

        def take(names: Sequence[str]) -> Sequence[str]:
            up.table.commands.clear()
            fields = {f"name-{seat}": name for seat, name in enumerate(names)}
            answer = referee.post("games/1/begin", data=fields)
            if not up.table.commands:
                raise Refused(_wrong(answer))
            (command,) = up.table.commands
            assert isinstance(command, StartGame)
            return command.header.seats[: len(names)]

        yield take


def register(folder: Path) -> Iterator[Take]:
    """The director's register of players, and their state."""

    def take(names: Sequence[str]) -> Sequence[str]:
        lines: list[str] = []
        with told():
            for name in names:
                lines += [line.model_dump_json() for line in attend(directed(lines), [name], "here")]
        return [*directed(lines).players]

    yield take


def spreadsheet(folder: Path) -> Iterator[Take]:
    """A table of players, as the program writes one and a spreadsheet saves it."""

    def take(names: Sequence[str]) -> Sequence[str]:
        content = to_csv(["Name"], [[name] for name in _with_other(names)]).encode()
        with told():
            return listed_names(read_sheet(content, "players.csv", "player"))[:-1]

    yield take


def list_of_names(folder: Path) -> Iterator[Take]:
    """A list with a name on each line, as `croupier tournament players --here` prints it."""

    def take(names: Sequence[str]) -> Sequence[str]:
        content = "".join(f"{quoted(name)}\n" for name in _with_other(names)).encode()
        with told():
            return listed_names(read_sheet(content, "names.txt", "player"))[:-1]

    yield take


WAYS_IN: Final[dict[str, Way]] = {
    way.__name__: way
    for way in (
        configuration, settings, table_name, host_command, host_question, setup, terminal_of_a_table, score_new,
        score_page, qr_code, next_game, register, spreadsheet, list_of_names,
    )
}  # fmt: skip

CANNOT_SEND: Final = {
    "host_question": ("nothing", "a space"),
    "setup": ("nothing", "a space"),
    "terminal_of_a_table": ("nothing", "a space", "two lines"),
    "next_game": ("nothing", "a space"),
    "score_page": ("nothing", "a space"),
    "spreadsheet": ("nothing", "a space", "two lines"),
    "list_of_names": ("nothing", "a space", "two lines"),
}
"""What is no name on a way, but leaves one out, or is two."""

ONE_BY_ONE: Final = ("table_name",)
"""Ways on which no names stand together."""


def difference(take: Take, typed_id: str, text: str, kept: str | None, why: str) -> str:
    """What a way does otherwise than the table says; "" if nothing."""
    try:
        found = take([text])
    except Refused as refused:
        if kept is not None:
            return f"{typed_id}: refused: {refused}"
        return "" if why in str(refused) else f"{typed_id}: refused for another reason: {refused}"
    if kept is None:
        return f"{typed_id}: taken: {found!r}"
    return "" if [*found] == [kept] else f"{typed_id}: became {found!r}"


def differences(way: str, take: Take) -> Iterator[str]:
    """What a way does otherwise than the table says."""
    for typed in NAMES:
        if typed.id not in CANNOT_SEND.get(way, ()):
            yield difference(take, typed.id, typed.text, typed.kept, typed.why)
    for one, other in ALIKE if way not in ONE_BY_ONE else ():
        for pair in ((one, other), (other, one)):
            try:
                found = take(pair)
            except Refused:
                continue
            if len({*found}) > 1:
                yield f"{pair}: both taken: {found!r}"


# -- ways out --------------------------------------------------------------------------------------------------------


def _header(name: str) -> Header:
    return Header(ruleset=RULES, seats=(name, OTHER), dealer=0)


def on_the_terminal(name: str, folder: Path) -> str:
    """A line of a running table."""
    shown = StringIO()
    Terminal(Console(file=shown, width=300)).line(f"{name}: UNO!")
    return shown.getvalue()


def on_the_score_sheet(name: str, folder: Path) -> str:
    """`croupier score`."""
    with redirect_stdout(StringIO()) as shown:
        print_score(new_sheet((name, OTHER), RULES.name).story)
    return shown.getvalue()


def in_the_list_of_games(name: str, folder: Path) -> str:
    """`croupier journal list`."""
    with Journal(folder / "croupier.journal") as journal:
        journal.add([text_of(_header(name).to_json())], began=1.7e9)
    with Archive(folder / "croupier.journal") as archive:
        return str([*list_games(archive)][-1])


def at_the_broker(name: str, folder: Path) -> str:
    """What Home Assistant is told."""
    start = Position(phase="deal", owed={}, hands=(0, 0), scores=(0, 0), turn=0)
    found = discovery(Topics("table"), _header(name), name), TableState(_header(name), start, RoundCounter()).now
    return "\n".join(_texts(json.loads(json.dumps(found, default=str))))


def _texts(value: object) -> Iterator[str]:
    """All texts in what was read from JSON."""
    match value:
        case str():
            yield value
        case list() | dict():
            for one in value.values() if isinstance(value, dict) else value:
                yield from _texts(one)


def spoken(name: str, folder: Path) -> str:
    """What the voice is given."""
    return speakable(f"{name}: UNO!")


def planned(name: str, folder: Path) -> str:
    """A plan as it is printed, after its way through its file."""
    file, shown = folder / "plan.json", StringIO()
    file.write_text(json.dumps(make("single", 4, names=(name, OTHER, "B", "C")).to_json()), encoding="utf-8")
    plan = read_plan(file)
    assert any(name in seats for line in publish(directed([]), plan) for seats in line.tables.values())
    with redirect_stdout(shown):
        print_plan(plan)
    return shown.getvalue()


def in_the_standings(name: str, folder: Path) -> str:
    """`croupier tournament standings`."""
    results = {"standings": [{"place": 1, "player": name, "points": 5}], "rounds": [], "forks": {}, "lost": {}}
    with redirect_stdout(StringIO()) as shown:
        print_standings(results | {"quarantined": []})
    return shown.getvalue()


WAYS_OUT: Final[dict[str, Callable[[str, Path], str]]] = {
    way.__name__: way
    for way in (
        on_the_terminal, on_the_score_sheet, in_the_list_of_games, at_the_broker, spoken, planned, in_the_standings,
    )
}  # fmt: skip


def on_the_pages(names: Sequence[str], folder: Path) -> str:
    """Board, overlay, people and next game of a table at which all of them play."""
    header = Header(ruleset=RULES, seats=tuple(names), dealer=0)
    with page(folder, (text_of(header.to_json()),)) as up:
        up.table.may_start_game = True
        return _shown(up)


def _shown(up: Page) -> str:
    referee = up.host()
    paths = ("games/1/board", "overlay?parts=seats", "games/1/next")
    return "\0".join(html.unescape(referee.get(path).text) for path in paths)


MISSING: Final = "\N{REPLACEMENT CHARACTER}"


def spoiled(names: Sequence[str], shown: str, way: str) -> Iterator[str]:
    """The names that are not whole in what a way out shows; plates have room for twelve letters."""
    for part in shown.split("\0"):
        yield from (
            f"{way}: {name!r} is not whole" for name in names if name not in part and shorten(name, 12) not in part
        )
    if MISSING in shown:
        yield f"{way}: a letter is missing"


def outgoing(folder: Path) -> Iterator[str]:
    """What the ways out spoil."""
    names = [str(typed.kept) for typed in ACCEPTED]
    for way, show in WAYS_OUT.items():
        for name in names:
            yield from spoiled([name], show(name, folder), way)
    for first in range(0, len(names), 10):
        part = names[first : first + 10]
        if len(part) > 1:
            (at := folder / str(first)).mkdir()
            yield from spoiled(part, on_the_pages(part, at), "on_the_pages")


def incoming(way: str, folder: Path) -> list[str]:
    """What a way in does otherwise than the table says."""
    begun = contextmanager(WAYS_IN[way])
    with begun(folder) as take:
        return [f"{way}: {text}" for text in differences(way, take) if text]


def main() -> int:
    """Print the differences, and how many names were tried on how many ways."""
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for way in WAYS_IN:
            (at := Path(folder) / way).mkdir()
            found += incoming(way, at)
        found += outgoing(Path(folder))
    print(*found, sep="\n", end="\n" if found else "")
    print(
        f"{len(NAMES)} names ({len(ACCEPTED)} kept, {len(REFUSED)} refused) and {len(ALIKE)} pairs that look alike, "
        f"{len(WAYS_IN)} ways in, {len(WAYS_OUT) + 1} ways out: {len(found)} differences"
    )
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
