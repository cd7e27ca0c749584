"""The page: one HTML file that needs no script and asks nothing of the network."""

from __future__ import annotations

import shlex
from html import escape

from nardy_ai.evaluation.report.boards import STYLE, worst_cards
from nardy_ai.evaluation.report.frame import framed
from nardy_ai.evaluation.report.making import made_section, speed_section
from nardy_ai.evaluation.report.markup import beside, figure, folded, heading, missing, paragraph, table
from nardy_ai.evaluation.report.plots import decision_plot, ladder_plot, loss_plot, several, strength_plot
from nardy_ai.evaluation.report.record import Decisions, Ladder, Measured, Place, Report
from nardy_ai.evaluation.report.words import (
    duration,
    interval,
    last_of_each,
    opponents,
    points,
    range_of,
)

__all__ = ["page"]


def page(report: Report) -> str:
    """The page of a report; the same report gives the same page.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    body = [
        *_head(report),
        *_strength_section(report),
        *_ladder_section(report),
        *_decision_section(report),
        *_learning_section(report),
        *speed_section(report),
        *made_section(report),
    ]
    return framed(f"{report.run}: {report.game}", body, STYLE)


def _head(report: Report) -> list[str]:
    rounds, model = report.rounds, report.model
    done = len(rounds.round)
    games = rounds.games[-1] if done else 0
    spent = duration(rounds.seconds[-1]) if done else "0 s"
    cpu = duration(rounds.cpu[-1]) if done else "0 s"
    lines = [
        f"<h1>{escape(report.run)}</h1>",
        paragraph(
            f"{report.game}: {done:,} of {report.planned:,} rounds, {games:,} games; time on the clock "
            f"{spent}, CPU time {cpu}."
        ),
    ]
    if model is None:
        return [*lines, missing("The run has no model yet: wait for its first checkpoint.")]
    return [
        *lines,
        paragraph(
            f"The model of this page: round {model.round:,} ({model.games:,} games), hash {model.hash}, net "
            f"{model.net} ({model.weights:,} weights), {model.file}. Figures of other rounds are marked by "
            "their round."
        ),
    ]


# --- strength --------------------------------------------------------------------------------------------


def _strength_section(report: Report) -> list[str]:
    lines = [heading("Strength")]
    if not report.strengths:
        file = shlex.quote(report.model.file) if report.model else "MODEL"
        return [
            *lines,
            missing(
                "No strength was measured in this run: name opponents in its config, or play a match.",
                f"nardy match {file} greedy --pairs 1000",
            ),
        ]
    lines.append(
        paragraph(
            "Points a game of the run's model, with 95 % intervals from pairs of games (same dice, seats "
            "swapped)."
        )
    )
    lines.append(
        _strength_table(last_of_each(report), "Newest measurement against each opponent, without look-ahead")
    )
    lines.append(_strength_figures(report))
    shown = len(last_of_each(report))
    if len(report.strengths) > shown:
        lines.append(
            folded(f"All {len(report.strengths)} measurements", _strength_table(report.strengths, ""))
        )
    return lines


def _strength_table(measured: list[Measured], caption: str) -> str:
    head = ("opponent", "points", "95 % interval", "pairs", "seed", "round", "won", "games learned", "rules")
    rows = [
        (
            one.opponent,
            points(one.ppg),
            range_of(one),
            f"{one.pairs:,}",
            str(one.seed),
            f"{one.round:,}",
            "not logged" if one.wins is None else f"{100 * one.wins:.1f} %",
            "not logged" if one.games is None else f"{one.games:,}",
            one.game,
        )
        for one in measured
    ]
    return table(head, rows, "tnknnnnnt", caption)


def _strength_figures(report: Report) -> str:
    if not several(report, "games"):
        return paragraph(
            "Every opponent was met once, so there are no curves; `every` in the config's opponents asks for "
            "more measurements.",
            kind="soft",
        )
    parts = [
        figure(strength_plot(report, "games"), "Over games learned from. Bars and bands: 95 % intervals.")
    ]
    over = "cpu" if several(report, "cpu") else "seconds"
    if several(report, over):
        note = (
            "Over CPU time of the run (play, learning and measuring)."
            if over == "cpu"
            else "Over time on the clock: this run's log has no CPU time."
        )
        parts.append(figure(strength_plot(report, over), f"{note} Bars and bands: 95 % intervals."))
    parts.append(_gains(report))
    left = len(opponents(report.strengths)) - len(several(report, "games"))
    if left:
        parts.append(
            paragraph("Opponents met once, and those beyond eight, are in the tables alone.", kind="soft")
        )
    return beside(*parts)


def _gains(report: Report) -> str:
    rows = [
        (name, f"{one.round:,}", points(one.ppg), range_of(one), f"{one.pairs:,}", str(one.seed))
        for name, met in several(report, "games")
        for one in (met[0], met[-1])
    ]
    head = ("opponent", "round", "points", "95 % interval", "pairs", "seed")
    return table(head, rows, "tnnknn", "First and last measurement of the curves")


# --- ladder ----------------------------------------------------------------------------------------------


def _ladder_section(report: Report) -> list[str]:
    lines = [heading("Ladder")]
    ladder = report.ladder
    if ladder is None:
        return [
            *lines,
            missing(
                "No ladder: the run's checkpoints and the standing opponents on one scale are played by",
                f"nardy ladder {shlex.quote(report.run)}",
            ),
        ]
    lines.append(
        paragraph(
            f"Checkpoints and standing opponents of {ladder.game} on one scale, seed {ladder.seed}: points a "
            f"game against {ladder.anchor_name}, which is held at 0, and an Elo-like number above it."
        )
    )
    known = [place for place in ladder.ratings if place.interval is not None]
    parts = []
    if known:
        caption = "Bars and bands: 95 % intervals. Dashed: standing opponents."
        parts.append(figure(ladder_plot(ladder), caption))
    lines.append(beside(*parts, _ladder_table(ladder)))
    hashes = [(place.name, place.hash) for place in ladder.ratings]
    lines.append(folded("Hashes of these bots", table(("bot", "hash"), hashes, "tk")))
    lines += _ladder_notes(report, ladder)
    return lines


def _ladder_table(ladder: Ladder) -> str:
    rows = []
    for place in ladder.ratings:
        held = place.hash == ladder.anchor
        rows.append(
            (
                place.name,
                "none" if place.points is None else points(place.points),
                "held there" if held else interval(place.interval),
                f"{place.pairs:,}",
                "" if place.elo is None else f"{place.elo:+.0f}",
                "" if held or place.elo is None else interval(place.elo_interval, "+.0f"),
            )
        )
    head = ("bot", "points", "95 % interval", "pairs", "Elo", "its interval")
    return table(head, rows, "tnknnk", f"Opponent {ladder.anchor_name}, seed {ladder.seed}")


def _ladder_notes(report: Report, ladder: Ladder) -> list[str]:
    lines = []
    gone = [place.name for place in ladder.ratings if place.kept is False]
    if gone:
        lines.append(
            paragraph(
                f"The run no longer holds the models of {', '.join(gone)}: their hashes were not compared.",
                kind="soft",
            )
        )
    if report.model is not None and not _on_ladder(report, ladder):
        lines.append(
            missing(
                f"The model of this page (round {report.model.round:,}) is not on the ladder; this adds it:",
                f"nardy ladder {shlex.quote(report.run)}",
            )
        )
    return lines


def _on_ladder(report: Report, ladder: Ladder) -> bool:
    def own(place: Place) -> bool:
        return bool(report.model and place.round == report.model.round and place.kept)

    return any(own(place) for place in ladder.ratings)


# --- decisions -------------------------------------------------------------------------------------------


def _decision_section(report: Report) -> list[str]:
    lines = [heading("Loss in single decisions")]
    found = report.decisions
    if found is None:
        file = shlex.quote(report.model.file) if report.model else "MODEL"
        return [
            *lines,
            missing(
                "No decisions: what the model loses by its choice of plays is measured by",
                f"nardy bench decisions {file} --json > decisions.json",
                f"nardy bench report {shlex.quote(report.run)} --decisions decisions.json",
            ),
        ]
    ahead = f"{found.look_ahead}-ply" if found.look_ahead else "0-ply (no look-ahead)"
    judge = found.benchmark.judge
    lines.append(
        paragraph(
            f"{found.bot.name} (hash {found.bot.hash}), {ahead}, in {found.decisions:,} decisions of "
            f"{found.game}, judged by {judge.name} (hash {judge.hash}, net {judge.net}): "
            f"{found.benchmark.trials:,} trials of {found.benchmark.truncate} turns, seed "
            f"{found.benchmark.seed}, hash of the benchmark {found.benchmark.hash or 'unknown'}."
        )
    )
    if found.own_judge:
        lines.append(
            paragraph(
                "Careful: the judge is the very net that is judged, and it finds its own faults good.",
                kind="warn",
            )
        )
    lines.append(
        beside(
            figure(decision_plot(found), "Mean loss a decision by class of positions; bars: 95 % intervals."),
            _decision_table(found),
        )
    )
    if found.worst:
        shown = worst_cards(found) + _worst_table(found)
        lines.append(folded(f"Worst decisions ({len(found.worst)})", shown))
    return lines


def _decision_table(found: Decisions) -> str:
    rows = [
        (
            name,
            f"{part.loss:.2f}",
            interval(part.interval, ".2f"),
            f"{part.decisions:,}",
            f"{part.label_error:.2f}",
            f"{100 * part.best_share:.1f} %",
        )
        for name, part in (*found.classes.items(), ("all", found.total))
    ]
    head = ("class", "loss", "95 % interval", "decisions", "label error", "best play")
    caption = f"Thousandths of a point; decisions drawn anew for the interval, seed {found.seed}"
    return table(head, rows, "tnknnn", caption)


def _worst_table(found: Decisions) -> str:
    rows = [
        (
            wrong.position,
            f"{wrong.dice[0]}-{wrong.dice[1]}",
            wrong.chosen,
            wrong.best,
            f"{wrong.loss:.1f}",
            "estimated by search" if wrong.estimated else f"± {wrong.standard_error:.1f}",
        )
        for wrong in found.worst
    ]
    head = ("position", "roll", "chosen", "best", "loss", "standard error")
    return table(head, rows, "kktknk", "Thousandths of a point")


# --- learning --------------------------------------------------------------------------------------------


def _learning_section(report: Report) -> list[str]:
    lines = [heading("Learning")]
    if not report.rounds.round:
        return [*lines, missing("No round is over yet.", f"nardy resume {shlex.quote(report.run)}")]
    rows = []
    for phase in report.phases:
        losses = report.rounds.loss[phase.first - 1 : phase.last]
        tenth = max(1, min(10, len(losses) // 2))
        rows.append(
            (
                phase.name,
                f"{phase.first:,}–{phase.last:,}",
                f"{report.rounds.games[phase.last - 1]:,}",
                f"{sum(losses[:tenth]) / tenth:.4f}",
                f"{sum(losses[-tenth:]) / tenth:.4f}",
            )
        )
    head = ("phase", "rounds", "games by its end", "loss, first", "loss, last")
    caption = "Means of the first and last rounds of a phase, at most ten"
    return [
        *lines,
        beside(
            figure(
                loss_plot(report),
                "Line: mean over neighbouring rounds; shade: single rounds. Phases with other targets have "
                "other losses, which can't be compared.",
            ),
            table(head, rows, "tnnnn", caption),
        ),
        *_gate(report),
    ]


def _gate(report: Report) -> list[str]:
    promoted = [one.round for one in report.gated if one.promoted]
    if not report.gated:
        return []
    pairs = sum(one.pairs for one in report.gated)
    last = f"; the run's best is that of round {promoted[-1]:,}" if promoted else ""
    return [
        paragraph(
            f"The gate was asked {len(report.gated):,} times, played {pairs:,} pairs and promoted "
            f"{len(promoted):,} models{last}."
        )
    ]
