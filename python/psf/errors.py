"""The one exception by which calls fail."""

from __future__ import annotations

import unicodedata
from typing import Iterable, Optional

#: The codes of failures. The place of a code is its number on the wire.
CODES = (
    "OK", "BAD_REQUEST", "UNKNOWN_TENSOR", "UNKNOWN_FUNCTION", "SCHEMA_MISMATCH", "ALREADY_EXISTS", "OUT_OF_RANGE",
    "HANDLER_FAILED", "TIMED_OUT", "UNAVAILABLE", "CANCELLED", "PROTOCOL", "CONFIGURATION", "RESOURCE_EXHAUSTED",
    "CLOSED", "INTERNAL", "STALE_LAYOUT", "STORAGE", "CALLER_FAILED", "ROLLED_BACK", "PERMISSION_DENIED",
    "OTHER_ATTEMPT",
)

#: The most errors of the parts of one call that a message names.
MOST_NAMED = 3


def code_of(status: int) -> str:
    """Returns the code of a number on the wire; a number that this version does not know is INTERNAL."""
    return CODES[status] if 0 <= status < len(CODES) else "INTERNAL"


def printable(text: str) -> str:
    """Escapes control characters: a text of a peer stays on one line."""
    if text.isprintable():
        return text
    return "".join(
        "\\u%04x" % ord(c) if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") else c for c in text)


class PsError(Exception):
    """The failure of a call, a client or a cluster.

    ``code`` is one of :data:`CODES`. ``detail`` says what was given and what was expected. ``function``, ``tensor``,
    ``slice`` and ``server`` say where it happened, as far as that is known. The codes and texts are those of Java.
    """

    def __init__(self, code: str, detail: str, function: Optional[str] = None, tensor: Optional[str] = None,
                 slice: Optional[str] = None, server: Optional[str] = None):
        self.code = code
        self.detail = printable(detail)
        self.function = function
        self.tensor = tensor
        self.slice = slice
        self.server = server
        super().__init__(self.code, self.detail)

    def at(self, function: Optional[str], tensor: Optional[str] = None, slice: Optional[str] = None,
           server: Optional[str] = None) -> PsError:
        """Returns a copy of this failure whose unknown parts of the place are filled in."""
        placed = PsError(
            self.code, self.detail, self.function or function, self.tensor or tensor, self.slice or slice,
            self.server or server)
        placed.__cause__ = self.__cause__
        return placed

    def __str__(self) -> str:
        text = "%s: %s" % (self.code, self.detail)
        if self.function is not None:
            text += " in " + self.function
        if self.tensor is not None:
            text += ' on tensor "%s"' % self.tensor
        if self.slice is not None:
            text += ", slice " + self.slice
        if self.server is not None:
            text += ", " + self.server
        return printable(text)

    def __reduce__(self):
        return PsError, (self.code, self.detail, self.function, self.tensor, self.slice, self.server)


def bad_request(detail: str) -> PsError:
    return PsError("BAD_REQUEST", detail)


def together(errors: Iterable[PsError], unnamed: int = 0) -> PsError:
    """Returns the first of several errors of one call, extended by the others."""
    first, *rest = errors
    if not rest and not unnamed:
        return first
    others = []
    for other in rest:
        where = ("" if other.slice is None else "slice %s, " % other.slice) + str(other.server)
        same = other.code == first.code and other.detail == first.detail
        others.append(where if same else "%s: %s, %s" % (other.code, other.detail, where))
    if unnamed > 0:
        others.append("and %d more" % unnamed)
    whole = PsError(first.code, first.detail, first.function, first.tensor, first.slice,
                    "%s; also %s" % (first.server, "; ".join(others)))
    whole.__cause__ = first.__cause__
    return whole
