"""Models as a web bundle: a folder for any file server, with engine, nets, interface and a page to play on.

The engine is the C core compiled to WebAssembly, which comes with the package (`web/bundle`); each net
travels as a net file with its expected answers, the rule profiles as JSON, and `manifest.json` lists the
models and holds the checksum of every file. The folder is the same, byte for byte, for the same model files
and package.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from nardy_ai.core import InputError
from nardy_ai.export.folder import check_folder, names_below, place_for, put_in_place, write_files
from nardy_ai.export.manifest import json_bytes as _json
from nardy_ai.export.manifest import listed, model_facts, sha256
from nardy_ai.export.net_file import net_file_bytes, rules_text
from nardy_ai.export.web_check import check_net
from nardy_ai.export.web_models import WebModel, read_web_models
from nardy_ai.export.web_vectors import vectors
from nardy_ai.rules import Game
from nardy_ai.rules.profile_reader import profile_names

__all__ = ["FORMAT", "KIND", "WebExport", "bundle_files", "export_web"]

# Version of the folder's layout and manifest.
FORMAT: Final = 2
KIND: Final = "nardy-ai web bundle"
_ENGINES: Final = {"simd": "engine-simd.wasm", "plain": "engine.wasm"}
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
    """Boards on which each net of the bundle gives the bits of its model's."""
    vectors: dict[str, int]
    """How many expected answers of each kind the bundle holds, for all its models together."""
    models: tuple[str, ...]
    """Names of the models in the bundle, in the order given."""


def export_web(models: Path | Sequence[Path], out: Path, profile: str | None = None) -> WebExport:
    """Writes model files to the folder `out` as one web bundle, whole or not at all.

    The first model is the one that counts where a page names none. `profile` names the rules that count for
    the models of its game, by default those that each was trained under; all others are there as well. A
    folder that an earlier export wrote is replaced; one with anything else in it is refused. Raises
    `InputError` for model files, a profile or a place that will not do, `ExportMismatch` where what was
    written is not what was meant, and `OSError` where the disk does not take it.
    """
    chosen = read_web_models([models] if isinstance(models, Path) else models, profile)
    aside = place_for(out, KIND)
    files = bundle_files(chosen)
    try:
        write_files(aside, files, out)
        check_folder(aside, files)
        boards = [check_net((aside / each.net).read_bytes(), each.file) for each in chosen]
        put_in_place(aside, out)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    expected = [json.loads(files[each.vectors]) for each in chosen]
    return WebExport(
        path=out,
        files=len(files),
        bytes=sum(map(len, files.values())),
        boards=min(boards),
        vectors={
            "boards": sum(len(part["positions"]) for each in expected for part in each["evaluations"]),
            "rolls": sum(len(part["rolls"]) for each in expected for part in each["rules"]),
            "best_plays": sum(len(each["best"]) for each in expected),
        },
        models=tuple(each.name for each in chosen),
    )


def bundle_files(models: Sequence[WebModel]) -> dict[str, bytes]:
    """Every file of the bundle by name."""
    from nardy_ai import __version__

    games = _games([each.game for each in models])
    files = _packaged()
    for each in models:
        files[each.net] = net_file_bytes(each.file)
        files[each.vectors] = _json(vectors(each.file, games, each.game.name), indent=None)
    files["profiles.json"] = _json([_profile(name, game) for name, game in games.items()])
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
        "models": [
            {
                "name": each.name,
                "net": each.net,
                "vectors": each.vectors,
                "facts": model_facts(each.file, each.game, each.digest),
            }
            for each in models
        ],
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


def _games(used: Sequence[Game]) -> dict[str, Game]:
    """The profiles of the package and, where they are a player's own, those of `used`."""
    games = {name: Game(name) for name in profile_names()}
    for game in used:
        same = games.setdefault(game.name, game)
        if same.profile.table() != game.profile.table():
            raise InputError(
                f"two different profiles are named {game.name}; give one of them another name, or export "
                "their models to folders of their own"
            )
        games[game.name] = game
    return games


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
