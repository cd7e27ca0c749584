"""What the C library answers to input that will not do: a status and one sentence, never a crash."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from nardy_library import (
    BAD_INPUT,
    NO_FILE,
    Board,
    Layer,
    Library,
    LibraryError,
    Message,
    Play,
    Player,
    Position,
    Value,
    position,
)
from random_nets import SHORT, random_layers

from nardy_ai import core


@dataclass
class Here:
    """Good handles and places for everything, of which a test spoils one."""

    library: Library
    rules: int
    other_rules: int
    model: int
    search: int
    start: Position
    layers: Any
    arrays: list[np.ndarray]

    def refused(self, name: str, *arguments: Any) -> str:
        """The sentence with which a call refuses its input."""
        with pytest.raises(LibraryError) as caught:
            self.library.call(name, *arguments)
        assert caught.value.status == BAD_INPUT
        return str(caught.value)


@pytest.fixture(scope="module")
def here(library: Library) -> Iterator[Here]:
    rules = library.rules("family = short")
    arrays = [array for layer in random_layers(SHORT, [16], 1) for array in layer]
    pairs = zip(arrays[::2], arrays[1::2], strict=True)
    layers = (Layer * 2)(*(Layer(w.shape[1], w.shape[0], w.ctypes.data, b.ctypes.data) for w, b in pairs))
    model = library.made("model_create", rules, b"short-1", layers, 2, None, 0, None, 0, None)
    start = Position()
    library.call("start", rules, c.byref(start))
    yield Here(
        library,
        rules,
        library.rules("family = long"),
        model,
        library.made("search_create", model, 0, 0),
        start,
        layers,
        arrays,
    )


def handle() -> Any:
    return c.byref(c.c_void_p(12345))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "options begin with 'family"),
        ("checkers = 3", "options begin with 'family"),
        ("family = wide", "options begin with 'family"),
        ("family", "not 'name = value'"),
        ("family = long\nhead = true", "unknown rule option 'head'"),
        ("family = long\nhead_rule = yes", "head_rule cannot be 'yes': write true or false"),
        ("family = long\nblock = some", "block cannot be 'some'"),
        ("family = long\nchecKers = 3", "unknown rule option 'checKers'"),
        ("family = long\ncheckers = 16", "checkers cannot be '16'"),
        ("family = long\ncheckers = -1", "checkers cannot be '-1'"),
        ("family = long\ncheckers = 99999999999999999999", "checkers cannot be"),
        ("family = long\ncheckers = 3", "do not add up"),
        ("family = long;checkers = 3;start = 24:3;start = 24:3", "start is given twice"),
        ("family = long;family = long", "family is given twice"),
        ("family = long\nstart = 24:16", "start cannot be"),
        ("family = long\nstart = 25:15", "start cannot be"),
        ("family = long\nstart = 24:8 24:7", "start cannot be"),
        ("family = long\nstart = 24", "start cannot be"),
        ("family = long\nscores = gammon:2", "scores cannot be 'gammon'"),
        ("family = long\nscores = oin:0", "scores cannot be 'oin'"),
        ("family = long\nscores = oin:nan", "scores cannot be 'oin'"),
        ("family = long\nscores = oin:1e3", "scores cannot be 'oin'"),
        ("family = long\nscores = oin:1 oin:1", "scores cannot be 'oin'"),
        ("family = long\nscores = mars:2", "plain win"),
        ("family = long\nscores = oin:3 mars:2", "scores less"),
        ("family = short\nlast_roll = true", "belongs to the long family"),
        ("family = long\nhit_and_run_home = true", "belongs to the short family"),
        ("family = long\n" + "x" * 100 + " = 1", "too long"),
        ("family = long\nstart = " + "1" * 600, "too long"),
    ],
)
def test_options_that_will_not_do(here: Here, options: str, said: str) -> None:
    assert said in here.refused("rules_create", options.encode(), handle())


def test_options_may_be_written_in_any_spacing(here: Here) -> None:
    rules = here.library.rules(" family=long ;\r\n\n  checkers =2\t; start = \t24:1  23:1 ;scores=oin:0.5")
    text = c.create_string_buffer(2000)
    here.library.call("rules_text", rules, text, 2000, None)
    assert "start = 24:1 23:1\nscores = oin:0.5\n" in text.value.decode()
    here.library.call("rules_destroy", rules)


def test_a_handle_that_cannot_be_made_is_null(here: Here) -> None:
    place = c.c_void_p(12345)
    here.refused("rules_create", b"family = odd", c.byref(place))
    assert place.value is None


def spoiled(change: Callable[[Position], None]) -> Callable[[Here], Position]:
    def make(here: Here) -> Position:
        found = Position.from_buffer_copy(here.start)
        change(found)
        return found

    return make


def set_count(row: int, column: int, count: int) -> Callable[[Position], None]:
    return lambda place: place.board.row[row].__setitem__(column, count)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (spoiled(set_count(0, 0, 1)), "row 0 do not add up"),
        (spoiled(set_count(1, 5, -128)), "count below 0"),
        (spoiled(set_count(0, 5, 127)), "above the number"),
        (spoiled(lambda place: setattr(place, "seat", 2)), "seat must be 0"),
        (spoiled(lambda place: setattr(place, "turns", 255)), "turns must lie"),
        (lambda here: Position(), "do not add up"),
    ],
)
def test_positions_that_will_not_do_are_refused_everywhere(
    here: Here, make: Callable[[Here], Position], said: str
) -> None:
    bad, board, found = make(here), Board(), Position()
    value, play, count, dice = Value(), Play(), c.c_size_t(), (3, 1)
    inputs = (c.c_float * 300)()
    for name, *arguments in (
        ("check", here.rules, bad),
        ("result", here.rules, bad, c.byref(c.c_int())),
        ("list_plays", here.rules, bad, *dice, handle(), c.byref(count)),
        ("next", here.rules, bad, board, found),
        ("encode", here.rules, b"short-1", bad, inputs, 300),
        ("evaluate", here.search, bad, 1, 0, value),
        ("evaluate", here.search, bad, 1, 2, value),
        ("net", here.search, bad, 1, value),
        ("rank", here.search, bad, *dice, 0, handle(), c.byref(count)),
        ("choose", here.search, bad, *dice, 0, play),
    ):
        assert said in here.refused(name, *arguments), name


def test_a_bad_position_among_many_is_named(here: Here) -> None:
    many = (Position * 3)(here.start, here.start, Position())
    assert here.refused("evaluate", here.search, many, 3, 0, (Value * 3)()).startswith("position 2: bad")


def test_a_position_of_another_game_is_refused(here: Here) -> None:
    on_the_bar = Position.from_buffer_copy(here.start)
    on_the_bar.board.row[0][23], on_the_bar.board.row[0][24] = 1, 1
    here.library.call("check", here.rules, on_the_bar)
    assert "long nardy has no bar" in here.refused("check", here.other_rules, on_the_bar)


def test_a_finished_game_has_nothing_to_play(here: Here) -> None:
    board = np.zeros((2, 26), np.int8)
    board[1, 25], board[0, 0] = 15, 15
    over, play, count = position(board), Play(), c.c_size_t()
    for name, *arguments in (
        ("list_plays", here.rules, over, 1, 1, handle(), c.byref(count)),
        ("rank", here.search, over, 1, 1, 0, handle(), c.byref(count)),
        ("choose", here.search, over, 1, 1, 0, play),
        ("next", here.rules, over, over.board, Position()),
    ):
        assert "the game is over" in here.refused(name, *arguments)


@pytest.mark.parametrize("dice", [(0, 1), (1, 7), (-1, 3), (2**31 - 1, 1)])
def test_dice_lie_between_1_and_6(here: Here, dice: tuple[int, int]) -> None:
    count, play = c.c_size_t(), Play()
    for name, *arguments in (
        ("list_plays", here.rules, here.start, *dice, handle(), c.byref(count)),
        ("rank", here.search, here.start, *dice, 0, handle(), c.byref(count)),
        ("choose", here.search, here.start, *dice, 0, play),
    ):
        assert "between 1 and 6" in here.refused(name, *arguments)


@pytest.mark.parametrize("plies", [-1, 4, 2**31 - 1, -(2**31)])
def test_plies_lie_between_0_and_3(here: Here, plies: int) -> None:
    count, play, value = c.c_size_t(), Play(), Value()
    net, luck = Player(here.model, plies), Player(None, 0)
    outcomes = (c.c_int8 * 2)()
    for name, *arguments in (
        ("evaluate", here.search, here.start, 1, plies, value),
        ("rank", here.search, here.start, 3, 1, plies, handle(), c.byref(count)),
        ("choose", here.search, here.start, 3, 1, plies, play),
        ("duel", here.rules, net, luck, 1, 0, 1, 10, outcomes, None),
    ):
        assert f"plies cannot be {plies}" in here.refused(name, *arguments)


def test_what_is_needed_may_not_be_null(here: Here) -> None:
    count, value, play, found = c.c_size_t(), Value(), Play(), Position()
    inputs, dice, outcomes = (c.c_float * 300)(), (c.c_int * 2)(), (c.c_int8 * 2)()
    luck = Player(None, 0)
    good: list[tuple[Any, ...]] = [
        ("rules_create", b"family = long", handle()),
        ("rules_text", here.rules),
        ("start", here.rules, found),
        ("check", here.rules, here.start),
        ("result", here.rules, here.start, c.byref(c.c_int())),
        ("list_plays", here.rules, here.start, 3, 1, handle(), c.byref(count)),
        ("next", here.rules, here.start, here.start.board, found),
        ("dice", here.rules, 1, 1, 1, dice),
        ("encode", here.rules, b"short-1", here.start, inputs, 300),
        ("model_create", here.rules, b"short-1", *[here.layers, 2] * 3, None, handle()),
        ("model_load", b"/nowhere", here.rules, None, handle()),
        ("model_read", b"x", 1, here.rules, None, handle()),
        ("tables_create", here.rules, handle()),
        ("search_create", here.model, 0, 0, handle()),
        ("evaluate", here.search, here.start, 1, 0, value),
        ("net", here.search, here.start, 1, value),
        ("rank", here.search, here.start, 3, 1, 0, handle(), c.byref(count)),
        ("choose", here.search, here.start, 3, 1, 0, play),
        ("duel", here.rules, luck, luck, 1, 0, 1, 10, outcomes, None),
    ]
    optional = {("model_load", 1), ("model_read", 2)}
    tried = 0
    for name, *arguments in good:
        for i, argument in enumerate(arguments):
            if (isinstance(argument, int) and argument < 10**6) or argument is None or (name, i) in optional:
                continue
            spoiled = [*arguments[:i], None, *arguments[i + 1 :]]
            if name == "rules_text":
                spoiled += [None, 0, None]
            assert "is NULL, but it is needed" in here.refused(name, *spoiled), (name, i)
            tried += 1
    assert tried > 40
    for name in ("rules_use_seat", "rules_use_turns", "outcome_count", "encoding_inputs"):
        assert here.library.call(name, None) == 0
    for name in ("encoding_for", "model_rules", "model_encoding", "model_kernels"):
        assert here.library.call(name, None) is None
    for name in ("free", "rules_destroy", "model_destroy", "search_destroy", "tables_destroy"):
        here.library.call(name, None)
    assert here.library.call("outcome_name", None, 0) is None
    assert here.library.call("outcome_points", None, 0) == 0


def test_a_message_is_written_only_where_it_is_wanted(here: Here) -> None:
    function = here.library._library.nardy_check
    assert function(here.rules, c.byref(Position()), None) == BAD_INPUT
    message = Message()
    assert function(here.rules, c.byref(here.start), c.byref(message)) == 0
    assert message.text == b""


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        (b"\xff\x80", "??"),
        (b"\xd0\xb1\xd0", "б?"),
        (b"a\x1bb\tc", "a?b?c"),
        (b"\xed\xa0\x80\xc0\x80\xf4\x90\x80\x80", "?" * 9),
        (b"\xe2\x82\xac\xf0\x9f\x8e\xb2", "€🎲"),
        (b"\xd0\xb1" * 25, "б" * 20),
    ],
)
def test_messages_are_text_whatever_they_quote(here: Here, word: bytes, shown: str) -> None:
    assert here.refused("rules_create", b"family = long\n" + word + b" = 1", handle()).endswith(f"'{shown}'")


def test_arguments_past_the_ends(here: Here) -> None:
    library = here.library
    for outcome in (-1, 6, 2**31 - 1, -(2**31)):
        assert library.call("outcome_name", here.rules, outcome) is None
        assert library.call("outcome_points", here.rules, outcome) == 0
    assert library.call("encoding_inputs", b"short-9") == 0
    inputs = (c.c_float * 300)()
    assert "room for 195" in here.refused("encode", here.rules, b"short-1", here.start, inputs, 195)
    assert "unknown encoding" in here.refused("encode", here.rules, b"", here.start, inputs, 300)
    assert "other family" in here.refused("encode", here.rules, b"long-1", here.start, inputs, 300)
    text = c.create_string_buffer(10)
    assert "room is 10" in here.refused("rules_text", here.rules, text, 10, None)
    assert "filters cannot be 2" in here.refused("search_create", here.model, 2, 0, handle())
    assert "64 GiB" in here.refused("search_create", here.model, 0, 2**64 - 1, handle())


def test_nets_that_will_not_do(here: Here) -> None:
    def said(layers: Any, count: int, encoding: bytes = b"short-1", kernels: bytes | None = None) -> str:
        rest = (None, 0, None, 0, kernels, handle())
        return here.refused("model_create", here.rules, encoding, layers, count, *rest)

    def with_layer(**fields: Any) -> Any:
        layers = (Layer * 2)(*here.layers)
        for name, value in fields.items():
            setattr(layers[0], name, value)
        return layers

    assert "at least one hidden layer" in said(here.layers, 0)
    assert "at least one hidden layer" in said(here.layers, 1)
    assert "at most 16 layers" in said(here.layers, 17)
    assert "at most 16 layers" in said(here.layers, 2**64 - 1)
    assert "1 to 4096" in said(with_layer(outputs=-1), 2)
    assert "1 to 4096" in said(with_layer(outputs=2**31 - 1), 2)
    assert "1 to 4096" in said(with_layer(inputs=0), 2)
    assert "differ from the encoding's" in said(with_layer(inputs=195), 2)
    assert "differ from the outputs" in said(with_layer(outputs=15), 2)
    assert "weight is NULL" in said(with_layer(weight=None), 2)
    assert "bias is NULL" in said(with_layer(bias=None), 2)
    assert "unknown encoding" in said(here.layers, 2, b"short-9")
    assert "other family" in said(here.layers, 2, b"long-1")
    assert "does not run the kernels 'magic'" in said(here.layers, 2, kernels=b"magic")
    for number in (np.nan, np.inf, -np.inf, 1e7):
        for array in here.arrays:
            kept, array.flat[-1] = array.flat[-1], number
            assert "not a finite number" in said(here.layers, 2)
            array.flat[-1] = kept


def test_a_net_of_other_outcomes_is_refused(here: Here) -> None:
    rules = here.library.rules("family = short\nscores = single:1 gammon:2")
    arguments = (rules, b"short-1", here.layers, 2, *[None, 0] * 2, None, handle())
    assert "6 outputs, there are 4 outcomes" in here.refused("model_create", *arguments)
    player, luck = Player(here.model, 0), Player(None, 0)
    outcomes = (c.c_int8 * 2)()
    assert "held under other rules" in here.refused(
        "duel", rules, luck, player, 1, 0, 1, 10, outcomes, None
    )
    here.library.call("rules_destroy", rules)


def test_duels_that_will_not_do(here: Here) -> None:
    luck, outcomes = Player(None, 0), (c.c_int8 * 2)()
    assert "no model to look ahead" in here.refused(
        "duel", here.rules, luck, Player(None, 1), 1, 0, 1, 10, outcomes, None
    )
    assert "max_turns is 0" in here.refused("duel", here.rules, luck, luck, 1, 0, 1, 0, outcomes, None)
    here.library.call("duel", here.rules, luck, luck, 1, 0, 0, 10, None, None)
    here.library.call("duel", here.rules, luck, luck, 1, 0, 1, 3, outcomes, None)
    assert list(outcomes) == [-1, -1]


def test_a_board_that_cannot_follow_is_refused(here: Here) -> None:
    assert "do not add up" in here.refused("next", here.rules, here.start, Board(), Position())


def test_a_file_that_is_not_there(here: Here, tmp_path: Any) -> None:
    for path in (tmp_path / "none.nardynet", tmp_path):
        with pytest.raises(LibraryError) as caught:
            here.library.call("model_load", str(path).encode(), None, None, handle())
        assert caught.value.status == NO_FILE
        assert str(path)[:40] in str(caught.value)


def test_no_positions_are_judged_without_complaint(here: Here) -> None:
    here.library.call("evaluate", here.search, None, 0, 0, None)
    assert core.kernels()[0].encode() == here.library.call("model_kernels", here.model)
