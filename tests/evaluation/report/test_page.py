"""The page of a run of 1,000 rounds: whole, self-contained, readable, and redrawn from what is stored."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import numpy as np
import pytest
from synthetic_run import (
    DOLLARS,
    EVIL,
    OPPONENTS,
    decisions_of,
    ladder_of,
    match_of,
    speed_of,
    synthetic_run,
)

from nardy_ai.core import InputError
from nardy_ai.evaluation.report import Report, gather, page, read_report, report_bytes, summary
from nardy_ai.evaluation.report.boards import worst_cards
from nardy_ai.evaluation.report.curves import envelope, rolling_mean, window_of
from nardy_ai.evaluation.report.record import FORMAT
from nardy_ai.evaluation.report.words import clipped, duration
from nardy_ai.training.machine import machine_facts

pytest.importorskip("matplotlib")

VOID = {"meta", "br", "link", "img", "hr", "input"}
ASKING = {"script", "link", "img", "iframe", "object", "embed", "video", "audio", "source", "base", "form"}


class Reader(HTMLParser):
    """Texts of a page, its tags and the texts of table cells; fails where tags do not close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """All parts, 1,000 rounds."""
    folder = tmp_path_factory.mktemp("runs")
    run = synthetic_run(folder / "run")
    own = run / "checkpoints" / "round-001000" / "model.safetensors"
    (run / "ladder.json").write_text(json.dumps(ladder_of(run, (950, 1000))))
    (folder / "d.json").write_text(json.dumps(decisions_of(own)))
    (folder / "s.json").write_text(json.dumps(speed_of()))
    start = {"round": 0, "device": "cpu", "workers": 2, "learner_threads": 1} | machine_facts()
    (run / "starts.jsonl").write_text(json.dumps(start | {"command": "nardy train 'my config.toml'"}) + "\n")
    return gather(run, machine_facts(), decisions=folder / "d.json", speed=folder / "s.json")


@pytest.fixture(scope="module")
def drawn(report: Report) -> str:
    return page(report)


@pytest.fixture(scope="module")
def reader(drawn: str) -> Reader:
    return Reader(drawn)


def test_the_page_asks_nothing_of_the_network_and_runs_nothing(drawn: str, reader: Reader) -> None:
    assert not {tag for tag, _ in reader.tags} & ASKING
    assert "://" not in drawn
    assert "@import" not in drawn
    assert all(place.startswith("#") for place in re.findall(r"url\((.*?)\)", drawn))
    for _, attributes in reader.tags:
        assert not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
        assert "src" not in attributes
    policy = dict(reader.tags)["meta"]
    assert policy is not None
    assert "default-src 'none'" in drawn


def test_names_are_escaped_in_text_and_in_plots(drawn: str, reader: Reader) -> None:
    assert "<script" not in drawn
    assert EVIL in reader.text
    # As it is, and not set as a formula.
    assert f"against {DOLLARS}" in reader.text


def test_every_strength_has_interval_pairs_opponent_and_seed(reader: Reader) -> None:
    for name in OPPONENTS:
        match = match_of(1000, name)
        ends = f"[{match['low']:+.3f}, {match['high']:+.3f}]"
        row = [name, f"{match['ppg']:+.3f}", ends, str(match["pairs"]), "11", "1,000"]
        row += [f"{100 * match['wins']:.1f} %", "160,000", "short/standard"]
        assert row in reader.rows
    # All rows of tables that show points or losses.
    shown = 0
    for head, rows in tables(reader):
        if not {"points", "loss"} & set(head) or "standard error" in head:
            continue
        column = head.index("95 % interval")
        for row in rows:
            shown += 1
            assert re.fullmatch(r"\[[-+]?[\d.]+, [-+]?[\d.]+\]|held there|no interval", row[column]), row
        assert {"pairs", "decisions"} & set(head)
    # Newest, first and last, all: 5 opponents (with itself) of 45 measurements; ladder 4, classes 3.
    assert shown == 5 + 10 + 45 + 4 + 3


def tables(reader: Reader) -> list[tuple[list[str], list[list[str]]]]:
    """Heads and rows of the tables, told apart by where a head begins."""
    starts = [i for i, (tag, _) in enumerate(reader.tags) if tag == "table"]
    found = []
    row = 0
    for start, end in zip(starts, [*starts[1:], len(reader.tags)], strict=True):
        count = sum(tag == "tr" for tag, _ in reader.tags[start:end])
        head, *rows = reader.rows[row : row + count]
        found.append((head, rows))
        row += count
    return found


