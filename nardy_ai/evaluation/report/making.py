"""The sections of the page that say what a run cost and how it was made."""

from __future__ import annotations

import shlex
import statistics

from nardy_ai.evaluation.report.markup import (
    beside,
    code,
    figure,
    folded,
    heading,
    missing,
    paragraph,
    preformatted,
    table,
)
from nardy_ai.evaluation.report.plots import speed_plot
from nardy_ai.evaluation.report.record import Report, Speed, Start, Stretch
from nardy_ai.evaluation.report.words import duration, quantity

__all__ = ["made_section", "speed_section"]

_OURS = "nardy-ai"


def speed_section(report: Report) -> list[str]:
    """Speed of the run, and of the engine where it was measured."""
    lines = [heading("Speed")]
    if any(value is not None for value in report.rounds.speed):
        lines.append(
            beside(
                figure(
                    speed_plot(report),
                    "Games played and learned a second, on the clock. Line: mean over neighbouring rounds; "
                    "shade: single rounds.",
                ),
                _phase_speeds(report),
            )
        )
    else:
        lines.append(paragraph("The run has no log of speeds.", kind="soft"))
    lines.append(heading("The engine", 3))
    if report.speed is None:
        short = report.model is not None and report.game.startswith("short")
        model = f" --model {shlex.quote(report.model.file)}" if report.model and short else ""
        lines.append(
            missing(
                "No speeds of the engine: they are measured by",
                f"nardy bench speed{model} --json > speed.json",
                f"nardy bench report {shlex.quote(report.run)} --speed speed.json",
            )
        )
    else:
        lines += _engine(report.speed)
    return lines


def _phase_speeds(report: Report) -> str:
    head = ("phase", "games/s, median", "time", "CPU time", "learner's share")
    return table(head, [_phase_speed(report, phase) for phase in report.phases], "tnnnn")


def _phase_speed(report: Report, phase: Stretch) -> tuple[str, ...]:
    rows = slice(phase.first - 1, phase.last)
    speeds = [value for value in report.rounds.speed[rows] if value is not None]
    shares = [value for value in report.rounds.learner_share[rows] if value is not None]
    return (
        phase.name,
        quantity(statistics.median(speeds)) if speeds else "not logged",
        duration(_spent(report.rounds.seconds, phase)),
        duration(_spent(report.rounds.cpu, phase)),
        f"{100 * statistics.mean(shares):.0f} %" if shares else "not logged",
    )


def _spent(sums: list[float | None], phase: Stretch) -> float | None:
    last, before = sums[phase.last - 1], sums[phase.first - 2] if phase.first > 1 else 0.0
    return None if last is None or before is None else last - before


def _engine(speed: Speed) -> list[str]:
    programs = list(dict.fromkeys([_OURS, *(name for row in speed.rows for name in row.rates)]))
    rows = [
        (row.name, *(quantity(row.rates[name]) if name in row.rates else "–" for name in programs), row.unit)
        for row in speed.rows
    ]
    whose = (
        f"The model {speed.model.name} (hash {speed.model.hash})."
        if speed.model is not None
        else "Nets of the shapes named in the rows, not known to be the model of this page."
    )
    return [
        paragraph(
            f"Short nardy, units a CPU second of one thread, medians of {speed.rounds} rounds, "
            f"{speed.seconds:g} s a row, seed {speed.seed}, nardy-ai {speed.version}, kernels "
            f"{speed.kernels}.",
            whose,
        ),
        table(("", *programs, "unit"), rows, "t" + "n" * len(programs) + "t"),
    ]


def made_section(report: Report) -> list[str]:
    """Hardware, versions and command lines of the run and of the page, and the config."""
    lines = [heading("How it was made"), heading("The run", 3)]
    if report.starts:
        for start in report.starts:
            did = "Begun" if not start.round else f"Gone on with after round {start.round:,}"
            lines += [code(f"{did}:", start.command), _facts(start)]
    else:
        lines.append(
            missing(
                "The run has no record of its machine and command line: an older version made it. It was "
                "begun by a command like this:",
                f"nardy train CONFIG --run {shlex.quote(report.run)}",
            )
        )
    if report.model is not None and report.model.version:
        commit = f", commit {report.model.commit}" if report.model.commit else ""
        lines.append(paragraph(f"Made by nardy-ai {report.model.version}{commit}."))
    return [
        *lines,
        folded("Its config", preformatted(report.config)),
        heading("This page", 3),
        code(f"Written {report.time} by", report.written.command),
        _facts(report.written),
        code("The JSON file beside it draws it again, without the run:", "nardy bench report report.json"),
    ]


def _facts(start: Start) -> str:
    memory = "" if start.memory_bytes is None else f", {start.memory_bytes / 2**30:.0f} GiB of memory"
    rows = [
        ("machine", f"{start.processor or 'unknown processor'}, {start.cores} cores{memory}, {start.system}"),
        ("engine", f"kernels {start.kernels}"),
        ("versions", ", ".join(f"{name} {found or 'unknown'}" for name, found in start.versions.items())),
    ]
    if start.device is not None:
        rows.append(
            ("learner", f"on {start.device}, threads: {start.learner_threads}; workers: {start.workers}")
        )
    return table(("", ""), rows, "kw")
