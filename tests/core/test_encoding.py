"""What a net sees: golden vectors, and one definition for every reader."""

import numpy as np
import pytest
from random_nets import FAMILIES, game_positions

from nardy_ai import core

SIZES = {
    "short-1": 196,
    "long-1": 194,
    "long-1-seat": 195,
    "short-2": 196 + 2 * 101,
    "long-2": 194 + 2 * 89,
    "long-2-seat": 195 + 2 * 89,
    "short-3": 196 + 2 * 101 + 2 * 38,
    "long-3": 194 + 2 * 89 + 2 * 75,
    "long-3-seat": 195 + 2 * 89 + 2 * 75,
}


def test_the_known_encodings_and_their_sizes():
    assert {name: core.encoding_table(name).inputs for name in core.encodings()} == SIZES


def lit(vector) -> dict[int, float]:
    return {int(i): round(float(vector[i]), 4) for i in np.flatnonzero(vector)}


def board(mine: dict[int, int], his: dict[int, int]) -> np.ndarray:
    """Points as keys (own points of each side), 25 the bar, 0 off."""
    counts = np.zeros((1, 2, 26), np.int8)
    for row, points in enumerate((mine, his)):
        for point, count in points.items():
            counts[0, row, 25 if point == 0 else point - 1] = count
    return counts


# Each point has four inputs: number 4 * (point - 1) and the three after it; 96 the bar, 97 off; the other
# player's start at 98 (long nardy has no bar: 96 off, 97 the other player's first).
GOLDEN = [
    (
        "short-1",
        {24: 2, 13: 5, 8: 3, 6: 5},
        {24: 2, 13: 5, 8: 3, 6: 5},
        0,
        {
            21: 1,
            22: 1,
            23: 1,
            29: 1,
            30: 1,
            49: 1,
            50: 1,
            51: 1,
            93: 1,
            119: 1,
            120: 1,
            121: 1,
            127: 1,
            128: 1,
            147: 1,
            148: 1,
            149: 1,
            191: 1,
        },
    ),
    ("short-1", {1: 1, 25: 2, 0: 12}, {5: 15}, 0, {0: 1, 96: 1, 97: 0.8, 115: 1, 116: 1, 117: 6}),
    ("short-1", {2: 4, 0: 11}, {25: 1, 0: 14}, 0, {5: 1, 6: 1, 7: 0.5, 97: 0.7333, 194: 0.5, 195: 0.9333}),
    ("long-1", {24: 15}, {24: 15}, 1, {92: 1, 93: 1, 94: 1, 95: 3, 189: 1, 190: 1, 191: 1, 192: 3}),
    ("long-1-seat", {24: 15}, {24: 15}, 0, {92: 1, 93: 1, 94: 1, 95: 3, 189: 1, 190: 1, 191: 1, 192: 3}),
    (
        "long-1-seat",
        {24: 15},
        {24: 15},
        1,
        {92: 1, 93: 1, 94: 1, 95: 3, 189: 1, 190: 1, 191: 1, 192: 3, 194: 1},
    ),
    (
        "long-1",
        {1: 1, 0: 14},
        {2: 2, 3: 3, 4: 4, 0: 6},
        0,
        {
            0: 1,
            96: 0.9333,
            101: 1,
            102: 1,
            105: 1,
            106: 1,
            107: 1,
            109: 1,
            110: 1,
            111: 1,
            112: 0.25,
            193: 0.4,
        },
    ),
    ("short-1", {7: 3, 0: 12}, {7: 2, 0: 13}, 0, {25: 1, 26: 1, 97: 0.8, 123: 1, 195: 0.8667}),
    ("short-1", {0: 14, 25: 1}, {1: 1, 0: 14}, 0, {96: 0.5, 97: 0.9333, 98: 1, 195: 0.9333}),
    ("long-1", {6: 1, 0: 14}, {6: 1, 0: 14}, 0, {20: 1, 96: 0.9333, 117: 1, 193: 0.9333}),
    ("long-1", {13: 2, 0: 13}, {24: 1, 0: 14}, 0, {48: 1, 49: 1, 96: 0.8667, 189: 1, 193: 0.9333}),
    (
        "short-1",
        {13: 8, 0: 7},
        {13: 9, 0: 6},
        0,
        {49: 1, 50: 1, 51: 2.5, 97: 0.4667, 147: 1, 148: 1, 149: 3, 195: 0.4},
    ),
]


@pytest.mark.parametrize(("encoding", "mine", "his", "seat", "expected"), GOLDEN)
def test_hand_checked_vectors(encoding, mine, his, seat, expected):
    vector = core.encode(encoding, board(mine, his), np.array([seat], np.uint8))[0]
    assert lit(vector) == expected


@pytest.mark.parametrize("family", FAMILIES)
def test_the_table_gives_what_encode_gives(family):
    """Exports are built from the table, training and the engine use encode: both are one (field bug B18)."""
    rules = FAMILIES[family]
    boards, seats, _ = game_positions(rules, 6)
    name = core.encoding_name(rules)
    table = core.encoding_table(name)
    built = np.zeros((len(boards), table.inputs), np.float32)
    for row in range(2):
        for column in range(26):
            for unit in range(4):
                at = table.index[row, column, unit]
                if at >= 0:
                    built[:, at] = table.value[row, column, boards[:, row, column], unit]
    if table.seat_input >= 0:
        built[:, table.seat_input] = seats
    np.testing.assert_array_equal(built, core.encode(name, boards, seats))


def test_turning_the_board_swaps_the_halves():
    boards, seats, _ = game_positions(FAMILIES["short"], 4)
    seen = core.encode("short-1", boards, seats)
    turned = core.encode("short-1", boards[:, ::-1], seats)
    np.testing.assert_array_equal(np.hstack([seen[:, 98:], seen[:, :98]]), turned)


def test_an_encoding_that_sees_the_seat_demands_it():
    with pytest.raises(core.InputError, match="give seats"):
        core.encode("long-1-seat", core.start_board(FAMILIES["long"])[None])


def test_an_unknown_encoding_names_the_nearest():
    with pytest.raises(core.InputError, match=r"short-9: did you mean short-"):
        core.encode("short-9", core.start_board(FAMILIES["short"])[None])


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ("short-2", "short-2", range(398)),
        ("short-1", "short-2", range(196)),
        ("long-1", "long-1-seat", range(194)),
        # The seat stands before the shape.
        ("long-2", "long-2-seat", [*range(194), *range(195, 373)]),
        ("short-2", "short-3", range(398)),
        ("long-2", "long-3-seat", [*range(194), *range(195, 373)]),
        ("short-3", "short-2", None),
        ("long-1-seat", "long-2", None),
        ("long-2-seat", "long-1-seat", None),
        ("short-1", "long-1", None),
    ],
)
def test_inputs_of_one_encoding_in_another(old, new, places):
    found = core.places_within(old, new)
    assert (found is None) if places is None else found.tolist() == list(places)


def test_inputs_that_two_encodings_share_say_the_same():
    boards, seats, _ = game_positions(FAMILIES["long"], 3)
    for old in core.encodings():
        for new in core.encodings():
            places = core.places_within(old, new)
            if places is not None:
                seen = core.encode(new, boards, seats)[:, places]
                np.testing.assert_array_equal(seen, core.encode(old, boards, seats))
