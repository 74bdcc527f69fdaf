"""Tables as spreadsheets and people write them, read and written."""

from __future__ import annotations

import re
import unicodedata
from itertools import combinations

import pytest
from babel.numbers import get_decimal_symbol
from hypothesis import given
from hypothesis import strategies as st

from croupier.errors import CroupierError
from croupier.i18n import LANGUAGES, speaking
from croupier_extras.spreadsheets import Sheet, decimal_symbol, quoted, read_sheet, to_csv

SMITH = [("Smith, Ann", 10.0), ("Jones, Ben", 20.0)]
ANN = [("Ann", 1200.0), ("Ben", 900.0)]

SCORES: dict[str, tuple[str | bytes, list[tuple[str, float]]]] = {
    "by hand": ("Ann,120\nBen, 90\n", [("Ann", 120), ("Ben", 90)]),
    "a line of its own, no last line feed": ("Ann;5", [("Ann", 5)]),
    "Excel, English": ('Name,Points\r\n"Smith, Ann",10\r\n"Jones, Ben",20\r\n', SMITH),
    "Excel, English, no header": ('"Smith, Ann",10\r\n"Jones, Ben",20\r\n', SMITH),
    "Excel, German": ("Name;Verein;Punkte\r\nAnn;Club A;1200\r\nBen;Club B;900\r\n", ANN),
    "Excel, UTF-8 with its mark": (
        "\ufeffName;Punkte\r\nZoë;1,5\r\nŁukasz;2\r\n".encode(),
        [("Zoë", 1.5), ("Łukasz", 2)],
    ),
    "Excel, Unicode text": ("Name\tPoints\r\nŁukasz\t7\r\n".encode("utf-16"), [("Łukasz", 7)]),
    "Unicode text, big end first": (b"\xfe\xff" + "Name\tPoints\r\nΕλένη\t7\r\n".encode("utf-16-be"), [("Ελένη", 7)]),
    "Unicode text, without its mark": ("Name\tPoints\r\nŁukasz\t7\r\n".encode("utf-16-le"), [("Łukasz", 7)]),
    "Excel, Windows-1252": (
        "Name;Punkte\r\nJürgen Groß;7\r\nZoë;8\r\n".encode("cp1252"),
        [("Jürgen Groß", 7), ("Zoë", 8)],
    ),
    "sep=": ('sep=;\r\nName;Points\r\n"Smith, Ann";10\r\n"Jones, Ben";20\r\n', SMITH),
    "sep= that Excel has saved again": ('"sep=;",\r\nName;Points\r\nAnn;1200\r\nBen;900\r\n', ANN),
    "columns that are not meant": ("No.,Name,Club,Points,,\n1,Ann,A,1200,,\n2,Ben,B,900,,\n,,,,,\n,,,,,\n", ANN),
    "an old Mac": ("Name,Points\rAnn,1200\rBen,900\r", ANN),
    "a title above, and a sum below": ("Club night,,\n,,\nName,Points,\nAnn,1200,\nBen,900,\n,2100,\n", ANN),
    "LibreOffice, all text in quotation marks": ('"Name","Punkte"\n"Ann",1200\n"Ben",900\n', ANN),
    "Google Sheets": ("Player,Score\nAnn,1200\nBen,900", ANN),
    "Numbers, a table's name above": ("Table 1\nName;Points\nAnn;1200\nBen;900\n", ANN),
    "a note over two lines": ('Name,Note,Points\n"Ann","late\nagain",1200\nBen,,900\n', ANN),
    "quotation marks in a name": (
        'Name,Points\n"Ann ""the boss""",1200\nBen,900\n',
        [('Ann "the boss"', 1200), ("Ben", 900)],
    ),
    "apostrophes": ("O'Brien,1\nD'Arcy,2\n", [("O'Brien", 1), ("D'Arcy", 2)]),
    "two names": ("First name,Last name,Points\nAnn,Smith,1\nBen,Jones,2\n", [("Ann Smith", 1), ("Ben Jones", 2)]),
    "a name beside a first name": ("Nom;Prénom;Points\nDupré;Zoë;1\n", [("Zoë Dupré", 1)]),
    "a name beside a last name": ("Nombre;Apellidos;Puntos\nJosé;Núñez;1\n", [("José Núñez", 1)]),
    "the family name first": ("Vezetéknév;Keresztnév;Pont\nKőszegi;Erzsébet;1\n", [("Kőszegi Erzsébet", 1)]),
    "numbers of players": ("0,20\n1,500\n2,180\n", [("0", 20), ("1", 500), ("2", 180)]),
    "points first": ("Points,Name\n10,Ann Smith\n20,Ben\n", [("Ann Smith", 10), ("Ben", 20)]),
    "groups of thousands": ("Name;Punkte\nAnn;1.200,5\nBen;900\n", [("Ann", 1200.5), ("Ben", 900)]),
    "groups of thousands, English": ('Ann,"1,200.5"\nBen,900\n', [("Ann", 1200.5), ("Ben", 900)]),
    "groups with spaces": ("Ann;1\u202f200\nBen;1 000\n", [("Ann", 1200), ("Ben", 1000)]),
    "a true minus": ("Ann;−5\nBen;-7\n", [("Ann", -5), ("Ben", -7)]),
}


