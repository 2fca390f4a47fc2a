"""Benchmarks: figures to read beside the budgets and the peers; nothing here asserts a time."""
