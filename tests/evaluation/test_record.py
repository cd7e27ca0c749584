"""Records of matches: stopping and going on counts every game once, and nothing else is mistaken for one."""

from __future__ import annotations

import errno
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evaluation.recording import Recorder, python_bot
from untrained import untrained_model

import nardy_ai as nardy
from nardy_ai.bots import GreedyBot, NetBot, PubevalBot, RandomBot
from nardy_ai.core import InputError
from nardy_ai.evaluation import BotFault, MatchInterrupted, SequentialTest, match
from nardy_ai.evaluation.drivers import NativeDriver
from nardy_ai.evaluation.match_result import UNPLAYED
from nardy_ai.evaluation.record import MatchRecord, Terms, missing_pairs

PAIRS = 180


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    """The match that was never stopped."""
    return match(GreedyBot(), PubevalBot(), "short", pairs=PAIRS, seed=5).as_dict()


def recorded(path: Path, pairs: int = PAIRS, threads: int = 1, **others: Any) -> dict[str, Any]:
    return match(
        GreedyBot(), PubevalBot(), "short", pairs=pairs, seed=5, threads=threads, record=path, **others
    ).as_dict()


def counted(path: Path) -> list[int]:
    """Numbers of the pairs in a record, in its order."""
    lines = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    return [line["first"] + i for line in lines for i in range(len(line["outcomes"]))]


