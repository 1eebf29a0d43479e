"""CRC-32C (Castagnoli), by numpy."""

from __future__ import annotations

from typing import List

import numpy as np

_POLYNOMIAL = 0x82F63B78
_LANES = 1024


def _table() -> np.ndarray:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1).astype(np.uint32)
    return table


_TABLE = _table()


def crc32c(data: np.ndarray) -> int:
    """Returns the checksum of bytes, [n] uint8.

    The bytes are divided into lanes, whose registers are computed side by side. The register behind two lanes is the
    one of the first lane, moved on by as many zeros as the second lane has bytes, xor the register of the second lane.
    """
    length = len(data) // _LANES
    registers = np.zeros(_LANES, np.uint32)
    lanes = np.ascontiguousarray(data[: length * _LANES].reshape(_LANES, length).T)
    for step in lanes:
        registers = (registers >> 8) ^ _TABLE[(registers ^ step) & 0xFF]
    moved = 0xFFFFFFFF
    if length:
        moves = _moves(length)
        for register in registers.tolist():
            moved = _apply(moves, moved) ^ register
    for byte in data[length * _LANES:].tolist():
        moved = (moved >> 8) ^ int(_TABLE[(moved ^ byte) & 0xFF])
    return moved ^ 0xFFFFFFFF


def _apply(moves: List[int], register: int) -> int:
    moved, bit = 0, 0
    while register:
        if register & 1:
            moved ^= moves[bit]
        register >>= 1
        bit += 1
    return moved


def _moves(zeros: int) -> List[int]:
    """Returns what each bit of a register becomes behind so many bytes of zeros."""
    one = [int(_TABLE[bit]) if bit < 256 else bit >> 8 for bit in (1 << i for i in range(32))]
    moves = [1 << i for i in range(32)]
    while zeros:
        if zeros & 1:
            moves = [_apply(one, bit) for bit in moves]
        one = [_apply(one, bit) for bit in one]
        zeros >>= 1
    return moves
