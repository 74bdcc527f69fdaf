"""Receipts, kept heads and witnesses: what was changed or cut is found, and said in one line."""

from __future__ import annotations

import sqlite3
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import reduce
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from starlette.testclient import TestClient

from croupier.cli import main
from croupier.journal import Archive, chained
from croupier.journal.receipt import code_of, read_code
from croupier.web.game_repository import GameRepository
from croupier_hub.checkpoints import Checkpoint
from croupier_hub.client import HubClient
from croupier_hub.cosigning import Submitter
from croupier_hub.pages.site import create_site
from croupier_hub.service import create_hub
from croupier_hub.serving import serving
from croupier_hub.signed_log import NOTHING, name_of, sign
from croupier_hub.standings import directed
from croupier_hub.store import LogStore
from croupier_hub.table_log import TableLog
from croupier_hub.verification import Report, verify_file
from tests.hub.running import JOURNAL, OUTBOX, direct, hub_here, key_of_the_table, points, results_when, table_at
from tests.hub.test_logs import BOSS, DIRECTED, DIRECTOR, ONE, A, B, result, text
from tests.hub.test_table import LINES, SEATS, play, totals
from tests.longer import some
from tests.patience import PATIENCE_S

GAME = ['{"log": 1}', text(obs="tick", t=1.0), text(obs="tick", t=2.0)]
OTHER = [GAME[0], text(obs="tick", t=9.0), GAME[2]]
"""The same game with another card."""


def played(game: Sequence[str], points: int = 30) -> list[str]:
    one = result(1, 1, [points, 0]).removesuffix("}}") + f', "game": "{reduce(chained, game, NOTHING).hex()}"}}}}'
    return [*game, one]


