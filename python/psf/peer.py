"""A node at the other end, and the session with it: a broken connection is replaced, and the calls without an answer
are sent again."""

from __future__ import annotations

import hashlib
import hmac
import logging
import random
import secrets
import struct
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from . import control, frames
from .codec import Reader, Writer
from .errors import PsError
from .line import Answer, Line, Wire, connect, member_address
from .schema import Schema

if TYPE_CHECKING:
    from .calls import Call, Calls

LOG = logging.getLogger("psf")

ROLES = ("SCHEDULER", "SERVER", "WORKER", "CLIENT")
SCHEDULER, SERVER, WORKER, CLIENT = range(4)

#: This side's version of the protocol, in a join and a hello.
PROTOCOL = {"version": 1, "oldest": 1, "features": [{"name": "checksum", "required": False}]}

_HELLO = 5.0
_STABLE = 1.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.5
_ABSENT_PAUSE = 0.02
_MOST_DONE = 32
_MOST_REFUSALS = 3
_REFUSED_AGAIN = 10.0


class Member(NamedTuple):
    """A node: its role (0 scheduler, 1 server, 2 worker, 3 client), rank, and address."""

    role: int
    rank: int
    host: str
    port: int

    def __str__(self) -> str:
        address = member_address(self.host, self.port)
        if self.role == SCHEDULER:
            return "scheduler (%s)" % address
        return "%s %d (%s)" % (ROLES[self.role].lower(), self.rank, address)


class Ticket(NamedTuple):
    """With which a node proves its role and rank to other nodes."""

    role: int
    rank: int
    since: int
    cluster: int
    secret: bytes
    grant: str

    def proof(self, host: Member, session: int, connection: int, nonce: bytes) -> bytes:
        said = struct.pack(">iiqqqiii", self.role, self.rank, self.since, self.cluster, session, connection, host.role,
                           0 if host.role == SCHEDULER else host.rank)
        return hmac.new(self.secret, said + nonce, hashlib.sha256).digest()

    def hello(self, host: Member, session: int, connection: int, nonce: bytes) -> Dict[str, Any]:
        return {
            "protocol": PROTOCOL,
            "caller": {"role": ROLES[self.role], "rank": self.rank, "since": self.since, "grant": self.grant},
            "cluster": self.cluster,
            "session": {"session": session, "connection": connection},
            "proof": self.proof(host, session, connection, nonce),
        }


def credential(secret: str, role: int, rank: int, session: int, nonce: bytes) -> bytes:
    """Returns what proves the secret of a cluster to its scheduler."""
    said = struct.pack(">iiq", role, rank, session) + nonce
    return hmac.new(secret.encode(), said, hashlib.sha256).digest()


def new_session() -> int:
    """Returns a random number, not 0."""
    return secrets.randbits(63) | 1


class Attempts:
    """The attempts to reach a node: their number, the pauses between them, and the limit of their time."""

    def __init__(self, limit: float):
        self.limit = limit
        self.began = time.monotonic()
        self.count = 0
        self.longest = 0.0

    def next(self) -> float:
        """Counts one more attempt. Returns the pause before it."""
        self.count += 1
        pause = random.uniform(self.longest / 2, self.longest)
        self.longest = min(2 * self.longest, _LONGEST_PAUSE) or _FIRST_PAUSE
        return pause

    def restart(self, useful: bool) -> None:
        """Counts attempts and time anew: the next attempt follows at once, or after a pause."""
        self.began, self.count = time.monotonic(), 0
        self.longest = 0.0 if useful else _FIRST_PAUSE

    def left(self) -> float:
        return self.limit - (time.monotonic() - self.began)

    def failure(self, name: str, missing: str, last: PsError) -> PsError:
        """Returns the error of a node that was not reached."""
        failure = PsError("UNAVAILABLE", "%s: %s: %d %s in %d ms (limit: %d ms), the last one: %s" % (
            name, missing, self.count, "attempt" if self.count == 1 else "attempts",
            (time.monotonic() - self.began) * 1000, self.limit * 1000, without(name, last.detail)))
        failure.__cause__ = last
        return failure


def without(name: str, detail: str) -> str:
    """Returns a detail without the name that it may begin with."""
    return detail[len(name) + 2:] if detail.startswith(name + ": ") else detail


