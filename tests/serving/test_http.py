"""What is asked over HTTP is what the bot itself would answer."""

from __future__ import annotations

import re
import shlex
from typing import Any

import httpx2
import pytest
from command_line import REPOSITORY
from serving.asking import NewClient
from starlette.testclient import TestClient

import nardy_ai as nardy
from nardy_ai.bots import NetBot
from nardy_ai.core import InputError
from nardy_ai.serving import forms
from nardy_ai.serving.address import web_origin
from nardy_ai.serving.http import Options
from nardy_ai.serving.limits import Limits
from nardy_ai.serving.served import Served

SHORT, LONG = nardy.Game("short"), nardy.Game("long")
MIDDLE = "4HPwATDgc/ABMA:1:3"


def ok(response: httpx2.Response) -> Any:
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize("plies", [0, 1])
@pytest.mark.parametrize("family", ["short", "long"])
def test_plays_are_ranked_as_the_bot_ranks_them(
    family: str, plies: int, client: TestClient, short_bot: NetBot, long_bot: NetBot
) -> None:
    bot = {"short": short_bot, "long": long_bot}[family]
    pos = bot.game.start()
    for dice in ((6, 1), (3, 3)):
        pos = bot.rank(pos, dice)[0].play.position
    expected = bot.rank(pos, (5, 2), plies)
    asked = {"position": pos.key, "dice": [2, 5], "profile": family, "plies": plies}
    found = ok(client.post("/rank", json=asked))
    forms.RankAnswer.model_validate(found)
    assert found["profile"] == bot.game.name and found["position"] == pos.key
    assert found["legal_plays"] == len(expected) == len(found["plays"])
    for play, wanted in zip(found["plays"], expected, strict=True):
        assert play["notation"] == wanted.notation
        assert play["moves"] == [list(move) for move in wanted.play.moves]
        assert play["position"] == wanted.play.position.key
        assert play["equity"] == wanted.equity
        assert play["outcomes"] == wanted.outcomes
        assert play["plies"] == wanted.plies


def test_as_many_plays_are_listed_as_were_asked_for(client: TestClient) -> None:
    asked = {"position": "start", "dice": [3, 1], "profile": "short"}
    everything = ok(client.post("/rank", json=asked))
    best = ok(client.post("/rank", json={**asked, "most": 3}))
    assert best["legal_plays"] == 16
    assert best["plays"] == everything["plays"][:3]


def test_a_position_is_evaluated_as_the_bot_does(client: TestClient, short_bot: NetBot) -> None:
    pos = SHORT.position(MIDDLE)
    found = ok(client.post("/evaluate", json={"position": MIDDLE, "profile": "short"}))
    forms.EvaluateAnswer.model_validate(found)
    expected = short_bot.evaluate(pos)
    assert found["outcomes"] == pytest.approx(expected.outcomes, abs=1e-7)
    assert found["equity"] == pytest.approx(expected.equity, abs=1e-6)
    assert found["plies"] == 0


def test_a_board_is_as_good_as_a_key(client: TestClient) -> None:
    pos = LONG.start()
    beside = {"profile": "long", "seat": 1, "turns": 2}
    by_board = ok(client.post("/evaluate", json={"board": pos.board.tolist(), **beside}))
    assert by_board == ok(client.post("/evaluate", json={"position": pos.id, **beside}))
    assert by_board["position"] == f"{pos.id}:1:2"


def test_a_finished_game_is_evaluated_by_rule(client: TestClient) -> None:
    board = [[15] + [0] * 25, [0] * 25 + [15]]
    found = ok(client.post("/evaluate", json={"board": board, "profile": "short"}))
    assert found["outcomes"]["lose_gammon"] == 1.0 and found["equity"] == -2.0


def test_a_batch_answers_one_by_one(client: TestClient) -> None:
    asked = [
        {"position": "start", "dice": [3, 1], "profile": "short", "most": 1},
        {"position": "start", "dice": [6, 6], "profile": "long", "plies": 1},
        {"position": MIDDLE, "dice": [2, 1], "profile": "short"},
    ]
    answers = ok(client.post("/rank/batch", json={"requests": asked}))["answers"]
    assert answers == [ok(client.post("/rank", json=one)) for one in asked]
    positions = [{key: one[key] for key in ("position", "profile")} for one in asked]
    answers = ok(client.post("/evaluate/batch", json={"requests": positions}))["answers"]
    assert answers == [ok(client.post("/evaluate", json=one)) for one in positions]


def test_other_rules_of_a_models_game_can_be_asked_for(client: TestClient, long_bot: NetBot) -> None:
    game = nardy.Game("long/classic")
    found = ok(client.post("/rank", json={"position": "start", "dice": [6, 5], "profile": "long/classic"}))
    expected = long_bot.rank(game.start(), (6, 5))
    assert [play["notation"] for play in found["plays"]] == [play.notation for play in expected]
    assert list(found["plays"][0]["outcomes"]) == list(game.outcomes)


