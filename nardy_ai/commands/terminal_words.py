"""What a game in the terminal says and understands, in English or Russian (`words/en.toml`, …)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from nardy_ai.rules.languages import LANGUAGES

__all__ = ["TerminalWords"]


class TerminalWords:
    """The words of one of `LANGUAGES`. The English names of commands are understood in every language."""

    def __init__(self, lang: str = "en") -> None:
        self.lang = lang
        self._table = _table(lang)
        self._commands = {
            word: command
            for known in dict.fromkeys((lang, *LANGUAGES[:1]))
            for command, words in _table(known)["commands"].items()
            for word in words
        }

    def __call__(self, name: str, **values: object) -> str:
        """One sentence with its values."""
        text: str = self._table[name]
        return text.format_map(values) if values else text

    def command(self, word: str) -> str | None:
        """The English name of a command; None where the word is none."""
        return self._commands.get(word.lower())

    def kind(self, kind: str) -> str:
        """What a kind of win is called."""
        text: str = self._table["kinds"][kind]
        return text

    def points(self, count: float) -> str:
        """So many points."""
        return self("points_one" if count == 1 else "points_many", count=f"{count:g}")


@cache
def _table(lang: str) -> Mapping[str, Any]:
    place = resources.files("nardy_ai.commands") / "words" / f"{lang}.toml"
    return tomllib.loads(place.read_text("utf-8"))
