"""Tensors on the servers: their specs, and what a worker does with them. The names are those of Java."""

from __future__ import annotations

import math
from itertools import accumulate
from operator import mul
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import rules
from .pending import Pending, wait_all
from .caller import Options
from .errors import bad_request
from .layout import GROWING
from .rules import Initializer, Optimizer, TablePolicy
from .verbs import verb

#: The deadline of an initialization, in seconds. The time to fill a table depends on its size.
_TO_INITIALIZE = 1800.0

#: The number of keys on a page of keys, over all slices.
_PAGE = 1 << 16

#: The most characters of a tensor's name.
_LONGEST_NAME = 200

#: Slices of some 256 KB.
PIECES = -1

_TYPES = {"float32": "FLOAT32", "float16": "FLOAT16", "bfloat16": "BFLOAT16", "int8": "INT8"}
_UPDATES = ("each", "sum", "mean")


class TensorSpec(NamedTuple):
    """What a tensor is created with. :func:`psf.dense`, :func:`psf.table` and :func:`psf.growing` make one.

    :param shape: of a tensor that does not grow, of any number of dimensions; a row is an index of the first
    :param updates: ``each`` push is applied on arrival; or the ``sum`` or ``mean`` of the pushes of a round
    :param slices: 0 for one per server, or ``PIECES``
    :param beside: the tensor with which slices, servers and lanes are shared
    :param quorum: the number of pushes that close a round; 0 for those of all workers
    :param drops_late: whether a push that is late for its round is dropped, or else counts in the next one
    :param storage: the format of the values in memory: ``float32``, ``float16`` or ``bfloat16``
    :param wire: the format on the wire: ``float32``, ``float16``, ``bfloat16`` or ``int8``
    """

    name: str
    rows: int
    width: int
    shape: Tuple[int, ...]
    initializer: Initializer = rules.constant(0)
    optimizer: Optimizer = rules.add()
    updates: str = "each"
    slices: int = PIECES
    beside: str = ""
    placement: str = "host"
    quorum: int = 0
    drops_late: bool = True
    policy: TablePolicy = TablePolicy()
    storage: str = "float32"
    stochastic_rounding: bool = False
    wire: str = "float32"
    #: True for a table, whose rows are pushed and pulled by their keys.
    by_key: bool = False

    @property
    def grows(self) -> bool:
        return self.rows == GROWING

    def checked(self) -> TensorSpec:
        """Checks what is wrong by itself. Returns the spec."""
        name = 'of tensor "%s"' % self.name
        values = self.initializer.values
        if not 1 <= len(self.name) <= _LONGEST_NAME:
            raise ValueError("name of tensor: %d characters (expected: 1 to %d)" % (len(self.name), _LONGEST_NAME))
        if self.updates not in _UPDATES:
            raise ValueError("updates %s: %s (expected: each, sum or mean)" % (name, self.updates))
        if self.quorum and self.updates == "each":
            raise ValueError("quorum %s: %d, updates each (expected: updates sum or mean, which have rounds)" % (
                name, self.quorum))
        if values is not None and (self.grows or len(values) != self.rows * self.width):
            raise ValueError("initial values %s: %d (expected: %s)" % (
                name, len(values), "a tensor that does not grow" if self.grows else "rows x width of %d x %d" % (
                    self.rows, self.width)))
        if self.policy.texts() and not self.grows:
            raise ValueError("policy %s: %s (expected: none, since the tensor does not grow)" % (name, self.policy.texts()))
        for each, types in (("storage", self.storage), ("wire", self.wire)):
            if types not in _TYPES or types == "int8" and each == "storage":
                raise ValueError("%s %s: %s (expected: one of %s)" % (each, name, types, ", ".join(_TYPES)))
        if self.rows < 1 or self.width < 1:
            raise ValueError("shape %s: %d x %d (expected: at least 1 x 1)" % (name, self.rows, self.width))
        return self

    def declaration(self) -> Dict[str, Any]:
        """Returns what the cluster is told of the tensor."""
        return {
            "info": {
                "id": self.name, "rows": self.rows, "width": self.width,
                "types": {"storage": _TYPES[self.storage], "isStochastic": self.stochastic_rounding,
                          "wire": _TYPES[self.wire]}},
            "slices": self.slices,
            "beside": self.beside,
            "placement": self.placement,
            "initializer": {"name": self.initializer.name, "arguments": self.initializer.arguments, "options": {}},
            "optimizer": self.optimizer._asdict(),
            "rounds": {"synchronous": self.updates != "each", "mean": self.updates == "mean", "quorum": self.quorum,
                       "dropsLate": self.drops_late or not self.quorum},
            "policy": self.policy.texts(),
            "memoryOf": "",
        }


