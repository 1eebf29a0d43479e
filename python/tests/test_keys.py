"""Keys are grouped, their rows folded and scattered, as one loop over the caller's positions does it."""

import bisect
import unittest

import numpy as np

from psf.errors import PsError
from psf.folds import ARRAYS
from psf.keys import KeySet, first_places
from psf.layout import GROWING, Layout, evenly, mix

FOLDS = {
    "sum": np.add, "min": np.minimum, "max": np.maximum, "last": lambda a, b: b,
}


def expected(layout, keys, rows, fold):
    """Returns the sent keys, and their rows, by slice."""
    groups = [{} for _ in range(layout.slices)]
    for i, key in enumerate(keys.tolist()):
        place = mix(key) >> 2 if layout.grows else key
        group = groups[bisect.bisect_right(layout.bounds, place) - 1]
        one = key if fold else (key, i)
        group[one] = FOLDS[fold](group[one], rows[i]) if one in group else rows[i]
    sent = [key if fold else key[0] for group in groups for key in group]
    return sent, [row for group in groups for row in group.values()], [len(group) for group in groups]


class KeysTest(unittest.TestCase):
    def test_random_keys_over_random_slices(self):
        for seed in range(150):
            random = np.random.default_rng(seed)
            n, width = int(random.integers(0, 400 if seed % 10 else 4000)), int(random.integers(1, 5))
            if seed % 3 == 2:
                slices = int(random.integers(1, 9))
                layout = Layout("t", GROWING, width, [GROWING * s // slices for s in range(slices)] + [GROWING],
                                range(slices), 1)
                keys = random.integers(-50, 50, n) * (1 << 55)
            else:
                rows = int(random.integers(1, 300 if seed % 10 else 3000))
                layout = evenly("t", rows, width, int(random.integers(1, min(rows, 12) + 1)))
                keys = random.integers(0, rows, n) if seed % 3 else np.minimum(random.zipf(1.2, n), rows) - 1
            keys = keys.astype(np.int64)
            values = random.standard_normal((n, width)).astype(np.float32)
            for fold in ("", *FOLDS):
                with self.subTest(seed=seed, fold=fold):
                    found = KeySet("keys", keys, fold, False, layout)
                    sent, rows, counts = expected(layout, keys, values, fold)
                    self.assertEqual(sent, found.sent().tolist())
                    self.assertEqual(counts, [found.count(s) for s in range(layout.slices)])
                    gathered = found.gathered(values.reshape(-1), width).reshape(-1, width)
                    self.assertTrue(np.array_equal(np.array(rows, np.float32).reshape(-1, width), gathered))
                    cuts = np.cumsum(counts)[:-1]
                    answers = np.split(np.repeat(found.sent(), 2), 2 * cuts)
                    back = found.scattered(answers, range(layout.slices), 2, keys.dtype).reshape(-1, 2)
                    self.assertTrue(np.array_equal(np.stack([keys, keys], 1), back))

    def test_sums_are_made_in_the_callers_order(self):
        for width in (1, 2, 16):
            random = np.random.default_rng(width)
            rows = random.standard_normal((3000, width)).astype(np.float32)
            total = rows[0]
            for row in rows[1:]:
                total = total + row
            keys = np.full(3000, 3, np.int64)
            found = KeySet("keys", keys, "sum", False, evenly("t", 5, width, 2)).gathered(rows.reshape(-1), width)
            self.assertTrue(np.array_equal(total, found))

    def test_a_sum_has_the_sign_of_its_nan(self):
        nan = np.float32(np.nan)
        for values in ([nan, 1, 2], [-nan, 1, 2], [1, nan, 2], [1, 2, -nan], [np.inf, -np.inf, 1], [1, 2, 3]):
            rows = np.array(values, np.float32)
            with np.errstate(all="ignore"):
                total = rows[0]
                for each in rows[1:]:
                    total = total + each
            found = KeySet("keys", np.full(len(rows), 3, np.int64), "sum", False, evenly("t", 5, 1, 2)).gathered(rows, 1)
            self.assertEqual(total.tobytes(), found.tobytes(), values)

    def test_zeros_are_ordered_as_in_java(self):
        layout = evenly("t", 5, 1, 2)
        for fold, expected, other in (("min", -0.0, 5.0), ("max", 0.0, -5.0)):
            for n in (2, 3, 100):
                for values, zero in (([-0.0] + [0.0] * (n - 1), expected), ([0.0] * (n - 1) + [-0.0], expected),
                                     ([other] * n + [-0.0], -0.0), ([0.0] + [other] * n, 0.0)):
                    found = KeySet("keys", np.full(len(values), 3, np.int64), fold, False, layout).gathered(
                        np.array(values, np.float32), 1)
                    self.assertEqual(np.float32(zero).tobytes(), found.tobytes(), (fold, values))
                parts = [np.array([each, np.nan, 1]) for each in (0.0, -0.0)]
                for order in (parts, parts[::-1]):
                    whole = ARRAYS[fold](*order)
                    self.assertEqual([np.signbit(expected), False, False], np.signbit(whole).tolist())
                    self.assertTrue(np.isnan(whole[1]))

    def test_rows_of_different_lengths(self):
        for seed in range(60):
            random = np.random.default_rng(seed)
            n = int(random.integers(0, 60))
            layout = evenly("t", 40, 1, int(random.integers(1, 6)))
            keys = random.integers(0, 40, n).astype(np.int64)
            counts = random.integers(0, 4, n).astype(np.int32)
            rows = [random.integers(0, 1000, count) for count in counts]
            found = KeySet("keys", keys, "", False, layout)
            ragged = found.ragged("values", counts, np.concatenate(rows) if n else np.empty(0, np.int64))
            for s in range(layout.slices):
                mine = [rows[i] for i in range(n) if layout.bounds[s] <= keys[i] < layout.bounds[s + 1]]
                self.assertEqual(np.concatenate(mine).tolist() if mine else [], ragged.of(s).tolist())
            parts = [ragged.of(s) for s in range(layout.slices)]
            back = found.scattered_ragged("values", counts, parts, range(layout.slices), np.dtype(np.int64))
            self.assertEqual(np.concatenate(rows).tolist() if n else [], back.tolist())

    def test_the_first_places_of_keys(self):
        random = np.random.default_rng(1)
        for n in (0, 1, 2, 1000, 40_000):
            for most in (1, 10, 1 << 20, 1 << 62):
                keys = random.integers(0, most, n) if n else np.empty(0, np.int64)
                wanted = {}
                places = [wanted.setdefault(key, i) for i, key in enumerate(keys.tolist())]
                for rows in (most, 1 << 63):  # each row has a slot, or a hash finds one
                    first = first_places(keys, rows)
                    self.assertEqual(places, list(range(n)) if first is None else first.tolist())

    def test_a_key_that_is_no_row_is_named(self):
        with self.assertRaises(PsError) as failed:
            KeySet("keys", np.array([3, -1, 9]), "", False, evenly("t", 5, 1, 2))
        self.assertEqual("OUT_OF_RANGE: keys[1]: -1 (expected: a row in [0, 5))", str(failed.exception))
