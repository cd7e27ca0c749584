"""`nardy export`: a model for other programs, as one file or as a folder."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from nardy_ai.commands.console import ended_tidily, print_json
from nardy_ai.core import InputError


@dataclass
class Command:
    """Write a model for other programs, checked before success is reported.

    onnx: input `board` int8 [n, 2, 26], player on roll in row 0, and `seat` uint8 [n] where the profile needs
    it; outputs `outcomes` float32 [n, k] and `equity` float32 [n]. The file names its game and outcomes.

    web: a folder with a page to play on, the engine in WebAssembly, the nets of one or several models, and an
    interface for JavaScript.

    c: a folder with the engine as C11 sources, the net, an example and a check that compile with one command.

    json: the encoding, the weights and 50 test vectors as data, for those who write their own evaluator.

    Example: nardy export runs/long-quick/model.safetensors --to onnx
    """

    models: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="MODEL [MODEL ...]")]
    """The model file; --to web takes several."""

    to: Literal["onnx", "web", "c", "json"] = "onnx"
    """The kind of export."""

    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """Where to write (web, c: a folder); by default beside the model, under its name."""

    game: Annotated[str | None, tyro.conf.arg(metavar="GAME", help_behavior_hint="")] = None
    """Profile that it is for; by default the one the model was trained under."""

    json: bool = False
    """One JSON object instead of text."""

    def run(self) -> int:
        """Exports and reports how it was checked."""
        from nardy_ai.export.mismatch import ExportMismatch
        from nardy_ai.rules.screen import folded

        self._check()
        kinds = {"onnx": self._onnx, "web": self._web, "c": self._c, "json": self._json}
        try:
            with ended_tidily():
                lines, report = kinds[self.to]()
        except ExportMismatch as mismatch:
            print(f"nardy: {mismatch}", file=sys.stderr)
            return 1
        if self.json:
            print_json(report)
        else:
            # A path that is told, and a command, are copied: they stay on one line.
            for line in lines:
                print(*([line] if line.startswith(("wrote ", "try it: ")) else folded([line])), sep="\n")
        return 0

    def _check(self) -> None:
        example = "name one such as runs/NAME/model.safetensors"
        if not self.models:
            raise InputError(f"there is no model to export; {example}")
        for model in self.models:
            if not model.name:
                raise InputError(f"{model} is no model file; {example}")
        if len(self.models) > 1 and self.to != "web":
            raise InputError(
                f"--to {self.to} takes one model, and here are {len(self.models)}; --to web takes several"
            )
        if len(self.models) > 1 and self.out is None:
            raise InputError(f"a bundle of {len(self.models)} models has no usual place; name one with --out")

    @property
    def model(self) -> Path:
        """The only model, of the kinds that take one."""
        return self.models[0]

    def _place(self, ending: str) -> Path:
        return self.out if self.out is not None else self.model.with_name(f"{self.model.stem}{ending}")

    def _web(self) -> tuple[list[str], dict[str, object]]:
        from nardy_ai.export.web import export_web

        done = export_web(self.models, self._place("-web"), self.game)
        nets = "the net" if len(done.models) == 1 else f"{len(done.models)} nets"
        lines = [
            f"wrote {done.path} ({done.files} files, {done.bytes / 1024:.0f} KB)",
            f"read back: every file, and {nets} to the bit on {done.boards} boards; pages test themselves "
            f"with {done.vectors['boards']} boards, {done.vectors['rolls']} rolls and "
            f"{done.vectors['best_plays']} best plays",
            f"try it: python -m http.server --bind localhost --directory {done.path}",
        ]
        return lines, {**asdict(done), "path": str(done.path)}

    def _onnx(self) -> tuple[list[str], dict[str, object]]:
        from nardy_ai.export.onnx_file import BATCHES, TOLERANCE, export_onnx

        done = export_onnx(self.model, self._place(".onnx"), self.game)
        classes = ", ".join(f"{count} {name}" for name, count in done.classes.items())
        lines = [
            f"wrote {done.path} ({done.bytes / 1024:.0f} KB)",
            f"checked on {done.boards} boards ({classes}) at batch {', '.join(map(str, BATCHES))}: largest "
            f"difference {done.against_torch:.1e} from PyTorch, {done.against_engine:.1e} from the engine "
            f"(at most {TOLERANCE:.0e})",
        ]
        report = {
            "path": str(done.path),
            "profile": done.profile,
            "bytes": done.bytes,
            "boards": done.boards,
            "boards_by_class": done.classes,
            "batches": list(BATCHES),
            "largest_difference": {"torch": done.against_torch, "engine": done.against_engine},
            "tolerance": TOLERANCE,
        }
        return lines, report

    def _c(self) -> tuple[list[str], dict[str, object]]:
        from nardy_ai.export.c_check import FLAGS
        from nardy_ai.export.c_library import export_c

        done = export_c(self.model, self._place("-c"), self.game)
        found = done.compiled
        checked = "not compiled: no C compiler was found here (cc, gcc, clang or $CC); `make test` does it"
        if found is not None:
            checked = (
                f"compiled by {found.compiler} and asked: {found.boards} boards to the bit by plain kernels, "
                f"within {found.largest_difference:.1e} by {found.kernels}; {found.rolls} rolls and "
                f"{found.best_plays} best plays as the package has them"
            )
        lines = [
            f"wrote {done.path} ({done.files} files, {done.bytes / 1024:.0f} KB) for {done.profile}",
            f"read back: every file, and the net to the bit on {done.boards} boards",
            checked,
            f"try it: cd {done.path} && cc {' '.join(FLAGS)} play.c src/*.c -lm -o play && ./play",
        ]
        return lines, {**asdict(done), "path": str(done.path)}

    def _json(self) -> tuple[list[str], dict[str, object]]:
        from nardy_ai.export.json_spec import TOLERANCE, export_json

        done = export_json(self.model, self._place(".json"), self.game)
        lines = [
            f"wrote {done.path} ({done.bytes / 1024:.0f} KB) for {done.profile}, with {done.vectors} vectors",
            f"read back and carried out without the engine on {done.boards} boards: largest difference "
            f"{done.largest_difference:.1e} (at most {TOLERANCE:.0e})",
        ]
        return lines, {**asdict(done), "path": str(done.path), "tolerance": TOLERANCE}
