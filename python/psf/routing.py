"""Cuts a request over the slices of a tensor, and merges their answers: two directions of one routing."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import codec, folds
from .codec import Reader, Shared, Writer
from .errors import PsError, bad_request
from .keys import KeySet, Ragged, require_answer
from .layout import Layout
from .schema import Component, Schema

#: Finds the layout of a tensor.
Layouts = Callable[[str], Layout]

_NONE = np.empty(0)


class Function(NamedTuple):
    """A function that can be called."""

    schema: Schema
    read_only: bool
    #: The class of responses: named tuples.
    response: Any

    @staticmethod
    def of(schema: Schema, read_only: bool) -> "Function":
        return Function(schema, read_only, codec.named("Response", [each.spelled for each in schema.response]))

    @property
    def name(self) -> str:
        return self.schema.name

    def arguments(self, given: Mapping[str, Any]) -> Dict[str, Any]:
        """Returns the values of a request by the names of the schema."""
        left = dict(given)
        values: Dict[str, Any] = {}
        for each in self.schema.request:
            if each.spelled in left:
                values[each.name] = left.pop(each.spelled)
            elif each.name in left:
                values[each.name] = left.pop(each.name)
            elif each.since > 1:
                values[each.name] = each.type.zero()
            elif isinstance(each.type, codec.Maybe):
                values[each.name] = None
            else:
                raise bad_request("%s: missing (expected: %s), of %s" % (
                    each.spelled, each.type, ", ".join(each.spelled for each in self.schema.request))).at(self.name)
        if left:
            raise bad_request("%s: an argument (expected: one of %s)" % (
                next(iter(left)), ", ".join(each.spelled for each in self.schema.request))).at(self.name)
        return values


class Routing:
    """The parts of one call: it writes each part's share of the request, and merges the answers."""

    def __init__(self, function: Function, values: Dict[str, Any]):
        self.function = function
        self.schema = function.schema
        self.values = values
        #: The slice, or the place of the node, of each part.
        self.slices: Sequence[int] = ()

    def write(self, part: int) -> Writer:
        """Returns the body of a part's request."""
        raise NotImplementedError

    def writers(self) -> List[Writer]:
        """Returns the bodies of the requests of all parts, which may be the same one."""
        return [self.write(part) for part in range(len(self.slices))]

    def place(self, part: int, entry: int, n: int, memory: Callable[[int], memoryview]) -> Optional[np.ndarray]:
        """Returns the place of the array of a part's answer, of a type and a number of elements, in what the caller gets.

        None if it has none, or had it before, for an answer that did not arrive.

        :param memory: returns so many bytes
        """
        return None

    def merged(self, bodies: Sequence[Reader]) -> Any:
        """Returns the response that the answers, one for each part, are merged into."""
        schema = self.schema
        parts: Dict[str, List[Any]] = {}
        try:
            if schema.response_sections:
                for body in bodies:
                    body.open_sections(schema.response_sections, schema.version)
            for each in schema.response:
                parts[each.name] = [each.type.get(body) if each.since <= body.version else None for body in bodies]
        except (ValueError, UnicodeDecodeError) as e:
            raise PsError("PROTOCOL", "answer of %s: %s" % (schema.name, e)) from e
        merged: Dict[str, Any] = {}
        for each in schema.merging:
            merged[each.name] = self.merge(each, parts[each.name], parts, merged)
        return self.function.response(*[merged[each.name] for each in schema.response])

    def merge(self, each: Component, parts: List[Any], all: Dict[str, List[Any]], merged: Dict[str, Any]) -> Any:
        """Merges a component. A part whose server did not send it is None."""
        layout = each.layout
        if layout.kind == "fold":
            return folds.fold(layout.fold, each.name, each.type, [part for part in parts if part is not None])
        if isinstance(each.type, codec.ListOf):
            return [value for part in parts if part is not None for value in part]
        if isinstance(each.type, codec.MapOf):
            return folds.union(each.name, [part for part in parts if part is not None])
        if len(parts) == 1:
            return each.type.zero() if parts[0] is None else parts[0]
        if not self.schema.merged:
            return each.type.zero() if not parts else parts[0]
        raise PsError(
            "UNKNOWN_FUNCTION", "function: \"%s\", which merges its answers itself, in Java (expected: merge=a function of"
            " the list of the answers)" % self.schema.name)

    def responses(self, bodies: Sequence[Reader]) -> List[Any]:
        """Returns the answers one by one, for a merge of the caller's own."""
        found = []
        for body in bodies:
            schema = self.schema
            if schema.response_sections:
                body.open_sections(schema.response_sections, schema.version)
            found.append(self.function.response(*(
                each.type.get(body) if each.since <= body.version else each.type.zero() for each in schema.response)))
        return found


