"""The notebooks run from the first cell to the last, and stand in the repository as a reader wants them."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from command_line import REPOSITORY

FOLDER = REPOSITORY / "notebooks"
NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))
MOST_BYTES, MOST_OF_A_PICTURE = 150_000, 60_000


def cells_of(name: str) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads((FOLDER / name).read_text(encoding="utf-8"))["cells"]
    return cells


def text_of(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def outputs_of(name: str) -> list[dict[str, Any]]:
    return [output for cell in cells_of(name) for output in cell.get("outputs", [])]


def test_the_notebooks_are_listed() -> None:
    listed = re.findall(r"^\| `([^`]+\.ipynb)`", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert listed == NOTEBOOKS
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("NARDY_SMALL", "1")
    notebook = nbformat.read(FOLDER / name, as_version=4)
    place = {"metadata": {"path": str(FOLDER)}}
    before = sorted(FOLDER.iterdir())
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=place).execute()
    assert sorted(FOLDER.iterdir()) == before, "it left files beside itself"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_reader_on_the_web_sees_boards_and_plots(name: str) -> None:
    kinds = {kind for output in outputs_of(name) for kind in output.get("data", {})}
    assert "image/png" in kinds
    if not name.startswith("2"):
        assert "image/svg+xml" in kinds
    code = [cell for cell in cells_of(name) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1)), "run it as a whole"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_it_holds_is_small_and_from_nowhere(name: str) -> None:
    path = FOLDER / name
    assert path.stat().st_size < MOST_BYTES
    for output in outputs_of(name):
        assert output["output_type"] in ("stream", "display_data", "execute_result")
        assert output.get("name") != "stderr"
        picture = output.get("data", {}).get("image/png")
        assert picture is None or len(base64.b64decode(picture)) < MOST_OF_A_PICTURE
    assert not re.search(r"(?<![\w.<])/(?:home|root|tmp|Users|opt)/", path.read_text(encoding="utf-8"))


def test_the_small_runs_are_told_by_one_variable() -> None:
    for name in NOTEBOOKS:
        lines = [line for cell in cells_of(name) for line in text_of(cell).splitlines()]
        assert sum('os.environ.get("NARDY_SMALL")' in line for line in lines) == 1


def test_files_that_notebooks_name_exist() -> None:
    for name in NOTEBOOKS:
        words = " ".join(text_of(cell) for cell in cells_of(name) if cell["cell_type"] == "markdown")
        for file in re.findall(r"`((?:docs|configs|library|nardy_ai)/[\w./-]+\.\w+)`", words):
            assert (REPOSITORY / file).exists(), file
    assert Path(REPOSITORY / "checkpoints" / "long-quick.safetensors").is_file()
