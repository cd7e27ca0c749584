"""The breaks of `scripts/break_rules.py` still fit the sources, so that none is left out unseen."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))
try:
    from rule_breaks import BREAKS, Break, Misplaced, broken_text
finally:
    sys.path.pop(0)


@pytest.mark.parametrize("item", BREAKS, ids=lambda item: item.name)
def test_every_break_has_its_place(item: Break) -> None:
    assert broken_text(item) != (REPOSITORY / item.file).read_text(encoding="utf-8")
    assert (REPOSITORY / item.tests[0].partition("::")[0]).is_file()


def test_names_are_different() -> None:
    assert len({item.name for item in BREAKS}) == len(BREAKS)


@pytest.mark.parametrize("text", ["int nowhere_to_be_found;", "plays"])
def test_a_break_without_one_place_is_told(text: str) -> None:
    with pytest.raises(Misplaced, match=r"stands in nardy_ai/core/plays\.c \d+ times"):
        broken_text(Break("nothing", "nardy_ai/core/plays.c", text, "", ()))
