"""Boards on a page, in its colours: how they are laid out, and the worst decisions as such boards."""

from __future__ import annotations

import re

from nardy_ai.core import InputError
from nardy_ai.evaluation.report.markup import heading, paragraph
from nardy_ai.evaluation.report.record import Decisions, WrongPlay
from nardy_ai.rules import Game, Play
from nardy_ai.rules.board_svg import page_colours

__all__ = ["STYLE", "fitted", "worst_cards"]

STYLE = (
    f":root {{ {page_colours('light')} }}\n"
    f"@media (prefers-color-scheme: dark) {{ :root {{ {page_colours('dark')} }} }}\n"
    ".cards { display: grid; gap: 1.2rem; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), "
    "1fr)); }\n"
    ".card { background: var(--card); padding: .7rem .8rem; border-radius: 6px; min-width: 0; }\n"
    ".card h3 { margin: 0 0 .2rem; overflow-wrap: anywhere; }\n"
    ".card td, .card th { padding-right: .5rem; }\n"
    ":root { --board-page: transparent; }\n"
)


def fitted(svg: str) -> str:
    """A drawing as a part of a page: as wide as its place, without the name that a whole document needs."""
    bare = re.sub(r'<svg xmlns="[^"]*"', "<svg", svg, count=1)
    return re.sub(r'(<svg [^>]*?) width="\d+" height="\d+"', r"\1", bare, count=1)


def worst_cards(found: Decisions) -> str:
    """The worst decisions as boards: the play that was chosen in broken arrows, the better one in whole ones.

    Empty where the rules are not at hand (a profile file that is elsewhere): the table tells them then.
    """
    try:
        game = Game(found.game)
        cards = [_card(game, wrong) for wrong in found.worst]
    except InputError:
        return ""
    return f'<div class="cards">{"".join(cards)}</div>' if cards else ""


def _card(game: Game, wrong: WrongPlay) -> str:
    position = game.position(wrong.position)
    plays = {play.notation: play for play in game.plays(position, wrong.dice)}
    chosen, best = _named(plays, wrong.chosen), _named(plays, wrong.best)
    error = "estimated by search" if wrong.estimated else f"± {wrong.standard_error:.1f}"
    return (
        '<section class="card">'
        + heading(f"{wrong.loss:.1f} lost ({error})", 3)
        + paragraph(
            f"{wrong.dice[0]}-{wrong.dice[1]}: {wrong.chosen}; better {wrong.best}", kind="soft"
        )
        + fitted(position.svg(wrong.dice, play=chosen, better=best, theme="page"))
        + "</section>"
    )


def _named(plays: dict[str, Play], notation: str) -> Play:
    if notation not in plays:
        raise InputError(f"{notation!r} is no play of this roll")
    return plays[notation]
