"""Which boards can a turn end on? Every sequence of single movements, tested movement by movement.

The moments that a turn can reach are found in levels: level 0 is the board before the turn, level k holds
every moment that some k legal movements reach, in any order of the dice. The duty to play then is one line:
the turn ends on the last level that has a legal end.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

from reference.boards import BAR, HEAD, HOME, OFF, Board, Options, Points, other_side, points_of, row_of
from reference.outcome import result

DEFAULTS: Options = {
    "head_rule": True,
    "head_exception": "none",
    "block": "none",
    "block_scope": "opponent_path",
    "block_transient": True,
    "bearoff_same_turn": True,
    "last_roll": False,
    "hit_and_run_home": True,
}


class Moment(NamedTuple):
    """A moment inside a turn: the position, and what the rest of the turn may still do."""

    mine: Points
    theirs: Points
    dice: tuple[int, ...]  # the movements that are left
    head_left: int  # how many checkers may still leave the head
    resting: frozenset[int]  # home points where a checker that has hit must stay
    may_bear_off: bool  # false if bearing off has to wait for the next turn


def legal_ends(options: Options, board: Board, dice: tuple[int, int], seat: int, turns: int) -> set[Board]:
    """Every board that the turn may end on, mover still in row 0; a pass is the unchanged board alone.

    ``seat`` is 0 if the mover started the game, ``turns`` says how many turns he has had (3 = three or more).
    """
    ends, _ = _legal_turns(options, board, dice, seat, turns)
    return {(row_of(end.mine), row_of(end.theirs)) for end in ends}


def movements_used(options: Options, board: Board, dice: tuple[int, int], seat: int, turns: int) -> int:
    """The number of single movements that the duty to play asks for; 0 = the turn is passed."""
    _, most = _legal_turns(options, board, dice, seat, turns)
    return most


def _legal_turns(
    options: Options, board: Board, dice: tuple[int, int], seat: int, turns: int
) -> tuple[set[Moment], int]:
    rules = {**DEFAULTS, **options}
    levels = [{_first_moment(rules, board, dice, seat, turns)}]
    while levels[-1]:
        levels.append({after for moment in levels[-1] for after in _single_movements(rules, moment)})

    legal = [{moment for moment in level if _may_end(rules, moment)} for level in levels[1:]]
    most = max((number for number, level in enumerate(legal, start=1) if level), default=0)
    if most == 0:
        return levels[0], 0
    ends = legal[most - 1]
    if most == 1 and dice[0] != dice[1]:
        with_the_larger = {moment for moment in ends if max(dice) not in moment.dice}
        ends = with_the_larger or ends
    all_off = {moment for level in legal for moment in level if moment.mine[OFF] == rules["checkers"]}
    return ends | all_off, most


def _first_moment(rules: Options, board: Board, dice: tuple[int, int], seat: int, turns: int) -> Moment:
    if result(rules, board, seat) is not None:
        raise ValueError("the game is finished: no turn can be played")
    mine, theirs = points_of(board[0]), points_of(board[1])
    movements = dice * 2 if dice[0] == dice[1] else dice
    may_bear_off = rules["bearoff_same_turn"] or _all_home(mine)
    moment = Moment(mine, theirs, tuple(sorted(movements)), 1, frozenset(), may_bear_off)
    return moment._replace(head_left=_head_allowance(rules, moment, seat, turns))


def follow(
    options: Options,
    board: Board,
    dice: tuple[int, int],
    seat: int,
    turns: int,
    moves: list[tuple[int, int]],
) -> Board:
    """The board after these single movements (from, to; 25 = bar, 0 = off), each of which must be legal.

    The duty to play is not asked for. A movement that no die left allows raises ``ValueError``.
    """
    rules = {**DEFAULTS, **options}
    moments = {_first_moment(rules, board, dice, seat, turns)}
    for source, target in moves:
        # The die is not named, and a checker may be borne off by more than one: keep every possibility.
        moments = {
            after
            for moment in moments
            if moment.mine[source]
            for after in _single_movements(rules, moment)
            if after.mine == _shifted(moment.mine, source, target)
        }
        if not moments:
            raise ValueError(f"{source}/{target} of {moves} is not a legal movement with {dice}")
    return next((row_of(moment.mine), row_of(moment.theirs)) for moment in moments)


# --- single movements ---------------------------------------------------------------------------------------


def _single_movements(rules: Options, moment: Moment) -> Iterator[Moment]:
    """Every moment that one legal movement leads to."""
    for die in set(moment.dice):
        for point in range(1, 26):
            if moment.mine[point] and _may_move(rules, moment, point, die):
                after = _moved(rules, moment, point, die)
                if not (rules["block_transient"] and is_forbidden_block(rules, after.mine, after.theirs)):
                    yield after


def _may_move(rules: Options, moment: Moment, point: int, die: int) -> bool:
    """May a checker go from the point by the die, block rule apart?"""
    if moment.mine[BAR] and point != BAR:
        return False  # checkers on the bar enter first
    if rules["family"] == "long" and point == HEAD and moment.head_left == 0:
        return False
    if point in moment.resting and moment.mine[point] == 1:
        return False  # the only checker there has just hit at home
    landing = point - die
    if landing >= 1:
        return not _is_closed(rules, moment.theirs, landing)
    return (
        moment.may_bear_off
        and _all_home(moment.mine)
        and (landing == 0 or not any(moment.mine[higher] for higher in HOME if higher > point))
    )


def _is_closed(rules: Options, theirs: Points, point: int) -> bool:
    """Do the opponent's checkers close my point? One is enough in the long family, two in the short one."""
    return theirs[other_side(rules, point)] >= (1 if rules["family"] == "long" else 2)


