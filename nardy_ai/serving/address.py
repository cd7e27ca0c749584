"""The address that a server listens at."""

from __future__ import annotations

import ipaddress
import re
import socket
from urllib.parse import urlsplit

from nardy_ai.core import InputError

BACKLOG = 1024
_USUAL_PORTS = {"http": 80, "https": 443}


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


def web_origin(text: str) -> str:
    """An origin as browsers name it: `https://example.org`, with its port where it is not the usual one.

    Or `*` for all of them, `null` for pages from files.

    Raises InputError for anything else, which no browser would ever send.
    """
    if text in ("*", "null"):
        return text
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        plain = host.encode("idna").decode() if host and ":" not in host else host
    except ValueError:
        parts, plain, port = urlsplit(""), "", None
    scheme = parts.scheme
    beside = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
    if scheme not in _USUAL_PORTS or not plain or beside or not re.fullmatch(r"[a-z0-9._:-]+", plain):
        raise InputError(
            f"{text!r} is no origin of a web page: give http or https, the host and its port, such as "
            "https://example.org, or *"
        )
    shown = f"[{plain}]" if ":" in plain else plain
    return f"{scheme}://{shown}" + ("" if port in (None, _USUAL_PORTS[scheme]) else f":{port}")


def is_local(host: str) -> bool:
    """Whether only programs of this machine reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
