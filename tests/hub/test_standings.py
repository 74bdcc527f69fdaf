"""Standings: what the lines of a director and of tables come to, in any order and in pieces."""

from __future__ import annotations

import json
from contextlib import closing
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.journal.receipt import code_of
from croupier_hub.fold import Fold, standings
from croupier_hub.results import Results
from croupier_hub.service import Newest
from croupier_hub.signed_log import sign
from croupier_hub.standings import Log, directed, enrolled
from croupier_hub.store import LogStore
from tests.hub.reckoning import as_reckoned, reckon
from tests.hub.test_logs import (
    BOSS,
    DIRECTED,
    DIRECTOR,
    EXPECTED,
    ONE,
    TABLE_1,
    TABLE_2,
    TWO,
    A,
    B,
    plan,
    result,
    table,
    text,
)


def test_standings_count_corrections_in_place_of_what_they_correct() -> None:
    assert table(EXPECTED) == [(1, "Ann", 20), (1, "Dan", 20), (3, "Ben", 7), (4, "Cat", 5)]
    data = json.loads(EXPECTED)
    assert (data["ended"], data["missing"], data["forks"], data["quarantined"]) == ([1], {}, {B: 2}, [])


@settings(deadline=None)
@given(st.data())
def test_a_fold_that_goes_on_has_the_same_bytes_as_one_of_everything(data: st.DataObject) -> None:
    whole = {BOSS: [*DIRECTED, plan(2, 2)], A: [*TABLE_1, result(2, 1, [4, 4], plan=2)], B: [*TABLE_2, "no JSON"]}
    forks = data.draw(st.fixed_dictionaries({name: st.none() | st.integers(0, 7) for name in whole}))
    fold = Fold(BOSS)
    for name in data.draw(st.lists(st.sampled_from(list(whole)), max_size=30)):
        first = fold.known.get(name, 0)
        fork = forks[name] if data.draw(st.booleans()) else None
        fold.add(name, Log(tuple(whole[name][first : first + data.draw(st.integers(0, 3))]), fork))
        if data.draw(st.booleans()):
            fold.standings()
    for name, lines in whole.items():
        fold.add(name, Log(tuple(lines[fold.known.get(name, 0) :]), forks[name]))
    once = Fold(BOSS)
    for name in data.draw(st.permutations(list(whole))):
        once.add(name, Log(tuple(whole[name]), forks[name]))
    assert fold.standings() == once.standings()
    assert fold.results() == once.results()
    Results.model_validate(fold.results())


ORDERS = st.one_of(
    st.builds(plan, st.integers(1, 3), st.integers(1, 3)),
    st.builds(lambda number, lines: text(end=number, lines=lines), st.integers(1, 3),
              st.fixed_dictionaries({A: st.integers(0, 12), B: st.integers(0, 12)})),
    st.builds(lambda key, number, first: text(enroll=key, table=number, from_round=first),
              st.sampled_from([A, B]), st.integers(1, 2), st.integers(1, 3)),
    st.builds(lambda points, player, number: text(penalty=points, player=player, round=number, why=""),
              st.sampled_from([0, 10, 20]), st.sampled_from(["Ann", "Dan"]), st.integers(1, 2)),
    st.builds(lambda player: text(player=player, state="withdrawn", round=1), st.sampled_from(["Ann", "Dan"])),
)  # fmt: skip
PLAYED = st.one_of(
    st.builds(lambda number, table, points, version, corrects: result(
        number, table, points, plan=version, **{} if corrects is None else {"corrects": corrects}
    ), st.integers(1, 3), st.integers(1, 2), st.lists(st.sampled_from([0, 10, 20]), min_size=1, max_size=3),
        st.sampled_from([1, 1, 1, 2]), st.none() | st.integers(0, 9)),
    st.sampled_from(['{"call": "director"}', '{"chain": "journal", "lost": 2}', text(obs="tick", t=1.0)]),
)  # fmt: skip


@st.composite
def tournaments(draw: st.DrawFn) -> dict[str, list[str]]:
    """The logs of a director and two tables, whose corrections often stand."""
    logs = {BOSS: [*DIRECTED[:4], *draw(st.lists(ORDERS, max_size=8))]}
    for number, name in enumerate((A, B), start=1):
        lines = draw(st.lists(PLAYED, max_size=8))
        for points in draw(st.lists(st.sampled_from([0, 10, 20]), max_size=4)):
            before = max((n for n, one in enumerate(lines) if '"round": 1, ' in one), default=None)
            corrects = {} if before is None else {"corrects": before}
            lines.append(result(1, number, [points, 20], **corrects))
        logs[name] = lines
    return logs


