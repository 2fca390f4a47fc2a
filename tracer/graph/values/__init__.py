"""Which functions a small Python program calls: function values followed in the order of its statements.

`flow.adjacency(root, entry)` is the way in; `machine.py` says how the parts share the work.
"""
