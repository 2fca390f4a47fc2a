"""Real engines: their newest pins, fetched once into the user's cache; what cannot be had is skipped, and why."""

from __future__ import annotations

import functools

import pytest

import tracer.trace as pipeline
from tracer import checkout
from tracer.errors import TracerError
from tracer.model import SourceTree, Trace

ENGINES = ("lmcache", "mooncake", "sglang", "vllm")


@functools.lru_cache
def _tree(engine: str) -> SourceTree | str:
    try:
        return checkout.open_tree(engine)
    except TracerError as error:
        return str(error)


@functools.lru_cache
def _where(engine: str, role: str) -> Trace:
    return pipeline.where(role, [engine])


@pytest.fixture(params=ENGINES)
def tree(request: pytest.FixtureRequest) -> SourceTree:
    """The source of each engine's newest pin."""
    found = _tree(request.param)
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture
def answer(tree: SourceTree) -> Trace:
    """Every role in that source."""
    return _where(tree.engine, "all")
