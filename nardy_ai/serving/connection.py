"""Connections with limits before there is a request: on time, on the size of its head, on their number."""

from __future__ import annotations

import asyncio
import http
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from nardy_ai.serving.guard import message_body
from nardy_ai.serving.limits import Limits

MOST_HEAD = 16 * 1024
"""Bytes of a request's first line and headers."""


class LimitedConnection(HttpToolsProtocol):
    """uvicorn's connection, which by itself waits for a request as long as its client likes."""

    limits = Limits()

    def __init__(self, *words: Any, **named: Any) -> None:
        super().__init__(*words, **named)
        self._head_timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._refuse(503, f"{self.limits.connections} connections are open already: ask again later")
        else:
            self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Some of a request, of its body, or of the next one."""
        if self._refused:
            return
        cycle: RequestResponseCycle | None = self.cycle
        if self._head_timer is None and (cycle is None or cycle.response_complete):
            self._expect_head()
        self._head_bytes += len(data)
        super().data_received(data)
        if self._head_timer is not None and self._head_bytes > MOST_HEAD:
            self._refuse(431, f"the request's head is longer than {MOST_HEAD} bytes")

    def on_headers_complete(self) -> None:
        """The head is there; its body is the guard's business."""
        self._stop_timer()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._stop_timer()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What is sent where the bytes are no HTTP."""
        self._refuse(400, "this is no HTTP request")

    def _expect_head(self) -> None:
        self._head_bytes = 0
        self._head_timer = self.loop.call_later(self.limits.patience, self._too_slow)

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _too_slow(self) -> None:
        self._head_timer = None
        self._refuse(408, f"no request came within {self.limits.patience:g} s")

    def _refuse(self, status: int, message: str) -> None:
        self._refused = True
        self._stop_timer()
        if self.transport.is_closing():
            return
        body = message_body(message)
        head = (
            f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()


def connection_with(limits: Limits) -> type[asyncio.Protocol]:
    """The kind of connection with these limits."""
    return type("LimitedConnection", (LimitedConnection,), {"limits": limits})
