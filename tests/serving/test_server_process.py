"""`nardy serve` as a process: clients that do not behave, ports in use, and its end."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import nardy
from serving.gnubg_lines import OPENING

GOOD = json.dumps({"position": "start", "dice": [3, 1], "most": 1}).encode()


class Process:
    """A running `nardy serve`."""

    def __init__(self, *words: str | Path) -> None:
        command = [sys.executable, "-m", "nardy_ai", "serve", *map(str, words)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        assert "(Ctrl-C stops)" in self.said, self.process.communicate()[1]
        self.port = int(self.said.split(" (Ctrl-C")[0].rpartition(":")[2])

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def answer(self, method: str, path: str, body: bytes | None = None) -> tuple[int, object]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"content-type": "application/json"} if body is not None else {}
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        found = response.status, json.loads(response.read())
        connection.close()
        return found

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """Sends the signal; exit code, the rest of stdout, and stderr."""
        self.process.send_signal(sign)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.fixture(scope="module")
def server(short_file: Path) -> Iterator[Process]:
    running = Process(short_file, "--port", "0", "--seconds", "2", "--body", "100000")
    try:
        yield running
    finally:
        # A graceful stop, whatever its clients left open.
        assert running.stop() == (0, "", "")


def everything(connection: socket.socket) -> bytes:
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while data := connection.recv(65536):
            found += data
    return found


def status_and_message(raw: bytes) -> tuple[int, str]:
    head, _, body = raw.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["message"]


def test_it_says_where_it_is_and_answers(server: Process, short_file: Path) -> None:
    assert server.said == (
        f"{short_file} (short/standard) at http://127.0.0.1:{server.port} (Ctrl-C stops)\n"
    )
    status, found = server.answer("POST", "/rank", GOOD)
    assert status == 200 and isinstance(found, dict) and found["legal_plays"] == 16


def test_noise_and_endless_heads_are_refused(server: Process) -> None:
    with server.connect() as connection:
        connection.sendall(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
        assert status_and_message(everything(connection)) == (400, "this is no HTTP request")
    with server.connect() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\n" + b"x-more: " + b"y" * 20_000)
        assert status_and_message(everything(connection))[0] == 431


def test_a_hundred_megabytes_are_refused_as_they_come(server: Process) -> None:
    with server.connect() as connection:
        connection.sendall(
            b"POST /rank HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            b"content-length: 104857600\r\n\r\n"
        )
        sent = 0
        with contextlib.suppress(OSError):
            for _ in range(100):
                sent += connection.send(b" " * (1 << 20))
        status, message = status_and_message(everything(connection))
    assert status == 413 and message.startswith("the body is larger than 100000 bytes")
    assert server.answer("POST", "/rank", GOOD)[0] == 200


def test_slow_clients_do_not_stop_it_and_are_given_up(server: Process) -> None:
    """Hundreds that say nothing, one in the middle of its head, one in the middle of its body."""
    silent = [server.connect() for _ in range(500)]
    head, body = server.connect(), server.connect()
    head.sendall(b"GET /health HT")
    body.sendall(
        b"POST /rank HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"
    )
    assert server.answer("POST", "/rank", GOOD)[0] == 200
    assert status_and_message(everything(head)) == (408, "no request came within 2 s")
    assert status_and_message(everything(body)) == (408, "the request did not arrive within 2 s")
    assert status_and_message(everything(silent[-1]))[0] == 408
    for connection in (*silent, head, body):
        connection.close()
    assert server.answer("GET", "/health")[0] == 200


def test_a_port_in_use_is_bad_input(server: Process, short_file: Path) -> None:
    ran = nardy("serve", short_file, "--port", str(server.port))
    assert ran.is_bad_input() and f"port {server.port}" in ran.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "a server needs a model file"),
        (["{long}", "{long}"], "are both models of long nardy"),
        (["{long}", "--gnubg", "0"], "name a model of short nardy"),
        (["{long}", "--plies", "3"], "requests have at most 2"),
        (["{long}", "--rate", "0"], "rate cannot be 0"),
        (["{long}", "--origin", "example.org"], "is no origin of a web page"),
        (["{long}", "--threads", "0"], "threads cannot be 0"),
        (["missing.safetensors"], "missing.safetensors"),
    ],
)
def test_wrong_words_are_bad_input(
    words: list[str], told: str, long_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from nardy_ai.commands import main

    assert main(["serve", *(word.replace("{long}", str(long_file)) for word in words)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("nardy: ") and err.count("\n") == 1
    assert told in err


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_player_for_gnubg_ends_at_ctrl_c(short_file: Path, long_file: Path) -> None:
    running = Process(long_file, short_file, "--gnubg", "0")
    assert running.said == (
        f"in GNU Backgammon: set player 0 external 127.0.0.1:{running.port} (Ctrl-C stops)\n"
    )
    with running.connect() as connection:
        connection.sendall(OPENING.encode() + b"\n\0")
        assert b"/" in connection.recv(4096)
        started = time.monotonic()
        assert running.stop(signal.SIGINT) == (0, "", "")
        assert time.monotonic() - started < 30
