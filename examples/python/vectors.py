"""Writes and reads the frames of protocol-vectors.json, and prints how many there were."""

import json, pathlib, sys

import psf, tuples


def require(name, given, expected):
    if given != expected:
        sys.exit("%s: %s (expected: %s)" % (name, given, expected))


def plain(type, value):
    """Returns a value as the file has it: bytes as digits, arrays as lists."""
    kind, of = type[:2] if isinstance(type, tuple) else (type, None)
    if kind == "record":
        return {name: plain(each, value[name]) for name, each, _ in of}
    elif kind == "list":
        return [plain(of, each) for each in value]
    elif kind == "maybe":
        return None if value is None else plain(of, value)
    return value.hex() if isinstance(value, bytes) else list(value) if kind in ("array", "copied") else value


def given(type, value):
    """Returns a value of the file as tuples takes it."""
    kind, of = type[:2] if isinstance(type, tuple) else (type, None)
    if kind == "record":
        return {name: given(each, value[name]) for name, each, _ in of}
    elif kind == "list":
        return [given(of, each) for each in value]
    return bytes.fromhex(value) if kind == "copied" and of == "i8" else value


def call(vector):
    function = tuples.Schema([vector["schema"]])
    values = {name: given(type, vector["request"][name]) for name, type, _ in function.request}
    layout, tensor = psf.Layout(0, 0, [], [0], 0), 0
    if "layout" in vector:
        of = vector["layout"]
        layout, tensor = psf.Layout(of["rows"], of["width"], of["bounds"], of["servers"], of["version"]), of["tensor"]
    cut, answers = psf.Cut(function, layout, values), {}
    require("parts", len(cut.slices), len(vector["parts"]))
    for s, part in zip(cut.slices, vector["parts"]):
        header, where = part["request"]["header"], {"slice": s}
        if tensor:
            where.update(tensor=tuples.number(tensor), layout=layout.stamp(s))
        options = {"word": header["timeout"], "attempt": header["attempt"], "priority": header["priority"]}
        body = psf.request(function, cut.part(s) if tensor else values)
        made = psf.frame(psf.REQUEST, header["call"], body, function, **where, **options)
        require(vector["name"], made.hex(), "".join(part["request"]["hex"]))
        data = bytes.fromhex("".join(part["answer"]["hex"]))
        read = psf.HEADER.unpack(data[:48])
        body = tuples.Body(data[48:], *read[12:])
        require("status", psf.CODES[read[9]], part["answer"]["header"]["status"])
        if read[9] != 0:
            require("detail", body.get("string"), part["answer"]["body"]["detail"])
            return 2
        answers[s] = {name: body.get(type) for name, type, _ in function.response}
    response = cut.merged(answers) if tensor else answers[0]
    for name, type, _ in function.response:
        require(vector["name"] + ": " + name, plain(type, response[name]), vector["response"][name])
    return 2 * len(cut.slices)


def main(file):
    vectors, frames = json.loads(pathlib.Path(file).read_text()), 0
    for each in vectors["numbers"]:
        require(each["text"], "0x%08x" % tuples.number(each["text"]), each["number"])
    for each in vectors["keys"]:
        require(each["key"], "0x%016x" % psf.mixed(each["key"]), each["mixed"])
        require(each["key"], psf.mixed(each["key"]) >> 54, each["partition"])
    for each in vectors["stamps"]:
        layout = psf.Layout(each["rows"], each["width"], each["bounds"], each["servers"], each["version"])
        require(each["tensor"], ["0x%04x" % layout.stamp(s) for s in range(len(each["servers"]))], each["stamps"])
    for each in vectors["proofs"]:
        nonce, session = bytes.fromhex(each["nonce"]), each["session"]
        made = psf.credential(each["secret"], psf.WORKER, each["rank"], session["session"], nonce)
        require("credential", made.hex(), each["credential"])
        me = (psf.WORKER, each["rank"], each["since"], each["cluster"], session["session"], session["connection"])
        made = psf.proof(bytes.fromhex(each["ticket"]), *me, psf.SERVER, each["host"]["rank"], nonce)
        require("proof", made.hex(), each["proof"])
    for vector in vectors["calls"]:
        if vector.get("layout", {}).get("wire", "FLOAT32") == "FLOAT32":  # the others are beyond this client
            frames += call(vector)
    print("%d frames" % frames)


main(sys.argv[1])
