"""The schemas and tuples of psf's functions, as docs/protocol.md describes them. For little-endian machines."""

import functools, itertools, pathlib, re, struct
from array import array

SCALARS = {"bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}
ARRAYS = "biqfd"  # the type of an array is the place of its elements here


def number(text):
    """Returns the number of a name, or the fingerprint of a schema: FNV-1a."""
    hashed = functools.reduce(lambda h, byte: (h ^ byte) * 0x01000193 & 0xFFFFFFFF, text.encode(), 0x811C9DC5)
    return hashed or 1


class Schema:
    """A function, as the text of its latest version has it. A component is (name, type, words of its layout)."""

    def __init__(self, versions):
        self.versions, self.version, self.fingerprint = versions, len(versions), number(versions[-1])
        self.tokens = re.findall(r"[\w.]+|\[\]|->|[{}(),:|?]", versions[-1])
        self.name, _, self.place = self.take(3)
        self.request, _, self.response = self.components(")"), self.take(), self.components(")")
        tensors = [name for name, type, _ in self.request if type == "tensor"]
        self.target = tensors[0] if self.place == "SHARD" else None
        if self.target:  # it is in the header
            self.request = [each for each in self.request if each[0] != self.target]

    @staticmethod
    def read(*folders):
        """Returns the functions of the committed files by name."""
        found = {}
        for file in itertools.chain(*(pathlib.Path(folder).glob("*.schema") for folder in folders)):
            found[file.stem] = Schema([line for line in file.read_text().splitlines() if not line.startswith("#")])
        return found

    def take(self, n=0):
        return [self.tokens.pop(0) for _ in range(n)] if n else self.tokens.pop(0)

    def components(self, end):
        self.take()  # the bracket
        found = []
        while self.tokens[0] != end:
            name, _, type, words = self.take(), self.take(), self.type(), []
            while self.tokens[0] not in (end, ","):
                words.append(self.take())
            found.append((name, type, words))
            if self.tokens[0] == ",":
                self.take()
        self.take()
        return found

    def type(self):
        type = self.base()
        return ("maybe", type, self.take()) if self.tokens[0] == "?" else type

    def base(self):
        if self.tokens[0] == "{":
            type = ("record", self.components("}"))
        else:
            type = self.take()
            if type == "list":
                type = (type, self.take(1) and self.base())
            elif type == "map":
                type = (type, self.take(3) and self.base())
            elif type == "copied":
                type = (type, self.take(2)[0])
            elif type == "enum":
                constants = itertools.takewhile(lambda token: token != ")", iter(self.take, None))
                type = (type, [token for token in constants if token not in "(|"])
            elif self.tokens[0] == "[]":
                type = ("array", type, self.take(3 if self.tokens[1] == "as" else 1))  # and the format
        return type


def padded(data):
    return data + bytes(-len(data) % 8)


class Body:
    """Writes or reads the body of a frame: a block, and shared arrays."""

    def __init__(self, data=b"", length=0, arrays=0):
        self.block, self.at, self.arrays = bytearray(data[:length]), 0, []
        table = (length + 7) // 8 * 8
        at = table + 8 * arrays
        for type, n in struct.iter_unpack("<ii", data[table:at]):
            if type >= len(ARRAYS):
                raise ValueError("format of an array: %d (expected: 0 to 4)" % (type & 255))
            values = array(ARRAYS[type])
            values.frombytes(data[at : at + n * values.itemsize])
            self.arrays.append(values)
            at += (n * values.itemsize + 7) // 8 * 8

    def bytes(self):
        table = b"".join(struct.pack("<ii", ARRAYS.index(each.typecode), len(each)) for each in self.arrays)
        return padded(bytes(self.block)) + table + b"".join(padded(each.tobytes()) for each in self.arrays)

    def pack(self, form, *values):
        self.block += struct.pack("<" + form, *values)

    def unpack(self, form):
        values = struct.unpack_from("<" + form, self.block, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def put(self, type, value):
        kind, of = type[:2] if isinstance(type, tuple) else (type, None)
        if kind in ("string", "tensor"):
            self.pack("i%ds" % len(value.encode()), len(value.encode()), value.encode())
        elif kind == "enum":
            self.pack("i", of.index(value))
        elif kind == "record":
            for name, each, _ in of:
                self.put(each, value[name])
        elif kind in ("list", "map"):
            self.pack("i", len(value))
            for each in value:
                self.put("string" if kind == "map" else of, each)
                if kind == "map":
                    self.put(of, value[each])
        elif kind == "copied" and of == "i8":
            self.pack("i%ds" % len(value), len(value), value)
        elif kind == "copied":
            self.pack("i%d%s" % (len(value), SCALARS[of]), len(value), *value)
        elif kind == "array":
            self.arrays.append(array(SCALARS[of], value))
        elif kind == "maybe":
            self.pack("?", value is not None)
            if value is not None:
                self.put(of, value)
        else:
            self.pack(SCALARS[kind], value)

    def get(self, type):
        kind, of = type[:2] if isinstance(type, tuple) else (type, None)
        if kind in ("string", "tensor"):
            return self.unpack("%ds" % self.unpack("i"))[0].decode()
        elif kind == "enum":
            return of[self.unpack("i")[0]]
        elif kind == "record":
            return {name: self.get(each) for name, each, _ in of}
        elif kind == "list":
            return [self.get(of) for _ in range(self.unpack("i")[0])]
        elif kind == "map":
            return {self.get("string"): self.get(of) for _ in range(self.unpack("i")[0])}
        elif kind == "copied" and of == "i8":
            return self.unpack("%ds" % self.unpack("i"))[0]
        elif kind == "copied":
            return self.unpack("%d%s" % (self.unpack("i")[0], SCALARS[of]))
        elif kind == "array":
            return self.arrays.pop(0)
        elif kind == "maybe":
            return self.get(of) if self.unpack("?")[0] else None
        return self.unpack(SCALARS[kind])[0]