@settings(deadline=None)
@given(st.data(), tournaments())
def test_a_fold_counts_what_a_plain_reckoning_counts(data: st.DataObject, logs: dict[str, list[str]]) -> None:
    fold, forks = (
        Fold(BOSS),
        dict.fromkeys(logs, None) | data.draw(st.dictionaries(st.sampled_from([*logs]), st.integers(0, 9))),
    )
    while open_logs := [name for name, lines in logs.items() if fold.known.get(name, 0) < len(lines)]:
        name = data.draw(st.sampled_from(open_logs))
        first = fold.known.get(name, 0)
        fold.add(name, Log(tuple(logs[name][first : first + data.draw(st.integers(1, 6))]), forks[name]))
        if data.draw(st.booleans()):
            fold.results()
    whole = {name: Log(tuple(lines), forks[name]) for name, lines in logs.items()}
    assert as_reckoned(fold.results()) == reckon(BOSS, whole)


@pytest.mark.long
@settings(deadline=None, max_examples=25)
@given(st.data(), tournaments())
def test_standings_from_the_database_are_those_of_a_plain_reckoning(
    data: st.DataObject, logs: dict[str, list[str]]
) -> None:
    with TemporaryDirectory() as folder, closing(LogStore(f"sqlite:///{folder}/hub.db", BOSS)) as store:
        looks, sent = [Newest(store), Newest(store)], dict.fromkeys(logs, 0)
        store.put(sign(DIRECTOR, logs[BOSS][:4]))
        sent[BOSS] = 4
        keys = {BOSS: DIRECTOR, A: ONE, B: TWO}
        while open_logs := [name for name, lines in logs.items() if sent[name] < len(lines)]:
            name = data.draw(st.sampled_from(open_logs))
            end = min(len(logs[name]), sent[name] + data.draw(st.integers(1, 6)))
            assert store.put(sign(keys[name], logs[name][:end], sent[name])).accepted_to == end
            sent[name] = end
            with looks[0]() as now:
                assert as_reckoned(now.results()) == reckon(BOSS, store.logs())
        with looks[0]() as often, looks[1]() as once:
            assert often.standings() == once.standings() == standings(BOSS, store.logs())


@pytest.mark.parametrize(
    ("directed", "lines", "reasons"),
    [
        ([], [result(1, 1, [1, 0], plan=2)], ["plan"]),
        ([], [result(3, 1, [1, 0])], ["plan"]),
        ([plan(1, 2)], [result(1, 1, [1, 0])], ["plan"]),
        ([], [result(1, 2, [1, 0])], ["key"]),
        ([text(enroll=B, table=1, from_round=2)], [result(1, 1, [1, 0]), result(2, 1, [1, 0])], [None, "key"]),
        ([], [result(1, 1, [1])], ["seats"]),
        ([], [result(1, 1, [1, 0]).replace("Ann", "Eve")], ["seats"]),
        ([], [result(1, 1, [1, 0]), result(1, 1, [5, 0])], [None, "second"]),
        ([], [result(1, 1, [1, 0]), result(1, 1, [5, 0], corrects=0), result(1, 1, [9, 0], corrects=0)],
         [None, None, "corrects"]),
        ([text(end=1, lines={A: 1})], [result(1, 1, [1, 0]), result(1, 1, [5, 0], corrects=0)], [None, "late"]),
        ([text(end=1, lines={A: 1}), plan(1, 2)], [result(1, 1, [1, 0])], [None]),
    ],
)  # fmt: skip
def test_what_does_not_count_is_quarantined_with_its_reason(
    directed: list[str], lines: list[str], reasons: list[str | None]
) -> None:
    made = standings(BOSS, {BOSS: Log((*DIRECTED[:4], *directed)), A: Log(tuple(lines))})
    expected = [{"log": A, "line": n, "reason": reason} for n, reason in enumerate(reasons) if reason]
    assert json.loads(made)["quarantined"] == expected


def test_a_round_that_ended_names_the_tables_whose_lines_are_missing() -> None:
    made = standings(BOSS, {BOSS: Log(tuple(DIRECTED)), A: Log(tuple(TABLE_1[:2])), B: Log(tuple(TABLE_2))})
    assert json.loads(made)["missing"] == {A: 3}


