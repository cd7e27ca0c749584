"""Files that a player hands in, read as a whole where they are no larger than they can be."""

from __future__ import annotations

from pathlib import Path

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import named

__all__ = ["file_bytes"]


def file_bytes(path: Path, most: int, what: str) -> bytes:
    """What a file holds.

    Args:
        path: of the file.
        most: bytes that it may have.
        what: it is to be, such as `match`.

    Raises:
        InputError: it is not there, cannot be read, or is larger than any such file.
    """
    shown = named(str(path))
    try:
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except FileNotFoundError:
        raise InputError(f"{shown}: there is no such file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise InputError(f"{shown}: the {what} cannot be read ({reason})") from None
    if len(raw) > most:
        raise InputError(f"{shown}: larger than {most} bytes, which no {what} is")
    return raw
