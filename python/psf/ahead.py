"""Rows, or sums of rows, that are pulled while the step before theirs is computed."""

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
        self._asked: Any = None
        #: The pulls under way, in the order in which they were sent: the places of their rows, and the rows.
        self._pulls: List[Tuple[Any, Pending[np.ndarray]]] = []

    def prefetch(self, keys: Any) -> None:
        """Requests the rows of the next look-up."""
        self._asked = self._copied(keys)
        self._pulls = [(slice(None), self._start(self._asked))]

    def look_up(self, keys: Any) -> np.ndarray:
        """Returns rows, [.., width]: those that were requested, if they are of the same keys."""
        asked, pulls = self._asked, self._pulls
        self.forget()
        if asked is None or not self._same(asked, keys):
            return self._start(keys).wait()
        rows = pulls[0][1].wait()
        for places, pull in pulls[1:]:
            rows.reshape(-1, self.table.width)[places] = pull.wait()
        return rows

    def update(self, keys: Any, gradients: np.ndarray) -> Pending[Any]:
        """Pushes gradients. Pulls those of the requested rows again that the push changes, by the same message."""
        if self._asked is None:
            return self.table.push.start(keys, gradients)
        mine = self._asked.reshape(-1)
        places = np.flatnonzero(np.isin(mine, keys))
        again = self.table.push_pull.start(keys, gradients, mine[places])
        self._pulls.append((places, again))
        return again

    def _start(self, keys: Any) -> Pending[np.ndarray]:
        return self.table.pull.start(keys)

    def _copied(self, keys: Any) -> Any:
        return keys.copy()

    def _same(self, asked: Any, keys: Any) -> bool:
        return np.array_equal(asked, keys)


class BagsAhead(Ahead):
    """The same of bags, whose rows the servers add: keys are those of all bags, [n], and the number of each, [bags]."""

    def __init__(self, table: Table, mean: bool):
        super().__init__(table)
        self.mean = mean

    def update(self, keys: Any, gradients: np.ndarray) -> Pending[Any]:
        """Pushes gradients of bags. Requests those of the requested bags again, behind the push, which it changes."""
        own, sizes = keys
        pushed = self.table.push_bags.start(own, sizes, gradients, mean=self.mean)
        if self._asked is not None:
            mine, counts = self._asked
            bags = np.repeat(np.arange(len(counts)), counts)
            changed = np.zeros(len(counts), bool)
            changed[bags[np.isin(mine, own)]] = True
            self._pulls.append((changed, self._start((mine[changed[bags]], counts[changed]))))
        return pushed

    def _start(self, keys: Any) -> Pending[np.ndarray]:
        own, counts = keys
        return self.table.pull_bags.start(own, counts, mean=self.mean)

    def _copied(self, keys: Any) -> Any:
        return tuple(each.copy() for each in keys)

    def _same(self, asked: Any, keys: Any) -> bool:
        return all(map(np.array_equal, asked, keys))
