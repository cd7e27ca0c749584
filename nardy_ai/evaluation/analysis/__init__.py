"""Games looked at play by play: what each play lost, what each roll was worth, and where it went wrong."""

from nardy_ai.evaluation.analysis.grading import analyse
from nardy_ai.evaluation.analysis.judge import Judge
from nardy_ai.evaluation.analysis.page import page
from nardy_ai.evaluation.analysis.record import AnalysedGame, Analysis, GradedTurn, Source
from nardy_ai.evaluation.analysis.single import PositionAnalysis, analyse_position, position_page
from nardy_ai.evaluation.analysis.summary import summary

__all__ = [
    "AnalysedGame",
    "Analysis",
    "GradedTurn",
    "Judge",
    "PositionAnalysis",
    "Source",
    "analyse",
    "analyse_position",
    "page",
    "position_page",
    "summary",
]
