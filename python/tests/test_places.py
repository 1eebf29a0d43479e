"""Long arrays are received at their places in what the caller gets."""

import struct
import unittest
import weakref

import numpy as np

from psf import codec, frames
from psf.layout import Layout
from psf.memory import Spare
from psf.routing import Function, SliceRouting
from psf.schema import Schema
from tests import lines

PULL = Function.of(Schema(["test.pull at SHARD (tensor:tensor) -> (count:i32 sum, values:f32[] by range)"]), True)


def answer(values, slice=0):
    out = codec.Writer()
    for each, value in zip(PULL.schema.response, (len(values), values)):
        each.type.put(out, out.block, value, each.name)
    return out.frame(frames.HEADER, frames.ANSWER, 0, 1, 2, 3, 0, slice, 5, 0, 0, 0)


class LineTest(lines.LineCase):
    def read(self, data, piece):
        for at in range(0, len(data), piece):
            self.far.sendall(data[at: at + piece])
            self.line.read(0)

    def send(self, made, piece, checked):
        self.read(b"".join(map(bytes, frames.checked(made) if checked else made)), piece)

    def test_answers_in_any_pieces(self):
        sent = [np.random.default_rng(i).random(n).astype(np.float32) for i, n in enumerate((2, 40_000, 6, 9_000, 30_000))]
        places = {1: np.empty(40_000, np.float32), 4: np.empty(30_000, np.float32)}
        self.line.place = lambda call, slice, entry, n: (
            places.get(slice) if (call, entry, n) == (5, 3, len(sent[slice])) else None)
        for checked in (False, True):
            if checked:
                self.read(frames.CHECK_FRAME, 48)
            for piece in (7, 55, 1000, 30_000, 1 << 20):
                with self.subTest(checked=checked, piece=piece):
                    self.answers.clear()
                    for each in places.values():
                        each.fill(0)
                    for slice, values in enumerate(sent):
                        self.send(answer(values, slice), piece, checked)
                    self.line.read(0)
                    self.assertIsNone(self.line.cause)
                    self.assertEqual(list(range(5)), [each.slice for each in self.answers])
                    for each, values in zip(self.answers, sent):
                        reader = each.reader()
                        self.assertEqual(len(values), PULL.schema.response[0].type.get(reader))
                        found = PULL.schema.response[1].type.get(reader)
                        self.assertTrue(np.array_equal(values, found))
                        if piece > 55:  # so that the table of arrays has come with the header
                            self.assertIs(each.placed, places.get(each.slice))
        mine = [weakref.ref(place) for place in places.values()]
        places.clear()
        self.answers.clear()
        del each, values, reader, found
        self.assertEqual([True, True], [place() is None for place in mine], "the line keeps no array")

    def test_a_place_of_another_size_is_not_used(self):
        place = np.zeros(39_999, np.float32)
        self.line.place = lambda call, slice, entry, n: place
        self.send(answer(np.ones(40_000, np.float32)), 1 << 20, False)
        self.assertIsNone(self.answers[0].placed)
        self.assertEqual(0, place.max())

    def test_a_damaged_array_ends_the_connection(self):
        self.line.place = lambda call, slice, entry, n: np.empty(n, np.float32)
        self.read(frames.CHECK_FRAME, 48)
        data = bytearray(b"".join(map(bytes, frames.checked(answer(np.ones(40_000, np.float32))))))
        data[100_000] ^= 1
        self.read(data, 1 << 15)
        self.assertIn("frame damaged on the way: checksum of its body of 160016 bytes", self.line.cause.detail)
        self.assertEqual([], self.answers)

    def test_an_interrupt_in_the_middle_of_a_frame_ends_the_connection(self):
        """What has been received is lost with it: the next frame would begin anywhere."""
        def interrupted(into, until):
            raise KeyboardInterrupt

        for data, ends in ((frames.PING_FRAME, False), (bytes(answer(np.ones(40_000, np.float32))[0]), True)):
            self.setUp()
            self.read(data, 1 << 14)
            self.line._receive = interrupted
            with self.assertRaises(KeyboardInterrupt):
                self.line.read(0)
            self.assertEqual(ends, self.line.cause is not None)


class SpareTest(unittest.TestCase):
    def test_memory_is_used_again_once_nobody_uses_it(self):
        spare = Spare()
        first = np.frombuffer(spare.take(1000), np.uint8)
        second = np.frombuffer(spare.take(1000), np.uint8)
        self.assertFalse(np.shares_memory(first, second))
        at = first.ctypes.data
        first = first[10:]
        self.assertNotEqual(at, np.frombuffer(spare.take(1000), np.uint8).ctypes.data)
        spare, first = Spare(), None
        first = np.frombuffer(spare.take(1000), np.uint8)[3:5]
        at = first.ctypes.data - 3
        first = None
        self.assertEqual(at, np.frombuffer(spare.take(900), np.uint8).ctypes.data)
        self.assertNotEqual(at, np.frombuffer(spare.take(1200), np.uint8).ctypes.data)


class RoutingTest(unittest.TestCase):
    def setUp(self):
        self.layout = Layout("t", 10, 2, [0, 4, 8, 10], [0, 0, 0], 1)
        self.routing = SliceRouting(PULL, PULL.arguments({"tensor": "t"}), self.layout, None)
        self.values = np.arange(20, dtype=np.float32)

    def place(self, s, entry, n):
        return self.routing.place(s, entry, n, lambda bytes: memoryview(bytearray(bytes)))

    def answered(self, s, place=None):
        """Returns the answer of a slice, which has been received at a place, or elsewhere."""
        mine = self.values[self.layout.bounds[s] * 2: self.layout.bounds[s + 1] * 2]
        block = struct.pack("<i", len(mine)) + bytes(4) + struct.pack("<Ii", 3, len(mine))
        if place is not None:
            place[:] = mine
            return codec.Reader(memoryview(block), 4, 1, 1, place)
        return codec.Reader(memoryview(block + mine.tobytes()), 4, 1, 1)

    def merged(self, *answers):
        found = self.routing.merged(answers).values
        self.assertEqual((10, 2), found.shape)
        self.assertTrue(np.array_equal(self.values, found.reshape(-1)))
        return found

    def test_all_at_their_places(self):
        places = [self.place(s, 3, n) for s, n in enumerate((8, 8, 4))]
        found = self.merged(*map(self.answered, range(3), places))
        self.assertTrue(all(np.shares_memory(found, each) for each in places))

    def test_a_short_answer_joins_the_others(self):
        place = self.place(0, 3, 8)
        self.assertTrue(np.shares_memory(place, self.merged(self.answered(0, place), self.answered(1), self.answered(2))))

    def test_none_at_its_place(self):
        self.merged(*map(self.answered, range(3)))

    def test_other_arrays_have_no_place(self):
        for entry, n in ((3, 7), (3, -8), (5, 8), (4, 8)):
            self.assertIsNone(self.place(0, entry, n))
        single = SliceRouting(PULL, PULL.arguments({"tensor": "t"}), Layout("t", 4, 2, [0, 4], [0], 1), None)
        self.assertIsNone(single.place(0, 3, 8, bytearray))

    def test_an_answer_that_comes_again(self):
        """A thread that still reads the first connection may write to the place at any time."""
        places = [self.place(s, 3, n) for s, n in enumerate((8, 8, 4))]
        self.assertIsNone(self.place(1, 3, 8))
        found = self.merged(self.answered(0, places[0]), self.answered(1), self.answered(2, places[2]))
        places[1].fill(-1)
        self.assertTrue(np.array_equal(self.values, found.reshape(-1)))