CODE = code_of(reduce(chained, GAME, NOTHING))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    return iter([None])


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    """The exit status, and what was said that is not as it should be."""
    status = main.run(["tournament", "verify", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return status, [line for line in (out + err).splitlines() if ", unchanged" not in line]


def hub(lines: Sequence[str] = (), *more: Sequence[str]) -> LogStore:
    """A hub in the file hub.db that has these lines of table 1, and others later."""
    store = LogStore("sqlite:///hub.db", BOSS)
    store.put(sign(DIRECTOR, DIRECTED[:4]))
    for piece in (lines, *more):
        store.put(sign(ONE, piece))
    return store


@pytest.mark.parametrize("typed", [CODE, CODE.lower().replace("-", ""), CODE.replace("0", "O").replace("1", "l")])
def test_a_receipt_is_read_as_people_type_it(typed: str) -> None:
    assert read_code(typed) == CODE
    assert read_code(typed[:-4]) is None
    assert read_code("UUUU-UUUU-UUUU") is None


@pytest.mark.long
def test_the_score_sheet_of_a_table_and_its_hub_have_the_same_receipt_which_all_can_check(
    capsys: pytest.CaptureFixture[str],
) -> None:
    key = key_of_the_table()
    with hub_here() as address:
        direct(address, key, SEATS)
        play(LINES)
        with table_at(address):
            results = results_when(address, lambda one: points(one) == totals(LINES))
        code = GameRepository(JOURNAL).story(1).receipt
        assert results["rounds"][0]["tables"][0]["receipt"] == code
        (said,) = checked(capsys, address, code)[1]
        assert f"{SEATS[0]} {totals(LINES)[0]}, " in said
        assert said.endswith("counts")
        assert checked(capsys, str(OUTBOX), code)[0] == 0
        assert checked(capsys, "hub.db", code)[0] == 0
    with Archive(JOURNAL) as archive:
        Path("game.jsonl").write_text("".join(f"{line}\n" for line in archive.lines(1)))
    assert checked(capsys, "game.jsonl", code)[0] == 0
    assert checked(capsys, "game.jsonl", "7KQ2-M4XD-9TRA") == (1, ["receipt 7KQ2-M4XD-9TRA: nothing here has it"])
    assert "not a receipt" in checked(capsys, "game.jsonl", "7KQ2")[1][0]


def test_a_receipt_tells_what_became_of_its_result() -> None:
    corrected = result(1, 1, [5, 0], corrects=len(GAME))
    with closing(hub(played(GAME), [*played(GAME), corrected])) as store:
        page = TestClient(create_site(store))
        assert page.get("/receipts/7KQ2-M4XD-9TRA").status_code == 404
        found = page.get(f"/receipts/{CODE}.json").json()
        assert (found["state"], found["result"]["points"], found["now"]["points"]) == ("corrected", [30, 0], [5, 0])
        shown = page.get(f"/receipts/{CODE.lower()}").text
        assert CODE in shown
        assert "was corrected later" in shown


DAMAGES: dict[str, tuple[str, str]] = {
    "UPDATE line SET text = replace(text, '30', '31') WHERE n = 3": (B, "3: the line was changed"),
    "DELETE FROM line WHERE n = 2": (B, "2: the line is missing"),
    "DELETE FROM line WHERE n = 4": (B, "4: the line is missing"),
    "UPDATE line SET signature = NULL WHERE n = 4": (B, "4: the line is missing"),
    "UPDATE line SET signature = zeroblob(64) WHERE n = 3": (B, "3: the signature is not that"),
    "UPDATE log SET fork = 3": (B, "has written two different lines 3"),
    "DROP TABLE line": ("", "not the log of a table"),
}


@pytest.mark.parametrize("damage", some(DAMAGES, 7))
def test_each_damage_of_a_hubs_file_has_its_message(capsys: pytest.CaptureFixture[str], damage: str) -> None:
    lines = [*played(GAME), "more"]
    hub(lines[:4], lines).close()
    assert checked(capsys, "hub.db", CODE)[0] == 0
    with closing(sqlite3.connect("hub.db")) as connection:
        named = f"name = x'{A}'"
        where = f"log = (SELECT id FROM log WHERE {named})" if "line" in damage.split()[:3] else named
        if not damage.startswith("DROP"):
            damage_here = f"{damage} AND {where}" if "WHERE" in damage else f"{damage} WHERE {where}"
        else:
            damage_here = damage
        connection.execute(damage_here)
        connection.commit()
    status, said = checked(capsys, "hub.db")
    assert (status, len(said)) == ((2, 1) if not DAMAGES[damage][0] else (1, 1))
    assert DAMAGES[damage][1] in said[0]


@pytest.mark.long
def test_a_result_that_is_not_of_its_game_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    hub([*OTHER, played(GAME)[-1]]).close()
    assert ", 3: the result is not that of the game before it" in checked(capsys, "hub.db")[1][0]


def test_a_file_is_compared_with_kept_heads_and_its_receipts_are_read() -> None:
    with closing(hub(played(GAME))) as store:
        note = store.checkpoint(A)
    assert note is not None
    kept = Checkpoint.parse(note).check()
    stranger = "0" * 64
    cut = f"the log {A} had 4 lines, and has 3 at hub.db: lines were cut off, or a backup was restored"
    for lines, head, is_good, message, won in (
        ([*played(GAME), "more"], kept, True, f"{A}: 4 lines, unchanged", 30),
        (
            played(GAME, 31),
            kept,
            False,
            f"ALARM: the first 4 lines of the log {A} are other ones at hub.db than before",
            31,
        ),
        (GAME, kept, False, f"ALARM: {cut}", None),
        (played(GAME), replace(kept, log=stranger), False, f"{stranger}: there is no whole log of this key here", 30),
    ):
        Path("hub.db").unlink()
        hub(lines).close()
        good, bad = list[str](), list[str]()
        verify_file(Path("hub.db"), [CODE], [head], Report(good.append, bad.append))
        receipt = f"receipt {CODE}: nothing here has it"
        if won is not None:
            receipt = f"receipt {CODE}: round 1, table 1: Ann {won}, Ben 0; line 3 of {A}"
        assert [line for line in good + bad if "receipt" in line] == [receipt]
        assert (receipt in good, message in (good if is_good else bad)) == (won is not None, True)
        assert len(bad) == (not is_good) + (won is None)


@pytest.mark.long
@pytest.mark.parametrize("where", ["file", "hub"])
def test_kept_heads_show_what_was_changed_or_cut_though_all_is_signed_anew(
    capsys: pytest.CaptureFixture[str], where: str
) -> None:
    with closing(hub(played(GAME))) as store:
        note = store.checkpoint(A)
        assert note is not None
        Path("kept.txt").write_text(note)
    for lines, message in (
        ([*played(GAME), "more"], None),
        (played(GAME, 31), f"the first 4 lines of the log {A} are other ones"),
        (GAME, f"the log {A} had 4 lines, and has 3"),
    ):
        Path("hub.db").unlink()
        with closing(hub(lines)) as store, serving(create_hub(store)) as address:
            said = checked(capsys, "hub.db" if where == "file" else address, "--kept", "kept.txt")
        assert said[0] == (message is not None)
        assert message is None or (message in said[1][0] and len(said[1]) == 1)
    Path("kept.txt").write_text(note.replace("\n4\n", "\n3\n"))
    assert checked(capsys, "hub.db", "--kept", "kept.txt") == (
        2, [f"croupier: kept.txt: the checkpoint was changed: it is not as {A} signed it"]
    )  # fmt: skip


@pytest.mark.long
def test_a_hub_that_shows_another_result_than_was_signed_is_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(hub(played(GAME))) as store:
        proof = store.proof
        lied: Callable[[str, int], dict[str, Any]] = lambda log, n: (  # noqa: E731
            (one := proof(log, n)) | {"text": one["text"].replace("30", "40")}
        )
        monkeypatch.setattr(store, "proof", lied)
        with serving(create_hub(store)) as address:
            status, said = checked(capsys, address, CODE)
    assert (status, said) == (1, [f"receipt {CODE}: the hub shows another result than the table has signed"])


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[str]:
    """The hub of somebody else, who was given the keys of this tournament; its address."""
    (listed := tmp_path / "keys.txt").write_text(f"{BOSS}\n{A}\n")
    with (
        closing(LogStore(f"sqlite:///{tmp_path / 'witness.db'}", B)) as store,
        serving(create_hub(store, clock=lambda: 1_790_000_000.5, cosign_for=listed)) as url,
    ):
        yield url


def submitted(store: LogStore, witness: str) -> list[str]:
    """Have all cosigned; what is told."""
    told = list[str]()
    with HubClient(witness) as client:
        Submitter(store, client, told.append).begin().run()
    return told


def test_a_witness_cosigns_what_goes_on_and_tells_what_was_changed_or_cut(witness: str) -> None:
    with closing(hub(played(GAME), [*played(GAME), "more"])) as store:
        assert submitted(store, witness) == []
        note = store.checkpoint(A) or ""
        store.put(sign(ONE, [*played(GAME), "more", "and more"]))
        assert submitted(store, witness) == []
        assert len(Checkpoint.parse(store.checkpoint(A) or "").cosigners) == 1
    # Taken apart by the words of c2sp.org/tlog-cosignature.
    body, _, signatures = note.partition("\n\n")
    _dash, name, signature = signatures.splitlines()[1].split()
    (key,) = Checkpoint.parse(note).cosigners
    data, public = b64decode(signature), bytes.fromhex(key)
    assert data[:4] == sha256(f"{name}\n\x04".encode() + public).digest()[:4]
    assert int.from_bytes(data[4:12], "big") == 1_790_000_000
    message = f"cosignature/v1\ntime 1790000000\n{body}\n"
    Ed25519PublicKey.from_public_bytes(public).verify(data[12:], message.encode())
    for lines, message in ((played(GAME, 31), "had 6 lines, and has 4"), ([*OTHER, *GAME], "first 6 lines"),
                           ([*OTHER, *GAME, "more"], "first 6 lines")):  # fmt: skip
        Path("hub.db").unlink()
        with closing(hub(lines)) as store:
            (told,) = submitted(store, witness)
            assert message in told
            assert Checkpoint.parse(store.checkpoint(A) or "").cosigners == []


@pytest.mark.long
def test_a_witness_answers_by_the_words_of_its_protocol(witness: str) -> None:
    with (
        closing(hub(played(GAME))) as store,
        httpx.Client(base_url=witness, trust_env=False, timeout=PATIENCE_S) as client,
    ):
        _, four = store.growth(A, 0)
        store.put(sign(ONE, [*played(GAME), "more"]))
        _, five = store.growth(A, 4)
        assert four is not None
        assert five is not None
        forged = four.replace("\n4\n", "\n5\n")
        other = five.replace(five.split("\n")[1], "A" * 43 + "=")
        for asked, status, answer in (
            ("no note", 400, None), (forged, 403, None), (five, 409, "0\n"), (four, 200, None), (four, 409, "4\n"),
            (other, 422, ""), (five, 200, None), (five, 409, "5\n"), (four.replace("old 0", "old 9"), 400, None),
        ):  # fmt: skip
            got = client.post("/add-checkpoint", content=asked)
            assert got.status_code == status, asked
            assert answer is None or got.text == answer
            assert status != 409 or got.headers["content-type"].startswith("text/x.tlog.size")


def test_a_witness_keeps_nothing_for_keys_that_nobody_gave_it(witness: str, tmp_path: Path) -> None:
    with closing(hub(played(GAME))) as store:
        (tmp_path / "keys.txt").write_text(A)
        (told,) = submitted(store, witness)
        assert BOSS in told
        assert "does not know the key" in told
        (tmp_path / "keys.txt").write_text(f"{BOSS}\n")
        (told,) = submitted(store, witness)
        assert A in told
        _, note = store.growth(A, 0)
        with httpx.Client(base_url=witness, trust_env=False, timeout=PATIENCE_S) as client:
            invented = [Ed25519PrivateKey.generate() for _ in range(20)]
            for key in invented:
                name = name_of(key)
                body = f"old 0\n\n{sign(key, ['x']).note}"
                assert (client.post("/add-checkpoint", content=body).status_code, name) == (404, name)
            assert client.post("/add-checkpoint", content=note).status_code == 404
        with closing(sqlite3.connect(tmp_path / "witness.db")) as database:
            assert database.execute("SELECT log FROM witnessed ORDER BY log").fetchall() == sorted([(A,), (BOSS,)])


def test_a_table_keeps_the_heads_of_others_and_says_what_was_changed(capsys: pytest.CaptureFixture[str]) -> None:
    told = list[str]()
    known = directed(DIRECTED)
    for lines, message in ((played(GAME), None), ([*played(GAME), "more"], None), (played(GAME, 31), "had 5 lines")):
        Path("hub.db").unlink(missing_ok=True)
        with closing(hub(lines)) as store, serving(create_hub(store)) as url, HubClient(url) as client:
            with TableLog(OUTBOX, JOURNAL) as log:
                log.director = BOSS
                log.keep_heads(client, known, told.append)
            assert len(told) == (message is not None)
            assert message is None or message in told[0]
            status, said = checked(capsys, url, "--kept", str(OUTBOX))
            assert (status, len(said)) == (int(message is not None),) * 2
