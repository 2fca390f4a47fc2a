"""What is kept as long as an object: results of its methods, and what others make of it.

`functools.cache` on a method would keep the object for ever.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, cast, overload

Self_ = TypeVar("Self_")
Given = ParamSpec("Given")
Result = TypeVar("Result")
Made = TypeVar("Made")


class Once:
    """An object of which others make things that are dear; each is made once and shared by all who ask for it."""

    def once(self, make: Callable[[Self], Made]) -> Made:
        """What `make` makes of this object."""
        made = self.__dict__.setdefault("_made", {})
        if make not in made:
            made[make] = make(self)
        return cast(Made, made[make])


class kept(Generic[Self_, Given, Result]):  # noqa: N801  (a decorator, as `cached_property` is)
    """Decorates a method of hashable arguments; each object has a cache of its own, which goes when the object goes."""

    def __init__(self, method: Callable[Concatenate[Self_, Given], Result]) -> None:
        self.method = method
        self.name = method.__name__
        self.__doc__ = method.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> kept[Self_, Given, Result]: ...
    @overload
    def __get__(self, instance: Self_, owner: type[Any]) -> Callable[Given, Result]: ...
    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        if instance is None:
            return self
        # Asked once an object: what is put into its `__dict__` is found before this is.
        found = instance.__dict__[self.name] = functools.cache(functools.partial(self.method, instance))
        return found
