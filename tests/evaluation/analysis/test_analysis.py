"""What an analysis says of games whose faults are known."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from command_line import REPOSITORY
from hand_made_benchmark import benchmark_of
from self_played import Played, played_by

from nardy_ai import core
from nardy_ai.bots import load
from nardy_ai.bots.bot import BoardBot, Boards, Bytes, Keys
from nardy_ai.core import InputError
from nardy_ai.evaluation.analysis import GradedTurn, analyse
from nardy_ai.evaluation.analysis.grades import grade, luck_word, performance, rating
from nardy_ai.evaluation.decisions import decision_loss
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.rules import ROLLS, WEIGHTS, Game, History, MatFile, MatGames, games_of_text, mat_text
from nardy_ai.rules.match import steps

GAMES = 20


@pytest.fixture(scope="module", params=["short", "long"])
def played(request: pytest.FixtureRequest) -> Played:
    return played_by(request.param, GAMES)


def turns_of(played: Played) -> list[GradedTurn]:
    return [turn for _, game in played.analysis.games for turn in game.turns]


# --- losses ---------------------------------------------------------------------------------------------


def test_every_planted_play_is_found_and_nothing_else(played: Played) -> None:
    found = {
        (game.number, turn.number): turn.loss
        for _, game in played.analysis.games
        for turn in game.turns
        if turn.grade
    }
    assert len(played.planted) >= 30
    assert found == {(one.game, one.turn): one.loss for one in played.planted}
    worst = [turn.loss for _, _, turn in played.analysis.worst(1000)]
    assert worst == sorted((one.loss for one in played.planted), reverse=True)


def test_no_loss_lies_below_zero(played: Played) -> None:
    losses = [turn.loss for turn in turns_of(played)]
    assert all(loss is not None and loss >= 0 for loss in losses)
    assert played.analysis.tally("Ann").lost + played.analysis.tally("Bob").lost == pytest.approx(
        sum(one.loss for one in played.planted)
    )


class Recorded(BoardBot):
    """Plays what was played; decisions are known by their numbers."""

    def __init__(self, boards: list[Boards]) -> None:
        self.boards = np.stack(boards)

    @property
    def name(self) -> str:
        return "recorded"

    @property
    def fingerprint(self) -> str:
        return "0"

    def choose_boards(
        self, game: Game, boards: Boards, dice: Bytes, seats: Bytes, turns: Bytes, keys: Keys
    ) -> Boards:
        return self.boards[keys[:, 1].astype(np.intp)]


def test_the_sum_is_that_of_the_decision_benchmark(played: Played) -> None:
    """`nardy bench decisions` on the same decisions, their worths being the bot's own."""
    decisions = [turn for turn in turns_of(played) if turn.is_decision][:300]
    benchmark = benchmark_of(
        played.games.game.name,
        [turn.position.key for turn in decisions],
        [turn.dice for turn in decisions],
    )
    worths = []
    for number, turn in enumerate(decisions):
        ranked = played.bot.rank(turn.position, turn.dice)
        equities = {entry.play.board.tobytes(): entry.equity for entry in ranked}
        rows = slice(benchmark.offsets[number], benchmark.offsets[number + 1])
        worths += [equities[board.tobytes()] for board in benchmark.results[rows]]
    benchmark = replace(
        benchmark,
        worths=np.repeat(np.array(worths, np.float32)[:, None], 2, axis=1),
        trials=np.zeros(len(worths), np.int64),
    )
    bot = Recorded([turn.made.play.board for turn in decisions if turn.made is not None])
    loss = decision_loss(bot, benchmark, worst=0, progress=False)
    assert loss.losses == pytest.approx([turn.loss for turn in decisions], abs=1e-6)
    assert loss.total.mean * len(decisions) == pytest.approx(sum(turn.loss or 0 for turn in decisions))


def test_a_play_that_the_search_dropped_is_judged_as_deep_as_the_best(played: Played) -> None:
    # In the first and the fifth game the dropped play stands behind several that were kept.
    some = MatGames(played.games.game, None, played.games.games[0:5:4])
    analysis = analyse([("played.mat", some)], played.bot, plies=1, progress=False)
    search = core.Search(Evaluator(played.bot.model, played.games.game).native)
    lost = []
    for _, game in analysis.games:
        for turn in game.turns:
            assert turn.made is not None and turn.loss is not None
            after = turn.made.play.position
            seats, turns = np.array([after.seat], np.uint8), np.array([after.turns], np.uint8)
            _, worth = search.values(np.asarray(after.board)[None], seats, turns, plies=1)
            assert turn.made.plies == 1
            assert turn.made.equity == pytest.approx(-float(worth[0]), abs=1e-5)
            equities = [entry.equity for entry in turn.judged.plays if entry.plies == 1]
            assert equities == sorted(equities, reverse=True)
            assert turn.loss == pytest.approx(max(equities) - turn.made.equity)
            lost.append(turn.loss)
    assert min(lost) >= 0
    wanted = {(one.game, one.turn) for one in played.planted if one.game in (1, 5) and one.loss >= 0.1}
    found = {(game.number, turn.number) for _, game in analysis.games for turn in game.turns if turn.grade}
    assert wanted <= found


