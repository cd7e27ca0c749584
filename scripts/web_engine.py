"""Compiles the engine of the web bundle, whose two modules lie in the repository.

    make web-engine        (or: python scripts/web_engine.py, with the extra `web` installed)

The C library (library/nardy.h) and the core files that it needs become engine-simd.wasm and engine.wasm, the
same for browsers without SIMD. `engine.json` beside them tells by which sources: a test compares it with the
tree, so that a change of the engine cannot leave pages with an old one.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "nardy_ai" / "export" / "web"
BUNDLE = WEB / "bundle"
RECORD = WEB / "engine.json"

CORE = [
    "bearoff", "bearoff_pairs", "cache", "correction", "encode", "encode_prospects", "encode_shape",
    "evaluate", "expectation", "game", "level", "net", "net_plain", "net_quant", "net_wasm", "net_wasm_plain",
    "outcome", "plays", "plays_tree", "position", "pruning", "random", "rules", "search",
]
LIBRARY = ["boards", "judging", "levels", "models", "net_file", "options", "tables"]
EXPORTED = [
    "malloc", "free", "nardy_free", "nardy_rules_create", "nardy_rules_destroy", "nardy_rules_use_seat",
    "nardy_rules_use_turns", "nardy_outcome_count", "nardy_outcome_name", "nardy_outcome_points",
    "nardy_start", "nardy_check", "nardy_result", "nardy_list_plays", "nardy_next", "nardy_dice",
    "nardy_model_read", "nardy_model_destroy", "nardy_model_kernels", "nardy_model_use_tables",
    "nardy_tables_create", "nardy_search_create", "nardy_search_destroy", "nardy_evaluate",
    "nardy_rank", "nardy_choose", "nardy_choose_at", "nardy_noise", "nardy_noise_key",
]
FLAGS = ["-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c11", "-O3", "-ffp-contract=off", "-s"]
FLAGS += ["-pedantic", "-Wall", "-Wextra", "-Werror"]
LINK = ["-Wl,--gc-sections", "-Wl,-z,stack-size=1048576", *(f"-Wl,--export={name}" for name in EXPORTED)]
VARIANTS = {"engine-simd.wasm": ["-msimd128"], "engine.wasm": []}


def compiled() -> list[Path]:
    """The C files of the engine."""
    return [
        *(ROOT / "nardy_ai" / "core" / f"{name}.c" for name in CORE),
        *(ROOT / "library" / f"{name}.c" for name in LIBRARY),
        WEB / "layout.c",
    ]


def sources() -> list[Path]:
    """Everything that the modules depend on: the C files, and the headers that they can include."""
    pattern = '#include "'
    found: dict[Path, None] = dict.fromkeys(compiled())
    waiting = list(found)
    while waiting:
        source = waiting.pop()
        for line in source.read_text(encoding="utf-8").splitlines():
            if line.startswith(pattern):
                name = line[len(pattern) :].partition('"')[0]
                places = (source.parent, ROOT / "library", ROOT / "nardy_ai" / "core")
                header = next(place / name for place in places if (place / name).exists())
                if header not in found:
                    found[header] = None
                    waiting.append(header)
    return sorted(found)


def digest() -> str:
    """SHA-256 of the sources and of how they are compiled; the ends of lines do not count."""
    total = hashlib.sha256(json.dumps([FLAGS, LINK, VARIANTS]).encode())
    for path in sources():
        text = path.read_text(encoding="utf-8")
        total.update(f"{path.relative_to(ROOT).as_posix()}\n{len(text)}\n{text}".encode())
    return total.hexdigest()


def build(out: Path) -> None:
    """Compiles both modules into the folder `out`."""
    for name, flags in VARIANTS.items():
        subprocess.run(
            [
                *(sys.executable, "-m", "ziglang", "cc"),
                *FLAGS,
                *flags,
                *("-I", str(ROOT / "library"), "-I", str(ROOT / "nardy_ai" / "core")),
                *map(str, compiled()),
                *LINK,
                *("-o", str(out / name)),
            ],
            check=True,
        )


def main() -> int:
    """Builds, replaces the modules of the repository and writes the record."""
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        for name in VARIANTS:
            (BUNDLE / name).write_bytes((Path(folder) / name).read_bytes())
            print(f"{name}: {(BUNDLE / name).stat().st_size:,} bytes")
    record = {
        "format": 1,
        "sources_sha256": digest(),
        "compiler": f"ziglang {metadata.version('ziglang')}",
        "modules": {name: hashlib.sha256((BUNDLE / name).read_bytes()).hexdigest() for name in VARIANTS},
    }
    RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