def test_a_server_with_one_model_needs_no_profile(new_client: NewClient, short_bot: NetBot) -> None:
    client = new_client(models=Served([short_bot]))
    assert ok(client.post("/rank", json={"position": "start", "dice": [3, 1]}))["profile"] == "short/standard"
    assert {entry["game"] for entry in ok(client.get("/profiles"))["profiles"]} == {"short"}
    refused = client.post("/rank", json={"position": "start", "dice": [3, 1], "profile": "long"})
    assert refused.status_code == 422 and "no model of this server plays long/fns" in refused.text


def test_profiles_say_what_a_request_needs(client: TestClient) -> None:
    found = ok(client.get("/profiles"))
    forms.ProfilesAnswer.model_validate(found)
    by_name = {entry["profile"]: entry for entry in found["profiles"]}
    assert list(by_name)[:2] == ["short/standard", "long/fns"] and len(by_name) == 12
    assert by_name["long/fns"]["needs_seat"] and not by_name["short/standard"]["needs_seat"]
    assert by_name["short/standard"]["points"] == [1, 2, 3, -1, -2, -3]
    assert by_name["long/fns"]["model"] == "long.safetensors"


def test_health_names_the_models_but_not_where_they_lie(client: TestClient) -> None:
    found = ok(client.get("/health"))
    assert found == {
        "status": "ok",
        "version": nardy.__version__,
        "models": {"short": "short.safetensors", "long": "long.safetensors"},
    }


def test_metrics_count_requests_by_path_and_positions(new_client: NewClient) -> None:
    client = new_client()
    for _ in range(3):
        client.post("/rank", json={"position": "start", "dice": [3, 1], "profile": "short"})
    client.post("/rank", json={})
    client.get("/somewhere")
    client.get("/somewhere/else")
    response = client.get("/metrics")
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = response.text.splitlines()
    assert 'nardy_requests_total{path="/rank",status="200"} 3.0' in lines
    assert 'nardy_requests_total{path="/rank",status="422"} 1.0' in lines
    assert 'nardy_requests_total{path="other",status="404"} 2.0' in lines
    assert 'nardy_positions_total{profile="short/standard"} 3.0' in lines
    assert 'nardy_request_seconds_count{path="/rank"} 4.0' in lines
    assert "nardy_requests_in_flight 1.0" in lines


def test_the_servers_look_ahead_is_taken_where_none_is_named(new_client: NewClient) -> None:
    client = new_client(Options(plies=1))
    asked = {"position": MIDDLE, "profile": "short"}
    assert ok(client.post("/evaluate", json=asked))["plies"] == 1
    assert ok(client.post("/evaluate", json={**asked, "plies": 0}))["plies"] == 0


def test_a_web_page_may_ask_where_it_is_named(new_client: NewClient) -> None:
    page = {"origin": "https://example.org"}
    assert "access-control-allow-origin" not in new_client().get("/health", headers=page).headers
    client = new_client(Options(origins=("https://example.org",)))
    allowed = client.get("/health", headers=page).headers["access-control-allow-origin"]
    assert allowed == "https://example.org"
    stranger = client.get("/health", headers={"origin": "https://example.com"})
    assert "access-control-allow-origin" not in stranger.headers


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("https://example.org", "https://example.org"),
        ("https://Example.org/", "https://example.org"),
        ("HTTPS://example.org:443", "https://example.org"),
        ("http://localhost:80", "http://localhost"),
        ("http://localhost:5173", "http://localhost:5173"),
        ("http://[::1]:443", "http://[::1]:443"),
        ("https://\u043d\u0430\u0440\u0434\u044b.\u0440\u0444", "https://xn--80aizn0d.xn--p1ai"),
        ("*", "*"),
        ("null", "null"),
    ],
)
def test_a_web_page_is_named_as_browsers_name_it(given: str, sent: str) -> None:
    assert web_origin(given) == sent


@pytest.mark.parametrize(
    "given",
    [
        "",
        "example.org",
        "ftp://example.org",
        "https://",
        "https://example.org/page",
        "https://a b",
        "https://me@example.org",
        "https://example.org?x",
        "https://example.org:x",
        "https://*.example.org",
    ],
)
def test_what_no_browser_sends_is_no_origin(given: str) -> None:
    with pytest.raises(InputError, match="is no origin of a web page: give"):
        web_origin(given)


def test_the_page_and_the_description_name_every_path(client: TestClient) -> None:
    description = ok(client.get("/openapi.json"))
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert client.get("/").text == page.text
    assert "<script" not in page.text and "https://" not in page.text
    for path, methods in description["paths"].items():
        assert f"{next(iter(methods)).upper()} {path}</code>" in page.text
    assert set(description["paths"]) >= {"/rank", "/evaluate", "/move", "/eval", "/profiles", "/metrics"}
    fault = description["paths"]["/rank"]["post"]["responses"]["422"]["content"]["application/json"]["schema"]
    assert fault == {"$ref": "#/components/schemas/Fault"}


