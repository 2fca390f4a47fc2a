"""The target file of an engine that nobody has described: drafted, read, pinned and asked."""

from __future__ import annotations

from pathlib import Path

import pytest

import tracer.trace as pipeline
from tests.unit.checkout import sources
from tests.unit.checkout.sources import Server
from tracer import checkout, targets
from tracer.checkout import draft_target
from tracer.errors import UsageError
from tracer.rules import rules_for

HOME = "Metadata-Version: 2.1\nName: fresh-kv\nProject-URL: Source, https://github.com/some/fresh.git\n"
INDEX = """\
class Index:
    def __init__(self):
        self.map = {}

    def put(self, k, v):
        self.map[k] = v
"""
FILES = {
    "PKG-INFO": HOME,
    "setup.py": "",
    "src/fresh/__init__.py": "",
    "src/fresh/index.py": INDEX,
    "csrc/copy.cu": "void copy() {}\n",
    "tests/test_index.py": "",
    "docs/conf.py": "",
}
RULE = """\
- id: fresh.publish.map
  role: publish
  layer: host
  state: Index.map
  why: the key becomes visible
  actions: {commit: {op: insert}}
"""


def published(server: Server, tmp_path: Path, files: dict[str, str] = FILES) -> None:
    made = [
        sources.sdist(tmp_path / f"fresh_kv-{v}.tar.gz", files, top=f"fresh_kv-{v}/") for v in ("0.9", "1.2", "2.0rc1")
    ]
    server.index("fresh-kv", *made)


def test_a_draft_can_be_asked_by_name_with_rules_of_ones_own(server: Server, tmp_path: Path) -> None:
    published(server, tmp_path)
    place = draft_target("fresh", "fresh-kv")
    made = targets.target("fresh")
    assert place == targets.user_file("fresh")
    assert (made.roots, made.url, made.by_name) == (("csrc", "src/fresh"), "https://github.com/some/fresh", True)
    assert [v.name for v in made.versions] == ["1.2"]  # the newest that is no pre-release
    assert targets.module_of(made, "src/fresh/index.py") == "fresh.index"
    assert "fresh" in targets.names()
    assert "fresh" not in targets.defaults()
    tree = checkout.fetch(*targets.parse_spec("fresh"), source="archive")
    assert [f.path for f in tree.files()] == ["csrc/copy.cu", "src/fresh/__init__.py", "src/fresh/index.py"]
    rules = tmp_path / "rules" / "fresh"
    rules.mkdir(parents=True)
    (rules / "publish.yaml").write_text(RULE)
    assert rules_for("fresh", "1.2", (rules.parent,))
    (site,) = pipeline.where("publish", ["fresh"], rules=(rules.parent,)).sites
    assert (site.file, site.first, site.symbol) == ("src/fresh/index.py", 6, "fresh.index.Index.put")


def test_another_version_of_a_drafted_engine_is_pinned_beside_it(server: Server, tmp_path: Path) -> None:
    published(server, tmp_path)
    draft_target("fresh", "fresh-kv", url="https://127.0.0.1:9/a/b")
    checkout.add_pin("fresh", "0.9")
    made = targets.target("fresh")
    assert {v.name for v in made.versions} == {"0.9", "1.2"}
    assert made.roots == ("csrc", "src/fresh")


def test_what_cannot_be_drafted_is_one_line_with_a_way_out(server: Server, tmp_path: Path) -> None:
    server.index("fresh-kv")
    with pytest.raises(UsageError, match="no archive of 'fresh-kv'"):
        draft_target("fresh", "fresh-kv")
    published(server, tmp_path, {**FILES, "PKG-INFO": "Name: fresh-kv\n"})
    with pytest.raises(UsageError, match="name its web address with --url"):
        draft_target("fresh", "fresh-kv")
    published(server, tmp_path, {"PKG-INFO": HOME, "tests/a.py": "", "setup.py": ""})
    with pytest.raises(UsageError, match="holds no source under a folder"):
        draft_target("fresh", "fresh-kv")
    with pytest.raises(UsageError, match="is an engine 'vllm' already"):
        draft_target("vllm", "fresh-kv")
    with pytest.raises(UsageError, match="is no engine's name"):
        draft_target("../fresh", "fresh-kv")
    assert not targets.user_file("fresh").exists()


def test_a_targets_file_of_ones_own_that_follows_no_schema_is_named(tmp_path: Path) -> None:
    own = targets.user_file("fresh")
    own.parent.mkdir(parents=True)
    own.write_text("name: fresh\nroots: [/etc]\n")
    with pytest.raises(UsageError, match=r"fresh\.yaml"):
        targets.target("fresh")
