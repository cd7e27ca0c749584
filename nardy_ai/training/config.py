"""What a training config (TOML) says: dataclasses whose docstrings are the help, and their strict reading."""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import json
import math
import re
import tomllib
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec
import tomli_w

from nardy_ai.core import InputError
from nardy_ai.core.nets import MOST_DOUBT
from nardy_ai.models.layers import CLASSES, SCOUT, growth_fault
from nardy_ai.models.model_file import MOST_LAYERS, MOST_UNITS
from nardy_ai.rules.given_files import bytes_up_to

FORMAT = 1

Targets: TypeAlias = Literal["sampled", "exact", "searched"]
Precision: TypeAlias = Literal["float32", "bf16"]


@dataclass(frozen=True)
class Phase:
    """One stretch of learning with the same targets, net and learning-rate schedule."""

    name: str
    """Name in logs and on the progress bar."""
    rounds: int
    """Rounds in this phase; in each, games are played and then learned from."""
    games: int
    """Games a round."""
    lr_from: float
    """Adam's learning rate at the phase's first step."""
    lr_to: float
    """Learning rate at its end; between them it falls evenly on a logarithmic scale, step by step."""
    teacher: str = ""
    """Model file that plays and labels this phase's games; empty: the learning bot itself."""
    targets: Targets = "sampled"
    """What positions are taught: the value after the play made, the mean over all 21 rolls, or a search's."""
    stray: float = 0.0
    """Exact and searched targets: share of the turns whose play is drawn by lot from the good ones."""
    stray_margin: float = 0.1
    """Which are those within so many points of the best."""
    plies: int = 2
    """Searched targets: plies of the search (1 = the mean over all 21 rolls)."""
    hidden: tuple[int, ...] = ()
    """Hidden layer sizes; larger than before: the net grows and keeps its function; empty: as before."""
    batch: int = 256
    """Positions an optimizer step."""
    memory: int = 0
    """Earlier rounds of this phase that are kept for learning again."""
    replay: int = 0
    """Rounds drawn from the memory to be learned together with each new one."""
    passes: int = 1
    """Times that a round's positions (with the drawn ones) are gone through."""
    trace: float = 0.0
    """Lambda of sampled targets: 0 = the next value alone, 1 = the game's outcome alone."""
    stride: int = 1
    """Every how manieth position of a game is labelled."""
    average: int = 0
    """The weights that play and are kept are a mean over about so many last steps; 0 = the last step's."""
    candidates: int = 0
    """Exact and searched targets: plays of a roll that the scout lets the other nets see; 0 = all."""
    margin: float = 0.2
    """... as long as they lie within so many points of the scout's best."""
    doubt: float = 0.0
    """... and those that may be the best all the same: by so many standard deviations of what the scout, set
    right in each position by what the other nets said there, still misses; 0 = none."""


@dataclass(frozen=True)
class Opponent:
    """A bot that the learning one is measured against."""

    bot: str
    """Name of a bot, e.g. "pubeval", or a model file."""
    pairs: int
    """Pairs of games: the same dice with both seatings."""
    seed: int = 1
    """Seed of the dice."""
    every: int = 0
    """Measured every so many rounds as well as at the end; 0 = at the end only."""


