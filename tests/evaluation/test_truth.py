"""Solved games: against value iteration over the reference rules, and against GNU Backgammon's makehyper."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from math import comb
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from comparison import UNORDERED_ROLLS
from gnubg_program import gnubg_tool
from perfect_play import arrays_of, graph_of, perfect_values

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.evaluation.truth import Solution, solution_key, solve, stored_solution
from nardy_ai.models.table_file import TableFault
from nardy_ai.rules import Game, Position
from nardy_ai.rules.small_game import small_game

LONG = ["long", "long/aipbg", "long/any_double", "long/autogear", "long/fnr2025"]
PROFILES = [*LONG, "short/hypergammon", "short/portes"]


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NARDY_CACHE", str(folder))
        yield folder


def solution(profile: str, checkers: int) -> Solution:
    return solve(small_game(Game(profile), checkers), threads=2, progress=False)


def assert_perfect(found: Solution) -> None:
    """Every state of the game, whatever came before it, is worth what the reference says."""
    values = perfect_values(graph_of(found.game.core_rules.options))
    assert max(abs(value) for value in values.values()) >= 1
    differences = found.equities(*arrays_of(values)) - np.array(list(values.values()))
    assert np.abs(differences).max() < 3e-9
    first = next(iter(values.values()))
    assert found.start == pytest.approx(first, abs=3e-9)


@pytest.mark.parametrize("profile", PROFILES)
def test_one_checker_by_the_reference_rules(profile: str) -> None:
    assert_perfect(solution(profile, 1))


def test_every_kind_of_loss_counts() -> None:
    profile = Game("long/classic").profile
    scores = (("oin", 1), ("mars", 2), ("koks", 3), ("home_mars", 4))
    game = Game(replace(profile, name="every kind", scores=scores))
    assert_perfect(solve(small_game(game, 1), progress=False))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("profile", ["long", "long/any_double", "short/hypergammon"])
def test_two_checkers_by_the_reference_rules(profile: str) -> None:
    assert_perfect(solution(profile, 2))


def drawn_positions(
    found: Solution, count: int, seed: int
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint8]]:
    """Boards and seats of random positions of the table in which somebody is on roll; at most `count`."""
    small, rng = found.solved.game, np.random.default_rng(seed)
    seat, his, mine = np.nonzero(~np.isnan(found.solved.values))
    chosen = rng.choice(len(mine), count)
    rows = np.zeros((small.rows, 26), np.int8)
    numbers, boards = small.boards_against(0)
    rows[numbers] = boards[:, 0]
    boards = np.stack([rows[mine[chosen]], rows[his[chosen]]], 1)
    seats = seat[chosen].astype(np.uint8)
    # Both sides off, or the wrong one, cannot stand on the table.
    legal = (boards[:, 0, 25] < found.game.checkers) & (boards[:, 1, 25] < found.game.checkers)
    return boards[legal], seats[legal]


def searched(
    found: Solution, boards: npt.NDArray[np.int8], seats: npt.NDArray[np.uint8], plies: int
) -> npt.NDArray[np.float64]:
    """Equities by so many exact looks ahead with the engine's plays, at whose end the table judges."""
    if plies == 0:
        return found.equities(boards, seats)
    rules = found.game.core_rules
    dice = np.tile(np.array(UNORDERED_ROLLS, np.uint8), (len(boards), 1))
    many, turns = np.repeat(seats, 21), np.full(len(dice), 3, np.uint8)
    ends, offsets = core.legal_boards(rules, np.repeat(boards, 21, 0), dice, many, turns)
    ends, after = ends[:, ::-1].copy(), 1 - np.repeat(many, np.diff(offsets))
    left = found.equities(ends, after)
    playing = core.results(rules, ends, after) < 0
    left[playing] = searched(found, ends[playing], after[playing], plies - 1)
    best = np.minimum.reduceat(left, offsets[:-1]).reshape(-1, 21)
    weights = np.array([1 if a == b else 2 for a, b in UNORDERED_ROLLS]) / 36
    return np.asarray(-(best @ weights))


