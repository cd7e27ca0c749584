"""What stands before the application: limits on size, rate and time, and one sentence for what is refused."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections.abc import Collection, Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nardy_ai.serving.limits import Limits, RequestRate
from nardy_ai.serving.metrics import Metrics

LINGER_SECONDS = 2.0
"""For how long a body that is too large is read and dropped, so that its sender comes to read the answer."""

OUR_FAULT = "the server made a mistake, which is in its log"

log = logging.getLogger("nardy.serving")


class Refused(Exception):
    """A request that is answered by one sentence."""

    def __init__(
        self, status: int, message: str, headers: Mapping[str, str] | None = None, *, unread: bool = False
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
        self.unread = unread
        """Whether more of the body is to come."""


class _Gone(Exception):
    """The client has closed the connection."""


def message_body(message: str) -> bytes:
    """The body of every refusal. Letters beyond ASCII are escaped: a client may have sent half of one."""
    return json.dumps({"message": " ".join(message.split())}).encode()


class Guard:
    """Wraps an application.

    Args:
        app: it gets the body of a request in one piece.
        limits: what is granted.
        metrics: where requests are counted.
        paths: those that are counted by name.
    """

    def __init__(self, app: ASGIApp, limits: Limits, metrics: Metrics, paths: Collection[str]) -> None:
        self._app = app
        self._limits = limits
        self._metrics = metrics
        self._paths = frozenset(paths)
        self._rate = RequestRate(limits.rate) if limits.rate is not None else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        started = time.perf_counter()
        self._metrics.in_flight.inc()
        try:
            await self._answered(scope, receive, answer)
        except _Gone:
            answer.status = 499
        finally:
            self._metrics.in_flight.dec()
            path = scope["path"] if scope["path"] in self._paths else "other"
            self._metrics.answered(path, answer.status, time.perf_counter() - started)

    async def _answered(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        try:
            self._check_rate(scope)
            body = await self._body(scope, receive)
            await self._app(scope, _replayed(body, receive), answer.send)
        except Refused as refused:
            await _refuse(refused, receive, answer)
        except _Gone:
            raise
        except Exception:
            log.exception("a fault of the server at %s", scope["path"])
            if not answer.begun:
                await _refuse(Refused(500, OUR_FAULT), receive, answer)

    def _check_rate(self, scope: Scope) -> None:
        if self._rate is None:
            return
        client = scope.get("client")
        seconds = self._rate.wait(client[0] if client else "")
        if seconds > 0:
            raise Refused(
                429,
                f"this is more than {self._limits.rate:g} requests a second: wait {seconds:.3g} s",
                {"retry-after": str(math.ceil(seconds))},
            )

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        self._check_stated_length(scope)
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.patience):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise _Gone
                    body += message.get("body", b"")
                    more = bool(message.get("more_body", False))
                    if len(body) > self._limits.body:
                        raise self._too_large(unread=more)
                    if not more:
                        return bytes(body)
        except TimeoutError:
            raise Refused(
                408, f"the request did not arrive within {self._limits.patience:g} s"
            ) from None

    def _check_stated_length(self, scope: Scope) -> None:
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and (
                len(value) > 12 or int(value) > self._limits.body
            ):
                raise self._too_large(unread=True)

    def _too_large(self, *, unread: bool) -> Refused:
        message = f"the body is larger than {self._limits.body} bytes: send fewer positions at once"
        return Refused(413, message, unread=unread)


class _Answer:
    """What is sent back; it notes the status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 499
        self.begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.begun = message["status"], True
        await self._send(message)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body in one piece, and then whatever comes."""
    left = [body]

    async def again() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return again


async def _refuse(refused: Refused, receive: Receive, answer: _Answer) -> None:
    body = message_body(str(refused))
    headers = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "connection": "close",
        **refused.headers,
    }
    pairs = [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]
    await answer.send({"type": "http.response.start", "status": refused.status, "headers": pairs})
    await answer.send({"type": "http.response.body", "body": body, "more_body": refused.unread})
    if refused.unread:
        await _drop_the_rest(receive)
        await answer.send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drop_the_rest(receive: Receive) -> None:
    try:
        async with asyncio.timeout(LINGER_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return
    except TimeoutError:
        return
