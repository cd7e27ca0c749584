"""The address that a server listens at."""

from __future__ import annotations

import ipaddress
import socket

from nardy_ai.core import InputError

BACKLOG = 1024


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes a free one.

    Raises InputError where the port is in use, not allowed or out of range, or the host is not ours.
    """
    if not 0 <= port <= 65535:
        raise InputError(f"there is no port {port}: give a number from 0 (any free one) to 65535")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        made = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"can't listen at {host} port {port} ({why}): give another port or host") from None
    # Only where the protocol is named does asyncio send what there is at once. Else the second part of an
    # answer waits until the other side confirms the first, some 40 milliseconds each time.
    return socket.socket(made.family, made.type, socket.IPPROTO_TCP, fileno=made.detach())


def shown_address(listener: socket.socket) -> str:
    """`127.0.0.1:8000`, as it stands in an address of the web."""
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_local(host: str) -> bool:
    """Whether only programs of this machine reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
