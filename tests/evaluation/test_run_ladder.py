"""The ladder of a run: who meets, what is added, what is stored, and the picture."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from untrained import untrained_model

import nardy_ai as nardy
from nardy_ai.bots import Bot, GreedyBot, PubevalBot, RandomBot
from nardy_ai.core import InputError
from nardy_ai.evaluation import match
from nardy_ai.evaluation.drivers import NativeDriver
from nardy_ai.evaluation.ladder_file import Entry, Ladder, as_report, rated, read_ladder, write_ladder
from nardy_ai.evaluation.ladder_plot import _apart, ladder_picture
from nardy_ai.evaluation.run_ladder import (
    Contender,
    check_fits,
    ladder_table,
    meetings,
    missing,
    new_ladder,
    play_missing,
)
from nardy_ai.rules import Game

GAME = Game("short")


def contender(bot: Bot, round_number: int | None = None) -> Contender:
    return Contender(bot, bot.name if round_number is None else f"round {round_number}", round_number)


STANDING = [contender(RandomBot()), contender(GreedyBot()), contender(PubevalBot())]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> list[Contender]:
    folder = tmp_path_factory.mktemp("models")
    return [
        contender(nardy.load(untrained_model("short", folder / f"{n}.safetensors", seed=n)), 10 * n)
        for n in (1, 2, 3, 4)
    ]


def played(ladder: Ladder, own: list[Contender], pairs: int, path: Path, **options: Any) -> int:
    everybody = [*own, *STANDING]
    return play_missing(
        ladder,
        everybody,
        meetings(own, STANDING),
        GAME,
        pairs,
        lambda now: write_ladder(path, now),
        **{"threads": 1, **options},
    )


@pytest.fixture(scope="module")
def whole(own: list[Contender], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ladder") / "ladder.json"
    played(new_ladder(GAME, 1, STANDING[1]), own[:3], 40, path)
    return path


def test_who_meets(own: list[Contender]) -> None:
    names = {one.hash: one.name for one in [*own, *STANDING]}
    found = [(names[one], names[other]) for one, other in meetings(own, STANDING)]
    expected = {
        ("round 10", "random"), ("round 10", "greedy"), ("round 10", "pubeval"),
        ("round 20", "round 10"), ("round 20", "greedy"), ("round 20", "pubeval"),
        ("round 30", "round 10"), ("round 30", "round 20"), ("round 30", "greedy"), ("round 30", "pubeval"),
        ("round 40", "round 20"), ("round 40", "round 30"), ("round 40", "greedy"), ("round 40", "pubeval"),
        ("random", "greedy"), ("random", "pubeval"), ("greedy", "pubeval"),
    }  # fmt: skip
    assert len(found) == len(set(found)) and set(found) == expected


def test_every_pairing_is_a_match_of_its_own_seed(whole: Path, own: list[Contender]) -> None:
    ladder = read_ladder(whole)
    assert len({one.seed for one in ladder.pairings}) == len(ladder.pairings) == 13
    two = ladder.between(STANDING[1].hash, STANDING[2].hash)
    assert two is not None and two.played == 40
    plain = match(GreedyBot(), PubevalBot(), GAME, pairs=40, seed=two.seed)
    table = np.array(two.counts)
    games = dict(zip(ladder.outcomes, (table.sum(axis=0) + table.sum(axis=1)).tolist(), strict=True))
    assert games == plain.outcomes
    # Another ladder has other dice.
    other = new_ladder(GAME, 2, STANDING[1])
    played(other, [], 1, whole.with_name("other.json"))
    assert {one.seed for one in other.pairings}.isdisjoint(one.seed for one in ladder.pairings)


def test_every_call_only_adds(whole: Path, own: list[Contender], tmp_path: Path) -> None:
    ladder, path = read_ladder(whole), tmp_path / "ladder.json"
    assert played(ladder, own[:3], 40, path) == 0 and not path.exists()
    # One more checkpoint: four meetings. More pairs: only the difference.
    assert played(ladder, own, 40, path) == 4 * 40
    assert played(ladder, own, 41, path) == 17
    assert missing(ladder, meetings(own, STANDING), 41) == {}
    straight = new_ladder(GAME, 1, STANDING[1])
    played(straight, own, 41, tmp_path / "straight.json")
    by_bots = [
        {frozenset((one.a, one.b)): (one.played, np.array(one.counts).sum()) for one in each.pairings}
        for each in (ladder, straight)
    ]
    assert by_bots[0] == by_bots[1]


def test_threads_and_interruptions_do_not_change_a_byte(
    whole: Path, own: list[Contender], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, rng, stops, play = tmp_path / "ladder.json", random.Random(4), 0, NativeDriver.play

    def stopping(driver: NativeDriver, first: int, pairs: int) -> Any:
        if rng.random() < 0.25:
            raise KeyboardInterrupt
        return play(driver, first, pairs)

    monkeypatch.setattr(NativeDriver, "play", stopping)
    while True:
        ladder = read_ladder(path) if path.exists() else new_ladder(GAME, 1, STANDING[1])
        try:
            played(ladder, own[:3], 40, path, threads=2)
            break
        except KeyboardInterrupt:
            stops += 1
    assert stops > 3
    assert json.loads(path.read_text())["pairings"] == json.loads(whole.read_text())["pairings"]
    assert path.read_bytes() == whole.read_bytes()


def test_the_file_tells_other_programs_all_they_need(whole: Path) -> None:
    told = json.loads(whole.read_text())
    assert (told["kind"], told["format"]) == ("nardy ladder", 1)
    assert (told["game"], told["seed"]) == ("short/standard", 1)
    greedy = next(row for row in told["ratings"] if row["name"] == "greedy")
    assert greedy["points"] == 0.0 and greedy["interval"] == [0.0, 0.0] and greedy["pairs"] == 5 * 40
    report = as_report(read_ladder(whole))
    assert json.loads(json.dumps(report))["ratings"] == told["ratings"]
    assert np.shape(report["points_scale"]["covariance"]) == (7, 7)


def test_the_table_fits_a_screen_and_orders_the_bots(whole: Path) -> None:
    ladder = read_ladder(whole)
    text = ladder_table(ladder, rated(ladder))
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert "short/standard, 6 bots, 13 pairings, 520 pairs, seed 1" in lines[0]
    assert lines[4].split()[0] in ("greedy", "pubeval")
    assert {"greedy", "pubeval", "random", "round"} == {line.split()[0] for line in lines[4:10]}
    greedy = next(line for line in lines if line.startswith("  greedy"))
    assert "+0.000" in greedy and "held there" in greedy and greedy.endswith("200")


def test_long_names_and_bots_without_a_link_are_told(whole: Path) -> None:
    ladder = read_ladder(whole)
    ladder.entries.append(Entry("a bot whose name is much longer than a column of a table", "ffff"))
    standings = rated(ladder).standings
    assert standings[-1].points is None and standings[-1].pairs == 0
    text = ladder_table(ladder, rated(ladder))
    assert "no match links it" in text and max(map(len, text.splitlines())) <= 80
    assert json.loads(json.dumps(as_report(ladder)))["ratings"][-1]["points"] is None


def test_a_ladder_of_one_call_per_pair_of_bots_that_were_cut(whole: Path, tmp_path: Path) -> None:
    ladder = read_ladder(whole)
    one = ladder.pairings[0]
    one.cut, one.played = one.cut + 3, one.played + 3
    write_ladder(tmp_path / "l.json", ladder)
    again = read_ladder(tmp_path / "l.json")
    assert "not counted: 3 pairs" in ladder_table(again, rated(again))


def test_a_ladder_of_other_rules_or_another_seed_is_refused(whole: Path) -> None:
    ladder = read_ladder(whole)
    check_fits(ladder, "here", GAME, None)
    check_fits(ladder, "here", GAME, 1)
    with pytest.raises(InputError, match="here was begun with seed 1, not 2"):
        check_fits(ladder, "here", GAME, 2)
    with pytest.raises(InputError, match="other rules than short/nackgammon"):
        check_fits(ladder, "here", Game("short/nackgammon"), 1)


@pytest.mark.parametrize("pairs", [0, -5, 10**6 + 1])
def test_pairs_out_of_range_are_refused(pairs: int, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"pairs is {pairs}"):
        played(new_ladder(GAME, 1, STANDING[1]), [], pairs, tmp_path / "l.json")


def test_what_is_no_ladder_is_refused(whole: Path, tmp_path: Path) -> None:
    path, good = tmp_path / "ladder.json", json.loads(whole.read_text())
    pairing = good["pairings"][0]
    back = {**pairing, "a": pairing["b"], "b": pairing["a"]}
    for content, naming in (
        ("", "is no ladder"),
        ("{}", "is no ladder"),
        ("[" * 100_000, "is no ladder"),
        ({**good, "format": 2}, "is a ladder of format 2, and this version reads format 1"),
        ({**good, "kind": "nardy match record"}, "another kind"),
        ({**good, "surprise": 1}, "surprise"),
        ({**good, "anchor": "abc"}, "anchor is missing"),
        ({**good, "points": [1.0]}, "numbers of points"),
        ({**good, "entries": good["entries"] * 2}, "stands in it twice"),
        ({**good, "pairings": [pairing, back]}, "meet in it twice"),
        ({**good, "pairings": [{**pairing, "a": "abc"}]}, "unknown bot"),
        ({**good, "pairings": [{**pairing, "counts": pairing["counts"][1:]}]}, "number of outcomes"),
        ({**good, "pairings": [{**pairing, "played": 41}]}, "do not add up"),
        ({**good, "pairings": [{**pairing, "cut": -1}]}, "do not add up"),
    ):
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        with pytest.raises(InputError, match=naming):
            read_ladder(path)
    with pytest.raises(InputError, match="there is no ladder at"):
        read_ladder(tmp_path / "none.json")
    with pytest.raises(InputError, match="can't be read"):
        read_ladder(tmp_path)


def test_what_is_written_is_read_back(whole: Path, tmp_path: Path) -> None:
    ladder = read_ladder(whole)
    write_ladder(tmp_path / "copy.json", ladder)
    assert (tmp_path / "copy.json").read_bytes() == whole.read_bytes()
    assert msgspec.structs.asdict(read_ladder(tmp_path / "copy.json")) == msgspec.structs.asdict(ladder)


def test_the_picture_is_drawn_from_the_file_alone(whole: Path) -> None:
    pytest.importorskip("matplotlib")
    ladder = read_ladder(whole)
    svg = ladder_picture(ladder, "runs/here", "svg")
    assert svg == ladder_picture(read_ladder(whole), "runs/here", "svg")
    text = svg.decode()
    for part in ("runs/here (short/standard, seed 1)", "pubeval", "random", "points a game", "Elo-like"):
        assert part in text
    assert ladder_picture(ladder, "runs/here", "png").startswith(b"\x89PNG")
    # One bot alone is a picture too.
    assert ladder_picture(new_ladder(GAME, 1, STANDING[1]), "empty", "svg")


def test_labels_do_not_cover_one_another() -> None:
    assert _apart([]) == []
    assert _apart([0.1, 0.5]) == [0.1, 0.5]
    found = _apart([0.5, 0.5, 0.51, 0.99, 1.0])
    gaps = np.diff(found)
    assert gaps.min() > 0.059 and found[-1] <= 1.0 and abs(found[0] - 0.5) < 1e-9
