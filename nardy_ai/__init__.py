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
    from nardy_ai.rules import Game, Play, Position, turned

__version__ = "0.1.0"

__all__ = ["Game", "InputError", "Play", "Position", "__version__", "bot", "load", "match", "turned"]

_HOME_OF = {
    "Game": "nardy_ai.rules",
    "InputError": "nardy_ai.core",
    "Play": "nardy_ai.rules",
    "Position": "nardy_ai.rules",
    "bot": "nardy_ai.bots",
    "load": "nardy_ai.bots",
    "match": "nardy_ai.evaluation",
    "turned": "nardy_ai.rules",
}


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'nardy_ai' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
