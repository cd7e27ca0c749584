"""What policies lose: against an independent evaluation, and against matches with a perfect player."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from perfect_play import State, arrays_of, graph_of, perfect_values, policy_points
from random_nets import random_model

from nardy_ai import core
from nardy_ai.bots import BoardBot
from nardy_ai.core import InputError
from nardy_ai.core.tables import SHORTFALL
from nardy_ai.evaluation import match
from nardy_ai.evaluation.policy_loss import policy_loss
from nardy_ai.evaluation.truth import Solution, Sweeps, solve
from nardy_ai.rules import Game
from nardy_ai.rules.small_game import small_game

Boards = npt.NDArray[np.int8]
Bytes = npt.NDArray[np.uint8]
Keys = npt.NDArray[np.uint64]


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NARDY_CACHE", str(folder))
        yield folder


def solution(profile: str, checkers: int) -> Solution:
    return solve(small_game(Game(profile), checkers), threads=2, progress=False)


class PerfectBot(BoardBot):
    """Plays by the table."""

    name = fingerprint = "perfect"

    def __init__(self, truth: Solution) -> None:
        self.truth = truth

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        ends, offsets = core.legal_boards(game.core_rules, boards, dice, seats, turns)
        counts = np.diff(offsets)
        seat, had = np.repeat(seats, counts), np.repeat(turns, counts)
        following = np.where(seat == 0, had, np.minimum(had + 1, 3)).astype(np.uint8)
        left = self.truth.equities(ends[:, ::-1].copy(), 1 - seat, following)
        parts = np.split(np.arange(len(ends)), offsets[1:-1])
        return ends[[part[np.argmin(left[part])] for part in parts]]


class ScoreBot(BoardBot):
    """The native player of a net."""

    name = fingerprint = "net"

    def __init__(self, model: core.Model) -> None:
        self.native = core.net_player(model)

    def player(self, game: Game) -> core.Player:
        return self.native

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        return core.choose(self.native, game.core_rules, boards, dice, seats, turns, keys)


@pytest.mark.parametrize("profile", ["long", "long/fnr2025", "short/hypergammon"])
def test_perfect_play_loses_nothing(profile: str) -> None:
    truth = solution(profile, 2)
    loss = policy_loss(truth, truth.equities, threads=2, progress=False)
    assert loss.as_first == loss.as_second == loss.points_per_game == loss.per_decision == 0
    assert loss.decisions > 1


def test_a_forced_turn_is_no_decision() -> None:
    loss = policy_loss(solution("long", 1), lambda boards, seats: np.zeros(len(boards)), progress=False)
    assert loss.as_dict() == dict.fromkeys(loss.as_dict(), 0)


def test_what_not_knowing_of_first_turns_costs() -> None:
    """The table itself as a judge, which hears of no turns: only the starter's first play can be wrong."""
    truth = solution("long/any_double", 2)
    game, lost = truth.game, 0.0
    for dice in _rolls():
        after = [play.position for play in game.plays(game.start(), dice)]
        exact = [truth.equity(pos) for pos in after]
        blind = [truth.equity(game.position(pos.board, seat=pos.seat, turns=3)) for pos in after]
        order = [np.asarray(pos.board)[::-1].tobytes() for pos in after]
        chosen = min(range(len(after)), key=lambda i: (blind[i], order[i]))
        lost += (1 if dice[0] == dice[1] else 2) / 36 * (exact[chosen] - min(exact))
    assert lost > 1e-4
    loss = policy_loss(truth, truth.equities, progress=False)
    assert loss.as_first == pytest.approx(lost, abs=1e-7)
    assert loss.as_second == 0


@pytest.mark.parametrize("spread", [1.0, 0.0], ids=["tastes", "all alike"])
def test_the_losses_of_one_checker_by_an_independent_evaluation(spread: float) -> None:
    """A policy with strange but fixed tastes, in hypergammon with one checker, by value iteration."""
    truth = solution("short/hypergammon", 1)
    options = truth.game.core_rules.options
    graph = graph_of(options)
    rng = np.random.default_rng(4)
    tastes = rng.normal(size=(26, 26)) * spread

    def judge(boards: Boards, seats: Bytes) -> npt.NDArray[np.float64]:
        return np.asarray(tastes[boards[:, 0].argmax(1), boards[:, 1].argmax(1)])

    def judge_state(state: State) -> float:
        number = graph.numbers[state]
        if not np.isnan(graph.worths[number]):
            return graph.worths[number]
        boards, seats, _ = arrays_of([state])
        return float(judge(boards, seats)[0])

    values = perfect_values(graph)
    on_roll, waiting = policy_points(graph, values, judge_state)
    loss = policy_loss(truth, judge, threads=2, progress=False)
    # The table starts with an opening roll, the graph with any roll: compare what follows the opening rolls.
    first = next(iter(graph.numbers))
    pairs = [roll for roll, dice in enumerate(_rolls()) if dice[0] != dice[1]]
    ends = [graph.ends[graph.numbers[first]][roll] for roll in pairs]
    perfect = [min(states, key=lambda state: values[state]) for states in ends]
    chosen = [min(states, key=judge_state) for states in ends]
    best = -np.mean([values[state] for state in perfect])
    as_first = best - np.mean([waiting[graph.numbers[state]] for state in chosen])
    as_second = -best - np.mean([on_roll[graph.numbers[state]] for state in perfect])
    assert loss.as_first == pytest.approx(as_first, abs=2e-6)
    assert loss.as_second == pytest.approx(as_second, abs=2e-6)
    assert loss.as_first > 0.01
    assert loss.as_second > 0.01


