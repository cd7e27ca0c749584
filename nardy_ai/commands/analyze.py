"""`nardy analyze`: every play of recorded games graded, or the plays of one position ranked."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from nardy_ai.core import InputError
from nardy_ai.core.whole_files import check_apart, check_writable, plain_place, whole_file

if TYPE_CHECKING:
    from nardy_ai.bots import NetBot
    from nardy_ai.rules import Game, MatGames, Play, Position
    from nardy_ai.rules.dice import Dice

MAT_SUFFIX, MODEL_SUFFIX = ".mat", ".safetensors"
MOST_BOARDS = 1000


@dataclass
class Command:
    """Grade every play of recorded games (.mat files or folders of them) by a model, or one position's plays.

    Shows what each player lost, in thousandths of a point a decision and as PR, luck, and the worst plays.
    --out writes a page with boards, --json everything. Worths are cubeless; doubles, takes and drops are
    judged as if the cube were dead once it is turned.

    Example: nardy analyze match.mat --plies 2 --out report.html
    """

    files: Annotated[
        tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[FILE.mat ...]", help_behavior_hint="")
    ] = ()
    """Records, or folders with records."""

    model: Annotated[Path | None, tyro.conf.arg(metavar="MODEL", help_behavior_hint="")] = None
    """The model that judges; by default the one in checkpoints/."""

    plies: Annotated[Literal[0, 1, 2], tyro.conf.arg(metavar="N")] = 0
    """How deep plays are judged, 0 to 2."""

    game: Annotated[
        str | None, tyro.conf.arg(metavar="GAME", aliases=("--profile",), help_behavior_hint="")
    ] = None
    """Game or profile; by default as the records say."""

    position: Annotated[str | None, tyro.conf.arg(metavar="ID", help_behavior_hint="")] = None
    """Instead of files a position: `<id>:<seat>:<turns>`, ID, XGID, `start`."""

    dice: Annotated[tuple[int, int] | None, tyro.conf.arg(metavar="N N", help_behavior_hint="")] = None
    """The roll of --position."""

    play: Annotated[str | None, tyro.conf.arg(metavar="PLAY", help_behavior_hint="")] = None
    """A play of --position to grade, such as "8/5 6/5"."""

    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE.html", help_behavior_hint="")] = None
    """Where the page goes."""

    json: Annotated[str | None, tyro.conf.arg(metavar="FILE.json", help_behavior_hint="")] = None
    """Where everything goes as JSON; - prints it."""

    boards: Annotated[int, tyro.conf.arg(metavar="N")] = 40
    """How many of the worst plays the page draws."""

    encoding: Annotated[str | None, tyro.conf.arg(metavar="X", help_behavior_hint="")] = None
    """Encoding of the records, such as cp1251; else UTF-8."""

    threads: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Threads; by default one a core. No result depends on it."""

    def run(self) -> int:
        """Analyses and reports."""
        self._check()
        return self._position() if self.position is not None else self._files()

    def _check(self) -> None:
        if self.position is None and not self.files:
            raise InputError("name a .mat file or a folder, or a position by --position")
        if self.position is not None and self.files:
            raise InputError("files and --position do not go together: name one or the other")
        if self.position is None and (self.dice is not None or self.play is not None):
            raise InputError("--dice and --play belong to --position")
        if not 0 <= self.boards <= MOST_BOARDS:
            raise InputError(f"boards is {self.boards}: give a number from 0 to {MOST_BOARDS}")
        if self.threads is not None and not 1 <= self.threads <= 1024:
            raise InputError(f"threads is {self.threads}: give a number from 1 to 1024")
        from nardy_ai.export.place import check_outside_exports

        places = [Path(place) for place in (self.out, self.json) if place is not None and str(place) != "-"]
        for place in places:
            if not plain_place(place).parent.is_dir():
                raise InputError(f"{place} cannot be written: there is no folder {place.parent}")
            check_outside_exports(place)
        if len({plain_place(place) for place in places}) < len(places):
            raise InputError(f"--out and --json both name {places[0]}: give two files")
        for place in places:
            check_apart(place, (*self.files, *self._in_folders(), self.model))
            if place.suffix.lower() in (MAT_SUFFIX, MODEL_SUFFIX):
                raise InputError(
                    f"{place} has the name of a record or a model: give a page or JSON a name of its own, "
                    "such as report.html"
                )
            check_writable(place)

    def _in_folders(self) -> list[Path]:
        folders = [named for named in self.files if named.is_dir()]
        return [file for folder in folders for file in folder.iterdir() if file.suffix.lower() == MAT_SUFFIX]

    # --- files ------------------------------------------------------------------------------------------

    def _files(self) -> int:
        from nardy_ai.evaluation.analysis import analyse, page, summary

        read, skipped = self._read()
        bot = self._bot(read[0][1].game)
        self._tell_of_rules(bot, read)
        analysis = analyse(
            read,
            bot,
            plies=self.plies,
            threads=self._threads(),
            skipped=skipped,
        )
        if not any(game.turns for _, game in analysis.games):
            raise InputError(analysis.faults[0][2] if analysis.faults else "the records hold no play")
        self._write(lambda: page(analysis, self.boards), analysis.as_dict(), lambda: summary(analysis))
        wrong = len(skipped) + len(analysis.faults)
        if wrong:
            print(
                f"nardy: WARNING: {wrong} place{'s' * (wrong != 1)} could not be read; the rest was analysed",
                file=sys.stderr,
            )
        return 1 if wrong else 0

    def _read(self) -> tuple[list[tuple[str, MatGames]], list[tuple[str, str]]]:
        """What the files hold; of several, those that cannot be read are left out with the reason."""
        from nardy_ai.rules import Game, read_mat_games

        game = None if self.game is None else Game(self.game)
        read: list[tuple[str, MatGames]] = []
        skipped: list[tuple[str, str]] = []
        for path in self._paths():
            if path not in self.files and path.exists() and not path.is_file():
                # A pipe that lies in a folder would be waited for without end.
                skipped.append((str(path), "it is no plain file"))
                continue
            try:
                read.append((str(path), read_mat_games(path, game, encoding=self.encoding)))
            except InputError as error:
                skipped.append((str(path), str(error)))
        if not read:
            name, reason = skipped[0]
            raise InputError(reason if name in reason else f"{name}: {reason}")
        return read, skipped

    def _paths(self) -> list[Path]:
        found: dict[str, Path] = {}
        for named in self.files:
            inside = [named]
            if named.is_dir():
                inside = sorted(file for file in named.iterdir() if file.suffix.lower() == MAT_SUFFIX)
                if not inside:
                    raise InputError(f"{named} holds no {MAT_SUFFIX} file")
            for path in inside:
                found.setdefault(os.path.realpath(path), path)
        return list(found.values())

    def _tell_of_rules(self, bot: NetBot, read: list[tuple[str, MatGames]]) -> None:
        others = dict.fromkeys(
            games.game.name
            for _, games in read
            if games.game.core_rules != bot.game.core_rules
            and (games.game.family, games.game.checkers) == (bot.game.family, bot.game.checkers)
        )
        for name in others:
            print(
                f"nardy: {bot.name} was trained for {bot.game.name} and judges by the rules of {name}",
                file=sys.stderr,
            )

    # --- a position -------------------------------------------------------------------------------------

    def _position(self) -> int:
        from nardy_ai.evaluation.analysis import analyse_position, position_page
        from nardy_ai.rules.dice import dice_pair

        assert self.position is not None
        pos, dice = self._placed(self.position)
        if self.dice is not None:
            dice = dice_pair(self.dice)
        if dice is None:
            raise InputError("say what was rolled: --dice 3 1")
        if pos.finished:
            raise InputError(f"the game is over ({pos.result} for the player on roll)")
        played = self._played(pos, dice)
        analysis = analyse_position(self._bot(pos.game), pos, dice, played, plies=self.plies)
        self._write(lambda: position_page(analysis), analysis.as_dict(), lambda: str(analysis))
        return 0

    def _placed(self, text: str) -> tuple[Position, Dice | None]:
        from nardy_ai.bots import load
        from nardy_ai.rules import Game, read_xgid

        if text.upper().startswith("XGID="):
            state = read_xgid(text)
            return state.position, state.dice
        if self.game is None and self.model is None:
            raise InputError("say which game the position is of: --game long or --game short")
        game = Game(self.game) if self.game is not None else load(self.model or "").game
        return (game.start() if text == "start" else game.position(text)), None

    def _played(self, pos: Position, dice: Dice) -> Play | None:
        return None if self.play is None else pos.game.play(pos, dice, self.play)

    # --- both -------------------------------------------------------------------------------------------

    def _threads(self) -> int:
        return (os.cpu_count() or 1) if self.threads is None else self.threads

    def _bot(self, game: Game) -> NetBot:
        """The model that was named, or the one that comes with the repository for this game."""
        from nardy_ai.bots import load
        from nardy_ai.evaluation.analysis.shipped import shipped_model

        model = shipped_model(game) if self.model is None else self.model
        for place in (self.out, self.json):
            if place not in (None, "-"):
                check_apart(Path(str(place)), [model])
        return load(model)

    def _write(self, page: Callable[[], str], report: Mapping[str, Any], text: Callable[[], str]) -> None:
        """Files first, so that what is printed tells of files that are there."""
        told = json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False)
        if self.out is not None:
            _write_whole(self.out, page())
        if self.json not in (None, "-"):
            _write_whole(Path(str(self.json)), told + "\n")
        print(told if self.json == "-" else text())
        if self.json != "-":
            for place in (self.out, self.json):
                if place is not None:
                    print(f"wrote {place}")


def _write_whole(path: Path, text: str) -> None:
    with whole_file(path, durable=False) as file:
        # Half a pair of surrogates, which a name may hold, has no place in a file.
        file.write(text.encode(errors="replace"))
