"""Makes the calls of caches that Java has made, which PythonCacheTest does, and compares the rows and the counters."""

import json
import sys
import unittest

import numpy as np

import psf

test = unittest.TestCase()
given = json.load(open(sys.argv[1]))
width = given["width"]
hits = 0
with psf.connect() as cluster:
    for number, case in enumerate(given["cases"]):
        where = "cache %d: %s" % (number, {name: value for name, value in case.items() if name != "steps"})
        options = {"initializer": psf.constant(0.5), "optimizer": psf.Optimizer(case["optimizer"], case["arguments"])}
        name = "python %d" % number
        spec = (psf.growing(name, width, **options) if case["grows"] else psf.table(name, given["table"], width, **options))
        cache = psf.EmbeddingCache(cluster, spec, **{each: case[each] for each in (
            "rows", "pull_bound", "push_bound", "policy", "show_own_updates", "bypass")})
        for step, (call, keys, values) in enumerate(case["steps"]):
            keys, values = np.array(keys, np.int64), np.array(values, np.float32).reshape(-1, width)
            if call == "look_up":
                found = cache.look_up(keys)
                test.assertTrue(np.array_equal(values, found), "%s, step %d: %s\n%s" % (where, step, keys, values - found))
            elif call == "update":
                cache.update(keys, values)
            elif call == "prefetch":
                cache.prefetch(keys)
            elif call == "flush":
                cache.flush()
            else:
                once = np.ones(len(keys), np.int32)
                cluster.function("psf.cache.push")(table=name, keys=keys, gradients=values, updates=once)
        cache.flush()
        test.assertEqual(case["counters"], list(cache.counters), where)
        hits += cache.counters.hits
print("%d caches, %d hits" % (len(given["cases"]), hits))
