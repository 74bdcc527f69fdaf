"""Tables of spreadsheets as text: CSV as Excel, LibreOffice, Google Sheets, Numbers and people write it.

A CSV file does not say in which encoding it is, what separates its columns, and what a column means. `read_sheet`
finds out, and `Sheet.understood` says it in words before anything is done with the rows:

- Encoding: a byte order mark, else UTF-8, else an older one of Windows, Mac OS or DOS, by chardet.
- Columns: a line ``sep=;``, else clevercsv (van den Burg, Nazábal, Sutton, "Wrangling messy CSV files by detecting
  row and type patterns", 2019).
- Meaning: the words of the header (``spreadsheets.toml``) in eleven languages; without a header by text and numbers.

What cannot be right is refused with its line, never mended in silence. `to_csv` writes what Excel opens with a double
click in the reader's language, and `read_sheet` gives the same cells again.
"""

from __future__ import annotations

import codecs
import csv
import re
import sys
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from croupier.errors import one_line
from croupier.i18n import _, language, marked
from croupier.optional_dependencies import requires_extra
from croupier_extras.errors import SPREADSHEETS, BadSpreadsheet

if TYPE_CHECKING:
    from _csv import Reader as _Reader

Meaning = Literal["player", "first_name", "last_name", "points"]

MEANINGS: Final[dict[Meaning, str]] = {
    "player": marked("name"),
    "first_name": marked("first name"),
    "last_name": marked("last name"),
    "points": marked("points"),
}

_MOST_BYTES: Final = 2_000_000
"""Ten times a thousand players with all that a club writes of them."""
_LONGEST_LINE: Final = 10_000
_SAMPLE: Final = 20_000
"""Letters by which the columns are found."""
_MOST_TITLES: Final = 10
"""Lines above the header, such as the title of the list."""
_SHOWN: Final = 5
"""Rows of `Sheet.first_rows`."""

_SEPARATORS: Final = {
    ",": marked("commas"), ";": marked("semicolons"), "\t": marked("tabs"), "|": marked("vertical bars")
}  # fmt: skip

