"""The keys of a request, grouped by slice; and the rows that go along them, to the servers and back."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from .errors import PsError, bad_request
from .folds import ARRAYS
from .layout import Layout

#: So many keys that are repeated more often than others are folded key by key, not occurrence by occurrence.
_FEW = 128

_GOLDEN, _AGAIN, _MASK = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, (1 << 64) - 1

#: Up to so many keys a set finds repeated ones in less time than a numpy function takes to begin.
_SMALL = 256

#: The most rows that have a slot each: 16 MB.
_MOST_SLOTS = 1 << 22

#: The memory of slots that no thread uses now: its pages are there.
_TABLES: List[np.ndarray] = []


def first_places(keys: np.ndarray, rows: int = 1 << 63) -> Optional[np.ndarray]:
    """Returns the place at which each key of an array occurs first, [n]; None if no key is repeated.

    Each key claims a slot, the first one of equal keys last and so for good. Few rows have a slot each. Of more rows a slot is
    found by a hash, and the keys whose slot another key has claimed try again, with another hash. A sort takes ten times as long.

    :param rows: more than each key, of which none is negative; without it keys are any
    """
    n = len(keys)
    if len(set(keys.tolist())) == n if n <= _SMALL else (keys[1:] > keys[:-1]).all():
        return None
    places = np.arange(n, dtype=np.int32)
    if rows <= _MOST_SLOTS:
        first = _claim(keys, places, rows)
        return None if (first == places).all() else first
    factor, bits = _GOLDEN, max(10, n.bit_length() + 2)
    first = _claim(_slots(keys, factor, bits), places, 1 << bits)
    left = np.flatnonzero(first != places)
    left = left[keys[first[left]] != keys[left]]
    while len(left):
        factor = factor * _AGAIN & _MASK
        mine = keys[left]
        winner = _claim(_slots(mine, factor, bits), left, 1 << bits)
        first[left] = winner
        left = left[keys[winner] != mine]
    return None if (first == places).all() else first


def _slots(keys: np.ndarray, factor: int, bits: int) -> np.ndarray:
    return ((keys.view(np.uint64) * np.uint64(factor)) >> np.uint64(64 - bits)).view(np.int64)


def _claim(slots: np.ndarray, places: np.ndarray, size: int) -> np.ndarray:
    """Returns the place that has claimed each of some slots, of which there are ``size``."""
    try:
        table = _TABLES.pop()
    except IndexError:  # other threads use them
        table = np.empty(size, np.int32)
    if len(table) < size:
        table = np.empty(size, np.int32)
    table[slots[::-1]] = places[::-1]  # a slot has what is put there last
    winner = table[slots]
    _TABLES.append(table)
    return winner


class KeySet:
    """The keys of one component, grouped by slice. Of equal keys only the first is sent, if the function asks for it."""

    def __init__(self, name: str, keys: np.ndarray, fold: str, every_slice: bool, layout: Layout,
                 elements: Optional[Sequence] = None):
        self.name = name
        self.keys = keys
        self.fold = fold
        self.every_slice = every_slice
        self.layout = layout
        self.elements = elements
        n = len(keys)
        #: The places of the keys that are sent, grouped by slice; None if key i is at place i.
        self.order: Optional[np.ndarray] = None
        self._rows: Optional[np.ndarray] = None
        #: The beginning of each slice's group, [slices + 1].
        self.starts: List[int] = [0] * (layout.slices + 1)
        self.repeated: Optional[np.ndarray] = None
        self._first: Optional[np.ndarray] = None
        if n:
            layout.require_rows(keys, name)
            first = first_places(keys, layout.rows) if fold else None
            self._first = first
            self._group(first)

    def _group(self, first: Optional[np.ndarray]) -> None:
        n, slices = len(self.keys), self.layout.slices
        distinct = None
        if first is not None:
            is_first = first == np.arange(n, dtype=np.int32)
            distinct, self.repeated = np.flatnonzero(is_first), np.flatnonzero(~is_first)
        if slices == 1:
            self.order = distinct
            self.starts[1] = n if distinct is None else len(distinct)
        else:
            of = self.layout.slices_of(self.keys if distinct is None else self.keys[distinct])
            grouped = np.argsort(of, kind="stable")  # of small integers it is a radix sort
            self.starts = [0, *accumulate(np.bincount(of, minlength=slices).tolist())]
            self.order = grouped if distinct is None else distinct[grouped]

    @property
    def rows(self) -> Optional[np.ndarray]:
        """The row of each place's key among all keys that are sent; None if the key at place i is sent as number i."""
        if self._rows is None and self.order is not None:
            rows = np.empty(len(self.keys), np.intp)
            rows[self.order] = np.arange(len(self.order))
            self._rows = rows if self._first is None else rows[self._first]
        return self._rows

    def touches(self, s: int) -> bool:
        return self.every_slice or self.starts[s + 1] > self.starts[s]

    def count(self, s: int) -> int:
        """Returns the number of keys that are sent to a slice."""
        return self.starts[s + 1] - self.starts[s]

    def sent(self) -> np.ndarray:
        """Returns the keys that are sent, grouped by slice."""
        return self.keys if self.order is None else self.keys[self.order]

    def sent_elements(self) -> Sequence:
        assert self.elements is not None
        return self.elements if self.order is None else [self.elements[i] for i in self.order]

    def gathered(self, values: np.ndarray, width: int) -> np.ndarray:
        """Returns the rows of an array, [n, width], of the keys that are sent. Rows of equal keys are folded in order."""
        if self.order is None:
            return values
        rows = values.reshape(-1, width)
        if self.repeated is None:
            return rows.take(self.order, axis=0).reshape(-1)
        assert self.rows is not None
        if self.fold == "last":
            sent = np.empty((len(self.order), width), values.dtype)
            sent[self.rows] = rows  # of equal indices the last one is set
            return sent.reshape(-1)
        sent = rows.take(self.order, axis=0)
        with np.errstate(all="ignore"):
            fold_rows(ARRAYS[self.fold], sent, self.rows[self.repeated], rows, self.repeated)
        return sent.reshape(-1)

    def scattered(self, parts: Sequence[np.ndarray], slices: Sequence[int], width: int, dtype: np.dtype) -> np.ndarray:
        """Returns the rows of the answers of some slices, [sent, width], at every place of their keys."""
        if self.order is None:
            return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0, dtype)
        assert self.rows is not None
        sent = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return sent.reshape(-1, width).take(self.rows, axis=0).reshape(-1)

    def scattered_elements(self, parts: Sequence[Sequence]) -> List:
        whole = [each for part in parts for each in part]
        return whole if self.rows is None else [whole[row] for row in self.rows]

    # Rows of different lengths.

    def ragged(self, name: str, counts: np.ndarray, values: np.ndarray) -> "Ragged":
        """Groups the rows of an array, whose lengths are ``counts``, [n], by slice."""
        ends = ends_of(counts, "BAD_REQUEST", name)
        total = int(ends[-1]) if len(ends) else 0
        if len(values) != total:
            raise bad_request("%s length: %d (expected: %d, the sum of its counts)" % (name, len(values), total))
        if self.order is None:
            sizes = counts
        else:
            sizes = counts[self.order]
            values = values[_elements(ends[self.order] - sizes, sizes)]
        to = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        return Ragged(values, [int(to[start]) for start in self.starts])

    def scattered_ragged(self, name: str, counts: np.ndarray, parts: Sequence[Optional[np.ndarray]],
                         slices: Sequence[int], dtype: np.dtype) -> np.ndarray:
        """Returns the rows of the answers at every place of their keys. ``counts``, [n], are the merged lengths.

        A part that a server did not send, None, is zeros.
        """
        ends_of(counts, "HANDLER_FAILED", name)
        sizes = counts if self.order is None else counts[self.order]
        found = []
        for s, part in zip(slices, parts):
            expected = int(sizes[self.starts[s]: self.starts[s + 1]].sum())
            if part is None:
                part = np.zeros(expected, dtype)
            require_answer(name, len(part), expected)
            found.append(part)
        whole = np.concatenate(found) if found else np.empty(0, dtype)
        if self.rows is None:
            return whole
        begins = np.cumsum(sizes, dtype=np.int64) - sizes
        return whole[_elements(begins[self.rows], counts)]


