"""What a client does now and then, on a thread of its own."""

from __future__ import annotations

import logging
import select
import threading
import time
from typing import Any, Callable, Iterable

from .calls import Calls
from .errors import PsError
from .peer import Peer
from .scheduler import Scheduler
from .servers import Servers

LOG = logging.getLogger("psf")


class Ticks:
    """The thread of a client for what no thread of the caller does."""

    def __init__(self, calls: Calls, scheduler: Scheduler, servers: Servers, closed: Callable[[], bool]):
        self._calls = calls
        self._scheduler = scheduler
        self._servers = servers
        self._closed = closed

    def start(self) -> None:
        threading.Thread(target=self._run, name="psf-ticks", daemon=True).start()

    def _run(self) -> None:
        """Reads what nobody waits for, sends signs of life and which calls are done, and ends calls that are too late,
        and says what the calls take, if somebody asks."""
        calls, pinged = self._calls, time.monotonic()
        last = reported = pinged
        while not self._closed() or calls.outstanding:
            period = self._scheduler.heartbeat / 4
            unattended = [call for call in list(calls.outstanding.values()) if not call.attended]
            if unattended:
                self._read({peer for call in unattended for peer in call.peers}, 0.01)
            else:
                calls.unawaited.wait(min(period, 0.1))
                calls.unawaited.clear()
            if calls.forked is not None:
                return
            now = time.monotonic()
            stopped, last = now - last, now
            for call in list(calls.outstanding.values()):
                if now >= calls.due(call):
                    calls.deal(call)
            totals = calls.totals
            if totals is not None:
                totals.look()
                if now - reported >= 1:
                    reported = now
                    self._scheduler.report(totals)
            signs = now - pinged >= period
            pinged = now if signs else pinged
            for peer in (*self._servers.peers, self._scheduler.peer):
                line = peer.line
                if line is None:
                    continue
                if stopped > 1:
                    line.heard += stopped  # this process was stopped
                if peer.has_done:
                    peer.tell_done(calls.oldest())
                if peer.silence:
                    if signs:
                        peer.ping()
                    self._require_sign(line, peer.silence, now)

    def _require_sign(self, line: Any, limit: float, now: float) -> None:
        if now - line.heard <= limit / 2 or not line.lead.acquire(blocking=False):
            if now - line.heard > limit:
                line.close(PsError("UNAVAILABLE", "peer: silent (expected: a sign of life within %d ms)" % (limit * 1000)))
            return
        try:
            while line.read(0):
                pass
            silent = now - line.heard > limit
        finally:
            line.pass_lead()
        if silent:
            line.close(PsError("UNAVAILABLE", "peer: silent (expected: a sign of life within %d ms)" % (limit * 1000)))

    def _read(self, peers: Iterable[Peer], seconds: float) -> None:
        """Reads from those connections that no thread leads, once something arrives there."""
        lines = {}
        waiting = select.poll()
        for peer in peers:
            line = peer.line
            if line is not None and not line.lead.locked():
                try:
                    number = line.sock.fileno()
                    waiting.register(number, select.POLLIN)
                    lines[number] = line
                except (OSError, ValueError):  # closed meanwhile
                    continue
        if not lines:
            time.sleep(seconds)
            return
        for number, _ in waiting.poll(seconds * 1000):
            line = lines[number]
            if line.lead.acquire(blocking=False):
                try:
                    while line.read(0):
                        pass
                finally:
                    line.pass_lead()
