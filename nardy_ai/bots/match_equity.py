"""How likely a match is won at a score: a small model, for decisions about the cube.

One side is a point from the match: every game is a coin toss in which gammons come at a fixed rate, which is
what the other side plays for at twice the stake after the Crawford game. Elsewhere a well-known rule of thumb
holds: half, and 0.85 of the difference over the trailer's distance and six. Far behind that rule gives too
little, and nothing for a point more; there games are counted through, each a coin toss for 1, 2 or 4 points.
Published tables, which rest on rollouts, differ by two to three hundredths at most at usual scores.
"""

from __future__ import annotations

from functools import cache

GAMMON_RATE = 0.26
"""How many of the won games are gammons, where a side plays for them."""
GAMES = {1: 0.4, 2: 0.4, 4: 0.2}
"""How many games are for so many points, where one side is far behind."""


def match_equity(mine: int, his: int, *, post_crawford: bool) -> float:
    """The chance to win the match, before a game.

    Args:
        mine: points that I still need; 0 or less: I have won.
        his: points that the other still needs.
        post_crawford: the Crawford game has been played, where one side needs one point.
    """
    if mine <= 0 or his <= 0:
        return 1.0 if mine <= 0 else 0.0
    if mine == his:
        return 0.5
    if mine < his:
        return 1.0 - match_equity(his, mine, post_crawford=post_crawford)
    if his == 1:
        return _after_crawford(mine) if post_crawford else _crawford_game(mine)
    return max(_counted(mine, his), 0.5 - 0.85 * (mine - his) / (mine + 6))


@cache
def _counted(mine: int, his: int) -> float:
    """For a trailer by the games that are still to come; less with every point that he needs more."""
    if mine <= 0 or his <= 0:
        return 1.0 if mine <= 0 else 0.0
    if mine <= his:
        return 0.5 if mine == his else 1.0 - _counted(his, mine)
    if his == 1:
        return _crawford_game(mine)
    games = GAMES.items()
    return 0.5 * sum(share * (_counted(mine - n, his) + _counted(mine, his - n)) for n, share in games)


@cache
def _after_crawford(away: int) -> float:
    """For the trailer, who doubles at once: a win counts two points, a gammon four."""
    if away <= 1:
        return 1.0 if away <= 0 else 0.5
    return _toss(_after_crawford(away - 2), _after_crawford(away - 4))


def _crawford_game(away: int) -> float:
    """For the trailer, in the game without the cube."""
    return _toss(_after_crawford(away - 1), _after_crawford(away - 2))


def _toss(single: float, gammon: float) -> float:
    return 0.5 * ((1 - GAMMON_RATE) * single + GAMMON_RATE * gammon)