def fold_of(director: list[str], tables: dict[str, Log]) -> Fold:
    """A fold of these lines; those of the director come last, as with a slow line."""
    fold = Fold(BOSS)
    for name, log in tables.items():
        fold.add(name, log)
    fold.add(BOSS, Log(tuple(director)))
    return fold


def test_the_bytes_of_the_standings_are_the_same_on_every_hub_and_list_all_that_does_not_count() -> None:
    lost = text(chain="journal", lost=2)
    lines = [result(1, 1, [30, 0]), lost, lost, result(1, 1, [9, 9])]
    said = [*DIRECTED[:4], text(penalty=20, player="Ann", round=1, why="late"), text(end=1, lines={B: 2, A: 5})]
    said += [text(penalty=9, player="Eve", round=1, why=""), text(penalty=0, player="Eve", round=1, why="")]
    fold = fold_of(said, {A: Log(tuple(lines)), B: Log((), fork=7)})
    missing = ",".join(f'"{name}":{lines}' for name, lines in sorted({B: 2, A: 5}.items()))
    assert fold.standings().decode() == (
        f'{{"ended":[1],"forks":{{"{B}":7}},"lost":{{"{A}":4}},"missing":{{{missing}}},'
        '"penalties":[{"player":"Ann","points":20,"round":1,"why":"late"}],'
        f'"quarantined":[{{"line":3,"log":"{A}","reason":"second"}}],'
        '"standings":[{"place":1,"player":"Ann","points":10},{"place":2,"player":"Ben","points":0}]}'
    )
    assert list(fold.results()["missing"].items()) == [(B, 2), (A, 5)]
    assert fold.known == {BOSS: len(said), A: 4, B: 0}
    Results.model_validate(fold.results())


def test_results_list_the_tables_of_each_round_also_those_that_are_awaited() -> None:
    game = "ab" * 32
    seats = {"round": 1, "table": 1, "plan": 1, "seats": ["Ann", "Ben"], "points": [30, 0], "game": game}
    results = fold_of(DIRECTED[:3], {A: Log((text(result=seats),))}).results()
    counted = {"table": 1, "seats": ["Ann", "Ben"], "log": A, "line": 0, "points": [30, 0]}
    awaited = {"table": 2, "seats": ["Cat", "Dan"], "log": None, "line": None, "points": None, "receipt": None}
    tables = [counted | {"receipt": code_of(bytes.fromhex(game))}, awaited]
    assert results["rounds"] == [{"round": 1, "plan": 1, "ended": False, "tables": tables}]
    assert (results["results"], results["director"]) == ("croupier-results/1", BOSS)


def test_lines_after_a_fork_count_no_more_those_before_it_do() -> None:
    fold = Fold(BOSS)
    fold.add(BOSS, Log(tuple(DIRECTED[:4])))
    fold.add(A, Log((result(1, 1, [30, 0]), result(2, 1, [5, 0]))))
    assert json.loads(fold.standings())["standings"][0] == {"place": 1, "player": "Ann", "points": 35}
    fold.add(A, Log((), fork=1))
    assert json.loads(fold.standings())["standings"][0] == {"place": 1, "player": "Ann", "points": 30}
    fold.add(BOSS, Log((), fork=2))
    assert (fold.directed.plans, list(fold.directed.keys)) == ({}, [1, 2])
    fold.add(BOSS, Log((), fork=1))
    assert list(fold.directed.keys) == [1]


@pytest.mark.parametrize(
    ("more", "fork", "state", "now"),
    [
        pytest.param([], None, "counts", [30, 0], id="counts"),
        pytest.param([result(1, 1, [5, 0], corrects=0)], None, "corrected", [5, 0], id="corrected"),
        pytest.param([], 0, "fork", None, id="after-a-fork"),
    ],
)
def test_a_receipt_tells_whether_its_result_counts(
    more: list[str], fork: int | None, state: str, now: list[int] | None
) -> None:
    game = "cd" * 32
    line = result(1, 1, [30, 0]).removesuffix("}}") + f', "game": "{game}"}}}}'
    fold = fold_of(DIRECTED[:4], {A: Log((line, *more), fork)})
    found = fold.receipt(code_of(bytes.fromhex(game)))
    assert found is not None
    assert (found.code, found.log, found.n) == (code_of(bytes.fromhex(game)), A, 0)
    assert (found.result.points, found.state) == ([30, 0], state)
    assert (None if found.now is None else found.now.points) == now
    assert fold.receipt("7KQ2-M4XD-9TRA") is None


