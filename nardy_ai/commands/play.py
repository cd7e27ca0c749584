"""`nardy play`: a game against a bot in the terminal, or on a page."""

from __future__ import annotations

import secrets
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from nardy_ai.core import InputError

if TYPE_CHECKING:
    from nardy_ai.bots import Bot


@dataclass
class Command:
    """Play a game or a match against a bot in the terminal, or on a page (--web).

    You see the board from your side and write plays such as `24/20 13/11`; `help` lists what else can be
    written: plays, hint, cost, undo, board, score, save, quit. Lines can be piped in. With --web it is a
    page in the browser.

    Example: nardy play runs/long-quick/model.safetensors --level 3
    """

    bots: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[BOT ...]")] = ()
    """A model file, or `greedy` (the default), `random`, `pubeval`, `gnubg:0`, `gnubg-program:0`, `sage:0`,
    `program:COMMAND`; with --web model files, by default the quick ones of both games."""

    game: Annotated[str | None, tyro.conf.arg(metavar="GAME", help_behavior_hint="")] = None
    """Game or profile; by default the bot's own, else long."""

    level: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """How well it plays, 1 (weakest) to 10; hints are by all it can do."""

    length: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """A match to N points, without the cube; by default a single game."""

    seat: Literal["first", "second"] = "first"
    """Whether you start."""

    lang: Literal["en", "ru"] = "en"
    """Language: English or Russian."""

    record: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """Write what is played into FILE, a .mat that other programs read."""

    seed: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Seed of the dice, to play the same rolls again; by default a new one."""

    web: bool = False
    """Play on a page in the browser; the page asks for bot, rules, level and seed."""

    port: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Port of the page; by default 8642, or a free one where that is in use."""

    open: bool = True
    """Open the browser with the page."""

    def run(self) -> int:
        """Plays."""
        if self.web:
            return self._play_on_page()
        if self.port is not None or not self.open:
            raise InputError("--port and --no-open belong to the page: give --web too")
        if len(self.bots) > 1:
            raise InputError(f"the terminal has one bot, not {len(self.bots)}: name one, or give --web")
        return self._play_in_terminal()

    def _play_in_terminal(self) -> int:
        from nardy_ai.bots import bot
        from nardy_ai.commands.terminal_game import Quit, TerminalGame
        from nardy_ai.commands.terminal_words import TerminalWords
        from nardy_ai.rules import Game

        full = bot(self.bots[0] if self.bots else "greedy", self.game)
        usual = full.game or full.usual_game or Game("long")
        game = Game(self.game) if self.game is not None else usual
        opponent, judge = self._sides(full)
        opponent.player(game)
        seed, words = self._seed(), TerminalWords(self.lang)
        interactive = sys.stdin.isatty()
        table = TerminalGame(
            game,
            opponent,
            seed=seed,
            seat=0 if self.seat == "first" else 1,
            read=_read,
            say=print,
            forgiving=interactive,
            judge=judge,
            lang=self.lang,
            length=self.length,
            record=self.record,
        )
        print(words("against", game=game.name, bot=opponent.name, seed=seed))
        if interactive:
            print(words("help"))
        try:
            table.play()
        except (Quit, KeyboardInterrupt) as left:
            print("\n" + words("left", seed=seed))
            if isinstance(left, KeyboardInterrupt):
                raise
        return 0

    def _sides(self, named: Bot) -> tuple[Bot, Bot]:
        """Who is played against, and who gives hints: the bot at its level, and at its best."""
        from nardy_ai.bots import Levelled, at_level
        from nardy_ai.core import LEVELS

        told = getattr(named, "level", None)
        if None not in (told, self.level):
            raise InputError(f"{named.name} is at level {told} already: leave out --level, or the #{told}")
        opponent = named if self.level is None else at_level(named, self.level)
        if getattr(opponent, "level", None) is None:
            return opponent, opponent
        assert isinstance(opponent, Levelled)
        return opponent, opponent.at_level(LEVELS)

    def _play_on_page(self) -> int:
        from nardy_ai.commands.page_game import page_models, play_on_page

        chosen = self.game, self.level, self.length, self.seat, self.lang, self.record, self.seed
        if chosen != (None, None, None, "first", "en", None, None):
            raise InputError(
                "--game, --level, --length, --seat, --lang, --record and --seed are for the terminal; the "
                "page asks for what it needs"
            )
        play_on_page(page_models(self.bots), self.port, open_browser=self.open)
        return 0

    def _seed(self) -> int:
        if self.seed is None:
            return secrets.randbelow(10**9)
        if not 0 <= self.seed < 2**64:
            raise InputError(f"--seed {self.seed} must be a whole number from 0 to 2^64 - 1")
        return self.seed


def _read(prompt: str) -> str | None:
    try:
        line = input(prompt)
    except EOFError:
        return None
    if not sys.stdin.isatty():
        # What was piped in is not on the screen, so it is put there.
        print(line)
    return line
