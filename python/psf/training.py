"""A training loop that takes checkpoints by itself, and goes back to one when a server or worker was lost."""

from __future__ import annotations

import logging
import time
from typing import Any, Callable, Dict, List, Mapping, Optional

from .checkpoints import LIMIT, LOOP, NEWEST, SERVER, Checkpoint, Checkpoints, entries, is_rolled_back, parse
from .errors import PsError, bad_request

LOG = logging.getLogger("psf")

#: In place of the step of a cut: where a worker begins.
_BACK = -3
_OVER = -4

#: How often the workers go back without a step in between.
_MOST_RETURNS = 10

#: The least time between two calls that tell the server where the worker is, in seconds, and the most steps.
_APART = 0.005
_MOST_APART = 64


def _nothing() -> Dict[str, str]:
    return {}


def _ignored(saved: Mapping[str, str]) -> None:
    pass


class TrainingLoop:
    """A training loop. :meth:`Checkpoints.every_steps` and :meth:`Checkpoints.every` make one. Used by one thread,
    but for :meth:`stop` and :meth:`leave`.

    >>> cluster.checkpoints("ctr").every_steps(1000).record(
    ...     lambda: {"position": str(reader.position)}, lambda saved: reader.seek(int(saved["position"]))
    ... ).run(steps, lambda step: train(step, next(reader)))

    Every worker runs the loop, with the same number of steps and the same interval. A checkpoint has all pushes of the
    steps up to its own and no others, and the record of each worker of that moment.
    """

    def __init__(self, checkpoints: Checkpoints, every_steps: int, every_millis: int):
        self.checkpoints = checkpoints
        self._every_steps = every_steps
        self._every_millis = every_millis
        self._save: Callable[[], Mapping[str, str]] = _nothing
        self._restore: Callable[[Mapping[str, str]], None] = _ignored
        self._stopped = False
        self._leaving = False

    def record(self, save: Callable[[], Mapping[str, str]],
               restore: Callable[[Mapping[str, str]], None]) -> TrainingLoop:
        """Returns the same loop, with a record of this worker in each checkpoint.

        :param save: returns the record, at most 64 Ki characters; called between two steps
        :param restore: takes a record that ``save`` has returned on a worker of this rank
        """
        same = TrainingLoop(self.checkpoints, self._every_steps, self._every_millis)
        same._save, same._restore = save, restore
        return same

    def stop(self) -> None:
        """Stops the loops of all workers after one of the next steps, with a last checkpoint. Of any thread."""
        self._stopped = True

    def leave(self) -> None:
        """Ends the loop of this worker after its step; the others train on. Of any thread.

        The next checkpoint has its record as it is then, and a worker of this rank that comes later continues from it.
        """
        self._leaving = True

    def run(self, steps: int, body: Callable[[int], Any]) -> int:
        """Trains: loads the newest checkpoint, and calls ``body`` with the number of each step after it, up to ``steps``.

        Blocks until the last checkpoint is complete. After a loss, ``body`` is called again for the steps since the
        newest checkpoint.

        :return: the step that the loop has ended with: ``steps``, or an earlier one after :meth:`stop` or :meth:`leave`
        """
        if steps < 0:
            raise bad_request("steps: %d (expected: >= 0)" % steps)
        return _Run(self, steps).run(body)


class _Boundaries:
    """The boundaries between a worker's steps: it tells where it is, and reads the answer one boundary later."""

    def __init__(self, run: _Run, start: int):
        self._run = run
        self._told: Any = None
        self._told_stop = False
        self._next = self._before = start
        self._when = time.monotonic() - _APART
        self._cut = -1

    def at(self, step: int) -> int:
        """Returns the step of the next cut, as far as this worker knows it; -1 for none."""
        told, self._told = self._told, None
        if told is not None:
            self._cut = told.wait().cut
        stop = self._run.loop._stopped
        if step == self._next:
            now = time.monotonic()
            taken = max(1e-9, (now - self._when) / max(1, step - self._before))
            self._next = step + max(1, min(_MOST_APART, int(_APART / taken)))
            self._before, self._when = step, now
            self._tell(stop)
        elif stop and not self._told_stop:
            self._tell(True)
        return self._cut

    def _tell(self, stop: bool) -> None:
        run = self._run
        self._told = run.cluster.call("psf.training.tell", {
            "server": SERVER, "model": run.checkpoints.name, "next": self._next, "steps": run.steps,
            "every_millis": run.loop._every_millis, "stop": stop}, LIMIT).unattended()
        self._told_stop = stop

    def end(self) -> None:
        """Ends the call under way. Its outcome does not matter."""
        told, self._told = self._told, None
        if told is not None:
            try:
                told.wait()
            except PsError:
                pass  # the caller begins anew


