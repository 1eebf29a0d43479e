"""Compares random calls with the bytes that Java has written of them, which PythonLawTest does: requests, merged answers."""

import json
import sys
import unittest

from psf import frames
from psf.codec import Writer
from psf.routing import Function, SliceRouting
from psf.schema import Schema

from .vectors import answer_of, body, digits, given, layout_of


def written(schema, response):
    """Returns the body of a response."""
    out = Writer()
    for each, value in zip(schema.response, response):
        each.type.put(out, out.block, value, each.name)
    if schema.response_sections:
        out.finish_sections(schema.response_sections, schema.version)
    return body(out)


def main():
    test = unittest.TestCase()
    test.maxDiff = None
    cases = json.load(open(sys.argv[1]))["cases"]
    for number, case in enumerate(cases):
        schema = Schema(case["schemas"])
        layout = layout_of(case["layout"])
        others = {each["tensor"]: layout_of(each) for each in case["others"]}
        values = {each.name: given(each.type, case["request"][each.name]) for each in schema.request}
        routing = SliceRouting(Function.of(schema, False), values, layout, others.__getitem__)
        name = "call %d: %s of %s" % (number, schema.name, case["layout"])
        test.assertEqual([part["slice"] for part in case["parts"]], list(routing.slices), name)
        for i, part in enumerate(case["parts"]):
            s = part["slice"]
            made = frames.request(routing.write(i), schema, 7, layout.number, s, layout.stamps[s], 60_000)
            test.assertEqual("".join(part["hex"]), digits(made), name)
        merged = routing.merged([answer_of(part).reader() for part in case["parts"]])
        test.assertEqual("".join(case["merged"])[2 * frames.SIZE:], written(schema, merged), name)
    print("%d calls" % len(cases))


if __name__ == "__main__":
    main()
