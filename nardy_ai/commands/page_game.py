"""`nardy play --web`: the page of a web bundle, made for model files and opened in the browser."""

from __future__ import annotations

import socket
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from nardy_ai.core import InputError

__all__ = ["HOST", "USUAL_PORT", "page_models", "play_on_page"]

HOST = "localhost"
"""The page is for this machine alone; browsers trust `localhost` with all that the page needs."""

USUAL_PORT: Final = 8642
"""Browsers keep the game for an address, port included."""

_USUAL: Final = (Path("checkpoints/long-quick.safetensors"), Path("checkpoints/short-quick.safetensors"))


def play_on_page(models: Sequence[Path], port: int | None, *, open_browser: bool) -> None:
    """Serves the page with the bots of `models` until Ctrl-C, at the usual port or a free one if None.

    Raises InputError for a model that cannot be read and a port that cannot be used.
    """
    from nardy_ai.export.web import export_web
    from nardy_ai.serving.page_server import PageServer

    with tempfile.TemporaryDirectory(prefix="nardy-page-") as folder:
        place = Path(folder) / "page"
        export_web(models, place)
        with _listening(port) as listener, PageServer(listener, place) as server:
            address = f"http://{HOST}:{server.server_port}/"
            names = " and ".join(map(str, models))
            print(f"{names} {'plays' if len(models) == 1 else 'play'} at {address} (Ctrl-C ends)", flush=True)
            if open_browser and not webbrowser.open(address):
                print("no browser could be opened: open that address yourself", flush=True)
            try:
                server.serve_forever(poll_interval=0.2)
            except KeyboardInterrupt:
                print("\nended; the page keeps your game for the next time", flush=True)


def _listening(port: int | None) -> socket.socket:
    from nardy_ai.serving.address import listening

    if port is not None:
        return listening(HOST, port)
    try:
        return listening(HOST, USUAL_PORT)
    except InputError:
        return listening(HOST, 0)


def page_models(names: Sequence[str]) -> list[Path]:
    """The model files that bots' names mean; none: the quick bots of the repository, where they are here.

    Raises InputError for a bot that no page can have.
    """
    paths = [Path(name) for name in names] or [path for path in _USUAL if path.is_file()]
    wrong = next((str(path) for path in paths if not path.is_file()), None)
    if wrong is not None or not paths:
        what = "there is none here" if wrong is None else f"{wrong} is none"
        raise InputError(f"a page plays with model files, and {what}: name one, such as {_USUAL[0]}")
    return paths
