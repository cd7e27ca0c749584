"""Reading configs: strict, with the file and the key in every complaint."""

import dataclasses
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.models.model_file import write_model
from nardy_ai.training.beginning import first_checkpoint, prepared
from nardy_ai.training.config import (
    TrainingConfig,
    config_from,
    config_hash,
    config_text,
    former_value,
    nets_of,
    read_config,
    result_keys,
)

GOOD = """
game = "long"
seed = 3

[[phases]]
name = "sampled"
rounds = 4
games = 20
lr_from = 1e-3
lr_to = 3e-4
hidden = [16]

[[phases]]
name = "exact"
targets = "exact"
rounds = 2
games = 5
lr_from = 3e-4
lr_to = 3e-5
memory = 3
replay = 2

[[opponents]]
bot = "random"
pairs = 50
"""


def read(folder: Path, text: str) -> TrainingConfig:
    path = folder / "c.toml"
    path.write_text(text, encoding="utf-8")
    return read_config(path)


def test_what_is_left_out_gets_its_default_and_hidden_sizes_are_carried_on(tmp_path: Path) -> None:
    config = read(tmp_path, GOOD)
    assert (config.game, config.seed, config.rounds) == ("long", 3, 6)
    assert config.phases[0].targets == "sampled"
    assert config.phases[1].hidden == (16,)
    assert config.phases[1].batch == 256
    assert config.opponents[0].pairs == 50


def test_what_is_written_reads_back_equal(tmp_path: Path) -> None:
    config = read(tmp_path, GOOD)
    assert read(tmp_path, config_text(config)) == config


