"""Which positions become decisions."""

from __future__ import annotations

import numpy as np
import pytest

from nardy_ai import core
from nardy_ai.bots import bot
from nardy_ai.core import InputError
from nardy_ai.evaluation.decisions.sampling import MixedCompany, draw, quotas, sampled_decisions
from nardy_ai.evaluation.played_turns import Turns
from nardy_ai.rules import Game


def sampled(name: str = "short", count: int = 60, *, seed: int = 4, noise: float = 0.1) -> Turns:
    game = Game(name)
    company = MixedCompany(game, [bot("greedy", game), bot("random", game)], seed, noise)
    return sampled_decisions(game, company, count, seed)


def test_decisions_are_different_have_a_choice_and_come_of_different_games() -> None:
    found = sampled()
    assert len(found) == 60
    assert len(set(found.games.tolist())) == 60
    rules = Game("short").core_rules
    _, offsets = core.legal_boards(rules, found.boards, found.dice, found.seats, found.turns)
    assert np.diff(offsets).min() > 1
    keys = {
        board.tobytes() + bytes(sorted(dice)) for board, dice in zip(found.boards, found.dice, strict=True)
    }
    assert len(keys) == 60


def test_the_same_seed_draws_the_same_and_another_others() -> None:
    one, same, other = sampled(count=8), sampled(count=8), sampled(count=8, seed=5)
    assert one.boards.tobytes() == same.boards.tobytes()
    assert one.boards.tobytes() != other.boards.tobytes()


@pytest.mark.parametrize(
    ("found", "count", "expected"),
    [
        ([700, 300], 10, [7, 3]),
        ([2, 1], 4, [3, 1]),  # 2.67 and 1.33
        ([5, 5], 3, [2, 1]),  # equal remainders: the first class
        ([9, 0], 4, [4, 0]),
        ([999, 1], 5, [5, 0]),
    ],
)
def test_places_are_given_out_in_proportion(found: list[int], count: int, expected: list[int]) -> None:
    assert quotas(np.array(found), count) == expected


def test_classes_have_their_share_of_the_games() -> None:
    found = sampled(count=60)
    races = int(core.position_classes(Game("short").core_rules, found.boards).sum())
    # About a sixth of the turns of such games are races; one decision a game would not know that by itself.
    assert 3 <= races <= 20


def test_without_noise_one_bot_plays_all() -> None:
    game = Game("long")
    player = bot("greedy", game)
    company = MixedCompany(game, [player], 3, 0.0)
    here = sampled("long", 30, noise=0.0)
    keys = np.zeros((30, 3), np.uint64)
    expected = player.choose_boards(game, here.boards, here.dice, here.seats, here.turns, keys)
    assert company(here).tobytes() == expected.tobytes()
    noisy = MixedCompany(game, [player], 3, 0.5)(here)
    differing = (noisy != expected).any(axis=(1, 2)).sum()
    assert 5 <= differing <= 20


def test_each_bot_is_drawn_as_often() -> None:
    game = Game("short")
    company = MixedCompany(game, [bot("greedy", game), bot("random", game)], 1, 0.0)
    drawn = [company._mover(number, seat, 0) for number in range(200) for seat in (0, 1)]
    assert 160 < sum(drawn) < 240
    assert company._mover(7, 1, 0) == company._mover(7, 1, 33)
    assert draw(1, 7, 1) == draw(1, 7, 1) != draw(2, 7, 1)


def test_bad_input() -> None:
    game = Game("long with 1")
    with pytest.raises(InputError, match="hold 0 different decisions"):
        sampled("long with 1", 5)
    with pytest.raises(InputError, match="nobody plays"):
        MixedCompany(game, [], 1, 0.1)
    with pytest.raises(InputError, match=r"noise is 1\.5"):
        MixedCompany(game, [bot("random", game)], 1, 1.5)
    with pytest.raises(InputError, match="pubeval"):
        MixedCompany(Game("long"), [bot("pubeval")], 1, 0.1)
