"""Is the game over, and how did it end?"""

from __future__ import annotations

from reference.boards import BAR, HOME, OFF, Board, Options, Points, points_of

# From the dearest kind down; the last one always applies and is always scored.
LONG_KINDS = ("home_mars", "koks", "mars", "oin")
SHORT_KINDS = ("backgammon", "gammon", "single")


def result(options: Options, board: Board, seat: int) -> str | None:
    """The outcome as the player on roll (row 0) sees it, None while the game goes on.

    ``seat`` is 0 if the player on roll started the game. Names are ``win`` and ``lose``, with ``_mars``,
    ``_gammon``, ... behind them for the dearer kinds, and ``draw``.
    """
    mine, theirs = points_of(board[0]), points_of(board[1])
    i_am_off, he_is_off = mine[OFF] == options["checkers"], theirs[OFF] == options["checkers"]
    if i_am_off and he_is_off:
        return "draw"  # only a last roll leads here
    if i_am_off:
        return "win" + _suffix(options, theirs)
    if he_is_off:
        starter_finished = seat == 1
        if options.get("last_roll", False) and starter_finished:
            return None  # the last roll is still to be played
        return "lose" + _suffix(options, mine)
    return None


def _suffix(options: Options, loser: Points) -> str:
    kinds = LONG_KINDS if options["family"] == "long" else SHORT_KINDS
    applies = {
        "home_mars": loser[OFF] == 0 and not any(loser[7:]),
        "koks": loser[OFF] == 0 and not any(loser[point] for point in HOME),
        "mars": loser[OFF] == 0,
        "oin": True,
        "backgammon": loser[OFF] == 0 and (loser[BAR] > 0 or any(loser[point] for point in range(19, 25))),
        "gammon": loser[OFF] == 0,
        "single": True,
    }
    kind = next(kind for kind in kinds if kind in options["scores"] and applies[kind])
    return "" if kind == kinds[-1] else f"_{kind}"
