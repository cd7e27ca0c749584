"""The example page in a browser: Debian's Chromium, driven by playwright."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from untrained import untrained_model

from nardy_ai.export.web import export_web

CHROMIUM = shutil.which("chromium")
playwright = pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")]

ASKED = """async () => {
  const { open, openWorker } = await import("./nardy.js");
  const found = {};
  for (const kernels of ["simd", "plain"]) found[kernels] = await (await open({ kernels })).selfTest();
  const worker = await openWorker();
  const start = await worker.start();
  let frames = 0;
  let going = true;
  const tick = () => { frames++; if (going) requestAnimationFrame(tick); };
  tick();
  const best = [];
  for (const dice of [[3, 1], [6, 5], [2, 2]]) best.push((await worker.rank(start, dice, { plies: 3 }))[0]);
  found.plies = best.map((play) => play.plies);
  going = false;
  found.frames = frames;
  worker.close();
  return found;
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A file server that prints nothing."""

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    model = untrained_model("short/standard", tmp_path / "model.safetensors")
    export_web(model, tmp_path / "bundle")
    handler = functools.partial(Quiet, directory=tmp_path / "bundle")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_the_page_plays_and_never_freezes(address: str) -> None:
    told: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.goto(f"{address}example.html")
        page.wait_for_selector("#plays button")
        first = page.inner_text("#board")
        page.locator("#plays button").first.click()
        page.wait_for_function("before => document.getElementById('board').textContent !== before", arg=first)
        page.locator("#undo").click()
        page.wait_for_function("before => document.getElementById('board').textContent === before", arg=first)
        found: dict[str, Any] = page.evaluate(ASKED)
        browser.close()
    assert told == []
    assert found["simd"]["ok"] is True
    assert found["plain"]["ok"] is True
    assert max(found["plies"]) == 3
    assert found["frames"] > 10
