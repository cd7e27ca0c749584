"""The page of a web bundle handed out on this machine, by the standard library alone."""

from __future__ import annotations

import functools
import http.server
import io
import os
import socket
import urllib.parse
from pathlib import Path
from typing import BinaryIO, Final

from nardy_ai.serving.address import is_local

__all__ = ["PageServer"]

# Not every system knows these; browsers refuse modules and WebAssembly under another name.
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".nardynet": "application/octet-stream",
}


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Files of one folder, quietly; nothing is listed, and each file is asked for anew."""

    protocol_version = "HTTP/1.1"
    server_version = "nardy"
    timeout = 60
    # Head and file are sent one after the other: the second must not wait for the first to be confirmed.
    disable_nagle_algorithm = True

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        """The type of a file by its name."""
        return _TYPES.get(Path(path).suffix, "application/octet-stream")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Says nothing: the terminal is the player's."""

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Refuses what asks by a name that is not this machine's, and paths that no file can have."""
        try:
            host = urllib.parse.urlsplit(f"//{self.headers.get('Host', 'localhost')}")
            ours = is_local(host.hostname or "")
        except ValueError:
            ours = False
        if not ours:
            # Another site whose name was made to lead here (DNS rebinding).
            self.send_error(421, "This page is for this machine alone: open it as localhost")
            return None
        if not urllib.parse.unquote(self.path).isprintable():
            self.send_error(404)
            return None
        return super().send_head()

    def list_directory(self, path: object) -> None:
        """Refuses: there is one page here."""
        self.send_error(404)

    def end_headers(self) -> None:
        """Adds what keeps pages of other origins out, and caches from mixing two exports."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()


class PageServer(http.server.ThreadingHTTPServer):
    """Serves a folder at a socket that listens already (`nardy_ai.serving.address.listening`)."""

    daemon_threads = True

    def __init__(self, listener: socket.socket, folder: Path) -> None:
        super().__init__(
            listener.getsockname()[:2],
            functools.partial(_Handler, directory=str(folder)),
            bind_and_activate=False,
        )
        self.socket.close()
        self.socket = listener
        self.server_name, self.server_port = listener.getsockname()[:2]

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing of a browser that went away."""
