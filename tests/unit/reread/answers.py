"""An invented engine, asked every question, and every form in which the answers are printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

from tests.unit.worlds import MemoryTree
from tracer.answers import uses
from tracer.cited import sealed
from tracer.diff import Subject as Side
from tracer.diff import diff
from tracer.graph.edges import Edges
from tracer.graph.hops import Hops
from tracer.graph.uses import Uses
from tracer.graph.world import World
from tracer.model import Revision, SourceTree, digest_of
from tracer.pairs.again import givers
from tracer.pairs.balance import judge
from tracer.pairs.order import Orders
from tracer.pairs.rules import pair_rules
from tracer.paths.drives import Drives
from tracer.paths.follow import Paths
from tracer.paths.relay import Relay
from tracer.paths.stations import Stations
from tracer.render import (
    changes,
    changes_html,
    diagram,
    findings,
    graphs,
    notebook,
    quality,
    reach,
    report,
    sarif,
    steps,
    text,
)
from tracer.render import json as documents
from tracer.render import pairs as pair_texts
from tracer.render.atlas import Atlas, build, subject_of
from tracer.render.scip import index
from tracer.render.text import plain
from tracer.survey import survey
from tracer.survey.store import Store
from tracer.targets import Target, Version

POOL = '''
import queue
import threading


class Block:
    def __init__(self, key):
        self.key = key
        self.pins = 0


class Pool:
    """What lookups read."""

    def __init__(self):
        self.blocks = {}
        self.done = queue.Queue()
        threading.Thread(target=self.loop).start()

    def commit(self, key, block):
        if key in self.blocks:
            return False
        self.blocks[key] = block
        self.done.put(key)
        return True

    def pin(self, key, copy):
        block = self.blocks.get(key)
        if block is None:
            return None
        block.pins += 1
        if not copy(block):
            return None
        self.unpin(block)
        return block

    def unpin(self, block):
        block.pins -= 1

    def drop(self, key):
        del self.blocks[key]

    def loop(self):
        while True:
            self.finish(self.done.get_nowait())

    def finish(self, key):
        self.drop(key)
'''
ENGINE = '''
from toy.pool import Block, Pool


def save(pool: Pool, keys):
    for key in keys:
        pool.commit(key, Block(key))


def clean(pool: Pool, key):
    pool.drop(key)
    pool.commit(key, None)
'''
FILES = {"toy/pool.py": POOL.lstrip("\n"), "toy/engine.py": ENGINE.lstrip("\n")}
_CHECK = "        if block is None:\n            return None\n        block.pins"
OLDER = {**FILES, "toy/pool.py": FILES["toy/pool.py"].replace(_CHECK, "        block.pins")}
RULES = {
    "toy/roles.yaml": """
        - id: toy.publish.blocks
          role: publish
          layer: host
          state: Pool.blocks
          why: A block enters what lookups read.
          actions: {commit: {op: insert}, unpublish: {op: remove}}
        - id: toy.protection.pins
          role: protection
          layer: host
          state: Block.pins
          why: A pinned block is not dropped.
          actions: {acquire: {op: augment+}, release: {op: augment-}}
    """,
    "pairs/toy.yaml": """
        - id: toy.pairs.pins
          role: protection
          layer: host
          why: A pinned block is never dropped.
          acquire: {op: augment+, state: Block.pins}
          release: {op: augment-, state: Block.pins}
    """,
}
TARGET = Target("toy", "Toy", "https://example.org/toy", ("",), packages={"": ""})


class ToyTree(MemoryTree):
    """The engine in one version, as if from an archive."""

    engine = "toy"

    def __init__(self, files: Mapping[str, str], version: str) -> None:
        super().__init__(files)
        self.version = version
        self.revision = Revision("archive", digest_of(repr(sorted(files.items()))), tag=f"v{version}", url="https://example.org/toy")


def forms(place: Path) -> tuple[dict[str, bytes], Callable[[str, str], SourceTree]]:
    """Name → what is printed, for every form; and the trees it is made from."""
    for name, rule in RULES.items():
        (place / "rules" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "rules" / name).write_text(dedent(rule), "utf-8")
    rules = (place / "rules",)
    now, before = ToyTree(FILES, "2.0"), ToyTree(OLDER, "1.0")

    def trees(_engine: str, version: str) -> SourceTree:
        return before if version == "1.0" else now

    subject = subject_of(TARGET, Version("2.0"), now, rules=rules)
    older = subject_of(TARGET, Version("1.0"), before, rules=rules)
    trace, engine = subject.trace, subject.engine
    world = World([(survey(now, Store(Path(":memory:"))), TARGET)])
    hops = Hops(Edges(Uses(world)))
    stations = Stations(hops, lambda _role: ())
    holders, gaps = judge(world, pair_rules("all", "toy", "2.0", rules))
    given = givers(world, pair_rules("all", "toy", "2.0", rules))
    orders = tuple(Orders(world, "toy", "2.0", rules).between("Pool.drop", "Pool.commit", 3, ""))
    ways = Paths(hops, lambda _role: ()).between("toy.engine.save", "Pool.finish", 1, (), {})
    carriers = Relay(hops).of(stations.places("Pool.commit"))
    driven = Drives(hops, stations).of("Pool.drop", 40)
    used = uses(world, "Pool.blocks", "all")
    changed = diff(Side(TARGET, Version("1.0"), before), Side(TARGET, Version("2.0"), now), rules=rules)
    edges = list(hops.edges.all())

    def document(found: dict[str, Any]) -> str:
        return documents.dumps(sealed(found, trees))

    def lines(found: Any) -> str:
        return "\n".join(plain(line) if isinstance(line, tuple) else line for line in found) + "\n"

    path = documents.head("path", [engine]) | {"paths": [steps.as_json(p) for p in ways]}
    made: dict[str, str | bytes] = {
        "where.json": document(documents.where([trace])),
        "where.txt": lines(text.where([trace], guards=True)),
        "where.md": lines(text.where_markdown([trace], guards=True)),
        "where.lines": lines(findings.lines(findings.of_sites([trace]), [now])),
        "where.scip": index([trace], [now]),
        "where.html": notebook.html(documents.where([trace])),
        "uses.json": document(documents.uses(engine, used, ())),
        "uses.txt": lines(text.uses(engine, used, ())),
        "uses.md": lines(text.uses_markdown(engine, used, ())),
        "pairs.json": document(pair_texts.document(engine, holders, gaps, given)),
        "pairs.txt": lines(pair_texts.text(engine, holders, gaps, every=True)),
        "pairs.md": lines(pair_texts.markdown(engine, holders, gaps, every=True)),
        "pairs.lines": lines(findings.lines(findings.of_pairs(holders), [now], more=True)),
        "pairs.quality": documents.dumps(quality.report(findings.of_pairs(holders))),  # type: ignore[arg-type]
        "pairs.sarif": documents.dumps(sarif.log("pairs", [engine], {}, findings.of_pairs(holders))),
        "order.json": document(pair_texts.order_document(engine, "Pool.drop", "Pool.commit", orders)),
        "order.txt": lines(pair_texts.order_text(engine, "Pool.drop", "Pool.commit", orders)),
        "path.json": document(path),
        "path.txt": steps.text(ways, [engine]),
        "path.mmd": diagram.render(ways, "mermaid", [engine]),
        "path.dot": diagram.render(ways, "dot", [engine]),
        "path.html": notebook.html(path),
        "relay.json": document(reach.relay_json([engine], carriers)),
        "relay.txt": lines(reach.relay(carriers, [engine])),
        "drives.json": document(reach.drives_json([engine], driven)),
        "drives.txt": lines(reach.drives(driven, [engine])),
        "diff.json": document(changes.document(changed)),
        "diff.txt": lines(changes.text(changed)),
        "diff.md": lines(changes.markdown(changed)),
        "diff.html": changes_html.page(changed, None),
        "graph.jsonl": "".join(graphs.write(edges, "jsonl")),
        "graph.graphml": "".join(graphs.write(edges, "graphml")),
        "graph.dot": "".join(graphs.write(edges, "dot")),
    }
    for form in ("md", "html"):
        pages = report.make("publish", [report.Subject(trace, now)], form=form)
        made |= {f"report.{form}/{name}": page for name, page in pages.files.items()}
    build(Atlas([subject], older=[(older, subject)], rules=rules), place / "site")
    for file in sorted((place / "site").rglob("*.html")):
        made[f"atlas/{file.relative_to(place / 'site')}"] = file.read_bytes()
    return {name: page.encode() if isinstance(page, str) else page for name, page in made.items()}, trees


__all__ = ["FILES", "ToyTree", "forms"]
