"""`nardy export`: a model for other programs, as one file or as a folder for web pages."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from nardy_ai.commands.console import print_json
from nardy_ai.core import InputError


@dataclass
class Command:
    """Write a model for other programs, checked before success is reported.

    ONNX: input `board` int8 [n, 2, 26], player on roll in row 0, and `seat` uint8 [n] where the profile needs
    it; outputs `outcomes` float32 [n, k] and `equity` float32 [n]. The file names its game and outcomes.

    Web: a folder with the engine in WebAssembly, the net, an interface for JavaScript and an example page.

    Example: nardy export runs/long-quick/model.safetensors --to onnx
    """

    model: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")]
    """The model file."""

    to: Literal["onnx", "web"] = "onnx"
    """The kind of export."""

    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """Where to write (for the web: a folder); by default beside the model, under its name."""

    json: bool = False
    """One JSON object instead of text."""

    def run(self) -> int:
        """Exports and reports how it was checked."""
        if not self.model.name:
            raise InputError(f"{self.model} is no model file; name one such as runs/NAME/model.safetensors")
        return self._web() if self.to == "web" else self._onnx()

    def _web(self) -> int:
        from nardy_ai.export.web import export_web
        from nardy_ai.export.web_check import WebMismatch

        out = self.out if self.out is not None else self.model.with_name(f"{self.model.stem}-web")
        try:
            done = export_web(self.model, out)
        except WebMismatch as mismatch:
            print(f"nardy: {mismatch}", file=sys.stderr)
            return 1
        if self.json:
            print_json({**asdict(done), "path": str(done.path)})
            return 0
        print(f"wrote {done.path} ({done.files} files, {done.bytes / 1024:.0f} KB)")
        print(
            f"read back: every file, and the net to the bit on {done.boards} boards; pages test themselves "
            f"with {done.vectors['boards']} boards, {done.vectors['rolls']} rolls and "
            f"{done.vectors['best_plays']} best plays"
        )
        print(f"try it: python -m http.server --bind localhost --directory {done.path}")
        return 0

    def _onnx(self) -> int:
        from nardy_ai.export.onnx_file import BATCHES, TOLERANCE, ExportMismatch, export_onnx

        out = self.out if self.out is not None else self.model.with_suffix(f".{self.to}")
        try:
            done = export_onnx(self.model, out)
        except ExportMismatch as mismatch:
            print(f"nardy: {mismatch}", file=sys.stderr)
            return 1
        if self.json:
            print_json(
                {
                    "path": str(done.path),
                    "bytes": done.bytes,
                    "boards": done.boards,
                    "boards_by_class": done.classes,
                    "batches": list(BATCHES),
                    "largest_difference": {"torch": done.against_torch, "engine": done.against_engine},
                    "tolerance": TOLERANCE,
                }
            )
            return 0
        classes = ", ".join(f"{count} {name}" for name, count in done.classes.items())
        print(f"wrote {done.path} ({done.bytes / 1024:.0f} KB)")
        print(
            f"checked on {done.boards} boards ({classes}) at batch {', '.join(map(str, BATCHES))}: largest "
            f"difference {done.against_torch:.1e} from PyTorch, {done.against_engine:.1e} from the engine "
            f"(at most {TOLERANCE:.0e})"
        )
        return 0
