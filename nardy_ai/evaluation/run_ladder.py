"""Playing a ladder: which bots shall meet, what is missing, and the table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from nardy_ai.bots import Bot
from nardy_ai.bots.bot import fingerprint_of
from nardy_ai.core import InputError
from nardy_ai.evaluation.ladder_file import Entry, Ladder, PairingCounts, Ratings, Standing
from nardy_ai.evaluation.match import PairsInterrupted, more_pairs, rules_hash
from nardy_ai.rules import Game

MOST_PAIRS = 10**6
STEP = 256
"""Pairs after which a pairing is saved, so that little is lost when the power fails."""


@dataclass(frozen=True)
class Contender:
    """A bot that may play on the ladder."""

    bot: Bot
    name: str
    """As the table shows it."""
    round: int | None = None
    """Of the run, where it is one of its checkpoints; None for a standing opponent."""

    @property
    def hash(self) -> str:
        """The bot's hash."""
        return self.bot.fingerprint


def new_ladder(game: Game, seed: int, anchor: Contender) -> Ladder:
    """A ladder on which nobody has played."""
    rules = game.core_rules
    return Ladder(
        game=game.name,
        rules=rules_hash(game),
        seed=seed,
        outcomes=list(rules.outcomes),
        points=list(rules.points),
        anchor=anchor.hash,
        entries=[_entry(anchor)],
        pairings=[],
    )


def check_fits(ladder: Ladder, where: str, game: Game, seed: int | None) -> None:
    """Raises InputError where the ladder was played by other rules or another seed."""
    if ladder.game != game.name or ladder.rules != rules_hash(game):
        raise InputError(
            f"{where} is a ladder of {ladder.game} by other rules than {game.name} has now: move it away, "
            "and a new one is played"
        )
    if seed is not None and ladder.seed != seed:
        raise InputError(
            f"{where} was begun with seed {ladder.seed}, not {seed}: leave the seed out, or move the file "
            "away"
        )


def meetings(checkpoints: Sequence[Contender], standing: Sequence[Contender]) -> list[tuple[str, str]]:
    """Who shall meet, as hashes.

    Each checkpoint meets the two before it and every standing opponent, and those meet each other. Only the
    first checkpoint meets `random`: who wins every game against it learns nothing by more of them.
    """
    found: list[tuple[str, str]] = []
    for place, one in enumerate(checkpoints):
        found += [(one.hash, other.hash) for other in checkpoints[max(0, place - 2) : place]]
        found += [(one.hash, other.hash) for other in standing if place == 0 or other.bot.name != "random"]
    for place, one in enumerate(standing):
        found += [(one.hash, other.hash) for other in standing[place + 1 :]]
    return found


def missing(ladder: Ladder, wanted: Sequence[tuple[str, str]], pairs: int) -> dict[tuple[str, str], int]:
    """How many pairs each meeting lacks; those that lack none are left out."""
    lacking: dict[tuple[str, str], int] = {}
    for one, other in wanted:
        there = ladder.between(one, other)
        count = pairs - (0 if there is None else there.played)
        if count > 0 and (other, one) not in lacking:
            lacking[one, other] = count
    return lacking


def play_missing(
    ladder: Ladder,
    contenders: Sequence[Contender],
    wanted: Sequence[tuple[str, str]],
    game: Game,
    pairs: int,
    save: Callable[[Ladder], None],
    *,
    threads: int | None = None,
    progress: bool | None = None,
) -> int:
    """Plays what is missing, and saves the ladder whenever there is more.

    Args:
        ladder: is added to.
        contenders: all bots that `wanted` names.
        wanted: hashes of the bots that shall meet.
        game: the rules.
        pairs: that each two shall have played.
        save: called with the ladder.
        threads: for native bots.
        progress: whether to show a bar; None: on a terminal.

    Returns:
        How many pairs were played.

    Raises:
        InputError: `pairs` out of range.
        KeyboardInterrupt: Ctrl-C; what was played until then is saved.
    """
    if not 1 <= pairs <= MOST_PAIRS:
        raise InputError(f"pairs is {pairs}: give a number from 1 to {MOST_PAIRS}")
    by_hash = {one.hash: one for one in contenders}
    _take_in(ladder, [by_hash[side] for two in wanted for side in two])
    lacking = missing(ladder, wanted, pairs)
    shown = sys.stderr.isatty() if progress is None else progress
    played = 0
    with tqdm(total=sum(lacking.values()), unit="pair", disable=not shown, mininterval=0.25) as bar:
        for (one, other), count in lacking.items():
            counts = ladder.between(one, other) or _new_pairing(ladder, one, other)
            sides = by_hash[counts.a].bot, by_hash[counts.b].bot
            bar.set_description(f"{by_hash[counts.a].name} : {by_hash[counts.b].name}", refresh=False)
            while count > 0:
                step = min(count, STEP)
                try:
                    outcomes = more_pairs(*sides, game, counts.seed, counts.played, step, threads)
                except PairsInterrupted as stopped:
                    _count(counts, stopped.outcomes)
                    save(ladder)
                    raise KeyboardInterrupt from None
                _count(counts, outcomes)
                save(ladder)
                count, played = count - step, played + step
                bar.update(step)
    return played


