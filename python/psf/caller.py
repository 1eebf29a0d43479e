"""Functions as a user calls them."""

from __future__ import annotations

from operator import index
from typing import Any, Callable, List, NamedTuple, Optional, Union

from .calls import Step
from .pending import Pending
from .errors import bad_request
from .schema import Schema
from .settings import seconds


class Options(NamedTuple):
    """How a function is called."""

    deadline: Optional[float] = None
    priority: int = 0
    merge: Optional[Callable[[List[Any]], Any]] = None
    #: True to leave out servers that are lost for good.
    without_lost: bool = False
    step: Optional[Step] = None
    #: True if the caller does not depend on the call: ``wait`` ignores it, and it goes on when the model goes back to a checkpoint.
    background: bool = False


class Caller:
    """A function of the servers. Calling it blocks until the answer is there; ``start`` does not block. Stateless."""

    def __init__(self, cluster: Any, name: str, options: Options = Options()):
        self._cluster = cluster
        self._options = options
        self.name = name

    def __call__(self, **arguments: Any) -> Any:
        """Calls the function, and returns its response: a named tuple.

        :param arguments: the components of the request, by their names in Python's spelling
        """
        return self._cluster.call(self.name, arguments, self._options).wait()

    def start(self, **arguments: Any) -> Pending[Any]:
        """Sends the call. The arrays are borrowed until the answer has arrived."""
        return self._cluster.call(self.name, arguments, self._options).unattended()

    def with_deadline(self, deadline: Union[float, str]) -> Caller:
        """Returns the function with a deadline of its calls, in seconds. A later one fails with ``TIMED_OUT``."""
        return Caller(self._cluster, self.name, self._options._replace(deadline=seconds("deadline", deadline)))

    def with_priority(self, priority: int) -> Caller:
        """Returns the function with a priority of its calls, from -128 to 127. A server runs a higher one first."""
        try:
            number = index(priority)
        except TypeError:
            number = 128
        if not -128 <= number <= 127:
            raise bad_request("priority: %s (expected: a whole number from -128 to 127)" % priority)
        return Caller(self._cluster, self.name, self._options._replace(priority=number))

    def with_merge(self, merge: Callable[[List[Any]], Any]) -> Caller:
        """Returns the function with what merges the answers of the slices, for a function that does it in Java itself.

        Without it the call of such a function returns the list of the answers.
        """
        return Caller(self._cluster, self.name, self._options._replace(merge=merge))

    @property
    def schema(self) -> Schema:
        """The function's schema, as the servers have it."""
        return self._cluster.find(self.name).schema

    def __repr__(self) -> str:
        return str(self.schema)
