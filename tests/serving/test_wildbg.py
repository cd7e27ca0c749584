"""`GET /move` and `GET /eval` as wildbg's clients know them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from serving.asking import NewClient, sentence_of
from starlette.testclient import TestClient

import nardy_ai as nardy
from nardy_ai.bots import NetBot
from nardy_ai.bots.cube import Stakes, mean_worth
from nardy_ai.serving import forms, wildbg
from nardy_ai.serving.served import Served

SHORT = nardy.Game("short")
START = "p24=2&p19=-5&p17=-3&p13=5&p12=-5&p8=3&p6=5&p1=-2"
BAR = "p25=1&p13=5&p6=5&p0=-2&p1=-2&p12=-5&p20=-3"
FIVE = ("win", "winG", "winBg", "loseG", "loseBg")


def answered(client: TestClient, path: str) -> Any:
    response = client.get(path)
    assert response.status_code == 200, response.text
    return response.json()


def pairs(query: str) -> list[tuple[str, str]]:
    return [(name, value) for name, _, value in (part.partition("=") for part in query.split("&"))]


def test_a_board_is_read_as_wildbg_writes_it() -> None:
    assert wildbg.read_query(pairs(START), with_dice=False).position == SHORT.start()
    pos = wildbg.read_query(pairs(BAR), with_dice=False).position
    assert pos.bar == (1, 2) and pos.off == (4, 3)
    assert pos.on_point(13) == (5, 0) and pos.on_point(20) == (0, 3) and pos.on_point(1) == (0, 2)


def test_moves_are_all_plays_best_first(client: TestClient, short_bot: NetBot) -> None:
    found = answered(client, f"/move?die1=1&die2=3&{START}")
    forms.MoveAnswer.model_validate(found)
    ranked = short_bot.rank(SHORT.start(), (3, 1))
    assert len(found["moves"]) == len(ranked)
    for move, wanted in zip(found["moves"], ranked, strict=True):
        assert move["play"] == [{"from": start, "to": end} for start, end in wanted.play.steps]
        assert tuple(move["probabilities"]) == FIVE
        assert move["probabilities"]["win"] == pytest.approx(
            wanted.outcomes["win"] + wanted.outcomes["win_gammon"] + wanted.outcomes["win_backgammon"]
        )
        assert move["probabilities"]["loseG"] == pytest.approx(
            wanted.outcomes["lose_gammon"] + wanted.outcomes["lose_backgammon"]
        )


def test_movements_are_single_and_in_an_order_that_can_be_played(client: TestClient) -> None:
    for move in answered(client, f"/move?die1=2&die2=2&{BAR}")["moves"]:
        counts = np.zeros(26, int)
        counts[[25, 13, 6]] = 1, 5, 5
        assert move["play"][0]["from"] == 25
        for step in move["play"]:
            assert step["from"] - step["to"] == 2 and counts[step["from"]] > 0
            counts[step["from"]] -= 1
            counts[step["to"]] += 1


def test_where_nothing_moves_there_is_one_play_without_movements(client: TestClient) -> None:
    closed = "&".join(f"p{point}=-2" for point in range(19, 25))
    found = answered(client, f"/move?die1=6&die2=3&p25=1&p12=14&p18=-3&{closed}")
    assert [move["play"] for move in found["moves"]] == [[]]


def test_at_a_score_plays_are_ranked_by_the_match(client: TestClient, short_bot: NetBot) -> None:
    at_one = answered(client, f"/move?die1=3&die2=1&x_away=1&o_away=1&{START}")["moves"]
    wins = [move["probabilities"]["win"] for move in at_one]
    assert wins == sorted(wins, reverse=True)
    money = answered(client, f"/move?die1=3&die2=1&x_away=0&o_away=0&{START}")["moves"]
    assert money != at_one and sorted(map(str, money)) == sorted(map(str, at_one))
    best = answered(client, f"/move?die1=3&die2=1&x_away=2&o_away=4&{START}")["moves"][0]
    worth = {
        play.notation: mean_worth(play.outcomes, Stakes(away=(2, 4)), 1)
        for play in short_bot.rank(SHORT.start(), (3, 1))
    }
    notation = max(worth, key=lambda name: worth[name])
    steps = SHORT.play(SHORT.start(), (3, 1), notation).steps
    assert best["play"] == [{"from": start, "to": end} for start, end in steps]


def test_an_evaluation_has_cumulative_chances_and_the_cube(client: TestClient, short_bot: NetBot) -> None:
    found = answered(client, f"/eval?{START}")
    forms.EvalAnswer.model_validate(found)
    outcomes = short_bot.evaluate(SHORT.start()).outcomes
    assert tuple(found["probabilities"]) == FIVE
    assert found["probabilities"]["winBg"] == pytest.approx(outcomes["win_backgammon"])
    assert found["probabilities"]["win"] == pytest.approx(
        1 - outcomes["lose"] - outcomes["lose_gammon"] - outcomes["lose_backgammon"], abs=1e-6
    )
    assert found["cube"] == {"double": False, "accept": True}


def test_a_won_race_is_doubled_and_dropped(client: TestClient) -> None:
    # One checker against fourteen: the bear-off tables know that it is won.
    found = answered(client, "/eval?p1=1&p24=-7&p23=-7")
    assert found["probabilities"]["win"] == 1.0
    assert found["cube"] == {"double": True, "accept": False}


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (f"/move?{START}", "die1 is missing"),
        (f"/move?die1=3&{START}", "die2 is missing"),
        (f"/move?die1=0&die2=1&{START}", "die1 is 0, and a die shows 1 to 6"),
        (f"/move?die1=x&die2=1&{START}", "die1 is 'x', and must be a whole number"),
        (f"/move?die1=&die2=1&{START}", "die1 is '', and must be a whole number"),
        (f"/move?die1=1.0&die2=1&{START}", "die1 is '1.0'"),
        (f"/move?die1=%D9%A1&die2=1&{START}", "must be a whole number"),
        (f"/move?die1=3&die2=1&die1=3&{START}", "die1 is given twice"),
        (f"/eval?die1=3&die2=1&{START}", "there is no parameter 'die1'"),
        (f"/eval?p26=1&{START}", "there is no parameter 'p26'"),
        ("/eval?p0=1&p4=4&p5=-5", "p0 is o's bar, which holds 0 or a negative number, not 1"),
        ("/eval?p25=-2&p4=4&p5=-5", "p25 is x's bar, which holds 0 or a positive number, not -2"),
        ("/eval?p1=16&p5=-5", "player x has 16 checkers on the board"),
        ("/eval?p1=1&p5=-8&p6=-8", "player o has 16 checkers on the board"),
        ("/eval?p1=99999", "p1 is '99999'"),
        ("/eval", "borne off"),
        ("/move?die1=3&die2=1&p1=5", "the game is over (lose"),
        (f"/eval?x_away=1&{START}", "x_away and o_away are both 0, for money, or both at least 1"),
        (f"/eval?x_away=-1&o_away=1&{START}", "points to go in a match are 1 to 64"),
        (f"/eval?x_away=65&o_away=1&{START}", "points to go in a match are 1 to 64"),
    ],
)
def test_a_wrong_query_is_told_as_wildbg_does(path: str, told: str, client: TestClient) -> None:
    response = client.get(path)
    assert response.status_code == 400
    assert told in sentence_of(response)


def test_a_server_of_long_nardy_has_no_answer(new_client: NewClient, long_bot: NetBot) -> None:
    client = new_client(models=Served([long_bot]))
    for path in (f"/move?die1=3&die2=1&{START}", f"/eval?{START}"):
        response = client.get(path)
        assert response.status_code == 400
        assert "no model of this server plays short/standard" in sentence_of(response)


def test_parameters_are_described_with_the_start_as_the_example(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    named = [parameter["name"] for parameter in paths["/move"]["get"]["parameters"]]
    assert named == ["die1", "die2", *(f"p{point}" for point in range(26)), "x_away", "o_away"]
    page = client.get("/docs").text.replace("&amp;", "&").replace("&#x27;", "'")
    query = re.search(r"/move\?([^']*)'", page)
    assert query is not None
    read = wildbg.read_query(pairs(query[1]), with_dice=True)
    assert read.position == SHORT.start() and read.dice == (3, 1)