def _spec(name: str, rows: int, width: int, shape: Tuple[int, ...], slices: int, options: Mapping[str, Any]) -> TensorSpec:
    given = dict(options)
    beside = given.pop("beside", "")
    given["beside"] = getattr(beside, "name", beside)
    if not isinstance(given.get("optimizer") or rules.add(), Optimizer):
        raise ValueError('optimizer of tensor "%s": %s (expected: one of psf, such as psf.adam(1e-3))' % (name, given["optimizer"]))
    initial = given.get("initializer")
    if isinstance(initial, str):
        raise ValueError('initializer of tensor "%s": %s (expected: one of psf, such as psf.normal(0, 0.01, seed=7), a number'
                         ' or an array)' % (name, initial))
    if initial is not None and not isinstance(initial, Initializer):
        given["initializer"] = rules.given(in_order(initial, shape, name)) if np.ndim(initial) else rules.constant(initial)
    if given.get("placement", "").startswith("device"):
        slices = 0
    given.setdefault("slices", slices)
    return TensorSpec(name, rows, width, shape, **{each: value for each, value in given.items() if value is not None}).checked()


def dense(name: str, shape: Union[int, Sequence[int]], **options: Any) -> TensorSpec:
    """Returns the spec of a tensor whose values are pushed and pulled as a whole. Options are those of TensorSpec."""
    sizes = (shape,) if isinstance(shape, int) else tuple(int(each) for each in shape)
    rows = sizes[0] if sizes else 1
    return _spec(name, rows, int(np.prod(sizes[1:], dtype=np.int64)), sizes, PIECES, options)


def table(name: str, rows: int, width: int = 1, **options: Any) -> TensorSpec:
    """Returns the spec of a table, whose rows are pushed and pulled by their keys, from 0 to ``rows`` exclusive."""
    return _spec(name, rows, width, (rows, width), 0, {**options, "by_key": True})


def growing(name: str, width: int, **options: Any) -> TensorSpec:
    """Returns the spec of a table in which each int64 is a key. The first push of a key makes its row."""
    return _spec(name, GROWING, width, (), 0, {**options, "by_key": True})


def clip_global_norm(limit: float, specs: Sequence[TensorSpec]) -> List[TensorSpec]:
    """Returns specs whose gradients are scaled together, so that their common norm is at most ``limit``."""
    clipped: List[TensorSpec] = []
    for spec in specs:
        if spec.updates == "each" or spec.quorum or "clipNorm" in spec.optimizer.options or spec.name in [
                each.name for each in clipped]:
            raise ValueError('tensor "%s" with a global norm: updates %s, quorum %d, optimizer %s (expected: sum or mean, all'
                             " workers, no clip_norm, each name once)" % (
                                 spec.name, spec.updates, spec.quorum, spec.optimizer.name))
        place = "%d of %d from %s" % (len(clipped) + 1, len(specs), specs[0].name)
        clip = spec.optimizer.clip_norm(limit)
        clipped.append(spec._replace(optimizer=clip._with(**{"clipNorm.tensor": place})))
    return clipped


