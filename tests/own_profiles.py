"""A player's own rules, which score more than any profile of the package."""

from __future__ import annotations

from pathlib import Path

KOKS = """
format = 1
title = "all four kinds of win"
[rules]
family = "long"
checkers = 6
start = { 24 = 6 }
[scores]
oin = 1
mars = 2
koks = 3
home_mars = 4
"""


def koks_profile_in(folder: Path) -> str:
    """Writes the profile's file; returns its path, which is its name."""
    path = folder / "koks.toml"
    path.write_text(KOKS, encoding="utf-8")
    return str(path)
