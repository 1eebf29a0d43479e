"""Checkpoints of a model: of all its tensors on the servers, and of a record of each worker. A server saves and loads."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Protocol, Sequence, Tuple, Union
from urllib.parse import unquote_plus

from .caller import Options
from .errors import PsError, bad_request
from .settings import seconds

if TYPE_CHECKING:
    from .training import TrainingLoop

LOG = logging.getLogger("psf")

#: The key of the server that leads all saves and loads.
SERVER = 0

#: The time for a save or load, in seconds. Disks may be slow; the loss of a server is detected much earlier.
LIMIT = Options(deadline=7200.0)

#: In place of an attempt: the workers of a training loop meet.
LOOP = -1

#: In place of a step: the newest checkpoint.
NEWEST = -1

_OWN = "psf:"
_STEP = _OWN + "step"
_LAST = 10 ** 18 - 1


class Part(Protocol):
    """What a worker holds of a model: a cache, or a module of ``psf.torch``."""

    def flush(self) -> None:
        """Sends what is not sent, before a save."""

    def loaded(self) -> None:
        """Takes what the servers have, after a load."""


class Checkpoint(NamedTuple):
    """A saved model."""

    #: The number of the step that it was saved at.
    step: int
    #: Name, number of rows and width of each tensor; of a growing table the rows are 2**62 + 1.
    tensors: List[Tuple[str, int, int]]
    #: The records of the workers, by rank. A worker that was absent has the one of the checkpoint before.
    records: Dict[int, Dict[str, str]]
    #: The step at which each worker saved its record.
    record_steps: Dict[int, int]

    def record(self, rank: int) -> Dict[str, str]:
        """Returns the record of a worker; empty if it saved none."""
        return self.records.get(rank, {})


def parse(manifest: str) -> Checkpoint:
    """Reads the text of a manifest, as a server has verified it."""
    step = 0
    tensors: List[Tuple[str, int, int]] = []
    records: Dict[int, Dict[str, str]] = {}
    steps: Dict[int, int] = {}
    for line in manifest.splitlines():
        kind, _, rest = line.partition(" ")
        fields = rest.split(" ")
        if kind == "step":
            step = int(rest)
        elif kind == "tensor":
            tensors.append((unquote_plus(fields[3]), int(fields[1]), int(fields[2])))
        elif kind == "record":
            rank, key, value = int(fields[0]), unquote_plus(fields[1]), unquote_plus(fields[2])
            if key == _STEP and re.fullmatch(r"[0-9]{1,18}", value):
                steps[rank] = int(value)
            elif not key.startswith(_OWN):
                records.setdefault(rank, {})[key] = value
    return Checkpoint(step, tensors, records, steps)


def entries(rank: int, step: int, record: Mapping[str, str]) -> List[Dict[str, Any]]:
    """Returns the record of a worker as a request has it.

    :param step: the step that is saved; -1 for a record that takes no worker's place if it is empty
    """
    for key in record:
        if key.startswith(_OWN):
            raise bad_request("key of a record: %s (expected: one that does not begin with %s)" % (key, _OWN))
    found = [{"worker": rank, "key": key, "value": str(value)} for key, value in record.items()]
    if step >= 0:
        found.append({"worker": rank, "key": _STEP, "value": str(step)})
    return found


class Checkpoints:
    """The checkpoints of a model. ``cluster.checkpoints`` makes one. Immutable.

    Workers save and load together: every present worker calls ``save``, ``load`` and ``load_latest``, in the same order.
    A client does it alone, where there are no workers.
    """

    def __init__(self, cluster: Any, name: str, keep: int = 3, incremental: int = 0,
                 tensors: Sequence[Any] = (), restore: str = "all", parts: Sequence[Part] = ()):
        if keep < 1:
            raise bad_request("number of checkpoints to keep: %d (expected: >= 1)" % keep)
        if incremental < 0:
            raise bad_request("increments: %d (expected: >= 0)" % incremental)
        if restore not in ("all", "lost"):
            raise bad_request("restore: %r (expected: 'all' or 'lost')" % (restore,))
        self.cluster = cluster
        self.name = name
        self.parts = tuple(parts)
        self.is_exact = restore == "all"
        self._options = {
            "kept": keep, "increments": incremental, "tensors": [getattr(each, "name", each) for each in tensors],
            "reduced": [], "isRestored": True, "isExact": self.is_exact}

    def save(self, step: int, record: Mapping[str, str] = {}) -> None:
        """Saves the model, and returns once everything is on the disk. Replaces an earlier save of the same step.

        :param step: the number of the step, the same for all workers; the checkpoint with the highest is the newest
        :param record: this worker's own state, such as its position in the data; at most 64 Ki characters
        :raises PsError: with ``BAD_REQUEST`` if the workers save different steps, or a client saves beside workers; with
            ``ROLLED_BACK`` if a server has come back whose slices are older than the others; with ``STORAGE`` if the save
            failed
        """
        if not 0 <= step <= _LAST:
            raise bad_request("step: %d (expected: 0 .. 10^18 - 1)" % step)
        cluster = self.cluster
        self.flush()
        if cluster.role == "client":
            cluster.wait()
            cluster.call("psf.model.save", {
                "server": SERVER, "model": self.name, "step": step, "options": self._options,
                "entries": entries(0, step if record else -1, record), "rollback": cluster.noted_rollback}, LIMIT).wait()
        else:
            self._together("save of step %d" % step, False, step, entries(cluster.rank, step, record))

    def _together(self, what: str, load: bool, step: int, record: List[Dict[str, Any]]) -> Any:
        cluster = self.cluster
        cluster.rank  # refused before anything is sent
        try:
            cluster.wait()
        except PsError as e:
            if not load or e.code != "ROLLED_BACK":
                raise
            cluster.wait()  # a load makes up for the calls that were undone
        attempt = cluster.call("psf.model.join", {
            "server": SERVER, "model": self.name, "work": what, "entries": record}).wait().attempt
        cluster.barrier()
        return self.meet(attempt, load, step, whole=True)

    def meet(self, attempt: int, load: bool, step: int, stop: bool = False, whole: bool = False,
             record: Sequence[Mapping[str, Any]] = ()) -> Any:
        """Meets the other workers, for a save or load that a server does for all of them."""
        met = self.cluster.call("psf.training.meet", {
            "server": SERVER, "model": self.name, "attempt": attempt, "load": load, "step": step, "stop": stop,
            "whole": whole, "given": True, "options": self._options, "entries": list(record),
            "rollback": self.cluster.noted_rollback}, LIMIT).wait()
        if load:
            self.take()
        return met

    def flush(self) -> None:
        """Sends what the parts of the model on this worker have not sent."""
        for part in self.parts:
            part.flush()

    def take(self) -> None:
        """Lets the parts of the model on this worker take what the servers have."""
        for part in self.parts:
            part.loaded()

    def load_latest(self) -> Optional[Checkpoint]:
        """Loads the newest checkpoint that is not damaged, into tensors that are initialized. None if there is none.

        A worker that joins a running job loads nothing: it receives the newest checkpoint, and goes on from its record.
        """
        if self.cluster.role == "worker" and self.cluster.is_late:
            return self.latest()
        return self._load("load of the newest step", NEWEST)

    def load(self, step: int) -> Checkpoint:
        """Loads the checkpoint of a step.

        :raises PsError: with ``STORAGE`` if it is damaged or missing
        """
        found = self._load("load of step %d" % step, step)
        assert found is not None
        return found

    def _load(self, what: str, step: int) -> Optional[Checkpoint]:
        cluster = self.cluster
        if cluster.role == "client":
            cluster.wait()
            cluster.take_rollback()
            manifest = cluster.call("psf.model.load", {
                "server": SERVER, "model": self.name, "step": step, "options": self._options, "scope": "MODEL",
                "rollback": cluster.noted_rollback}, LIMIT).wait().manifest
            self.take()
        else:
            manifest = self._together(what, True, step, []).manifest
        return parse(manifest) if manifest else None

    def list(self) -> List[Checkpoint]:
        """Returns the complete checkpoints, newest first. Their content is not verified."""
        found = self.cluster.call("psf.model.list", {"server": SERVER, "model": self.name}, LIMIT).wait()
        for reason in found.damaged:
            LOG.warning("a checkpoint of model %r is skipped: %s", self.name, ascii(reason))
        return [parse(each) for each in found.manifests]

    def latest(self) -> Optional[Checkpoint]:
        """Returns the newest complete checkpoint; None if there is none."""
        return next(iter(self.list()), None)

    def delete(self) -> None:
        """Deletes all checkpoints. Of a client, or of one worker while none saves or loads."""
        self.cluster.call("psf.model.delete", {"server": SERVER, "model": self.name}, LIMIT).wait()

    def every_steps(self, steps: int) -> TrainingLoop:
        """Returns a training loop that takes a checkpoint every so many steps, while the training goes on."""
        from .training import TrainingLoop
        if steps < 1:
            raise bad_request("steps between two checkpoints: %d (expected: >= 1)" % steps)
        return TrainingLoop(self, steps, 0)

    def every(self, interval: Union[float, str]) -> TrainingLoop:
        """Returns a training loop that takes checkpoints by the clock of a server.

        :param interval: the time between two, in seconds or as ``"10m"``, the same for all workers
        """
        from .training import TrainingLoop
        millis = int(seconds("time between two checkpoints", interval) * 1000)
        if millis < 1:
            raise bad_request("time between two checkpoints: %r (expected: >= 1 ms)" % (interval,))
        return TrainingLoop(self, 0, millis)


def is_rolled_back(failure: BaseException) -> bool:
    """True if a failure says that the workers go back to a checkpoint, itself or as its cause."""
    each: Optional[BaseException] = failure
    while each is not None:
        if isinstance(each, PsError) and each.code == "ROLLED_BACK":
            return True
        each = each.__cause__ or each.__context__
    return False
