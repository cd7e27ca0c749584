"""The command line: `nardy VERB …`, one module per verb.

A verb's module holds one dataclass, `Command`, whose docstrings are the help, with a method `run` that
returns the exit code: 0 it is done, 1 it ran and the answer is no (or it was stopped), 2 the input is at
fault; then there is one sentence on stderr.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

__all__ = ["VERBS", "main"]

# In the order in which a new user meets them.
VERBS = {
    "train": "train a bot from a config",
    "resume": "go on with a run that was stopped",
    "match": "play two bots against each other and count points",
    "ladder": "put the checkpoints of a run on one scale",
    "rollout": "play a position on many times and take the mean",
    "solve": "solve a small game exactly, or make the bear-off tables",
    "play": "play against a bot in the terminal",
    "export": "write a model as one file for other programs",
    "rules": "list the rule profiles, or explain one",
    "doctor": "say what is installed and which device is used",
}


def _overview() -> str:
    verbs = "\n".join(f"  {verb:<8} {summary}" for verb, summary in VERBS.items())
    return (
        "usage: nardy VERB [...]\n\n"
        "Bots for long nardy and short nardy (backgammon): train, measure, play, export.\n\n"
        f"{verbs}\n\n"
        "  nardy VERB --help tells more about one of them\n\n"
        "Example: nardy train configs/long-quick.toml\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line (`sys.argv` by default) and returns its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _ready_streams()
    if not words or words[0] in ("-h", "--help", "help"):
        print(_overview(), end="")
        return 0 if words else 2
    if words[0] in ("-V", "--version"):
        from nardy_ai import __version__

        print(f"nardy-ai {__version__}")
        return 0
    verb, rest = words[0], words[1:]
    if verb not in VERBS:
        near = get_close_matches(verb, VERBS, n=1)
        advice = f"did you mean '{near[0]}'?" if near else "'nardy --help' lists what there is."
        shown = verb if len(verb) <= 40 else f"{verb[:40]}…"
        print(f"nardy: there is no command '{shown}'; {advice}", file=sys.stderr)
        return 2
    return _run(verb, rest)


def _ready_streams() -> None:
    """Closed streams become empty ones; a letter that a terminal lacks is shown as ?, and nothing fails."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - stays open
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _run(verb: str, words: list[str]) -> int:
    from nardy_ai.commands.console import Runnable, exit_code_of, parse

    try:
        command: type[Runnable] = import_module(f"nardy_ai.commands.{verb}").Command
        return parse(command, verb, words).run()
    except BrokenPipeError:
        # The reader of a pipe (`| head`) has gone; that is not an error. Nothing more may be written to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (Exception, KeyboardInterrupt) as error:
        code = exit_code_of(error)
        if code is None:
            raise
        return code