@dataclass(frozen=True)
class TrainingConfig:
    """A whole run, from random weights (or another model) to a model file."""

    game: str
    """Game or profile: "long", "short", "long/classic", or a profile file."""
    phases: tuple[Phase, ...]
    """The phases in their order."""
    opponents: tuple[Opponent, ...] = ()
    """Bots to be measured against."""
    format: int = FORMAT
    """Version of this file's format."""
    seed: int = 1
    """Seed of everything random: first weights, dice, order of positions."""
    init: str = ""
    """Model file to start from (empty: random weights)."""
    encoding: str = ""
    """Inputs of the net (empty: the profile's own)."""
    classes: tuple[str, ...] = ("contact",)
    """Classes of positions that get a net of their own."""
    scout: tuple[int, ...] = ()
    """Hidden sizes of a small net that learns beside the others and orders plays for them; empty: none."""
    tables: bool = True
    """Bear-offs are played and labelled by their tables; false: by the net, like everything else."""
    max_turns: int = 2000
    """Turns after which a game is cut; cut games are counted and never scored."""
    learner_threads: int = 1
    """Threads of PyTorch; their number can change the last bits of the weights."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the learner works; auto takes CUDA when it is there."""
    precision: Precision = "float32"
    """Of the learner's products: bf16 is faster on GPUs that have it; weights and sums stay float32."""
    workers: int = 0
    """Threads that play; 0 = one a core. The result does not depend on them."""
    tensorboard: bool = True
    """Write TensorBoard files too."""
    checkpoint: int = 1
    """A checkpoint every so many rounds, and at the end of every phase."""
    keep: int = 3
    """Checkpoints that are kept; older ones are deleted."""
    watch: int = 0
    """Every so many rounds the model plays its former self, and a collapse ends the run; 0 = never."""
    watch_pairs: int = 200
    """Pairs of those games."""
    promote: int = 0
    """Every so many rounds a sequential test says whether the model becomes the run's best; 0 = never."""
    promote_points: float = 0.02
    """Points a game by which the test wants it to be better than the best so far, rather than equal."""
    promote_pairs: int = 4000
    """Most pairs of one test."""
    milestone: int = 0
    """The model is kept for good every so many rounds, and at the end of every phase; 0 = phases only."""

    @property
    def rounds(self) -> int:
        """Rounds of all phases together."""
        return sum(phase.rounds for phase in self.phases)


# They change speed, logs or what is kept, never the weights.
_NO_EFFECT = (
    "format",
    "opponents",
    "workers",
    "tensorboard",
    "checkpoint",
    "keep",
    "milestone",
    "watch",
    "watch_pairs",
    "promote",
    "promote_points",
    "promote_pairs",
)

# Keys that came later, with the value that stands for what was done before: runs and hashes from then hold.
_LATER = {"precision": "float32"}
_LATER_IN_PHASES = {"doubt": 0.0, "teacher": ""}

# Smallest allowed value of the numbers that are not simply "0 or more".
_AT_LEAST = {
    "rounds": 1,
    "games": 1,
    "batch": 1,
    "passes": 1,
    "stride": 1,
    "plies": 1,
    "pairs": 2,
    "watch_pairs": 2,
    "promote_pairs": 2,
    "max_turns": 1,
    "learner_threads": 1,
    "checkpoint": 1,
    "keep": 1,
}

MOST_THREADS = 1024

# Largest allowed value: far beyond what anybody can wait for, and within what the engine can count.
_AT_MOST = {
    "seed": 2**64 - 1,
    "max_turns": 10**6,
    "stride": 10**6,
    "learner_threads": MOST_THREADS,
    "workers": MOST_THREADS,
    "candidates": 16,
    "plies": 3,
}
_MOST = 10**7
_MOST_BYTES = 1 << 20


def read_config(path: Path) -> TrainingConfig:
    """Read, check and resolve a config. Raises InputError: the file, the key and what it should be."""
    try:
        # Some editors begin a file with a mark (BOM) that is no part of the text.
        text = bytes_up_to(path, _MOST_BYTES, "config").decode("utf-8-sig")
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"there is no config at {path}; the repository's own are in configs/") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{str(path)!r} can't be read as a config ({reason}); give a TOML file") from None
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Besides its own errors: numbers with thousands of digits, and thousands of nested brackets.
        raise InputError(f"{path} is not valid TOML: {error}") from None
    try:
        return config_from(content)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def config_from(content: dict[str, Any]) -> TrainingConfig:
    """A checked and resolved config from a TOML document's content; raises InputError naming the key."""
    _check_keys(content, TrainingConfig, "")
    try:
        config = msgspec.convert(content, TrainingConfig, strict=True)
    except (msgspec.ValidationError, RecursionError) as error:
        raise InputError(_sentence(str(error))) from None
    return resolved(config)


