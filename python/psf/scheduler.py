"""The connection to the scheduler: it admits this node, and says what changes in the cluster."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any, Callable, List, Optional

from . import control
from .calls import Call, Calls
from .errors import PsError
from .line import Wire, connect
from .peer import CLIENT, PROTOCOL, ROLES, SCHEDULER, Attempts, Member, Peer, Ticket, agree, ask, challenge, credential
from .peer import new_session
from .routing import Function, NodeRouting
from .settings import Settings
from .state import State
from .totals import Totals

LOG = logging.getLogger("psf")

_GRACE = 5.0
_PATIENCE, _LEAST = 5.0, 0.5
_RETRY = 0.05


class Scheduler:
    """The scheduler as this node knows it, and the latest state that it has sent. Thread-safe."""

    def __init__(self, calls: Calls, settings: Settings, role: int):
        self.calls = calls
        self.settings = settings
        self.role = role
        self.member = Member(SCHEDULER, 0, *settings.scheduler)
        self.wire = Wire(None if settings.tls is None else settings.tls.context(), settings.checksum)
        self.state = State()
        self.left = False
        #: True while the scheduler wants to know what this node's calls take.
        self._asked = False
        self._report: Optional[Call] = None
        self._lock = threading.Lock()
        joined = self._join()
        admission, keys = joined.admission, joined.keys
        self.rank: int = admission.rank
        self.since: int = admission.since
        self.workers: int = admission.workers
        self.late: bool = admission.late
        self.servers_return: bool = admission.servers_return
        self.limits = joined.limits
        self.heartbeat = self.limits.heartbeat_millis / 1000
        self.patience = max(self.heartbeat, self.limits.scheduler_millis / 1000)
        self.first = self.state
        self.ticket = Ticket(role, self.rank, self.since, keys.cluster, keys.ticket, keys.grant)
        self._open()
        calls.refresh = self.refresh

    # Joining.

    def _join(self) -> Any:
        settings = self.settings
        deadline = time.monotonic() + settings.join_timeout
        attempts = Attempts(settings.join_timeout)
        self._session = new_session()
        told = False
        name = str(self.member)
        while True:
            attempts.next()
            line = self._reach(deadline, name)
            asked = None
            try:
                asked = challenge(line, self.calls, "scheduler", max(_LEAST, min(_PATIENCE, deadline - time.monotonic())))
                joined = self._joined(line, asked.nonce, deadline)
                self._line = line
                return joined
            except PsError as e:
                failure = e
            except BaseException:
                line.release()
                raise
            line.release()
            hangs = failure.code == "TIMED_OUT" and asked is None
            may_pass = hangs or failure.code == "UNAVAILABLE"
            if not may_pass or time.monotonic() > deadline:
                if may_pass and not hangs and asked is None:
                    raise attempts.failure(name, "not joined", failure)
                raise failure
            if not told:
                told = True
                LOG.warning("joining again, for up to %d s: %s", settings.join_timeout, failure.detail)
            time.sleep(_RETRY)

    def _reach(self, deadline: float, name: str) -> Any:
        told = False
        while True:
            try:
                return connect(self.member.host, self.member.port, name, self.wire, _PATIENCE)
            except PsError as e:
                where = name[name.index("(") + 1: -1]
                if not told:
                    told = True
                    LOG.info("connecting to the scheduler at %s, for up to %d s: %s", where, self.settings.join_timeout,
                             e.detail)
                if time.monotonic() > deadline:
                    raise PsError("UNAVAILABLE", "scheduler at %s: not reached within %d ms: %s" % (
                        where, self.settings.join_timeout * 1000, e.detail)) from e
                time.sleep(_RETRY)

    def _joined(self, line: Any, nonce: bytes, deadline: float) -> Any:
        settings = self.settings
        rank = -1 if self.role == CLIENT else settings.rank
        secret = b"" if settings.secret is None else credential(settings.secret, self.role, rank, self._session, nonce)
        request = {
            "protocol": PROTOCOL, "role": ROLES[self.role], "rank": rank,
            "address": {"host": "", "port": 0, "names": {"cluster": settings.cluster, "node": settings.node}},
            "session": self._session, "credential": secret,
        }
        limit = max(0.0, deadline - time.monotonic()) + _GRACE
        try:
            joined = ask(line, self.calls, control.SCHEMAS["psf.cluster.join"], request, limit)
        except PsError as e:
            if e.code == "TIMED_OUT" and time.monotonic() > deadline:
                raise PsError("TIMED_OUT", "%s: the cluster is not complete (expected: all of its nodes within the join"
                              " timeout): %s" % (line.name, e.detail)) from e
            if e.code == "UNKNOWN_FUNCTION":
                raise PsError("UNKNOWN_FUNCTION", "%s: a psf server (expected: a psf scheduler, at its own port)" % (
                    line.name)) from e
            raise
        agree(joined.protocol)
        self.state = self.state.with_change(joined.state)
        return joined

    def _open(self) -> None:
        """Begins the session: its connection is replaced when it breaks."""
        if self.since > 1:  # no number of an earlier node of this rank may come again
            self.calls.next = max(self.calls.next, self.since - 1 << 32)
        self.peer = Peer(self.calls, str(self.member), self.limits.scheduler_millis / 1000, self.wire)
        self.peer.ticket = self.ticket
        self.peer.host = self.member
        self.peer.session = self._session
        self.peer.begin(self._line)

    # Calls.

    def call(self, name: str, values: Any, limit: float, background: bool = False) -> Call:
        """Sends a call to the scheduler."""
        function: Function = control.FUNCTIONS[name]
        call = Call(self.calls, function, NodeRouting(function, values, 1), [self.peer], limit, background=background)
        self.calls.start(call)
        return call

    def ask(self, name: str, values: Any, limit: float, background: bool = False) -> Any:
        call = self.call(name, values, limit, background)
        self.calls.wait(call)
        return call.result()

    def apply(self, changes: List[Any]) -> State:
        with self._lock:
            for change in changes:
                self.state = self.state.with_change(change)
            return self.state

    def refresh(self, limit: float) -> State:
        """Asks the scheduler for the state. Blocks until it has answered."""
        answer = self.ask("psf.cluster.changes", {"epoch": self.state.epoch}, limit, background=True)
        return self.apply(answer.changes)

    # Heartbeats.

    def beat(self, changed: Callable[[State, State], None], ended: Callable[[PsError], None]) -> None:
        """Starts to send heartbeats, until the node leaves."""
        threading.Thread(target=self._beats, args=(changed, ended), name="psf-heartbeat", daemon=True).start()

    def _beats(self, changed: Callable[[State, State], None], ended: Callable[[PsError], None]) -> None:
        told = self.first
        limit = self.limits.scheduler_millis / 1000 * 1.5
        while not self.left:
            try:
                answer = self.ask("psf.cluster.beat", {"epoch": told.epoch, "rules": 0}, limit, background=True)
                state = self.apply(answer.changes)
                if answer.reports:
                    self._asked = True
                    self.calls.totals = self.calls.totals or Totals()
            except PsError as e:
                if not self.left:
                    ended(_lost(e))
                return
            if state.nodes != told.nodes or state.losses != told.losses or state.rollback != told.rollback:
                changed(told, state)
            told = state
            if answer.ended:
                ended(PsError("CLOSED", "the cluster has ended (expected: running)"))
                return

    def report(self, totals: Totals) -> None:
        """Reports what this node's calls take, if the scheduler wants to know. Called once a second. Does not block."""
        last = self._report
        if last is not None and last.done:
            self._asked &= last.failure is None and last.result().more
            self._report = last = None
        if self._asked and last is None and not self.left:
            try:
                self._report = self.call("psf.cluster.report", {"report": totals.report()}, _GRACE, background=True)
            except PsError as e:  # the next heartbeat asks again
                LOG.debug("reporting: %s", e)
                self._asked = False

    def leave(self) -> None:
        """Leaves the cluster in order. A failure is only logged: the scheduler may be gone."""
        self.left = True
        try:
            self.ask("psf.cluster.leave", {}, _GRACE, background=True)
        except PsError as e:
            LOG.debug("leaving: %s", e)
        finally:
            self.peer.disconnect()


def _lost(cause: PsError) -> PsError:
    """Returns why a node cannot go on whose heartbeat has failed. A scheduler that has answered is well."""
    first: Optional[BaseException] = cause.__cause__
    known = first if isinstance(first, PsError) else cause
    well = known.code == "CLOSED"
    code = "UNAVAILABLE" if well or cause.code == "TIMED_OUT" else cause.code
    return PsError(code, ("" if well else "lost the scheduler: ") + cause.detail)
