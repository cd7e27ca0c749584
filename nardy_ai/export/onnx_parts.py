"""What the graphs of inputs are put together from: a graph under construction, and its simplest nodes."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt


class Graph(Protocol):
    """What of a graph under construction is needed here."""

    def constant(self, name: str, value: npt.NDArray[np.generic]) -> str:
        """Adds a constant; its name."""

    def node(self, kind: str, inputs: list[str], output: str, **attributes: int) -> str:
        """Adds a node; the name of its output."""


def columns(graph: Graph, values: str, name: str, places: npt.NDArray[np.int64]) -> str:
    """The columns of `values` at `places`."""
    which = graph.constant(f"{name}.places", places.astype(np.int64))
    return graph.node("Gather", [values, which], name, axis=1)


def at_least(graph: Graph, values: str, name: str, count: int) -> str:
    """1 where there are so many checkers, else 0."""
    enough = graph.node("GreaterOrEqual", [values, number(graph, f"{name}.count", count)], f"{name}.enough")
    return graph.node("Cast", [enough], name, to=1)


def number(graph: Graph, name: str, value: float) -> str:
    """A constant of one number."""
    return graph.constant(name, np.array([value], np.float32))


def sums(graph: Graph, values: str, name: str, matrix: npt.NDArray[np.generic]) -> str:
    """Sums of the columns of `values`, each with the weights of a column of `matrix`."""
    return graph.node("MatMul", [values, graph.constant(f"{name}.which", matrix.astype(np.float32))], name)


def scaled(graph: Graph, values: str, name: str, scale: float) -> str:
    """`values` times `scale`."""
    return graph.node("Mul", [values, number(graph, f"{name}.scale", scale)], name)
