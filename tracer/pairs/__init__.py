"""Acquire and release: rules, who does which (ledger), what a function holds, is all given back, what comes first."""
