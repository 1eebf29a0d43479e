"""A cache of the rows of an embedding table on a worker, with bounds on staleness."""

from __future__ import annotations

import time
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from .codec import DTYPES, array_of
from .errors import PsError, bad_request
from .lines import NONE, Lines, distinct
from .pending import Pending
from .reports import Reports
from .tensors import TensorSpec, in_order

#: The levels of the order of eviction.
_LEVELS = {"lru": 1, "lfu": 4096, "lfu_opt": 11}

#: The floats of a push: 1 MB.
_FLOATS = 1 << 18

#: The time between two reports of the share of hits, in seconds.
_REPORTS = 10.0

_MOST_ROWS = (1 << 29) - 1
_MOST_UPDATES = 1 << 30


class CacheCounters(NamedTuple):
    """What a cache has done. A key that occurs several times in one call counts once.

    :param rows: the rows that were looked up
    :param misses: the rows of which the cache had none
    :param stale: the rows that were more than the bound behind and were received again
    :param prefetched: the rows that a prefetch received
    :param evictions: the lines that were given to another key
    :param pushed: the rows that were sent with their updates
    :param sent: the bytes of keys, versions, counts and values in requests
    :param received: the same of answers
    """

    rows: int = 0
    misses: int = 0
    stale: int = 0
    prefetched: int = 0
    evictions: int = 0
    pushed: int = 0
    sent: int = 0
    received: int = 0

    @property
    def hits(self) -> int:
        """The rows that a look-up did not have to receive."""
        return self.rows - self.misses - self.stale