def init(cluster: Any, specs: Sequence[TensorSpec]) -> List[Tensor]:
    """Creates tensors together, or finds those that another worker has created with the same specs.

    Blocks until every server has its shards. Either all names are declared, or none.
    """
    declarations = [spec.declaration() for spec in specs]
    own = [each for each in declarations if not all(
        each[rule]["name"].startswith("psf.") for rule in ("optimizer", "initializer"))]
    everywhere = Options(deadline=_TO_INITIALIZE, without_lost=True)
    if own:  # else a name would be taken for a spec that the servers refuse
        cluster.call("psf.init.check", {"tensors": own}, everywhere).wait()
    layouts = cluster.declare(declarations)
    if layouts:
        epoch = max(layout.version for layout in layouts)
        cluster.call("psf.init", {"tensors": [spec.name for spec in specs], "epoch": epoch}, everywhere).wait()
    wait_all([
        cluster.call("psf.init.values", {"tensor": spec.name, "values": spec.initializer.values})
        for spec in specs if spec.initializer.values is not None])
    return [Table(cluster, spec.name, spec.width) if spec.by_key
            else Dense(cluster, spec.name, spec.shape, spec.width) for spec in specs]


class Rounds(NamedTuple):
    """The rounds of a synchronous tensor: those that have closed, and by rank the late and the skipped pushes."""

    closed: int
    late: Dict[int, int]
    skipped: Dict[int, int]


class Tensor:
    """A tensor on the servers. Two objects with one name are the same tensor. Thread-safe."""

    def __init__(self, caller: Any, name: str, width: int):
        self.caller = caller
        self.name = name
        self.width = width

    def with_caller(self, caller: Any) -> Any:
        """Returns the tensor of another caller, such as a task."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, caller=caller)
        return copy

    def _call(self, function: str, **arguments: Any) -> Pending[Any]:
        arguments["tensor"] = self.name
        return self.caller.call(function, arguments)

    def set_optimizer(self, optimizer: Optimizer) -> None:
        """Replaces the optimizer. State that the new one has under the same names is kept."""
        slices = self.caller.layout(self.name).slices
        self._call("psf.optimizer.set", slices=slices, optimizer=optimizer.name, arguments=optimizer.arguments,
                   options=optimizer.options).wait()

    def set_learning_rate(self, rate: float) -> None:
        """Sets the learning rate of the optimizer."""
        if not rate >= 0 or not np.isfinite(np.float32(rate)):
            raise ValueError("rate: %s (expected: >= 0)" % rate)
        self._call("psf.optimizer.rate", rate=rate).wait()

    def rounds(self) -> Rounds:
        """Returns the rounds of a synchronous tensor so far, and the pushes that were late or skipped."""
        counted = self._call("psf.rounds").wait()
        return Rounds(counted.closed, _by_rank(counted.late), _by_rank(counted.skipped))

    def end_pushes(self) -> None:
        """Says that this worker pushes no more: the rounds of the others do not wait for it."""
        self._call("psf.push.end").wait()

    def clear(self) -> None:
        """Drops the tensor with its values and its optimizer's state, and frees its name."""
        self._call("psf.clear").wait()
        self.caller.forget(self.name)

    # Rows.

    def _pull(self, keys: Any) -> Pending[np.ndarray]:
        keys = np.asarray(keys)
        shape = (*keys.shape, self.width)
        return self._call("psf.sparse.pull", keys=keys).then(lambda response: response.values.reshape(shape))

    def _push(self, keys: Any, update: Any) -> Pending[None]:
        return self._call("psf.sparse.push", keys=keys, update=self._rows(keys, update)).then(_nothing)

    def _push_pull(self, keys: Any, update: Any, pull_keys: Any) -> Pending[np.ndarray]:
        update = self._rows(keys, update)
        pulled = np.asarray(keys if pull_keys is None else pull_keys)
        shape = (*pulled.shape, self.width)
        pending = self._call("psf.sparse.pushpull", push_keys=keys, update=update, pull_keys=pulled)
        return pending.then(lambda response: response.values.reshape(shape))

    def _rows(self, keys: Any, update: Any) -> Any:
        """Returns an update, [.., width], of the rows of keys [..]."""
        given = np.shape(update)
        if len(given) == 2 and given[1] == self.width:  # in order for keys of any shape, which may be a long list
            return update
        return in_order(update, (*np.shape(keys), self.width), self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tensor) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return '%s("%s")' % (type(self).__name__, self.name)


