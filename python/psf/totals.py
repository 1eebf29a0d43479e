"""What the calls of a node take, and what its threads do besides: for ``psf explain``, once somebody asks."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

if TYPE_CHECKING:
    from .calls import Call
    from .line import Answer

#: The most functions of a report.
_MOST = 200

#: The least time between two looks at the threads, in seconds.
_LOOK = 0.05


class Totals:
    """Sums since it was made. Each sum is changed under the lock of the calls, or by one thread alone."""

    def __init__(self) -> None:
        self._began = self._looked = time.monotonic()
        self._processors = time.process_time_ns()
        #: By function: the calls that have ended, the seconds that they took, the bytes sent, the bytes received.
        self._sums: Dict[str, List[Any]] = {}
        #: By thread and function: the seconds of the waits that have ended.
        self._awaited: Dict[Tuple[int, str], float] = {}
        #: What each thread waits for now, and since when.
        self._waits: Dict[int, Tuple[str, float]] = {}
        #: By thread that has waited: the seconds in which it ran or was ready to run.
        self._ran: Dict[int, float] = {}
        self._waited = self._running = self._idle = 0.0

    def _of(self, function: str) -> List[Any]:
        return self._sums.setdefault(function, [0, 0.0, 0, 0])

    # Under the lock of the calls.

    def sent(self, call: Call, buffers: List[Any]) -> None:
        self._of(call.function.name)[2] += sum(map(len, buffers))

    def received(self, call: Call, answer: Answer) -> None:
        placed = answer.placed
        self._of(call.function.name)[3] += len(answer.body) + (0 if placed is None else placed.nbytes)

    def ended(self, call: Call) -> None:
        sums = self._of(call.function.name)
        sums[0] += 1
        sums[1] += time.monotonic() - (call.deadline - call.seconds)

    # On the thread that waits.

    def waits(self, function: str) -> int:
        """Notes that this thread begins to wait for a call. Returns the thread's number."""
        thread = threading.get_native_id()
        if thread not in self._ran:
            self._ran[thread] = _ran(thread) or 0.0
        self._waits[thread] = function, time.monotonic()
        return thread

    def goes_on(self, thread: int) -> None:
        """Notes that this thread waits no more."""
        wait = self._waits.pop(thread, None)
        if wait is not None:  # else a signal's handler has waited within this wait
            key = thread, wait[0]
            self._awaited[key] = self._awaited.get(key, 0.0) + time.monotonic() - wait[1]

    # On the thread of the ticks.

    def look(self) -> None:
        """Looks at what the threads do that wait for calls. Called regularly."""
        now = time.monotonic()
        elapsed = now - self._looked
        if elapsed < _LOOK:
            return
        ran = 0.0
        for thread, before in list(self._ran.items()):
            total = _ran(thread)
            if total is None:
                del self._ran[thread]  # it has ended
            else:
                ran += total - before
                self._ran[thread] = total
        awaited = sum(self._by_function(now).values())
        if self._ran:
            self._running += min(ran, elapsed)
            self._idle += max(0.0, elapsed - ran - max(0.0, awaited - self._waited))
        self._looked, self._waited = now, awaited

    def _by_function(self, now: float) -> Dict[str, float]:
        """Returns the seconds that threads have waited, those that wait now included."""
        awaited: Dict[str, float] = {}
        waits = [(function, max(0.0, now - since)) for function, since in list(self._waits.values())]
        for function, seconds in [(key[1], value) for key, value in list(self._awaited.items())] + waits:
            awaited[function] = awaited.get(function, 0.0) + seconds
        return awaited

    def report(self) -> Dict[str, Any]:
        """Returns what was counted until now: the functions with the longest times. The heap is none that has a limit."""
        now = time.monotonic()
        awaited = self._by_function(now)
        calls: List[Dict[str, Any]] = []
        for function in set(self._sums) | set(awaited):
            ended, seconds, sent, received = self._sums.get(function, (0, 0.0, 0, 0))
            calls.append({"function": function, "calls": ended, "nanos": _nanos(seconds), "sent": sent, "received": received,
                          "awaitedNanos": _nanos(awaited.get(function, 0.0))})
        calls.sort(key=lambda each: -each["awaitedNanos"] - each["nanos"])
        return {
            "nanos": _nanos(now - self._began), "cpuNanos": time.process_time_ns() - self._processors, "collectNanos": 0,
            "heapUsed": 0, "heapMost": 0,
            "work": {"running": int(1000 * self._running), "idle": int(1000 * self._idle)}, "calls": calls[:_MOST]}


def _nanos(seconds: float) -> int:
    return int(1e9 * seconds)


def _ran(thread: int) -> Optional[float]:
    """Returns the seconds in which a thread has run or was ready to run; None if it has ended, or Linux is not there."""
    try:
        with open("/proc/self/task/%d/schedstat" % thread) as file:
            ran, ready = file.read().split()[:2]
            return (int(ran) + int(ready)) / 1e9
    except OSError:
        return None
