"""One connection to a node: frames out, and answers in."""

from __future__ import annotations

import select
import socket
import ssl
import struct
import threading
import time
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import numpy as np

from . import frames
from .codec import TABLE, Reader
from .errors import CODES, PsError, code_of
from .memory import Spare

#: How long a read blocks before it looks at the time again.
_LOOK = 0.1

_READ = 1 << 16

#: The most buffers that one system call sends.
_BUFFERS = 1 << 6

#: How much is read at once behind a long frame: the header of the next one, whose rest is read to where it is used.
_FEW = 1 << 12

#: An unfinished frame that does not grow by this much is no sign of life: pings are taken for its rest if its length is damaged.
_GROWS = 1 << 10


#: The fields of a frame's header.
Header = Tuple[int, ...]


class Answer(NamedTuple):
    """The answer to one part of a call, or with call 0 a refusal of the connection."""

    call: int
    slice: int
    status: int
    refused: bool
    layout: int
    version: int
    body: memoryview
    block: int
    arrays: int
    #: The only array, if it was received where the call has a place for it; the body ends in front of it then.
    placed: Optional[np.ndarray] = None
    #: Why this side has not taken the answer; None if it has.
    untaken: Optional[PsError] = None

    def reader(self) -> Reader:
        return Reader(self.body, self.block, self.arrays, self.version, self.placed)

    def failure(self) -> PsError:
        """Returns the failure that the answer has."""
        if self.untaken is not None:
            return self.untaken
        body = self.reader()
        try:
            detail = str(body.bytes(body.count()), "utf-8", "replace")
        except ValueError as e:
            return PsError("PROTOCOL", "detail of a failure: %s" % e)
        return PsError(code_of(self.status), detail)


def member_address(host: str, port: int) -> str:
    return ("[%s]:%d" if ":" in host else "%s:%d") % (host, port)


class Wire(NamedTuple):
    """How this side makes its connections."""

    tls: Optional[ssl.SSLContext] = None
    #: True if frames have checksums, but over TLS, which needs none.
    checksum: bool = False


def connect(host: str, port: int, name: str, wire: Wire, limit: float) -> "Line":
    """Connects to a node. Blocks."""
    where = "connecting to %s: " % member_address(host, port)
    try:
        plain = socket.create_connection((host, port), max(0.001, limit))
    except OSError as e:
        raise PsError("UNAVAILABLE", where + (e.strerror or str(e) or type(e).__name__)) from e
    try:
        if plain.getsockname() == plain.getpeername():
            raise PsError("UNAVAILABLE", where + "Connection refused (a socket of this process had that port by chance)")
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if wire.tls is None:
            return Line(plain, name, wire.checksum)
        return TlsLine(wire.tls.wrap_socket(plain, server_hostname=host), name)
    except (OSError, ValueError) as e:  # also of TLS
        plain.close()
        raise PsError("UNAVAILABLE", where + "TLS: %s" % e) from e
    except PsError:
        plain.close()
        raise