def test_a_forced_play_is_no_decision() -> None:
    bot = load(REPOSITORY / "checkpoints" / "short-quick.safetensors")
    text = " 0 point match\n Game 1\n A : 0   B : 0\n  1) 31: 8/5 6/5   66: 24/18(2) 13/7(2)\n"
    (turn, other) = turns_in(text, bot)
    assert (turn.is_decision, turn.judged.choices, other.is_decision) == (True, 16, True)
    tas = (REPOSITORY / "tests" / "data" / "short_money.mat").read_text("utf-8")
    passed = [t for t in turns_in(tas, bot) if t.made is not None and t.made.play.passed]
    assert passed
    for one in passed:
        assert (one.is_decision, one.loss, one.grade, one.judged.choices) == (False, 0.0, "", 1)


def turns_in(text: str, bot: object, plies: int = 0) -> list[GradedTurn]:
    analysis = analyse([("a.mat", games_of_text(text))], bot, plies=plies, progress=False)  # type: ignore[arg-type]
    return [turn for _, game in analysis.games for turn in game.turns]


# --- luck -----------------------------------------------------------------------------------------------


def test_luck_is_the_best_play_less_the_mean_over_the_rolls(played: Played) -> None:
    opening = played.games.game.profile.rules.opening_roll == "rolloff_pair"
    for turn in played.analysis.sources[0].games[0].turns[:12]:
        worth = [played.bot.rank(turn.position, roll)[0].equity for roll in ROLLS]
        ways = list(WEIGHTS)
        if turn.number == 1 and opening:
            ways = [0 if high == low else 2 for high, low in ROLLS]
        mean = sum(w * e for w, e in zip(ways, worth, strict=True)) / sum(ways)
        assert turn.judged.before == pytest.approx(mean, abs=1e-5)
        assert turn.judged.luck == pytest.approx(worth[ROLLS.index(turn.dice)] - mean, abs=1e-5)


def test_equity_changes_by_luck_and_loss_alone(played: Played) -> None:
    """Play by play: worth behind a play = worth before it + luck - loss, by the net without look-ahead."""
    for turn in turns_of(played)[:200]:
        assert turn.made is not None and turn.loss is not None
        assert turn.made.equity == pytest.approx(turn.judged.before + turn.judged.luck - turn.loss, abs=1e-5)


def test_the_curve_is_of_the_left_player_and_ends_on_the_result(played: Played) -> None:
    for _, game in played.analysis.games[:6]:
        assert game.result is not None and game.result.winner is not None
        assert len(game.curve) == len(game.turns) + 1
        sign = 1 if game.result.winner == 0 else -1
        kinds = dict(played.games.game.profile.scores)
        assert game.curve[-1] == pytest.approx(sign * kinds[game.result.kind])
        first = game.turns[0]
        assert game.curve[0] == pytest.approx(first.judged.before * (1 if first.player == 0 else -1))


# --- sums -----------------------------------------------------------------------------------------------


def test_sums_by_player_and_class(played: Played) -> None:
    analysis = played.analysis
    assert analysis.players == ("Ann", "Bob")
    for number, player in enumerate(analysis.players):
        turns = [turn for turn in turns_of(played) if turn.player == number]
        every = analysis.tally(player)
        assert every.turns == len(turns)
        assert every.decisions == sum(turn.judged.choices > 1 for turn in turns)
        assert every.luck == pytest.approx(sum(turn.judged.luck for turn in turns))
        parts = [analysis.tally(player, kind) for kind in core.CLASSES]
        assert sum(part.decisions for part in parts) == every.decisions
        assert sum(part.lost for part in parts) == pytest.approx(every.lost)
        low, high = every.interval or (0.0, 0.0)
        losses = [turn.loss for turn in turns if turn.judged.choices > 1]
        # Near enough to the normal interval for hundreds of decisions.
        assert (high - low) / 2 == pytest.approx(1.96 * np.std(losses, ddof=1) / len(losses) ** 0.5, rel=0.02)
        assert every.margin == pytest.approx((high - low) / 2)
        assert every.mean == pytest.approx(every.lost / every.decisions)
        rules = played.games.game.core_rules
        kinds = core.position_classes(rules, np.stack([turn.position.board for turn in turns]))
        assert [turn.kind for turn in turns] == [core.CLASSES[kind] for kind in kinds]


