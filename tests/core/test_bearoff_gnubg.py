"""The bear-off tables against those of GNU Backgammon, which stores chances in steps of 1/65535."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from gnubg_program import gnubg_tool

from nardy_ai import core
from nardy_ai.core import tables

if os.environ.get("NARDY_PEERS") == "1":
    import gnubg_nn
else:
    gnubg_nn = pytest.importorskip("gnubg_nn")

STEP = 1 / 65535
ROLLS = np.arange(1, 33)
RULES = core.Rules({"family": "short"})


@cache
def one_sided() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    return tables.build_bearoff(RULES)


def test_rolls_to_finish_of_all_positions() -> None:
    """Where two plays are equally good up to its rounding, GNU Backgammon may have taken the other."""
    counts = tables.bearoff_counts().tolist()
    theirs = np.zeros((len(counts), 32))
    for number in range(1, len(counts)):
        found = gnubg_nn.bearoff_probabilities(tuple(counts[number]))
        theirs[number, : len(found)] = found
    ours = one_sided()[0].astype(np.float64)
    # A mean is off by what the steps of its chances add up to.
    assert np.abs((theirs - ours) @ ROLLS).max() < 15 * STEP
    apart = np.abs(theirs - ours).max(1)
    assert np.quantile(apart, 0.95) < 2 * STEP
    assert (apart > 3 * STEP).mean() < 0.015
    assert apart.max() < 0.003


def test_rolls_to_the_first_checker_off() -> None:
    """Its own program prints them, in thousandths of a percent."""
    database = Path("/usr/share/gnubg/gnubg_os0.bd")
    program = gnubg_tool("bearoffdump")
    if not database.is_file():
        pytest.skip("the bear-off database of the program gnubg is not installed")
    counts = tables.bearoff_counts()
    whole = np.flatnonzero(counts.sum(1) == 15)
    chosen = [54263, *np.random.default_rng(2).choice(whole, 12), *whole[-300::30]]
    for number in chosen:
        command = [program, "-n", str(number), str(database)]
        text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
        found = np.zeros(33)
        for roll, first in re.findall(r"^\s+(\d+)\s+[\d.]+\s+[\d.]+\s+[\d.]+\s+([\d.]+)\s*$", text, re.M):
            found[int(roll)] = float(first) / 100
        assert found[1:].sum() > 0.999, text
        assert np.abs(found[1:] - one_sided()[1][number]).max() < 2 * STEP + 1e-5


def test_equities_of_all_positions_with_up_to_six_checkers() -> None:
    """Its two-sided database holds equities in steps of 1/32767, each rounded from rounded ones."""
    database = Path(gnubg_nn.__file__).parent / "data" / "gnubg_ts0.bd"
    counts = [gnubg_nn.bearoff_id_2_pos(number) for number in range(1, tables.PAIR_POSITIONS)]
    assert counts == [tuple(row) for row in tables.bearoff_counts()[1 : tables.PAIR_POSITIONS].tolist()]
    stored = np.fromfile(database, "<u2", offset=40).reshape(924, 924, 4)[1:, 1:, 0]
    pairs = tables.build_bearoff_pairs(RULES)[0, 1:, 1:].astype(np.float64)
    apart = np.abs(stored / 32767.5 - 1 - (pairs[..., 0] - pairs[..., 1]))
    assert apart.max() < 4 / 32767.5
    assert np.median(apart) < 2 / 32767.5
