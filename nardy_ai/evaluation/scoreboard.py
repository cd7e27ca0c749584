"""What a match has come to so far: slices of pairs in any order, the running score, the record, the test."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from nardy_ai.evaluation.luck import luck_adjusted
from nardy_ai.evaluation.match_result import CUT, UNPLAYED, MatchResult, Side, Unit, summarize
from nardy_ai.evaluation.record import MatchRecord, Played
from nardy_ai.evaluation.sequential import LOOK, SequentialTest, Watch, pair_scores
from nardy_ai.evaluation.statistics import mean_interval

BAR_SECONDS = 0.25


@dataclass(frozen=True)
class Setting:
    """What is played."""

    a: Side
    b: Side
    game: str
    seed: int
    names: tuple[str, ...]
    """Of the outcomes, by number."""
    worth: tuple[float, ...]
    """Points of each outcome for the first bot."""
    unit: Unit
    judge: Side | None
    """The model that judges luck."""

    @property
    def most(self) -> float:
        """The greatest score of a game."""
        return max(self.worth)


class Scoreboard:
    """Collects slices in any order.

    Args:
        setting: what is played.
        pairs: how many pairs at most.
        first: the number of the first one.
        record: where results are kept; those that are in it already are taken over.
        test: asked after every `LOOK` pairs in their order; the match is over once it is decided.
        progress: whether to show a bar; None: on a terminal.
    """

    def __init__(
        self,
        setting: Setting,
        pairs: int,
        *,
        first: int = 0,
        record: MatchRecord | None = None,
        test: SequentialTest | None = None,
        progress: bool | None = None,
    ) -> None:
        self._setting = setting
        self.first = first
        self.outcomes = np.full((pairs, 2), UNPLAYED, dtype=np.int8)
        self._plies = np.zeros((pairs, 2), dtype=np.int32)
        self._luck = None if setting.judge is None else np.zeros((pairs, 2))
        self._worth = np.asarray(setting.worth, dtype=np.float64)
        self._scores: list[float] = []
        self._record, self._recorded = record, 0
        scores = pair_scores(setting.worth) if setting.judge is None else None
        self._watch = None if test is None else Watch(test, scores, setting.most)
        self._looked = 0
        self._told = 0.0
        self._decided: int | None = None
        shown = sys.stderr.isatty() if progress is None else progress
        self._bar: tqdm[Any] = tqdm(
            total=pairs,
            unit="pair",
            desc=f"{setting.a.name} : {setting.b.name}",
            disable=not shown,
            mininterval=BAR_SECONDS,
        )
        for part in record.played if record is not None else []:
            self._recorded += self._put(part)
        self._look()

    @property
    def over(self) -> bool:
        """Whether the test is decided."""
        return self._decided is not None

    def take(
        self,
        first: int,
        outcomes: npt.NDArray[np.int8],
        plies: npt.NDArray[np.int32],
        luck: npt.NDArray[np.float64] | None = None,
    ) -> None:
        """The pairs from `first` on are played. Raises OSError where the record can't be written."""
        part = Played(first, outcomes, plies, luck)
        if self._record is not None:
            self._record.add(part)
        self._put(part)
        self._look()

    def result(self) -> MatchResult:
        """The statistics of all pairs that were played, up to where the test was decided."""
        end = len(self.outcomes) if self._decided is None else self._decided
        setting, outcomes = self._setting, self.outcomes[:end]
        whole = (outcomes >= 0).all(axis=1)
        adjusted = None
        if setting.judge is not None and self._luck is not None and whole.any():
            points = self._worth[outcomes[whole]]
            adjusted = luck_adjusted(
                setting.judge.name, setting.judge.fingerprint, points, self._luck[:end][whole]
            )
        return summarize(
            setting.a,
            setting.b,
            setting.game,
            setting.seed,
            outcomes,
            self._plies[:end],
            setting.names,
            setting.worth,
            unit=setting.unit,
            luck=adjusted,
            verdict=None if self._watch is None else self._watch.verdict(),
            recorded=min(self._recorded, end),
        )

    def result_if_any(self) -> MatchResult | None:
        """The same, None if no pair was complete."""
        whole = (self.outcomes >= 0).all(axis=1)
        return self.result() if whole.any() else None

    def close(self) -> None:
        """Ends the progress bar and closes the record."""
        if not self._bar.disable:
            self._tell_score()
            self._bar.refresh()
        self._bar.close()
        if self._record is not None:
            self._record.close()

    def _put(self, part: Played) -> int:
        """Takes in the pairs that are asked for; how many those are."""
        place = part.first - self.first
        count = max(0, min(len(part.outcomes), len(self.outcomes) - place))
        if count == 0:
            return 0
        cut = slice(place, place + count)
        outcomes = part.outcomes[:count]
        self.outcomes[cut], self._plies[cut] = outcomes, part.plies[:count]
        if self._luck is not None and part.luck is not None:
            self._luck[cut] = part.luck[:count]
        if not self._bar.disable:
            whole = (outcomes != CUT).all(axis=1)
            self._scores.extend(self._scores_of(cut)[whole].tolist())
            # As often as the bar is drawn: over all pairs of a long match the interval takes a while.
            if time.monotonic() - self._told > BAR_SECONDS:
                self._tell_score()
        self._bar.update(count)
        return count

    def _tell_score(self) -> None:
        if self._scores:
            self._bar.set_postfix_str(str(mean_interval(self._scores)), refresh=False)
        self._told = time.monotonic()

    def _scores_of(self, cut: slice) -> npt.NDArray[np.float64]:
        """One value a pair, whatever stands for a pair that was stopped."""
        points = self._worth[self.outcomes[cut]]
        if self._luck is not None:
            points = points - self._luck[cut]
        scores: npt.NDArray[np.float64] = points.mean(axis=1)
        return scores

    def _look(self) -> None:
        """Asks the test after every further `LOOK` pairs that are complete in order, and after the last."""
        while self._watch is not None and self._decided is None and self._looked < len(self.outcomes):
            cut = slice(self._looked, min(self._looked + LOOK, len(self.outcomes)))
            outcomes = self.outcomes[cut]
            if (outcomes == UNPLAYED).any():
                return
            self._watch.add(self._scores_of(cut)[(outcomes != CUT).all(axis=1)])
            self._looked = cut.stop
            if self._watch.verdict().decision != "undecided":
                self._decided = self._looked
