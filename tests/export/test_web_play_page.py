"""The page to play on, in a browser: whole games, records, keys, reloading, no network, narrow screens."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from gnubg_program import gnubg_path, run_gnubg
from page_browser import begin, chromium, play, record_of, said, served, visit
from untrained import untrained_model

from nardy_ai.export.web import export_web
from nardy_ai.rules import Game, mat_of_text, mat_text
from nardy_ai.rules.fair_dice import check_record, dice_of_record

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Bundles of an untrained bot of each game."""
    folder = tmp_path_factory.mktemp("bundles")
    for game, profile in (("long", "long/fns"), ("short", "short/standard")):
        export_web(untrained_model(profile, folder / f"{game}.safetensors"), folder / game)
    return {game: folder / game for game in ("long", "short")}


@pytest.fixture(scope="module")
def addresses(bundles: dict[str, Path]) -> Iterator[dict[str, str]]:
    with served(bundles["long"]) as long, served(bundles["short"]) as short:
        yield {"long": long, "short": short}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def key_of(page: Page) -> str:
    return page.evaluate("JSON.stringify(document.getElementById('position-id').value)")


def positions(page: Page) -> list[str]:
    return page.eval_on_selector_all(".place", "places => places.map(p => p.getAttribute('aria-label'))")


# ---- whole games -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "locale", "costs"), [("long", "ru-RU", False), ("short", "en-GB", True)])
def test_a_whole_game(
    browser: Browser, addresses: dict[str, str], tmp_path: Path, game: str, locale: str, costs: bool
) -> None:
    with visit(browser, addresses[game], {"showCosts": costs}, locale=locale) as guest:
        page = guest.open()
        commitment = page.inner_text("#commitment")
        begin(page, "Моя половина, №1")
        unfinished = record_of(page)
        played = play(page, "game")
        assert played["turns"] > 10
        assert ("Матч окончен" if game == "long" else "The match is over") in page.inner_text("#result-dialog")
        page.click("#check-dice")
        verdict = page.inner_text("#dice-verdict")
        assert page.get_attribute("#dice-verdict", "class") == "good"
        bot_half = page.inner_text("#bot-half")
        text = record_of(page)
        assert page.evaluate("document.documentElement.lang") == locale[:2]
        if costs:
            page.wait_for_function("document.querySelector('#advice').textContent.includes('per decision')")
    # Our rules read the record, write the same bytes again, and the dice follow from the halves.
    record = mat_of_text(text)
    assert mat_text(record) == text
    assert record.history.state.phase == "match_over"
    assert dice_of_record(record)[1][0] == commitment
    (checked,) = check_record(record)
    assert (checked.fault, str(checked.throws) in verdict) == (None, True)
    assert bot_half in text
    # While the game goes on the record keeps the bot's half back.
    assert bot_half not in unfinished
    assert dice_of_record(mat_of_text(unfinished)) == {1: (commitment, None)}
    if game == "short":
        read_by_gnubg(text, record.history.state.score, tmp_path)


def read_by_gnubg(text: str, score: tuple[float, float], folder: Path) -> None:
    gnubg_path()
    (folder / "game.mat").write_text(text, "utf-8")
    (found,) = run_gnubg(
        'gnubg.command("import mat game.mat")\n'
        "match = gnubg.match(analysis=0)\n"
        "answer({'games': len(match['games']), 'points': [g['info'].get('points-won') for g in match['games']],"
        " 'winner': [g['info'].get('winner') for g in match['games']],"
        " 'actions': [len(g['game']) for g in match['games']]})",
        folder,
    )
    assert found["games"] == 1
    assert found["points"] == [max(score)]
    assert found["winner"] == ["XO"[score.index(max(score))] ] or found["winner"] == ["OX"[score.index(max(score))]]
    assert found["actions"][0] > 20
