"""`nardy serve`: models that other programs ask."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nardy_ai.core import InputError

if TYPE_CHECKING:
    from nardy_ai.serving.limits import Limits
    from nardy_ai.serving.served import Served

PUBLIC_RATE = 50.0
"""Requests a second of one client where other machines reach the server and no rate is given."""


@dataclass
class Command:
    """Answer other programs over HTTP, or GNU Backgammon with --gnubg, until Ctrl-C.

    One model a game. The page at / tells what can be asked. docs/serving.md tells more.

    Example: nardy serve runs/short-quick/model.safetensors --port 8000
    """

    models: Annotated[
        list[Path], tyro.conf.Positional, tyro.conf.arg(metavar="MODEL [MODEL ...]", help_behavior_hint="")
    ]
    """Model files."""

    host: Annotated[str, tyro.conf.arg(metavar="ADDRESS")] = "127.0.0.1"
    """Where to listen; 0.0.0.0 lets other machines ask."""

    port: Annotated[int, tyro.conf.arg(metavar="N")] = 8000
    """Port for HTTP; 0 takes a free one."""

    gnubg: Annotated[int | None, tyro.conf.arg(metavar="PORT", help_behavior_hint="")] = None
    """Be an external player of GNU Backgammon at this port instead."""

    level: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """With --gnubg: how well it plays, 1 to 10; an HTTP request names its own."""

    plies: Annotated[int, tyro.conf.arg(metavar="N")] = 0
    """Look-ahead where a request names none."""

    most_plies: Annotated[int, tyro.conf.arg(metavar="N")] = 2
    """Look-ahead that a request may ask for, up to 3."""

    threads: Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")] = None
    """Threads that judge; by default one a core."""

    rate: Annotated[float | None, tyro.conf.arg(metavar="X", help_behavior_hint="")] = None
    """Requests a second of one client; by default 50, and any number on this machine alone."""

    batch: Annotated[int, tyro.conf.arg(metavar="N")] = 1000
    """Positions of one request."""

    body: Annotated[int, tyro.conf.arg(metavar="BYTES")] = 1 << 20
    """Size of one request."""

    seconds: Annotated[float, tyro.conf.arg(metavar="X")] = 10.0
    """Time for the work of one request, and for a client to send it."""

    origin: Annotated[str | None, tyro.conf.arg(metavar="URL", help_behavior_hint="")] = None
    """Web page that may ask from a browser, such as https://example.org, or *."""

    def run(self) -> int:
        """Serves; 0 once it was told to stop."""
        from nardy_ai.bots import load
        from nardy_ai.serving.served import Served

        limits = self._limits()
        if self.level is not None and self.gnubg is None:
            raise InputError("--level goes with --gnubg; over HTTP every request names its own level")
        served = Served([load(path) for path in self.models])
        if self.gnubg is not None:
            return self._serve_gnubg(served, self.gnubg)
        return self._serve_http(served, limits)

    def _serve_http(self, served: Served, limits: Limits) -> int:
        from nardy_ai.serving.address import listening, shown_address, web_origin
        from nardy_ai.serving.http import Options
        from nardy_ai.serving.http_server import serve_http

        origins = (web_origin(self.origin),) if self.origin is not None else ()
        options = Options(self.plies, self._threads(), origins, limits)
        with listening(self.host, self.port) as listener:
            served.warm()
            self._say(f"{_named(served)} at http://{shown_address(listener)}")
            serve_http(served, options, listener)
        return 0

    def _serve_gnubg(self, served: Served, port: int) -> int:
        from nardy_ai.serving.address import listening, shown_address
        from nardy_ai.serving.gnubg import GnubgPlayer, serve_gnubg

        player = GnubgPlayer(served, self.plies, self.seconds, level=self.level)
        with listening(self.host, port) as listener:
            player.warm()
            address = shown_address(listener)
            self._say(f"in GNU Backgammon: set player 0 external {address}")
            serve_gnubg(player, listener, self._threads())
        return 0

    def _limits(self) -> Limits:
        from nardy_ai.serving.address import is_local
        from nardy_ai.serving.limits import Limits

        rate = PUBLIC_RATE if self.rate is None and not is_local(self.host) else self.rate
        return Limits(
            body=self.body,
            batch=self.batch,
            plies=self.most_plies,
            rate=rate,
            seconds=self.seconds,
            patience=self.seconds,
        )

    def _threads(self) -> int:
        threads = os.cpu_count() or 1 if self.threads is None else self.threads
        if not 1 <= threads <= 1024:
            raise InputError(f"threads cannot be {threads}: give a number from 1 to 1024")
        return threads

    @staticmethod
    def _say(sentence: str) -> None:
        print(f"{sentence} (Ctrl-C stops)", flush=True)


def _named(served: Served) -> str:
    return ", ".join(f"{bot.name} ({bot.game.name})" for bot in served.bots)