@pytest.mark.parametrize(("content", "rows"), SCORES.values(), ids=SCORES)
def test_scores_are_read_as_programs_and_people_write_them(
    content: str | bytes, rows: list[tuple[str, float]]
) -> None:  # fmt: skip
    data = content if isinstance(content, bytes) else content.encode()
    sheet = read_sheet(data, "scores.csv", "player", "points")
    assert not sheet.doubt
    assert [*zip((name for _line, name in sheet.names()), sheet.points(), strict=True)] == rows


NAMES: dict[str, tuple[str, list[tuple[int, str]], bool]] = {
    "one a line": ("Ann\nBén\n\n\nΚατ\n", [(1, "Ann"), (2, "Bén"), (5, "Κατ")], False),
    "with spaces": (
        "Ann Smith\n  Ben \N{NO-BREAK SPACE} Jones \nCat\n",
        [(1, "Ann Smith"), (2, "Ben Jones"), (3, "Cat")],
        False,
    ),
    "one": ("Ann", [(1, "Ann")], False),
    "hyphens": ("Ann-Marie\nJean-Luc\n", [(1, "Ann-Marie"), (2, "Jean-Luc")], False),
    "commas in quotation marks": (
        '"Smith, Ann"\n"Jones, Ben"\nCat\n',
        [(1, "Smith, Ann"), (2, "Jones, Ben"), (3, "Cat")],
        False,
    ),
    "a header": ("Name\nAnn\n", [(2, "Ann")], False),
    "with points": ("Ann;1200\nBen;900\n", [(1, "Ann"), (2, "Ben")], False),
    "numbered": ("1;Ann\n2;Ben\n", [(1, "Ann"), (2, "Ben")], False),
    "club and rating": ("Name;Club;Rating\nAnn;Club A;1200\n", [(2, "Ann")], False),
    "club and rating without a header": ("Ann;Club A;1200\nBen;Club B;900\n", [(1, "Ann"), (2, "Ben")], True),
    "last and first name without a header": ("Smith, Ann\nJones, Ben\n", [(1, "Smith"), (2, "Jones")], True),
}


@pytest.mark.parametrize(("content", "names", "is_doubtful"), NAMES.values(), ids=NAMES)
def test_names_are_read_and_what_nothing_says_is_a_doubt(
    content: str, names: list[tuple[int, str]], is_doubtful: bool
) -> None:
    sheet = read_sheet(content.encode(), "names.txt", "player")
    assert sheet.names() == names
    assert bool(sheet.doubt) == is_doubtful


