"""`nardy bench speed`: what the engine costs, beside outside programs."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro

from nardy_ai.commands.console import print_json


@dataclass
class Command:
    """Measure how fast positions are judged, plays found and games played, and say which bars are met.

    Short nardy, random nets of the shapes named (or a model), one thread unless said, CPU seconds, medians of
    interleaved rounds. Exit code 1 where a bar was measured and missed. With --loss a second table says what
    a trained model and the peers lose a decision beside the CPU time of each: a minute of CPU or two.

    Example: nardy bench speed --peers --loss checkpoints/short.safetensors
    """

    peers: bool = False
    """Also measure every outside program that is installed (gnubg-nn, Open Sage)."""

    model: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """A model of short nardy, measured in every row in place of the random nets."""

    loss: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """A trained model of short nardy: also what it, its filters and the peers lose a decision."""

    decisions: Annotated[int, tyro.conf.arg(metavar="N")] = 200
    """Decisions drawn for --loss, a quarter of them where 2-ply filters are held against wider ones."""

    seconds: Annotated[float, tyro.conf.arg(metavar="X")] = 10.0
    """CPU seconds for each row, shared by its programs."""

    rounds: Annotated[int, tyro.conf.arg(metavar="N")] = 5
    """How often each program is measured."""

    seed: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Seed of nets, positions and games."""

    json: bool = False
    """One JSON object instead of the table."""

    def run(self) -> int:
        """Measures and prints the table."""
        from nardy_ai.bots.peers import peers_found
        from nardy_ai.core import InputError
        from nardy_ai.core.installing import how_to_install_part
        from nardy_ai.evaluation.speed import loss_for_time, measure_speed
        from nardy_ai.models.model_file import read_model

        found = peers_found() if self.peers else ()
        if self.peers and not found:
            raise InputError(f"no outside program is installed: {how_to_install_part('peers')}")
        model, judged = (None if path is None else read_model(path) for path in (self.model, self.loss))
        # Made ready first: what is wrong with it is told before minutes of measuring.
        losses = None if judged is None else loss_for_time(
            judged, name=str(self.loss), peers=found, decisions=self.decisions, seed=self.seed,
            progress=self._tell,
        )  # fmt: skip
        report = measure_speed(
            peers=found, model=model, seconds=self.seconds, rounds=self.rounds, seed=self.seed,
            progress=self._tell,
        )  # fmt: skip
        if losses is not None:
            report = replace(report, losses=losses())
        if self.json:
            print_json(report.as_dict())
        else:
            print(report)
        return 1 if report.missed else 0

    def _tell(self, name: str) -> None:
        if sys.stderr.isatty():
            print(f"measuring {name}", file=sys.stderr)
