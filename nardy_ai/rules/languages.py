"""The languages in which rules and boards are told. The words are data: `words/en.toml`, `words/ru.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

LANGUAGES = ("en", "ru")

Words = dict[str, Any]


@cache
def words_of(lang: str) -> Words:
    """The table of words of one of `LANGUAGES`."""
    return tomllib.loads((resources.files("nardy_ai.rules") / "words" / f"{lang}.toml").read_text("utf-8"))