# What is changed in GOOD, and what is said about it.
FAULTS = {
    "unknown key": ("seed = 3", "sede = 3", "sede: there is no such key; did you mean 'seed'?"),
    "unknown key of a phase": ("rounds = 4", "round = 4", "phases[0].round: there is no such key; did you"),
    "unlike any key": ("seed = 3", "zzz = 3", "zzz: there is no such key; known are game, phases"),
    "wrong type": ("rounds = 4", 'rounds = "4"', "phases[0].rounds: expected `int`, got `str`"),
    "float for int": ("games = 20", "games = 20.5", "phases[0].games: expected `int`, got `float`"),
    "bool for int": ("games = 20", "games = true", "phases[0].games: expected `int`, got `bool`"),
    "wrong word": ('targets = "exact"', 'targets = "ex"', "phases[1].targets: invalid enum value 'ex'"),
    "missing key": ("lr_to = 3e-4\n", "", "phases[0].lr_to: this key is missing"),
    "missing game": ('game = "long"', "", "game: this key is missing"),
    "zero rounds": ("rounds = 4", "rounds = 0", "phases[0].rounds: 0 must be at least 1"),
    "negative memory": ("memory = 3", "memory = -1", "phases[1].memory: -1 must be at least 0"),
    "one pair": ("pairs = 50", "pairs = 1", "opponents[0].pairs: 1 must be at least 2"),
    "learning rate": ("lr_to = 3e-5", "lr_to = 0.0", "phases[1].lr_to: 0.0 must be a number above 0"),
    "infinite rate": ("lr_to = 3e-5", "lr_to = inf", "phases[1].lr_to: inf must be"),
    "trace": ("[16]", "[16]\ntrace = 1.5", "phases[0].trace: 1.5 must lie between 0 and 1"),
    "exact trace": ("memory = 3", "memory = 3\ntrace = 0.5", "phases[1].trace: exact targets have no trace"),
    "replay": ("replay = 2", "replay = 4", "phases[1].replay: a memory of 3 rounds can't give 4"),
    "no sizes": ("hidden = [16]", "", "phases[0].hidden: the first phase must give the layer sizes"),
    "candidates of nobody": ("memory = 3", "memory = 3\ncandidates = 4", "phases[1].candidates: nobody"),
    "sampled candidates": ("[16]", "[16]\ncandidates = 4", "phases[0].candidates: sampled targets"),
    "too many candidates": ("memory = 3", "memory = 3\ncandidates = 17", "phases[1].candidates: 17 must"),
    "margin": ("memory = 3", "memory = 3\nmargin = -0.1", "phases[1].margin: -0.1 must be a number"),
    "doubt": ("memory = 3", "memory = 3\ndoubt = -0.1", "phases[1].doubt: -0.1 must lie between 0 and 100"),
    "doubt of nobody": ("memory = 3", "memory = 3\ndoubt = 2.0", "phases[1].doubt: every play is looked"),
    "scout of nothing": ("seed = 3", "scout = [0]", "scout: [0] must be 1 to 15 sizes"),
    "size 0": ("hidden = [16]", "hidden = [0]", "phases[0].hidden: [0] must be"),
    "size 5000": ("hidden = [16]", "hidden = [5000]", "phases[0].hidden: [5000] must be"),
    "shrinking": ("memory = 3", "memory = 3\nhidden = [8]", "phases[1].hidden: hidden layer 1 would shrink"),
    "classes": ("seed = 3", 'classes = ["race"]', "classes: 'contact' must be among them"),
    "unknown class": ("seed = 3", 'classes = ["contact", "x"]', "classes: 'x' is unknown"),
    "class twice": ("seed = 3", 'classes = ["contact", "contact"]', "classes: 'contact' is there twice"),
    "seed": ("seed = 3", f"seed = {2**64}", f"seed: {2**64} must be at most {2**64 - 1}"),
    "games": ("games = 20", "games = 10_000_001", "phases[0].games: 10000001 must be at most 10000000"),
    "rounds": ("rounds = 4", "rounds = 10_000_001", "phases[0].rounds: 10000001 must be at most"),
    "batch": ("[16]", "[16]\nbatch = 10_000_001", "phases[0].batch: 10000001 must be at most"),
    "stray": ("memory = 3", "memory = 3\nstray = 1.5", "phases[1].stray: 1.5 must lie between 0 and 1"),
    "sampled stray": ("[16]", "[16]\nstray = 0.1", "phases[0].stray: sampled targets learn from the plays"),
    "stray margin": ("memory = 3", "memory = 3\nstray_margin = -1.0", "phases[1].stray_margin: -1.0 must"),
    "plies 4": ("[16]", "[16]\nplies = 4", "phases[0].plies: 4 must be at most 3"),
    "plies 0": ("[16]", "[16]\nplies = 0", "phases[0].plies: 0 must be at least 1"),
    "stride": ("[16]", "[16]\nstride = 1_000_001", "phases[0].stride: 1000001 must be at most 1000000"),
    "turns": ("seed = 3", "max_turns = 1_000_001", "max_turns: 1000001 must be at most 1000000"),
    "workers": ("seed = 3", "workers = 1025", "workers: 1025 must be at most 1024"),
    "threads": ("seed = 3", "learner_threads = 1025", "learner_threads: 1025 must be at most 1024"),
    "pairs": ("pairs = 50", "pairs = 10_000_001", "opponents[0].pairs: 10000001 must be at most"),
    "opponent's seed": (
        "pairs = 50",
        f"pairs = 50\nseed = {2**64}",
        "opponents[0].seed: 18446744073709551616",
    ),
    "a hex number": ("seed = 3", f"seed = 0x1{'0' * 5000}", "seed: a number of 20001 bits must be at most"),
    "5000 digits": ("seed = 3", f"seed = {'7' * 5000}", "is not valid TOML"),
    "5000 brackets": ("seed = 3", f"seed = {'[' * 5000}", "is not valid TOML"),
    "empty key": ("seed = 3", '"" = 3', '"": there is no such key'),
    "key of two lines": ("seed = 3", '"a\\nb" = 3', '"a\\nb": there is no such key'),
    "NUL in the game": ('game = "long"', 'game = "lo\\u0000ng"', "game: 'lo\\x00ng' holds a NUL character"),
    "NUL in init": ("seed = 3", 'init = "a\\u0000"', "init: 'a\\x00' holds a NUL character"),
    "NUL in a bot": ('"random"', '"\\u0000"', "opponents[0].bot: '\\x00' holds a NUL character"),
    "format": ("seed = 3", "format = 2", "format: 2 is unknown here"),
    "not TOML": ("seed = 3", "seed =", "is not valid TOML"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_in_one_sentence_with_file_and_key(tmp_path: Path, fault: str) -> None:
    old, new, message = FAULTS[fault]
    assert old in GOOD
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read(tmp_path, GOOD.replace(old, new, 1))
    assert str(tmp_path / "c.toml") in str(caught.value)
    assert "\n" not in str(caught.value)


CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.toml"))


def make_what_comes_before(config: TrainingConfig) -> None:
    """What a recipe goes on from, where another recipe makes it: its sizes and inputs, with fresh weights."""
    made = re.fullmatch(r"runs/([a-z-]+)/model\.safetensors", config.init)
    if made is None:
        return
    before, game = prepared(read_config(CONFIGS[0].with_name(f"{made[1]}.toml")))
    inputs = core.encoding_table(before.encoding).inputs
    hidden = next(phase.hidden for phase in reversed(before.phases) if phase.hidden)
    phase = dataclasses.replace(before.phases[-1], hidden=hidden)
    first = first_checkpoint(dataclasses.replace(before, init="", phases=(phase,)), game, "cpu").model
    assert first.nets["contact"][0][0].shape == (hidden[0], inputs)
    Path(config.init).parent.mkdir(parents=True)
    write_model(Path(config.init), first)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_the_repositorys_own_recipes_can_work(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, game = prepared(read_config(path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "checkpoints").symlink_to(path.parents[1] / "checkpoints")
    make_what_comes_before(config)
    first = first_checkpoint(config, game, "cpu")
    assert set(first.model.nets) == nets_of(config)
    rates = [rate for phase in config.phases for rate in (phase.lr_from, phase.lr_to)]
    assert rates[-1] == min(rates)


def test_a_missing_config_says_where_the_repository_has_some(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no config at .*none.toml.*configs/"):
        read_config(tmp_path / "none.toml")


def test_a_byte_order_mark_is_no_part_of_a_config(tmp_path: Path) -> None:
    assert read(tmp_path, "\ufeff" + GOOD) == read(tmp_path, GOOD)


@pytest.mark.parametrize("name", ["a\0b.toml", "n" * 5000])
def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="can't be read as a config") as caught:
        read_config(tmp_path / name)
    assert "\0" not in str(caught.value)


def test_a_config_without_phases_is_refused() -> None:
    with pytest.raises(InputError, match="at least one"):
        config_from({"game": "long", "phases": []})


def hashed(content: dict[str, Any]) -> str:
    return config_hash(config_from(content), {"family": "long"})


def test_the_hash_covers_what_the_weights_depend_on_and_nothing_else() -> None:
    phase = {"name": "a", "rounds": 2, "games": 5, "lr_from": 1e-3, "lr_to": 1e-4, "hidden": [8]}
    base = {"game": "long", "phases": [phase]}
    plain = hashed(base)
    harmless = {"workers": 3, "tensorboard": False, "keep": 9, "milestone": 5, "checkpoint": 2}
    for key, value in harmless.items():
        assert hashed({**base, key: value}) == plain
    assert hashed({**base, "opponents": [{"bot": "random", "pairs": 5}]}) == plain
    assert hashed({**base, "phases": [{**phase, "name": "b"}]}) == plain
    changes = {"seed": 2, "learner_threads": 2, "max_turns": 10, "classes": ["contact", "race"]}
    others = {hashed({**base, key: value}) for key, value in changes.items()}
    numbers = ("rounds", "games", "batch", "passes")
    others |= {hashed({**base, "phases": [{**phase, key: 3}]}) for key in numbers}
    assert len(others | {plain}) == len(changes) + len(numbers) + 1
    assert config_hash(config_from(base), {"family": "short"}) != plain


def test_a_key_that_came_later_leaves_older_runs_as_they_were() -> None:
    config = config_from(tomllib.loads(GOOD))
    assert "precision" not in result_keys(config, {})
    mixed = dataclasses.replace(config, precision="bf16")
    assert result_keys(mixed, {})["precision"] == "bf16"
    assert "phases[1].doubt" not in result_keys(config, {})
    first, second = config.phases[0], dataclasses.replace(config.phases[-1], candidates=2, doubt=2.0)
    doubting = dataclasses.replace(config, scout=(8,), phases=(first, second))
    assert result_keys(doubting, {})["phases[1].doubt"] == 2.0
    assert former_value("phases[1].doubt") == 0.0 and former_value("precision") == "float32"
    assert former_value("phases[1].margin") is None
    assert config_hash(mixed, {}) != config_hash(config, {})


def test_result_keys_are_flat_and_named_as_in_the_file(tmp_path: Path) -> None:
    keys = result_keys(read(tmp_path, GOOD), {"family": "long"})
    assert keys["phases[1].games"] == 5
    assert keys["rules.family"] == "long"
    assert "workers" not in keys


def test_every_field_explains_itself() -> None:
    """The docstrings under the fields are the command line's help."""
    import inspect

    from nardy_ai.training import config

    source = inspect.getsource(config)
    for kind in (config.TrainingConfig, config.Phase, config.Opponent):
        for field in dataclasses.fields(kind):
            _, _, after = source.partition(f"    {field.name}: ")
            assert after.splitlines()[1].strip().startswith('"""'), field.name
