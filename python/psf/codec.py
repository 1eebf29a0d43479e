"""The types of a schema, and how their values are written to the body of a frame and read from it.

A body is a block, in which scalars, texts, lists, maps and copied arrays are packed, and shared arrays behind it::

    | block, padded to 8 | array table, 8 each | array 0 | array 1 |  each padded to 8
"""

from __future__ import annotations

import struct
from collections import namedtuple
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import floats
from .errors import PsError, bad_request
from .names import snake

#: The numpy types of the elements of shared arrays. The place of a type is its number in the array table.
ELEMENTS = ("i8", "i32", "i64", "f32", "f64")
DTYPES = {
    "bool": np.dtype(np.bool_), "i8": np.dtype("<i1"), "i16": np.dtype("<i2"), "i32": np.dtype("<i4"),
    "i64": np.dtype("<i8"), "f32": np.dtype("<f4"), "f64": np.dtype("<f8"),
}
_FORMS = {"bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}
_TABLE = tuple(DTYPES[each] for each in ELEMENTS)
_I32 = struct.Struct("<i")
_PADDING = bytes(8)

#: An entry of the array table: the type, and the number of elements.
TABLE = struct.Struct("<Ii")

#: Arrays up to this size in bytes are copied into the frame's first buffer: one buffer is sent faster than several.
SMALL = 1 << 13


class Writer:
    """Collects the block and the shared arrays of a tuple."""

    __slots__ = ("block", "arrays", "sections", "wire", "width")

    def __init__(self, wire: str = "float32", width: int = 0):
        """``wire`` is the format on the wire of the tensor on whose shard the function runs, ``width`` its width."""
        self.block = bytearray()
        self.arrays: List[Tuple[int, int, np.ndarray]] = []
        self.sections: Dict[int, bytearray] = {}
        self.wire = wire
        self.width = width

    def array(self, type: "Shared", values: np.ndarray, width: Optional[int] = None) -> None:
        """Adds a shared array of the type's elements: contiguous, of one dimension. ``width``: of its rows, if any."""
        entry = type.number
        if type.format is not None:
            format = self.wire if type.format == "tensor" else type.format
            if format != "float32":
                entry = floats.entry(format, self.width if width is None else width)
                self.arrays.append((entry, len(values), floats.encode(values, entry)))
                return
        self.arrays.append((entry, len(values), values))

    def finish_sections(self, first: int, last: int) -> None:
        """Appends the sections of the versions to the block, and their lengths."""
        lengths = []
        for version in range(first, last + 1):
            section = self.sections.get(version, b"")
            self.block += section
            lengths.append(len(section))
        self.block += struct.pack("<%di" % len(lengths), *lengths)

    def frame(self, header: struct.Struct, *fields: Any) -> List[Any]:
        """Returns the buffers of a frame: the header's fields are all but the length, the block's length and the arrays."""
        block = self.block
        head = bytearray(header.size)
        head += block
        head += _PADDING[: -len(block) % 8]
        for entry, n, _ in self.arrays:
            head += TABLE.pack(entry, n)
        length = len(head)
        buffers: List[Any] = [head]
        last = head
        for _, _, values in self.arrays:
            size = values.nbytes
            length += size + -size % 8
            if size <= SMALL:
                last += values.tobytes()
            elif size:
                last = bytearray()
                buffers += [values.view(np.uint8).data, last]
            last += _PADDING[: -size % 8]
        if not buffers[-1]:
            buffers.pop()
        header.pack_into(head, 0, length, *fields, len(block), len(self.arrays))
        return buffers


class Reader:
    """Reads the body of a frame. Arrays are views of its memory, unless they are in a format other than float32."""

    __slots__ = ("block", "at", "end", "arrays", "version", "sections", "placed")

    def __init__(self, body: memoryview, block: int, arrays: int, version: int, placed: Optional[np.ndarray] = None):
        """``placed`` is the only array, if the body ends in front of it: its entry of the table is right."""
        self.block = body
        self.at = 0
        self.end = block
        self.version = version
        self.sections: Dict[int, Reader] = {}
        self.arrays: Optional[Iterator[Tuple[int, int, int]]] = None
        self.placed = placed
        if arrays:
            self.arrays = self._table(body, (block + 7) & ~7, arrays)

    @staticmethod
    def _table(body: memoryview, table: int, arrays: int) -> Iterator[Tuple[int, int, int]]:
        at = table + 8 * arrays
        for i in range(arrays):
            entry, n = TABLE.unpack_from(body, table + 8 * i)
            if entry < len(_TABLE):
                size = n * _TABLE[entry].itemsize
            elif floats.is_format(entry):
                size = floats.size(entry, n)
            else:
                raise ValueError("type of an array: %d (expected: 0 to 7)" % (entry & 0xFF))
            if n < 0 or at + size > len(body):
                raise ValueError("elements of an array: %d (expected: at most those that the frame has)" % n)
            yield entry, n, at
            at += (size + 7) & ~7

    def open_sections(self, first: int, known: int) -> None:
        """Finds the sections at the end of the block, if the writer's version has some."""
        n = self.version - first + 1
        if n <= 0:
            return
        lengths = struct.unpack_from("<%di" % n, self.block, self.end - 4 * n)
        at = self.end - 4 * n - sum(lengths)
        self.end = at
        for i, length in enumerate(lengths):
            if length < 0 or at < self.at:
                raise ValueError("length of a section: %d (expected: within the block)" % length)
            if first + i <= known:
                section = Reader.__new__(Reader)
                section.block, section.at, section.end = self.block, at, at + length
                section.version, section.sections = self.version, self.sections
                section.arrays, section.placed = self.arrays, self.placed
                self.sections[first + i] = section
            at += length

    def unpack(self, form: struct.Struct) -> Any:
        at = self.at
        self.at = after = at + form.size
        if after > self.end:
            raise ValueError("end of the block at %d (expected: at least %d)" % (self.end, after))
        return form.unpack_from(self.block, at)[0]

    def bytes(self, n: int) -> memoryview:
        at = self.at
        self.at = after = at + n
        if n < 0 or after > self.end:
            raise ValueError("length within the block: %d (expected: at most %d)" % (n, self.end - at))
        return self.block[at:after]

    def count(self) -> int:
        n = self.unpack(_I32)
        if not 0 <= n <= self.end - self.at:
            raise ValueError("number of elements: %d (expected: at most the bytes of the block)" % n)
        return n

    def array(self, type: "Shared") -> np.ndarray:
        if self.placed is not None:
            return self.placed
        if self.arrays is None:
            raise ValueError("shared arrays: none (expected: one more)")
        try:
            entry, n, at = next(self.arrays)
        except StopIteration:
            raise ValueError("shared arrays: all have been read (expected: one more)") from None
        if entry == type.number:
            return np.frombuffer(self.block, _TABLE[entry], n, at)
        if type.format is not None and entry >= len(_TABLE):
            return floats.decode(self.block[at: at + floats.size(entry, n)], entry, n)
        raise ValueError("type of an array: %d (expected: %d, %s)" % (entry & 0xFF, type.number, type))


class Type:
    """A type of a schema."""

    def put(self, out: Writer, block: bytearray, value: Any, name: str) -> None:
        """Writes a value. ``name`` is the component, for errors."""
        raise NotImplementedError

    def get(self, body: Reader) -> Any:
        raise NotImplementedError

    def zero(self) -> Any:
        """Returns the value of a component that the writer did not have yet."""
        raise NotImplementedError

    def wrong(self, name: str, value: Any) -> PsError:
        return bad_request("%s: %s (expected: %s)" % (name, _shown(value), self))


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 100 else shown[:97] + "..."


class Scalar(Type):
    """A number or a truth value."""

    def __init__(self, name: str):
        self.name = name
        self.dtype = DTYPES[name]
        self.form = struct.Struct("<" + _FORMS[name])

    def put(self, out, block, value, name):
        try:
            if self.name == "bool" and not isinstance(value, (bool, np.bool_)):
                raise TypeError
            block += self.form.pack(value)
        except (TypeError, struct.error, OverflowError):
            raise self.wrong(name, value) from None

    def get(self, body):
        return body.unpack(self.form)

    def zero(self):
        return self.dtype.type(0).item()

    def __str__(self):
        return self.name


class Text(Type):
    """A text, also the name of a tensor."""

    def __init__(self, name: str):
        self.name = name

    def put(self, out, block, value, name):
        text = value if isinstance(value, str) else getattr(value, "name", None)
        if not isinstance(text, str):
            raise self.wrong(name, value)
        try:
            encoded = text.encode()
        except UnicodeEncodeError:
            raise self.wrong(name, value) from None
        block += _I32.pack(len(encoded))
        block += encoded

    def get(self, body):
        return str(body.bytes(body.count()), "utf-8")

    def zero(self):
        return ""

    def __str__(self):
        return self.name


class Enum(Type):
    """One of some constants; its value is the constant's name."""

    def __init__(self, constants: Sequence[str]):
        self.constants = tuple(constants)
        self.places = {constant: place for place, constant in enumerate(constants)}

    def put(self, out, block, value, name):
        place = self.places.get(getattr(value, "name", value))
        if place is None:
            raise self.wrong(name, value)
        block += _I32.pack(place)

    def get(self, body):
        place = body.unpack(_I32)
        if not 0 <= place < len(self.constants):
            raise PsError("SCHEMA_MISMATCH", "constant: %d (expected: one of %s)" % (place, ", ".join(self.constants)))
        return self.constants[place]

    def zero(self):
        return self.constants[0]

    def __str__(self):
        return "enum(%s)" % "|".join(self.constants)


class Copied(Type):
    """A small array, which is packed into the block. Of i8 its value is ``bytes``, else an array of numpy."""

    def __init__(self, of: str):
        self.of = of
        self.dtype = DTYPES[of]

    def put(self, out, block, value, name):
        if self.of == "i8" and isinstance(value, (bytes, bytearray, memoryview)):
            data = bytes(value)
            block += _I32.pack(len(data))
            block += data
            return
        values = array_of(self.dtype, value, name, str(self))
        block += _I32.pack(len(values))
        block += values.tobytes()

    def get(self, body):
        n = body.count()
        data = body.bytes(n * self.dtype.itemsize)
        return bytes(data) if self.of == "i8" else np.frombuffer(data, self.dtype).copy()

    def zero(self):
        return b"" if self.of == "i8" else np.empty(0, self.dtype)

    def __str__(self):
        return "copied %s[]" % self.of


class Shared(Type):
    """An array whose memory is sent as it is."""

    def __init__(self, of: str, format: Optional[str] = None):
        self.of = of
        self.format = format
        self.dtype = DTYPES[of]
        self.number = ELEMENTS.index(of)

    def put(self, out, block, value, name):
        out.array(self, self.of_value(value, name))

    def of_value(self, value: Any, name: str) -> np.ndarray:
        """Returns a caller's array as one of this type's elements: contiguous, of one dimension."""
        return array_of(self.dtype, value, name, str(self))

    def get(self, body):
        return body.array(self)

    def zero(self):
        return np.empty(0, self.dtype)

    def __str__(self):
        return "%s[]" % self.of if self.format is None else "%s[] as %s" % (self.of, self.format)


def array_of(dtype: np.dtype, value: Any, name: str, expected: str) -> np.ndarray:
    """Returns an array of one dimension, which is the caller's own if it has the type and is contiguous."""
    if value is None:
        raise bad_request("%s: None (expected: %s)" % (name, expected))
    values = np.asarray(value)
    if values.dtype != dtype:
        if values.size == 0:
            values = values.astype(dtype)
        elif not _fits(values, dtype):
            raise bad_request("%s: an array of %s (expected: %s)" % (name, values.dtype, expected))
        else:
            values = values.astype(dtype)
    if values.ndim != 1 or not values.flags.c_contiguous:
        values = np.ascontiguousarray(values).reshape(-1)
    return values


def _fits(values: np.ndarray, dtype: np.dtype) -> bool:
    """True if an array may be converted: between floats, from integers to floats, and between integers without loss."""
    kind = values.dtype.kind
    if dtype.kind == "f":
        return kind in "fiu"
    if dtype.kind == "b":
        return kind == "b"
    if kind == "b":
        return dtype.itemsize == 1  # a mask is no array of keys
    if kind not in "iu":
        return False
    if np.can_cast(values.dtype, dtype):
        return True
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    return least <= int(values.min()) and int(values.max()) <= most


class Part:
    """A component of a record. ``since`` is the version whose section it is in; 0 if it is in its place."""

    __slots__ = ("name", "spelled", "type", "since")

    def __init__(self, name: str, type: Type, since: int):
        self.name, self.spelled, self.type, self.since = name, snake(name), type, since


class Record(Type):
    """Components with names. A value that is read is a named tuple; a value to be written may be a mapping, too."""

    def __init__(self, parts: Sequence[Part]):
        self.parts = tuple(parts)
        self.tuple = named("Record", [part.spelled for part in parts])

    def put(self, out, block, value, name):
        for part in self.parts:
            into = out.sections.setdefault(part.since, bytearray()) if part.since else block
            part.type.put(out, into, field(value, part, name, self), "%s.%s" % (name, part.name))

    def get(self, body):
        values = []
        for part in self.parts:
            if not part.since:
                values.append(part.type.get(body))
            elif part.since in body.sections:
                values.append(part.type.get(body.sections[part.since]))
            else:
                values.append(part.type.zero())
        return self.tuple(*values)

    def zero(self):
        return self.tuple(*(part.type.zero() for part in self.parts))

    def __str__(self):
        return "{%s}" % ", ".join("%s:%s" % (part.name, part.type) for part in self.parts)


def named(name: str, fields: Sequence[str]) -> Any:
    """Returns a class of named tuples. A field that no tuple can have gets a trailing underscore."""
    return namedtuple(name, [each + "_" if each.startswith("_") else each for each in fields], rename=True)  # type: ignore


_MISSING = object()


def field(value: Any, part: Part, name: str, of: Type) -> Any:
    """Returns a component of a record, by its name in the schema or in Python."""
    if isinstance(value, Mapping):
        found = value.get(part.spelled, value.get(part.name, _MISSING))
    else:
        found = getattr(value, part.spelled, _MISSING)
    if found is _MISSING:
        if isinstance(part.type, Maybe):
            return None
        if part.since and value is not None and not isinstance(value, (str, bytes, int, float)):
            return part.type.zero()
        raise bad_request("%s: %s without %s (expected: %s)" % (name, _shown(value), part.spelled, of))
    return found


class ListOf(Type):
    def __init__(self, of: Type):
        self.of = of

    def put(self, out, block, value, name):
        if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__len__"):
            raise self.wrong(name, value)
        block += _I32.pack(len(value))
        for i, each in enumerate(value):
            self.of.put(out, block, each, "%s[%d]" % (name, i))

    def get(self, body):
        return [self.of.get(body) for _ in range(body.count())]

    def zero(self):
        return []

    def __str__(self):
        return "list of %s" % self.of


class MapOf(Type):
    """A map from texts."""

    def __init__(self, of: Type):
        self.of = of

    def put(self, out, block, value, name):
        if not isinstance(value, Mapping):
            raise self.wrong(name, value)
        block += _I32.pack(len(value))
        for key, each in value.items():
            _KEY.put(out, block, key, "a key of %s" % name)
            self.of.put(out, block, each, '%s["%s"]' % (name, key))

    def get(self, body):
        n, values = body.count(), {}
        for _ in range(n):
            key = _KEY.get(body)
            values[key] = self.of.get(body)
        if len(values) != n:
            raise ValueError("keys of a map: one twice (expected: each once)")
        return values

    def zero(self):
        return {}

    def __str__(self):
        return "map of string to %s" % self.of


_KEY = Text("string")


class Maybe(Type):
    """A value that may be missing, which is None then."""

    def __init__(self, of: Type):
        self.of = of

    def put(self, out, block, value, name):
        block.append(value is not None)
        if value is not None:
            self.of.put(out, block, value, name)

    def get(self, body):
        return self.of.get(body) if body.unpack(_FLAG) else None

    def zero(self):
        return None

    def __str__(self):
        return "%s?" % self.of


_FLAG = struct.Struct("<?")
