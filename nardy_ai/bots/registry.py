"""From a name to a bot."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from nardy_ai import core
from nardy_ai.bots.bot import Bot
from nardy_ai.bots.gnubg import GnubgBot
from nardy_ai.bots.gnubg_program import GnubgProgramBot
from nardy_ai.bots.levels import at_level
from nardy_ai.bots.net_bot import QUANTISED, NetBot, load
from nardy_ai.bots.outside import PATIENCE
from nardy_ai.bots.program import ProgramBot
from nardy_ai.bots.pubeval import PubevalBot
from nardy_ai.bots.sage import SageBot
from nardy_ai.bots.simple import GreedyBot, RandomBot
from nardy_ai.core import InputError
from nardy_ai.rules import Game

MODEL_SUFFIX = ".safetensors"

BOT_NAMES: dict[str, str] = {
    "random": "each legal result with the same probability",
    "greedy": "a hand-made linear judgement, for every game",
    "pubeval": "Tesauro's public linear player, short nardy only",
    "gnubg:0": "GNU Backgammon's net without look-ahead, short nardy only (gnubg:1, gnubg:2: with)",
    "gnubg-program:0": "the program gnubg itself, look-ahead 0 to 7, short nardy only",
    "sage:0": "Open Sage's net without look-ahead, short nardy only (up to sage:3: with)",
    "program:COMMAND": "any program that speaks the protocol of docs/bot-protocol.md, for every game",
}
"""What `bot` takes besides a model file, with one line about each."""

_SIMPLE: dict[str, Callable[[], Bot]] = {"random": RandomBot, "greedy": GreedyBot, "pubeval": PubevalBot}
_WITH_PLIES: dict[str, Callable[[int, float], Bot]] = {
    "gnubg": GnubgBot,
    "gnubg-program": GnubgProgramBot,
    "sage": SageBot,
}
_PROGRAM = "program"


def bot(name: str, game: Game | str | None = None) -> Bot:
    """The bot of a name.

    Args:
        name: one of `BOT_NAMES`, or the path of a model file, with `:1` to `:3` behind it for that much
            look-ahead, or `#1` to `#10` for a level of play, which greedy and pubeval have too; with `~`
            directly behind the path its nets are quantised (`model.safetensors~:1`). Outside
            programs have 60 seconds for a play; `gnubg-program@5:2` or `program@0.5:python my_bot.py` gives
            them another number.
        game: the rules it shall play by; a model has its own where this is left out.

    Raises:
        InputError: an unknown name, no such level, a bot without levels, a file that is not a model, an
            optional package or program that is missing, or a bot that can't play that game.
        OutsideError: an outside program does not answer as it must.
    """
    if not isinstance(name, str):
        raise InputError(f"a bot is named by a text such as 'random' or a model file's path, not {name!r}")
    rules = Game(game) if isinstance(game, str) else game
    found = _named(name, rules)
    if rules is not None:
        found.player(rules)
    return found


def _named(name: str, game: Game | None) -> Bot:
    if name in _SIMPLE:
        return _SIMPLE[name]()
    if "#" in name and not name.endswith(MODEL_SUFFIX) and _kind_of(name) != _PROGRAM:
        return _levelled(name, game)
    outside = _outside(name)
    if outside is not None:
        return outside
    if name.endswith(".onnx"):
        raise InputError(f"{name} is for other programs: name the model file, which ends in {MODEL_SUFFIX}")
    if name and Path(name).is_dir():
        raise InputError(f"{name} is a folder: name the model file in it, perhaps model{MODEL_SUFFIX}")
    file, colon, plies = name.rpartition(":")
    found = _model(name, game)
    if found is None and colon and plies.isdecimal() and len(plies) <= 2:
        found = _model(file, game, int(plies))
    if found is None:
        raise InputError(_unknown(name))
    return found


def _model(name: str, game: Game | None, plies: int = 0) -> NetBot | None:
    """A model file as a bot, quantised where its name ends in `~`; None where there is no such file."""
    if Path(name).is_file():
        return load(name, game, plies)
    file = name.removesuffix(QUANTISED)
    return load(file, game, plies, quantised=True) if file != name and Path(file).is_file() else None


def _levelled(name: str, game: Game | None) -> Bot:
    """A bot at a level, by its name `BOT#LEVEL`."""
    head, _, level = name.rpartition("#")
    number = core.checked_level(int(level) if level.isdecimal() and len(level) <= 3 else level)
    found = _named(head, game)
    if getattr(found, "level", None) is not None:
        raise InputError(f"{name[:80]!r} names two levels: give one")
    return at_level(found, number)


def _kind_of(name: str) -> str:
    return name.partition(":")[0].partition("@")[0]


def _outside(name: str) -> Bot | None:
    """An outside program by its name `KIND:REST` or `KIND@SECONDS:REST`; None where it is not one."""
    head, colon, rest = name.partition(":")
    kind, at, seconds = head.partition("@")
    if not colon or (kind != _PROGRAM and kind not in _WITH_PLIES):
        return None
    patience = _seconds(kind, seconds) if at else PATIENCE
    if kind == _PROGRAM:
        return ProgramBot(rest, patience)
    if not rest.isdecimal() or len(rest) > 2:
        raise InputError(f"{name[:40]!r} does not say how far to look ahead: write {kind}:0")
    return _WITH_PLIES[kind](int(rest), patience)


def _seconds(kind: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{text[:40]!r} is no number of seconds for a play: write {kind}@10: for ten"
        ) from None


def _unknown(name: str) -> str:
    kind = _kind_of(name)
    near = get_close_matches(name, BOT_NAMES, n=1, cutoff=0.4)
    if ":" in name and "/" not in kind:
        # A command line may hold anything; what stands before the colon tells what was meant.
        kinds = {known.partition(":")[0]: known for known in BOT_NAMES}
        near = [kinds[word] for word in get_close_matches(kind, kinds, n=1, cutoff=0.6)] or near
    elif name.removesuffix(QUANTISED).endswith(MODEL_SUFFIX) or "/" in name or "\\" in name:
        return f"there is no model file {name}{_near_file(name)}"
    if near:
        return f"there is no bot {name!r}: did you mean {near[0]!r}?"
    return f"there is no bot {name!r}: take {', '.join(BOT_NAMES)} or the path of a model file"


def _near_file(name: str) -> str:
    name = name.removesuffix(QUANTISED)
    folder = Path(name).parent
    try:
        files = {entry.stem: entry for entry in sorted(folder.iterdir()) if entry.suffix == MODEL_SUFFIX}
    except OSError:
        return f": the folder {folder} does not exist either"
    near = get_close_matches(Path(name).stem, files, n=1, cutoff=0.4)
    return f": did you mean {files[near[0]]}?" if near else ": check the path"


__all__ = ["BOT_NAMES", "NetBot", "bot", "load"]
