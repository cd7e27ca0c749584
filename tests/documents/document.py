"""The documents of `docs/` as tests see them: fenced blocks with the comment that stands before each.

    <!-- run -->            the commands (sh) or the code (python) of the next block are run
    <!-- run slow -->       only in the slow tests
    <!-- run beside -->     the next block's one command, a server, runs while the blocks behind it are run
    <!-- run with: WORDS -->  WORDS are added to the block's one command, to make it small
    <!-- file: NAME -->     the next block is written to a file of that name
    <!-- shows -->          the next block is what the last run printed; a line of … stands for any lines
    <!-- skip: REASON -->   the next block is not run

All blocks of a document are run in one folder and in their order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from command_line import REPOSITORY

_BLOCK = re.compile(
    r"(?:^<!-- (?P<what>.*?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
RUNNABLE = ("sh", "python", "toml")


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    document: str
    line: int
    what: str
    """The comment before it; empty where there is none."""
    language: str
    text: str

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"docs/{self.document}:{self.line}"


def blocks_of(document: str) -> list[Block]:
    """The fenced blocks of a document in their order."""
    text = (REPOSITORY / "docs" / document).read_text(encoding="utf-8")
    return [
        Block(
            document,
            text.count("\n", 0, found.start()) + 1,
            found["what"] or "",
            found["language"],
            found["text"],
        )
        for found in _BLOCK.finditer(text)
    ]


def commands_of(block: Block) -> list[str]:
    """The commands of a block of `sh`: lines, those that end in a backslash joined with the next."""
    whole = block.text.replace("\\\n", " ")
    return [line for line in map(str.strip, whole.splitlines()) if line and not line.startswith("#")]


def is_shown(printed: str, shown: str) -> bool:
    """Whether the lines stand in what was printed, in this order and next to each other, save around a …."""
    lines = [line.rstrip() for line in printed.splitlines()]
    at, loose = 0, True
    for line in map(str.rstrip, shown.splitlines()):
        if line.strip() == "…":
            loose = True
            continue
        places = range(at, len(lines)) if loose else range(at, min(at + 1, len(lines)))
        found = next((place for place in places if lines[place] == line), None)
        if found is None:
            return False
        at, loose = found + 1, False
    return True
