"""Everything that can choose a play: model files, random, greedy, pubeval and outside programs."""

from nardy_ai.bots.bot import BoardBot, Bot, NativeBot
from nardy_ai.bots.gnubg import GnubgBot, gnubg_found
from nardy_ai.bots.net_bot import Evaluation, NetBot, RankedPlay, load
from nardy_ai.bots.outside import OutsideError
from nardy_ai.bots.pubeval import PubevalBot
from nardy_ai.bots.registry import BOT_NAMES, bot
from nardy_ai.bots.simple import GreedyBot, RandomBot

__all__ = [
    "BOT_NAMES",
    "BoardBot",
    "Bot",
    "Evaluation",
    "GnubgBot",
    "GreedyBot",
    "NativeBot",
    "NetBot",
    "OutsideError",
    "PubevalBot",
    "RandomBot",
    "RankedPlay",
    "bot",
    "gnubg_found",
    "load",
]
