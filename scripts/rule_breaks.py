"""The ways in which `break_rules.py` breaks the rules: data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Break:
    """One way to break the rules."""

    name: str
    file: str
    text: str
    """What stands in the file, exactly once."""
    broken: str
    """What is put in its place."""
    tests: tuple[str, ...]
    """What should notice it: arguments of pytest."""


class Misplaced(Exception):
    """A break whose text does not stand in its file exactly once."""


def broken_text(item: Break, root: Path = REPOSITORY) -> str:
    """The file with the break in it. Raises Misplaced where there is not one place for it."""
    source = (root / item.file).read_text(encoding="utf-8")
    if source.count(item.text) != 1:
        raise Misplaced(f"{item.name}: its text stands in {item.file} {source.count(item.text)} times")
    return source.replace(item.text, item.broken)


CORE, RULES = "nardy_ai/core/", "nardy_ai/rules/"
PLAYS, OUTCOME, MATCH = CORE + "plays.c", CORE + "outcome.c", RULES + "match/state.py"

FIELD = ("tests/rules/test_field_bugs_plays.py", "-k", "known_positions or a11 or last_checker or no_cap")
LONG = ("tests/rules/test_long_cases.py", "-k", "test_plays or head_tables")
LONG_RESULTS = ("tests/rules/test_long_cases.py", "-k", "test_results or last_rolls")
RESULTS = ("tests/rules/test_game.py::test_results",)
STATES = ("tests/rules/test_match_state.py",)


def _differential(profile: str) -> tuple[str, ...]:
    return (f"tests/rules/test_plays_differential.py::test_positions_of_every_profile[{profile}]",)


_GENERATE = (
    "bool nd_plays_generate(nd_plays *plays, const nd_rules *rules, const nd_packed *board, "
    "int seat, int turns,\n                       int die1, int die2)\n{\n"
)
_DROPPING = (
    _GENERATE.replace("bool nd", "static bool all_of_nd").replace(")\n{\n", ");\n")
    + _GENERATE
    + "    bool fine = all_of_nd_plays_generate(plays, rules, board, seat, turns, die1, die2);\n"
    + "    if (plays->count > 1) plays->count--;\n    return fine;\n}\n"
    + _GENERATE.replace("bool nd", "static bool all_of_nd")
)
_FRESH = "    return np.frombuffer(found, np.int8).reshape(-1, 2, 26), np.frombuffer(offsets, np.int64)\n"
_REUSED = """    fresh = np.frombuffer(found, np.int8).reshape(-1, 2, 26)
    kept = legal_boards.__dict__.setdefault("kept", np.zeros((100_000, 2, 26), np.int8))
    kept[: len(fresh)] = fresh
    return kept[: len(fresh)], np.frombuffer(offsets, np.int64)