_NONE: Final = "\x1f"
"""Separator of a table with one column: in no text."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
"""Byte order marks; that of UTF-32 before the one that it begins with."""

_OLD: Final = (("cp1252", "mac_roman", "cp850"), ("cp1250", "mac_latin2", "cp852"), ("cp1253", "mac_greek", "cp737"))
"""Encodings of Windows, Mac OS and DOS, for each script that a language of the program is written in."""
_SCRIPT: Final = {"hu": 1, "pl": 1, "el": 2}
_ENCODINGS: Final = {
    "utf-8": "UTF-8", "utf-8-sig": "UTF-8", "utf-16": "UTF-16", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16",
    "utf-32": "UTF-32", "cp1252": "Windows-1252", "cp1250": "Windows-1250", "cp1253": "Windows-1253",
    "mac_roman": "Mac OS Roman", "mac_latin2": "Mac OS Central European", "mac_greek": "Mac OS Greek",
    "cp850": "DOS 850", "cp852": "DOS 852", "cp737": "DOS 737",
}  # fmt: skip
"""How an encoding is called in programs."""

_WORKBOOKS: Final = {
    b"PK\x03\x04": marked("{file}: a workbook of Excel, LibreOffice or Numbers; expected text: save it as “CSV UTF-8”"),
    b"\xd0\xcf\x11\xe0": marked("{file}: a workbook of Excel; expected text: save it as “CSV UTF-8”"),
    b"%PDF": marked("{file}: a PDF document; expected text: save the table as “CSV UTF-8”"),
}

_FORMULA: Final = re.compile(r"'*[=+\-@\t\r＝＋－＠]")
"""Beginning of a cell that a spreadsheet takes for a formula (OWASP, "CSV Injection"), with apostrophes before it."""


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of a row. ``line``: of the file, from 1, where the row begins."""

    line: int
    cells: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """True if no cell holds anything."""
        return not any(self.cells)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table that was read, and how it was understood.

    ``rows``: without header and empty rows, all of the same width. ``meanings``: of each column; None if it is left
    out. ``separator``: between columns; empty if there is only one. ``is_guess``: the encoding is a guess.
    ``left_out``: the lines that are not in ``rows``, and why. ``doubt``: what a person has to decide; empty if nothing.
    """

    file: str
    encoding: str
    is_guess: bool
    separator: str
    header: Row | None
    rows: tuple[Row, ...]
    meanings: tuple[Meaning | None, ...]
    left_out: tuple[tuple[int, str], ...] = ()
    doubt: str = ""

    def names(self) -> list[tuple[int, str]]:
        """The line and the name of each row."""
        return [(row.line, self._name(row)) for row in self.rows]

    def points(self) -> list[float]:
        """The points of each row.

        Raises:
            BadSpreadsheet: a cell is no number, or one that can be read in two ways.
        """
        column = self.meanings.index("points")
        sign = _decimal_sign(self.rows, column, self.file)
        return [_number(row, column, sign, self.file) for row in self.rows]

    def understood(self) -> list[str]:
        """What was understood, for people: encoding, columns and their meaning, what is left out, number of rows."""
        encoding = _ENCODINGS[self.encoding]
        if self.separator:
            sign = _(_SEPARATORS[self.separator])
            lines = [_("{file}: {encoding}, columns separated by {sign}", file=self.file, encoding=encoding, sign=sign)]
        else:
            lines = [_("{file}: {encoding}, one column", file=self.file, encoding=encoding)]
        if self.is_guess:
            lines.append(_("The encoding is a guess. If a letter looks wrong, save the file as “CSV UTF-8”."))
        for column, meaning in enumerate(self.meanings):
            means = _("left out") if meaning is None else _(MEANINGS[meaning])
            title = self.header.cells[column] if self.header is not None else ""
            if title:
                lines.append(_("Column {n}, “{title}”: {meaning}", n=column + 1, title=one_line(title), meaning=means))
            elif self.separator:
                lines.append(_("Column {n}: {meaning}", n=column + 1, meaning=means))
        lines += [_("Line {n} is left out: {why}", n=line, why=_(why)) for line, why in self.left_out]
        return [*lines, _("Rows: {n}", n=len(self.rows))]

    def first_rows(self) -> list[str]:
        """The first rows as they are understood, for people."""
        at = self.meanings.index("points") if "points" in self.meanings else None
        shown = [[self._name(row), *([] if at is None else [row.cells[at]])] for row in self.rows[:_SHOWN]]
        return [*(one_line(" · ".join(cells)) for cells in shown), *(["…"] if len(self.rows) > _SHOWN else [])]

    def _name(self, row: Row) -> str:
        parts = {meaning: text for meaning, text in zip(self.meanings, row.cells, strict=True) if meaning}
        if "player" in parts:
            return parts["player"]
        # In Hungarian the family name comes first.
        assert self.header is not None
        at = {meaning: column for column, meaning in enumerate(self.meanings)}
        titles = (self.header.cells[at["first_name"]], self.header.cells[at["last_name"]])
        order = (parts["first_name"], parts["last_name"])
        is_turned = any(_plain(title) in _words()["family_name_first"] for title in titles)
        return " ".join(filter(None, reversed(order) if is_turned else order))


def read_file(file: Path, *wanted: Meaning) -> Sheet:
    """Read a file, as `read_sheet`."""
    try:
        with file.open("rb") as opened:
            data = opened.read(_MOST_BYTES + 1)
    except OSError as err:
        raise BadSpreadsheet(marked("{file}: {why}"), file=file, why=err.strerror) from err
    return read_sheet(data, str(file), *wanted)


def read_sheet(data: bytes, file: str, *wanted: Meaning) -> Sheet:
    """Read the content of a CSV file, or of another table as text. ``file``: its name, for messages. ``wanted``: the
    columns that it must have; all others are left out.

    Raises:
        BadSpreadsheet: it is no table as text, a line is not like the others, or a wanted column is missing.
    """
    if len(data) > _MOST_BYTES:
        raise BadSpreadsheet(marked("{file}: larger than {most} MB"), file=file, most=_MOST_BYTES // 1_000_000)
    for begin, text in _WORKBOOKS.items():
        if data.startswith(begin):
            raise BadSpreadsheet(text, file=file)
    text, encoding, is_guess = _decode(data, file)
    named, rest = _separator_line(text)
    separator, quote = _dialect(rest, named, len(wanted) > 1, file)
    rows = [*_rows(rest, separator, quote, 1 if named else 0, file)]
    full = [row for row in rows if not row.is_empty]
    if not full:
        raise BadSpreadsheet(marked("{file}: it is empty; expected a row for each player"), file=file)
    header, titles = _header(full, wanted)
    body = full[full.index(header) + 1 :] if header is not None else full
    body, width = _even(body, header, file)
    both = [header, *body] if header is not None else body
    used = [column for column in range(width) if any(row.cells[column] for row in both)]
    narrow = [Row(row.line, tuple(row.cells[column] for column in used)) for row in body]
    if header is not None:
        header = Row(header.line, tuple(header.cells[column] for column in used))
        meanings, doubt = _by_words(header, wanted, file), ""
    else:
        meanings, doubt = _by_content(narrow, wanted, file)
    left_out = [(row.line, marked("it stands above the header")) for row in titles]
    kept = []
    for row in narrow:
        if any(text for meaning, text in zip(meanings, row.cells, strict=True) if meaning not in (None, "points")):
            kept.append(row)
        else:
            left_out.append((row.line, marked("it has no name")))
    if not kept:
        raise BadSpreadsheet(marked("{file}: no names; expected a row for each player"), file=file)
    return Sheet(file, encoding, is_guess, separator if len(used) > 1 else "", header, tuple(kept), meanings,
                 tuple(left_out), doubt)  # fmt: skip


# Encoding.


def _decode(data: bytes, file: str) -> tuple[str, str, bool]:
    """The text, its encoding, and whether that is a guess."""
    broken = BadSpreadsheet(marked("{file}: no text, or damaged; expected a table saved as “CSV UTF-8”"), file=file)
    found = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    try:
        if found is None and b"\0" in data:
            found = _wide(data)
            if found is None:
                raise broken
        text = data.decode(found or "utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as err:
        if found is not None:
            raise broken from err
        old = _old_encoding(data)
        return data.decode(old, "replace"), old, True
    if "\0" in text or any(len(line) > _LONGEST_LINE for line in text.splitlines()):
        raise broken
    return text, found or "utf-8", False


def _wide(data: bytes) -> str | None:
    """UTF-16 without a byte order mark: letters of our scripts have zeros in one of two bytes."""
    for encoding, high in (("utf-16-le", data[1::2]), ("utf-16-be", data[::2])):
        if len(data) % 2 == 0 and high.count(0) > len(high) / 2:
            return encoding
    return None


def _old_encoding(data: bytes) -> str:
    """The most likely encoding of before UTF-8.

    Excel writes the one of Windows for the system's language; a few names are too short to tell it from others that
    give words, too. So the reader's own comes first; else chardet chooses among those that give words.
    """
    with requires_extra(SPREADSHEETS):
        import chardet

    own = _OLD[_SCRIPT.get(language(), 0)]
    likely = [one for script in _OLD for one in script if _is_words(data, one)]
    if own[0] in likely:
        return own[0]
    candidates = [one for one in likely if one in own] or likely or [one for script in _OLD for one in script]
    if len(candidates) == 1:
        return candidates[0]
    found = chardet.detect(data, include_encodings=candidates, no_match_encoding=candidates[0])["encoding"]
    names = {codecs.lookup(one).name: one for one in candidates}
    return names.get(codecs.lookup(found).name if found else "", candidates[0])


def _is_words(data: bytes, encoding: str) -> bool:
    """True if the bytes give words in this encoding: no signs among letters, no capitals within a small word."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return False
    inside = zip(f" {text}", text, f"{text[1:]} ", strict=False)
    return all(
        letter.isascii()
        or (
            letter.isalpha() and not (letter.isupper() and (before.islower() or (before.isalpha() and after.islower())))
        )
        for before, letter, after in inside
    )


