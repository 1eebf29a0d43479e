"""Names: their numbers on the wire, and their spelling in Python."""

from __future__ import annotations

import keyword
import re
from functools import lru_cache


@lru_cache(maxsize=4096)
def number(text: str) -> int:
    """Returns the number of a name, or the fingerprint of a schema: 32-bit FNV-1a, with 1 in place of 0."""
    hashed = 0x811C9DC5
    for byte in text.encode():
        hashed = (hashed ^ byte) * 0x01000193 & 0xFFFFFFFF
    return hashed or 1


@lru_cache(maxsize=4096)
def snake(name: str) -> str:
    """Returns a component's name in Python's spelling: ``squaredNorm`` is ``squared_norm``, ``from`` is ``from_``.

    ``self``, too, is no name of an argument: ``self_``.
    """
    spelled = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    return spelled + "_" if keyword.iskeyword(spelled) or spelled == "self" else spelled
