"""Calls in flight: their parts, their answers, and the threads that wait for them."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional

import numpy as np

from . import frames
from .errors import MOST_NAMED, PsError, together
from .layout import Layout
from .line import Answer, Line
from .memory import Spare
from .peer import Peer
from .routing import Function, Routing, SliceRouting
from .totals import Totals

LOG = logging.getLogger("psf")

#: After the first failure of a part, the time that the others have to report theirs, in seconds.
_GRACE = 0.1

#: From this many bytes of an answer on, the server is told at once that the call is done: it has a copy.
_LARGE = 1 << 16

_KEPT_FAILURES = 1000

#: The most bytes of an array whose memory is used again.
_MOST_SPARE = 1 << 22

#: The most parts of a call that are sent at once: others may send between them.
_TOGETHER = 4


class Step:
    """A change of a task: what is sent in front of it."""

    def __init__(self, task: int, number: int, known: Dict[Any, int]):
        self.task, self.number, self.known = task, number, known


class Call:
    """A call in flight. Its fields are guarded by the lock of :class:`Calls`."""

    def __init__(self, calls: "Calls", function: Function, routing: Routing, peers: List[Peer], seconds: float,
                 priority: int = 0, background: bool = False, step: Optional[Step] = None,
                 merge: Optional[Callable[[List[Any]], Any]] = None):
        self.calls = calls
        self.function = function
        self.seconds = seconds
        self.deadline = time.monotonic() + seconds
        self.priority = priority
        self.background = background
        self.step = step
        self.merge = merge
        self.id = 0
        self.done = False
        self.failure: Optional[PsError] = None
        self.observed = False
        #: True once a thread has begun to wait for the call, and reads its answer.
        self.attended = background
        #: Cuts the request again, by the layouts of now; None if the call is not repeated.
        self.again: Optional[Callable[[], "tuple[Routing, List[Peer]]"]] = None
        self.pause = 0.0
        self.repeating = False
        self.waiters: List[threading.Event] = []
        self.callbacks: List[Callable[[], None]] = []
        self._result: Any = None
        self._has_result = False
        self._results = threading.Lock()
        self.split(routing, peers)

    def split(self, routing: Routing, peers: List[Peer]) -> None:
        """Sets the parts, none of which has been sent."""
        n = len(routing.slices)
        self.routing = routing
        self.layout = routing.layout if isinstance(routing, SliceRouting) else None
        self.single = self.layout is None and n == 1
        self.peers = peers
        self.writers: List[Any] = routing.writers()
        self.buffers: List[Any] = [None] * n
        self.epochs = [0] * n
        self.sends = [0] * n
        self.answers: List[Optional[Answer]] = [None] * n
        self.errors: Dict[int, PsError] = {}
        self.stale = True
        self.certainly_stale = False
        self.fail_by = 0.0
        self.missing = n
        self.large = False
        self.stamps = [] if self.layout is None else [self.layout.stamps[s] for s in routing.slices]

    def part(self, slice: int, peer: Peer) -> int:
        """Returns the part that a peer answers for a slice; -1 if none."""
        slices = self.routing.slices
        if isinstance(slices, range):
            part = slice if 0 <= slice < len(slices) else -1
        else:
            part = slices.index(slice) if slice in slices else -1
        return part if part >= 0 and self.peers[part] is peer else -1

    def frame(self, part: int) -> List[Any]:
        """Returns the buffers of a part's request, which may have been sent before."""
        left = max(1, min(int((self.deadline - time.monotonic()) * 1000), 0x7FFFFFFF))
        buffers = self.buffers[part]
        if buffers is None:
            layout, slice = self.layout, self.routing.slices[part]
            number, stamp = (0, 0) if layout is None else (layout.number, self.stamps[part])
            if self.single:
                slice = 0
            buffers = self.buffers[part] = frames.request(
                self.writers[part], self.function.schema, self.id, number, slice, stamp, left, self.sends[part],
                self.priority)
            self.writers[part] = None
        else:
            frames.again(buffers, left, self.sends[part])
        if self.step is not None:
            known = self.step.known.get((self.layout.number if self.layout else 0, self.routing.slices[part]), 0)
            return frames.step(buffers, self.step.task, self.step.number, known)
        return buffers

    def is_needed(self, part: int) -> bool:
        """True if a part has neither an answer nor an error."""
        return self.answers[part] is None and part not in self.errors

    def place(self, part: int, cause: PsError) -> PsError:
        """Adds to an error where it happened."""
        layout = self.layout
        return cause.at(
            self.function.name, layout.tensor if layout else None,
            layout.range(self.routing.slices[part]) if layout and part >= 0 else None,
            self.peers[part].name if part >= 0 else None)

    def all_errors(self) -> PsError:
        parts = sorted(self.errors)
        return together([self.errors[i] for i in parts[:MOST_NAMED]], max(0, len(parts) - MOST_NAMED))

    def late(self) -> PsError:
        """Returns the error of a call whose deadline has passed."""
        missing = [i for i in range(len(self.peers)) if self.is_needed(i)]
        late = PsError("TIMED_OUT", "%d of %d answers missing after %d ms" % (
            len(missing), len(self.peers), self.seconds * 1000))
        named = [self.place(i, late) for i in missing[:MOST_NAMED]]
        return together(named, len(missing) - len(named)) if named else self.place(-1, late)

    def may_start_over(self) -> bool:
        """True if every part was refused, or the call changes nothing and no part is under way."""
        return self.stale and (
            len(self.errors) == len(self.peers) or self.function.read_only and self.missing == 0)

    def result(self) -> Any:
        """Returns the response, or raises the failure. The call has ended."""
        self.observed = True
        if self.failure is not None:
            raise self.failure.at(None) from self.failure.__cause__
        with self._results:
            if not self._has_result:
                self._result = self._merged()
                self._has_result = True
                self.answers = []
            return self._result

    def _merged(self) -> Any:
        readers = [answer.reader() for answer in self.answers if answer is not None]
        try:
            if not self.function.schema.merged:
                return self.routing.merged(readers)
            responses = self.routing.responses(readers)
            if self.merge is None:
                return responses
        except PsError as e:
            raise self.place(-1, e) from e
        except (ValueError, TypeError) as e:
            raise self.place(-1, PsError("PROTOCOL", "merging the answers: %s" % e)) from e
        try:
            return self.merge(responses)
        except Exception as e:
            raise self.place(-1, PsError("CALLER_FAILED", "the caller's own merge raised %r" % e)) from e


