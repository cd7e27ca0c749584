"""A slow, plain reference for the rules of nardy, for the tests only.

It is written from the text of the rules and shares no code with ``nardy_ai``: whatever both say alike was
written twice. Nothing here is fast or clever on purpose. A profile is a plain dict of options, with the names
that ``nardy_ai.core.Rules`` takes, and a board is a pair of 26-tuples with the mover's row first: columns
0..23 are his own points 1..24, column 24 his bar, column 25 his checkers borne off.
"""

from reference.boards import Board, Options, Row, board_from_text, start_board, text_of, turned
from reference.outcome import result
from reference.profiles import PROFILES, VARIANTS
from reference.turns import follow, legal_ends, movements_used

__all__ = [
    "PROFILES",
    "VARIANTS",
    "Board",
    "Options",
    "Row",
    "board_from_text",
    "follow",
    "legal_ends",
    "movements_used",
    "result",
    "start_board",
    "text_of",
    "turned",
]
