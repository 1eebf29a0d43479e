"""Makes calls of functions that Java has drawn from seeds, which PythonFunctionsTest does: requests, merged answers."""

import json
import sys
import unittest

from psf.codec import Reader
from psf.errors import PsError
from psf.routing import Function, NodeRouting, SliceRouting
from psf.schema import Schema

from .laws import written
from .vectors import body, given, layout_of


def reader(answer):
    data = memoryview(bytearray.fromhex(answer["hex"]))
    return Reader(data, answer["block"], answer["arrays"], answer["version"])


def check(test, case):
    """Checks one call. Returns true if it fails, since a later version has answered with a constant that is not known."""
    schema = Schema(case["schemas"])
    name = "seed %d: %s" % (case["seed"], schema)
    values = {each.name: given(each.type, case["request"][each.name]) for each in schema.request}
    function = Function.of(schema, False)
    if case["place"] == "SHARD":
        layout, beside = layout_of(case["layout"]), layout_of(case["beside"])
        routing = SliceRouting(function, values, layout, lambda tensor: beside)
    else:
        routing = NodeRouting(function, values, len(case["layout"]["servers"]))
    test.assertEqual([part["slice"] for part in case["parts"]], list(routing.slices), name)
    for i, part in enumerate(case["parts"]):
        test.assertEqual(part["hex"], body(routing.write(i)), name)
    answers = [reader(part["answer"]) for part in case["parts"]]
    try:
        merged = routing.responses(answers) if schema.merged else [routing.merged(answers)]
    except PsError as e:
        test.assertEqual("SCHEMA_MISMATCH", e.code, name)
        test.assertGreater(max(answer.version for answer in answers), schema.version, name)
        return True
    test.assertEqual(case["merged"], [written(schema, each) for each in merged], name)
    return False


if __name__ == "__main__":
    of_all = unittest.TestCase()
    of_all.maxDiff = None
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    later = sum(check(of_all, case) for case in cases)
    of_all.assertLess(10 * later, len(cases))
    print("%d calls" % len(cases))
