"""What every command shares: reading its arguments, and saying what is wrong in one sentence."""

from __future__ import annotations

import contextlib
import errno
import io
import itertools
import json
import re
import shutil
import signal
import sys
import textwrap
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import tyro

from nardy_ai.core import InputError
from nardy_ai.core.installing import TORCH, how_to_install, how_to_install_part

__all__ = ["Runnable", "ended_tidily", "exit_code_of", "parse", "print_json"]

# What the system says about a path that was named wrongly; anything else (a full disk) came while it ran.
_OF_A_NAME = (
    errno.ENAMETOOLONG,
    errno.EACCES,
    errno.EPERM,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.ELOOP,
)

# Optional parts: the package that is missing -> the extra that brings it.
_EXTRA_OF = {
    "fastapi": "serve",
    "httptools": "serve",
    "onnx": "export",
    "onnxruntime": "export",
    "onnxscript": "export",
    "matplotlib": "plots",
    "prometheus_client": "serve",
    "ray": "ray",
    "uvicorn": "serve",
}


class Runnable(Protocol):
    """A command with its arguments."""

    def run(self) -> int:
        """Does the work; the exit code."""
        ...


C = TypeVar("C", bound=Runnable)


def parse(command: type[C], verb: str, words: list[str]) -> C:
    """Reads the words after the verb into the command's dataclass.

    Raises `InputError` with one sentence where they do not fit; `--help` prints and raises `SystemExit(0)`.
    """
    _check_once(words, verb)
    said, shown = _pad("utf-8"), _pad(sys.stdout.encoding)
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(shown):
            return tyro.cli(
                command,
                prog=f"nardy {verb}",
                args=words,
                config=(tyro.conf.FlagCreatePairsOff, tyro.conf.HelptextFromCommentsOff),
            )
    except SystemExit as leave:
        if leave.code in (None, 0):
            print(_wrapped(_text_of(shown)), end="")
            raise
        raise InputError(_sentence_of(_text_of(said), verb)) from None


def _check_once(words: Sequence[str], verb: str) -> None:
    """Raises InputError for an option that is there twice: which of its values is meant is not guessed."""
    options = [word for word in itertools.takewhile(lambda word: word != "--", words) if word[:2] == "--"]
    named = Counter(option.partition("=")[0].replace("_", "-") for option in options)
    for option, times in named.items():
        if times > 1:
            often = "twice" if times == 2 else f"{times} times"
            raise InputError(f"{option} is given {often}; once is meant, see 'nardy {verb} --help'.")


def _pad(encoding: str) -> io.TextIOWrapper:
    """Something to print to; its encoding tells the parser which characters it may draw with."""
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace", newline="\n")


def _text_of(pad: io.TextIOWrapper) -> str:
    pad.seek(0)
    return pad.read()


def _wrapped(help_text: str) -> str:
    """The help with its paragraphs, which come as one line each, broken to the width of the screen."""
    width = shutil.get_terminal_size().columns
    lines = help_text.splitlines()
    return "".join(
        line + "\n"
        if len(line) <= width or line.startswith(("│", " "))
        else textwrap.fill(line, width, break_on_hyphens=False) + "\n"
        for line in lines
    )


def _sentence_of(box: str, verb: str) -> str:
    """The first part of the parser's box of text as one sentence."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", box)
    lines = [line.strip(" │\t") for line in plain.splitlines()]
    inside: list[str] = []
    for line in lines:
        if line.startswith(("╭", "╰")):
            continue
        if line and set(line) == {"─"}:
            break
        inside.append(line)
    words = " ".join(" ".join(inside).split()).rstrip(".") or "the arguments do not fit"
    words = re.sub(r"^missing from nardy [\w ]+: (\S+) .*\(required\)$", r"\1 is missing", words, flags=re.I)
    words = re.sub(r"invalid literal for int\(\) with base 10: ('[^']*')", r"\1 is not a whole number", words)
    words = re.sub(r"could not convert string to float: ('[^']*')", r"\1 is not a number", words)
    # An option that may be left out has two types, and the parser tells of both.
    known = ("is not a whole number", "is not a number")
    wrong = next((said for said in known if said in words), "does not fit")
    words = re.sub(r": no type matching .+ from \[(.+?)\]\. Got errors: .*", rf": \1 {wrong}", words)
    words = words if words[:2].isupper() else words[0].lower() + words[1:]
    words = words.replace(". Expected", ", expected")
    return f"{words}; 'nardy {verb} --help' shows what it takes."


def exit_code_of(error: BaseException) -> int | None:
    """Says in one sentence on stderr what ended a command; its exit code, or None for a fault of ours."""
    from nardy_ai.bots import OutsideError
    from nardy_ai.evaluation import BotFault
    from nardy_ai.training.errors import TrainingError

    if isinstance(error, KeyboardInterrupt):
        sentence, code = "stopped", 1
    elif isinstance(error, InputError):
        sentence, code = str(error), 2
    elif isinstance(error, ModuleNotFoundError) and (missing := _missing_part(error)):
        sentence, code = missing, 2
    elif isinstance(error, (TrainingError, BotFault, OutsideError)):
        sentence, code = str(error), 1
    elif isinstance(error, OSError) and error.errno is not None:
        place = f"{error.filename}: " if error.filename is not None else ""
        sentence, code = f"{place}{error.strerror}", 2 if error.errno in _OF_A_NAME else 1
    else:
        return None
    # The name of a file, say, may hold what a terminal would obey.
    fit = "".join(letter if letter.isprintable() else "?" for letter in " ".join(sentence.split()))
    print(f"nardy: {' '.join(map(_clipped, fit.split()))}", file=sys.stderr)
    return code


def _clipped(word: str) -> str:
    return word if len(word) <= 200 else f"{word[:60]}…{word[-20:]}"


def _missing_part(error: ModuleNotFoundError) -> str | None:
    """How to install the optional package that was not found; None where it is none of those."""
    package = (error.name or "").split(".")[0]
    if package == "torch":
        return f"this needs PyTorch: {how_to_install(TORCH)}"
    extra = _EXTRA_OF.get(package)
    return f"this needs the package {package}: {how_to_install_part(extra)}" if extra else None


@contextlib.contextmanager
def ended_tidily() -> Iterator[None]:
    """While the block runs, a SIGTERM ends it as Ctrl-C does, so that what is half made is taken away."""

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)


def print_json(report: Mapping[str, Any]) -> None:
    """Prints one report as JSON, one object on stdout."""
    print(json.dumps(report, indent=2, ensure_ascii=False))
