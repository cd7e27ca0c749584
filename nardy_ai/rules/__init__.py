"""The rules seen from Python: profiles, games, positions, plays, matches, IDs, match files, pictures.

- the rules of a game: `Game`, `Position`, `Play`; `Profile` with `load_profile`, `profile_names`,
  `profile_of_table`, `explain`;
- matches and money play: `Terms`, `MatchState` (its first state is `MatchState.begin`, one in the middle of a
  game comes from `set_up`), `History` with undo and redo, and the steps as values (`nardy_ai.rules.match`);
- text in and out: `gnubg_id` and `read_gnubg_id` (position and match ID), `match_id` and `read_match_id`
  (the match ID alone), `xgid` and `read_xgid`, `read_mat` and `write_mat` (files), `mat_of_text` and
  `mat_text`; `read_mat_games` and `games_of_text` read what can be read of a faulty file, game by game.
"""

from nardy_ai.rules.dice import ROLLS, WEIGHTS, Dice, dice_pair
from nardy_ai.rules.explanation import explain
from nardy_ai.rules.game import Game
from nardy_ai.rules.gnubg_match_id import MatchId, gnubg_id, match_id, read_gnubg_id, read_match_id
from nardy_ai.rules.mat_file import MatError, MatFile
from nardy_ai.rules.mat_games import MatGames, RecordedGame, RecordedTurn, games_of_text, read_mat_games
from nardy_ai.rules.mat_reader import mat_of_text, read_mat
from nardy_ai.rules.mat_writer import mat_text, write_mat
from nardy_ai.rules.match import Cube, GameResult, History, IllegalStep, MatchState, Terms, set_up
from nardy_ai.rules.play import Play
from nardy_ai.rules.play_reader import NotationError
from nardy_ai.rules.position import Position, turned
from nardy_ai.rules.profile import Profile
from nardy_ai.rules.profile_reader import load_profile, profile_names, profile_of_table
from nardy_ai.rules.xg_id import read_xgid, xgid

__all__ = [
    "ROLLS",
    "WEIGHTS",
    "Cube",
    "Dice",
    "Game",
    "GameResult",
    "History",
    "IllegalStep",
    "MatError",
    "MatFile",
    "MatGames",
    "MatchId",
    "MatchState",
    "NotationError",
    "Play",
    "Position",
    "Profile",
    "RecordedGame",
    "RecordedTurn",
    "Terms",
    "dice_pair",
    "explain",
    "games_of_text",
    "gnubg_id",
    "load_profile",
    "mat_of_text",
    "mat_text",
    "match_id",
    "profile_names",
    "profile_of_table",
    "read_gnubg_id",
    "read_mat",
    "read_mat_games",
    "read_match_id",
    "read_xgid",
    "set_up",
    "turned",
    "write_mat",
    "xgid",
]
