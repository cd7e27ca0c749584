"""Writes tests/data/parity.json: the boards and rolls on which every form of a bot has to agree.

    python scripts/parity_set.py

2,000 unfinished positions of random games and 500 rolls of each game, from a seed, so that they come out the
same each time. A roll is [number of its position, die, die, count of its legal plays, CRC-32 of their boards
in the order of the engine]: the plays themselves are held as well, not only that all forms find the same.
"""

from __future__ import annotations

import json
import sys
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from nardy_ai import core
from nardy_ai.export.varied_boards import varied_positions
from nardy_ai.rules import Game

PLACE = Path(__file__).resolve().parents[1] / "tests" / "data" / "parity.json"
PROFILES = ("short/standard", "long/fns")
SEED, BOARDS, ROLLS = 7, 2000, 500


def stored(profile: str) -> dict[str, Any]:
    """Positions as keys and rolls of a profile."""
    game = Game(profile)
    boards, seats, turns = varied_positions(game.core_rules, BOARDS, SEED)
    dice = np.random.Generator(np.random.Philox(SEED)).integers(1, 7, (ROLLS, 2)).astype(np.uint8)
    after, offsets = core.legal_boards(
        game.core_rules, boards[:ROLLS], dice, seats[:ROLLS], turns[:ROLLS]
    )
    plays = [after[start:end] for start, end in pairwise(offsets)]
    keys = [
        str(game.position(board.tolist(), seat=int(seat), turns=int(turn)).key)
        for board, seat, turn in zip(boards, seats, turns, strict=True)
    ]
    rolls = [
        [number, *map(int, roll), len(found), zlib.crc32(found.tobytes())]
        for number, (roll, found) in enumerate(zip(dice, plays, strict=True))
    ]
    return {"positions": keys, "rolls": rolls}


def main() -> int:
    """Writes the file; the same bytes each time."""
    content = {"format": 1, "seed": SEED, "games": {profile: stored(profile) for profile in PROFILES}}
    PLACE.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{PLACE}: {PLACE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