def _all_home(mine: Points) -> bool:
    return not any(mine[7:])


def _moved(rules: Options, moment: Moment, point: int, die: int) -> Moment:
    landing = max(point - die, OFF)
    mine = _shifted(moment.mine, point, landing)
    theirs, resting = moment.theirs, moment.resting
    if rules["family"] == "short" and landing != OFF and theirs[25 - landing] == 1:
        theirs = _shifted(theirs, 25 - landing, BAR)
        if landing in HOME and not rules["hit_and_run_home"]:
            resting = resting | {landing}
    dice = list(moment.dice)
    dice.remove(die)
    leaves_head = rules["family"] == "long" and point == HEAD
    return Moment(mine, theirs, tuple(dice), moment.head_left - leaves_head, resting, moment.may_bear_off)


def _shifted(points: Points, source: int, target: int) -> Points:
    counts = list(points)
    counts[source] -= 1
    counts[target] += 1
    return tuple(counts)


def _may_end(rules: Options, moment: Moment) -> bool:
    """May the turn end here, if the duty to play is met? The block rule holds at the end in any case."""
    return not is_forbidden_block(rules, moment.mine, moment.theirs)


# --- the head rule ------------------------------------------------------------------------------------------


def _head_allowance(rules: Options, moment: Moment, seat: int, turns: int) -> int:
    """How many checkers may leave the head in this turn."""
    if not rules["head_rule"]:
        return int(rules["checkers"])
    return 2 if _two_may_leave_head(rules, moment, seat, turns) else 1


def _two_may_leave_head(rules: Options, moment: Moment, seat: int, turns: int) -> bool:
    exception = rules["head_exception"]
    die, double, first_turn = moment.dice[0], len(moment.dice) == 4, turns == 0
    if exception == "any_double_any_turn":
        return double
    if exception == "none" or not first_turn:
        return False
    if exception == "any_double_first_turn":
        return double
    if exception == "second_player_3_4_6":
        return seat == 1 and double and die in (3, 4, 6)
    if exception == "blocked_by_head":
        return double and die in (3, 4, 6) and _stopped_by_their_head(rules, moment, die)
    if exception == "blocked_any":
        return not any(_head_checker_plays(rules, moment, order) for order in permutations(moment.dice))
    raise ValueError(f"unknown head_exception {exception!r}")


def _stopped_by_their_head(rules: Options, moment: Moment, die: int) -> bool:
    """Is the first closed point on a head checker's way, in steps of the die, his head on my 12?"""
    for landing in range(HEAD - die, 0, -die):
        if _is_closed(rules, moment.theirs, landing):
            return landing == 12
    return False


def _head_checker_plays(rules: Options, moment: Moment, order: tuple[int, ...]) -> bool:
    """Can one head checker play the whole roll alone, in this order of the dice?"""
    point = HEAD
    for die in order:
        if point == OFF or not moment.mine[point] or not _may_move(rules, moment, point, die):
            return False
        moment = _moved(rules, moment, point, die)
        point = max(point - die, OFF)
    return True


# --- the block rule -----------------------------------------------------------------------------------------


def is_forbidden_block(rules: Options, mine: Points, theirs: Points) -> bool:
    if rules["family"] == "short" or rules["block"] == "none":
        return False
    if sum(count > 0 for count in mine[1:25]) < 6:
        return False
    # My occupied points in the opponent's numbers, his last point (1) first and his head (24) last.
    line = [mine[other_side(rules, number)] > 0 for number in range(1, 25)]
    if rules["block"] == "absolute":
        around = line + line[:5] if rules["block_scope"] == "ring" else line
        return any(all(around[start : start + 6]) for start in range(len(around) - 5))
    if rules["block"] == "conditional":
        # His checker nearest to his exit: 0 when one is off. He cannot stand inside a run of mine, so being
        # ahead of the run is the same as being ahead of each six neighbours of it.
        foremost = min(number for number in range(25) if theirs[number])
        return any(foremost > lowest and all(line[lowest - 1 : lowest + 5]) for lowest in range(1, 20))
    raise ValueError(f"unknown block {rules['block']!r}")
