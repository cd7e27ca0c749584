"""Everything that can choose a play: model files, random, greedy, pubeval and outside programs."""

from nardy_ai.bots.bot import BoardBot, Bot, NativeBot
from nardy_ai.bots.gnubg import GnubgBot, gnubg_found
from nardy_ai.bots.gnubg_program import GnubgProgramBot, find_gnubg
from nardy_ai.bots.levels import Levelled, at_level
from nardy_ai.bots.net_bot import Evaluation, NetBot, RankedPlay, load
from nardy_ai.bots.outside import OutsideError
from nardy_ai.bots.program import ProgramBot
from nardy_ai.bots.pubeval import PubevalBot
from nardy_ai.bots.registry import BOT_NAMES, bot
from nardy_ai.bots.sage import SageBot, sage_found
from nardy_ai.bots.simple import GreedyBot, RandomBot

__all__ = [
    "BOT_NAMES",
    "BoardBot",
    "Bot",
    "Evaluation",
    "GnubgBot",
    "GnubgProgramBot",
    "GreedyBot",
    "Levelled",
    "NativeBot",
    "NetBot",
    "OutsideError",
    "ProgramBot",
    "PubevalBot",
    "RandomBot",
    "RankedPlay",
    "SageBot",
    "at_level",
    "bot",
    "find_gnubg",
    "gnubg_found",
    "load",
    "sage_found",
]
