"""Measuring: every program in turn, several rounds, so that a drift of the machine meets all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from nardy_ai import core
from nardy_ai.bots import NetBot
from nardy_ai.bots.peers import Peer
from nardy_ai.core import InputError
from nardy_ai.evaluation.speed.loss_for_time import PRUNINGS, pruning_name
from nardy_ai.evaluation.speed.report import OURS, Bar, Row, SpeedReport
from nardy_ai.evaluation.speed.workload import Positions, benchmark_layers, positions_of_play
from nardy_ai.models.layers import CLASSES, SCOUT
from nardy_ai.models.model_file import ModelFile
from nardy_ai.rules import Game

__all__ = ["measure_speed"]

GNUBG, SAGE, QUANTISED = "gnubg-nn", "Open Sage", "quantised"
_MOST_A_ROUND = 4000
_LEAST_A_ROUND = 16
"""Positions that every program is asked about in a round at least: single ones differ thirtyfold in cost."""
_SLICES = 64
"""Parts of the work that two threads take from each other one by one, as ours do wherever they share work."""
_DENSE = (256, 128)
_SCOUT = (32,)

Job = Callable[[], int]
Prepare = Callable[[Positions], Job | None]
Slices = Callable[[int, int], list[Job]]
"""`_SLICES` jobs of so many items together, by the number of the round."""


@dataclass(frozen=True)
class _Bench:
    """What the rows are measured with."""

    rules: core.Rules
    positions: Positions
    model_of: Callable[[tuple[int, ...]], core.Model]
    quantised_of: Callable[[tuple[int, ...]], core.Model]
    """The same nets in whole numbers."""
    shape_of: Callable[[tuple[int, ...]], str]
    peers: Sequence[Peer]
    model: ModelFile | None
    seed: int
    rounds: int
    seconds: float


def measure_speed(
    *,
    peers: Sequence[Peer] = (),
    model: ModelFile | None = None,
    seconds: float = 10.0,
    rounds: int = 5,
    seed: int = 1,
    progress: Callable[[str], None] | None = None,
) -> SpeedReport:
    """The table of speeds in short nardy.

    Args:
        peers: programs to measure beside ours (`bots.peers.peers_found`).
        model: a model of short nardy, measured in every row; None: random nets of the rows' shapes.
        seconds: CPU seconds for each row, shared by its programs.
        rounds: how often every program is measured; rates are medians.
        seed: of the nets and positions.
        progress: told the name of each row before it is measured.

    Raises:
        InputError: a model of another game, or a number out of range.
    """
    bench = _bench(peers, model, seconds, rounds, seed)
    rows = []
    for name, measure in _rows(bench):
        if progress is not None:
            progress(name)
        rows.append(measure(name))
    from nardy_ai import __version__

    return SpeedReport(
        rows, core.kernels()[0], __version__, seed, rounds, seconds, [peer.name for peer in peers],
        None if model is None else {"name": f"net {model.shape}", "hash": NetBot(model).fingerprint},
    )


def _bench(
    peers: Sequence[Peer], model: ModelFile | None, seconds: float, rounds: int, seed: int
) -> _Bench:
    if not 0.05 <= seconds <= 3600:
        raise InputError(f"seconds is {seconds}: give 0.05 to 3600 for a row")
    if not 1 <= rounds <= 1000:
        raise InputError(f"rounds is {rounds}: give 1 to 1000")
    if model is not None and model.profile != "short/standard":
        raise InputError(f"this model plays {model.profile}, but speeds are measured in short/standard")
    game = Game("short")
    rules = game.core_rules

    def held(hidden: tuple[int, ...], quantised: bool) -> core.Model:
        nets = model.nets if model else {CLASSES[0]: benchmark_layers(rules, hidden, seed)}
        encoding = model.encoding if model else core.encoding_name(rules)
        return core.Model(rules, encoding, nets, quantised=quantised)

    def shape_of(hidden: tuple[int, ...]) -> str:
        return model.shape.rpartition("/")[0] if model else f"196/{'-'.join(map(str, hidden))}"

    positions = positions_of_play(game, _MOST_A_ROUND * (rounds + 1), seed, contact=True)
    model_of, quantised_of = cache(partial(held, quantised=False)), cache(partial(held, quantised=True))
    return _Bench(rules, positions, model_of, quantised_of, shape_of, peers, model, seed, rounds, seconds)


def _rows(bench: _Bench) -> Iterator[tuple[str, Callable[[str], Row]]]:
    """Each row's name and what measures it."""
    small = bench.shape_of((128,))
    yield f"evaluations of contact positions, {small}", lambda name: _evaluations(bench, name)
    for plies, bars in (
        (0, (Bar(8, GNUBG), Bar(10, SAGE))),
        (1, (Bar(5, SAGE), Bar(7, GNUBG))),
        (2, (Bar(5, SAGE), Bar(7, GNUBG))),
    ):
        yield f"best play at {plies}-ply, {small}", _best_play(bench, plies, bars)
    wide = bench.shape_of((256, 128))
    yield f"exact 21-roll targets, {wide}", lambda name: _targets(bench, name)
    for hidden, self_play_bars in (
        ((80,), (Bar(2500),)),
        ((256, 256, 256), (Bar(120, note="plain"), Bar(300, note="with pruning"))),
    ):
        yield f"self-play, {bench.shape_of(hidden)}", _self_play(bench, hidden, self_play_bars)
    for what, slices in (
        (f"best play at 1-ply, {small}", _plays_in_slices(bench, bench.model_of((128,)))),
        (f"exact targets, {wide}", _targets_in_slices(bench, bench.model_of((256, 128)))),
        (f"self-play, {bench.shape_of((80,))}", _games_in_slices(bench, bench.model_of((80,)))),
    ):
        yield f"two threads against one, {what}", _threads(bench, slices)
    yield f"dense layer {_DENSE[0]} to {_DENSE[1]}, share of the peak", lambda name: _dense(bench, name)