def test_plots_are_inline_have_units_and_follow_the_pages_colours(drawn: str, reader: Reader) -> None:
    drawings = [attributes for tag, attributes in reader.tags if tag == "svg"]
    plots = [attributes["aria-label"] for attributes in drawings if "aria-label" in attributes]
    assert plots == [
        "Strength over games",
        "Strength over CPU time",
        "Ladder of the run",
        "Loss a decision by class",
        "Loss over games",
        "Speed of the run over games",
    ]
    for label in (
        "points a game",
        "games, thousands",
        "CPU time, minutes",
        "loss, nats a position",
        "games a second",
        "lost a decision, thousandths of a point",
        "points a game against greedy",
        "round of the run",
    ):
        assert label in reader.text, label
    # Boards name a colour only for a page that has none of its own.
    assert not re.findall(r"(?<!, )#[0-9a-f]{6}", drawn.split("</style>")[1])
    places = re.findall(r' id="([^"]+)"', drawn)
    assert len(places) == len(set(places))
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', drawn)) == set(places)
    # A thousand rounds are thinned: nothing has more points than a screen.
    assert max(path.count("L") for path in re.findall(r' d="([^"]+)"', drawn)) < 520
    assert len(drawn) < 400_000


def test_the_worst_decisions_are_boards_with_both_plays(report: Report, drawn: str) -> None:
    """Where the rules are not at hand the table alone tells them."""
    found = report.decisions
    assert found is not None and found.worst
    cards = worst_cards(found)
    assert cards in drawn
    assert cards.count("<svg") == cards.count('class="card"') == len(found.worst)
    for wrong in found.worst:
        assert f"{wrong.dice[0]}-{wrong.dice[1]}: {wrong.chosen}; better {wrong.best}" in cards
    assert worst_cards(msgspec.structs.replace(found, game="/elsewhere/my-rules.toml")) == ""


def test_how_it_was_made_is_told(reader: Reader) -> None:
    for text in (
        "nardy train 'my config.toml'",
        "on cpu, threads: 1; workers: 2",
        'name = "exact"',
        "51,234",
        "20,321",
        "plays/s",
        "avx2",
        "not known to be the model of this page",
    ):
        assert text in reader.text, text


def test_what_is_stored_draws_the_same_page(report: Report, drawn: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(report_bytes(report))
    assert page(read_report(path)) == drawn


def test_a_stored_page_of_another_kind_format_or_shape_is_refused(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    plain = json.loads(report_bytes(report))
    for change, said in (
        ({"format": FORMAT + 1}, f"a report of format {FORMAT + 1}"),
        ({"kind": "nardy ladder"}, "is no report"),
        ({"phases": 3}, "can't be read"),
        ({"rounds": plain["rounds"] | {"loss": [1.0]}}, "columns of unequal length"),
    ):
        path.write_text(json.dumps(plain | change))
        with pytest.raises(InputError, match=said):
            read_report(path)


def test_missing_parts_are_named_with_the_command_that_makes_them(tmp_path: Path) -> None:
    run = synthetic_run(tmp_path / "my run", 30, cpu=False)
    text = Reader(page(gather(run, machine_facts()))).text
    for command in ("nardy ladder '", "nardy bench decisions '", "nardy bench speed ", "nardy match '"):
        assert command in text, command
    assert "an older version made it" in text
    assert f"nardy ladder '{run}'" in text


def test_a_run_that_has_just_begun_has_a_page(tmp_path: Path) -> None:
    run = synthetic_run(tmp_path / "run", 0)
    text = Reader(page(gather(run, machine_facts()))).text
    assert "No round is over yet." in text
    for number in (1, 2):
        report = gather(synthetic_run(tmp_path / str(number), number), machine_facts())
        assert f"{number} of 1,000 rounds" in Reader(page(report)).text


def test_the_summary_fits_eighty_columns_and_has_every_newest_strength(report: Report) -> None:
    lines = summary(report).splitlines()
    assert max(map(len, lines)) <= 80
    for name in ("pubeval", "gnubg:0"):
        match = match_of(1000, name)
        (line,) = [line for line in lines if line.strip().startswith(name)]
        for text in (f"{match['ppg']:+.3f} [{match['low']:+.3f}, ", f"{match['pairs']} pairs, seed 11"):
            assert text in line


# --- thinning --------------------------------------------------------------------------------------------


def test_means_over_neighbours_are_those_of_a_plain_loop() -> None:
    values = np.random.default_rng(1).normal(size=37).tolist()
    means = rolling_mean(values, 5)
    for i in range(37):
        near = values[max(0, i - 2) : i + 3]
        assert means[i] == pytest.approx(sum(near) / len(near))
    assert window_of(1000) == 41
    assert window_of(10) == 1


def test_an_envelope_holds_every_value_in_few_stretches() -> None:
    values = np.random.default_rng(2).normal(size=1003)
    middles, low, high = envelope(range(1003), values.tolist(), 100)
    assert len(middles) == len(low) == len(high) == 100
    assert low.min() == values.min() and high.max() == values.max()
    assert (np.diff(middles) > 0).all() and (low <= high).all()
    assert envelope([3.0], [5.0], 100)[1].tolist() == [5.0]


def test_times_and_names_are_written_short() -> None:
    assert [duration(x) for x in (None, 59.4, 600, 7 * 3600, 86400 * 3)] == [
        "not logged",
        "59 s",
        "10 min",
        "7 h",
        "3 days",
    ]
    assert clipped("a" * 50 + "tail", 10) == "aaa…aatail"
