"""Measure a bot against known worths of plays, or what it costs.

`nardy bench VERB …`, one module a verb.
"""

from __future__ import annotations

__all__ = ["EXAMPLE", "VERBS"]

VERBS = {
    "decisions": "what a bot loses in stored decisions whose plays were rolled out",
    "make": "make such a file: play games, roll the plays out by a judge",
    "report": "one page of a run: curves, strengths, losses, speed, how it was made",
    "speed": "how fast the engine is, beside outside programs",
    "truth": "what a net of a small game loses against perfect play",
}

EXAMPLE = "nardy bench decisions runs/long-quick/model.safetensors"
