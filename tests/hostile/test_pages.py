"""A repository of hostile names and texts through the whole pipeline: every format that a reader or a program opens."""

from __future__ import annotations

import html.parser
import json
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hostile import corpus
from tracer import stages
from tracer.checkout.folder import FolderTree, any_target
from tracer.evidence import counts, verify
from tracer.graph import whole
from tracer.model import Path as Way
from tracer.model import Site, Step, Trace
from tracer.render import diagram, findings, graphs, sarif, text
from tracer.render import json as documents
from tracer.render.report import Subject, make
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
- id: toy.protection.refs
  role: protection
  layer: host
  state: Pool.refs
  why: A used block is not dropped.
  actions:
    acquire: {op: augment+}
    release: {op: augment-}
"""


@dataclass
class Asked:
    place: Path
    tree: FolderTree
    trace: Trace
    store: Store


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """All roles of a folder in which every file name and every text of the corpus occurs."""
    place = tmp_path_factory.mktemp("hostile")
    patch = pytest.MonkeyPatch()
    patch.setenv("TRACER_CACHE_DIR", str(place / "cache"))
    patch.chdir(place)
    texts = list(corpus.TEXTS.values())
    (place / "src").mkdir()
    for number, name in enumerate(corpus.FILE_NAMES):
        (place / "src" / name).write_bytes(corpus.pool(texts[number % len(texts)]).encode("utf-8", "surrogatepass"))
    (place / "rules" / "toy").mkdir(parents=True)
    (place / "rules" / "toy" / "roles.yaml").write_text(RULES, "utf-8")
    target = any_target("toy")
    tree = FolderTree(place / "src", target, "1.0")
    store = Store()
    trace = stages.where_tree("all", target, Version("1.0"), tree, (place / "rules",), store, None)
    yield Asked(place, tree, trace, store)
    patch.undo()


class Tags(html.parser.HTMLParser):
    """The elements and event handlers that a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.links: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen |= {tag, *(name for name, _ in attrs if name.startswith("on"))}
        self.links |= {str(value) for name, value in attrs if name in ("href", "src", "xlink:href")}


def harmless(page: str) -> None:
    tags = Tags(page)
    bad = {"img", "script", "svg", "style", "iframe", "object"} & tags.seen
    assert not bad and not any(tag.startswith("on") for tag in tags.seen), tags.seen
    assert not any(link.lower().startswith(("javascript:", "http://127")) for link in tags.links)


def rendered(markdown: str) -> str:
    """Markdown as a code host renders it, with raw HTML passed through: the worst that a renderer may do."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)


def test_every_name_that_can_be_shown_has_its_sites_and_every_other_is_a_gap(asked: Asked) -> None:
    read = {f.path for f in asked.tree.files()}
    refused = {g.what for g in asked.tree.gaps}
    assert len(read) + len(refused) == len(corpus.FILE_NAMES)
    assert {s.file for s in asked.trace.sites} == read
    assert {(s.role, s.action) for s in asked.trace.sites} == {
        ("publish", "commit"), ("publish", "unpublish"), ("protection", "acquire"), ("protection", "release"),
    }  # fmt: skip
    assert all(any(c in gap.what for gap in asked.tree.gaps) for c in ("\\", "gnp")), "named, not passed over"


def test_all_of_its_evidence_is_found_again(asked: Asked) -> None:
    document = documents.where([asked.trace])
    verdicts = verify(document, lambda _name, _version: asked.tree)
    assert counts(verdicts) == {"ok": len(asked.trace.sites), "moved": 0, "stale": 0, "unread": 0}
    json.loads(documents.dumps(document))


def test_nothing_of_it_was_run_or_written(asked: Asked) -> None:
    assert sorted(p.name for p in asked.place.iterdir()) == ["cache", "rules", "src"]
    assert not (asked.place / corpus.PWNED).exists()


def test_a_terminal_is_told_nothing_that_it_obeys(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    from tracer.cli.console import write_styled

    write_styled(text.where([asked.trace], guards=True))
    shown = capsys.readouterr().out
    assert {c for c in shown if c != "\n" and not c.isprintable()} == set()
    assert "⟨U+202E⟩" in shown and "⟨U+0430⟩" in shown, "what deceives is written out"


def test_a_report_renders_without_any_markup_of_the_source(asked: Asked) -> None:
    report = make("all", [Subject(asked.trace, asked.tree)])
    pages = [page for name, page in report.files.items() if name.endswith(".md")]
    assert len(pages) == 2 and any("alert(1)" in page for page in pages), "the text is there, as text"
    for page in pages:
        harmless(rendered(page))
        assert "\u202e" not in page and "\x1b" not in page


def _way(sites: tuple[Site, ...]) -> Way:
    steps = [Step(s.symbol, s.file, s.def_line, "call", s.file, s.first, "exact") for s in sites]
    return Way("<b>x</b>", corpus.MARKUP, tuple(steps), "complete")


@pytest.mark.parametrize("form", ["dot", "svg", "mermaid"])
def test_a_drawing_holds_names_as_text(form: str, asked: Asked) -> None:
    drawn = diagram.render([_way(asked.trace.sites)], form)
    if form == "svg":
        tree = ET.fromstring(drawn)
        tags = {e.tag.rpartition("}")[2] for e in tree.iter()}
        assert not tags & {"script", "img", "image", "foreignObject", "iframe"}
        links = [v for e in tree.iter() for k, v in e.attrib.items() if k.endswith("href")]
        assert not any(v.lower().startswith("javascript") for v in links)
    elif form == "dot":
        assert 'URL="javascript' not in drawn.replace('\\"', "")
    else:
        assert "<img" not in drawn and "<script" not in drawn and "click a" not in drawn


@pytest.mark.parametrize("form", ["jsonl", "graphml", "dot"])
def test_a_graph_of_it_stays_well_formed(form: str, asked: Asked) -> None:
    kept = list(whole.batches([(asked.tree, any_target("toy"))], asked.store, None))
    written = "\n".join(graphs.write(whole.unpacked(kept), form))
    if form == "jsonl":
        assert all(json.loads(line)["file"] for line in written.splitlines() if line)
    elif form == "graphml":
        ET.fromstring(written)
    else:
        assert written.startswith("digraph")


def test_lines_for_editors_and_documents_for_code_hosts_hold_one_finding_each(asked: Asked) -> None:
    found = findings.of_sites([asked.trace])
    lines = list(findings.lines(found, [asked.tree]))
    assert len(lines) == len(asked.trace.sites)
    assert all(line.isprintable() for line in lines)
    told = {f.rule: sarif.RuleText("a rule") for f in found}
    log = sarif.log("where", asked.trace.engines, told, found)
    uris = {
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for run in log["runs"] for r in run["results"]
    }
    assert {c for uri in uris for c in uri if c in " <>\"{}|^`\\"} == set(), "addresses are quoted"
    assert not any(uri.startswith(("/", "../")) for uri in uris)
