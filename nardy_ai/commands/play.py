"""`nardy play`: a game against a bot in the terminal, or on a page."""

from __future__ import annotations

import secrets
import sys
from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

from nardy_ai import core
from nardy_ai.core import InputError


@dataclass
class Command:
    """Play one game against a bot in the terminal, or matches on a page (--web).

    You see the board from your side and write plays such as `24/20 13/11`; `help` lists what else can be
    written: plays, hint, undo, board, quit. Lines can be piped in. With --web it is a page in the browser.

    Example: nardy play runs/long-quick/model.safetensors
    """

    bot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[BOT]")] = "greedy"
    """A model file, or `greedy`, `random`, `pubeval`, `gnubg:0`, `gnubg-program:0`, `sage:0`,
    `program:COMMAND`."""

    game: Annotated[str | None, tyro.conf.arg(metavar="GAME", help_behavior_hint="")] = None
    """Game or profile; by default the bot's own, else long."""

    seat: Literal["first", "second"] = "first"
    """Whether you start."""

    seed: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Seed of the dice, to play the same rolls again; by default a new one."""

    web: bool = False
    """Play on a page in the browser, with a model file; the page asks for rules, level and seed."""

    port: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Port of the page; by default 8642, or a free one where that is in use."""

    open: bool = True
    """Open the browser with the page."""

    def run(self) -> int:
        """Plays the game."""
        if self.web:
            return self._play_on_page()
        if self.port is not None or not self.open:
            raise InputError("--port and --no-open belong to the page: give --web too")
        from nardy_ai.bots import bot
        from nardy_ai.commands.terminal_game import HELP, Quit, TerminalGame
        from nardy_ai.rules import Game

        opponent = bot(self.bot, self.game)
        usual = opponent.game or opponent.usual_game or Game("long")
        game = Game(self.game) if self.game is not None else usual
        opponent.player(game)
        seed = self._seed()
        interactive = sys.stdin.isatty()
        table = TerminalGame(
            game,
            opponent,
            seed=seed,
            seat=0 if self.seat == "first" else 1,
            read=_read,
            say=print,
            forgiving=interactive,
        )
        print(f"{game.name} against {opponent.name}, seed {seed}")
        if interactive:
            print(HELP)
        try:
            outcome = table.play()
        except (Quit, KeyboardInterrupt) as left:
            print(f"\nleft; the same dice again: --seed {seed}")
            if isinstance(left, KeyboardInterrupt):
                raise
            return 0
        print(f"\n{_verdict(game.core_rules, outcome)}")
        return 0

    def _play_on_page(self) -> int:
        from nardy_ai.commands.page_game import page_model, play_on_page

        if (self.game, self.seat, self.seed) != (None, "first", None):
            raise InputError("--game, --seat and --seed are for the terminal; the page asks for them")
        model = page_model(None if self.bot == "greedy" else self.bot)
        play_on_page(model, self.port, open_browser=self.open)
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


def _verdict(rules: core.Rules, outcome: str) -> str:
    if outcome == "draw":
        return "a draw"
    who, _, kind = outcome.partition("_")
    points = abs(rules.points[rules.outcomes.index(outcome)])
    shown = f"{kind.replace('_', ' ')}, " if kind else ""
    return f"you {who}: {shown}{points:g} point{'s' * (points != 1)}"