def ask(line: Line, calls: "Calls", function: Schema, values: Mapping[str, Any], limit: float) -> Any:
    """Calls a function over a connection that no other thread uses yet. Returns the response."""
    out = Writer()
    for each in function.request:
        each.type.put(out, out.block, values[each.name], each.name)
    number = calls.number()
    found: List[Answer] = []
    line.receive = lambda line, answer: found.append(answer)
    until = time.monotonic() + limit
    millis = max(1, min(int(limit * 1000), 0x7FFFFFFF))
    if line.write([frames.request(out, function, number, millis=millis)], until):
        while not found and line.cause is None and time.monotonic() < until:
            line.read(until)
    if not found:
        cause = line.cause
        if cause is not None:
            raise PsError(cause.code, "%s: %s" % (line.name, cause.detail)).at(function.name) from cause
        raise PsError("TIMED_OUT", "1 of 1 answers missing after %d ms" % millis).at(function.name, server=line.name)
    answer = found[0]
    if answer.status != 0 or answer.call == 0:
        raise answer.failure().at(function.name, server=line.name)
    return control.response(function, answer.reader())


def agree(theirs: Any) -> None:
    """Checks the protocol of the other side."""
    if min(PROTOCOL["version"], theirs.version) < max(PROTOCOL["oldest"], theirs.oldest):  # type: ignore[type-var]
        raise PsError("PROTOCOL", "versions of the protocol: %s to %s (expected: one of 1)" % (
            theirs.oldest, theirs.version))
    for each in theirs.features:
        if each.required and each.name != "checksum":
            raise PsError("PROTOCOL", "feature of the protocol: \"%s\" (expected: checksum, of a client in Python)" % each.name)


def challenge(line: Line, calls: "Calls", role: str, limit: float) -> Any:
    """Asks a node for a challenge: the first call on a connection. A peer that does not answer is another program."""
    try:
        return ask(line, calls, control.CHALLENGE, {}, limit)
    except PsError as e:
        why = without(line.name, e.detail)
        expected = "" if "PSF_TLS_CERTIFICATE" in why else " (expected: a psf %s; another program may listen there)" % role
        if e.code == "PROTOCOL":
            raise PsError("PROTOCOL", "%s: %s%s" % (line.name, why, expected)) from e
        if e.code == "TIMED_OUT":
            raise PsError("TIMED_OUT", "%s: took the connection and answered nothing within %d ms%s" % (
                line.name, limit * 1000, expected)) from e
        if e.code == "UNAVAILABLE":
            raise PsError("UNAVAILABLE", "%s: took the connection and ended it without an answer: %s%s" % (
                line.name, why, expected)) from e
        raise


class Other(NamedTuple):
    """The node of a rank now, and the epoch in which it joined."""

    member: Member
    since: int