def _take_in(ladder: Ladder, contenders: Sequence[Contender]) -> None:
    """Newcomers become entries, and known bots have the name that they have now."""
    for one in contenders:
        entry = _entry(one)
        known = [there.hash for there in ladder.entries]
        if one.hash in known:
            ladder.entries[known.index(one.hash)] = entry
        else:
            ladder.entries.append(entry)


def _entry(one: Contender) -> Entry:
    return Entry(one.name, one.hash, one.round)


def _new_pairing(ladder: Ladder, one: str, other: str) -> PairingCounts:
    size = len(ladder.outcomes)
    # Two pairings with the same dice would share their luck, and the ladder would not know.
    seed = int(fingerprint_of("ladder", str(ladder.seed), *sorted((one, other))), 16)
    made = PairingCounts(one, other, seed, 0, [[0] * size for _ in range(size)])
    ladder.pairings.append(made)
    return made


def _count(pairing: PairingCounts, outcomes: np.ndarray[tuple[int, int], np.dtype[np.int8]]) -> None:
    for first, second in outcomes.tolist():
        if first < 0 or second < 0:
            pairing.cut += 1
        else:
            pairing.counts[first][second] += 1
    pairing.played += len(outcomes)


def ladder_table(ladder: Ladder, ratings: Ratings) -> str:
    """The table for the terminal, at most 80 columns wide."""
    anchor = ladder.entries[ladder.number_of(ladder.anchor)]
    pairs = sum(sum(map(sum, one.counts)) for one in ladder.pairings)
    lines = [
        f"{ladder.game}, {len(ladder.entries)} bots, {len(ladder.pairings)} pairings, {pairs:,} pairs, seed "
        f"{ladder.seed}",
        f"points a game against {anchor.name} and an Elo-like number, with 95 % intervals",
        "",
        f"  {'bot':<22}{'points':>8}  {'':<18}{'Elo':>6}  {'':<14} {'pairs':>5}",
    ]
    lines += [_row(one, one.entry.hash == ladder.anchor) for one in ratings.standings]
    misfit = ratings.points.misfit
    if misfit is not None and misfit < 0.001:
        lines.append("  the points fit one scale badly; their intervals are widened to cover that")
    cut = sum(one.cut for one in ladder.pairings)
    if cut:
        lines.append(f"  not counted: {cut} pairs (a game reached the turn limit)")
    return "\n".join(lines)


def _row(one: Standing, is_anchor: bool) -> str:
    name = one.entry.name if len(one.entry.name) <= 21 else f"{one.entry.name[:8]}…{one.entry.name[-12:]}"
    if one.points is None or one.interval is None or one.elo is None or one.elo_interval is None:
        return f"  {name:<22}{'no match links it to the others':<50} {one.pairs:>5}"
    if is_anchor:
        return f"  {name:<22}{0.0:>+8.3f}  {'(held there)':<18}{0.0:>+6.0f}  {'':<14} {one.pairs:>5}"
    spread = "[{:+.3f}, {:+.3f}]".format(*one.interval)
    elo = "[{:+.0f}, {:+.0f}]".format(*one.elo_interval)
    return f"  {name:<22}{one.points:>+8.3f}  {spread:<18}{one.elo:>+6.0f}  {elo:<14} {one.pairs:>5}"
