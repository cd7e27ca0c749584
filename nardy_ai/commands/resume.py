"""`nardy resume`: go on with a run that was stopped or killed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from nardy_ai.commands.train import Backend, address_of, finish, quiet, shows_bar


@dataclass
class Command:
    """Go on with a run that was stopped or killed, bit for bit as if it had not been.

    Example: nardy resume runs/long-quick
    """

    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run folder."""

    workers: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """How many play; by default the config's, or one a core. The result does not depend on it."""

    backend: Annotated[Backend, tyro.conf.arg(help_behavior_hint="")] = "threads"
    """Where they play: threads here, or processes on a Ray cluster that runs already."""

    ray_address: Annotated[str | None, tyro.conf.arg(metavar="HOST:PORT", help_behavior_hint="")] = None
    """Head of that cluster; by default $RAY_ADDRESS, or the cluster this machine belongs to."""

    json: bool = False
    """One JSON object at the end instead of lines on the way."""

    def run(self) -> int:
        """Trains what is left."""
        from nardy_ai.commands.judging import gate, judge
        from nardy_ai.training.run_folder import RunFolder

        # First what needs no PyTorch, whose loading takes seconds.
        ray = address_of(self.backend, self.ray_address)
        RunFolder.open(self.folder)
        from nardy_ai.training.loop import resume

        return finish(
            lambda: resume(
                self.folder,
                workers=self.workers,
                ray=ray,
                judge=judge,
                gate=gate,
                progress=shows_bar(self.json),
                say=quiet if self.json else print,
            ),
            self.folder,
            self.json,
        )
