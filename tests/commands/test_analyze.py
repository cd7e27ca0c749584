"""What `nardy analyze` answers, writes, and refuses."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from command_line import REPOSITORY, nardy, nardy_here
from untrained import untrained_model

MATCH = REPOSITORY / "tests" / "data" / "gnubg_match_to_5.mat"
TAS = REPOSITORY / "tests" / "data" / "long_tas.mat"
SHORT = REPOSITORY / "checkpoints" / "short-quick.safetensors"
RECORD = """\
 0 point match

 Game 1
 Ann : 0                        Bob : 0
  1) 31: 8/5 6/5                 42: 24/22 6/2
  2) 65: 24/13

 Game 2
 Ann : 0                        Bob : 0
  1) 31: 8/5 6/4
"""


def test_a_match_as_text_page_and_json(tmp_path: Path) -> None:
    words = ("analyze", MATCH, "--out", "report.html", "--json", "report.json", "--boards", "4")
    one = nardy(*words, "--threads", "1", cwd=tmp_path)
    assert one.code == 0, one.err
    assert one.err == ""
    lines = one.out.splitlines()
    assert max(map(len, lines)) < 80
    assert lines[1] == "  short/standard, 4 games, 4 finished"
    assert lines[-2:] == ["wrote report.html", "wrote report.json"]
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert report["judge"]["name"].endswith("short.safetensors")
    assert [player["name"] for player in report["players"]] == ["gnubg", "root"]
    for player in report["players"]:
        assert f"{player['millipoints']:.1f}" in one.out and f"{player['pr']:.2f}" in one.out
    html = (tmp_path / "report.html").read_text("utf-8")
    assert html.count('<section class="card">') == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.json"]
    two = nardy(*words, "--threads", "2", cwd=tmp_path)
    assert two.out == one.out
    assert (tmp_path / "report.html").read_text("utf-8") == html
    assert json.loads((tmp_path / "report.json").read_text("utf-8")) == report


def test_a_folder_and_json_on_stdout(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(REPOSITORY)
    for name in ("b.mat", "a.MAT", "c.txt"):
        (tmp_path / name).write_text(RECORD.split("\n Game 2")[0], encoding="utf-8")
    ran = nardy_here(capsys, "analyze", tmp_path, tmp_path / "b.mat", "--json", "-", "--model", SHORT)
    assert (ran.code, ran.err) == (0, "")
    report = json.loads(ran.out)
    assert [Path(file["file"]).name for file in report["files"]] == ["a.MAT", "b.mat"]
    assert [player["turns"] for player in report["players"]] == [4, 2]


def test_what_could_not_be_read_is_told_and_the_rest_analysed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "a.mat").write_text(RECORD, encoding="utf-8")
    (tmp_path / "b.mat").write_bytes(RECORD.replace("Ann", "Аня").encode("cp1251"))
    ran = nardy_here(capsys, "analyze", tmp_path, "--model", SHORT, "--threads", "1")
    assert ran.code == 1
    assert ran.err == "nardy: WARNING: 2 places could not be read; the rest was analysed\n"
    told = " ".join(ran.out.split())
    assert "--encoding cp1251" in told
    assert "line 10, game 2, play 1: legal plays: '8/5 6/4' is not legal with 3-1" in told
    assert max(map(len, ran.out.splitlines())) < 80
    again = nardy_here(capsys, "analyze", tmp_path / "b.mat", "--encoding", "cp1251", "--model", SHORT)
    assert "Аня" in again.out


def test_rules_of_another_profile_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    path.write_text(RECORD.split("\n Game 2")[0], encoding="utf-8")
    ran = nardy_here(capsys, "analyze", path, "--game", "short/tavla", "--model", SHORT)
    assert ran.code == 0
    assert "was trained for short/standard and judges by the rules of short/tavla" in ran.err
    assert "short/tavla" in ran.out


# --- a position -----------------------------------------------------------------------------------------


def test_a_position(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("analyze", "--position", "start", "--dice", "1", "3", "--profile", "short", "--model", SHORT)
    ran = nardy_here(capsys, *words, "--play", "24/20")
    assert (ran.code, ran.err) == (0, "")
    assert max(map(len, ran.out.splitlines())) < 80
    assert "8/5 6/5" in ran.out and "24/20 loses 0." in ran.out and "rolled 3-1" in ran.out
    out = tmp_path / "p.html"
    told = json.loads(nardy_here(capsys, *words, "--plies", "1", "--json", "-", "--out", out).out)
    assert told["kind"] == "nardy-ai position" and told["judge"]["plies"] == 1
    assert told["plays"][0]["play"] == "8/5 6/5" and told["choices"] == 16
    assert out.read_text("utf-8").startswith("<!DOCTYPE html>")
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    ran = nardy_here(capsys, "analyze", "--position", xgid, "--model", SHORT)
    assert ran.code == 0 and "4HPwATDgc/ABMA" in ran.out


# --- bad input ------------------------------------------------------------------------------------------


def test_bad_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, long_model: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.mat").write_text(RECORD, encoding="utf-8")
    (tmp_path / "none.mat").write_text("nothing\n", encoding="utf-8")
    (tmp_path / "bare.mat").write_text(" Game 1\n A : 0  B : 0\n", encoding="utf-8")
    (tmp_path / "wide.mat").write_bytes(RECORD.encode("cp1252").replace(b"Ann", b"\xe9"))
    small = untrained_model("short/hypergammon", tmp_path / "small.safetensors")
    start = ("--position", "start", "--profile", "short")
    for words, said in (
        ((), "name a .mat file or a folder"),
        (("missing.mat",), "missing.mat: there is no such file"),
        (("empty",), "empty holds no .mat file"),
        (("none.mat",), "there is no game in the file"),
        (("bare.mat",), "hold no play"),
        (("wide.mat",), "--encoding cp1251"),
        (("a.mat", "--encoding", "klingon"), "there is no encoding 'klingon'"),
        (("a.mat", "--model", long_model), "cannot judge short/standard"),
        (("a.mat", "--model", small), "cannot judge short/standard"),
        (("a.mat", "--model", "none.safetensors"), "none.safetensors"),
        (("a.mat", TAS), "analyse each game on its own"),
        ((TAS, "--game", "short"), "is not played by short/standard"),
        (("a.mat", "--game", "shrt"), "shrt"),
        (("a.mat", "--plies", "3"), "--plies"),
        (("a.mat", "--threads", "0"), "threads is 0"),
        (("a.mat", "--boards", "-1"), "boards is -1"),
        (("a.mat", "--out", "empty"), "it is a folder"),
        (("a.mat", "--out", "no/r.html"), "there is no folder no"),
        (("a.mat", "--out", "r", "--json", "./r"), "give two files"),
        # What is written beside it first has a longer name. Nothing is judged before that is known.
        (("a.mat", "--out", "r" * 245 + ".html"), "cannot be written (File name too long); name another"),
        (("a.mat", "--dice", "3", "1"), "belong to --position"),
        (("a.mat", *start), "do not go together"),
        (start, "--dice 3 1"),
        ((*start, "--dice", "7", "1"), "dice must be"),
        ((*start, "--dice", "3", "1", "--play", "8/3"), "not legal"),
        (("--position", "start", "--dice", "3", "1"), "say which game"),
        (("--position", "xyz", "--dice", "3", "1", "--game", "short"), "no position ID"),
        (("--position", "AAAAAAAAAAAAAA:0:3", "--dice", "3", "1", "--game", "short"), ""),
        (("--position", "start", "--dice", "3", "1", "--game", "short/hypergammon"), "name one that judges"),
    ):
        before = sorted(tmp_path.rglob("*"))
        model = () if "--model" in words or "name one that judges" in said else ("--model", SHORT)
        model = () if "say which game" in said else model
        ran = nardy_here(capsys, "analyze", *words, *model)
        assert ran.is_bad_input(), (words, ran)
        assert said in ran.err, ran.err
        assert sorted(tmp_path.rglob("*")) == before


def test_what_is_read_is_never_written_over(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    record = tmp_path / "games" / "a.mat"
    record.write_text(RECORD, encoding="utf-8")
    link = tmp_path / "link"
    link.symlink_to("games/a.mat")
    for read, out in ((record, record), (record, link), (record.parent, record), (record, SHORT)):
        for option in ("--out", "--json"):
            ran = nardy_here(capsys, "analyze", read, "--model", SHORT, option, out)
            assert (ran.code, ran.out) == (2, "")
            assert f"{out.name} is what is to be read" in ran.err
    assert record.read_text(encoding="utf-8") == RECORD


def test_nor_is_the_model_that_judges_by_default(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "checkpoints").mkdir()
    model = tmp_path / "checkpoints" / "short.safetensors"
    model.write_bytes(b"a model")
    (tmp_path / "other name").hardlink_to(model)
    (tmp_path / "a.mat").write_text(RECORD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for words in (["a.mat"], ["--position", "start", "--game", "short", "--dice", "3", "1"]):
        for option in ("--out", "--json"):
            ran = nardy_here(capsys, "analyze", *words, option, "other name")
            assert ran.is_bad_input(), ran
            assert "other name is what is to be read" in ran.err
            for out in ("checkpoints/short.safetensors", "new.safetensors", "new.MAT"):
                ran = nardy_here(capsys, "analyze", *words, option, out)
                assert ran.is_bad_input(), ran
                assert f"{out} has the name of a record or a model" in ran.err
    assert model.read_bytes() == b"a model"


def test_a_folder_that_an_export_wrote_is_no_place_for_a_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    (bundle / "manifest.json").write_text('{"kind": "nardy-ai web bundle"}')
    (tmp_path / "a.mat").write_text(RECORD, encoding="utf-8")
    for option in ("--out", "--json"):
        ran = nardy_here(capsys, "analyze", tmp_path / "a.mat", option, bundle / "index.html")
        assert ran.is_bad_input(), ran
        assert "is a folder that an export wrote" in ran.err
    assert [path.name for path in bundle.iterdir()] == ["manifest.json"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_no_device_or_pipe_is_replaced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(RECORD, encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    for option in ("--out", "--json"):
        ran = nardy_here(capsys, "analyze", tmp_path / "a.mat", "--model", SHORT, option, tmp_path / "pipe")
        assert ran.code == 2
        assert "pipe cannot be written: it is no plain file" in ran.err
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_and_loops_in_a_folder_do_not_stop_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "a.mat").write_text(RECORD.split("\n Game 2")[0], encoding="utf-8")
    os.mkfifo(tmp_path / "b.mat")
    (tmp_path / "c.mat").symlink_to("c.mat")
    ran = nardy_here(capsys, "analyze", tmp_path, "--model", SHORT, "--json", "-")
    assert ran.code == 1
    assert [Path(file["file"]).name for file in json.loads(ran.out)["skipped"]] == ["b.mat", "c.mat"]


def test_a_name_that_a_terminal_would_obey_is_shown_without(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "\x1b[31mred\n.mat").write_text("nothing", encoding="utf-8")
    ran = nardy_here(capsys, "analyze", tmp_path, "--model", SHORT)
    assert ran.code == 2
    assert ran.err.rstrip("\n").isprintable()
