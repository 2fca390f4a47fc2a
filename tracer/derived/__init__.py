"""State whose part is derived from how code uses it, not from its name: what `rules/any/` asks for.

`table.py` gathers all that is done to every field; the other modules derive from it: the index that a lookup reads
(`index.py`), what guards a removal (`guards.py`), what is handed from one function to another (`handover.py`), and
statements of a telling shape (`shapes.py`). `selectors.py` is what cues call.
"""
