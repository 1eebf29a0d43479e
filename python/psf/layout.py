"""Where the rows of a tensor are: its slices and their servers."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from .errors import PsError, bad_request
from .names import number

#: The number of rows of a growing table, in which every int64 is a key.
GROWING = (1 << 62) + 1

#: The number of partitions of the keys that belong to no tensor.
PARTITIONS = 1024

_MASK = (1 << 64) - 1
_FIRST, _SECOND, _GOLDEN = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0x9E3779B97F4A7C15


def mix(key: int) -> int:
    """Mixes the bits of a key: the mixing function of SplitMix64."""
    z = key & _MASK
    z = (z ^ z >> 30) * _FIRST & _MASK
    z = (z ^ z >> 27) * _SECOND & _MASK
    return z ^ z >> 31


def mixed(keys: np.ndarray) -> np.ndarray:
    """Mixes the bits of each of int64 keys, [n]; the result is uint64."""
    z = keys.view(np.uint64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND)
    return z ^ (z >> np.uint64(31))


class Layout:
    """The slices of a tensor, as a state of the cluster has them. Immutable."""

    def __init__(self, tensor: str, rows: int, width: int, bounds: Sequence[int], servers: Sequence[int],
                 version: int, declared: int = 0, lanes: int = 0, wire: str = "FLOAT32", declaration: Any = None):
        self.tensor = tensor
        self.number = number(tensor)
        self.rows = rows
        self.width = width
        self.bounds: Tuple[int, ...] = tuple(bounds)
        self.servers: Tuple[int, ...] = tuple(servers)
        self.version = version
        self.declared = declared
        self.lanes = lanes
        self.wire = wire.lower()
        self.declaration = declaration
        self.grows = rows == GROWING
        self.slices = len(self.servers)
        self.bounds_array = np.array(self.bounds, np.int64)
        self.stamps: List[int] = [self._stamp(s) for s in range(self.slices)]

    def _stamp(self, s: int) -> int:
        h = 31 * (31 * (31 * self.rows + self.width) + self.bounds[s]) + self.bounds[s + 1]
        h = 31 * h + self.servers[s] * _FIRST + self.version * _SECOND
        return (h * _GOLDEN & _MASK) >> 48

    def range(self, s: int) -> str:
        """Returns the places of a slice, for messages."""
        return "[%d, %d)" % (self.bounds[s], self.bounds[s + 1])

    def begin(self, s: int) -> int:
        return self.bounds[s]

    def length(self, width: int) -> int:
        """Returns the number of elements of an array that is row-aligned with the tensor."""
        if self.grows:
            raise bad_request('all rows of tensor "%s", which grows (expected: a function with @ByKey)' % self.tensor)
        return self.rows * width

    def has_slices_of(self, other: "Layout") -> bool:
        """True if both are of one declaration, with the same slices. The slices may be at other servers."""
        return (self.declared, self.tensor, self.rows, self.width, self.bounds) == (
            other.declared, other.tensor, other.rows, other.width, other.bounds)

    def meets(self, other: "Layout") -> bool:
        """True if slice i of both is on the same server and lane, for each i."""
        return self.lanes == other.lanes and self.servers == other.servers

    def is_as(self, other: "Layout") -> bool:
        return self.has_slices_of(other) and self.servers == other.servers and self.version == other.version

    def text(self) -> str:
        """Returns shape, slices, first server and lanes, for messages."""
        shape = "growing x %d" % self.width if self.grows else "%d x %d" % (self.rows, self.width)
        beside = "" if self.lanes == self.rows else ", beside %s rows" % (
            "growing" if self.lanes == GROWING else self.lanes)
        return "%s in %d %s from server %d on%s" % (
            shape, self.slices, "slice" if self.slices == 1 else "slices", self.servers[0], beside)

    def require_rows(self, keys: np.ndarray, name: str) -> None:
        """Checks that keys, [n] and at least one, are rows of the tensor."""
        if self.grows or (0 <= keys.min() and keys.max() < self.rows):
            return
        wrong = int(np.flatnonzero((keys < 0) | (keys >= self.rows))[0])
        raise PsError(
            "OUT_OF_RANGE", "%s[%d]: %d (expected: a row in [0, %d))" % (name, wrong, keys[wrong], self.rows))

    def slices_of(self, keys: np.ndarray) -> np.ndarray:
        """Returns the slice of each key, [n], as a small integer."""
        places = (mixed(keys) >> np.uint64(2)).view(np.int64) if self.grows else keys
        if self.slices <= 6:  # comparisons take less time than a search
            slices = (places >= self.bounds[1]).view(np.uint8)
            for bound in self.bounds[2:-1]:
                slices = slices + (places >= bound).view(np.uint8)
            return slices
        kind = np.uint8 if self.slices <= 256 else np.uint16 if self.slices <= 65536 else np.int64
        return (np.searchsorted(self.bounds_array, places, "right") - 1).astype(kind)


def evenly(tensor: str, rows: int, width: int, slices: int, servers: Optional[Sequence[int]] = None) -> Layout:
    """Returns a layout with slices of equal size, to within one row, that no cluster has declared."""
    bounds = [rows * i // slices for i in range(slices + 1)]
    return Layout(tensor, rows, width, bounds, servers or range(slices), 0, lanes=rows)
