"""The learner: schedule, order, masking, divergence, and what it must be able to learn."""

import math

import numpy as np
import numpy.typing as npt
import pytest
import torch

from nardy_ai.core import InputError
from nardy_ai.models.layers import Layers
from nardy_ai.models.value_net import ValueNet
from nardy_ai.training.errors import TrainingError
from nardy_ai.training.learner import (
    Device,
    Learned,
    Learner,
    Schedule,
    choose_device,
    drawn_rounds,
    order_of,
)
from nardy_ai.training.targets import TrainingSet, target_entropy

CPU = Device("cpu", "test")


def a_set(positions: int = 300, inputs: int = 40, seed: int = 0) -> TrainingSet:
    """Positions whose outcome a net can tell from their inputs."""
    random = np.random.default_rng(seed)
    features = (random.random((positions, inputs)) < 0.2).astype(np.float32)
    logits = features @ np.random.default_rng(99).normal(size=(inputs, 6))
    impossible = random.random((positions, 6)) < 0.2
    impossible[:, 0] = False
    logits[impossible] = -np.inf
    targets = np.exp(logits - logits.max(axis=1, keepdims=True))
    targets /= targets.sum(axis=1, keepdims=True)
    return TrainingSet(features, impossible, np.zeros(positions, np.uint8), targets.astype(np.float32))


def learner(inputs: int = 40, seed: int = 1) -> Learner:
    return Learner(ValueNet.fresh(inputs, 6, (16,), ("contact",), seed), CPU, 1)


def learn(one: Learner, data: TrainingSet, rate: float = 1e-2, **changes: int) -> Learned:
    settings = {"batch": 32, "passes": 1, "seed": 1, "round_number": 1, **changes}
    return one.learn(data, lambda _step, _steps: rate, **settings)


def weights_of(one: Learner) -> bytes:
    return b"".join(w.tobytes() + b.tobytes() for w, b in one.net.layers()["contact"])


def test_the_rate_follows_its_closed_form_from_the_first_step_to_the_last() -> None:
    schedule = Schedule(1e-3, 1e-5, rounds=4)
    assert schedule.rate(0, 0, 10) == 1e-3
    for place in range(4):
        for step in range(10):
            closed = 1e-3 * 0.01 ** ((place + step / 10) / 4)
            assert schedule.rate(place, step, 10) == pytest.approx(closed, rel=1e-12)
    assert schedule.rate(3, 9, 10) == pytest.approx(1e-5, rel=0.13)
    # A round with other numbers of steps begins where the last ended.
    assert schedule.rate(1, 0, 7) == pytest.approx(schedule.rate(0, 999, 1000), rel=1e-2)


def test_every_step_is_made_at_its_rate() -> None:
    one, seen = learner(), list[float]()
    inner = one.adam.step

    def spy(rate: float) -> None:
        seen.append(rate)
        inner(rate)

    one.adam.step = spy  # type: ignore[method-assign]
    schedule = Schedule(1e-2, 1e-3, rounds=2)
    result = one.learn(
        a_set(100), lambda s, n: schedule.rate(1, s, n), batch=32, passes=2, seed=1, round_number=1
    )
    assert result.steps == len(seen) == 8
    assert seen == [schedule.rate(1, step, 8) for step in range(8)]
    assert (result.lr_first, result.lr_last) == (seen[0], seen[-1])


def test_orders_are_permutations_that_differ_by_seed_round_and_pass() -> None:
    orders = [order_of(*key, 50) for key in ((1, 1, 0), (2, 1, 0), (1, 2, 0), (1, 1, 1))]
    for order in orders:
        assert sorted(order.tolist()) == list(range(50))
    assert len({order.tobytes() for order in orders}) == 4
    assert (order_of(1, 1, 0, 50) == orders[0]).all()


def test_drawn_rounds_are_different_and_depend_on_seed_and_round() -> None:
    draws = [tuple(drawn_rounds(1, number, 20, 6)) for number in range(30)]
    assert all(len(set(draw)) == 6 and set(draw) <= set(range(20)) for draw in draws)
    assert len(set(draws)) > 25
    assert {index for draw in draws for index in draw} == set(range(20))
    assert drawn_rounds(1, 5, 3, 3) == [0, 1, 2]
    assert drawn_rounds(1, 5, 0, 0) == []