def residuals(found: Solution, count: int, seed: int, plies: int = 1) -> npt.NDArray[np.float64]:
    """How far the table is from exact search on it, in random positions."""
    boards, seats = drawn_positions(found, count, seed)
    return np.asarray(searched(found, boards, seats, plies) - found.equities(boards, seats))


@pytest.mark.parametrize("profile", ["long", "long/autogear", "short/hypergammon", "short/portes"])
def test_one_ply_of_search_on_the_table_gives_the_table(profile: str) -> None:
    assert np.abs(residuals(solution(profile, 2), 3000, 1)).max() < 2e-9


@pytest.mark.parametrize("profile", ["long", "short/hypergammon"])
def test_two_plies_of_search_on_the_table_give_the_table(profile: str) -> None:
    assert np.abs(residuals(solution(profile, 2), 60, 1, plies=2)).max() < 4e-9


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("profile", ["long", "short/hypergammon"])
def test_search_on_the_table_of_three_checkers(profile: str) -> None:
    found = solution(profile, 3)
    apart = np.abs(residuals(found, 20_000, 2)).max(), np.abs(residuals(found, 500, 3, plies=2)).max()
    print(f"\n{found.game.name}: one ply {apart[0]:.1e}, two plies {apart[1]:.1e} from the table")
    assert apart[0] < 2e-9
    assert apart[1] < 4e-9


def makehyper(checkers: int, threshold: str, folder: Path) -> npt.NDArray[np.float64]:
    """Equities [player on roll, opponent] of GNU Backgammon's own solution, by its numbers of rows."""
    file = folder / "hyper.bd"
    command = [gnubg_tool("makehyper"), "-c", str(checkers), "-n", "-t", threshold, "-f", str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=1800)
    rows = comb(25 + checkers, checkers)
    data = np.fromfile(file, np.uint8, offset=40).reshape(rows, rows, 28).astype(np.float64)
    # Win, gammon and backgammon won, both lost, in steps of 1 / (2 ** 24 - 1).
    win, gammon, backgammon, lost, worse = (
        (data[..., 3 * k : 3 * k + 3] @ (1, 256, 65536)) / (2**24 - 1) for k in range(5)
    )
    return np.asarray(2 * win - 1 + gammon + backgammon - lost - worse)


def assert_as_makehyper(found: Solution, theirs: npt.NDArray[np.float64], tolerance: float) -> None:
    small = found.solved.game
    numbers, boards = small.boards_against(0)
    place = np.zeros(small.rows, np.int64)
    for number, row in zip(numbers, boards[:, 0].tolist(), strict=True):
        # Counts from the bar down, as for the bear-off.
        running = np.cumsum(row[24::-1])
        place[number] = sum(comb(int(count) + k, k + 1) for k, count in enumerate(running))
    ours = found.solved.values[0]
    known = ~np.isnan(ours)
    known[0] = known[:, 0] = False
    assert known.sum() > 500
    assert np.abs(theirs[np.ix_(place, place)].T - ours)[known].max() < tolerance


def test_hypergammon_with_one_checker_as_makehyper_has_it(tmp_path: Path) -> None:
    assert_as_makehyper(solution("short/hypergammon", 1), makehyper(1, "1e-9", tmp_path), 1e-6)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_hypergammon_with_two_checkers_as_makehyper_has_it(tmp_path: Path) -> None:
    assert_as_makehyper(solution("short/hypergammon", 2), makehyper(2, "1e-6", tmp_path), 2e-6)


def test_first_turns_have_their_own_values() -> None:
    """A first 5-5 may take two checkers from the head, a later one on the same board may not."""
    found = solution("long/any_double", 2)
    start = found.game.start()
    later = found.game.position(start.board, seat=0, turns=1)
    assert found.equity(start) == found.start
    assert found.equity(start) != found.equity(later)
    reply = found.game.plays(start, (5, 4))[0].position
    assert found.equity(reply) != found.equity(found.game.position(reply.board, seat=1, turns=1))


