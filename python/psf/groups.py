"""What workers do together: all-reduce, clocks with a bound on staleness, partial reduce, ends of epochs."""

from __future__ import annotations

from typing import Any, Tuple, Union

import numpy as np

from .pending import Pending
from .caller import Options
from .settings import seconds
from .tensors import PIECES
from .verbs import verb

#: How long a worker waits for others at the end of an epoch, in seconds.
EPOCH_LIMIT = 7200.0
_TO_INITIALIZE = 1800.0
_TO_ANSWER = 30.0

#: The key of the node that leads what all workers do together.
_SERVER = 0


def end_epoch(cluster: Any, timeout: Union[float, str] = EPOCH_LIMIT) -> int:
    """Ends this worker's epoch, and blocks until all present workers have ended it. Returns the epoch's number, from 1.

    Until then no round, all-reduce or clock waits for this worker.
    """
    cluster.rank  # refused before anything is sent
    cluster.wait()
    return cluster.call("psf.epoch.end", {"server": _SERVER}, Options(deadline=seconds("timeout", timeout))).wait().epoch


class Ssp:
    """The clock of this worker in a group, whose workers are at most ``staleness`` ticks apart."""

    def __init__(self, cluster: Any, group: int, staleness: int, rank: int = -1, size: int = 0):
        """:param size: the number of workers of the group; 0 for all workers. Then the rank is this worker's own."""
        own = cluster.rank
        self._cluster = cluster
        self.group = group
        self.rank = own if size == 0 else rank
        joined = cluster.call("psf.ssp.init", {"group": group, "size": size, "staleness": staleness}).wait()
        self.clock = joined.clock
        if size:
            self._sync(self.clock, None)  # the rank is this worker's from now on

    def _sync(self, clock: int, timeout: Union[float, str, None]) -> int:
        options = Options() if timeout is None else Options(deadline=seconds("timeout", timeout))
        request = {"group": self.group, "rank": self.rank, "clock": clock}
        return self._cluster.call("psf.ssp.sync", request, options).wait().slowest

    def tick(self, timeout: Union[float, str, None] = None) -> int:
        """Ends an iteration. Blocks while this worker is too far ahead. Returns the clock of the slowest worker."""
        slowest = self._sync(self.clock + 1, timeout)
        self.clock += 1
        return slowest


class AllReduce:
    """Combines arrays of all workers, in memory of the servers. Every worker makes the same calls in the same order."""

    def __init__(self, cluster: Any, name: str, length: int):
        cluster.rank  # refused before anything is sent
        self._cluster = cluster
        self.name = name
        rule = {"name": "", "arguments": {}, "options": {}}
        layout, = cluster.declare([{
            "info": {"id": name, "rows": length, "width": 1,
                     "types": {"storage": "FLOAT32", "isStochastic": False, "wire": "FLOAT32"}},
            "slices": PIECES, "beside": "", "placement": "host", "initializer": rule, "optimizer": rule,
            "rounds": {"synchronous": False, "mean": False, "quorum": 0, "dropsLate": False}, "policy": {},
            "memoryOf": "psf.allreduce"}])
        cluster.call("psf.allreduce.init", {"tensor": name, "epoch": layout.version},
                     Options(deadline=_TO_INITIALIZE)).wait()
        self._number = cluster.call("psf.allreduce.next", {"tensor": name}).wait().number

    def _reduce(self, operation: str, values: Any) -> Pending[np.ndarray]:
        values = np.asarray(values, np.float32)
        number, self._number = self._number, self._number + 1
        request = {"tensor": self.name, "operation": operation, "number": number, "values": values}
        return self._cluster.call("psf.allreduce", request).then(lambda response: response.values.reshape(values.shape))

    @verb
    def sum(self, values: Any) -> Pending[np.ndarray]:
        """Returns the sum of the values of all workers."""
        return self._reduce("SUM", values)

    @verb
    def mean(self, values: Any) -> Pending[np.ndarray]:
        """Returns the mean of the values of all workers."""
        return self._reduce("MEAN", values)

    @verb
    def max(self, values: Any) -> Pending[np.ndarray]:
        """Returns the greatest of each value of all workers."""
        return self._reduce("MAX", values)

    def clear(self) -> None:
        """Drops the memory on the servers, and frees the name."""
        self._cluster.call("psf.allreduce.clear", {"tensor": self.name}).wait()
        self._cluster.forget(self.name)


class PartialReduce:
    """Synchronizes a worker that is ready with others that are ready at about the same time.

    :param wanted: the number of workers, this one included, at which a group closes at once
    :param max_wait: the longest time that the first worker of a group waits for the others
    """

    def __init__(self, cluster: Any, group: int, wanted: int, max_wait: Union[float, str]):
        self._cluster = cluster
        self._request = {"group": group, "rank": cluster.rank, "wanted": wanted,
                         "max_wait_millis": int(seconds("max_wait", max_wait) * 1000)}
        self._group = group
        self._options = Options(deadline=seconds("max_wait", max_wait) + _TO_ANSWER)

    def _ready(self) -> Any:
        return self._cluster.call("psf.preduce.partners", self._request, self._options).wait()

    def partners(self) -> np.ndarray:
        """Blocks until the group closes. Returns the ranks of the workers that were ready, ascending."""
        return self._ready().ranks

    def average(self, tensor: Any, values: Any) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the mean of the partners' values, which have a tensor's shape, and the ranks of the partners."""
        values = np.asarray(values, np.float32)
        ready = self._ready()
        mean = self._cluster.call("psf.preduce.mean", {
            "tensor": getattr(tensor, "name", tensor), "group": self._group, "number": ready.number, "ranks": ready.ranks,
            "values": values}).wait().mean
        return mean.reshape(values.shape), ready.ranks
