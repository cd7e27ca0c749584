"""The page to play on, in a browser: whole games, records, keys, reloading, no network, narrow screens."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from gnubg_program import gnubg_path, run_gnubg
from page_browser import begin, chromium, hold_back, let_answer, play, record_of, said, served, visit
from untrained import untrained_model

from nardy_ai.export.web import export_web
from nardy_ai.rules import mat_of_text, mat_text
from nardy_ai.rules.fair_dice import check_record, dice_of_record

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


KEY = "Object.keys(localStorage).find(k => /game:[^:]*:[^:]*$/.test(k))"


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
def both(bundles: dict[str, Path]) -> Iterator[str]:
    """The address of one bundle with both bots."""
    folder = bundles["long"].parent
    export_web([folder / "long.safetensors", folder / "short.safetensors"], folder / "both")
    with served(folder / "both") as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def labels(page: Page) -> list[str]:
    """What a screen reader says of every place."""
    found: list[str] = page.eval_on_selector_all(".place", "all => all.map(p => p.ariaLabel)")
    return found


def lift_with_a_choice(page: Page) -> None:
    """Goes on until a throw leaves a choice, and throws it."""
    for _ in range(30):
        page.click("#throw")
        page.wait_for_selector(".place.can, #throw:not([hidden])")
        if page.locator(".place.can").count() > 1:
            return
        play(page, 1)
    raise AssertionError("no throw left a choice")


def step(page: Page) -> None:
    """Moves the first checker that can go to the first place where it can land."""
    page.locator(".place.can").first.press("Enter")
    page.locator(".place.can[aria-pressed=false]").first.press("Enter")


def saved(page: Page) -> dict[str, Any]:
    """The match as the browser keeps it."""
    found: dict[str, Any] = page.evaluate(f"JSON.parse(localStorage.getItem({KEY}))")
    return found


def again(page: Page) -> None:
    """Loads the page anew."""
    page.reload()
    page.wait_for_selector("html[data-ready]")


# ---- whole games -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "locale", "costs"),
    [
        ("long", "ru-RU", False),
        pytest.param("short", "en-GB", True, marks=pytest.mark.slow),
        pytest.param("long", "en-GB", True, marks=pytest.mark.slow),
        pytest.param("short", "ru-RU", True, marks=pytest.mark.slow),
    ],
)
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
        russian = locale == "ru-RU"
        over = "Матч окончен" if russian else "The match is over"
        assert over in page.inner_text("#result-dialog")
        page.click("#check-dice")
        verdict = page.inner_text("#dice-verdict")
        assert page.get_attribute("#dice-verdict", "class") == "good"
        bot_half = page.inner_text("#bot-half")
        text = record_of(page)
        assert page.evaluate("document.documentElement.lang") == locale[:2]
        if costs:
            mean = "потери на решение" if russian else "lost per decision"
            page.wait_for_function("words => document.body.innerText.includes(words)", arg=mean)
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
        "games = gnubg.match(analysis=0, boards=0)['games']\n"
        "answer({'games': len(games), 'points': [g['info']['points-won'] for g in games],"
        " 'winner': [g['info']['winner'] for g in games], 'actions': [len(g['game']) for g in games]})",
        folder,
    )
    winner = score.index(max(score))
    assert (found["games"], found["points"], found["winner"]) == (1, [score[winner]], ["XO"[winner]])
    assert found["actions"][0] > 20


# ---- one turn --------------------------------------------------------------------------------------------


def test_mouse_forbidden_plays_undo_and_reloading(browser: Browser, addresses: dict[str, str]) -> None:
    with visit(browser, addresses["short"], {"showCosts": False}) as guest:
        page = guest.open()
        begin(page)
        play(page, 3)
        lift_with_a_choice(page)
        before = labels(page)
        cannot = page.locator(".place:not(.can)").first
        cannot.click()
        assert said(page) == "No checker can move from there."
        chosen = page.locator(".place.can").first.get_attribute("data-place")
        source = page.locator(f".place[data-place='{chosen}']")
        source.click()
        lit = [label for label in labels(page) if label.endswith("can land here")]
        assert lit
        assert source.get_attribute("aria-pressed") == "true"
        page.locator(".place:not(.can)").first.click()
        assert said(page) == "The checker cannot go there."
        assert labels(page) == before
        # A checker is dragged to a lit point.
        source.hover()
        page.mouse.down()
        target = page.locator(".place.can[aria-pressed=false]").first.bounding_box()
        assert target is not None
        page.mouse.move(target["x"] + target["width"] / 2, target["y"] + target["height"] / 2, steps=4)
        page.mouse.up()
        moved = labels(page)
        assert [label.split(", can")[0] for label in moved] != [label.split(", can")[0] for label in before]
        page.click("#undo")
        assert labels(page) == before
        kept = saved(page)
        # The page comes back with the same throw.
        again(page)
        page.wait_for_selector("#hint:not([hidden])")
        assert labels(page) == before
        assert saved(page) == kept
        page.click("#hint")
        page.wait_for_selector("button.hint")
        assert page.locator("line.arrow").count() > 0


def test_keys_alone_play_a_turn(browser: Browser, addresses: dict[str, str]) -> None:
    with visit(browser, addresses["long"], {"autoThrow": True}) as guest:
        page = guest.open()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('dialog') !== null")
        page.focus("#player-half")
        page.keyboard.type("by keys")
        page.keyboard.press("Enter")
        # The head, at the top right, has the focus; there the first checker is lifted.
        page.wait_for_function("() => document.activeElement.ariaLabel?.startsWith('Point 24')")
        page.wait_for_function("() => document.querySelector('.place.can')")
        for _ in range(4):
            page.keyboard.press("Enter")
            assert page.evaluate("document.activeElement.ariaPressed") == "true"
            lit: list[int] = page.eval_on_selector_all(
                ".place.can[aria-pressed=false]", "all => all.map(p => Number(p.dataset.place))"
            )
            from_here = page.evaluate("Number(document.activeElement.dataset.place)")
            walk(page, from_here, lit[-1])
            page.keyboard.press("Enter")
            if page.is_visible("#give"):
                break
            sources: list[int] = page.eval_on_selector_all(
                ".place.can", "all => all.map(p => Number(p.dataset.place))"
            )
            walk(page, lit[-1], sources[0])
        page.keyboard.press("Escape")
        page.keyboard.press("u")
        assert page.is_hidden("#give")
        page.locator(".place.can").first.press("Enter")
        lifted = page.evaluate("Number(document.activeElement.dataset.place)")
        page.keyboard.press("Escape")
        assert page.locator(".place[aria-pressed=true]").count() == 0
        walk(page, lifted, 24)


def walk(page: Page, start: int, end: int) -> None:
    """Moves the focus along the rows of the board, as they are seen, with the arrow keys."""
    rows = [[*range(13, 19), 25, *range(19, 25), 0], [*range(12, 6, -1), 25, *range(6, 0, -1), 0]]
    row = next(row for row in rows if start in row)
    if end not in row:
        page.keyboard.press("ArrowDown" if row is rows[0] else "ArrowUp")
        row = next(other for other in rows if other is not row)
        start = row[next(r for r in rows if r is not row).index(start)]
    step = row.index(end) - row.index(start)
    for _ in range(abs(step)):
        page.keyboard.press("ArrowRight" if step > 0 else "ArrowLeft")
    assert page.evaluate("Number(document.activeElement.dataset.place)") == end


def test_no_network_after_the_first_load(browser: Browser, bundles: dict[str, Path]) -> None:
    with served(bundles["long"]) as address, visit(browser, address) as guest:
        page = guest.open()
        page.evaluate("navigator.serviceWorker.ready")
        page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        guest.context.set_offline(True)
        again(page)
        begin(page)
        assert play(page, 2)["turns"] == 2


# ---- answers that come late ------------------------------------------------------------------------------


def test_a_match_is_kept_before_the_bot_has_answered(browser: Browser, addresses: dict[str, str]) -> None:
    with visit(browser, addresses["long"], {"showCosts": False}) as guest:
        page = guest.open()
        commitment = page.inner_text("#commitment")
        hold_back(page)
        begin(page)
        kept = saved(page)
        assert (kept["games"][0]["commitment"], kept["games"][0]["player"]) == (commitment, "my half")
        again(page)
        page.wait_for_selector("#throw:not([hidden]), .place.can")
        assert saved(page)["games"][0]["commitment"] == commitment


def test_nothing_of_an_earlier_match_can_be_pressed(browser: Browser, addresses: dict[str, str]) -> None:
    with visit(browser, addresses["short"], {"showCosts": False}) as guest:
        page = guest.open()
        begin(page)
        play(page, 1)
        earlier = saved(page)
        page.click("#open-new")
        hold_back(page)
        begin(page, "another half")
        for button in ("throw", "give", "undo", "hint", "resign"):
            assert page.is_hidden(f"#{button}"), button
        page.keyboard.press("t")
        assert page.is_disabled("#download")
        assert page.inner_text("#player-0 .pips") == ""
        kept = saved(page)["games"][0]
        assert (kept["player"], kept["throws"]) == ("another half", [])
        assert kept["commitment"] != earlier["games"][0]["commitment"]
        let_answer(page)
        assert play(page, 1)["turns"] == 1


def test_an_answer_for_an_earlier_match_is_dropped(browser: Browser, addresses: dict[str, str]) -> None:
    with visit(browser, addresses["short"], {"showCosts": False}) as guest:
        page = guest.open()
        begin(page)
        lift_with_a_choice(page)
        hold_back(page, "best")
        while page.is_hidden("#give"):
            step(page)
        page.click("#give")
        page.wait_for_function("() => /^The bot threw/.test(document.getElementById('said').textContent)")
        # The other match begins with the player on roll.
        page.evaluate("document.getElementById('position-panel').open = true")
        page.fill("#paste", "4HPwATDgc/ABMA")
        page.click("#use-position")
        begin(page)
        page.click("#throw")
        page.wait_for_selector(".place.can")
        let_answer(page)
        # What is asked later is answered later: the first hint comes after the answer, the second one after
        # all that could be asked because of it.
        for _ in range(2):
            page.click("#hint")
            page.wait_for_function("() => !document.getElementById('advice').innerText.includes('Thinking')")
        assert page.is_visible("button.hint >> nth=0")
        assert saved(page)["games"][0]["plays"] == []
        assert page.locator(".pips").all_inner_texts() == ["167 pips", "167 pips"]


@pytest.mark.slow
def test_a_hint_that_comes_late_leaves_what_was_moved(browser: Browser, addresses: dict[str, str]) -> None:
    with visit(browser, addresses["long"], {"showCosts": False}) as guest:
        page = guest.open()
        begin(page)
        lift_with_a_choice(page)
        hold_back(page)
        page.click("#hint")
        step(page)
        moved = labels(page)
        let_answer(page)
        page.wait_for_selector("button.hint")
        assert labels(page) == moved
        assert page.is_visible("#undo")


# ---- several bots ----------------------------------------------------------------------------------------


def test_a_page_of_two_bots_keeps_a_match_with_each(browser: Browser, both: str) -> None:
    with visit(browser, both, {"showCosts": False}) as guest:
        page = guest.open()
        titles = ["Long nardy", "Short nardy (backgammon)"]
        assert page.locator("#bot option").all_inner_texts() == titles
        # The first match: the other game is chosen in the dialog, by keys alone.
        assert page.input_value("#profile") == "long/fns"
        page.focus("#opponent")
        page.keyboard.press("ArrowDown")
        assert page.input_value("#profile") == "short/standard"
        assert page.inner_text(".warning") == ""
        begin(page)
        play(page, 1)
        assert page.input_value("#bot") == "short"
        short = labels(page)
        # Over to the other one, with which nothing was begun yet.
        page.select_option("#bot", "long")
        page.wait_for_selector("#begin")
        assert page.inner_text("#rules-name") == "Long nardy"
        begin(page)
        play(page, 1)
        long = labels(page)
        assert long != short
        # It goes on where it was, also after a reload, and from the dialog too.
        page.select_option("#bot", "short")
        page.wait_for_selector("#throw:not([hidden])")
        assert labels(page) == short
        again(page)
        page.wait_for_selector("#throw:not([hidden])")
        assert (page.input_value("#bot"), labels(page)) == ("short", short)
        page.click("#open-new")
        page.select_option("#opponent", "long")
        assert "ends" in page.inner_text(".warning")
        page.click("#go-on-with")
        page.wait_for_selector("#throw:not([hidden])")
        assert (page.input_value("#bot"), labels(page)) == ("long", long)


@pytest.mark.slow
def test_the_bot_that_was_chosen_last_counts(browser: Browser, both: str) -> None:
    with visit(browser, both, {"showCosts": False}) as guest:
        page = guest.open()
        page.keyboard.press("Escape")
        hold_back(page)
        page.select_option("#bot", "short")
        page.select_option("#bot", "long")
        assert page.inner_text("#terms-title") == "New match"
        page.keyboard.press("Escape")
        page.select_option("#bot", "short")
        let_answer(page)
        page.wait_for_selector("#begin")
        assert page.input_value("#profile") == "short/standard"
        assert page.input_value("#bot") == "short"


@pytest.mark.slow
def test_a_match_that_a_page_of_one_bot_kept_goes_on(browser: Browser, both: str) -> None:
    with visit(browser, both, {"showCosts": False}) as guest:
        page = guest.open()
        begin(page)
        play(page, 2)
        before = labels(page)
        moved = "const [k] = Object.keys(localStorage).filter(k => /game:[^:]*:long$/.test(k));"
        page.add_init_script(
            "if (!sessionStorage.getItem('moved')) { sessionStorage.setItem('moved', '1');"
            f" {moved} localStorage.setItem('nardy-ai:game:/', localStorage.getItem(k));"
            " localStorage.removeItem(k); }"
        )
        again(page)
        page.wait_for_selector("#throw:not([hidden])")
        assert labels(page) == before
        assert page.evaluate("localStorage.getItem('nardy-ai:game:/')") is None


# ---- what can go wrong ----------------------------------------------------------------------------------


def kept_text(page: Page) -> str:
    text: str = page.evaluate(f"localStorage.getItem({KEY})")
    return text


def test_two_tabs_do_not_play_one_game(browser: Browser, addresses: dict[str, str]) -> None:
    with visit(browser, addresses["short"], {"showCosts": False}) as guest:
        first = guest.open()
        begin(first)
        play(first, 1)
        second = guest.open()
        second.wait_for_selector("#throw:not([hidden])")
        first.wait_for_selector("#notice-otherTab")
        assert first.inner_text("#notice-otherTab p") == "This game goes on in another tab."
        assert first.is_hidden("#throw")
        play(second, 1)
        kept = saved(second)
        # What one tab keeps gets to another one in a moment.
        first.wait_for_function(f"text => localStorage.getItem({KEY}) === text", arg=kept_text(second))
        first.click("#notice-otherTab button")
        first.wait_for_selector("#throw:not([hidden])")
        second.wait_for_selector("#notice-otherTab")
        assert saved(first) == kept
        assert labels(first) == labels(second)


def put_saved(page: Page, change: str) -> None:
    """Changes the saved match by a JavaScript expression of its text `t`, between one load and the next."""
    # The open page keeps the match whenever the bot has moved or judged, and would put it right again.
    once = f"changed by {change}"
    page.add_init_script(
        f"if (!sessionStorage.getItem({json.dumps(once)})) {{ const k = {KEY}, t = localStorage.getItem(k);"
        f" sessionStorage.setItem({json.dumps(once)}, '1'); localStorage.setItem(k, {change}); }}"
    )
    again(page)


def test_a_damaged_saved_game_is_kept_as_far_as_it_goes(browser: Browser, addresses: dict[str, str]) -> None:
    with visit(browser, addresses["long"]) as guest:
        page = guest.open()
        begin(page)
        play(page, 3)
        whole = saved(page)
        plays = whole["games"][0]["plays"]
        put_saved(page, "(g => (g.games[0].plays[3] = '24/1', JSON.stringify(g)))(JSON.parse(t))")
        assert "after turn 3" in page.inner_text("#notices")
        assert saved(page)["games"][0]["plays"][:3] == plays[:3]
        # Other dice than those of the halves are no dice of this game.
        play(page, 1)
        lift_with_a_choice(page)
        lying = saved(page)["games"][0]
        better = [6, 6] if lying["throws"][-1] != [6, 6] else [5, 5]
        change = f"g.games[0].throws.splice(-1, 1, {better})"
        put_saved(page, f"(g => ({change}, JSON.stringify(g)))(JSON.parse(t))")
        assert f"after turn {len(lying['plays'])}" in page.inner_text("#notices")
        cut = saved(page)["games"][0]
        assert cut["throws"] == lying["throws"][: len(cut["throws"])]
        put_saved(page, "t.slice(0, 40)")
        assert "could not be read and was put aside" in page.inner_text("#notices")
        assert page.is_visible("#begin")
        assert page.evaluate("Object.keys(localStorage).some(k => k.endsWith(':damaged'))")
        begin(page)
        put_saved(page, "t.replace('\"format\":1', '\"format\":7')")
        assert "put aside" in page.inner_text("#notices")


@pytest.mark.slow
def test_without_storage_the_page_says_so_and_plays(browser: Browser, addresses: dict[str, str]) -> None:
    with visit(browser, addresses["long"]) as guest:
        guest.context.add_init_script(
            "Object.defineProperty(window, 'localStorage',"
            " { get() { throw new DOMException('off', 'SecurityError'); } })"
        )
        page = guest.open()
        assert "keeps nothing" in page.inner_text("#notices")
        begin(page)
        page.wait_for_selector("#hint:not([hidden]), #throw:not([hidden])")
        # What stands at the top follows the language.
        page.click("#language")
        assert page.inner_text("#notice-storageOff p").startswith("Этот браузер ничего не хранит")


@pytest.mark.slow
def test_pasted_positions(browser: Browser, addresses: dict[str, str]) -> None:
    with visit(browser, addresses["short"], {"showCosts": False}) as guest:
        page = guest.open()
        begin(page)
        play(page, 1)
        kept = saved(page)
        page.evaluate("document.getElementById('position-panel').open = true")
        wrong = {
            "nonsense": "no position ID",
            "4HPwATDgc/ABM": "no position ID",
            # All checkers of both sides on one point, all borne off, all of one side borne off.
            "AACA/z//fwAAAA": "cannot stand",
            "AAAAAAAAAAAAAA": "cannot stand",
            "AAAAwP8fAAAAAA": "the game is over already",
        }
        for text, sentence in wrong.items():
            page.fill("#paste", text)
            page.click("#use-position")
            page.wait_for_function("() => document.getElementById('position-note').textContent !== ''")
            assert sentence in page.inner_text("#position-note"), text
            assert saved(page) == kept
        page.click("#language")
        assert page.inner_text("#position-note") == ""
        page.click("#language")
        page.fill("#paste", "4HPwATDgc/ABMA")
        page.click("#use-position")
        begin(page)
        page.wait_for_selector("#throw:not([hidden])")
        assert page.is_disabled("#download")
        assert saved(page)["from"] == "4HPwATDgc/ABMA:0:0"


@pytest.mark.slow
def test_files_of_another_export_in_the_cache(
    browser: Browser, bundles: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "bundle"
    shutil.copytree(bundles["long"], folder)
    with served(folder) as address, visit(browser, address) as guest:
        page = guest.open()
        begin(page)
        page.evaluate("navigator.serviceWorker.ready")
        page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        kept = saved(page)
        export_web(untrained_model("long/fns", tmp_path / "other.safetensors", seed=9), folder)
        again(page)
        page.evaluate("navigator.serviceWorker.getRegistration().then(r => r.update())")
        page.wait_for_selector("#notice-newVersion")
        with page.expect_navigation():
            page.click("#notice-newVersion button")
        page.wait_for_selector("html[data-ready]")
        version = json.loads((folder / "manifest.json").read_bytes())["version"]
        assert page.get_attribute("meta[name=nardy-version]", "content") == version
        assert page.locator("#notices .notice").count() == 0
        # The game goes on with the new bot.
        assert {**saved(page), "games": None} == {**kept, "games": None}


@pytest.mark.slow
def test_a_page_of_another_version_than_its_files_says_so(
    browser: Browser, bundles: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(bundles["long"], tmp_path / "bundle")
    index = tmp_path / "bundle" / "index.html"
    stamp = 'nardy-version" content="'
    index.write_text(index.read_text("utf-8").replace(stamp, f"{stamp}0"), "utf-8")
    with served(tmp_path / "bundle") as address, visit(browser, address) as guest:
        page = guest.open()
        page.wait_for_selector("#notice-otherVersion")
        assert "different versions" in page.inner_text("#notice-otherVersion")


# ---- looks ----------------------------------------------------------------------------------------------

WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.mark.parametrize("locale", ["ru-RU", pytest.param("en-GB", marks=pytest.mark.slow)])
def test_nothing_is_wider_than_a_screen_of_320_pixels(
    browser: Browser, addresses: dict[str, str], locale: str
) -> None:
    options = {"locale": locale, "viewport": {"width": 320, "height": 640}, "has_touch": True}
    with visit(browser, addresses["long"], **options) as guest:
        page = guest.open()
        assert not page.evaluate(WIDER)
        begin(page)
        page.wait_for_selector("#throw:not([hidden])")
        page.tap("#throw")
        page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
        assert not page.evaluate(WIDER)
        sizes: list[list[float]] = page.eval_on_selector_all(
            "button:not([hidden])",
            "all => all.map(b => b.getBoundingClientRect()).map(r => [r.width, r.height])",
        )
        assert min(min(size) for size in sizes if max(size) > 0) >= 24
        points: list[float] = page.eval_on_selector_all(
            ".place:not([data-place='0'])", "all => all.map(p => p.getBoundingClientRect().width)"
        )
        assert min(points) >= 15


@pytest.mark.slow
def test_colours_are_those_of_the_device_or_of_choice(browser: Browser, addresses: dict[str, str]) -> None:
    with visit(browser, addresses["long"], color_scheme="dark") as guest:
        page = guest.open()
        page.keyboard.press("Escape")
        shown = "getComputedStyle(document.documentElement).colorScheme"
        seen = [page.evaluate(shown)]
        for _ in range(3):
            page.click("#theme")
            seen.append(page.evaluate(shown))
        # As the device, light, dark, as the device again, which turns light by day.
        assert seen == ["dark", "light", "dark", "dark"]
        page.emulate_media(color_scheme="light")
        assert page.evaluate(shown) == "light"


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_no_fault(browser: Browser, addresses: dict[str, str], scheme: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python")
    source = (Path(axe.__file__).parent / "axe.min.js").read_text("utf-8")
    found: list[dict[str, Any]] = []

    def look(page: Page) -> None:
        report = page.evaluate("axe.run()")
        found.extend(report["violations"])
        names: list[str] = page.eval_on_selector_all("[id]", "all => all.map(each => each.id)")
        assert sorted(names) == sorted(set(names))

    # Colours that are on their way from one to another have no contrast to speak of.
    options = {"color_scheme": scheme, "reduced_motion": "reduce"}
    with visit(browser, addresses["long"], {"length": 3}, **options) as guest:
        page = guest.open()
        page.evaluate(source)
        look(page)
        begin(page)
        play(page, 2)
        lift_with_a_choice(page)
        page.click("#hint")
        page.wait_for_selector("button.hint")
        page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
        page.locator(".place.can").first.click()
        look(page)
        page.click("#open-settings")
        look(page)
        page.keyboard.press("Escape")
        page.click("#resign")
        page.click("#ask-yes")
        page.wait_for_selector("#result-dialog[open]")
        page.click("#check-dice")
        look(page)
    assert [(each["id"], each["impact"], each["nodes"][0]["html"]) for each in found] == []
