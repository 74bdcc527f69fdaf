"""The commands of tournament for a hub, its director, and readers of its standings."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from datetime import datetime
from functools import partial
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import urlsplit

import typer

from croupier import plugins
from croupier.cli.options import AsJson, Host, one_of
from croupier.ctrl_c import terminal
from croupier.errors import marked, one_line
from croupier.i18n import _, localize
from croupier.optional_dependencies import requires_extra
from croupier_extras.errors import MQTT
from croupier_hub import DIRECTOR_FILE
from croupier_hub.errors import BadOutbox, BadPlan, HubRefuses
from croupier_hub.log_lines import FORMS, LOG, log_as

if TYPE_CHECKING:
    from croupier_extras.spreadsheets import Sheet

HUB_PORT: Final = 8400
SIMULATORS: Final = "croupier.tournament_simulators"
"""Entry point group of what plays a tournament without hardware."""
HELPERS: Final = ("director", "admin", "referee")
STATES: Final = ("expected", "here", "withdrawn")
_KEY: Final = r"[0-9a-f]{64}"


def _key(text: str) -> str:
    if not re.fullmatch(_KEY, text):
        raise typer.BadParameter(_("{key}: expected the key of a table, 64 digits 0-9 a-f", key=one_line(text)))
    return text


Address = Annotated[str, typer.Option("--hub", metavar="URL", envvar="CROUPIER_HUB", help="The address of the hub.")]
Director = Annotated[
    str, typer.Option("--director", metavar="FILE", help="The director's file, with the key; it is made if missing.")
]
DirectorFile = Annotated[
    Path, typer.Option("--director", metavar="FILE", help="The director's file, made by croupier tournament hub.")
]
_DATABASE: Final = "SQLite, or PostgreSQL: postgresql+psycopg://user@host/name."
_HERE: Final = f"http://127.0.0.1:{HUB_PORT}"


def hub(
    database: Annotated[str, typer.Option(metavar="URL", help=_DATABASE)] = "sqlite:///hub.db",
    director: Director = str(DIRECTOR_FILE),
    host: Host = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="The port of the hub.")] = HUB_PORT,
    forward: Annotated[
        str | None, typer.Option(metavar="URL", help="Send everything on to this hub too, as of a federation.")
    ] = None,
    cosigner: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Let this hub sign how long each log is; may be given several times."),
    ] = None,
    cosign_for: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Sign it for others too: keys of their director and tables, one a line."),
    ] = None,
    broker: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="house.toml of tournament broker: the director’s page shows which tables are on."
        ),
    ] = None,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Processes behind the address, such as one a processor.")
    ] = 1,
    log: Annotated[
        str,
        typer.Option("--log", metavar="NAME", callback=one_of(FORMS), help="text, or json: an object a line."),
    ] = FORMS[0],
) -> None:
    """Collect the results of many tables, until Ctrl-C.

    The director's key is in a file, which is made at the first start; --director KEY serves the tournament of
    somebody whose file is elsewhere. Several hubs may share one PostgreSQL.
    """
    from croupier.web.addresses import AddressReport, PageAddresses
    from croupier_hub.cosigning import cosigned_by
    from croupier_hub.forwarding import forwarding
    from croupier_hub.metrics import counted_together
    from croupier_hub.off_time import clock_on_disk, report_off_time
    from croupier_hub.outbox import Outbox
    from croupier_hub.pages.site import create_site, open_site
    from croupier_hub.serving import serve
    from croupier_hub.store import LogStore

    log_as(log)
    say: Callable[[str], None] = print if log == FORMS[0] else LOG.info
    warn: Callable[[str], None] = _warn if log == FORMS[0] else LOG.warning
    look = None
    if broker is not None:
        with requires_extra(MQTT):
            from croupier_hub.presence import Presence, mqtt_account
        look = partial(Presence, mqtt_account(broker))
    file: Path | None
    if re.fullmatch(_KEY, director):
        key, file = director, None
    else:
        with Outbox(file := Path(director)) as outbox:
            key = outbox.log
    store = LogStore(database, key)

    def greet(address: str, addresses: PageAddresses) -> None:
        say(_("the hub is at {address}; press Ctrl-C to stop", address=address))
        AddressReport(addresses, lambda line, _style: say(line), with_code=False).print_new()
        say(_("the director’s key: {key}", key=key))
        if file is not None:
            say(_("the director’s page: croupier tournament invite"))
        sys.stdout.flush()

    with ExitStack() as stack:
        stack.enter_context(closing(store))
        if file is not None:
            try:
                report_off_time(store, file, time())
            except (BadOutbox, HubRefuses) as err:
                warn(localize(err)[0])
            stack.enter_context(clock_on_disk(file, time))
        if forward is not None:
            stack.enter_context(forwarding(store, forward, warn))
        for url in cosigner or ():
            stack.enter_context(cosigned_by(store, url, warn))
        if processes > 1:
            stack.enter_context(counted_together())
            make = partial(open_site, database, key, file, look, cosign_for, log)
        else:
            presence = None if look is None else stack.enter_context(closing(look()))
            make = partial(create_site, store, director_file=file, presence=presence, cosign_for=cosign_for)
        serve(make, host, port, greet, processes)


def enroll(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The key that the table shows.", callback=_key)],
    table: Annotated[int, typer.Option(metavar="N", min=1, max=1_000_000, help="The number of the table.")],
    from_round: Annotated[
        int, typer.Option(metavar="N", min=1, max=1_000_000, help="The first round in which it speaks for the table.")
    ] = 1,
    director: DirectorFile = DIRECTOR_FILE,
    hub: Address = _HERE,
) -> None:
    """As the director: say which key is which table."""
    from croupier_hub.client import HubClient
    from croupier_hub.director import enroll, write

    with HubClient(hub) as client:
        write(client, director, lambda known: enroll(known, key, table, from_round))
    print(_("Table {n}", n=table) + f": {key}")


def publish(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A plan as JSON.", show_default=False)],
    from_round: Annotated[
        int, typer.Option(metavar="N", min=1, max=1_000_000, help="Its first round becomes this one.")
    ] = 1,
    director: DirectorFile = DIRECTOR_FILE,
    hub: Address = _HERE,
) -> None:
    """As the director: publish the rounds of a plan.

    Rounds that were published before stay as they are, unless their seats have changed.
    """
    from croupier_hub.client import HubClient
    from croupier_hub.director import publish, write
    from croupier_hub.plan_files import read_plan

    made = read_plan(plan)
    with HubClient(hub) as client:
        new = write(client, director, lambda known: publish(known, made, from_round))
    print(_("rounds published: {n}", n=new))


def end(
    number: Annotated[int, typer.Argument(metavar="ROUND", min=1, help="The number of the round.")],
    anyway: Annotated[bool, typer.Option("--anyway", help="Do not wait for tables without a result.")] = False,
    director: DirectorFile = DIRECTOR_FILE,
    hub: Address = _HERE,
) -> None:
    """As the director: end a round. What comes later does not count."""
    from croupier_hub.client import HubClient
    from croupier_hub.director import end, write

    with HubClient(hub) as client:
        write(client, director, lambda known: end(known, number, _results(client), anyway=anyway))
    print(_("round {n} has ended", n=number))


def invite(
    role: Annotated[
        str, typer.Argument(metavar="NAME", callback=one_of(HELPERS), help="director, admin or referee.")
    ] = HELPERS[0],
    director: DirectorFile = DIRECTOR_FILE,
    hub: Address = _HERE,
) -> None:
    """As the director: print a link to the pages of the director and of those who help.

    A referee answers calls from the tables, an admin also checks players in, a director does everything. The link is
    good for a week.
    """
    from croupier_hub.director import invite_helper, open_outbox
    from croupier_hub.pages.badges import reachable

    with open_outbox(director) as outbox:
        _who, ticket = invite_helper(outbox, role, time())
    print(f"{reachable(hub)}/enter/{ticket}")


def report_sheet(sheet: Sheet) -> None:
    """Print how a table was understood; not where the results of a command go."""
    doubt = [_(sheet.doubt)] if sheet.doubt else []
    print(*sheet.understood(), *(f"  {row}" for row in sheet.first_rows()), *doubt, sep="\n", file=sys.stderr)


def agree(sheet: Sheet, question: str, *, yes: bool) -> None:
    """Show how a table was understood, and ask whether that is right. ``yes``: do not ask; only what is beyond doubt is
    right then.

    Raises:
        BadPlan: it is not right, or nobody can be asked.
    """
    report_sheet(sheet)
    ask = terminal()
    if yes and not sheet.doubt:
        return
    if sheet.doubt and (yes or ask is None):
        text = marked("{file}: no header says which column has the names; put a line above such as {titles}")
        raise BadPlan(text, file=sheet.file, titles=_("Name"))
    if ask is None:
        raise BadPlan(
            marked("{file}: nothing was written; look at what was understood, and add --yes"), file=sheet.file
        )
    answer = ask(f"{question} [{_('yes')}/{_('no')}] ").strip().casefold()
    if not answer or not _("yes").casefold().startswith(answer):
        raise BadPlan(marked("{file}: nothing was written"), file=sheet.file)


def register(
    names: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Names of the players, one a line, or a table as CSV.", show_default=False),
    ],
    state: Annotated[
        str,
        typer.Option("--as", metavar="NAME", callback=one_of(STATES), help="expected, here or withdrawn."),
    ] = STATES[0],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether the file was understood.")] = False,
    director: DirectorFile = DIRECTOR_FILE,
    hub: Address = _HERE,
) -> None:
    """As the director: register players, check them in, or let them withdraw.

    It tells how the file was understood, and asks before anything is written.
    """
    from croupier_extras.spreadsheets import read_file
    from croupier_hub.client import HubClient
    from croupier_hub.director import attend, write
    from croupier_hub.plan_files import listed_names

    sheet = read_file(names, "player")
    found = listed_names(sheet)
    agree(sheet, _("Players: {n}. Go on?", n=len(found)), yes=yes)
    with HubClient(hub) as client:
        new = write(client, director, lambda known: attend(known, found, state))  # type: ignore[arg-type]  # one of `STATES`
    print(_("players with another state: {n}", n=new))


def players(
    here: Annotated[bool, typer.Option("--here", help="Only the names of those who are here, for a plan.")] = False,
    hub: Address = _HERE,
) -> None:
    """Print the registered players, and who is here."""
    from croupier_extras.spreadsheets import quoted
    from croupier_hub.client import DirectorsLog, HubClient
    from croupier_hub.standings import directed

    log = DirectorsLog()
    with HubClient(hub) as client:
        log.update(client)
    known = directed(log.lines)
    for name in known.names:
        if here and known.state(name) == "here":
            print(quoted(one_line(name)))
        elif not here:
            print(f"{one_line(name)}: {known.state(name) or '–'}")


def penalty(
    player: Annotated[str, typer.Argument(metavar="NAME", help="The name of the player.")],
    points: Annotated[int, typer.Argument(metavar="N", min=0, max=1_000_000, help="0 takes the penalty back.")],
    number: Annotated[int, typer.Option("--round", metavar="N", min=1, help="The number of the round.")],
    why: Annotated[str, typer.Option(metavar="NAME", help="Why, for everybody to read.")] = "",
    director: DirectorFile = DIRECTOR_FILE,
    hub: Address = _HERE,
) -> None:
    """As the director: take points from a player, in place of those taken for the same round before."""
    from croupier_hub.client import HubClient
    from croupier_hub.director import penalize, write

    with HubClient(hub) as client:
        write(client, director, lambda known: penalize(known, player, number, points, why[:200]))
    print(_("{name} loses {n} points for round {round}", name=one_line(player), n=points, round=number))


def badges(
    pdf: Annotated[Path, typer.Option("--pdf", metavar="FILE", help="The PDF, a new file.")] = Path("badges.pdf"),
    director: DirectorFile = DIRECTOR_FILE,
    hub: Address = _HERE,
) -> None:
    """As the director: write name badges, each with a QR code to check in and sit down."""
    from croupier.output_files import check_new, write_new
    from croupier_hub.client import DirectorsLog, HubClient
    from croupier_hub.director import open_outbox
    from croupier_hub.pages.badges import badges_pdf
    from croupier_hub.standings import directed

    check_new(pdf, "--pdf")
    with HubClient(hub) as client, open_outbox(director) as outbox:
        log = DirectorsLog(outbox.log)
        log.update(client)
        write_new(pdf, badges_pdf(directed(log.lines), outbox.sign, hub, time()), "--pdf")


def broker(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the files go.", show_default=False)],
    director: DirectorFile = DIRECTOR_FILE,
    hub: Address = _HERE,
) -> None:
    """As the director: write accounts and rights for the broker mosquitto, and the section [mqtt] of each table.

    It runs at the hub’s address. Give each table its file and ca.pem, and the hub house.toml (--broker). Repeat the
    command when tables were enrolled; passwords stay as they are.
    """
    from croupier_hub.client import DirectorsLog, HubClient
    from croupier_hub.director import open_outbox
    from croupier_hub.mosquitto import write_broker
    from croupier_hub.pages.badges import reachable
    from croupier_hub.standings import directed

    with HubClient(hub) as client, open_outbox(director) as outbox:
        log = DirectorsLog(outbox.log)
        log.update(client)
        host = urlsplit(reachable(hub)).hostname or ""
        count = write_broker(directed(log.lines), outbox.sign, host, folder)
    print(_("{folder}: {n} files", folder=folder, n=count))


def standings(
    hub: Address = _HERE,
    pdf: Annotated[Path | None, typer.Option("--pdf", metavar="FILE", help="The PDF, a new file.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a table for a spreadsheet.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the standings of a tournament."""
    from croupier.output_files import check_new, write_new
    from croupier_extras.spreadsheets import print_csv
    from croupier_hub.client import HubClient
    from croupier_hub.report import standings_pdf
    from croupier_hub.results import print_standings, standings_csv

    if pdf is not None:
        check_new(pdf, "--pdf")
    with HubClient(hub) as client:
        if pdf is not None:
            write_new(pdf, standings_pdf(_results(client)), "--pdf")
        if as_json:
            print(client.get("/standings").decode())
        elif as_csv:
            print_csv(standings_csv(_results(client)))
        else:
            print_standings(_results(client))


