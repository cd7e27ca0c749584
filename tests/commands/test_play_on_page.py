"""`nardy play --web`: the page on this machine, until Ctrl-C."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import NoReturn

import pytest
from command_line import nardy_here
from untrained import untrained_model

from nardy_ai.commands import page_game
from nardy_ai.core import InputError
from nardy_ai.serving.address import listening
from nardy_ai.serving.page_server import PageServer


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained_model("short/hypergammon", tmp_path_factory.mktemp("model") / "model.safetensors")


def test_the_page_is_served_until_ctrl_c(model: Path) -> None:
    words = [sys.executable, "-m", "nardy_ai", "play", "--web", str(model), "--no-open", "--port", "0"]
    with (
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as served,
        contextlib.ExitStack() as stack,
    ):
        stack.callback(served.kill)
        assert served.stdout is not None
        first = served.stdout.readline()
        found = re.search(r"(http://localhost:\d+/) \(Ctrl-C ends\)", first)
        assert found is not None, first
        with urllib.request.urlopen(found[1], timeout=20) as page:
            assert b'src="page/main.js"' in page.read()
        with urllib.request.urlopen(f"{found[1]}engine.wasm", timeout=20) as engine:
            assert engine.headers["Content-Type"] == "application/wasm"
            assert engine.headers["Cache-Control"] == "no-cache"
        for place in ("page/", "../model.safetensors", "%2e%2e/model.safetensors"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(found[1] + place, timeout=20)
            assert refused.value.code == 404
        served.send_signal(signal.SIGINT)
        out, err = served.communicate(timeout=20)
    assert (served.returncode, err) == (0, "")
    assert "keeps your game" in out


def test_a_port_in_use_is_told_and_the_usual_one_replaced(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(page_game.webbrowser, "open", lambda address: opened.append(address))

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nardy_ai.serving.page_server.PageServer.serve_forever", stopped)
    family = socket.getaddrinfo("localhost", 0, type=socket.SOCK_STREAM)[0][0]
    with socket.create_server(("localhost", 0), family=family) as taken:
        port = taken.getsockname()[1]
        ran = nardy_here(capsys, "play", "--web", model, "--port", str(port))
        assert ran.code == 2
        assert f"port {port}" in ran.err
        monkeypatch.setattr(page_game, "USUAL_PORT", port)
        ran = nardy_here(capsys, "play", "--web", model)
    assert ran.code == 0
    assert "no browser could be opened" in ran.out
    assert opened == re.findall(r"http://localhost:\d+/", ran.out)
    assert f":{port}/" not in ran.out


def test_without_a_model_the_page_has_the_quick_bots_of_both_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    untrained_model("long/fns", folder / "long-quick.safetensors")
    untrained_model("short/standard", folder / "short-quick.safetensors")
    monkeypatch.chdir(tmp_path)
    names: list[str] = []

    def stopped(listener: socket.socket, folder: Path) -> NoReturn:
        listed = json.loads((folder / "manifest.json").read_bytes())["models"]
        names.extend(each["name"] for each in listed)
        raise InputError("seen")

    monkeypatch.setattr("nardy_ai.serving.page_server.PageServer", stopped)
    assert nardy_here(capsys, "play", "--web", "--no-open", "--port", "0").err == "nardy: seen\n"
    assert names == ["long-quick", "short-quick"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--web", "random"], "model file"),
        (["greedy", "random"], "one bot, not 2"),
        (["--web", "missing.safetensors"], "missing.safetensors is none"),
        (["--web"], "there is none here"),
        (["--web", "--seed", "4"], "terminal"),
        (["--no-open"], "--web"),
        (["--port", "80"], "--web"),
    ],
)
def test_bad_input_is_one_sentence(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = nardy_here(capsys, "play", *words)
    assert ran.is_bad_input(), ran
    assert said in ran.err


def test_a_file_that_is_no_model_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.safetensors").write_bytes(os.urandom(64))
    ran = nardy_here(capsys, "play", "--web", tmp_path / "x.safetensors")
    assert ran.is_bad_input(), ran


def test_other_sites_and_paths_that_are_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("page", encoding="utf-8")
    listener = listening("localhost", 0)
    with PageServer(listener, tmp_path) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        for host, path, expected in (
            ("localhost", "/", 200),
            (f"localhost:{server.server_port}", "/", 200),
            ("127.0.0.1:80", "/", 200),
            ("[::1]:80", "/", 200),
            ("evil.example", "/", 421),
            ("localhost.evil.example", "/", 421),
            ("evil.example@localhost@evil.example", "/", 421),
            ("[", "/", 421),
            ("", "/", 421),
            ("localhost", "/%00", 404),
        ):
            line = http.client.HTTPConnection("localhost", server.server_port, timeout=10)
            line.putrequest("GET", path, skip_host=True)
            line.putheader("Host", host)
            line.endheaders()
            assert line.getresponse().status == expected, (host, path)
            line.close()
        server.shutdown()
