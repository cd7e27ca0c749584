"""The application behind a socket, until a signal ends it."""

from __future__ import annotations

import logging
import socket
from types import FrameType

import uvicorn

from nardy_ai.serving.connection import connection_with
from nardy_ai.serving.http import Options, application
from nardy_ai.serving.served import Served


class _Server(uvicorn.Server):
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        # A stop that was asked for is no fault, so the signal is not raised again at the end.
        self._captured_signals.clear()


def serve_http(served: Served, options: Options, listener: socket.socket) -> None:
    """Answers until SIGINT or SIGTERM; requests that have begun are answered before it ends."""
    logging.basicConfig(format="nardy: %(message)s")
    built = application(served, options)
    limits = options.limits
    config = uvicorn.Config(
        built.app,
        http=connection_with(limits),
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=max(1, round(limits.patience)),
        timeout_graceful_shutdown=max(1, round(limits.seconds)),
    )
    try:
        _Server(config).run(sockets=[listener])
    finally:
        built.desk.close()
