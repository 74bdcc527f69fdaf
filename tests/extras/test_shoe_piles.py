"""What a person says of the piles, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from croupier.link import reports as wire
from croupier_extras.shoe_trial.piles import Counted, Person, Placed, expected_piles, place, read_pile, stretches
from croupier_extras.shoe_trial.trial import Batch

RED = tuple(f"red-{n}" for n in range(8))
BLUE = tuple(f"blue-{n}" for n in range(8))
RED_AGAIN = tuple(f"red-{n}" for n in range(1, 9))


def batch(seat: int, run: tuple[str, ...], told: int | None = None) -> Batch:
    """A batch in which the machine told each card of the run, or ``told`` cards."""
    n = len(run) if told is None else told
    cards = [wire.Card(t=0.1 * at, u=0.0, job=1, index=at, pulse=75_000, gap=20_000) for at in range(1, n + 1)]
    return Batch(seat, run, n, ["complete"], [cards])


def test_all_is_where_it_should_be() -> None:
    batches = [batch(0, RED), batch(1, BLUE), batch(0, RED_AGAIN)]
    assert place(batches, [RED + RED_AGAIN, BLUE]) == Placed((0, 0, 0), (), (), ())


def test_a_card_that_came_along_unseen_is_found_in_its_batch() -> None:
    batches = [batch(0, RED), batch(1, BLUE, 7)]
    found = place(batches, [(*RED, BLUE[0]), BLUE[1:]])
    assert found == Placed((1, 0), (), (), ())


def test_a_card_that_was_reported_and_never_came_is_found_in_its_batch() -> None:
    found = place([batch(0, RED), batch(1, BLUE)], [RED[:-1], (RED[-1], *BLUE[:-1])])
    assert found.unseen == (-1, 0)
    assert (found.strayed, found.missing) == ((), ())


def test_a_batch_at_the_wrong_seat_is_no_miscount() -> None:
    found = place([batch(0, RED), batch(1, BLUE), batch(2, RED_AGAIN)], [RED + BLUE, (), RED_AGAIN])
    assert found.unseen == (0, 0, 0)
    assert found.strayed == tuple((face, 1, 0) for face in BLUE)


def test_a_card_that_lies_nowhere_is_missing() -> None:
    found = place([batch(0, RED), batch(1, BLUE)], [RED[:3] + RED[4:], BLUE])
    assert (found.unseen, found.missing) == ((0, 0), ("red-3",))


def test_a_card_that_cannot_be_read_stands_for_any() -> None:
    assert place([batch(0, RED)], [(*RED[:3], "?", *RED[4:])]) == Placed((0,), (), (), ())


def test_a_deck_that_was_not_sorted_so_is_reported_and_not_taken_for_a_fault_of_the_shoe() -> None:
    found = place([batch(0, RED)], [(RED[1], RED[0], *RED[2:])])
    assert found.foreign
    assert not found.strayed


def test_what_people_expect_follows_what_the_machine_counted() -> None:
    piles = expected_piles([batch(0, RED, 9), batch(1, BLUE, 7)], 2)
    assert piles == [(*RED, BLUE[0]), BLUE[1:]]
    assert stretches(piles[0]) == "red-0 … red-7, blue-0"


@pytest.mark.parametrize(
    ("text", "pile"),
    [
        pytest.param("r0 rs rr r+2", ("red-0", "red-skip", "red-reverse", "red-draw2"), id="short"),
        pytest.param("W, w4, Y7", ("wild", "wild-draw4", "yellow-7"), id="commas"),
        pytest.param("green-skip ?", ("green-skip", "?"), id="whole-names"),
        pytest.param("13", 13, id="a-number"),
    ],
)
def test_piles_are_typed_in_few_letters(text: str, pile: object) -> None:
    assert read_pile(text) == pile


def test_what_is_no_card_is_reported() -> None:
    with pytest.raises(ValueError, match="x7: unknown card: expected red-7 or r7"):
        read_pile("r7 x7")


def asked(*answers: str) -> tuple[Person, list[str]]:
    said: list[str] = []
    given: Iterator[str] = iter(answers)

    def ask(text: str) -> str:
        said.append(text)
        try:
            return next(given)
        except StopIteration:
            raise EOFError from None

    return Person(said.append, ask), said


def test_enter_says_that_a_pile_is_as_expected() -> None:
    person, said = asked("", "b0 b1 b2 b3 b4 b5 b6 b7")
    assert person.table([batch(0, RED), batch(1, BLUE)], 2) == Placed((0, 0), (), (), ())
    assert "Seat 1 should hold 8 cards, in the order in which they came: red-0 … red-7." in said


def test_a_number_in_place_of_a_pile_makes_it_a_count() -> None:
    person, said = asked("nine", "9", "")
    assert person.table([batch(0, RED), batch(1, BLUE)], 2) == Counted((8, 8), (9, 8))
    assert any("nine: unknown card" in one for one in said)


def test_where_nobody_answers_nothing_is_known() -> None:
    person, _ = asked("")
    assert person.table([batch(0, RED), batch(1, BLUE)], 2) is None
    assert not person.clear("jam", 0)


def test_a_person_may_give_up() -> None:
    person, said = asked("q")
    assert not person.clear("jam", 2)
    assert said[0].startswith("A card is jammed at seat 3. Take it out and put it back under the deck")
