"""Measuring speed: the same work for everybody, and bars judged by the figures."""

from __future__ import annotations

import time

import numpy as np
import pytest

from nardy_ai import core
from nardy_ai.bots.peers import GnubgPeer, SagePeer, peers_found
from nardy_ai.core import InputError
from nardy_ai.evaluation.speed import Bar, Row, SpeedReport, measure_speed, measuring
from nardy_ai.evaluation.speed.report import OURS
from nardy_ai.evaluation.speed.workload import benchmark_layers, positions_of_play
from nardy_ai.rules import Game

SHORT = Game("short")


class SlowPeer:
    """Takes two milliseconds of CPU for a board, and looks no deeper than the net."""

    name = "gnubg-nn"

    def __init__(self) -> None:
        self.asked: list[bytes] = []

    def evaluation(self, boards):
        def job() -> int:
            self.asked.extend(board.tobytes() for board in boards)
            end = time.process_time() + 0.002 * len(boards)
            while time.process_time() < end:
                pass
            return len(boards)

        return job

    def best_play(self, boards, dice, plies):
        return self.evaluation(boards) if plies == 0 else None


@pytest.fixture(scope="module")
def peer() -> SlowPeer:
    return SlowPeer()


@pytest.fixture(scope="module")
def report(peer: SlowPeer) -> SpeedReport:
    return measure_speed(peers=[peer], seconds=0.1, rounds=2, seed=3)


def test_every_row_of_the_table_is_measured(report: SpeedReport) -> None:
    names = [row.name for row in report.rows]
    parts = ("evaluations", "0-ply", "1-ply", "2-ply", "targets", "196/80", "256-256-256", "dense")
    for part in parts:
        assert any(part in name for name in names), part
    threads = [row for row in report.rows if "two threads" in row.name]
    assert [row.name.split(", ")[1] for row in threads] == ["best play at 1-ply", "exact targets",
                                                            "self-play"]  # fmt: skip
    assert all(row.facts["on the clock, where other programs count"] > 0 for row in threads)
    assert all(row.rates[OURS] > 0 for row in report.rows)
    assert all(row.bars or "dense" in row.name for row in report.rows)
    quantised = [row.name.split(",")[0] for row in report.rows if row.facts.get("quantised", 0) > 0]
    plies = [f"best play at {plies}-ply" for plies in range(3)]
    assert quantised == ["evaluations of contact positions", *plies, "exact 21-roll targets"]
    assert not any("quantised" in row.rates for row in report.rows)


def test_a_peer_is_measured_where_it_can_do_the_work(report: SpeedReport, peer: SlowPeer) -> None:
    rates = [row.rates.get(peer.name) for row in report.rows]
    assert rates[0] == pytest.approx(500, rel=0.25)
    assert rates[1] == pytest.approx(500, rel=0.25)
    assert not any(rates[2:])
    assert "not measured" in str(report)
    assert max(map(len, str(report).splitlines())) <= 80


def test_a_peer_meets_new_positions_in_every_round() -> None:
    """One that remembers what it was asked must gain nothing by it."""
    alone = SlowPeer()
    bench = measuring._bench([alone], None, 0.1, 3, 3)
    programs = {OURS: lambda part: lambda: len(part), alone.name: measuring._evaluation_of(alone)}
    measuring._interleaved(bench, programs)
    for first in range(0, 3 * measuring._MOST_A_ROUND, measuring._MOST_A_ROUND):
        assert alone.asked.count(bench.positions.boards[first].tobytes()) == 1


