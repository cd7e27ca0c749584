"""What the tests of serving share beside fixtures."""

from __future__ import annotations

from collections.abc import Callable

import httpx2
from starlette.testclient import TestClient

NewClient = Callable[..., TestClient]


def sentence_of(response: httpx2.Response) -> str:
    """The one sentence of a refusal; fails for anything else."""
    assert 400 <= response.status_code < 500, f"{response.status_code} {response.text[:200]}"
    assert response.headers["content-type"] == "application/json"
    found = response.json()
    assert list(found) == ["message"]
    message = found["message"]
    assert isinstance(message, str) and message and "\n" not in message and len(message) < 600
    assert "Traceback" not in message
    return message
