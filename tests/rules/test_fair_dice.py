"""Fair dice: what both sides' halves make of a game's dice, and the check of a record."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nardy_ai.core import InputError
from nardy_ai.rules import Game, History, MatchState, MatFile, Terms, mat_of_text, mat_text
from nardy_ai.rules.fair_dice import (
    CheckedGame,
    FairDice,
    check_record,
    commitment_to,
    dice_of_record,
    plain_half,
)
from nardy_ai.rules.match import steps

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "fair_dice.json").read_text("utf-8"))
HALVES = FairDice("0123456789abcdef0123456789abcdef", "hello, dice")


def played(game: str, halves: FairDice, turns: int = 400) -> History:
    """A game of first plays with the dice of these halves."""
    history = History.of(MatchState.begin(Terms.match(Game(game), 1)))
    for number in range(turns):
        dice = halves.throw(number)
        if history.state.phase == "rolloff":
            history = history.make(steps.RollOff(dice))
        else:
            history = history.make(steps.Throw(dice))
        if history.state.phase == "play":
            history = history.make(steps.Move(history.state.plays()[0]))
        if history.state.result is not None:
            return history
    return history


def record(history: History, halves: FairDice, commitment: str | None = None) -> MatFile:
    value = f"1 {commitment or halves.commitment} {halves.bot} {halves.player}"
    return MatFile(history, ("Ann", "nardy-ai"), (("Dice 1", value),))


def test_the_definition_holds_word_for_word() -> None:
    bot, player = "00112233445566778899aabbccddeeff", "Кости"
    digest = hashlib.sha256(b"nardy fair dice 1\ncommitment\n00112233445566778899aabbccddeeff").hexdigest()
    key = hashlib.sha256(f"nardy fair dice 1\nkey\n{bot}\n{player}".encode()).hexdigest()
    block = hashlib.sha256(f"nardy fair dice 1\nthrow\n{key}\n7\n0".encode()).digest()
    first, second = [byte for byte in block if byte < 252][:2]
    halves = FairDice(bot, player)
    assert (halves.commitment, halves.key) == (digest, key)
    assert halves.throw(7) == (first % 6 + 1, second % 6 + 1)


def test_golden_values() -> None:
    for case in GOLDEN["games"]:
        halves = FairDice(case["bot"], case["player"])
        assert (halves.commitment, halves.key) == (case["commitment"], case["key"])
        assert [list(halves.throw(n)) for n in range(len(case["throws"]))] == case["throws"]
    late = GOLDEN["late"]
    assert list(FairDice(late["bot"], late["player"]).throw(late["number"])) == late["dice"]
    for given_text, counts in GOLDEN["halves"]:
        assert plain_half(given_text) == counts


def test_all_throws_are_equally_likely() -> None:
    counts = Counter(HALVES.throw(number) for number in range(7200))
    chi2 = sum((counts[a, b] - 200) ** 2 / 200 for a in range(1, 7) for b in range(1, 7))
    # 35 degrees of freedom: beyond 66.6 in one of 1,000 cases; the value is fixed, as the halves are.
    assert chi2 < 66.6


def test_each_half_changes_the_dice() -> None:
    def throws(halves: FairDice) -> list[tuple[int, int]]:
        return [halves.throw(number) for number in range(20)]

    other_player = replace(HALVES, player="hello, Dice")
    other_bot = replace(HALVES, bot="1123456789abcdef0123456789abcdef")
    assert len({str(throws(each)) for each in (HALVES, other_player, other_bot)}) == 3


@given(st.text(max_size=300))
def test_a_plain_half_stays_as_it_is(text: str) -> None:
    plain = plain_half(text)
    assert plain_half(plain) == plain
    assert len(plain) <= 100
    if plain:
        FairDice("0" * 32, plain)


@pytest.mark.parametrize(
    ("bot", "player"),
    [("0" * 31, "x"), ("G" * 32, "x"), (7, "x")] + [("0" * 32, text) for text in ("", " x", "a\nb", None)],
)
def test_what_is_no_half_is_refused(bot: str, player: str) -> None:
    with pytest.raises(InputError, match="half is"):
        FairDice(bot, player)


@pytest.mark.parametrize("number", [-1, True, 1.0])
def test_what_is_no_throw_is_refused(number: int) -> None:
    with pytest.raises(InputError, match="number of a throw"):
        HALVES.throw(number)


@pytest.mark.parametrize("game", ["short", "long", "long/fnr2025", "short/portes"])
def test_a_record_is_checked_throw_by_throw(game: str) -> None:
    history = played(game, HALVES)
    again = mat_of_text(mat_text(record(history, HALVES)))
    (checked,) = check_record(again)
    assert checked.fault is None
    assert checked.throws > 20
    assert check_record(record(history, replace(HALVES, player="other")))[0].fault is not None


def test_one_wrong_throw_is_named() -> None:
    history = played("long", HALVES)
    at = next(i for i, step in enumerate(history.steps) if isinstance(step, steps.Throw) and i > 20)
    number = sum(isinstance(step, steps.Throw | steps.RollOff) for step in history.steps[:at])
    expected = HALVES.throw(number)
    wrong = steps.Throw((6, 5) if sorted(expected) != [5, 6] else (1, 1))
    changed = History(history.states[: at + 1], history.steps[:at]).make(wrong)
    found = check_record(record(changed, HALVES))
    assert found == [CheckedGame(1, number + 1, found[0].fault)]
    assert str(found[0].fault).startswith(f"throw {number + 1} is ")


def test_another_half_than_the_one_committed_to_is_seen() -> None:
    other = commitment_to("f" * 32)
    (checked,) = check_record(record(played("short", HALVES), HALVES, other))
    assert checked.fault == "the bot's half is not the one that it committed to"


def test_a_game_that_goes_on_tells_its_commitment_alone() -> None:
    value = f"1 {HALVES.commitment} - {HALVES.player}"
    file = MatFile(played("short", HALVES, 6), tags=(("Dice 1", value), ("Event", "home")))
    assert dice_of_record(file) == {1: (HALVES.commitment, None)}
    assert check_record(file) == []


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ((), "no fair dice"),
        ((("Dice 1", "1 abc"),), "tells no commitment"),
        ((("Dice 1", f"2 {'0' * 64} {'0' * 32} x"),), "fair dice 2"),
        ((("Dice 1", f"1 {'0' * 64} {'0' * 32} x"), ("Dice 1", f"1 {'0' * 64} - x")), "there twice"),
    ],
)
def test_what_a_record_must_tell(tags: tuple[tuple[str, str], ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_record(MatFile(played("short", HALVES, 4), tags=tags))


def test_a_game_without_its_tag_or_its_half_is_no_checked_game() -> None:
    history = played("short", HALVES)
    hidden = f"1 {HALVES.commitment} - {HALVES.player}"
    value = f"1 {HALVES.commitment} {HALVES.bot} {HALVES.player}"
    throws = check_record(record(history, HALVES))[0].throws
    assert check_record(MatFile(history, tags=(("Dice 1", hidden),))) == [
        CheckedGame(1, throws, "it is over, and the bot's half is not shown")
    ]
    assert check_record(MatFile(history, tags=(("Dice 2", value),))) == [
        CheckedGame(1, throws, "no tag tells its halves"),
        CheckedGame(2, 0, "the record has no such game"),
    ]


@pytest.mark.parametrize("starter", [0, 1])
def test_a_starter_whom_no_dice_chose_is_seen(starter: int) -> None:
    history = History.of(MatchState.begin(Terms.match(Game("long"), 1))).make(steps.Starts(starter))
    for number in range(6):
        history = history.make(steps.Throw(HALVES.throw(number)))
        if history.state.phase == "play":
            history = history.make(steps.Move(history.state.plays()[0]))
    again = mat_of_text(mat_text(record(history, HALVES)))
    assert "roll-off" in str(check_record(again)[0].fault)
