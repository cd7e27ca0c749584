"""The ONNX graph of a model: boards in, outcomes and equity out.

Nothing is traced. The graph is put together from what the engine says of itself, its table of the encoding
and its tests for impossible outcomes, so that a client needs no code of ours:

    board counts ─ lookup of the encoding ─ one net per class ─ mask ─ softmax ─┬─ outcomes
    (seat) ───────────┘                                                              └─ equity
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from nardy_ai import core
from nardy_ai.export.onnx_shape import add_shape
from nardy_ai.models.layers import Layers, Nets

__all__ = ["COLUMNS", "OPSET", "build_graph"]

# Old enough for runtimes on phones, and all that the graph needs.
OPSET: Final = 17
_IR_VERSION: Final = 8

COLUMNS: Final = 26
_SLOTS: Final = 2 * COLUMNS
_COUNTS: Final = 16
_OFF: Final = 25


class _Graph:
    """Nodes and constants in the order in which they are added; methods return the name of their output."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output


def _line(value: float) -> npt.NDArray[np.float32]:
    return np.array([value], np.float32)


def build_graph(
    rules: core.Rules, encoding: str, nets: Nets, places: Sequence[int] | None = None
) -> onnx.ModelProto:
    """The graph of the design's `net`: encoding, the net of the position's class, mask, softmax, equity.

    Inputs: `board` int8 [n, 2, 26], player on roll in row 0; `seat` uint8 [n] where the encoding reads it.
    Outputs: `outcomes` float32 [n, k] in the order of `rules.outcomes`, seen by the player on roll before the
    throw; `equity` float32 [n] in points. `nets` holds, for each class, the layers (weight [out, in], bias).
    `places` names for each output of the nets its outcome under `rules`, -1 where it cannot happen there; by
    default they are the rules' own.
    """
    places = range(len(rules.outcomes)) if places is None else places
    graph = _Graph()
    table = core.encoding_table(encoding)
    graph.node("Cast", ["board"], "counts", to=TensorProto.INT64)
    graph.node("Reshape", ["counts", graph.constant("flat", np.array([-1, _SLOTS], np.int64))], "slots")
    graph.node("Cast", ["slots"], "slots_f", to=TensorProto.FLOAT)
    features = _add_encoding(graph, table)
    logits = _add_nets(graph, rules, nets, features)
    _add_mask(graph, rules, logits, places)
    if list(places) == list(range(len(rules.outcomes))):
        graph.node("Softmax", ["masked"], "outcomes", axis=1)
    else:
        graph.node("Softmax", ["masked"], "shares", axis=1)
        graph.node("MatMul", ["shares", graph.constant("outcome_of", _outcome_of(rules, places))], "outcomes")
    points = np.array(rules.points, np.float32).reshape(-1, 1)
    graph.node("MatMul", ["outcomes", graph.constant("points", points)], "equity_column")
    graph.node("Reshape", ["equity_column", graph.constant("line", np.array([-1], np.int64))], "equity")

    inputs = [helper.make_tensor_value_info("board", TensorProto.INT8, ["n", 2, COLUMNS])]
    if table.seat_input >= 0:
        inputs.append(helper.make_tensor_value_info("seat", TensorProto.UINT8, ["n"]))
    outputs = [
        helper.make_tensor_value_info("outcomes", TensorProto.FLOAT, ["n", len(rules.outcomes)]),
        helper.make_tensor_value_info("equity", TensorProto.FLOAT, ["n"]),
    ]
    model: onnx.ModelProto = helper.make_model(
        helper.make_graph(graph.nodes, "nardy", inputs, outputs, graph.constants),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=_IR_VERSION,
        producer_name="nardy-ai",
    )
    return model


def _add_encoding(graph: _Graph, table: core.EncodingTable) -> str:
    """Looks up the units of every (slot, count), then lines them up as the features of the encoding."""
    index = table.index.reshape(_SLOTS, -1)
    units = index.shape[1]
    inputs = table.inputs if table.shape_input < 0 else table.shape_input
    seat_input = table.seat_input
    # Rows: slot * 16 + count.
    values = table.value.reshape(_SLOTS * _COUNTS, units)
    source = np.full(inputs, -1, np.int64)
    for place, feature in enumerate(index.ravel()):
        if feature >= 0:
            if source[feature] >= 0:
                raise ValueError(f"feature {feature} is fed by two units, which this graph cannot express")
            source[feature] = place
    if seat_input >= 0:
        source[seat_input] = index.size
    if (source < 0).any():
        raise ValueError(f"feature {int(np.argmin(source))} of the encoding is fed by nothing")

    first_row = graph.constant("first_row", np.arange(_SLOTS, dtype=np.int64) * _COUNTS)
    graph.node("Add", ["slots", first_row], "rows")
    graph.node("Gather", [graph.constant("unit_values", values), "rows"], "unit_lines", axis=0)
    all_units = graph.constant("all_units", np.array([-1, index.size], np.int64))
    units_name = graph.node("Reshape", ["unit_lines", all_units], "units")
    if seat_input >= 0:
        graph.node("Cast", ["seat"], "seat_f", to=TensorProto.FLOAT)
        column = graph.constant("column", np.array([-1, 1], np.int64))
        graph.node("Reshape", ["seat_f", column], "seat_column")
        units_name = graph.node("Concat", ["units", "seat_column"], "units_and_seat", axis=1)
    of_columns = "features" if table.shape_input < 0 else "features_of_columns"
    graph.node("Gather", [units_name, graph.constant("unit_of_feature", source)], of_columns, axis=1)
    if table.shape_input >= 0:
        shape = add_shape(graph, table.family, "slots_f", table.inputs - table.shape_input)
        graph.node("Concat", [of_columns, shape], "features", axis=1)
    return "features"


