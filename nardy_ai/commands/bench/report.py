"""`nardy bench report`: one page about a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from nardy_ai.core import InputError
from nardy_ai.core.whole_files import check_apart

NAME = "report.html"
SUFFIXES = (".html", ".htm")


@dataclass
class Command:
    """Write one HTML page about a run: strength, ladder, losses, learning, speed, how it was made.

    The page needs no network. What it is drawn from lies beside it as JSON, and RUN may be such a file: then
    the page is drawn again. A ladder is taken from RUN/ladder.json; figures of another model are refused.

    Example: nardy bench report runs/long-quick --decisions decisions.json
    """

    run_folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run's folder, or the JSON file of a page."""

    decisions: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """What `nardy bench decisions MODEL --json` printed."""

    speed: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """What `nardy bench speed --json` printed."""

    model: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """The run's model that the page is about; by default its newest."""

    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """The page; by default report.html in RUN, or beside the JSON file."""

    def run(self) -> int:
        """Gathers, draws and writes, and prints the page in short."""
        from nardy_ai.evaluation.report import gather, page, read_report, report_bytes, summary
        from nardy_ai.export.place import check_outside_exports
        from nardy_ai.training.machine import machine_facts

        redrawn = self.run_folder.is_file()
        out = self._place(redrawn)
        stored = out.with_suffix(".json")
        check_outside_exports(out)
        for place in (out, *(() if redrawn else (stored,))):
            check_apart(place, (self.run_folder, self.decisions, self.speed, self.model))
        if redrawn:
            self._check_alone()
            report = read_report(self.run_folder)
            _write(out, page(report).encode())
        else:
            _check_replaceable(stored)
            report = gather(
                self.run_folder,
                machine_facts(),
                decisions=self.decisions,
                speed=self.speed,
                model=self.model,
            )
            drawn = page(report).encode()
            _write(stored, report_bytes(report))
            _write(out, drawn)
        print(summary(report))
        also = "" if redrawn else f" and {stored.name}"
        print(f"\nwrote {out} ({out.stat().st_size // 1024:,} KB){also}")
        return 0

    def _place(self, redrawn: bool) -> Path:
        if self.out is None:
            return self.run_folder.with_suffix(SUFFIXES[0]) if redrawn else self.run_folder / NAME
        if self.out.suffix.lower() not in SUFFIXES:
            raise InputError(f"--out is {self.out}: give a name that ends in .html")
        if self.out.is_dir():
            raise InputError(f"--out is {self.out}, which is a folder: name a file in it")
        return self.out

    def _check_alone(self) -> None:
        for option in ("decisions", "speed", "model"):
            if getattr(self, option) is not None:
                raise InputError(f"--{option} goes with a run folder, and {self.run_folder} is a stored page")


def _check_replaceable(stored: Path) -> None:
    """Raises InputError where the page's data would take the place of a file of another kind."""
    from nardy_ai.evaluation.report import is_report
    from nardy_ai.evaluation.report.record import read_bytes

    if stored.exists() and not is_report(read_bytes(stored, "file")):
        raise InputError(
            f"{stored} is no report and would be overwritten by the page's data: give --out another name"
        )


def _write(path: Path, data: bytes) -> None:
    from nardy_ai.models.tensor_file import write_file

    try:
        write_file(path, data, durable=False)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} can't be written ({reason}): name another place by --out") from None
