"""A model as a folder of C sources: interface, engine, net, example, and expected answers to check it with.

Sources and no built libraries: they compile everywhere with one command, and the folder is the same, byte for
byte, for the same model and package on every machine. Where there is a compiler the folder is compiled and
asked before it counts as written.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from nardy_ai.core import InputError
from nardy_ai.export.c_check import Compiled, check_compiled, compiler
from nardy_ai.export.c_vectors import c_vectors
from nardy_ai.export.chosen_game import chosen_game
from nardy_ai.export.folder import check_folder, place_for, put_in_place, write_files
from nardy_ai.export.manifest import json_bytes, listed, model_facts
from nardy_ai.export.mismatch import ExportMismatch
from nardy_ai.export.net_file import net_file_bytes, rules_text
from nardy_ai.export.web_check import check_net
from nardy_ai.models.model_file import ModelFile, read_model
from nardy_ai.rules import Game

__all__ = ["FORMAT", "KIND", "CExport", "c_files", "export_c", "source_files"]

# Version of the folder's layout and manifest.
FORMAT: Final = 1
KIND: Final = "nardy-ai C library"
_NET: Final = "model.nardynet"
_PACKAGE: Final = Path(__file__).parents[1]
_TEXTS: Final = Path(__file__).parent / "c"


@dataclass(frozen=True)
class CExport:
    """What was written, and how it was checked."""

    path: Path
    profile: str
    files: int
    bytes: int
    boards: int
    """Boards on which the net read back gives the bits of the model's."""
    compiled: Compiled | None
    """What the compiled folder answered; None where this machine has no C compiler."""


def export_c(model_path: Path, out: Path, profile: str | None = None) -> CExport:
    """Writes the model of `model_path` to the folder `out` as C sources, whole or not at all.

    `profile` names the rules that it is for, by default those it was trained under. A folder that an earlier
    export wrote is replaced; one with anything else in it is refused. Raises `InputError` for a model file,
    profile or place that will not do, and `ExportMismatch` where what was written does not compile or answers
    otherwise than the package.
    """
    model = read_model(model_path)
    game = chosen_game(model, profile, str(model_path))
    digest = hashlib.sha256(model_path.read_bytes()).hexdigest()
    aside = place_for(out, KIND)
    files = c_files(model, game, digest)
    found = compiler()
    try:
        write_files(aside, files, out)
        check_folder(aside, files, "folder")
        boards = check_net((aside / _NET).read_bytes(), model)
        compiled = None
        if found is not None:
            with tempfile.TemporaryDirectory() as build:
                compiled = check_compiled(aside, Path(build), found)
            _demand_the_same_bits(compiled)
        put_in_place(aside, out)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return CExport(out, game.name, len(files), sum(map(len, files.values())), boards, compiled)


def _demand_the_same_bits(compiled: Compiled) -> None:
    if compiled.same_bits != compiled.boards:
        raise ExportMismatch(
            f"compiled by {compiled.compiler}, the plain kernels differ from the package's on "
            f"{compiled.boards - compiled.same_bits} of {compiled.boards} boards; nothing was written"
        )


def c_files(model: ModelFile, game: Game, digest: str) -> dict[str, bytes]:
    """Every file of the folder by name; `digest` is the SHA-256 of the model file."""
    from nardy_ai import __version__

    files = source_files()
    files[_NET] = net_file_bytes(model)
    files["rules.txt"] = rules_text(game.core_rules).encode()
    files["vectors.txt"] = c_vectors(model, game).encode()
    manifest: dict[str, Any] = {
        "kind": KIND,
        "format": FORMAT,
        "nardy_ai": __version__,
        "net": _NET,
        "rules": "rules.txt",
        "vectors": "vectors.txt",
        "model": model_facts(model, game, digest),
        "files": listed(files),
    }
    return {**files, "manifest.json": json_bytes(manifest)}


def source_files() -> dict[str, bytes]:
    """The files that are the same in every export: engine, interface, example, recipes, texts.

    In an installed package they lie beside this module, in a clone where the engine is developed.
    """
    packed = _TEXTS / "engine"
    core, library = (packed, packed) if packed.is_dir() else (_PACKAGE / "core", _PACKAGE.parent / "library")
    files = {path.name: path.read_bytes() for path in sorted(_TEXTS.iterdir()) if path.is_file()}
    sources = {
        path.name: path.read_bytes()
        for folder in (core, library)
        for path in sorted(folder.glob("*.[ch]"))
        if not path.stem.startswith(("binding", "arrays"))
    }
    header = sources.pop("nardy.h", None)
    if header is None or "plays.c" not in sources or "check.c" not in files:
        raise InputError(f"this installation lacks the engine's C sources ({packed}); install nardy-ai again")
    licence = packed / "LICENSE" if packed.is_dir() else _PACKAGE.parent / "LICENSE"
    files["LICENSE"] = licence.read_bytes()
    return {**files, "nardy.h": header, **{f"src/{name}": data for name, data in sources.items()}}
