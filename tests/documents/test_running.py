"""Documents do what they say: their commands and their code are run in their order."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from documents.document import Block, blocks_of, is_shown
from documents.running import _run_blocks, run_document
from documents.test_statements import DOCUMENTS

NEEDED_MODULES = {"environments.md": ("gymnasium",), "serving.md": ("fastapi", "uvicorn")}
NEEDED_PROGRAMS = {"web.md": ("node",), "serving.md": ("curl",)}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_does_what_it_says(document: str, tmp_path: Path) -> None:
    for module in NEEDED_MODULES.get(document, ()):
        pytest.importorskip(module)
    for program in NEEDED_PROGRAMS.get(document, ()):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    assert run_document(document, tmp_path / "clone", slow=False) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_long_parts_of_a_document_too(document: str, tmp_path: Path) -> None:
    if not any(block.what == "run slow" for block in blocks_of(document)):
        pytest.skip("it has none")
    assert run_document(document, tmp_path / "clone", slow=True) == []


def blocks(*parts: tuple[str, str, str]) -> list[Block]:
    return [Block("made-up.md", number, *part) for number, part in enumerate(parts, 1)]


def test_a_command_that_fails_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in ("nardy rules shrot", "python nothing.py", "test -e nothing"):
        assert _run_blocks(blocks(("run", "sh", text)), slow=False) != []
    assert _run_blocks(blocks(("run", "python", "raise SystemExit(3)")), slow=False) != []


def test_a_server_runs_beside_and_has_to_end_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    serve = ("run beside", "sh", "python -m http.server --bind 127.0.0.1 8000")
    ask = "python -c \"import urllib.request as r; print(r.urlopen('http://127.0.0.1:8000/').status)\""
    ended = _run_blocks(blocks(serve, ("run", "sh", ask), ("shows", "text", "200\n")), slow=False)
    assert "ended with" in ended[0]  # by the signal: this one does not end by itself
    fails = ("run beside", "sh", "python -c 'exit(3)' 8000")
    assert "ended with 3" in _run_blocks(blocks(fails), slow=False)[0]


def test_output_that_is_not_printed_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = ("run", "python", "print('one')\nprint('two')\nprint('three')")
    assert _run_blocks(blocks(run, ("shows", "text", "one\n…\nthree\n")), slow=False) == []
    assert _run_blocks(blocks(run, ("shows", "text", "one\nthree\n")), slow=False) != []


def test_lines_are_found_in_their_order() -> None:
    assert is_shown("a\nb\nc\n", "b\nc\n")
    assert is_shown("a\nb\nc\nd\n", "a\n…\nd\n")
    assert not is_shown("a\nb\nc\n", "b\na\n")
    assert not is_shown("a\nb\nc\n", "a\nc\n")
