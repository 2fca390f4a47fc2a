"""An invented engine in two versions, with rules, pairs, answers and faults of its own, and names meant to do harm.

`atlas_of(folder)` writes its rules into `folder` and gives the atlas of it. Nothing here is anybody's code.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from tests.unit.worlds import MemoryTree
from tracer.model import Revision, digest_of
from tracer.render.atlas import Atlas, Subject, subject_of
from tracer.targets import Target, Version

HOSTILE_FILE = "depot/<img src=x onerror=alert(1)>.py"
HOSTILE_TEXT = "</script><img src=x onerror=window.hurt=1>"

INDEX = '''
"""The index of cached blocks."""
import threading


class Block:
    def __init__(self, key):
        self.key = key
        self.pins = 0


class Index:
    """What a lookup reads."""

    def __init__(self):
        self._blocks = {}
        self._staged = {}
        self._lock = threading.Lock()

    def reserve(self, key, block):
        with self._lock:
            self._staged[key] = block

    def commit(self, key):
        with self._lock:
            block = self._staged.pop(key, None)
            if block is None:
                return False
            self._blocks[key] = block
            return True

    def pin(self, key):
        block = self._blocks.get(key)
        if block is None:
            return None
        block.pins += 1
        return block

    def unpin(self, block):
        block.pins -= 1

    def drop(self, key):
        block = self._blocks[key]
        if block.pins > 0:
            return False
        del self._blocks[key]
        return True
'''
ENGINE = '''
from depot.index import Block, Index


class Engine:
    def __init__(self, index: Index):
        self.index = index
        self.done = []

    def save(self, key):
        self.index.reserve(key, Block(key))
        if self.index.commit(key):
            self.done.append(key)

    def load(self, key, copy):
        block = self.index.pin(key)
        if block is None:
            return False
        if not copy(block):
            return False
        self.index.unpin(block)
        return True


def serve(engine: Engine, keys):
    for key in keys:
        engine.save(key)
'''
OLDER = INDEX.replace("            self._blocks[key] = block\n", "            self._blocks.update({key: block})\n")
HOSTILE = f'''
from depot.index import Index


def sneak(index: Index, key, block):
    """{HOSTILE_TEXT}"""
    note = "{HOSTILE_TEXT}  \u202e\u2028 onerror=alert(2)"
    if note == "<b>{{{{ 7 * 7 }}}}</b>":
        index._blocks[key] = block
'''
FILES = {"depot/index.py": INDEX, "depot/engine.py": ENGINE, HOSTILE_FILE: HOSTILE}
RULES: Mapping[str, str] = {
    "depot/publish.yaml": """
        - id: depot.publish.index
          role: publish
          layer: host
          state: Index._blocks
          why: {en: A block enters the index that lookups read., zh: 块进入查询所读的索引。}
          actions:
            commit: {op: insert}
            unpublish: {op: remove}
          expect: {commit: ">=1", unpublish: ">=1"}
        - id: depot.publish.staged
          role: publish
          layer: host
          state: Index._staged
          why: {en: "A block is set aside <b>first</b>.", zh: 块先放在一旁。}
          actions:
            reserve: {op: insert}
          expect: {reserve: ">=5"}
    """,
    "depot/protection.yaml": """
        - id: depot.protection.pins
          role: protection
          layer: host
          state: Block.pins
          why: {en: A pinned block is not dropped., zh: 被 pin 的块不会被丢弃。}
          actions:
            acquire: {op: augment+}
            release: {op: augment-}
          expect: {acquire: ">=1", release: ">=1"}
    """,
    "pairs/depot.yaml": """
        - id: depot.pairs.pins
          role: protection
          layer: host
          why: {en: A pin is given back., zh: pin 要归还。}
          acquire: {op: augment+, state: Block.pins}
          release: {op: augment-, state: Block.pins}
    """,
    "questions/depot/all.yaml": """
        claims:
          - id: depot.commit-after-staging
            text: {en: A block is staged before it is committed., zh: 块先暂存，后提交。}
            exists: {op: remove, state: Index._staged, with: {op: insert, state: Index._blocks}}
          - id: depot.never-true
            text: {en: Pins are written by nobody., zh: 没有人写 pin。}
            absent: {what: {op: augment+, state: Block.pins}}
        answers:
          Q8:
            says:
              - {en: Publishing is one step under a lock., zh: 发布是锁内的一步。, claims: [depot.commit-after-staging]}
              - {en: Nobody pins., zh: 没有人 pin。, claims: [depot.never-true]}
            unless:
              - {en: The lock is per process., zh: 锁只在进程内。, claims: [depot.commit-after-staging]}
        faults:
          two-writers:
            handled:
              detects: {en: The lock of the index., zh: 索引的锁。, claims: [depot.commit-after-staging]}
              memory: {en: The later replaces the earlier., zh: 后者替换前者。, claims: [depot.commit-after-staging]}
              request: {en: Both go on., zh: 两者都继续。, claims: [depot.commit-after-staging]}
    """,
}


class DepotTree(MemoryTree):
    """Depot in one version, as if read from a git repository."""

    engine = "depot"

    def __init__(self, files: Mapping[str, str], version: str) -> None:
        super().__init__(files)
        self.version = version
        self.revision = Revision("git", digest_of(repr(sorted(files.items()))), "c0ffee" + "0" * 34, f"v{version}")


def write_rules(folder: Path) -> Path:
    """The rules as files below `folder`, for `--rules`."""
    for name, text in RULES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
    return folder


def subject(rules: Path, version: str = "2.0", files: Mapping[str, str] | None = None) -> Subject:
    """Depot in one version with its sites."""
    target = Target("depot", "Depot", "https://example.org/depot", ("",), packages={"": ""})
    return subject_of(target, Version(version, released=version), DepotTree(files or FILES, version), rules=[rules])


def atlas_of(rules: Path, **options: object) -> Atlas:
    """The atlas of depot 2.0, compared with 1.0."""
    write_rules(rules)
    now = subject(rules)
    before = subject(rules, "1.0", {**FILES, "depot/index.py": OLDER})
    return Atlas([now], older=[(before, now)], rules=[rules], **options)  # type: ignore[arg-type]