# Rows.


def _separator_line(text: str) -> tuple[str, str]:
    """The separator that a first line ``sep=;`` names, for Excel, and the text behind it."""
    found = re.match(r'"?sep=(.)"?[,;\t]*(?:\r\n|\r|\n|$)', text, re.IGNORECASE)
    return (found[1], text[found.end() :]) if found and found[1] in _SEPARATORS else ("", text)


def _dialect(text: str, named: str, has_columns: bool, file: str) -> tuple[str, str]:
    """The separator (empty: one column) and the quotation mark (empty: none).

    ``named``: the separator, if it is known. ``has_columns``: there must be several.
    """
    with requires_extra(SPREADSHEETS):
        from clevercsv.detect import Detector

    lines = [line for line in re.split(r"\r\n|\r|\n", text[:_SAMPLE]) if line.strip()]
    sample = "".join(f"{line}\n" for line in (lines[:-1] if len(text) > _SAMPLE else lines))
    if not has_columns and all(_width(sample, sign, '"') == 1 for sign in _SEPARATORS):
        return "", '"'
    found = Detector().detect(sample, delimiters=[named] if named else [*_SEPARATORS])
    separator, quote = (found.delimiter or "", found.quotechar or "") if found is not None else ("", "")
    if not separator:
        # Ann,1 and Ben,2 may be taken for one column of words, 0,1 and 1,2 for one of numbers.
        lined = {sign: sum(sign in line for line in lines) for sign in ";\t|,"} if has_columns else {}
        separator = max(lined, key=lined.__getitem__, default="")
        if found is None and not lined.get(separator):
            raise BadSpreadsheet(
                marked("{file}: its columns are not separated by the same sign in each line, such as a semicolon"),
                file=file,
            )
    separator = named or separator
    if not quote and _width(text, separator, '"'):
        quote = '"'  # too few quotation marks to be found, and all of them right
    return separator, quote