def export(
    hub: Address = _HERE,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write a new file instead of printing.")
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of results, with an example.")
    ] = False,
    check: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Check a file of results instead.", show_default=False)
    ] = None,
) -> None:
    """Print all results of a tournament as JSON, for other programs."""
    from croupier.output_files import check_new, write_new
    from croupier_hub import results
    from croupier_hub.client import HubClient

    if out is not None:
        check_new(out, "--out")
    if check is not None:
        checked = results.check(check)
        print(_("{file}: the results of {n} players", file=check, n=len(checked.standings)))
        return
    if schema:
        text = json.dumps(results.schema(), indent=1) + "\n"
    else:
        with HubClient(hub) as client:
            text = json.dumps(_results(client), indent=1, ensure_ascii=False) + "\n"
    if out is not None:
        write_new(out, text.encode(), "--out")
    else:
        sys.stdout.write(text)


def verify(
    where: Annotated[
        str, typer.Argument(metavar="WHERE", help="The address of a hub; or a file of a hub, a table or a game.")
    ],
    receipts: Annotated[
        list[str] | None, typer.Argument(metavar="[RECEIPT]...", help="Codes of score sheets.", show_default=False)
    ] = None,
    kept: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A head that was kept: the answer of /checkpoints/KEY, or a table’s file."),
    ] = None,
) -> int:
    """Check logs, and receipts by them: that nothing was changed or cut."""
    from croupier.console import Printer
    from croupier_hub.client import HubClient
    from croupier_hub.verification import Report, heads_in, verify_file, verify_hub

    printer, found = Printer(), list[str]()

    def bad(line: str) -> None:
        found.append(line)
        printer.print(line, style="red")

    report = Report(printer.print, bad)
    heads = [one for file in kept or () for one in heads_in(file)]
    if where.startswith(("http://", "https://")):
        with HubClient(where) as client:
            verify_hub(client, receipts or (), heads, report)
    else:
        verify_file(Path(where), receipts or (), heads, report)
    return 1 if found else 0