class Dense(Tensor):
    """A tensor whose values are pushed and pulled as a whole, or by rows: a row is an index of the first dimension."""

    def __init__(self, caller: Any, name: str, shape: Sequence[int], width: int):
        super().__init__(caller, name, width)
        self.shape = tuple(shape)

    @verb
    def pull(self) -> Pending[np.ndarray]:
        """Pulls all values: float32 of the tensor's shape."""
        return self._call("psf.dense.pull").then(lambda response: response.values.reshape(self.shape))

    @verb
    def push(self, update: Any) -> Pending[None]:
        """Pushes an update of all values. Answered once the update is in the values."""
        return self._call("psf.dense.push", update=in_order(update, self.shape, self.name)).then(_nothing)

    @verb
    def push_pull(self, update: Any) -> Pending[np.ndarray]:
        """Pushes an update of all values, and pulls the values with the update applied."""
        pending = self._call("psf.dense.pushpull", update=in_order(update, self.shape, self.name))
        return pending.then(lambda response: response.values.reshape(self.shape))

    @verb
    def pull_rows(self, keys: Any) -> Pending[np.ndarray]:
        """Pulls some rows: [.., width] for keys [..], in any order, repeated or not."""
        return self._pull(keys)

    @verb
    def push_rows(self, keys: Any, update: Any) -> Pending[None]:
        """Pushes an update, [.., width], of some rows. The updates of a repeated key are summed."""
        return self._push(keys, update)

    @verb
    def push_pull_rows(self, keys: Any, update: Any, pull_keys: Any = None) -> Pending[np.ndarray]:
        """Pushes an update of some rows, and pulls rows, the same or others, with the update applied."""
        return self._push_pull(keys, update, pull_keys)

    @verb
    def push_rows_pull(self, keys: Any, update: Any) -> Pending[np.ndarray]:
        """Pushes an update of some rows, and pulls all values with the update applied."""
        pending = self._call("psf.sparse.push.dense.pull", keys=keys, update=self._rows(keys, update))
        return pending.then(lambda response: response.values.reshape(self.shape))