def _reader(text: str, separator: str, quote: str) -> _Reader:
    return csv.reader(
        StringIO(text, newline=""), delimiter=separator or _NONE, quotechar=quote or '"', strict=True,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
    )  # fmt: skip


def _width(text: str, separator: str, quote: str) -> int:
    """The most cells of a row; 0 if a quotation mark is not closed, or stands within a cell."""
    try:
        return max(map(len, _reader(text, separator, quote)), default=0)
    except csv.Error:
        return 0


def _rows(text: str, separator: str, quote: str, before: int, file: str) -> Iterator[Row]:
    """The rows as they stand in the text; ``before``: lines of the file before it."""
    reader = _reader(text, separator, quote)
    line = 1
    while True:
        why = marked("{file}, line {line}: a quotation mark is not closed, or stands within a cell")
        broken = BadSpreadsheet(why, file=file, line=before + line)
        try:
            cells = next(reader, None)
        except csv.Error as err:
            raise broken from err
        if cells is None:
            return
        if not quote and any(cell.lstrip().startswith('"') and cell.count('"') % 2 for cell in cells):
            raise broken
        yield Row(before + line, tuple(_unescaped(" ".join(cell.split())) for cell in cells))
        line = reader.line_num + 1


def _even(rows: Sequence[Row], header: Row | None, file: str) -> tuple[list[Row], int]:
    """The rows with as many cells as the header, else as the first row; and that number. Empty cells may be more."""
    first = header or rows[0]
    width = len(first.cells)
    even = []
    for row in rows:
        if any(row.cells[width:]):
            text = marked("{file}, line {line}: {n} columns, and {first} in line {other}; put quotation marks around a "
                          "cell that has a separator in it")  # fmt: skip
            raise BadSpreadsheet(text, file=file, line=row.line, n=len(row.cells), first=width, other=first.line)
        even.append(Row(row.line, (*row.cells[:width], *[""] * (width - len(row.cells)))))
    return even, width


# Meaning.


