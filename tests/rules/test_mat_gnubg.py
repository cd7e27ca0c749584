"""GNU Backgammon reads the `.mat` files that are written here, and what it writes is read here."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from gnubg_program import run_gnubg
from matches import random_history

from nardy_ai.rules import (
    Game,
    History,
    MatchState,
    MatFile,
    Terms,
    mat_of_text,
    mat_text,
    read_mat,
    read_match_id,
    write_mat,
)
from nardy_ai.rules.match import steps

IMPORT = """
for path in PATHS:
    gnubg.command('import mat "' + path + '"')
    match = gnubg.match(analysis=0, boards=0)
    games = [[game["info"], game["game"]] for game in match["games"]]
    try:
        where = [gnubg.positionid(), gnubg.matchid()]
    except ValueError:
        where = None
    gnubg.command('export match mat "' + path + '.out"')
    answer([match["match-info"], games, where])
"""

NAMES = ("Анна: 😀", "a" * 200)


def is_for_gnubg(history: History) -> bool:
    """Whether it can import the history.

    A dropped beaver, and an offer at the end of a file, stay with it and cost the next game its first play,
    in files of its own as well; other ends within a turn it completes by itself.
    """
    dropped = any(
        isinstance(step, steps.Drop) and state.phase == "beavered"
        for state, step in zip(history.states, history.steps, strict=False)
    )
    ended = history.steps and isinstance(history.steps[-1], steps.Move | steps.Drop)
    return bool(ended) and not dropped


def test_it_imports_what_is_written_here(tmp_path: Path) -> None:
    rng = random.Random(3)
    files: list[MatFile] = []
    while len(files) < 24:
        game = Game(rng.choice(["short"] * 4 + ["short/nackgammon", "short/hypergammon"]))
        match_is_played = rng.random() < 0.6
        # It crashes on a cube of many times the length of the match.
        terms = (
            Terms.match(game, rng.choice((1, 3, 5)), max_cube=8)
            if match_is_played
            else Terms.money(game, beavers=True, max_cube=64)
        )
        history = random_history(terms, rng, rng.randint(5, 250), resigning=0)
        if is_for_gnubg(history):
            files.append(MatFile(history, NAMES))
    paths = [tmp_path / f"match {number}.mat" for number in range(len(files))]
    for path, file in zip(paths, files, strict=True):
        write_mat(path, file)
    answers = run_gnubg(f"PATHS = {json.dumps([str(path) for path in paths])}\n{IMPORT}", tmp_path)
    assert len(answers) == len(files)
    seen: set[str] = set()
    for path, file, answer in zip(paths, files, answers, strict=True):
        assert_same(file.history, answer, mat_text(file))
        seen |= {type(step).__name__ for step in file.history.steps}
        back = read_mat(Path(f"{path}.out"), file.history.start.game)
        plays = [step for step in file.history.steps if isinstance(step, steps.Move)]
        read = [step for step in back.history.steps if isinstance(step, steps.Move)]
        assert read == plays
    assert seen >= {"Double", "Take", "Drop", "Beaver", "NextGame", "Move"}


def test_it_imports_a_resignation(tmp_path: Path) -> None:
    """It may take it for a refused double, but the result is the same."""
    state = MatchState.begin(Terms.match(Game("short"), 7))
    opening = [steps.RollOff((3, 1)), steps.Move(state.roll_off((3, 1)).legal_play("8/5 6/5"))]
    for loser, kind, points in ((1, "single", 1), (0, "gammon", 2)):
        path = tmp_path / f"{kind}.mat"
        write_mat(path, MatFile(History.of(state, [*opening, steps.Resign(loser, kind)]), NAMES))
        ((_, games, _),) = run_gnubg(f"PATHS = {json.dumps([str(path)])}\n{IMPORT}", tmp_path)
        assert (games[0][0]["points-won"], "XO".index(games[0][0]["winner"])) == (points, 1 - loser)


Action = tuple[str, int | None, tuple[int, int] | None]


def assert_same(history: History, answer: Any, text: str) -> None:
    info, games, where = answer
    assert info["match-length"] == (history.start.terms.length or 0), text
    assert (info["X"]["name"], info["O"]["name"]) == ("Анна_ 😀", "a" * 30)
    ends = ends_of_games(history)
    for number, (expected, end) in enumerate(zip(actions_of_games(history), ends, strict=True)):
        if not expected:
            continue
        told, actions = games[number][0], [action_told(part) for part in games[number][1]]
        if end.result is None:
            assert told["winner"] is None
        else:
            assert (told["points-won"], "XO".index(told["winner"])) == (end.result.points, end.result.winner)
        assert actions == expected, text
    last = history.state
    if last.phase == "throw" and actions_of_games(history)[-1]:
        assert where[0] == last.position.id, text
        found = read_match_id(where[1])
        assert (found.score, found.cube, found.owner) == (last.score, last.cube.value, last.cube.owner)


def action_told(part: dict[str, Any]) -> Action:
    dice = tuple(part["dice"]) if part["action"] == "move" else None
    return part["action"], "XO".index(part["player"]), dice  # type: ignore[return-value]


def ends_of_games(history: History) -> list[MatchState]:
    return [*(s for s, step in zip(history.states, history.steps, strict=False) if step == steps.NextGame()),
            history.state]  # fmt: skip


def actions_of_games(history: History) -> list[list[Action]]:
    found: list[list[Action]] = [[]]
    for state, step in zip(history.states, history.steps, strict=False):
        if isinstance(step, steps.NextGame):
            found.append([])
        elif isinstance(step, steps.Move):
            found[-1].append(("move", state.on_roll, step.play.dice))
        elif isinstance(step, steps.Double | steps.Beaver):
            found[-1].append(("double", state.decider, None))
        elif isinstance(step, steps.Take | steps.Drop):
            found[-1].append((type(step).__name__.lower(), state.decider, None))
    return found


def test_what_it_writes_is_read_here(tmp_path: Path) -> None:
    script = """
for player in "01":
    gnubg.command("set player " + player + " gnubg")
    gnubg.command("set player " + player + " chequer evaluation plies 0")
    gnubg.command("set player " + player + " cubedecision evaluation plies 0")
gnubg.command("set automatic game on")
gnubg.command("set seed 4")
for length in (1, 3, 7):
    gnubg.command("new match %d" % length)
    gnubg.command("export match mat %d.mat" % length)
    answer([gnubg.match(analysis=0, boards=0), gnubg.matchid()])
"""
    answers = run_gnubg(script, tmp_path)
    for length, (match, identity) in zip((1, 3, 7), answers, strict=True):
        file = read_mat(tmp_path / f"{length}.mat")
        state = file.history.state
        assert state.phase == "match_over"
        assert state.score == read_match_id(identity).score
        moves = [step.play for step in file.history.steps if isinstance(step, steps.Move)]
        theirs = [part for game in match["games"] for part in game["game"] if part["action"] == "move"]
        assert [play.dice for play in moves] == [tuple(part["dice"]) for part in theirs]
        for play, part in zip(moves, theirs, strict=True):
            steps_of = sorted(step for step in part["move"] if step[0] > 0)
            assert (
                play.before.game.play(
                    play.before, play.dice, " ".join(f"{a}/{b}" for a, b in reversed(steps_of)) or "pass"
                )
                == play
            )
        assert mat_of_text(mat_text(file)) == file
