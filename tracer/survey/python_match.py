"""Patterns of `match`: takes a pattern and its subject's path, makes binds of captured names and reads of values.

Refuses to know statements.
"""

from __future__ import annotations

import ast

from tracer.survey.python_path import best, suffixed
from tracer.survey.python_state import Stores

_TEXT = 160


class Patterns(Stores):
    """Stores plus what patterns capture."""

    def pattern(self, node: ast.pattern, subject: str) -> None:
        """Visit a pattern that `subject` is matched with."""
        line = node.lineno
        if isinstance(node, ast.MatchValue):
            if isinstance(node.value, ast.Attribute):
                self.read(self.chain(node.value), node.value, best(subject))
        elif isinstance(node, ast.MatchAs):
            if node.pattern is not None:
                self.pattern(node.pattern, subject)
                if isinstance(node.pattern, ast.MatchClass):
                    subject = f"<{self.text(node.pattern.cls, _TEXT)}>"
            if node.name:
                self.bind(node.name, subject, line)
        elif isinstance(node, ast.MatchStar):
            if node.name:
                self.bind(node.name, subject, line)
        elif isinstance(node, ast.MatchSequence):
            for place, part in enumerate(node.patterns):
                self.pattern(part, subject if isinstance(part, ast.MatchStar) else suffixed(subject, f"[{place}]"))
        elif isinstance(node, ast.MatchMapping):
            for part in node.patterns:
                self.pattern(part, suffixed(subject, "[]"))
            if node.rest:
                self.bind(node.rest, subject, line)
        elif isinstance(node, ast.MatchClass):
            kind = f"<{self.text(node.cls, _TEXT)}>"
            for part in node.patterns:
                self.pattern(part, "?")
            for name, part in zip(node.kwd_attrs, node.kwd_patterns, strict=True):
                self.pattern(part, f"{kind}.{name}")
        elif isinstance(node, ast.MatchOr):
            for part in node.patterns:
                self.pattern(part, subject)
