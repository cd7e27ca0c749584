"""`nardy ladder`: the checkpoints of a run and the standing opponents on one scale."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from nardy_ai.commands.console import print_json
from nardy_ai.core import InputError
from nardy_ai.core.installing import how_to_install_part

if TYPE_CHECKING:
    from nardy_ai.evaluation.ladder_file import Ladder
    from nardy_ai.evaluation.run_ladder import Contender
    from nardy_ai.rules import Game
    from nardy_ai.training.run_folder import RunFolder

FILE, PICTURE = "ladder.json", "ladder"


@dataclass
class Command:
    """Put the checkpoints of a run and the standing opponents on one scale.

    Plays what is missing in RUN/ladder.json, so that every call only adds; prints the table and draws
    RUN/ladder.png. Each checkpoint meets the two before it and the standing opponents; greedy stands at 0.

    Example: nardy ladder runs/long-quick --pairs 500
    """

    run_folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run's folder."""

    pairs: Annotated[int, tyro.conf.arg(metavar="N")] = 250
    """Pairs that each two shall have played."""

    checkpoints: Annotated[int, tyro.conf.arg(metavar="N")] = 12
    """At most so many checkpoints, spread over the run; the newest is among them."""

    against: Annotated[list[str], tyro.conf.arg(metavar="BOT", help_behavior_hint="")] = field(
        default_factory=list
    )
    """More opponents beside random, greedy and, in short nardy, pubeval."""

    seed: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Seed of a new ladder's dice, by default 1."""

    threads: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Threads; by default one a core. The result does not depend on it."""

    picture: Annotated[Literal["png", "svg", "none"], tyro.conf.arg(metavar="png|svg|none")] = "png"
    """The picture's format; it needs matplotlib."""

    redraw: bool = False
    """Play nothing; table and picture of what ladder.json holds."""

    json: bool = False
    """One JSON object instead of the table."""

    def run(self) -> int:
        """Plays, prints and draws."""
        from nardy_ai.evaluation.ladder_file import read_ladder, write_ladder
        from nardy_ai.evaluation.run_ladder import meetings, play_missing
        from nardy_ai.rules import Game
        from nardy_ai.training.run_folder import RunFolder

        folder = RunFolder.open(self.run_folder)
        path = self.run_folder / FILE
        if self.redraw:
            return self._show(read_ladder(path))
        if self.checkpoints < 1:
            raise InputError(f"--checkpoints is {self.checkpoints}: give at least 1")
        game = Game(folder.read_config().game)
        standing = _standing(game, self.against)
        ladder = self._begun(path, game, standing)
        own = _spread(_checkpoints(folder, game), self.checkpoints)
        try:
            play_missing(
                ladder,
                [*own, *standing],
                meetings(own, standing),
                game,
                self.pairs,
                lambda now: write_ladder(path, now),
                threads=self.threads,
            )
        except KeyboardInterrupt:
            print(f"nardy: stopped; the same command goes on from {path}", file=sys.stderr)
            self._show(ladder)
            return 1
        return self._show(ladder)

    def _begun(self, path: Path, game: Game, standing: list[Contender]) -> Ladder:
        """The ladder that is there, or a new one."""
        from nardy_ai.evaluation.ladder_file import read_ladder
        from nardy_ai.evaluation.run_ladder import check_fits, new_ladder

        if self.seed is not None and not 0 <= self.seed < 2**63:
            raise InputError(f"seed is {self.seed}: give a number from 0 to {2**63 - 1}")
        if not path.exists():
            anchor = next(one for one in standing if one.name == "greedy")
            return new_ladder(game, 1 if self.seed is None else self.seed, anchor)
        ladder = read_ladder(path)
        check_fits(ladder, str(path), game, self.seed)
        return ladder

    def _show(self, ladder: Ladder) -> int:
        from nardy_ai.evaluation.ladder_file import as_report, rated
        from nardy_ai.evaluation.run_ladder import ladder_table

        if self.json:
            print_json(as_report(ladder))
        else:
            print(ladder_table(ladder, rated(ladder)))
        if self.picture != "none":
            self._draw(ladder)
        return 0

    def _draw(self, ladder: Ladder) -> None:
        from nardy_ai.evaluation.ladder_plot import ladder_picture
        from nardy_ai.models.tensor_file import write_file

        path = self.run_folder / f"{PICTURE}.{self.picture}"
        try:
            assert self.picture != "none"
            data = ladder_picture(ladder, str(self.run_folder), self.picture)
        except ModuleNotFoundError:
            # Redrawing is asked for the picture; otherwise the ladder itself is there, and worth it.
            if self.redraw:
                raise
            print(
                "nardy: there is no picture, for it needs the package matplotlib: "
                f"{how_to_install_part('plots')}, then add --redraw",
                file=sys.stderr,
            )
            return
        write_file(path, data)
        print(f"nardy: drew {path}", file=sys.stderr)


def _standing(game: Game, more: list[str]) -> list[Contender]:
    """The opponents that stay the same from run to run, and those that were asked for."""
    from nardy_ai.bots import bot
    from nardy_ai.evaluation.run_ladder import Contender

    names = ["random", "greedy", *(["pubeval"] if _plays_pubeval(game) else []), *more]
    found = {made.fingerprint: Contender(made, name) for name in names for made in [bot(name, game)]}
    return list(found.values())


def _plays_pubeval(game: Game) -> bool:
    from nardy_ai.bots import bot

    try:
        bot("pubeval", game)
    except InputError:
        return False
    return True


def _checkpoints(folder: RunFolder, game: Game) -> list[Contender]:
    """The run's models by round, each weights once. Raises InputError where there is none."""
    from nardy_ai.bots import NetBot
    from nardy_ai.bots.bot import fingerprint_of
    from nardy_ai.evaluation.run_ladder import Contender
    from nardy_ai.models.model_file import read_model

    files = sorted(folder.milestones.glob("round-*.safetensors")) if folder.milestones.is_dir() else []
    files += [folder.folder_of(number) / "model.safetensors" for number in folder.rounds()]
    files += [folder.model] if folder.model.is_file() else []
    found: dict[str, Contender] = {}
    for path in files:
        try:
            model = read_model(path)
        except InputError:
            if path.exists():
                raise
            # A run that goes on has put a newer checkpoint in its place.
            continue
        weights = fingerprint_of(
            *(array.tobytes() for layers in model.nets.values() for layer in layers for array in layer)
        )
        rounds = int(model.provenance.get("rounds", 0))
        if rounds > 0:
            name = f"round {rounds}"
            found.setdefault(weights, Contender(NetBot(model, game, name=name), name, rounds))
    if not found:
        raise InputError(f"{folder.path} has no checkpoint that has learned: wait for one, then ask again")
    return sorted(found.values(), key=lambda one: one.round or 0)


def _spread(contenders: list[Contender], most: int) -> list[Contender]:
    """At most so many, evenly over the run and with the newest."""
    if len(contenders) <= most:
        return contenders
    last = len(contenders) - 1
    places = {last - round(i * last / max(most - 1, 1)) for i in range(most)}
    return [contenders[place] for place in sorted(places)]