class Line:
    """A connection. One thread at a time reads it, the leader, which has the lock ``lead``."""

    def __init__(self, sock: socket.socket, name: str, checksum: bool = False):
        self.name = name
        self.sock = sock
        self.lead = threading.Lock()
        #: Events of the threads that wait for the lead, or for what the leader reads.
        self.followers: List[threading.Event] = []
        #: Receives each answer, on the thread that reads it.
        self.receive: Callable[[Line, Answer], None] = lambda line, answer: None
        #: Returns the place that a call has for an array: of its answer for a slice, with a type and a number of elements.
        self.place: Callable[[int, int, int, int], Optional[np.ndarray]] = lambda call, slice, entry, n: None
        #: Called once when the connection has ended.
        self.ended: Callable[[Line, PsError], None] = lambda line, cause: None
        self.cause: Optional[PsError] = None
        self.heard = time.monotonic()
        self._ending = threading.Lock()
        self._buffer = bytearray(_READ)
        self._view = memoryview(self._buffer)
        self._begin = 0
        self._end = 0
        #: How much is read into the buffer at once.
        self._ahead = _READ
        #: Of a frame that is longer than the buffer: its header, its array if that has a place, what is in front of the array,
        #: and the memory of the rest, as far as it has arrived.
        self._header: Header = ()
        self._array: Optional[np.ndarray] = None
        self._front = memoryview(b"")
        self._long: Optional[memoryview] = None
        self._filled = 0
        #: The header of a frame for which there is no memory, and the number of its bytes that have not arrived.
        self._skipped: Optional[Header] = None
        self._left = 0
        self._spare = Spare()
        #: The bytes that have arrived since the last sign of life.
        self._grown = 0
        #: The bytes in front of each frame that arrives, with its checksums; and the checksum of the long frame's body.
        self._prefix = 0
        self._sum = 0
        #: True if this side's frames have checksums, and once it has said so.
        self._checks = checksum
        self._told = False
        self.prepare()

    def prepare(self) -> None:
        self.sock.settimeout(None)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", 0, int(_LOOK * 1e6)))

    # Bytes. A method returns None if there are none now, or no space.

    def _receive(self, into: memoryview, until: float) -> Optional[int]:
        """Receives bytes. Blocks until some have arrived, or a time."""
        left = until - time.monotonic()
        try:
            if left >= _LOOK:  # a long frame is received whole, without a return to Python for each of its packets
                return self.sock.recv_into(into, 0, 0 if self._long is None else socket.MSG_WAITALL)
            if left > 0 and not poll(self.sock, select.POLLIN, left):
                return None
            return self.sock.recv_into(into, 0, socket.MSG_DONTWAIT)
        except (BlockingIOError, InterruptedError):
            return None

    def _send(self, buffers: List[Any]) -> Optional[int]:
        try:
            if len(buffers) == 1:
                return self.sock.send(buffers[0], socket.MSG_DONTWAIT)
            return self.sock.sendmsg(buffers[:_BUFFERS], (), socket.MSG_DONTWAIT)
        except (BlockingIOError, InterruptedError):
            return None

    # Frames.

    def read(self, until: float) -> bool:
        """Reads what arrives until a time, or what has arrived if that is over. Called by the leader.

        :return: True if bytes have arrived
        """
        found = False
        while True:
            try:
                if self._long is not None:
                    n = self._receive(self._long[self._filled:], until)
                else:
                    if self._end == _READ:
                        self._compact()
                    n = self._receive(self._view[self._end: self._end + self._ahead], until)
            except OSError as e:
                self.close(PsError("UNAVAILABLE", "connection: %s" % (e.strerror or e)))
                return False
            except BaseException:  # of a signal: it is not known how much of the frame has been received
                if self._long is not None:
                    self.close(PsError("UNAVAILABLE", "connection: interrupted in the middle of a frame"))
                raise
            if n is None:
                return found
            if n == 0:
                self.close(PsError("UNAVAILABLE", "connection closed"))
                return False
            self._grown += n
            if self._grown >= _GROWS:
                self._hear()
            try:
                self._take(n)
            except PsError as e:
                self.close(e)
                return False
            if self._long is None:
                return True
            found = True

    def _hear(self) -> None:
        self.heard, self._grown = time.monotonic(), 0

    def _compact(self) -> None:
        rest = bytes(self._view[self._begin: self._end])
        self._view[: len(rest)] = rest
        self._begin, self._end = 0, len(rest)

    def _take(self, n: int) -> None:
        """Takes n bytes that were received."""
        if self._long is not None:
            self._filled += n
            if self._filled == len(self._long):
                whole, self._long = self._long, None
                array, self._array = self._array, None
                try:
                    self._frame(self._header, whole if array is None else self._front, array)
                except MemoryError:  # of its checksum
                    self._skipped, self._left = self._header, 0
                    self._skip(0)
            return
        self._end += n
        while self._end > self._begin:
            at = self._begin + self._prefix
            there = self._end - at
            if self._skipped is not None:
                self._skip(min(self._end - self._begin, self._left))
                continue
            if self._prefix:
                if there < frames.SIZE:
                    break
                of_header, self._sum = frames.SUMS.unpack_from(self._view, self._begin)
                frames.verify("header", of_header, self._view[at: at + frames.SIZE])
            length = frames.require(self._view[at: self._end], there)
            if length is None:
                break
            self._ahead = _READ
            if length > there:
                if length > _READ // 2:
                    self._begin_long(at, length)
                    continue
                if at + length > _READ:
                    self._compact()
                return
            self._begin = at + length
            body = memoryview(bytearray(self._view[at + frames.SIZE: at + length]))
            self._frame(frames.HEADER.unpack_from(self._view, at), body, None)
        if self._begin == self._end:
            self._begin = self._end = 0

    def _begin_long(self, at: int, length: int) -> None:
        """Takes the beginning of a frame that is longer than the buffer."""
        self._header = frames.HEADER.unpack_from(self._view, at)
        body = at + frames.SIZE
        try:
            self._array, rest = self._placed(body, at + length)
            if self._array is None:
                memory = self._spare.take(at + length - body)
            else:
                memory = self._array.view(np.uint8).data
        except MemoryError:
            self._skipped, self._left = self._header, length
            self._begin = at
            return
        self._front = memoryview(bytes(self._view[body:rest]))
        self._filled = self._end - rest
        memory[: self._filled] = self._view[rest: self._end]
        self._long, self._ahead = memory, _FEW
        self._begin = self._end = 0

    def _placed(self, body: int, end: int) -> Tuple[Optional[np.ndarray], int]:
        """Returns the place of the only array of a long answer, or None, and where the bytes for it begin."""
        _, kind, _, _, _, _, _, slice, call, status, _, _, block, arrays = self._header
        table = body + ((block + 7) & ~7)
        if kind == frames.ANSWER and not status and arrays == 1 and body <= table <= self._end - TABLE.size:
            array = self.place(call, slice, *TABLE.unpack_from(self._view, table))
            if array is not None and table + TABLE.size + array.nbytes == end:
                return array, table + TABLE.size
        return None, body

    def _skip(self, n: int) -> None:
        """Drops bytes of a frame for which there is no memory. At its end its call fails, and no other one."""
        self._begin += n
        self._left -= n
        header, self._skipped = self._skipped, self._skipped if self._left else None
        if header is not None and self._skipped is None:
            length, _, _, version, _, _, _, slice, call, _, _, layout, _, _ = header
            why = PsError("RESOURCE_EXHAUSTED", "answer of %d bytes: no memory (expected: memory of this process for it)" % length)
            self.receive(self, Answer(
                call, slice, CODES.index(why.code), False, layout, version, memoryview(b""), 0, 0, None, why))

    def _frame(self, header: Header, body: memoryview, array: Optional[np.ndarray]) -> None:
        self._hear()
        length = len(body) + (0 if array is None else array.nbytes)
        if self._prefix:
            frames.verify("body of %d bytes" % length, self._sum, body, *(() if array is None else (array,)))
        _, kind, _, version, _, _, _, slice, call, word, attempt, layout, block, arrays = header
        if kind == frames.ANSWER:
            if not 0 <= block <= length or arrays < 0 or arrays > length // 8:
                raise PsError("PROTOCOL", "not a psf frame: block of %d bytes and %d arrays (expected: within %d)" % (
                    block, arrays, length))
            self.receive(self, Answer(call, slice, word, attempt != 0, layout, version, body, block, arrays, array))
        elif kind == frames.CHECK:
            self._prefix = frames.SUMS.size
            self._checks = True  # this side's next frame says so, too
        elif kind != frames.PING:
            raise PsError("PROTOCOL", "kind of a frame: 0x%x (expected: an answer)" % kind)

    def write(self, made: List[List[Any]], until: float) -> bool:
        """Sends frames, each of some buffers. Blocks while the other side takes nothing; reads meanwhile if no other thread does.

        Called with the lock of the peer. A frame that is not sent until a time ends the connection.

        :return: False if the connection has ended
        """
        if not self._checks:
            return self._write(made[0] if len(made) == 1 else [buffer for each in made for buffer in each], until)
        for each in made:  # one by one: the other side works on a frame while the checksum of the next one is computed
            checked = frames.checked(each)
            if not self._told:
                self._told = True
                checked[0] = frames.CHECK_FRAME + checked[0]
            if not self._write(checked, until):
                return False
        return True

    def _write(self, left: List[Any], until: float) -> bool:
        while self.cause is None:
            try:
                n = self._send(left)
            except OSError as e:
                self.close(PsError("UNAVAILABLE", "connection: %s" % (e.strerror or e)))
                return False
            if n is None:
                self._await_space(until)
                continue
            left = _rest(left, n)
            if not left:
                return True
        return False

    def _await_space(self, until: float) -> None:
        if time.monotonic() >= until:
            self.close(PsError("UNAVAILABLE", "connection: the other side takes no bytes"))
            return
        leads = self.lead.acquire(blocking=False)
        try:
            ready = poll(self.sock, select.POLLOUT | (select.POLLIN if leads else 0), 0.05)
            if leads and ready & ~select.POLLOUT:
                self.read(0)
        finally:
            if leads:
                self.pass_lead()

    def pass_lead(self) -> None:
        """Ends the lead of this thread. Another thread may take it."""
        self.lead.release()
        if self.followers:
            followers, self.followers = self.followers, []
            for each in followers:
                each.set()

    def close(self, cause: PsError) -> None:
        """Ends the connection. Threads that read it or write to it return."""
        with self._ending:
            if self.cause is not None:
                return
            self.cause = cause
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        followers, self.followers = self.followers, []
        for each in followers:
            each.set()
        self.ended(self, cause)

    def release(self) -> None:
        """Closes the socket of a connection that has ended, once no thread uses it."""
        self.sock.close()


