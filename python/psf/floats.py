"""The formats of float32 arrays on the wire: float16, bfloat16, and blocks of int8 with a factor each."""

from __future__ import annotations

from typing import Tuple

import numpy as np

FLOAT32, FLOAT16, BFLOAT16, INT8 = 3, 5, 6, 7

#: The number of each format by its name in a schema and in a declaration.
NUMBERS = {"float32": FLOAT32, "float16": FLOAT16, "bfloat16": BFLOAT16, "int8": INT8}

_NARROWEST, _WIDEST, _BLOCK = 8, 65536, 256


def entry(format: str, width: int) -> int:
    """Returns the type in an entry of the array table for values in rows of a width; 0 if they have no rows."""
    number = NUMBERS[format]
    if number != INT8:
        return number
    return INT8 | (width if _NARROWEST <= width <= _WIDEST else _BLOCK) << 8


def is_format(entry: int) -> bool:
    """True if an entry of the array table is one of this module, other than float32."""
    return entry in (FLOAT16, BFLOAT16) or (entry & 0xFF == INT8 and entry >> 8 > 0)


def size(entry: int, n: int) -> int:
    """Returns the bytes of n values."""
    if entry & 0xFF == INT8:
        block = entry >> 8
        return n + 4 * ((n + block - 1) // block)
    return 2 * n


def encode(values: np.ndarray, entry: int) -> np.ndarray:
    """Returns the bytes of float32 values, [n], in a format."""
    if entry == FLOAT16:
        with np.errstate(over="ignore", invalid="ignore"):
            return values.astype(np.float16)
    if entry == BFLOAT16:
        bits = values.view(np.uint32)
        rounded = ((bits + (np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1)))) >> np.uint32(16))
        nan = np.isnan(values)
        if nan.any():
            rounded = np.where(nan, bits >> np.uint32(16) | np.uint32(0x40), rounded)
        return rounded.astype(np.uint16)
    return _encode_blocks(values, entry >> 8)


def _encode_blocks(values: np.ndarray, block: int) -> np.ndarray:
    n = len(values)
    blocks = (n + block - 1) // block
    tiles = np.zeros((blocks, block), np.float32)
    tiles.reshape(-1)[:n] = values
    with np.errstate(all="ignore"):
        largest = np.abs(tiles).max(axis=1) if n else np.zeros(0, np.float32)
        factors = largest / np.float32(127)
        inverse = np.float32(1) / factors
        wrong = ~np.isfinite(factors)  # a value of the block is not finite
        factors[wrong], inverse[wrong] = np.nan, 0
        tiny = ~np.isfinite(inverse)
        # Halves are rounded up. The sum is truncated, and positive, so that truncating rounds down.
        scaled = tiles * np.where(tiny, np.float32(0), inverse)[:, None] + np.float32(128.5)
        scaled[np.isnan(scaled)] = 0  # as Java truncates NaN
        rounded = (scaled.astype(np.int32) - 128).astype(np.int8)
        for at in np.flatnonzero(tiny):
            factors[at], rounded[at] = _tiny(tiles[at], largest[at])
    return np.concatenate([factors.view(np.uint8), rounded.reshape(-1)[:n].view(np.uint8)])


def _tiny(tile: np.ndarray, largest: np.float32) -> Tuple[np.float32, np.ndarray]:
    """Rounds values whose factor is so small that its inverse is not a float32. The factor is rounded up."""
    factor = largest / np.float32(127)
    if float(factor) * 127 < float(largest):
        factor = np.nextafter(factor, np.float32(np.inf))
    if factor == 0:
        return factor, np.zeros(len(tile), np.int8)
    return factor, np.rint(tile.astype(np.float64) / float(factor)).astype(np.int8)


def decode(data: memoryview, entry: int, n: int) -> np.ndarray:
    """Returns the float32 values, [n], of bytes in a format."""
    if entry == FLOAT16:
        return np.frombuffer(data, np.float16, n).astype(np.float32)
    if entry == BFLOAT16:
        return (np.frombuffer(data, np.uint16, n).astype(np.uint32) << np.uint32(16)).view(np.float32)
    block = entry >> 8
    blocks = (n + block - 1) // block
    factors = np.frombuffer(data, np.float32, blocks)
    values = np.frombuffer(data, np.int8, n, 4 * blocks).astype(np.float32)
    if n % block == 0:
        return (values.reshape(blocks, block) * factors[:, None]).reshape(-1)
    return values * np.repeat(factors, block)[:n]