class Ragged:
    """Rows of different lengths of a request, grouped by slice: slice s has the elements from start s to start s + 1."""

    def __init__(self, values: np.ndarray, starts: List[int]):
        self.values = values
        self.starts = starts

    def of(self, s: int) -> np.ndarray:
        return self.values[self.starts[s]: self.starts[s + 1]]


def ends_of(counts: np.ndarray, blame: str, name: str) -> np.ndarray:
    """Returns the end of each row, [n]."""
    if len(counts) and counts.min() < 0:
        wrong = int(np.flatnonzero(counts < 0)[0])
        raise PsError(blame, "elements of row %d of %s: %d (expected: >= 0)" % (wrong, name, counts[wrong]))
    return np.cumsum(counts, dtype=np.int64)


def _elements(begins: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Returns the indices of the elements of rows, one row after the other."""
    ends = np.cumsum(sizes, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(begins - (ends - sizes), sizes)


def require_answer(name: str, actual: int, expected: int) -> None:
    if actual != expected:
        raise PsError(
            "HANDLER_FAILED", "length of %s in the handler's answer: %d (expected: %d)" % (name, actual, expected))


def fold_rows(fold: Any, into: np.ndarray, to: np.ndarray, rows: np.ndarray, at: np.ndarray) -> None:
    """Folds ``rows[at[i]]`` into ``into[to[i]]`` for each i, one after another, as the caller's order is.

    The second occurrences of all keys are folded together, then the third ones, and so on: within one such step no
    key occurs twice. What is left of the few keys that are left after some steps is folded key by key.
    """
    small = np.uint16 if len(into) <= 1 << 16 else np.int64  # of 16 bits a stable sort is a radix sort
    by_key = at[np.argsort(to.astype(small), kind="stable")]
    counts = np.bincount(to)
    keys = np.flatnonzero(counts)
    left = counts[keys]
    begins = np.cumsum(left) - left  # of what is left of each key, in by_key
    while len(keys) > _FEW:
        some = into.take(keys, axis=0)
        cells(into)[keys] = cells(fold(some, rows.take(by_key[begins], axis=0), out=some))
        more = left > 1
        keys, left, begins = keys[more], left[more] - 1, begins[more] + 1
    if len(keys):
        # A row in front of those of each key has the place of the fold until now.
        tail = rows.take(by_key[_elements(begins - 1, left + 1)], axis=0)
        into[keys] = fold.segments(into[keys], tail, np.cumsum(left + 1) - left - 1)


def cells(rows: np.ndarray) -> np.ndarray:
    """Returns the same rows, each as one element, whose bytes are copied at once."""
    return rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).reshape(-1)