@pytest.mark.parametrize("threads", [1, 3])
def test_stopping_at_random_and_going_on_gives_the_match_that_was_never_stopped(
    threads: int, tmp_path: Path, whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, rng, stops, played = tmp_path / "r.jsonl", random.Random(threads), 0, NativeDriver.play

    def stopping(driver: NativeDriver, first: int, pairs: int) -> Any:
        if rng.random() < 0.3:
            raise KeyboardInterrupt
        return played(driver, first, pairs)

    monkeypatch.setattr(NativeDriver, "play", stopping)
    for _ in range(200):
        try:
            found = recorded(path, threads=threads)
            break
        except MatchInterrupted as stopped:
            stops += 1
            done = 0 if stopped.result is None else stopped.result.pairs
            assert done == len(counted(path))
            if stopped.result is not None:
                assert stopped.result.unfinished == PAIRS - done
    assert stops > 1 and found == whole
    assert sorted(counted(path)) == list(range(PAIRS))


def test_a_kill_in_the_middle_of_a_pair_leaves_that_pair_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, bot = tmp_path / "r.jsonl", python_bot(GreedyBot())
    whole = match(python_bot(GreedyBot()), RandomBot(), "short", pairs=100, seed=6)
    asked, calls = bot.choose_boards, 0

    def ask(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 130:
            raise KeyboardInterrupt
        return asked(*arguments)

    monkeypatch.setattr(bot, "choose_boards", ask)
    with pytest.raises(MatchInterrupted) as stopped:
        match(bot, RandomBot(), "short", pairs=100, seed=6, record=path)
    result = stopped.value.result
    assert result is not None and (result.pairs, result.unfinished) == (64, 36)
    assert "not counted: 36 pairs (the match was stopped)" in str(result)
    again = match(bot, RandomBot(), "short", pairs=100, seed=6, record=path)
    assert again == whole and again.recorded == 64


def test_a_crash_while_writing_costs_the_pairs_of_one_line(tmp_path: Path, whole: dict[str, Any]) -> None:
    path = tmp_path / "r.jsonl"
    recorded(path)
    data = path.read_bytes()
    ends = [i + 1 for i in range(len(data)) if data[i : i + 1] == b"\n"]
    for cut in (0, 5, ends[0] - 1, ends[0], ends[0] + 1, ends[5] - 1, ends[5] + 30, len(data) - 1):
        path.write_bytes(data[:cut])
        assert recorded(path) == whole, cut
        assert sorted(counted(path)) == list(range(PAIRS)), cut


def test_what_is_in_the_record_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.jsonl"
    first = recorded(path, pairs=100)
    monkeypatch.setattr(NativeDriver, "play", lambda *_: pytest.fail("a pair was played twice"))
    assert recorded(path, pairs=100) == first
    # Fewer pairs than there are: the match of so many.
    few = recorded(path, pairs=70)
    monkeypatch.undo()
    assert few == match(GreedyBot(), PubevalBot(), "short", pairs=70, seed=5).as_dict()


def test_more_pairs_are_added_to_those_that_are_there(tmp_path: Path, whole: dict[str, Any]) -> None:
    path = tmp_path / "r.jsonl"
    for pairs in (1, 50, 51, PAIRS):
        found = recorded(path, pairs=pairs)
    assert found == whole and sorted(counted(path)) == list(range(PAIRS))


def test_a_crashed_bot_leaves_what_was_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, bot, calls = tmp_path / "r.jsonl", python_bot(GreedyBot()), 0
    asked = bot.choose_boards

    def ask(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 130:
            raise OSError("the program died; it said: out of luck")
        return asked(*arguments)

    monkeypatch.setattr(bot, "choose_boards", ask)
    with pytest.raises(BotFault, match=r"out of luck \(asked about \d+ positions, the first \S{14}:[01]:\d"):
        match(bot, RandomBot(), "short", pairs=100, seed=6, record=path)
    assert counted(path) == list(range(64))


def test_a_full_disk_is_told_and_loses_nothing(
    tmp_path: Path, whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.jsonl"
    added, calls = MatchRecord._append, 0

    def append(record: MatchRecord, line: bytes) -> None:
        nonlocal calls
        calls += 1
        if calls < 5:
            return added(record, line)

        class Full:
            """Half of a line fits."""

            def __init__(self) -> None:
                self.room = len(line) // 2

            def write(self, data: bytes) -> int:
                if self.room == 0:
                    raise OSError(errno.ENOSPC, "No space left on device")
                written = file.write(data[: self.room])
                self.room = 0
                return int(written or 0)

            def __getattr__(self, name: str) -> Any:
                return getattr(file, name)

        file = record._file
        monkeypatch.setattr(record, "_file", Full())
        return added(record, line)

    monkeypatch.setattr(MatchRecord, "_append", append)
    with pytest.raises(OSError, match="No space left") as told:
        recorded(path)
    assert told.value.filename == str(path) and path.read_bytes().endswith(b"\n")
    monkeypatch.undo()
    assert recorded(path) == whole


def test_a_record_of_another_match_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    recorded(path, pairs=40)
    before = path.read_bytes()
    judge = NetBot(nardy.load(untrained_model("short", tmp_path / "m.safetensors")).model)
    a, b = GreedyBot(), PubevalBot()
    for bots, game, changes, naming in (
        ((RandomBot(), b), "short", {}, "bot A is greedy"),
        ((a, RandomBot()), "short", {}, r"bot B is pubeval \(f1d9609c76a7eccd\), not random"),
        ((b, a), "short", {}, "bot A is greedy"),
        ((a, b), "short/nackgammon", {}, "game is short/standard, not short/nackgammon"),
        ((a, b), "short", {"seed": 6}, "seed is 5, not 6"),
        ((a, b), "short", {"max_turns": 99}, "limit of turns is 4000, not 99"),
        ((a, b), "short", {"length": 3}, "length is none, not 3"),
        ((a, b), "short", {"luck": judge}, "judge of luck is none, not"),
    ):
        with pytest.raises(InputError, match=naming):
            match(*bots, game, **{"pairs": 40, "seed": 5, "record": path, **changes})
    assert path.read_bytes() == before


def test_other_rules_under_the_same_name_are_refused(tmp_path: Path) -> None:
    profile = tmp_path / "house.toml"
    text = 'format = 1\n[rules]\nfamily = "short"\n[scores]\nsingle = 1\ngammon = {}\n'
    profile.write_text(text.format(2))
    match(GreedyBot(), RandomBot(), str(profile), pairs=2, record=tmp_path / "r.jsonl")
    profile.write_text(text.format(3))
    with pytest.raises(InputError, match="hash of the rules"):
        match(GreedyBot(), RandomBot(), str(profile), pairs=2, record=tmp_path / "r.jsonl")


def test_a_renamed_model_is_the_same_bot(tmp_path: Path) -> None:
    old, path = untrained_model("short", tmp_path / "old.safetensors"), tmp_path / "r.jsonl"
    first = match(nardy.load(old), RandomBot(), pairs=10, record=path)
    new = old.rename(tmp_path / "new.safetensors")
    again = match(nardy.load(new), RandomBot(), pairs=10, record=path)
    assert again.recorded == 10 and again.outcomes == first.outcomes


def test_what_is_no_record_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    recorded(path, pairs=80)
    head, first, second, *_ = path.read_text().splitlines(keepends=True)
    wrong = json.loads(first)
    for content, naming in (
        ("precious\n", "is no record"),
        ("precious", "is no record"),
        ('{"kind": "something"}\n', "is no record"),
        (head.replace('"format":1', '"format":2'), "format 2, and this version reads format 1"),
        (head + "nonsense\n" + second, "line 2 of the record .* is damaged"),
        (head + first + first, "pair 0 twice"),
        (head + json.dumps({**wrong, "outcomes": [[9, 0]] * 32}) + "\n", "line 2"),
        (head + json.dumps({**wrong, "plies": wrong["plies"][1:]}) + "\n", "line 2"),
        (head + json.dumps({**wrong, "first": -1}) + "\n", "line 2"),
        (head + json.dumps({**wrong, "luck": [[0.0, 0.0]] * 32}) + "\n", "line 2"),
    ):
        path.write_text(content)
        with pytest.raises(InputError, match=naming):
            recorded(path, pairs=80)
        assert path.read_text() == content
    with pytest.raises(InputError, match="is a folder"):
        recorded(tmp_path)


def test_two_processes_cannot_have_one_record(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    recorded(path, pairs=1)
    terms = Terms.of(*_sides(), game="short/standard", rules="", seed=5, max_turns=4000)
    held = path.open("ab")
    fcntl = pytest.importorskip("fcntl")
    fcntl.flock(held, fcntl.LOCK_EX)
    with pytest.raises(InputError, match="in use by another process"):
        MatchRecord(path, terms, 6)
    held.close()
    assert recorded(path, pairs=1)["pairs"] == 1


def _sides() -> Any:
    from nardy_ai.evaluation import Side

    return Side("greedy", GreedyBot().fingerprint), Side("pubeval", PubevalBot().fingerprint)


def test_a_test_goes_on_from_a_record(tmp_path: Path) -> None:
    path, test = tmp_path / "r.jsonl", SequentialTest(0.0, 0.3)
    straight = match(GreedyBot(), PubevalBot(), "short", pairs=3000, seed=5, test=test)
    recorded(path, pairs=40)
    assert recorded(path, pairs=3000, test=test) == straight.as_dict()
    # Pairs that were played ahead stay in the record and are not counted.
    assert recorded(path, pairs=3000, threads=4, test=test) == straight.as_dict()


def test_missing_pairs_are_found_between_those_that_are_there() -> None:
    outcomes = np.full((20, 2), UNPLAYED, np.int8)
    outcomes[3:5] = outcomes[12] = 0
    outcomes[15, 0] = 0
    assert list(missing_pairs(outcomes, 4)) == [(0, 3), (5, 4), (9, 3), (13, 4), (17, 3)]
    assert list(missing_pairs(np.zeros((4, 2), np.int8), 4)) == []


def test_the_mixed_driver_records_the_same_pairs(tmp_path: Path, whole: dict[str, Any]) -> None:
    path = tmp_path / "r.jsonl"
    recorded(path, pairs=100)
    # The same bot, asked in Python from here on.
    class Asked(Recorder):
        name, fingerprint = GreedyBot().name, GreedyBot().fingerprint

    found = match(Asked(GreedyBot()), PubevalBot(), "short", pairs=PAIRS, seed=5, record=path)
    assert found.as_dict() == whole and found.recorded == 100


def test_the_bar_counts_what_was_taken_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.jsonl"
    recorded(path, pairs=100)
    recorded(path, pairs=100, progress=True)
    assert "100/100" in capsys.readouterr().err
