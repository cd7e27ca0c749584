"""Whatever is wrong is told in one sentence with a 4xx, and is never answered by a play."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import httpx2
import pytest
from serving.asking import NewClient, sentence_of
from starlette.testclient import TestClient

from nardy_ai.serving.http import Options, application
from nardy_ai.serving.limits import Limits
from nardy_ai.serving.served import Served

JSON = {"content-type": "application/json"}
GOOD = {"position": "start", "dice": [3, 1], "profile": "short"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"dice": [3, 7]}, r"dice[1]: input should be less than or equal to 6"),
        ({"dice": [3]}, "dice: list should have at least 2 items"),
        ({"dice": [3, 1, 1]}, "dice: list should have at most 2 items"),
        ({"dice": [3, "1"]}, "dice[1]: input should be a valid integer"),
        ({"dice": [3, 1.5]}, "dice[1]"),
        ({"dice": [True, 1]}, "dice[0]"),
        ({"dice": None}, "dice"),
        ({"position": "4HPwATDgc/ABM"}, "4HPwATDgc/ABM"),
        ({"position": "4HPwATDgc/ABMA:2:0"}, "is no position key"),
        ({"position": "\n" * 50}, "position"),
        ({"position": "x" * 65}, "position: string should have at most 64 characters"),
        ({"position": 5}, "position: input should be a valid string"),
        ({"position": "\ud800"}, ""),
        ({"position": None}, "give one of position and board"),
        ({"board": [[0] * 26] * 2}, "give one of position and board"),
        ({"position": None, "board": [[1] + [0] * 25] * 2}, "short/standard"),
        ({"position": None, "board": [[15] + [0] * 25]}, "board: list should have at least 2 items"),
        ({"position": None, "board": [[16] + [0] * 25] * 2}, "board[0][0]: input should be less than"),
        ({"position": "start", "seat": 0}, "leave both out"),
        ({"profile": "long", "position": "4HPwATDgc/ABMA"}, "needs seat"),
        ({"profile": "shrot"}, "did you mean 'short'?"),
        ({"profile": "/etc/passwd.toml"}, "there is no profile"),
        ({"profile": "../../configs/long.toml"}, "there is no profile"),
        ({"profile": None}, "profile is needed"),
        ({"seat": 2}, "seat"),
        ({"turns": 4}, "turns"),
        ({"plies": 3}, "at most 2 plies ahead, not 3"),
        ({"plies": -1}, "plies: input should be greater than or equal to 0"),
        ({"most": 0}, "most: input should be greater than or equal to 1"),
        ({"plys": 1}, "plys: extra inputs are not permitted"),
    ],
)
def test_a_wrong_value_is_named(change: dict[str, Any], told: str, client: TestClient) -> None:
    body = json.dumps({**GOOD, **change}).encode()
    response = client.post("/rank", content=body, headers=JSON)
    assert response.status_code == 422
    assert told.lower() in sentence_of(response).lower()


def test_a_finished_game_has_no_plays(client: TestClient) -> None:
    over = {"board": [[15] + [0] * 25, [0] * 25 + [15]], "dice": [3, 1], "profile": "short"}
    assert "the game is over (lose_gammon" in sentence_of(client.post("/rank", json=over))


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        (b"", 422, "a JSON body is missing"),
        (b"{", 422, "the body is no JSON"),
        (b"[]", 422, "JSON object"),
        (b"null", 422, "JSON object"),
        (b"[" * 100_000, 400, ""),
        (b'{"dice": [' + b"1" * 5000 + b", 1]}", 400, ""),
        (b'{"dice": [NaN, Infinity]}', 422, "dice[0]"),
        (b"\xff\xfe{}", 422, "the body is no JSON"),
        (b'{"dice": "\xff\xfe"}', 400, ""),
        (b"\x00" * 1000, 422, "the body is no JSON"),
        (b'{"dice": [3, 1], "dice": [9, 9]}', 422, "dice[0]"),
    ],
)
def test_a_body_that_is_none_is_told(body: bytes, status: int, told: str, client: TestClient) -> None:
    response = client.post("/rank", content=body, headers=JSON)
    assert response.status_code == status
    assert told in sentence_of(response)


def test_a_body_that_is_not_sent_as_json_is_told(client: TestClient) -> None:
    response = client.post("/rank", content=json.dumps(GOOD))
    assert "content-type: application/json" in sentence_of(response)


def test_paths_and_methods_that_are_not_there(client: TestClient) -> None:
    assert client.get("/nothing").status_code == 404
    assert "GET /docs" in sentence_of(client.get("/nothing"))
    for method, path, allowed in (("GET", "/rank", "POST"), ("DELETE", "/move", "GET"), ("PUT", "/", "GET")):
        response = client.request(method, path)
        assert response.status_code == 405 and response.headers["allow"] == allowed
        assert sentence_of(response) == f"{path} does not take {method}"


def test_one_bad_request_of_a_batch_is_named(client: TestClient) -> None:
    asked = {"requests": [GOOD, GOOD, {**GOOD, "position": "nonsense"}]}
    assert sentence_of(client.post("/rank/batch", json=asked)).startswith("requests[2]: ")
    asked = {"requests": [GOOD, {**GOOD, "dice": [0, 1]}]}
    assert sentence_of(client.post("/rank/batch", json=asked)).startswith("requests[1].dice[0]: ")
    assert "requests" in sentence_of(client.post("/evaluate/batch", json={"requests": []}))


def test_a_batch_has_a_largest_size(new_client: NewClient) -> None:
    client = new_client(Options(limits=Limits(batch=3)))
    assert client.post("/rank/batch", json={"requests": [GOOD] * 3}).status_code == 200
    told = sentence_of(client.post("/rank/batch", json={"requests": [GOOD] * 4}))
    assert told == "there are 4 requests: send at most 3 at once"


def test_a_large_body_is_refused_while_it_comes(new_client: NewClient) -> None:
    client = new_client(Options(limits=Limits(body=1000)))
    sent = []

    def pieces():
        for _ in range(1000):
            sent.append(1)
            yield b" " * 100

    assert client.post("/rank", content=b" " * 1001, headers=JSON).status_code == 413
    response = client.post("/rank", content=pieces(), headers=JSON)
    assert response.status_code == 413
    assert sentence_of(response) == "the body is larger than 1000 bytes: send fewer positions at once"
    assert response.headers["connection"] == "close"
    fits = json.dumps(GOOD).encode()
    assert client.post("/rank", content=fits + b" " * (1000 - len(fits)), headers=JSON).status_code == 200


def test_too_many_requests_a_second_are_refused(new_client: NewClient) -> None:
    client = new_client(Options(limits=Limits(rate=2.0)))
    statuses = [client.get("/health").status_code for _ in range(4)]
    assert statuses == [200, 200, 429, 429]
    response = client.get("/health")
    assert "more than 2 requests a second" in sentence_of(response)
    assert response.headers["retry-after"] == "1"


def _spoiled(rng: random.Random) -> bytes:
    """A good body with one thing made wrong."""
    wrong: list[Any] = [None, -1, 7, 99, 2**70, 1.5, "", "x", [], {}, [1], "start\u0000", True]
    if rng.random() < 0.3:
        body = bytearray(json.dumps(GOOD).encode())
        # The first brace is gone, or a byte that no JSON has is there.
        place = rng.randrange(len(body))
        cut = rng.random() < 0.5
        return bytes(body[1 + place :] if cut else body[:place] + b"\x01" + body[place:])
    asked: dict[str, Any] = dict(GOOD)
    asked[rng.choice(["dice", "plies", "board", "seat", "more", "requests"])] = rng.choice(wrong[1:])
    asked["dice"] = asked["dice"] if asked["dice"] != GOOD["dice"] else rng.choice(wrong)
    return json.dumps(asked).encode()


def test_a_thousand_malformed_requests_get_one_sentence_each(served: Served) -> None:
    built, rng = application(served, Options()), random.Random(1)
    paths = ["/rank", "/evaluate/batch", "/rank/batch"]

    async def ask() -> None:
        transport = httpx2.ASGITransport(app=built.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://nardy") as client:
            for _ in range(1000):
                body = _spoiled(rng)
                response = await client.post(rng.choice(paths), content=body, headers=JSON)
                assert sentence_of(response), body

    asyncio.run(ask())
    built.desk.close()
