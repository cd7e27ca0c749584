"""The engine, seen from Python: plays, encodings, nets, self-play and duels on arrays.

Boards are ``int8 [n, 2, 26]``: row 0 the player on roll (or the mover, where said), row 1 the other, each
counted from his own side; columns 0..23 are own points 1..24, 24 the bar, 25 borne off. ``seats`` and
``turns`` are ``uint8 [n]``: 0 where the player on roll started the game, and how many turns he has had
(3 means three or more). Every array that is returned belongs to the caller.

The C files beside this one do the work and know no Python, save ``binding.c``, ``binding_play.c`` and
``arrays.c``. Bad input raises `InputError` with one sentence.
"""

from nardy_ai.core._core import InputError
from nardy_ai.core.batches import nearest
from nardy_ai.core.boards import (
    CLASSES,
    SCOUT,
    check_boards,
    impossible,
    impossible_tests,
    legal_boards,
    plays,
    position_classes,
    results,
    start_board,
)
from nardy_ai.core.encoding import (
    EncodingTable,
    encode,
    encoding_name,
    encoding_table,
    encodings,
    places_within,
)
from nardy_ai.core.games import TARGETS, duel, self_play
from nardy_ai.core.levels import (
    LEVELS,
    Level,
    checked_level,
    checked_noise,
    default_level,
    noise,
    noise_key,
)
from nardy_ai.core.nets import (
    DEFAULT_PRUNING,
    NO_PRUNING,
    Model,
    Pruning,
    evaluate,
    exact_values,
    kernels,
    net,
    rank,
)
from nardy_ai.core.peak import dense_operations, peak_operations
from nardy_ai.core.players import (
    Player,
    choose,
    greedy_descriptions,
    greedy_features,
    greedy_names,
    greedy_player,
    net_player,
    pubeval_inputs,
    pubeval_player,
    random_player,
)
from nardy_ai.core.randomness import PURPOSES, dice, philox, random_words
from nardy_ai.core.rule_options import Option, Rules, rules_schema
from nardy_ai.core.search import (
    BLOCK_TRIALS,
    DEFAULT_FILTERS,
    MAX_PLIES,
    NO_FILTERS,
    ROLL_PAIRS,
    Filters,
    Search,
    Stage,
    checked_plies,
    search_player,
)

__all__ = [
    "BLOCK_TRIALS",
    "CLASSES",
    "DEFAULT_FILTERS",
    "DEFAULT_PRUNING",
    "LEVELS",
    "MAX_PLIES",
    "NO_FILTERS",
    "NO_PRUNING",
    "PURPOSES",
    "ROLL_PAIRS",
    "SCOUT",
    "TARGETS",
    "EncodingTable",
    "Filters",
    "InputError",
    "Level",
    "Model",
    "Option",
    "Player",
    "Pruning",
    "Rules",
    "Search",
    "Stage",
    "check_boards",
    "checked_level",
    "checked_noise",
    "checked_plies",
    "choose",
    "default_level",
    "dense_operations",
    "dice",
    "duel",
    "encode",
    "encoding_name",
    "encoding_table",
    "encodings",
    "evaluate",
    "exact_values",
    "greedy_descriptions",
    "greedy_features",
    "greedy_names",
    "greedy_player",
    "impossible",
    "impossible_tests",
    "kernels",
    "legal_boards",
    "nearest",
    "net",
    "net_player",
    "noise",
    "noise_key",
    "peak_operations",
    "philox",
    "places_within",
    "plays",
    "position_classes",
    "pubeval_inputs",
    "pubeval_player",
    "random_player",
    "random_words",
    "rank",
    "results",
    "rules_schema",
    "search_player",
    "self_play",
    "start_board",
]
