"""The commands notation and position: a game as a text that a person can read, and how it stands as one line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from croupier.cli.help_texts import offer

if TYPE_CHECKING:
    from croupier_rules.referee import Header, Observation


def notation(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A table log, or its text; - for standard input.", show_default=False)
    ],
) -> None:
    """Write a table log as a text that a person can read, or such a text as a table log."""
    from croupier_rules.referee.game_text import game_to_text
    from croupier_rules.referee.observations import to_json

    header, observations, is_log = _read(game)
    if is_log:
        print(game_to_text(header, observations), end="")
        return
    for line in (header.to_json(), *map(to_json, observations)):
        print(json.dumps(line, ensure_ascii=False))


def position(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME", help="A table log, its text, - for standard input; or a position.", show_default=False
        ),
    ],
    after: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="After the Nth report; by default after the last.", show_default=False),
    ] = None,
) -> None:
    """Print how a game stands as one line of text; of such a line the position as JSON."""
    from croupier_rules.referee import Referee
    from croupier_rules.referee.position_text import position_from_text, position_to_text

    if " " in game and after is None:
        print(json.dumps(position_from_text(game), ensure_ascii=False))
        return
    header, observations, _is_log = _read(game)
    referee = Referee(header)
    for observation in observations[:after]:
        referee.observe(observation)
    print(position_to_text(referee.position()))


def _read(game: str) -> tuple[Header, list[Observation], bool]:
    """The header, the observations, and whether it is a table log."""
    from croupier.journal.log_file import opened
    from croupier.log_replay import Record, place, replay_lines
    from croupier_rules.errors import BadLog
    from croupier_rules.referee import Header
    from croupier_rules.referee.game_text import game_from_text

    with opened(game) as file:
        data = file.read()
    if not data.lstrip().startswith(b"["):
        header, *records = replay_lines(data.splitlines(keepends=True), place(game))
        assert isinstance(header, Header)
        return header, [one.observation for one in records if isinstance(one, Record)], True
    try:
        return (*game_from_text(data.decode()), False)
    except UnicodeDecodeError as err:
        raise BadLog(f"{place(game)}: expected UTF-8") from err
    except BadLog as err:
        raise BadLog(f"{place(game)}, {err}") from err


notation_app = typer.Typer(rich_markup_mode=None)
offer(notation_app, notation, "game.jsonl > game.txt", "game.txt > game.jsonl")
position_app = typer.Typer(rich_markup_mode=None)
offer(position_app, position, "game.jsonl", "game.txt --after 12", '"turn 0 left red-7 7/7/7/7"')