def resolved(config: TrainingConfig) -> TrainingConfig:
    """The config with hidden sizes written out in every phase; raises InputError where it can't work."""
    if config.format != FORMAT:
        raise InputError(f"format: {config.format} is unknown here, this version reads {FORMAT}")
    _check_numbers(config, "")
    _check_names(config)
    _check_sizes(config.scout, "scout")
    if not 0 < config.promote_points <= 1:
        raise InputError(f"promote_points: {config.promote_points} must be above 0 and at most 1, e.g. 0.02")
    if not config.phases:
        raise InputError("phases: at least one [[phases]] table is needed")
    if CLASSES[0] not in config.classes:
        raise InputError(f"classes: {CLASSES[0]!r} must be among them; it judges what no other net does")
    for name in config.classes:
        if name not in CLASSES:
            raise InputError(f"classes: {name!r} is unknown; use {' and '.join(map(repr, CLASSES))}")
        if config.classes.count(name) > 1:
            raise InputError(f"classes: {name!r} is there twice; leave one out")
    phases: list[Phase] = []
    hidden: tuple[int, ...] = ()
    for i, phase in enumerate(config.phases):
        hidden = phase.hidden or hidden
        _check_phase(phase, f"phases[{i}]")
        _check_pruning(phase, f"phases[{i}]", config.scout)
        if not hidden and not config.init:
            raise InputError(f"phases[{i}].hidden: the first phase must give the layer sizes, e.g. [128, 64]")
        if phases and phases[-1].hidden and (fault := growth_fault(phases[-1].hidden, hidden, 0)):
            raise InputError(f"phases[{i}].hidden: {fault}; a net can only grow from phase to phase")
        phases.append(dataclasses.replace(phase, hidden=hidden))
    return dataclasses.replace(config, phases=tuple(phases))


def _check_phase(phase: Phase, where: str) -> None:
    for key in ("lr_from", "lr_to"):
        value = getattr(phase, key)
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"{where}.{key}: {value} must be a number above 0, e.g. 1e-3")
    if not 0.0 <= phase.trace <= 1.0:
        raise InputError(f"{where}.trace: {phase.trace} must lie between 0 and 1")
    if phase.trace and phase.targets != "sampled":
        raise InputError(f"{where}.trace: {phase.targets} targets have no trace; leave it out")
    _check_sizes(phase.hidden, f"{where}.hidden")
    if not 0.0 <= phase.stray <= 1.0:
        raise InputError(f"{where}.stray: {phase.stray} must lie between 0 and 1")
    if phase.stray and phase.targets == "sampled":
        raise InputError(f"{where}.stray: sampled targets learn from the plays made; leave it out")
    if not (math.isfinite(phase.stray_margin) and phase.stray_margin >= 0):
        raise InputError(f"{where}.stray_margin: {phase.stray_margin} must be 0 or more points, e.g. 0.1")
    if phase.replay > phase.memory:
        raise InputError(
            f"{where}.replay: a memory of {phase.memory} rounds can't give {phase.replay}; raise memory"
        )


def _check_sizes(sizes: tuple[int, ...], where: str) -> None:
    if len(sizes) >= MOST_LAYERS or any(not 1 <= size <= MOST_UNITS for size in sizes):
        raise InputError(f"{where}: {list(sizes)} must be 1 to {MOST_LAYERS - 1} sizes of 1 to {MOST_UNITS}")


def _check_pruning(phase: Phase, where: str, scout: tuple[int, ...]) -> None:
    if not (math.isfinite(phase.margin) and phase.margin >= 0):
        raise InputError(f"{where}.margin: {phase.margin} must be a number of points, 0 or more, e.g. 0.2")
    if not 0.0 <= phase.doubt <= MOST_DOUBT:
        raise InputError(f"{where}.doubt: {phase.doubt} must lie between 0 and {MOST_DOUBT}, e.g. 2")
    if not phase.candidates:
        if phase.doubt:
            raise InputError(f"{where}.doubt: every play is looked at; give candidates too, e.g. 2")
        return
    if phase.targets == "sampled":
        raise InputError(f"{where}.candidates: {phase.targets} targets look at every play; leave it out")
    if not scout and not phase.teacher:
        raise InputError(f"{where}.candidates: nobody chooses them; give the config scout = [32]")


def _check_numbers(value: Any, where: str) -> None:
    """Every int in the config is 0 to `_MOST`, or what `_AT_LEAST` and `_AT_MOST` say."""
    for item in dataclasses.fields(value):
        content = getattr(value, item.name)
        place = f"{where}{item.name}"
        if isinstance(content, bool) or item.name in ("format", "hidden", "scout"):
            continue
        if isinstance(content, int) and content < (least := _AT_LEAST.get(item.name, 0)):
            raise InputError(f"{place}: {_number(content)} must be at least {least}")
        if isinstance(content, int) and content > (most := _AT_MOST.get(item.name, _MOST)):
            raise InputError(f"{place}: {_number(content)} must be at most {most}")
        if isinstance(content, tuple):
            for i, entry in enumerate(content):
                if dataclasses.is_dataclass(entry):
                    _check_numbers(entry, f"{place}[{i}].")


