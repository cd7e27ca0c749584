"""What the engine costs, in CPU seconds, beside outside programs and against stated bars."""

from nardy_ai.evaluation.speed.loss_for_time import loss_for_time
from nardy_ai.evaluation.speed.loss_report import LossForTime
from nardy_ai.evaluation.speed.measuring import measure_speed
from nardy_ai.evaluation.speed.report import Bar, Row, SpeedReport

__all__ = ["Bar", "LossForTime", "Row", "SpeedReport", "loss_for_time", "measure_speed"]
