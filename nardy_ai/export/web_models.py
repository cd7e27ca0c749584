"""The models that go into a web bundle: each with the rules that count for it and a name of its own."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nardy_ai.core import InputError
from nardy_ai.export.chosen_game import chosen_game
from nardy_ai.models.model_file import ModelFile, read_model
from nardy_ai.rules import Game

__all__ = ["WebModel", "read_web_models"]


@dataclass(frozen=True)
class WebModel:
    """One model of a bundle."""

    name: str
    """By which pages ask for it; no other model of the bundle has it."""
    file: ModelFile
    game: Game
    """The rules that count where a page names none."""
    digest: str
    """SHA-256 of the model file."""

    @property
    def net(self) -> str:
        """Its net file in the bundle."""
        return f"{self.name}.nardynet"

    @property
    def vectors(self) -> str:
        """Its expected answers in the bundle."""
        return f"{self.name}.vectors.json"


def read_web_models(paths: Sequence[Path], profile: str | None) -> list[WebModel]:
    """Reads model files; `profile` counts for those of its game.

    Raises `InputError` where there is no model, two would have one name, or the profile is for none of them.
    """
    if not paths:
        raise InputError("a web bundle needs a model; name one such as runs/NAME/model.safetensors")
    names = _names(paths)
    files = [read_model(path) for path in paths]
    family = None if profile is None else Game(profile).profile.family
    # A profile of another game than that of all models is refused for the first of them, by what it lacks.
    meant = [len(files) == 1 or file.game == family for file in files]
    if profile is not None and not any(meant):
        raise InputError(f"no model here plays the game of {profile}; name a profile of theirs with --game")
    return [
        WebModel(
            name,
            file,
            chosen_game(file, profile if counts else None, str(path)),
            hashlib.sha256(path.read_bytes()).hexdigest(),
        )
        for name, file, path, counts in zip(names, files, paths, meant, strict=True)
    ]


def _names(paths: Sequence[Path]) -> list[str]:
    """The names of the files, and of their folders where files of several folders have one name."""
    stems = [_plain(path.stem) for path in paths]
    seen = Counter(stem.casefold() for stem in stems)
    names = [
        stem if seen[stem.casefold()] == 1 else _plain(path.absolute().parent.name)
        for stem, path in zip(stems, paths, strict=True)
    ]
    for i, name in enumerate(names):
        if name.casefold() in {other.casefold() for other in names[:i]}:
            raise InputError(
                f"{paths[i]} would be the second model with the name {name} in the bundle; rename the file"
            )
    return names


def _plain(text: str) -> str:
    """A text as it can stand in the name of a file and in an address."""
    return re.sub(r"[^\w.-]+", "-", text).strip(".-") or "model"
