"""What the page reckons without a browser, in Node: steps of a turn, fair dice, records, pasted positions."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from untrained import untrained_model

from nardy_ai.export.web import export_web
from nardy_ai.rules import Game, mat_of_text, mat_text
from nardy_ai.rules.fair_dice import FairDice, check_record, commitment_to
from nardy_ai.rules.profile_reader import profile_names

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "fair_dice.json").read_text("utf-8"))
CASES = json.loads((Path(__file__).parents[1] / "data" / "long_nardy_cases.json").read_text("utf-8"))
START = "4HPwATDgc/ABMA"
HALVES = FairDice("0123456789abcdef0123456789abcdef", 'Нарды: "7"\\ ход')


def board(mine: dict[int, int], his: dict[int, int]) -> list[list[int]]:
    """A board of 15 checkers a side from points (25 the bar); the rest is borne off."""
    rows = np.zeros((2, 26), int)
    for row, points in zip(rows, (mine, his), strict=True):
        for point, count in points.items():
            row[point - 1] = count
        row[25] = 15 - row.sum()
    return [[int(count) for count in row] for row in rows]


def random_turns() -> list[dict[str, Any]]:
    """Positions of random games under every profile, with a roll each."""
    random = np.random.default_rng(7)
    found = []
    for name in profile_names():
        game = Game(name)
        position = game.start()
        for _ in range(55):
            dice = tuple(int(die) for die in random.integers(1, 7, 2))
            plays = game.plays(position, dice)
            if len(plays) < 400:
                found.append({"profile": name, "position": position.key, "roll": list(dice)})
            position = plays[random.integers(len(plays))].position
            if position.result is not None:
                position = game.start()
    return found


TURNS = random_turns()
# The other's checkers stand on 24 and 23 alone: six neighbours of mine need one in front of them.
FIVE = dict.fromkeys(range(16, 21), 1)
BLOCK = {"profile": "long/fns", "board": board({**FIVE, 22: 1, 3: 9}, {24: 14, 23: 1})}


def saved_match(**changes: Any) -> dict[str, Any]:
    game = {
        "dice": 1,
        "bot": HALVES.bot,
        "player": HALVES.player,
        "commitment": HALVES.commitment,
        "starter": None,
        "throws": [],
        "plays": [],
        "costs": [],
        "result": None,
    }
    match = {"format": 1, "profile": "short/standard", "length": 5, "level": 3, "from": None}
    return {**match, "names": ["You", "nardy-ai"], "games": [game | changes.pop("game", {})], **changes}


def begun(profile: str, turns: int, **changes: Any) -> dict[str, Any]:
    """A saved match whose first game has so many turns of first plays, with the dice of the halves."""
    game = Game(profile)
    throws, plays = [], []
    starter = None
    position = game.start()
    while len(plays) < turns:
        dice = HALVES.throw(len(throws))
        throws.append(list(dice))
        if starter is None:
            if dice[0] == dice[1]:
                continue
            starter = int(dice[0] < dice[1])
            if game.profile.rules.opening_roll == "fresh":
                continue
        play = game.plays(position, dice)[0]
        plays.append(play.notation)
        position = play.position
    return saved_match(profile=profile, game={"throws": throws, "plays": plays}, **changes)


def given_up() -> dict[str, Any]:
    """A match whose first game the player gave up; the winner has thrown in the next one."""
    match = begun("long/classic", 8, length=3)
    first = match["games"][0]
    first["result"] = {"winner": 1, "kind": "mars", "points": 2, "how": "resignation"}
    second = {**first, "starter": 1, "throws": [list(HALVES.throw(0))], "plays": [], "result": None}
    return {**match, "games": [first, second]}


RECORDS = [
    given_up(),
    saved_match(),
    begun("short/standard", 30),
    begun("long/fns", 21, length=3, names=["Вы: \"я\"\\", "a very long name of a player " * 2]),
    begun("short/nine_fair", 12, length=0),
    begun("short/hypergammon", 6, length=0),
    begun("short/portes", 9, length=7),
    begun("long/fnr2025", 11, length=0),
]


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("parts")
    export_web(untrained_model("short/standard", folder / "model.safetensors"), folder / "bundle")
    throws = [list(HALVES.throw(number)) for number in range(40)]
    told: dict[str, Any] = {"botHalf": HALVES.bot, "playerHalf": HALVES.player, "throws": throws}
    told |= {"commitment": HALVES.commitment}
    request = {
        "turns": TURNS,
        "steps": [
            {**BLOCK, "roll": [1, 2]},
            {"profile": "short/standard", "board": board({25: 1, 6: 14}, {6: 2, 3: 13}), "roll": [6, 1]},
            {"profile": "short/standard", "board": board({5: 1, 2: 1}, {1: 2}), "roll": [6, 4]},
        ],
        "why": [
            {"profile": "long/fns", "board": board({20: 1, 1: 14}, {7: 1, 3: 14}), "roll": [1, 1]},
            {"profile": "long/fns", "board": board({24: 15}, {24: 15}), "roll": [1, 1]},
            {"profile": "short/standard", "board": board({25: 1, 6: 14}, {6: 2, 1: 13}), "roll": [6, 1]},
        ],
        "golden": GOLDEN,
        "records": RECORDS,
        "pasted": [
            START,
            f" Position ID: {START} ",
            f"{START}:cAkAAAAAAAAA",
            f"{START}:1:2",
            START[:-1],
            "",
        ],
        "throws": [[1, 1], [6, 2], [3, 3]],
        "checked": [
            told,
            told | {"throws": [*throws[:20], [7 - die for die in throws[20]], *throws[21:]]},
            told | {"commitment": commitment_to("f" * 32)},
        ],
    }
    (folder / "request.json").write_text(json.dumps(request), "utf-8")
    assert NODE is not None
    client = Path(__file__).with_name("page_client.mjs")
    done = subprocess.run(
        [NODE, client, folder / "bundle", folder / "request.json"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_steps_lead_to_every_play_and_to_nothing_else(answer: dict[str, Any]) -> None:
    doubles = passes = 0
    for turn, found in zip(TURNS, answer["turns"], strict=True):
        game = Game(turn["profile"])
        plays = game.plays(game.position(turn["position"]), turn["roll"])
        assert found["found"] == sorted(play.notation for play in plays), turn
        doubles += turn["roll"][0] == turn["roll"][1]
        passes += plays[0].passed
        assert (found["why"] is None) == (not plays[0].passed)
    assert doubles > 50
    assert passes > 10


def test_a_pass_has_its_reason(answer: dict[str, Any]) -> None:
    assert answer["why"] == ["closed", "rule", "bar"]


def test_single_steps(answer: dict[str, Any]) -> None:
    blocked, bar, off = answer["sources"]
    # 22/21 would make six neighbours with nobody in front, also for a moment; over 20 the checker gets to 19.
    assert [22, [19, 20]] in blocked
    # From the bar the six enters nowhere (19 is closed); the one does on 24, and may go on with the six.
    assert bar == [[25, [18, 24]]]
    # The six bears off from 5, the four goes inside; neither takes the checker on 2 first.
    assert off == [[5, [0, 1]]]


def test_dice_are_those_of_the_package(answer: dict[str, Any]) -> None:
    golden = answer["golden"]
    for found, case in zip(golden["games"], GOLDEN["games"], strict=True):
        assert found == {name: case[name] for name in ("commitment", "key", "throws")}
    assert golden["late"] == GOLDEN["late"]["dice"]
    assert golden["halves"] == [counts for _, counts in GOLDEN["halves"]]


def test_the_check_of_the_dice_names_the_first_fault(answer: dict[str, Any]) -> None:
    fine, throw, commitment = answer["checked"]
    assert fine == {"ok": True, "fault": None, "number": None}
    assert throw == {"ok": False, "fault": "throw", "number": 20}
    assert commitment == {"ok": False, "fault": "commitment", "number": None}


@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_records_are_written_as_the_package_writes_them(answer: dict[str, Any], number: int) -> None:
    text = answer["records"][number]
    record = mat_of_text(text)
    assert mat_text(record) == text
    assert record.names == tuple(RECORDS[number]["names"])
    assert record.history.state.terms.length == (RECORDS[number]["length"] or None)
    assert record.history.state.game.name == RECORDS[number]["profile"]
    made = [step for step in record.history.steps if type(step).__name__ == "Move"]
    assert [step.play.notation for step in made] == RECORDS[number]["games"][0]["plays"]
    shown = [game for game in RECORDS[number]["games"] if game["result"]]
    assert [checked.fault for checked in check_record(record)] == [None] * len(shown)


def test_pasted_positions_are_understood(answer: dict[str, Any]) -> None:
    full = f"{START}:0:0"
    assert answer["pasted"] == [full, full, full, f"{START}:1:2", None, None]


def test_throws_are_counted(answer: dict[str, Any]) -> None:
    assert answer["counted"] == {"throws": 3, "faces": [2, 1, 2, 0, 0, 1], "doubles": 2, "mean": 16 / 6}
