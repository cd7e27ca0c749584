"""Train, measure and export bots for long nardy and short nardy (backgammon).

>>> import nardy_ai as nardy
>>> game = nardy.Game("long")
>>> [play.notation for play in game.plays(game.start(), (3, 1))]
['24/20']

Everything here is loaded when it is first used, and nothing but training and the ONNX export needs PyTorch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nardy_ai.bots.net_bot import load
    from nardy_ai.bots.registry import bot
    from nardy_ai.core import InputError
    from nardy_ai.evaluation.match import match
    from nardy_ai.rules import (
        Cube,
        Game,
        History,
        IllegalStep,
        MatchState,
        MatFile,
        Play,
        Position,
        Terms,
        gnubg_id,
        read_gnubg_id,
        read_mat,
        read_xgid,
        turned,
        write_mat,
        xgid,
    )

__version__ = "0.1.0"

__all__ = [
    "Cube",
    "Game",
    "History",
    "IllegalStep",
    "InputError",
    "MatFile",
    "MatchState",
    "Play",
    "Position",
    "Terms",
    "__version__",
    "bot",
    "gnubg_id",
    "load",
    "match",
    "read_gnubg_id",
    "read_mat",
    "read_xgid",
    "turned",
    "write_mat",
    "xgid",
]

_HOME_OF = {
    "InputError": "nardy_ai.core",
    "bot": "nardy_ai.bots",
    "load": "nardy_ai.bots",
    "match": "nardy_ai.evaluation",
}
"""Where a public name lives; those that are not here live in `nardy_ai.rules`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'nardy_ai' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF.get(name, "nardy_ai.rules")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