class _Run:
    """One run of a loop."""

    def __init__(self, loop: TrainingLoop, steps: int):
        self.loop = loop
        self.checkpoints = loop.checkpoints
        self.cluster = loop.checkpoints.cluster
        self.steps = steps
        self.rank = self.cluster.rank  # refused before anything is sent
        self._initial = dict(loop._save())
        self._at = 0
        self._returns = 0
        self._has_left = False
        self._boundaries = _Boundaries(self, 0)

    def run(self, body: Callable[[int], Any]) -> int:
        begun = False
        try:
            while True:
                try:
                    if not begun:
                        self._begin()
                        begun = True
                    self._train(body)
                    if not self._has_left:
                        self._leave([], True)
                    return self._at
                except Exception as e:
                    if not is_rolled_back(e):
                        raise
                    self._go_back(e)
                    begun = True
        finally:
            self._boundaries.end()
            try:
                self._leave([], False)
            except PsError as e:
                LOG.debug("the end of a training loop is not reported: %s", e)

    def _leave(self, record: List[Dict[str, Any]], done: bool) -> None:
        self.cluster.call("psf.training.leave", {
            "server": SERVER, "model": self.checkpoints.name, "entries": record, "done": done,
            "rollback": self.cluster.noted_rollback}).wait()

    def _begin(self) -> None:
        """Begins together with the other workers, joins them, or learns that they have ended."""
        cluster, checkpoints = self.cluster, self.checkpoints
        place = cluster.call("psf.training.enter", {
            "server": SERVER, "model": checkpoints.name, "steps": self.steps, "late": cluster.is_late,
            "back": cluster.take_return(), "is_exact": checkpoints.is_exact, "rollback": cluster.noted_rollback},
            LIMIT).wait()
        latest = parse(place.manifest) if place.manifest else None
        if place.cut == _BACK:
            raise PsError("ROLLED_BACK", "worker %d has come back" % self.rank)
        elif place.cut == _OVER:
            self._continue(latest, -1)
            self.steps = self._at
        elif place.cut >= 0:
            if place.entries:
                mine = {each.key: each.value for each in place.entries if not each.key.startswith("psf:")}
                latest = Checkpoint(place.cut, [], {self.rank: mine}, {})
            self._continue(latest, place.cut)
            LOG.info("worker %d joins the training after step %d", self.rank, place.cut)
            self._meet(False)
            self.checkpoints.take()
        elif cluster.is_late and latest is not None:
            raise PsError("ROLLED_BACK", "worker %d has joined, and the workers that trained before have left" % self.rank)
        else:
            newest = checkpoints.load_latest()
            self._continue(newest, -1)
            if newest is None:
                self._meet(True)

    def _continue(self, newest: Optional[Checkpoint], cut: int) -> None:
        """Takes this worker's record from a checkpoint.

        :param cut: the step of the cut at which this worker joins; -1 if it does not
        """
        if newest is not None:
            record = newest.record(self.rank)
            if record:
                self.loop._restore(record)
            elif newest.records:
                LOG.warning("worker %d begins without a record: checkpoint of step %d has records of workers %s",
                            self.rank, newest.step, sorted(newest.records))
        self._at = cut if cut >= 0 else 0 if newest is None else newest.step
        self._boundaries = _Boundaries(self, self._at)

    def _train(self, body: Callable[[int], Any]) -> None:
        if self._at >= self.steps:
            LOG.info("the training has %d of %d steps: none is left", self._at, self.steps)
        else:
            self._boundaries.at(self._at)
        every = self.loop._every_steps
        while self._at < self.steps:
            body(self._at + 1)
            self._at += 1
            self._returns = 0
            cut = self._boundaries.at(self._at)
            if self._at == cut or self._at == self.steps or every and self._at % every == 0:
                self._meet(False)
            if self.loop._leaving and self._at < self.steps:
                record = self._record()
                self.checkpoints.flush()
                self.cluster.wait()
                self._leave(record, False)
                self._has_left = True
                LOG.info("worker %d leaves the training after step %d of %d", self.rank, self._at, self.steps)
                return

    def _record(self) -> List[Dict[str, Any]]:
        return entries(self.rank, self._at, self.loop._save())

    def _meet(self, first: bool) -> None:
        """Meets the other workers at a cut after this step."""
        record = self._record()
        self.checkpoints.flush()
        self.cluster.wait()
        if self.checkpoints.meet(
                LOOP, False, self._at, self.loop._stopped, first or self._at == self.steps, record).last:
            self.steps = self._at

    def _go_back(self, first: BaseException) -> None:
        """Loads the newest checkpoint with the other workers, again if another server is lost meanwhile."""
        why = first
        while True:
            self._returns += 1
            if self._returns > _MOST_RETURNS:
                raise why
            try:
                self._go_back_once(why)
                return
            except PsError as e:
                if not is_rolled_back(e):
                    raise
                why = e

    def _go_back_once(self, why: BaseException) -> None:
        cluster = self.cluster
        LOG.warning("worker %d goes back from step %d: %s", self.rank, self._at, why)
        cluster.call("psf.training.abandon", {"model": self.checkpoints.name, "reason": str(why)}).wait()
        self._boundaries.end()
        try:
            cluster.wait()
        except PsError as e:  # a call of a step that will be done again
            LOG.debug("a call before the return to a checkpoint failed: %s", e)
        loaded = parse(self.checkpoints.meet(LOOP, True, NEWEST, whole=True).manifest)
        self.loop._restore(loaded.record(self.rank) or self._initial)
        self._at = loaded.step
        self._boundaries = _Boundaries(self, self._at)
        LOG.info("worker %d goes on after step %d", self.rank, self._at)