def timer(
    number: Annotated[int, typer.Argument(metavar="ROUND", min=1, help="The number of the round.")],
    minutes: Annotated[float, typer.Option(metavar="N", min=0, max=10_000, help="How long it lasts from now on.")] = 50,
    director: DirectorFile = DIRECTOR_FILE,
    hub: Address = _HERE,
) -> None:
    """As the director: start the clock of a round on all screens. It ends nothing."""
    from croupier_hub.client import HubClient
    from croupier_hub.director import time_round, write

    ends = round(time() + 60 * minutes)
    with HubClient(hub) as client:
        write(client, director, lambda known: time_round(known, number, ends))
    print(_("round {n} ends at {time}", n=number, time=f"{datetime.fromtimestamp(ends):%H:%M:%S}"))


def pages(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the files go.", show_default=False)],
    hub: Address = _HERE,
) -> None:
    """Write standings and results as HTML and JSON, for any web server.

    Each file is replaced as a whole: repeat the command as often as people want news.
    """
    from croupier_hub.client import HubClient
    from croupier_hub.pages.static_site import write_site

    with HubClient(hub) as client:
        count = write_site(_results(client), folder)
    print(_("{folder}: {n} files", folder=folder, n=count))


def demo(
    tables: Annotated[int, typer.Option(metavar="N", min=1, max=100, help="How many tables, of four players.")] = 8,
    rounds: Annotated[int, typer.Option(metavar="N", min=1, help="How many rounds are played.")] = 3,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed plays the same game.")] = 1,
    speed: Annotated[float, typer.Option(metavar="X", min=0.1, help="Simulated seconds in a second.")] = 20.0,
    database: Annotated[str | None, typer.Option(metavar="URL", help=_DATABASE, show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Play a whole tournament at simulated tables.

    Only people, cards and cameras are simulated; hub, director and tables are real.
    """
    plugins.load(SIMULATORS, "tables", "croupier-sim")(tables, rounds, seed, speed, database, as_json=as_json)


def _warn(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _results(client: Any) -> dict[str, Any]:
    from pydantic import ValidationError

    from croupier_hub.results import Results

    try:
        return Results.model_validate_json(client.get("/results")).model_dump()
    except ValidationError as err:
        raise client.no_hub() from err


COMMANDS: Final[dict[Callable[..., int | None], tuple[str, ...]]] = {
    hub: ("", "--host 0.0.0.0 --broker broker/house.toml", "--director KEY --forward https://federation.example.org"),
    enroll: ("KEY --table 1",),
    publish: ("plan.json", "rest.json --from-round 3"),
    invite: ("", "referee"),
    register: ("players.csv", "gone.txt --as withdrawn --yes"),
    players: ("", "--here"),
    penalty: ("Ann 20 --round 2 --why late",),
    badges: ("--pdf badges.pdf",),
    broker: ("broker",),
    end: ("1", "1 --anyway"),
    timer: ("1 --minutes 50",),
    standings: ("", "--csv > scores.csv", "--json", "--pdf standings.pdf"),
    verify: ("http://192.168.1.20:8400 7KQ2-M4XD-9TRA", "table.outbox", "hub.db --kept checkpoint.txt"),
    pages: ("/var/www/html/tournament",),
    demo: ("", "--tables 3 --rounds 2 --speed 100"),
    export: ("", "--schema", "--check results.json", "--out results.json"),
}
"""The commands, and examples of their arguments."""
