"""Open Sage in a process of its own, where the package `bgsage` is installed."""

from __future__ import annotations

import importlib.util
from importlib import metadata

from nardy_ai.bots.board_process import BoardProcessBot
from nardy_ai.bots.bot import fingerprint_of
from nardy_ai.bots.outside import PATIENCE
from nardy_ai.core import InputError
from nardy_ai.core.installing import how_to_install_part

PACKAGE = "bgsage"
MOST_PLIES = 3


def sage_found() -> bool:
    """Whether the package is installed; it is not loaded."""
    return importlib.util.find_spec(PACKAGE) is not None


class SageBot(BoardProcessBot):
    """Open Sage's nets, cubeless, with 0..3 plies of look-ahead (0: the net alone).

    Open Sage counts plies one higher, as XG does: its 1-ply is `sage:0`, its 4-ply `sage:3`.

    Args:
        plies: as we and GNU Backgammon count them.
        patience: seconds that it has for one play.

    Raises:
        InputError: the package is not installed, or plies or patience out of range.
    """

    process = "nardy_ai.bots.sage_process"

    def __init__(self, plies: int = 0, patience: float = PATIENCE) -> None:
        if not 0 <= plies <= MOST_PLIES:
            raise InputError(
                f"sage:{plies} looks too far ahead: take sage:0 (Open Sage's 1-ply) up to "
                f"sage:{MOST_PLIES} (its {MOST_PLIES + 1}-ply)"
            )
        if not sage_found():
            raise InputError(f"sage:{plies} needs the package {PACKAGE}: {how_to_install_part('peers')}")
        super().__init__(plies, patience)

    @property
    def name(self) -> str:
        """`sage:` and the plies, as we count them."""
        return f"sage:{self.plies}"

    @property
    def fingerprint(self) -> str:
        """A hash of the package's version and the plies."""
        return fingerprint_of(self.name, metadata.version(PACKAGE))
