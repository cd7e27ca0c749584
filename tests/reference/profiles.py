"""The named profiles of the rules as plain options, and variants that put every option value to use."""

from __future__ import annotations

from typing import Any


def _start(**counts: int) -> list[int]:
    """24 counts from ``p24=2, p13=5, ...``."""
    return [counts.get(f"p{point}", 0) for point in range(1, 25)]


def _long(head_exception: str, **changes: Any) -> dict[str, Any]:
    checkers = changes.get("checkers", 15)
    options: dict[str, Any] = {
        "family": "long",
        "checkers": checkers,
        "start": _start(p24=checkers),
        "head_rule": True,
        "head_exception": head_exception,
        "block": "conditional",
        "block_scope": "opponent_path",
        "block_transient": True,
        "bearoff_same_turn": True,
        "last_roll": False,
        "opening_roll": "fresh",
        "scores": {"oin": 1, "mars": 2},
    }
    return options | changes


def _short(**changes: Any) -> dict[str, Any]:
    options: dict[str, Any] = {
        "family": "short",
        "checkers": 15,
        "start": _start(p24=2, p13=5, p8=3, p6=5),
        "bearoff_same_turn": True,
        "hit_and_run_home": True,
        "opening_roll": "rolloff_pair",
        "scores": {"single": 1, "gammon": 2, "backgammon": 3},
    }
    return options | changes


_NO_TRIPLE = {"single": 1, "gammon": 2}
_EASTERN = {"hit_and_run_home": False, "opening_roll": "fresh", "scores": _NO_TRIPLE}

PROFILES: dict[str, dict[str, Any]] = {
    "long/fns": _long("blocked_by_head", last_roll=True),
    "long/aipbg": _long("blocked_by_head"),
    "long/classic": _long("blocked_any"),
    "long/any_double": _long("any_double_first_turn", block_transient=False),
    "long/autogear": _long(
        "any_double_any_turn", block="absolute", block_scope="ring", block_transient=False
    ),
    "long/fnr2025": _long("second_player_3_4_6", opening_roll="rolloff_pair"),
    "short/standard": _short(),
    "short/nine_fair": _short(scores=_NO_TRIPLE),
    "short/nackgammon": _short(start=_start(p24=2, p23=2, p13=4, p8=3, p6=4)),
    "short/hypergammon": _short(checkers=3, start=_start(p24=1, p23=1, p22=1)),
    "short/portes": _short(**_EASTERN),
    "short/tavla": _short(**_EASTERN),
}

# Not profiles of any book: they put the option values to use that no named profile has, and small games.
VARIANTS: dict[str, dict[str, Any]] = {
    "long, next_turn_off": _long("blocked_by_head", last_roll=True, bearoff_same_turn=False),
    "long, final_block": _long("blocked_by_head", last_roll=True, block_transient=False),
    "long, no_block": _long("blocked_by_head", last_roll=True, block="none"),
    "long, absolute_six": _long("blocked_by_head", last_roll=True, block="absolute", block_scope="ring"),
    "long, absolute on the path": _long("none", block="absolute"),
    "long, no_head": _long("none", last_roll=True),
    "long, free head": _long("none", head_rule=False, block="none"),
    "long, every kind": _long("blocked_any", scores={"oin": 1, "mars": 2, "koks": 3, "home_mars": 4}),
    "long, 3 checkers": _long("blocked_by_head", checkers=3, last_roll=True),
    "long, 5 checkers": _long("blocked_any", checkers=5),
    "long, 7 checkers": _long("any_double_any_turn", checkers=7, last_roll=True, block_transient=False),
    "short, 1 checker": _short(checkers=1, start=_start(p24=1)),
    "short, 5 checkers": _short(checkers=5, start=_start(p24=1, p13=2, p6=2)),
    "short, next_turn_off": _short(bearoff_same_turn=False),
    "short, no hit and run, 4": _short(checkers=4, start=_start(p24=2, p6=2), hit_and_run_home=False),
}
