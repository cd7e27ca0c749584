"""Gathering a report: the run folder, and what was measured of the very model that the page is about."""

from __future__ import annotations

import datetime
import itertools
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from nardy_ai.bots import NetBot
from nardy_ai.bots.bot import fingerprint_of
from nardy_ai.core import InputError
from nardy_ai.evaluation.report.record import (
    Decisions,
    Ladder,
    ModelFacts,
    Report,
    Speed,
    decoded,
    plain_start,
    read_bytes,
)
from nardy_ai.evaluation.report.run_logs import Watched, read_metrics, read_starts, with_times
from nardy_ai.models.layers import parameter_count
from nardy_ai.models.model_file import ModelFile, read_model

__all__ = ["gather"]

CONFIG_FORMAT = LADDER_FORMAT = DECISIONS_FORMAT = 1
MOST_PLIES = 3


@dataclass(frozen=True)
class _Kept:
    """A model file of the run."""

    path: Path
    model: ModelFile

    @property
    def round(self) -> int:
        return int(self.model.provenance.get("rounds", 0))

    @property
    def hash(self) -> str:
        return NetBot(self.model).fingerprint

    @property
    def weights(self) -> str:
        """A hash of the weights alone: a finished model has its strength in the file beside them."""
        layers = (layer for name in sorted(self.model.nets) for layer in self.model.nets[name])
        return fingerprint_of(*(array.tobytes() for layer in layers for array in layer))


def gather(
    run: Path,
    facts: dict[str, Any],
    *,
    decisions: Path | None = None,
    speed: Path | None = None,
    model: Path | None = None,
) -> Report:
    """All that a page of this run shows.

    Args:
        run: the run's folder; nothing is written there.
        facts: the machine and the command line that the page is made with.
        decisions: what `nardy bench decisions --json` printed for the page's model.
        speed: what `nardy bench speed --json` printed.
        model: the model that the page is about, one of the run's; by default its newest.

    Raises:
        InputError: no run, a damaged or strange file, or figures of another model.
    """
    config, text = _config(run)
    kept = _kept_models(run)
    own = _chosen(run, kept, model)
    game = own.model.profile if own is not None else str(config.get("game", ""))
    every = config.get("watch", 0)
    watched = Watched(f"self {every} rounds ago", game, max(1, config.get("watch_pairs", 200)), 1)
    rounds, phases, strengths, gated = read_metrics(run / "metrics.jsonl", watched)
    with_times(rounds, strengths, run / "timing.jsonl")
    return Report(
        run=str(run),
        game=game,
        planned=sum(phase.get("rounds", 0) for phase in config.get("phases", [])),
        config=text,
        rounds=rounds,
        phases=phases,
        strengths=strengths,
        gated=gated,
        model=None if own is None else _facts(own),
        ladder=_ladder(run / "ladder.json", run, kept, game),
        decisions=None if decisions is None else _decisions(decisions, run, kept, own),
        speed=None if speed is None else _speed(speed, run, kept, own),
        starts=read_starts(run / "starts.jsonl"),
        written=plain_start(facts),
        time=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )


def _config(run: Path) -> tuple[dict[str, Any], str]:
    path = run / "config.toml"
    try:
        there, is_run = run.is_dir(), path.is_file() and (run / "metrics.jsonl").is_file()
    except (OSError, ValueError):
        there = is_run = False
    if not there:
        raise InputError(f"there is no run folder {str(run)!r}: begin a run with nardy train CONFIG")
    if not is_run:
        raise InputError(
            f"{run} is no run folder: config.toml or metrics.jsonl is missing; give one that train made"
        )
    data = read_bytes(path, "config")
    try:
        text = data.decode()
        config = tomllib.loads(text)
        _check_shape(config)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError, msgspec.MsgspecError) as error:
        raise InputError(f"{path} can't be read ({error}): put the file back") from None
    if config.get("format", CONFIG_FORMAT) != CONFIG_FORMAT:
        raise InputError(
            f"{path} is of format {config['format']}, and this version reads format {CONFIG_FORMAT}: take "
            "the nardy-ai that made the run"
        )
    return config, text


class _PhaseShape(msgspec.Struct):
    rounds: int


class _ConfigShape(msgspec.Struct):
    """What a page reads of a config, which the run itself has checked whole."""

    game: str
    phases: list[_PhaseShape]
    watch: int = 0
    watch_pairs: int = 200


def _check_shape(config: dict[str, Any]) -> None:
    msgspec.convert(config, _ConfigShape)


def _kept_models(run: Path) -> list[_Kept]:
    """The run's model files, the finished one first, then by falling round."""
    files = [run / "model.safetensors"]
    files += (run / "checkpoints").glob("round-*/model.safetensors")
    files += (run / "milestones").glob("round-*.safetensors")
    files.append(run / "best.safetensors")
    found: list[_Kept] = []
    for path in files:
        if not path.is_file():
            continue
        try:
            found.append(_Kept(path, read_model(path)))
        except InputError:
            if path.exists():
                raise
            # A run that goes on has put a newer checkpoint in its place.
    return sorted(found, key=lambda one: -one.round)


