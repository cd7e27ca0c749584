"""The page of a web bundle in Debian's Chromium, driven by playwright, as a player meets it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nardy_ai.serving.page_server import PageServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = shutil.which("chromium")
PLAYER = (Path(__file__).parent / "export" / "page_player.js").read_text("utf-8")
# Containers give a browser neither a sandbox of its own nor much shared memory.
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
FAST = {"speed": "off", "length": 1, "level": 9}
# The halves of a bot are the same in every run.
SEEDED = """
  let state = 20260101;
  const random = (array) => {
    for (let i = 0; i < array.length; i++) {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      array[i] = state >> 16;
    }
    return array;
  };
  Object.defineProperty(crypto, "getRandomValues", { value: random });
"""


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a folder is handed out."""
    listener = socket.create_server(("127.0.0.1", 0))
    with PageServer(listener, folder) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://localhost:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


# The bot answers when it is let: what is asked of it, all or one method, is held back until `let_answer`.
HELD = """
  const post = Worker.prototype.postMessage;
  const held = [];
  Worker.prototype.postMessage = function (message) {
    if ([true, message.method].includes(window.holdsBack)) held.push(() => post.call(this, message));
    else post.call(this, message);
  };
  window.letAnswer = () => {
    window.holdsBack = false;
    for (const ask of held.splice(0)) ask();
  };
"""


def chromium_path() -> str:
    """The browser; a test is skipped where there is none, and fails where outside programs are expected."""
    if CHROMIUM is not None:
        return CHROMIUM
    if os.environ.get("NARDY_PEERS") == "1":
        pytest.fail("chromium is not installed, and NARDY_PEERS=1 wants it (Debian package chromium)")
    pytest.skip("chromium is not installed")


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; skips and fails as `chromium_path` does."""
    path = chromium_path()
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Visit:
    """One player's browser at one bundle; what the page logs, throws and asks elsewhere is kept."""

    context: BrowserContext
    address: str
    faults: list[str] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)

    def open(self, path: str = "") -> Page:
        """A new tab with the page, loaded until it can be played on."""
        page = self.context.new_page()
        page.on("console", lambda message: self.faults.append(message.text))
        page.on("pageerror", lambda error: self.faults.append(f"{error} {error.stack}"))
        page.on("request", self._check)
        page.goto(self.address + path)
        self.pages.append(page)
        page.wait_for_selector("html[data-ready]")
        return page

    def _check(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.faults.append(f"asked for {request.url}")


@contextlib.contextmanager
def visit(
    browser: Browser, address: str, settings: dict[str, Any] | None = None, **options: Any
) -> Iterator[Visit]:
    """A visit without animation and with fixed seeds; faults of the page fail it at its end."""
    given = {"viewport": {"width": 480, "height": 420}, "locale": "en-GB", **options}
    context = browser.new_context(**given)
    chosen = json.dumps({**FAST, **(settings or {})})
    context.add_init_script(
        f"{SEEDED}; {HELD}; try {{ localStorage.getItem('nardy-ai:settings') ?? "
        f"localStorage.setItem('nardy-ai:settings', {json.dumps(chosen)}); }} catch {{}}"
    )
    context.set_default_timeout(60_000)
    found = Visit(context, address)
    try:
        yield found
    finally:
        context.close()
    assert not found.faults, found.faults


def begin(page: Page, half: str = "my half") -> None:
    """Begins a match in the dialog that is open."""
    page.fill("#player-half", half)
    page.click("#begin")


def play(page: Page, until: int | str, choose: str = "first") -> dict[str, int]:
    """Plays on the page until a number of own turns, or to the end of the game."""
    report: dict[str, int] = page.evaluate(PLAYER, {"until": until, "choose": choose})
    return report


def hold_back(page: Page, method: str | None = None) -> None:
    """From now on the bot is not even asked, or not for what one method answers."""
    page.evaluate("held => (window.holdsBack = held ?? true)", method)


def let_answer(page: Page) -> None:
    """The bot is asked what was held back, and answers."""
    page.evaluate("window.letAnswer()")


def record_of(page: Page) -> str:
    """The text of the record that the page hands out, once there is one."""
    page.evaluate("document.getElementById('record-panel').open = true")
    page.wait_for_selector("#download:enabled")
    with page.expect_download() as waiting:
        page.evaluate("document.getElementById('download').click()")
    return Path(waiting.value.path()).read_text("utf-8")


def said(page: Page) -> str:
    """The sentence under the board."""
    return page.inner_text("#said")
