"""Workers: the same bytes for any number of them, no game twice, and a failure that ends the round."""

import hashlib
import threading
import time
from typing import Any

import pytest

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.models.layers import fresh_layers
from nardy_ai.rules import Game
from nardy_ai.training import workers
from nardy_ai.training.errors import WorkerError
from nardy_ai.training.shares import Share
from nardy_ai.training.targets import Samples
from nardy_ai.training.workers import RoundJob, SelfPlay, ThreadWorkers


def job(games: int = 60, **changes: Any) -> RoundJob:
    game = Game("short")
    settings: dict[str, Any] = {
        "round": 1,
        "rules": game.core_rules,
        "encoding": "short-1",
        "nets": {"contact": fresh_layers(196, (16,), 6, seed=1)},
        "seed": 5,
        "first_game": 100,
        "games": games,
        "targets": "sampled",
        "trace": 0.0,
        "stride": 1,
        "max_turns": 2000,
    }
    return RoundJob(**{**settings, **changes})


def content(samples: Samples) -> bytes:
    columns = (samples.boards, samples.seats, samples.turns, samples.targets)
    return b"".join(array.tobytes() for array in columns)


@pytest.mark.parametrize("targets", ["sampled", "exact"])
def test_the_number_of_workers_cannot_be_seen(targets: str) -> None:
    wanted = job(10 if targets == "exact" else 60, targets=targets, stride=3)
    rounds = [ThreadWorkers(count).start(wanted).result() for count in (1, 2, 3, 7)]
    assert len({content(samples) for samples in rounds}) == 1
    assert len({(s.games, s.plies, s.evaluations, s.cut, *s.outcomes.tolist()) for s in rounds}) == 1
    assert rounds[0].games == wanted.games


def test_games_depend_on_their_numbers_and_not_on_the_round() -> None:
    together = ThreadWorkers(2).start(job(40)).result()
    first = ThreadWorkers(2).start(job(15)).result()
    second = ThreadWorkers(2).start(job(25, first_game=115, round=2)).result()
    assert content(together) == content(Samples.joined([first, second]))


def test_no_two_games_are_alike() -> None:
    """Workers that inherit one seed play one another's games."""
    hashes = set()
    playing = SelfPlay(job(800))
    for number in range(800):
        hashes.add(hashlib.sha256(playing.play(Share(number, 1)).boards.tobytes()).digest())
    assert len(hashes) == 800


def test_four_workers_play_each_game_of_the_round_once(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[int] = []
    inner = core.self_play

    def watched(model: Any, rules: Any, seed: int, first: int, games: int, **settings: Any) -> dict[str, Any]:
        played.extend(range(first, first + games))
        return inner(model, rules, seed, first, games, **settings)

    monkeypatch.setattr(workers.core, "self_play", watched)
    ThreadWorkers(4).start(job(203)).result()
    assert sorted(played) == list(range(100, 303))


def failing(bad_game: int) -> Any:
    inner = core.self_play

    def play(model: Any, rules: Any, seed: int, first: int, games: int, **settings: Any) -> dict[str, Any]:
        if first <= bad_game < first + games:
            raise MemoryError("no room")
        return inner(model, rules, seed, first, games, **settings)

    return play


def test_a_worker_that_fails_ends_the_round_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers.core, "self_play", failing(131))
    started = time.perf_counter()
    named = r"worker [123] failed in round 1 while playing games 1\d\d to 1\d\d of seed 5"
    with pytest.raises(WorkerError, match=named) as caught:
        ThreadWorkers(3).start(job(60)).result()
    assert time.perf_counter() - started < 30
    assert "MemoryError: no room" in str(caught.value)
    assert isinstance(caught.value.__cause__, MemoryError)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("worker")]


def test_a_cancelled_round_leaves_no_thread() -> None:
    playing = ThreadWorkers(2).start(job(100_000))
    assert not playing.wait(0.01)
    playing.cancel()
    assert playing.wait(0)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("worker")]


def test_a_number_of_workers_that_no_machine_has_is_refused() -> None:
    workers.check_workers(1024)
    with pytest.raises(InputError, match="workers: 1025 must be at most 1024"):
        workers.check_workers(1025)
