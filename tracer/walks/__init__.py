"""Walks: a path as a guided tour — what happens at each step, who owns the memory, what protects it, what may go wrong.

Takes a path, its sources, sites, verdicts, and the notes of `rules/walks/`; makes a `Tour`, which text, documents and
pages show. Refuses to find paths or to judge claims: those are asked for.
"""
