"""Tasks that another system runs again: each of their changes runs once, whichever attempt sends it first."""

from __future__ import annotations

import hashlib
import struct
import threading
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .calls import Step
from .pending import Pending
from .caller import Caller, Options
from .errors import PsError, bad_request

#: The number of steps that a slice knows one by one: its highest step, and the steps below it.
WINDOW = 64


def task_number(*parts: str) -> int:
    """Returns the number of the task that texts name, such as a job, a stage and a partition; not the attempt."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        digest.update(struct.pack(">i", len(encoded)) + encoded)
    return struct.unpack(">q", digest.digest()[:8])[0] or 1


class Task:
    """Makes the calls of one attempt of a task.

    A call that changes something on shards is the task's next step: all attempts make the same changes in the same
    order. Read-only calls are as those of the cluster. ``await_changes`` comes before an attempt counts as successful.
    Thread-safe, but the steps have the order of the calls.
    """

    def __init__(self, cluster: Any, number: int):
        if not number:
            raise ValueError("task: 0 (expected: another number)")
        self.cluster = cluster
        self.number = number
        self._lock = threading.RLock()
        self._known: Dict[Any, int] = {}
        self._latest: List[Optional[Pending[Any]]] = [None] * WINDOW
        self._last = 0
        self._failure: Optional[Tuple[int, PsError]] = None

    def function(self, name: str) -> Caller:
        """Returns a function, whose calls are steps if they change something."""
        return Caller(self, name)

    def tensor(self, tensor: Any) -> Any:
        """Returns a tensor of the cluster, whose pushes are steps."""
        return tensor.with_caller(self)

    def call(self, name: str, arguments: Mapping[str, Any], options: Options = Options()) -> Pending[Any]:
        function = self.cluster.find(name)
        if function.read_only or function.schema.place != "SHARD":
            return self.cluster.call(name, arguments, options)
        if function.schema.response or function.schema.merged:
            raise bad_request("function: %s, whose response has components (expected: one that answers nothing, since a"
                              " repeated step is not run; use a push and then a pull)" % name).at(name)
        with self._lock:
            number = self._next()
            try:
                pending = self.cluster.call(name, arguments, options._replace(step=Step(self.number, number, self._known)))
            except PsError as e:
                self._fail(number, e)
                raise
            self._latest[number % WINDOW] = pending
            return pending

    def _next(self) -> int:
        """Returns the number of the next step. Blocks until the step 64 before it has succeeded everywhere."""
        number = self._last + 1
        before = self._latest[number % WINDOW]
        if before is not None:
            self._settle(before, number - WINDOW)
        if self._failure is not None and number - self._failure[0] >= WINDOW:
            step, why = self._failure
            raise PsError(why.code, "step %d of a task: not sent, since step %d has failed (expected: the task is run again,"
                          " by another caller): %s" % (number, step, why.detail)) from why
        self._latest[number % WINDOW] = None
        self._last = number
        return number

    def _settle(self, pending: Pending[Any], number: int) -> None:
        call = pending._call
        call.calls.wait(call)
        if call.failure is not None:
            self._fail(number, call.failure)
        elif call.layout is not None:
            for slice in call.routing.slices:
                place = (call.layout.number, slice)
                self._known[place] = max(number, self._known.get(place, 0))

    def _fail(self, number: int, why: PsError) -> None:
        if self._failure is None or number < self._failure[0]:
            self._failure = (number, why)

    def await_changes(self) -> None:
        """Blocks until all changes of this attempt have ended. Raises the failure of the first that has failed."""
        with self._lock:
            for number in range(max(1, self._last - WINDOW + 1), self._last + 1):
                pending = self._latest[number % WINDOW]
                if pending is not None:
                    self._settle(pending, number)
            if self._failure is not None:
                raise self._failure[1].at(None)

    def layout(self, tensor: str) -> Any:
        return self.cluster.layout(tensor)