class EmbeddingCache:
    """A cache of rows. It exchanges with the servers only what its bounds require. Used by one thread.

    >>> spec = psf.table("items", 1_000_000, 16, optimizer=psf.sgd(0.05))
    >>> with psf.EmbeddingCache(cluster, spec, rows=100_000, pull_bound=100, push_bound=100) as items:
    ...     rows = items.look_up(keys)
    ...     items.prefetch(next_keys)  # received while the gradients are computed
    ...     items.update(keys, gradients)

    The protocol is HET (Miao et al., VLDB 2022), and the guarantees are those of Java's EmbeddingCache. A push runs
    exactly once. If it fails, it is not known which servers have applied it: each later call fails with its code. A failed
    prefetch is not reported, except that the next look-up, prefetch or update fails with ``ROLLED_BACK`` if the model goes
    back to a checkpoint.
    """

    #: A pull bound with which a cached row is never compared with the server's row.
    UNLIMITED = (1 << 63) - 1

    def __init__(self, cluster: Any, spec: TensorSpec, rows: int = 0, pull_bound: int = 0, push_bound: int = 0,
                 policy: str = "lfu", show_own_updates: bool = True, bypass: bool = False):
        """Opens a cache. Creates the table, or finds it.

        :param spec: of a table whose ``updates`` are ``each``
        :param rows: the number of rows that it holds; a row takes 8 bytes for each of its floats, and some 100 bytes
        :param pull_bound: the number of updates of others that a row may lack in a look-up
        :param push_bound: the number of unsent updates that a row may have
        :param policy: the rows that are evicted first: ``lru``, ``lfu`` or ``lfu_opt``, in which 10 uses make a row permanent
        :param show_own_updates: whether a look-up shows updates that are not sent; those that are sent it shows always
        :param bypass: whether each call goes to the servers, for comparison: nothing is cached, and a prefetch has no effect
        """
        name = 'of tensor "%s"' % spec.name
        if not spec.by_key or spec.updates != "each":
            raise ValueError("updates %s: %s (expected: each, of a table; caches push at different times)" % (name, spec.updates))
        if not bypass and spec.optimizer.name == "psf.all-rows-adam":
            raise ValueError("optimizer %s: %s (expected: one that changes the pushed rows alone; caches count the changes by"
                             " pushes)" % (name, spec.optimizer.name))
        if policy not in _LEVELS:
            raise ValueError("policy: %s (expected: %s)" % (policy, " or ".join(_LEVELS)))
        for what, value, least, most in (
                ("rows", rows, 0 if bypass else 1, _MOST_ROWS), ("pull_bound", pull_bound, 0, self.UNLIMITED),
                ("push_bound", push_bound, 0, _MOST_UPDATES)):
            if not least <= value <= most:
                raise ValueError("%s: %s (expected: %d to %d)" % (what, value, least, most))
        self.table = cluster.init([spec])[0]
        self._layout = cluster.layout(spec.name)
        self._row_bytes = {"float32": 4 * spec.width, "int8": spec.width + 4}.get(spec.wire, 2 * spec.width)
        self._scale = _scale(spec) if show_own_updates else np.float32(0)
        self._pushes_first = show_own_updates and not self._scale
        self._pull_bound, self._push_bound = pull_bound, push_bound
        self._shape = rows, spec.width, _LEVELS[policy]
        self._most = min(rows, max(1, _FLOATS // spec.width))
        self._bypass = bypass
        self._reports = Reports(cluster)
        self._reported, self._look_ups = time.monotonic(), 0
        self._closed = False
        self.counters = CacheCounters()
        self.loaded()

    def loaded(self) -> None:
        """Drops all rows, and the updates that are not sent: after a load of another state of the table."""
        self._lines = Lines(*self._shape)
        #: The unsent updates that are to be sent, and the push in flight.
        self._collected: List[Tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._pushing: Optional[Pending[Any]] = None
        self._failure: Optional[PsError] = None
        #: The keys of a prefetch, its answer, and the number of the last push before it.
        self._prefetched: Optional[Tuple[np.ndarray, Pending[Any], int]] = None
        self._look_up = 1
        self._pushed = 0

    def look_up(self, keys: Any) -> np.ndarray:
        """Returns rows: [.., width] for keys [..]. Blocks until those that are missing or stale are received."""
        rows = self._looked_up(self._required(keys))
        self._report()
        return rows

    def _looked_up(self, keys: np.ndarray) -> np.ndarray:
        if self._bypass:
            return self._pulled(keys)
        self._take_prefetched()
        mine = keys.reshape(-1)
        rows = np.empty((len(mine), self.table.width), np.float32)
        for begin in range(0, len(mine), self._lines.capacity):
            part = slice(begin, begin + self._lines.capacity)
            places, numbers = distinct(mine[part])
            try:
                lines = self._pin(mine[part][places])
                self._count(rows=len(lines))
                self._fetch(lines)
                np.take(self._lines.rows, lines[numbers], axis=0, out=rows[part], mode="clip")  # checks nothing, since all are there
            finally:
                self._lines.unpin()
        self._look_up += 1
        return rows.reshape(*keys.shape, self.table.width)

    def update(self, keys: Any, gradients: Any) -> None:
        """Adds updates, [.., width], to the unsent ones; each place of the keys is one. Sends those beyond the bound, and
        those of evicted rows. Waits for the answer of the push before, not for its own."""
        mine = self._required(keys).reshape(-1)
        gradients = np.asarray(in_order(gradients, (*np.shape(keys), self.table.width), self.table.name), np.float32)
        if gradients.size != len(mine) * self.table.width:
            raise bad_request("gradients length: %d (expected: %d, %d keys x %d)" % (
                gradients.size, len(mine) * self.table.width, len(mine), self.table.width)).at(None, self.table.name)
        gradients = gradients.reshape(-1, self.table.width)
        if self._bypass:
            self._pushed_at_once(mine, gradients)
            return
        for begin in range(0, len(mine), self._lines.capacity):
            part = slice(begin, begin + self._lines.capacity)
            places, numbers = distinct(mine[part])
            if self._prefetched is not None and (self._lines.find(mine[part]) < 0).any():
                self._take_prefetched()  # before a line is evicted: the prefetched row may lack its updates
            try:
                lines = self._pin(mine[part][places])
                self._lines.update(lines, places, numbers, gradients[part], self._scale)
                self._push(lines[self._lines.updates[lines] > self._push_bound])
                self._send()
            finally:
                self._lines.unpin()

    def prefetch(self, keys: Any) -> None:
        """Requests those rows that the next look-up would request. The next look-up waits for them."""
        mine = np.unique(self._required(keys))
        if self._bypass:
            return
        self._take_prefetched()
        lines = self._lines.find(mine)
        if len(mine):
            known = lines >= 0
            wanted = ~known | self._may_be_old(lines) & ~(self._pushes_first & (self._lines.updates[lines] > 0))
            asked = mine[wanted][: self._lines.capacity]
            versions = np.where(known, self._lines.versions[lines], NONE)[wanted][: self._lines.capacity]
            if len(asked):
                self._prefetched = asked, self._ask(asked, versions).unattended(), self._pushed

    def flush(self) -> None:
        """Sends all unsent updates. Blocks until they are in the values."""
        self._required(())
        self._push(np.flatnonzero(self._lines.updates))
        self._send()
        self._await_push()

    def close(self) -> None:
        """Flushes. The cache is closed also if that fails."""
        if not self._closed:
            try:
                self.flush()
            finally:
                self._closed = True

    def __enter__(self) -> EmbeddingCache:
        return self

    def __exit__(self, type: Any, value: Any, trace: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return 'EmbeddingCache("%s", %d of %d rows)' % (self.table.name, self._lines.size, self._lines.capacity)

    def _required(self, keys: Any) -> np.ndarray:
        if self._closed:
            raise ValueError('cache of tensor "%s": closed (expected: open)' % self.table.name)
        if self._failure is not None:
            raise PsError(self._failure.code, 'a push of the cache on tensor "%s" has failed, and it is not known which servers'
                          " have applied it (expected: a new cache, on a table loaded from a checkpoint): %s" % (
                              self.table.name, self._failure)) from self._failure
        try:
            checked = array_of(DTYPES["i64"], keys, "keys", "i64[]")
            if checked.size:
                self._layout.require_rows(checked, "keys")
        except PsError as e:
            raise e.at(None, self.table.name) from None
        return checked.reshape(np.shape(keys))

    def _call(self, function: str, **arguments: Any) -> Pending[Any]:
        return self.table.caller.call(function, {"table": self.table.name, **arguments})

    def _count(self, **more: int) -> None:
        self.counters = self.counters._replace(**{name: getattr(self.counters, name) + n for name, n in more.items()})

    def _report(self) -> None:
        """Tells a server of the hits until now, if it is time. A report that fails is lost."""
        self._look_ups += 1
        now = time.monotonic()
        if now - self._reported >= _REPORTS:
            self._reported = now
            share = self.counters.hits / max(1, self.counters.rows)
            self._reports.in_background("cache hits of " + self.table.name, self._look_ups, share)

    # Calls without a cache. An update is counted in the versions, so that the caches of other workers receive it.

    def _pulled(self, keys: np.ndarray) -> np.ndarray:
        rows = self.table.pull(keys)
        n = len(distinct(keys.reshape(-1))[0])
        self._count(rows=n, misses=n, sent=8 * n, received=n * self._row_bytes)
        return rows

    def _pushed_at_once(self, keys: np.ndarray, gradients: np.ndarray) -> None:
        self._call("psf.cache.push", keys=keys, gradients=gradients, updates=np.ones(len(keys), np.int32)).wait()
        n = len(distinct(keys)[0])
        self._count(pushed=n, sent=n * (12 + self._row_bytes))

    # Lines.

    def _pin(self, keys: np.ndarray) -> np.ndarray:
        """Pins the lines of distinct keys. Keys without a line get one; the updates of evicted lines are collected."""
        lines = self._lines.find(keys)
        found = lines >= 0
        self._lines.pin(lines[found])
        missing = np.flatnonzero(~found)
        if not len(missing):
            return lines
        free, evicted = self._lines.victims(len(missing))
        self._count(evictions=len(evicted))
        self._collect(evicted[self._lines.updates[evicted] > 0])
        lines[missing] = self._lines.insert(free, evicted, keys[missing])
        return lines

    def _may_be_old(self, lines: np.ndarray) -> np.ndarray:
        """True for lines whose row is missing, or may lack more updates than the bound."""
        return (self._lines.versions[lines] == NONE) | (self._pull_bound < self.UNLIMITED)

    # Pushes.

    def _collect(self, lines: np.ndarray) -> None:
        if len(lines):
            self._collected.append(self._lines.take_unsent(lines))

    def _push(self, lines: np.ndarray) -> None:
        """Collects the updates of lines, and gives the lines the versions of their rows after the push."""
        if not len(lines):
            return
        held = self._lines
        self._pushed += 1
        held.pushed_at[lines] = self._pushed
        if self._scale:
            held.versions[lines] += np.where(held.versions[lines] == NONE, 0, held.updates[lines])
        else:
            held.versions[lines] = NONE  # the next look-up receives the row with the pushed updates
        self._collect(lines)

    def _send(self) -> None:
        """Sends the collected updates, once the push in flight is answered. A server runs the calls in their order."""
        if not self._collected:
            return
        keys, gradients, updates = (np.concatenate(each) for each in zip(*self._collected))
        self._collected = []
        for begin in range(0, len(keys), self._most):
            part = slice(begin, begin + self._most)
            self._await_push()
            n = len(keys[part])
            try:
                self._pushing = self._call(
                    "psf.cache.push", keys=keys[part], gradients=gradients[part], updates=updates[part]).unattended()
            except PsError as e:
                self._failure = e
                raise
            self._count(pushed=n, sent=n * (12 + self._row_bytes))

    def _await_push(self) -> None:
        if self._pushing is not None:
            try:
                self._pushing.wait()
            except PsError as e:
                self._failure = e
                raise
            self._pushing = None

    # Rows.

    def _ask(self, keys: np.ndarray, versions: np.ndarray) -> Pending[Any]:
        self._count(sent=16 * len(keys) + 8)
        return self._call("psf.cache.sync", keys=keys, versions=versions, bound=self._pull_bound)

    def _received(self, pending: Pending[Any]) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Waits for rows. Returns their keys, versions and values."""
        answer = pending.wait()
        self._count(received=len(answer.keys) * (16 + self._row_bytes))
        return answer.keys, answer.versions, answer.values.reshape(-1, self.table.width)

    def _fetch(self, lines: np.ndarray) -> None:
        """Receives those rows of pinned lines that are missing or stale."""
        held = self._lines
        held.uses[lines] += 1
        if self._pushes_first:
            self._push(lines[held.updates[lines] > 0])
        asked = lines[self._may_be_old(lines) & ((held.versions[lines] == NONE) | (held.compared_for[lines] != self._look_up))]
        self._send()
        if not len(asked):
            return
        versions = held.versions[asked]
        missing = int(np.count_nonzero(versions == NONE))
        keys, versions, values = self._received(self._ask(held.keys[asked], versions))
        self._count(misses=missing, stale=len(keys) - missing)
        held.set_rows(held.find(keys), versions, values, self._scale)

    def _take_prefetched(self) -> None:
        """Puts the rows of the prefetch into the cache. A row whose line was pushed in the meantime lacks that push and is
        not used: the next look-up compares it. A failure is not reported, since the next look-up requests the rows, except
        that the model goes back to a checkpoint: no other call may have been told."""
        prefetched, self._prefetched = self._prefetched, None
        if prefetched is None:
            return
        asked, pending, pushed_before = prefetched
        try:
            keys, versions, values = self._received(pending)
        except PsError as e:
            if e.code == "ROLLED_BACK":
                raise
            return
        self._count(prefetched=len(keys))
        held = self._lines
        try:
            lines = self._pin(asked)
            held.compared_for[lines] = np.where(held.pushed_at[lines] > pushed_before, 0, self._look_up)
            lines = held.find(keys)
            fresh = held.pushed_at[lines] <= pushed_before
            held.set_rows(lines[fresh], versions[fresh], values[fresh], self._scale)
            self._send()
        finally:
            held.unpin()


def _scale(spec: TensorSpec) -> np.float32:
    """Returns the factor with which the servers add an update to the values; 0 if they do not, or not exactly."""
    optimizer = spec.optimizer
    exact = spec.storage == spec.wire == "float32" and not spec.stochastic_rounding
    if exact and not optimizer.options and spec.policy.admit_after <= 1:
        if optimizer.name == "psf.add":
            return np.float32(optimizer.arguments.get("scale", "1"))
        if optimizer.name == "psf.sgd":
            return -np.float32(optimizer.arguments.get("lr", "0"))
    return np.float32(0)
