"""The PyTorch net: masking, classes, growth, and the same numbers as the engine and the encoder."""

import numpy as np
import pytest
import torch

from nardy_ai import core
from nardy_ai.models.layers import CLASSES
from nardy_ai.models.value_net import ValueNet
from nardy_ai.rules import Game
from nardy_ai.training.targets import Samples, training_set


@pytest.fixture(scope="module", params=["short", "long", "long/classic"])
def game(request: pytest.FixtureRequest) -> Game:
    return Game(request.param)


def played(game: Game, net: ValueNet, games: int = 30) -> Samples:
    encoding = core.encoding_name(game.core_rules)
    model = core.Model(game.core_rules, encoding, net.layers())
    return Samples.of(core.self_play(model, game.core_rules, 1, 0, games))


def fresh(game: Game, *classes: str) -> ValueNet:
    inputs = core.encoding_table(core.encoding_name(game.core_rules)).inputs
    return ValueNet.fresh(inputs, len(game.outcomes), (24, 12), classes or ("contact",), seed=2)


def judged(game: Game, net: ValueNet, samples: Samples) -> np.ndarray:
    """Outcomes by PyTorch."""
    data = training_set(game.core_rules, core.encoding_name(game.core_rules), [samples])
    with torch.no_grad():
        logits = net(*(torch.from_numpy(a.copy()) for a in (data.features, data.impossible, data.classes)))
    return torch.softmax(logits, dim=1).numpy()


@pytest.mark.parametrize("classes", [("contact",), ("contact", "race")])
def test_torch_and_engine_agree_on_positions_of_play(game: Game, classes: tuple[str, ...]) -> None:
    net = fresh(game, *classes)
    samples = played(game, net)
    assert len(samples) > 1000
    model = core.Model(game.core_rules, core.encoding_name(game.core_rules), net.layers())
    outcomes, _ = core.net(model, game.core_rules, samples.boards, samples.seats)
    assert np.abs(outcomes).max() > 0.01
    np.testing.assert_allclose(judged(game, net, samples), outcomes, rtol=0, atol=1e-5)


def test_race_positions_are_judged_by_the_race_net(game: Game) -> None:
    net = fresh(game, "contact", "race")
    samples = played(game, net, 60)
    race = core.position_classes(game.core_rules, samples.boards) == CLASSES.index("race")
    assert race.any()
    assert (~race).any()
    contact_alone = ValueNet({"contact": net.layers()["contact"]})
    both, folded = judged(game, net, samples), judged(game, contact_alone, samples)
    assert (both[~race] == folded[~race]).all()
    assert np.abs(both[race] - folded[race]).max() > 1e-3


def test_impossible_outcomes_get_exactly_nothing(game: Game) -> None:
    net = fresh(game)
    samples = played(game, net)
    impossible = np.asarray(core.impossible(game.core_rules, samples.boards, samples.seats), bool)
    assert impossible.any()
    assert (judged(game, net, samples)[impossible] == 0.0).all()


def test_an_impossible_outcome_has_no_gradient() -> None:
    net = ValueNet.fresh(10, 6, (8,), ("contact",), seed=1)
    impossible = torch.zeros(4, 6, dtype=torch.bool)
    impossible[:, 2] = True
    targets = torch.tensor([[0.5, 0.2, 0.0, 0.2, 0.1, 0.0]]).repeat(4, 1)
    logits = net(torch.ones(4, 10), impossible)
    loss = -(targets * torch.log_softmax(logits, dim=1)).sum()
    loss.backward()
    last = net.nets["contact"][-1]
    assert torch.isfinite(loss)
    assert (last.weight.grad[2] == 0).all()
    assert (last.weight.grad[1] != 0).any()


def test_growth_keeps_what_the_net_says(game: Game) -> None:
    net = fresh(game, "contact", "race")
    samples = played(game, net, 10)
    grown = net.grown((32, 16, 16), seed=7)
    assert grown.hidden() == (32, 16, 16)
    np.testing.assert_allclose(judged(game, grown, samples), judged(game, net, samples), rtol=0, atol=1e-6)


def test_layers_are_copies() -> None:
    net = ValueNet.fresh(10, 6, (8,), ("contact",), seed=1)
    before = net.layers()["contact"][0][0].copy()
    layers = net.layers()["contact"]
    layers[0][0][:] = 0
    assert (net.layers()["contact"][0][0] == before).all()
    with torch.no_grad():
        net.nets["contact"][0].weight.zero_()
    assert (net.layers()["contact"][0][0] == 0).all()
    assert (before != 0).any()
