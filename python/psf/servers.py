"""The servers of a cluster, and the sessions of a client or worker with them."""

from __future__ import annotations

import logging
import time
from typing import Callable, List, Optional

from . import control
from .calls import Call, Calls
from .errors import PsError
from .peer import Attempts, Other, Peer, new_session
from .routing import NodeRouting
from .scheduler import Scheduler
from .settings import Settings
from .state import State

LOG = logging.getLogger("psf")

#: How long the end of a session may take.
_SETTLE = 1.0


class Servers:
    """The servers by rank. Thread-safe."""

    def __init__(self, calls: Calls, scheduler: Scheduler, settings: Settings, role: str,
                 ended: Callable[[], Optional[PsError]], learned: Callable[[], None]):
        """
        :param ended: returns why the cluster has ended; None while it has not
        :param learned: called when a server has told its functions
        """
        self.peers: List[Peer] = []
        self._calls = calls
        self._scheduler = scheduler
        self._settings = settings
        self._role = role
        self._ended = ended
        self._learned = learned

    @property
    def state(self) -> State:
        return self._scheduler.state

    def open(self) -> None:
        """Opens a session with each server of the cluster. Blocks."""
        until = time.monotonic() + self._settings.join_timeout
        limit = self._settings.reconnect_limit
        if self._scheduler.servers_return:
            limit = max(limit, self._scheduler.patience * 1.5)
        for rank in range(self._scheduler.first.formed_servers()):
            self.peers.append(self._opened(rank, until, limit))
        self.lose(self.state)

    def _opened(self, rank: int, until: float, limit: float) -> Peer:
        """Connects to a server and says hello, again while the connection breaks meanwhile."""
        attempts = Attempts(max(0.001, until - time.monotonic()))
        while True:
            time.sleep(attempts.next())
            now = self._present(rank, until)
            peer = Peer(self._calls, str(now.member), limit, self._scheduler.wire)
            peer.ticket, peer.host, peer.since = self._scheduler.ticket, now.member, now.since
            peer.session = new_session()
            peer.node = lambda: self.state.server(rank)
            peer.awaited = lambda: self.state.awaits(rank)
            peer.learned = self._learned
            try:
                line = peer._connect(max(0.001, attempts.left()))
                try:
                    peer.learn(peer.greet(line, 0, False, max(0.001, attempts.left())))
                except BaseException:
                    line.release()
                    raise
                peer.silence = self._scheduler.heartbeat
                peer.begin(line)
                return peer
            except PsError as e:
                failure = e
            gone = self._ended() or self.state.gone(rank, peer.name)
            if gone is not None:
                raise gone
            if failure.code != "UNAVAILABLE":
                raise failure
            if attempts.left() < 0:
                raise attempts.failure(peer.name, "not connected", failure)
            LOG.info("connecting to %s again: %s", peer.name, failure.detail)

    def _present(self, rank: int, until: float) -> Other:
        """Returns the node of a rank. Waits while it is awaited."""
        while True:
            found = self.state.server(rank)
            if found is not None and self._ended() is None:
                return found
            gone = self._ended() or self.state.gone(rank, "server %d" % rank)
            if gone is None and time.monotonic() > until:
                gone = PsError("UNAVAILABLE", "server %d: not there (expected: back within the join timeout)" % rank)
            if gone is not None:
                raise gone
            time.sleep(0.02)

    def lose(self, state: State) -> None:
        """Fails the calls to the servers that a state does not have and that are not awaited."""
        for rank, peer in enumerate(self.peers):
            why = state.gone(rank, peer.name)
            if why is not None and peer.lost is None:
                peer.lose(why)

    def apply(self, before: State, now: State) -> None:
        """Ends the connections to servers whose nodes have changed: their calls wait for the nodes in their places."""
        for rank, peer in enumerate(self.peers):
            was = before.server(rank)
            if was is not None and was != now.server(rank) and (now.awaits(rank) or now.server(rank) is not None):
                peer.renew()
        self.lose(now)

    def all(self, without_lost: bool) -> List[Peer]:
        """Returns the servers that a call to all servers is for: those that are present or lost."""
        state = self.state
        ranks = [rank for rank in state.servers() if rank < len(self.peers)]
        found = [self.peers[rank] for rank in ranks
                 if not without_lost or state.server(rank) is not None or state.awaits(rank)]
        return found or list(self.peers)

    # What this side has changed there.

    def confirm(self, limit: float) -> None:
        """Asks each server that this side has changed something on whether it is present. Blocks until all have answered.

        :raises PsError: with ``UNAVAILABLE`` if a server is lost that this side has ever changed something on
        """
        until = time.monotonic() + limit
        asked = [(peer, peer.unconfirmed(), self._presence(peer, until)) for peer in self.peers if peer.unconfirmed() >= 0]
        for peer, writes, call in asked:
            while call is not None:
                self._calls.wait(call)
                if call.failure is None:
                    peer.confirm(writes)
                    break
                if call.failure.code != "TIMED_OUT" or time.monotonic() >= until:
                    break  # lost, or asked again later
                peer.renew()
                call = self._presence(peer, until)
        self.require_kept()

    def _presence(self, peer: Peer, until: float) -> Optional[Call]:
        if peer.lost is not None:
            return None
        function = control.FUNCTIONS["psf.connection.present"]
        limit = max(0.001, min(self._scheduler.heartbeat, until - time.monotonic()))
        call = Call(self._calls, function, NodeRouting(function, {}, 1), [peer], limit, background=True)
        self._calls.start(call)
        return call

    def require_kept(self) -> None:
        for peer in self.peers:
            if peer.lost is not None and peer.writes:
                raise PsError("UNAVAILABLE", "%s (expected: running until the job ends, since it held changes of this %s)" % (
                    peer.lost.detail, self._role))

    def end_sessions(self) -> None:
        """Tells the servers that the sessions of a client are not needed any more."""
        function = control.FUNCTIONS["psf.connection.end"]
        sent = []
        for peer in self.peers:
            if peer.lost is None:
                call = Call(self._calls, function, NodeRouting(function, {}, 1), [peer], _SETTLE, background=True)
                try:
                    self._calls.start(call)
                except PsError:
                    continue
                sent.append(call)
        for call in sent:
            self._calls.wait(call)

    def disconnect(self) -> None:
        for peer in self.peers:
            peer.disconnect()
