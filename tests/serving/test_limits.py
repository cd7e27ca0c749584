"""Limits on rate, time and waiting work, with a clock of their own where there is one."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from typing import Any

import pytest
from serving.asking import NewClient

import nardy_ai as nardy
from nardy_ai.serving import limits as limits_module
from nardy_ai.serving.address import is_local, listening, shown_address
from nardy_ai.serving.desk import Busy, Desk, Stop, TooLong
from nardy_ai.serving.guard import LINGER_SECONDS, Guard
from nardy_ai.serving.http import Options
from nardy_ai.serving.limits import Limits, RequestRate
from nardy_ai.serving.metrics import Metrics
from nardy_ai.serving.served import Served


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_client_has_its_rate_and_as_many_at_once() -> None:
    clock = Clock()
    rate = RequestRate(4.0, clock)
    assert [rate.wait("1.1.1.1") for _ in range(4)] == [0.0] * 4
    assert rate.wait("1.1.1.1") == pytest.approx(0.25)
    assert rate.wait("2.2.2.2") == 0.0
    clock.now += 0.25
    assert rate.wait("1.1.1.1") == 0.0
    assert rate.wait("1.1.1.1") > 0
    clock.now += 1000
    assert [rate.wait("1.1.1.1") > 0 for _ in range(5)] == [False] * 4 + [True]


def test_less_than_one_a_second_is_a_rate_too() -> None:
    clock = Clock()
    rate = RequestRate(0.1, clock)
    assert rate.wait("a") == 0.0
    assert rate.wait("a") == pytest.approx(10.0)


def test_addresses_of_one_ipv6_network_are_one_client() -> None:
    rate = RequestRate(1.0, Clock())
    assert rate.wait("2001:db8::1") == 0.0
    assert rate.wait("2001:db8::ffff:2") > 0
    assert rate.wait("2001:db8:0:1::1") == 0.0
    assert rate.wait("not:an:address") == 0.0


def test_only_so_many_clients_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits_module, "MOST_CLIENTS", 3)
    rate = RequestRate(1.0, Clock())
    for client in "abcd":
        assert rate.wait(client) == 0.0
    assert rate.wait("d") > 0
    assert rate.wait("a") == 0.0


def test_work_that_takes_too_long_is_told_to_stop() -> None:
    desk, seen = Desk(1, 1, 0.05), threading.Event()

    def work(stop: Stop) -> None:
        while True:
            try:
                stop.check()
            except TooLong:
                seen.set()
                raise
            time.sleep(0.005)

    with pytest.raises(TooLong):
        asyncio.run(desk.run(work))
    assert seen.wait(20)
    desk.close()


def test_more_than_may_wait_is_refused() -> None:
    desk, go = Desk(1, 1, 20.0), threading.Event()

    async def three() -> list[Any]:
        asked = [asyncio.create_task(desk.run(lambda _: go.wait(20))) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await desk.run(lambda _: None)
        go.set()
        done = await asyncio.gather(*asked)
        return [*done, await desk.run(lambda _: "again")]

    assert asyncio.run(three()) == [True, True, "again"]
    desk.close()


def test_a_desk_that_is_full_or_slow_is_told_as_503(
    new_client: NewClient, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = new_client(Options(limits=Limits(seconds=0.05)))
    asked = {"position": "start", "dice": [3, 1], "profile": "short"}
    wait = threading.Event()
    monkeypatch.setattr(served, "rank", lambda *_, **__: wait.wait(20))
    response = client.post("/rank", json=asked)
    wait.set()
    assert response.status_code == 503
    assert response.json() == {"message": "this was not done in time: ask for fewer positions or plies"}


def test_a_fault_of_ours_is_one_sentence_and_in_the_log(
    new_client: NewClient, served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret")

    client = new_client()
    monkeypatch.setattr(served, "evaluate", broken)
    response = client.post("/evaluate", json={"position": "start", "profile": "short"})
    assert response.status_code == 500
    assert list(response.json()) == ["message"] and "secret" not in response.text
    assert "secret" in caplog.text


def _guarded(limits: Limits, messages: list[Any], pause: float = 0.0) -> list[Any]:
    """What a guard sends where a client sends these messages, and then nothing more."""
    sent: list[Any] = []

    async def receive() -> Any:
        await asyncio.sleep(pause if messages else 30)
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("the request came through")

    scope = {"type": "http", "path": "/rank", "headers": [], "client": ("1.1.1.1", 1)}
    asyncio.run(Guard(app, limits, Metrics(), ["/rank"])(scope, receive, send))
    return sent


def test_a_body_that_comes_slowly_is_given_up() -> None:
    piece = {"type": "http.request", "body": b"x", "more_body": True}
    sent = _guarded(Limits(patience=0.1), [piece] * 100, pause=0.01)
    assert sent[0]["status"] == 408
    assert b"did not arrive within 0.1 s" in sent[1]["body"]


def test_a_large_body_that_has_come_whole_is_refused_at_once() -> None:
    whole = {"type": "http.request", "body": b"x" * 11, "more_body": False}
    started = time.monotonic()
    sent = _guarded(Limits(body=10), [whole])
    assert sent[0]["status"] == 413 and len(sent) == 2
    assert time.monotonic() - started < LINGER_SECONDS


def test_a_client_that_goes_is_not_answered() -> None:
    assert _guarded(Limits(), [{"type": "http.disconnect"}]) == []


def test_an_answer_in_two_parts_is_not_held_back() -> None:
    """Where each part waits to be confirmed, a connection has 20 answers a second and the server sleeps."""

    async def at_once() -> bool:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            found.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listener = listening("127.0.0.1", 0)
        async with await asyncio.start_server(answer, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            writer.close()
            return bool(await asyncio.wait_for(found, 10))

    assert asyncio.run(at_once())


def test_a_port_in_use_is_told() -> None:
    with listening("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert shown_address(first) == f"127.0.0.1:{port}"
        with pytest.raises(nardy.InputError, match=f"can't listen at 127.0.0.1 port {port}"):
            listening("127.0.0.1", port)
    for host in ("203.0.113.1", "x" * 300):
        with pytest.raises(nardy.InputError, match="port 0"):
            listening(host, 0)
    with pytest.raises(nardy.InputError, match="there is no port 70000"):
        listening("127.0.0.1", 70000)


def test_which_addresses_are_of_this_machine_alone() -> None:
    assert all(map(is_local, ("127.0.0.1", "127.0.0.9", "::1", "localhost")))
    assert not any(map(is_local, ("0.0.0.0", "::", "192.168.1.2", "example.org")))