def test_of_several_results_with_one_receipt_the_one_that_counts_is_told_else_the_last_with_its_reason() -> None:
    game = "ef" * 32
    first, second = (
        result(1, 1, points).removesuffix("}}") + f', "game": "{game}"}}}}' for points in ([30, 0], [7, 0])
    )
    code = code_of(bytes.fromhex(game))
    found = fold_of(DIRECTED[:4], {A: Log((first, second))}).receipt(code)
    assert (found and found.n, found and found.state) == (0, "counts")
    found = fold_of([], {A: Log((first, second))}).receipt(code)
    assert (found and found.n, found and found.state, found and found.now) == (1, "key", None)


def test_calls_that_nobody_answered_come_first_and_settled_ones_are_gone() -> None:
    call = [text(call="director", player=name) for name in ("Ann", "Ben", "Cat")]
    answers = [text(answer=A, line=0, settled=False), text(answer=A, line=2, settled=True)]
    fold = fold_of([*DIRECTED[:4], *answers], {A: Log(tuple(call)), B: Log((text(page="http://b.local:8000"),))})
    assert fold.calls() == [(A, 1, "Ben"), (A, 0, "Ann")]
    assert fold.pages() == {B: "http://b.local:8000"}


def attendance(player: str, *states: tuple[str, int]) -> list[str]:
    return [text(player=player, state=state, round=round_) for state, round_ in states]


@pytest.mark.parametrize(
    ("states", "state", "since"),
    [
        ([], None, 0),
        ([("expected", 0)], "expected", 0),
        ([("expected", 0), ("here", 1)], "here", 0),
        ([("expected", 0), ("here", 2)], "here", 2),
        ([("here", 3), ("expected", 4), ("here", 5)], "here", 3),
        ([("here", 0), ("withdrawn", 3)], "withdrawn", 3),
        ([("withdrawn", 1), ("here", 2)], "here", 2),
    ],
)
def test_a_player_is_where_the_last_line_says_since_the_round_of_coming_late_or_leaving(
    states: list[tuple[str, int]], state: str | None, since: int
) -> None:
    known = directed([*attendance("Zoe", ("here", 0), ("withdrawn", 1)), *attendance("Ann", *states)])
    assert (known.state("Ann"), known.since("Ann")) == (state, since)
    counts = [(one, known.count(one)) for one in ("expected", "here", "withdrawn") if one != "withdrawn"]
    assert counts == [(one, int(state == one)) for one in ("expected", "here")]
    assert known.count("withdrawn") == 1 + (state == "withdrawn")


def test_a_ticket_is_revoked_up_to_the_moment_that_the_director_named() -> None:
    known = directed([text(revoke="referee", name="1", until=100), text(invite="admin", name="2", until=50)])
    assert [known.is_revoked("referee", "1", until) for until in (99, 100, 101)] == [True, True, False]
    assert not known.is_revoked("admin", "1", 0)
    assert known.invited == {("admin", "2"): 50}


def test_the_first_end_of_a_round_and_the_highest_plan_before_it_count() -> None:
    ends = [text(end=1, lines={A: 1}), text(end=1, lines={A: 9})]
    known = directed([plan(1, 2), plan(1, 1), *ends, plan(1, 3), plan(2), text(timer=2, ends=7), "no JSON"])
    assert known.plans[1].plan == 2
    assert known.ends[1].lines == {A: 1}
    assert (known.round, known.timers[2].ends, known.names) == (2, 7, ["Ann", "Ben", "Cat", "Dan"])
    assert directed([plan(1), ends[0]]).round == 1
    assert directed([]).round == 0


def test_a_key_speaks_for_its_table_from_its_first_round_until_another_takes_over() -> None:
    lines = [text(enroll=A, table=1, from_round=1), text(enroll=B, table=1, from_round=3)]
    known = directed(lines)
    assert [known.key(1, round_) for round_ in range(5)] == [None, A, A, B, B]
    assert known.key(2, 1) is None
    assert (known.tables(A, 2), known.tables(A, 3), known.tables(B, 3)) == ([1], [], [1])
    assert enrolled([plan(1), *lines, "no JSON"]) == [A, B]
