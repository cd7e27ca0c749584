"""C exports: a folder that compiles with one command, plays, and answers as the package does."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import REPOSITORY, nardy, nardy_here
from untrained import untrained_model

from nardy_ai.core import InputError
from nardy_ai.export import c_check, c_library
from nardy_ai.export.c_check import compiler
from nardy_ai.export.c_library import CExport, export_c, source_files
from nardy_ai.export.mismatch import ExportMismatch
from nardy_ai.rules import Game

PROFILE = "long/classic"
needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained_model("long/fns", tmp_path_factory.mktemp("model") / "bot.safetensors")


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -O2")


@pytest.fixture(scope="module")
def reported(model: Path, tmp_path_factory: pytest.TempPathFactory) -> CExport:
    """An export for another profile than the model's, compiled in the shortest time."""
    out = tmp_path_factory.mktemp("c") / "a folder"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(c_check, "FLAGS", (*c_check.FLAGS, "-O0"))
        return export_c(model, out, PROFILE)


@pytest.fixture(scope="module")
def exported(reported: CExport) -> Path:
    return reported.path


@pytest.fixture(scope="module")
def programs(exported: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Example and check, compiled strictly by the command of the folder's README."""
    readme = (exported / "README.md").read_text("utf-8")
    found = re.findall(r"^cc (.*) play\.c src/\*\.c (.*) -o play && \./play$", readme, re.MULTILINE)
    assert len(found) == 1
    flags, libraries = (part.split() for part in found[0])
    assert flags == list(c_check.FLAGS)
    build = tmp_path_factory.mktemp("programs")
    strict = ["cc", *flags, f"-I{exported}", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-O0"]
    run([*strict, "-c", *sorted(exported.glob("src/*.c"))], build)
    for program in ("play", "check"):
        run([*strict, exported / f"{program}.c", *build.glob("*.o"), *libraries, "-o", program], build)
    return build


def run(words: list[str | Path], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@needs_compiler
def test_it_was_compiled_and_asked_before_it_counted_as_written(reported: CExport) -> None:
    found = reported.compiled
    assert found is not None
    assert found.same_bits == found.boards == 240
    assert (found.rolls, found.best_plays) == (60, 64)
    assert 0 <= found.largest_difference <= 1e-5
    assert reported.profile == PROFILE


@needs_compiler
def test_the_example_plays_a_game(exported: Path, programs: Path, tmp_path: Path) -> None:
    played = run([programs / "play", "3"], exported).splitlines()
    assert re.match(r"  1  starter  \d-\d: 24/", played[0])
    assert re.fullmatch(r"for the (starter|second): (win|lose)(_mars)?, [+-][12] points", played[-1])
    lost = subprocess.run([programs / "play"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (lost.returncode, lost.stderr.count("\n")) == (1, 1)
    assert "rules.txt" in lost.stderr


def test_the_manifest_tells_rules_outcomes_view_and_checksums(exported: Path, model: Path) -> None:
    manifest = json.loads((exported / "manifest.json").read_bytes())
    facts = manifest["model"]
    game = Game(PROFILE)
    assert (facts["profile"], facts["trained_under"]) == (PROFILE, "long/fns")
    assert facts["encoding"] == "long-1-seat"
    assert facts["outcomes"] == list(game.outcomes)
    assert facts["points"] == list(game.points)
    assert "player on roll" in facts["point_of_view"]
    assert facts["model_sha256"] == hashlib.sha256(model.read_bytes()).hexdigest()
    files = contents(exported)
    assert set(manifest["files"]) == set(files) - {"manifest.json"}
    for name, listed in manifest["files"].items():
        assert listed == {"bytes": len(files[name]), "sha256": hashlib.sha256(files[name]).hexdigest()}, name


def test_it_holds_the_library_and_nothing_of_python(exported: Path) -> None:
    names = set(contents(exported))
    assert {"nardy.h", "model.nardynet", "rules.txt", "vectors.txt"} <= names
    assert {"Makefile", "CMakeLists.txt", "LICENSE", "README.md"} <= names
    assert {"src/plays.c", "src/net_file.c", "src/net_avx2.c"} <= names
    assert not [name for name in names if "binding" in name or b"Python.h" in contents(exported)[name]]
    library = {path.name for path in (REPOSITORY / "library").glob("*.c")}
    assert library <= {name.removeprefix("src/") for name in names}


def test_equal_models_give_equal_bytes_with_and_without_a_compiler(
    exported: Path, model: Path, tmp_path: Path, without_compiler: None
) -> None:
    done = export_c(model, tmp_path / "again", PROFILE)
    assert done.compiled is None
    assert contents(tmp_path / "again") == contents(exported)
    assert [path.name for path in tmp_path.iterdir()] == ["again"]


def test_without_a_compiler_the_command_says_what_was_not_done(
    model: Path, tmp_path: Path, without_compiler: None, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = nardy_here(capsys, "export", model, "--to", "c", "--out", tmp_path / "out")
    assert ran.code == 0
    assert "not compiled: no C compiler was found" in ran.out
    report = nardy_here(capsys, "export", model, "--to", "c", "--out", tmp_path / "out", "--json").out
    assert json.loads(report)["compiled"] is None


def test_what_anybody_added_is_kept(model: Path, tmp_path: Path, without_compiler: None) -> None:
    export_c(model, tmp_path / "out")
    (tmp_path / "out" / "src" / "mine.c").write_text("int mine;\n")
    with pytest.raises(InputError, match=r"src/mine\.c, which no export of this kind wrote"):
        export_c(model, tmp_path / "out")
    assert (tmp_path / "out" / "src" / "mine.c").exists()


@pytest.mark.parametrize("profile", ["short/standard", "long/none"])
def test_rules_that_the_model_cannot_play_are_refused(
    model: Path, tmp_path: Path, profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind in ("c", "json", "web", "onnx"):
        ran = nardy_here(capsys, "export", model, "--to", kind, "--game", profile, "--out", tmp_path / "out")
        assert ran.is_bad_input(), (kind, ran)
        assert profile.partition("/")[2] in ran.err
    assert list(tmp_path.iterdir()) == []


@needs_compiler
def test_the_check_notices_what_differs(exported: Path, programs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(exported, folder)
    text = (folder / "vectors.txt").read_text()
    lines = text.splitlines()
    value = next(line for line in lines if line.startswith("value"))
    roll = next(line for line in lines if line.startswith("roll"))
    best = next(line for line in lines if line.startswith("best"))
    *others, equity = value.split()
    start, board, worth = best.rsplit(" ", 2)
    changes = {
        "outcomes or equity differ": (value, " ".join([*others, f"{float(equity) + 3e-5:.9g}"])),
        "other plays are legal": (roll, roll[:-8] + "00000000"),
        "another play is the best": (best, f"{start} {board[::-1]} {worth}"),
        "the best play is worth something else": (best, f"{start} {board} {float(worth) + 3e-5:.9g}"),
    }
    for said, (old, new) in changes.items():
        (folder / "vectors.txt").write_text(text.replace(old, new))
        done = subprocess.run([programs / "check", folder], capture_output=True, text=True, check=False)
        assert done.returncode == 1, said
        assert said in done.stderr
        assert done.stdout.endswith("; 1 differ\n")
    (folder / "vectors.txt").write_text(text.replace("nardy-vectors 1", "nardy-vectors 2"))
    done = subprocess.run([programs / "check", folder], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "check: vectors.txt has another format\n")
    (folder / "vectors.txt").write_text(text)
    net = bytearray((folder / "model.nardynet").read_bytes())
    net[len(net) // 2] ^= 64
    (folder / "model.nardynet").write_bytes(net)
    done = subprocess.run([programs / "check", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "checksum" in done.stderr


@needs_compiler
def test_sources_that_do_not_compile_leave_nothing(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = {**source_files(), "src/bearoff.c": b"no C at all\n"}
    monkeypatch.setattr(c_library, "source_files", lambda: dict(broken))
    with pytest.raises(ExportMismatch, match="do not compile here") as refused:
        export_c(model, tmp_path / "out")
    assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("profile", ["short/standard", "short/hypergammon", "long/fns"])
@pytest.mark.parametrize("tool", ["make", "cmake"])
def test_make_and_cmake_build_and_test_it(profile: str, tool: str, tmp_path: Path) -> None:
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    model = untrained_model(profile, tmp_path / "bot.safetensors")
    ran = nardy("export", model, "--to", "c", "--out", tmp_path / "out")
    assert (ran.code, ran.err) == (0, "")
    assert "240 boards to the bit by plain kernels" in ran.out
    commands = {
        "make": (["make", "all", "test"],),
        "cmake": (
            ["cmake", "-S", ".", "-B", "build"],
            ["cmake", "--build", "build"],
            ["ctest", "--test-dir", "build", "--output-on-failure"],
        ),
    }
    for words in commands[tool]:
        done = subprocess.run(words, cwd=tmp_path / "out", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    names = {path.name for path in (tmp_path / "out" / "build").iterdir()}
    assert {"libnardy.a", "libnardy.so", "play", "check"} <= names
