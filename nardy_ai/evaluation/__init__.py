"""Measuring: matches of pairs, what they say about two bots, and rollouts of positions."""

from nardy_ai.evaluation.drivers import BotFault
from nardy_ai.evaluation.match import MatchInterrupted, SameBotWarning, match
from nardy_ai.evaluation.match_result import MatchResult, Side
from nardy_ai.evaluation.rollout import RolloutInterrupted, ZeroVariance, rollout
from nardy_ai.evaluation.rollout_result import RolloutResult
from nardy_ai.evaluation.sequential import SequentialTest, Verdict
from nardy_ai.evaluation.statistics import Estimate

__all__ = [
    "BotFault",
    "Estimate",
    "MatchInterrupted",
    "MatchResult",
    "RolloutInterrupted",
    "RolloutResult",
    "SameBotWarning",
    "SequentialTest",
    "Side",
    "Verdict",
    "ZeroVariance",
    "match",
    "rollout",
]
