"""Model files as bots."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bots.boards import board
from untrained import untrained_model

import nardy_ai as nardy
from nardy_ai.bots import NetBot, load
from nardy_ai.rules import ROLLS, WEIGHTS


@pytest.fixture(scope="module")
def long_net(tmp_path_factory: pytest.TempPathFactory) -> NetBot:
    return load(untrained_model("long", tmp_path_factory.mktemp("models") / "long.safetensors"))


@pytest.fixture(scope="module")
def short_net(tmp_path_factory: pytest.TempPathFactory) -> NetBot:
    return load(untrained_model("short", tmp_path_factory.mktemp("models") / "short.safetensors"))


def test_an_evaluation_names_its_outcomes_and_adds_up(long_net: NetBot) -> None:
    found = long_net.evaluate(nardy.Game("long").start())
    assert tuple(found.outcomes) == long_net.outcomes == ("win", "win_mars", "lose", "lose_mars", "draw")
    assert sum(found.outcomes.values()) == pytest.approx(1.0, abs=1e-6)
    points = dict(zip(long_net.outcomes, long_net.game.points, strict=True))
    assert found.equity == pytest.approx(
        sum(points[name] * p for name, p in found.outcomes.items()), abs=1e-5
    )


def test_boards_in_bulk_are_evaluated_like_single_ones(short_net: NetBot) -> None:
    game = nardy.Game("short")
    boards, _ = game.legal_boards_batch(
        np.repeat(game.start().board[None], 3, axis=0), np.array([(3, 1), (6, 5), (2, 2)], dtype=np.uint8)
    )
    outcomes, equity = short_net.evaluate_boards(nardy.turned(boards))
    assert outcomes.shape == (len(boards), 6) and equity.shape == (len(boards),)
    for i in (0, 7, len(boards) - 1):
        single = short_net.evaluate(game.position(nardy.turned(boards)[i], seat=1, turns=0))
        assert single.equity == float(equity[i])
        assert list(single.outcomes.values()) == outcomes[i].tolist()


def test_seats_are_asked_for_where_the_profile_uses_them(long_net: NetBot, short_net: NetBot) -> None:
    boards = nardy.Game("long").start().board[None]
    with pytest.raises(nardy.InputError, match="seats"):
        long_net.evaluate_boards(boards)
    first, second = (float(long_net.evaluate_boards(boards, np.array([s], np.uint8))[1][0]) for s in (0, 1))
    assert first != second
    short_net.evaluate_boards(nardy.Game("short").start().board[None])


@pytest.mark.parametrize("dice", [(3, 1), (1, 3), (6, 6)])
def test_plays_are_ranked_by_minus_what_they_leave_to_the_other(
    short_net: NetBot, dice: tuple[int, int]
) -> None:
    pos = nardy.Game("short").start()
    ranked = short_net.rank(pos, dice)
    assert {entry.play for entry in ranked} == set(pos.game.plays(pos, dice))
    assert [entry.equity for entry in ranked] == sorted((entry.equity for entry in ranked), reverse=True)
    for entry in ranked:
        assert entry.equity == pytest.approx(-short_net.evaluate(entry.play.position).equity, abs=1e-6)
        left = short_net.evaluate(entry.play.position).outcomes
        assert entry.outcomes["win_gammon"] == pytest.approx(left["lose_gammon"], abs=1e-6)
    assert ranked[0].notation == ranked[0].play.notation
    assert short_net.choose(pos, dice) == ranked[0].play


def test_the_best_play_is_the_one_that_its_native_form_makes(long_net: NetBot) -> None:
    pos = nardy.Game("long").start()
    for dice in ROLLS:
        chosen = long_net.choose_boards(
            pos.game,
            pos.board[None],
            np.array([dice], np.uint8),
            np.array([0], np.uint8),
            np.array([0], np.uint8),
            np.zeros((1, 3), np.uint64),
        )
        assert np.array_equal(chosen[0], long_net.choose(pos, dice).board)
    assert len(WEIGHTS) == 21


def test_a_finished_game_is_judged_by_rule(short_net: NetBot) -> None:
    # He has borne off all; I have none off and one on the bar: a backgammon.
    pos = nardy.Game("short").position(board({25: 1, 6: 14}, {}), seat=0, turns=3)
    found = short_net.evaluate(pos)
    assert found.equity == -3.0 and found.outcomes["lose_backgammon"] == 1.0
    with pytest.raises(nardy.InputError):
        short_net.rank(pos, (3, 1))


def test_what_is_reserved_is_refused_in_one_sentence(short_net: NetBot) -> None:
    pos = nardy.Game("short").start()
    with pytest.raises(nardy.InputError, match="score= is reserved and has no meaning yet: leave it out"):
        short_net.rank(pos, (3, 1), score=(0, 0))
    with pytest.raises(nardy.InputError, match="cube= is reserved"):
        short_net.rank(pos, (3, 1), cube=2)
    with pytest.raises(nardy.InputError, match="plies cannot be 4: give a whole number from 0 to 3"):
        short_net.rank(pos, (3, 1), plies=4)
    with pytest.raises(nardy.InputError, match="1 to 6"):
        short_net.rank(pos, (3, 7))


def test_a_play_at_one_ply_is_minus_the_mean_of_the_best_replies(short_net: NetBot) -> None:
    pos = nardy.Game("short").start()
    best = short_net.rank(pos, (3, 1), plies=1)[0]
    assert best.plies == 1
    replies = [
        short_net.rank(best.play.position, (first, second))[0].equity
        for first in range(1, 7)
        for second in range(1, 7)
    ]
    assert best.equity == pytest.approx(-sum(replies) / 36, abs=1e-5)


def test_a_bot_that_looks_ahead_is_another_bot(short_net: NetBot) -> None:
    ahead = short_net.looking_ahead(1)
    assert ahead.fingerprint != short_net.fingerprint
    assert ahead.name == f"{short_net.name}:1"
    there = nardy.match(ahead, short_net, pairs=20, seed=3)
    back = nardy.match(short_net, ahead, pairs=20, seed=3)
    assert there.ppg == -back.ppg != 0


def test_positions_of_another_game_are_refused(long_net: NetBot) -> None:
    pos = nardy.Game("short").start()
    for ask in (
        lambda: long_net.evaluate(pos),
        lambda: long_net.rank(pos, (3, 1)),
        lambda: long_net.choose(pos, (3, 1)),
    ):
        with pytest.raises(nardy.InputError, match="is a model of long nardy"):
            ask()


def test_another_profile_of_its_game_is_played_by_that_profiles_rules(long_net: NetBot) -> None:
    game = nardy.Game("long/aipbg")
    found = long_net.evaluate(game.start())
    assert tuple(found.outcomes) == game.outcomes and "draw" not in found.outcomes
    assert sum(found.outcomes.values()) == pytest.approx(1.0, abs=1e-6)
    moved = load(long_net.name, game)
    assert moved.game == game and moved.evaluate(game.start()) == found


def test_the_hash_is_of_the_content(tmp_path: Path) -> None:
    one, same = (
        load(untrained_model("short", tmp_path / name)) for name in ("a.safetensors", "b.safetensors")
    )
    other = load(untrained_model("short", tmp_path / "c.safetensors", seed=6))
    assert one.fingerprint == same.fingerprint != other.fingerprint
    assert one.name.endswith("a.safetensors") and "196/24-12/6" in repr(one)


def test_a_folder_and_an_onnx_file_are_no_bots(tmp_path: Path) -> None:
    with pytest.raises(nardy.InputError, match="is a folder: name the model file in it"):
        nardy.bot(str(tmp_path))
    with pytest.raises(nardy.InputError, match="is for other programs"):
        nardy.bot(str(tmp_path / "model.onnx"))


def test_a_tilde_behind_the_file_quantises_its_nets(tmp_path: Path) -> None:
    path = untrained_model("short", tmp_path / "m.safetensors")
    plain, whole = nardy.bot(str(path)), nardy.bot(f"{path}~")
    assert isinstance(plain, NetBot) and isinstance(whole, NetBot)
    assert whole.quantised and not plain.quantised
    assert whole.name == f"{path}~" and whole.model.shape == plain.model.shape
    start = nardy.Game("short").start()
    difference = whole.evaluate(start).equity - plain.evaluate(start).equity
    assert 0 < abs(difference) < 0.05
    assert load(path, quantised=True).evaluate(start) == whole.evaluate(start)
    bots = [whole, *(nardy.bot(f"{path}~{rest}") for rest in (":1", "#3")), whole.with_noise(0.1), plain]
    assert len({bot.fingerprint for bot in bots}) == len({bot.name for bot in bots}) == len(bots)
    for bot in (whole.looking_ahead(1), whole.at_level(3), whole.with_noise(0.1), *bots[:-1]):
        assert isinstance(bot, NetBot) and bot.quantised
        assert bot.evaluate(start) == whole.evaluate(start)
    assert nardy.bot(f"{path}~", "short/portes").name == f"{path}~"


def test_a_file_whose_own_name_ends_in_a_tilde_is_that_file(tmp_path: Path) -> None:
    path = untrained_model("short", tmp_path / "mine.safetensors")
    kept = tmp_path / "mine.safetensors~"
    kept.write_bytes(path.read_bytes())
    found = nardy.bot(str(kept))
    assert isinstance(found, NetBot) and not found.quantised
    with pytest.raises(nardy.InputError, match=r"there is no model file .*mines\.safetensors~: did you mean"):
        nardy.bot(str(tmp_path / "mines.safetensors~"))
