"""The rules seen from Python: profiles, games, positions, plays, notation and pictures of boards."""

from nardy_ai.rules.dice import ROLLS, WEIGHTS, Dice, dice_pair
from nardy_ai.rules.explain import explain
from nardy_ai.rules.game import Game
from nardy_ai.rules.play import Play, play_of
from nardy_ai.rules.play_reader import NotationError
from nardy_ai.rules.position import Position, turned
from nardy_ai.rules.profile import Profile
from nardy_ai.rules.profile_reader import load_profile, profile_names, profile_of_table

__all__ = [
    "ROLLS",
    "WEIGHTS",
    "Dice",
    "Game",
    "NotationError",
    "Play",
    "Position",
    "Profile",
    "dice_pair",
    "explain",
    "load_profile",
    "play_of",
    "profile_names",
    "profile_of_table",
    "turned",
]