def _chosen(run: Path, kept: Sequence[_Kept], model: Path | None) -> _Kept | None:
    """The model that the page is about."""
    if model is None:
        return kept[0] if kept else None
    wanted = _Kept(model, read_model(model))
    same = [one for one in kept if one.weights == wanted.weights]
    if not same:
        raise InputError(
            f"{model} is none of the models that {run} holds: name one of its checkpoints or milestones"
        )
    return same[0]


def _facts(own: _Kept) -> ModelFacts:
    origin = own.model.provenance
    return ModelFacts(
        file=str(own.path),
        hash=own.hash,
        weights_hash=own.weights,
        round=own.round,
        games=int(origin.get("games", 0)),
        net=own.model.shape,
        weights=parameter_count(own.model.nets),
        profile=own.model.profile,
        encoding=own.model.encoding,
        version=str(origin.get("version", "")),
        commit=str(origin.get("commit", "")),
    )


def _ladder(path: Path, run: Path, kept: Sequence[_Kept], game: str) -> Ladder | None:
    if not path.exists():
        return None
    data = read_bytes(path, "ladder")
    advice = "move it away, and nardy ladder plays a new one"
    _check_format(data, path, "a ladder", LADDER_FORMAT, advice)
    ladder = decoded(data, Ladder, f"the ladder {path}", advice)
    if kept and ladder.game != game:
        raise InputError(f"{path} is a ladder of {ladder.game}, and {run} plays {game}: {advice}")
    by_round = {number: [one.hash for one in kept if one.round == number] for number in _rounds_of(kept)}
    for place in ladder.ratings:
        _check_confidence(place.confidence, path)
        if place.round is None:
            continue
        own = by_round.get(place.round, [])
        place.kept = place.hash in own
        if own and not place.kept:
            raise InputError(
                f"{path} holds another model of round {place.round} (hash {place.hash}) than {run} "
                f"({own[0]}), and a page does not mix models: {advice}"
            )
    return ladder


def _rounds_of(kept: Sequence[_Kept]) -> set[int]:
    return {one.round for one in kept}


def _decisions(path: Path, run: Path, kept: Sequence[_Kept], own: _Kept | None) -> Decisions:
    data = read_bytes(path, "file of decisions")
    advice = "make it anew with nardy bench decisions MODEL --json"
    _check_format(data, path, "decisions", DECISIONS_FORMAT, advice)
    found = decoded(data, Decisions, f"the decisions {path}", advice)
    _check_confidence(found.confidence, path)
    found.look_ahead = _plies_of(found.bot.hash, found.bot.name, path, run, kept, own)
    return found


def _speed(path: Path, run: Path, kept: Sequence[_Kept], own: _Kept | None) -> Speed:
    data = read_bytes(path, "file of speeds")
    found = decoded(data, Speed, f"the speeds {path}", "make it anew with nardy bench speed --json")
    if found.model is not None:
        _plies_of(found.model.hash, found.model.name, path, run, kept, own)
    return found


def _plies_of(
    fingerprint: str, name: str, path: Path, run: Path, kept: Sequence[_Kept], own: _Kept | None
) -> int:
    """The look-ahead with which the page's model has this hash; InputError where it is another model."""
    if own is None:
        raise InputError(f"{run} has no model yet, so {path} can't be about it: wait for a checkpoint")
    # The finished model and its checkpoint have the same weights and are the same model.
    same = [one for one in kept if one.weights == own.weights]
    for one, plies in itertools.product(same, range(MOST_PLIES + 1)):
        if NetBot(one.model, plies=plies).fingerprint == fingerprint:
            return plies
    other = next((one for one in kept if one.hash == fingerprint), None)
    if other is not None:
        raise InputError(
            f"{path} is about round {other.round} (hash {fingerprint}) and the page about round {own.round} "
            f"({own.hash}), and a page does not mix models: add --model {other.path}, or measure {own.path}"
        )
    raise InputError(
        f"{path} is about {name} (hash {fingerprint}) and not about {own.path} ({own.hash}), and a page does "
        f"not mix models: measure {own.path}"
    )


class _Format(msgspec.Struct):
    format: int


def _check_format(data: bytes, path: Path, what: str, wanted: int, advice: str) -> None:
    found = decoded(data, _Format, str(path), advice).format
    if found != wanted:
        raise InputError(
            f"{path} holds {what} of format {found}, and this version reads format {wanted}: {advice}"
        )


def _check_confidence(confidence: float, path: Path) -> None:
    if confidence != 0.95:
        raise InputError(
            f"{path} has intervals of {100 * confidence:g} %, and a page shows 95 %: make the file anew"
        )
