"""Programs beside us: answers, last words, patience, and an end with ours."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from nardy_ai.bots.outside import OutsideError, OutsideProcess

ECHO = (
    "import sys\n"
    "from nardy_ai.bots.outside import read_frame, write_frame\n"
    "while (request := read_frame(sys.stdin.buffer)) is not None:\n"
    "    if request == b'die': sys.stderr.write('I am ill'); sys.stderr.flush(); sys.exit(3)\n"
    "    if request == b'hang': import time; time.sleep(60)\n"
    "    if request == b'noise': sys.stdout.buffer.write(b'hello!'); sys.stdout.flush(); continue\n"
    "    write_frame(sys.stdout.buffer, request[::-1])\n"
)


def echo(patience: float = 30.0) -> OutsideProcess:
    return OutsideProcess([sys.executable, "-c", ECHO], "echo", patience)


def test_answers_come_back_whole() -> None:
    process = echo()
    for request in (b"abc", b"", bytes(range(256)) * 4096):
        assert process.ask(request) == request[::-1]
    process.close()


def test_last_words_are_told() -> None:
    process = echo()
    with pytest.raises(OutsideError, match="echo ended with code 3; it said: I am ill"):
        process.ask(b"die")
    with pytest.raises(OutsideError, match="ended with code 3"):
        process.ask(b"abc")


def test_a_program_that_hangs_is_stopped() -> None:
    process = echo(patience=1.0)
    started = time.monotonic()
    with pytest.raises(OutsideError, match="echo gave no answer in 1 s and was stopped"):
        process.ask(b"hang")
    assert time.monotonic() - started < 10.0
    assert process._process.wait(timeout=5.0) != 0
    with pytest.raises(OutsideError):
        process.ask(b"abc")


def test_noise_is_not_taken_for_an_answer() -> None:
    # "hell" read as a length is more than any answer may be.
    with pytest.raises(OutsideError):
        echo(patience=2.0).ask(b"noise")


def test_closing_ends_the_program() -> None:
    process = echo()
    process.ask(b"abc")
    process.close()
    assert process._process.poll() is not None
    with pytest.raises(OutsideError):
        process.ask(b"abc")


def test_it_ends_when_its_owner_is_killed() -> None:
    owner = (
        "import os, sys\n"
        "from nardy_ai.bots.outside import OutsideProcess\n"
        f"process = OutsideProcess([sys.executable, '-c', {ECHO!r}], 'echo')\n"
        "process.ask(b'abc')\n"
        "print(process._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", owner], capture_output=True, text=True, check=False, timeout=60
    )
    child = int(done.stdout)
    for _ in range(100):
        listed = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(child)], capture_output=True, text=True, check=False
        )
        if not listed.stdout.strip() or listed.stdout.startswith("Z"):
            return
        time.sleep(0.1)
    pytest.fail(f"process {child} outlived its owner")
