"""One page about a run: gathered into one record, stored as JSON, drawn as HTML and told in a few lines."""

from nardy_ai.evaluation.report.gathering import gather
from nardy_ai.evaluation.report.page import page
from nardy_ai.evaluation.report.record import Report, is_report, read_report, report_bytes
from nardy_ai.evaluation.report.summary import summary

__all__ = ["Report", "gather", "is_report", "page", "read_report", "report_bytes", "summary"]
