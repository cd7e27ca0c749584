"""Why a run can't go on. Unlike InputError it is not the input's fault, and the run was already under way."""

from __future__ import annotations


class TrainingError(RuntimeError):
    """The run has stopped; the message says why, what is kept, and how to go on."""


class WorkerError(TrainingError):
    """A worker failed; the message names it and the games it was playing."""
