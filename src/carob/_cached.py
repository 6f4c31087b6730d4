"""What is worked out once."""

from __future__ import annotations

import functools
from typing import Any, TypeVar

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801
    """That of `functools` without the lock which Python 3.11 has there, as later versions are.

    All instances share that lock: a thread that holds it while others work for it would wait for ever where one of them
    asks for the same property of something else. Two threads at once may work out the same value twice.
    """

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> T:  # type: ignore[override]
        if instance is None:
            return self  # type: ignore[return-value]
        if self.attrname not in vars(instance):
            vars(instance)[self.attrname] = self.func(instance)
        found: T = vars(instance)[self.attrname]
        return found
