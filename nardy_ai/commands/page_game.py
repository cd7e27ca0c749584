"""`nardy play --web`: the page of a web bundle, made for a model and opened in the browser."""

from __future__ import annotations

import socket
import tempfile
import webbrowser
from pathlib import Path
from typing import Final

from nardy_ai.core import InputError

__all__ = ["HOST", "USUAL_PORT", "page_model", "play_on_page"]

HOST = "localhost"
"""The page is for this machine alone; browsers trust `localhost` with all that the page needs."""

USUAL_PORT: Final = 8642
"""Browsers keep the game for an address, port included."""

_USUAL: Final = Path("checkpoints/long.safetensors")


def play_on_page(model: Path, port: int | None, *, open_browser: bool) -> None:
    """Serves the page with the bot of `model` until Ctrl-C, at the usual port or a free one if None.

    Raises InputError for a model that cannot be read and a port that cannot be used.
    """
    from nardy_ai.export.web import export_web
    from nardy_ai.serving.page_server import PageServer

    with tempfile.TemporaryDirectory(prefix="nardy-page-") as folder:
        place = Path(folder) / "page"
        export_web(model, place)
        with _listening(port) as listener, PageServer(listener, place) as server:
            address = f"http://{HOST}:{server.server_port}/"
            print(f"{model} plays at {address} (Ctrl-C ends)", flush=True)
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


def page_model(name: str | None) -> Path:
    """The model file that a bot's name means; None: the long nardy bot of the repository, where it is here.

    Raises InputError for a bot that no page can have.
    """
    path = _USUAL if name is None else Path(name)
    if not path.is_file():
        what = "there is none here" if name is None else f"{name} is none"
        raise InputError(f"a page plays with a model file, and {what}: name one, such as {_USUAL}")
    return path