def _number(value: int) -> str:
    """The number, or how long it is when nobody could read it (Python writes no more than 4300 digits)."""
    return str(value) if abs(value) < 10**30 else f"a number of {value.bit_length()} bits"


def _check_names(config: TrainingConfig) -> None:
    """No name that may be a file holds a NUL character, which the system would take for its end."""
    names = {"game": config.game, "init": config.init}
    names |= {f"phases[{i}].teacher": phase.teacher for i, phase in enumerate(config.phases)}
    names |= {f"opponents[{i}].bot": opponent.bot for i, opponent in enumerate(config.opponents)}
    for place, name in names.items():
        if "\0" in name:
            raise InputError(f"{place}: {name!r} holds a NUL character; no name can")


def _check_keys(content: Any, kind: Any, where: str) -> None:
    """Every key is one that `kind` has; the nearest is named for one that it has not."""
    if not isinstance(content, dict):
        return
    types = typing.get_type_hints(kind)
    for key, value in content.items():
        if key not in types:
            nearest = difflib.get_close_matches(key, types, n=1)
            advice = f"did you mean {nearest[0]!r}?" if nearest else f"known are {', '.join(types)}"
            shown = key if re.fullmatch(r"[\w-]+", key) else json.dumps(key, ensure_ascii=False)
            raise InputError(f"{where}{shown}: there is no such key; {advice}")
        entries = typing.get_args(types[key])
        if entries and dataclasses.is_dataclass(entries[0]) and isinstance(value, list):
            for i, entry in enumerate(value):
                _check_keys(entry, entries[0], f"{where}{key}[{i}].")


def _sentence(message: str) -> str:
    """msgspec's message with the key in front: "phases[0].rounds: expected `int`, got `str`"."""
    missing = re.fullmatch(r"Object missing required field `(\w+)`(?: - at `\$\.?(.*)`)?", message)
    if missing:
        where = f"{missing[2]}." if missing[2] else ""
        return f"{where}{missing[1]}: this key is missing and has no default"
    text, _, place = message.partition(" - at `$")
    place = place.rstrip("`").lstrip(".")
    text = text[0].lower() + text[1:]
    return f"{place}: {text}" if place else text


def nets_of(config: TrainingConfig) -> set[str]:
    """Names of the nets that a run's model holds."""
    return {*config.classes, *([SCOUT] if config.scout else [])}


def config_content(config: TrainingConfig) -> dict[str, Any]:
    """The config as plain tables, lists and values, as TOML and JSON hold them."""
    content = msgspec.to_builtins(config)
    assert isinstance(content, dict)
    return content


def config_text(config: TrainingConfig) -> str:
    """The config as TOML; reading it gives an equal one."""
    return tomli_w.dumps(json.loads(json.dumps(config_content(config))))


def result_keys(config: TrainingConfig, rules: dict[str, Any]) -> dict[str, Any]:
    """What the weights depend on, flat: the config's keys without those of speed and logs, and the rules."""
    content = config_content(config)
    kept = {
        key: value
        for key, value in content.items()
        if key not in _NO_EFFECT and not (key in _LATER and value == _LATER[key])
    }
    for i, phase in enumerate(kept.pop("phases")):
        kept |= {
            f"phases[{i}].{key}": value
            for key, value in phase.items()
            if key != "name" and not (key in _LATER_IN_PHASES and value == _LATER_IN_PHASES[key])
        }
    kept |= {f"rules.{key}": value for key, value in rules.items()}
    # As JSON gives it back, so that it compares equal with what a checkpoint holds.
    result = json.loads(json.dumps(kept))
    assert isinstance(result, dict)
    return result


def former_value(key: str) -> Any:
    """What a key of `result_keys` that is not there stands for; None where it always was."""
    return _LATER_IN_PHASES.get(key.partition("].")[2], _LATER.get(key))


def config_hash(config: TrainingConfig, rules: dict[str, Any]) -> str:
    """Hash (16 hex digits) of what the weights depend on."""
    text = json.dumps(result_keys(config, rules), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
