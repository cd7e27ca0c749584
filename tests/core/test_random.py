"""Counter-based random numbers: known answers, fairness, and independence of everything but the key."""

import numpy as np
import pytest

from nardy_ai import core


@pytest.mark.parametrize(
    ("counter", "key", "block"),
    [  # the known answers published with the Random123 library
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_gives_the_published_blocks(counter, key, block):
    assert core.philox(counter, key) == block


def test_golden_dice_of_a_game():
    rolls = core.dice(2026, core.PURPOSES["dice_duel"], 5, 0, 8)
    assert rolls.tolist() == GOLDEN_ROLLS


GOLDEN_ROLLS = [[6, 2], [6, 1], [5, 2], [6, 2], [4, 4], [3, 5], [5, 1], [6, 6]]


def test_a_turns_dice_do_not_depend_on_what_was_asked_before():
    whole = core.dice(9, core.PURPOSES["dice_training"], 123, 0, 50)
    for turn in (49, 0, 7):
        assert core.dice(9, core.PURPOSES["dice_training"], 123, turn, 1)[0].tolist() == whole[turn].tolist()


def test_seed_purpose_game_and_turn_each_change_the_dice():
    base = core.random_words(1, 1, 1, 1).tolist()
    assert base != core.random_words(2, 1, 1, 1).tolist()
    assert base != core.random_words(1, 2, 1, 1).tolist()
    assert base != core.random_words(1, 1, 2, 1).tolist()
    assert base != core.random_words(1, 1, 1, 2).tolist()
    # Neither halves of a 64-bit seed nor of a game number are lost.
    assert base != core.random_words(1 + (1 << 32), 1, 1, 1).tolist()
    assert base != core.random_words(1, 1, 1 + (1 << 32), 1).tolist()


def test_all_36_rolls_come_equally_often():
    rolls = core.dice(3, core.PURPOSES["test"], 0, 0, 360_000).astype(int)
    counts = np.bincount((rolls[:, 0] - 1) * 6 + rolls[:, 1] - 1, minlength=36)
    chi_square = ((counts - 10_000) ** 2 / 10_000).sum()
    assert chi_square < 66.6  # 35 degrees of freedom, one in a thousand


def test_an_opening_pair_has_no_double_and_is_fair():
    rolls = np.concatenate([core.dice(4, 1, game, 0, 1, opening_pair=True) for game in range(6000)]).astype(
        int
    )
    assert (rolls[:, 0] != rolls[:, 1]).all()
    counts = np.bincount((rolls[:, 0] - 1) * 6 + rolls[:, 1] - 1, minlength=36)
    counts = counts[counts > 0]
    assert len(counts) == 30
    assert ((counts - 200) ** 2 / 200).sum() < 58.3  # 29 degrees of freedom, one in a thousand


def test_only_the_first_turn_is_an_opening_pair():
    rolls = core.dice(4, 1, 77, 0, 400, opening_pair=True)
    assert (rolls[1:, 0] == rolls[1:, 1]).any()
    assert rolls[1:].tolist() == core.dice(4, 1, 77, 0, 400)[1:].tolist()


@pytest.mark.parametrize("wrong", [-1, 2**64, 1.5, True, "1"])
def test_a_seed_that_would_be_cut_is_refused(wrong):
    with pytest.raises(core.InputError, match="seed must be a whole number from 0"):
        core.dice(wrong, 1, 0, 0, 1)


def test_no_boards_give_no_results():
    rules = core.Rules({"family": "short"})
    boards, one = np.zeros((0, 2, 26), np.int8), np.zeros(0, np.uint8)
    assert core.encode("short-1", boards, one).shape == (0, 196)
    assert core.legal_boards(rules, boards, np.zeros((0, 2), np.uint8), one, one)[1].tolist() == [0]
