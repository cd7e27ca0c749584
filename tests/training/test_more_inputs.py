"""A run that starts from a model of fewer inputs: it says at first what that model says."""

from pathlib import Path

import numpy as np
import pytest
from random_nets import game_positions
from tiny_runs import SAMPLED, tiny

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.models.layers import NETS, SCOUT, Nets, fresh_layers
from nardy_ai.models.model_file import ModelFile, write_model
from nardy_ai.rules import Game
from nardy_ai.training.beginning import first_checkpoint, prepared

GAMES = {"short": "short/standard", "long": "long/fns"}


def nets_of(encoding: str) -> Nets:
    """Random nets for both classes and a scout, which sees what scouts of this encoding see."""
    table = core.encoding_table(encoding)
    seen = dict.fromkeys(NETS, table.inputs) | {SCOUT: core.encoding_table(table.scout).inputs}
    outcomes = len(Game(GAMES[table.family]).outcomes)
    sizes = dict.fromkeys(NETS, (12, 8)) | {SCOUT: (6,)}
    return {name: fresh_layers(seen[name], sizes[name], outcomes, 3, i) for i, name in enumerate(NETS)}


def written(encoding: str, path: Path) -> str:
    game = Game(GAMES[core.encoding_table(encoding).family])
    rules = game.core_rules
    nets = nets_of(encoding)
    write_model(
        path, ModelFile(game.family, game.name, rules.options, encoding, tuple(rules.outcomes), nets)
    )
    return str(path)


def begun(encoding: str, init: str) -> Nets:
    phase = {key: value for key, value in SAMPLED.items() if key != "hidden"}
    game = GAMES[core.encoding_table(encoding).family]
    config = tiny(phase, game=game, encoding=encoding, init=init, classes=["contact", "race"], scout=[6])
    return first_checkpoint(*prepared(config), "cpu").model.nets


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("short-1", "short-2"),
        ("long-1", "long-1-seat"),
        ("long-1", "long-2-seat"),
        ("long-2", "long-2-seat"),
        ("short-2", "short-3"),
        ("long-2-seat", "long-3-seat"),
    ],
)
def test_more_inputs_change_no_value(old: str, new: str, tmp_path: Path) -> None:
    rules = Game(GAMES[core.encoding_table(old).family]).core_rules
    boards, seats, _ = game_positions(rules, 3)
    before = nets_of(old)
    after = begun(new, written(old, tmp_path / "bot.safetensors"))
    assert set(after) == set(NETS)
    inputs = core.encoding_table(new).inputs
    assert after["contact"][0][0].shape[1] == inputs > before["contact"][0][0].shape[1]

    def said(encoding: str, nets: Nets) -> np.ndarray:
        return core.net(core.Model(rules, encoding, nets), rules, boards, seats)[0]

    races = [{name: nets[name] for name in ("contact", "race")} for nets in (before, after)]
    np.testing.assert_allclose(said(new, races[1]), said(old, races[0]), atol=2e-6)
    scouts = [{"contact": nets[SCOUT]} for nets in (before, after)]
    of_scouts = [core.encoding_table(encoding).scout for encoding in (old, new)]
    np.testing.assert_allclose(said(of_scouts[1], scouts[1]), said(of_scouts[0], scouts[0]), atol=2e-6)


LESS = [("short-2", "short-1"), ("long-2-seat", "long-2"), ("long-1-seat", "long-2"), ("long-1", "short-1")]


@pytest.mark.parametrize(("old", "new"), LESS)
def test_fewer_inputs_are_refused(old: str, new: str, tmp_path: Path) -> None:
    init = written(old, tmp_path / "bot.safetensors")
    with pytest.raises(InputError, match=rf"has the inputs {old}, and {new} of this run lacks some; set enc"):
        begun(new, init)
