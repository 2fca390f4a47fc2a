"""For all tests: they behave the same whoever starts them."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Take interrupts again.

    A process that a shell starts in the background ignores them, and so do its children; tests that interrupt a child
    would wait for ever.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
