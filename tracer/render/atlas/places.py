"""Where things lie in the site: the path of each page, the anchor of each site. Takes nouns; gives text."""

from __future__ import annotations

from tracer.model import Site, digest_of
from tracer.render.atlas.gather import Subject, slug

HOME = "index.html"
QUESTIONS = "questions/index.html"
FAULTS = "faults.html"
BUDGET = "budget.html"
GAPS = "gaps.html"
CHANGES = "changes/index.html"
PATHS = "paths/index.html"


def role(name: str) -> str:
    """The page of a role over all engines."""
    return f"roles/{name}.html"


def engine_role(subject: Subject, name: str) -> str:
    """The page of a role in one engine."""
    return f"roles/{subject.slug}/{name}.html"


def file(subject: Subject, path: str) -> str:
    """The page of a source file: its name to read, and a digest that keeps two of them apart."""
    return f"sites/{subject.slug}/{slug(path.replace('/', '-'), 70)}-{digest_of(path)[:8]}.html"


def anchor(site: Site) -> str:
    """The anchor of a site on the page of its file; one action of a role has one site a line."""
    return f"{site.role}-{site.action}-{site.first}"


def site(subject: Subject, found: Site) -> str:
    """The address of a site."""
    return f"{file(subject, found.file)}#{anchor(found)}"


def question(name: str) -> str:
    """The page of a question."""
    return f"questions/{slug(name)}.html"


def change(before: Subject, after: Subject) -> str:
    """The page of two versions compared."""
    return f"changes/{before.slug}--{after.slug}.html"


def shown_at(subject: Subject, path: str, first: int, last: int) -> str:
    """The address of a site on or around these lines, "" where the atlas shows none."""
    return next((site(subject, s) for s in subject.by_file.get(path, ()) if s.first <= last and first <= s.last), "")