def one_ply(found: Solution, pos: Position) -> float:
    """The mean over all rolls of the best play, by the table."""
    weighted = [
        (1 if dice[0] == dice[1] else 2)
        * max(-found.equity(play.position) for play in found.game.plays(pos, dice))
        for dice in UNORDERED_ROLLS
    ]
    return sum(weighted) / 36


@pytest.mark.parametrize("profile", ["long", "long/any_double", "long/classic"])
def test_first_turns_by_one_ply(profile: str) -> None:
    found = solution(profile, 2)
    start = found.game.start()
    assert found.start == pytest.approx(one_ply(found, start), abs=1e-12)
    for dice in ((1, 1), (5, 4), (6, 6)):
        for play in found.game.plays(start, dice):
            assert play.position.turns == 0
            assert found.equity(play.position) == pytest.approx(one_ply(found, play.position), abs=1e-12)


def test_an_opening_roll_is_never_a_double() -> None:
    found = solution("short/hypergammon", 2)
    start = found.game.start()
    pairs = [dice for dice in UNORDERED_ROLLS if dice[0] != dice[1]]
    best = [max(-found.equity(play.position) for play in found.game.plays(start, dice)) for dice in pairs]
    assert found.opening == pytest.approx(np.mean(best), abs=1e-8)
    assert abs(found.opening - found.start) > 0.01
    long = solution("long", 2)
    assert long.opening == long.start


def test_the_threads_make_no_difference(cache: Path) -> None:
    for profile in ("long", "short/hypergammon"):
        game = small_game(Game(profile), 2)
        found = [solve(game, threads=threads, progress=False, anew=True) for threads in (1, 3)]
        assert [solution.threads for solution in found] == [1, 3]
        assert found[0].sweeps == found[1].sweeps
        assert np.array_equal(found[0].solved.values, found[1].solved.values, equal_nan=True)
        assert found[0].start == found[1].start


def test_a_solution_is_stored_and_read_again() -> None:
    game = small_game(Game("long/classic"), 1)
    with pytest.raises(TableFault, match="there is no table"):
        stored_solution(game)
    made = solve(game, progress=False)
    again = stored_solution(game)
    assert again.path == made.path == solution_key(game).path()
    assert again.seconds == made.seconds
    assert np.array_equal(again.solved.values, made.solved.values, equal_nan=True)
    assert not again.solved.values.flags.writeable
    before = made.path.stat().st_mtime_ns
    solve(game, progress=False)
    assert made.path.stat().st_mtime_ns == before
    data = made.path.read_bytes()
    made.path.unlink()  # the old file stays mapped
    middle = len(data) // 2
    made.path.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
    with pytest.raises(TableFault, match="truncated or damaged"):
        stored_solution(game)
    assert solve(game, progress=False).start == made.start
    assert stored_solution(game).start == made.start


def test_what_cannot_be_solved_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="up to 3 checkers a side"):
        solve(Game("long"))
    for threads in (0, -1, 2000, 1.5):
        with pytest.raises(InputError, match="threads is"):
            solve(small_game(Game("long"), 1), threads=threads)  # type: ignore[arg-type]
    found = solution("long", 1)
    with pytest.raises(InputError, match="belongs to short/standard"):
        found.equity(Game("short").start())
    with pytest.raises(InputError, match="seats"):
        found.equities(np.asarray(found.game.start().board)[None])
    with pytest.raises(InputError, match="bad board"):
        found.equities(np.zeros((1, 2, 26), np.int8), np.zeros(1, np.uint8))
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("NARDY_CACHE", str(file / "below"))
    with pytest.raises(InputError, match=r"can't write to .*NARDY_CACHE"):
        solve(small_game(Game("long/classic"), 1), progress=False)