@cache
def _words() -> Mapping[str, frozenset[str]]:
    """Words of headers by what they mean, in plain letters."""
    text = resources.files("croupier_extras").joinpath("spreadsheets.toml").read_text(encoding="utf-8")
    return {
        meaning: frozenset(_plain(word) for words in by_language.values() for word in words)
        for meaning, by_language in tomllib.loads(text).items()
    }


def _plain(text: str) -> str:
    """A word without accents, capitals and signs: headers come damaged, and with colons and units."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(letter if letter.isalnum() else " " for letter in letters if not unicodedata.combining(letter))
    return " ".join(kept.split())


def _meaning(title: str) -> Meaning | None:
    plain = _plain(title)
    return next((meaning for meaning in MEANINGS if plain and plain in _words()[meaning]), None)


def _header(rows: Sequence[Row], wanted: Sequence[Meaning]) -> tuple[Row | None, Sequence[Row]]:
    """The row with the words of a header, and the titles above it; None without such a row."""
    for n, row in enumerate(rows[:_MOST_TITLES]):
        known = {_meaning(cell) for cell in row.cells}
        if known & {*wanted, "first_name", "last_name"}:
            return row, rows[:n]
        if sum(map(bool, row.cells)) > 1:
            break  # a title has one cell
    return None, ()


def _by_words(header: Row, wanted: Sequence[Meaning], file: str) -> tuple[Meaning | None, ...]:
    """What each column means, by its title."""
    found = [_meaning(cell) for cell in header.cells]
    if "player" in found:
        # Beside a first name, "name" is the last one, and the other way round.
        parts = {"first_name", "last_name"} & {*found}
        if parts == {"first_name"}:
            found = ["last_name" if one == "player" else one for one in found]
        elif parts == {"last_name"}:
            found = ["first_name" if one == "player" else one for one in found]
        else:
            found = [None if one in parts else one for one in found]
    used = {"player", "points"} & {*wanted} | {"first_name", "last_name"}
    found = [one if one in used else None for one in found]
    has_name = "player" in found or {"first_name", "last_name"} <= {*found}
    for meaning in wanted:
        if not (has_name if meaning == "player" else meaning in found):
            text = marked("{file}, line {line}: no column “{title}” among {titles}; name it so")
            titles = one_line(", ".join(filter(None, header.cells)))
            raise BadSpreadsheet(text, file=file, line=header.line, title=_(TITLES[meaning]), titles=titles)
    for twice in {*found} - {None}:
        if found.count(twice) > 1:
            columns = ", ".join(str(n + 1) for n, one in enumerate(found) if one == twice)
            text = marked("{file}, line {line}: the columns {columns} may both be meant; give one another title")
            raise BadSpreadsheet(text, file=file, line=header.line, columns=columns)
    return tuple(found)


TITLES: Final[dict[Meaning, str]] = {"player": marked("Name"), "points": marked("Points")}
"""Title of a column that is always understood."""


def _by_content(rows: Sequence[Row], wanted: Sequence[Meaning], file: str) -> tuple[tuple[Meaning | None, ...], str]:
    """What each column means without a header, and the doubt in it."""
    width = len(rows[0].cells)
    numbers = [column for column in range(width) if all(_is_number(row.cells[column]) for row in rows)]
    texts = [column for column in range(width) if column not in numbers]
    titles = ", ".join(_(TITLES[one]) for one in wanted)
    found: list[Meaning | None] = [None] * width
    if "points" not in wanted:
        found[(texts or numbers)[0]] = "player"
        doubt = marked("No header says which column has the names; the first one with text is taken.")
        return tuple(found), doubt if len(texts or numbers) > 1 else ""
    if width == 2:
        found = ["player", "points"]
    elif len(numbers) == len(texts) == 1:
        found[texts[0]], found[numbers[0]] = "player", "points"
    else:
        text = marked("{file}, line {line}: no header says what the columns mean; put a line above such as {titles}")
        raise BadSpreadsheet(text, file=file, line=rows[0].line, titles=titles)
    return tuple(found), ""


# Numbers.

_GROUPS: Final = r"[ '’.,]"
_NUMBER: Final = re.compile(r"[-+]?\d+(?:[ '’.,]\d+)*")


def _signed(cell: str) -> str:
    return cell.replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-")


def _is_number(cell: str) -> bool:
    return not cell or _NUMBER.fullmatch(_signed(cell)) is not None


def _decimal_sign(rows: Iterable[Row], column: int, file: str) -> str:
    """The sign before the decimals in a column: point or comma.

    Raises:
        BadSpreadsheet: nothing tells whether 1.200 is more than a thousand.
    """
    unsure: Row | None = None
    for row in rows:
        cell = row.cells[column]
        signs: list[str] = re.findall(r"[.,]", cell)
        if len({*signs}) == 2:  # 1.234,5
            return signs[-1]
        if len(signs) == 1:
            if not re.fullmatch(r"[^.,]*\d[.,]\d{3}", cell):
                return signs[0]
            unsure = unsure or row
        elif len(signs) > 1:  # 1.234.567
            return "," if signs[0] == "." else "."
    if unsure is not None:
        cell = unsure.cells[column]
        text = marked("{file}, line {line}: {number} may be {thousands} or {decimals}; write it without a separator")
        raise BadSpreadsheet(
            text, file=file, line=unsure.line, number=cell, thousands=re.sub(r"[.,]", "", cell),
            decimals=cell.replace(",", "."),
        )  # fmt: skip
    return "."


def _number(row: Row, column: int, sign: str, file: str) -> float:
    cell = _signed(row.cells[column])
    whole, _sign, decimals = cell.partition(sign)
    groups = re.fullmatch(rf"([-+]?)(\d{{1,9}}|\d{{1,3}}(?:{_GROUPS}\d{{3}}){{1,2}})", whole)
    if groups is None or not re.fullmatch(r"\d{0,6}", decimals):
        text = (
            marked("{file}, line {line}: expected points instead of “{what}”, such as Ann,120")
            if cell
            else marked("{file}, line {line}: no points; expected a number in each line, such as Ann,120")
        )
        raise BadSpreadsheet(text, file=file, line=row.line, what=one_line(row.cells[column]))
    return float(f"{groups[1]}{re.sub(_GROUPS, '', groups[2])}.{decimals or 0}")


# Writing.


def decimal_symbol() -> str:
    """Return what separates decimals in the reader's language."""
    return "." if language() == "en" else ","


