"""From nothing to a trained, measured and exported bot: what `make train` runs.

    python scripts/first_bot.py [CONFIG]      configs/long-quick.toml by default

It gives the commands that you could type yourself, one after the other, and shows each before it runs.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from nardy_ai.commands import main as nardy
from nardy_ai.models.model_file import Strength, read_model
from nardy_ai.training.run_folder import fresh_name


def run(*words: str) -> None:
    """Runs one command as if it had been typed; leaves with its exit code where it fails."""
    print(f"\n$ nardy {' '.join(words)}", flush=True)
    code = nardy(words)
    if code != 0:
        raise SystemExit(code)


def line_of(strength: Strength) -> str:
    """One measured strength, with what it was measured by."""
    return (
        f"  against {strength.opponent:<8} {strength.ppg:+.3f} points a game "
        f"[{strength.low:+.3f}, {strength.high:+.3f}], {100 * strength.wins:.1f} % won "
        f"({strength.pairs} pairs, seed {strength.seed})"
    )


def main() -> None:
    """Trains, exports, and says what there is now."""
    config = Path(sys.argv[1] if len(sys.argv) > 1 else "configs/long-quick.toml")
    started = time.perf_counter()
    folder = fresh_name(Path("runs"), config.stem)
    run("train", str(config), "--run", str(folder))
    trained = time.perf_counter()
    model = folder / "model.safetensors"
    run("export", str(model), "--to", "onnx")
    found = read_model(model)
    programs = Path(os.path.relpath(Path(sys.executable).parent))
    print(
        f"\n{found.profile}, net {found.shape}, {found.provenance['games']:,} games: trained and measured in "
        f"{trained - started:.0f} s"
    )
    for strength in found.strength:
        print(line_of(strength))
    print(
        f"""
the model               {model}
for other programs      {model.with_suffix(".onnx")}
its curves              {programs / "tensorboard"} --logdir runs
play against it         {programs / "nardy"} play {model}
all commands            {programs / "nardy"} --help"""
    )


if __name__ == "__main__":
    main()
