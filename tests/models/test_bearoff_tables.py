"""Bear-off tables in the cache folder: computed once, read again, replaced when damaged."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from nardy_ai import core
from nardy_ai.core import tables
from nardy_ai.evaluation.bearoff_error import one_sided_error
from nardy_ai.models import bearoff_tables as module
from nardy_ai.models.bearoff_tables import CacheWarning, bearoff_tables, one_sided_key, two_sided_key
from nardy_ai.rules import Game

HYPERGAMMON = Game("short/hypergammon").core_rules


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NARDY_CACHE", str(tmp_path))
    monkeypatch.setattr(module, "_held", {})
    return tmp_path


def test_computed_once_then_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = bearoff_tables(HYPERGAMMON)
    names = {one_sided_key(HYPERGAMMON).path().name, two_sided_key(HYPERGAMMON).path().name}
    assert {file.name for file in cache.iterdir()} == names
    monkeypatch.setattr(module, "_held", {})
    monkeypatch.setattr(module, "build_bearoff", None)
    monkeypatch.setattr(module, "build_bearoff_pairs", None)
    again = bearoff_tables(HYPERGAMMON)
    assert np.array_equal(again.finish, first.finish)
    assert again.pairs is not None
    assert np.array_equal(again.pairs, first.pairs)
    assert bearoff_tables(HYPERGAMMON).finish is again.finish


def test_profiles_share_what_is_equal(cache: Path) -> None:
    aipbg, classic, fns = (Game(name).core_rules for name in ("long/aipbg", "long/classic", "long/fns"))
    assert two_sided_key(aipbg) == two_sided_key(classic) == two_sided_key(Game("short").core_rules)
    assert two_sided_key(fns) != two_sided_key(aipbg)
    assert one_sided_key(fns) == one_sided_key(aipbg)
    assert one_sided_key(Game("long/autogear").core_rules) != one_sided_key(aipbg)


def test_a_damaged_table_is_replaced(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = bearoff_tables(HYPERGAMMON).pairs
    path = two_sided_key(HYPERGAMMON).path()
    size = path.stat().st_size
    path.unlink()
    path.write_bytes(b"NARDYTBL and then nothing")
    monkeypatch.setattr(module, "_held", {})
    assert np.array_equal(bearoff_tables(HYPERGAMMON).pairs, good)
    assert path.stat().st_size == size


def test_without_a_cache_they_serve_this_process(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "file").write_text("")
    monkeypatch.setenv("NARDY_CACHE", str(cache / "file" / "below"))
    with pytest.warns(CacheWarning, match=r"computed anew each time: can't write to .*NARDY_CACHE"):
        found = bearoff_tables(HYPERGAMMON)
    assert found.pairs is not None
    assert bearoff_tables(HYPERGAMMON).pairs is found.pairs


def test_threads_can_ask_at_once(cache: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: bearoff_tables(HYPERGAMMON), range(8)))
    assert all(tables.pairs is found[0].pairs for tables in found)


def test_the_error_of_the_one_sided_tables(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Over all positions of up to six checkers a side, in points; printed for the record."""
    found = {name: one_sided_error(Game(name).core_rules) for name in ("short", "long")}
    with capsys.disabled():
        for name, error in found.items():
            print(
                f"\none-sided bear-off, {name}: mean error {error.mean:.5f}, worst {error.worst:.4f} points"
            )
    assert found["short"].positions == 923 * 923
    assert found["long"].positions == 2 * 923 * 923
    for error in found.values():
        assert 0.0005 < error.mean < 0.002
        assert 0.01 < error.worst < 0.03
        assert abs(error.bias) < 0.0005


def test_gammons_of_six_checkers_one_sided_and_exact(cache: Path) -> None:
    """In a game of six checkers a side gammons count in both tables."""
    start = [0] * 24
    start[23] = 6
    rules = core.Rules({"family": "short", "checkers": 6, "start": start})
    both = bearoff_tables(rules)
    alone = tables.BearoffTables(rules, both.finish, both.first, None)
    counts = tables.bearoff_counts()[: tables.PAIR_POSITIONS]
    whole = counts[counts.sum(1) == 6]
    boards = np.zeros((len(whole), 2, 26), np.int8)
    boards[:, 0, :6], boards[:, 1, 0], boards[:, 1, 25] = whole, 1, 5
    exact, single = both.outcomes(boards)[0], alone.outcomes(boards)[0]
    lose_gammon = rules.outcomes.index("lose_gammon")
    assert exact[:, lose_gammon].max() > 0.4
    assert np.abs(exact - single)[:, lose_gammon].max() < 1e-6