def to_csv(titles: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """Return a table as Excel opens it in the reader's language, to be encoded as UTF-8.

    It begins with a byte order mark, without which Excel takes the letters for those of an older encoding. Where the
    language writes decimals with a comma, columns are separated by semicolons, as Excel expects there. Where a text
    has any sign that may separate columns, all cells are quoted. A text that begins like a formula gets an apostrophe
    before it.
    """
    sign = decimal_symbol()
    out = StringIO()
    out.write("\ufeff")
    table = [titles, *rows]
    is_plain = not any({*_SEPARATORS} & {*value} for row in table for value in row if isinstance(value, str))
    cells = ([_cell(value, sign) for value in row] for row in table)
    writer = csv.writer(
        out, delimiter=";" if sign == "," else ",", lineterminator="\r\n",
        quoting=csv.QUOTE_MINIMAL if is_plain else csv.QUOTE_ALL,
    )  # fmt: skip
    writer.writerows(cells)
    return out.getvalue()


def print_csv(text: str) -> None:
    """Print a table of `to_csv` for a file: as UTF-8, whatever the terminal's encoding is."""
    sys.stdout.flush()
    sys.stdout.buffer.write((text.removeprefix("\ufeff") if sys.stdout.isatty() else text).encode())
    sys.stdout.buffer.flush()


def quoted(name: str) -> str:
    """A name for a list with one a line, in quotation marks where a reader could take it for several columns."""
    return '"' + name.replace('"', '""') + '"' if {*_SEPARATORS, '"'} & {*name} else name


def _cell(value: str | float | None, sign: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value).replace(".", sign)
    return f"'{value}" if _FORMULA.match(value) else value


def _unescaped(cell: str) -> str:
    """A cell without the apostrophe of `to_csv`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
