"""Checksums of frames."""

import random
import unittest
from unittest import mock

import numpy as np

from psf import frames, line
from psf.crc import crc32c
from tests import lines


def bitwise(data):
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


class Crc32cTest(unittest.TestCase):
    def test_published_values(self):
        """Those of RFC 3720, appendix B.4."""
        self.assertEqual(0xE3069283, crc32c(b"123456789"))
        self.assertEqual(0x8A9136AA, crc32c(bytes(32)))
        self.assertEqual(0x46DD794E, crc32c(bytes(range(32))))
        self.assertEqual(0, crc32c())

    def test_bytes_of_any_number_in_any_parts(self):
        for n in (1, 3, 48, 1019, 1020, 1021, 5681, 5682, 45_477, 45_478, 100_000, 363_836, 363_837, 400_001):
            data = random.Random(n).getrandbits(8 * n).to_bytes(n, "little")
            expected = bitwise(data)
            self.assertEqual(expected, crc32c(data), n)
            self.assertEqual(expected, crc32c(data[:n // 3], np.frombuffer(data[n // 3:], np.uint8)), n)


class CheckedLineTest(lines.LineCase):
    def answer(self, n):
        data = frames.HEADER.pack(frames.SIZE + n, frames.ANSWER, 0, 1, 2, 3, 0, 4, 5, 0, 0, 0, n, 0) + bytes(n)
        return b"".join(map(bytes, frames.checked([data])))

    def read(self, data, piece):
        """Lets the line read bytes that arrive in pieces."""
        for at in range(0, len(data), piece):
            self.far.sendall(data[at: at + piece])
            self.line.read(0)

    def test_frames_arrive_in_any_pieces(self):
        self.read(frames.CHECK_FRAME, 48)
        sizes = [0, 8, 4000, 40_000, 8, 100_000, 0]
        for piece in (7, 1000, 30_000):
            self.read(b"".join(map(self.answer, sizes)), piece)
            self.line.read(0)
        self.assertIsNone(self.line.cause)
        self.assertEqual(3 * sizes, [len(answer.body) for answer in self.answers])

    def test_a_damaged_bit_ends_the_connection(self):
        for n, at, part in ((8, 10, "header"), (8, 60, "body of 8 bytes"), (100_000, 70_000, "body of 100000 bytes")):
            with self.subTest(part):
                self.setUp()
                self.read(frames.CHECK_FRAME, 48)
                data = bytearray(self.answer(n))
                data[at] ^= 4
                self.read(data, 1 << 15)
                self.assertEqual("UNAVAILABLE", self.line.cause.code)
                self.assertIn("frame damaged on the way: checksum of its " + part, self.line.cause.detail)
                self.assertEqual([], self.answers)

    def test_a_side_that_is_told_so_answers_with_checksums(self):
        self.read(frames.CHECK_FRAME, 48)
        for _ in range(2):
            self.line.write([[frames.PING_FRAME]], 0)
        sums = frames.SUMS.pack(crc32c(frames.PING_FRAME), 0)
        self.assertEqual(frames.CHECK_FRAME + 2 * (sums + frames.PING_FRAME), self.far.recv(1000))

    def test_a_frame_that_does_not_grow_is_no_sign_of_life(self):
        with mock.patch.object(line.time, "monotonic", lambda: 1e9):
            self.read(bytes(self.answer(50_000)[frames.SUMS.size:][:1000]), 48)  # with a damaged length, and pings behind
            self.assertLess(self.line.heard, 1e9)
            self.read(bytes(1000), 48)
            self.assertEqual(1e9, self.line.heard)
