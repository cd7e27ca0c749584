"""The sequential test: known answers, error rates by simulation, impossible bounds, and matches that stop."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nardy_ai.bots import GreedyBot, PubevalBot, RandomBot
from nardy_ai.core import InputError
from nardy_ai.evaluation import SequentialTest, match
from nardy_ai.evaluation.sequential import LOOK, Watch, likelihood_ratio, normal_ratio, pair_scores

SHORT = pair_scores((1.0, 2.0, 3.0, -1.0, -2.0, -3.0))


def elo_score(elo: float) -> float:
    return 1.0 / (1.0 + 10.0 ** (-elo / 400.0))


# Pairs by score 0, 1/4, 1/2, 3/4, 1 with the Elo bounds, and the ratio that public match runners print.
@pytest.mark.parametrize(
    ("counts", "elos", "ratio"),
    [
        ((223, 9863, 20279 + 1000, 10037, 246), (0.5, 2.5), -3.07),
        ((871, 26175, 55003 + 980, 26678, 821), (0.0, 2.0), -4.98),
        ((10, 5, 2, 5, 10), (-0.75, 0.75), 0.0),
        ((0, 0, 0, 0, 3), (-1.75, 0.25), 0.02),
    ],
)
def test_pentanomial_ratios_are_those_of_public_match_runners(
    counts: tuple[int, ...], elos: tuple[float, float], ratio: float
) -> None:
    scores = [0.0, 0.25, 0.5, 0.75, 1.0]
    found = likelihood_ratio(scores, counts, elo_score(elos[0]), elo_score(elos[1]))
    assert float(found) == pytest.approx(ratio, abs=0.006)


@pytest.mark.parametrize(("won", "lost"), [(60, 40), (3, 9), (1000, 1)])
def test_two_scores_have_a_ratio_by_hand(won: int, lost: int) -> None:
    low, high = -0.1, 0.2
    chances = [(1.0 + mean) / 2.0 for mean in (low, high)]
    by_hand = won * math.log(chances[1] / chances[0]) + lost * math.log((1 - chances[1]) / (1 - chances[0]))
    assert float(likelihood_ratio([-1.0, 1.0], [lost, won], low, high)) == pytest.approx(by_hand, rel=1e-9)


def test_the_other_sides_test_has_the_negated_ratio() -> None:
    counts = np.random.default_rng(3).integers(0, 50, (20, len(SHORT)))
    there = likelihood_ratio(SHORT, counts, -0.02, 0.07)
    back = likelihood_ratio(SHORT, counts[:, ::-1], -0.07, 0.02)
    assert np.allclose(there, -back, rtol=0, atol=1e-9) and np.abs(there).min() > 0.0


def test_the_normal_ratio_agrees_for_many_pairs() -> None:
    generator = np.random.default_rng(8)
    values = generator.choice(SHORT, 20_000, p=_chances(0.02))
    counts = [(values == score).sum() for score in SHORT]
    test = SequentialTest(0.0, 0.05)
    exact = float(likelihood_ratio(SHORT, counts, 0.0, 0.05))
    normal = normal_ratio(len(values), values.sum(), (values**2).sum(), test, 3.0)
    assert abs(exact) > 0.5 and normal == pytest.approx(exact, abs=0.05)


def _chances(mean: float) -> np.ndarray:
    """A distribution of pair scores with that mean: two games with common luck, tilted."""
    generator = np.random.default_rng(1)
    luck = generator.normal(size=(200_000, 1)) * np.array([[0.5, -0.5]]) + generator.normal(size=(200_000, 2))
    points = np.select([luck < -1.6, luck < -0.9, luck < 0, luck < 0.9, luck < 1.6], [-3, -2, -1, 1, 2], 3)
    base = np.array([(points.mean(axis=1) == score).mean() for score in SHORT])
    low, high = -2.0, 2.0
    for _ in range(80):
        tilt = 0.5 * (low + high)
        tilted = base * np.exp(tilt * SHORT)
        tilted /= tilted.sum()
        low, high = (tilt, high) if float(tilted @ SHORT) < mean else (low, tilt)
    return tilted


def _accepted(truth: float, test: SequentialTest, seed: int, runs: int = 1000) -> float:
    """The share of simulated matches that the test accepts; all of them end."""
    generator, chances = np.random.default_rng(seed), _chances(truth)
    counts, decided = np.zeros((runs, len(SHORT))), np.zeros(runs, np.int8)
    lower, upper = test.bounds
    for _ in range(5000):
        open_ = np.flatnonzero(decided == 0)
        if len(open_) == 0:
            return float((decided == 1).mean())
        counts[open_] += generator.multinomial(LOOK, chances, len(open_))
        ratio = likelihood_ratio(SHORT, counts[open_], test.low, test.high)
        decided[open_] = np.where(ratio >= upper, 1, np.where(ratio <= lower, -1, 0))
    raise AssertionError("the test does not end")


def test_it_keeps_its_error_rates_in_a_thousand_matches_each_way() -> None:
    test = SequentialTest(0.0, 0.15)
    wrongly_accepted, rightly_accepted = _accepted(0.0, test, 11), _accepted(0.15, test, 12)
    assert wrongly_accepted <= 0.065 and 1.0 - rightly_accepted <= 0.065
    # And it is a test, not a refusal to answer.
    assert wrongly_accepted > 0.005 and rightly_accepted < 0.995


def test_a_gate_promotes_an_equal_bot_in_at_most_six_and_a_half_percent() -> None:
    assert 0.005 < _accepted(0.0, SequentialTest(0.0, 0.2, alpha=0.05, beta=0.2), 13) <= 0.065


def test_other_rates_are_kept_too() -> None:
    test = SequentialTest(-0.1, 0.1, alpha=0.01, beta=0.1)
    assert _accepted(-0.1, test, 14) <= 0.02
    assert 1.0 - _accepted(0.1, test, 15) <= 0.125


@pytest.mark.parametrize("test", [SequentialTest(0.0, 0.03), SequentialTest(-0.5, 0.5)])
def test_one_sided_scores_are_answered_at_once(test: SequentialTest) -> None:
    for score, decision in ((3.0, "accepted"), (1.0, "accepted"), (-1.0, "rejected"), (-3.0, "rejected")):
        watch = Watch(test, SHORT, 3.0)
        watch.add(np.full(2000, score))
        assert watch.verdict().decision == decision
        plain = Watch(test, None, 3.0)
        plain.add(np.full(2000, score))
        assert plain.verdict().decision == decision


def test_no_pair_and_one_pair_decide_nothing() -> None:
    for scores in (SHORT, None):
        watch = Watch(SequentialTest(0.0, 0.03), scores, 3.0)
        assert (watch.verdict().ratio, watch.verdict().decision) == (0.0, "undecided")
        watch.add(np.array([0.5]))
        assert watch.verdict().decision == "undecided"


@pytest.mark.parametrize(
    ("text", "alpha", "beta", "naming"),
    [
        ("0.03", 0.05, 0.05, "two scores"),
        ("a:b", 0.05, 0.05, "'a:b'"),
        ("0:1:2", 0.05, 0.05, "0:1:2"),
        ("0.1:0.1", 0.05, 0.05, "above the first"),
        ("0.1:0", 0.05, 0.05, "above the first"),
        ("0:nan", 0.05, 0.05, "finite"),
        ("-inf:0", 0.05, 0.05, "finite"),
        ("0:0.1", 0.0, 0.05, "alpha is 0"),
        ("0:0.1", 0.05, 0.5, "beta is 0.5"),
        ("0:0.1", math.nan, 0.05, "alpha is nan"),
    ],
)
def test_impossible_bounds_are_refused(text: str, alpha: float, beta: float, naming: str) -> None:
    with pytest.raises(InputError, match=naming):
        SequentialTest.parse(text, alpha, beta)


def test_scores_beyond_the_game_are_refused() -> None:
    with pytest.raises(InputError, match=r"score 2 can't be reached.*between -2 and 2"):
        match(GreedyBot(), RandomBot(), "long", pairs=10, test=SequentialTest(0.0, 2.0))


def test_a_match_stops_where_its_test_is_decided_for_any_number_of_threads() -> None:
    test = SequentialTest(0.0, 0.3)
    results = [
        match(GreedyBot(), PubevalBot(), "short", pairs=3000, seed=2, threads=n, test=test) for n in (1, 2, 4)
    ]
    assert results[0] == results[1] == results[2]
    first = results[0]
    assert first.verdict is not None and first.verdict.decision != "undecided"
    assert first.pairs % LOOK == 0 and first.pairs < 3000 and first.unfinished == 0
    # It is the match of so many pairs, and one look earlier nothing was decided.
    plain = match(GreedyBot(), PubevalBot(), "short", pairs=first.pairs, seed=2)
    assert (plain.outcomes, plain.ppg) == (first.outcomes, first.ppg)
    earlier = match(GreedyBot(), PubevalBot(), "short", pairs=first.pairs - LOOK, seed=2, test=test)
    assert earlier.verdict is not None and earlier.verdict.decision == "undecided"
    assert "undecided" in str(earlier) and first.verdict.decision in str(first)
    told = first.as_dict()["test"]
    assert (told["low"], told["high"], told["alpha"], told["beta"]) == (0.0, 0.3, 0.05, 0.05)
    assert max(map(len, str(first).splitlines()[2:])) <= 80
