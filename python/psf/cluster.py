"""A cluster as a client or a worker uses it."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import weakref
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import control, groups, tensors
from .caller import Caller, Options
from .checkpoints import Checkpoints, Part
from .calls import Call, Calls
from .pending import Pending
from .errors import PsError, bad_request
from .layout import Layout
from .peer import CLIENT, WORKER, Member, Peer
from .routing import Function, NodeRouting, Routing, SliceRouting, owner_key
from .schema import Schema
from .scheduler import Scheduler
from .servers import Servers
from .settings import Settings, Tls, rank as rank_of, seconds
from .state import State
from .tasks import Task
from .tensors import Dense, Table, TensorSpec
from .ticks import Ticks

LOG = logging.getLogger("psf")

#: Every open cluster of this process, whose connections a child process must not use.
_OPEN: "weakref.WeakSet[Cluster]" = weakref.WeakSet()

#: How long a close waits while no call ends.
_SETTLE = 1.0

_LONGEST = 24 * 86400.0


def connect(scheduler: Optional[str] = None, role: Optional[str] = None, rank: Optional[int] = None, *,
            secret: Optional[str] = None, tls: Union[Tls, Sequence[str], None] = None, cluster: Optional[str] = None,
            node: Optional[str] = None, deadline: Union[float, str, None] = None,
            join_timeout: Union[float, str, None] = None, reconnect_limit: Union[float, str, None] = None,
            leave_at_exit: Optional[bool] = None, checksum: Optional[bool] = None) -> Cluster:
    """Connects to a cluster. Blocks until the cluster is complete and all servers are connected.

    Each argument takes precedence over its setting in the environment (``PSF_SCHEDULER``, ``PSF_RANK``, ..).

    :param scheduler: host:port of the scheduler
    :param role: ``"client"``, which no other node waits for, or ``"worker"``; without it that of ``PSF_ROLE``, which is
        ``worker`` for the programs of ``psf launch``, or else a client
    :param rank: the rank that a worker wants; -1 for any
    :param secret: the secret of the cluster, or a token of its permissions
    :param tls: the PEM files of the certificate, its key, and the authorities
    :param cluster: the name that the cluster is to have
    :param node: the name of this worker, whose place a worker of the same name takes
    :param deadline: how long a call may take, in seconds or as ``"90s"``
    :param join_timeout: how long the cluster may take to form
    :param reconnect_limit: how long a broken connection to a server is made again without progress
    :param leave_at_exit: whether the program leaves the cluster when it ends without a ``close``
    :param checksum: whether each frame has a checksum, without TLS; also without it those of a server that wants them
    :raises PsError: as in Java: with ``TIMED_OUT`` or ``UNAVAILABLE`` if the cluster is not reached or does not form in
        time; with ``BAD_REQUEST`` if the secret is wrong, or the cluster has all of its workers
    """
    settings = Settings.of(scheduler, role=role)
    given: Dict[str, Any] = {
        "rank": rank, "secret": secret, "tls": None if tls is None else Tls(*tls), "cluster": cluster, "node": node,
        "deadline": deadline, "join_timeout": join_timeout, "reconnect_limit": reconnect_limit,
        "leave_at_exit": leave_at_exit, "checksum": checksum}
    given = {name: value for name, value in given.items() if value is not None}
    for name in ("deadline", "join_timeout", "reconnect_limit"):
        if name in given:
            given[name] = seconds(name, given[name])
    if rank is not None:
        given["rank"] = rank_of("rank", rank)
    if settings.role not in ("client", "worker"):
        raise PsError("CONFIGURATION", "role: %s (expected: client or worker)" % role)
    return Cluster(settings._replace(**given), WORKER if settings.role == "worker" else CLIENT)


class Cluster:
    """A client or a worker of a running cluster. ``psf.connect`` makes one. Thread-safe.

    Calls on one shard run in the order in which one thread sent them. Each runs exactly once, also if a connection
    breaks. A child process that was forked connects for itself.
    """

    def __init__(self, settings: Settings, role: int):
        self.settings = settings
        self._calls = Calls()
        self._closed = False
        self._ended: Optional[PsError] = None
        self._rolled_back: Optional[PsError] = None
        self._begun = False
        self._doubted = False
        self._lock = threading.Lock()
        self._functions: Dict[str, Function] = {}
        self._role = role
        self._process = os.getpid()
        self._scheduler = Scheduler(self._calls, settings, role)
        self._rollback = self._scheduler.first.rollback
        self._late = self._scheduler.late
        self._calls.doubt = self._doubt
        self.name = "%s %d" % (self.role, self._scheduler.rank)
        self._servers = Servers(
            self._calls, self._scheduler, settings, self.role, lambda: self._ended, self._functions.clear)
        _OPEN.add(self)
        try:
            self._scheduler.beat(self._changed, self._end)
            self._servers.open()
        except BaseException:
            self._closed = True
            self._disconnect()
            raise
        Ticks(self._calls, self._scheduler, self._servers, lambda: self._closed).start()
        if settings.leave_at_exit:
            atexit.register(_leave, weakref.ref(self))
        LOG.info("%s is connected, with %d servers", self.name, len(self._servers.peers))

    # What it is part of.

    @property
    def role(self) -> str:
        """``client`` or ``worker``."""
        return "client" if self._role == CLIENT else "worker"

    @property
    def rank(self) -> int:
        """The rank of a worker, from 0."""
        if self._role == CLIENT:
            raise self._no_worker("rank")
        return self._scheduler.rank

    @property
    def workers(self) -> int:
        """The number of workers: those that the job began with, for a client those of now."""
        return self.state.count(WORKER) if self._role == CLIENT else self._scheduler.workers

    @property
    def servers(self) -> int:
        """The number of servers."""
        return len(self.state.servers())

    @property
    def is_late(self) -> bool:
        """True for a worker that has joined a running job, until it has passed a barrier."""
        return self._late

    @property
    def state(self) -> State:
        return self._scheduler.state

    def members(self) -> List[Member]:
        """Returns the servers and workers that are present."""
        return self.state.members()

    def lost(self) -> List[Member]:
        """Returns the nodes that count as lost."""
        return self.state.lost()

    def _no_worker(self, what: str) -> PsError:
        return bad_request("%s: of a client (expected: a worker, since a client has no rank)" % what)

    def _changed(self, before: State, now: State) -> None:
        """Takes what the scheduler says of the nodes."""
        if now.rollback > self._rollback:
            self._roll_back(now.rollback)
        self._servers.apply(before, now)

    def _end(self, cause: PsError) -> None:
        """Fails all calls, the later ones too."""
        self._ended = cause
        self._calls.fail_all(cause, background=True)

    # Rollbacks.

    def _roll_back(self, epoch: int) -> None:
        if self._role == CLIENT:
            return  # a client takes note of a rollback when it loads a checkpoint
        self._late = False
        with self._lock:
            self._rollback = epoch
            if not self._begun and self._is_back():
                return
            cause = _lost_node_is_back()
            self._rolled_back = cause
        if self._calls.fail_all(cause, background=False):
            with self._lock:
                if self._rolled_back is cause:
                    self._rolled_back = None

    def _is_back(self) -> bool:
        """True if all workers had to load a checkpoint with this one when it joined."""
        return self._scheduler.first.rollback == self._scheduler.since

    @property
    def rollback(self) -> int:
        """The epoch of the last rollback that the cluster has made; 0 for none. Blocks until all servers have answered.

        While it stays the same, the servers have every push that was answered since the first use of it.
        """
        self._require_open()
        self.call("psf.connection.present", {}).wait()
        return self._scheduler.refresh(self.settings.deadline).rollback

    @property
    def noted_rollback(self) -> int:
        """The number of the last rollback of which this side has taken note."""
        return self._rollback

    def take_rollback(self) -> None:
        """Takes note of the rollbacks of until now, since a load begins that makes up for them. Of a client."""
        if self._role == CLIENT:
            self._rollback = self.rollback

    def take_return(self) -> bool:
        """True once for a worker in the place of a lost one, whose job goes back to a checkpoint; not after a barrier."""
        with self._lock:
            first, self._begun = not self._begun, True
        return first and self._is_back()

    def checkpoints(self, name: str, keep: int = 3, incremental: int = 0, tensors: Sequence[Any] = (),
                    restore: str = "all", parts: Sequence[Part] = ()) -> Checkpoints:
        """Returns the checkpoints of a model. Sends nothing.

        :param name: a path such as ``ctr`` below the servers' place of checkpoints (``PSF_CHECKPOINTS``)
        :param keep: the number of complete checkpoints that a save leaves
        :param incremental: the most saves of changed rows alone after one of all rows
        :param tensors: the tensors to save and load; none for all
        :param restore: ``"all"``: all slices go back to a checkpoint when a lost node comes back, which is exact;
            ``"lost"``: the lost ones alone
        :param parts: the caches and the modules of ``psf.torch`` of this worker: a save first sends what they have not
            sent, and after a load they have the values of the servers
        """
        return Checkpoints(self, name, keep, incremental, tensors, restore, parts)

    # Calls.

    def _require_open(self) -> None:
        if self._calls.forked is not None:
            raise PsError("CLOSED", self._calls.forked)
        if self._ended is not None:
            raise self._ended.at(None)
        if self._rolled_back is not None:
            with self._lock:
                cause, self._rolled_back = self._rolled_back, None
            if cause is not None:
                raise cause
        if self._closed:
            raise PsError("CLOSED", "%s: closed" % self.name)

    def function(self, name: str) -> Caller:
        """Returns a function of the servers by its name, builtin or the users' own, for any number of calls."""
        return Caller(self, name)

    def find(self, name: str) -> Function:
        """Returns a function in the latest version that all servers have."""
        found = self._functions.get(name)
        if found is not None:
            return found
        if name in control.FUNCTIONS:
            return control.FUNCTIONS[name]
        self._require_open()
        versions: Optional[Tuple[str, ...]] = None
        read_only = False
        for peer in self._servers.peers:
            if name not in peer.functions or peer.lost is not None:
                continue
            theirs, read_only = peer.functions[name]
            common = min(len(theirs), len(versions or theirs))
            if versions is not None and theirs[common - 1] != versions[common - 1]:
                raise PsError("SCHEMA_MISMATCH", "schema: %s (expected: %s, which the server has)" % (
                    versions[common - 1], theirs[common - 1])).at(name, server=peer.name)
            versions = theirs[:common]
        if versions is None:
            for peer in self._servers.peers:
                peer.require(name)
            raise PsError("UNKNOWN_FUNCTION", 'function: "%s" (expected: one of a server that is present)' % name)
        found = self._functions[name] = Function.of(Schema(versions), read_only)
        return found

    def functions(self) -> List[str]:
        """Returns the names of the functions that the servers have."""
        return sorted({name for peer in self._servers.peers for name in peer.functions})

    def call(self, name: str, arguments: Mapping[str, Any], options: Options = Options()) -> Pending[Any]:
        """Sends a call of a function, by the names of the components of its request. :meth:`function` is for users."""
        call = self._prepare(name, arguments, options)
        self._calls.start(call)
        return Pending(call, _itself)

    def _prepare(self, name: str, arguments: Mapping[str, Any], options: Options) -> Call:
        self._require_open()
        function = self.find(name)
        values = function.arguments(arguments)
        schema = function.schema
        try:
            seconds = self.settings.deadline if options.deadline is None else min(options.deadline, _LONGEST)
            if schema.target is None:
                routing, peers = self._of_nodes(function, values, options)
            else:
                tensor = values[schema.target.name]
                tensor = getattr(tensor, "name", tensor)
                if not isinstance(tensor, str):
                    raise bad_request("tensor: %r (expected: a tensor, or its name)" % (tensor,))
                routing, peers = self._of_slices(function, values, tensor)
            call = Call(self._calls, function, routing, peers, seconds, options.priority, options.background, options.step, options.merge)
            if schema.target is not None:
                call.again = lambda: self._of_slices(function, values, tensor)
            return call
        except PsError as e:
            tensor = values.get(schema.target.name) if schema.target is not None else None
            raise e.at(name, getattr(tensor, "name", tensor) if tensor else None) from e.__cause__

    def _of_slices(self, function: Function, values: Dict[str, Any], tensor: str) -> Tuple[Routing, List[Peer]]:
        routing = SliceRouting(function, values, self.layout(tensor), self.layout)
        servers, peers = routing.layout.servers, self._servers.peers
        found = [peers[servers[s]] for s in routing.slices]
        for peer in found:
            if peer.lost is not None or function.name not in peer.functions:
                peer.require(function.name)
        return routing, found

    def _of_nodes(self, function: Function, values: Dict[str, Any], options: Options) -> Tuple[Routing, List[Peer]]:
        if function.schema.place == "SCHEDULER":
            return NodeRouting(function, values, 1), [self._scheduler.peer]
        key = owner_key(function, values)
        if key is not None:
            peers = [self._servers.peers[self.state.owner(key)]]
        else:
            peers = self._servers.all(options.without_lost)
        for peer in peers:
            if function.name not in control.FUNCTIONS:
                peer.require(function.name)
            elif peer.lost is not None:
                raise peer.lost.at(function.name, server=peer.name)
        return NodeRouting(function, values, len(peers)), peers

    def layout(self, tensor: str) -> Layout:
        """Returns where the slices of a tensor are. Asks the scheduler if that is not known here."""
        found = None if self._doubted else self.state.tensors.get(tensor)
        if found is None:
            self._doubted = False
            found = self._scheduler.refresh(self.settings.deadline).require(tensor)
        return found

    def _doubt(self) -> None:
        self._doubted = True

    def declare(self, declarations: Sequence[Mapping[str, Any]]) -> List[Layout]:
        """Declares tensors at the scheduler, all or none, and returns their layouts."""
        self._require_open()
        answer = self._scheduler.ask(
            "psf.tensor.declare", {"tensors": declarations, "epoch": self.state.epoch}, self.settings.deadline)
        state = self._scheduler.apply(answer.changes)
        layouts = [state.require(each["info"]["id"]) for each in declarations]
        for layout in layouts:
            for rank in layout.servers:
                why = state.gone(rank, "server %d" % rank)
                if why is not None:
                    raise PsError(
                        why.code, 'tensor "%s": has slices on server %d, %s (expected: all of its servers; start the'
                        " cluster again and load a checkpoint; with PSF_SERVER_RETURN another server takes the place of a"
                        " lost one)" % (layout.tensor, rank, why.detail))
        return layouts

    def forget(self, tensor: str) -> None:
        """Frees the name of a tensor whose shards were dropped."""
        self._require_open()
        answer = self._scheduler.ask(
            "psf.tensor.forget", {"tensor": tensor, "epoch": self.state.epoch, "lost": False}, self.settings.deadline)
        self._scheduler.apply(answer.changes)

    def task(self, number: int) -> Task:
        """Returns the calls of one attempt of a task, whose changes run once, whichever attempt sends them first.

        :param number: the same for each attempt, not 0; :func:`psf.task_number` makes one of texts
        """
        return Task(self, number)

    def wait(self, tensor: Optional[Any] = None) -> None:
        """Blocks until every earlier call, or every one on a tensor, has ended.

        :raises PsError: the failure of the first that failed and that nobody has waited for; the others' are not raised later
        """
        self._calls.await_all(None if tensor is None else getattr(tensor, "name", tensor))
        if tensor is None and self._ended is None and not self._closed:
            self._servers.confirm(self.settings.deadline)

    # Tensors.

    def init(self, specs: Sequence[TensorSpec]) -> List[Any]:
        """Creates tensors together, or finds those that another worker has created with the same specs.

        Blocks until every server has its shards. Either all names are declared, or none.

        :raises PsError: with ``ALREADY_EXISTS`` if a tensor exists with another spec; with ``BAD_REQUEST`` if a server does
            not have what a spec names; with ``RESOURCE_EXHAUSTED`` if its memory does not suffice
        """
        return tensors.init(self, specs)

    def dense(self, name: str, shape: Union[int, Sequence[int], None] = None, **options: Any) -> Dense:
        """Creates a tensor whose values are pushed and pulled as a whole, as :func:`psf.dense` describes it.

        Without a shape it finds an existing one, of two dimensions.
        """
        if shape is None:
            layout = self.layout(name)
            return Dense(self, name, (layout.rows, layout.width), layout.width)
        dense: Dense = self.init([tensors.dense(name, shape, **options)])[0]
        return dense

    def table(self, name: str, rows: Optional[int] = None, width: int = 1, **options: Any) -> Table:
        """Creates a table, whose rows are pushed and pulled by keys, as :func:`psf.table` describes it.

        Without a number of rows it finds an existing one, which may grow.
        """
        if rows is None:
            return Table(self, name, self.layout(name).width)
        table: Table = self.init([tensors.table(name, rows, width, **options)])[0]
        return table

    def growing(self, name: str, width: int, **options: Any) -> Table:
        """Creates a table in which each int64 is a key, as :func:`psf.growing` describes it."""
        table: Table = self.init([tensors.growing(name, width, **options)])[0]
        return table

    # Workers.

    def end_epoch(self, timeout: Union[float, str] = groups.EPOCH_LIMIT) -> int:
        """Ends this worker's epoch, and blocks until all present workers have ended it. Returns its number, from 1.

        Until then no round, all-reduce or clock waits for this worker.
        """
        return groups.end_epoch(self, timeout)

    def barrier(self, timeout: Union[float, str, None] = None) -> None:
        """Waits until every worker that is present has called it. Of a worker."""
        if self._role == CLIENT:
            raise self._no_worker("barrier")
        self._require_open()
        limit = self.settings.deadline if timeout is None else seconds("timeout", timeout)
        until = time.monotonic() + limit
        self._servers.confirm(limit)
        known = self._rollback
        self._scheduler.ask("psf.barrier", {"rollback": known}, max(0.001, until - time.monotonic()))
        self._servers.require_kept()
        self._late = False
        with self._lock:
            missed = not self._begun and self._is_back() and self._rollback != known
            self._begun = True
        if missed:
            raise _lost_node_is_back()

    def end(self) -> None:
        """Ends the cluster, a job or a service."""
        self._require_open()
        self._scheduler.ask("psf.cluster.end", {}, self.settings.deadline)

    # The end.

    def close(self) -> None:
        """Leaves the cluster. Waits for outstanding calls as long as one of them ends within each second.

        :raises PsError: with ``UNAVAILABLE`` if a server is lost on which this side has changed something; it is closed
            all the same
        """
        with self._lock:
            if self._closed or self._calls.forked is not None:
                return
            self._closed = True
        calls = self._calls
        waiting, until = calls.foreground(), time.monotonic() + _SETTLE
        while waiting and time.monotonic() < until:
            calls.wait(waiting[0], min(until, time.monotonic() + 0.01))
            left = calls.foreground()
            if len(left) < len(waiting):
                until = time.monotonic() + _SETTLE
            waiting = left
        calls.fail_all(PsError("CLOSED", "%s: closed before the answer arrived" % self.name), background=False)
        try:
            calls.await_all()
        except PsError as e:
            LOG.warning("a call that was not awaited had failed: %s", e)
        try:
            if self._ended is None:
                self._servers.confirm(self.settings.deadline)
            if self._role == CLIENT:
                self._servers.end_sessions()
        finally:
            self._disconnect()

    def _disconnect(self) -> None:
        _OPEN.discard(self)
        self._scheduler.leave()
        self._servers.disconnect()
        with self._calls.lock:
            self._calls.closed = PsError("CLOSED", "%s: closed" % self.name)
        self._calls.unawaited.set()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, type: Any, value: Any, trace: Any) -> None:
        self.close()

    def _fork(self) -> None:
        """Gives up the connections in a child process, which shares them with its parent."""
        self._calls.forked = ('%s: connected in process %d, used in its child process %d (expected: psf.connect(role="client")'
                              " in the child, after the fork)" % (self.name, self._process, os.getpid()))
        for peer in (*self._servers.peers, self._scheduler.peer):
            if peer.line is not None:
                peer.line.sock.close()

    def __repr__(self) -> str:
        return "%s of a cluster with %s" % (self.name, self.state)


def _lost_node_is_back() -> PsError:
    return PsError(
        "ROLLED_BACK", "a lost node has come back (expected: that all workers load the newest checkpoint and train again from"
        " its step; ModelCheckpoints.loadLatest)")


def _leave(open: "weakref.ref[Cluster]") -> None:
    """Leaves the cluster when the process ends."""
    cluster = open()
    if cluster is not None:
        try:
            cluster.close()
        except PsError as e:
            LOG.warning("leaving at exit: %s", e)


def _itself(response: Any) -> Any:
    return response


def _forked() -> None:
    for each in list(_OPEN):
        each._fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
