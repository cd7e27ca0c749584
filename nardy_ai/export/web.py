"""A model as a web bundle: a folder for any file server, with engine, net, interface and a page to play on.

The engine is the C core compiled to WebAssembly, which comes with the package (`web/bundle`); the net travels
as a net file, the rule profiles and expected answers as JSON, and `manifest.json` holds the checksum of every
file. The folder is the same, byte for byte, for the same model and package.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from nardy_ai.core import InputError
from nardy_ai.export.chosen_game import chosen_game
from nardy_ai.export.folder import check_folder, names_below, place_for, put_in_place, write_files
from nardy_ai.export.manifest import json_bytes as _json
from nardy_ai.export.manifest import listed, model_facts, sha256
from nardy_ai.export.net_file import net_file_bytes, rules_text
from nardy_ai.export.web_check import check_net
from nardy_ai.export.web_vectors import vectors
from nardy_ai.models.model_file import ModelFile, read_model
from nardy_ai.rules import Game
from nardy_ai.rules.profile_reader import profile_names

__all__ = ["FORMAT", "KIND", "WebExport", "bundle_files", "export_web"]

# Version of the folder's layout and manifest.
FORMAT: Final = 1
KIND: Final = "nardy-ai web bundle"
_ENGINES: Final = {"simd": "engine-simd.wasm", "plain": "engine.wasm"}
_NET: Final = "model.nardynet"
_PACKAGED: Final = Path(__file__).parent / "web" / "bundle"
# The page and its service worker carry the version of all files, so that a cache does not mix two exports.
_STAMPED: Final = ("index.html", "service_worker.js")
_STAMP: Final = b"@VERSION@"


@dataclass(frozen=True)
class WebExport:
    """What was written, and how it was checked."""

    path: Path
    files: int
    bytes: int
    boards: int
    """Boards on which the net of the bundle gives the bits of the model's."""
    vectors: dict[str, int]
    """How many expected answers of each kind the bundle holds."""


def export_web(model_path: Path, out: Path, profile: str | None = None) -> WebExport:
    """Writes the model of `model_path` to the folder `out` as a web bundle, whole or not at all.

    `profile` names the rules that count where a page names none, by default those it was trained under; all
    others are there as well. A folder that an earlier export wrote is replaced; one with anything else in it
    is refused. Raises `InputError` for a model file, profile or place that will not do, `ExportMismatch`
    where what was written is not what was meant, and `OSError` where the disk does not take it.
    """
    model = read_model(model_path)
    game = chosen_game(model, profile, str(model_path))
    digest = hashlib.sha256(model_path.read_bytes()).hexdigest()
    aside = place_for(out, KIND)
    files = bundle_files(model, game, digest)
    try:
        write_files(aside, files)
        check_folder(aside, files)
        boards = check_net((aside / _NET).read_bytes(), model)
        put_in_place(aside, out)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    expected = json.loads(files["vectors.json"])
    return WebExport(
        path=out,
        files=len(files),
        bytes=sum(map(len, files.values())),
        boards=boards,
        vectors={
            "boards": sum(len(part["positions"]) for part in expected["evaluations"]),
            "rolls": sum(len(part["rolls"]) for part in expected["rules"]),
            "best_plays": len(expected["best"]),
        },
    )


def bundle_files(model: ModelFile, game: Game, digest: str) -> dict[str, bytes]:
    """Every file of the bundle by name; `digest` is the SHA-256 of the model file."""
    from nardy_ai import __version__

    games = _games(game)
    files = _packaged()
    files[_NET] = net_file_bytes(model)
    files["profiles.json"] = _json([_profile(name, game) for name, game in games.items()])
    files["vectors.json"] = _json(vectors(model, games, game.name), indent=None)
    files["package.json"] = _json(
        {
            "name": "nardy-web-bundle",
            "version": __version__,
            "description": "A nardy bot with its engine, made by nardy-ai",
            "license": "MIT",
            "private": True,
            "type": "module",
            "main": "nardy.js",
            "types": "nardy.d.ts",
            "sideEffects": False,
        }
    )
    files["index.html"] = files["index.html"].replace(b"@PRELOADS@", _preloads(files))
    version = sha256(_json(listed(files)))
    for name in _STAMPED:
        files[name] = files[name].replace(_STAMP, version.encode())
    manifest = {
        "kind": KIND,
        "format": FORMAT,
        "version": version,
        "nardy_ai": __version__,
        "engines": _ENGINES,
        "net": _NET,
        "model": model_facts(model, game, digest),
        "files": listed(files),
    }
    return {**files, "manifest.json": _json(manifest)}


def _preloads(files: Mapping[str, bytes]) -> bytes:
    """Links to all modules that the page imports, so that a browser asks for them at once and not in turn."""
    elsewhere = ("service_worker.js", "worker.js")
    names = [name for name in sorted(files) if name.endswith(".js") and name not in elsewhere]
    return "\n".join(f'<link rel="modulepreload" href="{name}">' for name in names).encode()


def _packaged() -> dict[str, bytes]:
    """The files of the package, by their places in the folder."""
    files = {name: (_PACKAGED / name).read_bytes() for name in names_below(_PACKAGED)}
    missing = [name for name in _ENGINES.values() if name not in files]
    if missing:
        raise InputError(f"this installation lacks {missing[0]} in {_PACKAGED}; install nardy-ai again")
    return files


def _games(game: Game) -> dict[str, Game]:
    """The profiles of the package and, where it is a player's own, that of `game`."""
    return {**{name: Game(name) for name in profile_names()}, game.name: game}


def _profile(name: str, game: Game) -> dict[str, Any]:
    table = game.profile.table()
    return {
        "name": name,
        "title": table["title"],
        "title_ru": table["title_ru"],
        "source": table["source"],
        "source_ru": table["source_ru"],
        "packaged": name in profile_names(),
        "checkers": game.checkers,
        "options": rules_text(game.core_rules),
        "match": table["match"],
        "cube": table.get("cube"),
    }
