"""`nardy export`: what it writes and what it says."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import onnxruntime
import pytest
from command_line import nardy
from untrained import untrained_model


def test_onnx_beside_the_model_with_the_largest_differences(tmp_path: Path) -> None:
    untrained_model("long/fns", tmp_path / "bot.safetensors")
    ran = nardy("export", "bot.safetensors", "--to", "onnx", cwd=tmp_path)
    assert ran.code == 0, ran.err
    for word in ("bot.onnx", "PyTorch", "engine", "1, 2, 7, 1024"):
        assert word in ran.out
    session = onnxruntime.InferenceSession(str(tmp_path / "bot.onnx"), providers=["CPUExecutionProvider"])
    assert [entry.name for entry in session.get_inputs()] == ["board", "seat"]
    assert [entry.type for entry in session.get_inputs()] == ["tensor(int8)", "tensor(uint8)"]


def test_json_and_a_place_of_its_own(short_model: Path, tmp_path: Path) -> None:
    ran = nardy("export", short_model, "--out", "new/folder/short.onnx", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    report = json.loads(ran.out)
    assert (tmp_path / report["path"]).stat().st_size == report["bytes"]
    assert max(report["largest_difference"].values()) <= report["tolerance"] == 1e-5
    assert report["batches"] == [1, 2, 7, 1024]


def test_a_mismatch_is_exit_code_1_and_leaves_no_file(tmp_path: Path) -> None:
    untrained_model("short/standard", tmp_path / "bot.safetensors")
    script = (
        "import sys\n"
        "from nardy_ai.export import onnx_file\n"
        "onnx_file.TOLERANCE = 0.0\n"
        "from nardy_ai.commands import main\n"
        "sys.exit(main(['export', 'bot.safetensors']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("nardy: the exported graph differs")
    assert done.stderr.count("\n") == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["bot.safetensors"]


@pytest.mark.skipif(sys.platform == "win32", reason="programs are ended otherwise there")
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_an_export_that_is_ended_leaves_nothing(sign: signal.Signals, tmp_path: Path) -> None:
    untrained_model("short/hypergammon", tmp_path / "bot.safetensors")
    script = (
        "import os, sys\n"
        "from nardy_ai.export import c_library\n"
        f"c_library.check_folder = lambda *_: os.kill(os.getpid(), {int(sign)})\n"
        "from nardy_ai.commands import main\n"
        "sys.exit(main(['export', 'bot.safetensors', '--to', 'c']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "nardy: stopped\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["bot.safetensors"]
