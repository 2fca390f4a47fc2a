"""A method whose results are kept as long as its object; `functools.cache` on a method keeps the object for ever."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

Self_ = TypeVar("Self_")
Given = ParamSpec("Given")
Result = TypeVar("Result")


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
