"""Methods that send a call: called, they wait for the answer; their ``start`` does not."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar

from .pending import Pending

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")
    R = TypeVar("R")

    class Verb(Generic[P, R]):
        def __call__(self, *arguments: P.args, **named: P.kwargs) -> R: ...

        def start(self, *arguments: P.args, **named: P.kwargs) -> Pending[R]: ...

    def verb(start: Callable[Concatenate[Any, P], Pending[R]]) -> Verb[P, R]: ...

else:

    class Verb:
        __slots__ = ("_method", "_object", "__doc__")

        def __init__(self, method, of):
            self._method, self._object, self.__doc__ = method, of, method.__doc__

        def __call__(self, *arguments, **named):
            return self._method(self._object, *arguments, **named).wait()

        def start(self, *arguments, **named):
            return self._method(self._object, *arguments, **named).unattended()

    class verb:
        """Makes a verb of a method that returns a Pending."""

        def __init__(self, method):
            self._method = method
            functools.update_wrapper(self, method)

        def __get__(self, of, type=None):
            return self if of is None else Verb(self._method, of)