def test_players_are_known_by_their_names_wherever_they_sit() -> None:
    bot = load(REPOSITORY / "checkpoints" / "short-quick.safetensors")
    one = " 0 point match\n Game 1\n A : 0   B : 0\n  1) 31: 8/5 6/5   31: 6/5 6/3\n"
    two = one.replace("A : 0   B : 0", "B : 0   A : 0")
    same = one.replace("B : 0", "A : 0")
    files = [(f"{n}.mat", games_of_text(text)) for n, text in enumerate((one, two, same))]
    analysis = analyse(files, bot, progress=False)
    assert analysis.players == ("A", "B", "A (left)", "A (right)")
    assert [analysis.tally(player).turns for player in analysis.players] == [2, 2, 1, 1]
    assert analysis.tally("A").lost == analysis.tally("B").lost > 0.1


def test_the_same_game_with_the_columns_swapped_is_the_same(played: Played) -> None:
    """Whoever sits where: plays are written, and judged, in the numbers of the one who makes them."""
    swapped = [
        steps.RollOff((step.dice[1], step.dice[0]))
        if isinstance(step, steps.RollOff)
        else steps.Starts(1 - step.player)
        if isinstance(step, steps.Starts)
        else step
        for step in played.file.history.steps[: played.file.history.steps.index(steps.NextGame())]
    ]
    text = mat_text(MatFile(History.of(played.file.history.start, swapped), ("Bob", "Ann")))
    found = analyse([("a.mat", games_of_text(text))], played.bot, progress=False)
    ((_, game),), (_, other) = found.games, played.analysis.games[0]

    def told(turn: GradedTurn) -> tuple[object, ...]:
        assert turn.made is not None
        return turn.made.play.notation, turn.best.play.notation, turn.loss, turn.judged.luck

    assert [told(turn) for turn in game.turns] == [told(turn) for turn in other.turns]
    assert [1 - turn.player for turn in game.turns] == [turn.player for turn in other.turns]
    assert game.curve == [-worth for worth in other.curve]


def test_words_for_losses_and_luck() -> None:
    assert [grade(loss) for loss in (None, 0.0, 0.0299, 0.03, 0.0599, 0.06, 0.1199, 0.12, 3.0)] == [
        "", "", "", "doubtful", "doubtful", "bad", "bad", "very bad", "very bad",
    ]  # fmt: skip
    assert [luck_word(luck) for luck in (-0.6, -0.3, -0.29, 0.0, 0.29, 0.3, 0.6)] == [
        "very unlucky", "unlucky", "", "", "", "lucky", "very lucky",
    ]  # fmt: skip
    assert performance(0.0124) == pytest.approx(6.2)
    short = Game("short")
    assert [rating(short, mean) for mean in (0.0, 0.0019, 0.002, 0.0079, 0.011, 0.0349, 0.04)] == [
        "supernatural", "supernatural", "world class", "expert", "advanced", "beginner", "awful",
    ]  # fmt: skip
    assert rating(Game("long"), 0.001) == rating(Game("short/nackgammon"), 0.001) == ""


# --- what comes out -------------------------------------------------------------------------------------


def test_threads_change_nothing(played: Played) -> None:
    first = MatGames(played.games.game, None, played.games.games[:2])
    several = analyse([("played.mat", first)], played.bot, threads=3, progress=False)
    games = several.as_dict()["files"][0]["games"]
    assert json.dumps(games) == json.dumps(played.analysis.as_dict()["files"][0]["games"][:2])


def test_json_holds_every_play(played: Played) -> None:
    told = json.loads(json.dumps(played.analysis.as_dict(), allow_nan=False))
    assert (told["format"], told["kind"]) == (2, "nardy-ai analysis")
    assert told["judge"]["plies"] == 0
    (file,) = told["files"]
    turns = [turn for game in file["games"] for turn in game["turns"]]
    dice = re.findall(r"\b([1-6])([1-6]):", played.text)
    assert [sorted(map(str, turn["dice"])) for turn in turns] == [sorted(roll) for roll in dice]
    assert sum(turn["grade"] is not None for turn in turns) == len(played.planted)
    for number, player in enumerate(told["players"]):
        mine = [turn for turn in turns if turn["player"] == number and turn["decision"]]
        assert player["decisions"] == len(mine)
        assert player["millipoints"] == pytest.approx(1000 * sum(turn["loss"] for turn in mine) / len(mine))
        assert player["pr"] == pytest.approx(player["millipoints"] / 2)
    for turn in turns[:50]:
        assert sum(turn["plays"][0]["outcomes"].values()) == pytest.approx(1, abs=1e-5)


def test_games_of_different_kinds_are_not_mixed(played: Played) -> None:
    other = games_of_text(" Game 1\n A : 0  B : 0\n  1) 31: 8/5 6/5\n", Game("short/hypergammon"))
    with pytest.raises(InputError, match="analyse each game on its own"):
        analyse([("a.mat", played.games), ("b.mat", other)], played.bot, progress=False)
    with pytest.raises(InputError, match=r"cannot judge short/hypergammon: give another --model"):
        analyse([("b.mat", other)], played.bot, progress=False)
    with pytest.raises(InputError, match="no game"):
        analyse([], played.bot, progress=False)
    with pytest.raises(InputError, match="threads is 0"):
        analyse([("a.mat", played.games)], played.bot, threads=0, progress=False)
