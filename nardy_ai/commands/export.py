"""`nardy export`: a model as one file for other programs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from nardy_ai.commands.console import print_json
from nardy_ai.core import InputError


@dataclass
class Command:
    """Write a model as one file for other programs, checked before success is reported.

    ONNX: input `board` int8 [n, 2, 26], player on roll in row 0, and `seat` uint8 [n] where the profile needs
    it; outputs `outcomes` float32 [n, k] and `equity` float32 [n]. The file names its game and outcomes.

    Example: nardy export runs/long-quick/model.safetensors --to onnx
    """

    model: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")]
    """The model file."""

    to: Literal["onnx"] = "onnx"
    """The kind of file."""

    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """Where to write; by default beside the model, under its name."""

    json: bool = False
    """One JSON object instead of text."""

    def run(self) -> int:
        """Exports and reports the largest differences."""
        from nardy_ai.export.onnx_file import BATCHES, TOLERANCE, ExportMismatch, export_onnx

        if not self.model.name:
            raise InputError(f"{self.model} is no model file; name one such as runs/NAME/model.safetensors")
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
