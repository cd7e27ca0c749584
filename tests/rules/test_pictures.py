"""Boards as text and SVG. The golden files were looked at; a missing one is written anew and fails once."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from random_games import GAME_NAMES, game_named, played

from nardy_ai.core import InputError
from nardy_ai.rules import Game, Position
from nardy_ai.rules.board_svg import page_colours

GOLDEN = Path(__file__).parent / "golden"
VERSION = "v1"
"""Goes up when the pictures are changed on purpose."""

SVG = "{http://www.w3.org/2000/svg}"


def crowded() -> Position:
    """Short nardy with everything to show: high stacks, both bars, both trays."""
    board = np.zeros((2, 26), np.int8)
    board[0, [24, 7, 5, 2, 25]] = [2, 6, 3, 1, 3]
    board[1, [24, 22, 11, 0, 25]] = [7, 1, 1, 2, 4]
    return Game("short").position(board, seat=1)


def last_roll() -> Position:
    """Long nardy: the starter has finished."""
    board = np.zeros((2, 26), np.int8)
    board[0, [0, 4, 25]] = [2, 1, 12]
    board[1, 25] = 15
    return Game("long").position(board, seat=1)


POSITIONS = {
    "long-start": lambda: Game("long").start(),
    "short-start": lambda: Game("short").start(),
    "long-middle": lambda: Game("long").position("GQCOBT8lECKkPw:1:3"),
    "short-middle": lambda: Game("short").position("TkoyYBOf4wEBUA:0:3"),
    "short-crowded": crowded,
    "long-last-roll": last_roll,
    "hypergammon": lambda: Game("short/hypergammon").position("EAADACAAIgAAAA:0:2"),
}


def check_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if not path.exists():
        path.write_text(text, "utf-8")
        pytest.fail(f"{name} was missing and is written; look at it and run again")
    assert text == path.read_text("utf-8")


# --- text -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", POSITIONS)
def test_golden_text_boards(name: str) -> None:
    pos = POSITIONS[name]()
    text = "\n\n".join([pos.key, str(pos), pos.text((3, 1)), pos.text((6, 6), ascii=True)])
    check_golden(f"{name}.{VERSION}.txt", text + "\n")


@pytest.mark.parametrize("name", GAME_NAMES)
def test_text_boards_show_every_checker(name: str) -> None:
    for position, dice, _, _ in played(game_named(name), seed=17, most=80):
        text = position.text(dice, ascii=True)
        lines = text.splitlines()
        assert len(lines) == 17
        assert max(map(len, lines)) <= 80
        assert text.isascii()
        assert f"rolled {max(dice)}-{min(dice)}" in lines[-1]
        assert counted(lines, position) == expected(position)
        unicode = str(position).splitlines()
        assert max(map(len, unicode)) <= 80
        assert all(line == line.rstrip() for line in unicode)


def expected(position: Position) -> dict[int, tuple[int, int]]:
    return {point: position.on_point(point) for point in range(1, 25)}


def counted(lines: list[str], position: Position) -> dict[int, tuple[int, int]]:
    """The checkers by own points, read off the picture by the printed numbers alone."""
    mine = "OX"[position.seat]
    found = {}
    for numbers, rows in ((lines[1], lines[3:8]), (lines[15], lines[13:8:-1])):
        for match in re.finditer(r"\d+", numbers):
            column = match.end() - 1
            cells = [row.ljust(80)[column - 1 : column + 1].strip() for row in rows]
            marks = [cell for cell in cells if cell in ("O", "X")]
            high = next((int(cell) for cell in cells if cell.isdigit()), 0)
            count = high or len(marks)
            own = bool(marks) and marks[0] == mine
            found[int(match[0])] = (count, 0) if own else (0, count)
    return found


def test_bars_and_trays_in_text() -> None:
    lines = crowded().text(ascii=True).splitlines()
    assert "6 off" not in lines[0]
    assert "4 off, 7 on the bar" in lines[0]
    assert "3 off, 2 on the bar" in lines[-1]
    bar = [line[20:23].strip() for line in lines[3:14]]
    assert bar == ["X", "X", "", "", "", "BAR", "7", "O", "O", "O", "O"]


def test_sides_keep_their_marks_through_a_game() -> None:
    start = Game("short").start()
    after = Game("short").plays(start, (3, 1))[0].position
    assert start.text(ascii=True).splitlines()[-1].startswith(" O on roll")
    assert after.text(ascii=True).splitlines()[-1].startswith(" X on roll")


def test_heads_of_long_nardy_stand_on_opposite_corners() -> None:
    lines = Game("long").start().text(ascii=True).splitlines()
    assert lines[3].endswith("O |")
    assert lines[13].startswith("| X")
    assert "BAR" not in str(Game("long").start())
    assert "BAR" in str(Game("short").start())


# --- SVG ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"), [("long-middle", "24/20 23/21"), ("short-crowded", "bar/23 bar/21")]
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_golden_svg_boards(name: str, text: str, theme: str) -> None:
    pos = POSITIONS[name]()
    play = pos.game.play(pos, (4, 2), text)
    check_golden(f"{name}-{theme}.{VERSION}.svg", pos.svg(play=play, theme=theme))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", GAME_NAMES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_svg_boards_show_every_checker(name: str, theme: str) -> None:
    for index, (position, dice, _, play) in enumerate(played(game_named(name), seed=18, most=60)):
        if index % 6:
            continue
        root = ElementTree.fromstring(position.svg(dice, theme=theme))  # type: ignore[arg-type]
        assert root.tag == f"{SVG}svg"
        circles = [c for c in root.iter(f"{SVG}circle") if c.get("r") == "19.5"]
        stacks = [max(position.on_point(point)) for point in range(1, 25)] + list(position.bar)
        assert len(circles) == sum(min(stack, 5) for stack in stacks)
        words = [element.text for element in root.iter(f"{SVG}text")]
        assert {str(point) for point in range(1, 25)} <= set(words)
        assert sum(word == str(stack) for word in words for stack in {s for s in stacks if s > 5}) >= len(
            {s for s in stacks if s > 5}
        )
        # Pips of the dice, and a mark for each side.
        assert len([c for c in root.iter(f"{SVG}circle") if c.get("r") == "3.2"]) == sum(dice)
        assert len([c for c in root.iter(f"{SVG}circle") if c.get("r") == "8"]) == 2
        arrows = ElementTree.fromstring(position.svg(play=play)).iter(f"{SVG}path")
        assert len(list(arrows)) == len(play.moves)


def test_svg_boards_stay_inside_their_frame() -> None:
    for name in POSITIONS:
        pos = POSITIONS[name]()
        root = ElementTree.fromstring(pos.svg((5, 2)))
        left, top, width, height = map(float, root.get("viewBox", "").split())
        for circle in root.iter(f"{SVG}circle"):
            x, y, r = (float(circle.get(key, "nan")) for key in ("cx", "cy", "r"))
            assert left <= x - r
            assert x + r <= left + width
            assert top <= y - r
            assert y + r <= top + height


def test_svg_trays_hold_the_checkers_borne_off() -> None:
    root = ElementTree.fromstring(crowded().svg())
    chips = [r for r in root.iter(f"{SVG}rect") if r.get("height") == "10"]
    assert len(chips) == 3 + 4


def test_arrows_to_one_point_end_on_top_of_each_other() -> None:
    start = Game("short").start()
    play = start.game.play(start, (3, 1), "8/5 6/5")
    groups = ElementTree.fromstring(start.svg(play=play)).iter(f"{SVG}g")
    tips = [group.find(f"{SVG}polygon").get("points").split()[0].split(",") for group in groups]  # type: ignore[union-attr]
    (x0, y0), (x1, y1) = tips
    assert x0 == x1
    assert float(y1) < float(y0) - 30


def test_notebooks_get_the_light_board() -> None:
    pos = Game("short").start()
    assert pos._repr_svg_() == pos.svg()
    assert pos.svg() != pos.svg(theme="dark")
    assert "<script" not in pos.svg()
    assert "id=" not in pos.svg(play=pos.game.plays(pos, (3, 1))[0])


def test_names_are_escaped_in_svg(tmp_path: Path) -> None:
    path = tmp_path / "a<b>&c.toml"
    path.write_text('format = 1\n[rules]\nfamily = "long"\n', "utf-8")
    ElementTree.fromstring(Game(path).start().svg())


def test_bad_pictures() -> None:
    game = Game("short")
    start = game.start()
    play = game.plays(start, (3, 1))[0]
    with pytest.raises(InputError, match="there are light, dark"):
        start.svg(theme="blue")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="another position"):
        play.position.svg(play=play)
    with pytest.raises(InputError, match="the play is of 3-1, not of 6-6"):
        start.svg((6, 6), play=play)
    with pytest.raises(InputError, match="from 1 to 6"):
        start.svg((0, 6))
    with pytest.raises(InputError, match="from 1 to 6"):
        start.text((7, 6))
    assert start.svg((1, 3), play=play) == start.svg(play=play)


def test_one_pip_is_no_pips() -> None:
    board = np.zeros((2, 26), np.int8)
    board[0, [0, 25]], board[1, [1, 25]] = [1, 14], [1, 14]
    position = Game("short").position(board)
    for picture in (position.text(), position.svg()):
        assert "1 pip" in picture and "1 pips" not in picture
        assert "2 pips" in picture


# --- two plays on one board -----------------------------------------------------------------------------


def test_a_better_play_beside_the_one_that_was_made() -> None:
    game = Game("short")
    start = game.start()
    made, better = (game.play(start, (3, 1), text) for text in ("24/23 8/5", "8/5 6/5"))
    svg = start.svg(play=made, better=better)
    assert svg.count("<path") == 3
    assert svg.count("stroke-dasharray") == 1
    assert svg.count('<g opacity="0.35">') == 1
    assert "played 24/23 8/5, better 8/5 6/5" in svg
    # The shared movement is drawn once; each play's own keeps its colour.
    assert svg.count('stroke="#c2362b"') == svg.count('stroke="#1f77b4"') == 1
    assert start.svg(play=made, better=made).count('<g opacity="0.35">') == 2
    with pytest.raises(InputError, match="give both"):
        start.svg(better=better)
    with pytest.raises(InputError, match="not of 3-1"):
        start.svg(play=made, better=game.play(start, (6, 5), "24/13"))


def test_checkers_of_both_plays_start_from_one_stack() -> None:
    """Each play takes the topmost checker: without the other one, and above what both have moved."""
    game = Game("short")
    start = game.start()
    made, better = (game.play(start, (2, 1), text) for text in ("6/4 6/5", "6/4 24/23"))
    svg = start.svg(play=made, better=better)
    starts = re.findall(r'd="M([\d.]+),([\d.]+) ', svg)
    alone = re.findall(r'd="M([\d.]+),([\d.]+) ', start.svg(play=made))
    assert starts[:2] == alone


def test_colours_of_the_page() -> None:
    start = Game("long").start()
    svg = start.svg((3, 1), theme="page")
    assert svg.replace("var(--board-", "").count("#") == svg.count("var(--board-")
    plain = re.sub(r"var\(--board-[a-z0-9-]+, (#[0-9a-f]{6})\)", r"\1", svg)
    assert plain == start.svg((3, 1), theme="light")
    for theme in ("light", "dark"):
        declared = dict(re.findall(r"(--board-[a-z0-9-]+): (#[0-9a-f]{6});", page_colours(theme)))
        assert set(re.findall(r"--board-[a-z0-9-]+", svg)) <= set(declared)
        coloured = svg
        for name, colour in declared.items():
            coloured = re.sub(rf"var\({name}, #[0-9a-f]{{6}}\)", colour, coloured)
        assert coloured == start.svg((3, 1), theme=theme)
