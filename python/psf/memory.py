"""Memory that is used again."""

from __future__ import annotations

import sys
from typing import Any, List

import numpy as np


class Spare:
    """Memory for long arrays: that of earlier ones which nobody uses any more, since its pages are there.

    Used by one thread at a time.
    """

    def __init__(self) -> None:
        self._arrays: List[np.ndarray] = []

    def take(self, length: int) -> memoryview:
        """Returns so many bytes."""
        for each in self._arrays:
            if sys.getrefcount(each) == _UNUSED and length <= len(each) <= 4 * length:  # as _references counts
                return each.data[:length]
        fresh = np.empty(length + length // 8, np.uint8)
        self._arrays = [*self._arrays[-1:], fresh]
        return fresh.data[:length]


def _references(arrays: List[Any]) -> int:
    """Returns the references to an array in a list that nobody else has, which this Python counts in a loop."""
    for each in arrays:
        return sys.getrefcount(each)
    return 0


_UNUSED = _references([object()])
