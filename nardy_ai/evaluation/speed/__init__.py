"""What the engine costs, in CPU seconds, beside outside programs and against stated bars."""

from nardy_ai.evaluation.speed.measuring import measure_speed
from nardy_ai.evaluation.speed.report import Bar, Row, SpeedReport

__all__ = ["Bar", "Row", "SpeedReport", "measure_speed"]
