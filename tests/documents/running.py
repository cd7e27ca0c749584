"""Runs the blocks of a document in a folder of their own, as a reader would who types them in."""

from __future__ import annotations

import io
import os
import re
import runpy
import shlex
import socket
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from command_line import REPOSITORY
from documents.document import Block, blocks_of, commands_of, is_shown

from nardy_ai.commands import main

# A reader trains for minutes; here a config of the same name makes three rounds.
TINY = """
game = "{game}"
tensorboard = false
{encoding}
opponents = [{{ bot = "random", pairs = 4 }}, {{ bot = "greedy", pairs = 4 }}]

[[phases]]
name = "tiny"
rounds = 3
games = 6
lr_from = 2e-3
lr_to = 1e-3
hidden = [8]
"""
SMALLER = {"--pairs": "4", "--trials": "72", "--games": "4"}
"""Numbers of options that say how much is played, made small."""


def clone(place: Path) -> Path:
    """A folder like a clone of the repository, in which training takes a second."""
    place.mkdir(parents=True, exist_ok=True)
    for name in ("checkpoints", "examples", "docs", "nardy_ai", "tests"):
        (place / name).symlink_to(REPOSITORY / name)
    (place / "configs").mkdir()
    for config in sorted((REPOSITORY / "configs").glob("*.toml")):
        found = re.search(r'^game = "(.*)"$', config.read_text(encoding="utf-8"), re.MULTILINE)
        assert found
        (place / "configs" / config.name).write_text(TINY.format(game=found[1], encoding=""))
    return place


def run_document(document: str, place: Path, *, slow: bool) -> list[str]:
    """Runs a document's blocks in a folder; what went wrong, as text."""
    before, known = Path.cwd(), set(sys.modules)
    os.chdir(clone(place))
    # As `python -c` has it: modules that the document wrote can be imported.
    sys.path.insert(0, str(place))
    try:
        return _run_blocks(blocks_of(document), slow)
    finally:
        os.chdir(before)
        sys.path.remove(str(place))
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", None)).startswith(str(place)):
                del sys.modules[name]


def _run_blocks(blocks: list[Block], slow: bool) -> list[str]:
    servers: list[Server] = []
    try:
        faults = _run_in_order(blocks, slow, servers)
    finally:
        ended = [server.end() for server in servers]
    return faults or [fault for fault in ended if fault]


def _run_in_order(blocks: list[Block], slow: bool, servers: list[Server]) -> list[str]:
    printed: str | None = ""  # by the last block that a reader would have run; None: it was left out
    for block in blocks:
        block = replace(block, text=with_own_ports(block.text, servers))
        what, _, words = block.what.partition(": ")
        if what == "file":
            Path(words).parent.mkdir(parents=True, exist_ok=True)
            Path(words).write_text(block.text, encoding="utf-8")
        elif what in ("run", "run with") or (what == "run slow" and slow):
            code, printed = run_block(block, words)
            if code:
                return [f"{block.place} ended with {code}: {printed[-2000:]}"]
        elif what == "run beside":
            servers.append(Server(block))
            if not servers[-1].answers():
                return [servers[-1].end() or f"{block.place} does not answer"]
        elif what in ("run slow", "skip"):
            printed = None
        elif what == "shows" and printed is not None and not is_shown(printed, block.text):
            return [f"{block.place} shows what was not printed; this was:\n{printed}"]
    return []


class Server:
    """A command that runs beside the others until it is ended, at a free port for the one it names."""

    def __init__(self, block: Block) -> None:
        (command,) = commands_of(block)
        found = re.search(r"\d{4,5}", command)
        assert found, f"{block.place} names no port"
        self.place, self.named, self.port = block.place, found[0], _free_port()
        self._process = subprocess.Popen(
            ["sh", "-c", f"exec {command.replace(self.named, str(self.port))}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=_environment(),
        )

    def answers(self) -> bool:
        """Waits until something listens at the port; false where the command ends before."""
        for _ in range(600):
            if self._process.poll() is not None:
                return False
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
            time.sleep(0.1)
        return False

    def end(self) -> str:
        """Ends it by SIGTERM; what was wrong with that, if anything."""
        self._process.terminate()
        printed, _ = self._process.communicate(timeout=60)
        code = self._process.returncode
        return f"{self.place} ended with {code}: {printed[-2000:]}" if code else ""


def with_own_ports(text: str, servers: list[Server]) -> str:
    """A block that speaks to the servers where they are."""
    for server in servers:
        text = text.replace(server.named, str(server.port))
    return text


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def run_block(block: Block, words: str = "") -> tuple[int, str]:
    """Exit code of the first command that fails, and what was printed."""
    if block.language == "python":
        return _within(lambda: exec(compile(block.text, block.place, "exec"), {"__name__": "__main__"}))
    printed = ""
    for command in commands_of(block):
        code, out = run_command(f"{command} {words}".strip())
        printed += out
        if code:
            return code, f"{command}\n{printed}"
    return 0, printed


def run_command(command: str) -> tuple[int, str]:
    """A command of a document; `nardy` and `python` within this process, which saves their start."""
    split = shlex.split(command, comments=True)
    program, *rest = split
    if not re.search(r"[|<>&;]", command):
        if program == "nardy":
            return _within(lambda: main(_smaller(rest)))
        if program == "python" and rest[0].endswith(".py"):
            with patch.object(sys, "argv", rest):
                return _within(lambda: runpy.run_path(rest[0], run_name="__main__") and None)
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, env=_environment(), timeout=300, check=False
    )
    return done.returncode, done.stdout + done.stderr


def _smaller(words: list[str]) -> list[str]:
    return [SMALLER.get(before, word) for before, word in zip(["", *words], words, strict=False)]


def _within(work: Any) -> tuple[int, str]:
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed), patch.object(sys, "stdin", io.StringIO("")):
        try:
            code = work()
        except SystemExit as stopped:
            code = stopped.code
        except Exception as error:
            printed.write(f"{type(error).__name__}: {error}\n")
            code = 1
    return code if isinstance(code, int) else 0, printed.getvalue()


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{_shims()}{os.pathsep}{os.environ['PATH']}"}


def _shims() -> Path:
    """A folder with `nardy` and `python` as this interpreter has them."""
    folder = Path.cwd() / ".shims"
    if not folder.is_dir():
        folder.mkdir()
        for name, words in (("nardy", "-m nardy_ai"), ("python", "")):
            shim = folder / name
            shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {words} "$@"\n')
            shim.chmod(0o755)
    return folder