def test_learning_lowers_the_loss_towards_the_entropy_of_the_targets() -> None:
    one, data = learner(), a_set(600)
    losses = [learn(one, data, round_number=number).loss for number in range(1, 41)]
    least = target_entropy(data.targets)
    assert losses[0] - least > 0.3
    assert losses[-1] - least < 0.1


def test_the_same_data_give_the_same_bytes() -> None:
    weights = []
    for _ in range(2):
        one = learner()
        learn(one, a_set(), passes=3)
        weights.append(weights_of(one))
    assert weights[0] == weights[1]


def test_the_steps_are_those_of_pytorchs_adam() -> None:
    """An independent implementation is there to be asked."""
    ours = learner()
    theirs = ValueNet(ours.net.layers())
    reference = torch.optim.Adam(theirs.parameters(), lr=3e-3)
    data = a_set(200)
    tensors = [torch.from_numpy(a) for a in (data.features, data.impossible, data.classes, data.targets)]
    for _ in range(30):
        ours._gradient(*tensors)
        ours.adam.step(3e-3)
        reference.zero_grad()
        loss = -(tensors[3] * torch.log_softmax(theirs(*tensors[:3]), dim=1)).sum() / 200
        loss.backward()
        reference.step()
    for mine, his in zip(ours.net.layers()["contact"], theirs.layers()["contact"], strict=True):
        np.testing.assert_allclose(mine[0], his[0], atol=1e-5)
        np.testing.assert_allclose(mine[1], his[1], atol=1e-5)


def test_the_optimizer_goes_on_where_it_was() -> None:
    """Losing Adam's moments is not seen in the weights at once, but in the next step."""
    straight = learner()
    learn(straight, a_set())
    layers, state = straight.net.layers(), straight.optimizer_state()
    assert {name: len(value) for name, value in state.items()} == {"first": 758, "second": 758, "steps": 1}
    restored, forgetful = (Learner(ValueNet(layers), CPU, 1) for _ in range(2))
    restored.restore_optimizer(state)
    for one in (straight, restored, forgetful):
        learn(one, a_set(seed=5), round_number=2)
    after = [weights_of(one) for one in (straight, restored, forgetful)]
    assert after[0] == after[1] != after[2]
    for key, value in straight.optimizer_state().items():
        assert value.tobytes() == restored.optimizer_state()[key].tobytes()


@pytest.mark.parametrize("rate", [1e6, 1e30])
def test_a_loss_that_explodes_stops_within_the_round(rate: float) -> None:
    with pytest.raises(TrainingError, match=r"the loss became .* at step"):
        learn(learner(), a_set(2000), rate=rate)


def test_a_target_that_is_no_number_stops_within_the_round() -> None:
    data = a_set()
    data.targets[7, 0] = math.nan
    with pytest.raises(TrainingError, match="the loss became nan"):
        learn(learner(), data)


def test_ten_updates_leave_first_layer_units_different() -> None:
    one = learner()
    for number in range(10):
        learn(one, a_set(32), round_number=number)
    weight = one.net.layers()["contact"][0][0]
    assert np.linalg.matrix_rank(weight) == 16


def test_two_classes_learn_their_own_positions() -> None:
    data = a_set(400)
    # The race positions have the opposite outcomes: one net for both could not tell them.
    classes = np.arange(400, dtype=np.uint8) % 2
    targets = data.targets.copy()
    targets[classes == 1] = targets[classes == 1][:, ::-1]
    impossible = data.impossible.copy()
    impossible[classes == 1] = impossible[classes == 1][:, ::-1]
    mixed = TrainingSet(data.features, impossible, classes, targets)
    one = Learner(ValueNet.fresh(40, 6, (16,), ("contact", "race"), 1), CPU, 1)
    for number in range(60):
        result = learn(one, mixed, round_number=number)
    assert result.loss - target_entropy(targets) < 0.1


def test_the_device_comes_with_its_reason() -> None:
    assert choose_device("cpu") == Device("cpu", "the config says so")
    device = choose_device("auto")
    if torch.cuda.is_available():
        assert device.name == "cuda"
    else:
        assert device.name == "cpu"
        assert "no CUDA device" in device.reason
        with pytest.raises(InputError, match=r"device: .* no CUDA device"):
            choose_device("cuda")


