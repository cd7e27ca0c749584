"""The frame of a page: one HTML file that needs no script and asks nothing of the network."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib import resources
from string import Template

__all__ = ["framed"]


def framed(title: str, body: Iterable[str], style: str = "") -> str:
    """A whole page.

    Args:
        title: of the window; it is escaped here.
        body: pieces of markup.
        style: rules of a style sheet, beside those that every page has.
    """
    frame = resources.files("nardy_ai.evaluation.report").joinpath("page.html").read_text(encoding="utf-8")
    return Template(frame).substitute(title=escape(title), body="\n".join(body), style=style)
