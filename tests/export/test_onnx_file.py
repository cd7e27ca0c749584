"""An exported file says what the engine and PyTorch say, or it is not written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from own_profiles import koks_profile_in
from untrained import untrained_model

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.export import onnx_file, onnx_graph
from nardy_ai.export.onnx_file import BATCHES, TOLERANCE, ExportMismatch, export_onnx
from nardy_ai.export.varied_boards import varied_boards
from nardy_ai.models.evaluator import Evaluator
from nardy_ai.models.layers import Layers
from nardy_ai.models.model_file import ModelFile, read_model
from nardy_ai.rules import Game


@pytest.fixture
def koks_profile(tmp_path: Path) -> str:
    return koks_profile_in(tmp_path)


def answers(path: Path, boards: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a program that knows nothing of ours gets from the file."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    feed = {"board": boards, "seat": seats}
    outcomes, equity = session.run(None, {entry.name: feed[entry.name] for entry in session.get_inputs()})
    return outcomes, equity


@pytest.mark.parametrize(
    ("profile", "encoding"),
    [
        ("short/standard", "short-2"),
        ("long/fns", "long-2-seat"),
        ("long/classic", "long-2"),
        ("short/standard", "short-3"),
        ("long/fns", "long-3-seat"),
    ],
)
def test_the_shape_of_positions_travels_with_the_file(profile: str, encoding: str, tmp_path: Path) -> None:
    """What the engine counts in bits, the graph counts with matrices."""
    model = untrained_model(profile, tmp_path / "m.safetensors", encoding=encoding)
    done = export_onnx(model, tmp_path / "m.onnx")
    found = read_model(model)
    rules = core.Rules(found.rules)
    boards, seats = varied_boards(rules, 2000, seed=9)
    outcomes, _ = answers(done.path, boards, seats)
    expected, _ = core.net(core.Model(rules, encoding, found.nets), rules, boards, seats)
    assert np.abs(outcomes - expected).max() <= TOLERANCE
    bare, _ = core.net(core.Model(rules, encoding, without_shape(found)), rules, boards, seats)
    assert np.abs(outcomes - bare).max() > 0.01


def without_shape(model: ModelFile) -> dict[str, Layers]:
    """The nets with ears closed to the shape."""
    first = core.encoding_table(model.encoding).shape_input
    nets = {}
    for name, layers in model.nets.items():
        weight = layers[0][0].copy()
        weight[:, first:] = 0
        nets[name] = [(weight, layers[0][1]), *layers[1:]]
    return nets


@pytest.mark.parametrize(
    "profile", ["long/fns", "long/classic", "short/standard", "short/hypergammon", "koks"]
)
@pytest.mark.parametrize("classes", [("contact",), ("contact", "race")])
def test_the_file_says_what_the_engine_says(
    profile: str, classes: tuple[str, ...], koks_profile: str, tmp_path: Path
) -> None:
    model = untrained_model(
        koks_profile if profile == "koks" else profile, tmp_path / "m.safetensors", classes=classes
    )
    done = export_onnx(model, tmp_path / "m.onnx")
    assert done.against_engine <= TOLERANCE
    assert done.against_torch <= TOLERANCE
    assert done.boards == sum(BATCHES)
    assert min(done.classes.values()) > 20, "too few boards of one class to say anything"

    found = read_model(model)
    rules = core.Rules(found.rules)
    boards, seats = varied_boards(rules, 3000, seed=9)
    outcomes, equity = answers(done.path, boards, seats)
    expected = core.net(core.Model(rules, found.encoding, found.nets), rules, boards, seats)
    assert outcomes.dtype == equity.dtype == np.float32
    assert outcomes.shape == (3000, len(rules.outcomes))
    assert np.abs(outcomes - expected[0]).max() <= TOLERANCE
    assert np.abs(equity - expected[1]).max() <= TOLERANCE
    assert np.abs(outcomes.sum(axis=1) - 1).max() < 1e-5
    # The comparison would be empty if all boards were judged alike.
    assert outcomes.std(axis=0).max() > 0.01


@pytest.mark.parametrize("used", ["long/fns", "long/classic"])
def test_under_other_rules_outcomes_match_by_name_and_their_points_count(
    used: str, koks_profile: str, tmp_path: Path
) -> None:
    """Koks and home mars count as mars where they are not scored; a draw that cannot happen is left out."""
    model = untrained_model(koks_profile, tmp_path / "m.safetensors", encoding="long-1-seat")
    done = export_onnx(model, tmp_path / "m.onnx", used)
    game = Game(used)
    assert done.profile == used
    boards, seats = varied_boards(game.core_rules, 500, seed=8)
    outcomes, equity = answers(done.path, boards, seats)
    evaluator = Evaluator(read_model(model), game, tables=False)
    assert np.abs(outcomes - evaluator.net(boards, seats)[0]).max() <= TOLERANCE
    assert outcomes.shape[1] == len(game.outcomes)
    assert np.abs(equity - outcomes @ np.array(game.points)).max() < 1e-6
    assert ("draw" in game.outcomes) == (used == "long/fns")
    assert np.abs(outcomes.sum(1) - 1).max() < 1e-6


@pytest.mark.parametrize("profile", ["long/fns", "short/standard"])
def test_impossible_outcomes_are_exactly_zero(profile: str, tmp_path: Path) -> None:
    done = export_onnx(untrained_model(profile, tmp_path / "m.safetensors"), tmp_path / "m.onnx")
    rules = core.Rules(read_model(tmp_path / "m.safetensors").rules)
    boards, seats = varied_boards(rules, 3000, seed=4)
    outcomes, _ = answers(done.path, boards, seats)
    impossible = core.impossible(rules, boards, seats)
    assert impossible.any(axis=0).sum() >= 4
    assert (outcomes[impossible] == 0).all()
    assert (outcomes[~impossible] > 0).all()


def rearmost_pairs(rules: core.Rules) -> tuple[np.ndarray, np.ndarray]:
    """A board for every pair of rearmost points (25 the bar, 0 all off), the other checkers borne off."""
    boards, seats = [], []
    for mine in range(26):
        for his in range(26):
            board = np.zeros((1, 2, 26), np.int8)
            board[0, :, 25] = rules.checkers
            for row, point in enumerate((mine, his)):
                if point:
                    board[0, row, point - 1], board[0, row, 25] = 1, rules.checkers - 1
            # With his checkers all off only the second player can still be on roll.
            seat = np.array([his == 0], np.uint8)
            try:
                core.check_boards(rules, board, seat, np.array([3], np.uint8))
            except InputError:
                continue
            if core.results(rules, board, seat)[0] < 0:
                boards.append(board)
                seats.append(seat)
    return np.concatenate(boards), np.concatenate(seats)


@pytest.mark.parametrize("profile", ["long/fns", "short/standard", "short/hypergammon"])
def test_the_graph_tells_race_from_contact_as_the_engine_does(profile: str, tmp_path: Path) -> None:
    found = read_model(untrained_model(profile, tmp_path / "m.safetensors"))
    rules = core.Rules(found.rules)
    # Nets that do not look: for contact a plain loss, for a race a win or a draw.
    inputs = core.encoding_table(found.encoding).inputs
    blind = {}
    for name, favourites in (("contact", ("lose",)), ("race", ("win", "draw"))):
        bias = np.array([8 if outcome in favourites else -8 for outcome in rules.outcomes], np.float32)
        blind[name] = [(np.zeros((len(bias), inputs), np.float32), bias)]
    path = tmp_path / "blind.onnx"
    path.write_bytes(onnx_graph.build_graph(rules, found.encoding, blind).SerializeToString())

    boards, seats = (
        np.concatenate(both)
        for both in zip(rearmost_pairs(rules), varied_boards(rules, 6000, seed=2), strict=True)
    )
    race = core.position_classes(rules, boards) == core.CLASSES.index("race")
    # Where neither a win nor a draw can happen any more the blind nets cannot show which of them spoke.
    silent = core.impossible(rules, boards, seats)[
        :, [name in ("win", "draw") for name in rules.outcomes]
    ].all(axis=1)
    assert 0.02 < race[~silent].mean() < 0.98
    outcomes, _ = answers(path, boards, seats)
    assert ((outcomes[:, rules.outcomes.index("lose")] < 0.5) == race)[~silent].all()


def test_the_file_names_what_it_is(tmp_path: Path) -> None:
    model = untrained_model("long/fns", tmp_path / "m.safetensors")
    export_onnx(model, tmp_path / "m.onnx")
    graph = onnx.load(tmp_path / "m.onnx")
    named = {entry.key: entry.value for entry in graph.metadata_props}
    assert named["format"] == "1"
    assert (named["game"], named["profile"], named["encoding"]) == ("long", "long/fns", "long-1-seat")
    assert json.loads(named["outcomes"]) == ["win", "win_mars", "lose", "lose_mars", "draw"]
    assert json.loads(named["points"]) == [1, 2, -1, -2, 0]
    assert "before the throw" in named["point_of_view"]
    assert len(named["model_sha256"]) == 64
    assert [entry.name for entry in graph.graph.input] == ["board", "seat"]


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    model = untrained_model("short/standard", tmp_path / "m.safetensors")
    first, second = export_onnx(model, tmp_path / "a.onnx"), export_onnx(model, tmp_path / "b.onnx")
    assert first.path.read_bytes() == second.path.read_bytes()


def scaled(build: Callable[..., onnx.ModelProto]) -> Callable[..., onnx.ModelProto]:
    """A faulty exporter: every weight a hundredth too large."""

    def faulty(rules: core.Rules, encoding: str, nets: dict[str, list], places: list[int]) -> onnx.ModelProto:
        larger = {
            name: [(weight * np.float32(1.01), bias) for weight, bias in layers]
            for name, layers in nets.items()
        }
        return build(rules, encoding, larger, places)

    return faulty


def test_a_wrong_graph_is_refused_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = untrained_model("short/standard", tmp_path / "m.safetensors")
    monkeypatch.setattr(onnx_graph, "build_graph", scaled(onnx_graph.build_graph))
    with pytest.raises(ExportMismatch, match="differs from"):
        export_onnx(model, tmp_path / "m.onnx")
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.safetensors"]


def test_a_wrong_graph_leaves_the_earlier_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = untrained_model("short/standard", tmp_path / "m.safetensors")
    before = export_onnx(model, tmp_path / "m.onnx").path.read_bytes()
    monkeypatch.setattr(onnx_graph, "build_graph", scaled(onnx_graph.build_graph))
    with pytest.raises(ExportMismatch):
        export_onnx(model, tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx").read_bytes() == before


def test_a_file_that_does_not_load_back_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = untrained_model("long/fns", tmp_path / "m.safetensors")
    whole = Path.write_bytes
    monkeypatch.setattr(Path, "write_bytes", lambda path, data: whole(path, data[: len(data) // 2]))
    with pytest.raises(ExportMismatch, match="does not load"):
        export_onnx(model, tmp_path / "m.onnx")
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.safetensors"]


def test_an_answer_that_is_not_a_number_is_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = untrained_model("short/standard", tmp_path / "m.safetensors")
    honest = onnx_file._onnx_answers

    def broken(*given: object) -> tuple[np.ndarray, np.ndarray]:
        outcomes, equity = honest(*given)  # type: ignore[arg-type]
        equity[-1] = np.nan
        return outcomes, equity

    monkeypatch.setattr(onnx_file, "_onnx_answers", broken)
    with pytest.raises(ExportMismatch):
        export_onnx(model, tmp_path / "m.onnx")


def test_folders_on_the_way_are_made(tmp_path: Path) -> None:
    model = untrained_model("long/fns", tmp_path / "m.safetensors")
    assert export_onnx(model, tmp_path / "a" / "b" / "m.onnx").path.is_file()


def test_places_that_will_not_do_are_found_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = untrained_model("long/fns", tmp_path / "m.safetensors")
    before = model.read_bytes()
    monkeypatch.setattr(onnx_graph, "build_graph", None)
    for out, what in ((tmp_path, "folder"), (model, "the model itself"), (model / "m.onnx", "cannot write")):
        with pytest.raises(InputError, match=what):
            export_onnx(model, out)
    assert model.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.safetensors"]


@pytest.mark.parametrize("profile", ["long/fns", "short/standard"])
def test_the_boards_of_the_check_are_of_every_kind(profile: str) -> None:
    from nardy_ai.rules import Game

    game = Game(profile)
    boards, seats = varied_boards(game.core_rules, 1034)
    core.check_boards(game.core_rules, boards, seats, np.full(1034, 3, np.uint8))
    assert (core.results(game.core_rules, boards, seats) < 0).all()
    assert set(seats.tolist()) == {0, 1}
    assert boards[:, :, 25].any()
    if game.family == "short":
        assert boards[:, :, 24].any()
    elif game.profile.rules.last_roll:
        assert (boards[:, 1, 25] == game.checkers).any(), "no pending last roll among them"
    again, _ = varied_boards(game.core_rules, 1034)
    assert (again == boards).all()
