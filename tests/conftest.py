"""For all tests: they behave the same whoever starts them."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

_OF_A_TERMINAL = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TERM", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE")


def pytest_configure() -> None:
    """Take interrupts again, forget whose terminal this is, and give each example of hypothesis the time that it takes.

    A process that a shell starts in the background ignores interrupts, and so do its children; tests that interrupt a
    child would wait for ever. How fast a machine is, is no property of what is tested.
    """
    for name in _OF_A_TERMINAL:
        os.environ.pop(name, None)
    settings.register_profile("tracer", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("tracer")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