"""

BREAKS = (
    # --- plays of both games -----------------------------------------------------------------------------
    Break("one play dropped", PLAYS, _GENERATE, _DROPPING, FIELD),
    Break(
        "last die of a double ignored",
        PLAYS,
        "movements.count[0] = die1 == die2 ? 4 : 1;",
        "movements.count[0] = die1 == die2 ? 3 : 1;",
        FIELD,
    ),
    Break(
        "last die of two ignored",
        PLAYS,
        "movements.kinds = die1 == die2 ? 1 : 2;",
        "movements.kinds = 1;",
        FIELD,
    ),
    Break("larger-die rule off", PLAYS, "if (larger_only && ", "if (false && larger_only && ", FIELD),
    Break(
        "a turn that ends the game must use all dice",
        PLAYS,
        "bool known = false;",
        "bool known = true;",
        FIELD,
    ),
    Break(
        "bearing off with checkers outside",
        PLAYS,
        "!turn->may_bear_off || mine & ~(uint32_t)HOME)",
        "!turn->may_bear_off)",
        LONG,
    ),
    Break(
        "bearing off lower checkers before higher ones",
        PLAYS,
        "return mine >> die ? -1 : highest_bit(mine);",
        "return highest_bit(mine);",
        LONG,
    ),
    Break(
        "bearing off never in the turn that comes home",
        PLAYS,
        "turn.may_bear_off = rules->bearoff_same_turn ||",
        "turn.may_bear_off =",
        LONG,
    ),
    Break(
        "bearing off always in the turn that comes home",
        PLAYS,
        "turn.may_bear_off = rules->bearoff_same_turn ||",
        "turn.may_bear_off = true ||",
        _differential("long, next_turn_off"),
    ),
    Break(
        "result buffer reused",
        CORE + "boards.py",
        _FRESH,
        _REUSED,
        ("tests/rules/test_game.py", "-k", "kept"),
    ),
    # --- plays of short nardy ----------------------------------------------------------------------------
    Break("hit not barred", PLAYS, "row[1], ND_BAR);", "row[1], ND_OFF);", FIELD),
    Break(
        "others move before the bar is empty",
        PLAYS,
        "node->mine & BAR_BIT",
        "0 && node->mine & BAR_BIT",
        _differential("short/standard"),
    ),
    Break(
        "hit and run at home",
        PLAYS,
        "if (!turn->rules->hit_and_run_home)",
        "if (false)",
        _differential("short/portes"),
    ),
    # --- plays of long nardy -----------------------------------------------------------------------------
    Break("head rule off", PLAYS, "if (rules->head_rule) {", "if (false) {", LONG),
    Break("no exception to the head rule", PLAYS, "first = turns == 0;", "first = false;", LONG),
    Break(
        "first turns never end", PLAYS, "first = turns == 0;", "first = true;", _differential("long/aipbg")
    ),
    Break(
        "the starter has the second player's exception",
        PLAYS,
        "first && twice && seat == 1",
        "first && twice",
        LONG,
    ),
    Break(
        "block test off",
        PLAYS,
        "    uint32_t points = mine & POINTS;\n    uint32_t his_count",
        "    if (turn) return true;\n    uint32_t points = mine & POINTS;\n    uint32_t his_count",
        LONG,
    ),
    Break(
        "a block is allowed with all of his behind it",
        PLAYS,
        "return runs == 0 ||",
        "return runs == 0 || turn->his != 0 ||",
        LONG,
    ),
    Break(
        "a block behind the opponent's start is allowed",
        PLAYS,
        "== ND_SCOPE_OPPONENT_PATH) return",
        "<= ND_SCOPE_RING) return",
        _differential("long, absolute_six"),
    ),
    Break(
        "transient block ignored",
        CORE + "rules.c",
        "rules->block_transient = value != 0; break;",
        "rules->block_transient = false; break;",
        LONG,
    ),
    Break(
        "one checker closes no point",
        PLAYS,
        "turn.closed = (turn.his << 12 | turn.his >> 12) & POINTS;",
        "turn.closed = 0;",
        LONG,
    ),
    # --- ends of games -----------------------------------------------------------------------------------
    Break(
        "gammon and backgammon swapped",
        OUTCOME,
        "> 0 ? ND_DEEP : ND_MARS;",
        "> 0 ? ND_MARS : ND_DEEP;",
        RESULTS,
    ),
    Break(
        "a checker off does not save the gammon",
        OUTCOME,
        "if (row[ND_OFF] > 0) return",
        "if (0) return",
        RESULTS,
    ),
    Break(
        "koks and home mars swapped",
        OUTCOME,
        "    if (home == 0) return ND_DEEP;\n    return home == rules->checkers ? ND_HOME_MARS : ND_MARS;",
        "    if (home == 0) return ND_HOME_MARS;\n    return home == rules->checkers ? ND_DEEP : ND_MARS;",
        LONG_RESULTS,
    ),
    Break("last roll ignored", OUTCOME, "if (!his || (rules->last_roll && seat == 1))", "if (!his)", RESULTS),
    # --- what learning is made of ------------------------------------------------------------------------
    Break(
        "opponent's bar left out of the encoder",
        CORE + "encode.c",
        "else value[0] = (float)count /",
        "else value[0] = side && column == ND_BAR ? 0.0f : (float)count /",
        ("tests/core/test_encoding.py",),
    ),
    Break(
        "target sign flipped",
        CORE + "selfplay.c",
        "if (turn == turns - 1) memcpy(mixed, after, sizeof mixed);",
        "if (turn == turns - 1) nd_outcomes_turned(rules, after, mixed);",
        ("tests/core/test_self_play.py", "-k", "last_mover"),
    ),
    Break(
        "all games have the same dice",
        CORE + "random.c",
        "words[2] = (uint32_t)game;",
        "words[2] = (uint32_t)game & 0;",
        ("tests/core/test_random.py",),
    ),
    Break(
        "the two games of a pair have different dice",
        CORE + "duel.c",
        "swapped, plays, plan, plan->first_pair + i,",
        "swapped, plays, plan, plan->first_pair + i + 1000000,",
        ("tests/core/test_self_play.py", "-k", "exactly_nothing"),
    ),
    # --- positions, matches, files -----------------------------------------------------------------------
    Break(
        "turns are counted for the wrong player",
        RULES + "position.py",
        "min(self._turns + self._seat, MANY_TURNS)",
        "min(self._turns + 1 - self._seat, MANY_TURNS)",
        ("tests/rules/test_position.py", "-k", "own_count"),
    ),
    Break(
        "the opponent's points in his own numbers",
        RULES + "position.py",
        'return 25 - point if family == "short" else (point + 11) % 24 + 1',
        "return point",
        ("tests/rules/test_position.py", "-k", "shared"),
    ),
    Break("Crawford rule off", MATCH, "        if self.crawford:\n", "        if False:\n", STATES),
    Break(
        "the cube's owner cannot be the taker",
        MATCH,
        "owner = self.decider if",
        "owner = self.on_roll if",
        STATES,
    ),
    Break(
        "Jacoby rule off",
        RULES + "match/terms.py",
        "if self.cube.jacoby and not cube_turned",
        "if False",
        STATES,
    ),
    Break(
        "undo forgets what was undone",
        RULES + "match/history.py",
        "(*self.undone, self.steps[-1]))",
        "self.undone)",
        ("tests/rules/test_match_properties.py", "-k", "undo"),
    ),
    Break(
        "hits are not written",
        RULES + "notation.py",
        'point_name(p) + ("*" if p in self.hits else "")',
        "point_name(p)",
        ("tests/rules/test_notation.py", "-k", "canonical or tell_results"),
    ),
    Break(
        "hits are not written into match files",
        RULES + "mat_writer.py",
        "{'*' if end in move.hits and not again else ''}",
        "",
        ("tests/rules/test_mat_file.py", "-k", "written_as_they_were"),
    ),
)
