"""Programs that speak the line protocol: what they are told, may answer, and can do wrong."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from bots.processes import children, ends

import nardy_ai as nardy
from nardy_ai.bots import OutsideError, ProgramBot
from nardy_ai.evaluation import BotFault
from nardy_ai.rules import profile_names

FAKE = Path(__file__).with_name("fake_bot.py")
EXAMPLES = Path(__file__).parents[2] / "examples" / "bots"
PROTOCOL = (Path(__file__).parents[2] / "docs" / "bot-protocol.md").read_text(encoding="utf-8")
PYTHON_EXAMPLE = f"{shlex.quote(sys.executable)} -I -S {shlex.quote(str(EXAMPLES / 'random_bot.py'))}"


def fake(what: str, patience: float = 20.0) -> ProgramBot:
    return ProgramBot(shlex.join([sys.executable, "-I", "-S", str(FAKE), what]), patience)


def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed")
    return found


def test_the_python_example_plays_every_profile() -> None:
    bot = ProgramBot(PYTHON_EXAMPLE)
    for name in profile_names():
        result = nardy.match(bot, nardy.bot("greedy"), name, pairs=1, seed=3)
        assert result.pairs == 1 and result.cut == 0
    bot.close()


def test_the_javascript_example_plays_as_the_first_of_the_list() -> None:
    bot = ProgramBot(shlex.join([node(), str(EXAMPLES / "first_bot.js")]))
    for name in ("long", "short"):
        game = nardy.Game(name)
        for dice in ((3, 1), (6, 6)):
            assert bot.choose(game.start(), dice) == game.plays(game.start(), dice)[0]
    assert nardy.match(bot, nardy.bot("random"), "long", pairs=2).pairs == 2
    bot.close()


def test_the_examples_of_the_document_are_the_files() -> None:
    for name in ("random_bot.py", "first_bot.js"):
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        assert text in PROTOCOL and len(text.splitlines()) <= 20


def test_any_number_of_threads_plays_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["nardy_ai.evaluation.match"], "MIXED_SLICE", 2)
    before, bot = children(), ProgramBot(PYTHON_EXAMPLE)

    def played(threads: int) -> dict[str, object]:
        found = nardy.match(
            bot, nardy.bot("random"), "short/hypergammon", pairs=16, seed=5, threads=threads
        )
        assert len(children() - before) == threads
        return found.as_dict()

    assert played(1) == played(2) == played(4)
    bot.close()
    assert children() <= before


def test_lots_hang_on_seed_pair_seat_and_turn() -> None:
    bot, game = ProgramBot(PYTHON_EXAMPLE), nardy.Game("short")
    keys = [(1, 0, 0), (1, 0, 0), (1, 0, 1), (1, 1, 0), (2, 0, 0)]

    def boards(seat: int) -> list[bytes]:
        n = len(keys)
        chosen = bot.choose_boards(
            game,
            np.repeat(game.start().board[None], n, axis=0),
            np.full((n, 2), (6, 5), dtype=np.uint8)[:, ::-1],
            np.full(n, seat, dtype=np.uint8),
            np.zeros(n, dtype=np.uint8),
            np.array(keys, dtype=np.uint64),
        )
        return [board.tobytes() for board in chosen]

    first, second = boards(0), boards(1)
    assert first[0] == first[1] and len(set(first)) > 1
    assert first != second
    assert boards(0) == first
    bot.close()


@pytest.mark.parametrize("what", ["boards", "crlf", "works", "chatters"])
def test_answers_in_other_forms_are_the_same_play(what: str) -> None:
    bot = fake(what)
    for name in ("long", "short"):
        game = nardy.Game(name)
        for dice in ((3, 1), (6, 6), (5, 2), (4, 4)):
            assert bot.choose(game.start(), dice) == game.plays(game.start(), dice)[-1]
    bot.close()


def test_a_play_written_by_hand_is_understood(tmp_path: Path) -> None:
    script = (EXAMPLES / "random_bot.py").read_text(encoding="utf-8")
    path = tmp_path / "by_hand.py"
    path.write_text(script.replace("plays[lot % len(plays)]", "'6/5 8/5'"), encoding="utf-8")
    bot = ProgramBot(shlex.join([sys.executable, str(path)]))
    game = nardy.Game("short")
    assert bot.choose(game.start(), (3, 1)).notation == "8/5 6/5"
    bot.close()


def test_what_a_program_is_told(tmp_path: Path) -> None:
    script, log = (EXAMPLES / "random_bot.py").read_text(encoding="utf-8"), tmp_path / "log"
    head = "for line in sys.stdin:\n"
    path = tmp_path / "recorded.py"
    recorded = script.replace(head, f"{head}    open({str(log)!r}, 'a').write(line)\n")
    path.write_text(recorded, encoding="utf-8")
    bot, game = ProgramBot(shlex.join([sys.executable, str(path)]), 7.5), nardy.Game("short")
    pos = game.position("4HPwATDgc/ABMA:1:2")
    bot.choose(pos, (1, 3))
    bot.choose(pos, (2, 2))
    bot.close()
    told = log.read_text(encoding="utf-8").splitlines()
    assert told[:3] == ["nardy 1", "game short/standard", 'rule family "short"']
    assert "rule start [0,0,0,0,0,5,0,3,0,0,0,0,5,0,0,0,0,0,0,0,0,0,0,2]" in told
    assert "outcome lose_backgammon -3" in told
    first, second = told.index("turn 1"), told.index("turn 2")
    assert told[first - 2 : first] == ["seconds 7.5", "ready"]
    start = "0 0 0 0 0 5 0 3 0 0 0 0 5 0 0 0 0 0 0 0 0 0 0 2 0 0"
    assert told[first + 1 : first + 4] == [f"position {pos.key}", f"board {start} {start}", "dice 3 1"]
    assert told[first + 4].startswith("lot ") and 0 <= int(told[first + 4][4:]) < 2**53
    expected = []
    for play in game.plays(pos, (3, 1)):
        expected += [f"play {play.notation}", "after " + " ".join(str(n) for n in play.board.ravel())]
    assert told[first + 5 : second] == [*expected, "go"]
    assert "play 8/5 6/5" in expected
    assert told[second + 3] == "dice 2 2" and told[-2:] == ["go", "quit"]


WRONG = [
    ("hangs", 0.5, r"gave no answer in 0\.5 s and was stopped"),
    ("late", 0.5, r"gave no answer in 0\.5 s and was stopped"),
    ("drips", 0.5, r"gave no answer in 0\.5 s and was stopped"),
    ("dies", 20, r"ended with code 3; it said: pid \d+"),
    ("crashes", 20, r"was ended by signal 11"),
    ("breaks off", 20, r"broke off at b'play 3 8/'"),
    ("closes", 20, r"closed its output"),
    ("noise before", 20, r"answered 'thinking…', and must answer 'play 3 \S+"),
    ("noise after", 20, r"(wrote b'that was easy\\n' without being asked|answered 'that was easy')"),
    ("long line", 20, r"wrote a line of more than 4096 bytes: b'play 3 8/5 8/5 .*…"),
    ("floods", 20, r"answered 'la la .*…, and must answer|wrote b'la la"),
    ("latin", 20, r"wrote b'play 3 \\xff\\xfe\\n', which is not UTF-8"),
    ("illegal", 20, r"chose a play that can't be made: '24/off' is not legal with \d-\d"),
    ("unreadable", 20, r"chose a play that can't be made: cannot read 'left a bit'"),
    ("illegal board", 20, r"chose a play that is not legal"),
    ("no board", 20, r"answered the board '1 2 3', which is not 52 numbers"),
    ("wrong turn", 20, r"answered 'play 2 .*', and must answer 'play 3 "),
    ("empty", 20, r"answered '', and must answer 'play 3 "),
]


@pytest.mark.parametrize(("what", "patience", "message"), WRONG, ids=[case[0] for case in WRONG])
def test_a_program_that_goes_wrong_is_told_with_all_that_replays_it(
    what: str, patience: float, message: str
) -> None:
    before, bot = children(), fake(what)
    bot.player(nardy.Game("short"))
    # Only from here on time is short: the program has been started.
    bot._crew._free[0]._process.patience = patience
    with pytest.raises(BotFault, match=message) as fault:
        nardy.match(bot, nardy.bot("random"), "short", pairs=2, seed=77)
    told = str(fault.value)
    asked = re.search(r"it was asked for (\d)-(\d) at (\S{14}:[01]:[0-3]) of short/standard", told)
    assert asked is not None, told
    assert nardy.Game("short").position(asked[3]).result is None
    place = re.search(r"failed in turn \d+ of pair ([01]), seed 77: program:.*; to see it again: (.*)", told)
    assert place is not None, told
    words = shlex.split(place[2])
    assert words[:3] == ["nardy", "match", bot.name]
    assert words[-4:] == ["--seed", "77", "--pairs", str(int(place[1]) + 1)]
    assert all(ends(int(pid)) for pid in re.findall(r"pid (\d+)", told))
    assert children() <= before


def test_the_same_fault_comes_again_by_the_command_that_is_told() -> None:
    def fault() -> str:
        bot = fake("illegal")
        with pytest.raises(BotFault) as told:
            nardy.match(bot, nardy.bot("random"), "long", pairs=2, seed=9)
        return re.sub(r"pid \d+", "", str(told.value))

    assert fault() == fault()


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("old", "speaks version 0 of the protocol, and 1 is spoken here"),
        ("nameless", "has no name of 1 to 80 letters"),
        ("long name", "has no name of 1 to 80 letters"),
        ("stranger", r"answered 'hello\?' to the greeting, and must answer 'nardy 1 ITS NAME'"),
        ("silent", r"gave no answer in 0\.5 s"),
        ("unready", r"answered 'what\?' to the rules of short/standard, and must answer 'ready'"),
    ],
)
def test_a_wrong_greeting_is_told_before_the_match(what: str, message: str) -> None:
    before = children()
    with pytest.raises(OutsideError, match=message):
        nardy.match(fake(what, 0.5 if what == "silent" else 20), nardy.bot("random"), "short", pairs=1)
    assert children() <= before


def test_a_program_may_refuse_a_game() -> None:
    bot = fake("refuses")
    with pytest.raises(nardy.InputError, match="does not play long/fns: 'I know backgammon alone'"):
        nardy.match(bot, nardy.bot("random"), "long", pairs=1)
    bot.close()
    assert nardy.match(bot, nardy.bot("random"), "short", pairs=1).pairs == 1
    bot.close()


def test_a_new_program_is_started_after_a_fault() -> None:
    bot, game = fake("dies"), nardy.Game("short")
    for _ in range(2):
        bot.choose(game.start(), (3, 1))
    with pytest.raises(OutsideError, match="ended with code 3"):
        bot.choose(game.start(), (3, 1))
    assert bot.choose(game.start(), (3, 1)) in game.plays(game.start(), (3, 1))
    bot.close()


def test_a_program_that_died_between_two_questions_is_told_at_once() -> None:
    bot, game = fake("works"), nardy.Game("short")
    bot.choose(game.start(), (3, 1))
    bot._crew._free[0]._process._process.kill()
    bot._crew._free[0]._process._process.wait()
    with pytest.raises(OutsideError, match="was ended by signal 9"):
        bot.choose(game.start(), (3, 1))


def test_whatever_interrupts_a_question_ends_the_program() -> None:
    # Its answer would be taken for that to the next question.
    before, bot = children(), fake("works")
    bot.choose(nardy.Game("short").start(), (3, 1))
    with pytest.raises(KeyboardInterrupt), bot._crew.one() as program:
        raise KeyboardInterrupt
    assert not program._process.running() and children() <= before
    assert not bot._crew._free and not bot._crew._asked


def test_closing_does_not_wait_for_an_answer() -> None:
    bot, game = fake("hangs", 60), nardy.Game("short")
    for _ in range(2):
        bot.choose(game.start(), (3, 1))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(bot.choose, game.start(), (3, 1))
        while not bot._crew._asked:
            time.sleep(0.01)
        started = time.monotonic()
        bot.close()
        with pytest.raises(OutsideError, match="was ended by signal 9"):
            asked.result()
        assert time.monotonic() - started < 10


def test_a_fault_in_one_thread_ends_what_the_others_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["nardy_ai.evaluation.match"], "MIXED_SLICE", 1)
    before, bot, dying = children(), fake("hangs", 60), fake("dies")
    started = time.monotonic()
    # The first process that is started hangs; whoever comes second gets one that dies.
    bot._crew._start = lambda: (fake("hangs", 60) if not bot._crew._asked else dying)._started()
    with pytest.raises(BotFault, match="ended with code 3"):
        nardy.match(bot, nardy.bot("random"), "short", pairs=2, threads=2)
    assert time.monotonic() - started < 20
    assert children() <= before


@pytest.mark.parametrize("what", ["works", "stays", "has a child"])
def test_closing_ends_the_program_and_its_children(what: str) -> None:
    before, bot = children(), fake(what)
    bot.choose(nardy.Game("long").start(), (3, 1))
    said = bot._crew._free[0]._process._tail.text()
    pids = [int(pid) for pid in re.findall(r"pid (\d+)", said)]
    assert len(pids) == 1 + (what == "has a child")
    bot.close()
    assert all(ends(pid, 0.5) for pid in pids)
    assert children() <= before


def test_the_hash_hangs_on_the_command_and_on_its_files(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    hashes = []
    for text in ("one", "two"):
        script = tmp_path / f"{text}.py"
        script.write_text(text, encoding="utf-8")
        hashes.append(ProgramBot(shlex.join([sys.executable, str(script)])).fingerprint)
    assert len(set(hashes)) == 2
    assert ProgramBot(shlex.join([sys.executable, str(script)])).fingerprint == hashes[1]
    assert ProgramBot(shlex.join([sys.executable, str(script), "-v"])).fingerprint != hashes[1]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "needs a command line behind the colon"),
        ("no-such-program --fast", "there is no program 'no-such-program' to be started"),
        ("python 'bot.py", "can't be read: No closing quotation"),
        (str(EXAMPLES / "random_bot.py"), r"is not executable: .* such as program:python .*random_bot\.py"),
    ],
)
def test_a_command_line_that_can_not_be_started(command: str, message: str) -> None:
    with pytest.raises(nardy.InputError, match=message):
        ProgramBot(command)


def test_a_file_that_is_no_program_says_so(tmp_path: Path) -> None:
    path = tmp_path / "bot"
    path.write_bytes(b"\x7fnot a program")
    path.chmod(0o755)
    with pytest.raises(OutsideError, match=r"ended with code 127; it said: .*bot: Exec format error"):
        nardy.match(ProgramBot(str(path)), nardy.bot("random"), "short", pairs=1)