class Table(Tensor):
    """A table, whose rows are pushed and pulled by their keys."""

    @verb
    def pull(self, keys: Any) -> Pending[np.ndarray]:
        """Pulls rows: [.., width] for keys [..], in any order, repeated or not. Makes no row in a growing table."""
        return self._pull(keys)

    @verb
    def push(self, keys: Any, update: Any) -> Pending[None]:
        """Pushes an update, [.., width], of rows. The updates of a repeated key are summed."""
        return self._push(keys, update)

    @verb
    def push_pull(self, keys: Any, update: Any, pull_keys: Any = None) -> Pending[np.ndarray]:
        """Pushes an update of rows, and pulls rows, the same or others, with the update applied."""
        return self._push_pull(keys, update, pull_keys)

    @verb
    def pull_bags(self, keys: Any, counts: Any, mean: bool = False) -> Pending[np.ndarray]:
        """Pulls the sum, or the mean, of the rows of each bag of keys: [bags, width].

        :param keys: [n] int64, the keys of the first bag first
        :param counts: [bags], the number of keys of each bag, 0 allowed
        """
        keys, counts = self._bags(keys, counts)
        bags = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        pending = self._call("psf.sparse.pull.bags", keys=keys, bags=bags, count=len(counts), mean=mean)
        return pending.then(lambda response: _pooled(response, counts, self.width, mean))

    @verb
    def push_bags(self, keys: Any, counts: Any, update: Any, mean: bool = False) -> Pending[None]:
        """Pushes an update of the rows of bags, [bags, width], such as the gradient by what ``pull_bags`` returns."""
        keys, counts = self._bags(keys, counts)
        rows = np.asarray(in_order(update, (len(counts), self.width), self.name), np.float32).reshape(-1, self.width)
        if len(rows) != len(counts):
            raise self._bad("update length: %d (expected: %d = %d bags x %d wide)" % (
                rows.size, len(counts) * self.width, len(counts), self.width))
        if mean:
            rows = rows / np.maximum(counts, 1).astype(np.float32)[:, None]
        return self._push(keys, np.repeat(rows, counts, axis=0))

    def _bags(self, keys: Any, counts: Any) -> Tuple[np.ndarray, np.ndarray]:
        keys, counts = np.asarray(keys).reshape(-1), np.asarray(counts).reshape(-1)
        if len(counts) and counts.min() < 0:
            wrong = int(np.flatnonzero(counts < 0)[0])
            raise self._bad("counts[%d]: %d (expected: >= 0, the number of keys of the bag)" % (wrong, counts[wrong]))
        if counts.sum() != len(keys):
            raise self._bad("sum of counts: %d (expected: %d, the number of keys)" % (counts.sum(), len(keys)))
        return keys, counts

    def _bad(self, problem: str) -> Exception:
        return bad_request('%s in bags of tensor "%s"' % (problem, self.name))

    @verb
    def find(self, keys: Any) -> Pending[np.ndarray]:
        """Finds which keys of a growing table have a row: bool [..] for keys [..]. Makes no row."""
        shape = np.shape(keys)
        return self._call("psf.sparse.find", keys=keys).then(
            lambda response: response.present.astype(bool).reshape(shape))

    @verb
    def remove(self, keys: Any) -> Pending[int]:
        """Removes rows of a growing table, with their state. Answers the number of rows that were removed."""
        return self._call("psf.sparse.remove", keys=keys).then(lambda response: response.removed)

    def keys(self) -> Iterator[np.ndarray]:
        """Lists the keys that have a row, page by page: int64 [n] each, in no particular order."""
        layout = self.caller.layout(self.name)
        most = max(1, _PAGE // layout.slices)
        left = np.empty(0, np.int32)
        while True:
            page = self._call("psf.sparse.keys", most=most, left=left).wait()
            yield page.keys
            left = np.zeros(len(page.next), np.int32)
            for each in page.next:
                left[each.slice] = each.left
            if not left.any():
                return


def in_order(values: Any, shape: Tuple[int, ...], tensor: str) -> Any:
    """Returns values in the order of a shape: of that shape, or of one that splits or joins dimensions of it. Refuses
    others, such as a transposed matrix. The number of values is not checked."""
    given = np.shape(values)
    if given == shape or len(given) < 2:
        return values
    ends, wanted = (set(accumulate(sizes, mul)) - {1} for sizes in (given, shape))
    if math.prod(given) == math.prod(shape) and not (ends <= wanted or wanted <= ends):
        raise bad_request("shape of values: %s (expected: %s, or flat)" % (given, shape)).at(None, tensor)
    return values


def _nothing(response: Any) -> None:
    return None


def _by_rank(named: Mapping[str, int]) -> Dict[int, int]:
    return {int(rank): count for rank, count in sorted(named.items(), key=lambda each: int(each[0]))}


def _pooled(response: Any, counts: np.ndarray, width: int, mean: bool) -> np.ndarray:
    """Adds the sums of the slices, one slice after another. Within one, bags ascend, and each occurs once."""
    pooled = np.zeros((len(counts), width), np.float32)
    bags, rows = response.bags, response.rows
    begins = [0, *(np.flatnonzero(bags[1:] <= bags[:-1]) + 1).tolist(), len(bags)]
    for begin, end in zip(begins, begins[1:]):
        pooled[bags[begin:end]] += rows[begin:end]
    if mean:
        some = counts > 0
        pooled[some] /= counts[some].astype(np.float32)[:, None]
    return pooled