class Calls:
    """The calls of one client: it numbers and sends them, takes the answers, and repeats what was refused."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.outstanding: Dict[int, Call] = {}
        self.next = 1
        self.closed: Optional[PsError] = None
        #: In a child process that was forked: the sentence for all calls.
        self.forked: Optional[str] = None
        self._spare = Spare()
        self.failures: Deque[Call] = deque(maxlen=_KEPT_FAILURES)
        #: What the calls take; None until somebody asks.
        self.totals: Optional[Totals] = None
        #: Set when a call has been started that no thread will await at once: another thread reads its answer.
        self.unawaited = threading.Event()
        #: Asks the scheduler for the state of the cluster. Blocks.
        self.refresh: Callable[[float], Any] = lambda limit: None
        #: Makes the next use of a layout ask the scheduler first.
        self.doubt: Callable[[], None] = lambda: None

    def number(self) -> int:
        with self.lock:
            number = self.next
            self.next = number + 1
            return number

    def oldest(self) -> int:
        """Returns a number such that no call with a smaller one is outstanding, now or later."""
        with self.lock:
            return next(iter(self.outstanding), self.next)

    def start(self, call: Call) -> None:
        """Sends a call."""
        with self.lock:
            if self.closed is not None:
                raise call.place(-1, self.closed)
            call.id = self.next
            self.next += 1
            if call.missing == 0:
                call.done = True
                return
            self.outstanding[call.id] = call
        self.send(call)

    def send(self, call: Call) -> None:
        """Sends the parts of a call that have not been sent. Neighbours for one node are sent together, up to some."""
        peers, begin = list(call.peers), 0
        while begin < len(peers):
            peer, end = peers[begin], begin + 1
            while end < len(peers) and peers[end] is peer and end - begin < _TOGETHER:
                end += 1
            peer.send(call, range(begin, end))
            if peer.lost is not None:
                self.fail_parts(call, peer, peer.lost)
            begin = end

    # Answers, on the thread that reads.

    def place(self, peer: Peer, number: int, slice: int, entry: int, n: int) -> Optional[np.ndarray]:
        """Returns the place that a call has for the array of an answer; None if it has none."""
        with self.lock:
            call = self.outstanding.get(number)
            part = -1 if call is None or call.single else call.part(slice, peer)
            if call is None or part < 0 or not call.is_needed(part):
                return None
            return call.routing.place(part, entry, n, self._memory)

    def _memory(self, length: int) -> memoryview:
        return self._spare.take(length) if length <= _MOST_SPARE else np.empty(length, np.uint8).data

    def answered(self, peer: Peer, epoch: int, answer: Answer) -> None:
        with self.lock:
            call = self.outstanding.get(answer.call)
            if call is None:
                return
            part = 0 if call.single else call.part(answer.slice, peer)
            if part < 0 or call.peers[part] is not peer or not call.is_needed(part):
                return
            if self.totals is not None:
                self.totals.received(call, answer)
            stamp = call.stamps[part] if call.stamps else 0
            if answer.refused and (epoch < call.epochs[part] or answer.layout != stamp):
                return
            if answer.status == 0:
                call.answers[part] = answer
                call.missing -= 1
                call.large |= len(answer.body) >= _LARGE
                if call.missing or call.errors:
                    if not call.errors:
                        return
                else:
                    self._end(call, None)
                    return
            else:
                self._fail(call, part, answer.failure(), answer.refused)
            self.deal(call)

    def _fail(self, call: Call, part: int, cause: PsError, refused: bool) -> None:
        if not call.errors:
            call.fail_by = time.monotonic() + _GRACE
        call.certainly_stale |= cause.code == "STALE_LAYOUT"
        call.stale &= refused and cause.code in ("STALE_LAYOUT", "UNKNOWN_TENSOR")
        call.errors[part] = call.place(part, cause)
        call.missing -= 1

    def fail_parts(self, call: Call, peer: Peer, cause: PsError) -> None:
        """Fails the parts that a lost node has not answered."""
        with self.lock:
            if call.done:
                return
            for part, of in enumerate(call.peers):
                if of is peer and call.is_needed(part):
                    self._fail(call, part, cause, False)
            self.deal(call)

    def deal(self, call: Call) -> None:
        """Ends a call whose deadline has passed, and deals with the errors of its parts once they are due."""
        with self.lock:
            if call.done:
                return
            now = time.monotonic()
            if now >= call.deadline:
                self._end(call, call.all_errors() if call.errors else call.late())
            elif call.errors and not call.repeating and (call.missing == 0 or now >= call.fail_by):
                if call.stale and call.again is not None:
                    call.repeating = True
                    threading.Thread(target=self._repeat, args=(call,), name="psf-repeat", daemon=True).start()
                else:
                    self._end(call, call.all_errors())

    def due(self, call: Call) -> float:
        """Returns the time at which a call has to be dealt with."""
        return min(call.deadline, call.fail_by) if call.errors and not call.repeating else call.deadline

    def fail(self, call: Call, cause: PsError) -> bool:
        """Ends a call with a failure. Returns False if it has ended."""
        with self.lock:
            if call.done:
                return False
            self._end(call, call.place(-1, cause))
            return True

    def _end(self, call: Call, failure: Optional[PsError]) -> None:
        call.failure = failure
        self.outstanding.pop(call.id, None)
        for part, peer in enumerate(call.peers):
            if call.is_needed(part):
                peer.note_done(call.id, True)
            elif not call.function.read_only:
                peer.note_done(call.id, call.large)
        if failure is not None:
            if call.layout is not None and failure.code in ("STALE_LAYOUT", "UNKNOWN_TENSOR"):
                self.doubt()
            if not call.background:
                self.failures.append(call)
        if self.totals is not None:
            self.totals.ended(call)
        call.done = True
        for each in call.waiters:
            each.set()
        for callback in call.callbacks:
            callback()
        call.callbacks = []

    # Parts that were refused, since the layout was out of date.

    def _repeat(self, call: Call) -> None:
        time.sleep(min(call.pause, max(0.0, call.deadline - time.monotonic())))
        call.pause = min(2 * call.pause or 0.001, 0.1)
        try:
            self._repeated(call)
        except PsError as e:
            self.fail(call, e)
        except Exception as e:  # a defect: the call ends all the same
            self.fail(call, PsError("INTERNAL", "repeating the call: %r" % e))

    def _repeated(self, call: Call) -> None:
        routing = call.routing
        assert isinstance(routing, SliceRouting) and call.again is not None
        before = [routing.layout, *routing.others]
        self.refresh(max(0.001, call.deadline - time.monotonic()))
        with self.lock:
            if call.done:
                return
            over, certain = call.may_start_over(), call.certainly_stale
        now, peers = call.again()  # it cuts the request: without the lock
        assert isinstance(now, SliceRouting)
        after = [now.layout, *now.others]
        with self.lock:
            if call.done:
                return
            call.repeating = False
            if not certain and all(map(Layout.is_as, after, before)):
                self._end(call, call.all_errors())  # the tensor is neither where it was nor anywhere else
                return
            if over:
                self.outstanding.pop(call.id, None)
                for peer in call.peers:
                    peer.note_done(call.id, False)
                call.split(now, peers)
                call.id = self.next
                self.next += 1
                self.outstanding[call.id] = call
                if call.missing == 0:
                    self._end(call, None)
                    return
            elif all(map(Layout.has_slices_of, after, before)):
                for part in call.errors:  # these alone, at the servers of now
                    call.peers[part] = peers[part]
                    call.writers[part], call.buffers[part] = now.write(part), None
                    call.stamps[part] = now.layout.stamps[now.slices[part]]
                    call.epochs[part] = call.sends[part] = 0
                    call.missing += 1
                call.errors = {}
                call.certainly_stale = False
                call.routing, call.layout = now, now.layout
            else:
                self._end(call, call.all_errors())
                return
        self.send(call)

    # Waiting.

    def wait(self, call: Call, limit: Optional[float] = None) -> None:
        """Blocks until a call has ended, or a time. This thread reads the answer, unless another one reads already.

        :param limit: as time.monotonic counts
        """
        waiter: Optional[threading.Event] = None
        call.attended = True
        totals = None if call.background else self.totals
        thread = 0 if totals is None else totals.waits(call.function.name)
        try:
            while not call.done:
                if self.forked is not None:
                    raise PsError("CLOSED", self.forked)
                until = self.due(call)
                if limit is not None and limit < until:
                    if time.monotonic() >= limit:
                        return
                    until = limit
                elif time.monotonic() >= until:
                    self.deal(call)
                    continue
                line = self._line(call)
                if line is not None and line.lead.acquire(blocking=False):
                    try:
                        line.read(until)
                        while not call.done and line is self._line(call) and time.monotonic() < until:
                            line.read(until)
                            until = min(until, self.due(call))
                    finally:
                        line.pass_lead()
                    continue
                if waiter is None:
                    waiter = threading.Event()
                    call.waiters.append(waiter)
                waiter.clear()
                if line is not None:
                    line.followers.append(waiter)
                if call.done or line is not None and (line.cause is not None or not line.lead.locked()):
                    continue
                waiter.wait(min(until - time.monotonic(), 0.1) if until > time.monotonic() else 0)
        finally:
            if totals is not None:
                totals.goes_on(thread)
            if waiter is not None:
                call.waiters.remove(waiter)
            if not call.done:  # a time has passed, or a signal has come
                call.attended = False
                self.unawaited.set()
            self.flush(call)

    def _line(self, call: Call) -> Optional[Line]:
        """Returns the connection over which an answer of a call is missing; None while it is made again."""
        with self.lock:
            for part, answer in enumerate(call.answers):
                if answer is None and part not in call.errors:
                    return call.peers[part].line
        return None

    def flush(self, call: Call) -> None:
        """Tells servers at once which calls are done, if they wait for it."""
        for peer in call.peers:
            if peer.tells_now:
                peer.tell_done(self.oldest())

    def foreground(self) -> List[Call]:
        with self.lock:
            return [call for call in self.outstanding.values() if not call.background]

    def fail_all(self, cause: PsError, background: bool) -> bool:
        """Fails the outstanding calls. Returns True if there was one."""
        with self.lock:
            failed = list(self.outstanding.values()) if background else self.foreground()
            for call in failed:
                self.fail(call, cause)
            return bool(failed)

    def await_all(self, tensor: Optional[str] = None) -> None:
        """Blocks until every earlier call has ended. Raises the failure of the first that nobody has observed.

        The failures of the others are observed then, too, and logged if they have another code.
        """
        for call in self.foreground():
            if concerns(call, tensor):
                self.wait(call)
        first: Optional[PsError] = None
        for call in list(self.failures):
            if concerns(call, tensor):
                try:
                    self.failures.remove(call)
                except ValueError:
                    continue
                try:
                    if not call.observed:
                        call.result()
                except PsError as e:
                    if first is not None and e.code != first.code:
                        LOG.warning("another call that was not awaited had failed: %s", e)
                    first = first or e
        if first is not None:
            raise first


def concerns(call: Call, tensor: Optional[str]) -> bool:
    if tensor is None:
        return True
    routing = call.routing
    return isinstance(routing, SliceRouting) and tensor in [each.tensor for each in (routing.layout, *routing.others)]
