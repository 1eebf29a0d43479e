"""The lines of an embedding cache: an index of keys, rows, and the order of eviction. All work is on whole arrays."""

from __future__ import annotations

from typing import Optional, Tuple

import numpy as np

from .folds import ARRAYS
from .keys import cells, first_places, fold_rows

#: The version of a line whose row has not been received.
NONE = -1

_EMPTY, _REMOVED = -1, -2
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
#: The bits of an order below its level: the number of the operation's pins.
_STAMPS = 48
_PINNED = np.iinfo(np.int64).max


def distinct(keys: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the place of each distinct key of an array, [m], and the number of the distinct key at each place, [n]."""
    n = len(keys)
    first = first_places(keys)
    if first is None:
        return np.arange(n), np.arange(n)
    places = np.flatnonzero(first == np.arange(n, dtype=np.int32))
    numbers = np.empty(n, np.intp)
    numbers[places] = np.arange(len(places))
    return places, numbers[first]


class Index:
    """The line of each key: a hash table with open addressing, of which at most a quarter is used."""

    def __init__(self, keys: np.ndarray):
        """:param keys: [lines] int64, the key of each line, which the owner sets"""
        self._keys = keys
        bits = max(4, (4 * len(keys) - 1).bit_length())
        self._shift = np.uint64(64 - bits)
        self._last = (1 << bits) - 1
        self._table = np.full(1 << bits, _EMPTY, np.int32)
        #: The slot of each line; -1 for a line that is not in the table.
        self._slots = np.full(len(keys), -1, np.int64)
        self._removals = 0

    def _first(self, keys: np.ndarray) -> np.ndarray:
        return ((keys.view(np.uint64) * _GOLDEN) >> self._shift).view(np.int64)

    def find(self, keys: np.ndarray) -> np.ndarray:
        """Returns the line of each key, [n]; -1 for none."""
        slots = self._first(keys)
        lines = self._table[slots]
        left = np.arange(len(keys))
        while True:
            found = lines[left]
            left = left[(found == _REMOVED) | (found >= 0) & (self._keys.take(found, mode="clip") != keys[left])]
            if not len(left):
                return lines
            slots[left] = (slots[left] + 1) & self._last
            lines[left] = self._table[slots[left]]

    def insert(self, lines: np.ndarray) -> None:
        """Adds lines, [n], whose keys are set, differ, and are not in the table."""
        slots = self._first(self._keys[lines])
        while len(lines):
            free = self._table[slots] < 0
            self._table[slots[free]] = lines[free]  # of two that claim one slot, the last has it
            has = self._table[slots] == lines
            self._slots[lines[has]] = slots[has]
            lines, slots = lines[~has], (slots[~has] + 1) & self._last

    def remove(self, lines: np.ndarray) -> None:
        """Removes lines, [n], that are in the table."""
        self._table[self._slots[lines]] = _REMOVED
        self._slots[lines] = -1
        self._removals += len(lines)
        if self._removals > len(self._keys):  # else searches would pass more and more slots that are no longer used
            self._removals = 0
            self._table.fill(_EMPTY)
            self.insert(np.flatnonzero(self._slots >= 0))


class Order:
    """The order in which lines are evicted: by level, and within a level the least recently unpinned first.

    A line's level is its number of uses, up to the highest level. With one level the order is LRU, with many LFU.
    """

    def __init__(self, lines: int, levels: int):
        self._levels = levels
        self._orders = np.full(lines, _PINNED, np.int64)
        self._stamp = 0
        #: Among them are all lines whose order is at most the bound.
        self._near = np.empty(0, np.intp)
        self._bound = -1

    def pin(self, lines: np.ndarray) -> None:
        """Takes lines out of the order."""
        self._orders[lines] = _PINNED

    def unpin(self, lines: np.ndarray, uses: np.ndarray) -> None:
        """Puts pinned lines into the order, as the most recent ones of their levels."""
        stamps = np.arange(self._stamp, self._stamp + len(lines))
        self._stamp += len(lines)
        orders = np.minimum(uses, self._levels - 1) << _STAMPS | stamps
        near = lines[orders <= self._bound]
        if len(near):
            self._near = np.concatenate([self._near[self._orders[self._near] <= self._bound], near])
        self._orders[lines] = orders

    def first(self, n: int) -> np.ndarray:
        """Returns the ``n`` lines that are evicted next, in their order. They leave the order: they are pinned."""
        near = self._near[self._orders[self._near] <= self._bound]
        if len(near) < n:  # finds more than these, so that not each call looks at all lines
            some = min(len(self._orders), max(n, len(self._orders) >> 3))
            near = np.argpartition(self._orders, some - 1)[:some]
            near = near[self._orders[near] < _PINNED]
            self._bound = int(self._orders[near].max())
        near = near[np.argsort(self._orders[near])]
        self._near = near[n:]
        self.pin(near[:n])
        return near[:n]


class Lines:
    """The lines of a cache. A line has a key, its row with the version, and the sum of the updates that are not sent."""

    def __init__(self, lines: int, width: int, levels: int):
        self.capacity = lines
        self.size = 0
        self.keys = np.zeros(lines, np.int64)
        self.versions = np.full(lines, NONE, np.int64)
        self.rows = np.zeros((lines, width), np.float32)
        self.unsent = np.zeros((lines, width), np.float32)
        #: The number of updates in the unsent sum of each line.
        self.updates = np.zeros(lines, np.int32)
        self.uses = np.zeros(lines, np.int64)
        #: The number of the last push of each line, and of the look-up for which a prefetch has compared it.
        self.pushed_at = np.zeros(lines, np.int64)
        self.compared_for = np.zeros(lines, np.int64)
        self._index = Index(self.keys)
        self._order = Order(lines, levels)
        self._pins = [np.empty(0, np.intp)]

    def find(self, keys: np.ndarray) -> np.ndarray:
        """Returns the line of each key, [n]; -1 for none."""
        return self._index.find(keys)

    def pin(self, lines: np.ndarray) -> None:
        """Keeps lines, [n] and each once, from eviction until :meth:`unpin`."""
        self._order.pin(lines)
        self._pins.append(lines)

    def unpin(self) -> None:
        """Unpins all lines. They are the most recent ones of their levels."""
        lines = np.concatenate(self._pins)
        self._pins = [np.empty(0, np.intp)]
        self._order.unpin(lines, self.uses[lines])

    def victims(self, n: int) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the lines for ``n`` new keys: those that have no key, and those that are evicted."""
        free = np.arange(self.size, min(self.size + n, self.capacity))
        return free, self._order.first(n - len(free)) if len(free) < n else free[:0]

    def insert(self, free: np.ndarray, evicted: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Gives the victims to keys that have no line, without rows, and pins them. Returns the lines of the keys."""
        lines = np.concatenate([free, evicted])
        self.size += len(free)
        if len(evicted):
            self._index.remove(evicted)
        self.keys[lines] = keys
        self._index.insert(lines)
        self.versions[lines] = NONE
        for each in (self.uses, self.pushed_at, self.compared_for):
            each[lines] = 0
        self._pins.append(lines)
        return lines

    def take_unsent(self, lines: np.ndarray) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns keys, sums and numbers of the unsent updates of lines, which have none from now on."""
        taken = self.keys[lines], self.unsent.take(lines, axis=0), self.updates[lines]
        self.unsent[lines] = 0
        self.updates[lines] = 0
        return taken

    def set_rows(self, lines: np.ndarray, versions: np.ndarray, values: np.ndarray, scale: np.float32) -> None:
        """Replaces rows. Adds ``scale`` times the unsent sums to them, unless the scale is 0."""
        self.versions[lines] = versions
        self.rows[lines] = values
        if scale:
            own = lines[self.updates[lines] > 0]
            self.rows[own] += scale * self.unsent[own]

    def update(self, lines: np.ndarray, places: np.ndarray, numbers: np.ndarray, gradients: np.ndarray,
               scale: np.float32) -> None:
        """Adds updates to the unsent sums, and ``scale`` times them to the rows, unless the scale is 0.

        :param lines: [m], of the distinct keys
        :param places: [m], the place of the first update of each
        :param numbers: [n], the number of the distinct key of each update
        :param gradients: [n, width]
        """
        again: Optional[np.ndarray] = None
        if len(places) < len(numbers):
            later = np.ones(len(numbers), bool)
            later[places] = False
            again = np.flatnonzero(later)
        for into, updates in ((self.unsent, gradients), (self.rows, scale * gradients if scale else None)):
            if updates is None:
                continue
            sums = into.take(lines, axis=0)
            if again is None:
                sums += updates
            else:  # in the order of the updates, so that the sums are those of Java
                sums += updates.take(places, axis=0)
                fold_rows(ARRAYS["sum"], sums, numbers[again], updates, again)
            cells(into)[lines] = cells(sums)
        self.updates[lines] += np.bincount(numbers, minlength=len(lines)).astype(np.int32)
