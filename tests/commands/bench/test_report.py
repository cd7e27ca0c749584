"""What `nardy bench report` writes and answers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import nardy, nardy_here
from synthetic_run import synthetic_run

from nardy_ai.core.installing import how_to_install_part

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic_run(tmp_path_factory.mktemp("runs") / "run", 100)


def test_a_page_is_written_and_drawn_again_without_the_run(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    ran = nardy("bench", "report", run, "--out", out)
    assert ran.code == 0, ran.err
    assert ran.err == ""
    assert f"wrote {out} (" in ran.out.replace("\n", " ")
    assert {path.name for path in tmp_path.iterdir()} == {"page.html", "page.json"}
    first = out.read_bytes()
    assert b"nardy bench report" in first
    out.unlink()
    assert nardy("bench", "report", tmp_path / "page.json").code == 0
    assert out.read_bytes() == first


def test_the_page_lies_in_the_run_by_default(
    capsys: pytest.CaptureFixture[str], run: Path
) -> None:
    assert nardy_here(capsys, "bench", "report", run).code == 0
    assert (run / "report.html").is_file() and (run / "report.json").is_file()
    # Again, over its own files.
    assert nardy_here(capsys, "bench", "report", run).code == 0


def test_bad_input(capsys: pytest.CaptureFixture[str], run: Path, tmp_path: Path) -> None:
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "ladder.json").write_text("{}")
    (tmp_path / "other.json").write_text('{"kind": "nardy report", "format": 9}')
    before = sorted(tmp_path.rglob("*"))
    for words, said in (
        ((tmp_path,), "is no run folder"),
        ((tmp_path / "none",), "there is no run folder"),
        ((tmp_path / "other.json",), "is a report of format 9"),
        ((tmp_path / "ladder.json",), "is no report"),
        ((run, "--out", tmp_path / "page.txt"), "ends in .html"),
        ((run, "--out", tmp_path / "folder.html"), "which is a folder"),
        ((run, "--out", tmp_path / "none" / "page.html"), "can't be written"),
        ((run, "--out", "/proc/page.html"), "can't be written"),
        ((run, "--out", tmp_path / "ladder.html"), "would be overwritten"),
        ((run, "--decisions", tmp_path / "none.json"), "there is no file of decisions"),
        ((run, "--model", tmp_path / "none.safetensors"), "none.safetensors"),
        ((tmp_path / "other.json", "--speed", tmp_path / "x"), "--speed goes with a run folder"),
    ):
        ran = nardy_here(capsys, "bench", "report", *words)
        assert ran.is_bad_input(), ran
        assert said in ran.err, ran.err
    assert sorted(tmp_path.rglob("*")) == before


def test_without_matplotlib_one_sentence_says_how_to_get_it(
    capsys: pytest.CaptureFixture[str], run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = nardy_here(capsys, "bench", "report", run, "--out", tmp_path / "page.html")
    assert ran.is_bad_input(), ran
    assert how_to_install_part("plots") in ran.err
    assert list(tmp_path.iterdir()) == []
