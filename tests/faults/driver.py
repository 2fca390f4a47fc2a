"""What the fault tests kill, starve and run beside itself: one question about a folder, from source to document.

`python -m tests.faults.driver where FOLDER` prints the JSON answer, `graph FOLDER` every edge, `discover FOLDER` what
the generic rules propose, `diff FOLDER` what changed since a version with half of its modules, `atlas FOLDER` writes
`FOLDER/site`. It is the pipeline itself, on a folder of no known engine (the atlas: on an invented engine).
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from tracer import diff as differences
from tracer import stages, trace
from tracer.checkout.folder import FolderTree, any_target
from tracer.diff.subject import Subject
from tracer.errors import TracerError
from tracer.graph import whole
from tracer.render import changes, graphs
from tracer.render import json as documents
from tracer.survey import survey
from tracer.survey.store import Store
from tracer.targets import Version

RULES = """
- id: toy.publish.blocks
  role: publish
  layer: host
  state: Pool.blocks
  why: A block enters what lookups read.
  actions:
    commit: {op: insert}
    unpublish: {op: remove}
"""


def make(place: Path, files: int) -> None:
    """A folder of `files` modules that call each other in a ring, and the rules for it."""
    (place / "src").mkdir(parents=True)
    for n in range(files):
        (place / "src" / f"m{n}.py").write_text(
            f"from m{(n + 1) % files} import use as after\n\n\nclass Pool:\n    def __init__(self):\n"
            "        self.blocks = {}\n\n    def commit(self, key, block):\n        self.blocks[key] = block\n\n"
            "    def drop(self, key):\n        del self.blocks[key]\n\n"
            "    def look(self, key):\n        return self.blocks.get(key)\n\n\ndef use(pool: Pool):\n"
            + "".join(f"    pool.commit({k}, {k})\n" for k in range(20))
            + "    after(pool)\n",
            "utf-8",
        )
    (place / "older").mkdir()
    for n in range(0, files, 2):
        text = (place / "src" / f"m{n}.py").read_text("utf-8").replace("[key] = block", "[key] = None")
        (place / "older" / f"m{n}.py").write_text(text, "utf-8")
    (place / "rules" / "toy").mkdir(parents=True)
    (place / "rules" / "toy" / "publish.yaml").write_text(RULES, "utf-8")


def where(place: Path) -> str:
    """The answer to `where publish` as its JSON document."""
    target = any_target("toy")
    tree = FolderTree(place / "src", target, "1.0")
    with contextlib.closing(Store()) as store:
        found = stages.where_tree("publish", target, Version("1.0"), tree, (place / "rules",), store, None)
    return documents.dumps(documents.where([found]))


def graph(place: Path) -> str:
    """Every edge, a line each."""
    target = any_target("toy")
    tree = FolderTree(place / "src", target, "1.0")
    with contextlib.closing(Store()) as store:
        survey(tree, store)
        kept = list(whole.batches([(tree, target)], store, None))
    return "\n".join(graphs.write(whole.unpacked(kept), "jsonl"))


def discover(place: Path) -> str:
    """What the generic rules propose."""
    return documents.dumps(documents.where([trace.discover(str(place / "src"))]))


def diff(place: Path) -> str:
    """What changed from the older half of the modules."""
    target = any_target("toy")
    sides = [
        Subject(target, Version(v), FolderTree(place / f, target, v)) for f, v in (("older", "0.9"), ("src", "1.0"))
    ]
    return documents.dumps(changes.document(differences.diff(*sides, rules=(place / "rules",))))


def atlas(place: Path) -> str:
    """The pages of an invented engine in `place`/site."""
    from tests.browser.depot import atlas_of
    from tracer.render.atlas import build

    built = build(atlas_of(place / "rules"), place / "site")
    return f"{built.files} files\n"


def main(command: str, place: str) -> int:
    """Print an answer; an error is one line, as the command line does it."""
    try:
        sys.stdout.write(ASK[command](Path(place)))
    except TracerError as error:
        print(f"tracer: {error}", file=sys.stderr)
        return error.exit_code
    return 0


ASK = {"where": where, "graph": graph, "discover": discover, "diff": diff, "atlas": atlas}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
