"""Compares random requests with the bytes that Java has written of them, which PythonLawTest does."""

import json
import sys
import unittest

from psf import frames
from psf.routing import Function, SliceRouting
from psf.schema import Schema

from .vectors import digits, given, layout_of

test = unittest.TestCase()
cases = json.load(open(sys.argv[1]))["cases"]
for number, case in enumerate(cases):
    schema = Schema([case["schema"]])
    layout = layout_of(case["layout"])
    others = {each["tensor"]: layout_of(each) for each in case["others"]}
    values = {each.name: given(each.type, case["request"][each.name]) for each in schema.request}
    routing = SliceRouting(Function.of(schema, False), values, layout, others.__getitem__)
    name = "request %d: %s of %s" % (number, schema.name, case["layout"])
    test.assertEqual([part["slice"] for part in case["parts"]], list(routing.slices), name)
    for i, part in enumerate(case["parts"]):
        s = part["slice"]
        made = frames.request(routing.write(i), schema, 7, layout.number, s, layout.stamps[s], 60_000)
        test.assertEqual("".join(part["hex"]), digits(made), name)
print("%d requests" % len(cases))
