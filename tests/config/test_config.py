"""`croupier.toml`: read, refused with lines and remedies, changed without losing what people wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Final, get_args

import pytest

from croupier.cli import main
from croupier.config import BadConfigFile, Config, change, load, read, save
from croupier.config.model import layout, section_names, uses_pi_pins, uses_pico
from croupier.config.sections import Language
from croupier.errors import BadConfig, CannotWrite
from croupier.i18n import LANGUAGES
from croupier.link.commands import Place
from croupier_extras.gpio.plugin import wiring

SHEET: Final = '[rules]\nbase = "g7942-en"\n'


def wrong(text: str) -> list[str]:
    """What is told of ``text``, without the name of the file."""
    with pytest.raises(BadConfigFile) as fault:
        read(text)
    return [line.removeprefix("croupier.toml") for line in fault.value.lines]


def load_text(folder: Path, text: str) -> Config:
    """What ``text`` says as croupier.toml in ``folder``."""
    return read(text, folder / "croupier.toml")


def test_the_languages_are_those_of_the_program() -> None:
    assert get_args(Language) == tuple(LANGUAGES)


def test_an_empty_file_is_a_table_with_a_camera_and_nothing_else() -> None:
    config = read("")
    assert (config.shoe.kind, config.buttons.kind, config.ring.kind) == ("none", "none", "none")
    assert not uses_pico(config)
    assert not uses_pi_pins(config)
    assert config.header().seats == ("Player 1", "Player 2", "Player 3", "Player 4")
    assert config.header().ruleset.name == "g7942-en"


def test_what_is_agreed_on_stands_in_the_header_of_the_game() -> None:
    header = read(
        '[rules]\nbase = "g7942-en"\n"penalty.hint" = 2\n[seats]\nnames = ["Ann", "Ben"]\ndealer = 1\n'
        '[game]\ntarget = 300\ndeal = "winner"\n'
    ).header()
    assert header.to_json() == {
        "log": "croupier/1",
        "ruleset": "g7942-en+penalty.hint=2",
        "seats": ["Ann", "Ben"],
        "dealer": 1,
        "options": {"target": 300, "deal": "winner"},
    }


def test_pins_are_named_by_number_or_by_name() -> None:
    config = read(
        '[panel]\nred = "GPIO5"\ngo = 13\nseat_keys = [{ key = "draw", seat = 1, pin = "gpio 6" }]\n'
        '[buttons]\nkind = "pi"\npins = [21, "GPIO22"]\n[shoe]\nkind = "pico"\nspeed = 900\n[ring]\nlights = 60\n'
    )
    hung = wiring(config)
    assert [(key.key, key.gpio, key.seat) for key in hung.keys] == [("go", 13, None), ("red", 5, None), ("draw", 6, 1)]
    assert hung.buttons == (21, 22)
    assert hung.shoe is None
    assert (layout(config).speed, layout(config).lights, layout(config).seats) == (900, 60, 4)


def test_seats_are_where_they_are_said_to_be_however_people_count_the_degrees() -> None:
    for angles in ("[0, 90, 180, 270]", "[360, -270, 180, -90.0]"):
        told = layout(read(f"[shoe]\nangles = {angles}")).commands()
        assert [one.angle for one in told if isinstance(one, Place)] == [0, 900, 1800, -900]


def test_files_are_looked_for_beside_the_configuration(tmp_path: Path) -> None:
    config = load_text(tmp_path, '[camera]\ncalibration = "table.toml"\n[journal]\nfile = "/var/games.journal"\n')
    assert config.camera.calibration == tmp_path / "table.toml"
    assert config.journal.file == Path("/var/games.journal")
    assert load_text(tmp_path, "").journal.file == tmp_path / "croupier.journal"


TOLD: Final = """\
:3: [rules] draw.volntary: unknown rule id 'draw.volntary': {rule}
:5: camra: unknown section: did you mean camera? expected one of {sections}
:8: [camera] sise: unknown option: did you mean size? expected one of {camera}
:9: [camera] fps: "30": expected a number, 1 to 120, such as fps = 30.0
:11: [seats] names: "Ann" appears twice: expected different names
:16: [shoe] kind: "picco": expected pico, pi or none, such as kind = "none"
:19: [[webhooks]] url: is missing: {url}
"""


def test_everything_that_is_wrong_is_reported_at_once_in_the_order_of_the_lines() -> None:
    assert (
        wrong(
            '[rules]\nbase = "g7942-en"\n"draw.volntary" = "warn"\n\n[camra]\nsource = "pi"\n[camera]\nsise = "1x1"\n'
            'fps = "30"\n[seats]\nnames = [\n  "Ann",\n  "Ann",\n]\n[shoe]\nkind = "picco"\n[[webhooks]]\n'
            'url = "http://a"\n[[webhooks]]\n'
        )
        == TOLD.format(
            rule="did you mean draw.voluntary? expected one that `croupier rules show g7942-en` lists",
            sections=", ".join(section_names()),
            camera=", ".join(type(Config().camera).model_fields),
            url='expected an address that begins with http:// or https://, such as url = "https://example.org/croupier"',
        ).splitlines()
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param('name = "x"', ":1: name: is outside any section: ", id="no-section"),
        pytest.param('[table]\nname = "a\\u202eb"', ":2: [table] name: ", id="name-that-turns-what-follows"),
        pytest.param(f'[table]\nname = "{"x" * 300}"', ":2: [table] name: ", id="endless-name"),
        pytest.param("camera = 3", ":1: [camera]: expected a section [camera] with options in it", id="no-table"),
        pytest.param("\n[camera\n", ":2: not TOML: Expected ']' at the end of a table declaration: ", id="no-toml"),
        pytest.param("[seats]\nnumber = 3\ndealer = 3", ":3: [seats] dealer: there is no seat 3: ", id="dealer"),
        pytest.param(
            '[seats]\nnames = ["A", "B"]\nnumber = 3',
            ":3: [seats] number: 3, but there are 2 names: leave one of the two out",
            id="two-numbers",
        ),
        pytest.param("[seats]\nteams = [[0, 1], [2, 3]]", ":2: [seats] teams: g7942-en seats", id="teams"),
        pytest.param("[shoe]\nangles = [0, 90]", ":2: [shoe] angles: 2 angles for 4 seats: ", id="angles"),
        pytest.param(
            "[shoe]\nangles = [0, 90, 180, 450]",
            ":2: [shoe] angles: 450.0: expected a number, -360 to 360", id="angle",
        ),
        pytest.param(
            "[shoe]\nangles = [0, 90, 180, nan]",
            ":2: [shoe] angles: nan: expected a number, -360 to 360", id="no-angle",
        ),
        pytest.param('[shoe]\nkind = "pi"', ":2: [shoe] kind: a shoe at the Pi's pins; missing: forward, ", id="pins"),
        pytest.param('[buttons]\nkind = "pi"', ":2: [buttons] kind: buttons at the Pi's pins: ", id="buttons"),
        pytest.param(
            f"[buttons]\npins = {list(range(2, 13))}",
            ":2: [buttons] pins: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]: expected a list of", id="buttons-too-many",
        ),
        pytest.param(
            '[panel]\nseat_keys = [{ key = "mauve", seat = 0, pin = 4 }]',
            ':2: [panel] seat_keys.key: "mauve": expected uno, draw, ', id="no-such-key",
        ),
        pytest.param(
            '[panel]\nseat_keys = [{ key = "draw", seat = 10, pin = 4 }]',
            ":2: [panel] seat_keys.seat: 10: expected a whole number, 0 to 9", id="no-such-seat",
        ),
        pytest.param("[panel]\nred = 5\ngo = 5", ":1: [panel]: the key red and the key go both", id="pin-twice"),
        pytest.param('[panel]\nred = "five"', ":2: [panel] red: \"five\": expected the GPIO (BCM) number", id="no-pin"),
        pytest.param("[camera]\npile = [1, 2, 3, 4]", ":2: [camera] pile: missing: show, card_px", id="zones"),
        *(
            pytest.param(
                f"[camera]\npile = [1, 2, 3, 4]\nshow = {zone}\ncard_px = 120",
                f":3: [camera] show: {told} or more", id=f"zone-{zone}",
            )
            for zone, told in {
                "[860, 440, 0, 0]": "width 0: expected a whole number, 1",
                "[860, 440, 200, -50]": "height -50: expected a whole number, 1",
                "[-100, 440, 200, 200]": "left -100: expected a whole number, 0",
                "[0, -1, 1, 1]": "top -1: expected a whole number, 0",
            }.items()
        ),
        pytest.param("[page]\non = 1", ":2: [page] on: 1: expected true or false", id="one-is-not-true"),
        pytest.param("[camera]\nfps = 1979-05-27", ':2: [camera] fps: "1979-05-27": expected a number', id="a-day"),
        pytest.param('rules = "g7942-en"', ":1: [rules]: expected a section [rules] with options in it", id="no-rules"),
        pytest.param("[rules]\nbase = 7942", ":2: [rules] base: 7942: expected a ruleset", id="base-of-a-number"),
        pytest.param(
            '[rules]\nbase = "g7942-em"', ":2: [rules] base: g7942-em: unknown rule sheet: did you mean", id="base",
        ),
        pytest.param('[rules]\nbase = "house"', ":2: [rules] base: house: unknown rule sheet: ", id="on-itself"),
        pytest.param(
            f'{SHEET}"draw.voluntary" = "no"',
            ":3: [rules] draw.voluntary: value 'no': expected yes or warn", id="value",
        ),
        pytest.param(
            f'{SHEET}house = "prty"', ":3: [rules] house: prty: unknown house rules: did you mean party? ", id="house",
        ),
        pytest.param(
            f'{SHEET}"stack.limit" = 8', ":1: [rules]: stack.limit=8: nothing could be stacked: ", id="limit-alone",
        ),
        pytest.param(
            f'{SHEET}"turn.must_draw" = true', ":3: [rules] turn.must_draw: value True: expected until-it-fits or 1",
            id="truth-is-no-number",
        ),
        pytest.param(
            f'{SHEET}"shuffle.hands" = "from-who-laid-it"',
            ":3: [rules] shuffle.hands: comes with the cards of a deck: ", id="card-of-another-deck",
        ),
        pytest.param(
            f'{SHEET}draw.voluntary = "warn"\ndraw.voluntary.then_play = "must"',
            ': not TOML: Cannot overwrite a value: expected lines such as language = "en", each under its [section], '
            "with rule ids in quotes",
            id="without-quotes",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_reported_with_its_line_and_what_was_expected(text: str, told: str) -> None:
    (line,) = wrong(text)
    assert line.startswith(told)
    assert line.isprintable()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("[mqtt]\npassword = 84213377", ":2: [mqtt] password: …: expected text in quotes", id="password"),
        pytest.param(
            '[[webhooks]]\nurl = "http://a"\nsecret = 84213377',
            ":3: [[webhooks]] secret: …: expected a long random text", id="secret",
        ),
        pytest.param(
            '[[webhooks]]\nurl = "ftp://a/84213377"',
            ":2: [[webhooks]] url: …: expected an address that begins with", id="address",
        ),
        pytest.param('[webhooks]\nurl = "http://a/84213377"', ":1: [webhooks]: …: expected a list", id="one-bracket"),
        pytest.param('webhooks = ["http://a/84213377"]', ":1: [[webhooks]]: …: expected a list", id="addresses-alone"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_secret_is_reported_without_the_secret(text: str, told: str) -> None:
    (line,) = wrong(text)
    assert line.startswith(told)
    assert "84213377" not in line


def test_rule_ids_need_no_quotes_where_toml_asks_for_none() -> None:
    config = read(f'{SHEET}draw.voluntary = "warn"\nuno.catch.closes = "play"\n')
    assert config.ruleset().name == "g7942-en+draw.voluntary=warn+uno.catch.closes=play"


def test_a_file_that_is_not_there_or_no_text_is_reported_in_one_line(tmp_path: Path) -> None:
    for name, data, told in (("a", None, "No such file"), ("b", b"\xff", "not UTF-8 text")):
        path = tmp_path / name
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(BadConfig, match=f"{name}: {told}.*: expected the file that describes the table"):
            load(path)


def test_each_mistake_has_a_line_on_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("croupier.toml").write_text('[camra]\n[shoe]\nkind = "x\\u001b[31m"\n', encoding="utf-8")
    assert main.run(["rules"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("croupier: croupier.toml:1: camra: ")
    assert second.startswith('croupier: croupier.toml:3: [shoe] kind: "x\\u001b[31m": expected pico')


WRITTEN: Final = """\
# Our table
[camera]  # over the pile
source = 'usb:0'  # the left one