class Peer:
    """A node that receives calls."""

    def __init__(self, calls: "Calls", name: str, limit: float, wire: Wire):
        """``limit``: how long the replacement of a connection is tried without progress before the node counts as lost."""
        self.calls = calls
        self.name = name
        self.wire = wire
        #: Held while a frame is sent, so that frames are whole, and the calls that are sent again come before new ones.
        self.sending = threading.Lock()
        #: The connection; None while it is made again.
        self.line: Optional[Line] = None
        self.epoch = 0
        self.lost: Optional[PsError] = None
        #: The functions of a server by name: the texts of their schemas, and whether they are read-only.
        self.functions: Dict[str, Tuple[Tuple[str, ...], bool]] = {}
        self.searched = ""
        self.silence = 0.0
        self._lock = threading.Lock()
        self._done: List[int] = []
        self.tells_now = False
        self.writes = 0
        self.confirmed = 0
        # The session.
        self.ticket: Optional[Ticket] = None
        self.host: Optional[Member] = None
        self.session = 0
        self.connections = 0
        self.since = 0
        self.greeted = True
        self.attempts = Attempts(limit)
        self.connected = 0.0
        self.answered = False
        self._refusals = 0
        self._refused = 0.0
        self._given_up = False
        #: Returns the node of the server's rank now, None if there is none; and whether one is expected.
        self.node: Optional[Callable[[], Optional[Other]]] = None
        self.awaited: Callable[[], bool] = lambda: False
        #: Called when the node has told its functions.
        self.learned: Callable[[], None] = lambda: None

    # Connecting.

    def _connect(self, limit: float) -> Line:
        assert self.host is not None
        return connect(self.host.host, self.host.port, self.name, self.wire, limit)

    def greet(self, line: Line, connection: int, again: bool, limit: float) -> Any:
        """Says hello over a new connection."""
        assert self.ticket is not None and self.host is not None
        until = time.monotonic() + limit
        role = ROLES[self.host.role].lower()
        if again:
            asked = ask(line, self.calls, control.CHALLENGE, {}, max(0.001, limit))
        else:
            asked = challenge(line, self.calls, role, max(0.001, limit))
        hello = self.ticket.hello(self.host, self.session, connection, asked.nonce)
        answer = ask(line, self.calls, control.HELLO, hello, max(0.001, until - time.monotonic()))
        agree(answer.protocol)
        return answer

    def learn(self, hello: Any) -> None:
        """Takes the functions of a server."""
        self.functions = {each.name: (tuple(each.schemas.split("\n")), each.read_only) for each in hello.functions}
        self.searched = hello.searched
        self.learned()

    def begin(self, line: Line) -> None:
        """Sends over the first connection from now on. It is replaced if it has broken, as a later one."""
        try:
            self.adopt(line)
        except PsError as e:
            self.line = line
            self._ended(line, e)

    def adopt(self, line: Line) -> None:
        """Sends over a connection from now on: first the calls without an answer, in the order of their numbers.

        :raises PsError: with ``UNAVAILABLE`` if the connection breaks before all of them are sent
        """
        with self.sending:
            self.epoch += 1
            epoch = self.epoch
            line.receive = lambda line, answer: self._received(line, epoch, answer)
            line.place = lambda call, slice, entry, n: self.calls.place(self, call, slice, entry, n)
            with self._lock:
                self._done = []
            with self.calls.lock:
                unanswered = list(self.calls.outstanding.values())
            for call in unanswered:
                if line.cause is None:
                    self._send(call, range(len(call.peers)), line)
                if line.cause is None and line.lead.acquire(blocking=False):
                    try:
                        line.read(0)  # so that a connection that breaks soon has answered some
                    finally:
                        line.pass_lead()
            line.ended = self._ended
            with self._lock:
                if line.cause is not None:
                    raise PsError("UNAVAILABLE", "the new connection broke before all calls without an answer were sent again")
                self.connected = time.monotonic()
                self.line = line
        if line.cause is not None:  # it broke before it was this peer's
            self._ended(line, line.cause)
        self.tell_done(self.calls.oldest())

    def _received(self, line: Line, epoch: int, answer: Answer) -> None:
        if answer.call:
            self.answered = True
            self.calls.answered(self, epoch, answer)
            return
        cause = answer.failure()  # the node refuses the connection
        now = time.monotonic()
        self._refusals = self._refusals + 1 if self._refusals and now - self._refused < _REFUSED_AGAIN else 1
        self._refused = now
        if self._refusals >= _MOST_REFUSALS:
            self.lose(cause)
        else:
            LOG.warning("%s refuses a connection: %s", self.name, cause.detail)
        line.close(cause)

    # Sending.

    def send(self, call: "Call", parts: Sequence[int]) -> None:
        """Sends parts of a call, unless the connection is made again: the thread that does it sends them then."""
        with self.sending:
            line = self.line
            if line is not None:
                self._send(call, parts, line)

    def _send(self, call: "Call", parts: Sequence[int], line: Line) -> None:
        made = []
        with self.calls.lock:  # else the call may be split anew meanwhile
            if call.done:
                return
            for part in parts:
                if (part < len(call.peers) and call.peers[part] is self and call.is_needed(part)
                        and call.epochs[part] < self.epoch):
                    made.append(call.frame(part))
                    call.epochs[part] = self.epoch
                    call.sends[part] += 1
                    if self.calls.totals is not None:
                        self.calls.totals.sent(call, made[-1])
        if made:
            line.write(made, max(call.deadline, time.monotonic() + 0.001))

    def note_done(self, call: int, now: bool) -> None:
        """Records that this side is done with a call that may have changed something. Does not block."""
        with self._lock:
            self.writes += 1
            if self.line is not None and self.session and (not self._done or self._done[-1] != call):
                self._done.append(call)
            self.tells_now |= now or len(self._done) >= _MOST_DONE

    @property
    def has_done(self) -> bool:
        return bool(self._done)

    def tell_done(self, below: int) -> None:
        """Tells the node which calls this side is done with, unless another thread sends just now."""
        if not self.sending.acquire(blocking=False):
            return
        try:
            with self._lock:
                told, self._done, self.tells_now = self._done, [], False
            line = self.line
            if line is not None:
                line.write([[frames.done(below, told)]], time.monotonic() + _HELLO)
        finally:
            self.sending.release()

    def ping(self) -> None:
        """Sends a sign of life, unless other bytes are sent just now."""
        if self.sending.acquire(blocking=False):
            try:
                line = self.line
                if line is not None:
                    line.write([[frames.PING_FRAME]], time.monotonic() + _HELLO)
            finally:
                self.sending.release()

    def renew(self) -> None:
        """Replaces the connection: an answer is missing that the node would have sent."""
        line = self.line
        if line is not None:
            line.close(PsError("UNAVAILABLE", "connection: replaced"))

    def lose(self, cause: PsError) -> None:
        """Fails every call that waits for the node, and every later call to it."""
        with self._lock:
            if self.lost is None:
                self.lost = cause
        with self.calls.lock:
            waiting = list(self.calls.outstanding.values())
        for call in waiting:
            self.calls.fail_parts(call, self, cause)

    def disconnect(self) -> None:
        """Ends the connection for good. The calls that wait for the node fail."""
        self._given_up = True
        self.lose(PsError("CLOSED", "closed by this side"))
        line, self.line = self.line, None
        if line is not None:
            line.close(PsError("CLOSED", "closed by this side"))
            with line.lead:
                line.release()

    # Connecting again.

    def _ended(self, line: Line, cause: PsError) -> None:
        with self._lock:
            if self.line is not line:
                return
            self.line = None
            if self.lost is not None or self._given_up:
                return
            self.attempts.restart(self._useful())
        if not self.session:
            self.lose(PsError(cause.code, "%s: %s" % (self.name, cause.detail)))
            return
        threading.Thread(target=self._again, args=(line,), name="psf-reconnect", daemon=True).start()

    def _useful(self) -> bool:
        useful = self.answered or time.monotonic() - self.connected > _STABLE
        self.answered = False
        return useful

    def _again(self, old: Line) -> None:
        with old.lead:
            old.release()
        told = False
        while self.lost is None and not self._given_up:
            if not self._follow():
                time.sleep(_ABSENT_PAUSE)
                continue
            time.sleep(self.attempts.next())
            try:
                self._try()
                LOG.info("the connection to %s broke, and was made again", self.name)
                return
            except PsError as e:
                failure = e
            except Exception as e:  # a defect: the calls would wait for a connection that no thread makes
                LOG.exception("connecting to %s again", self.name)
                self.lose(PsError("INTERNAL", "%s: connecting again: %r" % (self.name, e)))
                return
            if failure.code == "CLOSED" and self._replaced():
                continue
            if failure.code == "CLOSED":
                lost = PsError("UNAVAILABLE", "%s: %s" % (self.name, without(self.name, failure.detail)))
                lost.__cause__ = failure
                self.lose(lost)
                return
            if self.attempts.left() < 0 and self.greeted:  # a node in the place of a lost one loads its slices first
                self.lose(self.attempts.failure(self.name, "not connected again, and no call answered", failure))
                return
            if not told:
                told = True
                LOG.warning("the connection to %s broke; connecting again: %s", self.name, failure.detail)

    def _follow(self) -> bool:
        """Turns to the node that has the rank now. Returns False if none has it."""
        now = self.node() if self.node is not None else None
        if now is not None and now.since != self.since:
            self.since, self.host = now.since, now.member
            self.name = str(now.member)
            self.greeted = False
            self.attempts.restart(False)
        return self.node is None or now is not None

    def _replaced(self) -> bool:
        """True if another node has the server's rank by now, or is expected to take it."""
        if self.node is None:
            return False
        try:
            self.calls.refresh(_HELLO)
        except PsError as e:
            LOG.debug("asking for the state: %s", e)
        now = self.node()
        return self.awaited() if now is None else now.since != self.since

    def _try(self) -> None:
        """Replaces the connection once."""
        line = self._connect(_HELLO)
        greeted = adopted = False
        try:
            if self.greeted:
                self.connections += 1
                self.greet(line, self.connections, True, _HELLO)
            else:
                self.session, self.connections = new_session(), 0
                hello = self.greet(line, 0, True, _HELLO)
                self.learn(hello)
                self.greeted = True
                LOG.info("%s has taken the place of a lost server", self.name)
            greeted = True
            self.adopt(line)
            adopted = True
        except PsError as e:
            if self.answered:
                self.attempts.restart(self._useful())
            why = without(line.name, e.detail)
            if e.code == "UNAVAILABLE" and not greeted:
                raise PsError(e.code, "%s: closed before the hello was answered: %s" % (self.name, why)) from e
            if e.code == "TIMED_OUT":
                raise PsError(e.code, "%s: the hello was not answered: %s" % (self.name, why)) from e
            raise
        finally:
            if not adopted:
                line.release()

    # What this side has changed there.

    def unconfirmed(self) -> int:
        """Returns the number of calls that may have changed something; -1 if the node was alive after all of them."""
        with self._lock:
            return -1 if self.writes == self.confirmed else self.writes

    def confirm(self, after: int) -> None:
        with self._lock:
            self.confirmed = max(self.confirmed, after)

    def require(self, name: str) -> Tuple[Tuple[str, ...], bool]:
        """Returns the schemas of a function, and whether it is read-only."""
        if self.lost is not None:
            raise self.lost.at(name, server=self.name)
        found = self.functions.get(name)
        if found is None:
            raise PsError(
                "UNKNOWN_FUNCTION", "function: \"%s\" (expected: one that the server has a handler of: put the jar of its"
                " @PsHandler on the server's class path, with --classpath JAR of psf launch, server or node; it searched"
                " %s)" % (name, self.searched)).at(name, server=self.name)
        return found
