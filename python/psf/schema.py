"""Parses the schemas of functions, which servers send in their hello."""

from __future__ import annotations

import re
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from . import codec
from .errors import PsError
from .names import number, snake


class Layout(NamedTuple):
    """How a component is distributed over the slices.

    ``kind`` is ``whole``, ``range``, ``key``, ``elements`` (a list whose elements have a key), ``along``, ``ragged`` or
    ``fold``. ``name`` is the component that another one goes along, whose rows' lengths it has, or in which the key of
    an element is. ``fold`` says how rows of equal keys, or answers, are combined. ``width`` is the number of elements in
    a row; 0 for the tensor's. ``of`` is the component that names the tensor whose keys they are.
    """

    kind: str
    name: str = ""
    fold: str = ""
    width: int = 0
    of: str = ""
    every_slice: bool = False


_WHOLE = Layout("whole")
_REPEATS = ("sum", "min", "max", "last")
_FOLDS = ("sum", "min", "max", "and", "or")


class Component(NamedTuple):
    """A component of a request or a response. ``since`` is the version that added it."""

    name: str
    spelled: str
    type: codec.Type
    layout: Layout
    since: int

    @property
    def is_shared(self) -> bool:
        return isinstance(self.type, codec.Shared)


class _Text:
    """The tokens of a schema behind its name."""

    def __init__(self, text: str):
        self.tokens = re.findall(r"->|\[\]|[{}(),:|?]|[\w$]+|\S", text)
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: Optional[str] = None) -> str:
        token = self.peek()
        if not token or expected is not None and token != expected:
            raise ValueError("token %d: \"%s\" (expected: %s)" % (self.at, token, expected or "one more"))
        self.at += 1
        return token

    def takes(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def between(self, opening: str, closing: str, one: Callable[[], Any]) -> List[Any]:
        self.take(opening)
        found: List[Any] = []
        while not self.takes(closing):
            if found:
                self.take(",")
            found.append(one())
        return found

    def tuple(self, older: int) -> List[Component]:
        return self.between("(", ")", lambda: self.component(older))

    def component(self, since: int) -> Component:
        name = self.take()
        self.take(":")
        type = self.type()
        return Component(name, snake(name), type, self.layout(isinstance(type, codec.ListOf)), since)

    def type(self) -> codec.Type:
        base = self.base()
        return codec.Maybe(base) if self.takes("?") else base

    def base(self) -> codec.Type:
        if self.takes("list"):
            self.take("of")
            return codec.ListOf(self.item())
        if self.takes("map"):
            for each in ("of", "string", "to"):
                self.take(each)
            return codec.MapOf(self.item())
        if self.takes("copied"):
            of = self.take()
            self.take("[]")
            return codec.Copied(of)
        if self.tokens[self.at + 1: self.at + 2] == ["[]"]:
            of = self.take()
            self.take("[]")
            return codec.Shared(of, self.take() if self.takes("as") else None)
        return self.item()

    def item(self) -> codec.Type:
        if self.peek() == "{":
            return codec.Record(self.between("{", "}", self.part))
        word = self.take()
        if word == "enum":
            self.take("(")
            constants = [self.take()]
            while self.takes("|"):
                constants.append(self.take())
            self.take(")")
            return codec.Enum(constants)
        return codec.Text(word) if word in ("string", "tensor") else codec.Scalar(word)

    def part(self) -> codec.Part:
        name = self.take()
        self.take(":")
        type = self.type()
        return codec.Part(name, type, int(self.take()) if self.takes("since") else 0)

    def layout(self, is_list: bool) -> Layout:
        if self.takes("by"):
            if self.takes("range"):
                return Layout("range", width=self.width())
            self.take("key")
            word = "" if self.peek() in (",", ")", "of", "every") else self.take()
            if is_list and word:
                layout = Layout("elements", name=word)
            else:
                layout = Layout("key", fold=word)
            if self.takes("of"):
                layout = layout._replace(of=self.take())
            if self.takes("every"):
                self.take("slice")
                layout = layout._replace(every_slice=True)
            return layout
        if self.takes("along"):
            return Layout("along", name=self.take(), width=self.width())
        if self.takes("ragged"):
            return Layout("ragged", name=self.take())
        if self.peek() in _FOLDS:
            return Layout("fold", fold=self.take())
        return _WHOLE

    def width(self) -> int:
        return int(self.take()) if self.takes("x") else 0


class Schema:
    """A function as its schemas declare it, in the version of the last one."""

    def __init__(self, versions: Sequence[str]):
        self.versions = tuple(versions)
        self.version = len(self.versions)
        text = self.versions[-1]
        self.fingerprint = number(text)
        self.name, found, rest = text.partition(" at ")
        self.number = number(self.name)
        try:
            if not found:
                raise ValueError("no place (expected: NAME at PLACE (..) -> (..))")
            tokens = _Text(rest)
            self.place = tokens.take()
            request = tokens.tuple(1)
            tokens.take("->")
            response = tokens.tuple(1)
            self.merged = tokens.takes("merged")
            if tokens.peek():
                raise ValueError("\"%s\" behind the schema (expected: its end)" % tokens.peek())
        except (ValueError, KeyError, IndexError) as e:
            raise PsError("PROTOCOL", "schema: %s (expected: one of docs/protocol.md): %s" % (text, e)) from None
        older = [_counts(each) for each in self.versions[:-1]]
        self.request = _since(request, [counts[0] for counts in older])
        self.response = _since(response, [counts[1] for counts in older])
        #: The tensor on whose shards the function runs, which is in the header; None for a function of nodes.
        self.target: Optional[Component] = None
        if self.place == "SHARD":
            self.target = next((each for each in self.request if str(each.type) == "tensor"), None)
        self.request_sections = _first_section(request)
        self.response_sections = _first_section(response)
        #: The components of the request by keys, and those along keys or rows, in the order in which they are cut.
        self.keyed = [each for each in self.request if each.layout.kind in ("key", "elements")]
        self.aligned = [each for each in self.request if each.layout.kind in ("range", "along")] + [
            each for each in self.request if each.layout.kind == "ragged"]
        #: True if every slice gets the request, whatever its keys.
        self.every = not self.keyed or any(each.layout.kind == "range" for each in self.response)
        #: The components of the response, in the order in which they are merged.
        self.merging = sorted(self.response, key=lambda each: each.layout.kind == "ragged")
        #: The array of all rows of a response that has no other array; None if there is none.
        self.whole: Optional[Component] = None
        arrays = [each for each in self.response
                  if not isinstance(each.type, (codec.Scalar, codec.Text, codec.Enum, codec.Copied))]
        if len(arrays) == 1 and isinstance(arrays[0].type, codec.Shared) and arrays[0].layout.kind == "range":
            self.whole = arrays[0]

    def at_version(self, version: int) -> "Schema":
        """Returns the function as an earlier version declared it."""
        return self if version >= self.version else Schema(self.versions[:version])

    def __str__(self) -> str:
        return self.versions[-1]


def _counts(text: str) -> Tuple[int, int]:
    tokens = _Text(text.partition(" at ")[2])
    tokens.take()
    request = tokens.tuple(1)
    tokens.take("->")
    return len(request), len(tokens.tuple(1))


def _since(components: List[Component], older: List[int]) -> Tuple[Component, ...]:
    """Returns the components with the versions that added them, which follow from the numbers in older versions."""
    return tuple(
        component._replace(since=1 + sum(place >= count for count in older))
        for place, component in enumerate(components))


def _first_section(components: Sequence[Component]) -> int:
    """Returns the first version that added a component to a nested record; 0 for none."""
    found: List[int] = []

    def visit(type: codec.Type) -> None:
        if isinstance(type, codec.Record):
            for part in type.parts:
                found.extend([part.since] if part.since else [])
                visit(part.type)
        elif isinstance(type, (codec.ListOf, codec.MapOf, codec.Maybe)):
            visit(type.of)

    for component in components:
        visit(component.type)
    return min(found, default=0)
