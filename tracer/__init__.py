"""Tracer: a source tracer for KV-cache engines. Start reading at `tracer/trace.py`."""

__version__ = "0.1.0"