REFUSED: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "s.csv: it is empty; expected a row for each player"),
    "empty lines": ("\n,,\n ; \n", "s.csv"),
    "a header alone": ("Name,Points\n", "s.csv: no names"),
    "a workbook": (
        b"PK\x03\x04\x14\0\6\0",
        "s.csv: a workbook of Excel, LibreOffice or Numbers; expected text: save it as",
    ),
    "an old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "s.csv: a workbook of Excel; expected text"),
    "a document": (b"%PDF-1.7\n", "s.csv: a PDF document; expected text"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "s.csv: no text, or damaged"),
    "a zero in text with a mark": (b"\xef\xbb\xbfName,Points\0\nAnn,1\n", "s.csv: no text, or damaged"),
    "an endless line": ("Ann,1," * 5_000, "s.csv: no text, or damaged"),
    "half a letter": (b"\xff\xfeA", "s.csv: no text, or damaged"),
    "a mark of UTF-8 before something else": (b"\xef\xbb\xbfAnn,\xe4", "s.csv: no text, or damaged"),
    "no points": ("Ann,1\nBen,\n", "s.csv, line 2: no points; expected a number in each line"),
    "a word for points": (
        "Name,Points\nAnn,1\n\nBen,many\n",
        "s.csv, line 4: expected points instead of “many”, such as Ann,120",
    ),
    "a number too long": ("Ann,1\nBen,1234567890\n", "s.csv, line 2: expected points"),
    "a comma without quotation marks": (
        "Name,Points\nSmith, Ann,10\n",
        "s.csv, line 2: 3 columns, and 2 in line 1; put quotation marks",
    ),
    "a quotation mark that stays open": (
        'Name,Points\n"Ann,10\nBen,20\n',
        "s.csv, line 2: a quotation mark is not closed",
    ),
    "thousands or decimals": (
        "Ann;5\nBen;1.200\n",
        "s.csv, line 2: 1.200 may be 1200 or 1.200; write it without a separator",
    ),
    "no column of points": ("Name;Club\nAnn;A\n", "s.csv, line 1: no column “Points” among Name, Club; name it so"),
    "no column of names": ("Club;Points\nA;1\n", "s.csv, line 1: no column “Name” among Club, Points; name it so"),
    "two columns of points": ("Name;Score;Total\nAnn;1;2\n", "s.csv, line 1: the columns 2, 3 may both be meant"),
    "columns without a header": (
        "Ann;Club A;1200\nBen;Club B;900\n",
        "s.csv, line 1: no header says what the columns mean; put a line above such as",
    ),
    "one column": ("Ann\nBen\n", "s.csv, line 1: no header says what the columns mean"),
    "each line in its own way": ("0;20\n1\t500\n2,180\n", "s.csv, line 2: no points"),
    "too large": ("Ann,1\n" * 400_000, "s.csv: larger than 2 MB"),
}


