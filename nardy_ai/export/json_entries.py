"""What the entries of a specification's inputs are made of: terms, which are products of factors."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

__all__ = ["Factor", "Term", "counted", "single"]

Factor: TypeAlias = list[int]
"""[side, column, least, most]."""
Term: TypeAlias = list[Factor]


def counted(terms: list[Term], scale: float = 1.0, most: int | None = None) -> dict[str, Any]:
    """An entry that counts terms."""
    return {"terms": terms, "most": most, "scale": single(np.float32(scale))}


def single(number: np.float32 | float) -> float:
    """A float32 in as few digits as give it back to the bit."""
    return float(f"{np.float32(number):.9g}")
