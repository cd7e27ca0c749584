"""Fresh layers differ unit from unit; growth keeps the function."""

import numpy as np
import pytest

from nardy_ai.core import InputError
from nardy_ai.models.layers import Layers, fresh_layers, grow_layers, growth_fault, parameter_count, sizes_of


def logits(layers: Layers, inputs: np.ndarray) -> np.ndarray:
    """The net written out in float64."""
    values = inputs.astype(np.float64)
    for weight, bias in layers[:-1]:
        values = np.maximum(values @ weight.astype(np.float64).T + bias, 0.0)
    weight, bias = layers[-1]
    return values @ weight.astype(np.float64).T + bias


@pytest.fixture
def boards() -> np.ndarray:
    return (np.random.default_rng(3).random((50, 30)) < 0.2).astype(np.float32)


def test_fresh_layers_have_the_sizes_asked_for_and_no_two_units_alike() -> None:
    layers = fresh_layers(30, (20, 10), 6, seed=1)
    assert sizes_of(layers) == (30, 20, 10, 6)
    assert parameter_count({"contact": layers}) == 30 * 20 + 20 + 20 * 10 + 10 + 10 * 6 + 6
    for weight, bias in layers:
        assert weight.dtype == bias.dtype == np.float32
        assert np.linalg.matrix_rank(weight) == min(weight.shape)


def test_fresh_layers_depend_on_seed_and_stream_alone() -> None:
    first, again = fresh_layers(30, (8,), 6, seed=1), fresh_layers(30, (8,), 6, seed=1)
    assert all((a[0] == b[0]).all() for a, b in zip(first, again, strict=True))
    assert (first[0][0] != fresh_layers(30, (8,), 6, seed=2)[0][0]).any()
    assert (first[0][0] != fresh_layers(30, (8,), 6, seed=1, stream=1)[0][0]).any()


@pytest.mark.parametrize(
    "hidden",
    [(20, 10), (32, 10), (20, 24), (40, 24), (20, 10, 10), (20, 10, 16), (48, 32, 12, 12), (64, 40, 32, 32)],
)
def test_growth_keeps_the_function(hidden: tuple[int, ...], boards: np.ndarray) -> None:
    layers = fresh_layers(30, (20, 10), 6, seed=1)
    for _, bias in layers:
        bias[:] = np.random.default_rng(4).normal(size=len(bias))
    grown = grow_layers(layers, hidden, seed=9)
    assert sizes_of(grown) == (30, *hidden, 6)
    np.testing.assert_allclose(logits(grown, boards), logits(layers, boards), rtol=0, atol=1e-12)


def test_a_narrower_new_layer_passes_the_logits_on(boards: np.ndarray) -> None:
    layers = fresh_layers(30, (20,), 6, seed=1)
    grown = grow_layers(layers, (20, 12), seed=9)
    np.testing.assert_allclose(logits(grown, boards), logits(layers, boards), rtol=0, atol=1e-12)


def test_new_units_can_learn() -> None:
    """A new unit that were all zero, or a copy of another, would never become useful."""
    grown = grow_layers(fresh_layers(30, (20,), 6, seed=1), (40, 40), seed=9)
    for weight, _ in grown[:-1]:
        rows = weight[20:]
        assert (np.abs(rows).sum(axis=1) > 0).all()
        assert len(np.unique(rows, axis=0)) == len(rows)


@pytest.mark.parametrize("hidden", [(19, 10), (20,), (20, 9), (20, 10, 9), ()])
def test_growth_to_a_smaller_net_is_refused_in_one_sentence(hidden: tuple[int, ...]) -> None:
    layers = fresh_layers(30, (20, 10), 6, seed=1)
    assert growth_fault((20, 10), hidden, 6)
    with pytest.raises(InputError, match=r"\[20, 10\] cannot grow to") as caught:
        grow_layers(layers, hidden, seed=9)
    assert "\n" not in str(caught.value)
