"""Levels of play: how much noise each needs, and how strong they are."""

from nardy_ai.evaluation.levels.fitting import NoLevels, fit_levels
from nardy_ai.evaluation.levels.measuring import LevelReport, measure_levels
from nardy_ai.evaluation.levels.scoring import Scorer, pairs_to_play

__all__ = ["LevelReport", "NoLevels", "Scorer", "fit_levels", "measure_levels", "pairs_to_play"]