# --- rows -----------------------------------------------------------------------------------------------


def _evaluations(bench: _Bench, name: str) -> Row:
    def ours(model: core.Model) -> Prepare:
        return lambda part: lambda: len(core.net(model, bench.rules, part.boards, part.seats)[1])

    programs = {OURS: ours(bench.model_of((128,))), QUANTISED: ours(bench.quantised_of((128,)))}
    programs |= {peer.name: _evaluation_of(peer) for peer in bench.peers}
    rates = _interleaved(bench, programs)
    return Row(name, "evaluations/s", rates, (Bar(10, GNUBG),), _quantised_fact(rates))


def _quantised_fact(rates: dict[str, float]) -> dict[str, float]:
    """Takes the rate of the quantised nets out of those of the programs: it stands below the row."""
    return {QUANTISED: rates.pop(QUANTISED)}


def _evaluation_of(peer: Peer) -> Prepare:
    return lambda part: peer.evaluation(part.boards)


def _best_play(bench: _Bench, plies: int, bars: Sequence[Bar]) -> Callable[[str], Row]:
    def measure(name: str) -> Row:
        model = bench.model_of((128,))

        def ours(held: core.Model) -> Prepare:
            player = core.net_player(held) if plies == 0 else core.search_player(held, plies)
            return lambda part: _choosing(bench, player, part)

        programs = {OURS: ours(model), QUANTISED: ours(bench.quantised_of((128,)))}
        programs |= {peer.name: _best_play_of(peer, plies) for peer in bench.peers}
        rates = _interleaved(bench, programs)
        facts = _quantised_fact(rates) | _unfiltered(bench, model, plies)
        return Row(name, "plays/s", rates, bars, facts)

    return measure


def _choosing(bench: _Bench, player: core.Player, part: Positions) -> Job:
    keys = np.zeros((len(part), 3), np.uint64)
    return lambda: len(
        core.choose(player, bench.rules, part.boards, part.dice, part.seats, part.turns, keys)
    )


