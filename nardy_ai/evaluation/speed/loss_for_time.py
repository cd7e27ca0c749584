"""What programs lose a decision beside the CPU time that each takes for it, with a trained model of ours.

Speed alone says nothing about how well the time is used. All programs decide the same sample of the decision
benchmark of short nardy; how much of it filters and pruning give away is told against none of either.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nardy_ai import core
from nardy_ai.bots import NetBot
from nardy_ai.bots.bot import Boards
from nardy_ai.bots.peers import Peer
from nardy_ai.core import InputError
from nardy_ai.evaluation.decisions import Benchmark, losses_of_choices, read_benchmark, shipped_benchmark
from nardy_ai.evaluation.speed.loss_report import CostedLoss, GivenAway, LossForTime
from nardy_ai.evaluation.speed.report import OURS
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.layers import SCOUT
from nardy_ai.models.model_file import ModelFile
from nardy_ai.rules import Game

__all__ = ["PRUNINGS", "loss_for_time", "pruning_name"]

PLIES = (0, 1, 2)
PRUNINGS = (core.Pruning(6, 0.3), core.DEFAULT_PRUNING)
"""Of exact targets, where a scout chooses what the others see: as bots were trained, and with doubt."""
_DEEP_SHARE = 4
"""One in so many decisions is asked about at 2 plies beside `_WIDE`, which takes thirty times as long."""
_ALL = core.Stage()
_WIDE = core.Filters((_ALL, _ALL, _ALL), (core.Stage(3), core.Stage(3)))
"""What 2-ply search is held against: every play of the roll, and three of every roll within the tree. To
follow all of these too takes ten seconds a decision with nets as large as those of the strong bots."""
_LEAST_SECONDS = 0.05


@dataclass(frozen=True)
class _Sample:
    """Some of a benchmark's decisions."""

    benchmark: Benchmark
    numbers: npt.NDArray[np.int64]

    def part(self, count: int) -> _Sample:
        """The first of them."""
        return _Sample(self.benchmark, self.numbers[:count])

    @property
    def columns(self) -> tuple[Boards, npt.NDArray[np.uint8], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        """Boards, dice, seats and turns."""
        found = self.benchmark
        return tuple(  # type: ignore[return-value]
            column[self.numbers] for column in (found.boards, found.dice, found.seats, found.turns)
        )


def loss_for_time(
    model: ModelFile,
    *,
    name: str = "model",
    peers: Sequence[Peer] = (),
    decisions: int = 200,
    seed: int = 1,
    progress: Callable[[str], None] | None = None,
) -> Callable[[], LossForTime]:
    """Makes ready to ask our model and the peers about the same decisions, and to time them.

    Args:
        model: a trained model of short nardy.
        name: how the table names it.
        peers: programs to ask beside it (`bots.peers.peers_found`).
        decisions: how many of those that come with the package are drawn.
        seed: of the lot and the intervals.
        progress: told what is being measured.

    Returns:
        What measures, when it is called.

    Raises:
        InputError: a model of another game, or a number out of range.
    """
    if model.profile != "short/standard":
        raise InputError(f"this model plays {model.profile}, but losses are measured in short/standard")
    benchmark = read_benchmark(shipped_benchmark(Game("short")))
    if not 20 <= decisions <= len(benchmark):
        raise InputError(f"decisions are {decisions}: give 20 to {len(benchmark)}, which there are")
    if not 0 <= seed < 2**64:
        raise InputError(f"seed is {seed}: give a number from 0 to 2^64 - 1")
    order = np.random.Generator(np.random.Philox(seed)).permutation(len(benchmark)).astype(np.int64)
    sample, other = _Sample(benchmark, order[:decisions]), _Sample(benchmark, order[-1:])
    native, tell = Evaluator(model, name=name).native, progress or (lambda _: None)
    fingerprint, judge = NetBot(model, name=name).fingerprint, benchmark.header.judge

    def measure() -> LossForTime:
        start = time.process_time()
        entries = [*_ours(native, sample, tell), *_theirs(peers, sample, other, tell)]
        given_away = list(_all_given_away(native, model, sample, tell))
        return LossForTime(
            f"{name}, net {model.shape}", fingerprint, f"a net {judge.net}", fingerprint == judge.hash,
            entries, given_away, seed, time.process_time() - start,
        )  # fmt: skip

    return measure


def _milliseconds(job: Callable[[], object], decisions: int) -> float:
    """CPU milliseconds a decision; what is done sooner than can be measured well is done again."""
    passes, spent = 0, 0.0
    while passes == 0 or (passes < 1000 and spent < _LEAST_SECONDS):
        start = time.process_time()
        job()
        spent += time.process_time() - start
        passes += 1
    return 1000 * spent / passes / decisions


def _chosen(native: core.Model, sample: _Sample, plies: int, filters: core.Filters) -> tuple[Boards, float]:
    """What our search chooses, and CPU milliseconds a decision."""
    boards, dice, seats, turns = sample.columns
    player = core.search_player(native, plies, filters) if plies else core.net_player(native)
    keys = np.zeros((len(boards), 3), np.uint64)
    found: list[Boards] = []

    def job() -> None:
        found.append(core.choose(player, native.rules, boards, dice, seats, turns, keys))

    spent = _milliseconds(job, len(boards))
    return found[-1], spent


def _ours(native: core.Model, sample: _Sample, tell: Callable[[str], None]) -> Iterator[CostedLoss]:
    for plies, filters in ((0, core.DEFAULT_FILTERS), (1, core.DEFAULT_FILTERS), (1, core.NO_FILTERS),
                           (2, core.DEFAULT_FILTERS)):  # fmt: skip
        tell(f"what {OURS} loses at {plies}-ply")
        chosen, spent = _chosen(native, sample, plies, filters)
        losses = losses_of_choices(sample.benchmark, sample.numbers, chosen, OURS)
        yield CostedLoss(OURS, plies, filters is core.DEFAULT_FILTERS, spent, losses)


def _theirs(
    peers: Sequence[Peer], sample: _Sample, other: _Sample, tell: Callable[[str], None]
) -> Iterator[CostedLoss]:
    boards, dice, _, _ = sample.columns
    for peer in peers:
        for plies in PLIES:
            asked = peer.choices(boards, dice, plies)
            if asked is None:
                continue
            tell(f"what {peer.name} loses at {plies}-ply")
            # Nets are loaded when they are first asked.
            warm_up = peer.choices(*other.columns[:2], plies)
            assert warm_up is not None
            warm_up.decide()
            # Once: a program may remember what it was asked.
            start = time.process_time()
            asked.decide()
            spent = 1000 * (time.process_time() - start) / len(boards)
            losses = losses_of_choices(sample.benchmark, sample.numbers, asked.boards(), peer.name)
            yield CostedLoss(peer.name, plies, True, spent, losses)


def _all_given_away(
    native: core.Model, model: ModelFile, sample: _Sample, tell: Callable[[str], None]
) -> Iterator[GivenAway]:
    some = sample.part(len(sample.numbers) // _DEEP_SHARE)
    for plies, asked, against, named in (
        (1, sample, core.NO_FILTERS, "against none"),
        (2, some, _WIDE, "against every play and three within the tree"),
    ):
        tell(f"what the filters give away at {plies}-ply")
        what = f"filters of {plies}-ply search {named}"
        yield _filters_give(native, asked, plies, against, what)
    if SCOUT in model.nets:
        tell("what the scout gives away")
        yield from _scout_gives(native, sample)


def _filters_give(
    native: core.Model, sample: _Sample, plies: int, against: core.Filters, what: str
) -> GivenAway:
    """The choice by the default filters against the best play, both by a search that follows more."""
    best, wider_time = _chosen(native, sample, plies, against)
    chosen, filtered_time = _chosen(native, sample, plies, core.DEFAULT_FILTERS)
    lost = np.zeros(len(best))
    other = np.flatnonzero((best != chosen).any(axis=(1, 2)))
    if len(other):
        _, _, seats, turns = sample.columns
        search = core.Search(native, against)
        # The turns that the other player has had matter to no rule of short nardy.
        beside = 1 - seats[other], turns[other]
        left_best, left_chosen = (
            search.values(np.ascontiguousarray(boards[other][:, ::-1]), *beside, plies=plies)[1]
            for boards in (best, chosen)
        )
        lost[other] = left_chosen.astype(np.float64) - left_best
    return GivenAway(what, lost, 1000 / filtered_time, 1000 / wider_time)


def pruning_name(pruning: core.Pruning) -> str:
    """What a setting leaves to the large nets."""
    more = f" and doubt {pruning.doubt:g}" if pruning.doubt else ""
    return f"a scout's best {pruning.keep} within {pruning.margin:g} of each roll{more}"


def _scout_gives(native: core.Model, sample: _Sample) -> Iterator[GivenAway]:
    """Exact targets of which the large nets see the scout's best plays alone."""
    boards, _, seats, turns = sample.columns
    points = np.asarray(native.rules.points)
    found, spent = [], []
    for pruning in (core.NO_PRUNING, *PRUNINGS):
        kept: list[npt.NDArray[np.float32]] = []

        def job(pruning: core.Pruning = pruning, kept: list[npt.NDArray[np.float32]] = kept) -> None:
            kept.append(core.exact_values(native, boards, seats, turns, pruning))

        spent.append(_milliseconds(job, len(boards)))
        found.append(kept[-1].astype(np.float64) @ points)
    for i, pruning in enumerate(PRUNINGS, 1):
        what = f"{pruning_name(pruning)} in exact targets"
        yield GivenAway(what, found[0] - found[i], 1000 / spent[i], 1000 / spent[0])
