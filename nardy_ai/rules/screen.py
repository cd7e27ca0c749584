"""Text for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

__all__ = ["WIDTH", "folded"]

WIDTH = 79
"""Columns; the last one of the screen stays free."""


def folded(lines: Iterable[str], indent: str = "  ") -> list[str]:
    """Lines of prose, those that are too wide broken at blanks and going on behind an indent.

    A text of several lines, such as a board, is as many lines. A line that fits is left as it is. So is a
    word that does not, such as a long path: broken it could not be copied.
    """
    return [
        part
        for text in lines
        for line in text.split("\n")
        for part in (
            textwrap.wrap(
                line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )
            if len(line) > WIDTH
            else [line]
        )
    ]
