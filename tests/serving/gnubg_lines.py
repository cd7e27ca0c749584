"""Lines of GNU Backgammon 1.07, as it sent them to an external player."""

from __future__ import annotations

OPENING = (
    "board:gnubg:user:5:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:4:2:4:2:1:1:1:0:1:-1:0:25"
    ":0:0:0:0:0:0:0:1"
)
"""Player 0 on roll with 4-2, in a match to five."""
DOUBLED = (
    "board:user:gnubg:0:4:0:-1:2:3:2:2:2:3:0:0:0:0:0:0:0:0:0:1:0:0:0:0:0:-5:0:-3:0:1:0:0:0:0:2:1:0:1:1:-1:0:25"
    ":0:6:0:0:0:0:0:1"
)
"""Player 1, who owns the cube at 2, doubles player 0 for money. Player 0 has one checker on the bar."""
ON_THE_BAR = (
    "board:gnubg:user:3:0:1:-1:0:0:2:2:2:3:0:1:2:0:1:-5:2:0:0:0:0:0:-8:-1:0:0:0:0:0:-1:0:0:0:0:2:0:1:0:1:-1:0:25"
    ":0:0:0:0:0:0:0:1"
)
"""Player 0, who owns the cube, is on the bar and may double."""
HYPERGAMMON = OPENING.replace(
    "-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2", "-1:-1:-1" + ":0" * 18 + ":1:1:1"
)
