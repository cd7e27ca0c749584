"""Pubeval: its inputs by a slow separate reading of its description, and another implementation's scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bots.boards import board

import nardy_ai as nardy
from nardy_ai import core
from nardy_ai.bots import PubevalBot
from nardy_ai.bots.pubeval import pubeval_weights

DATA = Path(nardy.__file__).parent / "bots" / "data" / "pubeval.json"


def slow_score(after: np.ndarray, race: bool) -> float:
    """w . x as the weight file's text says it; `after` int8 [2, 26], mover in row 0."""
    data = json.loads(DATA.read_text())
    x = [0.0] * 122
    for k in range(24):
        point = 24 - k
        mine, his = int(after[0, point - 1]), int(after[1, 25 - point - 1])
        n = mine - his
        x[5 * k] = float(n == -1)
        x[5 * k + 1] = float(n == 1)
        x[5 * k + 2] = float(n >= 2)
        x[5 * k + 3] = float(n == 3)
        x[5 * k + 4] = (n - 3) / 2 if n >= 4 else 0.0
    x[120] = after[1, 24] / 2
    x[121] = after[0, 25] / 15
    weights = data["race" if race else "contact"]
    return sum(float(w) * value for w, value in zip(weights, x, strict=True))


def walk(game: nardy.Game, games: int, seed: int) -> list[tuple[nardy.Position, tuple[int, int]]]:
    """Positions of random games with a roll each."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(games):
        pos = game.start()
        while not pos.finished:
            dice = (int(random.integers(1, 7)), int(random.integers(1, 7)))
            found.append((pos, dice))
            plays = game.plays(pos, dice)
            pos = plays[int(random.integers(len(plays)))].position
    return found


def is_race(pos: nardy.Position) -> bool:
    rear = [max((p for p in range(1, 26) if row[p - 1]), default=0) for row in pos.board]
    return rear[0] + rear[1] < 25


def test_its_choice_is_the_best_by_the_slow_reading() -> None:
    game, bot = nardy.Game("short"), PubevalBot()
    races = contacts = 0
    for pos, dice in walk(game, 6, 11):
        plays = game.plays(pos, dice)
        if len(plays) < 2:
            continue
        race = is_race(pos)
        races, contacts = races + race, contacts + (not race)
        scores = [1e9 if play.board[0, 25] == 15 else slow_score(play.board, race) for play in plays]
        chosen = plays.index(bot.choose(pos, dice))
        assert scores[chosen] >= max(scores) - 1e-4
    assert races > 30 and contacts > 300


def test_the_race_weights_hold_when_there_was_no_contact_before_the_move() -> None:
    # The last contact is broken by this play: the contact weights still judge it.
    game, bot = nardy.Game("short"), PubevalBot()
    differ = 0
    for pos, dice in walk(game, 60, 3):
        plays = game.plays(pos, dice)
        broken = not is_race(pos) and any(is_race(play.position) for play in plays)
        if not broken or len(plays) < 2 or any(play.board[0, 25] == 15 for play in plays):
            continue
        by_contact = [slow_score(play.board, False) for play in plays]
        by_race = [slow_score(play.board, True) for play in plays]
        if int(np.argmax(by_contact)) == int(np.argmax(by_race)):
            continue
        differ += 1
        assert by_contact[plays.index(bot.choose(pos, dice))] >= max(by_contact) - 1e-4
    assert differ >= 5


def test_bearing_off_the_last_checker_is_best_whatever_the_weights_say() -> None:
    game = nardy.Game("short")
    pos = game.position(board({2: 1, 1: 1}, {6: 15}), seat=0, turns=3)
    assert len(game.plays(pos, (2, 1))) == 2
    assert PubevalBot().choose(pos, (2, 1)).board[0, 25] == 15
    dear = np.zeros(122, dtype=np.float32)
    dear[121] = -1000.0
    ask = (game.core_rules, pos.board[None], np.array([(2, 1)], np.uint8), np.zeros(1, np.uint8))
    for finished, player in ((15, core.pubeval_player(dear, dear)), (15, PubevalBot().player(game))):
        chosen = core.choose(player, *ask, np.full(1, 3, np.uint8), np.zeros((1, 3), np.uint64))
        assert chosen[0, 0, 25] == finished


def test_it_agrees_with_another_implementation() -> None:
    gnubg: Any = pytest.importorskip("gnubg_nn")
    game, bot = nardy.Game("short"), PubevalBot()
    same = total = 0
    for pos, dice in walk(game, 8, 5):
        if len(game.plays(pos, dice)) < 2:
            continue
        flat = gnubg.pub_best_move([pos.board[1, :25].tolist(), pos.board[0, :25].tolist()], *dice)
        total += 1
        after = pos.board.copy()
        for start, end in zip(flat[::2], flat[1::2], strict=True):
            after[0, start] -= 1
            if end < 0:
                after[0, 25] += 1
                continue
            after[0, end] += 1
            if after[1, 23 - end]:
                after[1, 23 - end] = 0
                after[1, 24] += 1
        same += np.array_equal(after, bot.choose(pos, dice).board)
    assert total > 300
    # Ties aside (the other takes the first it meets) both are the same player.
    assert same / total > 0.97


@pytest.mark.parametrize("profile", ["long", "short/hypergammon"])
def test_other_games_are_refused(profile: str) -> None:
    game = nardy.Game(profile)
    with pytest.raises(nardy.InputError, match="pubeval plays short nardy with 15 checkers"):
        PubevalBot().choose(game.start(), (3, 1))
    with pytest.raises(nardy.InputError, match="greedy or random"):
        nardy.match(PubevalBot(), nardy.bot("random"), game, pairs=1)


def test_weights_are_as_published() -> None:
    contact, race = pubeval_weights()
    assert contact.shape == race.shape == (122,) and contact.dtype == race.dtype == np.float32
    assert (contact[0], contact[121], race[1]) == (
        np.float32(0.25696),
        np.float32(-2.758),
        np.float32(-0.1716),
    )
    assert core.pubeval_player(contact, race) is not None
