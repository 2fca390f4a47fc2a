"""The atlas: a static site about some engines, which opens from a folder.

`gather.py` asks once for all that is shown; each module of `pages/` makes the pages of one kind from it (`kinds.py`
lists them); `frame.py` renders a page, `writer.py` writes what changed. Templates, styles, scripts and words lie in
reports/atlas/.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import tracer
from tracer.render.atlas import frame, writer
from tracer.render.atlas.gather import Atlas, Subject, subject_of
from tracer.render.atlas.kinds import KINDS
from tracer.render.atlas.page import Page
from tracer.render.atlas.pages import home
from tracer.render.atlas.writer import Built
from tracer.render.grouping import revision_text, version_text

__all__ = ["Atlas", "Built", "Subject", "build", "pages", "subject_of"]


def build(atlas: Atlas, out: Path) -> Built:
    """Write the site of `atlas` into the folder `out`; only pages whose data changed are made again."""
    nav = [entry for kind in KINDS for entry in kind.nav(atlas)]
    engines = [
        {
            "name": s.target.name,
            "version": version_text(s.tree.version),
            "revision": revision_text(s.engine),
            "digest": s.tree.revision.digest,
        }
        for s in atlas.subjects
    ]
    return writer.write(pages(atlas), frame.common(atlas.language, nav, engines, tracer.__version__), out)


def pages(atlas: Atlas) -> Iterator[Page]:
    """Every page of the site, kind by kind."""
    yield from home.pages(atlas, KINDS)
    for kind in KINDS:
        yield from kind.pages(atlas)
