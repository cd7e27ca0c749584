"""What every export raises when its own check fails."""

from __future__ import annotations

__all__ = ["ExportMismatch"]


class ExportMismatch(Exception):
    """What was written is not what was meant, or differs from the model; nothing was left behind."""