def _unfiltered(bench: _Bench, model: core.Model, plies: int) -> dict[str, float]:
    """What the same search does when it follows every play."""
    if plies == 0:
        return {}
    player = core.search_player(model, plies, core.NO_FILTERS)

    def work(count: int) -> Job:
        return _choosing(bench, player, bench.positions.part(slice(0, count)))

    share = bench.seconds / (bench.rounds + 1)
    return {"without filters": _rate(work(max(_LEAST_A_ROUND // 4, _count_for(work, share, _MOST_A_ROUND))))}


def _best_play_of(peer: Peer, plies: int) -> Prepare:
    return lambda part: peer.best_play(part.boards, part.dice, plies)


def _targets(bench: _Bench, name: str) -> Row:
    def ours(model: core.Model) -> Prepare:
        return lambda part: lambda: len(core.exact_values(model, part.boards, part.seats, part.turns))

    programs = {OURS: ours(bench.model_of((256, 128))), QUANTISED: ours(bench.quantised_of((256, 128)))}
    rates = _interleaved(bench, programs)
    bars = (Bar(900, note="plain"), Bar(2000, note="with pruning, sparsity or int8"))
    return Row(name, "positions/s", rates, bars, _quantised_fact(rates) | _pruned_targets(bench))


def _pruned_targets(bench: _Bench) -> dict[str, float]:
    """With a scout's choice of plays, of which a random net can show the speed but not the loss."""
    if bench.model is None:
        shapes = {CLASSES[0]: (256, 128), SCOUT: _SCOUT}
        nets = {name: benchmark_layers(bench.rules, hidden, bench.seed) for name, hidden in shapes.items()}
        model = core.Model(bench.rules, core.encoding_name(bench.rules), nets)
    elif SCOUT in bench.model.nets:
        model = bench.model_of(())
    else:
        return {}

    share = bench.seconds / (bench.rounds + 1) / len(PRUNINGS)
    rates = {}
    for pruning in PRUNINGS:

        def work(count: int, pruning: core.Pruning = pruning) -> Job:
            part = bench.positions.part(slice(0, count))
            return lambda: len(core.exact_values(model, part.boards, part.seats, part.turns, pruning))

        rates[f"with {pruning_name(pruning)}"] = _rate(work(_count_for(work, share, _MOST_A_ROUND)))
    return rates


def _self_play(bench: _Bench, hidden: tuple[int, ...], bars: Sequence[Bar]) -> Callable[[str], Row]:
    def measure(name: str) -> Row:
        model = bench.model_of(hidden)
        counts: dict[str, Any] = {"games": 0, "plies": 0, "evaluations": 0}

        def play(first: int, games: int) -> Job:
            def job() -> int:
                played = core.self_play(model, bench.rules, bench.seed, first, games, max_turns=2000)
                for key in counts:
                    counts[key] += played[key]
                return games

            return job

        share = bench.seconds / (bench.rounds + 1)
        games = _count_for(lambda count: play(0, count), share)
        rates = [_rate(play(games * round_, games)) for round_ in range(bench.rounds)]
        facts = {
            "turns a game": counts["plies"] / counts["games"],
            "evaluations a game": counts["evaluations"] / counts["games"],
        }
        return Row(name, "games/s", {OURS: statistics.median(rates)}, bars, facts)

    return measure


def _threads(bench: _Bench, slices: Slices) -> Callable[[str], Row]:
    """How many times the work of one thread two do in the same CPU time of either, and on the clock.

    They take slices from one heap, as threads do wherever ours share work: halves that are fixed beforehand
    would show how unlike the halves are, which costs 1-ply plays, of unlike cost each, 3 % of the speed.
    """

    def measure(name: str) -> Row:
        share = bench.seconds / (bench.rounds + 1) / 2
        count = _count_for(lambda count: _all_of(slices(0, count)), share, _MOST_A_ROUND)
        by_cpu, by_clock = [], []
        for round_ in range(bench.rounds):
            jobs = slices(round_, count)
            (alone, alone_clock), (together, together_clock) = (_in_threads(jobs, n) for n in (1, 2))
            by_cpu.append(sum(alone) / max(together))
            by_clock.append(alone_clock / together_clock)
        facts = {"on the clock, where other programs count": statistics.median(by_clock)}
        return Row(name, "times", {OURS: statistics.median(by_cpu)}, (Bar(1.9),), facts)

    return measure


def _all_of(jobs: Sequence[Job]) -> Job:
    return lambda: sum(job() for job in jobs)


def _in_threads(jobs: Sequence[Job], threads: int) -> tuple[list[float], float]:
    """Does the jobs in so many threads; the CPU seconds of each thread, and the time on the clock."""
    waiting = iter(jobs)

    def work(_: int) -> float:
        start = time.thread_time()
        # Taking from an iterator over a list is one step for the interpreter's lock.
        for job in waiting:
            job()
        return time.thread_time() - start

    with ThreadPoolExecutor(threads) as pool:
        start = time.perf_counter()
        spent = list(pool.map(work, range(threads)))
        return spent, time.perf_counter() - start


def _positions_in_slices(
    bench: _Bench, round_: int, count: int, job: Callable[[Positions], Job]
) -> list[Job]:
    part = bench.positions.part(slice(_MOST_A_ROUND * round_, _MOST_A_ROUND * round_ + count))
    return [job(part.part(slice(i, None, _SLICES))) for i in range(min(_SLICES, len(part)))]


def _plays_in_slices(bench: _Bench, model: core.Model) -> Slices:
    player = core.search_player(model, 1)
    return lambda round_, count: _positions_in_slices(
        bench, round_, count, lambda part: _choosing(bench, player, part)
    )


def _targets_in_slices(bench: _Bench, model: core.Model) -> Slices:
    def job(part: Positions) -> Job:
        return lambda: len(core.exact_values(model, part.boards, part.seats, part.turns))

    return lambda round_, count: _positions_in_slices(bench, round_, count, job)


def _games_in_slices(bench: _Bench, model: core.Model) -> Slices:
    def job(first: int, games: int) -> Job:
        return lambda: int(
            core.self_play(model, bench.rules, bench.seed, first, games, max_turns=2000)["games"]
        )

    def jobs(round_: int, count: int) -> list[Job]:
        size = max(1, count // _SLICES)
        return [job(round_ * count + first, min(size, count - first)) for first in range(0, count, size)]

    return jobs


def _dense(bench: _Bench, name: str) -> Row:
    """Of the fastest path; the others are beside it."""
    facts: dict[str, float] = {}
    share = bench.seconds / (bench.rounds + 1) / len(core.kernels()) / 2
    for kernels in core.kernels():
        works: list[Callable[[int], Job]] = [_peak_of(kernels), _dense_of(kernels)]
        counts = [_count_for(work, share) for work in works]
        jobs = [work(count) for work, count in zip(works, counts, strict=True)]
        rates = [[_rate(job) for job in jobs] for _ in range(bench.rounds)]
        # The peak is the best that was seen: nothing makes it too high.
        facts[f"{kernels} peak GFLOP/s"] = max(peak for peak, _ in rates) / 1e9
        facts[f"{kernels} dense GFLOP/s"] = statistics.median(dense for _, dense in rates) / 1e9
    best = core.kernels()[0]
    share_of_peak = 100 * facts[f"{best} dense GFLOP/s"] / facts[f"{best} peak GFLOP/s"]
    return Row(name, "% of the peak", {OURS: share_of_peak}, (), facts)


def _peak_of(kernels: str) -> Callable[[int], Job]:
    return lambda count: lambda: int(core.peak_operations(kernels, count))


def _dense_of(kernels: str) -> Callable[[int], Job]:
    return lambda count: lambda: int(core.dense_operations(kernels, *_DENSE, count))


# --- rounds ---------------------------------------------------------------------------------------------


def _spent(job: Job) -> tuple[int, float]:
    """Units done, and CPU seconds of the whole process."""
    start = time.process_time()
    units = job()
    return units, max(time.process_time() - start, 1e-9)


def _rate(job: Job) -> float:
    units, seconds = _spent(job)
    return units / seconds


def _count_for(work: Callable[[int], Job], seconds: float, most: int = 2**31) -> int:
    """How many items a job takes to last so long, found by doubling from one."""
    count = 1
    while True:
        _, spent = _spent(work(count))
        if spent >= seconds / 2 or count >= most:
            return max(1, min(most, int(count * seconds / spent)))
        count = min(most, 2 * count if spent < seconds / 64 else int(count * seconds / spent) + 1)


def _interleaved(bench: _Bench, programs: Mapping[str, Prepare]) -> dict[str, float]:
    """Median rates of the programs that can do it.

    Each round has new positions, since others may remember what they were asked, and each program gets the
    first of them, as many as fit its share of the time: ours, which is done soonest, the most.
    """
    first = bench.positions.part(slice(0, 1))
    jobs = {name: prepare for name, prepare in programs.items() if prepare(first) is not None}
    share = bench.seconds / (bench.rounds + 1) / len(jobs)
    spare = bench.positions.part(slice(_MOST_A_ROUND * bench.rounds, None))
    sizes = {
        name: max(_LEAST_A_ROUND, _count_for(_first_of(prepare, spare), share, len(spare)))
        for name, prepare in jobs.items()
    }
    if QUANTISED in jobs:
        sizes[QUANTISED] = sizes[OURS]
    rates: dict[str, list[float]] = {name: [] for name in jobs}
    for round_ in range(bench.rounds):
        start = _MOST_A_ROUND * round_
        for name, prepare in jobs.items():
            job = _prepared(prepare, bench.positions.part(slice(start, start + sizes[name])))
            rates[name].append(_rate(job))
    return {name: statistics.median(found) for name, found in rates.items()}


def _first_of(prepare: Prepare, positions: Positions) -> Callable[[int], Job]:
    return lambda count: _prepared(prepare, positions.part(slice(0, count)))


def _prepared(prepare: Prepare, part: Positions) -> Job:
    job = prepare(part)
    assert job is not None
    return job
