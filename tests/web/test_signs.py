"""The sign of a player: the same on every page, different at one table, told apart without colors."""

from __future__ import annotations

import json
import re
from itertools import combinations
from math import dist
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.errors import BadName
from croupier.game_views.signs import COLORS, NOBODY, SHAPES, Mark, marks_of, signs_of
from croupier.names import name_key
from croupier_extras.statistics.people import People, PeopleFile
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S
from tests.web.moments import MOMENTS
from tests.web.tables import PLAIN, page

NAMES = ["Ada", "Ben", "Émile", "Zoë", "Łukasz", "Ωmega", "Anna", "Ari", "Axel", "Bo", "Cy", "Dot", "Eva", "Finn"]
CARDS = "#c8281e", "#f0b400", "#2e8b3d", "#1d62b5", "#25762f", "#ff5a4d", "#ffcf33", "#6be07b", "#6db2ff"
"""The colors of the cards in all their tones on light and dark pages."""
tables = st.lists(st.sampled_from(NAMES), min_size=2, max_size=10, unique=True)
marks = st.builds(Mark, st.sampled_from(list(COLORS)), st.sampled_from(list(SHAPES)))


def linear(color: str) -> list[float]:
    levels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in levels]


def contrast(one: str, other: str) -> float:
    """As in WCAG 2."""
    dark, light = sorted(
        sum(part * weight for part, weight in zip(linear(color), (0.2126, 0.7152, 0.0722), strict=True))
        for color in (one, other)
    )
    return (light + 0.05) / (dark + 0.05)


def lab(color: str) -> tuple[float, float, float]:
    """CIELAB under D65."""
    r, g, b = linear(color)
    x, y, z = (
        part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116
        for part in (
            (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
            0.2126 * r + 0.7152 * g + 0.0722 * b,
            (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883,
        )
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one: str, other: str) -> float:
    return dist(lab(one), lab(other))


@given(tables, st.dictionaries(st.sampled_from(NAMES), marks))
def test_no_two_at_a_table_have_the_same_shape(names: list[str], chosen: dict[str, Mark]) -> None:
    known = marks_of(([name], chosen.get(name)) for name in NAMES[:12])
    signs = signs_of(names, known)
    assert len({sign.mark.shape for sign in signs}) == len(names)
    for name, sign in zip(names, signs, strict=True):
        assert sign.letter == name[0].upper()
        if name in chosen and name in NAMES[:12]:
            assert sign.mark.color == chosen[name].color


@given(tables)
def test_strangers_and_people_of_the_table_have_colors_of_their_own(names: list[str]) -> None:
    known = marks_of(([name], None) for name in NAMES[:12])
    assert len({sign.mark.color for sign in signs_of(names, NOBODY)}) == len(names)
    people = [name for name in names if name in NAMES[:12]]
    assert len({sign.mark for sign in signs_of(people, known)}) == len(people)


@given(st.permutations(NAMES[:8]), st.integers(1, 8))
def test_a_person_keeps_the_sign_at_every_table(names: list[str], count: int) -> None:
    known = marks_of(([name, f"{name} X"], None) for name in NAMES[:12])
    for name, sign in zip(names[:count], signs_of(names[:count], known), strict=True):
        assert sign.mark == known[name_key(name)] == known[name_key(f"{name} X")]


@pytest.mark.parametrize("name", COLORS)
def test_a_sign_is_read_and_is_no_card_color(name: str) -> None:
    fill, ink = COLORS[name]
    assert contrast(fill, ink) >= 4.5
    for ground in ("#fffdf7", "#f4efe4", "#1e1b17", "#14120f", "#26221c"):
        assert max(contrast(fill, ground), contrast(ink, ground)) >= 3
    assert min(distance(fill, card) for card in CARDS) > 25


def test_the_colors_are_far_from_each_other() -> None:
    fills = [fill for fill, _ink in COLORS.values()]
    assert min(distance(one, other) for one, other in combinations(fills, 2)) > 15
    assert len(set(SHAPES.values())) == len(SHAPES) == len(COLORS) == 12


def test_a_chosen_sign_goes_with_the_person(tmp_path: Path) -> None:
    file = PeopleFile(tmp_path / "journal")
    file.add(["Ada", "Ben"])
    file.mark("ben", Mark("plum", "heart"))
    file.rename("Ben", "Benjamin")
    people = PeopleFile(tmp_path / "journal").people()
    assert people.marks["benjamin"] == people.marks["ben"] == Mark("plum", "heart")
    assert People.parse(people.content) == people
    file.mark("Benjamin", None)
    assert file.people().known[1].mark is None
    with pytest.raises(BadName):
        file.people().marked("Nobody", None)
    with pytest.raises(ValueError, match="not a sign"):
        People.parse(people.content.replace(b"plum", b"red"))


_SIGN = re.compile(
    r'<svg class="player-sign"[^>]*aria-hidden="true"[^>]*><path fill="(#\w+)" stroke="(#\w+)"[^>]* d="([^"]+)"/>'
    r'<text[^>]*><tspan fill="\2">([^<]+)</tspan></text></svg>'
)


def test_a_player_has_the_same_sign_on_every_page(tmp_path: Path) -> None:
    lines = tuple(game_lines(5, rounds=2, target=150))
    with page(tmp_path, lines) as up, httpx.Client(base_url=up.server.url, verify=PLAIN, timeout=PATIENCE_S) as client:
        up.table.game = 1
        pages = {
            path: client.get(path, follow_redirects=True).raise_for_status().text
            for path in ("/games/1", "/games/1/board", "/games/1/seats/0", "/games/1?at=40", "/overlay", "/statistics")
        }
    names = json.loads(lines[0])["seats"]
    expected = {(sign.fill, sign.ink, sign.path, sign.letter) for sign in signs_of(names, NOBODY)}
    for path, text in pages.items():
        found = {tuple(one) for one in _SIGN.findall(text)}
        assert found, path
        assert found <= expected, path
        if path != "/statistics":
            assert found == expected, path


@pytest.mark.parametrize(
    ("moment", "players"), [("uno", ["Ann"]), ("duel", ["Dan", "Ann"]), ("verdict", ["Dan", "Ann"])]
)
def test_what_the_big_screen_shows_large_has_the_signs_of_its_players(
    tmp_path: Path, moment: str, players: list[str]
) -> None:
    assert _signs_over_the_table(tmp_path, moment) == [_drawn(moment, name) for name in players]


def test_each_step_of_the_podium_has_the_sign_of_its_player(tmp_path: Path) -> None:
    signs = _signs_over_the_table(tmp_path, "podium")
    assert signs[-3:] == [_drawn("podium", name) for name in ("Cat", "Ann", "Dan")]
    assert len(signs) == len(json.loads(MOMENTS["podium"][0])["seats"]) + 3


def _drawn(moment: str, name: str) -> tuple[str, ...]:
    """The sign of a player at a moment, as it is drawn."""
    names = json.loads(MOMENTS[moment][0])["seats"]
    sign = signs_of(names, NOBODY)[names.index(name)]
    return sign.fill, sign.ink, sign.path, sign.letter


def _signs_over_the_table(folder: Path, moment: str) -> list[tuple[str, ...]]:
    """The signs in what covers the table on the big screen."""
    with (
        page(folder, tuple(MOMENTS[moment])) as up,
        httpx.Client(base_url=up.server.url, verify=PLAIN, timeout=PATIENCE_S) as client,
    ):
        text = client.get("/games/1/board").raise_for_status().text
    return [tuple(one) for one in _SIGN.findall(text.partition("<!--[scene]-->")[2].partition("<!--/-->")[0])]
