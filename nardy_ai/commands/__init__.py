"""The command line: `nardy VERB …`, one module per verb.

A verb's module holds one dataclass, `Command`, whose docstrings are the help, with a method `run` that
returns the exit code: 0 it is done, 1 it ran and the answer is no (or it was stopped), 2 the input is at
fault; then there is one sentence on stderr. A verb that is a group is a package with such modules; its
`VERBS` lists them and the first line of its docstring heads its help: `nardy bench decisions …`.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType

__all__ = ["VERBS", "main"]

# In the order in which a new user meets them.
VERBS = {
    "train": "train a bot from a config",
    "resume": "go on with a run that was stopped",
    "match": "play two bots against each other and count points",
    "ladder": "put the checkpoints of a run on one scale",
    "levels": "find and measure the levels of play of a model",
    "rollout": "play a position on many times and take the mean",
    "bench": "measure a bot against known worths of plays, or what it costs",
    "solve": "solve a small game exactly, or make the bear-off tables",
    "analyze": "grade the plays of recorded games, or of one position",
    "play": "play against a bot in the terminal",
    "serve": "answer other programs over HTTP, or GNU Backgammon",
    "export": "write a model for other programs, as one file or for web pages",
    "rules": "list the rule profiles, or explain one",
    "doctor": "say what is installed and which device is used",
}


_SUMMARY = "Bots for long nardy and short nardy (backgammon): train, measure, play, export."
_EXAMPLE = "nardy train configs/long-quick.toml"


def _overview(group: str, verbs: Mapping[str, str], summary: str, example: str) -> str:
    """The help of the program (`nardy`) or of one of its groups (`nardy bench`)."""
    width = max(8, *map(len, verbs))
    return (
        f"usage: {group} VERB [...]\n\n{summary}\n\n"
        + "".join(f"  {verb:<{width}} {what}\n" for verb, what in verbs.items())
        + f"\n  {group} VERB --help tells more about one of them\n\nExample: {example}\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line (`sys.argv` by default) and returns its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _ready_streams()
    if words and words[0] in ("-V", "--version"):
        from nardy_ai import __version__

        print(f"nardy-ai {__version__}")
        return 0
    code = _without_verb("nardy", words, VERBS, _SUMMARY, _EXAMPLE)
    if code is not None:
        return code
    module = import_module(f"nardy_ai.commands.{words[0]}")
    if not hasattr(module, "VERBS"):
        return _run(module, words[0], words[1:])
    return _run_in_group(module, words[0], words[1:])


def _run_in_group(group: ModuleType, name: str, words: list[str]) -> int:
    summary = (group.__doc__ or "").strip().splitlines()[0]
    code = _without_verb(f"nardy {name}", words, group.VERBS, summary, group.EXAMPLE)
    if code is not None:
        return code
    return _run(import_module(f"{group.__name__}.{words[0]}"), f"{name} {words[0]}", words[1:])


def _without_verb(
    group: str, words: list[str], verbs: Mapping[str, str], summary: str, example: str
) -> int | None:
    """Where the first word names no verb: the overview, or what is wrong, and the exit code; else None."""
    if not words or words[0] in ("-h", "--help", "help"):
        print(_overview(group, verbs, summary, example), end="")
        return 0 if words else 2
    verb = words[0]
    if verb in verbs:
        return None
    near = get_close_matches(verb, verbs, n=1)
    advice = f"did you mean '{near[0]}'?" if near else f"'{group} --help' lists what there is."
    shown = verb if len(verb) <= 40 else f"{verb[:40]}…"
    within = "" if group == "nardy" else f" of '{group}'"
    print(f"nardy: there is no command '{shown}'{within}; {advice}", file=sys.stderr)
    return 2


def _ready_streams() -> None:
    """Closed streams become empty ones; a letter that a terminal lacks is shown as ?, and nothing fails."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - stays open
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _run(module: ModuleType, verb: str, words: list[str]) -> int:
    """Runs one verb's command; `verb` is what stands between `nardy` and its arguments."""
    from nardy_ai.commands.console import Runnable, exit_code_of, parse

    try:
        command: type[Runnable] = module.Command
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
