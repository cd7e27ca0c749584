"""A player for GNU Backgammon: over its protocol, and with the program itself."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gnubg_program import run_gnubg
from serving.gnubg_lines import DOUBLED, OPENING

import nardy_ai as nardy
from nardy_ai.bots import NetBot
from nardy_ai.serving.address import listening, shown_address
from nardy_ai.serving.gnubg import MOST_CONNECTIONS, GnubgPlayer, GnubgServer
from nardy_ai.serving.gnubg_line import read_question
from nardy_ai.serving.served import Served


class Recorded(GnubgPlayer):
    """Keeps what was asked and answered; waits before an answer where it is told to."""

    def __init__(self, served: Served) -> None:
        super().__init__(served, patience=0.5)
        self.said: list[tuple[str, str]] = []
        self.go = threading.Event()
        self.go.set()

    def answer(self, line: str) -> str:
        assert self.go.wait(20)
        self.said.append((line, super().answer(line)))
        return self.said[-1][1]


class Running:
    """A server in a thread of its own."""

    def __init__(self, player: GnubgPlayer) -> None:
        self._listener = listening("127.0.0.1", 0)
        self.address = shown_address(self._listener)
        self.port = self._listener.getsockname()[1]
        self._player = player
        self._up = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        assert self._up.wait(20)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._up.set()
        await GnubgServer(self._player).run(self._listener, self._stop)

    def ask_to_stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)

    def close(self) -> None:
        if self._thread.is_alive():
            self.ask_to_stop()
        self._thread.join(20)
        assert not self._thread.is_alive()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)


@pytest.fixture(scope="module")
def player(short_bot: NetBot, long_bot: NetBot) -> Recorded:
    return Recorded(Served([long_bot, short_bot]))


@pytest.fixture(scope="module")
def server(player: Recorded) -> Iterator[Running]:
    running = Running(player)
    yield running
    running.close()


def everything(connection: socket.socket) -> bytes:
    """What comes until the other side closes."""
    found = b""
    while data := connection.recv(4096):
        found += data
    return found


def test_it_answers_one_question_after_the_other(server: Running, short_bot: NetBot) -> None:
    best = short_bot.rank(nardy.Game("short").start(), (4, 2))[0].play
    with server.connect() as connection, connection.makefile("rb") as answers:
        for _ in range(3):
            connection.sendall(OPENING.encode() + b"\n\0")
            moves = [tuple(map(int, move.split(b"/"))) for move in answers.readline().split()]
            assert moves == list(best.steps)
        connection.sendall(DOUBLED.encode() + b"\n")
        connection.sendall(b"\0")
        assert answers.readline() in (b"take\n", b"drop\n")
        connection.sendall(b"exit\n")
        assert answers.read() == b""


def test_it_decides_as_the_cube_says(player: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    before_the_throw = OPENING.replace(":4:2:4:2:", ":0:0:0:0:")
    for win, wanted in ((0.9, ["drop", "double"]), (0.3, ["take", "roll"])):
        outcomes = {"win": win, "lose": 1 - win}
        found = nardy.bots.net_bot.Evaluation(outcomes, 2 * win - 1)
        monkeypatch.setattr(player._served, "evaluate", lambda *_, found=found: found)
        assert [player.answer(DOUBLED), player.answer(before_the_throw)] == wanted


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b"hello\n", b"Error: this is no line of a board: 'hello'\n"),
        (OPENING[:70].encode() + b"\n", b"Error: a board has 53 fields"),
        (OPENING.encode() + b"\n" + OPENING.encode() + b"\n", b"Error: a second question came before"),
        (OPENING.encode() + b"\n\0boa", b"Error: a second question came before"),
        (b"x" * 5000, b"Error: a line has at most 1024 bytes\n"),
        (b"\xff\xfe\x01" * 20 + b"\n", b"Error: this is no line of a board"),
        (OPENING[:70].encode(), b"Error: the line did not end within 0.5 s\n"),
    ],
)
def test_what_is_no_question_gets_an_error_and_no_play(sent: bytes, told: bytes, server: Running) -> None:
    with server.connect() as connection:
        connection.sendall(sent)
        found = everything(connection)
    assert found.startswith(told) and found.count(b"\n") == 1


def test_a_second_question_during_the_first_gets_an_error(server: Running, player: Recorded) -> None:
    player.go.clear()
    with server.connect() as connection:
        connection.sendall(OPENING.encode() + b"\n\0")
        threading.Timer(0.2, lambda: connection.sendall(OPENING.encode() + b"\n\0")).start()
        threading.Timer(0.4, player.go.set).start()
        assert everything(connection).startswith(b"Error: a second question")


def test_one_that_goes_in_the_middle_is_forgotten(server: Running, player: Recorded) -> None:
    with server.connect() as connection:
        connection.sendall(OPENING[:70].encode())
    with server.connect() as connection:
        connection.sendall(OPENING[:70].encode())
        connection.shutdown(socket.SHUT_WR)
        assert everything(connection) == b"Error: the line stops in the middle\n"
    test_it_answers_still(server)


def test_it_answers_still(server: Running) -> None:
    with server.connect() as connection:
        connection.sendall(OPENING.encode() + b"\n\0")
        connection.shutdown(socket.SHUT_WR)
        assert b"/" in everything(connection)


def test_more_connections_than_it_has_are_told(server: Running) -> None:
    waiting = [server.connect() for _ in range(MOST_CONNECTIONS)]
    with server.connect() as one_more:
        assert everything(one_more) == b"Error: there are 64 connections already\n"
    for connection in waiting:
        connection.close()


def test_a_stop_lets_a_decision_be_sent(player: Recorded) -> None:
    running = Running(player)
    player.go.clear()
    with running.connect() as connection:
        connection.sendall(OPENING.encode() + b"\n\0")
        threading.Timer(0.2, running.ask_to_stop).start()
        threading.Timer(0.4, player.go.set).start()
        assert b"/" in everything(connection)
    running.close()


def test_it_plays_at_a_level(served: Served, short_bot: NetBot) -> None:
    question = read_question(OPENING)
    assert question.dice is not None
    chosen = []
    for level in range(1, 11):
        answer = GnubgPlayer(served, level=level).answer(OPENING)
        play = short_bot.at_level(level).choose(question.position, question.dice)
        assert [tuple(map(int, move.split("/"))) for move in answer.split()] == list(play.steps)
        chosen.append(answer)
    assert len(set(chosen)) > 1
    with pytest.raises(nardy.InputError, match="level cannot be 11"):
        GnubgPlayer(served, level=11)
    with pytest.raises(nardy.InputError, match="give level or plies, not both"):
        GnubgPlayer(served, 1, level=3)


def test_a_model_of_long_nardy_is_refused(long_bot: NetBot) -> None:
    with pytest.raises(nardy.InputError, match=r"GNU Backgammon plays short nardy, and .* plays long nardy"):
        GnubgPlayer(Served([long_bot]))


SESSION = """
for command in (
    "set automatic game off", "set automatic roll on", "set automatic move on", "set automatic bearoff on",
    "set seed 5", "set player 1 gnubg", "set player 1 chequerplay evaluation plies 0",
    "set player 1 cubedecision evaluation plies 0", "set player 0 external {address}", "new match 5",
    "new game", "new session", "new game",
):
    gnubg.command(command)
answer([game["info"]["winner"] for game in gnubg.match(0, 0, 0, 0)["games"]])
answer(gnubg.match(0, 0, 0, 0)["match-info"]["match-length"])
"""


def test_gnubg_plays_whole_games_against_it(server: Running, player: Recorded, tmp_path: Path) -> None:
    player.said.clear()
    winners, length = run_gnubg(SESSION.format(address=server.address), tmp_path)
    assert length == 0 and len(winners) == 2 and set(winners) <= {"X", "O"}
    answers = [_checked(line, answer) for line, answer in player.said]
    assert answers.count("play") > 50 and len(set(answers)) > 1


def _checked(line: str, answer: str) -> Any:
    """The kind of an answer; a play must be legal."""
    asked = read_question(line)
    if asked.dice is None:
        assert answer in (("take", "drop") if asked.doubled else ("roll", "double"))
        return answer
    play = asked.position.game.play(asked.position, asked.dice, answer or "pass")
    assert play.passed == (answer == "")
    return "play"