@pytest.mark.parametrize(("content", "why"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_understood_is_refused_with_its_line(content: str | bytes, why: str) -> None:
    with pytest.raises(CroupierError) as refused:
        read_sheet(content if isinstance(content, bytes) else content.encode(), "s.csv", "player", "points").points()
    assert str(refused.value).startswith(why)
    assert "\n" not in str(refused.value)


def test_it_is_told_what_was_understood_and_what_is_left_out() -> None:
    data = b"Club night\n\nPlayer;Club;Score\n" + "Zoë;A;1\nBen;B;2\n;;3\n".encode("cp1252")
    sheet = read_sheet(data, "list.csv", "player", "points")
    assert sheet.understood() == [
        "list.csv: Windows-1252, columns separated by semicolons",
        "The encoding is a guess. If a letter looks wrong, save the file as “CSV UTF-8”.",
        "Column 1, “Player”: name",
        "Column 2, “Club”: left out",
        "Column 3, “Score”: points",
        "Line 1 is left out: it stands above the header",
        "Line 6 is left out: it has no name",
        "Rows: 2",
    ]
    assert sheet.first_rows() == ["Zoë · 1", "Ben · 2"]
    many = read_sheet("".join(f"Player {n}\n" for n in range(9)).encode(), "n", "player")
    assert many.understood() == ["n: UTF-8, one column", "Rows: 9"]
    assert many.first_rows() == [*(f"Player {n}" for n in range(5)), "…"]


HEADERS = {
    "en": ("Name", "Points"), "de": ("Spieler/in", "Punkte"), "fr": ("Joueur", "Score"), "es": ("Jugador", "Puntos"),
    "it": ("Giocatore", "Punti"), "nl": ("Speler", "Punten"), "sv": ("Spelare", "Poäng"), "pl": ("Gracz", "Wynik"),
    "pt": ("Jogador", "Pontuação"), "hu": ("Név", "Pontszám"), "el": ("Παίκτης", "Βαθμοί"),
}  # fmt: skip


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_header_is_understood_in_each_language_also_without_accents(code: str) -> None:
    player, points = HEADERS[code]
    letters = unicodedata.normalize("NFD", f"Nr;{points};{player}")
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    for header in (f"Nr;{points};{player}", f"Nr;{points.upper()}:; {player.lower()} ", plain, letters):
        sheet = read_sheet(f"{header}\n1;5;Ann\n".encode(), "s", "player", "points")
        assert (sheet.names(), sheet.points()) == ([(2, "Ann")], [5.0])


CITIZENS = {
    "de": ["Jürgen Müller", "Anna Groß", "Jörg Weiß", "Käthe"], "fr": ["François Lefèvre", "Zoë Dupré", "Hélène"],
    "es": ["José Núñez", "María", "Iñigo"], "it": ["Nicolò", "Niccolò D'Amò", "Cinà"], "nl": ["Zoë", "Renée", "Daniël"],
    "sv": ["Åsa", "Björn", "Malmström"], "pt": ["João", "Inês Simões", "Conceição"],
    "hu": ["Kőszegi Erzsébet", "György Szűcs", "Ágnes"], "pl": ["Łukasz", "Grażyna Wójcik", "Paweł"],
    "el": ["Γιώργος", "Ελένη", "Δημήτρης"],
}  # fmt: skip
_SCRIPTS = {"hu": ("cp1250", "mac_latin2", "cp852"), "pl": ("cp1250", "mac_latin2", "cp852"),
            "el": ("cp1253", "mac_greek", "cp737")}  # fmt: skip


def guessed(code: str, encoding: str, names: tuple[str, ...]) -> bool:
    """Whether the names come back from an encoding of before UTF-8, for a reader of their language."""
    data = "".join(f"{name};{n}\r\n" for n, name in enumerate(names)).encode(encoding)
    with speaking(code):
        sheet = read_sheet(data, "s", "player")
    return sheet.is_guess and [name for _line, name in sheet.names()] == [*names]


def test_names_of_windows_in_the_own_language_are_never_misread_however_few() -> None:
    for code, all_names in CITIZENS.items():
        encoding = _SCRIPTS.get(code, ("cp1252",))[0]
        for count in (1, 2, 3):
            for names in combinations(all_names, count):
                assert guessed(code, encoding, names), (code, names)


def test_most_lists_of_old_macs_and_of_dos_are_read_too() -> None:
    right = [
        guessed(code, encoding, names)
        for code, all_names in CITIZENS.items()
        for encoding in _SCRIPTS.get(code, ("cp1252", "mac_roman", "cp850"))[1:]
        for count in (2, 3)
        for names in combinations(all_names, count)
    ]
    assert sum(right) / len(right) > 0.9, (sum(right), len(right))


_LETTERS = st.characters(codec="utf-8", exclude_categories=("C", "Z")) | st.sampled_from(" ,;'\"=+-@|")
NAME = st.text(_LETTERS, min_size=1, max_size=30).map(lambda text: " ".join(text.split())).filter(bool)
POINTS = st.integers(-999_999, 999_999) | st.integers(-99_999, 99_999).map(lambda n: n / 4)


@pytest.mark.parametrize("code", LANGUAGES)
@given(rows=st.lists(st.tuples(NAME, POINTS), min_size=1, max_size=12))
def test_what_is_written_is_read_again(code: str, rows: list[tuple[str, float]]) -> None:
    with speaking(code):
        text = to_csv(["Name", "Rating", "Points"], [(name, 25.25, points) for name, points in rows])
        sheet = read_sheet(text.encode(), "s", "player", "points")
    assert [*zip((name for _line, name in sheet.names()), sheet.points(), strict=True)] == rows
    assert not sheet.doubt


@pytest.mark.parametrize(("code", "line"), [("en", "Ann,1.5"), ("de", "Ann;1,5"), ("el", "Ann;1,5")])
def test_a_table_opens_in_the_spreadsheet_of_the_language(code: str, line: str) -> None:
    with speaking(code):
        text = to_csv(["Name", "Points"], [("Ann", 1.5), ("Ben", None)])
    assert text.startswith("\ufeffName")
    assert text.splitlines()[1] == line
    assert text.count("\r\n") == 3


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'=1", "''=1", "＝1"])
def test_a_name_is_never_a_formula(name: str) -> None:
    cell = to_csv(["Name"], [[name]]).splitlines()[1]
    assert re.match(r'"?\'', cell)


def test_a_list_of_names_is_read_as_it_was_printed() -> None:
    names = ["Smith, Ann", "Ben", 'Cat "the cat"', "Dan|Eve", "O'Brien"]
    sheet: Sheet = read_sheet("".join(f"{quoted(name)}\n" for name in names).encode(), "n", "player")
    assert [name for _line, name in sheet.names()] == names


@given(data=st.binary(max_size=300) | st.text(st.sampled_from('Ann,;"\n\r\t=5.'), max_size=60).map(str.encode))
def test_any_file_gives_rows_or_one_line(data: bytes) -> None:
    try:
        sheet = read_sheet(data, "f", "player", "points")
        told = "".join([*sheet.understood(), *sheet.first_rows(), str(len(sheet.points()))])
    except CroupierError as err:
        told = str(err)
    assert told
    assert "\n" not in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_decimals_are_separated_as_the_language_does(language: str) -> None:
    with speaking(language):
        assert decimal_symbol() == get_decimal_symbol(language)