class TlsLine(Line):
    """A connection with TLS. An object of OpenSSL is used by one thread at a time."""

    def prepare(self) -> None:
        self._use = threading.Lock()
        self.sock.settimeout(0)

    def _receive(self, into: memoryview, until: float) -> Optional[int]:
        while True:
            try:
                with self._use:
                    return self.sock.recv_into(into)
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as e:
                left = until - time.monotonic()
                events = select.POLLOUT if isinstance(e, ssl.SSLWantWriteError) else select.POLLIN
                if left <= 0 or not poll(self.sock, events, min(left, _LOOK)):
                    return None
            except ssl.SSLZeroReturnError:
                return 0

    def _send(self, buffers: List[Any]) -> Optional[int]:
        try:
            with self._use:
                return self.sock.send(buffers[0])
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return None


def poll(sock: socket.socket, events: int, seconds: float) -> int:
    """Waits for events of a socket. Returns those that have come."""
    waiting = select.poll()
    waiting.register(sock.fileno(), events)
    found = waiting.poll(max(0, int(seconds * 1000 + 0.999)))
    return found[0][1] if found else 0


def _rest(buffers: List[Any], sent: int) -> List[Any]:
    """Returns what is left of buffers of which so many bytes were sent."""
    for i, each in enumerate(buffers):
        if sent < len(each):
            return [memoryview(each)[sent:], *buffers[i + 1:]] if sent else buffers[i:]
        sent -= len(each)
    return []
