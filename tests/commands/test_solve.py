"""What `nardy solve` reports, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import nardy


def test_a_small_game(tmp_path: Path) -> None:
    words = ("solve", "long", "--checkers", "1", "--threads", "1")
    first = json.loads(nardy(*words, "--json", NARDY_CACHE=str(tmp_path)).out)
    assert first["game"] == "long/fns with 1"
    assert first["starter_points_per_game"] == pytest.approx(-0.163887, abs=1e-6)
    assert Path(first["table"]).parent == tmp_path
    assert Path(first["table"]).stat().st_size == first["table_bytes"]
    text = nardy(*words, NARDY_CACHE=str(tmp_path))
    assert text.code == 0
    assert text.err == ""
    assert "-0.163887" in text.out
    again = json.loads(nardy(*words, "--json", NARDY_CACHE=str(tmp_path)).out)
    assert again["solved_in_seconds"] == first["solved_in_seconds"]


def test_bearoff_tables(tmp_path: Path) -> None:
    ran = nardy("solve", "short/hypergammon", "--bearoff", "--json", NARDY_CACHE=str(tmp_path))
    assert ran.code == 0
    report = json.loads(ran.out)
    assert report["compared_positions"] == 83 * 83
    assert 0 < report["one_sided_mean_error"] < 0.001
    assert Path(report["one_sided_table"]).parent == Path(report["two_sided_table"]).parent == tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("long",), "add --checkers 1, 2 or 3"),
        (("long", "--checkers", "4"), "1 to 3 checkers a side, not 4"),
        (("long", "--checkers", "one"), "--checkers"),
        (("long", "--checkers", "1", "--threads", "0"), "threads is 0"),
        (("chess", "--checkers", "1"), "chess"),
        (("long", "--checkers", "1", "--bearoff"), "--bearoff goes without"),
    ],
)
def test_bad_input(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    ran = nardy("solve", *words, NARDY_CACHE=str(tmp_path))
    assert ran.is_bad_input(), ran
    assert said in ran.err


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = nardy("solve", "long", "--checkers", "1", NARDY_CACHE=str(tmp_path / "file" / "below"))
    assert ran.is_bad_input(), ran
    assert "NARDY_CACHE" in ran.err