def test_examples_of_the_description_are_answered(client: TestClient) -> None:
    schemas = ok(client.get("/openapi.json"))["components"]["schemas"]
    for name, path in (("Rank", "/rank"), ("Evaluate", "/evaluate")):
        for example in schemas[name]["examples"]:
            assert ok(client.post(path, json=example))["profile"] == "short/standard"


def _curl_lines() -> list[str]:
    text = (REPOSITORY / "docs/serving.md").read_text(encoding="utf-8").replace("\\\n", " ")
    return re.findall(r"^curl (.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("line", _curl_lines())
def test_examples_of_the_document_are_answered(line: str, client: TestClient) -> None:
    words = shlex.split(line)
    address = next(word for word in words if word.startswith("127.0.0.1:8000"))
    path = address.removeprefix("127.0.0.1:8000")
    if "-d" not in words:
        ok(client.get(path))
        return
    name, _, value = words[words.index("-H") + 1].partition(": ")
    ok(client.post(path, content=words[words.index("-d") + 1], headers={name: value}))


def test_limits_are_checked() -> None:
    for bad in ({"body": 0}, {"rate": 0.0}, {"seconds": float("inf")}, {"plies": 4}, {"batch": -1}):
        with pytest.raises(nardy.InputError, match=next(iter(bad))):
            Limits(**bad)
    with pytest.raises(nardy.InputError, match="plies cannot be 3: requests have at most 2"):
        Options(plies=3)


def test_a_server_has_one_model_a_game(short_bot: NetBot) -> None:
    with pytest.raises(nardy.InputError, match="are both models of short nardy"):
        Served([short_bot, short_bot])
    with pytest.raises(nardy.InputError, match="needs a model"):
        Served([])


@pytest.mark.parametrize("level", [1, 5, 10])
def test_the_choice_of_a_level_stands_before_the_plays_in_their_order(
    level: int, client: TestClient, short_bot: NetBot
) -> None:
    chosen, plain = [], []
    pos = SHORT.start()
    for dice in ((6, 1), (5, 2), (4, 4), (3, 1), (6, 5), (2, 1)):
        asked = {"position": pos.key, "dice": list(dice), "profile": "short"}
        found = ok(client.post("/rank", json={**asked, "level": level}))
        forms.RankAnswer.model_validate(found)
        expected = short_bot.at_level(level).choose(pos, dice)
        assert found["level"] == level and found["plays"][0]["notation"] == expected.notation
        plies = short_bot.at_level(level).plies
        ranked = ok(client.post("/rank", json={**asked, "plies": plies}))
        assert ranked["level"] is None
        others = [play for play in ranked["plays"] if play["notation"] != expected.notation]
        assert found["plays"][1:] == others
        assert found["plays"][0] in ranked["plays"]
        only = ok(client.post("/rank", json={**asked, "level": level, "most": 1}))
        assert only["plays"] == found["plays"][:1]
        chosen.append(found["plays"][0]["notation"])
        plain.append(ranked["plays"][0]["notation"])
        pos = expected.position
    assert (chosen == plain) == (level == 10)


def test_another_key_draws_the_noise_anew(client: TestClient) -> None:
    asked = {"position": "start", "dice": [2, 1], "profile": "short", "level": 1, "most": 1}
    keys = range(12)
    found = [ok(client.post("/rank", json={**asked, "key": key}))["plays"][0]["notation"] for key in keys]
    again = [ok(client.post("/rank", json={**asked, "key": key}))["plays"][0]["notation"] for key in keys]
    assert found == again and len(set(found)) > 2


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"level": 0}, "level"),
        ({"level": 11}, "level"),
        ({"level": "3"}, "level"),
        ({"level": 3, "plies": 1}, "a level has its own look-ahead: give level or plies, not both"),
        ({"key": 3}, "key is that of the noise of a level"),
        ({"level": 3, "key": -1}, "key"),
        ({"level": 3, "key": 2**64}, "key"),
    ],
)
def test_what_is_no_level_is_refused(client: TestClient, wrong: dict[str, Any], said: str) -> None:
    asked = {"position": "start", "dice": [2, 1], "profile": "short", **wrong}
    answer = client.post("/rank", json=asked)
    assert answer.status_code == 422
    assert said in answer.json()["message"] and "\n" not in answer.json()["message"]


def test_a_level_does_not_look_further_than_the_server(new_client: NewClient) -> None:
    asked = {"position": "start", "dice": [2, 1], "profile": "short", "level": 10}
    answer = new_client(Options(limits=Limits(plies=0))).post("/rank", json=asked)
    assert answer.status_code == 422
    assert answer.json()["message"] == "level 10 looks 1 plies ahead, and this server at most 0"
