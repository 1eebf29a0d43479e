"""What all nodes of a cluster agree on: nodes, losses, tensors, owners of keys. The scheduler makes one after another."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .errors import PsError
from .layout import PARTITIONS, Layout, mix
from .peer import ROLES, SERVER, WORKER, Member, Other

Place = Tuple[str, int]


class Loss(NamedTuple):
    """A node that counts as lost. ``awaited``: it is expected to come back."""

    member: Member
    reason: str
    awaited: bool


class State(NamedTuple):
    """One state. Immutable."""

    epoch: int = 0
    nodes: Dict[Place, Other] = {}
    losses: Dict[Place, Loss] = {}
    owners: Sequence[int] = ()
    rollback: int = 0
    dropped: Sequence[str] = ()
    tensors: Dict[str, Layout] = {}

    def with_change(self, change: Any) -> State:
        """Returns the state behind a change; itself if it knows the change, or the change follows another state."""
        if change.epoch <= self.epoch or change.from_ not in (0, self.epoch):
            return self
        before = State() if change.from_ == 0 else self
        tensors = before.tensors
        if change.forgotten or change.placed:
            tensors = dict(tensors)
            for name in change.forgotten:
                tensors.pop(name, None)
            for placed in change.placed:
                tensors[placed.declaration.info.id] = _layout(placed)
        if change.nodes is None:
            return before._replace(epoch=change.epoch, tensors=tensors)
        nodes, losses = dict(before.nodes), dict(before.losses)
        for gone in change.nodes.gone:
            nodes.pop((gone.role, gone.rank), None)
        for node in change.nodes.joined:
            nodes[node.member.role, node.member.rank] = Other(_member(node.member), node.since)
        for settled in change.nodes.settled:
            losses.pop((settled.role, settled.rank), None)
        for lost in change.nodes.lost:
            losses[lost.member.role, lost.member.rank] = Loss(_member(lost.member), lost.reason, lost.awaited)
        recovery = change.nodes.recovery
        return State(
            change.epoch, nodes, losses, change.nodes.owners or before.owners,
            before.rollback if recovery is None else recovery.rollback,
            before.dropped if recovery is None else recovery.dropped, tensors)

    def members(self) -> List[Member]:
        """Returns the nodes that are present: servers, then workers, by rank."""
        return sorted(node.member for node in self.nodes.values())

    def lost(self) -> List[Member]:
        return [loss.member for loss in self.losses.values()]

    def count(self, role: int) -> int:
        return sum(node.member.role == role for node in self.nodes.values())

    def server(self, rank: int) -> Optional[Other]:
        return self.nodes.get((ROLES[SERVER], rank))

    def loss(self, server: int) -> Optional[Loss]:
        return self.losses.get((ROLES[SERVER], server))

    def awaits(self, server: int) -> bool:
        loss = self.loss(server)
        return loss is not None and loss.awaited

    def servers(self) -> List[int]:
        """Returns the ranks of the servers that are present or lost: those that a call to all servers is for."""
        return sorted({rank for role, rank in (*self.nodes, *self.losses) if role == ROLES[SERVER]})

    def formed_servers(self) -> int:
        """Returns the number of servers with which the cluster was formed."""
        return 1 + max((*self.owners, *self.servers()), default=-1)

    def owner(self, key: int) -> int:
        """Returns the rank of the server that owns a key which belongs to no tensor."""
        return self.owners[mix(key) * PARTITIONS >> 64]

    def gone(self, rank: int, name: str) -> Optional[PsError]:
        """Returns why a server is gone for good; None while it is present or awaited."""
        if self.server(rank) is not None or self.awaits(rank):
            return None
        loss = self.loss(rank)
        if loss is None:
            return PsError("UNAVAILABLE", "%s has left the cluster (expected: all of its servers, since its slices are gone"
                           " with it)" % name)
        return PsError("UNAVAILABLE", "lost %s: %s" % (loss.member, loss.reason))

    def require(self, tensor: str) -> Layout:
        found = self.tensors.get(tensor)
        if found is None:
            dropped = ("; it was dropped with a lost server, since no checkpoint has it: initialize it again"
                       if tensor in self.dropped else "")
            raise PsError("UNKNOWN_TENSOR", 'tensor: "%s" (expected: one that has been initialized%s)' % (tensor, dropped))
        return found

    def __str__(self) -> str:
        def number(n: int, what: str) -> str:
            return "%d %s%s" % (n, what, "" if n == 1 else "s")

        lost = ", %d lost" % len(self.losses) if self.losses else ""
        return "epoch %d: %s, %s, %s%s" % (
            self.epoch, number(self.count(SERVER), "server"), number(self.count(WORKER), "worker"),
            number(len(self.tensors), "tensor"), lost)


def _member(member: Any) -> Member:
    return Member(ROLES.index(member.role), member.rank, member.host, member.port)


def _layout(placed: Any) -> Layout:
    info = placed.declaration.info
    return Layout(
        info.id, info.rows, info.width, placed.slices.bounds, placed.slices.servers, placed.version, placed.declared,
        placed.lanes, info.types.wire, placed.declaration)
