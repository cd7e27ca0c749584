"""The inputs that see a position's shape, in ONNX: blocks, shots, freedom (see `core/encode_shape.h`).

They are sums and products of what stands on points, so matrices of ones tell which points go together. Every
export compares the whole graph with the engine, so that what is said there and here cannot differ.
"""

from __future__ import annotations

import numpy as np

from nardy_ai.export.onnx_parts import Graph, at_least, columns, number, scaled, sums
from nardy_ai.export.onnx_prospects import prospects

_POINTS, _BAR = 24, 24
_WINDOW, _WINDOWS, _REACH, _MOST = 6, 19, 12, 3
_PIPS_A_STEP = 4
_OWN = {"short": 101, "long": 89}
"""The shape's own inputs of a side."""


def add_shape(graph: Graph, family: str, slots: str, inputs: int) -> str:
    """The shape's inputs float32 [n, inputs] of counts `slots` float32 [n, 52], the row on roll first.

    Where there are more of them than the shape's own, they are those that see what the next rolls can do.
    """
    rows = [columns(graph, slots, f"row{side}", np.arange(26) + 26 * side) for side in range(2)]
    sides = [_side(graph, family, f"side{side}", rows[side], rows[1 - side]) for side in range(2)]
    if inputs > 2 * _OWN[family]:
        for side in range(2):
            sides += prospects(graph, family, rows[side], rows[1 - side], f"prospects{side}")
    return graph.node("Concat", sides, "shape", axis=1)


def _side(graph: Graph, family: str, name: str, row: str, other: str) -> str:
    """Everything of one side: `row` its own counts, `other` those of the other side."""
    points = columns(graph, row, f"{name}.points", np.arange(_POINTS))
    made = at_least(graph, points, f"{name}.made", 2 if family == "short" else 1)
    parts = [_pairs(graph, made, f"{name}.pairs{apart}", apart) for apart in (1, 2)]
    parts += [_windows(graph, made, name), _pips(graph, row, name)]
    if family == "short":
        parts += _shots(graph, points, other, name)
    else:
        parts.append(_freedom(graph, points, other, name))
    return graph.node("Concat", parts, name, axis=1)


def _pairs(graph: Graph, made: str, name: str, apart: int) -> str:
    lower = columns(graph, made, f"{name}.lower", np.arange(_POINTS - apart))
    upper = columns(graph, made, f"{name}.upper", np.arange(apart, _POINTS))
    return graph.node("Mul", [lower, upper], name)


def _windows(graph: Graph, made: str, name: str) -> str:
    point, start = np.arange(_POINTS)[:, None], np.arange(_WINDOWS)[None, :]
    inside = (point >= start) & (point < start + _WINDOW)
    return scaled(graph, sums(graph, made, f"{name}.blocks", inside), f"{name}.windows", 1 / _WINDOW)


def _pips(graph: Graph, row: str, name: str) -> str:
    weights = np.arange(1, 27)[:, None].astype(np.float32)
    weights[25] = 0
    steps = sums(graph, row, f"{name}.pip_steps", weights / _PIPS_A_STEP)
    whole = graph.node("Ceil", [steps], f"{name}.pip_steps_whole")
    return scaled(graph, whole, f"{name}.pips", _PIPS_A_STEP / 100)


def _shots(graph: Graph, points: str, other: str, name: str) -> list[str]:
    """Shots at each blot, and blots at each distance. My point p is his 25 - p; he comes from above it."""
    one = graph.node("Equal", [points, number(graph, f"{name}.one", 1)], f"{name}.is_blot")
    blots = graph.node("Cast", [one], f"{name}.blots", to=1)
    his = columns(graph, other, f"{name}.his_columns", np.arange(_BAR + 1))
    hitters = at_least(graph, his, f"{name}.hitters", 1)
    distance = np.arange(1, _BAR + 2)[:, None] - (25 - np.arange(1, _POINTS + 1))[None, :]
    near = sums(graph, hitters, f"{name}.near", (distance >= 1) & (distance <= _WINDOW))
    most = number(graph, f"{name}.most", _MOST)
    capped = graph.node("Min", [near, most], f"{name}.near_capped")
    shots = graph.node("Mul", [blots, capped], f"{name}.shots_whole")
    # [his columns, distance x my points], to be seen as [n, distance, my points].
    exactly = np.stack([distance == d for d in range(1, _REACH + 1)], axis=1).reshape(_BAR + 1, -1)
    spread = sums(graph, hitters, f"{name}.at_distance", exactly)
    cube = graph.constant(f"{name}.cube", np.array([-1, _REACH, _POINTS], np.int64))
    by_distance = graph.node("Reshape", [spread, cube], f"{name}.by_distance")
    line = graph.constant(f"{name}.line", np.array([-1, 1, _POINTS], np.int64))
    blots_line = graph.node("Reshape", [blots, line], f"{name}.blots_line")
    met = graph.node("Mul", [by_distance, blots_line], f"{name}.met")
    axis = graph.constant(f"{name}.axis", np.array([2], np.int64))
    counted = graph.node("ReduceSum", [met, axis], f"{name}.counted", keepdims=0)
    reach = graph.node("Min", [counted, most], f"{name}.reach_whole")
    return [
        scaled(graph, shots, f"{name}.shots", 1 / _MOST),
        scaled(graph, reach, f"{name}.reach", 1 / _MOST),
    ]


def _freedom(graph: Graph, points: str, other: str, name: str) -> str:
    """Dice with which a checker can leave each point that is held; my point p is his (p + 11) % 24 + 1."""
    held = at_least(graph, points, f"{name}.held", 1)
    facing = columns(graph, other, f"{name}.facing", (np.arange(_POINTS) + 12) % 24)
    empty = graph.node("Less", [facing, number(graph, f"{name}.none", 1)], f"{name}.is_open")
    openly = graph.node("Cast", [empty], f"{name}.open", to=1)
    back = np.arange(_POINTS)[None, :] - np.arange(_POINTS)[:, None]
    landings = sums(graph, openly, f"{name}.landings", (back >= 1) & (back <= _WINDOW))
    home = np.maximum(0, _WINDOW - np.arange(_POINTS)).astype(np.float32)
    dice = graph.node("Add", [landings, graph.constant(f"{name}.off", home)], f"{name}.dice")
    return scaled(graph, graph.node("Mul", [dice, held], f"{name}.free"), f"{name}.freedom", 1 / _WINDOW)
