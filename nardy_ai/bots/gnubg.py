"""GNU Backgammon in a process of its own, where the package `gnubg_nn` is installed."""

from __future__ import annotations

import importlib.util
from importlib import metadata

from nardy_ai.bots.board_process import BoardProcessBot
from nardy_ai.bots.bot import fingerprint_of
from nardy_ai.bots.outside import PATIENCE
from nardy_ai.core import InputError
from nardy_ai.core.installing import how_to_install_part

PACKAGE, DISTRIBUTION = "gnubg_nn", "gnubg-nn"
MOST_PLIES = 2


def gnubg_found() -> bool:
    """Whether the package is installed; it is not loaded."""
    return importlib.util.find_spec(PACKAGE) is not None


class GnubgBot(BoardProcessBot):
    """GNU Backgammon's nets, cubeless, with 0..2 plies of look-ahead (0: the net alone).

    Args:
        plies: as GNU Backgammon counts them.
        patience: seconds that it has for one play.

    Raises:
        InputError: the package is not installed, or plies or patience out of range.
    """

    process = "nardy_ai.bots.gnubg_process"

    def __init__(self, plies: int = 0, patience: float = PATIENCE) -> None:
        if not 0 <= plies <= MOST_PLIES:
            raise InputError(f"gnubg:{plies} looks too far ahead: take gnubg:0 up to gnubg:{MOST_PLIES}")
        if not gnubg_found():
            raise InputError(
                f"gnubg:{plies} needs the package {DISTRIBUTION}: {how_to_install_part('peers')}"
            )
        super().__init__(plies, patience)

    @property
    def name(self) -> str:
        """`gnubg:` and the plies."""
        return f"gnubg:{self.plies}"

    @property
    def fingerprint(self) -> str:
        """A hash of the package's version and the plies."""
        return fingerprint_of(self.name, metadata.version(DISTRIBUTION))
