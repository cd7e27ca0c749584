"""One position with a roll: its plays ranked, and one of them graded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nardy_ai.bots import NetBot
from nardy_ai.evaluation.analysis.columns import fitted, plain
from nardy_ai.evaluation.analysis.grades import grade, luck_word
from nardy_ai.evaluation.analysis.judge import Judge, Judged, Ranked
from nardy_ai.evaluation.analysis.page import ARROWS, NOTES, STYLE
from nardy_ai.evaluation.analysis.plays_shown import board_figure, chances, plays_table
from nardy_ai.evaluation.analysis.record import ranked_as_dict
from nardy_ai.evaluation.report.frame import framed
from nardy_ai.evaluation.report.markup import heading, paragraph
from nardy_ai.rules import Play, Position
from nardy_ai.rules.dice import Dice
from nardy_ai.rules.screen import WIDTH

__all__ = ["PositionAnalysis", "analyse_position", "position_page"]

FORMAT = 1
PLAY = 28


@dataclass(frozen=True)
class PositionAnalysis:
    """What is said about one position and roll."""

    position: Position
    dice: Dice
    judged: Judged
    model: str
    hash: str
    plies: int
    version: str

    @property
    def verdict(self) -> str:
        """What is said about the play that was made, in a sentence; empty where none was."""
        made, loss = self.judged.made, self.judged.loss
        if made is None or loss is None:
            return ""
        if self.judged.choices == 1:
            return f"{made.play.notation} is the only play."
        if loss == 0:
            return f"{made.play.notation} is the best play."
        word = grade(loss)
        return f"{made.play.notation} loses {loss:.3f} points{f': {word}' if word else ''}."

    @property
    def of_the_roll(self) -> str:
        """What the position was worth before the throw, and how lucky the roll was, in a sentence."""
        luck = self.judged.luck
        word = luck_word(luck)
        return (
            f"Before the throw it was worth {self.judged.before:+.3f}; the luck of the roll is {luck:+.3f}"
            f"{f' ({word})' if word else ''}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, in points."""
        made, outcomes = self.judged.made, self.position.game.outcomes
        return {
            "format": FORMAT,
            "kind": "nardy-ai position",
            "version": self.version,
            "judge": {"name": self.model, "hash": self.hash, "plies": self.plies},
            "unit": "points, cubeless and for money",
            "game": self.position.game.name,
            "position": self.position.key,
            "dice": list(self.dice),
            "choices": self.judged.choices,
            "played": None if made is None else made.play.notation,
            "loss": self.judged.loss,
            "grade": grade(self.judged.loss) or None,
            "before": self.judged.before,
            "luck": self.judged.luck,
            "luck_word": luck_word(self.judged.luck) or None,
            "plays": [ranked_as_dict(entry, outcomes) for entry in self.judged.plays],
        }

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.position.text(self.dice)
        yield fitted(f"{self.position.game.name} {self.position.key}, judged at {self.plies}-ply", WIDTH)
        yield fitted(f"by {self.model} ({self.hash})", WIDTH)
        yield ""
        yield f"      {'play':<{PLAY}}   equity  behind   wins  +more  -more  ply"
        yield from (self._line(entry) for entry in self.judged.plays)
        left = self.judged.choices - len(self.judged.plays)
        if left:
            yield f"      and {left} more"
        yield ""
        yield self.of_the_roll
        if self.verdict:
            yield fitted(self.verdict, WIDTH)

    def _line(self, entry: Ranked) -> str:
        wins, more, less = (100 * chance for chance in chances(entry, self.position.game.outcomes))
        best = self.judged.plays[0]
        # Worths of different depths are not compared.
        behind = f"{best.equity - entry.equity:7.3f}" if entry.plies == best.plies else " " * 7
        made = self.judged.made
        mark = ">" if made is not None and made.place == entry.place else " "
        return (
            f"{mark}{entry.place:4} {fitted(entry.play.notation, PLAY)}  {entry.equity:+7.3f} {behind}"
            f" {wins:6.1f} {more:6.1f} {less:6.1f} {entry.plies:4}"
        )


def analyse_position(
    bot: NetBot, position: Position, dice: Dice, played: Play | None, *, plies: int = 0, most: int = 10
) -> PositionAnalysis:
    """Ranks the plays of a roll.

    Args:
        bot: the model that judges.
        position: an unfinished position.
        dice: the roll, larger die first.
        played: the play to grade, if any.
        plies: depth.
        most: plays that are told, beside the graded one.

    Raises:
        InputError: a model of another game, or plies out of range.
    """
    from nardy_ai import __version__

    (judged,) = Judge(bot, position.game, plies, most).judge([(position, dice, played)])
    own = bot.looking_ahead(0)
    return PositionAnalysis(position, dice, judged, own.name, own.fingerprint, plies, __version__)


def position_page(analysis: PositionAnalysis) -> str:
    """The analysis as one HTML page."""
    position, dice = analysis.position, analysis.dice
    title = f"{position.game.name} {position.key}, {dice[0]}-{dice[1]}"
    body = [
        heading(title, 1),
        paragraph(
            f"Judged by {plain(analysis.model)} (hash {analysis.hash}), {analysis.plies}-ply; nardy-ai "
            f"{analysis.version}.",
            kind="soft",
        ),
        paragraph(analysis.verdict or f"{analysis.judged.plays[0].play.notation} is the best play."),
        paragraph(analysis.of_the_roll),
        board_figure(position, dice, analysis.judged),
        paragraph(ARROWS, kind="soft") if analysis.judged.loss else "",
        plays_table(analysis.judged, position.game.outcomes),
        heading("What the numbers mean"),
        *(paragraph(note) for note in NOTES[:2]),
    ]
    return framed(title, body, STYLE)
