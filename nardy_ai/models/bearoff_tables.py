"""Bear-off tables of a rule profile: computed when first needed, in seconds, and kept in the cache folder."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

from nardy_ai import core
from nardy_ai.core import InputError
from nardy_ai.core.batches import Float32
from nardy_ai.core.tables import (
    BearoffTables,
    bearoff_kind,
    build_bearoff,
    build_bearoff_pairs,
)
from nardy_ai.models.table_file import TableFault, TableKey, read_table, write_table

__all__ = ["CacheWarning", "bearoff_tables", "one_sided_key", "two_sided_key"]

VERSION = 1
"""Of what the tables hold; raise it whenever their numbers change."""

_held: dict[str, dict[str, Float32]] = {}
_lock = threading.Lock()


class CacheWarning(UserWarning):
    """A table could not be stored: it serves this process, and the next one computes it again."""


def one_sided_key(rules: core.Rules) -> TableKey:
    """What the one-sided tables of these rules depend on."""
    return TableKey("bearoff", VERSION, {"six": bearoff_kind(rules).six})


def two_sided_key(rules: core.Rules) -> TableKey:
    """What the two-sided table of these rules depends on."""
    return TableKey("bearoff-pairs", VERSION, bearoff_kind(rules)._asdict())


def bearoff_tables(rules: core.Rules) -> BearoffTables:
    """The tables of these rules: from memory, from the cache folder, or computed and stored there.

    A stored table that is damaged or of another version is replaced. Where the folder can't be written to, a
    CacheWarning says so and the tables are good all the same. Threads can ask at once.
    """
    with _lock:
        single = _table(one_sided_key(rules), lambda: _named(build_bearoff(rules)))
        double = _table(two_sided_key(rules), lambda: {"pairs": build_bearoff_pairs(rules)})
    return BearoffTables(rules, single["finish"], single["first"], double["pairs"])


def _named(tables: tuple[Float32, Float32]) -> dict[str, Float32]:
    return {"finish": tables[0], "first": tables[1]}


def _table(key: TableKey, build: Callable[[], dict[str, Any]]) -> dict[str, Float32]:
    path = key.path()
    held = _held.get(str(path))
    if held is not None:
        return held
    try:
        arrays, _ = read_table(path, key)
    except TableFault:
        arrays = build()
        try:
            write_table(path, key, arrays)
            arrays, _ = read_table(path, key)
        except InputError as fault:
            warnings.warn(f"bear-off tables are computed anew each time: {fault}", CacheWarning, stacklevel=3)
    _held[str(path)] = arrays
    return arrays
