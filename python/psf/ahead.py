"""Rows of a table that are pulled while the step before theirs is computed."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from .pending import Pending
from .tensors import Table


class Ahead:
    """A table of which the rows of the next look-up are under way. Used by one thread."""

    def __init__(self, table: Table):
        self.table = table
        self.forget()

    def forget(self) -> None:
        """Drops the rows that are under way."""
        self._keys: Optional[np.ndarray] = None
        #: The pulls under way, in the order in which they were sent: the places of their keys, and their rows.
        self._pulls: List[Tuple[Any, Pending[np.ndarray]]] = []

    def prefetch(self, keys: np.ndarray) -> None:
        """Requests the rows of the next look-up."""
        self._keys = keys.copy()
        self._pulls = [(slice(None), self.table.pull.start(self._keys.reshape(-1)))]

    def look_up(self, keys: np.ndarray) -> np.ndarray:
        """Returns rows, [.., width]: those that were requested, if they are of the same keys."""
        ahead, pulls = self._keys, self._pulls
        self.forget()
        if ahead is None or not np.array_equal(ahead, keys):
            return self.table.pull(keys)
        rows = pulls[0][1].wait()
        for places, pull in pulls[1:]:
            rows[places] = pull.wait()
        return rows.reshape(*keys.shape, self.table.width)

    def update(self, keys: np.ndarray, gradients: np.ndarray) -> Pending[Any]:
        """Pushes gradients. Pulls those of the requested rows again that the push changes, by the same message."""
        if self._keys is None:
            return self.table.push.start(keys, gradients)
        mine = self._keys.reshape(-1)
        places = np.flatnonzero(np.isin(mine, keys))
        again = self.table.push_pull.start(keys, gradients, mine[places])
        self._pulls.append((places, again))
        return again
