"""The hub in the deterministic simulation: what it has acknowledged is kept, once, whatever goes wrong round it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from croupier_hub.budget import Budget
from croupier_hub.cosigning import Cosigner
from croupier_hub.fold import Fold
from croupier_hub.forwarding import Forwarder
from croupier_hub.group_commit import GroupCommit
from croupier_hub.signed_log import Sent
from tests.longer import run_number
from tests.simulation.run import told
from tests.simulation.tournament.run import run_seed

CHUNK = 10
"""Seeds of one test."""


def check(seeds: Sequence[int]) -> None:
    failures = [told(outcome) for seed in seeds if (outcome := run_seed(seed)).failure]
    assert not failures, "\n".join(failures)


def test_all_holds_in_the_first_seeds() -> None:
    check(range(2))


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(69, id="a-hub-whose-backup-was-restored-lacks-what-an-idle-table-has-sent"),
        pytest.param(440, id="a-commit-fails-as-the-hub-ends"),
    ],
)
def test_what_a_seed_has_found_stays_mended(seed: int) -> None:
    check([seed])


@pytest.mark.long
@pytest.mark.parametrize("first", range(10, 10 + 6 * CHUNK, CHUNK))
def test_all_holds_whatever_goes_wrong(first: int) -> None:
    check(range(first, first + CHUNK))


@pytest.mark.nightly
@pytest.mark.parametrize("hundred", range(4))
def test_all_holds_for_hundreds_of_seeds(hundred: int) -> None:
    """CROUPIER_RUN chooses the seeds (`run_number`)."""
    first = 100 * (1 + 4 * run_number() + hundred)
    check(range(first, first + 100))


@pytest.mark.long
def test_a_seed_gives_the_same_run_byte_for_byte() -> None:
    assert run_seed(12).trace == run_seed(12).trace


@pytest.mark.long
def test_the_seeds_let_go_wrong_what_can() -> None:
    left = {
        "KILLED", "during a transaction", "cannot start", "stops", "chaos back_up", "chaos pose", "chaos flood",
        " fork ", "table 1 KILLED", "10.0.0.2 accepted", " gap ", "timed out",
    }  # fmt: skip
    for seed in range(100, 160):
        said = "\n".join(run_seed(seed).trace)
        left -= {what for what in left if what in said}
        if not left:
            return
    assert not left, "never"


# What the simulation would find: each of these breaks one thing that must hold.


def found(seeds: Sequence[int], what: str) -> bool:
    return any(what in run_seed(seed).failure for seed in seeds)


def _acknowledged_before_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    commit = GroupCommit._commit

    def early(commits: Any, group: Sequence[Any]) -> None:
        """Answer what a transaction would, which is written with the next one."""
        late = commits.__dict__.setdefault("late", [])
        while late:
            commit(commits, late.pop(0))
        with commits._engine.connect() as connection:
            answers = commits._write(connection, [sent for sent, _ in group])
            connection.rollback()
        for (sent, answer), found_ in zip(group, answers, strict=True):
            answer.set_result(found_)
            late.append([(sent, type(answer)())])

    monkeypatch.setattr(GroupCommit, "_commit", early)


def _counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    read_again = Fold._read_again

    def twice(fold: Any) -> None:
        read_again(fold)
        for log in fold._tables.values():
            log.cells |= {(*at, "again"): cell for at, cell in log.cells.items() if len(at) == 2}

    monkeypatch.setattr(Fold, "_read_again", twice)


def _signatures_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sent, "is_signed", True)


def _anybodys_heads_are_cosigned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cosigner, "_knows", lambda _cosigner, _log: True)


def _nothing_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Budget, "_forget", lambda _budget: None)


def _a_club_believes_what_the_federation_once_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Forwarder, "forget", lambda _forwarder: None)


@pytest.mark.long
@pytest.mark.parametrize(
    ("plant", "what"),
    [
        pytest.param(_acknowledged_before_it_is_written, "were acknowledged", id="acknowledged-before-it-is-written"),
        pytest.param(_counted_twice, "standings are", id="a-result-is-counted-twice"),
        pytest.param(_signatures_are_not_looked_at, "the hub others", id="signatures-are-not-looked-at"),
        pytest.param(_anybodys_heads_are_cosigned, "which nobody knows", id="heads-of-anybody-are-cosigned"),
        pytest.param(_nothing_is_forgotten, "not all is there", id="the-budget-of-a-network-stays-used-up"),
        pytest.param(
            _a_club_believes_what_the_federation_once_had,
            "not all is there",
            id="a-club-believes-what-the-federation-once-had",
        ),
    ],
)
def test_a_planted_fault_is_found(
    plant: Callable[[pytest.MonkeyPatch], None], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    assert found(range(200, 260), what)
