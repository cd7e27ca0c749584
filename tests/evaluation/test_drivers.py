"""Games of a match: scoring by a separate reading of the rules, distinct dice, and bots that fail."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from evaluation.recording import Recorder, python_bot

import nardy_ai as nardy
from nardy_ai import core
from nardy_ai.bots import BoardBot, GreedyBot, PubevalBot, RandomBot
from nardy_ai.bots.bot import Boards, Bytes, Keys
from nardy_ai.bots.simple import greedy_weights
from nardy_ai.evaluation import BotFault, match
from nardy_ai.evaluation.drivers import MixedDriver, NativeDriver
from nardy_ai.rules import Game

# Greedy with one weight dropped: an opponent of nearly the same strength, so that draws occur.
SWAYED = {**greedy_weights("long"), "rear": 0}


def short_points(winner_row: np.ndarray, loser_row: np.ndarray) -> int:
    """3: loser has none off and one on the bar or in the winner's home; 2: none off; 1: else."""
    assert winner_row[25] == 15
    if loser_row[25] > 0:
        return 1
    return 3 if loser_row[18:25].any() else 2


def long_points(winner_row: np.ndarray, loser_row: np.ndarray) -> int:
    assert winner_row[25] == 15
    return 1 if loser_row[25] > 0 else 2


def expected_points(game: str, first: Recorder, second: Recorder, pair: int, number: int) -> int:
    """Points of the first bot in game `number` of a pair, from the boards that the bots left."""
    seats = {0: first, 1: second} if number == 0 else {0: second, 1: first}
    mover = max((0, 1), key=lambda seat: seats[seat].last(pair, seat)[0])
    _, after = seats[mover].last(pair, mover)
    rows = {mover: after[0], 1 - mover: after[1]}
    finished = [seat for seat in (0, 1) if rows[seat][25] == 15]
    if len(finished) == 2:
        return 0
    # In long nardy the second player answers once more after the starter has finished.
    assert finished == [mover] or (game == "long" and finished == [0] and mover == 1)
    points = (long_points if game == "long" else short_points)(rows[finished[0]], rows[1 - finished[0]])
    return points if seats[finished[0]] is first else -points


@pytest.mark.parametrize(("game", "kinds"), [("short", {1, 2, 3}), ("long", {0, 1, 2})])
def test_games_are_scored_as_the_rules_say(game: str, kinds: set[int]) -> None:
    pairs = 300 if game == "short" else 80
    bots = (
        (GreedyBot(), PubevalBot())
        if game == "short"
        else (GreedyBot(), GreedyBot({"long": SWAYED}, "swayed"))
    )
    first, second = python_bot(bots[0]), python_bot(bots[1])
    rules = Game(game)
    found, _ = MixedDriver(first, second, rules, 21, 4000).play(0, pairs)
    native, _ = NativeDriver(bots[0].player(rules), bots[1].player(rules), rules.core_rules, 21, 4000).play(
        0, pairs
    )
    assert np.array_equal(found, native)
    seen = set()
    for pair in range(pairs):
        for number in (0, 1):
            points = expected_points(game, first, second, pair, number)
            assert rules.points[found[pair, number]] == points, (pair, number)
            seen.add(abs(points))
    assert seen == kinds
    result = match(*bots, game, pairs=pairs, seed=21)
    counts = {name: int((native == i).sum()) for i, name in enumerate(rules.outcomes)}
    assert result.outcomes == counts
    assert result.ppg == pytest.approx(
        sum(worth * counts[name] for name, worth in zip(rules.outcomes, rules.points, strict=True))
        / (2 * pairs)
    )


def test_every_game_of_a_match_is_another_one() -> None:
    driver = MixedDriver(bot := python_bot(RandomBot()), RandomBot(), Game("short"), 1, 4000)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda first: driver.play(first, 100), range(0, 400, 100)))
    hashes = bot.hashes()
    assert len(hashes) == len(set(hashes)) == 800


def _streams(pool: Executor) -> list[bytes]:
    asked = [pool.submit(core.dice, 1, core.PURPOSES["dice_duel"], pair, 0, 64, False) for pair in range(200)]
    return [future.result().tobytes() for future in asked]


def test_dice_are_keyed_by_the_pair_and_not_by_the_worker() -> None:
    with ThreadPoolExecutor(4) as pool:
        threads = _streams(pool)
    assert len(set(threads)) == 200
    for method in ("fork", "spawn"):
        if method not in multiprocessing.get_all_start_methods():
            continue
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
            assert _streams(pool) == threads


def test_both_games_of_a_pair_have_the_same_dice_and_lots_by_seat() -> None:
    first, second = python_bot(RandomBot()), python_bot(RandomBot())
    MixedDriver(first, second, Game("long"), 9, 4000).play(5, 3)
    for pair in (5, 6, 7):
        for seat in (0, 1):
            assert first.games[pair, seat] == second.games[pair, seat]
        assert first.games[pair, 0] != first.games[pair, 1]


def test_slices_do_not_matter() -> None:
    driver = MixedDriver(python_bot(GreedyBot()), RandomBot(), Game("short"), 3, 4000)
    whole, plies = driver.play(10, 30)
    parts = [driver.play(first, count) for first, count in ((10, 1), (11, 22), (33, 7))]
    assert np.array_equal(whole, np.concatenate([outcomes for outcomes, _ in parts]))
    assert np.array_equal(plies, np.concatenate([turns for _, turns in parts]))


class Faulty(BoardBot):
    """Plays like random until a turn, then does something wrong."""

    name, fingerprint = "faulty", "faulty"

    def __init__(self, fault: str) -> None:
        self._fault = fault

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        chosen = RandomBot().choose_boards(game, boards, dice, seats, turns, keys).copy()
        if keys[0, 2] < 10:
            return chosen
        if self._fault == "raises":
            raise ZeroDivisionError("out of luck")
        if self._fault == "illegal":
            chosen[1] = boards[1]
            chosen[1, 0, np.flatnonzero(boards[1, 0])[0]] -= 1
            chosen[1, 0, 25] += 1
            return chosen
        return chosen[:1]


def test_a_bot_that_raises_is_told_with_all_that_replays_it() -> None:
    with pytest.raises(
        BotFault, match=r"faulty failed in turn 1[01] of pairs 0\.\.3, seed 77: out of luck"
    ) as told:
        match(Faulty("raises"), RandomBot(), "short", pairs=4, seed=77)
    assert isinstance(told.value.__cause__, ZeroDivisionError)


def test_an_illegal_play_is_told_with_its_position() -> None:
    with pytest.raises(
        BotFault, match=r"not legal: position \S{14}:[01]:3, dice \d-\d, turn 1[01] of pair [01], seed"
    ):
        match(RandomBot(), Faulty("illegal"), "long", pairs=4, seed=77)


def test_an_answer_of_the_wrong_size_is_told() -> None:
    with pytest.raises(BotFault, match=r"answered int8 \[1, 2, 26\] for int8 \[4, 2, 26\]"):
        match(RandomBot(), Faulty("short"), "short", pairs=4, seed=77)


def test_a_bot_written_in_ten_lines_can_play() -> None:
    class First(BoardBot):
        name, fingerprint = "first", "1"

        def choose_boards(
            self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
        ) -> Boards:
            legal, offsets = game.legal_boards_batch(boards, dice, seats, turns)
            return legal[offsets[:-1]]

    result = match(First(), RandomBot(), "long", pairs=20)
    assert result.pairs == 20
    play = First().choose(nardy.Game("short").start(), (3, 1))
    assert play in nardy.Game("short").plays(nardy.Game("short").start(), (3, 1))
