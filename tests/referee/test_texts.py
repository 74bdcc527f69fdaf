"""What people are told, in every language: nothing is missing, nothing is lost, and a game reads well.

The games under ``told/`` are one log (``game.jsonl``) told under a ruleset of each language; read them before you
change a text.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from croupier.cli import main
from croupier_rules.cards import DECKS
from croupier_rules.referee import Explainer, Header, Referee, parse_header, parse_observation
from croupier_rules.referee.observations import (
    OBSERVATIONS,
    Accept,
    Acted,
    Challenge,
    Color,
    Dealt,
    Decline,
    Discarded,
    Drew,
    Fault,
    Hint,
    HouseRule,
    Lift,
    Observation,
    Overrule,
    Pass,
    Pick,
    Play,
    Recycled,
    Redealt,
    Resumed,
    Shown,
    Swap,
    Target,
    Tick,
    Uno,
    Upcard,
)
from croupier_rules.referee.rulings import (
    CannotTell,
    Caught,
    ChallengeOutcome,
    ChooseColor,
    ChooseSeat,
    ChooseTarget,
    ColorIs,
    Dealer,
    DiscardAll,
    Draw,
    Eliminated,
    GameOver,
    HandsMoved,
    HouseRuleIs,
    Illegal,
    MayChallenge,
    MayStack,
    Mismatch,
    PickAgain,
    Recycle,
    Redeal,
    ReturnCard,
    RoundOver,
    Ruling,
    Score,
    Short,
    ShowHand,
    Skip,
    Turn,
    TurnUp,
    UnoStands,
    Void,
    Warn,
)
from croupier_rules.referee.transitions import HAS_TURN, PHASES
from croupier_rules.referee.verdict import VerdictReader, verdict_to_json
from croupier_rules.rules import UNWRITTEN, load, names
from tools.lock import ROOT

TEXTS: Final = ROOT / "host/croupier-rules/croupier_rules/referee/texts"
TOLD: Final = Path(__file__).parent / "told"
LANGUAGES: Final = sorted(file.stem for file in TEXTS.glob("*.toml"))
RULESET: Final = {load(name).language: name for name in sorted(names(), reverse=True) if not load(name).own_words}
"""By language: the first printed ruleset that speaks it."""

HAS_TURN_NOW: Final = tuple(PHASES[phase] for phase in sorted(HAS_TURN) if PHASES[phase] != "redeal")
"""Phases in which a seat is asked."""

SEATS: Final = ("Ann", "Ben", "Cat", "Dan")
ONLY_SOME: Final = {"count.few", "points.few"}
"""Texts that only some languages need: Polish has three plural forms."""

SEEN: Final[tuple[Observation, ...]] = (
    Pick(0.0, 0, "red-7"),
    Dealt(0.0, 0, 7),
    Upcard(0.0, "red-7"),
    Lift(0.0, 0),
    Play(0.0, "red-7", 0),
    Play(0.0, "?"),
    Drew(0.0, 0, 1),
    Pass(0.0, 0),
    Color(0.0, "blue", 0),
    Uno(0.0, 0),
    Accept(0.0, 0),
    Challenge(0.0, 0),
    Shown(0.0, 0, ("red-7", "back")),
    Shown(0.0, 0, ()),
    Redealt(0.0, 0, 2),
    Recycled(0.0),
    HouseRule(0.0, 0, 2, "moo"),
    Decline(0.0, 0),
    Acted(0.0, 0),
    Hint(0.0, 0),
    Fault(0.0, "shoe", "jam"),
    Resumed(0.0),
    Swap(0.0, 0, 1),
    Target(0.0, 0, 1),
    Discarded(0.0, 0, 2),
    Overrule(0.0, undo=2),
    Overrule(0.0, set={"turn": 1}),
    Tick(0.0),
)


def said() -> Iterator[Ruling]:
    """Every ruling with every cause that `../contract/table-log.md` gives it."""
    on = UNWRITTEN
    yield from (Dealer(on, 0), PickAgain(on, (0, 1)), Turn(on, 0, "left"), Turn(on, 0, "right"), ColorIs(on, "red"))
    yield from (ChooseColor(on, 0), Skip(on, 0), UnoStands(on, 0), Caught(on, 0, 1), MayChallenge(on, (0, 1, 2)))
    yield from (ShowHand(on, 0, 1), ChallengeOutcome(on, 0, 1, True), ChallengeOutcome(on, 0, 1, False), Recycle(on))
    yield from (Short(on, 0, 2), Redeal(on, 0, (3, 3, 2, 2)), RoundOver(on, 0), Eliminated(on, 0))
    yield from (Score(on, 0, None, 20, 40), Score(on, None, 1, 20, 40))
    yield from (GameOver(on, seat=0), GameOver(on, team=1), GameOver(on, seats=(0, 1)))
    for to in ("deck", "bottom", "aside"):
        yield ReturnCard(on, "wild-draw4", to)
    for why in ("draw2", "wild-draw4", "guilty", "innocent", "uno", "hint", "house-rule", "custom", "wild-draw10"):
        yield Draw(on, 0, 2, why)
    for why in ("no-match", "not-your-turn", "hand-card-after-draw", "must-play-drawn", "one-draw", "not-in-hand"):
        yield Illegal(on, 0, why, "red-7")
    yield from (Illegal(on, 0, "wrong-phase"), Illegal(on, 0, "wrong-phase", None, "paused"))
    yield from (
        Illegal(on, 0, "wrong-phase", None, phase, 1, 4 if phase == "stack" else None) for phase in HAS_TURN_NOW
    )
    yield from (ChooseSeat(on, 0), ChooseTarget(on, 0), MayStack(on, 0, 4), HandsMoved(on, (3, 3, 2, 2)))
    yield from (Illegal(on, 0, "action-last", "red-7"), Illegal(on, 0, "discard-all"), DiscardAll(on, 0), TurnUp(on, 0))
    own = load("g7942-en+stack.draw2=draw2+turn.force_play=drawn+turn.must_draw=until-it-fits").basis
    yield Illegal(own("stack.draw2"), 0, "no-match", "red-7")
    yield Illegal(own("turn.force_play"), 0, "must-play-drawn", "red-7")
    yield from (Illegal(own("turn.must_draw"), 0, why, "red-7") for why in ("one-draw", "wrong-phase"))
    of_the_cards = load("no-mercy-en").basis
    yield from (Illegal(of_the_cards("card.own"), 0, why, "red-7") for why in ("no-match", "one-draw", "not-in-hand"))
    yield from (RoundOver(of_the_cards("hand.limit", "last"), 0), Eliminated(of_the_cards("hand.limit"), 0))
    for why in ("playable-card-held", "not-scored", "own-penalty"):
        yield Warn(on, 0, why)
    for why in ("too-early", "too-late", "nobody-to-catch", "not-the-challenger", "not-the-namer", "not-in-document"):
        yield Void(on, 0, why)
    for state in ("added", "changed", "run"):
        yield HouseRuleIs(on, 2, state, "moo")
    yield HouseRuleIs(on, 2, "refused")
    for about in ("uno", "house-rule", "play"):
        yield CannotTell(on, about, (0, 1))
    for what in ("hand", "card", "pile"):
        yield Mismatch(on, what, 3, 4)


def texts(language: str) -> dict[str, str]:
    """The texts of a language by dotted key."""
    found: dict[str, str] = {}

    def walk(table: dict[str, Any], before: str) -> None:
        for key, value in table.items():
            if isinstance(value, dict):
                walk(value, f"{before}{key}.")
            else:
                found[before + key] = value

    walk(tomllib.loads((TEXTS / f"{language}.toml").read_text(encoding="utf-8")), "")
    return found


def explainer(language: str) -> Explainer:
    return Explainer(Header(ruleset=load(RULESET[language]), seats=SEATS, teams=((0, 2), (1, 3))))


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_language_says_what_english_says_with_the_same_names_and_numbers(language: str) -> None:
    english, other = texts("en"), texts(language)
    assert {key for key in other if not key.startswith("article.")} - ONLY_SOME == english.keys()
    filled = {key: set(re.findall(r"{(\w+)(?::the)?}", text)) for key, text in english.items()}
    assert {key: set(re.findall(r"{(\w+)(?::the)?}", other[key])) for key in english} == filled
    assert [key for key, text in other.items() if not text.strip() and key != "and"] == []


@pytest.mark.parametrize(
    ("rules", "ruled", "said"),
    [
        ("stack.draw2=draw2", MayStack, "Ann may answer with another draw card, or draws 2 cards."),
        ("stack.bounce=reverse", MayStack, "Ann may answer the draw card, or draws 2 cards."),
        ("seven=may-swap", ChooseSeat, "Ann may choose a player to swap hands with, or passes and keeps the hand."),
    ],
)
def test_what_a_table_may_do_by_its_own_rules_is_said_so(rules: str, ruled: type[Ruling], said: str) -> None:
    ruleset = load(f"g7942-en+{rules}")
    on = ruleset.basis(rules.partition("=")[0])
    ruling = MayStack(on, 0, 2) if ruled is MayStack else ChooseSeat(on, 0)
    assert Explainer(Header(ruleset=ruleset, seats=("Ann", "Ben"))).explain(ruling).text == said


def test_there_are_texts_for_everything_that_is_reported_and_ruled() -> None:
    assert {type(observation) for observation in SEEN} == set(OBSERVATIONS.values())
    assert {ruling.name for ruling in said()} == {kind.name for kind in Ruling.__subclasses__()}


def test_everything_that_is_reported_and_ruled_is_described(language: str) -> None:
    speaker = explainer(language)
    told = [speaker.seen(observation, on_turn=3) for observation in SEEN]
    told += [speaker.explain(ruling).text for ruling in said()]
    assert [text for text in told if re.search(r"[{}]|None|\(\)", text)] == []
    assert len(set(told)) == len(told), "two causes with one text: which of them was it?"


def test_a_sentence_that_begins_with_a_card_begins_with_a_capital_letter(language: str) -> None:
    speaker = explainer(language)
    told = [speaker.seen(Upcard(0.0, "red-7"))]
    told += [speaker.explain(ReturnCard(UNWRITTEN, "red-7", to)).text for to in ("deck", "bottom", "aside")]
    assert [text for text in told if text[0] != text[0].upper()] == []


def test_the_voice_says_the_same_in_fewer_words(language: str) -> None:
    speaker = explainer(language)
    for ruling in said():
        assert not re.search(r"[{}]|None|\(\)", speaker.spoken(ruling))
        assert len(speaker.spoken(ruling)) <= len(speaker.explain(ruling).text)
    for what in ("paused", "which_card", "upcard", "show_hand", "next_round", "choose_dealer"):
        assert not re.search(r"[{}]", speaker.call(what, seat=0))


def test_every_card_has_a_name_of_its_own(language: str) -> None:
    faces = {face for deck in DECKS.values() for face in deck} | {"back", "?"}
    speaker = explainer(language)
    assert len({speaker.card(face) for face in faces}) == len(faces)


@pytest.mark.parametrize(
    ("n", "cards"),
    [
        pytest.param(1, "1 kartę", id="one"),
        pytest.param(2, "2 karty", id="few"),
        pytest.param(5, "5 kart", id="many"),
        pytest.param(12, "12 kart", id="teens-are-many"),
        pytest.param(22, "22 karty", id="few-again"),
        pytest.param(25, "25 kart", id="many-again"),
    ],
)
def test_polish_counts_in_three_ways(n: int, cards: str) -> None:
    assert explainer("pl").seen(Drew(0.0, 0, n)) == f"Ann dobiera {cards}."


@pytest.mark.parametrize(
    ("language", "face", "said"),
    [
        pytest.param("it", "red-7", "Ann gioca il 7 rosso.", id="italian"),
        pytest.param("it", "red-8", "Ann gioca l'8 rosso.", id="italian-before-a-vowel"),
        pytest.param("it", "green-0", "Ann gioca lo 0 verde.", id="italian-zero"),
        pytest.param("it", "blue-reverse", "Ann gioca l'Inverti blu.", id="italian-reverse"),
        pytest.param("fr", "blue-draw2", "Ann pose la carte +2 bleue.", id="french-action"),
        pytest.param("fr", "wild-draw4", "Ann pose le Super Joker.", id="french-wild"),
        pytest.param("es", "?", "Ann juega una carta ilegible.", id="spanish-unread"),
        pytest.param("de", "red-7", "Ann legt die rote 7.", id="german"),
    ],
)
def test_a_card_has_the_article_that_belongs_to_it(language: str, face: str, said: str) -> None:
    assert explainer(language).seen(Play(0.0, face, 0)) == said


@pytest.mark.parametrize(
    ("seats", "who"),
    [
        pytest.param((0,), "Ann", id="one"),
        pytest.param((0, 1), "Ann and Ben", id="two"),
        pytest.param((0, 1, 2), "Ann, Ben and Cat", id="three"),
        pytest.param((), "the table", id="nobody"),
    ],
)
def test_names_are_listed_as_people_list_them(seats: tuple[int, ...], who: str) -> None:
    assert f"who was first ({who})." in explainer("en").explain(CannotTell(UNWRITTEN, "uno", seats)).text


def test_a_game_is_described_in_the_language_of_its_ruleset(
    language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"turn": 0, "direction": "left", "top": "red-7", "hands": [3, 2, 4, 2]}
    header = {"log": "croupier/1", "ruleset": RULESET[language], "seats": SEATS, "dealer": 3, "given": given}
    log = tmp_path / "game.jsonl"
    log.write_text(json.dumps(header) + "\n" + (TOLD / "game.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    assert main.run(["referee", str(log)]) == 0
    assert capsys.readouterr().out == (TOLD / f"{language}.txt").read_text(encoding="utf-8")


def source_of(ruleset: str, given: dict[str, Any], *seen: dict[str, Any]) -> tuple[str, str]:
    """The text and the source of the last ruling on what was seen at a table of three."""
    header = parse_header({"log": "croupier/1", "ruleset": ruleset, "seats": [*SEATS[:3]], "dealer": 2, "given": given})
    referee, speaker = Referee(header), Explainer(header, "en")
    for t, one in enumerate(seen):
        rulings = referee.observe(parse_observation({**one, "t": float(t)}, 3))
    told = speaker.explain(rulings[-1])
    again = VerdictReader(header).read(verdict_to_json(rulings, referee.position(), referee.position()), {})
    assert again is not None
    assert speaker.explain(again.rulings[-1]) == told, "a journal tells it otherwise"
    return told.text, told.source


PLAY_DRAW2: Final = {"obs": "play", "card": "red-draw2"}


@pytest.mark.parametrize(
    ("ruleset", "given", "seen", "text", "source"),
    [
        pytest.param("g7942-en", {}, [PLAY_DRAW2, {"obs": "play", "card": "blue-draw2", "seat": 1}],
                     "It is not Ben's turn.", "(card.draw2): “When this card is played, the next person",
                     id="draw-two-on-draw-two"),
        pytest.param("g7942-en", {}, [{"obs": "play", "card": "red-1"}, {"obs": "pass", "seat": 0}],
                     "It is not Ann's turn.", "play moves on to the next person in turn", id="the-turn-went-on"),
        pytest.param("g7942-en", {"turn": 1}, [{"obs": "play", "card": "red-1", "seat": 2}],
                     "It is not Cat's turn.", "play moves on to the next person in turn", id="a-position-was-given"),
        pytest.param("g7942-en", {}, [{"obs": "play", "card": "wild"}, {"obs": "pass", "seat": 1}],
                     "Not now. Ann has to name a color. Nothing has changed for Ben.", "says nothing", id="color"),
        pytest.param("g7942-en", {}, [{"obs": "fault", "device": "shoe", "kind": "jam"}, {"obs": "pass", "seat": 1}],
                     "Not now. Play is paused.", "says nothing", id="paused"),
        pytest.param("g7942-en", {"hands": [1, 7, 7], "known": {"0": ["red-1"]}}, [{"obs": "play", "card": "red-2"}],
                     "Ann cannot hold red 2", "The sheet says nothing", id="not-in-hand"),
        pytest.param("box112-en", {}, [{"obs": "house_rule", "seat": 0, "number": 2, "text": "moo"}],
                     "No rule can be made for 2", "The sheet says nothing", id="no-house-rules"),
        pytest.param("no-mercy-en", {"phase": "roulette", "top": "wild-roulette", "color": "red"},
                     [{"obs": "drew", "seat": 0, "n": 2, "cards": ["red-1", "red-2"]}],
                     "Ann had turned up a card of the color", "(card.own)", id="roulette-goes-on"),
        pytest.param("no-mercy-en", {"phase": "color", "top": "wild-roulette"}, [{"obs": "color", "color": "red"}],
                     "Ann turns up cards", "(card.own)", id="roulette"),
        pytest.param("no-mercy-en", {"out": [1], "knocked_out": [1], "hands": [19, 0, 24], "owed": {"2": 1}},
                     [{"obs": "drew", "seat": 2, "n": 1}], "Ann has won the game.", "left when all others are",
                     id="last-one-left"),
        pytest.param("no-mercy-en", {"hands": [24, 7, 7], "turn": 1, "owed": {"0": 1}},
                     [{"obs": "drew", "seat": 0, "n": 1}],
                     "Ann holds too many cards", "“Whoever holds 25 cards or more", id="knocked-out"),
        pytest.param("no-mercy-en", {"phase": "stack", "top": "red-draw2", "turn": 1, "stack": 4},
                     [{"obs": "accept", "seat": 1}], "It is Cat's turn", "and misses the turn", id="stack-of-the-box"),
        pytest.param("g7942-en+stack.draw2=draw2", {"phase": "stack", "top": "red-draw2", "turn": 1, "stack": 4},
                     [{"obs": "accept", "seat": 1}], "It is Cat's turn",
                     "(stack.draw2): who does not answer the last draw card draws for all", id="stack-of-the-table"),
        pytest.param("classic-hu", {"phase": "challenge", "top": "wild-draw4", "color": "red"},
                     [{"obs": "accept", "seat": 2}], "It is not up to Cat to answer the Wild Draw Four.",
                     "(wd4.bluff): “Ezen felül a következő játékos", id="another-takes-the-four"),
    ],
)  # fmt: skip
def test_a_ruling_says_why_and_cites_the_sentence_that_decides(
    ruleset: str, given: dict[str, Any], seen: list[dict[str, Any]], text: str, source: str
) -> None:
    told = source_of(ruleset, {"turn": 0, "top": "red-5", **given}, *seen)
    assert text in told[0]
    assert source in told[1]


@pytest.mark.parametrize("ruleset", ["g7942-en", "g7942-es", "classic-hu"])
@pytest.mark.parametrize("card", ["green-3", "green-skip", "green-reverse", "green-draw2"])
def test_the_color_of_a_card_turned_up_rests_on_what_may_be_played_on_it(ruleset: str, card: str) -> None:
    header = parse_header({"log": "croupier/1", "ruleset": ruleset, "seats": [*SEATS[:3]], "dealer": 2})
    (color, *_) = Referee(header).observe(parse_observation({"obs": "upcard", "card": card, "t": 0.0}, 3))
    assert isinstance(color, ColorIs)
    assert (color.rule, color.basis.quote) == ("match.basic", load(ruleset).rules["match.basic"].quote)


def test_the_last_one_left_is_not_said_to_be_out_of_cards(language: str) -> None:
    basis = load("no-mercy-en").basis
    won, out = RoundOver(basis("hand.limit", "last"), 0), RoundOver(UNWRITTEN, 0)
    for speaker in (explainer(language), explainer(language).to_player(0)):
        assert speaker.explain(won).text != speaker.explain(out).text
        assert speaker.spoken(won) != speaker.spoken(out)
    assert explainer("en").explain(won).text == "All others are knocked out: Ann has won the round."
    assert "HWV18" in explainer("en").explain(Eliminated(basis("hand.limit"), 0)).source


@pytest.mark.parametrize(
    ("language", "begins"),
    [
        ("fr", "Le 5 bleu n'est pas"), ("es", "El 5 azul no es"), ("it", "Il 5 blu non è"),
        ("nl", "De kaart blauwe 5 heeft"), ("sv", "Kortet blå 5 har"),
    ],
)  # fmt: skip
def test_a_card_that_begins_a_sentence_has_its_article(language: str, begins: str) -> None:
    header = Header(ruleset=load("no-mercy-en"), seats=("Ann", "Ben"), dealer=0)
    refused = Illegal(load("no-mercy-en").basis("card.own", "discard-all"), 0, "no-match", "blue-5")
    assert Explainer(header, language).explain(refused).text.startswith(begins)
