"""Frames: the header in front of each message, and the frames that are neither requests nor answers."""

from __future__ import annotations

import struct
from typing import Any, List, Optional, Sequence

from .codec import Writer
from .crc import crc32c
from .errors import PsError
from .schema import Schema

HEADER = struct.Struct("<iBbHIIIiqiHHii")
SIZE = HEADER.size
REQUEST, ANSWER, DONE, CHAIN, PING, CHECK = 0xB1, 0xB2, 0xB3, 0xB4, 0xB7, 0xB8
_KINDS = {REQUEST, ANSWER, DONE, CHAIN, 0xB5, PING, CHECK}

#: The longest frame.
LONGEST = 2_147_483_584

_WORD = struct.Struct("<iH")
_WORD_AT = 32


def request(out: Writer, schema: Schema, call: int, tensor: int = 0, slice: int = 0, layout: int = 0, millis: int = 0,
            attempt: int = 0, priority: int = 0) -> List[Any]:
    """Returns the buffers of a request."""
    return out.frame(
        HEADER, REQUEST, priority, schema.version, schema.number, schema.fingerprint, tensor, slice, call, millis, attempt,
        layout)


def again(buffers: List[Any], millis: int, attempt: int) -> None:
    """Sets the time until the deadline and the number of earlier sends of a request."""
    _WORD.pack_into(buffers[0], _WORD_AT, max(1, millis), min(attempt, 255))


def step(buffers: List[Any], task: int, number: int, known: int, attempt: int = 0) -> List[Any]:
    """Returns the buffers of a chain of one request, which is a step of a task."""
    length = SIZE + sum(len(each) for each in buffers)
    return [bytearray(HEADER.pack(length, CHAIN, 0, 0, 0, 0, attempt & 0xFFFFFFFF, known, task, number, 0, 0, 0, 0)), *buffers]


def done(below: int, calls: Sequence[int] = ()) -> bytes:
    """Returns the frame that tells which calls this side is done with: those, and all below a number."""
    block = struct.pack("<i%dq" % len(calls), len(calls), *calls)
    padded = block + bytes(-len(block) % 8)
    return HEADER.pack(SIZE + len(padded), DONE, 0, 0, 0, 0, 0, 0, below, 0, 0, 0, len(block), 0) + padded


PING_FRAME = HEADER.pack(SIZE, PING, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

#: Each frame of its side behind it has checksums.
CHECK_FRAME = HEADER.pack(SIZE, CHECK, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

#: In front of a frame: the checksums of its header, and of the rest.
SUMS = struct.Struct("<II")


def checked(buffers: List[Any]) -> List[Any]:
    """Returns the buffers of a frame behind its checksums."""
    first = memoryview(buffers[0])
    sums = SUMS.pack(crc32c(first[:SIZE]), crc32c(first[SIZE:], *buffers[1:]))
    return [sums + buffers[0], *buffers[1:]]


def verify(part: str, expected: int, *data: Any) -> None:
    """Requires that a part of a frame has its checksum."""
    found = crc32c(*data)
    if found != expected:
        raise PsError("UNAVAILABLE", "frame damaged on the way: checksum of its %s: 0x%x (expected: 0x%x)" % (
            part, found, expected))


def require(header: Any, there: int) -> Optional[int]:
    """Returns the length of the frame that begins here; None if its header has not arrived.

    :param header: the bytes that have arrived, a memoryview
    :param there: their number
    """
    if there < 8:
        return None
    if header[4] not in _KINDS:
        _require_no_tls(header)
        raise _malformed('kind: 0x%x, in the bytes %s (expected: 0xb1 to 0xb5, 0xb7 or 0xb8)' % (
            header[4], _quoted(bytes(header[:there]))))
    if there < SIZE:
        return None
    length, = struct.unpack_from("<i", header, 0)
    if length < SIZE or length > LONGEST or length % 8:
        _require_no_tls(header)
        raise _malformed("length: %d (expected: a multiple of 8 from %d to %d)" % (length, SIZE, LONGEST))
    return length


def _require_no_tls(header: Any) -> None:
    if header[0] == 0x16 and header[1] == 3:
        raise _malformed(
            "TLS, but this node has none (expected: a connection without TLS, or PSF_TLS_CERTIFICATE, PSF_TLS_KEY and"
            " PSF_TLS_AUTHORITY at this node)")


def _malformed(what: str) -> PsError:
    return PsError("PROTOCOL", "not a psf frame: " + what)


def _quoted(data: bytes) -> str:
    """Returns the first bytes of something else as quoted text."""
    escapes = {10: "\\n", 13: "\\r", 34: '\\"', 92: "\\\\"}
    shown = "".join(escapes.get(b, chr(b) if 32 <= b < 127 else "\\x%02x" % b) for b in data[:32])
    return '"%s%s"' % (shown, ".." if len(data) > 32 else "")
