"""From a name to a bot."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from nardy_ai.bots.bot import Bot
from nardy_ai.bots.gnubg import GnubgBot
from nardy_ai.bots.net_bot import NetBot, load
from nardy_ai.bots.pubeval import PubevalBot
from nardy_ai.bots.simple import GreedyBot, RandomBot
from nardy_ai.core import InputError
from nardy_ai.rules import Game

MODEL_SUFFIX = ".safetensors"

BOT_NAMES: dict[str, str] = {
    "random": "each legal result with the same probability",
    "greedy": "a hand-made linear judgement, for every game",
    "pubeval": "Tesauro's public linear player, short nardy only",
    "gnubg:0": "GNU Backgammon's net without look-ahead, short nardy only (gnubg:1, gnubg:2: with)",
}
"""What `bot` takes besides a model file, with one line about each."""


def bot(name: str, game: Game | str | None = None) -> Bot:
    """The bot of a name.

    Args:
        name: `random`, `greedy`, `pubeval`, `gnubg:0`, or the path of a model file, with `:1` to `:3`
            behind it for that much look-ahead.
        game: the rules it shall play by; a model has its own where this is left out.

    Raises:
        InputError: an unknown name, a file that is not a model, an optional package that is missing, or a bot
            that can't play that game.
    """
    if not isinstance(name, str):
        raise InputError(f"a bot is named by a text such as 'random' or a model file's path, not {name!r}")
    rules = Game(game) if isinstance(game, str) else game
    found = _named(name, rules)
    if rules is not None:
        found.player(rules)
    return found


def _named(name: str, game: Game | None) -> Bot:
    if name == "random":
        return RandomBot()
    if name == "greedy":
        return GreedyBot()
    if name == "pubeval":
        return PubevalBot()
    kind, colon, plies = name.partition(":")
    if kind == "gnubg" and colon:
        if not plies.isdecimal() or len(plies) > 2:
            raise InputError(f"{name[:40]!r} does not say how far to look ahead: write gnubg:0")
        return GnubgBot(int(plies))
    if name.endswith(".onnx"):
        raise InputError(f"{name} is for other programs: name the model file, which ends in {MODEL_SUFFIX}")
    if name and Path(name).is_dir():
        raise InputError(f"{name} is a folder: name the model file in it, perhaps model{MODEL_SUFFIX}")
    if Path(name).is_file():
        return load(name, game)
    file, colon, plies = name.rpartition(":")
    if colon and plies.isdecimal() and len(plies) <= 2 and Path(file).is_file():
        return load(file, game, int(plies))
    raise InputError(_unknown(name))


def _unknown(name: str) -> str:
    if name.endswith(MODEL_SUFFIX) or "/" in name or "\\" in name:
        return f"there is no model file {name}{_near_file(name)}"
    near = get_close_matches(name, BOT_NAMES, n=1, cutoff=0.4)
    if near:
        return f"there is no bot {name!r}: did you mean {near[0]!r}?"
    return f"there is no bot {name!r}: take {', '.join(BOT_NAMES)} or the path of a model file"


def _near_file(name: str) -> str:
    folder = Path(name).parent
    try:
        files = {entry.stem: entry for entry in sorted(folder.iterdir()) if entry.suffix == MODEL_SUFFIX}
    except OSError:
        return f": the folder {folder} does not exist either"
    near = get_close_matches(Path(name).stem, files, n=1, cutoff=0.4)
    return f": did you mean {files[near[0]]}?" if near else ": check the path"


__all__ = ["BOT_NAMES", "NetBot", "bot", "load"]
