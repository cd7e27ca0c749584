"""`nardy train`: a bot from a config."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import tyro

from nardy_ai.commands.console import print_json
from nardy_ai.core import InputError

if TYPE_CHECKING:
    from nardy_ai.training.config import TrainingConfig
    from nardy_ai.training.loop import TrainingResult

Backend: TypeAlias = Literal["threads", "ray"]


@dataclass
class Command:
    """Train a bot from a config, into a run folder of its own.

    Ctrl-C stops it at a place from which `nardy resume` goes on bit for bit.

    Example: nardy train configs/short-quick.toml
    """

    config: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="CONFIG")]
    """The config, a TOML file; the repository's own are in configs/."""

    run_folder: Annotated[Path | None, tyro.conf.arg(name="run", metavar="DIR", help_behavior_hint="")] = None
    """The run folder, which must not exist yet; by default runs/ and the config's name."""

    workers: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """How many play; by default the config's, or one a core. The result does not depend on it."""

    backend: Annotated[Backend, tyro.conf.arg(help_behavior_hint="")] = "threads"
    """Where they play: threads here, or processes on a Ray cluster that runs already."""

    ray_address: Annotated[str | None, tyro.conf.arg(metavar="HOST:PORT", help_behavior_hint="")] = None
    """Head of that cluster; by default $RAY_ADDRESS, or the cluster this machine belongs to."""

    dry_run: bool = False
    """Print the plan with an estimate of time and disk, and do nothing."""

    json: bool = False
    """One JSON object at the end instead of lines on the way."""

    def run(self) -> int:
        """Trains until the config is done."""
        from nardy_ai.commands.judging import check_opponents, gate, judge
        from nardy_ai.training.config import read_config

        config = read_config(self.config)
        check_opponents(config)
        ray = address_of(self.backend, self.ray_address)
        if self.dry_run:
            return self._show_plan(config, ray)
        folder = self.run_folder if self.run_folder is not None else Path("runs") / self.config.stem

        # Last, because this loads PyTorch: faults of the config are told at once.
        from nardy_ai.training.loop import train

        return finish(
            lambda: train(
                config,
                folder,
                workers=self.workers,
                ray=ray,
                judge=judge,
                gate=gate,
                progress=shows_bar(self.json),
                say=quiet if self.json else print,
            ),
            folder,
            self.json,
        )

    def _show_plan(self, config: TrainingConfig, ray: str | None) -> int:
        if ray is not None and not (self.workers or config.workers):
            raise InputError("a plan does not ask the Ray cluster; say how many play there with --workers")
        from nardy_ai.training.plan import plan

        found = plan(config, workers=self.workers, elsewhere="" if ray is None else "on the Ray cluster")
        if self.json:
            print_json(found.as_dict())
        else:
            print(found)
        return 0


def address_of(backend: Backend, address: str | None) -> str | None:
    """The address of the Ray cluster to play on; None for threads."""
    if backend == "ray":
        return address if address is not None else "auto"
    if address is not None:
        raise InputError("--ray-address is for --backend ray; add that, or leave the address out")
    return None


def quiet(line: str) -> None:
    """Takes a line and shows nothing."""


def shows_bar(json: bool) -> bool:
    """Whether there is somebody to look at a bar."""
    return not json and sys.stderr.isatty()


def finish(training: Callable[[], TrainingResult], folder: Path, json: bool) -> int:
    """Runs the training; a second Ctrl-C, which leaves at once, still says how to go on."""
    try:
        result = training()
    except KeyboardInterrupt:
        if (folder / "checkpoints").is_dir():
            print(f"\nnardy: stopped at once; go on with: nardy resume {folder}", file=sys.stderr)
            return 1
        raise
    if json:
        print_json(_report(result))
    return 0 if result.finished else 1


def _report(result: TrainingResult) -> dict[str, Any]:
    return {
        "run": str(result.run),
        "finished": result.finished,
        "rounds": result.rounds,
        "games": result.games,
        "model": None if result.model is None else str(result.model),
        "strength": [asdict(line) for line in result.strength],
    }
