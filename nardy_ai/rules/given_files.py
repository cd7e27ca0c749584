"""Files that a player hands in, read as a whole where they are no larger than they can be."""

from __future__ import annotations

from pathlib import Path

from nardy_ai.core import InputError
from nardy_ai.rules.arguments import named

__all__ = ["bytes_up_to", "file_bytes"]


def bytes_up_to(path: Path, most: int, what: str) -> bytes:
    """What a file holds; some devices could be read for ever.

    Raises:
        InputError: it is larger than `most` bytes, which no such file (`what`) is.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise InputError(f"{named(str(path))}: larger than {most} bytes, which no {what} is")
    return raw


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
        return bytes_up_to(path, most, what)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{shown}: there is no such file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise InputError(f"{shown}: the {what} cannot be read ({reason})") from None
