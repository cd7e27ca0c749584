"""The random mover, and the hand-made judgement: what its features count, and that it is frozen."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from bots.boards import board
from bots.golden_greedy import GOLDEN, score_of

import nardy_ai as nardy
from nardy_ai import core
from nardy_ai.bots import GreedyBot, RandomBot
from nardy_ai.bots.simple import greedy_weights, read_data

SHORT, LONG = nardy.Game("short"), nardy.Game("long")


def features(game: nardy.Game, after: np.ndarray) -> dict[str, float]:
    names = core.greedy_names(game.family)
    return dict(zip(names, core.greedy_features(game.core_rules, after[None])[0].tolist(), strict=True))


# ---- the random mover --------------------------------------------------------------------------------


def test_random_takes_every_result_equally_often() -> None:
    rules, n = SHORT.core_rules, 16_000
    start = core.start_board(rules)
    legal, _ = core.plays(rules, start, 3, 1, 0, 0)
    chosen = core.choose(
        RandomBot().player(SHORT),
        rules,
        np.repeat(start[None], n, axis=0),
        np.full((n, 2), (3, 1), dtype=np.uint8),
        np.zeros(n, dtype=np.uint8),
        np.zeros(n, dtype=np.uint8),
        np.stack([np.full(n, 1), np.arange(n), np.zeros(n)], axis=1).astype(np.uint64),
    )
    counts = {result.tobytes(): 0 for result in legal}
    for result in chosen:
        counts[result.tobytes()] += 1
    assert len(counts) == 16
    chi_square = sum((count - 1000) ** 2 / 1000 for count in counts.values())
    assert chi_square < 37.7  # 99.9 % of 15 degrees of freedom


def test_random_chooses_alike_in_the_same_position() -> None:
    pos = SHORT.start()
    assert RandomBot().choose(pos, (6, 4)) == RandomBot().choose(pos, (4, 6))
    assert len({RandomBot().choose(pos, dice).notation for dice in ((6, 4), (3, 2), (2, 1), (5, 5))}) > 1


# ---- short features ----------------------------------------------------------------------------------

# Rolls of 36 that hit a blot at a distance, with nothing else on the board: any table of backgammon.
SHOTS = {
    1: 11,
    2: 12,
    3: 14,
    4: 15,
    5: 15,
    6: 17,
    7: 6,
    8: 6,
    9: 5,
    10: 3,
    11: 2,
    12: 3,
    15: 1,
    16: 1,
    18: 1,
    20: 1,
}


@pytest.mark.parametrize(("distance", "rolls"), [*SHOTS.items(), (13, 0), (14, 0), (17, 0), (19, 0)])
def test_shots_at_a_blot(distance: int, rolls: int) -> None:
    # My blot on my 24 - his 1 point - would be his last: he stands `distance` points before it.
    found = features(SHORT, board({24: 1}, {1 + distance: 2}))
    assert found["shots"] == rolls
    assert found["shot_loss"] == rolls  # on the 24 point a hit costs one pip
    assert found["shot_home"] == rolls * (distance < 6)
    assert found["targets"] == 0


def test_points_between_stop_shots() -> None:
    # He is 6 away: 6-any 11, 5-1, 4-2, 3-3, 2-2 add 6. Both points that make 4-2 and 2-2 work are closed.
    assert features(SHORT, board({18: 1}, {13: 2}))["shots"] == 17
    assert features(SHORT, board({18: 1, 16: 2, 14: 2}, {13: 2}))["shots"] == 17 - 3
    # My 13 point: he stands on it himself, so nothing else changes.
    assert features(SHORT, board({18: 1, 17: 2}, {13: 2}))["shots"] == 17


@pytest.mark.parametrize(
    ("on_bar", "closed", "rolls"),
    [
        (1, {}, 14),  # 3-any, 2-1 either way, 1-1
        (1, {1: 2, 2: 2}, 11),  # only a 3 enters on it
        (2, {}, 11),  # both must enter: a 3
    ],
)
def test_shots_from_the_bar(on_bar: int, closed: dict[int, int], rolls: int) -> None:
    found = features(SHORT, board({3: 1, **closed}, {25: on_bar}))
    assert found["shots"] == rolls
    assert found["shot_loss"] == rolls * 22  # 3 of 25 pips were left to go
    assert found["his_bar"] == on_bar
    assert found["his_bar_home"] == len(closed)


def test_a_shot_by_another_checker_needs_the_one_on_the_bar_to_enter() -> None:
    # A blot on my 8: his checker on my 2 is 6 away. Closed are 1, 3, 5 and 6: he enters with a 2 or a 4.
    closed = {1: 2, 3: 2, 5: 2, 6: 2}
    found = features(SHORT, board({8: 1, **closed}, {25: 1, 23: 1}))
    # 6-2 and 6-4 hit by the 6; 4-4 enters on 4 and goes on to 8; 2-2 enters, then 2, 4, 6, 8 is out of reach
    # by three twos from the bar, but the other checker makes 2, 4, 6 closed.
    assert found["shots"] == 5


def test_points_blots_and_walls() -> None:
    found = features(SHORT, board({8: 3, 7: 2, 6: 3, 5: 2, 4: 2, 13: 2, 20: 1}, {24: 1, 13: 5, 6: 4, 8: 5}))
    expected = {
        "point_4": 1, "point_5": 1, "point_6": 1, "point_7": 1, "point_8": 1, "point_3": 0, "midpoint": 1,
        "outfield": 0, "wall_3": 1, "wall_4": 1, "wall_5": 1, "wall_6": 0, "wall_load": 3,
        "blots_back": 1, "blots_out": 0, "blots_home": 0, "builders": 1, "stack": 0, "back": 1,
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected
    # His 6 and 8 are my 19 and 17: ahead of my 20 lie both of them.
    assert found["back_closed"] == 2
    # His blot on my 1: from 4, 5, 6 and 7 it is a direct shot.
    assert found["targets"] == 1
    assert found["race_out"] == 0


def test_anchors_and_stacks() -> None:
    found = features(SHORT, board({24: 2, 22: 2, 20: 2, 18: 2, 15: 2, 10: 5}, {6: 5, 8: 3, 13: 5}))
    assert (found["anchor_22_24"], found["anchor_19_21"], found["anchor_18"]) == (2, 1, 1)
    assert (found["far_outfield"], found["outfield"], found["stack"], found["back"]) == (1, 1, 2, 6)


def test_a_race_is_judged_by_other_features() -> None:
    found = features(SHORT, board({13: 1, 7: 2, 6: 4, 2: 2, 1: 1}, {5: 5, 3: 3}))
    assert found["race_out"] == 2 + 1 + 1
    assert (found["point_6"], found["shots"], found["blots_out"]) == (0, 0, 0)
    assert (found["off"], found["pips"], found["his_pips"]) == (5, 13 + 14 + 24 + 4 + 1, 34)


# ---- long features -----------------------------------------------------------------------------------


def test_walls_of_long_nardy_count_where_he_must_pass_them() -> None:
    # My 12..8 are his 24..20. His head stands behind none of them; the checkers on his 24 are on my 12: so
    # 11..7.
    found = features(LONG, board({24: 5, 11: 2, 10: 2, 9: 2, 8: 2, 7: 2}, {24: 14, 20 - 8: 1}))
    expected = {"wall_2": 1, "wall_3": 1, "wall_4": 1, "wall_5": 1, "wall_6": 0, "held_7_12": 5, "head": 5}
    assert {name: found[name] for name in expected} == expected
    assert (found["wall_load"], found["wall_near"]) == (3 * 14, 3 * 14)
    # He has passed it with all: worth nothing.
    found = features(LONG, board({24: 5, 11: 2, 10: 2, 9: 2, 8: 2, 7: 2}, {12: 10, 10: 5}))
    assert (found["wall_2"], found["wall_load"], found["held_7_12"]) == (0, 0, 0)


def test_landings_that_are_closed_and_open() -> None:
    # His head (my 12) looks at my 11..6; I hold 11, 9 and 6: his 1, 3 and 6.
    found = features(LONG, board({24: 12, 11: 1, 9: 1, 6: 1}, {24: 15}))
    assert (found["denied"], found["denied_men"], found["his_dead_dice"]) == (3, 12, 3)
    # Mine: from 24 six, from 11 five (he has nothing there), from 9 six, from 6 five.
    assert (found["open"], found["dead_dice"]) == (6 + 6 + 6 + 5, 0)
    # He holds my 23..18, so that the head cannot move.
    blocked = {point - 12: 2 for point in range(18, 24)}
    found = features(LONG, board({24: 15}, {**blocked, 24: 3}))
    assert (found["open"], found["dead_dice"], found["behind"]) == (0, 6, 15)


def test_where_the_checkers_of_long_nardy_stand() -> None:
    found = features(LONG, board({24: 3, 22: 1, 21: 4, 15: 2, 10: 1, 3: 2, 2: 1}, {24: 10, 18: 1, 2: 4}))
    expected = {
        "off": 1, "head": 3, "home": 3, "stack": 2, "held_19_23": 2, "held_13_18": 1,
        "held_7_12": 1, "held_1_6": 2, "rear": 24, "home_empty": 0, "pips": 72 + 22 + 84 + 30 + 10 + 6 + 2,
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected
    found = features(LONG, board({6: 4, 5: 4, 2: 2}, {18: 15}))
    assert (found["home_empty"], found["dead_dice"], found["rear"]) == (3, 0, 6)


# ---- the bot -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [SHORT, LONG], ids=lambda game: game.name)
def test_weights_and_features_have_the_same_names(game: nardy.Game) -> None:
    assert tuple(greedy_weights(game.family)) == core.greedy_names(game.family)
    assert set(core.greedy_descriptions(game.family)) == set(core.greedy_names(game.family))


def test_wrong_weights_are_refused() -> None:
    weights = dict(greedy_weights("short"))
    with pytest.raises(nardy.InputError, match="no feature 'pip' in short nardy"):
        GreedyBot({"short": {**weights, "pip": 1.0}})
    del weights["pips"]
    with pytest.raises(nardy.InputError, match="no weight for its short feature 'pips'"):
        GreedyBot({"short": weights})


def test_weight_files_of_another_format_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "greedy.json").write_text('{"format": 2}')
    monkeypatch.setattr("nardy_ai.bots.simple.resources.files", lambda _: tmp_path)
    with pytest.raises(nardy.InputError, match=r"greedy\.json has format 2, but 1 is read"):
        read_data("greedy.json")


def test_bearing_off_the_last_checker_beats_everything() -> None:
    # Every weight tells it to keep its checkers.
    for game in (SHORT, LONG):
        stubborn = GreedyBot(
            {game.family: {name: -1e6 if name == "off" else 0 for name in greedy_weights(game.family)}}
        )
        pos = game.position(board({2: 1, 1: 1}, {6: 8}), seat=0, turns=3)
        assert stubborn.choose(pos, (2, 1)).board[0, 25] == 15


@pytest.mark.parametrize("game", ["short", "long"])
def test_greedy_beats_random(game: str) -> None:
    result = nardy.match(GreedyBot(), RandomBot(), game, pairs=300, seed=1)
    assert result.win_interval is not None and result.win_interval[0] > 0.95


def test_greedy_is_frozen() -> None:
    golden = json.loads(GOLDEN.read_text())
    assert golden["format"] == 1
    assert golden["fingerprint"] == GreedyBot().fingerprint
    assert len(golden["cases"]) == 64
    for case in golden["cases"]:
        game = nardy.Game(case["game"])
        play = GreedyBot().choose(game.position(case["key"]), tuple(case["dice"]))
        assert (play.notation, score_of(play)) == (case["play"], case["score"]), case
