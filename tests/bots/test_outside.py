"""Programs beside us: answers, last words, patience, and an end with ours."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from bots.processes import children, ends

from nardy_ai.bots.outside import KEEPER, OutsideError, OutsideProcess, framed

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
        assert process.ask(framed(request)) == request[::-1]
    process.close()


def test_last_words_are_told() -> None:
    process = echo()
    with pytest.raises(OutsideError, match="echo ended with code 3; it said: I am ill"):
        process.ask(framed(b"die"))
    with pytest.raises(OutsideError, match="ended with code 3"):
        process.ask(framed(b"abc"))


def test_a_program_that_hangs_is_stopped() -> None:
    process = echo(patience=1.0)
    started = time.monotonic()
    with pytest.raises(OutsideError, match="echo gave no answer in 1 s and was stopped"):
        process.ask(framed(b"hang"))
    assert time.monotonic() - started < 10.0
    assert process._process.wait(timeout=5.0) != 0
    with pytest.raises(OutsideError):
        process.ask(framed(b"abc"))


def test_noise_is_not_taken_for_an_answer() -> None:
    # "hell" read as a length is more than any answer may be.
    with pytest.raises(OutsideError):
        echo(patience=2.0).ask(framed(b"noise"))


def test_closing_ends_the_program() -> None:
    process = echo()
    process.ask(framed(b"abc"))
    process.close()
    assert process._process.poll() is not None
    with pytest.raises(OutsideError):
        process.ask(framed(b"abc"))


def test_it_ends_when_its_owner_is_killed() -> None:
    owner = (
        "import os, sys\n"
        "from nardy_ai.bots.outside import OutsideProcess, framed\n"
        f"process = OutsideProcess([sys.executable, '-c', {ECHO!r}], 'echo')\n"
        "process.ask(framed(b'abc'))\n"
        "print(process._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", owner], capture_output=True, text=True, check=False, timeout=60
    )
    child = int(done.stdout)
    assert ends(child)


def test_all_that_a_program_started_ends_with_it() -> None:
    before, program = children(), (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "from nardy_ai.bots.outside import write_frame\n"
        "write_frame(sys.stdout.buffer, str(child.pid).encode())\n"
        "child.wait()\n"
    )
    process = OutsideProcess([sys.executable, "-c", program], "parent")
    grandchild = int(process.receive())
    process.close()
    assert ends(grandchild, 1.0)
    assert children() <= before


def test_it_ends_when_its_keeper_is_killed() -> None:
    if sys.platform != "linux":
        pytest.skip("needs Linux")
    program = (
        "import os, sys, time\n"
        "from nardy_ai.bots.outside import write_frame\n"
        "write_frame(sys.stdout.buffer, str(os.getpid()).encode())\n"
        "time.sleep(60)\n"
    )
    process = OutsideProcess([sys.executable, "-c", program], "kept")
    pid = int(process.receive())
    process._process.kill()
    assert ends(pid)
    process.close()


def test_a_program_that_does_not_read_is_stopped_as_well() -> None:
    process = OutsideProcess([sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"], "deaf", 0.3)
    started = time.monotonic()
    with pytest.raises(OutsideError, match=r"deaf gave no answer in 0\.3 s and was stopped and said nothing"):
        process.ask(b"x" * 4_000_000)
    assert time.monotonic() - started < 10.0


def test_only_the_last_of_what_it_says_is_kept() -> None:
    talk = "import sys; sys.stderr.write('blah ' * 400000 + 'the end'); sys.exit(1)"
    process = OutsideProcess([sys.executable, "-I", "-S", "-c", talk], "talker")
    with pytest.raises(OutsideError, match=r"blah the end$") as fault:
        process.receive()
    assert len(str(fault.value)) < 2200


def test_a_folder_of_its_own_goes_with_it_even_when_its_owner_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    owner = (
        "import os, sys\n"
        "from nardy_ai.bots.outside import OutsideProcess\n"
        "sleeps = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        f"process = OutsideProcess(sleeps, 'sleeper', folder={str(folder)!r})\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", owner], check=False, timeout=60)
    for _ in range(100):
        if not folder.exists():
            return
        time.sleep(0.05)
    pytest.fail("the folder is still there")


def test_the_keeper_loads_little() -> None:
    # It is started with every outside program, and must not load what we load.
    text = KEEPER.read_text(encoding="utf-8")
    assert "nardy_ai" not in text.split('"""')[2] and "numpy" not in text
