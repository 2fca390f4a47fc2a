"""An invented path of 17 steps over two engines, with every kind of crossing and names meant to do harm."""

from __future__ import annotations

from pathlib import Path as Folder
from textwrap import dedent

from tests.browser.depot import DepotTree
from tracer.model import Path, Site, Step, Trace
from tracer.render.atlas import Atlas, Subject
from tracer.stages import revision
from tracer.targets import Target, Version
from tracer.walks.model import Tour
from tracer.walks.tour import Source, tour

HOSTILE = "<img src=x onerror=window.hurt=1>"
EDGES = (
    "call", "dynamic", "thread", "state", "rpc", "callback", "binding", "async", "device", "process", "call", "call",
    "rpc", "call", "dynamic", "call",
)  # fmt: skip
_BODY = '''
def step_{n}(self, deadline):
    """Step {n}. </script>{hostile}"""
    if self.aborted:
        return
    if self.clock() > deadline:
        raise TimeoutError("{hostile}")
    self.index[self.key] = self
    step_{next}(self, deadline)
'''


def _file(numbers: range) -> str:
    return "".join(_BODY.format(n=n, next=n + 1, hostile=HOSTILE) for n in numbers)


FILES = {"near/一步.py": _file(range(1, 7)), "far/<b>.py": _file(range(7, 18))}
LENGTH = 9  # lines of one step: its body, and the blank one behind it


def line_of(number: int, row: int = 1) -> int:
    """The line of the `row`th row of a step's function in its file."""
    return (number if number < 7 else number - 6) * LENGTH - LENGTH + row


def _step(n: int) -> Step:
    file, engine = ("near/一步.py", "near") if n < 7 else ("far/<b>.py", "far")
    module = "near.一步" if n < 7 else "far.<b>"
    before = ("near/一步.py" if n < 8 else "far/<b>.py", line_of(n - 1, 8)) if n > 1 else ("", 0)
    return Step(
        f"{module}.step_{n}", file, line_of(n), EDGES[n - 2] if n > 1 else "", *before,
        basis="declared", engine=engine, others=3 if n == 3 else 0,
    )  # fmt: skip


def _subject(name: str) -> Subject:
    files = {k: v for k, v in FILES.items() if k.startswith(name)}
    tree = DepotTree(files, "1.0")
    tree.engine = name
    sites = tuple(
        Site(f"{name}.publish.{HOSTILE}", "publish", "commit", "host", s.symbol, s.file, s.def_line,
             s.def_line + 6, s.def_line + 6, "", "exact")
        for s in map(_step, (6, 17)) if s.engine == name
    )  # fmt: skip
    target = Target(name, name.title(), "https://example.org/" + name, ("",), packages={"": ""})
    return Subject(target, Version("1.0", released="1.0"), tree, Trace((revision(tree),), sites))


def tour_of() -> tuple[Tour, list[Subject]]:
    """The tour and its engines."""
    subjects = [_subject("near"), _subject("far")]
    sources = {s.target.name: Source(s.engine, s.target, s.tree, s.sites) for s in subjects}
    path = Path("path", f"从这里 → {HOSTILE}", tuple(map(_step, range(1, 18))), "complete")
    return tour(path, sources), subjects


def atlas_of(rules: Folder) -> Atlas:
    """An atlas that shows this path; the engines have no rules of their own."""
    for name in ("near", "far"):
        folder = rules / "questions" / name
        folder.mkdir(parents=True)
        (folder / "all.yaml").write_text(dedent("claims: []\nanswers: {}\nfaults: {}\n"), encoding="utf-8")
    found, subjects = tour_of()
    return Atlas(subjects, tours=[found], rules=[rules])
