from __future__ import annotations

import pytest

from tests.fuzz.targets import TARGETS, seeds

CASES = [pytest.param(name, seed, id=f"{name}-{n}") for name in TARGETS for n, seed in enumerate(seeds(name))]


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_each_seed_and_what_once_broke_is_read_or_refused(name: str, seed: bytes) -> None:
    TARGETS[name](seed)
