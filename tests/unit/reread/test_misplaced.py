"""Each line is read in the file, the function and the engine that the form means, also where names are alike."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from tests.unit.trees import MemoryTree
from tracer.cited import Claim, claims_of
from tracer.evidence import judged
from tracer.files import Files
from tracer.model import Edge, EngineRevision, Path, Revision, Step
from tracer.pairs.balance import Holder, Leaving
from tracer.render import diagram, graphs, steps
from tracer.render import pairs as pair_texts
from tracer.render.text import plain
from tracer.reread import claims_in

QUEUE = """\
import other

LIMIT = other.limit()


def take(q):
    return q.pop()


@other.kept
def use(q):
    return take(q)
"""
FILES = {
    "toy/queue.py": QUEUE,
    "toy/use.py": "import toy.queue\n\ndef use(q):\n    x = 1\n    return toy.queue.take(q)\n",
    "toy/far/queue.py": "def far():\n    pass\n\n\ndef take(q):\n    return 1\n" + "\n" * 12 + "def end():\n    pass\n",
    "toy/main.py": "import sys\n\ndef main():\n    return 0\n\nsys.exit(main())\n",
    "src/x.cpp": 'int limit = other();\nint f() {\n  return g("a\\\\");\n}\n',
}
FAR = {"far/queue.py": "def send(q):\n    return 0\n\n\ndef take(q):\n    q.end()\n    return send(q)\n"}
SPECS = {"lmcache": "1.0"}


def _trees() -> Files:
    trees = {"lmcache": MemoryTree(FILES, "lmcache"), "mooncake": MemoryTree(FAR, "mooncake")}
    return Files(lambda engine, _version: trees[engine])


def _edges() -> list[Edge]:
    return [
        Edge("toy.queue.take", "q.pop", "call", "unresolved", "toy/queue.py", 7),
        Edge("toy.queue.take", "toy.queue.use", "call", "exact", "toy/queue.py", 12, via="return"),
        Edge("toy.queue.take", "toy.use.use", "call", "exact", "toy/use.py", 5, via="return"),
        Edge("other.kept.wrapper", "toy.queue.use", "callback", "exact", "toy/queue.py", 10),
        Edge("toy.queue", "other.limit", "call", "exact", "toy/queue.py", 3),
        Edge("toy.main", "toy.main.main", "call", "exact", "toy/main.py", 6),
        Edge("src/x.cpp", "other", "call", "unresolved", "src/x.cpp", 1),
        Edge("f", 'g("a\\\\")', "call", "unresolved", "src/x.cpp", 3),
    ]


@pytest.mark.parametrize("form", ["jsonl", "graphml", "dot"])
def test_an_edge_lies_in_the_function_that_it_starts_from_or_that_a_result_comes_back_to(form: str) -> None:
    files = _trees()

    def verdicts(edges: Iterable[Edge]) -> list[tuple[str, int, str]]:
        claims = claims_in("".join(graphs.write(edges, form)).encode(), files, SPECS)
        return sorted((v.claim.file, v.claim.first, v.status) for v in judged(claims, files))

    edges = _edges()
    assert verdicts(edges) == sorted((e.file, e.line, "ok") for e in edges)
    wrong = [
        Edge("toy.queue.take", "q.pop", "call", "unresolved", "toy/queue.py", 3),
        Edge("toy.queue.take", "toy.queue.use", "call", "exact", "toy/queue.py", 7, via="return"),
        Edge("toy.main.main", "sys.exit", "call", "exact", "toy/main.py", 6),
        Edge("toy.main", "sys.exit", "call", "exact", "toy/main.py", 7),
        Edge("f", "g", "call", "unresolved", "src/x.cpp", 1),
    ]
    assert verdicts(wrong) == sorted((e.file, e.line, "stale") for e in wrong)


def test_what_never_was_so_is_stale_also_where_it_is_read_in_a_named_version() -> None:
    edge = Edge("toy.queue.take", "q.pop", "call", "unresolved", "toy/queue.py", 3)
    claims = claims_in("".join(graphs.write([edge], "jsonl")).encode(), _trees(), SPECS)
    assert [v.status for v in judged(claims, _trees(), _trees())] == ["stale"]


WAY = Path(
    "path",
    "use → send",
    (
        Step("toy.use.use", "toy/use.py", 3, engine="lmcache"),
        Step("toy.far.queue.take", "toy/far/queue.py", 5, "call", "toy/use.py", 5, engine="lmcache"),
        Step("far.queue.take", "far/queue.py", 5, "rpc", "toy/far/queue.py", 6, engine="mooncake"),
        Step("far.queue.send", "far/queue.py", 1, "call", "far/queue.py", 7, engine="mooncake"),
    ),
    "complete",
)
ENGINES = [EngineRevision(name, "1.0", Revision("archive", "0", tag="v1.0")) for name in ("lmcache", "mooncake")]
MEANT = [
    ("lmcache", "toy/use.py", 3), ("lmcache", "toy/far/queue.py", 5), ("mooncake", "far/queue.py", 5),
    ("mooncake", "far/queue.py", 1), ("lmcache", "toy/use.py", 5), ("lmcache", "toy/far/queue.py", 6),
    ("mooncake", "far/queue.py", 7),
]  # fmt: skip


def _where(claims: Iterable[Claim]) -> list[tuple[str, str, int]]:
    return sorted((c.engine, c.file, c.first) for c in claims)


@pytest.mark.parametrize("form", ["json", "mermaid", "dot", "svg"])
def test_a_path_is_read_in_the_right_one_of_files_that_are_called_alike(form: str) -> None:
    if form == "svg" and diagram.drawer() is None:
        pytest.skip("no Graphviz here")
    files = _trees()
    if form == "json":
        engines = [{"name": e.name, "version": e.version} for e in ENGINES]
        claims = list(claims_of({"engines": engines, "paths": [steps.as_json(WAY)]}))
    else:
        claims = claims_in(diagram.render([WAY], form, ENGINES).encode(), files)
    assert _where(claims) == sorted(MEANT)
    assert {v.status for v in judged(claims, files)} == {"ok"}


@pytest.mark.parametrize("form", ["mermaid", "dot"])
def test_a_drawn_box_whose_function_is_gone_is_stale(form: str) -> None:
    gone = {**FILES, "toy/use.py": FILES["toy/use.py"].replace("def use", "def used")}
    tree = MemoryTree(gone, "lmcache")
    files = Files(lambda engine, _version: tree if engine == "lmcache" else MemoryTree(FAR, "mooncake"))
    claims = claims_in(diagram.render([WAY], form, ENGINES).encode(), files)
    stale = [v.claim.first for v in judged(claims, files) if v.claim.file == "toy/use.py" and v.status == "stale"]
    assert 3 in stale


HOLDERS = [
    Holder("toy.pairs.x", "toy.queue.use", "toy/queue.py", 11, "acquire", (), (
        Leaving(12, "return", "handed_over", 12, "its callers", ("toy/use.py", 5)),
        Leaving(7, "raise", "missing", 3, path=(3, 7)),
    )),
]  # fmt: skip


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_an_exit_is_of_the_function_that_holds_not_of_the_one_that_releases(form: str) -> None:
    write = pair_texts.text if form == "text" else pair_texts.markdown
    found = write(ENGINES[0], HOLDERS, (), every=True)
    printed = "\n".join(plain(line) if isinstance(line, tuple) else line for line in found)
    claims = claims_in(printed.encode(), _trees())
    own = {(c.file, c.first, c.symbol) for c in claims}
    assert {("toy/queue.py", 12, "use"), ("toy/queue.py", 7, "use"), ("toy/queue.py", 3, "use")} <= own
    assert ("toy/use.py", 5) in {place[:2] for place in own}
    assert not {place for place in own if place[0] == "toy/use.py" and place[1] != 5}


def test_a_page_in_chinese_cites_what_the_page_in_english_does() -> None:
    body = "<body><h2>lmcache 1.0</h2><ul><li>toy/use.py:5 <code>use</code></li></ul></body></html>"
    for lang in ("en", "zh"):
        page = f'<!doctype html><html lang="{lang}">{body}'
        assert _where(claims_in(page.encode(), _trees())) == [("lmcache", "toy/use.py", 5)]


def test_a_line_of_a_graph_may_hold_any_separator() -> None:
    row = {"source": "toy.queue.take", "target": "'\u2028\x0c'", "kind": "call", "file": "toy/queue.py", "line": 7}
    (claim,) = claims_in((json.dumps(row, ensure_ascii=False) + "\n").encode(), _trees(), SPECS)
    assert (claim.file, claim.first) == ("toy/queue.py", 7)


DIFF = """\
lmcache 0.9 (archive v0.9) → 1.0 (archive v1.0)
  claim   pair  toy.pairs.x  exits that miss a release: 6 → 0
    - toy/queue.py:11  use
        - return at 12 since 11
    + toy/queue.py:11  use
