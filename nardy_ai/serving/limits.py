"""What a server grants its clients."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from nardy_ai.core import MAX_PLIES, InputError

MOST_CLIENTS = 10_000
"""Clients whose requests are counted; the one that was silent longest is forgotten first."""


@dataclass(frozen=True)
class Limits:
    """Sizes, times and numbers. Raises InputError where one is out of range."""

    body: int = 1 << 20
    """Bytes of a request's body."""
    batch: int = 1000
    """Positions of one request."""
    plies: int = 2
    """Look-ahead that a request may ask for."""
    rate: float | None = None
    """Requests a second of one client, as many at once; None: no limit."""
    seconds: float = 10.0
    """For the work of one request, waiting included."""
    patience: float = 10.0
    """Seconds for a client to send a request, and to send the next one on an open connection."""
    connections: int = 1000
    """Open connections."""
    waiting: int = 256
    """Requests that may wait for a thread."""

    def __post_init__(self) -> None:
        for name in ("body", "batch", "connections", "waiting"):
            if not 1 <= getattr(self, name) <= 2**30:
                raise InputError(f"{name} cannot be {getattr(self, name)}: give a whole number from 1 on")
        for name in ("seconds", "patience", "rate"):
            value = getattr(self, name)
            if value is not None and not (0 < value <= 1e6 and math.isfinite(value)):
                raise InputError(f"{name} cannot be {value}: give a number above 0")
        if not 0 <= self.plies <= MAX_PLIES:
            raise InputError(f"most plies cannot be {self.plies}: give a whole number from 0 to {MAX_PLIES}")


class RequestRate:
    """Counts the requests of each client: `rate` a second, and as many in one go (at least one)."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._most = max(1.0, rate)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str) -> float:
        """0 where a request of this client may go on, and is counted; else seconds until one may."""
        client = _network(address)
        now = self._clock()
        left, since = self._left.pop(client, (self._most, now))
        left = min(self._most, left + (now - since) * self._rate)
        allowed = left >= 1.0
        self._left[client] = (left - 1.0 if allowed else left, now)
        if len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1.0 - left) / self._rate


def _network(address: str) -> str:
    """One client: an IPv4 address, or the 64 bits of an IPv6 address that a provider hands out together."""
    if ":" not in address:
        return address
    try:
        return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False))
    except ValueError:
        return address