def _add_nets(graph: _Graph, rules: core.Rules, nets: Nets, features: str) -> str:
    contact = _add_net(graph, "contact", nets["contact"], features)
    if "race" not in nets:
        return contact
    race = _add_net(graph, "race", nets["race"], features)
    return graph.node("Where", [_add_is_race(graph, rules), race, contact], "logits")


def _add_net(graph: _Graph, name: str, layers: Layers, value: str) -> str:
    for number, (weight, bias) in enumerate(layers):
        inputs = [
            value,
            graph.constant(f"{name}.{number}.weight", np.asarray(weight, np.float32)),
            graph.constant(f"{name}.{number}.bias", np.asarray(bias, np.float32)),
        ]
        value = graph.node("Gemm", inputs, f"{name}.{number}.sum", transB=1)
        if number + 1 < len(layers):
            value = graph.node("Relu", [value], f"{name}.{number}.active")
    return value


def _add_is_race(graph: _Graph, rules: core.Rules) -> str:
    """bool [n, 1]: no checker can be hit or stopped any more, told by the rearmost checker of each side."""
    point = np.arange(1, COLUMNS + 1, dtype=np.float32)
    point[_OFF] = 0
    graph.node("Min", ["slots_f", graph.constant("one", _line(1))], "present")
    graph.node("Mul", ["present", graph.constant("point_numbers", np.tile(point, 2))], "present_points")
    sides = graph.constant("sides", np.array([-1, 2, COLUMNS], np.int64))
    graph.node("Reshape", ["present_points", sides], "side_points")
    graph.node("ReduceMax", ["side_points"], "rearmost", axes=[2], keepdims=0)
    if rules.options["family"] == "short":
        graph.node("ReduceSum", ["rearmost", graph.constant("axis_1", np.array([1], np.int64))], "span")
        apart = graph.node("Less", ["span", graph.constant("meet", _line(25))], "apart")
    else:
        graph.node("ReduceMax", ["rearmost"], "span", axes=[1], keepdims=1)
        apart = graph.node("Less", ["span", graph.constant("meet", _line(13))], "apart")
    # A side that has borne off everything stands in nobody's way.
    graph.node("ReduceMin", ["rearmost"], "nearer", axes=[1], keepdims=1)
    gone = graph.node("Less", ["nearer", graph.constant("first_point", _line(1))], "gone")
    return graph.node("Or", [apart, gone], "is_race")


def _outcome_of(rules: core.Rules, places: Sequence[int]) -> npt.NDArray[np.float32]:
    """float32 [outputs, outcomes]: 1 where an output of the nets counts as an outcome."""
    counts = np.zeros((len(places), len(rules.outcomes)), np.float32)
    for output, outcome in enumerate(places):
        if outcome >= 0:
            counts[output, outcome] = 1
    return counts


def _add_mask(graph: _Graph, rules: core.Rules, logits: str, places: Sequence[int]) -> None:
    """Takes the outputs that cannot happen (any more) out of the softmax: `masked` float32 [n, outputs]."""
    weights, thresholds, outcomes = core.impossible_tests(rules)
    never = [output for output, outcome in enumerate(places) if outcome < 0]
    if len(outcomes) == 0 and not never:
        graph.node("Identity", [logits], "masked")
        return
    rules_out = np.zeros((len(outcomes) + len(never), len(places)), np.float32)
    rules_out[: len(outcomes)] = _outcome_of(rules, places).T[outcomes]
    # A test without weights and with the threshold 0 is always met.
    rules_out[len(outcomes) + np.arange(len(never)), never] = 1
    weights = np.concatenate([np.asarray(weights, np.float32), np.zeros((len(never), _SLOTS), np.float32)])
    thresholds = np.concatenate([np.asarray(thresholds, np.float32), np.zeros(len(never), np.float32)])
    test_weights = graph.constant("test_weights", weights.T)
    graph.node("MatMul", ["slots_f", test_weights], "test_sums")
    thresholds_name = graph.constant("test_thresholds", thresholds)
    graph.node("GreaterOrEqual", ["test_sums", thresholds_name], "tests_met")
    graph.node("Cast", ["tests_met"], "tests_met_f", to=TensorProto.FLOAT)
    graph.node("MatMul", ["tests_met_f", graph.constant("rules_out", rules_out)], "ruled_out")
    graph.node("Greater", ["ruled_out", graph.constant("zero", _line(0))], "impossible")
    graph.node("Where", ["impossible", graph.constant("never", _line(-np.inf)), logits], "masked")