class NodeRouting(Routing):
    """The parts of a call of nodes: each gets the whole request."""

    def __init__(self, function: Function, values: Dict[str, Any], nodes: int):
        super().__init__(function, values)
        self.slices = range(nodes)

    def writers(self) -> List[Writer]:
        return [self.write(0)] * len(self.slices)

    def write(self, part: int) -> Writer:
        out = Writer()
        for each in self.schema.request:
            each.type.put(out, out.block, self.values[each.name], each.name)
        if self.schema.request_sections:
            out.finish_sections(self.schema.request_sections, self.schema.version)
        return out


class SliceRouting(Routing):
    """The parts of a call of the shards of a tensor."""

    def __init__(self, function: Function, values: Dict[str, Any], layout: Layout, layouts: Layouts):
        super().__init__(function, values)
        self.layout = layout
        self.layouts = layouts
        self.others: List[Layout] = []
        self.sets: Dict[str, KeySet] = {}
        #: What the parts get of each component with a layout: a function of the slice.
        self.shares: Dict[str, Any] = {}
        self.absent: List[str] = []
        #: The array of a response that has one of all rows, once a part of it is received there; and the places, by slice.
        self._whole = _NONE
        self._placed: Dict[int, np.ndarray] = {}
        self._route()

    # The request.

    def _route(self) -> None:
        schema, every = self.schema, False
        for each in schema.keyed:
            self._keys(each)
        for each in schema.aligned:
            if each.layout.kind == "range":
                every = self._range(each) or every
            elif each.layout.kind == "along":
                self._along(each)
            else:
                self._ragged(each)
        if schema.keyed:
            first = min(each.since for each in schema.keyed)
            if first > 1:  # before the function had keys, every slice got the request
                every |= all(len(self.sets[each.name].keys) == 0 for each in schema.keyed if each.since == first)
        every |= schema.every
        slices = range(self.layout.slices)
        self.slices = slices if every else [s for s in slices if any(k.touches(s) for k in self.sets.values())]

    def _keys(self, each: Component) -> None:
        layout, value = each.layout, self.values[each.name]
        elements = None
        if layout.kind == "elements":
            assert isinstance(each.type, codec.ListOf)
            record = each.type.of
            assert isinstance(record, codec.Record)
            part = next(part for part in record.parts if part.name == layout.name)
            elements = list(value)
            keys = np.array([int(codec.field(one, part, each.name, record)) for one in elements], np.int64)
        else:
            keys = _array(each, value)
        of = self._beside(layout.of) if layout.of else self.layout
        self.sets[each.name] = KeySet(each.name, keys, layout.fold, layout.every_slice, of, elements)

    def _beside(self, name: str) -> Layout:
        """Returns the layout of another tensor whose keys the request has."""
        target = self.schema.target
        if target is not None and name == target.name:
            return self.layout
        tensor = self.values[name]
        tensor = getattr(tensor, "name", tensor)
        if tensor == self.layout.tensor:
            return self.layout
        for known in self.others:
            if known.tensor == tensor:
                return known
        other = self.layouts(tensor)
        if not other.meets(self.layout):
            raise bad_request(
                "slices of tensor %s: %s (expected: beside the slices of %s, %s; make one of them with"
                " TensorSpec.beside the other)" % (tensor, other.text(), self.layout.tensor, self.layout.text()))
        self.others.append(other)
        return other

    def _width(self, layout: Any, of: Optional[Layout] = None) -> int:
        return layout.width or (of or self.layout).width

    def _range(self, each: Component) -> bool:
        values = _array(each, self.values[each.name])
        if each.since > 1 and not len(values):
            self.absent.append(each.name)
            return False
        width = self._width(each.layout)
        _require_length(each.name, values, self.layout.length(width), self.layout.rows, width)
        bounds = self.layout.bounds
        self.shares[each.name] = lambda s: values[bounds[s] * width: bounds[s + 1] * width]
        return True

    def _along(self, each: Component) -> None:
        keys = self.sets[each.layout.name]
        values = _array(each, self.values[each.name])
        if each.since > 1 and not len(values):
            self.absent.append(each.name)
            return
        width = self._width(each.layout, keys.layout)
        _require_length(each.name, values, len(keys.keys) * width, len(keys.keys), width)
        sent = keys.gathered(values, width)
        starts = keys.starts
        self.shares[each.name] = lambda s: sent[starts[s] * width: starts[s + 1] * width]

    def _ragged(self, each: Component) -> None:
        counts = next(one for one in self.schema.request if one.name == each.layout.name)
        values = _array(each, self.values[each.name])
        if counts.name in self.absent:
            if len(values):
                raise bad_request("%s length: %d (expected: 0, since its counts are null)" % (each.name, len(values)))
            self.absent.append(each.name)
            return
        rows: Ragged = self.sets[counts.layout.name].ragged(each.name, _array(counts, self.values[counts.name]), values)
        self.shares[each.name] = rows.of

    def writers(self) -> List[Writer]:
        if self.schema.keyed or self.schema.aligned:
            return super().writers()
        return [self.write(0)] * len(self.slices)

    def write(self, part: int) -> Writer:
        s = self.slices[part]
        schema = self.schema
        out = Writer(self.layout.wire, self.layout.width)
        for each in schema.request:
            kind = each.layout.kind
            if each is schema.target:
                continue
            if kind == "key" or kind == "elements":
                keys = self.sets[each.name]
                if each.layout.of:
                    out.block += keys.layout.stamps[s].to_bytes(2, "little")
                begin, end = keys.starts[s], keys.starts[s + 1]
                if kind == "key":
                    out.array(each.type, self._sent(each.name, keys)[begin:end])  # type: ignore[arg-type]
                else:
                    each.type.put(out, out.block, keys.sent_elements()[begin:end], each.name)
            elif each.name in self.shares:
                width = self._row_width(each)
                out.array(each.type, self.shares[each.name](s), width)  # type: ignore[arg-type]
            elif each.name in self.absent:
                each.type.put(out, out.block, each.type.zero(), each.name)
            else:
                each.type.put(out, out.block, self.values[each.name], each.name)
        if schema.request_sections:
            out.finish_sections(schema.request_sections, schema.version)
        return out

    def _sent(self, name: str, keys: KeySet) -> np.ndarray:
        found = self.shares.get(name)
        if found is None:
            found = self.shares[name] = keys.sent()
        return found

    def _row_width(self, each: Component) -> int:
        if each.layout.kind == "ragged":
            return self.layout.width
        if each.layout.kind == "along":
            return self._width(each.layout, self.sets[each.layout.name].layout)
        return self._width(each.layout)

    # The response.

    def place(self, part, entry, n, memory):
        each, s = self.schema.whole, self.slices[part]
        if each is None or len(self.slices) == 1 or s in self._placed:
            return None
        width, bounds = self._width(each.layout), self.layout.bounds
        if entry != each.type.number or n != (bounds[s + 1] - bounds[s]) * width:
            return None
        if not self._placed:
            self._whole = np.frombuffer(memory(bounds[-1] * width * each.type.dtype.itemsize), each.type.dtype)
        self._placed[s] = self._whole[bounds[s] * width: bounds[s + 1] * width]
        return self._placed[s]

    def merge(self, each, parts, all, merged):
        layout, type = each.layout, each.type
        keys = self._asked(layout.name) if layout.kind == "along" else None
        if layout.kind == "range":
            return self._merge_range(each, parts)
        if keys is not None and isinstance(type, codec.ListOf):
            for s, part in zip(self.slices, parts):
                if part is not None:
                    require_answer(each.name, len(part), keys.count(s))
            zero = type.of.zero()
            return keys.scattered_elements(
                [[zero] * keys.count(s) if part is None else part for s, part in zip(self.slices, parts)])
        if keys is not None:
            width = self._width(layout, keys.layout)
            found = self._required(each, parts, [keys.count(s) * width for s in self.slices])
            rows = keys.scattered(found, self.slices, width, type.dtype)
            return shaped(_own(rows, found), layout.width, width)
        if layout.kind == "along":  # keys that the servers have produced
            width = self._width(layout)
            counts = [0 if produced is None else len(produced) * width for produced in all[layout.name]]
            return shaped(_joined(self._required(each, parts, counts), type.dtype), layout.width, width)
        if layout.kind == "key":
            return _joined([part for part in parts if part is not None], type.dtype)
        if layout.kind == "ragged":
            return self._merge_ragged(each, parts, all, merged)
        return super().merge(each, parts, all, merged)

    def _asked(self, name: str) -> Optional[KeySet]:
        """Returns keys of the request; None if the response has keys of that name."""
        return None if any(each.name == name for each in self.schema.response) else self.sets.get(name)

    def _required(self, each: Component, parts: List[Any], counts: List[int]) -> List[np.ndarray]:
        """Checks the lengths of parts. A part that its server did not send is zeros."""
        found = []
        for part, count in zip(parts, counts):
            if part is None:
                part = np.zeros(count, each.type.dtype)  # type: ignore[attr-defined]
            if len(part) != count:
                require_answer(each.name, len(part), count)
            found.append(part)
        return found

    def _merge_range(self, each: Component, parts: List[Any]) -> np.ndarray:
        width, bounds, placed = self._width(each.layout), self.layout.bounds, self._placed
        found = self._required(each, parts, [(bounds[s + 1] - bounds[s]) * width for s in self.slices])
        # The place of an answer that came again over another connection may still be written to by the thread of the first one.
        if placed and all(placed.get(s, part) is part for s, part in zip(self.slices, found)):
            whole = self._whole
            for s, part in zip(self.slices, found):
                if s not in placed:
                    whole[bounds[s] * width: bounds[s + 1] * width] = part
        else:
            whole = _joined(found, each.type.dtype)  # type: ignore[attr-defined]
        return shaped(whole, each.layout.width, width)

    def _merge_ragged(self, each: Component, parts: List[Any], all: Dict[str, List[Any]], merged: Dict[str, Any]) -> Any:
        counts = next(one for one in self.schema.response if one.name == each.layout.name)
        keys = self._asked(counts.layout.name)
        dtype = each.type.dtype  # type: ignore[attr-defined]
        if keys is not None:
            return keys.scattered_ragged(each.name, merged[counts.name].reshape(-1), parts, self.slices, dtype)
        lengths = [0 if one is None else int(one.sum()) for one in all[counts.name]]
        return _joined(self._required(each, parts, lengths), dtype)


