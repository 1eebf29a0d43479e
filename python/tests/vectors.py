"""Checks calls that Java has written down: the frames of their requests, and the responses their answers merge into."""

from __future__ import annotations

import json
import pathlib
import sys

import numpy as np

from psf import codec, frames
from psf.errors import PsError, code_of
from psf.layout import Layout, mix, mixed
from psf.line import Answer
from psf.names import number
from psf.peer import ROLES, SCHEDULER, Member, Ticket, credential
from psf.routing import Function, NodeRouting, SliceRouting
from psf.schema import Schema

FILE = pathlib.Path(__file__).parents[2] / "psf-testkit/src/main/resources/io/psf/testkit/protocol-vectors.json"


def plain(type, value):
    """Returns a value as the file has it: bytes as digits, arrays as lists."""
    if isinstance(type, codec.Maybe):
        return None if value is None else plain(type.of, value)
    if isinstance(type, codec.Record):
        return {part.name: plain(part.type, each) for part, each in zip(type.parts, value)}
    if isinstance(type, codec.ListOf):
        return [plain(type.of, each) for each in value]
    if isinstance(type, codec.MapOf):
        return {key: plain(type.of, each) for key, each in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, np.ndarray):
        return [_shortest(each) if value.dtype == np.float32 else each.item() for each in value.reshape(-1)]
    return _shortest(np.float32(value)) if str(type) == "f32" else value


def _shortest(value):
    """Returns a float32 as a document has it: the shortest decimal fraction that is rounded to it."""
    return float(str(value))


def given(type, value):
    """Returns a value of the file as the package takes it."""
    if value is None:
        return None
    if isinstance(type, codec.Maybe):
        return given(type.of, value)
    if isinstance(type, codec.Record):
        return {part.name: given(part.type, value[part.name]) for part in type.parts}
    if isinstance(type, codec.ListOf):
        return [given(type.of, each) for each in value]
    if isinstance(type, codec.MapOf):
        return {key: given(type.of, each) for key, each in value.items()}
    if isinstance(type, codec.Copied) and type.of == "i8":
        return bytes.fromhex(value)
    if isinstance(type, (codec.Copied, codec.Shared)):
        if type.of == "i8" and isinstance(value, str):
            return np.frombuffer(bytes.fromhex(value), np.int8)
        return np.array([float(each) if isinstance(each, str) else each for each in value], type.dtype)
    return float(value) if str(type) in ("f32", "f64") else value


def digits(buffers):
    return b"".join(bytes(each) for each in buffers).hex()


def body(out):
    """Returns the body of a frame."""
    return digits(out.frame(frames.HEADER, *[0] * 11))[2 * frames.SIZE:]


def layout_of(place):
    return Layout(place["tensor"], place["rows"], place["width"], place["bounds"], place["servers"], place["version"],
                  lanes=place.get("lanes", place["rows"]), wire=place.get("wire", "FLOAT32"))


def answer_of(part):
    data = bytes.fromhex("".join(part["answer"]["hex"]))
    _, _, _, version, _, _, _, slice, call, word, attempt, layout, block, arrays = frames.HEADER.unpack(data[:48])
    return Answer(call, slice, word, attempt != 0, layout, version, memoryview(bytearray(data[48:])), block, arrays)


def call(test, vector):
    """Checks one call."""
    versions = vector.get("schemas") or [vector["schema"]]
    function = Function.of(Schema(versions), False)
    schema = function.schema
    values = {each.name: given(each.type, vector["request"][each.name]) for each in schema.request
              if each.name in vector["request"]}
    layout = layout_of(vector["layout"]) if "layout" in vector else None
    others = {each["tensor"]: layout_of(dict(each, lanes=layout.lanes)) for each in vector.get("others", [])}
    if schema.target is not None:
        values[schema.target.name] = layout.tensor
    values = function.arguments(values)
    if layout is not None:
        routing = SliceRouting(function, values, layout, others.__getitem__)
    else:
        routing = NodeRouting(function, values, 1)
    test.assertEqual(len(routing.slices), len(vector["parts"]), vector["name"])
    answers = []
    for i, part in enumerate(vector["parts"]):
        header, s = part["request"]["header"], routing.slices[i]
        tensor, stamp = (layout.number, layout.stamps[s]) if layout is not None else (0, 0)
        made = frames.request(routing.write(i), schema, header["call"], tensor, s, stamp, header["timeout"],
                              header["attempt"], header["priority"])
        test.assertEqual(digits(made), "".join(part["request"]["hex"]), vector["name"])
        if "step" in vector:
            step = vector["step"]
            made = frames.step(made, step["task"], step["number"], step["after"], step["attempt"])
            test.assertEqual(digits(made), "".join(part["chain"]), vector["name"])
        answer = answer_of(part)
        if answer.status:
            test.assertEqual(code_of(answer.status), part["answer"]["header"]["status"])
            test.assertEqual(answer.failure().detail, part["answer"]["body"]["detail"])
            return
        answers.append(answer.reader())
    if schema.merged:
        test.assertEqual(1, len(answers), vector["name"])
        response = routing.responses(answers)[0]
    else:
        response = routing.merged(answers)
    for each, value in zip(schema.response, response):
        test.assertEqual(plain(each.type, value), vector["response"][each.name], vector["name"])