def _rolls() -> list[tuple[int, int]]:
    return [(first, second) for first in range(1, 7) for second in range(first, 7)]


def test_every_shortfall_follows_from_those_after_it() -> None:
    """One look ahead by the engine's plays, where turns are passed too, for both sides and roles."""
    truth = solution("long", 2)
    solved, small = truth.solved, truth.solved.game
    rng = np.random.default_rng(6)
    scores = np.where(np.isnan(solved.values), np.nan, rng.normal(size=small.shape))
    scores[:, 0], scores[:, :, 0] = solved.values[:, 0], solved.values[:, :, 0]
    table = np.zeros((2, *small.shape), SHORTFALL)
    with Sweeps(small, 2, False) as sweeps:
        sweeps.fill()
        sweeps.sweep("", lambda a, b: solved.policy_blocks(scores, table, None, a, b))
    rows = np.zeros((small.rows, 26), np.int8)
    numbers, boards = small.boards_against(0)
    rows[numbers] = boards[:, 0]
    number_of = {row.tobytes(): number for number, row in enumerate(rows)}
    passes, checked = 0, 0
    for number in rng.choice(small.rows**2, 2500):
        mine, his = divmod(int(number), small.rows)
        if np.isnan(solved.values[0, his, mine]) or mine == 0 or his == 0:
            continue
        board = np.stack([rows[mine], rows[his]])
        for seat in range(2):
            expected = np.zeros((2, 2))
            for dice in _rolls():
                ends, _ = core.plays(truth.game.core_rules, board, *dice, seat, 3)
                places = [
                    (1 - seat, number_of[end[0].tobytes()], number_of[end[1].tobytes()]) for end in ends
                ]
                exact = np.array([solved.values[place] for place in places])
                judged = np.array([scores[place] for place in places])
                chosen, perfect = int(judged.argmin()), int(exact.argmin())
                passes += np.array_equal(ends[0], board)
                weight = (1 if dice[0] == dice[1] else 2) / 36
                after = table[1][places[chosen]]
                lost, free = exact[chosen] - exact[perfect], len(ends) > 1
                expected[0] += weight * np.array([lost + after["points"], free + after["turns"]])
                # Plays of equal worth are one to the perfect player, whatever they bring the other.
                equal = [place for place, value in zip(places, exact, strict=True) if value == exact[perfect]]
                first = min(equal, key=lambda place: (rows[place[1]].tobytes(), rows[place[2]].tobytes()))
                after = table[0][first]
                expected[1] += weight * np.array([after["points"], after["turns"]])
            for role in range(2):
                found = table[role, seat, his, mine]
                assert [found["points"], found["turns"]] == pytest.approx(expected[role], abs=2e-6)
        checked += 1
    assert checked > 1000
    assert passes > 50


@pytest.mark.parametrize(
    ("profile", "pairs"), [("long", 6000), ("long/aipbg", 6000), ("short/hypergammon", 1000)]
)
def test_the_loss_is_what_a_match_against_the_perfect_player_shows(profile: str, pairs: int) -> None:
    """Four standard errors: the dice are fixed, so this holds or it does not."""
    truth = solution(profile, 2)
    rules = truth.game.core_rules
    model = random_model(rules, [24], seed=3) if profile != "long/aipbg" else _undecided(rules)
    loss = policy_loss(truth, lambda boards, seats: core.net(model, rules, boards, seats)[1], progress=False)
    shown = match(PerfectBot(truth), ScoreBot(model), truth.game, pairs, 1, progress=False)
    assert shown.interval is not None
    error = (shown.interval[1] - shown.interval[0]) / 3.92
    assert loss.points_per_game > 10 * error
    assert abs(shown.ppg - loss.points_per_game) < 4 * error
    assert loss.per_decision == pytest.approx(loss.points_per_game / loss.decisions)


def _undecided(rules: core.Rules) -> core.Model:
    """A net to which all is equal, so that the order of the boards decides."""
    inputs = core.encoding_table(core.encoding_name(rules)).inputs
    outputs = len(rules.outcomes)
    layers = [
        (np.zeros((8, inputs), np.float32), np.zeros(8, np.float32)),
        (np.zeros((outputs, 8), np.float32), np.zeros(outputs, np.float32)),
    ]
    return core.Model(rules, core.encoding_name(rules), {"contact": layers})


def test_the_threads_make_no_difference() -> None:
    truth = solution("short/hypergammon", 1)
    rules = truth.game.core_rules
    model = random_model(rules, [16])

    def judge(boards: Boards, seats: Bytes) -> npt.NDArray[np.float32]:
        return core.net(model, rules, boards, seats)[1]

    found = [policy_loss(truth, judge, threads=threads, progress=False) for threads in (1, 3)]
    assert found[0] == found[1]
    assert found[0].as_dict()["points_per_game"] > 0


def test_judges_that_answer_nonsense() -> None:
    truth = solution("long", 1)
    with pytest.raises(InputError, match="one finite equity for each"):
        policy_loss(truth, lambda boards, seats: np.zeros(3), progress=False)
    with pytest.raises(InputError, match="one finite equity for each"):
        policy_loss(truth, lambda boards, seats: np.full(len(boards), np.nan), progress=False)
    with pytest.raises(InputError, match="threads is 0"):
        policy_loss(truth, truth.equities, threads=0)