def test_a_slow_peer_does_not_leave_us_with_a_handful_of_positions() -> None:
    """Single positions differ thirtyfold in cost: of three that are soon decided nothing follows."""
    asked: dict[str, list[int]] = {OURS: [], measuring.QUANTISED: []}

    def ours(name: str) -> measuring.Prepare:
        def job_of(part: measuring.Positions) -> measuring.Job:
            def job() -> int:
                asked[name].append(len(part))
                SlowPeer().evaluation(part.boards[: len(part) // 50 + 1])()
                return len(part)

            return job

        return job_of

    bench = measuring._bench([], None, 0.2, 3, 3)
    slow = SlowPeer()
    measuring._interleaved(
        bench, {name: ours(name) for name in asked} | {slow.name: measuring._evaluation_of(slow)}
    )
    assert asked[OURS][-3:] == asked[measuring.QUANTISED][-3:]
    assert min(asked[OURS][-3:]) > 100


def test_a_slow_peer_is_asked_about_several_positions_all_the_same() -> None:
    slow = SlowPeer()
    bench = measuring._bench([slow], None, 0.05, 2, 3)
    measuring._interleaved(
        bench, {OURS: lambda part: lambda: len(part), slow.name: measuring._evaluation_of(slow)}
    )
    for first in (0, measuring._MOST_A_ROUND):
        boards = [board.tobytes() for board in bench.positions.boards[first : first + 16]]
        assert all(board in slow.asked for board in boards)


def test_two_threads_share_slices_until_none_is_left() -> None:
    """One slice as dear as all others together: the other thread does these meanwhile."""
    bench = measuring._bench([], None, 0.05, 1, 3)
    done: list[int] = []

    def slice_of(number: int, boards: int) -> measuring.Job:
        def job() -> int:
            done.append(number)
            return SlowPeer().evaluation(bench.positions.boards[:boards])()

        return job

    jobs = [slice_of(0, 20), *(slice_of(number, 1) for number in range(1, 21))]
    spent, clock = measuring._in_threads(jobs, 2)
    assert sorted(done) == list(range(21))
    assert len(spent) == 2 and clock > 0.02
    both = measuring._games_in_slices(bench, bench.model_of((80,)))(1, 70)
    assert len(both) == 70 and sum(job() for job in both) == 70
    plays = measuring._plays_in_slices(bench, bench.model_of((128,)))(0, 100)
    assert len(plays) == 64 and sum(job() for job in plays) == 100


def test_the_dense_share_lies_below_the_peak(report: SpeedReport) -> None:
    row = report.rows[-1]
    assert 5 < row.rates[OURS] <= 105
    assert {f"{kernels} peak GFLOP/s" for kernels in core.kernels()} <= set(row.facts)


@pytest.mark.parametrize(
    ("bar", "rates", "met"),
    [
        (Bar(10), {OURS: 10}, True),
        (Bar(10), {OURS: 9.9}, False),
        (Bar(5, "x"), {OURS: 50, "x": 10}, True),
        (Bar(5, "x"), {OURS: 49, "x": 10}, False),
        (Bar(5, "x"), {OURS: 49}, None),
    ],
)
def test_bars(bar: Bar, rates: dict[str, float], met: bool | None) -> None:
    row = Row("r", "u", rates, (bar,))
    report = SpeedReport([row], "plain", "0", 1, 1, 1, ["x"])
    assert bar.met(rates) is met
    assert report.missed == (["r"] if met is False else [])
    assert row.as_dict()["bars"][0]["met"] is met
    assert {True: ": met", False: ": MISSED", None: ": not measured"}[met] in str(report)


@pytest.mark.parametrize(("field", "value"), [("seconds", 0), ("seconds", float("nan")), ("rounds", 0)])
def test_numbers_out_of_range(field: str, value: float) -> None:
    with pytest.raises(InputError, match=field):
        measure_speed(**{field: value})


def test_positions_are_distinct_and_the_same_for_a_seed() -> None:
    found = positions_of_play(SHORT, 500, 4, contact=True)
    assert len({board.tobytes() for board in found.boards}) == len(found) == 500
    assert not core.position_classes(SHORT.core_rules, found.boards).any()
    core.check_boards(SHORT.core_rules, found.boards, found.seats, found.turns)
    assert np.array_equal(found.boards, positions_of_play(SHORT, 500, 4, contact=True).boards)
    assert not np.array_equal(found.boards, positions_of_play(SHORT, 500, 5, contact=True).boards)


@pytest.mark.parametrize("hidden", [(80,), (256, 128)])
def test_benchmark_nets_play_games_of_the_usual_length(hidden: tuple[int, ...]) -> None:
    rules = SHORT.core_rules
    layers = benchmark_layers(rules, hidden, 1)
    assert all((np.abs(weight).sum(axis=1) > 0).all() for weight, _ in layers)
    model = core.Model(rules, core.encoding_name(rules), {"contact": layers})
    played = core.self_play(model, rules, 1, 0, 20)
    assert 45 < played["plies"] / 20 < 90
    assert 500 < played["evaluations"] / 20 < 1200


@pytest.mark.parametrize("plies", [0, 1])
def test_peers_find_plays_of_the_positions_they_were_given(plies: int) -> None:
    found = positions_of_play(SHORT, 6, 1)
    for peer in peers_found():
        job = peer.best_play(found.boards, found.dice, plies)
        assert job is not None
        assert job() == 6
        assert peer.best_play(found.boards, found.dice, 3) is None


def test_peers_are_told_the_board_that_was_meant() -> None:
    """As many legal plays by their rules as by ours, on boards whose sides differ."""
    from nardy_ai.bots import peers

    found = positions_of_play(SHORT, 40, 2)
    _, offsets = core.legal_boards(SHORT.core_rules, found.boards, found.dice, found.seats, found.turns)
    expected = np.diff(offsets).tolist()
    for peer in peers_found():
        if isinstance(peer, GnubgPeer):
            boards, moves = peers._gnubg_boards(found.boards), peer._program.moves
        else:
            assert isinstance(peer, SagePeer)
            boards, moves = peers._sage_boards(found.boards), peer._program.possible_moves
        listed = [len(moves(board, *roll)) for board, roll in zip(boards, found.dice.tolist(), strict=True)]
        assert [max(1, count) for count in listed] == expected
