"""Counter-based random numbers: a game's dice depend on seed, purpose and number alone."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from nardy_ai.core import _core
from nardy_ai.core._core import InputError
from nardy_ai.core.batches import UInt8, natural

PURPOSES: dict[str, int] = _core.purposes()
"""Purposes of random numbers: one more key beside seed and game, so that streams never meet."""


def dice(seed: int, purpose: int, game: int, first_turn: int, n: int, opening_pair: bool = False) -> UInt8:
    """``uint8 [n, 2]``: the rolls of turns from ``first_turn``; turn 0 has no double if ``opening_pair``."""
    key = natural(seed, 64, "seed"), natural(purpose, 24, "purpose"), natural(game, 64, "game")
    found = _core.dice(*key, natural(first_turn, 32, "first_turn"), natural(n, 31, "n"), opening_pair)
    return np.frombuffer(found, np.uint8).reshape(-1, 2)


def random_words(seed: int, purpose: int, game: int, counter: int) -> npt.NDArray[np.uint32]:
    """``uint32 [4]``: the random words of one counter."""
    key = natural(seed, 64, "seed"), natural(purpose, 32, "purpose"), natural(game, 64, "game")
    return np.array(_core.random_words(*key, natural(counter, 32, "counter")), np.uint32)


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """The bare block function Philox4x32-10, for known-answer tests. Words are of 32 bits."""
    if (len(counter), len(key)) != (4, 2):
        raise InputError(f"a block has 4 counter words and 2 key words, not {len(counter)} and {len(key)}")
    words = (natural(word, 32, "a word") for word in (*counter, *key))
    whole = tuple(words)
    return cast(tuple[int, int, int, int], _core.philox(whole[:4], whole[4:]))