"""
TABLE = """\
## lmcache 0.9 (archive v0.9) → 1.0 (archive v1.0)

| what | 0.9 | 1.0 |
|---|---|---|
| **claim** exits: 6 → 0<br>pair | `toy/queue.py:11` `use`<br>`return at 12 since 11` | `toy/queue.py:11` `use` |
"""


@pytest.mark.parametrize("printed", [DIFF, TABLE])
def test_counts_are_no_lines_and_lines_are_of_the_version_that_they_are_said_of(printed: str) -> None:
    claims = claims_in(printed.encode(), _trees())
    assert sorted((c.version, c.first) for c in claims) == [("0.9", 11), ("0.9", 11), ("0.9", 12), ("1.0", 11)]


def test_a_change_for_editors_is_of_the_function_that_it_names_not_of_those_in_its_code() -> None:
    printed = (
        "toy/queue.py:12:5: warning: claim: pair; use; exits: 6 → 0; was `return at 7 since 6` [diff.claim]\n"
        "toy/use.py:5:5: warning: added: lookup; use; a new function; is `queue.take().end(q)` [diff.added]\n"
    )
    claims = claims_in(printed.encode(), _trees(), SPECS)
    assert [(c.file, c.first, c.symbol) for c in claims] == [("toy/queue.py", 12, "use"), ("toy/use.py", 5, "use")]


def test_a_document_cites_the_lines_that_it_names_in_words() -> None:
    told = [
        "called from use.use (toy/use.py:5) only if not (a in b)", "run by rpc from queue.use (toy/queue.py:12)",
        "call → far.take (toy/far/queue.py:5)", "return at 12 since 11", "if x (1):", "stops: 3 functions",
    ]  # fmt: skip
    end = {"symbol": "toy.queue.use", "file": "toy/queue.py", "def_line": 11, "first": 11, "last": 11, "text": told}
    document = {"engines": [{"name": "lmcache", "version": "1.0"}], "changes": [{"what": "site", "after": end}]}
    found = {(c.file, c.first, c.symbol) for c in claims_of(document)}
    assert found == {
        ("toy/queue.py", 11, "toy.queue.use"), ("toy/queue.py", 12, "toy.queue.use"), ("toy/use.py", 5, "use.use"),
        ("toy/queue.py", 12, "queue.use"), ("toy/far/queue.py", 5, "far.take"),
    }  # fmt: skip


def test_a_word_of_a_rule_is_no_symbol() -> None:
    page = (
        "<!doctype html><html lang='en'><h2>lmcache 1.0</h2><p>lmcache.completion.far-take · typed ·"
        "<a href='https://example.org/t/blob/v1.0/toy/queue.py#L12'>Open at the use</a></p>"
    )
    claims = claims_in(page.encode(), _trees())
    assert [(c.file, c.first, c.symbol) for c in claims] == [("toy/queue.py", 12, "use")]
    claims = claims_in(page.replace("#L12", "#L3").encode(), _trees())
    assert [(v.claim.symbol, v.status) for v in judged(claims, _trees())] == [("", "ok")]
    printed = b"lmcache 1.0  (archive v1.0)\n  toy/queue.py:12  [typed]  (lmcache.completion.far-take)\n"
    assert [v.status for v in judged(claims_in(printed, _trees()), _trees())] == ["ok"]
