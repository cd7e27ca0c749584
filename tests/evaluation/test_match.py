"""The instrument itself: what a match must show whatever the bots are worth."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from evaluation.recording import python_bot
from untrained import untrained_model

import nardy_ai as nardy
from nardy_ai.bots import GreedyBot, NetBot, PubevalBot, RandomBot
from nardy_ai.bots.bot import NativeBot
from nardy_ai.evaluation import MatchInterrupted, SameBotWarning, match
from nardy_ai.evaluation import match as match_module_function
from nardy_ai.evaluation.drivers import NativeDriver

GAMES = {"long": (GreedyBot, RandomBot), "short": (GreedyBot, PubevalBot)}


def net(folder: Path, game: str, seed: int = 5) -> NetBot:
    return nardy.load(
        untrained_model(game, folder / f"{game.replace('/', '-')}-{seed}.safetensors", seed=seed)
    )


@pytest.mark.parametrize("game", ["long", "short", "long/autogear", "short/hypergammon"])
@pytest.mark.parametrize("bot", [RandomBot(), GreedyBot()], ids=lambda bot: bot.name)
def test_a_bot_against_itself_is_exactly_zero(bot: NativeBot, game: str) -> None:
    with pytest.warns(SameBotWarning):
        result = match(bot, bot, game, pairs=40, seed=3)
    assert result.ppg == 0.0 and result.interval == (0.0, 0.0)
    # Not because nothing was played or counted: games were won and lost, and starting is worth something.
    assert sum(result.outcomes.values()) == 80
    won = sum(count for name, count in result.outcomes.items() if name.startswith("win"))
    assert 0 < won < 80 and result.seats[0].mean == -result.seats[1].mean


def test_a_net_against_itself_is_exactly_zero(tmp_path: Path) -> None:
    bot = net(tmp_path, "long")
    with pytest.warns(SameBotWarning, match="the same bot"):
        result = match(bot, bot, pairs=20)
    assert (result.ppg, result.game) == (0.0, "long/fns")


@pytest.mark.parametrize("game", GAMES)
def test_b_against_a_is_the_exact_negative_of_a_against_b(game: str) -> None:
    first, second = (kind() for kind in GAMES[game])
    assert first.fingerprint != second.fingerprint
    there, back = match(first, second, game, pairs=61, seed=8), match(second, first, game, pairs=61, seed=8)
    assert there.ppg == -back.ppg != 0.0
    assert there.interval is not None and back.interval is not None
    assert there.interval == (-back.interval[1], -back.interval[0])
    assert there.seats[0].mean == -back.seats[1].mean
    mirrored = {
        name.replace("win", "LOSE").replace("lose", "win").replace("LOSE", "lose"): count
        for name, count in back.outcomes.items()
    }
    assert there.outcomes == mirrored


@pytest.mark.parametrize("game", ["long", "short"])
@pytest.mark.parametrize("against", [RandomBot, GreedyBot])
def test_any_number_of_threads_plays_the_same_games(game: str, against: type[NativeBot]) -> None:
    # 150 pairs are five slices, the last one short.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SameBotWarning)
        results = [match(RandomBot(), against(), game, pairs=150, seed=5, threads=n) for n in (1, 2, 3)]
    assert results[0] == results[1] == results[2]
    assert results[0].pairs == 150


@pytest.mark.parametrize("game", ["long", "long/fnr2025", "short", "short/tavla"])
def test_both_drivers_play_the_same_games(game: str) -> None:
    native = match(GreedyBot(), RandomBot(), game, pairs=50, seed=4)
    mixed = match(python_bot(GreedyBot()), RandomBot(), game, pairs=50, seed=4)
    other = match(GreedyBot(), python_bot(RandomBot()), game, pairs=50, seed=4)
    for found in (mixed, other):
        assert found.as_dict() | {"a": 0, "b": 0} == native.as_dict() | {"a": 0, "b": 0}
    assert native.ppg != 0.0


def test_the_seed_decides_the_games() -> None:
    first, again, other = (
        match(GreedyBot(), RandomBot(), "short", pairs=50, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert first.outcomes != other.outcomes


def test_one_pair_has_no_interval() -> None:
    result = match(GreedyBot(), RandomBot(), "short", pairs=1)
    assert result.pairs == 1 and result.interval is None and result.win_interval is None
    assert "one pair: no interval" in str(result)
    assert json.loads(result.to_json())["interval"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pairs": 0}, "pairs is 0: give a number from 1"),
        ({"pairs": -3}, "pairs is -3"),
        ({"pairs": 2.5}, "pairs is 2.5: give a whole number"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**64}, "seed is"),
        ({"threads": 0}, "threads is 0"),
        ({"max_turns": 0}, "max_turns is 0"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(nardy.InputError, match=message):
        match(GreedyBot(), RandomBot(), "short", **arguments)


def test_a_game_is_needed_where_no_bot_has_one() -> None:
    with pytest.raises(
        nardy.InputError, match=r"neither greedy nor random has a game of its own.*long or short"
    ):
        match(GreedyBot(), RandomBot(), pairs=1)


def test_the_game_is_the_models_own(tmp_path: Path) -> None:
    assert match(RandomBot(), net(tmp_path, "short"), pairs=2).game == "short/standard"
    assert match(net(tmp_path, "long", 1), net(tmp_path, "long", 2), pairs=2).game == "long/fns"
    chosen = match(net(tmp_path, "long", 1), RandomBot(), "long/aipbg", pairs=2)
    assert chosen.game == "long/aipbg" and "draw" not in chosen.outcomes


def test_pubeval_plays_short_nardy_unless_a_model_says_otherwise(tmp_path: Path) -> None:
    assert match(PubevalBot(), RandomBot(), pairs=2).game == "short/standard"
    assert match(RandomBot(), PubevalBot(), pairs=2).game == "short/standard"
    assert match(PubevalBot(), net(tmp_path, "short/nackgammon"), pairs=2).game == "short/nackgammon"
    with pytest.raises(nardy.InputError, match="pubeval plays short nardy"):
        match(PubevalBot(), net(tmp_path, "long"), pairs=2)


def test_models_of_different_games_do_not_meet(tmp_path: Path) -> None:
    long, classic, short = net(tmp_path, "long"), net(tmp_path, "long/classic"), net(tmp_path, "short")
    with pytest.raises(nardy.InputError, match="take two bots of the same game"):
        match(long, short, pairs=1)
    with pytest.raises(nardy.InputError, match="say by which of them"):
        match(long, classic, pairs=1)
    with pytest.raises(nardy.InputError, match="is a model of long nardy"):
        match(long, RandomBot(), "short", pairs=1)
    assert match(long, classic, "long/classic", pairs=1).game == "long/classic"


def test_one_file_twice_warns_and_shows_both_hashes(tmp_path: Path) -> None:
    path = untrained_model("short", tmp_path / "a.safetensors")
    copy = tmp_path / "another name.safetensors"
    copy.write_bytes(path.read_bytes())
    with pytest.warns(SameBotWarning, match="whatever it is worth"):
        result = match(nardy.load(path), nardy.load(copy), pairs=2)
    assert result.a.fingerprint == result.b.fingerprint
    assert str(result).count(result.a.fingerprint) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        match(nardy.load(path), net(tmp_path, "short", seed=9), pairs=2)


def test_games_at_the_turn_limit_are_left_out_with_their_pair_and_told() -> None:
    # About half of the games of short nardy are over after 54 turns.
    full = match(GreedyBot(), RandomBot(), "short", pairs=100, seed=2)
    cut = match(GreedyBot(), RandomBot(), "short", pairs=100, seed=2, max_turns=54)
    assert full.cut == 0 and 0 < cut.cut < 100 and cut.pairs + cut.cut == 100
    assert sum(cut.outcomes.values()) == 2 * cut.pairs
    assert cut.plies < full.plies and f"not counted: {cut.cut} pairs" in str(cut)
    mixed = match(python_bot(GreedyBot()), RandomBot(), "short", pairs=100, seed=2, max_turns=54)
    assert mixed.as_dict()["cut_pairs"] == cut.cut and mixed.ppg == cut.ppg
    with pytest.raises(nardy.InputError, match=r"all pairs \(5\) were stopped at the turn limit"):
        match(GreedyBot(), RandomBot(), "long", pairs=5, max_turns=4)


@pytest.mark.parametrize("native", [True, False])
def test_what_an_interruption_leaves_is_whole_pairs_and_told(
    native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = match(GreedyBot(), RandomBot(), "short", pairs=64, seed=6)
    played = NativeDriver.play

    def stop(driver: NativeDriver, first: int, pairs: int) -> object:
        if first >= 64:
            raise KeyboardInterrupt
        return played(driver, first, pairs)

    if native:
        monkeypatch.setattr(NativeDriver, "play", stop)
        first = GreedyBot()
    else:
        # By its entry in sys.modules, for the package's attribute of that name is the function.
        monkeypatch.setattr(sys.modules["nardy_ai.evaluation.match"], "MIXED_SLICE", 64)
        first = python_bot(GreedyBot())
        asked = first.choose_boards

        def ask(game, boards, dice, seats, turns, keys):  # type: ignore[no-untyped-def]
            # In the middle of the games of the second slice.
            if keys[0, 1] >= 64 and keys[0, 2] > 20:
                raise KeyboardInterrupt
            return asked(game, boards, dice, seats, turns, keys)

        monkeypatch.setattr(first, "choose_boards", ask)
    with pytest.raises(MatchInterrupted) as stopped:
        match(first, RandomBot(), "short", pairs=500, seed=6, threads=1)
    result = stopped.value.result
    assert result is not None and (result.pairs, result.unfinished) == (64, 436)
    assert result.outcomes == whole.outcomes and result.ppg == whole.ppg
    assert "not counted: 436 pairs (the match was stopped)" in str(result)


def test_an_interruption_before_the_first_pair_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(NativeDriver, "play", stop)
    for threads in (1, 2):
        with pytest.raises(MatchInterrupted) as stopped:
            match(GreedyBot(), RandomBot(), "short", pairs=100, threads=threads)
        assert stopped.value.result is None


def test_the_bar_shows_the_running_score(capsys: pytest.CaptureFixture[str]) -> None:
    result = match(GreedyBot(), RandomBot(), "short", pairs=70, progress=True)
    assert str(result.points) in capsys.readouterr().err
    match(GreedyBot(), RandomBot(), "short", pairs=70, progress=False)
    assert capsys.readouterr().err == ""


def test_the_public_name_is_this_function() -> None:
    assert nardy.match is match_module_function


def test_json_tells_a_strength_with_all_that_belongs_to_it() -> None:
    result = match(GreedyBot(), PubevalBot(), "short", pairs=30, seed=17)
    told = json.loads(result.to_json())
    assert told == result.as_dict()
    assert (told["a"]["name"], told["b"]["name"], told["game"]) == ("greedy", "pubeval", "short/standard")
    assert (told["pairs"], told["seed"], told["confidence"]) == (30, 17, 0.95)
    assert told["a"]["hash"] == GreedyBot().fingerprint != told["b"]["hash"]
    assert told["interval"][0] < told["ppg"] < told["interval"][1]
    assert np.isclose(told["ppg"], (told["seats"][0]["ppg"] + told["seats"][1]["ppg"]) / 2)
