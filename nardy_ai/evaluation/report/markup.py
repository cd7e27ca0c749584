"""Pieces of HTML. Every text that comes from a file or a name is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = [
    "beside",
    "code",
    "figure",
    "folded",
    "heading",
    "missing",
    "paragraph",
    "preformatted",
    "table",
    "unfolded",
]


def paragraph(*parts: str, kind: str = "") -> str:
    """Texts in one paragraph."""
    return f"<p{_class(kind)}>{escape(' '.join(parts))}</p>"


def heading(text: str, level: int = 2) -> str:
    """A heading."""
    return f"<h{level}>{escape(text)}</h{level}>"


def code(label: str, text: str) -> str:
    """A label and what one would type."""
    return f"<p>{escape(label)} <code>{escape(text)}</code></p>"


def preformatted(text: str) -> str:
    """Text with its lines as they are."""
    return f"<pre>{escape(text)}</pre>"


def missing(what: str, *commands: str) -> str:
    """That a part is missing, and the commands that make it."""
    lines = "".join(f"<br><code>{escape(command)}</code>" for command in commands)
    return f'<p class="missing">{escape(what)}{lines}</p>'


def figure(svg: str, caption: str) -> str:
    """A plot, which is markup already, with its caption."""
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def beside(*parts: str) -> str:
    """Parts side by side where there is room."""
    return f'<div class="beside">{"".join(f"<div>{part}</div>" for part in parts)}</div>'


def folded(label: str, content: str) -> str:
    """Content that opens on demand, without a script."""
    return f"<details><summary>{escape(label)}</summary>{content}</details>"


def unfolded(label: str, content: str) -> str:
    """Content that closes on demand."""
    return f"<details open><summary>{escape(label)}</summary>{content}</details>"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], kinds: str, caption: str = "") -> str:
    """A table of texts.

    Args:
        head: names of the columns.
        rows: texts, as many a row as columns.
        kinds: a letter a column: n a number, k kept on one line, w broken anywhere, t plain text.
        caption: what it shows.
    """
    cells = [
        "".join(f"<td{_kind(kind)}>{escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        for row in rows
    ]
    heads = "".join(
        f'<th scope="col"{_kind(kind)}>{escape(name)}</th>' for name, kind in zip(head, kinds, strict=True)
    )
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    body = "".join(f"<tr>{row}</tr>\n" for row in cells)
    content = f"{title}<thead><tr>{heads}</tr></thead><tbody>\n{body}</tbody>"
    return f'<div class="wide"><table>{content}</table></div>'


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _kind(kind: str) -> str:
    return f' class="{kind}"' if kind in "nkw" else ""