def shaped(values: np.ndarray, width: int, elements: int) -> np.ndarray:
    """Returns rows as [n, elements], and rows of width ``x 1`` as [n]."""
    return values if width == 1 else values.reshape(-1, elements)


def _own(rows: np.ndarray, parts: Sequence[np.ndarray]) -> np.ndarray:
    """Returns rows that the caller may write to: a view of an answer's memory is written by nobody else."""
    return rows if rows.flags.writeable else rows.copy()


def _joined(parts: Sequence[np.ndarray], dtype: np.dtype) -> np.ndarray:
    if len(parts) == 1:
        return _own(parts[0], parts)
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def _array(each: Component, value: Any) -> np.ndarray:
    assert isinstance(each.type, Shared)
    return each.type.of_value(value, each.name)


def _require_length(name: str, values: np.ndarray, expected: int, rows: int, width: int) -> None:
    if len(values) != expected:
        raise bad_request(
            "%s length: %d (expected: %d = %d rows x %d wide)" % (name, len(values), expected, rows, width))


def owner_key(function: Function, values: Mapping[str, Any]) -> Optional[int]:
    """Returns the key whose owner alone answers a call of nodes; None if all servers do."""
    for each in function.schema.request:
        if each.layout.kind == "key" and isinstance(each.type, codec.Scalar):
            return int(values[each.name])
    return None