# below
[seats]
names = ["Ann",   "Ben"]
"""


def test_a_change_keeps_comments_and_the_rest_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "croupier.toml"
    path.write_text(WRITTEN, encoding="utf-8")
    config = change(path, {("camera", "source"): "usb:1", ("game", "target"): 300})
    assert (config.camera.source, config.game.target) == ("usb:1", 300)
    assert path.read_text(encoding="utf-8") == WRITTEN.replace("'usb:0'", '"usb:1"') + "\n[game]\ntarget = 300\n"
    change(path, {("camera", "source"): None, ("game", "target"): None, ("deck", "profile"): None})
    assert "source" not in path.read_text(encoding="utf-8")


def test_a_change_makes_the_file_where_there_is_none(tmp_path: Path) -> None:
    path = tmp_path / "croupier.toml"
    hooks = [{"url": "http://a"}, {"url": "http://b"}]
    change(path, {("webhooks",): hooks, ("rules", "base"): "g7942-de", ("rules", "penalty.hint"): 2})
    config = load(path)
    assert [one.model_dump()["url"] for _where, one in config.sections_of_plugins()] == ["http://a", "http://b"]
    assert config.ruleset().name == "g7942-de+penalty.hint=2"


@pytest.mark.parametrize("said", [{("camera", "size"): "small"}, {("camra", "size"): "1x1"}, {("seats", "dealer"): 7}])
def test_a_change_that_is_wrong_leaves_the_file_as_it_was(said: dict[tuple[str, ...], object], tmp_path: Path) -> None:
    path = tmp_path / "croupier.toml"
    path.write_text(WRITTEN, encoding="utf-8")
    with pytest.raises(BadConfigFile):
        change(path, said)
    assert path.read_text(encoding="utf-8") == WRITTEN
    assert list(tmp_path.iterdir()) == [path]


def test_a_broken_file_is_not_changed_but_reported(tmp_path: Path) -> None:
    path = tmp_path / "croupier.toml"
    path.write_text("[camera\n", encoding="utf-8")
    with pytest.raises(BadConfigFile, match=r"croupier.toml:1: not TOML"):
        change(path, {("camera", "source"): "pi"})


def test_a_file_that_cannot_be_replaced_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "croupier.toml"
    path.write_text(WRITTEN, encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CannotWrite, match="No space left on device: nothing was changed"):
        save(path, "")
    assert path.read_text(encoding="utf-8") == WRITTEN
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(
            '[voice]\nquiet = "22-7"\n',
            ":2: [voice] quiet: '22-7': not a time span: expected a start and an end, such as 22:00-07:00",
            id="hours",
        ),
        pytest.param(
            '[[webhooks]]\nurl = "http://a"\nrulings = ["scores"]\n',
            ":3: [[webhooks]] rulings: unknown ruling scores: did you mean score? expected one of cannot_tell, ",
            id="ruling",
        ),
        *(
            pytest.param(f'[[webhooks]]\nurl = "{url}"', f":2: [[webhooks]] url: {told}", id=url)
            for url, told in {
                "http://[homeassistant.local]:8123/hook": "host: expected a name or an address",
                "http://homeassistant..local/hook": "host: expected a name or an address",
                "http://:8123/hook": "host: expected a name or an address",
                "http://homeassistant.local:99999/hook": "port: expected a whole number, 1 to 65535",
                "http://homeassistant.local:hook": "port: expected a whole number, 1 to 65535",
                "homeassistant.local/hook": "…: expected an address that begins with http:// or https://",
            }.items()
        ),
        pytest.param(
            '[page]\naddress = "my house"',
            ':2: [page] address: "my house": expected an address of this machine, or 0.0.0.0, such as address = ',
            id="page",
        ),
        pytest.param(
            '[mqtt]\nhost = "homeassistant..local"',
            ':2: [mqtt] host: "homeassistant..local": expected a name or an address, such as host = ',
            id="broker",
        ),
        pytest.param(
            '[mqtt]\nhost = "a"\npassword = "b"',
            ':1: [mqtt] user: is missing: expected text in quotes, such as user = "croupier"',
            id="password-of-nobody",
        ),
    ],
)
def test_options_of_those_who_listen_are_refused_with_what_was_expected(text: str, told: str) -> None:
    (line,) = wrong(text)
    assert line.startswith(told)


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1", "http://[::1]:8123/hook", "https://user:word@münchen.example:8443/a?b=c", "http://ha.local."],
)
def test_an_address_that_can_be_asked_may_be_said(url: str) -> None:
    ((_where, section),) = read(f'[[webhooks]]\nurl = "{url}"').sections_of_plugins()
    assert section.model_dump()["url"] == url
