"""`nardy doctor`: what is installed here, and what training would use."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from nardy_ai.commands.console import print_json
from nardy_ai.core.installing import TORCH, how_to_install, how_to_install_part
from nardy_ai.rules.screen import folded

# What each optional part is for, and the extra that brings it.
_OPTIONAL = (
    ("onnx", "export", "nardy export --to onnx"),
    ("onnxruntime", "export", "the check of an exported file"),
    ("matplotlib", "plots", "pictures of a run"),
    ("gymnasium", "envs", "the games as Gymnasium environments"),
    ("pettingzoo", "envs", "the games as PettingZoo environments"),
    ("nbclient", "notebooks", "running the notebooks"),
    ("ray", "ray", "workers on a cluster"),
    ("gnubg_nn", "peers", "matches against gnubg"),
    ("bgsage", "peers", "matches against Open Sage"),
)
_NEEDED = ("numpy", "msgspec", "safetensors", "tensorboard", "tomli-w", "torch", "tqdm", "tyro")


@dataclass
class Command:
    """Say what is installed, which device training uses and why, and how the engine was compiled.

    Exit code 0 when everything that training needs is there, else 1.

    Example: nardy doctor
    """

    json: bool = False
    """One JSON object instead of text."""

    def run(self) -> int:
        """Prints the report."""
        report = _report()
        if self.json:
            print_json(report)
        else:
            _print(report)
        return 0 if not report["faults"] else 1


def _report() -> dict[str, Any]:
    from nardy_ai import __version__
    from nardy_ai.bots import find_gnubg

    versions = {name: _version_of(name) for name in _NEEDED}
    faults = [
        f"{name} is missing: {how_to_install(TORCH if name == 'torch' else name)}"
        for name, found in versions.items()
        if found is None
    ]
    engine = _engine(faults)
    device, why = _device()
    return {
        "nardy_ai": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "executable": sys.executable,
        "versions": versions,
        "device": device,
        "device_reason": why,
        "cores": _cores(),
        "engine": engine,
        "programs": {"gnubg": find_gnubg()},
        "optional": {name: importlib.util.find_spec(name) is not None for name, _, _ in _OPTIONAL},
        "faults": faults,
    }


def _version_of(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _cores() -> int:
    """The cores that this process may use, which in a container can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _device() -> tuple[str, str]:
    """The device that `device = "auto"` takes, and why."""
    if importlib.util.find_spec("torch") is None:
        return "none", "PyTorch is not installed, so nothing can be trained here"
    from nardy_ai.training.learner import choose_device

    device = choose_device("auto")
    return device.name, device.reason


def _engine(faults: list[str]) -> dict[str, Any]:
    from nardy_ai import core

    rules = core.Rules({"family": "short"})
    if len(core.plays(rules, core.start_board(rules), 3, 1, 0, 0)[0]) != 16:
        faults.append("the engine counts the opening plays of 3-1 wrongly: reinstall nardy-ai")
    return {"kernels that this processor runs, fastest first": list(core.kernels())}


def _print(report: dict[str, Any]) -> None:
    print(f"nardy-ai  {report['nardy_ai']}")
    print(f"python    {report['python']} at {report['executable']}")
    print(f"platform  {report['platform']}, {report['cores']} cores for this process")
    print(f"device    {report['device']}: {report['device_reason']}")
    for name, value in report["engine"].items():
        shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        print(f"engine    {name}: {shown}")
    needed = ", ".join(f"{name} {found or 'MISSING'}" for name, found in report["versions"].items())
    told = [f"needed    {needed}"]
    for name, extra, purpose in _OPTIONAL:
        state = "found" if report["optional"][name] else f"not found ({how_to_install_part(extra)})"
        told.append(f"optional  {name}: {state}; for {purpose}")
    for name, place in report["programs"].items():
        state = f"found at {place}" if place else "not found (Debian package gnubg)"
        told.append(f"optional  {name}, the program: {state}; for matches against gnubg-program")
    told += [f"fault     {fault}" for fault in report["faults"]]
    print("\n".join(folded(told, " " * 10)))
    print("all that training needs is here" if not report["faults"] else "training will not work yet")