class Gpu:
    """What PyTorch says where there is a GPU, with or without bfloat16."""

    def __init__(self, bf16: bool) -> None:
        self.bf16 = bf16

    def is_available(self) -> bool:
        return True

    def get_device_name(self, number: int) -> str:
        return f"GPU {number}"

    def is_bf16_supported(self, including_emulation: bool) -> bool:
        return self.bf16 or including_emulation


def test_cuda_is_taken_when_it_is_there_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "cuda", Gpu(bf16=True))
    assert choose_device("auto") == choose_device("cuda") == Device("cuda", "GPU 0 found")
    assert str(choose_device("auto", "bf16")) == "cuda (GPU 0 found), bf16 with float32 weights"
    assert choose_device("cpu").name == "cpu"
    monkeypatch.setattr(torch, "cuda", Gpu(bf16=False))
    assert choose_device("auto").name == "cuda"
    with pytest.raises(InputError, match="precision: GPU 0 has no bfloat16 of its own; write"):
        choose_device("auto", "bf16")


def test_mixed_precision_learns_as_much_and_keeps_float32_weights() -> None:
    data = a_set(600)
    least, losses = target_entropy(data.targets), {}
    for precision in ("float32", "bf16"):
        one = Learner(learner().net, Device("cpu", "test", precision), 1)  # type: ignore[arg-type]
        losses[precision] = [learn(one, data, round_number=number).loss - least for number in range(1, 41)]
        assert {weight.dtype for weight, _ in one.layers()["contact"]} == {np.dtype(np.float32)}
        assert {value.dtype.name for value in one.optimizer_state().values()} == {"float32", "int64"}
    # Other sums, so it was in use; and the same learning.
    assert losses["float32"] != losses["bf16"]
    np.testing.assert_allclose(losses["bf16"], losses["float32"], atol=0.02)


def test_steps_smaller_than_bf16_can_tell_still_add_up() -> None:
    """Weights of three digits would stand still at a rate of 1e-5."""
    one, start = Learner(learner().net, Device("cpu", "test", "bf16"), 1), weights_of(learner())
    learn(one, a_set(64), rate=1e-6)
    before = np.frombuffer(start, np.float32)
    moved = np.frombuffer(weights_of(one), np.float32) - before
    assert 0 < np.abs(moved).max() < 1e-5
    assert (moved != 0).mean() > 0.5


def test_mixed_precision_goes_on_where_it_was() -> None:
    straight = Learner(learner().net, Device("cpu", "test", "bf16"), 1)
    learn(straight, a_set())
    restored = Learner(ValueNet(straight.layers()), Device("cpu", "test", "bf16"), 1)
    restored.restore_optimizer(straight.optimizer_state())
    for one in (straight, restored):
        learn(one, a_set(seed=5), round_number=2)
    assert weights_of(straight) == weights_of(restored)


def first_weights(layers: dict[str, Layers]) -> npt.NDArray[np.float32]:
    return layers["contact"][0][0]


def test_the_mean_of_the_weights_takes_a_share_of_every_step() -> None:
    plain, averaged = learner(), learner()
    averaged.begin_phase(4)
    expected = first_weights(plain.net.layers()).astype(np.float64)
    for number in range(5):
        for one in (plain, averaged):
            learn(one, a_set(positions=32), round_number=number)
        expected += (first_weights(plain.net.layers()) - expected) / 4
    np.testing.assert_array_equal(first_weights(averaged.net.layers()), first_weights(plain.net.layers()))
    np.testing.assert_allclose(first_weights(averaged.layers()), expected, atol=1e-6)
    assert np.abs(first_weights(averaged.layers()) - first_weights(plain.layers())).max() > 1e-3


def test_the_next_phase_goes_on_from_the_mean() -> None:
    one = learner()
    one.begin_phase(4)
    learn(one, a_set())
    mean = first_weights(one.layers())
    one.begin_phase(0)
    np.testing.assert_array_equal(first_weights(one.net.layers()), mean)
    np.testing.assert_array_equal(first_weights(one.layers()), mean)


def test_a_learner_with_a_mean_goes_on_where_it_was() -> None:
    straight = learner()
    straight.begin_phase(4)
    learn(straight, a_set())
    restored = Learner(ValueNet(straight.layers()), CPU, 1)
    restored.restore_optimizer(straight.optimizer_state(), 4)
    for one in (straight, restored):
        learn(one, a_set(seed=5), round_number=2)
    assert weights_of(straight) == weights_of(restored)
    np.testing.assert_array_equal(first_weights(straight.layers()), first_weights(restored.layers()))
