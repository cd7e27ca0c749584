"""Luck taken out: exact where the truth is known, unbiased whoever judges, and a smaller spread."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from command_line import REPOSITORY
from evaluation.noisy import NoisyBot
from evaluation.recording import python_bot
from untrained import untrained_model

import nardy_ai as nardy
from nardy_ai import core
from nardy_ai.bots import BoardBot, GreedyBot, NetBot, RandomBot
from nardy_ai.bots.bot import Boards, Bytes, Keys
from nardy_ai.core import InputError
from nardy_ai.evaluation import SameBotWarning, SequentialTest, match
from nardy_ai.evaluation.drivers import JudgedDriver, MixedDriver
from nardy_ai.evaluation.luck import NetJudge, luck_adjusted
from nardy_ai.evaluation.truth import Solution, solve
from nardy_ai.rules import Game
from nardy_ai.rules.small_game import small_game


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NARDY_CACHE", str(tmp_path_factory.mktemp("tables")))
        yield


@pytest.fixture(params=[("long", 2), ("short", 1)], ids=str, scope="module")
def solution(request: pytest.FixtureRequest, cache: None) -> Solution:
    """Small games: a last roll and a draw, hits, and an opening roll without doubles."""
    profile, checkers = request.param
    return solve(small_game(Game(profile), checkers), threads=1, progress=False)


def best_worth(
    solution: Solution, board: Boards, dice: tuple[int, int], seat: int, turns: int
) -> tuple[Boards, float]:
    """The best result of a roll, and what it is worth to the one who plays it."""
    legal = solution.game.legal_boards(board, dice, seat=seat, turns=turns)
    after = np.full(len(legal), min(turns + seat, 3), np.uint8)
    worth = -solution.equities(
        np.ascontiguousarray(legal[:, ::-1]), np.full(len(legal), 1 - seat, np.uint8), after
    )
    return legal[int(worth.argmax())], float(worth.max())


class Perfect(BoardBot):
    """Plays by the solution; `salt` makes two that are different bots."""

    name = "perfect"

    def __init__(self, solution: Solution, salt: str = "") -> None:
        self._solution, self.salt = solution, salt

    @property
    def fingerprint(self) -> str:
        return f"perfect{self.salt}"

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        return np.stack(
            [
                best_worth(self._solution, board, (int(roll[0]), int(roll[1])), int(seat), int(turn))[0]
                for board, roll, seat, turn in zip(boards, dice, seats, turns, strict=True)
            ]
        )


class ExactJudge:
    """Knows what every roll is worth."""

    def __init__(self, solution: Solution) -> None:
        self._solution = solution

    def roll_values(self, boards: Boards, seats: Bytes, turns: Bytes) -> npt.NDArray[np.float64]:
        return np.array(
            [
                [best_worth(self._solution, board, pair, int(seat), int(turn))[1] for pair in core.ROLL_PAIRS]
                for board, seat, turn in zip(boards, seats, turns, strict=True)
            ]
        )


class FoolishJudge:
    """Says anything, but always the same of the same roll."""

    def roll_values(self, boards: Boards, seats: Bytes, turns: Bytes) -> npt.NDArray[np.float64]:
        weights = np.random.default_rng(2).normal(size=(52, 21))
        found: npt.NDArray[np.float64] = np.sin(boards.reshape(-1, 52) @ weights) + seats[:, None]
        return found


def test_with_perfect_play_and_an_exact_judge_every_single_game_shows_the_games_worth(
    solution: Solution,
) -> None:
    bots = Perfect(solution), Perfect(solution, "too")
    driver = JudgedDriver(*bots, solution.game, 3, 4000, ExactJudge(solution))
    outcomes, _, luck = driver.play(0, 12)
    points = np.asarray(solution.game.core_rules.points)[outcomes]
    assert len(np.unique(points)) > 1
    # The first bot starts game 0 of a pair.
    worth = np.array([solution.opening, -solution.opening])
    assert np.abs(points - luck - worth).max() < 1e-5


def test_a_foolish_judge_adds_noise_and_no_bias(solution: Solution) -> None:
    game = solution.game
    outcomes, _, luck = JudgedDriver(
        RandomBot(), python_bot(GreedyBot()), game, 8, 4000, FoolishJudge()
    ).play(0, 3000)
    assert luck.std() > 0.5
    for column in (0, 1, None):
        values = luck.mean(axis=1) if column is None else luck[:, column]
        assert abs(values.mean()) < 3.5 * values.std() / np.sqrt(len(values))
    # The games are those of the plain driver.
    plain, _ = MixedDriver(RandomBot(), GreedyBot(), game, 8, 4000).play(0, 3000)
    assert np.array_equal(plain, outcomes)


def checkpoint(game: str) -> NetBot:
    return nardy.load(REPOSITORY / "checkpoints" / f"{game}-quick.safetensors")


def test_a_trained_judge_takes_most_of_the_spread_and_shows_equal_bots_as_equal() -> None:
    net = checkpoint("short")
    result = match(NoisyBot(net, 1), NoisyBot(net, 2), pairs=50, seed=4, luck=net, threads=1, game=net.game)
    assert result.luck is not None and result.luck.variance_ratio is not None
    assert result.luck.variance_ratio > 4.0
    low, high = result.luck.points.interval or (0.0, 0.0)
    assert 0.0 < high - low < 0.5 * ((result.interval or (0, 0))[1] - (result.interval or (0, 0))[0])
    # Twice the interval, so that it fails once in ten thousand seeds where there is no bias.
    assert abs(result.luck.points.mean) < high - low and result.luck.points.mean != 0.0


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> NetBot:
    return nardy.load(untrained_model("short", tmp_path_factory.mktemp("judge") / "judge.safetensors"))


def test_luck_is_as_antisymmetric_as_the_score(judge: NetBot) -> None:
    there, back = (
        match(*bots, "short", pairs=12, seed=8, luck=judge)
        for bots in ((GreedyBot(), RandomBot()), (RandomBot(), GreedyBot()))
    )
    assert there.luck is not None and back.luck is not None
    assert there.luck.points.mean == -back.luck.points.mean != there.ppg
    assert there.luck.points.interval is not None and back.luck.points.interval is not None
    assert there.luck.points.interval == tuple(-end for end in reversed(back.luck.points.interval))
    with pytest.warns(SameBotWarning):
        same = match(RandomBot(), RandomBot(), "short", pairs=12, seed=8, luck=judge)
    assert same.luck is not None and same.luck.points.mean == 0.0 and same.luck.variance_ratio is None


def test_threads_drivers_and_records_do_not_change_luck(tmp_path: Path) -> None:
    judge = nardy.load(untrained_model("short/hypergammon", tmp_path / "net.safetensors"))
    bots, options = (GreedyBot(), RandomBot(), judge.game), {"seed": 8, "max_turns": 22}
    results = [match(*bots, pairs=140, luck=judge, threads=n, **options) for n in (1, 2, 4)]
    assert results[0] == results[1] == results[2]
    plain = match(*bots, pairs=140, **options)
    assert (plain.outcomes, plain.cut) == (results[0].outcomes, results[0].cut) and plain.cut > 0
    path = tmp_path / "r.jsonl"
    match(*bots, pairs=20, luck=judge, record=path, **options)
    again = match(*bots, pairs=140, luck=judge, record=path, **options)
    assert again == results[0] and again.recorded == 20


def test_noisy_bots_play_the_same_games_in_any_slices_and_for_any_number_of_threads(tmp_path: Path) -> None:
    net = nardy.load(untrained_model("short/hypergammon", tmp_path / "net.safetensors"))
    bots, game = (NoisyBot(net, 1, 0.2), NoisyBot(net, 2, 0.2)), net.game
    whole, _ = MixedDriver(*bots, game, 6, 4000).play(0, 40)
    parts = [MixedDriver(*bots, game, 6, 4000).play(first, count) for first, count in ((0, 1), (1, 39))]
    assert np.array_equal(whole, np.concatenate([outcomes for outcomes, _ in parts]))
    results = [match(*bots, game, pairs=40, seed=6, threads=n) for n in (1, 2, 4)]
    assert results[0] == results[1] == results[2] and results[0].ppg != 0.0
    back = match(*reversed(bots), game, pairs=40, seed=6)
    assert back.ppg == -results[0].ppg
    with pytest.warns(SameBotWarning):
        assert match(bots[0], bots[0], game, pairs=10).ppg == 0.0


def test_a_test_can_be_asked_of_the_score_without_luck(judge: NetBot) -> None:
    result = match(
        GreedyBot(), RandomBot(), "short", pairs=64, luck=judge, test=SequentialTest(0.0, 0.5)
    )
    assert result.verdict is not None and result.verdict.decision == "accepted" and result.pairs == 32
    assert "without luck" in str(result) and judge.fingerprint in str(result)
    told = result.as_dict()["luck"]
    assert told["judge"]["hash"] == judge.fingerprint and told["interval"][0] < told["ppg"]


def test_the_worth_of_rolls_is_that_of_the_search(judge: NetBot) -> None:
    game = judge.game
    board = np.asarray(game.start().board, np.int8)[None]
    zero = np.zeros(1, np.uint8)
    rolls = NetJudge(judge, game).roll_values(board, zero, zero)[0]
    for number, pair in enumerate(core.ROLL_PAIRS):
        assert rolls[number] == pytest.approx(judge.rank(game.start(), pair)[0].equity, abs=1e-6)
    deeper = NetJudge(judge.looking_ahead(1), game).roll_values(board, zero, zero)[0]
    assert np.abs(deeper - rolls).max() > 1e-3


def test_the_ratio_of_variances_by_hand() -> None:
    points = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    luck = np.array([[0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]])
    found = luck_adjusted("net", "abc", points, luck)
    assert found.points.mean == 0.0 and found.variance_ratio == pytest.approx(4.0)
    assert luck_adjusted("net", "abc", points, points).variance_ratio is None


def test_who_cannot_judge_is_refused(judge: NetBot, tmp_path: Path) -> None:
    long = nardy.load(untrained_model("long", tmp_path / "long.safetensors"))
    with pytest.raises(InputError, match="is a model of long nardy"):
        match(GreedyBot(), RandomBot(), "short", pairs=1, luck=long)
    with pytest.raises(InputError, match="looks too far ahead"):
        match(GreedyBot(), RandomBot(), "short", pairs=1, luck=judge.looking_ahead(3))
    with pytest.raises(InputError, match="leave out luck, or length"):
        match(GreedyBot(), RandomBot(), "short", pairs=1, luck=judge, length=3)
    with pytest.raises(InputError, match="unfinished games, from 1 ply"):
        model, zero = judge.player(judge.game).model, np.zeros(1, np.uint8)
        search = core.Search(model)  # type: ignore[arg-type]
        search.roll_values(np.asarray(judge.game.start().board, np.int8)[None], zero, zero, plies=0)
