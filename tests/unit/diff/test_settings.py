"""Defaults of fields, constants, flags, macros, options and variables: what counts, what is the same, what changed."""

from __future__ import annotations

from pathlib import Path

from tests.unit.worlds import MemoryTree
from tracer.diff.settings import Setting, changed, settings_of
from tracer.survey import survey
from tracer.survey.store import Store

PYTHON = """
import os
from dataclasses import dataclass, field

LEASE_SECONDS = 5


@dataclass
class Config:
    chunk_size: int = 256
    policy: str = "fast"
    storage_stop_policy: str = "eager"
    limit: int = field(default=2 ** 20)
    name: str = compute()
    unused_elsewhere: int = 1


def parse(parser):
    parser.add_argument("--idle-time-out", type=int, default=30)
    return os.environ.get("RETRY_LIMIT", "3")
"""
CPP = """
#define DEFAULT_TTL_MS 5000  // ms
DEFINE_uint64(lease_ttl, 10000, "how long");
static constexpr int kRetries = 3;
"""
WORDS = {
    "LEASE_SECONDS", "chunk_size", "policy", "storage_stop_policy", "limit", "name", "idle_time_out", "RETRY_LIMIT",
    "DEFAULT_TTL_MS", "lease_ttl", "kRetries",
}  # fmt: skip


def of(**files: str) -> dict[str, tuple[Setting, ...]]:
    tree = MemoryTree({f"kv/{n.replace('_', '.')}": t for n, t in files.items()})
    return settings_of(tree, survey(tree, Store(Path(":memory:"))), WORDS)


def told(**pair: tuple[str, str]) -> dict[str, str]:
    a, b = (of(**{n: texts[i] for n, texts in pair.items()}) for i in (0, 1))
    changes, _ = changed(a, b)
    return {c.id: c.detail for c in changes}


def test_what_is_a_setting() -> None:
    found = of(conf_py=PYTHON, conf_cpp=CPP)
    assert {k: v[0].value for k, v in found.items()} == {
        "--idle-time-out": "30",
        "Config.chunk_size": "256",
        "Config.limit": "field(default=2 ** 20)",
        "Config.policy": '"fast"',
        "Config.storage_stop_policy": '"eager"',
        "DEFAULT_TTL_MS": "5000",
        "LEASE_SECONDS": "5",
        "RETRY_LIMIT": "'3'",
        "kRetries": "3",
        "lease_ttl": "10000",
    }
    assert (found["lease_ttl"][0].first, found["lease_ttl"][0].file) == (2, "kv/conf.cpp")


def test_other_values_and_values_that_are_only_written_otherwise() -> None:
    after = PYTHON.replace("= 256", "= 512").replace("2 ** 20", "2**20").replace("default=30", "default=60")
    assert told(conf_py=(PYTHON, after)) == {"Config.chunk_size": "256 → 512", "--idle-time-out": "30 → 60"}
    hexadecimal = PYTHON.replace("= 256", "= 0x100").replace("LEASE_SECONDS = 5", "LEASE_SECONDS = 0x5")
    assert told(conf_py=(PYTHON, hexadecimal)) == {}
    assert told(conf_cpp=(CPP, CPP.replace("10000", "10'000").replace("5000 ", "8000 "))) == {
        "DEFAULT_TTL_MS": "5000 → 8000"
    }


def test_a_long_name_is_followed_to_another_class_and_a_short_one_is_not() -> None:
    after = PYTHON.replace("class Config", "class Memory").replace('"eager"', '"patient"').replace("= 256", "= 512")
    assert told(conf_py=(PYTHON, after)) == {"Memory.storage_stop_policy": '"eager" → "patient"'}


def test_nothing_becoming_something_elsewhere_is_no_change() -> None:
    after = PYTHON.replace("class Config", "class Memory").replace('= "eager"', "= None")
    assert told(conf_py=(PYTHON, after)) == {}
