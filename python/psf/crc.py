"""CRC-32C (Castagnoli), by numpy."""

from __future__ import annotations

from typing import Any, List

import numpy as np

_POLYNOMIAL = 0x82F63B78

#: The length of the blocks whose registers are computed byte by byte.
_BLOCK = 1024

#: The polynomial divides x^5685 + x^1362 + x^426 + 1. Bytes are therefore the same as zeros in their place, if each is
#: added (xor) to the bytes at these distances behind it; and so at these distances times a power of two.
_DISTANCES = (4323, 5259, 5685)
_UNITS = (64, 8, 1)

#: Bytes that turn a register of zeros into the one with which a checksum begins.
_FIRST = bytes.fromhex("54641f64")


def _table() -> np.ndarray:
    """Returns the register behind each byte at each place of a block, [block, 256] uint32."""
    last = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        last = np.where(last & 1, (last >> 1) ^ np.uint32(_POLYNOMIAL), last >> 1).astype(np.uint32)
    table = np.empty((_BLOCK, 256), np.uint32)
    table[-1] = last
    for place in range(_BLOCK - 1, 0, -1):
        table[place - 1] = (table[place] >> 8) ^ last[table[place] & 0xFF]
    return table


_TABLE = _table()
_BYTES = _TABLE.reshape(-1)
_PLACES = np.arange(_BLOCK) * 256

#: What the bytes of a register become behind a block.
_MOVED: List[List[int]] = [_TABLE[place].tolist() for place in range(4)]


def crc32c(*parts: Any) -> int:
    """Returns the checksum of bytes, which are in one or several buffers."""
    data = _folded(np.frombuffer(bytearray().join([_FIRST, *parts]), np.uint8))
    a, b, c, d = _MOVED
    register, begin = 0, 0
    for end in range(len(data) % _BLOCK or _BLOCK, len(data) + 1, _BLOCK):
        of_block = np.bitwise_xor.reduce(_BYTES.take(_PLACES[begin - end:] + data[begin:end])).item()
        register = (a[register & 0xFF] ^ b[register >> 8 & 0xFF] ^ c[register >> 16 & 0xFF] ^ d[register >> 24]
                    ^ of_block)
        begin = end
    return register ^ 0xFFFFFFFF


def _folded(data: np.ndarray) -> np.ndarray:
    """Returns the few last bytes of an array, to which the others have been added."""
    nearest, _, longest = _DISTANCES
    for unit in _UNITS:
        while len(data) > longest * unit:
            n = min(nearest * unit, len(data) - longest * unit)
            for distance in _DISTANCES:
                data[distance * unit: distance * unit + n] ^= data[:n]
            data = data[n:]
    return data
