"""A store with the verbs of MXNet's distributed KVStore, over tensors."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import rules
from .checkpoints import LIMIT, NEWEST, SERVER
from .pending import Pending
from .compression import Compressor
from .errors import PsError, bad_request
from .rules import Optimizer
from .tensors import Dense, dense
from .verbs import verb

Key = Union[str, int]

#: In place of a step: the one after the newest.
_NEXT = -1

_TYPES = {
    "dist_sync": "sum", "dist": "sum", "dist_device_sync": "sum", "dist_sync_device": "sum",
    "dist_async": "each", "dist_device_async": "each", "dist_async_device": "each",
}


class KVStore:
    """A store of a worker. Keys are texts or whole numbers, of one kind in one store. Used by one thread.

    ``init``, ``broadcast``, ``set_optimizer`` and ``barrier`` are called by every worker in the same order.

    :param type: ``dist_sync``: a round sums one push of each worker and is applied once. ``dist_async``: each push is
        applied on arrival
    """

    def __init__(self, cluster: Any, type: str):
        if type not in _TYPES:
            raise ValueError('type of a KVStore: "%s" (expected: one of %s)' % (type, ", ".join(_TYPES)))
        self._cluster = cluster
        self.type = type
        self._updates = _TYPES[type]
        self._optimizer: Optional[Optimizer] = None
        self._compressor: Optional[Compressor] = None
        self._keys: Dict[Key, str] = {}
        self._tensors: Dict[str, Dense] = {}

    @property
    def rank(self) -> int:
        return self._cluster.rank

    @property
    def num_workers(self) -> int:
        return self._cluster.workers

    def num_dead_node(self) -> int:
        """Returns the number of nodes that are lost."""
        return len(self._cluster.lost())

    def _name(self, key: Key) -> str:
        known = self._keys.get(key)
        if known is not None:
            return known
        if isinstance(key, bool) or not isinstance(key, (str, int)):
            raise bad_request("key: %r (expected: a text or a whole number)" % (key,))
        for other in self._keys:
            if type(other) is not type(key):
                raise bad_request("key: %r (expected: of the kind of the store's other keys, such as %r)" % (key, other))
            break
        self._keys[key] = str(key)
        return str(key)

    def tensor(self, key: Key) -> Dense:
        """Returns the tensor of a key."""
        name = self._name(key)
        found = self._tensors.get(name)
        if found is None:
            found = self._tensors[name] = self._cluster.dense(name)
        return found

    def _pushed(self, key: Key) -> Dense:
        if self._updates == "each" and self._optimizer is None:
            raise bad_request("push to a store of type %s without an optimizer (expected: set_optimizer before)" % self.type)
        return self.tensor(key)

    def _together(self, part: Callable[[], None]) -> None:
        """Does this worker's part, then waits for the other workers: at the barrier also if this worker's part fails."""
        try:
            part()
        except BaseException:
            self._cluster.barrier()
            raise
        self._cluster.barrier()

    def init(self, keys: Union[Key, Sequence[Key]], values: Any) -> None:
        """Initializes a key, or several with a list of arrays. The values of rank 0 win; of the others the shapes count.

        A key that exists with the same shape keeps its values.
        """
        several = isinstance(keys, (list, tuple))
        names = [self._name(key) for key in (keys if several else [keys])]  # type: ignore[union-attr,list-item]
        arrays = [np.asarray(each, np.float32) for each in (values if several else [values])]
        if len(names) != len(arrays) or len(set(names)) != len(names):
            raise bad_request("arrays for the keys: %d (expected: %d, one for each key, and each key once)" % (
                len(arrays), len(names)))
        self._together(lambda: self._create(names, arrays))
        for name, array in zip(names, arrays):
            self._require_shape(name, array)
            self._tensors[name] = Dense(self._cluster, name, array.shape, _shape(array)[1])

    def _create(self, names: List[str], arrays: List[np.ndarray]) -> None:
        if self.rank != 0:
            return
        specs = []
        for name, array in zip(names, arrays):
            try:
                self._require_shape(name, array)
            except PsError as e:
                if e.code != "UNKNOWN_TENSOR":
                    raise
                specs.append(dense(name, array.shape, initializer=rules.given(array), updates=self._updates,
                                   optimizer=self._optimizer or rules.assign()))
        if specs:
            self._cluster.init(specs)

    def _require_shape(self, name: str, array: np.ndarray) -> None:
        there, shape = self._cluster.layout(name), _shape(array)
        if (there.rows, there.width) != shape:
            raise PsError("ALREADY_EXISTS", 'shape of key "%s": %d x %d (expected: %d x %d, as it was initialized)' % (
                name, *shape, there.rows, there.width))

    @verb
    def push(self, key: Key, gradient: Any) -> Pending[None]:
        """Pushes a gradient, or any other update, of a key. Answered once the update is in the values."""
        tensor = self._pushed(key)
        return tensor.push.start(gradient) if self._compressor is None else self._compressor.push(tensor.name, gradient)

    @verb
    def push_rows(self, key: Key, rows: Any, gradient: Any) -> Pending[None]:
        """Pushes an update of some rows, which are indices of the first dimension."""
        if self._compressor is not None:
            raise bad_request('push of rows of key "%s" with gradient compression (expected: a push of all rows, or a store'
                              " without compression)" % key)
        return self._pushed(key).push_rows.start(rows, gradient)

    @verb
    def pull(self, key: Key) -> Pending[np.ndarray]:
        """Pulls a key. Waits for this worker's earlier pushes to the key, and for no other worker."""
        return self.tensor(key).pull.start()

    @verb
    def push_pull(self, key: Key, gradient: Any) -> Pending[np.ndarray]:
        """Pushes a gradient and pulls the values with the update, of ``dist_sync`` the whole round, applied."""
        if self._compressor is None:
            return self._pushed(key).push_pull.start(gradient)
        pushed = self.push.start(key, gradient)
        return self.pull.start(key).then(lambda values: (pushed.wait(), values)[1])

    @verb
    def row_sparse_pull(self, key: Key, rows: Any) -> Pending[np.ndarray]:
        """Pulls some rows of a key."""
        return self.tensor(key).pull_rows.start(rows)

    def broadcast(self, key: Key, values: Any) -> np.ndarray:
        """Initializes a key and pulls it."""
        self.init(key, values)
        return self.pull(key)

    def set_optimizer(self, optimizer: Optimizer) -> None:
        """Sets the optimizer, which runs on the servers, of all keys, also of those that are initialized later."""
        self._cluster.barrier()

        def change() -> None:
            if self.rank == 0:
                for tensor in self._tensors.values():
                    tensor.set_optimizer(optimizer)

        self._together(change)
        self._optimizer = optimizer

    def save_optimizer_states(self, name: str) -> None:
        """Saves the optimizers' states of the store's keys to files of the servers. Called while no worker pushes.

        :param name: a path below the servers' directory of checkpoints. What was saved under it before is replaced
        """
        if not self._tensors:
            raise bad_request('keys to save as "%s": 0 (expected: at least one)' % name)
        self._states("psf.model.save", name, list(self._tensors), {"step": _NEXT, "entries": []})

    def load_optimizer_states(self, name: str) -> None:
        """Loads states that ``save_optimizer_states`` has saved. The values of the keys do not change.

        :raises PsError: with ``STORAGE`` if there are none, or a file is damaged; with ``BAD_REQUEST`` if a key has another
            shape or optimizer; then nothing has changed
        """
        if not self._states("psf.model.load", name, [], {"step": NEWEST, "scope": "STATES"}).manifest:
            raise PsError("STORAGE", 'states of optimizers in checkpoint "%s": none (expected: saved under this name)' % name)

    def _states(self, function: str, name: str, tensors: List[str], request: Dict[str, Any]) -> Any:
        options = {"kept": 1, "increments": 0, "tensors": tensors, "reduced": [], "isRestored": False, "isExact": False}
        return self._cluster.call(function, {
            "server": SERVER, "model": name + ".states", "options": options, "rollback": 0, **request}, LIMIT).wait()

    def set_gradient_compression(self, type: str, threshold: float = 0.5) -> None:
        """Compresses this worker's later pushes: what a push does not send is added to the next gradient of its key.

        :param type: ``2bit``: an element is the threshold, minus the threshold, or 0. ``1bit``: an element is 1 if it is
            above the threshold, else -1
        """
        self._compressor = Compressor(self._cluster, type, threshold)

    def barrier(self) -> None:
        """Waits for the other workers."""
        self._cluster.barrier()

    def end_epoch(self) -> int:
        """Ends this worker's epoch, for workers that have unequal numbers of batches."""
        return self._cluster.end_epoch()

    def send_command_to_servers(self, head: int, body: str) -> List[str]:
        """Runs a command of the servers' class path on every server. Returns the answers by rank."""
        return self._cluster.function("psf.kv.command")(head=head, body=body).answers


def _shape(array: np.ndarray) -> Tuple[int, int]:
    if array.size == 0 or array.ndim == 0:
        raise bad_request("values of a key: of shape %s (expected: at least one element, and one dimension)" % (array.shape,))
    return array.shape[0], int(np.prod(array.shape[1:], dtype=np.int64))
