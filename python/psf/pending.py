"""Answers under way, as the caller has them."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Callable, Generator, Generic, List, Optional, Sequence, TypeVar

from .calls import Call
from .errors import PsError

R = TypeVar("R")
S = TypeVar("S")


class Pending(Generic[R]):
    """An answer under way. The arrays of the request are borrowed until it has arrived.

    ``wait()`` blocks until then; in a coroutine ``await pending`` does not block its loop.
    """

    __slots__ = ("_call", "_finish")

    def __init__(self, call: Call, finish: Callable[[Any], R]):
        self._call = call
        self._finish = finish

    def wait(self, timeout: Optional[float] = None) -> R:
        """Returns the response. Blocks until it has arrived.

        :param timeout: how long this method waits, in seconds; the call goes on after it
        :raises PsError: the failure of the call; with ``TIMED_OUT`` if there is no answer yet
        """
        call = self._call
        if not call.done:
            call.calls.wait(call, None if timeout is None else time.monotonic() + timeout)
            if not call.done:
                assert timeout is not None
                raise call.place(-1, PsError("TIMED_OUT", "no answer yet after %d ms" % (timeout * 1000)))
        return self._finish(call.result())

    def unattended(self) -> "Pending[R]":
        """Says that no thread waits for this answer now, so that the cluster's own thread reads it. Returns itself."""
        self._call.attended = False
        self._call.calls.unawaited.set()
        return self

    def done(self) -> bool:
        """True if the call has ended."""
        return self._call.done

    def cancel(self) -> bool:
        """Ends the call with ``CANCELLED``, unless it has ended. It is not known what it has changed."""
        call = self._call
        cancelled = call.calls.fail(call, PsError("CANCELLED", "call: cancelled"))
        call.calls.flush(call)
        return cancelled

    def then(self, step: Callable[[R], S]) -> "Pending[S]":
        """Returns the same answer, made into something else by a function, on the thread that waits."""
        finish = self._finish
        return Pending(self._call, lambda response: step(finish(response)))

    def __await__(self) -> Generator[Any, None, R]:
        call = self._call
        if not call.done:
            loop = asyncio.get_running_loop()
            future: "asyncio.Future[None]" = loop.create_future()

            def end() -> None:
                if not future.done():
                    future.set_result(None)

            with call.calls.lock:
                if not call.done:
                    call.callbacks.append(lambda: _soon(loop, end))
                else:
                    future.set_result(None)
            self.unattended()
            try:
                yield from future
            except asyncio.CancelledError:
                self.cancel()
                raise
        return self._finish(call.result())

    def __repr__(self) -> str:
        call = self._call
        state = "not answered yet" if not call.done else "answered" if call.failure is None else str(call.failure)
        return "%s: %s" % (call.function.name, state)


def _soon(loop: asyncio.AbstractEventLoop, step: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(step)
    except RuntimeError:  # the loop has ended: nobody waits
        pass


def wait_all(pending: Sequence[Pending[R]]) -> List[R]:
    """Returns the responses of several calls. Blocks until all have ended; raises the first failure then."""
    failure: Optional[PsError] = None
    found = []
    for each in pending:
        try:
            found.append(each.wait())
        except PsError as e:
            failure = failure or e
    if failure is not None:
        raise failure
    return found
