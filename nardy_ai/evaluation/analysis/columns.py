"""Text that comes from files, made fit for a terminal of 80 columns and for a page."""

from __future__ import annotations

import unicodedata

__all__ = ["fitted", "plain"]

_JOINER = "\u200d"


def plain(text: str) -> str:
    """Text on one line without anything that a terminal would obey, or that turns the reading direction."""
    kept = (" " if unicodedata.category(c)[0] in "CZ" and c != _JOINER else c for c in text)
    return " ".join("".join(kept).split())


def fitted(text: str, width: int) -> str:
    """Text of so many columns: filled up, or cut with a mark. Wide letters take two columns."""
    shown = plain(text)
    if _columns(shown) > width:
        cut = ""
        for letter in shown:
            if _columns(cut + letter) > width - 1:
                break
            cut += letter
        shown = cut + "…"
    return shown + " " * (width - _columns(shown))


def _columns(text: str) -> int:
    return sum(_width(letter) for letter in text)


def _width(letter: str) -> int:
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
