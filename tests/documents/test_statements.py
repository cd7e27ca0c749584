"""What documents state about the code, compared with the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from command_line import REPOSITORY
from documents.document import RUNNABLE, blocks_of

from nardy_ai import core
from nardy_ai.rules.profile import DEFEATS, CubeOptions, MatchOptions, RuleOptions

MARKS = ("run", "run slow", "run with", "run beside", "file", "skip")
PACKAGE = REPOSITORY / "nardy_ai"
DOCUMENTS = (
    "first-hour.md",
    "rules.md",
    "formats.md",
    "extending.md",
    "house.md",
    "environments.md",
    "levels.md",
    "analysis.md",
    "training.md",
    "web.md",
    "serving.md",
    "exports.md",
    "bot-protocol.md",
    "many-machines.md",
    "packaging.md",
)


def text_of(document: str) -> str:
    return (REPOSITORY / "docs" / document).read_text(encoding="utf-8")


def table_after(document: str, heading: str) -> list[list[str]]:
    """The rows of the first table behind a heading, without its head."""
    rest = text_of(document).split(heading, 1)[1]
    rows = re.search(r"(?:^\|.*\|$\n)+", rest, re.MULTILINE)
    assert rows
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[0].splitlines()[2:]]


def rooms() -> dict[str, set[str]]:
    """The table of docs/house.md: folder -> folders that it may import."""
    table = {row[0].strip("`"): row[2] for row in table_after("house.md", "## The rooms")}
    return {
        room: set(table) if may == "all" else set(may.replace(",", " ").split())
        for room, may in table.items()
    }


def imports_of(room: Path) -> dict[str, str]:
    """Folders of the package that a folder's modules import, each with one file that does."""
    found: dict[str, str] = {}
    for file in sorted(room.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                parts = name.split(".")
                if parts[0] == "nardy_ai" and len(parts) > 1:
                    found[parts[1]] = str(file.relative_to(REPOSITORY))
    return found


def test_every_room_of_the_house_is_there_and_no_other() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == set(rooms())


def test_no_room_imports_what_the_house_forbids() -> None:
    for room, may in rooms().items():
        for imported, file in imports_of(PACKAGE / room).items():
            assert imported in may | {room} or imported not in rooms(), f"{file} imports nardy_ai.{imported}"


def test_the_house_has_no_stairs_that_lead_in_a_circle() -> None:
    table = rooms()
    order = list(table)
    for room, may in table.items():
        assert may <= set(order[: order.index(room)]) | {room}, f"{room} may import what stands below it"


def test_files_that_documents_name_exist() -> None:
    suffixes = r"\.(?:py|c|h|md|toml|js|safetensors|cmake)"
    for document in DOCUMENTS:
        for name in re.findall(rf"`((?:[\w-]+/)+[\w.-]+{suffixes})`", text_of(document)):
            made = name.startswith("runs/") or "NNNNNN" in name
            there = any(place.exists() for place in (REPOSITORY / name, PACKAGE / name))
            assert made or there, f"{document}: {name}"


def test_engine_files_that_the_house_names_exist() -> None:
    cells = " ".join(row[0] for row in table_after("house.md", "## The engine"))
    for name in re.findall(r"`([\w*]+\.c)`", cells):
        assert list((PACKAGE / "core").glob(name)), name


def test_every_option_of_the_rules_is_explained_with_its_values() -> None:
    rows = {row[0].strip("`"): row for row in table_after("rules.md", "### `[rules]`")}
    assert set(rows) == set(RuleOptions.__dataclass_fields__)
    for option in core.rules_schema():
        values, family = rows[option.name][1], rows[option.name][2]
        assert family in ("", option.family)
        if option.name == "head_exception":
            paragraph = text_of("rules.md").split("`head_exception`: ", 1)[1].split("\n\n", 1)[0]
            assert set(re.findall(r"`(\w+)`", paragraph)) == set(option.choices)
        elif option.kind == "choice":
            assert re.findall(r"`(\w+)`", values) == list(option.choices)
        elif option.kind == "bool":
            assert values == "true, false"
        else:
            assert values == f"{option.low} to {option.high}"


def test_every_kind_of_win_and_key_of_a_match_is_explained() -> None:
    for row in table_after("rules.md", "### `[scores]`"):
        assert tuple(re.findall(r"`(\w+)`", row[1])) == DEFEATS[row[0]]
    for heading, kind in (("### `[match]`", MatchOptions), ("### `[cube]`", CubeOptions)):
        keys = [row[0].strip("`") for row in table_after("rules.md", heading)]
        assert keys == list(kind.__dataclass_fields__)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_command_stands_there_that_is_not_run(document: str) -> None:
    """Every block that a reader could type in says that it is run, written to a file, or why it is not."""
    for block in blocks_of(document):
        if block.language in RUNNABLE:
            assert block.what.split(":")[0] in MARKS, block.place
